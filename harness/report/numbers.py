"""How numbers are written for people: one function a kind, all after one set of rules.

A missing number is an en dash; so is one that is not finite, since "nan", "inf" and "-0" must never be printed.
Differences carry a sign (a true minus, U+2212), magnitudes whose direction is in words do not, zero never does.
Thousands and units are set off by a narrow no-break space (U+202F). Must not be used for JSON or CSV, which get plain
numbers.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime

from harness.stats.elo import Elo, EloInterval, EloState

MINUS = "\u2212"
EN_DASH = "\u2013"
THIN = "\u202f"
"""Narrow no-break space: between thousands, and before % and units."""

MISSING = EN_DASH
ELO_LIMIT = 700
"""Beyond this the scale says little: a score of 98.3 %."""

DECIMALS_FROM_MAPS = 100
"""Below this many maps a score is known to whole percent at best."""

NARROW_ELO = 3.0
"""An Elo interval with a half width below this earns one decimal."""

_MONTHS = tuple(
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)


# ------------------------------------------------------------------------------------------ building blocks


def fixed(value: float, decimals: int) -> str:
    """Write the size of a number, without its sign, thousands set off."""
    text = f"{abs(value):,.{decimals}f}"
    return text.replace(",", THIN)


def _is_zero(text: str) -> bool:
    return not text.strip("0." + THIN)


def signed(value: float | None, decimals: int = 0) -> str:
    """Write a difference: `+27`, `−5.8`, and `0` without a sign."""
    if value is None or not math.isfinite(value):
        return MISSING
    text = fixed(value, decimals)
    if _is_zero(text):
        return text
    return (MINUS if value < 0 else "+") + text


def plain(value: float | None, decimals: int = 0) -> str:
    """Write a number that is rarely negative, with a minus only if it is."""
    if value is None or not math.isfinite(value):
        return MISSING
    text = fixed(value, decimals)
    return MINUS + text if value < 0 and not _is_zero(text) else text


def count(n: int | None) -> str:
    """Write how many there are: `1 200`."""
    return MISSING if n is None else plain(n)


def counted(n: int, singular: str, plural: str | None = None) -> str:
    """Write a number with its noun: `1 map`, `1 200 maps`."""
    return f"{count(n)} {singular if n == 1 else plural or singular + 's'}"


def count_range(low: int, high: int) -> str:
    """Write a range of counts or ranks: `3–6`, or `3` if the ends meet."""
    return count(low) if low == high else f"{count(low)}{EN_DASH}{count(high)}"


def about(n: int) -> str:
    """Write a rough count, rounded up to two digits: `26 000`."""
    step = 10 ** max(0, len(str(abs(n))) - 2)
    return count(-(-n // step) * step)


# -------------------------------------------------------------------------------------------------- scores


def _percent(value: float, decimals: int) -> str:
    """Write a share as percent. Only 0 and 1 themselves may read as 0 and 100."""
    smallest = 10.0**-decimals
    percent = 100.0 * value
    if 0.0 < value < 1.0:
        percent = min(max(percent, smallest), 100.0 - smallest)
    return plain(percent, decimals)


def _score_decimals(n_maps: int) -> int:
    return 0 if n_maps < DECIMALS_FROM_MAPS else 1


def score(value: float | None, n_maps: int) -> str:
    """Write a score in [0, 1] as percent: `53.9 %`, or `54 %` from fewer than 100 maps."""
    if value is None or not math.isfinite(value):
        return MISSING
    return f"{_percent(value, _score_decimals(n_maps))}{THIN}%"


def score_range(low: float | None, high: float | None, n_maps: int) -> str:
    """Write an interval of scores: `51.2 to 56.6 %`."""
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return MISSING
    decimals = _score_decimals(n_maps)
    return f"{_percent(low, decimals)} to {_percent(high, decimals)}{THIN}%"


def points(difference: float | None, n_maps: int = DECIMALS_FROM_MAPS) -> str:
    """Write a difference of two scores in points of percent: `−5.8 pt`."""
    if difference is None or not math.isfinite(difference):
        return MISSING
    return f"{signed(100.0 * difference, _score_decimals(n_maps))}{THIN}pt"


def rate(part: int, whole: int) -> str:
    """Write a share of counted things: `1.2 %`, and as counts, `4 of 60 000`, where it is below 0.1 %."""
    if whole <= 0:
        return MISSING
    if 0 < part < whole / 1000:
        return f"{count(part)} of {count(whole)}"
    return f"{_percent(part / whole, 1)}{THIN}%"


# ----------------------------------------------------------------------------------------------------- Elo


def elo_decimals(interval: EloInterval) -> int:
    """Give the decimals an interval earns: 1 if its half width is below 3 Elo, else 0."""
    low, high = interval.low.elo, interval.high.elo
    if low is None or high is None:
        return 0
    return 1 if (high - low) / 2.0 < NARROW_ELO else 0


def elo(value: Elo, decimals: int = 0) -> str:
    """Write a difference in Elo: `+27`, `over +700`, `under −700`, or an en dash if nothing was played."""
    if value.state is EloState.UNBOUNDED_ABOVE or (value.elo is not None and value.elo > ELO_LIMIT):
        return f"over +{ELO_LIMIT}"
    if value.state is EloState.UNBOUNDED_BELOW or (value.elo is not None and value.elo < -ELO_LIMIT):
        return f"under {MINUS}{ELO_LIMIT}"
    return signed(value.elo, decimals)


def elo_size(value: Elo, decimals: int = 0) -> str:
    """Write how large a difference is where words give the direction: `27`, `over 700`."""
    text = elo(value, decimals)
    return text.replace("under", "over").replace("+", "").replace(MINUS, "")


def elo_range(interval: EloInterval) -> str:
    """Write an interval of Elo differences: `+14 to +41`. The ends may be words."""
    decimals = elo_decimals(interval)
    low, high = elo(interval.low, decimals), elo(interval.high, decimals)
    return low if low == high else f"{low} to {high}"


def margin(value: float, decimals: int = 0) -> str:
    """Write a symmetric margin or half width: `±10`."""
    return "±" + fixed(value, decimals) if math.isfinite(value) else MISSING


# ------------------------------------------------------------------------------------ tests and probabilities


def llr(value: float | None) -> str:
    """Write a log-likelihood ratio or a z: two decimals with sign."""
    return signed(value, 2)


def probability(value: float | None) -> str:
    """Write a probability with two digits, `under 0.001` at the low end."""
    if value is None or not math.isfinite(value):
        return MISSING
    if value < 0.001:
        return "under 0.001"
    if value > 0.999 and value < 1.0:
        return "over 0.999"
    return f"{value:.3f}" if value < 0.1 or value > 0.99 else f"{value:.2f}"


# --------------------------------------------------------------------------------------------------- times

_SMALL_UNITS = (("µs", 1e-6), ("ms", 1e-3), ("s", 1.0))


def duration(seconds: float | None) -> str:
    """Write a time: `12 µs`, `9.4 ms`, `33 ms`, `1.2 s`, `2 min 5 s`, `1 h 52 min`, `3 d 4 h`."""
    if seconds is None or not math.isfinite(seconds):
        return MISSING
    if seconds <= 0.0:
        return f"0{THIN}s"
    if seconds < 59.5:
        return _short_duration(seconds)
    minutes, rest_s = divmod(round(seconds), 60)
    if minutes < 60:
        return _two_units(minutes, "min", rest_s, "s")
    hours, rest_min = divmod(round(seconds / 60.0), 60)
    if hours < 48:
        return _two_units(hours, "h", rest_min, "min")
    days, rest_h = divmod(round(seconds / 3600.0), 24)
    return _two_units(days, "d", rest_h, "h")


def _two_units(large: int, large_unit: str, small: int, small_unit: str) -> str:
    head = f"{count(large)}{THIN}{large_unit}"
    return f"{head} {small}{THIN}{small_unit}" if small else head


def _short_duration(seconds: float) -> str:
    """Write a time below a minute: two digits below 10 of its unit, whole numbers above."""
    for unit, size in _SMALL_UNITS:
        value = seconds / size
        if value < 9.95:
            return f"{plain(max(value, 0.1), 1)}{THIN}{unit}"
        if value < 999.5:
            return f"{plain(value)}{THIN}{unit}"
    return f"{plain(seconds)}{THIN}s"


def per_second(value: float | None) -> str:
    """Write a speed: `4.1`, `158`, `1 585`; `0.08` when slow."""
    if value is None or not math.isfinite(value):
        return MISSING
    return plain(value, 0 if value >= 9.95 else 1 if value >= 0.95 else 2)


def clock(seconds: float | None) -> str:
    """Write a running time for a live view, of steady width: `1:15:20`, `0:36`."""
    if seconds is None or not math.isfinite(seconds):
        return MISSING
    minutes, rest_s = divmod(round(max(seconds, 0.0)), 60)
    hours, rest_min = divmod(minutes, 60)
    return f"{hours}:{rest_min:02d}:{rest_s:02d}" if hours else f"{rest_min}:{rest_s:02d}"


def date_utc(moment: datetime) -> str:
    """Write a moment: `30 November 2026, 06:12 UTC`. `moment` must know its time zone."""
    utc = moment.astimezone(UTC)
    return f"{utc.day} {_MONTHS[utc.month - 1]} {utc.year}, {utc:%H:%M} UTC"


# -------------------------------------------------------------------------------------------------- digests


def digest(value: str) -> str:
    """Write a digest short: its first 4 and last 4 hex digits, `a81f…07c2`; a prefix such as `b2:` is left out."""
    bare = value.rpartition(":")[2]
    if not bare:
        return MISSING
    return bare if len(bare) <= 9 else f"{bare[:4]}…{bare[-4:]}"
