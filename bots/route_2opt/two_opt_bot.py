"""A bot for the score contest `route`: the nearest-neighbour tour, made shorter by 2-opt until no step helps.

A step takes two roads out of the tour and joins the ends the other way round, which turns the part between them.
"""

from __future__ import annotations

from math import dist

TYPE_CHECKING = False  # as in `typing`, whose import would take longer than all else here
if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.records import LinesView

City = tuple[int, ...]

NEIGHBOURS = 10
"""Only roads to the nearest so many cities are tried."""

LEAST_GAIN = 1e-9


def nearest_first(far: list[list[float]]) -> list[int]:
    """The tour to begin with; ties go to the lower number."""
    left = dict.fromkeys(range(1, len(far)))
    tour = [0]
    while left:
        nearest = min(left, key=far[tour[-1]].__getitem__)
        del left[nearest]
        tour.append(nearest)
    return tour


def improve(tour: list[int], far: list[list[float]]) -> None:
    """Take every step that helps, in place."""
    n = len(tour)
    near = [sorted(range(n), key=row.__getitem__)[1 : NEIGHBOURS + 1] for row in far]
    place = [0] * n
    for index, city in enumerate(tour):
        place[city] = index
    is_better = True
    while is_better:
        is_better = False
        for a in range(n):
            at = place[a]
            b = tour[(at + 1) % n]
            for c in near[a]:
                if far[a][c] >= far[a][b]:
                    break
                d = tour[(place[c] + 1) % n]
                if far[a][b] + far[c][d] - far[a][c] - far[b][d] > LEAST_GAIN:
                    low, high = sorted((at, place[c]))
                    tour[low + 1 : high + 1] = tour[low + 1 : high + 1][::-1]
                    for index in range(low + 1, high + 1):
                        place[tour[index]] = index
                    is_better = True
                    break


def answer(line: Callable[[], str]) -> str:
    """Read a map with `line`, which gives the next line, and give the answer's line."""
    cities = [tuple(map(int, line().split())) for _ in range(int(line()))]
    far = [[dist(one, other) for other in cities] for one in cities]
    tour = nearest_first(far)
    improve(tour, far)
    return " ".join(map(str, tour))


def make(seed: int, seat: int, n_seats: int) -> Callable[[LinesView], str]:  # noqa: ARG001 - there is nothing to draw
    """For playing in-process: give the bot of one game."""
    return lambda view: answer(iter(view.text.splitlines()).__next__)


if __name__ == "__main__":
    print(answer(input), flush=True)
