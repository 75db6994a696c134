"""Pools of results that several test modules need: from the vectors, by hypothesis, by simulation."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from harness.stats.aggregate import PairAggregator
from harness.stats.pair_counts import CountedRow, FloatArray, PairCounts, counts_from_games, counts_from_rows

Duel = tuple[int, int, int, float]
"""(map, first seat's bot, second seat's bot, points of the first)."""


def counts_of_vector(games: list[dict[str, Any]]) -> PairCounts:
    return counts_from_rows(
        CountedRow(g["first"], g["second"], g["first_wins"], g["draws"], g["second_wins"]) for g in games
    )


@st.composite
def duels(draw: st.DrawFn, *, max_bots: int = 5, max_maps: int = 6, max_games: int = 40) -> list[Duel]:
    n_bots = draw(st.integers(2, max_bots))
    bot = st.integers(0, n_bots - 1)
    seats = st.tuples(bot, bot).filter(lambda pair: pair[0] != pair[1])
    game = st.tuples(st.integers(0, max_maps - 1), seats, st.sampled_from([0.0, 0.5, 1.0]))
    return [(m, a, b, score) for m, (a, b), score in draw(st.lists(game, min_size=1, max_size=max_games))]


def aggregate(games: list[Duel], *, n_bots: int | None = None) -> PairCounts:
    """The games through the streaming aggregator, bots numbered by name."""
    pool = PairAggregator()
    for m, a, b, score in games:
        pool.add(m, (f"bot{a}", f"bot{b}"), (score, 1.0 - score))
    assert n_bots is None or pool.n_games == len(games)
    return pool.counts()


def play_round_robin(
    rng: np.random.Generator,
    strength: FloatArray,
    n_maps: int,
    *,
    tilt: float = 0.0,
    seat: float = 0.0,
    draw_rate: float = 0.0,
    circle: float = 0.0,
) -> PairCounts:
    """Every ordered pair once on every map; `tilt` is the sd, in logits, of what a map does to a bot.

    `circle` is added to the lead of bot 0 over 1, 1 over 2, 2 over 0.
    """
    n = strength.size
    first, second = (axis.ravel() for axis in np.nonzero(~np.eye(n, dtype=bool)))
    a, b = np.tile(first, n_maps), np.tile(second, n_maps)
    m = np.repeat(np.arange(n_maps), first.size)
    on_map = strength + tilt * rng.standard_normal((n_maps, n))
    lead = on_map[m, a] - on_map[m, b] + seat
    if circle:
        turn = (b - a) % 3
        lead += circle * np.where((a < 3) & (b < 3), np.where(turn == 1, 1.0, -1.0), 0.0)
    won = rng.random(a.size) < 1.0 / (1.0 + np.exp(-lead))
    drawn = rng.random(a.size) < draw_rate
    points = np.where(drawn, 0.5, won.astype(np.float64))
    return counts_from_games([f"bot{i}" for i in range(n)], a, b, points, m)
