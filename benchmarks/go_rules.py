"""The price of a ply under the rules of Go: as the loop calls them, the board alone, an object that does nothing.

Plays the same recorded random games at every level, in rounds, so that the figures of one run compare; prints medians
of five. All of it runs in this process, on one core. The games are as hard as they come: random stones make many
groups, captures and kos, where engines' games have few.

    taskset -c 1 python benchmarks/go_rules.py
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import median
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from harness.records import Form
from harness.rules.base import Position
from harness.rules.go import GoRules, build
from harness.rules.go_board import grid_of, place

Game = tuple[int, list[str]]


class Idle:
    """Takes the same calls and does nothing."""

    def __init__(self) -> None:
        self._act = (0,)

    def to_act(self) -> tuple[int, ...]:
        """Name a seat."""
        return self._act

    def view(self, seat: int, form: Form) -> object:  # noqa: ARG002
        """Show nothing."""
        return self

    def parse(self, seat: int, text: str) -> str:  # noqa: ARG002
        """Take anything."""
        return text

    def apply(self, actions: Mapping[int, object], forfeits: Sequence[int] = ()) -> None:
        """Takes anything."""
        """Shows itself."""
        """Do nothing."""


def record_games(rules: GoRules, n_games: int) -> list[Game]:
    games = []
    names = rules.table.grid.names
    for seed in range(n_games):
        draw, position = Random(seed), rules.start(seed)
        while position.to_act():
            (seat,) = position.to_act()
            legal = set(position.legal(seat))
            tries = (draw.choice(names) for _ in range(200))
            text = next((name for name in tries if name in legal), "pass")
            position.apply({seat: position.parse(seat, text)})
        games.append((seed, position.log))
    return games


def through_interface(start: Callable[[int], Position | Idle], games: Sequence[Game]) -> float:
    """Seconds for whole games: who acts, what it sees, reading, the move."""
    total_s = 0.0
    for seed, log in games:
        position = start(seed)
        to_act, view, parse, apply = position.to_act, position.view, position.parse, position.apply
        began_s = process_time()
        for text in log:
            seat = to_act()[0]
            view(seat, Form.MOVES)
            apply({seat: parse(seat, text)})
        total_s += process_time() - began_s
    return total_s


def board_alone(rules: GoRules, games: Sequence[Game]) -> float:
    """Seconds for the stones alone: captures and suicide, no turns, passes or ko."""
    grid = grid_of(rules.table.grid.size)
    total_s = 0.0
    for seed, log in games:
        board, color = rules.start(seed)._board, 1  # noqa: SLF001
        began_s = process_time()
        for text in log:
            if text != "pass":
                board = place(board, grid.neighbours, grid.index[text], color) or board
            color = 3 - color
        total_s += process_time() - began_s
    return total_s


def main() -> None:
    parser = argparse.ArgumentParser(description="The price of a ply under the rules of Go.")
    parser.add_argument("--games", type=int, default=10, help="games a round (default 10)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default 5)")
    options = parser.parse_args()
    for size in (9, 13, 19):
        rules = build({"size": size}, str)
        games = record_games(rules, options.games)
        n_plies = sum(len(log) for _, log in games)
        levels: dict[str, Callable[[], float]] = {
            "ours, as the loop calls them": lambda rules=rules, games=games: through_interface(rules.start, games),  # type: ignore[misc]
            "the board alone": lambda rules=rules, games=games: board_alone(rules, games),  # type: ignore[misc]
            "an object that does nothing": lambda games=games: through_interface(lambda _: Idle(), games),  # type: ignore[misc]
        }
        times: dict[str, list[float]] = {name: [] for name in levels}
        for _ in range(options.rounds):
            for name, measure in levels.items():
                times[name].append(measure() / n_plies * 1e6)
        print(f"{size}x{size}: {len(games)} games, {n_plies} plies")
        for name, us in times.items():
            print(f"  {name:<30}{median(us):7.2f} µs a ply ({min(us):.2f}..{max(us):.2f})")


if __name__ == "__main__":
    main()
