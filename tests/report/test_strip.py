"""Strips of intervals: shapes, cut ends, axes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.report.layout import Cell, Look, cell_width
from harness.report.strip import LIMIT, Axis, axis_for, head, row
from harness.stats.elo import Elo, EloInterval, EloState, from_score

LOOK = Look(100)
AXIS = Axis(-100.0, 100.0)
WIDTH = 21


def interval(low: float, middle: float, high: float) -> EloInterval:
    def finite(value: float) -> Elo:
        return Elo(value, EloState.FINITE)

    return EloInterval(finite(middle), finite(low), finite(high), 0.95)


def text(cell: Cell) -> str:
    return "".join(span.text for span in cell)


@pytest.mark.parametrize(
    ("made", "side", "drawn"),
    [
        (interval(30.0, 50.0, 70.0), 1, "          │  ━━●━━   "),
        (interval(-30.0, 10.0, 50.0), 0, "       ────●────     "),
        (interval(-70.0, -50.0, -30.0), -1, "   ━━◆━━  │          "),
        (interval(30.0, 50.0, 170.0), 1, "          │  ━━●━━━━▶"),
        (interval(-170.0, -50.0, -30.0), -1, "◀━━━━◆━━  │          "),
        (interval(230.0, 250.0, 270.0), 1, "          │       ━━▶"),
        (None, 0, "          │          "),
    ],
)
def test_shapes(made: EloInterval | None, side: int, drawn: str) -> None:
    assert text(row(AXIS, WIDTH, made, side, LOOK)) == drawn


def test_shapes_without_utf8() -> None:
    plain = Look(100, unicode=False)
    assert text(row(AXIS, WIDTH, interval(30.0, 50.0, 70.0), 1, plain)).strip() == "|  ==o=="
    assert text(row(AXIS, WIDTH, interval(-30.0, 10.0, 50.0), 0, plain)).strip() == "----o----"
    assert text(row(AXIS, WIDTH, interval(-170.0, -50.0, -30.0), -1, plain)).strip() == "<====x==  |"


def test_scores_without_an_end_are_cut_off() -> None:
    perfect = EloInterval(from_score(1.0), from_score(0.8), from_score(1.0), 0.95)
    hopeless = EloInterval(from_score(0.0), from_score(0.0), from_score(0.1), 0.95)
    axis = axis_for([perfect, hopeless])
    assert (axis.low, axis.high) == (-LIMIT, LIMIT)
    assert text(row(axis, WIDTH, perfect, 1, LOOK)).endswith("▶")
    assert text(row(axis, WIDTH, hopeless, -1, LOOK)).startswith("◀")


def test_nothing_played_has_no_bar() -> None:
    nothing = EloInterval(from_score(None), from_score(0.0), from_score(1.0), 0.95)
    assert text(row(AXIS, WIDTH, nothing, 0, LOOK)).strip() == "│"


def test_axes_are_round_and_hold_zero() -> None:
    assert axis_for([interval(-111.0, -83.0, -56.0), interval(139.0, 168.0, 199.0)]) == Axis(-120.0, 200.0)
    assert axis_for([interval(1.0, 2.0, 3.0)]) == Axis(-1.0, 5.0)
    assert axis_for([]) == Axis(-10.0, 10.0)
    assert text(head(Axis(-120.0, 200.0), 30, LOOK)) == "−120       0              +200"


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)), max_size=6), st.integers(12, 48))
def test_every_strip_has_its_width(scores: list[tuple[float, float, float]], width: int) -> None:
    made = [
        EloInterval(from_score(middle), from_score(low), from_score(high), 0.95)
        for low, middle, high in (sorted(triple) for triple in scores)
    ]
    axis = axis_for(made)
    assert axis.low < 0 < axis.high
    assert cell_width(head(axis, width, LOOK)) == width
    for one in made:
        for side in (-1, 0, 1):
            drawn = text(row(axis, width, one, side, LOOK))
            assert len(drawn) == width
            assert drawn.count("●") + drawn.count("◆") <= 1
