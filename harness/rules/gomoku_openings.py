"""Openings of gomoku: files of them in Gomocup's notation, their images by symmetry, and balanced ones from a seed.

Pure: the caller reads the file. An opening is the numbers of its cells (`gomoku_board`), Black's first, in turn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from harness.rules.gomoku_board import Board, has_five
from harness.rules.gomoku_renju import why_forbidden
from harness.seeding import child_seed

Cells = tuple[int, ...]

_COMMENT = ("#", ";", "//")
_LETTERS = re.compile(r"(?:[A-Za-z][0-9]{1,2}\s*)+")
_LETTER = re.compile(r"([A-Za-z])([0-9]{1,2})")
_OFFSET = re.compile(r"[-+]?[0-9]{1,2}")


class BookError(ValueError):
    """A file of openings cannot be used: `line` counts from 1, `reason` says what is wrong, `text` stands there."""

    def __init__(self, line: int, reason: str, text: str) -> None:
        super().__init__(f"line {line}: {reason}: {text!r}")
        self.line = line
        self.reason = reason
        self.text = text


@dataclass(frozen=True, slots=True)
class Opening:
    """One map: an opening of a file, `number` from 1, under a symmetry of the board."""

    cells: Cells
    number: int
    symmetry: int


def read_openings(text: str, board: Board, *, is_exact: bool, is_renju: bool, transform: bool) -> list[Opening]:
    """Read a file of one opening a line, and give its different maps. Raises BookError.

    A line has the offsets of the stones from the middle cell (`0,0, 1,0, 1,3`; the middle is half the size, rounded
    down), or letters and numbers (`h8i8i11`). Blank lines and lines that start with `#`, `;` or `//` are passed over.
    With `transform` each opening gives all its images by the board's symmetries, file order first.
    """
    lines: list[Cells] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith(_COMMENT):
            continue
        try:
            cells = _read_line(stripped, board)
            _check(cells, board, is_exact=is_exact, is_renju=is_renju)
        except ValueError as error:
            raise BookError(number, str(error), stripped) from error
        lines.append(cells)
    if not lines:
        raise BookError(1, "there is no opening in the file", "")
    seen: set[tuple[frozenset[int], frozenset[int]]] = set()
    openings = []
    for symmetry in range(board.n_symmetries() if transform else 1):
        for number, cells in enumerate(lines, 1):
            image = tuple([board.image(cell, symmetry) for cell in cells])
            key = (frozenset(image[::2]), frozenset(image[1::2]))
            if key not in seen:
                seen.add(key)
                openings.append(Opening(image, number, symmetry))
    return openings


def _read_line(line: str, board: Board) -> Cells:
    """Read one line. Raises ValueError saying what is wrong."""
    if _LETTERS.fullmatch(line):
        places = [(ord(letter.lower()) - ord("a"), int(row) - 1) for letter, row in _LETTER.findall(line)]
        named = [letter + row for letter, row in _LETTER.findall(line)]
    else:
        words = line.replace(",", " ").split()
        for word in words:
            if not _OFFSET.fullmatch(word):
                raise ValueError(f"{word!r} is no offset from the middle (a whole number)")
        if len(words) % 2:
            raise ValueError(f"{len(words)} numbers: a stone has two, x and y")
        numbers = [int(word) for word in words]
        pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
        places = [(x + board.width // 2, y + board.height // 2) for x, y in pairs]
        named = [f"{x},{y}" for x, y in pairs]
    cells = []
    for (x, y), name in zip(places, named, strict=True):
        cell = board.cell(x, y)
        if cell is None:
            raise ValueError(f"stone {name} is off the board of {board.name}")
        if cell in cells:
            raise ValueError(f"stone {name} comes twice")
        cells.append(cell)
    return tuple(cells)


def _check(cells: Cells, board: Board, *, is_exact: bool, is_renju: bool) -> None:
    """Refuse what no game could go on from. Raises ValueError."""
    stones = [0, 0]
    for number, cell in enumerate(cells):
        bit = 1 << cell
        if is_renju and not number & 1 and (why := why_forbidden(board, stones[0], stones[1], bit)):
            raise ValueError(f"stone {number + 1} is forbidden to Black ({why})")
        stones[number & 1] |= bit
        if has_five(stones[number & 1], board.steps, is_exact=is_exact or (is_renju and not number & 1)):
            raise ValueError("the game is already over: five in a row")
    if len(cells) == len(board.cells):
        raise ValueError("the game is already over: the board is full")


# --------------------------------------------------------------------------------- balanced, from a seed

_REGION = 5
"""Stones lie within a square of this many cells a side, somewhere near the middle."""

_DRAWS, _TRIES = 24, 5_000
_WEIGHTS = (0.0, 1.0, 6.0)
"""What a row of five cells with so many stones of one colour alone is worth."""

TEMPO, TEMPO_RENJU = 15.0, 20.0
"""What it is worth to be to move, in the same unit. Found by asking an engine about 300 random openings, so that equal
players win equally often as Black and as White (docs/rules/gomoku.md); it takes an odd number of stones to come close.
"""


def draw_opening(board: Board, seed: int, n_stones: int, tempo: float = TEMPO) -> Cells:
    """Draw an opening of `n_stones` stones from a seed: of some dozen, the one in which chances are most equal.

    Chances are judged by the rows of five that are still open to each side, and who is to move. No opening has three
    stones of one colour in an open row.
    """
    random = Random(child_seed("gomoku opening", seed)).random
    side_x, side_y = min(_REGION, board.width), min(_REGION, board.height)
    best: Cells = ()
    best_lead = float("inf")
    n_fit = 0
    for _ in range(_TRIES):
        x0 = (board.width - side_x) // 2 + int(random() * 3) - 1 if board.width > side_x + 2 else 0
        y0 = (board.height - side_y) // 2 + int(random() * 3) - 1 if board.height > side_y + 2 else 0
        cells: list[int] = []
        while len(cells) < n_stones:
            cell = (y0 + int(random() * side_y)) * board.stride + x0 + int(random() * side_x)
            if cell not in cells:
                cells.append(cell)
        lead = abs(_lead(board, cells, tempo))
        n_fit += lead < float("inf")
        if lead < best_lead:
            best, best_lead = tuple(cells), lead
        if n_fit == _DRAWS:
            break
    return best


@lru_cache(8)
def _rows_of(board: Board) -> dict[int, tuple[int, ...]]:
    """Number all rows of five cells, and give for each cell the numbers of those that it is in."""
    rows: dict[int, list[int]] = {cell: [] for cell in board.cells}
    number = 0
    for first in board.cells:
        x, y = board.place(first)
        for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
            if board.cell(x + 4 * dx, y + 4 * dy) is not None:
                for i in range(5):
                    rows[first + i * (dx + dy * board.stride)].append(number)
                number += 1
    return {cell: tuple(numbers) for cell, numbers in rows.items()}


def _lead(board: Board, cells: Sequence[int], tempo: float) -> float:
    """Judge an opening: what the side to move is ahead by; infinite if a side has three in an open row."""
    rows = _rows_of(board)
    counts: dict[int, int] = {}  # of each row: Black's stones, and White's times _WHITE
    for number, cell in enumerate(cells):
        stone = _WHITE if number & 1 else 1
        for row in rows[cell]:
            counts[row] = counts.get(row, 0) + stone
    lead = 0.0  # Black's
    for count in counts.values():
        lead += _WORTH[count]
    return (-lead if len(cells) & 1 else lead) + tempo if abs(lead) < float("inf") else float("inf")


_WHITE = 8
_WORTH = [0.0] * (_WHITE * _WHITE)
"""What a row is worth to Black, by its count."""

for _n in range(1, 6):
    _WORTH[_n] = _WEIGHTS[_n] if _n < len(_WEIGHTS) else float("inf")
    _WORTH[_n * _WHITE] = -_WORTH[_n]
