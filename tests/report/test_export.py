"""The JSON that programs read: its keys are a promise."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from harness.report.export import to_data, to_json
from harness.report.model import RunFacts, RunState
from harness.report.summary import SummaryBuilder
from harness.report.verdict import judge
from tests.report.made_records import gauntlet, round_robin


def read(records: list[Any], facts: RunFacts) -> dict[str, Any]:
    builder = SummaryBuilder()
    for record in records:
        builder.add(record)
    summary = builder.build(facts)
    data: dict[str, Any] = json.loads(to_json(summary, judge(summary)))
    return data


def test_keys() -> None:
    data = read(gauntlet("cand", {"a": 0.6, "b": 0.5}, 20), RunFacts("nightly", planned=40))
    assert list(data) == [
        "schema",
        "verdict",
        "is_final",
        "run",
        "shape",
        "candidate",
        "stages",
        "splits",
        "seats",
        "games_per_map",
        "n_maps",
        "n_games",
        "n_plies",
        "n_voids",
        "busy_s",
        "games_per_s",
        "bots",
        "comparisons",
        "overall",
        "lead",
        "first_seat",
        "repeats",
        "first_forfeits",
        "scores",
        "seat_luck",
        "n_unpaired",
    ]
    assert set(data["verdict"]) == {"outcome", "tag", "glyph", "tone", "headline", "detail", "exit_code", "emphasis"}
    assert set(data["comparisons"][0]) == {
        "bot",
        "opponent",
        "estimate",
        "n_games",
        "points",
        "wins",
        "draws",
        "losses",
        "maps_won",
        "maps_split",
        "maps_lost",
        "per_game_low",
        "per_game_high",
        "z",
        "penta",
        "mirrored_maps",
        "repeated_games",
        "voids",
        "bot_forfeits",
        "opponent_forfeits",
        "side",
        "side_corrected",
    }
    assert data["bots"][0]["ply_time"].keys() == {"n_plies", "median_s", "p99_s", "max_s", "total_s"}
    assert data["comparisons"][0]["estimate"]["elo"]["low"].keys() == {"elo", "state"}
    assert data["is_final"] is True


def test_numbers_are_not_rounded_and_bands_come_while_running() -> None:
    records = gauntlet("cand", {"a": 0.6}, 33)
    data = read(records, RunFacts("nightly", RunState.RUNNING, planned=99))
    estimate = data["comparisons"][0]["estimate"]
    assert estimate["score"] == pytest.approx(sum(record.scores[0] for record in records) / 66, abs=1e-15)
    assert estimate["band_low"] < estimate["low"] < estimate["high"] < estimate["band_high"]
    assert data["is_final"] is False
    assert data["verdict"]["outcome"] == "too few maps"


def test_a_round_robin_has_its_lead() -> None:
    data = read(round_robin({"a": 9.0, "b": 1.0, "c": 1.0}, 30), RunFacts("pool"))
    assert data["lead"]["bot"] == "a"
    assert sorted(data["lead"]["ahead_of"]) == ["b", "c"]
    assert data["overall"] is None
    assert len(data["comparisons"]) == 3


def test_what_is_no_plain_data_is_refused() -> None:
    with pytest.raises(ValueError, match="nan has no place"):
        to_data((1.0, float("nan")))
    with pytest.raises(TypeError, match="set is no plain data"):
        to_data({1, 2})
    assert str(to_data(-0.0)) == "0.0"
    assert to_data(replace(RunFacts("x"), state=RunState.HALTED)) == {
        "name": "x",
        "state": "halted",
        "planned": None,
        "results": None,
        "again": None,
        "halt": None,
        "fingerprints": [],
        "candidate": None,
    }
