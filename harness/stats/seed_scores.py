"""Scores of a score contest on one seed: what is a score, which is better, and what each is worth next to the others.

One number a bot and seed, of any size and sign; None where a bot has none (it failed). All of it looks at one seed at a
time and does not depend on the order of bots or seeds. Must not import numpy.
"""

import math
import statistics
from collections.abc import Iterable, Sequence

from harness.records import Objective, Relative, Scoring

MAX_SCORE = 1e100
"""A number beyond this is no score: squares of it would leave what a float can hold."""

MAX_TIMES_MEDIAN = 10.0
"""No seed counts for more than so many times the median."""

_SAME = 1e-12
"""Scores that differ by less than this share of their size are one score: the rounding of another order of sums."""


def usable(score: float | None) -> float | None:
    """Give a score that can be counted as a float; None for no score, NaN, infinity and what is beyond MAX_SCORE."""
    if score is None or not abs(score) <= MAX_SCORE:  # NaN compares as false
        return None
    return float(score)


def compare(first: float | None, second: float | None, objective: Objective) -> int:
    """Say who is better on a seed: 1 the first, −1 the second, 0 neither. No score is worse than any score."""
    if first is None or second is None:
        return (first is not None) - (second is not None)
    if math.isclose(first, second, rel_tol=_SAME):
        return 0
    return 1 if (first > second) is (objective is Objective.MAXIMISE) else -1


def best_of(scores: Iterable[float | None], objective: Objective) -> float | None:
    """Give the best of some scores; None if there is none."""
    there = [score for score in scores if score is not None]
    if not there:
        return None
    return max(there) if objective is Objective.MAXIMISE else min(there)


def share_of_best(score: float | None, best: float | None, objective: Objective) -> float:
    """Give a score as a share of the best one, in [0, 1]; 0 for no score.

    score/best where more is better, best/score where less is. With a best of 0 only a score of 0 has a share, 1. Scores
    on the other side of 0 than the best have 0; where all are on the worse side the ratio is turned over, so that
    maximising x is minimising −x. Source: TopCoder's Marathon Matches and AtCoder's heuristic contests.
    """
    if score is None or best is None:
        return 0.0
    if objective is Objective.MINIMISE:
        score, best = -score, -best
    if best > 0.0:
        return max(0.0, score) / best
    if best == 0.0:
        return 1.0 if score == 0.0 else 0.0
    return best / score


def times_median(score: float | None, median: float, objective: Objective) -> float:
    """Give a score as a multiple of a median above 0, from 0 to MAX_TIMES_MEDIAN; 0 for no score.

    score/median where more is better, median/score where less is: a score of 0 or less is then the most there is.
    """
    if score is None:
        return 0.0
    if objective is Objective.MAXIMISE:
        return min(max(0.0, score / median), MAX_TIMES_MEDIAN)
    return min(median / score, MAX_TIMES_MEDIAN) if score > 0.0 else MAX_TIMES_MEDIAN


def rank_shares(scores: Sequence[float | None], others: Sequence[float], objective: Objective) -> list[float]:
    """Give for each score the share of the remaining ones and of `others` that it is better than, ties a half.

    Alone a score has ½.
    """
    field = [*scores, *others]
    if len(field) < 2:
        return [0.5] * len(scores)
    points = [sum(0.5 + 0.5 * compare(score, other, objective) for other in field) - 0.5 for score in scores]
    return [point / (len(field) - 1) for point in points]


def filled_in(scores: Sequence[float | None], earlier: Sequence[float], scoring: Scoring) -> list[float] | None:
    """Give the scores with a number for those that are missing; None if there is none to give.

    It is `failed_score`, or the worst score that anybody has on the seed if that is worse: to fail never pays.
    """
    there = [score for score in (*scores, *earlier) if score is not None]
    if scoring.failed_score is not None:
        there.append(scoring.failed_score)
    elif None in scores:
        return None
    worst = (min if scoring.objective is Objective.MAXIMISE else max)(there, default=0.0)
    return [worst if score is None else score for score in scores]


def measure(scores: Sequence[float | None], earlier: Sequence[float], scoring: Scoring) -> list[float] | None:
    """Give what each of the bots' scores on a seed is worth by `scoring.relative`; None if the seed has no such number.

    `earlier` are results of a baseline on that seed. The median is that of the earlier results, or of the bots' own if
    there are none; without a median above 0 there is no number, and for logarithms without scores above 0.
    """
    objective = scoring.objective
    match scoring.relative:
        case Relative.NONE:
            return filled_in(scores, earlier, scoring)
        case Relative.LOG:
            filled = filled_in(scores, (), scoring)
            return None if filled is None or min(filled) <= 0.0 else [math.log(score) for score in filled]
        case Relative.RANK:
            return rank_shares(scores, earlier, objective)
        case Relative.BEST:
            best = best_of((*scores, *earlier), objective)
            return [share_of_best(score, best, objective) for score in scores]
        case Relative.MEDIAN:
            there = list(earlier) or [score for score in scores if score is not None]
            median = statistics.median(there) if there else 0.0
            return None if median <= 0.0 else [times_median(score, median, objective) for score in scores]


def is_more_better(scoring: Scoring) -> bool:
    """Say whether a higher measured number is the better one."""
    return scoring.objective is Objective.MAXIMISE or scoring.relative in (
        Relative.BEST,
        Relative.MEDIAN,
        Relative.RANK,
    )


def duel_score(first: float | None, second: float | None, scoring: Scoring) -> float:
    """Give two results on a seed as a map score in [0, 1] from the first one's side, as gates read them.

    By `scoring.seed_score`: 1, ½ or 0 for better, equal, worse; or ½ and half of the difference of the two in shares of
    the better one. Two that fail are equal.
    """
    objective = scoring.objective
    if scoring.seed_score.value == "wins":
        return 0.5 + 0.5 * compare(first, second, objective)
    best = best_of((first, second), objective)
    shares = [share_of_best(score, best, objective) for score in (first, second)]
    return 0.5 + 0.5 * (shares[0] - shares[1])
