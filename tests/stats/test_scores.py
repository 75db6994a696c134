"""From games to map scores and pair tables, for two seats and more."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.stats.arguments import StatsInputError
from harness.stats.scores import GameScores, MapScores, MapState, ScoreBook, score_map

RESULTS = st.sampled_from([(1.0, 0.0), (0.5, 0.5), (0.0, 1.0)])


def pair(first: tuple[float, float], second: tuple[float, float], names: tuple[str, str] = ("a", "b")) -> MapScores:
    """Two games, the second with the seats exchanged; scores by seat."""
    return score_map(names, [GameScores((0, 1), first), GameScores((1, 0), second)], 2)


def test_a_pair_of_games() -> None:
    got = pair((1.0, 0.0), (0.5, 0.5))
    assert got.state is MapState.COMPLETE
    assert got.points == (1.5, 0.5)
    assert got.means == (0.75, 0.25)
    ((first, second, result),) = got.pairs
    assert (first, second, result.wins, result.draws, result.losses) == (0, 1, 1, 1, 0)
    assert result.mean == 0.75


def test_the_seat_does_not_matter() -> None:
    got = pair((1.0, 0.0), (1.0, 0.0))
    assert got.means == (0.5, 0.5)
    assert got.pairs[0][2].mean == 0.5


def test_an_incomplete_map_has_no_score() -> None:
    game = GameScores((0, 1), (1.0, 0.0))
    half = score_map(("a", "b"), [game, None], 2)
    assert (half.state, half.means, half.points, half.n_games, half.n_missing) == (
        MapState.INCOMPLETE,
        None,
        (1.0, 0.0),
        1,
        1,
    )
    empty = score_map(("a", "b"), [], 2)
    assert (empty.state, empty.n_missing) == (MapState.EMPTY, 2)
    book = ScoreBook()
    book.add(half)
    book.add(empty)
    assert (book.n_incomplete, book.n_empty, book.bots()) == (1, 1, ())


def test_three_seats_in_rotation() -> None:
    # a share of opponents beaten: first 1, second ½, third 0; the tie shares the places
    games = [
        GameScores((0, 1, 2), (1.0, 0.5, 0.0)),
        GameScores((1, 2, 0), (0.25, 0.25, 1.0)),
        GameScores((2, 0, 1), (1.0, 0.0, 0.5)),
    ]
    got = score_map(("a", "b", "c"), games, 3)
    assert got.means == pytest.approx((2 / 3, 1.25 / 3, 1.25 / 3))
    results = {(first, second): result for first, second, result in got.pairs}
    assert (results[0, 1].wins, results[0, 1].draws, results[0, 1].losses) == (2, 0, 1)
    assert (results[1, 2].wins, results[1, 2].draws, results[1, 2].losses) == (1, 1, 1)


def test_one_seat_is_a_score_of_its_own() -> None:
    got = score_map(("solo",), [GameScores((0,), (0.83,))], 1)
    assert got.means == (0.83,)
    assert got.pairs == ()


def test_a_book_of_pairs() -> None:
    book = ScoreBook()
    book.add(pair((1.0, 0.0), (0.0, 1.0)))
    book.add(pair((1.0, 0.0), (0.5, 0.5)))
    book.add(pair((0.0, 1.0), (0.0, 1.0), ("a", "c")))
    assert book.bots() == ("a", "b", "c")
    assert book.bot("a").n == 3
    assert book.bot("nobody").n == 0
    table = book.pair("a", "b")
    assert (table.wins, table.draws, table.losses) == (3, 1, 0)
    assert table.penta == (0, 0, 0, 1, 1)
    assert book.pair("b", "a").penta == (1, 1, 0, 0, 0)
    assert book.pair("b", "c").tally.n == 0
    assert [(t.first, t.second) for t in book.tables()] == [("a", "b"), ("a", "c"), ("b", "a"), ("c", "a")]


def test_maps_of_other_sizes_have_no_penta_counts() -> None:
    book = ScoreBook()
    book.add(pair((1.0, 0.0), (0.0, 1.0)))
    book.add(score_map(("a", "b"), [GameScores((0, 1), (1.0, 0.0))], 1))
    assert book.pair("a", "b").penta is None
    assert not book.pair("b", "a").is_pairs


def test_a_bot_against_its_own_name_is_no_pair() -> None:
    book = ScoreBook()
    book.add(pair((1.0, 0.0), (0.5, 0.5), ("a", "a")))
    assert list(book.tables()) == []


@given(st.lists(st.tuples(RESULTS, RESULTS), max_size=20), st.lists(st.tuples(RESULTS, RESULTS), max_size=20))
def test_merged_books_are_one_book_and_sides_mirror(
    first: list[tuple[tuple[float, float], tuple[float, float]]],
    second: list[tuple[tuple[float, float], tuple[float, float]]],
) -> None:
    whole, left, right = ScoreBook(), ScoreBook(), ScoreBook()
    for book, maps in ((whole, first + second), (left, first), (right, second)):
        for games in maps:
            book.add(pair(*games))
    left.merge(right)
    ours, merged, theirs = whole.pair("a", "b"), left.pair("a", "b"), whole.pair("b", "a")
    assert (ours.wins, ours.draws, ours.losses) == (merged.wins, merged.draws, merged.losses)
    assert ours.penta == merged.penta
    assert ours.penta is not None
    assert theirs.penta is not None
    assert theirs.penta == ours.penta[::-1]
    assert (ours.wins, ours.losses) == (theirs.losses, theirs.wins)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: score_map(("a", "b"), [GameScores((0, 1), (1.0, 1.0))], 1), "add up to 1.0"),
        (lambda: score_map(("a", "b"), [GameScores((0, 1), (1.5, -0.5))], 1), "score is 1.5"),
        (lambda: score_map(("a", "b"), [GameScores((0, 0), (1.0, 0.0))], 1), "needs its own bot"),
        (lambda: score_map(("a", "b"), [GameScores((0, 2), (1.0, 0.0))], 1), "of 0 to 1"),
        (lambda: score_map(("a", "b"), [GameScores((0, 1), (1.0,))], 1), "one score"),
        (lambda: score_map(("a", "b"), [None, None], 1), "games has 2 entries"),
        (lambda: score_map(("a", "b"), [], 0), "n_games is 0"),
        (lambda: score_map(("a", "b", "c"), [GameScores((0, 1), (1.0, 0.0))], 1), "c sat in no game"),
    ],
)
def test_scores_that_no_game_can_give_are_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(StatsInputError, match=words):
        call()
