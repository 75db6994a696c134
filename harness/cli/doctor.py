"""Say what this machine can give a run, and why not more: containment, sandbox, quiet, how many workers.

Measures for some seconds, best while nothing else runs: noise is the time that a core is kept from a probe that should
have it. Exit code 0, whatever is found.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from harness.cli.shared import add_json, warn
from harness.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from harness.run.doctor import Diagnosis

_SIGNS = {"good": "✓", "limited": "!", "missing": "✗"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments."""
    add_json(parser)
    parser.add_argument(
        "--seconds", type=float, default=2.0, metavar="S", help="how long to measure at each number of workers (2)"
    )


def run(args: argparse.Namespace) -> int:
    """Diagnose and print."""
    from harness.run.doctor import diagnose

    if not 0.1 <= args.seconds <= 600:
        raise UsageError("--seconds is out of range", got=f"{args.seconds:g}", allowed="0.1 to 600")
    diagnosis = diagnose(args.seconds, _say_nothing if args.json else warn)
    if args.json:
        print(json.dumps(asdict(diagnosis)))
    else:
        _print(diagnosis)
    return ExitCode.DONE


def _say_nothing(line: str) -> None:
    """Take a line and drop it."""


def _print(diagnosis: Diagnosis) -> None:
    print(f"{diagnosis.machine}; {diagnosis.user}\n")
    width = max(len(finding.name) for finding in diagnosis.findings)
    for finding in diagnosis.findings:
        print(f"{_SIGNS[finding.grade]} {finding.name:<{width}}  {finding.seen}")
        print(f"  {'':<{width}}  {finding.means}")
    print("\nnoise: 5 ms of work on a core of its own, and plies of 45 ms of work in a limit of 50\n")
    print(f"{'workers':>7} {'median':>8} {'99%':>8} {'longest':>8}   {'time lost':>9} {'plies lost':>10} {'worst':>10}")
    for noise in diagnosis.noises:
        print(
            f"{noise.n_workers:>7} {noise.median_ms:>5.1f} ms {noise.p99_ms:>5.1f} ms {noise.max_ms:>5.1f} ms   "
            f"{noise.lost_time:>9.2%} {noise.lost_plies:>10.2%} {noise.worst_late_ms:>7.1f} ms"
        )
    chosen = next(noise for noise in diagnosis.noises if noise.n_workers == diagnosis.suggested_workers)
    print(f"\nworkers: {diagnosis.suggested_workers} is what this machine carries now. Of plies of 50 ms it would lose")
    print(f"{chosen.lost_plies:.2%} by itself; those are void and played again, not lost by the bot.")
    if chosen.lost_plies > 0.01:
        print("That is much: end other programs, or judge by CPU time with `time: {clock: cpu}`.")
