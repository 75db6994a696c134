"""The estimates that fishtest, fastchess and OpenBench print for counted pairs or games, number for number.

For people who compare with those tools; our own interval is `intervals.of_tally`, which does not need the
thousandths in empty cells and has states where these have none. Must not import numpy.

Sources: fishtest stat_util.get_elo; fastchess elo_pentanomial; OpenBench stats.Elo.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from harness.stats.arguments import check_not_negative
from harness.stats.distributions import normal_cdf, t_quantile, two_sided_z
from harness.stats.elo import NELO_PER_T, EloInterval, elo_of_score, from_score
from harness.stats.gsprt import ScoreCounts

_EDGE = 1e-3
"""Scores nearer than this to 0 or 1 are taken as this near, as fishtest does."""


@dataclass(frozen=True, slots=True)
class CountEstimate:
    """Normal-theory estimates with empty cells as thousandths. Half widths are symmetrised."""

    score: float
    score_se: float
    elo: float
    elo_half_width: float
    los: float
    nelo: float
    nelo_half_width: float
    confidence: float


def _edged_elo(score: float) -> float:
    return elo_of_score(min(max(score, _EDGE), 1.0 - _EDGE))


def count_estimate(data: ScoreCounts, confidence: float = 0.95) -> CountEstimate:
    """fishtest's Elo, half width and LOS, and fastchess's normalized Elo, of pairs or single games."""
    z = two_sided_z(confidence)
    mean, variance = data.mean_and_variance()
    se = math.sqrt(variance / data.total)
    games = data.total * data.games_per_map
    return CountEstimate(
        score=mean,
        score_se=se,
        elo=_edged_elo(mean),
        elo_half_width=0.5 * (_edged_elo(mean + z * se) - _edged_elo(mean - z * se)),
        los=normal_cdf((mean - 0.5) / se),
        nelo=(mean - 0.5) / math.sqrt(variance * data.games_per_map) * NELO_PER_T,
        nelo_half_width=z * NELO_PER_T / math.sqrt(games),
        confidence=confidence,
    )


def openbench_interval(counts: Sequence[float], confidence: float = 0.95) -> EloInterval:
    """OpenBench's Elo interval: Student t over pairs (5 cells) or games (3), empty cells empty, ends cut to
    [0, 1].

    Ends that reach a score of 0 or 1, and samples without maps, are states.
    """
    for index, count in enumerate(counts):
        check_not_negative(f"counts[{index}]", count)
    total = math.fsum(counts)
    if total < 2:
        nothing = from_score(None)
        return EloInterval(nothing, nothing, nothing, confidence)
    steps = len(counts) - 1
    mean = math.fsum(index / steps * count for index, count in enumerate(counts)) / total
    variance = math.fsum(count * (index / steps - mean) ** 2 for index, count in enumerate(counts)) / total
    half = t_quantile(0.5 * (1.0 + confidence), total - 1) * math.sqrt(variance / total)
    return EloInterval(
        estimate=from_score(min(1.0, max(0.0, mean))),
        low=from_score(max(0.0, mean - half)),
        high=from_score(min(1.0, mean + half)),
        confidence=confidence,
    )
