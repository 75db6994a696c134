"""The `scoring` section: what follows from it, and every way it can be wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.config.load import load_config
from harness.errors import ConfigError
from harness.records import Objective, Relative, Scoring, SeedScore

WriteConfig = Callable[..., Path]
TIME = "time: {per_ply_ms: 100}"
GATE = "gate: {candidate: a, champion: b, confirm: {split: validation, maps: 10, pass: {lower_bound: 0.5}}}"


def scoring_of(write_config: WriteConfig, text: str) -> Scoring:
    scoring = load_config(write_config(TIME, f"{TIME}\nscoring: {text}")).scoring
    assert scoring is not None
    return scoring


def test_without_the_section_there_is_none(write_config: WriteConfig) -> None:
    assert load_config(write_config()).scoring is None


@pytest.mark.parametrize(
    ("text", "scoring"),
    [
        ("{objective: maximise}", Scoring(Objective.MAXIMISE, failed_score=0.0)),
        ("{objective: maximise, failed_score: -7}", Scoring(Objective.MAXIMISE, failed_score=-7.0)),
        ("{objective: minimise, failed_score: 1.0e9}", Scoring(Objective.MINIMISE, failed_score=1e9)),
        (
            "{objective: minimise, relative: best}",
            Scoring(Objective.MINIMISE, Relative.BEST, seed_score=SeedScore.SHARE),
        ),
        ("{objective: maximise, relative: rank}", Scoring(Objective.MAXIMISE, Relative.RANK)),
        (
            "{objective: minimise, relative: log, failed_score: 100}",
            Scoring(Objective.MINIMISE, Relative.LOG, failed_score=100.0),
        ),
        (
            "{objective: maximise, relative: none}",  # the word, no missing value
            Scoring(Objective.MAXIMISE, failed_score=0.0),
        ),
    ],
)
def test_what_follows(write_config: WriteConfig, text: str, scoring: Scoring) -> None:
    assert scoring_of(write_config, text) == scoring


@pytest.mark.parametrize(
    ("text", "what", "more"),
    [
        ("{}", "`scoring.objective`: it is missing", ""),
        ("{objective: maximize}", "`scoring.objective`", "maximise"),
        ("{objective: minimise}", "a seed without a score has to count something", "relative: best"),
        ("{objective: maximise, relative: log}", "a seed without a score has to count something", ""),
        ("{objective: maximise, relative: log, failed_score: 0}", "it has no logarithm", "above 0"),
        ("{objective: maximise, failed_score: .inf}", "`scoring.failed_score`", "a number"),
        ("{objective: maximise, failed_score: 1.0e+999}", "it is no score", "1e100"),
        ("{objective: maximise, failed_score: 1.0e+101}", "it is no score", "1e100"),
        ("{objective: maximise, failed_score: none}", "`scoring.failed_score", "number"),
        ("{objective: maximise, relative: mean}", "`scoring.relative`", "median"),
        ("{objective: maximise, relativ: best}", "`scoring.relativ`: unknown key", "did you mean `relative`?"),
        ("{objective: maximise, seed_score: wins}", "only a `gate` reads it", "remove it"),
        ("{objective: maximise, baseline: old}", "there is no run and no file of this name", "the name of a run under"),
        ("{objective: maximise, baseline: [prog, prog]}", "it stands twice", "remove one"),
    ],
)
def test_what_is_refused(write_config: WriteConfig, text: str, what: str, more: str) -> None:
    with pytest.raises(ConfigError) as caught:
        scoring_of(write_config, text)
    assert what in caught.value.what
    assert more in str(caught.value)
    assert "gauntlet.yaml:8" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{objective: maximise, baseline: prog}", "a gate compares two bots that both play"),
        ("{objective: maximise, relative: median}", "a gate has two results a seed, of which there is none"),
        ("{objective: maximise, relative: rank}", "a gate has two results a seed"),
    ],
)
def test_what_a_gate_refuses(write_config: WriteConfig, text: str, what: str) -> None:
    path = write_config("schedule: {type: gauntlet, candidate: a}", f"scoring: {text}\n{GATE}")
    path.write_text(path.read_text().replace(", split: train, count: 4", ""))
    with pytest.raises(ConfigError, match=what):
        load_config(path)


def test_a_gate_reads_wins_or_shares(write_config: WriteConfig) -> None:
    for text, kind in (
        ("{objective: maximise, seed_score: share}", SeedScore.SHARE),
        ("{objective: maximise, relative: best, seed_score: wins}", SeedScore.WINS),
        ("{objective: maximise}", SeedScore.WINS),
    ):
        path = write_config("schedule: {type: gauntlet, candidate: a}", f"scoring: {text}\n{GATE}")
        path.write_text(path.read_text().replace(", split: train, count: 4", ""))
        scoring = load_config(path).scoring
        assert scoring is not None
        assert scoring.seed_score is kind


def test_a_baseline_is_a_file_or_the_name_of_a_run(write_config: WriteConfig, tmp_path: Path) -> None:
    (tmp_path / "earlier.csv").write_text("seed,score\n")
    (tmp_path / "results" / "old").mkdir(parents=True)
    found = scoring_of(write_config, "{objective: maximise, relative: best, baseline: [earlier.csv, old]}")
    assert found.baseline == (str(tmp_path / "earlier.csv"), str(tmp_path / "results" / "old"))
