"""Print what a config would play and what it costs, without playing.

The estimated time is measured, not guessed, where a run of this config has finished maps already.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.shared import add_config, add_json, warn
from harness.errors import ExitCode

if TYPE_CHECKING:
    from harness.config.settings import Config
    from harness.records import TimeControl
    from harness.run.prepare import Prepared

_SAMPLE = 2_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments."""
    add_config(parser)
    add_json(parser)
    parser.add_argument("--jobs", type=int, default=4, metavar="N", help="how many of the first jobs to list (4)")
    parser.add_argument("--run", metavar="NAME", help="the run's name, in place of the config's")


def run(args: argparse.Namespace) -> int:
    """Print the plan."""
    from harness.plan.cost import compute_cost
    from harness.report import numbers
    from harness.report.time_control import time_words
    from harness.run.cores import pin_for, place_workers, referee_keeps_time
    from harness.run.prepare import has_gate, prepare

    if has_gate(args.config):
        from harness.cli.gate import show_characteristic

        return show_characteristic(args.config, args.run, as_json=args.json)
    prepared = prepare(args.config, args.run, tell=warn)
    config, plan = prepared.config, prepared.plan
    placement = place_workers(config.workers, config.bots, pin_for(config.pin, plan.referee), len(plan))
    n_workers = len(placement.cores)
    game_s, n_done = _measured(prepared, config.results / plan.run)
    cost = compute_cost(plan, n_workers=n_workers, game_s=game_s, max_plies=config.adjudication.max_plies)
    jobs = plan[: max(0, args.jobs)]
    if args.json:
        facts = {
            "run": plan.run,
            "run_key": plan.run_key,
            "rules": config.rules.name,
            "referee": None if plan.referee is None else prepared.referee.name,
            "split": plan.split,
            "seeds": [plan.seeds[0], plan.seeds[-1]],
            "lineups": [[bot.name for bot in lineup] for lineup in plan.lineups],
            "lineups_per_map": plan.lineups_per_map,
            "seatings": plan.seatings,
            "n_maps": plan.n_maps,
            "n_jobs": len(plan),
            "n_games": plan.n_games,
            "n_done": n_done,
            "n_workers": n_workers,
            "time": {bot.name: asdict(bot.time or config.time) for bot in config.bots},
            "estimate_s": cost.estimate_s,
            "bound_s": cost.bound_s,
            "jobs": [{"id": job.id, "seed": job.seed, "lineup": [bot.name for bot in job.lineup]} for job in jobs],
        }
        print(json.dumps(facts))
        return ExitCode.DONE
    print(f"run        {plan.run}, into {config.results / plan.run}")
    kind = "rules      " if plan.referee is None else "referee    "
    print(f"{kind}{prepared.referee.name}, {prepared.referee.n_seats} seats")
    if config.scoring is not None:
        print(f"scoring    {config.scoring.objective}, relative to {config.scoring.relative}")
    print(f"maps       {plan.n_maps} of the {plan.split} split, seeds {plan.seeds[0]} to {plan.seeds[-1]}")
    if plan.per_map is None:
        print(f"lineups    {len(plan.lineups)}, each on every map in {len(plan.seatings)} seatings")
    else:
        mixed = f"{len(set(plan.lineups))} that take turns"
        print(f"lineups    {plan.per_map} on each map, of {mixed}, each in {len(plan.seatings)} seatings")
    print(f"games      {plan.n_games} in {len(plan)} map jobs, {n_done} jobs done already")
    if plan.referee is not None:
        print(f"limits     a whole game at most {numbers.duration(plan.referee.time_limit_s)}")
    for control, timed in _by_time(config).items() if not referee_keeps_time(plan.referee) else ():
        print(f"limits     {time_words(control)} ({', '.join(timed)})")
    print(f"workers    {n_workers}" + ("" if placement.cores[0] is None else ", each bound to a core with its bots"))
    if cost.estimate_s is not None:
        print(f"time       about {numbers.duration(cost.estimate_s)} in all at the speed measured so far")
    elif cost.bound_s is not None:
        print(f"time       at most {numbers.duration(cost.bound_s)}; nothing of it is played yet to measure by")
    else:
        print("time       not bounded by the time control; nothing of it is played yet to measure by")
    for skipped in config.skipped:
        print(f"skipped    {skipped.name}: {skipped.reason}")
    for job in jobs:
        names = " – ".join(bot.name for bot in job.lineup)
        print(f"job {job.id:<6} seed {job.seed}, {prepared.referee.map_name(job.seed)}: {names}")
    if placement.warning:
        warn(f"warning: {placement.warning}")
    return ExitCode.DONE


def _by_time(config: Config) -> dict[TimeControl, list[str]]:
    """Give the bots' names by the time control that they play with, in the order of the config."""
    found: dict[TimeControl, list[str]] = {}
    for bot in config.bots:
        found.setdefault(bot.time or config.time, []).append(bot.name)
    return found


def _measured(prepared: Prepared, path: Path) -> tuple[float | None, int]:
    """Give seconds a game from the run's first records, and how many jobs it has done; (None, 0) if none.

    Warns of a run in that place that was begun with other inputs: `harness run` will not go on with it.
    """
    from harness.store.run_directory import read_manifest, read_records

    manifest = read_manifest(path)
    ours = {part: fingerprint.digest for part, fingerprint in prepared.fingerprints.items()}
    if manifest is not None and manifest.fingerprints != ours:
        warn(f"warning: {path} was begun with other inputs and cannot go on with these; start another with --run NAME")
        return None, 0
    records = read_records(path)
    first = list(islice(records, _SAMPLE))
    n_games = sum(len(record.games) for record in first)
    if not n_games:
        return None, 0
    return sum(record.wall_s for record in first) / n_games, len(first) + sum(1 for _ in records)
