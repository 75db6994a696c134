"""Weng–Lin ratings of many games in a row: the same arithmetic as `weng_lin.rate_game`, about a microsecond a duel.

Each result needs the one before, so there is nothing to vectorise: the loop over duels is written out with local names
and no objects. Must give what `rate_game` gives (a test compares them).
"""

# ruff: noqa: FURB136 - calls of min and max would cost a tenth of the loop

from __future__ import annotations

import math
from operator import eq
from typing import TYPE_CHECKING, Any

from harness.stats.arguments import StatsInputError
from harness.stats.weng_lin import ELO, Skill, WengLin, WengLinModel, rate_game

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.stats.pair_counts import FloatArray, IntArray


class WengLinPool:
    """Beliefs about players numbered 0, 1, ...; they move as results come in. `fixed` players never do."""

    __slots__ = ("_fixed", "_mu", "_scale", "_variance")

    def __init__(self, skills: Sequence[Skill], *, fixed: Iterable[int] = (), scale: WengLin = ELO) -> None:
        self._scale = scale
        self._mu = [skill.mu for skill in skills]
        self._variance = [skill.sigma**2 for skill in skills]
        self._fixed = [False] * len(self._mu)
        for player in fixed:
            self._fixed[player] = True

    def skill(self, player: int) -> Skill:
        """The belief about one player."""
        return Skill(self._mu[player], math.sqrt(self._variance[player]))

    @property
    def skills(self) -> list[Skill]:
        """All beliefs."""
        return [self.skill(player) for player in range(len(self._mu))]

    def play_duels(
        self,
        first: Sequence[int] | IntArray,
        second: Sequence[int] | IntArray,
        scores: Sequence[float] | FloatArray,
        weights: Sequence[float] | FloatArray | None = None,
    ) -> None:
        """Rate duels in order: players' numbers, points of the first from 0 to 1, how much each counts (default 1).

        Raises StatsInputError before the first is rated if any makes no sense.
        """
        firsts: Sequence[int] = _plain(first)
        seconds: Sequence[int] = _plain(second)
        points: Sequence[float] = _plain(scores)
        counted: Sequence[float] | None = None if weights is None else _plain(weights)
        self._check_duels(firsts, seconds, points, counted)
        if self._scale.model is not WengLinModel.BRADLEY_TERRY_FULL:
            for game, (a, b, score) in enumerate(zip(firsts, seconds, points, strict=True)):
                self.play([[a], [b]], score=score, weight=1.0 if counted is None else counted[game])
        elif counted is None and not any(self._fixed):
            self._plain_duels(firsts, seconds, points)
        else:
            self._weighted_duels(firsts, seconds, points, counted)

    def play(
        self,
        sides: Sequence[Sequence[int]],
        *,
        ranks: Sequence[float] | None = None,
        score: float | None = None,
        weight: float = 1.0,
    ) -> None:
        """Rate one result of any shape; see `rate_game`."""
        players = [player for side in sides for player in side]
        if len(set(players)) != len(players) or min(players, default=0) < 0:
            raise StatsInputError(f"sides {sides!r}: a player is there twice or has no number")
        after = rate_game(
            [[self.skill(player) for player in side] for side in sides],
            ranks=ranks,
            score=score,
            fixed=[[self._fixed[player] for player in side] for side in sides],
            weight=weight,
            scale=self._scale,
        )
        for side, skills in zip(sides, after, strict=True):
            for player, skill in zip(side, skills, strict=True):
                if not self._fixed[player]:
                    self._mu[player] = skill.mu
                    self._variance[player] = skill.sigma**2

    def _check_duels(
        self,
        first: Sequence[int],
        second: Sequence[int],
        scores: Sequence[float],
        weights: Sequence[float] | None,
    ) -> None:
        size = len(first)
        if len(second) != size or len(scores) != size or (weights is not None and len(weights) != size):
            raise StatsInputError("first, second, scores and weights need one entry a duel each")
        if not size:
            return
        top = len(self._mu) - 1
        if not (min(first) >= 0 and min(second) >= 0 and max(first) <= top and max(second) <= top):
            raise StatsInputError(f"a duel names a player outside 0..{top}")
        if any(map(eq, first, second)):
            raise StatsInputError("a duel has one player on both sides")
        if not all(0.0 <= score <= 1.0 for score in scores):
            raise StatsInputError("a duel has a score outside 0..1")
        if weights is not None and not all(0.0 <= weight < math.inf for weight in weights):
            raise StatsInputError("a duel has a weight that is negative or not finite")

    def _plain_duels(self, first: Sequence[int], second: Sequence[int], scores: Sequence[float]) -> None:
        mu, variance = self._mu, self._variance
        drift = self._scale.tau**2
        noise = 2.0 * (self._scale.beta**2 + drift)
        kappa = self._scale.kappa
        sqrt, exp = math.sqrt, math.exp
        for a, b, score in zip(first, second, scores, strict=True):
            own = variance[a]
            other = variance[b]
            square = own + other + noise
            own += drift
            other += drift
            c = sqrt(square)
            mean, mean_b = mu[a], mu[b]
            lead = (mean_b - mean) / c
            p = 1.0 / (1.0 + exp(lead if lead < 700.0 else 700.0))
            step = (score - p) / c
            told = p * (1.0 - p) / (square * c)
            mu[a] = mean + own * step
            mu[b] = mean_b - other * step
            left = 1.0 - own * sqrt(own) * told
            variance[a] = own * (left if left > kappa else kappa)
            left = 1.0 - other * sqrt(other) * told
            variance[b] = other * (left if left > kappa else kappa)

    def _weighted_duels(
        self,
        first: Sequence[int],
        second: Sequence[int],
        scores: Sequence[float],
        weights: Sequence[float] | None,
    ) -> None:
        mu, variance, fixed = self._mu, self._variance, self._fixed
        drift = self._scale.tau**2
        noise = 2.0 * self._scale.beta**2
        kappa = self._scale.kappa
        sqrt, exp = math.sqrt, math.exp
        counted = weights if weights is not None else [1.0] * len(first)
        for a, b, score, weight in zip(first, second, scores, counted, strict=True):
            own = variance[a] if fixed[a] else variance[a] + drift
            other = variance[b] if fixed[b] else variance[b] + drift
            square = own + other + noise
            c = sqrt(square)
            mean, mean_b = mu[a], mu[b]
            lead = (mean_b - mean) / c
            p = 1.0 / (1.0 + exp(lead if lead < 700.0 else 700.0))
            step = weight * (score - p) / c
            told = weight * p * (1.0 - p) / (square * c)
            if not fixed[a]:
                mu[a] = mean + own * step
                left = 1.0 - own * sqrt(own) * told
                variance[a] = own * (left if left > kappa else kappa)
            if not fixed[b]:
                mu[b] = mean_b - other * step
                left = 1.0 - other * sqrt(other) * told
                variance[b] = other * (left if left > kappa else kappa)


def _plain(values: Any) -> Any:
    """A numpy array as a list: its elements are slow to index and to reckon with one by one."""
    to_list = getattr(values, "tolist", None)
    return values if to_list is None else to_list()
