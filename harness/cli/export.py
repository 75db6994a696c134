"""Write a run's games in a format that other tools read: PGN for chess, SGF for Go, with scores, depths and times.

To standard output, or to a file with --output. Games come in the order in which their maps finished. Needs the run's
folder and, if there is one, its opening book; neither its config nor its engines.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

from harness.cli.shared import add_config_of_run, add_run, find_transcript, manifest_of, result_roots, warn
from harness.errors import ExitCode, ResultsError, UsageError

if TYPE_CHECKING:
    from harness.records import MapRecord
    from harness.rules.base import Rules
    from harness.rules.chess import ChessRules
    from harness.rules.chess_pgn import PgnGame
    from harness.rules.go import GoRules
    from harness.store.run_directory import Manifest, Transcripts

_FORMATS = {"chess": "pgn", "go": "sgf"}
"""By the name of the rules."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments."""
    add_run(parser)
    parser.add_argument(
        "--format", choices=("pgn", "sgf"), help="pgn: chess, sgf: Go (default: what the run's game has)"
    )
    parser.add_argument("--output", "-o", type=Path, metavar="FILE", help="write there, not to standard output")
    add_config_of_run(parser)


def run(args: argparse.Namespace) -> int:
    """Export the run."""
    from harness.run.recorded import recorded_referee
    from harness.store.run_directory import find_run

    path = find_run(args.run, result_roots())
    manifest = manifest_of(path)
    rules = recorded_referee(manifest, args.config.parent if args.config else None).rules
    own = _FORMATS.get(rules.name)
    if own is None:
        raise UsageError(
            f"no format that other tools read is known for {rules.name}",
            got=f"{path} is a run of it",
            allowed=f"runs of {', '.join(_FORMATS)}",
            next_step="read maps.jsonl and t/, which have all of it (docs/record-format.md)",
        )
    wanted: str = args.format or own
    if own != wanted:
        game = next(name for name, each in _FORMATS.items() if each == wanted)
        raise UsageError(
            f"{wanted.upper()} is for {game}",
            got=f"{path} is a run of {rules.name}",
            allowed=f"--format {own}",
        )
    games = _games(path, manifest, rules)
    if args.output is None:
        for text in games:
            sys.stdout.write(text)
        return ExitCode.DONE
    n_games = _write(args.output, games)
    warn(f"{n_games} games written to {args.output}")
    return ExitCode.DONE


def _write(output: Path, games: Iterator[str]) -> int:
    """Write the games to a file, whole or not at all; give how many. Raises UsageError if it cannot be written."""
    part = output.with_name(f".{output.name}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            n_games = sum(1 for text in games if file.write(text))
        part.replace(output)
    except OSError as error:
        raise UsageError(f"cannot write {output}", got=error.strerror) from error
    finally:
        part.unlink(missing_ok=True)
    return n_games


def _games(path: Path, manifest: Manifest, rules: Rules) -> Iterator[str]:
    """Give every finished game as text of its format."""
    from harness.run.scheduler import Scheduler
    from harness.store.run_directory import Transcripts, read_records

    write = _writer(rules, Transcripts(path), manifest)
    jobs = Scheduler(manifest.n_jobs)
    for record in read_records(path):
        if not jobs.finish_before(record.job):
            continue
        for number in range(len(record.games)):
            try:
                yield write(record, number)
            except ValueError as error:
                raise ResultsError(
                    "this is no game by the rules", where=f"job {record.job}, game {number}", got=str(error)
                ) from error


def _writer(rules: Rules, transcripts: Transcripts, manifest: Manifest) -> Callable[[MapRecord, int], str]:
    """Give what writes one game of a record in the format of its rules."""
    from harness.rules.chess_pgn import write_pgn
    from harness.rules.go import GoRules

    if isinstance(rules, GoRules):
        return lambda record, number: _sgf_game(record, number, rules, transcripts)
    chess = cast("ChessRules", rules)
    return lambda record, number: write_pgn(_pgn_game(record, number, chess, transcripts, manifest))


def _sgf_game(record: MapRecord, number: int, rules: GoRules, transcripts: Transcripts) -> str:
    from harness.rules.go_sgf import write_sgf

    transcript = find_transcript(transcripts, record, number)
    times = [f"{think / 1e6:.3f}s" for think in transcript.think_us]
    game = record.games[number]
    return write_sgf(transcript, game, rules, event=record.run, started=record.started, comments=times)


def _pgn_game(
    record: MapRecord, number: int, rules: ChessRules, transcripts: Transcripts, manifest: Manifest
) -> PgnGame:
    from harness.protocols.uci_info import parse_info, pgn_comment
    from harness.rules.chess_pgn import pgn_game
    from harness.run.recorded import recorded_time

    transcript = find_transcript(transcripts, record, number)
    infos = transcript.info or ("",) * len(transcript.actions)
    comments = [
        pgn_comment(parse_info(info), think / 1e6) for info, think in zip(infos, transcript.think_us, strict=True)
    ]
    controls = {recorded_time(manifest, name) for name in record.lineup}
    return pgn_game(
        transcript,
        record.games[number],
        rules.opening(record.seed),
        event=record.run,
        started=record.started,
        comments=comments,
        time=controls.pop() if len(controls) == 1 else None,
        is_chess960=rules.is_chess960,
    )
