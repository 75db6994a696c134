"""What a referee is: the authority on the rules of one game, whoever runs it. There are two kinds.

A `RefereedGame` is driven ply by ply (`play/game.py`): the referee is ours, or at least asks us for every action. A
`WholeReferee` is a program that plays games by itself and reports what came of them (`play/delegated.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from harness.records import BotSpec, Fault, Form, MapJob, Scalar, SeatRecord, View
from harness.rules.base import Action, Outcome

__all__ = ["Action", "Outcome", "Referee", "RefereedGame", "WholeGame", "WholeReferee"]


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


@dataclass(frozen=True, slots=True)
class WholeGame:
    """What a referee reported of a game that it played by itself.

    `scores` are points by seat as in `Outcome`, `values` the referee's own numbers, `detail` one line with names in
    it. `echo` is the seed that the referee says it played, None if it does not say. `actions` and `think_us` are
    there if lines went through our hands, each action as `SEAT LINE`.
    """

    scores: tuple[float, ...]
    values: tuple[float, ...] | None
    detail: str
    wall_ns: int
    faults: tuple[Fault, ...] = ()
    data: tuple[tuple[str, Scalar], ...] = ()
    disputed: tuple[tuple[str, tuple[Scalar, ...]], ...] = ()
    echo: str | None = None
    seats: tuple[SeatRecord, ...] = ()
    actions: tuple[str, ...] = ()
    think_us: tuple[int, ...] = ()


class WholeReferee(Protocol):
    """Plays whole games."""

    n_seats: int

    def map_name(self, seed: int) -> str:
        """Name the map of `seed`."""

    def play(self, job: MapJob, number: int, bots: Sequence[BotSpec], seeds: Sequence[int]) -> WholeGame:
        """Play game `number` of a job: `bots` by seat, with their own seeds.

        Raises VoidGame if nothing came of it, RefereeError and BotStartError if nothing will.
        """

    def close(self) -> None:
        """End and remove everything that belongs to it. Safe to call twice."""
