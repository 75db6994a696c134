"""The table at which a worker's games are played: it keeps the players that may serve again.

Bots that can play several games (UCI) stay alive between them, at most `MAX_IDLE` besides those that play; the
longest unused is ended first. Everything it started ends with `close`.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.protocols.base import OpenChannel, Player
from harness.protocols.process import open_process
from harness.protocols.registry import build_player
from harness.records import BotSpec, Form, RulesSpec
from harness.referee.builtin import BuiltinReferee, build_referee

MAX_IDLE = 8


class Table:
    """Players and referees of one worker, by what they were made from."""

    def __init__(self, open_channel: OpenChannel = open_process) -> None:
        self._open = open_channel
        self._players: dict[BotSpec, Player] = {}
        self._referees: dict[RulesSpec, BuiltinReferee] = {}

    def referee(self, spec: RulesSpec) -> BuiltinReferee:
        """Give the referee of a rule set, built once. Raises ParamError."""
        known = self._referees.get(spec)
        if known is None:
            known = self._referees[spec] = build_referee(spec)
        return known

    def seat(self, lineup: Sequence[BotSpec], forms: Sequence[Form]) -> list[Player]:
        """Give the players of a lineup, alive or new; end those that have been idle longest."""
        players = []
        for spec in lineup:
            player = self._players.pop(spec, None) or build_player(spec, forms, self._open)
            self._players[spec] = player
            players.append(player)
        while len(self._players) > MAX_IDLE + len(lineup):
            oldest = next(iter(self._players))
            self._players.pop(oldest).close()
        return players

    def close(self) -> None:
        """End every player."""
        while self._players:
            self._players.popitem()[1].close()
