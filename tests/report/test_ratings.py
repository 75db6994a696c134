"""Ratings as plain data and as text: every warning appears, nothing undefined is shown as a number."""

import json
import math
import re
from typing import Any

import numpy as np
import pytest

from harness.report.export import to_data
from harness.report.layout import Look
from harness.report.ratings import ErrorBasis, NoteKind, Ratings, Source
from harness.report.ratings_build import RatingOptions, ReadFacts, build_ratings
from harness.report.ratings_terminal import render_ratings
from harness.stats.aggregate import PairAggregator
from harness.stats.arguments import StatsInputError
from harness.stats.pair_counts import CountedRow, PairCounts, counts_from_rows
from harness.stats.priors import NoPrior
from tests.stats.pools import aggregate, play_round_robin

FACTS = ReadFacts((Source("made", "run", "map", 100, 0),))
WIDE = Look(width=120)


def rated(counts: PairCounts, facts: ReadFacts = FACTS, **options: Any) -> Ratings:
    return build_ratings(counts, facts, RatingOptions(**options))


def notes_of(ratings: Ratings, kind: NoteKind) -> list[str]:
    return [note.text for note in ratings.notes if note.kind is kind]


def pool(n_maps: int = 40, **how: float) -> PairCounts:
    return play_round_robin(np.random.default_rng(2), np.array([0.8, 0.3, 0.0, -0.9]), n_maps, tilt=0.5, **how)


def assert_plain(ratings: Ratings) -> None:
    text = json.dumps(to_data(ratings), allow_nan=False)
    assert json.loads(text)["schema"] == 1
    for look in (WIDE, Look(width=80), Look(width=40), Look(width=120, unicode=False)):
        shown = render_ratings(ratings, look)
        assert not re.search(r"\b(nan|inf)\b|−0\b", shown)
        if not look.unicode:
            assert shown.isascii()
        for line in shown.splitlines():
            assert len(line) <= max(look.width, 60)


def test_a_whole_pool() -> None:
    ratings = rated(pool(seat=0.3), fit_seat=True)
    assert_plain(ratings)
    assert [bot.name for bot in ratings.bots] == ["bot0", "bot1", "bot2", "bot3"]
    assert ratings.basis is ErrorBasis.MAPS
    assert ratings.n_maps == 40
    assert len(ratings.pairs) == 6
    best, worst = ratings.pairs[0], ratings.pairs[2]
    assert (best.bot, best.opponent) == ("bot0", "bot1")
    assert worst.gap is not None
    assert best.gap is not None
    assert worst.gap > best.gap > 0.0
    assert ratings.seat.elo is not None
    assert ratings.seat.elo > 10.0
    assert ratings.circles.state == "tested"
    assert sum(bot.nash_weight or 0.0 for bot in ratings.bots) == pytest.approx(1.0)
    text = render_ratings(ratings, WIDE)
    assert "Rank could be" in text
    assert "a draw is half a point" in text
    assert "intervals over whole maps" in text
    assert "first seat scored" in text
    mean = sum(bot.rating or math.nan for bot in ratings.bots) / 4
    assert mean == pytest.approx(1500.0)


def test_anchors_are_marked_and_have_no_interval() -> None:
    ratings = rated(pool(), anchors={"bot2": 2000.0})
    anchor = next(bot for bot in ratings.bots if bot.is_anchor)
    assert anchor.rating == pytest.approx(2000.0)
    assert "fixed" in render_ratings(ratings, WIDE)
    assert "anchors fixed" in ratings.method


def test_results_without_maps_say_what_their_errors_rest_on() -> None:
    ratings = rated(counts_from_rows([CountedRow("a", "b", 60, 10, 30), CountedRow("b", "a", 40, 10, 50)]))
    assert_plain(ratings)
    assert ratings.basis is ErrorBasis.GAMES
    assert "every game as independent" in notes_of(ratings, NoteKind.ERRORS)[0]
    assert ratings.bots[0].se is not None


def test_disconnected_and_perfect_pools_warn() -> None:
    games = [(m, a, b, float(a < b)) for m in range(12) for a, b in ((0, 1), (1, 0), (2, 3), (3, 2))]
    ratings = rated(aggregate(games))
    assert_plain(ratings)
    words = " ".join(notes_of(ratings, NoteKind.POOL))
    assert "2 groups of bots never met" in words
    assert "won every game" in words
    plain = rated(aggregate(games), prior=NoPrior())
    assert_plain(plain)
    assert plain.state == "unbounded"
    assert all(bot.rating is None for bot in plain.bots)
    assert [(bot.rank_best, bot.rank_worst) for bot in plain.bots] == [(1, 4)] * 4
    assert all(pair.gap is None for pair in plain.pairs)


def test_mirrors_repeats_and_left_out_games_warn() -> None:
    mirror = aggregate([(m, a, 1 - a, 1.0) for m in range(12) for a in (0, 1)])
    facts = ReadFacts((Source("x.pgn", "pgn", "fen", 18, 3),), n_repeated=5, n_with_moves=18, repeats_are_exact=False)
    ratings = rated(mirror, facts)
    assert_plain(ratings)
    assert "bot0 and bot1 split every one of 12 maps" in notes_of(ratings, NoteKind.MIRRORED)[0]
    assert notes_of(ratings, NoteKind.REPEATED)[0].startswith("At least 5 of 18 games repeat")
    assert "3 games without a result" in notes_of(ratings, NoteKind.SOURCE)[0]
    assert all(bot.low is None for bot in ratings.bots)


def test_circles_and_upsets_are_named() -> None:
    counts = play_round_robin(np.random.default_rng(3), np.array([0.4, 0.0, -0.4, 0.0]), 80, circle=1.6)
    ratings = rated(counts)
    assert_plain(ratings)
    assert "bot0 beats bot1, bot1 beats bot2, bot2 beats bot0." in notes_of(ratings, NoteKind.CIRCLE)
    assert any(text.startswith("bot2 beats bot0, which is rated") for text in notes_of(ratings, NoteKind.UPSET))
    quiet = render_ratings(rated(pool()), WIDE)
    assert "none that chance does not explain" in quiet


def test_many_upsets_are_counted() -> None:
    games = [
        (m, a, b, float((b - a) % 7 in {1, 2, 3}) if (m + a) % 10 else 0.5)
        for m in range(60)
        for a in range(7)
        for b in range(7)
        if a != b
    ]
    ratings = rated(aggregate(games))
    assert_plain(ratings)
    upsets = notes_of(ratings, NoteKind.UPSET)
    assert len(upsets) <= 6
    assert len(notes_of(ratings, NoteKind.CIRCLE)) > 1


def test_twins() -> None:
    counts = play_round_robin(np.random.default_rng(5), np.array([0.2, 0.2, -0.4]), 40)
    ratings = rated(counts, twins=(("bot0", "bot1"),))
    assert_plain(ratings)
    assert ratings.twins is not None
    assert ratings.twins.state == "compared"
    assert notes_of(ratings, NoteKind.TWINS)[0].startswith("bot0 = bot1 (gaps of")
    for bad in (("bot0",), ("bot0", "bot0"), ("bot0", "nobody")):
        with pytest.raises(StatsInputError):
            rated(counts, twins=(bad,))


def test_nothing_to_rate() -> None:
    empty = rated(PairAggregator().counts())
    assert_plain(empty)
    assert empty.bots == ()
    assert "No game between two bots" in notes_of(empty, NoteKind.POOL)[0]


def test_two_bots_have_no_matrix_and_a_large_pool_none_either() -> None:
    two = rated(play_round_robin(np.random.default_rng(1), np.array([0.3, -0.3]), 12))
    assert "row against column" not in render_ratings(two, WIDE)
    assert "closed loop" in render_ratings(two, WIDE)
    many = rated(play_round_robin(np.random.default_rng(1), np.linspace(1, -1, 16), 12))
    assert_plain(many)
    assert "row against column" not in render_ratings(many, WIDE)
    assert len(many.pairs) == 120
