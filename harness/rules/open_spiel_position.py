"""One game of OpenSpiel in play. Knows nothing of parameters (`open_spiel`); the library's state is all it holds.

Chance is drawn event by event: the k-th of a game takes the k-th number of the map's stream, whatever was played.
So both seatings meet the same chance, as far as a game that branches has the same. A seat is shown what the library
calls its own, and nothing of the state besides, unless the game hides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import IllegalAction
from harness.records import Form, StateView, Termination, View
from harness.rules.base import Action, Outcome
from harness.seeding import child_seed

_TRIES = 100
"""How often an opening is drawn before the game is taken from fewer plies, if it is over each time."""

_SCALE = 2.0**-63
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Setup:
    """What all games of one rule set share.

    `game` is the game with its parameters as the library writes it, but never with the map's seed, from which hidden
    cards would follow. `tensor` names a method of the library's states, "" for none.
    """

    name: str
    game: str
    random_plies: int
    shows_history: bool
    shows_information: bool
    shows_observation: bool
    tensor: str


class SpielPosition:
    """One game: a state of the library, moved on until somebody has to act."""

    __slots__ = ("_act", "_legal", "_n_chance", "_outcome", "_seed", "_setup", "_state", "log", "opening")

    def __init__(self, game: Any, setup: Setup, seed: int) -> None:
        self._setup = setup
        self._seed = seed
        self._outcome: Outcome | None = None
        self.log: list[str] = []
        self.opening: list[str] = []
        """The plies that belong to the map, as the library writes them."""
        n_plies = setup.random_plies
        while True:
            if any(self._open(game, n_plies, attempt) for attempt in range(_TRIES)):
                return
            n_plies -= 1

    def _open(self, game: Any, n_plies: int, attempt: int) -> bool:
        """Begin the game with `n_plies` drawn at random; False if it is over by then."""
        self._state = game.new_initial_state()
        self._n_chance = 0
        self.opening = []
        self._settle()
        for ply in range(n_plies):
            drawn = {}
            for seat in self._act:
                legal = self._state.legal_actions(seat)
                drawn[seat] = legal[child_seed("open_spiel ply", self._seed, attempt, ply, seat) % len(legal)]
                self.opening.append(_printable(self._state.action_to_string(seat, drawn[seat])))
            if not drawn:
                break
            self._play(drawn)
        return bool(self._act) or n_plies == 0

    # --------------------------------------------------------------------------------- moving on

    def _play(self, actions: Mapping[int, int]) -> None:
        state = self._state
        if state.is_simultaneous_node():
            state.apply_actions([actions.get(seat, 0) for seat in range(state.num_players())])
        else:
            state.apply_action(actions[self._act[0]])
        self._settle()

    def _settle(self) -> None:
        """Draw chance until somebody has to act or the game is over."""
        state = self._state
        while state.is_chance_node():
            state.apply_action(self._draw(state.chance_outcomes()))
        self._legal: dict[int, dict[str, int]] = {}
        if state.is_terminal():
            self._act: tuple[int, ...] = ()
        elif state.is_simultaneous_node():
            self._act = tuple([seat for seat in range(state.num_players()) if state.legal_actions(seat)])
        else:
            self._act = (state.current_player(),)

    def _draw(self, outcomes: Sequence[tuple[int, float]]) -> int:
        """Draw one of the outcomes by the next number of the map's stream."""
        left = child_seed("open_spiel chance", self._seed, self._n_chance) * _SCALE
        self._n_chance += 1
        for outcome, probability in outcomes:
            left -= probability
            if left < 0:
                return outcome
        return next(outcome for outcome, probability in reversed(outcomes) if probability > 0)

    # ------------------------------------------------------------------------------------ as rules

    def to_act(self) -> tuple[int, ...]:
        """Give the seats that act now."""
        return self._act

    def view(self, seat: int, form: Form) -> View:
        """Show what the library says that a seat may see, and what it may do."""
        if form is not Form.STATE:
            raise ValueError(f"OpenSpiel's games show themselves as state, not as {form}")
        setup, state = self._setup, self._state
        legal = state.legal_actions(seat)
        shown: dict[str, object] = {
            "rules": setup.name,
            "game": setup.game,
            "seat": seat,
            "seats": state.num_players(),
            "legal": [str(action) for action in legal],
            "names": [state.action_to_string(seat, action) for action in legal],
        }
        if setup.shows_observation:
            shown["observation"] = state.observation_string(seat)
        if setup.shows_information:
            shown["information"] = state.information_state_string(seat)
        if setup.shows_history:
            shown["history"] = state.history()
        if setup.tensor:
            shown["tensor"] = getattr(state, setup.tensor)(seat)
        return StateView(shown)

    def parse(self, seat: int, text: str) -> int:
        """Read an action: its number, or what the library calls it."""
        known = self._legal.get(seat)
        if known is None:
            legal = self._state.legal_actions(seat)
            known = {self._state.action_to_string(seat, action): action for action in reversed(legal)}
            known |= {str(action): action for action in legal}
            self._legal[seat] = known
        action = known.get(text)
        if action is None:
            action = known.get(text.strip())
            if action is None:
                shown = ascii(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
                some = ", ".join(self.legal(seat)[:10])
                raise IllegalAction(f"{shown} is not legal here; legal: {some}{' …' if len(known) > 20 else ''}")
        return action

    def legal(self, seat: int) -> list[str]:
        """List all legal actions of a seat, as numbers."""
        return [str(action) for action in self._state.legal_actions(seat)] if seat in self._act else []

    def apply(self, actions: Mapping[int, Action], forfeits: Sequence[int] = ()) -> None:
        """Make the turn. A forfeit ends the game, also for more than two: no library can play on without a seat."""
        if forfeits:
            self._forfeit(forfeits)
            return
        chosen: dict[int, int] = {}
        for seat in self._act:
            action = actions[seat]
            assert isinstance(action, int)
            chosen[seat] = action
            self.log.append(str(action))
        self._play(chosen)

    def _forfeit(self, forfeits: Sequence[int]) -> None:
        """Who forfeits shares the last place, the others the first."""
        n_seats, n_out = self._state.num_players(), len(forfeits)
        below = (n_out - 1) / 2
        above = n_out + (n_seats - n_out - 1) / 2
        out = [seat in forfeits for seat in range(n_seats)]
        scores = [(below if is_out else above) / (n_seats - 1) if n_seats > 1 else 0.0 for is_out in out]
        detail = "; ".join(f"{{{seat}}} forfeited" for seat in sorted(forfeits))
        self._outcome = Outcome(tuple(scores), Termination.FORFEIT, detail)
        self._act = ()

    def outcome(self) -> Outcome | None:
        """Give the returns as values, and the points that follow from them."""
        if self._outcome is not None or not self._state.is_terminal():
            return self._outcome
        returns = tuple([float(value) for value in self._state.returns()])
        told = ", ".join(f"{{{seat}}} {value:g}" for seat, value in enumerate(returns))
        self._outcome = Outcome(_points(returns), Termination.NORMAL, f"returns: {told}", returns)
        return self._outcome

    def draw(self) -> str:
        """Draw the whole state, hidden parts included, as the library does."""
        text = str(self._state).strip("\n")
        return text if text.strip() else self._state.history_str() or "the start"


def _points(returns: Sequence[float]) -> tuple[float, ...]:
    """Give each seat the share of the others that have less than it, ties ½."""
    if len(returns) == 1:
        return (1.0,)
    n_others = len(returns) - 1
    ranks = [sum([(own > value) + (own == value) / 2 for value in returns]) - 0.5 for own in returns]
    return tuple([rank / n_others for rank in ranks])


def _printable(text: str) -> str:
    """Make one word of text of the library's, without what cannot be printed."""
    return "".join(char if char.isprintable() and not char.isspace() else "_" for char in text)
