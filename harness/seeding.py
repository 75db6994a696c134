"""Child seeds by hashing: every random number in a run follows from its parts' names.

Python's `hash` and global random state are never used, so a seed is the same on every machine.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from math import gcd
from struct import Struct

_WORDS = Struct(">16I")


def child_seed(*parts: str | int, bits: int = 63) -> int:
    """Hash the named parts to one integer in [0, 2**bits), 1 <= bits <= 64.

    Parts are length-prefixed, so ("ab", "c") and ("a", "bc") differ; an int and its decimal text do not.
    """
    digest = blake2b(digest_size=8)
    for part in parts:
        data = str(part).encode()
        digest.update(len(data).to_bytes(4, "big"))
        digest.update(data)
    return int.from_bytes(digest.digest(), "big") >> (64 - bits)


def bot_seeds(run_key: str, job: int, count: int) -> tuple[int, ...]:
    """Give the seeds of a job's bots, game by game and seat by seat within a game, 31 bits each so that every bot's
    language can hold them.

    `run_key` is the run's config fingerprint: the same config seeds its bots the same on every machine.
    """
    words = _WORDS.unpack(blake2b(f"bots 0 {job} {run_key}".encode()).digest())
    block = 1
    while len(words) < count:
        words += _WORDS.unpack(blake2b(f"bots {block} {job} {run_key}".encode()).digest())
        block += 1
    return tuple([word >> 1 for word in words[:count]])


def spread_index(seed: int, size: int) -> int:
    """Map a seed to an index in range(size), so that `size` consecutive seeds hit each index once.

    An affine permutation x -> (a x + b) mod size with a prime to size: neighbouring seeds land far apart,
    and no opening repeats until the book is used up.
    """
    if size < 1:
        raise ValueError(f"spread_index needs a size of at least 1, got {size}")
    return (_step(size) * seed + size // 3) % size


@lru_cache
def _step(size: int) -> int:
    """Find a step prime to `size`, near its golden section."""
    step = int(size * 0.6180339887498949) or 1
    while gcd(step, size) != 1:
        step += 1
    return step
