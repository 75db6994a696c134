"""Play one map in full view: every ply, the board after it, and how it ended. Nothing is kept.

The map is that of a job of the plan (--job), or of any seed with any bots of the config.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from harness.cli.shared import add_config, add_json, warn
from harness.errors import ExitCode, UsageError, VoidGame
from harness.report.replay import PlyView, render_head, render_ply

if TYPE_CHECKING:
    from harness.records import MapJob
    from harness.referee.base import Action, RefereedGame
    from harness.report.layout import Look
    from harness.run.prepare import Prepared


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments."""
    add_config(parser)
    parser.add_argument("--seed", type=int, metavar="S", help="the map's seed (default: the plan's first)")
    parser.add_argument("--bots", nargs="+", metavar="NAME", help="who plays, seat 0 first (default: the first lineup)")
    parser.add_argument("--job", type=int, metavar="N", help="play this job of the plan, as a run would")
    parser.add_argument("--once", action="store_true", help="only the first seating, not all of them")
    parser.add_argument("--no-board", action="store_true", help="only the actions")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Play the map."""
    from harness.play.map import play_map
    from harness.play.table import Table
    from harness.report.layout import look_of
    from harness.report.replay import render_end
    from harness.run.prepare import prepare

    prepared = prepare(args.config, tell=warn)
    job = _job(prepared, args)
    if job.referee is not None:  # nothing is kept
        job = replace(job, referee=replace(job.referee, folder=""))
    look = look_of(sys.stdout, os.environ)
    map_name = prepared.referee.map_name(job.seed)
    commentary = _Commentary(job, map_name, look, with_board=not args.no_board)
    table = Table()
    try:
        record, transcripts = play_map(job, table, 0, None if args.json else commentary.watch)
    except VoidGame as void:
        warn(f"void: {void}")
        return ExitCode.HALTED
    finally:
        table.close()
    if args.json:
        print(json.dumps({"record": asdict(record), "transcripts": [asdict(each) for each in transcripts]}))
        return ExitCode.DONE
    for number, game in enumerate(record.games):
        print(f"\ngame {number}")
        print(render_end(game, [record.lineup[index] for index in game.seating], look))
    return ExitCode.DONE


def _job(prepared: Prepared, args: argparse.Namespace) -> MapJob:
    plan = prepared.plan
    if args.job is not None and not 0 <= args.job < len(plan):
        raise UsageError("no such job", got=str(args.job), allowed=f"0 to {len(plan) - 1}")
    job = plan[args.job or 0]
    if args.seed is not None:
        job = replace(job, seed=args.seed)
    if args.bots:
        by_name = {bot.name: bot for bot in prepared.config.bots}
        unknown = [name for name in args.bots if name not in by_name]
        if unknown or len(args.bots) != len(job.lineup):
            raise UsageError(
                f"--bots takes {len(job.lineup)} bots of the config",
                got=" ".join(args.bots),
                allowed=", ".join(by_name),
            )
        job = replace(job, lineup=tuple(by_name[name] for name in args.bots))
    return replace(job, seatings=job.seatings[:1] if args.once else job.seatings, transcripts=True)


class _Commentary:
    """Says each turn as it is made, by wrapping the referee's `apply`."""

    def __init__(self, job: MapJob, map_name: str, look: Look, *, with_board: bool) -> None:
        self._job = job
        self._map_name = map_name
        self._look = look
        self._with_board = with_board

    def watch(self, game: RefereedGame, number: int) -> RefereedGame:
        """Take a game that begins; give it with its `apply` wrapped."""
        names = [self._job.lineup[index].name for index in self._job.seatings[number]]
        width = max(map(len, names))
        print("\n" + render_head(None, number, self._job.seed, self._map_name, names, self._look))
        if self._with_board:
            print(game.draw())

        def apply(actions: Mapping[int, Action], forfeits: Sequence[int]) -> None:
            before = len(game.log)
            game.apply(actions, forfeits)
            for offset, seat in enumerate(sorted(actions)):
                last = self._with_board and offset == len(actions) - 1
                board = game.draw() if last else ""
                ply = PlyView(before + offset, seat, names[seat], game.log[before + offset], board=board)
                print(render_ply(ply, self._look, name_width=width))

        return replace(game, apply=apply)
