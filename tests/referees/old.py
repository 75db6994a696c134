"""A referee of cg-brutaltester's old mode: 4-heap Nim whose bots somebody else holds; and everything it may do wrong.

    old.py [--fault WORD [--from N] [--tag T]]

It is told `###Seed N` and `###Start P`, says `###Input i`, `###Output i n`, `###Error i text` and ends with `###End`.
"""

import os
import random
import signal
import sys
import time


def main() -> int:
    options = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=False))
    fault = options.get("--fault", "")
    seed, n_seats = 0, 0
    for line in sys.stdin:
        name, number = line.split()
        if name == "###Seed":
            seed = int(number)
        if name == "###Start":
            n_seats = int(number)
            break
    if seed < int(options.get("--from", "0")):
        fault = ""
    say("warming up")
    if fault == "hang":
        time.sleep(3600)
    if fault == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if fault == "quit":
        say("java.lang.NullPointerException")
        return 1
    if fault == "nonsense":
        say("###Output 0 many")
    if fault == "stranger":
        say("###Output 7 1")
    if fault == "flood":
        sys.stderr.write("x" * 200_000)
        sys.stderr.flush()
    heaps = [random.Random(seed).randrange(1, 8) for _ in range(4)]
    for seat in range(n_seats):
        say(f"###Input {seat}", f"you are {seat}")
    winner, failed = play(heaps, n_seats)
    others = [seat for seat in range(n_seats) if seat != winner and seat not in failed]
    groups = [[winner], others, sorted(failed)]
    words = ["".join(map(str, group)) for group in groups if group]
    if fault == "places":
        words = words[:1]
    say("###End " + " ".join(words))
    return 0


def play(heaps: list[int], n_seats: int) -> tuple[int, set[int]]:
    failed: set[int] = set()
    winner = 0
    turn = 0
    while sum(heaps) and len(failed) < n_seats - 1:
        seat = turn % n_seats
        turn += 1
        if seat in failed:
            continue
        say(f"###Input {seat}", " ".join(map(str, heaps)), f"###Output {seat} 1")
        answer = sys.stdin.readline()
        try:
            heap, number = map(int, answer.split())
            assert 1 <= number <= heaps[heap]
        except (ValueError, AssertionError, IndexError):
            say(f"###Error {seat} cannot read {answer.strip()!r}")
            failed.add(seat)
            continue
        heaps[heap] -= number
        winner = seat
    if len(failed) == n_seats - 1:
        winner = next(seat for seat in range(n_seats) if seat not in failed)
    return winner, failed


def say(*lines: str) -> None:
    print(*lines, sep="\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
