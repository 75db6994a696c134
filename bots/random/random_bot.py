"""A light-cycles bot that goes to a random free cell.

The shortest complete bot here: copy it to write your own. It needs nothing but Python, so it starts in milliseconds.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # as in `typing`, whose import would take longer than all else here
if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.records import LinesView

STEPS = {"UP": (0, -1), "RIGHT": (1, 0), "DOWN": (0, 1), "LEFT": (-1, 0)}


class RandomBot:
    def __init__(self, seed: int) -> None:
        self.state = seed
        self.free: set[tuple[int, ...]] = {(x, y) for x in range(30) for y in range(20)}  # the contest's board
        self.trails: dict[int, set[tuple[int, ...]]] = {}

    def play(self, line: Callable[[], str]) -> str:
        """Read one turn with `line`, which gives the next line, and answer it."""
        words = line().split()
        if words[0] == "board":  # only before the first turn of a game on another board than the contest's
            width, height, n_obstacles = int(words[1]), int(words[2]), int(words[4])
            self.free = {(x, y) for x in range(width) for y in range(height)}
            self.free -= {numbers(line()) for _ in range(n_obstacles)}
            words = line().split()
        n_players, me = int(words[0]), int(words[1])
        head = (0, 0)
        for player in range(n_players):
            tail_x, tail_y, x, y = numbers(line())
            if x < 0:  # out: its trail is gone
                self.free |= self.trails.pop(player, set())
                continue
            self.trails.setdefault(player, set()).update({(tail_x, tail_y), (x, y)})
            self.free -= {(tail_x, tail_y), (x, y)}
            if player == me:
                head = (x, y)
        safe = [name for name, (dx, dy) in STEPS.items() if (head[0] + dx, head[1] + dy) in self.free]
        choices = safe or list(STEPS)
        return choices[self.draw(len(choices))]

    def draw(self, size: int) -> int:
        """A number below `size`. Importing `random` would cost more than all the rest of this program."""
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % size


def numbers(line: str) -> tuple[int, ...]:
    return tuple(int(word) for word in line.split())


def make(seed: int, seat: int, n_seats: int) -> Callable[[LinesView], str]:  # noqa: ARG001 - the lines tell both
    """For playing in-process: give the bot of one game."""
    bot = RandomBot(seed)
    return lambda view: bot.play(iter(view.text.splitlines()).__next__)


def main() -> None:
    bot = RandomBot(int(os.environ.get("HARNESS_BOT_SEED", "0")))
    try:
        while True:
            print(bot.play(input), flush=True)
    except EOFError:  # the game is over
        pass


if __name__ == "__main__":
    main()
