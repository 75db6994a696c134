"""The table at which a worker's games are played: it keeps the players that may serve again.

Bots that can play several games (UCI) stay alive between them, at most `MAX_ALIVE`; the longest unused is ended
first. Everything it started ends with `close`.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.play.clock import build_clocks
from harness.protocols.base import OpenChannel, Player, Setting
from harness.protocols.process import open_process
from harness.protocols.registry import build_player
from harness.records import BotSpec, Form, MapJob, RefereeMode, RefereeSpec, RulesSpec
from harness.referee.base import WholeReferee
from harness.referee.builtin import BuiltinReferee, build_referee
from harness.referee.external import ExternalReferee

MAX_ALIVE = 10


class Seats:
    """Who sits where in one game of a job, with their clocks: what stays the same from map to map."""

    __slots__ = ("clocks", "forms", "game_clocks", "hearers", "lineup", "names", "players", "starters")

    def __init__(self, job: MapJob, seating: Sequence[int], players: Sequence[Player]) -> None:
        self.players = tuple([players[index] for index in seating])
        self.forms = tuple([player.form for player in self.players])
        self.lineup = tuple([bot.name for bot in job.lineup])
        """The names of all bots of the lineup, in its order; `names` has them by seat."""
        self.names = tuple([job.lineup[index].name for index in seating])
        controls = [job.lineup[index].time or job.time for index in seating]
        hearers = [getattr(player, "hear_result", None) for player in self.players]
        self.hearers = tuple([hear for hear in hearers if hear is not None])
        """Take the scores of each game, for the bots that are told of them."""
        self.clocks = build_clocks(controls, [player.cpu_ns for player in self.players])
        self.game_clocks = tuple([clock for clock in self.clocks if clock.differs_from_ply_to_ply])
        """Clocks that have to be told when a game begins."""
        self.starters = tuple([player for player in self.players if not player.keeps_alive])
        """Bots that start for each game, and have to settle before it."""


class Table:
    """Players and referees of one worker, by what they were made from.

    Looked up by name and compared by identity first: a worker meets the same spec objects again and again.
    """

    def __init__(self, open_channel: OpenChannel = open_process) -> None:
        self._open = open_channel
        self._players: dict[str, tuple[BotSpec, Player]] = {}
        self._referee: tuple[RulesSpec, BuiltinReferee] | None = None
        self._whole: tuple[RefereeSpec, WholeReferee] | None = None
        self._seated: MapJob | None = None
        self._seats: tuple[list[Player], tuple[Seats, ...]] = ([], ())

    def referee(self, spec: RulesSpec) -> BuiltinReferee:
        """Give the referee of a rule set, built once. Raises ParamError."""
        known = self._referee
        if known is None or (known[0] is not spec and known[0] != spec):
            known = self._referee = (spec, build_referee(spec))
        return known[1]

    def whole_referee(self, spec: RefereeSpec) -> WholeReferee:
        """Give the external referee of a spec, built once; it is ended with this table."""
        known = self._whole
        if known is None or (known[0] is not spec and known[0] != spec):
            if known is not None:
                known[1].close()
            known = self._whole = (spec, self._build_whole(spec))
        return known[1]

    def _build_whole(self, spec: RefereeSpec) -> WholeReferee:
        if spec.mode is not RefereeMode.OLD:
            return ExternalReferee(spec)
        from harness.play.relay import RelayReferee  # noqa: PLC0415 - it stands on `map`, which stands on this module

        return RelayReferee(spec, self._open)

    def seat(self, job: MapJob, forms: Sequence[Form]) -> tuple[Seats, ...]:
        """Seat a job's bots, alive or new, for each of its games; end those that have been idle longest."""
        last = self._seated
        if (
            last is not None
            and last.lineup is job.lineup
            and last.seatings is job.seatings
            and last.rules is job.rules
            and last.time is job.time
        ):
            return self._seats[1]
        if (
            last is not None
            and (last.rules is not job.rules or last.time is not job.time)
            and (last.rules != job.rules or last.time != job.time)
        ):
            self.close()  # players were told what is played
        players = [self._player(spec, forms, job) for spec in job.lineup]
        if (
            last is None
            or last.lineup is not job.lineup
            or last.seatings is not job.seatings
            or last.time is not job.time
            or self._seats[0] != players
        ):
            self._seats = players, tuple([Seats(job, seating, players) for seating in job.seatings])
        self._seated = job
        return self._seats[1]

    def _player(self, spec: BotSpec, forms: Sequence[Form], job: MapJob) -> Player:
        players = self._players
        known = players.pop(spec.name, None)
        if known is not None and known[0] is not spec and known[0] != spec:
            known[1].close()
            known = None
        if known is None:
            known = (spec, build_player(spec, forms, self._open, Setting(job.rules, spec.time or job.time)))
            if len(players) > MAX_ALIVE - 1:
                players.pop(next(iter(players)))[1].close()
        players[spec.name] = known
        return known[1]

    def close(self) -> None:
        """End every player."""
        while self._players:
            self._players.popitem()[1][1].close()
        if self._whole is not None:
            self._whole[1].close()
            self._whole = None
