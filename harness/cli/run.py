"""Play everything of a config that is not played yet, and say what was found.

A first start begins a run under the config's results folder; a second goes on with it, or says that all is done.
Ctrl-C once finishes what is being played, twice stops now; both can be resumed with the same command.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.shared import add_config, add_json, run_command, warn
from harness.errors import Halt, Interrupted

if TYPE_CHECKING:
    from harness.plan.plan import Plan
    from harness.records import MapRecord
    from harness.report.live import Progress
    from harness.report.summary import SummaryBuilder
    from harness.run.cores import Placement
    from harness.run.prepare import Prepared


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments."""
    add_config(parser)
    add_json(parser)
    parser.add_argument("--run", metavar="NAME", help="name the run, in place of the config's name")
    parser.add_argument("--quiet", "-q", action="store_true", help="no progress, only the outcome")


class Watcher:
    """The observer of a run: counts every record, shows progress, says what happens beside it."""

    def __init__(self, summaries: SummaryBuilder, progress: Progress) -> None:
        self.summaries = summaries
        self.progress = progress
        self.n_resumed = 0
        self.n_new = 0

    def on_resumed(self, record: MapRecord) -> None:
        """Count a map of an earlier start."""
        self.n_resumed += 1
        self.summaries.add(record)

    def on_start(self, plan: Plan, placement: Placement, n_done: int) -> None:
        """Begin to show progress."""
        if placement.warning:
            warn(f"warning: {placement.warning}")
        self.progress.start(plan.run, n_planned=len(plan), n_done=n_done, n_workers=len(placement.cores))

    def on_record(self, record: MapRecord) -> None:
        """Count a new map."""
        self.n_new += 1
        self.summaries.add(record)
        self.progress.add(record)

    def on_void(self, job: int, reason: str) -> None:
        """Say that a job will be played again."""
        self.progress.say(f"job {job} is void and will be played again: {reason}")

    def on_warning(self, text: str) -> None:
        """Pass on what people should know of the machine."""
        self.progress.say(f"warning: {text}")

    def on_stop_request(self, count: int) -> None:
        """Say what a Ctrl-C does."""
        self.progress.say(
            "stopping: the maps being played are finished first; Ctrl-C again stops now"
            if count == 1
            else "stopping now"
        )

    def tick(self) -> None:
        """Let progress redraw."""
        self.progress.tick()


def run(args: argparse.Namespace) -> int:
    """Run the config."""
    from harness.report.live import make_progress
    from harness.report.summary import SummaryBuilder
    from harness.run.prepare import build_manifest, has_gate, prepare

    if has_gate(args.config):
        from harness.cli.gate import judge

        return judge(args.config, args.run, quiet=args.quiet, as_json=args.json)
    prepared = prepare(args.config, args.run, tell=warn)
    for skipped in prepared.config.skipped:
        warn(f"{skipped.name} is skipped: {skipped.reason}")
    name = prepared.plan.run
    scoring = prepared.config.scoring
    baseline = None
    if scoring is not None:
        from harness.run.scoring import load_baseline

        baseline = load_baseline(scoring, prepared.config.results / name, build_manifest(prepared, name))
    summaries = SummaryBuilder(scoring, baseline)
    progress = make_progress(sys.stderr, os.environ, summaries, quiet=args.quiet or args.json)
    watcher = Watcher(summaries, progress)
    return play(prepared, watcher, run_command(args.config, args.run), as_json=args.json)


def play(prepared: Prepared, watcher: Watcher, again: str, *, as_json: bool = False) -> int:
    """Play what is left of a prepared run and print what came of it; `again` is the command that goes on with it."""
    from harness.cli.outcome import print_outcome, run_facts
    from harness.report.model import HaltFacts, RunState
    from harness.run.flow import run_config
    from harness.store.run_directory import read_manifest

    name, summaries, progress = prepared.plan.run, watcher.summaries, watcher.progress
    path = prepared.config.results / name
    shown = _shown(path)
    try:
        run_config(prepared, name, watcher)
    except Interrupted as stop:
        progress.stop()
        print_outcome(summaries, run_facts(shown, read_manifest(path), RunState.INTERRUPTED, again), as_json=as_json)
        raise Interrupted(stop.what, next_step=f"go on with: {again}") from None
    except Halt as halt:
        progress.stop()
        facts = HaltFacts(halt.what, evidence=halt.got if as_json else None)  # people read it in the error's own lines
        print_outcome(summaries, run_facts(shown, read_manifest(path), RunState.HALTED, again, facts), as_json=as_json)
        raise
    finally:
        progress.stop()
    if not watcher.n_new and not as_json:
        print(f"All {watcher.n_resumed} {summaries.unit}s of this run were done before; nothing was played.")
    return print_outcome(summaries, run_facts(shown, read_manifest(path), RunState.DONE, again), as_json=as_json)


def _shown(path: Path) -> Path:
    """Give a path as people like to read it: relative to where they stand if it is below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
