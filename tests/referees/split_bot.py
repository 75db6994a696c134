"""Bots for heuristic.py: split numbers in two sums that are near to each other.

    split_bot.py greedy|order|crash|slow|nonsense

`greedy` gives the largest left to the smaller side; `order` the even places to one, the odd to the other. The others
are `greedy` but on every third map, where they fail as their name says.
"""

from __future__ import annotations

import sys
import time


def main() -> int:
    kind = sys.argv[1]
    n = int(input())
    numbers = [int(word) for word in input().split()]
    if n % 3 == 0 and kind in ("crash", "slow", "nonsense"):
        if kind == "crash":
            return 3
        if kind == "slow":
            time.sleep(60)
        print("what?")
        return 0
    sides = [place % 2 for place in range(n)]
    if kind != "order":
        sums = [0, 0]
        for place in sorted(range(n), key=lambda place: -numbers[place]):
            sides[place] = 0 if sums[0] <= sums[1] else 1
            sums[sides[place]] += numbers[place]
    print(*sides)
    return 0


if __name__ == "__main__":
    sys.exit(main())
