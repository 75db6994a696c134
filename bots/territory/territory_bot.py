"""A light-cycles bot that moves to where its lead in territory is biggest.

Its territory is what it reaches before anyone else (a Voronoi region). Decisions are deterministic, and the same after
a turn of the board by any right angle, so two copies from mirrored starts mirror each other when they move at once.

A set of cells is one integer with a bit a cell, so that all its cells spread by one step at once.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # as in `typing`, whose import would take longer than all else here
if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.records import LinesView

DIRECTIONS = ("UP", "RIGHT", "DOWN", "LEFT")  # clockwise: turning right is one further
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))

STRAIGHT_FIRST = (0, 1, 3, 2)  # turns in the order in which ties are broken: straight on, right, left, back
LEFT_FIRST = (3, 0, 1, 2)


class Territory:
    def __init__(self, tie_break: tuple[int, ...]) -> None:
        self.tie_break = tie_break
        self.me = 0
        self.heading: int | None = None
        self.trails: list[int] = []
        self.heads: list[int] = []
        self.set_board(30, 20, at_once=False)  # the contest's

    def set_board(self, width: int, height: int, *, at_once: bool) -> None:
        self.width, self.height, self.at_once = width, height, at_once
        self.stride = width + 1  # the last bit of a row stays off, so that no step leads round an edge
        self.board = sum(((1 << width) - 1) << (y * self.stride) for y in range(height))

    def play(self, line: Callable[[], str]) -> str:
        """Read one turn with `line`, which gives the next line, and answer it."""
        x, y = self.read(line)
        free = self.board
        for trail in self.trails:
            free &= ~trail
        if self.heading is None:
            self.heading = self.to_centre(x, y)
        best_lead, best = None, self.heading
        for turn in self.tie_break:
            direction = (self.heading + turn) % 4
            step_x, step_y = STEPS[direction]
            cell = self.bit(x + step_x, y + step_y) & free
            if cell:
                lead = self.lead(cell, free)
                if best_lead is None or lead > best_lead:
                    best_lead, best = lead, direction
        self.heading = best
        return DIRECTIONS[best]

    def lead(self, cell: int, free: int) -> int:
        """Count the cells that are mine if I move to `cell`, less those of the strongest opponent."""
        stride, me = self.stride, self.me
        n_players = len(self.heads)
        order = [(me + i) % n_players for i in range(n_players)]  # in turn, they move after me in this order
        fronts = [(head << 1 | head >> 1 | head << stride | head >> stride) & free for head in self.heads]
        fronts[me] = cell
        n_cells = [0] * n_players
        while any(fronts):
            taken = shared = 0
            for player in order:
                if self.at_once:
                    shared |= taken & fronts[player]  # reached by two at the same time: nobody's
                else:
                    fronts[player] &= ~taken  # who gets there first has it
                taken |= fronts[player]
            free &= ~taken
            for player in order:
                front = fronts[player]
                n_cells[player] += (front & ~shared).bit_count()
                fronts[player] = (front << 1 | front >> 1 | front << stride | front >> stride) & free
        mine = n_cells.pop(me)
        return mine - max(n_cells)

    def read(self, line: Callable[[], str]) -> tuple[int, int]:
        """Read one turn, keep the sets of cells up to date and give my head's place."""
        words = line().split()
        if words[0] == "board":  # only before the first turn of a game on another board than the contest's
            self.set_board(int(words[1]), int(words[2]), at_once=words[3] == "simultaneous")
            for _ in range(int(words[4])):
                self.board &= ~self.bit(*numbers(line()))
            words = line().split()
        n_players, self.me = int(words[0]), int(words[1])
        self.trails = self.trails or [0] * n_players
        self.heads = [0] * n_players
        my_head = (0, 0)
        for player in range(n_players):
            tail_x, tail_y, head_x, head_y = numbers(line())
            if head_x < 0:  # out: its trail is gone
                self.trails[player] = 0
                continue
            self.heads[player] = self.bit(head_x, head_y)
            self.trails[player] |= self.bit(tail_x, tail_y) | self.heads[player]
            if player == self.me:
                my_head = (head_x, head_y)
        return my_head

    def bit(self, x: int, y: int) -> int:
        return 1 << (y * self.stride + x) if x >= 0 and y >= 0 else 0

    def to_centre(self, x: int, y: int) -> int:
        """The direction in which the centre lies; of two equal ones the first in clockwise order."""
        right, down = self.width - 1 - 2 * x, self.height - 1 - 2 * y
        towards = (-down, right, down, -right)
        return max(range(4), key=lambda way: (towards[way], towards[(way + 1) % 4]))


def numbers(line: str) -> tuple[int, ...]:
    return tuple(int(word) for word in line.split())


def make(seed: int, seat: int, n_seats: int) -> Callable[[LinesView], str]:  # noqa: ARG001 - draws nothing
    """For playing in-process: give the bot of one game."""
    bot = Territory(STRAIGHT_FIRST)
    return lambda view: bot.play(iter(view.text.splitlines()).__next__)


def make_left_first(seed: int, seat: int, n_seats: int) -> Callable[[LinesView], str]:  # noqa: ARG001 - draws nothing
    """The same with the other tie-break."""
    bot = Territory(LEFT_FIRST)
    return lambda view: bot.play(iter(view.text.splitlines()).__next__)


def main() -> None:
    bot = Territory(LEFT_FIRST if "--left-first" in sys.argv[1:] else STRAIGHT_FIRST)
    try:
        while True:
            print(bot.play(input), flush=True)
    except EOFError:  # the game is over
        pass


if __name__ == "__main__":
    main()
