"""A tester of a heuristic contest, AtCoder's kind: one bot, one seed, `Score = N` on standard error.

    heuristic.py [--fault WORD] SEED BOT

Makes the input from the seed (n and n numbers), gives it to the bot on standard input and reads a split of the numbers
in two from its output: a line of 0 and 1. The score is the difference of the two sums, less is better. As the contest's
own testers do it says what is wrong with an answer on standard error and ends with exit code 1.
"""

from __future__ import annotations

import random
import subprocess
import sys

LIMIT_S = 5.0


def main() -> int:
    words = sys.argv[1:]
    fault = words.pop(1) if words[0] == "--fault" else ""
    if fault:
        words.pop(0)
    seed, command = int(words[0]), words[1]
    rng = random.Random(seed)
    numbers = [rng.randrange(1, 10_000) for _ in range(20 + seed % 11)]
    if fault == "crash":
        raise RuntimeError("the tester itself is broken")
    if fault == "silent":
        return 0
    text = f"{len(numbers)}\n{' '.join(map(str, numbers))}\n"
    try:
        done = subprocess.run(
            command.split(" "), input=text, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        print("TLE: no answer in time", file=sys.stderr)
        return 1
    print(done.stderr, end="", file=sys.stderr)
    if done.returncode:
        print(f"RE: exit code {done.returncode}", file=sys.stderr)
        return 1
    sides = done.stdout.split()
    if len(sides) != len(numbers) or any(side not in ("0", "1") for side in sides):
        print("WA: not a side for each number", file=sys.stderr)
        return 1
    score = abs(sum(number if side == "1" else -number for number, side in zip(numbers, sides, strict=True)))
    print(f"Score = {-score if fault == 'negative' else score / 7 if fault == 'float' else score}", file=sys.stderr)
    print(f"seed={seed}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
