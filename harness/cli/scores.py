"""How a score contest's numbers are to be read: what `show` may be told besides, and the builder of the summary."""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import UsageError

if TYPE_CHECKING:
    from harness.records import Scoring
    from harness.report.summary import SummaryBuilder
    from harness.store.run_directory import Manifest


def add_scoring(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that read a score contest in another way than its config said."""
    group = parser.add_argument_group(
        "score contests, in place of what the run's config said (docs/config.md, scoring)"
    )
    group.add_argument("--objective", choices=("maximise", "minimise"), help="which way is better")
    group.add_argument(
        "--relative", choices=("none", "best", "median", "rank", "log"), help="what a score is measured against"
    )
    group.add_argument("--failed-score", type=float, metavar="SCORE", help="what a seed without a score counts")
    group.add_argument(
        "--baseline", action="append", metavar="RUN", help="a run or CSV file of earlier results; may be repeated"
    )


def build_summaries(args: argparse.Namespace, path: Path, manifest: Manifest | None) -> SummaryBuilder:
    """Make the summary's builder for a recorded run; a score contest's reads its scores as config and arguments say."""
    from harness.report.summary import SummaryBuilder
    from harness.run.scoring import load_baseline

    scoring = _scoring(args, None if manifest is None else manifest.scoring)
    if scoring is None:
        return SummaryBuilder()
    return SummaryBuilder(scoring, load_baseline(scoring, path, manifest))


def _scoring(args: argparse.Namespace, known: Scoring | None) -> Scoring | None:
    """Put what was said on the command line over what the run's config said; None if nobody said anything."""
    from harness.cli.shared import result_roots
    from harness.records import Objective, Relative, Scoring

    said = (args.relative, args.failed_score, args.baseline)
    if known is None and args.objective is None:
        if any(word is not None for word in said):
            raise UsageError(
                "nothing says which scores are better", next_step="add --objective maximise, or --objective minimise"
            )
        return None
    if args.failed_score is not None and not math.isfinite(args.failed_score):
        raise UsageError("--failed-score needs a finite number", got=str(args.failed_score))
    scoring = known if known is not None else Scoring(Objective(args.objective))
    if args.objective is not None:
        scoring = replace(scoring, objective=Objective(args.objective))
    if args.relative is not None:
        scoring = replace(scoring, relative=Relative(args.relative))
    if args.failed_score is not None:
        scoring = replace(scoring, failed_score=args.failed_score)
    if args.baseline is not None:
        scoring = replace(scoring, baseline=tuple(_find(name, result_roots()) for name in args.baseline))
    is_plain = scoring.relative is Relative.NONE and scoring.objective is Objective.MAXIMISE
    if scoring.failed_score is None and is_plain:
        scoring = replace(scoring, failed_score=0.0)
    return scoring


def _find(name: str, roots: tuple[Path, ...]) -> str:
    from harness.store.run_directory import find_run

    return name if Path(name).is_file() else str(find_run(name, roots))
