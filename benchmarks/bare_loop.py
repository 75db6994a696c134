"""The floor of benchmarks/overhead.py: move lines between two stub engines with no rules, clocks or records.

It is what Python's `os.write` and `os.read` cost with the same engines and the same pipes: no runner in
Python can be faster. It must not check, parse or record anything; the moves are taken on trust.

    python benchmarks/bare_loop.py --plies 8 --games 1000 --cores 0 -- ./stub_engine 8 1 times.txt
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

READ_BYTES = 1 << 16


def play_games(command: list[str], *, plies: int, games: int) -> None:
    """Play `games` games of `plies` plies between two new processes of `command`, seats changing by turns."""
    bots = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) for _ in range(2)]
    pipes = [(bot.stdin.fileno(), bot.stdout.fileno()) for bot in bots if bot.stdin and bot.stdout]
    write, read = os.write, os.read
    for game in range(games):
        for to_bot, from_bot in pipes:
            write(to_bot, b"ucinewgame\nisready\n")
            read(from_bot, READ_BYTES)
        position = b"position startpos moves"
        for ply in range(plies):
            to_bot, from_bot = pipes[(game + ply) & 1]
            write(to_bot, position + b"\ngo movetime 1000\n")
            # the answer ends with a move of four letters and a newline, and came in one write
            position += b" " + read(from_bot, READ_BYTES)[-5:-1]
    for (to_bot, _), bot in zip(pipes, bots, strict=True):
        write(to_bot, b"quit\n")
        bot.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description="Play stub engines with no rules: the floor.")
    parser.add_argument("--plies", type=int, required=True, help="plies of a game")
    parser.add_argument("--games", type=int, required=True, help="games in all")
    parser.add_argument("--cores", type=int, nargs="+", required=True, help="one loop on each of these cores")
    parser.add_argument("command", nargs="+", help="the stub engine and its arguments")
    args = parser.parse_args()

    children = []
    for core in args.cores:
        child = os.fork()
        if child == 0:
            os.sched_setaffinity(0, {core})
            play_games(args.command, plies=args.plies, games=args.games // len(args.cores))
            os._exit(0)
        children.append(child)
    statuses = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    if any(statuses):
        sys.exit(f"a loop failed: exit statuses {statuses}")


if __name__ == "__main__":
    main()
