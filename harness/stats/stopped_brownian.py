"""Brownian motion with drift between two absorbing limits: where and when it ends.

A log-likelihood ratio of many maps is close to one. Exact formulas, by eigenfunctions when time is long and
by images when it is short; no step is taken outside `math`. Must know nothing of maps or Elo.

Sources: D. Siegmund, Sequential Analysis, 1985, chapter 3; W. Feller, An Introduction to Probability Theory
II, X.5.
"""

import math
from dataclasses import dataclass

from harness.stats.arguments import StatsInputError, check_finite, check_open_unit, check_positive
from harness.stats.distributions import normal_cdf
from harness.stats.solve import find_root

_SHORT = 0.15
"""Below this variance, in units of the squared width, images converge faster than eigenfunctions."""

_TERMS = 200


def _log_normal_cdf(z: float) -> float:
    """ln Φ(z), by the asymptotic series where Φ underflows."""
    if z > -30.0:
        return math.log(normal_cdf(z))
    r = 1.0 / (z * z)
    tail = 1.0 - r * (1.0 - 3.0 * r * (1.0 - 5.0 * r * (1.0 - 7.0 * r)))
    return -0.5 * z * z - math.log(-z) - 0.5 * math.log(2.0 * math.pi) + math.log(tail)


def _exp_times_cdf(exponent: float, z: float) -> float:
    """e^exponent·Φ(z) without overflow in either factor."""
    log_value = exponent + _log_normal_cdf(z)
    return math.exp(log_value) if log_value > -745.0 else 0.0


@dataclass(frozen=True, slots=True)
class StoppedBrownian:
    """X_t = start + drift·t + √variance·W_t until it meets `lower` or `upper`."""

    lower: float
    upper: float
    drift: float
    variance: float
    start: float = 0.0

    def __post_init__(self) -> None:
        check_finite("drift", self.drift)
        check_positive("variance", self.variance)
        if not self.lower < self.start < self.upper:
            raise StatsInputError(
                f"start is {self.start!r}; it must lie between the limits {self.lower!r} and {self.upper!r}"
            )

    def ends_high(self) -> float:
        """Probability of meeting `upper` first."""
        width, way = self.upper - self.lower, self.start - self.lower
        rate = 2.0 * self.drift / self.variance
        if abs(rate * width) < 1e-10:
            return way / width
        if rate > 0.0:
            return math.expm1(-rate * way) / math.expm1(-rate * width)
        return math.exp(rate * (width - way)) * math.expm1(rate * way) / math.expm1(rate * width)

    def ends_low(self) -> float:
        """Probability of meeting `lower` first."""
        return StoppedBrownian(-self.upper, -self.lower, -self.drift, self.variance, -self.start).ends_high()

    def expected_time(self) -> float:
        """Expected time until a limit is met."""
        up, down = self.upper - self.start, self.start - self.lower
        rate = self.drift / self.variance
        if abs(rate * (up + down)) < 1e-5:
            # third-order expansion in the drift, where the quotient below loses its digits
            return up * down / self.variance * (1.0 + rate * (up - down) / 3.0)
        return (up * self.ends_high() - down * self.ends_low()) / self.drift

    def survival(self, time: float) -> float:
        """Probability that neither limit has been met by `time`."""
        if time <= 0.0:
            return 1.0
        return self._alive_below(time, self.upper)

    def quantile_time(self, share: float) -> float:
        """The time by which this share of paths has ended; 0.5 is the median."""
        check_open_unit("share", share)
        high = self.expected_time()
        while self.survival(high) > 1.0 - share:
            high *= 2.0
        return find_root(lambda time: self.survival(time) - (1.0 - share), 0.0, high, relative=1e-10)

    def worse_outcome(self, time: float, place: float) -> float:
        """Probability of an outcome below the path that is at `place` at `time`: ended low by then or later
        than a path that ended high, or still between the limits and lower.

        With `place` at `upper` it is the probability not to have ended high by `time`, at `lower` that to
        have ended low.
        """
        if place >= self.upper:
            return self._ended_low(time) + self.survival(time)
        if place <= self.lower:
            return self._ended_low(time)
        return self._ended_low(time) + self._alive_below(time, place)

    # ---------------------------------------------------------------------------- the two expansions

    def _is_short(self, time: float) -> bool:
        return self.variance * time < _SHORT * (self.upper - self.lower) ** 2

    def _alive_below(self, time: float, place: float) -> float:
        """P(no limit met by `time`, X <= place)."""
        value = self._images_alive(time, place) if self._is_short(time) else self._waves_alive(time, place)
        return min(1.0, max(0.0, value))

    def _ended_low(self, time: float) -> float:
        """P(`lower` met by `time`, before `upper`)."""
        value = self._images_low(time) if self._is_short(time) else self._waves_low(time)
        return min(1.0, max(0.0, value))

    def _waves(self) -> tuple[float, float, float]:
        """Width, distance of the start from `lower`, drift over variance."""
        return self.upper - self.lower, self.start - self.lower, self.drift / self.variance

    def _waves_alive(self, time: float, place: float) -> float:
        width, way, rate = self._waves()
        u = place - self.lower
        total = 0.0
        for n in range(1, _TERMS):
            k = n * math.pi / width
            decay = 0.5 * self.variance * time * (k * k + rate * rate)
            if decay > 700.0 + abs(rate) * width:
                break
            shape = math.exp(rate * (u - way) - decay) * (rate * math.sin(k * u) - k * math.cos(k * u))
            edge = math.exp(-rate * way - decay) * k
            term = math.sin(k * way) * (shape + edge) / (rate * rate + k * k)
            total += term
            if n > 3 and abs(shape) + abs(edge) < 1e-18 * (k + abs(rate)):
                break
        return 2.0 / width * total

    def _waves_low(self, time: float) -> float:
        width, way, rate = self._waves()
        total = 0.0
        for n in range(1, _TERMS):
            k = n * math.pi / width
            decay = 0.5 * self.variance * time * (k * k + rate * rate)
            if decay > 700.0 + abs(rate) * width:
                break
            edge = math.exp(-rate * way - decay) * k / (rate * rate + k * k)
            total += math.sin(k * way) * edge
            if n > 3 and edge < 1e-18:
                break
        return self.ends_low() - 2.0 / width * total

    def _images_alive(self, time: float, place: float) -> float:
        sd = math.sqrt(self.variance * time)
        rate = self.drift / self.variance
        shift = rate * sd * sd
        up, down = place - self.start, self.lower - self.start
        width = self.upper - self.lower
        total = 0.0
        for m in range(-4, 5):
            for centre, sign in ((2.0 * m * width, 1.0), (2.0 * down - 2.0 * m * width, -1.0)):
                exponent = rate * centre
                high, low = (up - centre - shift) / sd, (down - centre - shift) / sd
                # both tails on the side where they are small, so that no digits cancel
                if low > 0.0:
                    total += sign * (_exp_times_cdf(exponent, -low) - _exp_times_cdf(exponent, -high))
                else:
                    total += sign * (_exp_times_cdf(exponent, high) - _exp_times_cdf(exponent, low))
        return total

    def _images_low(self, time: float) -> float:
        sd = math.sqrt(self.variance * time)
        rate = self.drift / self.variance
        shift = rate * sd * sd
        down = self.start - self.lower
        width = self.upper - self.lower
        total = 0.0
        for m in range(-4, 5):
            distance = down + 2.0 * m * width
            sign, length = math.copysign(1.0, distance), abs(distance)
            outward = -rate * down
            total += sign * (
                _exp_times_cdf(outward - rate * length, (shift - length) / sd)
                + _exp_times_cdf(outward + rate * length, (-shift - length) / sd)
            )
        return total
