"""The SPRT of the BayesElo model on single games, for those who have bounds in its units.

Rao and Kupper's draw model: a draw counts as a win plus a loss. Never mixed with `gsprt`, where a draw is
half a point. Must not import numpy.
"""

import math
from dataclasses import dataclass

from harness.stats.gsprt import trinomial_counts
from harness.stats.sprt_bounds import BayesEloBounds


@dataclass(frozen=True, slots=True)
class BayesEloFit:
    """LLR under Rao and Kupper's model with `drawelo` taken from the sample."""

    llr: float
    drawelo: float


def _bayeselo_law(bayeselo: float, drawelo: float) -> tuple[float, float, float]:
    """Probabilities of loss, draw, win."""
    win = 1.0 / (1.0 + 10.0 ** ((drawelo - bayeselo) / 400.0))
    loss = 1.0 / (1.0 + 10.0 ** ((drawelo + bayeselo) / 400.0))
    return loss, 1.0 - win - loss, win


def sample_drawelo(losses: float, draws: float, wins: float) -> float:
    """The drawelo at which the model gives the sample's shares: 200·log10((1 − l)/l·(1 − w)/w)."""
    data = trinomial_counts(losses, draws, wins)
    loss, _, win = (count / data.total for count in data.counts)
    return 200.0 * math.log10((1.0 - loss) / loss * (1.0 - win) / win)


def bayeselo_to_score(bayeselo: float, drawelo: float) -> float:
    """Mean score, draws half a point, of the model's law."""
    _, draw, win = _bayeselo_law(bayeselo, drawelo)
    return win + 0.5 * draw


def llr_bayeselo(losses: float, draws: float, wins: float, bounds: BayesEloBounds) -> BayesEloFit:
    """SPRT of the BayesElo model on single games. A draw is a win plus a loss here, not half a point.

    Source: OpenBench's TrinomialSPRT and fishtest's LLRlegacy.
    """
    data = trinomial_counts(losses, draws, wins)
    drawelo = sample_drawelo(losses, draws, wins)
    law0 = _bayeselo_law(bounds.bayeselo0, drawelo)
    law1 = _bayeselo_law(bounds.bayeselo1, drawelo)
    llr = sum(count * math.log(p1 / p0) for count, p0, p1 in zip(data.counts, law0, law1, strict=True))
    return BayesEloFit(llr, drawelo)
