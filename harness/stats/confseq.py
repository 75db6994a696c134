"""Bounds that hold at every moment at once, for those who look at running results.

A plain 95 % interval that is looked at after every game excludes a true value in nearly half of all runs;
these do so in at most 5 % of runs, however often one looks and whenever one stops. All are O(1) per map and
need no numpy.

`betting` is the one to show: it works on a `MapTally`, is the same whatever the order of the maps, and is the
narrowest from about a thousand maps on. `EmpiricalBernstein` and `BetaMixture` are the textbook sequences.
Must not be mixed with a stopping rule of another kind: a band is for looking, a sequential test for deciding.
"""

import math
from dataclasses import dataclass

from harness.stats.arguments import StatsInputError, check_count, check_open_unit, check_positive, check_unit
from harness.stats.intervals import Interval, IntervalMethod, IntervalState
from harness.stats.solve import find_root
from harness.stats.tally import MapTally

_BETS = tuple(0.9 * 0.5**power for power in range(8))
"""Shares of the largest possible bet. Halving costs at most a tenth of the best bet's growth; eight of them
serve from ten maps to a hundred thousand."""

_SMALLEST = 1e-12


def _log_sum_exp(values: list[float]) -> float:
    top = max(values)
    return top + math.log(math.fsum(math.exp(value - top) for value in values))


def _log_capital_above(cells: tuple[tuple[float, int], ...], reference: float) -> float:
    """Log of the capital of bets that the mean is above `reference` (0 < reference <= 1): the average over
    _BETS of Π(1 + share·(score/reference − 1)). A martingale if the mean is `reference`, so at most 1 on
    average.
    """
    growth = [(score / reference - 1.0, count) for score, count in cells]
    return _log_sum_exp(
        [math.fsum(count * math.log1p(share * gain) for gain, count in growth) for share in _BETS]
    ) - math.log(len(_BETS))


def _mirror(cells: tuple[tuple[float, int], ...]) -> tuple[tuple[float, int], ...]:
    return tuple((1.0 - score, count) for score, count in reversed(cells))


def _lower_bound(cells: tuple[tuple[float, int], ...], log_threshold: float) -> float:
    """The largest mean that the bets above it have not ruled out. The capital falls as the reference rises."""
    n = sum(count for _, count in cells)
    mean = math.fsum(score * count for score, count in cells) / n
    if mean <= _SMALLEST:
        return 0.0
    start = _SMALLEST
    if _log_capital_above(cells, start) <= log_threshold:
        return 0.0
    return find_root(
        lambda reference: _log_capital_above(cells, reference) - log_threshold,
        start,
        mean,
        relative=1e-12,
    )


def betting(tally: MapTally, confidence: float = 0.95) -> Interval:
    """Always-valid interval for the mean map score in [0, 1]: the means that neither of two gamblers has
    ruled out.

    One bets that the mean is higher, one that it is lower, each with its money spread over eight constant
    bets; a mean is ruled out when a gambler against it has multiplied his money by 2/(1 − confidence). Holds
    for any law on [0, 1] as long as each map's mean, given the maps before, is the same.
    Source: I. Waudby-Smith and A. Ramdas, JRSS B 86 (2024) 1-27, section 4 (constant bets, mixed); Ville's
    bound.
    """
    check_open_unit("confidence", confidence)
    moments = tally.moments()
    if moments is None:
        return Interval(None, 0.0, 1.0, confidence, 0, "maps", IntervalMethod.NONE, IntervalState.EMPTY)
    log_threshold = math.log(2.0 / (1.0 - confidence))
    low = _lower_bound(tally.cells_below(), log_threshold)
    high = 1.0 - _lower_bound(_mirror(tally.cells_above()), log_threshold)
    return Interval(
        estimate=moments.mean,
        low=min(low, moments.mean),
        high=max(high, moments.mean),
        confidence=confidence,
        n=tally.n,
        unit="maps",
        method=IntervalMethod.BETTING,
        state=IntervalState.USUAL,
    )


@dataclass(frozen=True, slots=True)
class Evidence:
    """E-values against a mean map score: how much a bet of 1 against it is worth now. 20 means 5 %, at any
    time.

    `above` speaks for a higher mean, `below` for a lower one, `either` is their average. Logs, so that none
    overflows.
    """

    log_above: float
    log_below: float
    log_either: float

    def p_either(self) -> float:
        """min(1, 1/e): a p-value that may be looked at whenever one likes."""
        return min(1.0, math.exp(-self.log_either))


def betting_evidence(tally: MapTally, reference: float = 0.5) -> Evidence:
    """The two gamblers of `betting` against the mean `reference`, 0 < reference < 1; all zero without maps."""
    check_open_unit("reference", reference)
    if tally.n == 0:
        return Evidence(0.0, 0.0, 0.0)
    above = _log_capital_above(tally.cells_below(), reference)
    below = _log_capital_above(_mirror(tally.cells_above()), 1.0 - reference)
    return Evidence(above, below, _log_sum_exp([above, below]) - math.log(2.0))


class EmpiricalBernstein:
    """Predictable-mixture empirical-Bernstein confidence sequence for the mean of scores in [0, 1].

    The bets shrink with the variance seen so far; the bounds depend on the order of the maps.
    Source: Waudby-Smith and Ramdas (2024), theorem 2, with the settings of the authors' `confseq` (truncation
    ½, one imaginary map of mean ½ and variance ¼). Side by side: `low` of the scores is 1 − `high` of 1 −
    scores.
    """

    __slots__ = (
        "_bets",
        "_log_inverse_alpha",
        "_n",
        "_spread",
        "_sum",
        "_truncation",
        "_variation_high",
        "_variation_low",
        "_weighted",
        "confidence",
    )

    def __init__(self, confidence: float = 0.95, *, truncation: float = 0.5) -> None:
        self.confidence = check_open_unit("confidence", confidence)
        self._truncation = check_open_unit("truncation", truncation)
        self._log_inverse_alpha = math.log(2.0 / (1.0 - confidence))
        self._n = 0
        self._sum = 0.0
        self._spread = 0.25
        self._bets = 0.0
        self._weighted = 0.0
        self._variation_low = 0.0
        self._variation_high = 0.0

    def add(self, score: float) -> None:
        """Add one map."""
        check_unit("score", score)
        n = self._n
        variance = self._spread / (n + 1)
        self._n = n + 1
        bet = math.sqrt(2.0 * self._log_inverse_alpha / ((n + 1) * math.log(n + 2.0) * variance))
        bet = min(bet, self._truncation)
        cost = -math.log1p(-bet) - bet
        self._bets += bet
        self._weighted += bet * score
        self._variation_low += cost * (score - (self._sum / n if n else 0.0)) ** 2
        self._variation_high += cost * (score - (self._sum / n if n else 1.0)) ** 2
        self._sum += score
        self._spread += (score - (self._sum + 0.5) / (n + 2)) ** 2

    def interval(self) -> Interval:
        """The bounds now. EMPTY and the whole range before the first map."""
        if self._n == 0:
            return Interval(None, 0.0, 1.0, self.confidence, 0, "maps", IntervalMethod.NONE, IntervalState.EMPTY)
        margin_low = self._log_inverse_alpha + self._variation_low
        margin_high = self._log_inverse_alpha + self._variation_high
        return Interval(
            estimate=self._sum / self._n,
            low=max(0.0, (self._weighted - margin_low) / self._bets),
            high=min(1.0, (self._weighted + margin_high) / self._bets),
            confidence=self.confidence,
            n=self._n,
            unit="maps",
            method=IntervalMethod.EMPIRICAL_BERNSTEIN,
            state=IntervalState.USUAL,
        )


class BetaMixture:
    """Beta-mixture e-process and confidence sequence for the probability of a win in games of win or loss.

    For decisive games that are independent; maps with draws or two games need `betting`.
    Source: H. Robbins, Ann. Math. Statist. 41 (1970) 1397-1409; e(p) = B(a + wins, b + losses)/B(a, b)
    divided by p^wins·(1 − p)^losses, under the prior Beta(a, b).
    """

    __slots__ = ("_best_log_e_half", "_log_prior", "losses", "prior", "wins")

    def __init__(self, prior: tuple[float, float] = (1.0, 1.0)) -> None:
        self.prior = (check_positive("prior[0]", prior[0]), check_positive("prior[1]", prior[1]))
        self._log_prior = _log_beta(*self.prior)
        self.wins = 0
        self.losses = 0
        self._best_log_e_half = 0.0

    def add(self, wins: int = 0, losses: int = 0) -> None:
        """Add finished games. The running maximum behind `p_anytime` is taken once per call."""
        self.wins += check_count("wins", wins)
        self.losses += check_count("losses", losses)
        self._best_log_e_half = max(self._best_log_e_half, self.log_e(0.5))

    def log_e(self, p: float) -> float:
        """Log of the e-value against a win probability of `p`, 0 < p < 1."""
        check_open_unit("p", p)
        a, b = self.prior
        mixture = _log_beta(a + self.wins, b + self.losses) - self._log_prior
        return mixture - self.wins * math.log(p) - self.losses * math.log1p(-p)

    def p_anytime(self) -> float:
        """p-value against ½ that may be looked at at any time: 1 over the largest e-value so far, at most 1."""
        return math.exp(-self._best_log_e_half)

    def interval(self, confidence: float = 0.95) -> Interval:
        """The p whose e-value is below 1/(1 − confidence) now (no running intersection)."""
        check_open_unit("confidence", confidence)
        n = self.wins + self.losses
        if n == 0:
            return Interval(None, 0.0, 1.0, confidence, 0, "games", IntervalMethod.NONE, IntervalState.EMPTY)
        threshold = -math.log(1.0 - confidence)
        share = self.wins / n

        def excess(p: float) -> float:
            return self.log_e(p) - threshold

        inside = min(max(share, _SMALLEST), 1.0 - _SMALLEST)
        low = 0.0
        if self.wins and excess(_SMALLEST) > 0.0:
            low = find_root(excess, _SMALLEST, inside)
        high = 1.0
        if self.losses and excess(1.0 - _SMALLEST) > 0.0:
            high = find_root(excess, inside, 1.0 - _SMALLEST)
        return Interval(share, low, high, confidence, n, "games", IntervalMethod.BETA_MIXTURE, IntervalState.USUAL)


def _log_beta(a: float, b: float) -> float:
    if a <= 0.0 or b <= 0.0:  # pragma: no cover - guarded by check_positive
        raise StatsInputError(f"a and b are {a!r} and {b!r}; allowed are numbers above 0")
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
