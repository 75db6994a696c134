"""Columns, widths and cuts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness.report.layout import (
    Column,
    Ink,
    Look,
    Span,
    Style,
    cell_width,
    cut,
    drop_to_fit,
    harmless,
    table_lines,
    text_width,
    total_width,
    wrapped,
)

LOOK = Look(80, Ink.COLOR)


def column(text: str, *, keep: int | None = None, right: bool = True) -> Column:
    return Column((Span(text),), [(Span(text[:1]),)], right=right, keep=keep)


def test_widths_count_cells() -> None:
    assert text_width("abc") == 3
    assert text_width("漢字") == 4
    assert text_width("e\u0301") == 1
    assert text_width("1\u202f200") == 5


@given(st.text(max_size=40), st.integers(0, 30))
def test_a_cut_text_fits(text: str, width: int) -> None:
    safe = harmless(text)
    short = cut(safe, width)
    assert text_width(short) <= width
    if text_width(safe) <= width:
        assert short == safe


@given(st.text())
def test_harmless_text_cannot_steer_a_terminal(text: str) -> None:
    safe = harmless(text)
    assert all(char.isprintable() or char in "\u00a0\u202f" for char in safe)
    assert harmless(safe) == safe


@given(st.text(max_size=60))
def test_without_utf8_everything_is_ascii(text: str) -> None:
    assert Look(80, unicode=False).clean(text).isascii()


def test_columns_go_by_importance_and_never_the_needed_ones() -> None:
    columns = [column("needed"), column("second", keep=2), column("first", keep=1), column("third", keep=3)]
    assert total_width(columns) == 6 + 2 + 6 + 2 + 5 + 2 + 5
    assert drop_to_fit(columns, 28) == columns
    assert [kept.width for kept in drop_to_fit(columns, 27)] == [6, 6, 5]
    assert [kept.keep for kept in drop_to_fit(columns, 20)] == [None, 3]
    assert [kept.keep for kept in drop_to_fit(columns, 1)] == [None]


def test_cells_are_aligned() -> None:
    lines = table_lines([column("abc", right=False), column("defg")])
    assert ["".join(span.text for span in line) for line in lines] == ["abc  defg", "a       d"]
    assert {cell_width(line) for line in lines} == {9}


def test_sentences_break_between_words_only() -> None:
    text = "cand-7 is better than champ-6 by 1\u202f200 Elo"
    lines = wrapped(text, 20)
    assert " ".join(lines) == text
    assert all("cand-7" in line or "cand" not in line for line in lines)
    assert wrapped("", 20) == [""]
    assert wrapped("a " + "b" * 25 + " c", 10) == ["a", "b" * 10, "b" * 10, "bbbbb c"]
    assert wrapped("漢字 漢字 漢字", 9) == ["漢字 漢字", "漢字"]


def test_ink_adds_codes_and_nothing_else() -> None:
    cell = LOOK.cell(Span("good", Style.GOOD), " plain ", Span("", Style.BAD), Span("bold", Style.BOLD))
    assert LOOK.paint(cell) == "\x1b[38;5;33mgood\x1b[0m plain \x1b[1mbold\x1b[0m"
    assert Look(80, Ink.MONO).paint(cell) == "good plain \x1b[1mbold\x1b[0m"
    assert Look(80, Ink.NONE).paint(cell) == "good plain bold"
