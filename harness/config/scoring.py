"""The config's `scoring` section: its keys as a pydantic model, and the `Scoring` that is made of it.

Whether the rules have one seat, and which way their numbers are better, is not known here.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from harness.config.document import Document
from harness.config.problems import Problem, build_problem
from harness.config.section import Section, Text, problem
from harness.records import Objective, Relative, Scoring, SeedScore

_MOST = 1e100


class ScoringSection(Section):
    """A score contest: rules with one seat, whose result is a number a seed. Needed for them, and only for them.

    [docs/how-to/score-contest.md](how-to/score-contest.md) is the walk-through. Nothing here changes what is played: a
    run that is played can be read in another way with `harness show`.
    """

    objective: Literal["maximise", "minimise"] = Field(description="Which way is better.")
    relative: Literal["none", "best", "median", "rank", "log"] = Field(
        default="none",
        description="What a score is measured against on its seed. `none`: it counts as it is. `best`: score/best, or "
        "best/score where less is better, next to the best result on that seed. `median`: the same next to the median "
        "of the earlier results (those of `baseline`, else of the run's own bots). `rank`: the share of the other "
        "results that it is better than. `log`: its logarithm, so that differences are percentages.",
    )
    failed_score: int | float | None = Field(
        default=None,
        description="What a seed without a score counts; the worst score that anybody has on it if that is worse. "
        "Where scores are relative it counts 0 in any case. Default: 0 with `maximise` and `none`; needed with "
        "`minimise` and `none`, and with `log`.",
    )
    seed_score: Literal["wins", "share"] | None = Field(
        default=None,
        description="What a `gate` reads of a seed. `wins`: 1, ½ or 0 for better, equal, worse. `share`: ½ and half of "
        "the difference of the two, in shares of the better one. Default: `share` with `relative: best`, else `wins`.",
    )
    baseline: Text | list[Text] | None = Field(
        default=None,
        description="Earlier results: names of runs under `results`, folders of runs, or CSV files with the columns "
        "`seed` and `score`. They count for the best, the median and the rank on their seeds, and are never played.",
    )

    @model_validator(mode="after")
    def check_failed(self) -> ScoringSection:
        """Ask for what a failure counts where nothing says it."""
        score = self.failed_score
        if score is not None and not (math.isfinite(score) and abs(score) <= _MOST):
            raise problem("it is no score", key="failed_score", allowed="a number from -1e100 to 1e100")
        if self.relative == "log" and score is not None and score <= 0:
            raise problem("it has no logarithm", key="failed_score", allowed="a number above 0")
        if score is None and (self.relative == "log" or (self.relative == "none" and self.objective == "minimise")):
            raise problem(
                "it is missing: a seed without a score has to count something",
                key="failed_score",
                next_step="write a score worse than any meant to occur, or `relative: best`, where it counts 0",
            )
        return self


def build_scoring(
    section: ScoringSection, folder: Path, results: Path, document: Document, problems: list[Problem], *, has_gate: bool
) -> Scoring:
    """Make a file's scoring; what is wrong with it is added to `problems`."""
    relative, objective = Relative(section.relative), Objective(section.objective)
    if section.seed_score is not None and not has_gate:
        problems.append(_problem(document, "seed_score", "only a `gate` reads it", "remove it"))
    if has_gate and section.baseline is not None:
        problems.append(_problem(document, "baseline", "a gate compares two bots that both play", "remove it"))
    if has_gate and relative in (Relative.MEDIAN, Relative.RANK):
        what = "a gate has two results a seed, of which there is none"
        problems.append(_problem(document, "relative", what, "write none, best or log"))
    is_share = relative is Relative.BEST if section.seed_score is None else section.seed_score == "share"
    is_plain = relative is Relative.NONE and objective is Objective.MAXIMISE
    failed = 0.0 if section.failed_score is None and is_plain else section.failed_score
    return Scoring(
        objective=objective,
        relative=relative,
        failed_score=None if failed is None else float(failed),
        seed_score=SeedScore.SHARE if is_share else SeedScore.WINS,
        baseline=tuple(_baseline(section, folder, results, document, problems)),
    )


def _problem(document: Document, key: str, what: str, next_step: str) -> Problem:
    return build_problem(document, ("scoring", key), what, next_step=next_step)


def _baseline(
    section: ScoringSection, folder: Path, results: Path, document: Document, problems: list[Problem]
) -> list[str]:
    """Find each of the earlier results: a path relative to the config's folder, or the name of a run."""
    names = [section.baseline] if isinstance(section.baseline, str) else section.baseline or []
    found = []
    for number, name in enumerate(names):
        places = [Path(os.path.normpath(folder / name)), results / name]
        there = next((str(place) for place in places if place.exists()), None)
        if there is None:
            keys = ("scoring", "baseline") if isinstance(section.baseline, str) else ("scoring", "baseline", number)
            problems.append(
                build_problem(
                    document,
                    keys,
                    "there is no run and no file of this name",
                    got=name,
                    next_step=f"it is relative to {folder}, or the name of a run under {results}",
                )
            )
        elif there in found:
            problems.append(_problem(document, "baseline", "it stands twice", "remove one"))
        else:
            found.append(there)
    return found
