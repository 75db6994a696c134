"""A bot for the score contest `route`: from each city to the nearest one that is left.

The shortest complete bot for a score contest: it reads one map, prints one answer and ends.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, whose import would take longer than all else here
if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.records import LinesView

City = tuple[int, ...]


def nearest_first(cities: list[City]) -> list[int]:
    """A tour that begins at city 0; ties go to the lower number."""
    left = dict.fromkeys(range(1, len(cities)))
    tour = [0]
    while left:
        x, y = cities[tour[-1]]
        nearest = min(left, key=lambda city: (cities[city][0] - x) ** 2 + (cities[city][1] - y) ** 2)
        del left[nearest]
        tour.append(nearest)
    return tour


def answer(line: Callable[[], str]) -> str:
    """Read a map with `line`, which gives the next line, and give the answer's line."""
    cities = [tuple(map(int, line().split())) for _ in range(int(line()))]
    return " ".join(map(str, nearest_first(cities)))


def make(seed: int, seat: int, n_seats: int) -> Callable[[LinesView], str]:  # noqa: ARG001 - there is nothing to draw
    """For playing in-process: give the bot of one game."""
    return lambda view: answer(iter(view.text.splitlines()).__next__)


if __name__ == "__main__":
    print(answer(input), flush=True)
