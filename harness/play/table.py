"""The table at which a worker's games are played: it keeps the players that may serve again.

Bots that can play several games (UCI) stay alive between them, at most `MAX_ALIVE`; the longest unused is ended
first. Everything it started ends with `close`.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.protocols.base import OpenChannel, Player
from harness.protocols.process import open_process
from harness.protocols.registry import build_player
from harness.records import BotSpec, Form, RulesSpec
from harness.referee.builtin import BuiltinReferee, build_referee

MAX_ALIVE = 10


class Table:
    """Players and referees of one worker, by what they were made from.

    Looked up by name and compared by identity first: a worker meets the same spec objects again and again.
    """

    def __init__(self, open_channel: OpenChannel = open_process) -> None:
        self._open = open_channel
        self._players: dict[str, tuple[BotSpec, Player]] = {}
        self._referee: tuple[RulesSpec, BuiltinReferee] | None = None

    def referee(self, spec: RulesSpec) -> BuiltinReferee:
        """Give the referee of a rule set, built once. Raises ParamError."""
        known = self._referee
        if known is None or (known[0] is not spec and known[0] != spec):
            known = self._referee = (spec, build_referee(spec))
        return known[1]

    def seat(self, lineup: Sequence[BotSpec], forms: Sequence[Form]) -> list[Player]:
        """Give the players of a lineup, alive or new; end those that have been idle longest."""
        return [self._player(spec, forms) for spec in lineup]

    def _player(self, spec: BotSpec, forms: Sequence[Form]) -> Player:
        players = self._players
        known = players.pop(spec.name, None)
        if known is not None and known[0] is not spec and known[0] != spec:
            known[1].close()
            known = None
        if known is None:
            known = (spec, build_player(spec, forms, self._open))
            if len(players) > MAX_ALIVE - 1:
                players.pop(next(iter(players)))[1].close()
        players[spec.name] = known
        return known[1]

    def close(self) -> None:
        """End every player."""
        while self._players:
            self._players.popitem()[1][1].close()
