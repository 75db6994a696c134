"""Counting games that were played before, in memory that does not grow with the number of games.

Deterministic bots on maps that differ too little play the same game again and again; such games carry less information
than their number says. Must not keep the games or their digests as text.
"""

from __future__ import annotations

import contextlib
from array import array
from hashlib import blake2b

SLOTS = 1 << 18
"""Slots of 8 bytes: 2 MB, whatever the number of games."""

CAPACITY = SLOTS * 3 // 4
"""Distinct games that are remembered; beyond them the count of repeats is a lower bound."""


class RepeatCounter:
    """Remembers a 64-bit digest of each distinct game in a table of fixed size (open addressing).

    Exact up to CAPACITY distinct games, but for a chance below 1 in 10^8 that two games share a digest.
    Games beyond that are still compared with all that are remembered.
    """

    __slots__ = ("_n", "_slots", "is_exact")

    def __init__(self) -> None:
        self._slots = array("Q", bytes(8 * SLOTS))
        self._n = 0
        self.is_exact = True

    def is_repeat(self, group: bytes, moves: str) -> bool:
        """Say whether a game of the bots `group` with these moves was given before, and remember it."""
        key = (_digest(moves) ^ int.from_bytes(group[:8], "little")) or 1
        slots = self._slots
        index = key & (SLOTS - 1)
        while held := slots[index]:
            if held == key:
                return True
            index = (index + 1) & (SLOTS - 1)
        if self._n >= CAPACITY:
            self.is_exact = False
            return False
        slots[index] = key
        self._n += 1
        return False


def _digest(moves: str) -> int:
    """Give 64 bits of moves: of the digest that they are in a record, or of a digest of anything else."""
    if moves.startswith("b2:") and len(moves) >= 19:
        with contextlib.suppress(ValueError):
            return int(moves[-16:], 16)
    return int.from_bytes(blake2b(moves.encode(), digest_size=8).digest(), "little")


def group_key(names: tuple[str, ...]) -> bytes:
    """Give a short key for a set of bots, whatever their order."""
    return blake2b("\n".join(sorted(names)).encode(), digest_size=16).digest()
