"""A referee that says no seed and plays nothing: its scores depend on the seed, on nothing, or on chance.

mute.py same|none|chance|data SEED CMD CMD
"""

import random
import sys

kind, seed, *players = sys.argv[1:]
chance = random.Random(int(seed)) if kind == "same" else random.SystemRandom()
first = 5 if kind in {"none", "data"} else chance.randrange(1 << 30)
print(first, 3, sep="\n")
if kind == "data":
    print(f"width={chance.randrange(1 << 30)}")
