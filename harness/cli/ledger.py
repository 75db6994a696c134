"""Show, draw, spend or verify the seeds of a ledger: who used which for what.

    show LEDGER      ranges, what is left of them, the last entries
    draw LEDGER      take validation (or train) seeds for a comparison; reuse is counted and its cost said
    spend LEDGER     take test seeds for one decision, whose rule goes on record first; they are never given again
    verify LEDGER    check that no entry was altered and no test seed served twice

The same words draw the same seeds: a command that was interrupted can be repeated.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.shared import add_json, warn
from harness.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from harness.records import Ledger
    from harness.store.spending import Drawn, SpentEntry

_N_SHOWN = 10
_MAP_SD = 0.25
"""Deviation of a pair's mean score with half of the games drawn: for the size of a cost, where nothing is measured."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, text in (
        ("show", "ranges, what is left, the last entries"),
        ("draw", "take train or validation seeds"),
        ("spend", "take test seeds, once and for all"),
        ("verify", "check the record"),
    ):
        sub = actions.add_parser(action, help=text)
        sub.add_argument("ledger", type=Path, metavar="LEDGER", help="the ledger, such as seeds/lightcycles.yaml")
        add_json(sub)
        if action == "draw":
            sub.add_argument("--split", choices=("train", "validation"), default="validation", help="(validation)")
        if action in {"draw", "spend"}:
            sub.add_argument("--maps", type=int, required=True, metavar="N", help="how many seeds, in one piece")
            sub.add_argument("--from", type=int, dest="first", metavar="SEED", help="these, not the ledger's choice")
            sub.add_argument("--lineage", required=True, metavar="NAME", help="the series that selections count over")
            sub.add_argument("--candidate", required=True, metavar="NAME", help="what is judged")
            sub.add_argument("--run", default="by hand", metavar="NAME", help="the run they are for (by hand)")
            sub.add_argument(
                "--rule",
                required=action == "spend",
                default="",
                metavar="TEXT",
                help="what decides, with sample size and opponents",
            )
        if action == "show":
            sub.add_argument("--entries", type=int, default=_N_SHOWN, metavar="N", help=f"how many ({_N_SHOWN})")


def run(args: argparse.Namespace) -> int:
    """Do what was asked."""
    from harness.store.ledger import read_ledger

    ledger = read_ledger(args.ledger)
    if args.action == "show":
        return _show(ledger, args)
    if args.action == "verify":
        return _verify(ledger, args)
    return _draw(ledger, args)


def _show(ledger: Ledger, args: argparse.Namespace) -> int:
    from harness.report import numbers
    from harness.store.spending import FREE_SPLIT, count_left, read_spent

    entries = read_spent(ledger)
    left = {split: count_left(ledger, split, entries) for split, _ in ledger.ranges}
    if args.json:
        splits = {
            split: {"from": seeds.first, "to": seeds.last, "n_unused": left[split]} for split, seeds in ledger.ranges
        }
        shown = [_facts(entry) for entry in entries]
        print(json.dumps({"name": ledger.name, "feeds": ledger.feeds, "splits": splits, "entries": shown}))
        return ExitCode.DONE
    print(
        f"{ledger.name}, {ledger.path}: a seed {'makes a map' if ledger.feeds == 'generator' else 'picks an opening'}"
    )
    for split, seeds in ledger.ranges:
        free = "free, not counted" if split == FREE_SPLIT else f"{numbers.count(left[split])} never used"
        print(f"{split:<11} {seeds.first} to {seeds.last}, {numbers.counted(seeds.size, 'seed')}, {free}")
    for entry in entries[len(entries) - min(len(entries), max(0, args.entries)) :]:
        print(_line(entry))
    if not entries:
        print("nothing was drawn yet")
    return ExitCode.DONE


def _line(entry: SpentEntry) -> str:
    spending, decision = entry.spending, entry.spending.decision
    what = f"#{entry.number} {entry.time[:16]} {spending.split} {spending.first} to {spending.last}"
    if spending.closes is not None:
        return f"{what}: #{spending.closes} ended {spending.verdict or 'without a word'}, {spending.n_used} seeds seen"
    again = f", selected on {spending.n_selections} times before" if spending.n_selections else ""
    return f"{what}: {decision.purpose} of {decision.candidate} for {decision.lineage}, run {decision.run}{again}"


def _facts(entry: SpentEntry) -> dict[str, object]:
    import msgspec

    spending: dict[str, object] = msgspec.to_builtins(entry.spending)
    return {"number": entry.number, "time": entry.time, "digest": entry.digest, **spending}


def _verify(ledger: Ledger, args: argparse.Namespace) -> int:
    from harness.store.spending import check_spent, read_spent

    wrong = check_spent(ledger)
    n_entries = len(read_spent(ledger))
    if args.json:
        print(json.dumps({"n_entries": n_entries, "wrong": wrong}))
    else:
        for line in wrong:
            print(line)
        if not wrong:
            print(f"{n_entries} entries, unaltered; every test seed served one decision at most")
    return ExitCode.NOT_PASSED if wrong else ExitCode.DONE


def _draw(ledger: Ledger, args: argparse.Namespace) -> int:
    from harness.store.spending import SPENT_SPLIT, Decision, draw

    if args.maps < 1:
        raise UsageError("--maps is how many seeds to take", got=str(args.maps), allowed="1 or more")
    split = SPENT_SPLIT if args.action == "spend" else args.split
    decision = Decision(
        lineage=args.lineage,
        run=args.run,
        purpose="by hand",
        candidate=args.candidate,
        candidate_fingerprint="",
        config="",
        rule=args.rule,
    )
    drawn = draw(ledger, split, args.maps, decision, first=args.first)
    if drawn.torn_bytes:
        warn(f"a torn last line of {drawn.torn_bytes} bytes was cut off the record: a writer had been killed")
    if args.json:
        facts = {
            "split": split,
            "from": drawn.seeds.first,
            "to": drawn.seeds.last,
            "entry": drawn.number,
            "digest": drawn.digest,
            "n_selections": drawn.n_selections,
            "was_there": drawn.was_there,
        }
        print(json.dumps(facts))
        return ExitCode.DONE
    print(f"{split} seeds {drawn.seeds.first} to {drawn.seeds.last}" + _registered(drawn))
    if drawn.n_selections:
        print(_cost_of_reuse(drawn))
    return ExitCode.DONE


def _registered(drawn: Drawn) -> str:
    if drawn.number is None:
        return ", free to be used again"
    return f", entry #{drawn.number}, {drawn.digest}" + (", as drawn before" if drawn.was_there else "")


def _cost_of_reuse(drawn: Drawn) -> str:
    """Say what selecting again on the same maps costs: the best of so many equal candidates looks better than it is."""
    from harness.report import numbers
    from harness.stats.selection import best_of_equal_normal

    lead = best_of_equal_normal(drawn.n_selections + 1, _MAP_SD / math.sqrt(drawn.seeds.size))
    verb = "was" if drawn.n_selections == 1 else "were"
    return (
        f"{numbers.counted(drawn.n_selections, 'selection')} of this lineage {verb} made on these maps before: "
        f"the best of so many equal candidates would score about {numbers.plain(100.0 * lead, 1)} points too much"
    )
