"""A referee of cg-brutaltester's new mode: 4-heap Nim from a seed. It starts the bots; it may do everything wrong.

    brutal.py [--seed-by d|seed|none] [--fault WORD [--from N] [--tag T]] -p1 CMD -p2 CMD … [-d seed=N | -seed N]

Its fault comes with seeds from N on. What it leaves behind has T on its command line.

As the SDK does it splits a bot's command at single blanks, gives each bot one line a turn (the heaps) and reads one
(heap and number). Who takes the last object wins: 1 and 0; who breaks the rules, dies or is late has -1.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

NOISE = ["League level: 4.", "WARNING: sun.reflect.Reflection.getCallerClass is not supported.", "3 bots loaded"]


def main() -> int:
    options, players = read_words(sys.argv[1:])
    fault = options.get("--fault", "")
    asked = options.get("-d", "").partition("=")[2] if options.get("--seed-by", "d") == "d" else None
    if options.get("--seed-by") == "seed":
        asked = options.get("-seed")
    seed = int(asked) if asked else random.SystemRandom().randrange(1 << 31)
    if seed < int(options.get("--from", "0")):
        fault = ""
    if fault == "hang":
        spawn_daemon(options)
        time.sleep(3600)
    if fault == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if fault == "flood":
        sys.stderr.write("x" * 200_000)
        sys.stderr.flush()
    if fault == "orphans":
        spawn_daemon(options)
    if fault == "endless":
        while True:
            sys.stdout.write("x" * 65536)
    try:
        bots = [
            subprocess.Popen(command.split(" "), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for command in players
        ]
    except OSError as error:
        print(f'java.io.IOException: Cannot run program "{error.filename}"', file=sys.stderr)
        return 1
    scores = play(bots, [random.Random(seed).randrange(1, 8) for _ in range(4)])
    for bot in bots:
        bot.kill()
    if fault == "noise":
        print(*NOISE, sep="\n")
    words = [str(score) for score in scores]
    words = {"null": [words[0], "null"], "missing": words[:1], "extra": [*words, "3"], "silent": []}.get(fault, words)
    if fault == "negative":
        words[1] = "-1"
    print(*words, sep="\n")
    print(f"seed={seed}\nheaps=4\n")
    if fault == "exit":
        return 3
    if "-l" in options:
        with Path(options["-l"]).open("w") as file:
            json.dump({"scores": dict(enumerate(scores)), "uinput": [f"seed={seed}"]}, file)
    return 0


def read_words(words: list[str]) -> tuple[dict[str, str], list[str]]:
    options = {}
    while words:
        name, value, *words = words
        options[name] = value
    return options, [value for name, value in options.items() if name[:2] == "-p" and name[2:].isdigit()]


def spawn_daemon(options: dict[str, str]) -> None:
    """Leave a process in a session of its own, known by its words."""
    sleeper = [sys.executable, "-S", "-E", "-I", "-c", "import time; time.sleep(3600)", options.get("--tag", "")]
    subprocess.Popen(sleeper, start_new_session=True)


def play(bots: list[subprocess.Popen[str]], heaps: list[int]) -> list[int]:
    """Give 1 to who takes the last object, 0 to the others, -1 to who failed (then nobody else loses)."""
    n, turn = len(bots), 0
    failed: set[int] = set()
    while sum(heaps) and len(failed) < n - 1:
        seat = turn % n
        turn += 1
        if seat in failed:
            continue
        bot = bots[seat]
        assert bot.stdin
        assert bot.stdout
        try:
            bot.stdin.write(" ".join(map(str, heaps)) + "\n")
            bot.stdin.flush()
            heap, number = map(int, bot.stdout.readline().split())
            assert 1 <= number <= heaps[heap]
        except (OSError, ValueError, AssertionError, IndexError):
            failed.add(seat)
            continue
        heaps[heap] -= number
        winner = seat
    if len(failed) == n - 1:
        winner = next(seat for seat in range(n) if seat not in failed)
    with suppress(OSError):
        sys.stderr.flush()
    return [-1 if seat in failed else int(seat == winner) for seat in range(n)]


if __name__ == "__main__":
    sys.exit(main())
