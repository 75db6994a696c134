"""What several verbs share: arguments, and finding the runs of the folder one stands in."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import ResultsError

if TYPE_CHECKING:
    from harness.records import MapRecord, Transcript
    from harness.store.run_directory import Manifest, Transcripts

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


def add_config_of_run(parser: argparse.ArgumentParser) -> None:
    """Add the argument that says where a recorded run's config is now."""
    parser.add_argument("--config", type=Path, metavar="FILE", help="the run's config, if it is not where it was")


def run_command(config: Path | str, run: str | None = None) -> str:
    """Give the command that plays, or goes on with, a run."""
    return shlex.join(["harness", "run", str(config), *(["--run", run] if run else [])])


def manifest_of(path: Path) -> Manifest:
    """Read the manifest of a run. Raises ResultsError if it has none."""
    from harness.store.run_directory import read_manifest

    manifest = read_manifest(path)
    if manifest is None:
        raise ResultsError(
            "this run has no manifest, so nobody knows its rules",
            where=str(path),
            next_step="name the run's folder, with its manifest.json, not a copy of its records",
        )
    return manifest


def find_transcript(transcripts: Transcripts, record: MapRecord, game: int) -> Transcript:
    """Find the transcript of a game. Raises ResultsError if none was kept."""
    reference = record.games[game].transcript
    if reference is None:
        raise ResultsError(
            f"no transcript was kept of job {record.job}",
            next_step="set transcripts: all in the config of the next run",
        )
    return transcripts.find(reference)


def result_roots() -> tuple[Path, ...]:
    """Give the folders in which a run's bare name is looked up."""
    return (Path(RESULTS), Path("configs") / RESULTS)


def warn(line: str) -> None:
    """Print a line for people beside the result."""
    print(line, file=sys.stderr)
