"""What other runners wrote, read as it stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.errors import ResultsError
from harness.store.foreign import games_of_console, read_console, read_logs, read_psyleague, values_of_places

CONSOLE = """\
12:59:39,578 INFO  [com.magusgeek.brutaltester.Main] Referee command line: java -jar ref.jar
12:59:39,594 INFO  [com.magusgeek.brutaltester.Main] Player 1 command line: ./mine
12:59:39,595 INFO  [com.magusgeek.brutaltester.Main] Player 2 command line: ./old
12:59:39,939 INFO  [com.magusgeek.brutaltester.GameThread] End of game 1\t 100.00% 0.00%
12:59:39,939 ERROR [com.magusgeek.brutaltester.GameThread] Negative score during game 2 p1:-1
12:59:39,980 INFO  [com.magusgeek.brutaltester.GameThread] End of game 2\t 50,00% 0,00%
12:59:39,981 INFO  [com.magusgeek.brutaltester.GameThread] End of game 3\t 33.33% 33.33%
12:59:39,980 INFO  [com.magusgeek.brutaltester.Main] *** End of games ***
"""


def log(scores: dict[str, float], seed: int | None = 7, outputs: Any = None) -> str:
    return json.dumps({"scores": scores, "uinput": [f"seed={seed}\n"] if seed else [], "outputs": outputs or {}})


def test_the_log_of_a_game_tells_scores_seed_and_actions(tmp_path: Path) -> None:
    outputs = {"0": ["UP\n", None, "A\nB\n"], "1": [None, "DOWN\n"], "referee": ["x"]}
    (tmp_path / "game2.json").write_text(log({"1": 1, "0": -1}, -99, outputs))
    (tmp_path / "game10.json").write_text(log({"0": 3, "1": 3}, None))
    (tmp_path / "game3.json").write_text('{"scores": {"0": 1')
    (tmp_path / "game4.json").write_text(json.dumps({"scores": {}, "failCause": "x"}))
    (tmp_path / "notes.txt").write_text("mine")
    first, second = read_logs(tmp_path)
    assert (first.number, first.seed, first.values, first.failed) == (2, -99, (-1.0, 1.0), (0,))
    assert first.actions == ("0 UP", "1 DOWN", "0 A", "0 B")
    assert (second.number, second.seed, second.values) == (10, None, (3.0, 3.0))


def test_the_log_of_an_old_game_tells_players(tmp_path: Path) -> None:
    (tmp_path / "game1.log").write_text("Referee: 1\nPlayer 0: 3 4\nPlayer 1: 5: 6\nReferee: ###End 1 0\n")
    (tmp_path / "game2.log").write_text("Referee: 1\nPlayer 0: 3 4\n")
    (game,) = read_logs(tmp_path)
    assert game.is_by_player
    assert (game.values, game.actions) == ((-1.0, 0.0), ("0 3 4", "1 5: 6"))


def test_a_folder_without_logs_is_said(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="no logs"):
        list(read_logs(tmp_path))


@pytest.mark.parametrize(
    ("places", "values"),
    [
        ("0 12 3", (0.0, -1.0, -1.0, -2.0)),
        ("01", (0.0, 0.0)),
        ("1 0", (-1.0, 0.0)),
        ("", None),
        ("0 0", None),
        ("0 2", None),
    ],
)
def test_places_become_numbers(places: str, values: tuple[float, ...] | None) -> None:
    assert values_of_places(places) == values


def test_console_lines_tell_who_won_by_how_percentages_grow(tmp_path: Path) -> None:
    path = tmp_path / "brutal.log"
    path.write_text(CONSOLE)
    console = read_console(path)
    assert console.commands == ("./mine", "./old")
    results = [(game.number, game.values) for game in games_of_console(console, path)]
    assert results == [(1, (1.0, 0.0)), (2, (0.0, 0.0)), (3, (0.0, 1.0))]


def test_console_lines_of_old_mode_tell_places(tmp_path: Path) -> None:
    path = tmp_path / "brutal.log"
    path.write_text("x End of game 1: 01 2\t 50.00% 50.00% 0.00%\nx End of game 2: 2 1 0\t 25.00% 50.00% 50.00%\n")
    assert [game.values for game in games_of_console(read_console(path), path)] == [(0.0, 0.0, -1.0), (-2.0, -1.0, 0.0)]


def test_console_lines_that_do_not_add_up_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "brutal.log"
    path.write_text("End of game 2\t 100.00% 0.00%\nEnd of game 1\t 100.00% 50.00%\n")
    with pytest.raises(ResultsError, match="cannot be read from the percentages"):
        list(games_of_console(read_console(path), path))
    path.write_text("nothing\n")
    with pytest.raises(ResultsError, match="no game ended"):
        read_console(path)


def test_psyleague_games_are_read_a_line_each(tmp_path: Path) -> None:
    path = tmp_path / "league.games"
    game = {
        "players": ["a", "b"],
        "ranks": [1, 0],
        "errors": [1, 0],
        "test_data": {"seed": 5, "cells": 12.5, "kind": ["x"]},
        "player_data": [{"t": 1}, {}],
    }
    path.write_text(json.dumps(game) + "\n\n" + json.dumps({"players": ["b", "a"], "ranks": [0, 0]}) + "\n")
    first, second = read_psyleague(path)
    assert (first.players, first.values, first.failed, first.seed) == (("a", "b"), (-1.0, 0.0), (0,), 5)
    assert first.data == (("seed", 5), ("cells", 12.5), ("kind", "['x']"))
    assert first.seat_data == ((("t", 1),), ())
    assert (second.seed, second.values) == (None, (0.0, 0.0))


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"players": ["a"]}', '{"players": ["a", "b"], "ranks": [0]}', '{"players": [], "ranks": []}']
)
def test_a_line_that_is_no_game_of_psyleague_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "league.games"
    path.write_text(f'{{"players": ["a"], "ranks": [0]}}\n{line}\n')
    with pytest.raises(ResultsError, match=r"league\.games:2"):
        list(read_psyleague(path))
