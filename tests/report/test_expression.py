"""The language of `--where`: what it means, and that a mistake is pointed at."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.records import Scalar
from harness.report.expression import MAX_TEXT, ExpressionError, Values, parse, parse_key

GAME: dict[str, Values] = {
    "cells": (25,),
    "depth": (7.5,),
    "mode": ("fast",),
    "opponent": ("ann", "bob"),
    "seat": (0,),
    "won": (True,),
    "two words": (3,),
    "map.width": (30,),
}


def holds(text: str, game: Mapping[str, Values] = GAME) -> bool | None:
    return parse(text).holds(lambda key: game.get(key, ()))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("cells > 20", True),
        ("cells>20", True),
        ("cells > 25", False),
        ("cells >= 25.0", True),
        ("cells == 25", True),
        ("cells != 25", False),
        ("20 < cells", True),
        ("20 < cells <= 25", True),
        ("20 < cells < 25", False),
        ("cells < -3", False),
        ("depth > .5e1", True),
        ("mode == 'fast'", True),
        ('mode == "fast"', True),
        ("mode < 'g'", True),
        ("mode == 25", False),
        ("mode != 25", True),
        ("mode > 3", None),
        ("cells > 'a'", None),
        ("opponent == 'bob'", True),
        ("opponent != 'bob'", False),
        ("opponent != 'eve'", True),
        ("opponent in ('eve', 'ann')", True),
        ("opponent not in ('eve', 'ann')", False),
        ("seat in (1, 2, 3)", False),
        ("seat not in (1)", True),
        ("not seat == 0", False),
        ("not not seat == 0", True),
        ("won == true", True),
        ("won == 1", True),
        ("`two words` == 3", True),
        ("map.width > 20", True),
        ("cells > 20 and seat == 0", True),
        ("cells > 20 and seat == 1", False),
        ("cells > 99 or seat == 0", True),
        ("seat == 1 or cells > 99 and seat == 0 or depth > 7", True),
        ("(seat == 1 or cells > 20) and depth < 7", False),
        ("none == 3", None),
        ("not none == 3", None),
        ("none in (3)", None),
        ("none == 3 and seat == 1", False),
        ("none == 3 or seat == 0", True),
        ("none == 3 and seat == 0", None),
        ("none == 3 or seat == 1", None),
    ],
)
def test_what_it_means(text: str, result: bool | None) -> None:
    assert holds(text) is result


@pytest.mark.parametrize(
    ("text", "at", "what", "step"),
    [
        ("", 0, "nothing to look for", "for example"),
        ("   ", 3, "nothing to look for", "for example"),
        ("cells", 5, "a comparison is wanted", "=="),
        ("cells >", 7, "ends where a key or a value", "for example"),
        ("cells > and", 8, "a key, a number or text", "for example"),
        ("cells = 3", 6, "two signs", "=="),
        ("cells > 3 seat", 10, "could end here", "`and`"),
        ("cells > 3 && seat == 0", 10, "& has no meaning", "`and`"),
        ("cells > 3 | seat == 0", 10, "| has no meaning", "`or`"),
        ("! cells > 3", 0, "! has no meaning", "`not`"),
        ("(cells > 3", 0, "not closed", "add a )"),
        ("cells > 3)", 9, "could end here", "join"),
        ("mode == 'fast", 8, "the quote ' is not closed", "add a '"),
        ("cells + 3 > 4", 6, "'+' has no meaning", "no arithmetic"),
        ("größe > 4", 2, "'ö' has no meaning", "back quotes"),
        ("seat in 3", 8, "a list in parentheses", "seat in (0, 1)"),
        ("seat in (3", 10, "a comma or )", ""),
        ("seat in ()", 9, "a key, a number or text", ""),
        ("opponent in (bob)", 13, "numbers and text", "'bob'"),
        ("3 in (3)", 2, "a key stands before", "seat in"),
        ("seat not 3", 9, "`not` stands before", ""),
        ("cells > 1e999", 8, "too large", ""),
        ("cells > 3abc", 8, "has no meaning", ""),
        ("not " * 60 + "seat == 0", 160, "nested deeper", ""),
        ("(" * 60 + "seat == 0" + ")" * 60, 40, "nested deeper", ""),
        ("x" * (MAX_TEXT + 1), 0, "longer than", ""),
    ],
)
def test_a_mistake_is_pointed_at(text: str, at: int, what: str, step: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    error = caught.value
    assert what in error.what
    assert error.at == at
    assert step in (error.next_step or "")
    mark = error.pointed(4).splitlines()[1]
    assert mark.index("^") == 4 + at


def test_keys_alone() -> None:
    assert parse_key("cells").name == "cells"
    assert parse_key("`two words`").name == "two words"
    for text in ("", "3", "a b", "a > 3", "'a'"):
        with pytest.raises(ExpressionError):
            parse_key(text)


def test_keys_are_listed_as_they_stand() -> None:
    expression = parse("b > 1 and (a == 'x' or not c.d in (3, 4))")
    assert [(key.name, key.at) for key in expression.keys] == [("b", 0), ("a", 11), ("c.d", 27)]


VALUES: st.SearchStrategy[Scalar] = st.one_of(st.integers(-3, 3), st.sampled_from([0.5, -1.5]), st.sampled_from("ab"))


@given(st.text(alphabet="ab01 .()'\"<>=!,andornti`", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        result = holds(text)
    except ExpressionError as caught:
        error: ExpressionError | None = caught
    else:
        error = None
        assert result in {True, False, None}
    assert error is None or 0 <= error.at <= len(error.text)


@given(VALUES, VALUES)
def test_opposites(one: Scalar, two: Scalar) -> None:
    game: dict[str, Values] = {"a": (one,), "b": (two,)}
    for sign, opposite in (("==", "!="), ("<", ">="), ("<=", ">")):
        result = holds(f"a {sign} b", game)
        assert holds(f"a {opposite} b", game) is (None if result is None else not result)
        assert holds(f"not a {sign} b", game) is (None if result is None else not result)
