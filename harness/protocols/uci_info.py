"""Reads what a UCI engine says of its thinking: one `info` line to a few numbers.

Pure and tolerant: engines send odd, cut and unknown things, and none of them may end a game. What cannot be read is
left out; nothing here raises on any text. Scores are from the side to move, as UCI has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_LONGEST_NUMBER = 19
"""Digits of the longest number read, sign aside (2**63 has 19); longer ones are taken for noise."""

_SHOWN = 240
"""How much of an engine's line is kept for records, in bytes."""


@dataclass(frozen=True, slots=True)
class Info:
    """What one `info` line says; None where it says nothing readable.

    At most one of `score_cp` (centipawns) and `mate` (full moves to mate, negative or 0 for the side that is mated) is
    set. `bound` is "lower" or "upper" when the score is only a bound.
    """

    depth: int | None = None
    seldepth: int | None = None
    multipv: int | None = None
    score_cp: int | None = None
    mate: int | None = None
    bound: str | None = None
    nodes: int | None = None
    time_ms: int | None = None


_NUMBERS = {"depth": "depth", "seldepth": "seldepth", "multipv": "multipv", "nodes": "nodes", "time": "time_ms"}
_BOUNDS = {"lowerbound": "lower", "upperbound": "upper"}


def parse_info(text: str) -> Info:
    """Read an `info` line, with or without the word `info`. Never raises.

    Later words win over earlier ones. Reading stops at `string` (free text follows); the moves after `pv`,
    `currmove` and `refutation` are stepped over, for no move is a key.
    """
    if not text:
        return _NOTHING
    words = text.split()
    found: dict[str, int] = {}
    bound: str | None = None
    at, end = 0, len(words)
    while at < end:
        word = words[at]
        at += 1
        if (name := _NUMBERS.get(word)) is not None:
            number = _number(words, at)
            if number is not None:
                found[name] = number
                at += 1
        elif word == "score":
            kind = words[at] if at < end else ""
            number = _number(words, at + 1) if kind in {"cp", "mate"} else None
            if number is not None:
                found.pop("mate", None)
                found.pop("score_cp", None)
                found["mate" if kind == "mate" else "score_cp"] = number
                bound = None
                at += 2
        elif word in _BOUNDS:
            bound = _BOUNDS[word]
        elif word == "string":
            break
    return Info(**found, bound=bound) if found or bound else _NOTHING


def pgn_comment(info: Info, think_s: float) -> str:
    """Write what PGN viewers know from other match runners: `+0.31/12 0.010s`, `-M3/20 1.500s`, `0.010s`.

    The score is from the mover's side, in pawns, or `M` and the moves to mate; `think_s` in seconds. A score that is
    only a bound is written like any other: viewers know no sign for it.
    """
    if info.mate is not None:
        score = f"{'+' if info.mate > 0 else '-'}M{abs(info.mate)}"
    elif info.score_cp is not None:
        score = f"{info.score_cp / 100:+.2f}"
    else:
        return f"{think_s:.3f}s"
    depth = f"/{info.depth}" if info.depth is not None else ""
    return f"{score}{depth} {think_s:.3f}s"


_NOTHING = Info()


def _number(words: list[str], at: int) -> int | None:
    if at >= len(words):
        return None
    word = words[at]
    digits = word[1:] if word[0] in "+-" else word
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > _LONGEST_NUMBER:
        return None
    return int(word)


def last_scored(said: bytes) -> bytes:
    """Find the last complete `info` line with a score in what an engine said: without `info`, cut; b"" if none."""
    scored = said.rfind(b" score ", 0, said.rfind(b"\n") + 1)
    if scored < 0:
        return b""
    start = said.rfind(b"\n", 0, scored) + 1
    return said[start : said.index(b"\n", scored)].removeprefix(b"info ").rstrip(b"\r")[:_SHOWN]


def all_last_scored(said: Sequence[bytes]) -> tuple[str, ...]:
    """Give `last_scored` of each ply of a game as text; () if the engines said nothing at all.

    Mostly the last line is the one, and then it is found in a fraction of the time.
    """
    if not any(said):
        return ()
    lines = [each[each.rfind(b"\n", 0, -1) + 1 : -1] for each in said]
    text = b"\n" + b"\n".join(lines)
    if (
        text.count(b"\ninfo ") == len(lines)
        and max(map(len, lines)) <= _SHOWN
        and all([b" score " in line for line in lines])  # noqa: C419 - a list is a third faster than a generator
        and b"\r" not in text
    ):
        text = text.replace(b"\ninfo ", b"\n")
    else:
        text = b"".join([b"\n" + last_scored(each) for each in said])
    return tuple(text[1:].decode("ascii", "replace").split("\n"))
