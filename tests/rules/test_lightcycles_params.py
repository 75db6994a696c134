"""Parameters of light cycles: defaults are the contest's, everything wrong is refused with what is allowed."""

from __future__ import annotations

from itertools import combinations

import pytest

from harness.records import Form, LinesView
from harness.rules.base import ParamError
from harness.rules.lightcycles import LightCycles, build
from harness.rules.lightcycles_map import MapShape, build_map
from harness.rules.registry import build_rules


def rules(**params: object) -> LightCycles:
    return build(params, str)


def first_line(**params: object) -> str:
    view = rules(**params).start(1).view(0, Form.LINES)
    assert isinstance(view, LinesView)
    return view.text.splitlines()[0]


def test_defaults_are_the_contests() -> None:
    built = build_rules("lightcycles", {}, str)
    assert built.name == "lightcycles"
    assert built.seats == 2
    assert built.forms == (Form.LINES, Form.STATE)
    assert built.map_name(7) == "30x20, random starts"
    position = built.start(7)
    assert position.to_act() == (0,)
    assert [len(row) for row in position.draw().splitlines()[2:-1]] == [32] * 20


@pytest.mark.parametrize(
    ("params", "line"),
    [
        ({}, "2 0"),
        ({"players": 4, "starts": "mirrored"}, "4 0"),
        ({"header": "always"}, "board 30 20 alternate 0"),
        ({"width": 31}, "board 31 20 alternate 0"),
        ({"height": 19}, "board 30 19 alternate 0"),
        ({"turns": "simultaneous"}, "board 30 20 simultaneous 0"),
        ({"obstacles": 3}, "board 30 20 alternate 3"),
        ({"obstacles": 3, "turns": "simultaneous", "header": "never"}, "2 0"),
    ],
)
def test_a_header_is_sent_where_the_game_is_not_the_contests(params: dict[str, object], line: str) -> None:
    assert first_line(**params) == line


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"size": 9}, "size: got 9, allowed: lightcycles has: players, width, height, turns, starts"),
        ({"players": 1}, "players: got 1, allowed: a whole number from 2 to 4"),
        ({"players": 5}, "players: got 5"),
        ({"players": "2"}, "players: got '2'"),
        ({"players": True}, "players: got True"),
        ({"players": None}, "players: got None"),
        ({"width": 4}, "width: got 4, allowed: a whole number from 5 to 100"),
        ({"width": 20.0}, "width: got 20.0"),
        ({"height": 101}, "height: got 101"),
        ({"turns": "both"}, "turns: got 'both', allowed: alternate, simultaneous"),
        ({"turns": 1}, "turns: got 1"),
        ({"starts": []}, r"starts: got \[\], allowed: random, mirrored"),
        ({"starts": "mirrored", "players": 3}, "starts: got 'mirrored', allowed: random, for 3 players"),
        ({"header": False}, "header: got False, allowed: auto, always, never"),
        ({"obstacles": -1}, "obstacles: got -1, allowed: a number of cells from 0 to 150, or a share .* to 0.250"),
        ({"obstacles": 151}, "obstacles: got 151"),
        ({"obstacles": "many"}, "obstacles: got 'many'"),
        ({"obstacles": False}, "obstacles: got False"),
        ({"obstacles": 0.3}, "obstacles: got 0.3"),
        ({"obstacles": -0.1}, "obstacles: got -0.1"),
        ({"obstacles": float("nan")}, "obstacles: got nan"),
        ({"obstacles": float("inf")}, "obstacles: got inf"),
        ({"obstacles": 7, "starts": "mirrored"}, "obstacles: got 7, .* in steps of 2 "),
        ({"obstacles": 6, "starts": "mirrored", "players": 4}, "obstacles: got 6, .* in steps of 4 "),
        ({"obstacles": 3, "width": 5, "height": 5, "players": 4}, "obstacles: got 3, allowed: .* 0 to 2,"),
    ],
)
def test_wrong_parameters_are_refused(params: dict[str, object], message: str) -> None:
    with pytest.raises(ParamError, match=message) as caught:
        rules(**params)
    assert caught.value.key in params


@pytest.mark.parametrize(
    ("params", "name"),
    [
        ({"starts": "mirrored"}, "30x20, mirrored starts"),
        ({"obstacles": 3}, "30x20, random starts, 3 obstacles"),
        ({"obstacles": 0.1, "starts": "mirrored"}, "30x20, mirrored starts, 60 obstacles"),
        ({"obstacles": 0.0017, "starts": "mirrored"}, "30x20, mirrored starts"),
        ({"obstacles": 0.25}, "30x20, random starts, 150 obstacles"),
        (
            {"width": 13, "height": 9, "obstacles": 0.1, "starts": "mirrored", "players": 4},
            "13x9, mirrored starts, 8 obstacles",
        ),
    ],
)
def test_maps_are_named_by_what_they_are(params: dict[str, object], name: str) -> None:
    assert rules(**params).map_name(1) == name


def test_what_is_said_of_a_map_is_true() -> None:
    built = rules(players=4, width=20, height=12, obstacles=6)
    distances = set()
    for seed in range(40):
        said = dict(built.map_properties(seed))
        starts = build_map(MapShape(20, 12, 4, mirrored=False, obstacles=6), seed).starts
        least = min(abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in combinations(starts, 2))
        assert said == {"width": 20, "height": 12, "players": 4, "obstacles": 6, "start_distance": least}
        assert built.start(seed).draw() == rules(players=4, width=20, height=12, obstacles=6).start(seed).draw()
        distances.add(least)
    assert len(distances) > 3
