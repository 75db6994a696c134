"""The panel stage: no worse as a whole, regressions by name, circles."""

import random

import pytest

from harness.config.policy import PanelStage
from harness.gates.panel import PanelState, compare_panel

Scores = dict[str, dict[int, float]]


def played(rng: random.Random, chances: dict[str, float], n_maps: int) -> Scores:
    return {
        bot: {number: (sum(rng.random() < p for _ in range(2))) / 2 for number in range(n_maps)}
        for bot, p in chances.items()
    }


STAGE = PanelStage(("old", "older"), "validation", 400, 0.05)


def test_the_same_results_are_no_worse_and_equivalent() -> None:
    scores = played(random.Random(1), {"old": 0.6, "older": 0.7}, 400)
    result = compare_panel(STAGE, scores, scores)
    assert result.state is PanelState.PASSED
    assert result.is_equivalent
    assert result.pooled.difference == 0.0
    assert result.regressions == ()
    assert result.circles == ()


def test_a_regression_names_the_bot_and_its_maps() -> None:
    rng = random.Random(2)
    champion = played(rng, {"old": 0.7, "older": 0.7}, 400)
    candidate = played(rng, {"old": 0.9, "older": 0.5}, 400)
    result = compare_panel(STAGE, candidate, champion)
    assert result.pooled.difference == pytest.approx(0.0, abs=0.06)
    assert result.state is PanelState.REGRESSED
    assert result.regressions == ("older",)
    worst = result.members[1].worst_maps
    assert len(worst) == 5
    assert all(candidate["older"][n] - champion["older"][n] == difference == -1.0 for n, difference in worst)
    assert [number for number, _ in worst] == sorted(number for number, _ in worst)


def test_too_few_maps_show_nothing() -> None:
    rng = random.Random(3)
    chances = {"old": 0.6, "older": 0.6}
    result = compare_panel(STAGE, played(rng, chances, 10), played(rng, chances, 10))
    assert result.state is PanelState.NOT_SHOWN
    assert not result.is_equivalent


def test_worse_against_the_whole_panel_is_a_regression_of_nobody() -> None:
    bots = tuple("abcdefgh")
    stage = PanelStage(bots, "validation", 300, 0.2)
    rng = random.Random(4)
    result = compare_panel(
        stage, played(rng, dict.fromkeys(bots, 0.56), 300), played(rng, dict.fromkeys(bots, 0.62), 300)
    )
    assert result.regressions == ()
    assert result.pooled.high < 0.0
    assert result.state is PanelState.REGRESSED


def test_a_circle_is_named() -> None:
    rng = random.Random(5)
    result = compare_panel(
        STAGE, played(rng, {"old": 0.8, "older": 0.3}, 200), played(rng, {"old": 0.6, "older": 0.7}, 200)
    )
    assert result.circles == ("older",)


def test_only_maps_that_both_played_count() -> None:
    champion = {"old": dict.fromkeys(range(100), 0.5)}
    candidate = {"old": {n: 1.0 if n >= 100 else 0.5 for n in range(50, 150)}}
    result = compare_panel(PanelStage(("old",), "train", 150, 0.03), candidate, champion)
    assert result.pooled.n_shared == 50
    assert result.pooled.difference == 0.0


def test_without_spread_the_exact_bounds_speak() -> None:
    """Every map lost that the champion won: no standard deviation, and no doubt."""
    champion = {"old": dict.fromkeys(range(40), 1.0)}
    candidate = {"old": dict.fromkeys(range(40), 0.0)}
    result = compare_panel(PanelStage(("old",), "train", 40, 0.03), candidate, champion)
    assert result.members[0].p_worse is None
    assert result.state is PanelState.REGRESSED
    assert result.regressions == ("old",)


def test_false_regressions_are_as_rare_as_the_level_says() -> None:
    """Equal bots against three: at 95 % no more than 2.5 % of panels name anyone, whatever the panel's size."""
    stage = PanelStage(("a", "b", "c"), "validation", 80, 0.001)
    rng = random.Random(6)
    chances = {"a": 0.5, "b": 0.6, "c": 0.4}
    named = sum(
        bool(compare_panel(stage, played(rng, chances, 80), played(rng, chances, 80)).regressions) for _ in range(300)
    )
    assert named <= 16  # 2.5 % of 300 is 7.5, with standard deviation 2.7
