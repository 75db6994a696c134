"""Show a recorded game ply by ply and check it: the rules must accept it and end it as recorded.

If all its bots are marked deterministic, they play the map again and must make the same actions.
Exit code 0 if all checks pass, 1 if the bots play otherwise now, 2 if the record is not a game by the rules.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.shared import add_run, result_roots, warn
from harness.errors import ExitCode, ResultsError, UsageError

if TYPE_CHECKING:
    from harness.records import MapRecord
    from harness.run.prepare import Prepared
    from harness.store.run_directory import Manifest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments."""
    add_run(parser)
    parser.add_argument("job", type=int, metavar="JOB", help="a job of the run; the table and maps.jsonl name them")
    parser.add_argument("--game", type=int, metavar="G", help="only this game of the job (default: all)")
    parser.add_argument("--config", type=Path, metavar="FILE", help="the run's config, if it is not where it was")
    parser.add_argument("--no-board", action="store_true", help="only the actions")
    parser.add_argument("--no-bots", action="store_true", help="do not let deterministic bots play it again")


def run(args: argparse.Namespace) -> int:
    """Replay the job."""
    from harness.report.layout import look_of
    from harness.report.replay import PlyView, render_end, render_head, render_ply
    from harness.run.prepare import prepare
    from harness.run.replay import play_again, replay_steps
    from harness.store.run_directory import Transcripts, find_run, read_manifest

    path = find_run(args.run, result_roots())
    manifest = read_manifest(path)
    if manifest is None and args.config is None:
        raise ResultsError("this run has no manifest", where=str(path), next_step="name its config with --config")
    record = _find_record(path, args.job)
    prepared = prepare(args.config or Path(manifest.config_path if manifest else ""), tell=warn)
    _check_rules(prepared, manifest)
    chosen = range(len(record.games)) if args.game is None else (args.game,)
    recorded = Transcripts(path)
    look = look_of(sys.stdout, os.environ)
    transcripts = []
    for number in chosen:
        if not 0 <= number < len(record.games):
            raise UsageError("no such game", got=str(number), allowed=f"0 to {len(record.games) - 1}")
        game = record.games[number]
        if game.transcript is None:
            raise ResultsError("this run kept no transcripts", next_step="set transcripts: all in the config")
        transcript = recorded.find(game.transcript)
        transcripts.append(transcript)
        names = transcript.names
        print("\n" + render_head(record.job, number, record.seed, record.map, names, look))
        width = max(map(len, names))
        for step in replay_steps(prepared.referee, game, transcript):
            view = PlyView(
                ply=step.ply,
                seat=step.seat,
                bot=names[step.seat],
                action=step.action,
                think_s=step.think_us / 1e6,
                info=step.info,
                board="" if args.no_board else step.board,
            )
            print(render_ply(view, look, name_width=width))
        print(render_end(game, names, look))
        print("The rules accept it and end it as recorded.")
    if args.no_bots or args.game is not None:
        return ExitCode.DONE
    bots = {bot.name: bot for bot in prepared.config.bots}
    uncertain = [name for name in record.lineup if name not in bots or not bots[name].deterministic]
    if uncertain:
        print(f"Not played again: {', '.join(uncertain)} is not marked deterministic.")
        return ExitCode.DONE
    differences = play_again(prepared.plan[record.job], record, transcripts)
    for difference in differences:
        print(
            f"game {difference.game} differs from ply {difference.ply} on: "
            f"then {difference.then or '(over)'}, now {difference.now or '(over)'}"
        )
    if not differences:
        print("Its bots, played again, made the same actions.")
    return ExitCode.NOT_PASSED if differences else ExitCode.DONE


def _find_record(path: Path, job: int) -> MapRecord:
    from harness.store.run_directory import read_records

    last = -1
    for record in read_records(path):
        if record.job == job:
            return record
        last = max(last, record.job)
    raise ResultsError(f"no job {job} in this run", where=str(path), allowed=f"jobs up to {last} are recorded")


def _check_rules(prepared: Prepared, manifest: Manifest | None) -> None:
    """Say what changed since the run: its games may then not be what these rules and bots play."""
    if manifest is None:
        return
    for part, fingerprint in prepared.fingerprints.items():
        if manifest.fingerprints.get(part) != fingerprint.digest:
            warn(f"warning: {part} is not as it was when this run was played")
