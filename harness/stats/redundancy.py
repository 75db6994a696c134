"""How much the results say for their number: twins, repeated games, paired games, duplicate play, seats, mirrors.

Each function answers one question about a set of results and says in words what a bad answer points to.
Must not change a rating: these numbers are looked at beside it.
"""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import chdtri

from harness.stats.arguments import StatsInputError, check_count, check_open_unit, check_unit
from harness.stats.distributions import t_quantile
from harness.stats.pair_counts import IntArray, sum_by
from harness.stats.rating_scale import ELO_PER_LOGIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.stats.head_to_head import HeadToHead
    from harness.stats.pair_counts import FloatArray, PairCounts
    from harness.stats.rating_errors import RatingErrors

_EXACT = 1e-9


# ------------------------------------------------------------------------------------------------- twins


class TwinState(StrEnum):
    """What the gaps between twins say."""

    COMPARED = "compared"
    NO_TWINS = "no_twins"
    IDENTICAL = "identical"  # level on every single map: deterministic twins, the mirror trap's sign
    NO_ERRORS = "no_errors"


@dataclass(frozen=True, slots=True)
class TwinFloor:
    """The noise floor: gaps between exact copies are noise and nothing else.

    `gap_sd_elo` is the pooled standard deviation of a gap between two twins as seen, `expected_sd_elo` as the errors
    promise. `ratio` is the pooled squared gap over its expectation: 1 if the errors are right, with its interval.
    """

    state: TwinState
    words: str
    n_gaps: int = 0
    gap_sd_elo: float | None = None
    expected_sd_elo: float | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None


def twin_floor(errors: RatingErrors, twins: Sequence[Sequence[int]], *, confidence: float = 0.95) -> TwinFloor:
    """Compare gaps inside each group of twins with what the errors promise.

    For a group of k twins the k − 1 independent contrasts x with covariance V give xᵀV⁻¹x, which is χ² with k − 1
    degrees if the errors are right; groups add up, and ratio = sum / degrees.
    """
    check_open_unit("confidence", confidence)
    groups = [list(group) for group in twins if len(group) > 1]
    if not groups:
        return TwinFloor(TwinState.NO_TWINS, "No twins: add an exact copy of a bot to see the noise floor.")
    for group in groups:
        if not all(errors.fit.comparable(group[0], bot) for bot in group):
            return TwinFloor(TwinState.NO_ERRORS, "Twins that were never compared show no noise floor.")
    n_gaps = sum(len(group) - 1 for group in groups)
    theta = errors.fit.theta
    squares = sum(float(np.sum((theta[group] - theta[group].mean()) ** 2)) for group in groups)
    gap_sd = ELO_PER_LOGIT * math.sqrt(2.0 * squares / n_gaps)
    is_tied = squares < _EXACT**2
    if errors.covariance is None:
        return TwinFloor(TwinState.NO_ERRORS, "The errors of the ratings are not known.", n_gaps, gap_sd)
    total = expected = 0.0
    for group in groups:
        # Rows of an orthogonal matrix without its constant row: independent contrasts.
        contrast = np.linalg.qr(np.column_stack([np.ones(len(group)), np.eye(len(group))[:, 1:]]))[0][:, 1:].T
        block = contrast @ errors.covariance[np.ix_(group, group)] @ contrast.T
        values, vectors = np.linalg.eigh(block)
        if is_tied and float(values[-1]) <= 1e-12:
            return TwinFloor(
                TwinState.IDENTICAL,
                "Twins tie on every map: they are deterministic and meet the same maps, so their gap shows no noise. "
                "Games between a bot and a near copy of itself measure how it breaks ties, not strength.",
                n_gaps,
                0.0,
            )
        if float(values[0]) <= 1e-12:
            return TwinFloor(TwinState.NO_ERRORS, "The maps do not tell how twins vary.", n_gaps, gap_sd)
        x = vectors.T @ (contrast @ theta[group])
        total += float(np.sum(x**2 / values))
        expected += float(values.sum())
    ratio = total / n_gaps
    tail = 0.5 * (1.0 - confidence)
    low, high = total / float(chdtri(n_gaps, tail)), total / float(chdtri(n_gaps, 1.0 - tail))
    if is_tied:
        # Luck, where maps are known: twins that play alike on each were found above.
        words = "Twins tie in points, though not map by map." if errors.n_maps else "Twins tie in points."
    elif low > 1.0:
        words = "Twins differ by more than the errors promise: look for games that share luck, or a seat at fault."
    elif high < 1.0:
        words = "Twins differ by less than the errors promise: they repeat each other's games."
    else:
        words = "Twins differ by about as much as the errors promise."
    return TwinFloor(
        TwinState.COMPARED,
        words,
        n_gaps,
        gap_sd,
        ELO_PER_LOGIT * math.sqrt(2.0 * expected / n_gaps),
        ratio,
        low,
        high,
    )


# ------------------------------------------------------------------------------------- repeats and pairs


@dataclass(frozen=True, slots=True)
class Repetition:
    """`n_distinct` of `n_games` differ; `n_effective` (Kish) is how many distinct games would say as much.

    `design_effect` = n_games / n_effective: by how much the variance of the mean is larger than the number of games
    says. Both are None without games.
    """

    n_games: int
    n_distinct: int
    n_effective: float | None
    design_effect: float | None


def repetition(times: Iterable[int]) -> Repetition:
    """From how often each distinct game was played. Equal games have equal results, so n_eff = N² / Σ times²."""
    n_games = n_distinct = square = 0
    for count in times:
        check_count("times", count, minimum=1)
        n_games += count
        n_distinct += 1
        square += count * count
    if not n_games:
        return Repetition(0, 0, None, None)
    effective = n_games * n_games / square
    return Repetition(n_games, n_distinct, effective, n_games / effective)


_BLOCK = 1 << 15


class GameRepeats:
    """Counts how often each game was played, in memory that does not grow with the number of games.

    Up to `capacity` distinct games are remembered; beyond, games are still
    compared with those, so the number of repeats is a lower bound (`is_exact` is then False).
    """

    __slots__ = ("_capacity", "_is_exact", "_keys", "_n_games", "_new", "_times")

    def __init__(self, *, capacity: int = 196_608) -> None:
        self._capacity = check_count("capacity", capacity, minimum=1)
        self._new = array("q")
        self._keys: IntArray = np.zeros(0, dtype=np.int64)
        self._times: IntArray = np.zeros(0, dtype=np.int64)
        self._n_games = 0
        self._is_exact = True

    def add_map(self, keys: list[int]) -> None:
        """Take the games of one map, each as a 64-bit hash of its bots and moves.

        Games alike on one map are one game seen from several seats, and count once. Python's own `hash` is enough:
        only equality inside this process is asked for.
        """
        if len(keys) != 2 or keys[0] == keys[1]:
            keys = list(dict.fromkeys(keys))
        self._new.extend(keys)
        if len(self._new) >= _BLOCK:
            self._settle()

    @property
    def n_games(self) -> int:
        """Number of games taken."""
        return self._n_games + len(self._new)

    @property
    def n_repeated(self) -> int:
        """Number of games that had been played before."""
        self._settle()
        return int(self._times.sum()) - self._times.size

    @property
    def is_exact(self) -> bool:
        """Whether all distinct games are remembered."""
        self._settle()
        return self._is_exact

    def repetition(self) -> Repetition:
        """What the repeats do to the number of games; games beyond the capacity count as distinct."""
        self._settle()
        forgotten = self._n_games - int(self._times.sum())
        return repetition((*self._times.tolist(), *([1] * forgotten)))

    def _settle(self) -> None:
        """Compare the last block with what is remembered; new games are remembered in order while there is room."""
        if not self._new:
            return
        keys, order, times = np.unique(np.array(self._new), return_index=True, return_counts=True)
        self._n_games += len(self._new)
        del self._new[:]
        place = np.searchsorted(self._keys, keys)
        known = np.zeros(keys.size, dtype=np.bool_)
        inside = place < self._keys.size
        known[inside] = self._keys[place[inside]] == keys[inside]
        self._times[place[known]] += times[known]
        fresh = np.flatnonzero(~known)
        room = self._capacity - self._keys.size
        if fresh.size > room:
            self._is_exact = False
            fresh = fresh[np.sort(np.argsort(order[fresh], kind="stable")[:room])]
        if fresh.size:
            merged = np.concatenate([self._keys, keys[fresh]])
            by_key = np.argsort(merged, kind="stable")
            self._keys = merged[by_key]
            self._times = np.concatenate([self._times, times[fresh].astype(np.int64)])[by_key]


@dataclass(frozen=True, slots=True)
class PairingGain:
    """What playing each map from both seats does to the variance of a game's score.

    `var_game_pentanomial` is half the variance of a pair's sum, `var_game_trinomial` that of a single game; their
    ratio is the design effect and, minus 1, the correlation of a pair's games. `rms_bias_score` is the size of the
    maps' (openings') own bias that pairing takes away, None if the games of a pair agree more than by chance.
    """

    var_game_pentanomial: float
    var_game_trinomial: float
    rms_bias_score: float | None
    design_effect: float | None
    implied_pair_correlation: float | None


def pairing_gain(pentanomial: Sequence[float], *, wins: float, draws: float, losses: float) -> PairingGain:
    """From counts of pairs LL, LD, LW+DD, DW, WW and of single games. Source: fishtest, issue 373."""
    pairs, games = float(sum(pentanomial)), wins + draws + losses
    if len(pentanomial) != 5 or min(*pentanomial, wins, draws, losses) < 0.0 or pairs == 0.0 or games == 0.0:
        raise StatsInputError("five counts of pairs and the counts of their games are needed, none of them negative")
    scores = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    share = np.asarray(pentanomial, dtype=np.float64) / pairs
    mean = float(share @ scores)
    per_pair = 2.0 * float(share @ (scores - mean) ** 2)
    score = (wins + 0.5 * draws) / games
    per_game = (wins * (1.0 - score) ** 2 + draws * (0.5 - score) ** 2 + losses * score**2) / games
    bias = per_game - per_pair
    effect = per_pair / per_game if per_game > 0.0 else None
    return PairingGain(
        per_pair,
        per_game,
        math.sqrt(bias) if bias >= 0.0 else None,
        effect,
        None if effect is None else effect - 1.0,
    )


def sweep_baseline(p: float) -> float:
    """Chance that one side wins both of two independent matches: p² + (1 − p)²."""
    check_unit("p", p)
    return p * p + (1.0 - p) ** 2


def duplicate_multiplier(expected: Sequence[float], observed_sweeps: float) -> float | None:
    """By how much duplicate play multiplies the games: mean sweep baseline of the pairings over the observed rate.

    `expected` are the pairings' chances of winning a match. None if no pair was swept: the multiplier has no bound.
    """
    check_unit("observed_sweeps", observed_sweeps)
    if not expected:
        raise StatsInputError("no pairings; give the chance of winning of at least one")
    baseline = sum(sweep_baseline(p) for p in expected) / len(expected)
    return baseline / observed_sweeps if observed_sweeps > 0.0 else None


# -------------------------------------------------------------------------------------- seats and mirrors


class SeatState(StrEnum):
    """What a seat's score is worth."""

    ESTIMATED = "estimated"
    NO_GAMES = "no_games"
    TOO_FEW_MAPS = "too_few_maps"
    NO_VARIANCE = "no_variance"  # every map gave the same
    SEATS_UNKNOWN = "seats_unknown"


@dataclass(frozen=True, slots=True)
class SeatBias:
    """Mean score of a seat over all games, whoever sat there, with an interval over maps; ½ is a fair seat."""

    state: SeatState
    score: float | None = None
    low: float | None = None
    high: float | None = None
    n_games: float = 0.0
    n_maps: int = 0


def first_seat_bias(counts: PairCounts, *, confidence: float = 0.95) -> SeatBias:
    """Score of the first of two seats. Playing every map in both seats cancels it; this says how much there was."""
    if not counts.seats_known:
        return SeatBias(SeatState.SEATS_UNKNOWN)
    total = float(counts.games.sum())
    if counts.maps is None:
        score = float(counts.points.sum()) / total if total else None
        state = SeatState.TOO_FEW_MAPS if total else SeatState.NO_GAMES
        return SeatBias(state, score, n_games=total)
    maps = counts.maps
    games = sum_by(maps.map_index, maps.wins + maps.draws + maps.losses, maps.n_maps)
    points = sum_by(maps.map_index, maps.wins + 0.5 * maps.draws, maps.n_maps)
    return seat_bias(points, games, confidence=confidence)


def seat_bias(points: FloatArray, games: FloatArray, *, confidence: float = 0.95) -> SeatBias:
    """Score of a seat from its points and games on each map: ratio of sums, error over maps, t with M − 1 degrees."""
    check_open_unit("confidence", confidence)
    played = games > 0.0
    points, games = points[played], games[played]
    n_maps, total = int(games.size), float(games.sum())
    if not n_maps:
        return SeatBias(SeatState.NO_GAMES)
    score = float(points.sum()) / total
    if n_maps < 2:
        return SeatBias(SeatState.TOO_FEW_MAPS, score, n_games=total, n_maps=n_maps)
    square = float(np.sum((points - games * score) ** 2))
    if square <= _EXACT**2 * total:
        return SeatBias(SeatState.NO_VARIANCE, score, n_games=total, n_maps=n_maps)
    se = math.sqrt(square * n_maps / (n_maps - 1.0)) / total
    half = t_quantile(1.0 - 0.5 * (1.0 - confidence), n_maps - 1.0) * se
    return SeatBias(SeatState.ESTIMATED, score, max(0.0, score - half), min(1.0, score + half), total, n_maps)


def mirrored_pairs(table: HeadToHead, *, fewest_maps: int = 10) -> tuple[tuple[int, int, int], ...]:
    """(bot, bot, maps) of pairs that split every single map, on at least `fewest_maps`: the mirror trap's sign."""
    split = (table.points == 0.5 * table.games) & ~table.se_known & (table.n_maps >= fewest_maps)
    return tuple((int(table.low[k]), int(table.high[k]), int(table.n_maps[k])) for k in np.flatnonzero(split).tolist())
