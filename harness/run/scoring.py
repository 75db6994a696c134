"""A score contest around its play: do config and rules agree on it, and the earlier results next to which it is read.

Earlier results are read when numbers are shown, never while bots play.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.config.fingerprint import explain_change
from harness.config.settings import Config
from harness.errors import ConfigError, ResultsError
from harness.records import Objective, Scoring
from harness.report.score_book import Baseline, score_of
from harness.stats.seed_scores import usable
from harness.store.run_directory import Manifest, read_manifest, read_records

_TABLES = {".csv": ",", ".tsv": "\t"}
_FAILED = {"", "-", "none", "null", "nan", "fail", "failed"}
"""What stands in a table for no score, in small letters."""


def check_scoring(config: Config, n_seats: int, objective: Objective | None) -> None:
    """Refuse rules with one seat without `scoring`, `scoring` without them, an objective that is not the rules' own.

    `objective` is what the rules say of their numbers, None if they do not. Raises ConfigError.
    """
    scoring = config.scoring
    if n_seats == 1 and scoring is None:
        raise ConfigError(
            "`scoring` is missing: these rules have one seat, so that bots are compared by a number a seed",
            where=config.locate("rules"),
            next_step=f"add `scoring: {{objective: {objective or 'maximise'}}}`; docs/how-to/score-contest.md",
        )
    if scoring is None:
        return
    if n_seats != 1:
        raise ConfigError(
            "`scoring` is for rules with one seat; where bots meet, the game says who won",
            where=config.locate("scoring"),
            got=f"{n_seats} seats",
            next_step="remove it",
        )
    if objective is not None and objective is not scoring.objective:
        raise ConfigError(
            f"`scoring.objective`: {config.rules.name} says otherwise",
            where=config.locate("scoring", "objective"),
            got=scoring.objective.value,
            allowed=objective.value,
        )


def objective_of(rules: object) -> Objective | None:
    """Give what a rule set says of its numbers; None if it says nothing."""
    found = getattr(rules, "objective", None)
    return found if isinstance(found, Objective) else None


@dataclass(frozen=True, slots=True)
class _Result:
    seed: int
    score: float


def load_baseline(scoring: Scoring, own: Path, manifest: Manifest | None) -> Baseline:
    """Read the earlier results that a scoring names: for each seed all scores, in no order that matters.

    `own` is the run that is shown, which is no earlier one of itself, and `manifest` says what it played. Failed seeds
    count for nothing. Raises ResultsError for what cannot be read, and for a run of another game or objective.
    """
    scores: dict[int, list[float]] = {}
    for name in scoring.baseline:
        path = Path(name)
        if path.resolve() == own.resolve():
            raise ResultsError("a run is not its own baseline", where=name, next_step="name an earlier one")
        results = _read_table(path) if path.suffix.lower() in _TABLES else _read_run(path, scoring, manifest)
        for result in results:
            scores.setdefault(result.seed, []).append(result.score)
    sorted_scores = {seed: tuple(sorted(found)) for seed, found in scores.items()}
    return Baseline(tuple(Path(name).name for name in scoring.baseline), sorted_scores)


def _read_run(path: Path, scoring: Scoring, own: Manifest | None) -> Iterator[_Result]:
    manifest = read_manifest(path)
    if manifest is not None and manifest.scoring is not None and manifest.scoring.objective is not scoring.objective:
        raise ResultsError(
            "this baseline has another objective",
            where=str(path),
            got=manifest.scoring.objective.value,
            allowed=scoring.objective.value,
        )
    if manifest is not None and own is not None:
        changed = explain_change(_game(manifest), _game(own))
        if changed:
            raise ResultsError(
                "this baseline is of another game: its scores are of other maps",
                where=str(path),
                got="; ".join(changed[:4]),
                next_step="leave it out, or play it again by the rules of this run",
            )
    seen: set[tuple[str, int]] = set()
    for record in read_records(path):
        if len(record.lineup) != 1:
            raise ResultsError(
                "this baseline is no score contest",
                where=str(path),
                got=f"job {record.job}: {', '.join(record.lineup)}",
            )
        score = score_of(record)
        key = (record.lineup[0], record.seed)
        if key not in seen and score is not None:
            yield _Result(record.seed, score)
        seen.add(key)


def _game(manifest: Manifest) -> Mapping[str, str]:
    """Give the parts of a run's fingerprint that say what was played."""
    parts = manifest.parts.get("config", {})
    return {name: text for name, text in parts.items() if name.startswith(("rules", "file ", "referee"))}


def _read_table(path: Path) -> Iterator[_Result]:
    """Read `seed` and `score` of each row; other columns are passed over, empty scores are failures."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, delimiter=_TABLES[path.suffix.lower()])
            head = [word.strip().lower() for word in next(rows, [])]
            if not {"seed", "score"} <= set(head):
                raise ResultsError(
                    "a table of earlier results opens with a line that names its columns",
                    where=f"{path}:1",
                    got=", ".join(head) or "an empty file",
                    allowed="seed and score, others besides",
                )
            places = head.index("seed"), head.index("score")
            for row in rows:
                if row:
                    yield from _row(row, places, f"{path}:{rows.line_num}")
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ResultsError("earlier results cannot be read", where=str(path), got=str(error)) from error


def _row(row: Sequence[str], places: tuple[int, int], where: str) -> list[_Result]:
    words = [row[place].strip() if place < len(row) else "" for place in places]
    if words[1].lower() in _FAILED:
        return []
    try:
        seed, score = int(words[0]), usable(float(words[1]))
    except ValueError:
        score = None
    if score is None:
        raise ResultsError(
            "no result",
            where=where,
            got=", ".join(row)[:80],
            allowed="a whole number as seed and a number as score; an empty score for a failure",
        )
    return [_Result(seed, score)]


def candidate_of(manifest: Manifest | None) -> str | None:
    """Give the candidate of a run's schedule; None if it has none."""
    text = None if manifest is None else manifest.parts.get("config", {}).get("schedule.candidate")
    found = None if text is None else json.loads(text)
    return found if isinstance(found, str) else None
