"""Plays a game by a fixed pseudo-random choice among legal actions: the driver under the conformance kit and goldens.

The choice hashes its place in the game, so it is the same on every machine and needs no random state.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.rules.base import Action, Position
from harness.seeding import child_seed


def choose(position: Position, seat: int, turn: int, salt: int) -> str:
    """Choose one of `position.legal(seat)`; another `salt` gives another game."""
    legal = position.legal(seat)
    return legal[child_seed("playout", salt, turn, seat) % len(legal)]


def play_turn(position: Position, turn: int, salt: int, forfeits: Sequence[int] = ()) -> dict[int, str]:
    """Make one turn, in which the seats of `forfeits` have no action, and give the text of the others' actions."""
    texts = {seat: choose(position, seat, turn, salt) for seat in position.to_act() if seat not in forfeits}
    actions: dict[int, Action] = {seat: position.parse(seat, text) for seat, text in texts.items()}
    position.apply(actions, tuple(forfeits))
    return texts
