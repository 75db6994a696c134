"""A gomoku bot that takes and stops fives, looks for a row of fours that wins, and else fills the most promising rows.

Every row of five cells that holds stones of one colour alone is a hope of that colour. A cell is worth what the rows
through it would gain: one's own hopes twice as much as the hopes of the other that it ends. Free and standard rule.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # as in `typing`, whose import would take longer than all else here
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harness.records import MovesView

WORTH = (0, 1, 6, 36, 90, 0)  # of a row to its owner, by its stones
PROMISE = (1, 4, 24, 120, 4000, 0)  # of a move into such a row
TEMPO = 15
WAYS = ((1, 0), (0, 1), (1, 1), (-1, 1))
NO_RENJU = "renju is not among the rules that this bot knows"

CHAIN_DEPTH, CHAIN_TRIES = 8, 200


class Gomoku:
    """One game: the stones on the board, and what each row of five cells holds."""

    def __init__(self, width: int, height: int, *, is_exact: bool) -> None:
        self.width, self.height, self.is_exact = width, height, is_exact
        self.stones: dict[tuple[int, int], int] = {}
        self.rows: list[list[tuple[int, int]]] = []
        self.ends: list[tuple[tuple[int, int], tuple[int, int]]] = []
        self.rows_of: dict[tuple[int, int], list[int]] = {(x, y): [] for y in range(height) for x in range(width)}
        for x, y in self.rows_of:
            for dx, dy in WAYS:
                if (x + 4 * dx, y + 4 * dy) in self.rows_of:
                    row = [(x + i * dx, y + i * dy) for i in range(5)]
                    for cell in row:
                        self.rows_of[cell].append(len(self.rows))
                    self.rows.append(row)
                    self.ends.append(((x - dx, y - dy), (x + 5 * dx, y + 5 * dy)))
        self.counts = [[0, 0] for _ in self.rows]
        self.tries = 0

    def put(self, cell: tuple[int, int], color: int) -> None:
        self.stones[cell] = color
        for row in self.rows_of[cell]:
            self.counts[row][color] += 1

    def take(self, cell: tuple[int, int]) -> None:
        color = self.stones.pop(cell)
        for row in self.rows_of[cell]:
            self.counts[row][color] -= 1

    def set_stones(self, cells: Sequence[tuple[int, int]]) -> None:
        """Put what is new of the stones of a game, given in turn, Black's first."""
        for number in range(len(self.stones), len(cells)):
            self.put(cells[number], number & 1)

    # ------------------------------------------------------------------------------------- choosing

    def choose(self) -> tuple[int, int]:
        """Choose a cell for the side to move."""
        color = len(self.stones) & 1
        if not self.stones:
            return self.width // 2, self.height // 2
        fives = self.fives(color)
        if fives:
            return fives[0]
        threats = self.fives(1 - color)
        if threats:
            return threats[0]
        self.tries = 0
        chain = self.chain(color, CHAIN_DEPTH)
        if chain is not None:
            return chain
        return max(
            (cell for cell in self.rows_of if cell not in self.stones), key=lambda cell: self.promise(cell, color)
        )

    def fives(self, color: int) -> list[tuple[int, int]]:
        """List the cells where a stone makes five, in the order of the rows."""
        found = []
        for row, count in enumerate(self.counts):
            if count[color] == 4 and not count[1 - color] and not self.is_too_long(row, color):
                (cell,) = [cell for cell in self.rows[row] if cell not in self.stones]
                found.append(cell)
        return found

    def is_too_long(self, row: int, color: int) -> bool:
        """Whether five in this row would be part of six, which does not count by the standard rule."""
        return self.is_exact and any(self.stones.get(cell) == color for cell in self.ends[row])

    def chain(self, color: int, depth: int) -> tuple[int, int] | None:
        """Find a move that wins by fours alone: each must be answered, until there are two at once."""
        for row, count in enumerate(self.counts):
            if count[color] != 3 or count[1 - color]:
                continue
            for cell in self.rows[row]:
                if cell in self.stones or self.tries >= CHAIN_TRIES:
                    continue
                self.tries += 1
                self.put(cell, color)
                answers = set(self.fives(color))
                wins = len(answers) > 1
                if len(answers) == 1 and depth > 1:
                    (answer,) = answers
                    self.put(answer, 1 - color)
                    wins = not self.fives(1 - color) and self.chain(color, depth - 1) is not None
                    self.take(answer)
                self.take(cell)
                if wins:
                    return cell
        return None

    def promise(self, cell: tuple[int, int], color: int) -> int:
        """Say what a stone on a free cell is worth; of equal cells the one nearest to the middle is the best."""
        total = 0
        for row in self.rows_of[cell]:
            own, other = self.counts[row][color], self.counts[row][1 - color]
            if not other:
                total += 2 * PROMISE[own]
            elif not own:
                total += PROMISE[other]
        x, y = cell
        return 100 * total - abs(2 * x + 1 - self.width) - abs(2 * y + 1 - self.height)

    def lead(self) -> int:
        """Say what Black is ahead by, who is to move left aside."""
        total = 0
        for black, white in self.counts:
            if not white:
                total += WORTH[black]
            elif not black:
                total -= WORTH[white]
        return total

    # ----------------------------------------------------------------------------------------- swap2

    def step(self) -> list[tuple[int, int]] | None:
        """Make a step of swap2: give the cells to put stones on, None to swap."""
        n_stones = len(self.stones)
        if not n_stones:
            x, y = self.width // 2, self.height // 2
            far = 4 if min(self.width, self.height) > 8 else 2
            return [(x, y), (x + 1, y + 1), (x + far, y + far)]  # White in between: about level, with White to move
        ahead = self.lead() - TEMPO  # White is to move
        if ahead > TEMPO // 3:
            return None
        if n_stones > 3 or ahead < -TEMPO // 3:
            return [self.choose()]
        cells = []
        for color in (1, 0):
            cells.append(self.choose())
            self.put(cells[-1], color)
        for cell in cells:
            self.take(cell)
        return cells


def read_cell(text: str) -> tuple[int, int]:
    x, y = text.split(",")[:2]
    return int(x), int(y)


def write(cells: list[tuple[int, int]] | None) -> str:
    return "SWAP" if cells is None else " ".join([f"{x},{y}" for x, y in cells])


def make(seed: int, seat: int, n_seats: int) -> Callable[[MovesView], str]:  # noqa: ARG001 - draws nothing
    """For playing in-process: give the bot of one game."""
    games: list[Gomoku] = []

    def bot(view: MovesView) -> str:
        if not games:
            if view.variant == "renju":
                raise ValueError(NO_RENJU)
            width, height = map(int, view.start.split("x"))
            games.append(Gomoku(width, height, is_exact=view.variant.startswith("standard")))
        game = games[0]
        game.set_stones([read_cell(word) for word in view.line.split() if word != "SWAP"])
        return write(game.step() if view.variant.endswith("swap2") else [game.choose()])

    return bot


make.form = "moves"  # type: ignore[attr-defined]


class Brain:
    """Gomocup's protocol: `answer` takes a command and gives what is to be said, None for nothing."""

    def __init__(self) -> None:
        self.rule = 0
        self.game = Gomoku(5, 5, is_exact=False)

    def answer(self, line: str, read: Callable[[], str]) -> str | None:
        """Answer one command; `read` gives the lines that follow it."""
        command, _, rest = line.partition(" ")
        if command == "INFO":
            key, _, value = rest.partition(" ")
            if key == "rule":
                self.rule = int(value)
            return None
        if command in {"START", "RECTSTART"}:
            width, _, height = rest.partition(",")
            return self.start(int(width), int(height or width))
        if command == "RESTART":
            return self.start(self.game.width, self.game.height)
        if command == "ABOUT":
            return 'name="gomoku", version="1"'
        if command in {"BEGIN", "TURN", "BOARD", "SWAP2BOARD"}:
            return self.move(command, rest, read)
        return "UNKNOWN " + line

    def start(self, width: int, height: int) -> str:
        if self.rule & 4:
            return f"ERROR {NO_RENJU}"
        self.game = Gomoku(width, height, is_exact=bool(self.rule & 1))
        return "OK"

    def move(self, command: str, rest: str, read: Callable[[], str]) -> str:
        game = self.game
        if bool(self.rule & 1) != game.is_exact:  # told after START
            game.is_exact = not game.is_exact
        if command == "TURN":
            game.put(read_cell(rest), len(game.stones) & 1)
        elif command != "BEGIN":
            cells = []
            while (line := read().strip()) != "DONE":
                cells.append(read_cell(line))
            self.start(game.width, game.height)
            game = self.game
            game.set_stones(cells)
            if command == "SWAP2BOARD":
                return write(game.step())
        cell = game.choose()
        game.put(cell, len(game.stones) & 1)
        return write([cell])


def main() -> None:
    brain = Brain()
    for line in sys.stdin:
        text = line.strip()
        if text == "END":
            break
        said = brain.answer(text, sys.stdin.readline) if text else None
        if said is not None:
            print(said, end="\r\n", flush=True)


if __name__ == "__main__":
    main()
