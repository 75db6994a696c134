"""Print the table of a finished or running run again, from its records alone."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from harness.cli.scores import add_scoring, build_summaries
from harness.cli.shared import add_json, add_run, result_roots, run_command


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments."""
    add_run(parser)
    add_json(parser)
    add_scoring(parser)


def run(args: argparse.Namespace) -> int:
    """Show the run."""
    from harness.cli.outcome import print_outcome, run_facts
    from harness.report.model import RunState
    from harness.run.scheduler import Scheduler
    from harness.store.run_directory import find_run, is_being_written, read_manifest, read_records

    path = find_run(args.run, result_roots())
    manifest = read_manifest(path)
    summaries = build_summaries(args, path, manifest)
    jobs = Scheduler(manifest.n_jobs if manifest else sys.maxsize)
    for record in read_records(path):
        if jobs.finish_before(record.job):
            summaries.add(record)
    if manifest is None or jobs.is_all_done:
        state = RunState.DONE
    else:
        state = RunState.RUNNING if is_being_written(path) else RunState.INTERRUPTED
    again = None
    if manifest is not None:
        is_named = manifest.run != Path(manifest.config_path).stem
        again = run_command(manifest.config_path, manifest.run if is_named else None)
    return print_outcome(summaries, run_facts(path, manifest, state, again), as_json=args.json)
