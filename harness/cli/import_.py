"""Read the games that another runner played into a run that `harness show`, `rate` and `export` understand.

FILES are a folder of cg-brutaltester's logs (its -l: game1.json, game2.json, … or .log in old mode), a file with what
it printed, or psyleague's .games. What is not written there, such as seeds or who sat where, is said and not guessed:
such games are unpaired, and their intervals are as wide as that makes them.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.shared import RESULTS, warn
from harness.errors import ExitCode, ResultsError, UsageError

if TYPE_CHECKING:
    from harness.run.imports import Imported


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments."""
    parser.add_argument(
        "files", type=Path, metavar="FILES", help="a folder of logs, a console's output, or a .games file"
    )
    parser.add_argument("--console", type=Path, metavar="FILE", help="what cg-brutaltester printed, beside its logs")
    parser.add_argument("--names", metavar="A,B", help="names of cg-brutaltester's players (default: their commands)")
    swapped = parser.add_mutually_exclusive_group()
    swapped.add_argument("--swapped", action="store_true", default=None, help="cg-brutaltester was given -s")
    swapped.add_argument("--not-swapped", action="store_false", dest="swapped", help="it was not")
    parser.add_argument("--run", metavar="NAME", help="name of the run to make (default: the name of FILES)")
    parser.add_argument("--json", action="store_true", help="print what was made as JSON and nothing else")


def run(args: argparse.Namespace) -> int:
    """Import, write the run, say what is not known of it."""
    from harness.store.codec import encode_line
    from harness.store.run_directory import RunDirectory, now_text, read_records

    name = args.run or args.files.resolve().name.removesuffix(args.files.suffix)
    path = Path(RESULTS) / name
    if not args.files.exists():
        raise UsageError("there is nothing to import", got=str(args.files))
    imported = _read(args, name, now_text())
    with RunDirectory(path) as directory:
        if next(read_records(path), None) is not None:
            raise ResultsError(
                "this run has records already", where=str(path), next_step="name another with --run NAME"
            )
        files: dict[str, list[bytes]] = {}
        for transcript in imported.transcripts:
            from harness.play.recording import transcript_file

            files.setdefault(transcript_file(transcript.job), []).append(encode_line(transcript))
        for file, lines in files.items():
            directory.append_transcripts(file, b"".join(lines))
        directory.append_maps(b"".join(map(encode_line, imported.records)))
        directory.append_event("imported", source=str(args.files), maps=float(len(imported.records)))
    n_games = sum(len(record.games) for record in imported.records)
    if args.json:
        facts = {"run": str(path), "maps": len(imported.records), "games": n_games, "notes": imported.notes}
        print(json.dumps(facts))
        return ExitCode.DONE
    for note in imported.notes:
        warn(f"note: {note}")
    print(f"{len(imported.records)} maps, {n_games} games are now in {path}; see them with: harness show {path}")
    return ExitCode.DONE


def _read(args: argparse.Namespace, name: str, started: str) -> Imported:
    from harness.run.imports import import_brutal, import_psyleague
    from harness.store.foreign import games_of_console, read_console, read_logs, read_psyleague

    if args.files.suffix == ".games":
        for flag in ("console", "names", "swapped"):
            if getattr(args, flag) is not None:
                raise UsageError(f"--{flag} says nothing of psyleague's games", next_step="leave it out")
        imported = import_psyleague(read_psyleague(args.files), run=name, started=started)
        if not imported.records:
            raise ResultsError("no games in this file", where=str(args.files))
        return imported
    console = read_console(args.console) if args.console is not None else None
    if args.files.is_dir():
        games = list(read_logs(args.files))
        if not games:
            raise ResultsError("none of the logs here tells a result", where=str(args.files))
    else:
        console = read_console(args.files)
        games = list(games_of_console(console, args.files))
    names = [each.strip() for each in args.names.split(",")] if args.names else []
    return import_brutal(games, console, run=name, started=started, names=names, swapped=args.swapped)
