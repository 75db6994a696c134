"""Three likelihoods for one game between two bots, and their derivatives: what a draw says about strength.

With η the first bot's lead in logits (its seat's worth included):

- HALF_POINT: a draw is half a win and half a loss. ln L = s·η − n·ln(1 + e^η), s the points, n the games.
- RAO_KUPPER: win σ(η − δ), loss σ(−η − δ), draw the rest; "a draw is a win plus a loss" with the margin δ
  (BayesElo's model; its drawelo is δ in Elo). Source: Rao and Kupper, JASA 62 (1967) 194-204.
- DAVIDSON: win, loss, draw in the ratio e^(η/2) : e^(−η/2) : ν. Source: Davidson, JASA 65 (1970) 317-328.

They are different likelihoods and give different ratings; nothing here mixes them. All are concave in η and in the draw
parameter (δ, ln ν). Arrays may have any shape that broadcasts, so that many resamples are evaluated at once.
Must not know about bots, maps or priors.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np

from harness.stats.pair_counts import FloatArray


class DrawModel(StrEnum):
    """What a draw counts as. It must be said wherever ratings are shown."""

    HALF_POINT = "half_point"
    RAO_KUPPER = "rao_kupper"
    DAVIDSON = "davidson"


@dataclass(slots=True, eq=False)
class Slopes:
    """First derivatives of ln L: by η for each cell; by the draw parameter, summed over the cells (axis 0)."""

    eta: FloatArray
    draw: FloatArray | float


@dataclass(slots=True, eq=False)
class Terms:
    """ln L with its first derivatives and its negative second derivatives at one point.

    `value`, `draw_slope`, `draw_curvature` are sums over the cells; `slope`, `curvature` and `cross` are per cell.
    """

    value: float
    slope: FloatArray
    curvature: FloatArray
    draw_slope: float
    draw_curvature: float
    cross: FloatArray | None


class Likelihood(Protocol):
    """One model with its counts: evaluated often, so that what does not change is kept."""

    def terms(self, eta: FloatArray, draw: float) -> Terms:
        """ln L and both derivatives, for Newton's method."""
        ...

    def slopes(self, eta: FloatArray, draw: FloatArray | float) -> Slopes:
        """First derivatives alone, for the many refits of a bootstrap."""
        ...


def logistic(x: FloatArray) -> FloatArray:
    """1 / (1 + e^−x) without overflow and with few passes."""
    out = np.clip(x, -700.0, 700.0)
    np.negative(out, out=out)
    np.exp(out, out=out)
    out += 1.0
    return np.reciprocal(out, out=out)


def log_logistic(x: FloatArray) -> FloatArray:
    """ln(1 / (1 + e^−x)) without loss of digits in either tail."""
    return np.minimum(x, 0.0) - np.log1p(np.exp(-np.abs(x)))


class HalfPoint:
    """ln L = s·η − n·ln(1 + e^η)."""

    __slots__ = ("games", "points")

    def __init__(self, wins: FloatArray, draws: FloatArray, losses: FloatArray) -> None:
        self.points = wins + 0.5 * draws
        self.games = wins + draws + losses

    def terms(self, eta: FloatArray, draw: float) -> Terms:  # noqa: ARG002 - no draw parameter in this model
        """See `Likelihood`."""
        p = logistic(eta)
        q = 1.0 - p
        # ln(1 + e^η) = max(η, 0) − ln max(p, q): one logarithm, and no digits lost in either tail.
        grown = np.maximum(eta, 0.0) - np.log(np.maximum(p, q))
        value = float(np.dot(self.points, eta) - np.dot(self.games, grown))
        expected = self.games * p
        return Terms(value, self.points - expected, np.multiply(expected, q, out=q), 0.0, 0.0, None)

    def slopes(self, eta: FloatArray, draw: FloatArray | float) -> Slopes:  # noqa: ARG002
        """See `Likelihood`."""
        expected = logistic(eta)
        expected *= self.games
        return Slopes(np.subtract(self.points, expected, out=expected), 0.0)


class RaoKupper:
    """ln L = (w + d)·ln σ(η − δ) + (l + d)·ln σ(−η − δ) + d·ln(e^(2δ) − 1); the draw parameter is δ > 0."""

    __slots__ = ("draws", "lower", "upper")

    def __init__(self, wins: FloatArray, draws: FloatArray, losses: FloatArray) -> None:
        self.draws = draws
        self.upper = wins + draws
        self.lower = losses + draws

    def terms(self, eta: FloatArray, draw: float) -> Terms:
        """See `Likelihood`."""
        win = logistic(eta - draw)
        loss = logistic(-eta - draw)
        up = self.upper * (1.0 - win)
        down = self.lower * (1.0 - loss)
        bend_up = up * win
        bend_down = down * loss
        total = float(self.draws.sum())
        value = float(np.dot(self.upper, log_logistic(eta - draw)) + np.dot(self.lower, log_logistic(-eta - draw)))
        draw_slope = -float(up.sum() + down.sum())
        draw_curvature = float(bend_up.sum() + bend_down.sum())
        if total > 0.0:
            shrink = -np.expm1(-2.0 * draw)
            value += total * (2.0 * draw + float(np.log(shrink)))
            draw_slope += 2.0 * total / shrink
            draw_curvature += 4.0 * total * float(np.exp(-2.0 * draw)) / shrink**2
        return Terms(value, up - down, bend_up + bend_down, draw_slope, draw_curvature, bend_down - bend_up)

    def slopes(self, eta: FloatArray, draw: FloatArray | float) -> Slopes:
        """See `Likelihood`."""
        up = self.upper * (1.0 - logistic(eta - draw))
        down = self.lower * (1.0 - logistic(-eta - draw))
        gain = 2.0 * self.draws.sum(axis=0) / -np.expm1(-2.0 * np.asarray(draw))
        return Slopes(up - down, gain - up.sum(axis=0) - down.sum(axis=0))


class Davidson:
    """ln L = (w − l)·η/2 + d·κ − n·ln(e^(η/2) + e^(−η/2) + e^κ); the draw parameter is κ = ln ν."""

    __slots__ = ("draws", "games", "margin")

    def __init__(self, wins: FloatArray, draws: FloatArray, losses: FloatArray) -> None:
        self.draws = draws
        self.games = wins + draws + losses
        self.margin = 0.5 * (wins - losses)

    def terms(self, eta: FloatArray, draw: float) -> Terms:
        """See `Likelihood`."""
        win, loss, level, log_sum = _davidson_shares(eta, draw)
        total = float(self.draws.sum())
        value = float(np.dot(self.margin, eta) + total * draw - np.dot(self.games, log_sum))
        half_gap = 0.5 * (win - loss)
        drawn = self.games * level
        return Terms(
            value=value,
            slope=self.margin - self.games * half_gap,
            curvature=self.games * (0.25 * (win + loss) - half_gap**2),
            draw_slope=total - float(drawn.sum()),
            draw_curvature=float(np.dot(drawn, 1.0 - level)),
            cross=-drawn * half_gap,
        )

    def slopes(self, eta: FloatArray, draw: FloatArray | float) -> Slopes:
        """See `Likelihood`."""
        win, loss, level, _ = _davidson_shares(eta, draw)
        slope = self.margin - self.games * (0.5 * (win - loss))
        return Slopes(slope, (self.draws - self.games * level).sum(axis=0))


def _davidson_shares(
    eta: FloatArray, draw: FloatArray | float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """(P(win), P(loss), P(draw), ln of the normaliser)."""
    half = 0.5 * eta
    top = np.maximum(np.abs(half), draw)
    win = np.exp(half - top)
    loss = np.exp(-half - top)
    level = np.exp(draw - top)
    total = win + loss + level
    return win / total, loss / total, level / total, top + np.log(total)


def likelihood_of(model: DrawModel, wins: FloatArray, draws: FloatArray, losses: FloatArray) -> Likelihood:
    """The model with its counts (one entry a cell, or cells by resamples)."""
    if model is DrawModel.HALF_POINT:
        return HalfPoint(wins, draws, losses)
    if model is DrawModel.RAO_KUPPER:
        return RaoKupper(wins, draws, losses)
    return Davidson(wins, draws, losses)
