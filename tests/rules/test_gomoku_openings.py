"""Where games of gomoku start: files in Gomocup's notation, their images, and openings drawn from a seed."""

from __future__ import annotations

from itertools import product

import pytest

from harness.rules.base import ParamError
from harness.rules.gomoku import GomokuRules, build
from harness.rules.gomoku_board import board_of

BOOK = "\ufeff# a comment\n8,-3, 6,-4, 5,-4\r\n\n0,0, 1,0, 1,3\nh8i8j10\n"


def rules(text: str = BOOK, **params: object) -> GomokuRules:
    return build({"openings": "book.txt", **params}, lambda name: {"book.txt": text}[name])


def openings(built: GomokuRules, n_seeds: int) -> list[tuple[str, ...]]:
    return [built.opening(seed) for seed in range(n_seeds)]


def test_offsets_count_from_the_cell_at_half_the_size() -> None:
    """As Gomocup's do: 10,10 on a board of 20, 7,7 on one of 15."""
    assert set(openings(rules(size=20, transform=False), 3)) == {
        ("18,7", "16,6", "15,6"),
        ("10,10", "11,10", "11,13"),
        ("7,7", "8,7", "9,9"),
    }
    assert ("7,7", "8,7", "8,10") in openings(rules("0,0, 1,0, 1,3", transform=False), 1)


def test_seeds_meet_each_image_of_each_opening_once() -> None:
    built = rules(size=20)
    names = {built.map_name(seed) for seed in range(24)}
    assert len(set(openings(built, 24))) == len(names) == 24
    assert "20x20 free, opening 2 image 5" in names
    assert "20x20 free, opening 2" in names
    assert set(openings(built, 48)) == set(openings(built, 24))
    assert built.opening(3) == built.opening(3 + 24)


def test_images_that_are_the_same_count_once() -> None:
    assert len(set(openings(rules("0,0", size=15), 100))) == 1
    assert len(set(openings(rules("0,0, 1,0", size=15), 100))) == 4
    assert len(set(openings(rules("0,0, 1,0\n0,0, 0,1", size=15), 100))) == 4
    assert len(set(openings(rules("0,0, 1,0, 1,3", size=[15, 11]), 100))) == 4, "no square: four symmetries"


def test_symmetries_map_the_board_onto_itself_and_keep_lines() -> None:
    board = board_of(7, 7)
    tables = {tuple(board.image(cell, symmetry) for cell in board.cells) for symmetry in range(board.n_symmetries())}
    assert len(tables) == 8
    for table in tables:
        assert sorted(table) == list(board.cells)
        images = dict(zip(board.cells, table, strict=True))
        steps = {abs(images[cell + 1] - images[cell]) for cell in board.cells if board.place(cell)[0] < 6}
        assert steps in ({1}, {board.stride})


@pytest.mark.parametrize(
    ("text", "got", "reason"),
    [
        ("", "book.txt, line 1: ", "there is no opening in the file"),
        ("# nothing\n", "book.txt, line 1: ", "there is no opening in the file"),
        ("0,0\n1,2,3\n", "book.txt, line 2: 1,2,3", "3 numbers: a stone has two, x and y"),
        ("0,0 x\n", "book.txt, line 1: 0,0 x", "'x' is no offset from the middle"),
        ("0,0, 8,0\n", "book.txt, line 1: 0,0, 8,0", "stone 8,0 is off the board of 15x15"),
        ("p1\n", "book.txt, line 1: p1", "stone p1 is off the board of 15x15"),
        ("a1b2a1\n", "book.txt, line 1: a1b2a1", "stone a1 comes twice"),
        ("0,0, 0,1, 1,0, 1,1, 2,0, 2,1, 3,0, 3,1, 4,0\n", "book.txt, line 1: 0,0, 0,1", "five in a row"),
    ],
)
def test_a_line_that_no_game_can_go_on_from_is_refused(text: str, got: str, reason: str) -> None:
    with pytest.raises(ParamError, match=reason) as caught:
        rules(text)
    assert caught.value.key == "openings"
    assert str(caught.value.got).startswith(got)


def test_what_is_over_and_what_is_forbidden_depends_on_the_rule() -> None:
    six = "0,0, 0,1, 1,0, 1,1, 2,0, 2,1, 4,0, 4,1, 5,0, 6,6, 3,0"
    assert rules(six, rule="standard").opening(0)
    with pytest.raises(ParamError, match="five in a row"):
        rules(six)
    with pytest.raises(ParamError, match=r"stone 11 is forbidden to Black \(a row of more than five\)"):
        rules(six, rule="renju")


def test_a_full_board_is_refused() -> None:
    marks = ["XXOXX", "OOXOO", "XXOXX", "OOXOO", "XXOXO"]
    black = [f"{'abcde'[x]}{y + 1}" for y in range(5) for x in range(5) if marks[y][x] == "X"]
    white = [f"{'abcde'[x]}{y + 1}" for y in range(5) for x in range(5) if marks[y][x] == "O"]
    line = "".join(a + b for a, b in zip(black, [*white, ""], strict=True))
    with pytest.raises(ParamError, match="the board is full"):
        rules(line, size=5)


def test_a_file_in_another_coding_is_refused() -> None:
    def read(name: str) -> str:
        return b"\xff0,0".decode("utf-8") + name

    with pytest.raises(ParamError, match=r"a file in UTF-8 \(byte 0 is not\)"):
        build({"openings": "book.txt"}, read)


# ----------------------------------------------------------------------------------------------- drawn


@pytest.mark.parametrize("size", [5, 6, 9, 15, 20, [5, 25], [25, 6]], ids=str)
def test_drawn_openings_differ_and_threaten_nothing(size: int | list[int]) -> None:
    for stones in (1, 5, 8):
        built = build({"size": size, "stones": stones}, str)
        drawn = openings(built, 30)
        assert all(len({*opening}) == stones for opening in drawn)
        assert len(set(drawn)) >= (4 if stones == 1 else 20)
        assert drawn == openings(build({"size": size, "stones": stones}, str), 30)
        for opening in drawn[:5]:
            assert most_in_five(opening, size) <= 2, opening


def most_in_five(opening: tuple[str, ...], size: int | list[int]) -> int:
    """Count the most stones of a colour in five cells of the board in a row that the other colour is not in."""
    width, height = size if isinstance(size, list) else (size, size)
    colors = {cell: number % 2 for number, cell in enumerate(opening)}
    most = 0
    for x, y, (dx, dy) in product(range(width), range(height), ((1, 0), (0, 1), (1, 1), (-1, 1))):
        if 0 <= x + 4 * dx < width and y + 4 * dy < height:
            found = [colors[cell] for i in range(5) if (cell := f"{x + i * dx},{y + i * dy}") in colors]
            if len(set(found)) == 1:
                most = max(most, len(found))
    return most


def test_maps_say_what_they_are() -> None:
    assert build({}, str).map_properties(3) == (("stones", 5),)
    assert build({"openings": "none"}, str).map_properties(3) == (("stones", 0),)
    assert build({"openings": "swap2"}, str).map_properties(3) == ()
    assert rules(size=20).map_properties(0) == (("stones", 3), ("opening", 3), ("image", 2))
    assert build({"openings": "swap2", "rule": "standard"}, str).map_name(1) == "15x15 standard, swap2"
    assert build({"openings": "none", "size": [9, 7]}, str).map_name(1) == "9x7 free"
    drawn = build({"stones": 2}, str)
    assert drawn.map_name(1) == "15x15 free, " + " ".join(drawn.opening(1))
