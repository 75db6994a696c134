"""Start every bot of a config: build it, shake hands, play one ply; say what each answered.

With an external referee it plays a few games instead: whether the referee plays the seed that it is given (else which
way to give it works), whether it may be kept warm, and a game with each bot.

Exit code 0 if every bot is well, 4 if one is not, 2 if the config is wrong.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from harness.cli.shared import add_config, add_json, warn
from harness.errors import ExitCode

if TYPE_CHECKING:
    from harness.run.prepare import Prepared


_ANSWER = 100
"""Of a bot's first answer so many characters are shown; `--json` has all of it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments."""
    add_config(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Check each bot in turn."""
    from harness.report.layout import cut
    from harness.report.time_control import time_words
    from harness.run.check import check_bot
    from harness.run.prepare import has_gate, prepare

    if has_gate(args.config):
        from harness.run.gate import prepare_check

        prepared = prepare_check(args.config, tell=warn)
    else:
        prepared = prepare(args.config, tell=warn)
    if prepared.plan.referee is not None:
        return _check_with_referee(prepared, as_json=args.json)
    checks = []
    for bot in prepared.config.bots:
        check = check_bot(prepared, bot)
        checks.append(check)
        if args.json:
            continue
        print(f"{'✗' if check.problem else '✓'} {check.name}  {check.identity}".rstrip())
        print(f"    command      {check.command}")
        print(f"    protocol     {check.protocol}")
        print(f"    fingerprint  {check.fingerprint}")
        print(f"    time         {time_words(check.time)}")
        print(f"    isolation    {check.isolation}")
        if check.options:
            print(
                "    options      " + ", ".join(f"{name}: {json.dumps(check.options[name])}" for name in check.options)
            )
        if check.answer is not None:
            print(f"    first ply    {cut(repr(check.answer), _ANSWER)} in {check.ply_ms:.1f} ms")
        if check.problem:
            print("    problem      " + check.problem.replace("\n", "\n                 "))
    for skipped in prepared.config.skipped:
        if not args.json:
            print(f"– {skipped.name}  skipped: {skipped.reason}")
    n_bad = sum(check.problem is not None for check in checks)
    if args.json:
        skips = [asdict(skipped) for skipped in prepared.config.skipped]
        print(json.dumps({"bots": [asdict(check) for check in checks], "skipped": skips}))
    else:
        plan = prepared.plan
        rules = f"{prepared.referee.name}, map of seed {plan.seeds[0]}: {prepared.referee.map_name(plan.seeds[0])}"
        print(f"{len(checks) - n_bad} of {len(checks)} bots are well; {rules}")
    return ExitCode.HALTED if n_bad else ExitCode.DONE


def _check_with_referee(prepared: Prepared, *, as_json: bool) -> int:
    """Check a referee that is a program, then each bot in a game of it."""
    from harness.run.referee_check import check_bots_played, check_referee
    from harness.run.warm import find_warm

    plan = prepared.plan
    assert plan.referee is not None
    referee = check_referee(prepared)
    program = prepared.config.referee
    wanted = program.spec.warm if program is not None and not referee.problem else None
    warm = find_warm(plan, wanted, warn, anew=True) if wanted is not None else None
    checks = []
    if not as_json:
        print(f"{'✗' if referee.problem else '✓'} referee  {referee.name}")
        print(f"    command      {referee.command}")
        print(f"    fingerprint  {referee.fingerprint}")
        if referee.seed is not None:
            print(f"    seed         {referee.seed.state.value}: {referee.seed.words}")
        if warm is not None:
            kept = f"yes, {warm.cold_s:.2f} s a game cold, {warm.warm_s:.2f} s warm" if warm.is_equal else "no"
            print(f"    kept warm    {kept}: {warm.why}")
        if referee.result:
            print(f"    first game   {referee.result!r} in {1000 * referee.game_s:.0f} ms")
        if referee.problem:
            print("    problem      " + referee.problem.replace("\n", "\n                 "))
    for check in check_bots_played(prepared) if not referee.problem else ():
        checks.append(check)
        if as_json:
            continue
        print(f"{'✗' if check.problem else '✓'} {check.name}")
        print(f"    command      {check.command}")
        print(f"    fingerprint  {check.fingerprint}")
        print(f"    isolation    {check.isolation}")
        if check.answer is not None:
            print(f"    a game       {check.answer!r} in {check.ply_ms:.0f} ms")
        if check.problem:
            print("    problem      " + check.problem.replace("\n", "\n                 "))
    n_bad = sum(check.problem is not None for check in checks)
    skipped = prepared.config.skipped
    if as_json:
        facts = {
            "referee": asdict(referee),
            "warm": asdict(warm) if warm is not None else None,
            "bots": [asdict(check) for check in checks],
            "skipped": [asdict(each) for each in skipped],
        }
        print(json.dumps(facts))
    else:
        for each in skipped:
            print(f"– {each.name}  skipped: {each.reason}")
        if not referee.problem:
            print(f"{len(checks) - n_bad} of {len(checks)} bots are well; {referee.name}")
    if referee.seed is not None and referee.problem:
        return ExitCode.USAGE  # the config says another way to give the seed than the referee understands
    return ExitCode.HALTED if n_bad or referee.problem else ExitCode.DONE
