"""What a score is, which is better, and what each is worth next to the others on its seed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.records import Objective, Relative, Scoring, SeedScore
from harness.stats.seed_scores import (
    MAX_SCORE,
    MAX_TIMES_MEDIAN,
    best_of,
    compare,
    duel_score,
    filled_in,
    is_more_better,
    measure,
    rank_shares,
    share_of_best,
    times_median,
    usable,
)

MAX, MIN = Objective.MAXIMISE, Objective.MINIMISE
SCORES = st.one_of(st.none(), st.floats(-1e9, 1e9), st.integers(-5, 5).map(float))
FIELDS = st.lists(SCORES, min_size=1, max_size=6)
OBJECTIVES = st.sampled_from(Objective)


def mirrored(scores: Sequence[float | None]) -> list[float | None]:
    return [None if score is None else -score for score in scores]


@pytest.mark.parametrize(
    ("given_", "kept"),
    [
        (3, 3.0),
        (-2.5, -2.5),
        (0, 0.0),
        (10**18, 1e18),  # exact up to 2^53, rounded beyond
        (MAX_SCORE, MAX_SCORE),
        (-MAX_SCORE, -MAX_SCORE),
        (1.1e100, None),
        (math.inf, None),
        (-math.inf, None),
        (math.nan, None),
        (None, None),
    ],
)
def test_what_is_a_score(given_: float | None, kept: float | None) -> None:
    assert usable(given_) == kept


def test_who_is_better() -> None:
    assert compare(2.0, 1.0, MAX) == 1
    assert compare(2.0, 1.0, MIN) == -1
    assert compare(-2.0, -1.0, MIN) == 1
    assert compare(0.1 + 0.2, 0.3, MAX) == 0, "the rounding of a sum decides nothing"
    assert compare(1e18, 1e18 + 512, MAX) == 0
    assert compare(None, -1e99, MAX) == -1, "no score is worse than any"
    assert compare(1e99, None, MIN) == 1
    assert compare(None, None, MAX) == 0


@given(first=SCORES, second=SCORES, objective=OBJECTIVES)
def test_better_is_the_other_way_round_from_the_other_side(
    first: float | None, second: float | None, objective: Objective
) -> None:
    assert compare(first, second, objective) == -compare(second, first, objective)


@pytest.mark.parametrize(
    ("score", "best", "objective", "share"),
    [
        (80.0, 100.0, MAX, 0.8),
        (125.0, 100.0, MIN, 0.8),
        (100.0, 100.0, MIN, 1.0),
        (0.0, 100.0, MAX, 0.0),
        (-5.0, 100.0, MAX, 0.0),  # on the other side of 0 than the best
        (0.0, 0.0, MIN, 1.0),  # TopCoder's: with a best of 0 only 0 has a share
        (3.0, 0.0, MIN, 0.0),
        (-20.0, -10.0, MAX, 0.5),  # all on the worse side: turned over
        (-10.0, -20.0, MIN, 0.5),
        (None, 100.0, MAX, 0.0),
        (None, None, MAX, 0.0),
    ],
)
def test_share_of_the_best(score: float | None, best: float | None, objective: Objective, share: float) -> None:
    assert share_of_best(score, best, objective) == share


@given(scores=FIELDS, objective=OBJECTIVES)
def test_shares_are_between_0_and_1_and_the_best_has_1(scores: list[float | None], objective: Objective) -> None:
    best = best_of(scores, objective)
    shares = [share_of_best(score, best, objective) for score in scores]
    assert all(0.0 <= share <= 1.0 for share in shares)
    assert best is None or max(shares) == 1.0
    for one, share in zip(scores, shares, strict=True):
        for other, theirs in zip(scores, shares, strict=True):
            if compare(one, other, objective) > 0:
                assert share >= theirs


@given(scores=FIELDS, earlier=st.lists(st.floats(-1e9, 1e9), max_size=3), relative=st.sampled_from(Relative))
def test_maximising_is_minimising_the_negative(
    scores: list[float | None], earlier: list[float], relative: Relative
) -> None:
    if relative in (Relative.MEDIAN, Relative.LOG):  # which are for numbers above 0
        return
    up = measure(scores, earlier, Scoring(MAX, relative, failed_score=-1e9))
    down = measure(mirrored(scores), [-score for score in earlier], Scoring(MIN, relative, failed_score=1e9))
    assert up is not None
    assert down is not None
    sign = 1.0 if is_more_better(Scoring(MIN, relative)) else -1.0
    assert up == pytest.approx([sign * value for value in down])


@given(scores=FIELDS, relative=st.sampled_from(Relative), objective=OBJECTIVES, data=st.data())
def test_the_order_of_the_bots_changes_nothing(
    scores: list[float | None], relative: Relative, objective: Objective, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(scores))))
    scoring = Scoring(objective, relative, failed_score=1.0)
    plain, mixed = measure(scores, (), scoring), measure([scores[index] for index in order], (), scoring)
    if plain is None or mixed is None:
        assert plain is mixed
    else:
        assert mixed == [plain[index] for index in order]


def test_multiples_of_the_median() -> None:
    assert times_median(150.0, 100.0, MAX) == 1.5
    assert times_median(50.0, 100.0, MIN) == 2.0
    assert times_median(-3.0, 100.0, MAX) == 0.0
    assert times_median(0.0, 100.0, MIN) == MAX_TIMES_MEDIAN
    assert times_median(1.0, 100.0, MIN) == MAX_TIMES_MEDIAN
    assert times_median(1e6, 1.0, MAX) == MAX_TIMES_MEDIAN, "one seed does not decide a contest"
    assert times_median(None, 100.0, MAX) == 0.0


def test_the_median_is_of_the_earlier_results_if_there_are_any() -> None:
    scoring = Scoring(MAX, Relative.MEDIAN)
    assert measure([30.0, 10.0, None], [], scoring) == [1.5, 0.5, 0.0]
    assert measure([30.0, 10.0, None], [60.0, 5.0, 60.0], scoring) == [0.5, pytest.approx(1 / 6), 0.0]
    assert measure([0.0, 0.0], [], scoring) is None, "a median of 0 is no measure"
    assert measure([None, None], [], scoring) is None
    assert measure([5.0], [-1.0], scoring) is None


def test_ranks_are_shares_of_the_others_with_half_for_ties() -> None:
    assert rank_shares([3.0, 1.0, 3.0, None], [], MAX) == [pytest.approx(5 / 6), 1 / 3, pytest.approx(5 / 6), 0.0]
    assert rank_shares([3.0, 1.0], [], MIN) == [0.0, 1.0]
    assert rank_shares([3.0], [1.0, 5.0, 3.0], MAX) == [0.5]
    assert rank_shares([3.0], [], MAX) == [0.5]


@given(scores=FIELDS, objective=OBJECTIVES)
def test_ranks_sum_to_half_the_field(scores: list[float | None], objective: Objective) -> None:
    assert math.fsum(rank_shares(scores, (), objective)) == pytest.approx(len(scores) / 2)


def test_a_failure_counts_what_is_said_or_the_worst_that_is_there() -> None:
    assert filled_in([5.0, None], (), Scoring(MAX, failed_score=0.0)) == [5.0, 0.0]
    assert filled_in([-5.0, None], (), Scoring(MAX, failed_score=0.0)) == [-5.0, -5.0], "to fail never pays"
    assert filled_in([900.0, None], (2_000.0,), Scoring(MIN, failed_score=1_000.0)) == [900.0, 2_000.0]
    assert filled_in([5.0, None], (), Scoring(MIN)) is None
    assert filled_in([5.0, 6.0], (), Scoring(MIN)) == [5.0, 6.0]


@given(scores=FIELDS, objective=OBJECTIVES, failed=st.floats(-1e9, 1e9))
def test_a_failure_is_never_better_than_a_score(
    scores: list[float | None], objective: Objective, failed: float
) -> None:
    filled = filled_in(scores, (), Scoring(objective, failed_score=failed))
    assert filled is not None
    for score, counted in zip(scores, filled, strict=True):
        if score is None:
            assert all(compare(counted, other, objective) <= 0 for other in scores if other is not None)


def test_logarithms_are_for_numbers_above_0() -> None:
    scoring = Scoring(MAX, Relative.LOG, failed_score=1.0)
    assert measure([math.e, None], (), scoring) == [1.0, 0.0]
    assert measure([math.e, 0.0], (), scoring) is None
    assert measure([math.e, -1.0], (), scoring) is None
    assert measure([math.e, None], (), Scoring(MAX, Relative.LOG)) is None


def test_what_a_gate_reads_of_a_seed() -> None:
    wins, share = Scoring(MIN), Scoring(MIN, seed_score=SeedScore.SHARE)
    assert [duel_score(*pair, wins) for pair in ((9.0, 10.0), (10.0, 10.0), (11.0, 10.0))] == [1.0, 0.5, 0.0]
    assert duel_score(8.0, 10.0, share) == pytest.approx(0.6)
    assert duel_score(10.0, 8.0, share) == pytest.approx(0.4)
    for scoring in (wins, share):
        assert duel_score(5.0, None, scoring) == 1.0
        assert duel_score(None, 5.0, scoring) == 0.0
        assert duel_score(None, None, scoring) == 0.5


@given(first=SCORES, second=SCORES, objective=OBJECTIVES, kind=st.sampled_from(SeedScore))
def test_what_a_gate_reads_is_in_0_to_1_and_mirrors(
    first: float | None, second: float | None, objective: Objective, kind: SeedScore
) -> None:
    scoring = Scoring(objective, seed_score=kind)
    one, other = duel_score(first, second, scoring), duel_score(second, first, scoring)
    assert 0.0 <= one <= 1.0
    assert one + other == pytest.approx(1.0)
