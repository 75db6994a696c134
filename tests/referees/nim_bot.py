"""A Nim bot for the referees here: reads the heaps, answers heap and number. Plays the best move, or as it is told.

nim_bot.py [best|first|crash|illegal|chatty|seed] [TAG]
"""

import functools
import os
import sys
from pathlib import Path

kind = sys.argv[1] if len(sys.argv) > 1 else "best"
if kind == "seed":
    print(f"seed {os.environ.get('HARNESS_BOT_SEED')} in {Path.cwd()}", file=sys.stderr, flush=True)
for line in sys.stdin:
    heaps = [int(word) for word in line.split()]
    if kind == "crash":
        sys.exit(3)
    if kind == "illegal":
        print("9 9", flush=True)
        continue
    if kind == "chatty":
        print("x" * 100_000, file=sys.stderr, flush=True)
    total = functools.reduce(int.__xor__, heaps)
    moves = [(i, h - (h ^ total)) for i, h in enumerate(heaps) if h ^ total < h]
    first = next((i, 1) for i, h in enumerate(heaps) if h)
    heap, number = moves[0] if moves and kind != "first" else first
    print(heap, number, flush=True)
