"""Numbers as people see them: the rules one by one, and that nan, inf and −0 never get out."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.report import numbers
from harness.stats.elo import Elo, EloInterval, EloState, from_score

NB = "\u202f"
ANY_FLOAT = st.floats(allow_nan=True, allow_infinity=True)
BAD = re.compile(r"nan|inf|[-−]0(?![.\u202f]?\d)|[-−]0[.]0*(?!\d)|-|\.\.", re.IGNORECASE)


def elo(value: float) -> Elo:
    return Elo(value, EloState.FINITE)


def interval(low: float, high: float) -> EloInterval:
    return EloInterval(elo((low + high) / 2), elo(low), elo(high), 0.95)


ABOVE = Elo(None, EloState.UNBOUNDED_ABOVE)
BELOW = Elo(None, EloState.UNBOUNDED_BELOW)
NOTHING = Elo(None, EloState.NO_DATA)


@pytest.mark.parametrize(
    ("value", "n_maps", "text"),
    [
        (0.539, 1200, f"53.9{NB}%"),
        (0.539, 100, f"53.9{NB}%"),
        (0.539, 99, f"54{NB}%"),
        (1.0, 50, f"100{NB}%"),
        (0.9999, 1200, f"99.9{NB}%"),  # only a perfect score may read as one
        (0.0001, 1200, f"0.1{NB}%"),
        (0.999, 50, f"99{NB}%"),
        (0.0, 1200, f"0.0{NB}%"),
        (None, 1200, "–"),
        (math.nan, 1200, "–"),
    ],
)
def test_score(value: float | None, n_maps: int, text: str) -> None:
    assert numbers.score(value, n_maps) == text


def test_score_range() -> None:
    assert numbers.score_range(0.37, 0.79, 38) == f"37 to 79{NB}%"
    assert numbers.score_range(0.512, 0.566, 1200) == f"51.2 to 56.6{NB}%"
    assert numbers.score_range(None, 0.5, 1200) == "–"
    assert numbers.score_range(0.1, math.inf, 1200) == "–"


def test_points_of_score() -> None:
    assert numbers.points(-0.058) == f"−5.8{NB}pt"
    assert numbers.points(0.098) == f"+9.8{NB}pt"
    assert numbers.points(0.098, 60) == f"+10{NB}pt"
    assert numbers.points(0.0001) == f"0.0{NB}pt"
    assert numbers.points(None) == "–"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (elo(27.3), "+27"),
        (elo(-83.4), "−83"),
        (elo(0.3), "0"),
        (elo(-0.3), "0"),
        (elo(701.0), "over +700"),
        (elo(-701.0), "under −700"),
        (ABOVE, "over +700"),
        (BELOW, "under −700"),
        (NOTHING, "–"),
    ],
)
def test_elo(value: Elo, text: str) -> None:
    assert numbers.elo(value) == text


def test_elo_size_leaves_the_direction_to_the_words() -> None:
    assert [numbers.elo_size(value) for value in (elo(27.3), elo(-22.1), ABOVE, BELOW)] == [
        "27",
        "22",
        "over 700",
        "over 700",
    ]


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (elo(14.2), elo(41.4), "+14 to +41"),
        (elo(-9.0), elo(17.0), "−9 to +17"),
        (elo(1.04), elo(6.96), "+1.0 to +7.0"),  # half width below 3: one decimal
        (elo(1.0), elo(7.2), "+1 to +7"),
        (elo(357.0), ABOVE, "+357 to over +700"),
        (BELOW, ABOVE, "under −700 to over +700"),
        (elo(710.0), ABOVE, "over +700"),
    ],
)
def test_elo_range(low: Elo, high: Elo, text: str) -> None:
    assert numbers.elo_range(EloInterval(elo(0.0), low, high, 0.95)) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (12e-6, f"12{NB}µs"),
        (0.3e-6, f"0.3{NB}µs"),
        (1e-9, f"0.1{NB}µs"),
        (0.000999, f"999{NB}µs"),
        (0.0009996, f"1.0{NB}ms"),
        (0.0094, f"9.4{NB}ms"),
        (0.00996, f"10{NB}ms"),
        (0.0331, f"33{NB}ms"),
        (0.9996, f"1.0{NB}s"),
        (1.2, f"1.2{NB}s"),
        (12.4, f"12{NB}s"),
        (59.6, f"1{NB}min"),
        (125.0, f"2{NB}min 5{NB}s"),
        (3599.7, f"1{NB}h"),
        (6720.0, f"1{NB}h 52{NB}min"),
        (86400.0 * 3 + 3600 * 4, f"3{NB}d 4{NB}h"),
        (0.0, f"0{NB}s"),
        (-1.0, f"0{NB}s"),
        (None, "–"),
        (math.inf, "–"),
    ],
)
def test_duration(seconds: float | None, text: str) -> None:
    assert numbers.duration(seconds) == text


def test_counts_and_ranges() -> None:
    assert numbers.count(1200) == f"1{NB}200"
    assert numbers.count(None) == "–"
    assert numbers.counted(1, "map") == "1 map"
    assert numbers.counted(0, "map") == "0 maps"
    assert numbers.counted(1200, "ply", "plies") == f"1{NB}200 plies"
    assert numbers.count_range(3, 6) == "3–6"
    assert numbers.count_range(3, 3) == "3"


def test_rough_counts_are_rounded_up_to_two_digits() -> None:
    assert [numbers.about(n) for n in (7, 99, 101, 25_301, 26_000)] == [
        "7",
        "99",
        "110",
        f"26{NB}000",
        f"26{NB}000",
    ]


def test_rates_below_a_thousandth_are_counts() -> None:
    assert numbers.rate(41, 600) == f"6.8{NB}%"
    assert numbers.rate(4, 60_000) == f"4 of 60{NB}000"
    assert numbers.rate(0, 60_000) == f"0.0{NB}%"
    assert numbers.rate(600, 600) == f"100.0{NB}%"
    assert numbers.rate(0, 0) == "–"


def test_tests_and_probabilities() -> None:
    assert numbers.llr(2.951) == "+2.95"
    assert numbers.llr(-2.962) == "−2.96"
    assert numbers.llr(0.001) == "0.00"
    assert numbers.llr(None) == "–"
    assert [numbers.probability(p) for p in (0.0, 0.0004, 0.0421, 0.5, 0.9951, 0.9999, 1.0)] == [
        "under 0.001",
        "under 0.001",
        "0.042",
        "0.50",
        "0.995",
        "over 0.999",
        "1.000",
    ]


def test_margins_speeds_and_clocks() -> None:
    assert numbers.margin(10.0) == "±10"
    assert numbers.margin(math.nan) == "–"
    assert [numbers.per_second(value) for value in (0.078, 4.13, 157.6, 1584.7, None)] == [
        "0.08",
        "4.1",
        "158",
        f"1{NB}585",
        "–",
    ]
    assert [numbers.clock(value) for value in (36, 75, 4520, None)] == ["0:36", "1:15", "1:15:20", "–"]


def test_dates_are_utc_and_absolute() -> None:
    moment = datetime(2026, 11, 30, 8, 12, tzinfo=timezone(timedelta(hours=2)))
    assert numbers.date_utc(moment) == "30 November 2026, 06:12 UTC"
    assert numbers.date_utc(datetime(2026, 1, 2, 3, 4, tzinfo=UTC)) == "2 January 2026, 03:04 UTC"


def test_digests_are_shortened() -> None:
    assert numbers.digest("b2:a81f00000000000007c2") == "a81f…07c2"
    assert numbers.digest("a81f07c2") == "a81f07c2"
    assert numbers.digest("") == "–"


@given(ANY_FLOAT, st.integers(0, 10**7))
def test_no_formatter_lets_a_bad_number_out(value: float, n: int) -> None:
    share = abs(value) % 1.0 if math.isfinite(value) else value
    written = [
        numbers.signed(value),
        numbers.signed(value, 1),
        numbers.plain(value, 2),
        numbers.points(value, n),
        numbers.score(share, n),
        numbers.score_range(share, share, n),
        numbers.duration(value),
        numbers.per_second(abs(value)),
        numbers.clock(value),
        numbers.llr(value),
        numbers.probability(share),
        numbers.margin(value),
        numbers.elo(elo(value) if math.isfinite(value) else Elo(None, EloState.NO_DATA)),
    ]
    for text in written:
        assert not BAD.search(text), text
        assert text


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_every_score_interval_has_words_in_elo(a: float, b: float, c: float) -> None:
    low, middle, high = sorted((a, b, c))
    made = EloInterval(from_score(middle), from_score(low), from_score(high), 0.95)
    for text in (numbers.elo_range(made), numbers.elo(made.estimate, numbers.elo_decimals(made))):
        assert not BAD.search(text), text


@given(st.floats(-2000.0, 2000.0), st.floats(-2000.0, 2000.0))
def test_an_elo_seen_from_the_other_side_has_the_same_size(a: float, b: float) -> None:
    low, high = sorted((a, b))
    there, back = interval(low, high), interval(-high, -low)
    assert numbers.elo_size(there.estimate) == numbers.elo_size(back.estimate)
    assert numbers.elo_decimals(there) == numbers.elo_decimals(back)
