"""From games to map scores, wins, draws and losses, pair counts and a table of who met whom; any number of
seats.

A game gives each seat a score: win 1, draw ½, loss 0, and with more seats the share of opponents beaten, ties
half. A map is scored once all its games are there; an incomplete one has a state and no score, since the
games that are missing are the slow ones and leaving them out would be a choice. Must not import numpy, and
must not keep the maps.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from harness.stats.arguments import StatsInputError, check_count, check_unit
from harness.stats.tally import MapTally

_SLACK = 1e-9


class MapState(StrEnum):
    """Whether a map counts."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"  # some games are missing or void
    EMPTY = "empty"  # all are


@dataclass(frozen=True, slots=True)
class GameScores:
    """`seating[seat]` is the index in the lineup of the bot that sat there, `scores[seat]` what it got."""

    seating: tuple[int, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PairScore:
    """One bot against one other on one map, over their games: wins, draws, losses and mean score of the first."""

    wins: int
    draws: int
    losses: int

    @property
    def mean(self) -> float:
        """Mean score of the first, draws half a point."""
        return (self.wins + 0.5 * self.draws) / (self.wins + self.draws + self.losses)


@dataclass(frozen=True, slots=True)
class MapScores:
    """One lineup on one map. `means` per bot is None unless the map is complete; `points` are sums of what is there."""

    lineup: tuple[str, ...]
    state: MapState
    points: tuple[float, ...]
    means: tuple[float, ...] | None
    pairs: tuple[tuple[int, int, PairScore], ...]
    n_games: int
    n_missing: int


def score_map(lineup: Sequence[str], games: Sequence[GameScores | None], n_games: int) -> MapScores:
    """Score one map of `n_games` games; None stands for a game that is void or not played yet.

    Raises StatsInputError for scores that no game can give: outside [0, 1], or with two or more seats not
    adding up to half their number.
    """
    check_count("n_games", n_games, minimum=1)
    if len(games) > n_games:
        raise StatsInputError(f"games has {len(games)} entries; the map has {n_games} games")
    played = [game for game in games if game is not None]
    size = len(lineup)
    points = [0.0] * size
    counts = [0] * size
    meetings: dict[tuple[int, int], list[int]] = {}
    for number, game in enumerate(played):
        _check_game(game, size, number)
        for seat, bot in enumerate(game.seating):
            points[bot] += game.scores[seat]
            counts[bot] += 1
            for other_seat in range(seat):
                _meet(meetings, bot, game.seating[other_seat], game.scores[seat] - game.scores[other_seat])
    missing = n_games - len(played)
    state = MapState.COMPLETE if not missing else MapState.INCOMPLETE if played else MapState.EMPTY
    complete = state is MapState.COMPLETE
    if complete and not all(counts):
        idle = [name for name, count in zip(lineup, counts, strict=True) if not count]
        raise StatsInputError(f"{', '.join(idle)} sat in no game of the map; every bot of a lineup must play")
    return MapScores(
        lineup=tuple(lineup),
        state=state,
        points=tuple(points),
        means=tuple(p / n for p, n in zip(points, counts, strict=True)) if complete else None,
        pairs=tuple((a, b, PairScore(*results)) for (a, b), results in sorted(meetings.items())),
        n_games=len(played),
        n_missing=missing,
    )


def _check_game(game: GameScores, size: int, number: int) -> None:
    seats = len(game.seating)
    if len(game.scores) != seats or len(set(game.seating)) != seats or not all(0 <= b < size for b in game.seating):
        raise StatsInputError(
            f"game {number} has seating {game.seating!r} and scores {game.scores!r}; every seat needs its own bot of "
            f"0 to {size - 1} and one score"
        )
    for seat, score in enumerate(game.scores):
        check_unit(f"game {number}, seat {seat}: score", score)
    if seats > 1 and abs(math.fsum(game.scores) - 0.5 * seats) > _SLACK:
        raise StatsInputError(
            f"game {number} has scores {game.scores!r}; with {seats} seats they add up to {0.5 * seats}"
        )


def _meet(meetings: dict[tuple[int, int], list[int]], bot: int, other: int, lead: float) -> None:
    """Count one meeting under the pair's lower index."""
    first, second = (bot, other) if bot < other else (other, bot)
    lead = lead if bot < other else -lead
    results = meetings.setdefault((first, second), [0, 0, 0])
    results[0 if lead > _SLACK else 2 if lead < -_SLACK else 1] += 1


@dataclass(frozen=True, slots=True)
class PairTable:
    """One bot against one other over all complete maps, from the first one's side.

    `tally` holds the mean score of each map between the two; `is_pairs` says that every map had two games.
    """

    first: str
    second: str
    wins: int
    draws: int
    losses: int
    tally: MapTally
    is_pairs: bool

    @property
    def penta(self) -> tuple[int, int, int, int, int] | None:
        """LL, LD+DL, LW+DD+WL, DW+WD, WW; None unless each map had exactly two games."""
        return self.tally.penta() if self.is_pairs else None


class ScoreBook:
    """Running scores of all bots over maps: per bot, per pair, and how many maps did not count."""

    __slots__ = ("_bots", "_games", "_not_pairs", "_pairs", "n_empty", "n_incomplete")

    def __init__(self) -> None:
        self._bots: dict[str, MapTally] = {}
        self._pairs: dict[tuple[str, str], MapTally] = {}
        self._games: dict[tuple[str, str], list[int]] = {}
        self._not_pairs: set[tuple[str, str]] = set()
        self.n_incomplete = 0
        self.n_empty = 0

    def add(self, scores: MapScores) -> None:
        """Add one map. Incomplete and empty maps are counted, not scored."""
        if scores.means is None:
            if scores.state is MapState.EMPTY:
                self.n_empty += 1
            else:
                self.n_incomplete += 1
            return
        for name, mean in zip(scores.lineup, scores.means, strict=True):
            self._bots.setdefault(name, MapTally()).add(min(1.0, mean))
        for a, b, pair in scores.pairs:
            first, second = scores.lineup[a], scores.lineup[b]
            if first == second:
                continue
            if pair.wins + pair.draws + pair.losses != 2:
                self._not_pairs.update(((first, second), (second, first)))
            for key, won, lost, mean in (
                ((first, second), pair.wins, pair.losses, pair.mean),
                ((second, first), pair.losses, pair.wins, 1.0 - pair.mean),
            ):
                self._pairs.setdefault(key, MapTally()).add(mean)
                games = self._games.setdefault(key, [0, 0, 0])
                games[0] += won
                games[1] += pair.draws
                games[2] += lost

    def merge(self, other: "ScoreBook") -> None:
        """Add all that another book holds; it stays as it is."""
        self.n_incomplete += other.n_incomplete
        self.n_empty += other.n_empty
        for name in other.bots():
            self._bots.setdefault(name, MapTally()).merge(other.bot(name))
        for table in other.tables():
            key = (table.first, table.second)
            if not table.is_pairs:
                self._not_pairs.add(key)
            self._pairs.setdefault(key, MapTally()).merge(table.tally)
            games = self._games.setdefault(key, [0, 0, 0])
            for index, count in enumerate((table.wins, table.draws, table.losses)):
                games[index] += count

    def bots(self) -> tuple[str, ...]:
        """All bots with a complete map, by name."""
        return tuple(sorted(self._bots))

    def bot(self, name: str) -> MapTally:
        """Mean scores of one bot's maps against whoever was in the lineup; empty if it has none."""
        return self._bots.get(name, MapTally())

    def pair(self, first: str, second: str) -> PairTable:
        """One pair from the first one's side; empty if they never met."""
        key = (first, second)
        wins, draws, losses = self._games.get(key, [0, 0, 0])
        tally = self._pairs.get(key, MapTally())
        return PairTable(first, second, wins, draws, losses, tally, key not in self._not_pairs)

    def tables(self) -> Iterator[PairTable]:
        """All ordered pairs that met, by name: each meeting twice, once from either side."""
        for first, second in sorted(self._pairs):
            yield self.pair(first, second)
