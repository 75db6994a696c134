"""What bots say of a game and of themselves on standard error: `[TDATA] k = v`, `[PDATA] k = v`, `[PDATA+] k = v`.

Pure: bytes in, pairs of key and value out. Bounded in everything, since a bot may write anything: what is too much is
dropped and counted. Must not be in the way of a bot that writes nothing, nor cost much for one that writes other
things.
docs/how-to/filter-and-group.md is the page for users.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import SupportsIndex

from harness.records import Scalar

Pairs = tuple[tuple[str, Scalar], ...]
Disputed = tuple[tuple[str, tuple[Scalar, ...]], ...]

MAX_KEYS = 64
"""Keys of each kind that are kept in a game."""

MAX_KEY = 64
MAX_VALUE = 256
MAX_LINE = 1024
"""Bytes of a key, of a value and of a whole line."""

MAX_READ = 1 << 20
"""Bytes in which lines of data are looked for, in a game; all that comes after is dropped."""

_MARK = b"DATA"
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?", re.ASCII)
_INT64 = 1 << 63


@dataclass(frozen=True, slots=True)
class Said:
    """What a bot said in one game: of the game, of itself, and how many lines of it were dropped."""

    of_game: Pairs = ()
    of_bot: Pairs = ()
    n_dropped: int = 0


def read_value(text: str) -> int | float | str:
    """Give text as what it reads as: a whole number of up to 18 digits, a finite number, else the text itself."""
    if _WHOLE.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text):
        number = float(text)
        if math.isfinite(number) and not text.lstrip("+-").isdecimal():
            return number
    return text


class DataReader:
    """Takes a bot's standard error as it comes, cut anywhere, and keeps what its lines of data say."""

    __slots__ = ("_is_skipping", "_left", "_n_dropped", "_of_bot", "_of_game", "_rest")

    def __init__(self) -> None:
        self._rest = b""
        self._is_skipping = False
        self._forget()

    def _forget(self) -> None:
        self._of_game: dict[str, int | float | str] = {}
        self._of_bot: dict[str, int | float | str] = {}
        self._n_dropped = 0
        self._left = MAX_READ

    def take(self, data: bytes) -> None:
        """Take what was read. A line counts once its newline is there."""
        if self._rest:
            data = self._rest + data
            self._rest = b""
        end = data.rfind(b"\n") + 1
        start = 0
        if self._is_skipping:
            if not end:
                return
            start = data.find(b"\n") + 1
            self._is_skipping = False
        rest = data[end:]
        if len(rest) > MAX_LINE:
            self._n_dropped += _is_data(rest)
            self._is_skipping = True
        else:
            self._rest = rest
        if data.find(_MARK, start, end) >= 0:
            self._read_lines(data[start:end])

    def _read_lines(self, block: bytes) -> None:
        if len(block) > self._left:
            self._n_dropped += block.count(b"DATA] ") + block.count(b"DATA+] ")
            self._left = 0
            return
        for line in block.split(b"\n"):
            if _MARK in line and _is_data(line):
                self._left -= len(line)
                self._n_dropped += not self._keep(line)

    def _keep(self, line: bytes) -> bool:
        """Keep what a line of data says; False if it cannot be kept."""
        if len(line) > MAX_LINE:
            return False
        text = line.decode("utf-8", "replace").strip()
        kind, _, said = text.partition("]")
        key, equals, value_text = said.partition("=")
        key, value_text = key.strip(), value_text.strip()
        if not equals or not key or len(key.encode()) > MAX_KEY or len(value_text.encode()) > MAX_VALUE:
            return False
        kept = self._of_game if kind == "[TDATA" else self._of_bot
        if key not in kept and len(kept) >= MAX_KEYS:
            return False
        value = read_value(value_text)
        if kind == "[PDATA+":
            total = _add(kept.get(key, 0), value)
            if total is None:
                return False
            value = total
        kept[key] = value
        return True

    def give(self) -> Said | None:
        """Give what was said since this was last asked; None if nothing."""
        if not self._of_game and not self._of_bot and not self._n_dropped:
            self._left = MAX_READ
            return None
        said = Said(tuple(self._of_game.items()), tuple(self._of_bot.items()), self._n_dropped)
        self._forget()
        return said


def _is_data(line: bytes) -> bool:
    return line[:MAX_LINE].lstrip().startswith((b"[TDATA]", b"[PDATA]", b"[PDATA+]", b"[DATA]"))


def _add(one: float | str, other: float | str) -> int | float | None:
    """Add two values; None if they are no numbers, or their sum is none."""
    if isinstance(one, str) or isinstance(other, str):
        return None
    total = one + other
    if isinstance(total, int):
        return total if -_INT64 <= total < _INT64 else float(total)
    return total if math.isfinite(total) else None


def read_mappings(of_game: object, of_bot: object) -> Said | None:
    """Read what an in-process bot holds as mappings, within the same bounds; None if they hold nothing."""
    n_dropped = 0
    kept: list[dict[str, Scalar]] = [{}, {}]
    for pairs, given in zip(kept, (of_game, of_bot), strict=True):
        for key, held in given.items() if isinstance(given, Mapping) else ():
            value = _plain(held)
            is_key = isinstance(key, str) and key.isprintable() and 0 < len(key.encode()) <= MAX_KEY
            if value is None or not is_key or len(pairs) >= MAX_KEYS:
                n_dropped += 1
            else:
                pairs[key] = value
    if not kept[0] and not kept[1] and not n_dropped:
        return None
    return Said(tuple(kept[0].items()), tuple(kept[1].items()), n_dropped)


def _plain(value: object) -> int | float | str | None:
    """Give a number or text as a record can hold it; None for anything else."""
    if isinstance(value, str):
        return value if len(value.encode("utf-8", "backslashreplace")) <= MAX_VALUE else None
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, SupportsIndex):
        whole = value.__index__()
        return whole if -_INT64 <= whole < _INT64 else None
    return None


def merge_of_game(said: Sequence[Iterable[tuple[str, Scalar]]]) -> tuple[Pairs, Disputed]:
    """Bring together what the bots of a game said of it, by seat.

    Gives what nobody contradicts, then the keys with different values: what each seat said, None for nothing. Keys are
    in the order in which they come, seat by seat.
    """
    by_seat = [dict(pairs) for pairs in said]
    agreed: list[tuple[str, Scalar]] = []
    disputed: list[tuple[str, tuple[Scalar, ...]]] = []
    for key in dict.fromkeys(key for pairs in by_seat for key in pairs):
        values = [pairs[key] for pairs in by_seat if key in pairs]
        if all(value == values[0] for value in values):
            agreed.append((key, values[0]))
        else:
            disputed.append((key, tuple(pairs.get(key) for pairs in by_seat)))
    return tuple(agreed), tuple(disputed)
