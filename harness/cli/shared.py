"""What several verbs share: arguments, and finding the runs of the folder one stands in."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

RESULTS = "results"


def add_config(parser: argparse.ArgumentParser) -> None:
    """Add the config argument."""
    parser.add_argument("config", type=Path, metavar="CONFIG", help="a YAML file, such as configs/quickstart.yaml")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add --json."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON and nothing else")


def add_run(parser: argparse.ArgumentParser) -> None:
    """Add the argument that names a recorded run."""
    parser.add_argument("run", metavar="RUN", help="a run's folder, its name under results/, or a maps.jsonl file")


def result_roots() -> tuple[Path, ...]:
    """Give the folders in which a run's bare name is looked up."""
    return (Path(RESULTS), Path("configs") / RESULTS)


def warn(line: str) -> None:
    """Print a line for people beside the result."""
    print(line, file=sys.stderr)
