"""Write a run's games in a format that other tools read: PGN for chess.

To standard output, or to a file with --output.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.cli.shared import add_run
from harness.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments."""
    add_run(parser)
    parser.add_argument("--format", choices=("pgn",), default="pgn", help="pgn: chess games, with scores and times")
    parser.add_argument("--output", "-o", type=Path, metavar="FILE", help="write there, not to standard output")


def run(args: argparse.Namespace) -> int:
    """Export the run."""
    raise UsageError(f"{args.format}: waits for the PGN writer")
