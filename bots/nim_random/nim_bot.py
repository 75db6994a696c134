"""Nim played at random: reads the heaps, answers heap and number."""

import os
import random
import sys


def main() -> None:
    """Play one game."""
    chance = random.Random(os.environ.get("HARNESS_BOT_SEED", "0"))
    for line in sys.stdin:
        heaps = [int(word) for word in line.split()]
        heap = chance.choice([number for number, size in enumerate(heaps) if size])
        print(heap, chance.randint(1, heaps[heap]), flush=True)


if __name__ == "__main__":
    main()
