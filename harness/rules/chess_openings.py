"""Opening books: EPD text to starting positions, and what books of every format share.

Pure: the caller reads the file. A position that is illegal, or already over, is refused with its line. Positions that
come twice count once, so that a book's size is the number of different maps it can give.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cozy_chess import Board

from harness.rules.chess_board import ONGOING, is_dead
from harness.rules.chess_fen import START_FEN, STARTPOS, FenError, read_fen, write_fen

_LONGEST_NAME = 80


class BookError(ValueError):
    """A book cannot be used: `line` counts from 1, `reason` says what is wrong there, `text` is what stands there."""

    def __init__(self, line: int, reason: str, text: str) -> None:
        super().__init__(f"line {line}: {reason}: {text!r}")
        self.line = line
        self.reason = reason
        self.text = text


@dataclass(frozen=True, slots=True)
class Opening:
    """Where a game starts: "startpos" or a FEN, then moves (UCI) that are made before the first ply."""

    start: str = STARTPOS
    moves: tuple[str, ...] = ()
    name: str = ""


class Book:
    """The openings of a file, in its order; `n_repeated` more led to a position that it had already."""

    def __init__(self, *, is_chess960: bool) -> None:
        self.openings: list[Opening] = []
        self.n_repeated = 0
        self._is_chess960 = is_chess960
        self._places: set[str] = set()

    def add(self, start: Board, moves: tuple[str, ...], end: Board, name: str, line: int, text: str) -> None:
        """Add an opening that leads from `start` over `moves` to `end`. Raises BookError if the game is over there."""
        if end.status() != ONGOING or is_dead(end):
            raise BookError(line, "the game is already over in this position", text)
        fen = write_fen(end, is_chess960=self._is_chess960)
        place = fen.rsplit(" ", 2)[0]  # without the counters: the same board is the same map
        if place in self._places:
            self.n_repeated += 1
            return
        self._places.add(place)
        if moves:
            fen = write_fen(start, is_chess960=self._is_chess960)
        is_usual = fen == START_FEN and not self._is_chess960
        if not name.isprintable():
            name = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())
        self.openings.append(Opening(STARTPOS if is_usual else fen, moves, name[:_LONGEST_NAME]))

    def finish(self) -> Book:
        """Free what only reading needs. Raises BookError if there is no opening at all."""
        if not self.openings:
            raise BookError(1, "there is no opening in the file", "")
        self._places.clear()
        return self


# ------------------------------------------------------------------------------------------------- EPD

_OPERATION = re.compile(r'([A-Za-z][A-Za-z0-9_]*)\s+("(?:[^"\\]|\\.)*"|[^;"]*)\s*(?:;|$)')
_COMMENT = ("#", ";", "%", "//")


def read_epd(text: str, *, is_chess960: bool = False) -> Book:
    """Read a book of one position a line: EPD with its operations, or FEN. Raises BookError.

    `id` names the opening, `hmvc` and `fmvn` set the counters; other operations are passed over. Blank lines and
    lines that start with `#`, `;`, `%` or `//` are comments.
    """
    book = Book(is_chess960=is_chess960)
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith(_COMMENT):
            continue
        fen, name = _split_epd(stripped)
        try:
            board = read_fen(fen, is_chess960=is_chess960)
        except FenError as error:
            raise BookError(number, str(error), stripped) from error
        book.add(board, (), board, name, number, stripped)
    return book.finish()


def _split_epd(line: str) -> tuple[str, str]:
    """Give a line's FEN of four or six fields, and its name."""
    fields = line.split(None, 6)
    if len(fields) < 5:
        return line.rstrip(";"), ""
    if fields[4].isdecimal():
        fen = " ".join(fields[:6]).rstrip(";")
        return fen, _operations(fields[6] if len(fields) > 6 else "").get("id", "")
    found = _operations(line.split(None, 4)[4])
    return f"{' '.join(fields[:4])} {found.get('hmvc', '0')} {found.get('fmvn', '1')}", found.get("id", "")


def _operations(text: str) -> dict[str, str]:
    if "id " not in text and "hmvc" not in text and "fmvn" not in text:  # most lines of large books
        return {}
    return {name: _operand(value.strip()) for name, value in _OPERATION.findall(text)}


def _operand(text: str) -> str:
    return text[1:-1].replace('\\"', '"') if text.startswith('"') else text
