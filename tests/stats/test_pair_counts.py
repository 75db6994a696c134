"""Counts by pair: three ways to make them agree, and what they refuse."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from harness.stats import pair_counts
from harness.stats.arguments import StatsInputError
from harness.stats.pair_counts import CountedRow, counts_from_games, counts_from_points, counts_from_rows, relabelled
from tests.stats.pools import Duel, aggregate, duels


@given(duels())
def test_games_and_streams_give_the_same_counts(games: list[Duel]) -> None:
    streamed = aggregate(games)
    number = {name: i for i, name in enumerate(streamed.names)}
    a, b = (np.array([number[f"bot{game[seat]}"] for game in games]) for seat in (1, 2))
    arrays = counts_from_games(
        streamed.names, a, b, np.array([game[3] for game in games]), np.array([game[0] for game in games])
    )
    for field in ("first", "second", "wins", "draws", "losses"):
        assert np.array_equal(getattr(streamed, field), getattr(arrays, field))
    assert streamed.maps is not None
    assert arrays.maps is not None
    assert streamed.maps.n_maps == arrays.maps.n_maps
    assert streamed.maps.wins.sum() == arrays.maps.wins.sum()
    rows = [CountedRow(f"bot{x}", f"bot{y}", float(s == 1), float(s == 0.5), float(s == 0)) for _, x, y, s in games]
    table = counts_from_rows(rows, names=streamed.names)
    assert np.array_equal(table.points_matrix(), streamed.points_matrix())
    assert np.allclose(counts_from_points(table.points_matrix(), table.names).games_matrix(), table.games_matrix())


@given(duels())
def test_the_split_by_map_adds_up(games: list[Duel]) -> None:
    counts = aggregate(games)
    maps = counts.maps
    assert maps is not None
    for total, split in ((counts.wins, maps.wins), (counts.draws, maps.draws), (counts.losses, maps.losses)):
        assert np.array_equal(np.bincount(maps.cell, split, counts.first.size), total)
    assert maps.n_maps == len({game[0] for game in games})


def test_sorts_and_tables_of_cells_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    a = rng.integers(0, 6, 200)
    b = (a + rng.integers(1, 6, 200)) % 6
    points = rng.choice([0.0, 0.5, 1.0, 0.3], 200)
    names = [str(i) for i in range(6)]
    dense = counts_from_games(names, a, b, points)
    monkeypatch.setattr(pair_counts, "_DENSE_KEYS", 0)
    sparse = counts_from_games(names, a, b, points)
    assert np.array_equal(dense.first, sparse.first)
    assert np.allclose(dense.wins, sparse.wins)
    assert dense.games.sum() == pytest.approx(200.0)


def test_relabelling_back_is_no_change() -> None:
    counts = aggregate([(0, 0, 1, 1.0), (1, 1, 2, 0.5), (1, 2, 0, 0.0)])
    back = relabelled(relabelled(counts, [2, 0, 1]), [1, 2, 0])
    assert back.names == counts.names
    assert np.array_equal(back.points_matrix(), counts.points_matrix())
    assert counts.without_maps().maps is None


def test_refusals() -> None:
    two = np.array([0, 1])
    other = np.array([1, 0])
    half = np.array([0.5, 0.5])
    refused: list[tuple[Any, str]] = [
        (lambda: counts_from_rows([CountedRow("a", "a", 1, 0, 0)]), "playing itself"),
        (lambda: counts_from_rows([CountedRow("a", "b", -1, 0, 0)]), "wins of 'a' against 'b' is -1"),
        (lambda: counts_from_rows([CountedRow("a", "b", 0, math.nan, 0)]), "draws of 'a'"),
        (lambda: counts_from_points(np.zeros((2, 3)), ["a", "b"]), r"shape \(2, 3\)"),
        (lambda: counts_from_points(np.zeros((2, 2)), ["a", "a"]), "same name"),
        (lambda: counts_from_points(np.array([[0.0, -1.0], [0.0, 0.0]]), ["a", "b"]), "negative"),
        (lambda: counts_from_points(np.eye(2), ["a", "b"]), "against itself"),
        (lambda: counts_from_games(["a", "b"], two, other, half[:1]), "one entry a game"),
        (lambda: counts_from_games(["a"], two, other, half), r"outside 0\.\.0"),
        (lambda: counts_from_games(["a", "b"], two, two, half), "both seats"),
        (lambda: counts_from_games(["a", "b"], two, other, np.array([0.5, 1.5])), r"outside 0\.\.1"),
        (lambda: counts_from_games(["a", "b"], two, other, half, two[:1]), "1 entries for 2 games"),
        (lambda: relabelled(aggregate([(0, 0, 1, 1.0)]), [0, 0]), "no arrangement"),
        (lambda: aggregate([(0, 0, 1, 1.0)]).index_of("x"), "known are bot0, bot1"),
    ]
    for call, message in refused:
        with pytest.raises(StatsInputError, match=message):
            call()
