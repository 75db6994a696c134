"""Print the table of a finished or running run again, from its records alone; or a part of it, filtered and grouped."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.filtered import add_filters, is_filtered, show_filtered
from harness.cli.scores import add_scoring, build_summaries
from harness.cli.shared import add_json, add_run, result_roots, run_command

if TYPE_CHECKING:
    from harness.records import MapRecord
    from harness.report.model import RunFacts
    from harness.store.run_directory import Manifest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments."""
    add_run(parser)
    add_json(parser)
    add_filters(parser)
    add_scoring(parser)


def run(args: argparse.Namespace) -> int:
    """Show the run."""
    from harness.cli.outcome import print_outcome
    from harness.store.run_directory import find_run, read_manifest

    path = find_run(args.run, result_roots())
    recorded = _Recorded(path, read_manifest(path))
    if is_filtered(args):
        return show_filtered(args, recorded, recorded.facts, lambda: build_summaries(args, path, recorded.manifest))
    summaries = build_summaries(args, path, recorded.manifest)
    for record in recorded():
        summaries.add(record)
    return print_outcome(summaries, recorded.facts(), as_json=args.json)


class _Recorded:
    """The records of a run, each job once; how far the run is, once they have been read."""

    def __init__(self, path: Path, manifest: Manifest | None) -> None:
        self.path = path
        self.manifest = manifest
        self._is_all_done = False

    def __call__(self) -> Iterator[MapRecord]:
        """Read them from the start."""
        from harness.run.scheduler import Scheduler
        from harness.store.run_directory import read_records

        jobs = Scheduler(self.manifest.n_jobs if self.manifest else sys.maxsize)
        for record in read_records(self.path):
            if jobs.finish_before(record.job):
                yield record
        self._is_all_done = jobs.is_all_done

    def facts(self) -> RunFacts:
        """Say of the run what its records cannot."""
        from harness.cli.outcome import run_facts
        from harness.report.model import HaltFacts, RunState
        from harness.store.run_directory import is_being_written, read_halt

        manifest, halt = self.manifest, None
        if manifest is None or self._is_all_done:
            state = RunState.DONE
        elif is_being_written(self.path):
            state = RunState.RUNNING
        elif (reason := read_halt(self.path)) is not None:
            state, halt = RunState.HALTED, HaltFacts(reason)
        else:
            state = RunState.INTERRUPTED
        again = None
        if manifest is not None:
            is_named = manifest.run != Path(manifest.config_path).stem
            again = run_command(manifest.config_path, manifest.run if is_named else None)
        return run_facts(self.path, manifest, state, again, halt)
