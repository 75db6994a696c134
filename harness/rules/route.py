"""Route: a score contest for one seat. Visit all cities and come back; the score is the length, and less is better.

The travelling salesman's problem in the plane, in one ply: the map is shown, a tour comes back. It is here to exercise
score contests with something that everybody knows. docs/rules/route.md gives parameters and protocol to the letter.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from harness.errors import IllegalAction
from harness.records import Form, LinesView, Objective, StateView, Termination, View
from harness.rules.base import Action, Outcome, ParamError, ReadText, check_known
from harness.seeding import child_seed

SIDE = 1_000
"""Cities lie on whole coordinates from 0 to this, both ways."""

MIN_CITIES, MAX_CITIES = 5, 2_000
_LENGTH_DIGITS = 6
"""Lengths are rounded, so that the last bit of a machine's square root decides nothing."""

_PICTURE_WIDTH, _PICTURE_HEIGHT = 50, 20
_WORD = 12
"""A city's number has fewer characters; a longer word is no number, and is not turned into one."""

City = tuple[int, int]


class Route:
    """The rule set: makes the map of any seed."""

    name: ClassVar[str] = "route"
    objective: ClassVar[Objective] = Objective.MINIMISE
    seats = 1
    forms: tuple[Form, ...] = (Form.LINES, Form.STATE)

    def __init__(self, least: int, most: int, *, is_one_line: bool) -> None:
        self._least = least
        self._most = most
        self._is_one_line = is_one_line

    def start(self, seed: int) -> RoutePosition:
        """Make the cities of `seed`, all different."""
        random = Random(child_seed("route", seed))
        n_cities = random.randint(self._least, self._most)
        cities: dict[City, None] = {}
        while len(cities) < n_cities:
            cities[random.randint(0, SIDE), random.randint(0, SIDE)] = None
        return RoutePosition(tuple(cities), is_one_line=self._is_one_line)

    def map_name(self, seed: int) -> str:
        """Name the map by its number of cities."""
        return f"{Random(child_seed('route', seed)).randint(self._least, self._most)} cities"


class RoutePosition:
    """One map, before and after its tour."""

    __slots__ = ("_cities", "_failed", "_is_one_line", "_tour", "log")

    def __init__(self, cities: tuple[City, ...], *, is_one_line: bool) -> None:
        self._cities = cities
        self._is_one_line = is_one_line
        self._tour: tuple[int, ...] | None = None
        self._failed = False
        self.log: list[str] = []

    def to_act(self) -> tuple[int, ...]:
        """Give the only seat, once."""
        return () if self._failed or self._tour is not None else (0,)

    def view(self, seat: int, form: Form) -> View:  # noqa: ARG002 - there is one seat
        """Show the number of cities and their places, a line each, or the same as a mapping."""
        if form is Form.STATE:
            return StateView({"cities": [list(city) for city in self._cities]})
        if form is not Form.LINES:
            raise ValueError(f"route has no form {form}")
        lines = "".join([f"{x} {y}\n" for x, y in self._cities])
        return LinesView(f"{len(self._cities)}\n{lines}", 1 if self._is_one_line else len(self._cities))

    def parse(self, seat: int, text: str) -> tuple[int, ...]:  # noqa: ARG002 - there is one seat
        """Read a tour: every city's number once, in the order of the visits."""
        n_cities = len(self._cities)
        words = text.split()
        if len(words) != n_cities:
            raise IllegalAction(f"a tour names each of the {n_cities} cities once, here are {len(words)} words")
        tour = []
        seen = bytearray(n_cities)
        for place, word in enumerate(words, 1):
            city = int(word) if len(word) < _WORD and word.isascii() and word.isdigit() else -1
            if not 0 <= city < n_cities:
                raise IllegalAction(f"word {place} of the tour is no city from 0 to {n_cities - 1}: {word[:20]!a}")
            if seen[city]:
                raise IllegalAction(f"the tour visits city {city} twice; the second time is word {place}")
            seen[city] = 1
            tour.append(city)
        return tuple(tour)

    def legal(self, seat: int) -> list[str]:  # noqa: ARG002 - there is one seat
        """Give some tours: in the order of the numbers, backwards, from west to east."""
        order = list(range(len(self._cities)))
        tours = (order, order[::-1], sorted(order, key=lambda city: self._cities[city]))
        return list(dict.fromkeys(_text(tour) for tour in tours))

    def apply(self, actions: Mapping[int, Action], forfeits: Sequence[int] = ()) -> None:
        """Take the tour, or end without one."""
        if forfeits:
            self._failed = True
            return
        tour = actions[0]
        assert isinstance(tour, tuple)
        self._tour = tour
        self.log.append(_text(tour))

    def outcome(self) -> Outcome | None:
        """Give the length of the tour as the seat's value."""
        if self._failed:
            return Outcome((0.0,), Termination.FORFEIT, "{0} gave no tour")
        if self._tour is None:
            return None
        length = self.length(self._tour)
        return Outcome((1.0,), Termination.NORMAL, f"{{0}} made a tour of {length:.6g}", (length,))

    def length(self, tour: Sequence[int]) -> float:
        """Give the length of a tour, back to where it began."""
        places = [self._cities[city] for city in tour]
        steps = [math.dist(a, b) for a, b in zip(places, [*places[1:], places[0]], strict=True)]
        return round(math.fsum(steps), _LENGTH_DIGITS)

    def draw(self) -> str:
        """Draw the cities as dots; a cell with several shows how many."""
        rows = [[0] * _PICTURE_WIDTH for _ in range(_PICTURE_HEIGHT)]
        for x, y in self._cities:
            rows[y * _PICTURE_HEIGHT // (SIDE + 1)][x * _PICTURE_WIDTH // (SIDE + 1)] += 1
        lines = ["".join([" .23456789+"[min(n, 10)] for n in row]).rstrip() for row in rows]
        tour = "no tour" if self._tour is None else f"tour {_text(self._tour)}"
        return "\n".join([f"{len(self._cities)} cities, {tour}", *lines])


def _text(tour: Sequence[int]) -> str:
    return " ".join(map(str, tour))


def build(params: Mapping[str, object], read_text: ReadText) -> Route:  # noqa: ARG001 - needs no file
    """Build the rule set from its parameters (docs/rules/route.md). Raises ParamError for a wrong one."""
    check_known(params, ("cities", "answer"), Route.name)
    answer = params.get("answer", "line")
    if answer not in ("line", "lines"):
        raise ParamError("answer", answer, "line (all numbers in one), lines (a number in each)")
    cities = params.get("cities", 100)
    ends = cities if isinstance(cities, tuple | list) else (cities, cities)
    are_whole = all(isinstance(end, int) and not isinstance(end, bool) for end in ends)
    if len(ends) != 2 or not are_whole or not MIN_CITIES <= ends[0] <= ends[1] <= MAX_CITIES:
        allowed = f"a whole number from {MIN_CITIES} to {MAX_CITIES}, or two as [least, most]"
        raise ParamError("cities", list(cities) if isinstance(cities, tuple) else cities, allowed)
    return Route(ends[0], ends[1], is_one_line=answer == "line")
