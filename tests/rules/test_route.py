"""The score contest `route`: its maps, what is a tour and what is not, lengths, and the conformance kit."""

from __future__ import annotations

import pytest

from harness.errors import IllegalAction
from harness.records import Form, LinesView, Objective, StateView, Termination
from harness.rules.base import ParamError
from harness.rules.route import RoutePosition, build
from harness.testing.rules_kit import check_rules

SQUARE = ((0, 0), (0, 30), (40, 30), (40, 0), (20, 15))


def square() -> RoutePosition:
    return RoutePosition(SQUARE, is_one_line=True)


@pytest.mark.parametrize("params", [{}, {"cities": [5, 9]}, {"cities": (60, 140), "answer": "lines"}], ids=str)
def test_it_conforms(params: dict[str, object]) -> None:
    check_rules(lambda: build(params, str), range(5))


def test_it_has_one_seat_and_less_is_better() -> None:
    rules = build({}, str)
    assert rules.seats == 1
    assert rules.objective is Objective.MINIMISE


def test_a_map_has_as_many_cities_as_asked_for_all_different() -> None:
    rules = build({"cities": [30, 50]}, str)
    for seed in (0, 1, -7, 2**62):
        view = rules.start(seed).view(0, Form.LINES)
        assert isinstance(view, LinesView)
        n, *rows = view.text.splitlines()
        assert 30 <= int(n) == len(rows) == len(set(rows)) <= 50
        assert rules.map_name(seed) == f"{n} cities"
        assert all(0 <= int(word) <= 1000 for row in rows for word in row.split())


def test_a_map_has_as_many_answer_lines_as_it_says() -> None:
    for answer, n_lines in (("line", 1), ("lines", 7)):
        view = build({"cities": 7, "answer": answer}, str).start(1).view(0, Form.LINES)
        assert isinstance(view, LinesView)
        assert view.n_answer_lines == n_lines


def test_the_state_has_the_same_cities() -> None:
    view = square().view(0, Form.STATE)
    assert isinstance(view, StateView)
    assert view.state == {"cities": [[0, 0], [0, 30], [40, 30], [40, 0], [20, 15]]}
    with pytest.raises(ValueError, match="no form moves"):
        square().view(0, Form.MOVES)


def test_a_tour_is_as_long_as_its_roads_and_the_way_home() -> None:
    position = square()
    position.apply({0: position.parse(0, "0 1 2\n3\t4")})  # any white space parts the numbers
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.values == (150.0,)
    assert outcome.scores == (1.0,)
    assert outcome.termination is Termination.NORMAL
    assert outcome.detail == "{0} made a tour of 150"
    assert position.log == ["0 1 2 3 4"]
    assert position.to_act() == ()


def test_without_a_tour_there_is_no_value() -> None:
    assert square().outcome() is None
    position = square()
    position.apply({}, (0,))
    outcome = position.outcome()
    assert outcome is not None
    assert (outcome.scores, outcome.values, outcome.termination) == ((0.0,), None, Termination.FORFEIT)
    assert position.to_act() == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "names each of the 5 cities once, here are 0 words"),
        ("0 1 2 3", "here are 4 words"),
        ("0 1 2 3 4 0", "here are 6 words"),
        ("0 1 2 3 5", "word 5 of the tour is no city from 0 to 4: '5'"),
        ("0 1 2 3 -4", "word 5 of the tour is no city"),
        ("0 1 2 3 4.0", "word 5 of the tour is no city"),
        ("0 1 2 3 \N{SUPERSCRIPT TWO}", "word 5 of the tour is no city"),
        ("0 1 2 3 " + "0" * 40 + "4", "word 5 of the tour is no city"),
        ("0 1 2 3 3", "visits city 3 twice; the second time is word 5"),
    ],
)
def test_what_is_no_tour_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(IllegalAction, match=reason):
        square().parse(0, text)


@pytest.mark.parametrize(
    ("params", "key", "allowed"),
    [
        ({"cities": 4}, "cities", r"from 5 to 2000, or two as \[least, most\]"),
        ({"cities": [9, 5]}, "cities", "two as"),
        ({"cities": [5, 6, 7]}, "cities", "two as"),
        ({"cities": True}, "cities", "two as"),
        ({"cities": "many"}, "cities", "two as"),
        ({"answer": "file"}, "answer", r"line \(all numbers in one\), lines"),
        ({"towns": 9}, "towns", "route has: cities, answer"),
    ],
)
def test_wrong_parameters_are_refused(params: dict[str, object], key: str, allowed: str) -> None:
    with pytest.raises(ParamError, match=allowed) as refused:
        build(params, str)
    assert refused.value.key == key
