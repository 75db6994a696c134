"""The seeds that cg-brutaltester draws with `-i`, so that its results and ours can be laid side by side, map by map.

It draws with Java's `java.util.Random`, whose numbers are defined to the bit (48-bit linear congruential generator, see
the class's documentation). Pure.
"""

from __future__ import annotations

_MULTIPLIER, _INCREMENT, _MASK = 0x5DEECE66D, 0xB, (1 << 48) - 1
MAX_INT = (1 << 31) - 1


class JavaRandom:
    """`java.util.Random` with a seed."""

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ _MULTIPLIER) & _MASK

    def next_bits(self, bits: int) -> int:
        """Give the next number of so many bits (at most 31), as Java's `next` does for positive ones."""
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & _MASK
        return self._state >> (48 - bits)

    def next_int(self, bound: int) -> int:
        """Give a number from 0 to `bound` - 1, as Java's `nextInt(bound)`."""
        if bound & (bound - 1) == 0:
            return (bound * self.next_bits(31)) >> 31
        while True:
            bits = self.next_bits(31)
            value = bits % bound
            if bits - value + bound - 1 <= MAX_INT:
                return value


def draw_seeds(initial: int, n_maps: int, n_players: int, *, swaps: bool) -> list[int]:
    """Give the seeds of cg-brutaltester's first maps with `-i initial`, one thread.

    With `-s` a map is a seed that everybody plays from every seat. Without, every game has a seed of its own, and one
    more number is drawn and thrown away before every `n_players`-th game.
    """
    random = JavaRandom(initial)
    seeds = []
    for game in range(n_maps):
        if not swaps and game % n_players == 0:
            random.next_int(MAX_INT)
        seeds.append(random.next_int(MAX_INT))
    return seeds
