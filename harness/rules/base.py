"""What a rule set is: `Rules` makes maps from seeds, a `Position` is one game's state under them.

Rules are pure: no I/O, no clock, no global random state. All chance follows from the map's seed, so the second
seating meets the same dice. A rule set that needs a file's content (an opening book) is handed a `ReadText`.

The life of a position, as the built-in referee lives it:

    position = rules.start(seed)
    while seats := position.to_act():
        actions = {}
        for seat in seats:                       # one seat, or several that move at once
            view = position.view(seat, form)     # what this seat may see
            actions[seat] = position.parse(seat, text)   # IllegalAction if the rules refuse it
        position.apply(actions, forfeits)        # seats in `forfeits` have no action
    position.outcome()
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from harness.records import Form, Termination, View

Action = object
"""A parsed action. Only the position that parsed it looks inside; `str(text)` of it is in `Position.log`."""

ReadText = Callable[[str], str]
"""Gives the text of a file named in the config, relative to the config's folder. Raises OSError."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended.

    `scores` are per seat in points: win 1, draw ½, loss 0; with n seats the share of opponents beaten, ties ½.
    They always sum to n/2 (n > 1). With one seat: 1 for a result, which is in `values`, and 0 for none.
    `detail` is one line; `{0}`, `{1}` … stand for the bots in those seats.
    `values` are the rules' own numbers per seat, where they have some (cells, points, chips).
    """

    scores: tuple[float, ...]
    termination: Termination
    detail: str
    values: tuple[float, ...] | None = None


class ParamError(ValueError):
    """A parameter of a rule set is wrong. The caller knows the file and line and makes a ConfigError of it.

    `what` replaces the usual "not what these rules take", `next_step` says what to do, where that is not plain.
    """

    def __init__(self, key: str, got: object, allowed: str, *, what: str = "", next_step: str | None = None) -> None:
        super().__init__(f"{key}: {f'{what}; ' if what else ''}got {_as_written(got)!r}, allowed: {allowed}")
        self.key = key
        self.got = got
        self.got_text = repr(_as_written(got))
        """What was got, as the config has it."""
        self.allowed = allowed
        self.what = what
        self.next_step = next_step


def _as_written(value: object) -> object:
    """Give a parameter with the lists that the config has; they come as tuples, so that nobody can change them."""
    return [_as_written(item) for item in value] if isinstance(value, tuple) else value


class Position(Protocol):
    """One game's state. Owned by one game, changed only by `apply`."""

    log: list[str]
    """Every action so far as canonical text, in the order applied (by seat within a turn)."""

    def to_act(self) -> tuple[int, ...]:
        """Give the seats that act now: one, or several that move at once; empty when the game is over."""

    def view(self, seat: int, form: Form) -> View:
        """Show what `seat` may see. Called once a ply for a seat that acts; `form` is one of `Rules.forms`."""

    def parse(self, seat: int, text: str) -> Action:
        """Read an answer. Raises IllegalAction, with a reason, if it is unreadable or against the rules."""

    def legal(self, seat: int) -> list[str]:
        """Give some or all legal actions of a seat that acts, as text. For tests and replays; not on the hot path."""

    def apply(self, actions: Mapping[int, Action], forfeits: Sequence[int] = ()) -> None:
        """Make the turn. Every seat of `to_act` is in exactly one of `actions` and `forfeits`.

        Seats that forfeit in one turn share the last place among those still playing, below any who lose by
        the rules in that turn. With two seats the game is then over; with more the rest may play on.
        """

    def outcome(self) -> Outcome | None:
        """Say how the game ended; None while it goes on."""

    def draw(self) -> str:
        """Draw the state for a person in a terminal: monospaced lines, no colour."""


class Rules(Protocol):
    """A rule set with its parameters: makes the map of any seed.

    A rule set may have a `map_properties(seed)`, which gives pairs of a key and a number or text: what results are
    filtered and grouped by (`harness show --where`). Called once a map; the same seed gives the same pairs.
    """

    name: ClassVar[str]
    seats: int
    forms: tuple[Form, ...]
    """Forms in which positions show themselves; the first is what in-process bots get unless they say."""

    def start(self, seed: int) -> Position:
        """Make the map of `seed` and the position at its start. Same seed, same map, always."""

    def map_name(self, seed: int) -> str:
        """Name the map of `seed` in a few words for records and tables ("ring 20x20", "B90 e2e4 …")."""


RulesFactory = Callable[[Mapping[str, object], ReadText], Rules]
"""Builds a rule set from its parameters. Raises ParamError for an unknown or wrong one."""

__all__ = [
    "Action",
    "Outcome",
    "ParamError",
    "Position",
    "ReadText",
    "Rules",
    "RulesFactory",
]


def check_known(params: Mapping[str, object], known: Sequence[str], rules: str) -> None:
    """Refuse parameters that a rule set does not have. Raises ParamError naming the known ones."""
    for key in params:
        if key not in known:
            raise ParamError(key, params[key], f"{rules} has: {', '.join(known)}")
