"""Show a recorded game ply by ply and check it: the rules must accept it and end it as recorded.

If all its bots are marked deterministic, they play the map again and must make the same actions. The rules need
nothing but the run's folder and files that they read, such as an opening book; the bots need the config as it was.
A game of an external referee is shown as it was told, with the command that plays it by hand, and is played again; bots
that are deterministic must score the same.
Exit code 0 if all checks pass, 1 if the bots play otherwise now, 2 if the record is not a game by the rules.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.shared import add_config_of_run, add_json, add_run, find_transcript, manifest_of, result_roots, warn
from harness.errors import ExitCode, ResultsError, UsageError, VoidGame

if TYPE_CHECKING:
    from harness.records import GameRecord, MapRecord, Transcript
    from harness.report.layout import Look
    from harness.run.replay import Difference, Step
    from harness.store.run_directory import Manifest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments."""
    add_run(parser)
    parser.add_argument("job", type=int, metavar="JOB", help="a job of the run; the table and maps.jsonl name them")
    parser.add_argument(
        "--game", type=int, metavar="G", help="only this game of the job, and not its bots (default: all)"
    )
    parser.add_argument("--no-board", action="store_true", help="only the actions")
    parser.add_argument("--no-bots", action="store_true", help="do not let deterministic bots play it again")
    add_config_of_run(parser)
    add_json(parser)


@dataclass(slots=True)
class _Again:
    """What came of letting the bots play again: why they did not ("" if they did), and where they differ."""

    reason: str = ""
    differences: list[Difference] = field(default_factory=list)


def run(args: argparse.Namespace) -> int:
    """Replay the job."""
    from harness.report.layout import look_of
    from harness.run.recorded import is_delegated, recorded_referee
    from harness.run.replay import replay_steps
    from harness.store.run_directory import Transcripts, find_run

    path = find_run(args.run, result_roots())
    manifest = manifest_of(path)
    record = _find_record(path, args.job)
    if is_delegated(manifest):
        return _replay_delegated(args, path, manifest, record)
    chosen = range(len(record.games)) if args.game is None else (args.game,)
    if args.game is not None and not 0 <= args.game < len(record.games):
        raise UsageError("no such game", got=str(args.game), allowed=f"0 to {len(record.games) - 1}")
    referee = recorded_referee(manifest, args.config.parent if args.config else None)
    recorded = Transcripts(path)
    look = look_of(sys.stdout, os.environ)
    transcripts = [find_transcript(recorded, record, number) for number in chosen]
    games = []
    for transcript in transcripts:
        steps = replay_steps(referee, record.games[transcript.game], transcript)
        if args.json:
            games.append(_game_data(record.games[transcript.game], transcript, list(steps)))
        else:
            _print_game(record, transcript, steps, look, with_board=not args.no_board)
    if args.no_bots or args.game is not None:
        again = _Again("not asked for")
    else:
        again = _play_again(args.config or Path(manifest.config_path), manifest, record, transcripts)
    if args.json:
        facts = {"run": record.run, "job": record.job, "seed": record.seed, "map": record.map, "games": games}
        print(json.dumps({**facts, "played_again": not again.reason, **asdict(again)}))
    elif again.reason:
        print(f"Not played again: {again.reason}.")
    elif not again.differences:
        print("Its bots, played again, made the same actions.")
    else:
        for each in again.differences:
            then, now = each.then or "(over)", each.now or "(over)"
            print(f"game {each.game} differs from ply {each.ply} on: then {then}, now {now}")
    return ExitCode.NOT_PASSED if again.differences else ExitCode.DONE


def _print_game(
    record: MapRecord, transcript: Transcript, steps: Iterator[Step], look: Look, *, with_board: bool
) -> None:
    """Print a game as it is replayed, so that one which the rules refuse is seen up to there."""
    from harness.report.replay import PlyView, render_end, render_head, render_ply

    names = transcript.names
    print("\n" + render_head(record.job, transcript.game, record.seed, record.map, names, look))
    width = max(map(len, names))
    for step in steps:
        view = PlyView(
            ply=step.ply,
            seat=step.seat,
            bot=names[step.seat],
            action=step.action,
            think_s=step.think_us / 1e6,
            info=step.info,
            board=step.board if with_board else "",
        )
        print(render_ply(view, look, name_width=width))
    print(render_end(record.games[transcript.game], names, look))
    print("The rules accept it and end it as recorded.")


def _game_data(game: GameRecord, transcript: Transcript, steps: list[Step]) -> dict[str, object]:
    """Give a game that the rules accept as data."""
    return {
        "game": transcript.game,
        "seats": transcript.names,
        "scores": game.scores,
        "termination": game.termination.value,
        "detail": game.detail,
        "faults": [asdict(fault) for fault in game.faults],
        "plies": [
            {"ply": step.ply, "seat": step.seat, "action": step.action, "think_us": step.think_us, "info": step.info}
            for step in steps
        ],
    }


def _play_again(config: Path, manifest: Manifest, record: MapRecord, transcripts: list[Transcript]) -> _Again:
    """Let the bots play the map again. Raises ConfigError if config or bots are gone, Halt if one does not start."""
    from harness.config.fingerprint import explain_change
    from harness.run.prepare import prepare
    from harness.run.replay import play_again

    prepared = prepare(config, manifest.run, tell=warn)
    bots = {bot.name: bot for bot in prepared.config.bots}
    whole = prepared.fingerprints["config"]
    if whole.digest != manifest.fingerprints.get("config"):
        changes = explain_change(manifest.parts.get("config", {}), whole.parts)
        return _Again("the config is not what it was: " + "; ".join(changes[:6]))
    for name in record.lineup:
        if manifest.fingerprints.get(f"bot {name}") != bots[name].fingerprint:
            warn(f"warning: bot {name} is not what it was when this run was played")
    uncertain = [name for name in record.lineup if not bots[name].deterministic]
    if uncertain:
        return _Again(f"not marked deterministic: {', '.join(uncertain)}")
    try:
        return _Again(differences=play_again(prepared.plan[record.job], record, transcripts))
    except VoidGame as void:
        return _Again(f"this time it is void: {void}")


def _replay_delegated(args: argparse.Namespace, path: Path, manifest: Manifest, record: MapRecord) -> int:
    """Show the games of an external referee, and have it play them again."""
    from harness.report.layout import look_of
    from harness.report.replay import render_end, render_head
    from harness.run.prepare import prepare
    from harness.run.replay import play_games_again
    from harness.store.run_directory import Transcripts

    chosen = range(len(record.games)) if args.game is None else (args.game,)
    if args.game is not None and not 0 <= args.game < len(record.games):
        raise UsageError("no such game", got=str(args.game), allowed=f"0 to {len(record.games) - 1}")
    look = look_of(sys.stdout, os.environ)
    transcripts = Transcripts(path)
    prepared = prepare(args.config or Path(manifest.config_path), manifest.run, tell=warn)
    changed = [part for part, found in prepared.fingerprints.items() if manifest.fingerprints.get(part) != found.digest]
    if changed:
        warn(f"warning: not what it was when this run was played: {', '.join(changed)}")
    bots = {bot.name: bot for bot in prepared.config.bots}
    is_certain = all(bots[name].deterministic for name in record.lineup) and record.paired and not changed
    again = list(play_games_again(prepared, record, chosen, is_played=not args.no_bots))
    is_other = False
    games = []
    for number, one in zip(chosen, again, strict=True):
        game = record.games[number]
        names = [record.lineup[index] for index in game.seating]
        same = one.values == game.values and one.scores == game.scores
        is_other |= one.problem is None and not same and not args.no_bots
        if args.json:
            games.append({"game": number, "seats": names, "record": asdict(game), **asdict(one), "same": same})
            continue
        print("\n" + render_head(record.job, number, record.seed, record.map, names, look))
        if game.transcript is not None:
            for action in transcripts.find(game.transcript).actions:
                seat, _, text = action.partition(" ")
                print(f"  {names[int(seat)]}: {text!r}")
        print(render_end(game, names, look))
        if one.command:
            print(f"by hand: {one.command}")
        if one.problem:
            print(f"again: void, {one.problem}")
        elif not args.no_bots:
            print(f"again: {one.detail} ({'the same' if same else 'otherwise'})")
    if args.json:
        facts = {"run": record.run, "job": record.job, "seed": record.seed, "map": record.map, "games": games}
        print(json.dumps(facts))
    elif is_other and not is_certain:
        print("Bots that are not marked deterministic, or a map of its own each time, may play otherwise.")
    return ExitCode.NOT_PASSED if is_other and is_certain else ExitCode.DONE


def _find_record(path: Path, job: int) -> MapRecord:
    from harness.store.run_directory import read_records

    last = -1
    for record in read_records(path):
        if record.job == job:
            return record
        last = max(last, record.job)
    raise ResultsError(f"no job {job} in this run", where=str(path), allowed=f"jobs up to {last} are recorded")
