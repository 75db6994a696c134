"""A Nim bot for the referees here: reads the heaps, answers heap and number. Plays the best move, or as it is told.

nim_bot.py [greeted] [best|first|crash|illegal|chatty|last-words|hang|tell FILE] [WORD…]
"""

import functools
import json
import os
import sys
import time
from pathlib import Path

kind = sys.argv[1] if len(sys.argv) > 1 else "best"
if kind == "greeted":
    kind = sys.argv[2]
    sys.stdin.readline()
if kind == "tell":
    facts: dict[str, object] = {"words": sys.argv[3:], "cwd": str(Path.cwd())}
    facts |= {"seed": os.environ.get("HARNESS_BOT_SEED"), "own": os.environ.get("OWN")}
    Path(sys.argv[2]).write_text(json.dumps(facts))
for line in sys.stdin:
    heaps = [int(word) for word in line.split()]
    if kind == "crash":
        sys.exit(3)
    if kind == "last-words":
        print("[PDATA] turns = 1\n[TDATA] mood = gloomy\n[TDATA] heaps = 9", file=sys.stderr)
        print("x" * 500_000 + "\nthese are my last words", file=sys.stderr, flush=True)
        sys.exit(1)
    if kind == "hang":
        time.sleep(3600)
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
