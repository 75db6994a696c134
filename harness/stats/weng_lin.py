"""Online ratings by Weng and Lin: a belief (mean, uncertainty) a player, moved a little by every result, in order.

For ladders that grow for ever and games that nobody keeps; a pool whose games are all at hand is rated better by
`bradley_terry`, which does not depend on their order. Takes sides of several players, fields of many sides, opponents
that never move, results between win and loss, and weights. Plain Python, no numpy.
Source: Weng and Lin, A Bayesian approximation method for online ranking, JMLR 12 (2011) 267-300; equal to openskill 6
under `OPENSKILL`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from harness.stats.arguments import StatsInputError, check_not_negative, check_positive, check_unit
from harness.stats.truncated_normal import draw_mean_shift, draw_variance_cut, win_mean_shift, win_variance_cut

if TYPE_CHECKING:
    from collections.abc import Sequence


class WengLinModel(StrEnum):
    """Which of the paper's models; the two full ones compare every pair of sides, Plackett–Luce the whole order."""

    BRADLEY_TERRY_FULL = "bradley_terry_full"
    THURSTONE_MOSTELLER_FULL = "thurstone_mosteller_full"
    PLACKETT_LUCE = "plackett_luce"


@dataclass(frozen=True, slots=True)
class Skill:
    """A belief about a player: mean and standard deviation, in the scale's points."""

    mu: float
    sigma: float


@dataclass(frozen=True, slots=True)
class WengLin:
    """A scale and its conventions.

    `beta` is how much a performance varies about the skill, `tau` how much a skill may drift before each result,
    `kappa` the least share of a variance that one result may leave. `epsilon` is Thurstone–Mosteller's draw margin.
    `two_over_k`: in a field of k sides each meeting weighs 2/k, so that a field is worth one to two games, not k − 1.
    `even_sides`: sides of different sizes are scaled to the average size, so that one more player is no edge.
    """

    mu: float
    sigma: float
    beta: float
    tau: float
    kappa: float = 1e-4
    epsilon: float = 0.1
    model: WengLinModel = WengLinModel.BRADLEY_TERRY_FULL
    two_over_k: bool = True
    even_sides: bool = True

    def __post_init__(self) -> None:
        check_positive("sigma", self.sigma)
        check_positive("beta", self.beta)
        check_not_negative("tau", self.tau)
        check_unit("kappa", self.kappa)
        check_not_negative("epsilon", self.epsilon)
        if self.two_over_k and self.model is WengLinModel.PLACKETT_LUCE:
            raise StatsInputError("Plackett–Luce has no meetings to weigh by 2/k; set two_over_k=False")

    def new(self) -> Skill:
        """The belief about a player of whom nothing is known."""
        return Skill(self.mu, self.sigma)


ELO = WengLin(mu=1500.0, sigma=350.0, beta=400.0 / math.log(10.0) / math.sqrt(2.0), tau=6.0)
"""Elo's scale: between two settled players the odds are 1 / (1 + 10^(−gap/400)) exactly."""

OPENSKILL = WengLin(mu=25.0, sigma=25.0 / 3.0, beta=25.0 / 6.0, tau=25.0 / 300.0, two_over_k=False, even_sides=False)
"""openskill 6's constants and conventions, for its BradleyTerryFull; use `dataclasses.replace` for its other models."""


def expected_score(one: Skill, other: Skill, scale: WengLin = ELO) -> float:
    """Chance that one beats the other (a tie counting half); uncertainty pulls it towards even."""
    return _logistic((one.mu - other.mu) / math.sqrt(one.sigma**2 + other.sigma**2 + 2.0 * scale.beta**2))


def rate_game(
    sides: Sequence[Sequence[Skill]],
    *,
    ranks: Sequence[float] | None = None,
    score: float | None = None,
    fixed: Sequence[Sequence[bool]] | None = None,
    weight: float = 1.0,
    scale: WengLin = ELO,
) -> list[list[Skill]]:
    """Every player's belief after one result, in the order given.

    `ranks` has a number a side, lower is better, equal is a tie; or, for two sides, `score` from 0 to 1 is how well the
    first did. A fixed player is compared like anyone else and neither drifts nor moves. `weight` 1 is a whole game.
    Raises StatsInputError for a result that makes no sense.
    """
    k = len(sides)
    _check_result(k, sides, ranks, score, fixed, weight, scale)
    drift = scale.tau**2
    held = fixed if fixed is not None else [[False] * len(side) for side in sides]
    variances = [
        [p.sigma**2 + (0.0 if f else drift) for p, f in zip(side, flags, strict=True)]
        for side, flags in zip(sides, held, strict=True)
    ]
    average = sum(len(side) for side in sides) / k
    factors = [average / len(side) if scale.even_sides else 1.0 for side in sides]
    means = [a * sum(p.mu for p in side) for a, side in zip(factors, sides, strict=True)]
    spreads = [a * a * sum(own) for a, own in zip(factors, variances, strict=True)]
    if scale.model is WengLinModel.PLACKETT_LUCE:
        moves = _plackett_luce(means, spreads, _order(ranks, score), weight, scale.beta)
    else:
        moves = _full_pairing(means, spreads, ranks, score, weight, scale)
    out = []
    for i, side in enumerate(sides):
        shift, cut = moves[i]
        a = factors[i]
        after = []
        for p, own, is_fixed in zip(side, variances[i], held[i], strict=True):
            if is_fixed or spreads[i] == 0.0:
                after.append(p)
                continue
            share = a * own / spreads[i]
            left = max(1.0 - a * share * cut, scale.kappa)
            after.append(Skill(p.mu + share * shift, math.sqrt(own * left)))
        out.append(after)
    return out


def _check_result(
    k: int,
    sides: Sequence[Sequence[Skill]],
    ranks: Sequence[float] | None,
    score: float | None,
    fixed: Sequence[Sequence[bool]] | None,
    weight: float,
    scale: WengLin,
) -> None:
    if k < 2 or any(not side for side in sides):
        raise StatsInputError("a result needs two sides or more, each with a player")
    if (ranks is None) == (score is None):
        raise StatsInputError("give either ranks or a score")
    if ranks is not None and (len(ranks) != k or not all(math.isfinite(rank) for rank in ranks)):
        raise StatsInputError(f"ranks {list(ranks)!r}: one finite number for each of {k} sides is needed")
    if score is not None:
        check_unit("score", score)
        if k != 2:
            raise StatsInputError(f"a score is for two sides; {k} sides need ranks")
        if scale.model is not WengLinModel.BRADLEY_TERRY_FULL and score not in {0.0, 0.5, 1.0}:
            raise StatsInputError(f"{scale.model.value} has no results between win, draw and loss; got {score!r}")
    if fixed is not None and [len(flags) for flags in fixed] != [len(side) for side in sides]:
        raise StatsInputError("fixed needs one flag for every player of every side")
    check_not_negative("weight", weight)


def _order(ranks: Sequence[float] | None, score: float | None) -> list[float]:
    if ranks is not None:
        return list(ranks)
    return [1.0 - (score or 0.0), score or 0.0]


def _full_pairing(
    means: list[float],
    spreads: list[float],
    ranks: Sequence[float] | None,
    score: float | None,
    weight: float,
    scale: WengLin,
) -> list[tuple[float, float]]:
    """(Ω, Δ) of every side: sums over its meetings with the others. Weng and Lin's algorithms 1 and 2."""
    k = len(means)
    w = weight * (2.0 / k if scale.two_over_k else 1.0)
    noise = 2.0 * scale.beta**2
    order = _order(ranks, score)
    thurstone = scale.model is WengLinModel.THURSTONE_MOSTELLER_FULL
    moves = []
    for i in range(k):
        shift = cut = 0.0
        for q in range(k):
            if q == i:
                continue
            c = math.sqrt(spreads[i] + spreads[q] + noise)
            pull = spreads[i] / c
            gain = math.sqrt(spreads[i]) / c * pull / c
            lead = (means[i] - means[q]) / c
            if thurstone:
                surprise, told = _thurstone(lead, scale.epsilon / c, order[i], order[q])
            else:
                p = _logistic(lead)
                if score is not None:
                    result = score if i == 0 else 1.0 - score
                else:
                    result = 1.0 if order[i] < order[q] else 0.5 if order[i] == order[q] else 0.0
                surprise, told = result - p, p * (1.0 - p)
            shift += w * pull * surprise
            cut += w * gain * told
        moves.append((shift, cut))
    return moves


def _thurstone(lead: float, margin: float, rank: float, other: float) -> tuple[float, float]:
    if rank < other:
        return win_mean_shift(lead - margin), win_variance_cut(lead - margin)
    if rank > other:
        return -win_mean_shift(-lead - margin), win_variance_cut(-lead - margin)
    return draw_mean_shift(lead, margin), draw_variance_cut(lead, margin)


def _plackett_luce(
    means: list[float], spreads: list[float], ranks: list[float], weight: float, beta: float
) -> list[tuple[float, float]]:
    """(Ω, Δ) of every side from the whole order; tied sides share their place. Weng and Lin's algorithm 4."""
    k = len(means)
    c = math.sqrt(sum(spreads) + k * beta**2)
    top = max(means)
    strength = [math.exp((mean - top) / c) for mean in means]
    behind = [sum(strength[s] for s in range(k) if ranks[s] >= ranks[q]) for q in range(k)]
    tied = [sum(1 for s in range(k) if ranks[s] == ranks[q]) for q in range(k)]
    moves = []
    for i in range(k):
        shift = cut = 0.0
        for q in range(k):
            if ranks[q] > ranks[i]:
                continue
            p = strength[i] / behind[q]
            shift += ((1.0 if q == i else 0.0) - p) / tied[q]
            cut += p * (1.0 - p) / tied[q]
        gain = math.sqrt(spreads[i]) / c
        moves.append((weight * shift * spreads[i] / c, weight * gain * cut * spreads[i] / c**2))
    return moves


def _logistic(x: float) -> float:
    if x >= 0.0:
        return 1.0 / (1.0 + math.exp(-x)) if x < 700.0 else 1.0
    return 1.0 - 1.0 / (1.0 + math.exp(x)) if x > -700.0 else 0.0
