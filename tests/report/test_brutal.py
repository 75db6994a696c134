"""The lines and the table of cg-brutaltester. The texts expected are its own, for the same games."""

from __future__ import annotations

from harness.records import Fault, FaultKind
from harness.report.brutal import WinTable, places
from tests.report.made_records import game_record


def table_of(n_players: int, *games: tuple[tuple[int, ...], tuple[float, ...]]) -> WinTable:
    table = WinTable(n_players)
    for seating, scores in games:
        table.add(game_record(seating, scores))
    return table


def test_two_players() -> None:
    table = table_of(2, *[((0, 1), (1.0, 0.0))] * 15, ((1, 0), (1.0, 0.0)))
    assert table.shares() == " 93.75% 6.25%"
    assert table.render().splitlines() == [
        "+----------+----------+----------+",
        "| Results  | Player 1 | Player 2 |",
        "+----------+----------+----------+",
        "| Player 1 |          | 93.75%   |",
        "+----------+----------+----------+",
        "| Player 2 | 6.25%    |          |",
        "+----------+----------+----------+",
    ]


def test_draws_and_errors_are_told_beside_it() -> None:
    table = table_of(2, ((0, 1), (0.5, 0.5)), ((1, 0), (1.0, 0.0)))
    fault = Fault(0, FaultKind.RULED, 0, "the referee gave it -1")
    game = game_record((1, 0), (0.0, 1.0), faults=(fault,))
    table.add(game)
    assert table.shares() == " 33.33% 33.33%"
    assert table.render_rest() == ["Draws   p1 - p2: 1 (33.33%)", "Errors  p1: 0, p2: 1"]


def test_halves_are_rounded_as_java_does() -> None:
    assert table_of(2, *[((0, 1), (1.0, 0.0))], *[((0, 1), (0.0, 1.0))] * 799).shares() == " 0.13% 99.88%"


def test_three_players_share_what_they_beat() -> None:
    table = table_of(3, ((1, 2, 0), (1.0, 0.25, 0.25)), ((0, 1, 2), (1.0, 0.5, 0.0)))
    assert table.shares() == " 50.00% 75.00% 0.00%"
    assert table.render().splitlines()[3] == "| Player 1 |          | 50.00%   | 50.00%   |"


def test_places_are_those_of_the_players() -> None:
    assert places(game_record((1, 2, 0), (1.0, 0.25, 0.25))) == "1 02"
