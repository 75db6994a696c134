"""Reads PGN as an opening book: the first moves of each game, passing over all that books do not need.

Tolerant of what is found in the wild (comments, variations, marks, missing results, CRLF), strict about the moves: one
that is illegal or ambiguous is refused with its line. Writing games as PGN is `chess_pgn`'s job.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from cozy_chess import Board

from harness.rules.chess_board import uci_text
from harness.rules.chess_fen import START_FEN, FenError, read_fen
from harness.rules.chess_openings import Book, BookError
from harness.rules.chess_san import read_san

_TAG = re.compile(r'\s*\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*$')
_TOKEN = re.compile(
    r"""(?P<open>[{(]) | (?P<close>\)) | (?P<rest>;.*) | (?P<skip>\$\d+ | \d+\.+ | \.+)
    | (?P<word>[^\s{}();$]+) | (?P<stray>\})""",
    re.VERBOSE,
)
_RESULTS = {"1-0", "0-1", "1/2-1/2", "*"}
_MARK = re.compile(r"[\d.]+|[!?=+\-/~∞±∓⩲⩱□N]+")
_VARIANTS_960 = {"chess960", "chess 960", "fischerandom", "fischerrandom", "fischer random", "freestyle", "frc"}
_VARIANTS_STANDARD = {"", "standard", "chess", "normal", "from position"}


@dataclass(slots=True)
class _Game:
    """A game's tags and its moves, each with the line it stands in."""

    line: int
    tags: dict[str, str] = field(default_factory=dict)
    moves: list[tuple[int, str]] = field(default_factory=list)


def read_pgn(text: str, *, plies: int | None = None, is_chess960: bool = False) -> Book:
    """Read a book of games: each gives its first `plies` moves (all, without), as far as it goes. Raises BookError.

    Two games that lead to the same position are one opening.
    """
    book = Book(is_chess960=is_chess960)
    for game in _games(text.removeprefix("\ufeff").split("\n")):
        start = _first_position(game, is_chess960=is_chess960)
        board = start.__copy__()
        line, moves = game.line, []
        for line, san in game.moves[:plies]:
            try:
                move = read_san(board, san)
            except ValueError as error:
                raise BookError(line, str(error), san) from error
            moves.append(uci_text(board, move, is_chess960=is_chess960))
            board.play_unchecked(move)
        book.add(start, tuple(moves), board, _name(game.tags), line, " ".join(moves))
    return book.finish()


def _first_position(game: _Game, *, is_chess960: bool) -> Board:
    variant = game.tags.get("Variant", "").lower()
    allowed = _VARIANTS_960 if is_chess960 else _VARIANTS_STANDARD
    if variant and variant not in allowed:
        wanted = "chess960" if is_chess960 else "standard chess"
        raise BookError(game.line, f"a game of another variant than {wanted}", game.tags["Variant"])
    fen = game.tags.get("FEN", START_FEN)
    try:
        return read_fen(fen, is_chess960=is_chess960)
    except FenError as error:
        raise BookError(game.line, str(error), fen) from error


def _name(tags: dict[str, str]) -> str:
    words = (tags.get(key, "") for key in ("ECO", "Opening", "Variation"))
    return " ".join(word for word in words if word not in {"", "?", "-"})


def _games(lines: list[str]) -> Iterator[_Game]:
    """Split a file into games: a tag after moves, or a result, ends one. Raises BookError."""
    game: _Game | None = None
    depth = 0  # of variations
    opened = 0  # the line in which a comment or variation began
    in_comment = False
    for number, raw in enumerate(lines, 1):
        line = raw.rstrip("\r")
        if line.startswith("%") and not in_comment:
            continue
        if not in_comment and not depth and (tag := _TAG.match(line)) is not None:
            if game is not None and game.moves:
                yield game
                game = None
            game = game or _Game(number)
            game.tags[tag[1]] = re.sub(r"\\(.)", r"\1", tag[2])
            continue
        at = 0
        while at < len(line):
            if in_comment:
                end = line.find("}", at)
                if end < 0:
                    break
                in_comment, at = False, end + 1
                continue
            token = _TOKEN.search(line, at)
            if token is None:
                break
            at = token.end()
            kind, word = token.lastgroup, token[0]
            if kind == "open":
                opened = number
                in_comment = word == "{"
                depth += word == "("
            elif kind == "close":
                depth -= 1
                if depth < 0:
                    raise BookError(number, "a ')' that closes nothing", line)
            elif kind == "stray":
                raise BookError(number, "a '}' that closes nothing", line)
            elif kind != "word" or depth:
                continue
            elif word in _RESULTS:
                if game is not None:
                    yield game
                game = None
            elif word == "--" or not _MARK.fullmatch(word):  # a null move is no mark: read_san refuses it
                game = game or _Game(number)
                game.moves.append((number, word))
    if in_comment or depth:
        raise BookError(opened, "a comment or variation that is never closed", lines[opened - 1].strip())
    if game is not None and game.moves:
        yield game
