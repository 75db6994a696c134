"""The lines of a CECP engine and of ours to it, one by one: moves, claims, thinking; set-up without `setboard`.

Pure, and tolerant: nothing here raises on anything that an engine writes. What engines say of their thinking is turned
into the form that UCI has (`info depth 9 score cp 31 …`), in which adjudication and transcripts read all engines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.protocols.base import Budget

_MOVE = re.compile(rb"(?:move\s+|\d+\s*\.\s*\.\.\.\s*)(\S+)")
"""`move e2e4`, and `1. ... e7e5` as gnuchess writes it. `1. e2e4` is an echo, `My move is : e7e5` for people."""

_CLAIM = re.compile(rb"(1-0|0-1|1/2-1/2)(?:[\s{]|$)")
_COMPLAINT = re.compile(rb"(?:error|illegal|invalid)\b[^:]*:(.*)", re.IGNORECASE)
_THOUGHT = re.compile(rb"\s*(\d{1,4})\S?\s+([-+]?\d{1,9})\s+(\d{1,15})\s+(\d{1,18})(?:\s+(.*))?$")
_COORDINATES = re.compile(r"[a-h][1-8][a-h][1-8][qrbnQRBN]?")
_CASTLING = re.compile(r"[oO0]-[oO0](-[oO0])?")

_MATE = 100_000
_MATE_SPAN = 10_000
_SHOWN = 200
_CS_PER_S = 100


def find_move(line: bytes) -> str | None:
    """Give the move of a line as rules read it, if it has one: coordinates as they are, else `san` and the text."""
    match = _MOVE.match(line)
    if match is None:
        return None
    text = match[1].decode("ascii", "backslashreplace")
    if _COORDINATES.fullmatch(text):
        return text
    if castling := _CASTLING.fullmatch(text):
        text = "O-O-O" if castling[1] else "O-O"
    return f"san {text}"


def find_claim(line: bytes) -> str | None:
    """Give the result that a line claims, as PGN writes it; None if it claims none."""
    match = _CLAIM.match(line)
    return match[1].decode() if match else None


def complains_of(line: bytes, command: str) -> bool:
    """Say whether a line is a complaint (`Illegal move: …`, `Error (…): …`) about a command or its first words."""
    match = _COMPLAINT.match(line)
    if match is None:
        return False
    named = match[1].decode("utf-8", "replace").strip()
    return bool(named) and (command == named or command.startswith(f"{named} ") or named.startswith(f"{command} "))


def is_thought(line: bytes) -> bool:
    """Say whether a line is thinking output: depth, score, time, nodes, moves."""
    return line[:1] in b" 0123456789" and _THOUGHT.match(line) is not None


def info_line(line: bytes) -> bytes:
    """Turn thinking output into what a UCI engine would have said; b"" if it is none.

    Scores are from the engine's own side in both. 100000 + N is mate in N moves, as the protocol asks for; other large
    scores are left as they are, for engines differ.
    """
    match = _THOUGHT.match(line)
    if match is None:
        return b""
    depth, score, time_cs, nodes, moves = match.groups()
    value = int(score)
    over = abs(value) - _MATE
    is_mate = 0 <= over <= _MATE_SPAN
    told = b"mate %d" % (over if value > 0 else -over) if is_mate else b"cp %d" % value
    text = b"info depth %d score %b nodes %d time %d" % (int(depth), told, int(nodes), 10 * int(time_cs))
    return b"%b pv %b\n" % (text, moves[:_SHOWN].strip()) if moves and moves.strip() else text + b"\n"


# ------------------------------------------------------------------------------------------------ time


def time_commands(budget: Budget, seat: int) -> list[str]:
    """Write what limits a game: `level`, `st`, `sd`. Seconds have decimals where they need them."""
    if budget.clocks_ms is not None:
        seconds = max(1, budget.clocks_ms[seat] // 1000)
        base = f"{seconds // 60}:{seconds % 60:02}" if seconds % 60 else f"{seconds // 60}"
        return [f"level 0 {base} {budget.increment_ms / 1000:g}"]
    if budget.depth is not None:
        return [f"st {max(1, budget.limit_ns // 10**9)}", f"sd {budget.depth}"]
    return [f"st {(budget.move_ms or 0) / 1000:g}"]


def clock_commands(budget: Budget, seat: int) -> str:
    """Write what is left to the engine and to its opponent, in hundredths of a second: said before every move."""
    if budget.clocks_ms is not None:
        own, other = budget.clocks_ms[seat] // 10, budget.clocks_ms[1 - seat] // 10
    else:
        ms = budget.move_ms if budget.move_ms is not None else budget.limit_ns // 10**6
        own = other = max(1, ms // 10)
    return f"time {own}\notim {other}\n"


# ----------------------------------------------------------------------------------------------- set-up


def edit_commands(fen: str, move_word: str) -> str | None:
    """Write a position as the old `edit` command does, for an engine without `setboard`; None if it cannot be.

    The command knows pieces alone. Castling rights are understood where king and rook stand at home, and there is no
    en passant; Black is to move after a move that is made for nothing else.
    """
    placement, side, castling, en_passant = fen.split()[:4]
    pieces = list(_pieces(placement))
    home = {(letter, square) for letter, square in pieces}
    implied = "".join(
        right
        for right, king, rook in (
            ("K", ("K", "e1"), ("R", "h1")),
            ("Q", ("K", "e1"), ("R", "a1")),
            ("k", ("k", "e8"), ("r", "h8")),
            ("q", ("k", "e8"), ("r", "a8")),
        )
        if king in home and rook in home
    )
    if en_passant != "-" or castling.replace("-", "") != implied:
        return None
    white = [f"{letter}{square}" for letter, square in pieces if letter.isupper()]
    black = [f"{letter.upper()}{square}" for letter, square in pieces if letter.islower()]
    first = f"{move_word}a2a3\n" if side == "b" else ""
    return first + "\n".join(["edit", "#", *white, "c", *black, "."]) + "\n"


def _pieces(placement: str) -> list[tuple[str, str]]:
    """List the pieces of a FEN's first field: letter and square."""
    found = []
    for rank, row in zip(range(8, 0, -1), placement.split("/"), strict=False):
        file = 0
        for letter in row:
            if letter.isdecimal():
                file += int(letter)
            else:
                found.append((letter, f"{'abcdefgh'[file % 8]}{rank}"))
                file += 1
    return found


class Castlings:
    """Follows kings and rooks, to write castling in chess960 as the protocol has it: `O-O`, `O-O-O`.

    Moves come in as UCI writes them there, king takes own rook.
    """

    __slots__ = ("_at", "_written")

    def __init__(self, fen: str) -> None:
        self._at = {square: letter for letter, square in _pieces(fen.split(maxsplit=1)[0])}
        self._written: list[str] = []

    def follow(self, moves: Sequence[str]) -> list[str]:
        """Give all moves of the game so far as the protocol writes them; the list grows from call to call."""
        for move in moves[len(self._written) :]:
            self._written.append(self._write(move))
        return self._written

    def _write(self, move: str) -> str:
        at = self._at
        origin, target = move[:2], move[2:4]
        piece, taken = at.pop(origin, ""), at.get(target, "")
        if piece in {"K", "k"} and taken == {"K": "R", "k": "r"}[piece]:
            is_short = target > origin
            del at[target]
            at[("g" if is_short else "c") + origin[1]] = piece
            at[("f" if is_short else "d") + origin[1]] = taken
            return "O-O" if is_short else "O-O-O"
        at[target] = piece
        return move
