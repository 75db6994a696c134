"""How `run` and `show` end: the summary of a run's records, its verdict, as text or JSON."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from harness.report.export import to_json
from harness.report.layout import look_of
from harness.report.model import HaltFacts, RunFacts, RunState
from harness.report.summary import SummaryBuilder
from harness.report.terminal import render_summary
from harness.report.verdict import judge
from harness.run.scoring import candidate_of
from harness.store.run_directory import Manifest


def run_facts(
    path: Path, manifest: Manifest | None, state: RunState, again: str | None = None, halt: HaltFacts | None = None
) -> RunFacts:
    """Say of a run what its records cannot; without a manifest its folder's name and no more."""
    if manifest is None:
        return RunFacts(name=path.stem if path.is_file() else path.name, state=state, results=str(path), again=again)
    bots = tuple(
        (part.removeprefix("bot "), digest) for part, digest in manifest.fingerprints.items() if part.startswith("bot ")
    )
    return RunFacts(
        name=manifest.run,
        state=state,
        planned=manifest.n_jobs,
        results=str(path),
        again=again,
        halt=halt,
        fingerprints=bots,
        candidate=candidate_of(manifest) or (None if manifest.scoring is not None else ""),
    )


def print_outcome(summaries: SummaryBuilder, facts: RunFacts, *, as_json: bool) -> int:
    """Print a run's summary and verdict; give the exit code that goes with it."""
    summary = summaries.build(facts)
    verdict = judge(summary)
    if as_json:
        print(to_json(summary, verdict))
    else:
        print(render_summary(summary, verdict, look_of(sys.stdout, os.environ)))
    return verdict.exit_code
