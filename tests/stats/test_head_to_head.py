"""The head-to-head table: errors over maps, Holm, upsets."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.stats.arguments import StatsInputError
from harness.stats.bradley_terry import fit_bradley_terry
from harness.stats.head_to_head import head_to_head, holm, pair_p_values, upsets
from harness.stats.pair_counts import CountedRow, counts_from_rows
from tests.stats.pools import Duel, aggregate, duels, play_round_robin


def test_a_pair_is_student_t_over_its_maps() -> None:
    rng = np.random.default_rng(3)
    games = [(m, a, 1 - a, float(rng.random() < 0.6)) for m in range(20) for a in (0, 1)]
    table = head_to_head(aggregate(games))
    by_map = np.array([(games[2 * m][3] + 1.0 - games[2 * m + 1][3]) / 2.0 for m in range(20)])
    assert table.score[0] == pytest.approx(by_map.mean())
    assert table.se[0] == pytest.approx(by_map.std(ddof=1) / math.sqrt(20))
    wanted = stats.ttest_1samp(by_map, 0.5).pvalue / 2.0
    assert pair_p_values(table)[0] == pytest.approx(wanted)


@given(duels())
def test_points_and_games_add_up(games: list[Duel]) -> None:
    counts = aggregate(games)
    table = head_to_head(counts)
    assert table.games.sum() == pytest.approx(len(games))
    points = counts.points_matrix()
    assert np.allclose(table.points, points[table.low, table.high])
    assert np.isfinite(table.se).all()
    assert not table.se[~table.se_known].any()
    for p in pair_p_values(table):
        assert p is None or 0.0 <= p <= 1.0


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm(p_values: list[float]) -> None:
    corrected = holm(p_values)
    for own, after in zip(p_values, corrected, strict=True):
        assert own <= after <= 1.0
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    assert [corrected[i] for i in order] == sorted(corrected)
    if p_values:
        assert min(corrected) == pytest.approx(min(1.0, len(p_values) * min(p_values)))


def test_holm_example_and_refusal() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    with pytest.raises(StatsInputError, match="p-value"):
        holm([0.1, math.nan])


def test_upsets_need_a_lower_rating_and_survive_holm() -> None:
    counts = play_round_robin(np.random.default_rng(8), np.array([0.4, 0.0, -0.4, 0.0]), 60, circle=1.4)
    ratings = fit_bradley_terry(counts).ratings
    found, sure = upsets(head_to_head(counts), ratings)
    assert found
    assert all(upset.score > 0.5 and upset.gap_elo > 0.0 for upset in found)
    assert [(u.winner, u.loser) for u in sure] == [(2, 0)]
    assert sure[0].p_holm is not None
    assert sure[0].p_holm <= 0.05
    for upset in found:
        winner, loser = ratings[upset.winner], ratings[upset.loser]
        assert winner is not None
        assert loser is not None
        assert winner < loser


def test_without_maps_there_are_upsets_but_no_evidence() -> None:
    counts = counts_from_rows([CountedRow("a", "b", 3, 0, 7)])
    found, sure = upsets(head_to_head(counts), (1600.0, 1500.0))
    assert len(found) == 1
    assert found[0].p_value is None
    assert sure == ()


def test_maps_that_all_went_one_way_count_as_signs() -> None:
    games = [(m, a, 1 - a, float(a == 1)) for m in range(7) for a in (0, 1)]
    table = head_to_head(aggregate(games))
    assert not table.se_known[0]
    assert pair_p_values(table) == [0.5**7]
    found, sure = upsets(table, (1600.0, 1500.0))
    assert sure == found
    split = [(m, a, 1 - a, 1.0) for m in range(7) for a in (0, 1)]
    assert pair_p_values(head_to_head(aggregate(split))) == [0.5]
    assert upsets(head_to_head(aggregate(split)), (1600.0, 1500.0)) == ((), ())


def test_bots_without_a_rating_take_no_part() -> None:
    counts = counts_from_rows([CountedRow("a", "b", 3, 0, 7)])
    assert upsets(head_to_head(counts), (None, 1500.0)) == ((), ())
    with pytest.raises(StatsInputError, match="1 ratings"):
        upsets(head_to_head(counts), (1500.0,))
    empty = head_to_head(counts_from_rows([CountedRow("a", "b", 0, 0, 0)]))
    assert empty.low.size == 0
    assert upsets(empty, (None, None)) == ((), ())
