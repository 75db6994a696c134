"""Chess as a rule set: its parameters, its openings, and which seed meets which. Seat 0 is White.

The game itself is `chess_position`'s; what a position may look like is `chess_fen`'s; books are read by
`chess_openings` and `chess_pgn_book`. docs/rules/chess.md is the page for users.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from cozy_chess import Board

from harness.records import Form
from harness.rules.base import ParamError, ReadText, check_known
from harness.rules.chess_fen import STARTPOS, write_fen
from harness.rules.chess_openings import Book, BookError, Opening, read_epd
from harness.rules.chess_pgn_book import read_pgn
from harness.rules.chess_position import ChessPosition
from harness.seeding import spread_index

_ECO = re.compile(r"[A-E][0-9]{2}\b")


class ChessRules:
    """Chess with its openings. `order` says how seeds meet openings: `spread` far apart, or in the `file`'s order."""

    name: ClassVar[str] = "chess"
    seats = 2
    forms: tuple[Form, ...] = (Form.MOVES, Form.STATE)

    def __init__(self, openings: Sequence[Opening], *, is_chess960: bool = False, is_spread: bool = True) -> None:
        self.openings = openings
        self.is_chess960 = is_chess960
        self._is_spread = is_spread
        self._said: dict[int, tuple[str, tuple[tuple[str, int | str], ...]]] = {}

    def _index(self, seed: int) -> int:
        size = len(self.openings)
        return spread_index(seed, size) if self._is_spread else seed % size

    def opening(self, seed: int) -> Opening:
        """Give the opening of `seed`. As many seeds in a row as there are openings meet each of them once."""
        return self.openings[self._index(seed)]

    def start(self, seed: int) -> ChessPosition:
        """Set up the opening of `seed`."""
        return ChessPosition(self.openings[self._index(seed)], is_chess960=self.is_chess960)

    def map_name(self, seed: int) -> str:
        """Name the opening by its number in the book and what the book calls it."""
        return self._say(self._index(seed))[0]

    def map_properties(self, seed: int) -> tuple[tuple[str, int | str], ...]:
        """Give the opening's number in the book, its plies, who moves first, and the ECO code that its name has."""
        return self._say(self._index(seed))[1]

    def _say(self, index: int) -> tuple[str, tuple[tuple[str, int | str], ...]]:
        """Give name and properties of an opening; every one is put into words once."""
        said = self._said.get(index)
        if said is None:
            opening = self.openings[index]
            name = opening.name or " ".join(opening.moves[:8]) or (STARTPOS if opening.start == STARTPOS else "")
            is_black = (opening.start != STARTPOS and opening.start.split(" ", 2)[1] == "b") ^ (
                len(opening.moves) % 2 == 1
            )
            properties: tuple[tuple[str, int | str], ...] = (
                ("opening", index + 1),
                ("opening_plies", len(opening.moves)),
                ("first_to_move", "black" if is_black else "white"),
            )
            if eco := _ECO.match(opening.name):
                properties += (("eco", eco[0]),)
            said = self._said[index] = f"#{index + 1} {name}".rstrip(), properties
        return said


# ------------------------------------------------------------------------------------------- from parameters

_PARAMS = ("openings", "format", "plies", "variant", "order")


def build(params: Mapping[str, object], read_text: ReadText) -> ChessRules:
    """Build chess from its parameters (docs/rules/chess.md). Raises ParamError and what `read_text` raises."""
    check_known(params, _PARAMS, "chess")
    is_chess960 = _choice(params, "variant", ("standard", "chess960")) == "chess960"
    is_spread = _choice(params, "order", ("spread", "file")) == "spread"
    book_format = _choice(params, "format", ("auto", "epd", "pgn"))
    plies = params.get("plies")
    if plies is not None and (not isinstance(plies, int) or isinstance(plies, bool) or plies < 1):
        raise ParamError("plies", plies, "a whole number of at least 1, or leave it out to play the lines to their end")
    name = params.get("openings")
    if name is None:
        for key in ("format", "plies"):
            if key in params:
                raise ParamError(key, params[key], "only together with `openings`")
        return ChessRules(_usual_starts(is_chess960=is_chess960), is_chess960=is_chess960, is_spread=is_spread)
    if not isinstance(name, str) or not name:
        raise ParamError("openings", name, "the name of an EPD or PGN file, relative to the config's folder")
    openings = _read_book(name, book_format, plies, read_text, is_chess960=is_chess960).openings
    return ChessRules(openings, is_chess960=is_chess960, is_spread=is_spread)


def _choice(params: Mapping[str, object], key: str, allowed: tuple[str, ...]) -> str:
    value = params.get(key, allowed[0])
    if not isinstance(value, str) or value not in allowed:
        raise ParamError(key, value, ", ".join(allowed))
    return value


def _read_book(name: str, book_format: str, plies: int | None, read_text: ReadText, *, is_chess960: bool) -> Book:
    if book_format == "auto":
        suffix = name.rpartition(".")[2].lower()
        book_format = {"epd": "epd", "fen": "epd", "pgn": "pgn"}.get(suffix, "")
        if not book_format:
            raise ParamError(
                "openings", name, "a file ending in .epd, .fen or .pgn, or say `format: epd` or `format: pgn`"
            )
    if plies is not None and book_format == "epd":
        raise ParamError("plies", plies, "only with PGN openings: a line of EPD is a position, not a line of moves")
    try:
        text = read_text(name)
        if book_format == "epd":
            return read_epd(text, is_chess960=is_chess960)
        return read_pgn(text, plies=plies, is_chess960=is_chess960)
    except UnicodeDecodeError as error:
        raise ParamError("openings", name, f"a file in UTF-8 (byte {error.start} is not)") from error
    except BookError as error:
        got = f"{name}, line {error.line}: {error.text[:80]}"
        raise ParamError("openings", got, f"legal openings that can be played on; here {error.reason}") from error


def _usual_starts(*, is_chess960: bool) -> list[Opening]:
    """Give the start position, or the 960 of chess960 by their usual numbers."""
    if not is_chess960:
        return [Opening()]
    boards = (Board.chess960_startpos(number) for number in range(960))
    return [Opening(write_fen(board, is_chess960=True), (), f"position {n}") for n, board in enumerate(boards)]
