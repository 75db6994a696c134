"""Start every bot of a config: build it, shake hands, play one ply; say what each answered.

Exit code 0 if every bot is well, 4 if one is not, 2 if the config is wrong.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from harness.cli.shared import add_config, add_json, warn
from harness.errors import ExitCode


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments."""
    add_config(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Check each bot in turn."""
    from harness.report.time_control import time_words
    from harness.run.check import check_bot
    from harness.run.prepare import has_gate, prepare

    if has_gate(args.config):
        from harness.run.gate import prepare_check

        prepared = prepare_check(args.config, tell=warn)
    else:
        prepared = prepare(args.config, tell=warn)
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
        if check.answer is not None:
            print(f"    first ply    {check.answer!r} in {check.ply_ms:.1f} ms")
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
        rules = (
            f"{prepared.referee.name}, map of seed {plan.seeds[0]}: {prepared.referee.map_name(plan.seeds[0])}"
        )
        print(f"{len(checks) - n_bad} of {len(checks)} bots are well; {rules}")
    return ExitCode.HALTED if n_bad else ExitCode.DONE
