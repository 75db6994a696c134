"""What a referee is: the authority on the rules of one game, whoever runs it.

A `RefereedGame` is driven ply by ply (`play/game.py`). A referee

"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from harness.records import Form, View
from harness.rules.base import Action, Outcome

__all__ = ["Action", "Outcome", "Referee", "RefereedGame"]


@dataclass(slots=True)
class RefereedGame:
    """One game in the referee's hands, as plain functions so that the loop pays for no extra call.

    They are those of `rules.base.Position`; `views[seat]()` is what that seat may see, in its protocol's form.
    `log` grows by one canonical action text for each action applied.
    """

    log: list[str]
    to_act: Callable[[], tuple[int, ...]]
    views: tuple[Callable[[], View], ...]
    parse: Callable[[int, str], Action]
    apply: Callable[[Mapping[int, Action], Sequence[int]], None]
    outcome: Callable[[], Outcome | None]
    draw: Callable[[], str]


class Referee(Protocol):
    """Starts games on the maps of seeds."""

    n_seats: int
    forms: tuple[Form, ...]

    def map_name(self, seed: int) -> str:
        """Name the map of `seed`."""

    def start(self, seed: int, forms: Sequence[Form]) -> RefereedGame:
        """Set up a game on the map of `seed`; `forms[seat]` is what the protocol in that seat speaks."""
