"""A light-cycles bot that keeps close to walls: it goes where fewest ways lead on, but not into a dead end.

It fills the space it has without holes and never looks at its opponents. Ties go to straight on, then right.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, whose import would take longer than all else here
if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.records import LinesView

DIRECTIONS = ("UP", "RIGHT", "DOWN", "LEFT")  # clockwise: turning right is one further
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))


class Hugger:
    def __init__(self) -> None:
        self.free: set[tuple[int, ...]] = {(x, y) for x in range(30) for y in range(20)}  # the contest's board
        self.trails: dict[int, set[tuple[int, ...]]] = {}
        self.heading = 0

    def play(self, line: Callable[[], str]) -> str:
        """Read one turn with `line`, which gives the next line, and answer it."""
        head = self.read(line)
        choices = []
        for rank, turn in enumerate((0, 1, 3, 2)):  # straight on, right, left, back
            direction = (self.heading + turn) % 4
            cell = neighbour(head, direction)
            if cell in self.free:
                n_exits = sum(neighbour(cell, way) in self.free for way in range(4))
                choices.append((n_exits or 4, rank, direction))  # a dead end comes last
        if choices:
            self.heading = min(choices)[2]
        return DIRECTIONS[self.heading]

    def read(self, line: Callable[[], str]) -> tuple[int, int]:
        """Read one turn, keep `free` and `trails` up to date and give the own head."""
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
        return head


def neighbour(cell: tuple[int, int], direction: int) -> tuple[int, int]:
    return cell[0] + STEPS[direction][0], cell[1] + STEPS[direction][1]


def numbers(line: str) -> tuple[int, ...]:
    return tuple(int(word) for word in line.split())


def make(seed: int, seat: int, n_seats: int) -> Callable[[LinesView], str]:  # noqa: ARG001 - draws nothing
    """For playing in-process: give the bot of one game."""
    bot = Hugger()
    return lambda view: bot.play(iter(view.text.splitlines()).__next__)


def main() -> None:
    bot = Hugger()
    try:
        while True:
            print(bot.play(input), flush=True)
    except EOFError:  # the game is over
        pass


if __name__ == "__main__":
    main()
