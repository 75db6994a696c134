"""A game in cg-brutaltester's old mode: we start the bots, the referee says what they are told and asked.

Clocks and containment of the bots are ours, as in any game. What goes wrong with the referee voids the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic_ns

from harness.errors import BotFault, BotStartError, RefereeError, StarvedFault, StarvedGame, VoidGame
from harness.play.clock import Clock, SeatClock, build_clocks
from harness.play.plies import PlyLog
from harness.play.recording import merged_data, seat_records
from harness.protocols.base import Channel, OpenChannel
from harness.protocols.codingame import CodingamePlayer
from harness.protocols.lines import LineReader, shown
from harness.protocols.whole import Ended
from harness.records import (
    BotSpec,
    Fault,
    FaultKind,
    Form,
    Isolation,
    Limits,
    LinesView,
    MapJob,
    RefereeSpec,
    ScoreOrder,
    TimeControl,
)
from harness.referee.base import WholeGame
from harness.referee.external import describe
from harness.referee.kept import keep_failure
from harness.referee.old_mode import SIGN, End, Input, Note, Output, opening, read_command
from harness.referee.points import points
from harness.referee.result import ResultProblem

_LINE_BYTES = 1 << 20
_QUIT_MS = 2_000
"""How long a referee that has said the places may take to end by itself: it may have a log to write."""

_MOST_SAID = 64 << 10
_REFEREE_LIMITS = Limits(stderr_kb=64, answer_kb=1 << 10, output_mb=1 << 10, open_files=1 << 16, file_mb=1 << 20)


class RelayReferee:
    """Plays games whose referee speaks the old mode; see `referee.base.WholeReferee`."""

    forms: tuple[Form, ...] = (Form.LINES,)

    def __init__(self, spec: RefereeSpec, open_channel: OpenChannel) -> None:
        self.spec = spec
        self.n_seats = spec.n_seats
        self._open = open_channel
        self._as_bot = BotSpec(
            name="referee",
            protocol="codingame",
            command=spec.command,
            cwd=spec.cwd,
            env=spec.env,
            limits=_REFEREE_LIMITS,
            isolation=Isolation.NONE,
        )
        self._players: dict[BotSpec, CodingamePlayer] = {}
        self._clocks: tuple[tuple[TimeControl, ...], tuple[Clock, ...]] | None = None

    @property
    def name(self) -> str:
        """Name the referee for people."""
        return describe(self.spec)

    def map_name(self, seed: int) -> str:
        """Name the map of `seed`."""
        del seed
        return "the referee's" if self.spec.is_paired else "one for each game"

    def play(self, job: MapJob, number: int, bots: Sequence[BotSpec], seeds: Sequence[int]) -> WholeGame:
        """Play one game; see `referee.base.WholeReferee`. Raises StarvedGame as `play_game` does."""
        players = [self._players.setdefault(bot, CodingamePlayer(bot, self._open)) for bot in bots]
        clocks = build_clocks([bot.time or job.time for bot in bots], [player.cpu_ns for player in players])
        for clock in clocks:
            clock.begin_game()
        try:
            try:
                channel = self._open(self._as_bot, 0)
            except BotStartError as error:
                raise RefereeError("the referee does not start", got=error.got, next_step=error.next_step) from None
            quit_ms = 0
            try:
                for seat, player in enumerate(players):
                    player.begin_game(seeds[seat], seat, len(bots))
                for player in players:
                    player.settle()
                game = _Relay(self.spec, job, channel, players, clocks)
                try:
                    whole = game.play(bots)
                except (ResultProblem, BotFault) as error:
                    raise self._void(job, number, game, channel, error) from None
                quit_ms = 0 if whole.faults else _QUIT_MS
                return whole
            finally:
                channel.close(quit_ms)
        finally:
            for player in players:
                player.end_game()

    def _void(
        self, job: MapJob, number: int, game: _Relay, channel: Channel, error: ResultProblem | BotFault
    ) -> VoidGame:
        """Keep what was said and make the error of a referee that failed."""
        why = str(error) if isinstance(error, ResultProblem) else error.detail
        said = bytes(game.said[-_MOST_SAID:])
        ended = Ended(0, said, channel.stderr_tail().encode(), monotonic_ns() - game.began_ns, 0.0)
        again = f"harness play CONFIG --job {job.id}"
        kept = keep_failure(self.spec.folder, job, number, again, ended, (), why)
        where = f"; what it said is in {kept}" if kept else f"; it said last: {shown(said[-100:])}"
        return VoidGame(f"the referee failed: {why}{where}; see it again with: {again}")

    def close(self) -> None:
        """End everything. Safe to call twice."""
        for player in self._players.values():
            player.close()
        self._players.clear()


class _Relay:
    """One game: lines from the referee to the bots and back."""

    def __init__(
        self,
        spec: RefereeSpec,
        job: MapJob,
        channel: Channel,
        players: Sequence[CodingamePlayer],
        clocks: Sequence[Clock],
    ) -> None:
        self._job = job
        self._n_seats = len(players)
        self._channel = channel
        self._lines = LineReader(channel, _LINE_BYTES)
        self._players = players
        self._clocks = clocks
        self._seed_words = spec.seed
        self.began_ns = monotonic_ns()
        self._deadline_ns = self.began_ns + int(spec.time_limit_s * 1e9)
        self._waiting = [""] * self._n_seats
        self._actions: list[str] = []
        self._plies = PlyLog()
        self._faults: list[Fault] = []
        self._notes: list[Note] = []
        self.said = bytearray()
        """The end of what the referee said."""

    def play(self, bots: Sequence[BotSpec]) -> WholeGame:
        """Play to the end. Raises ResultProblem and, of the referee, BotFault."""
        first = opening(self._seed_words, self._job.seed, self._n_seats)
        self._channel.write(first.encode(), self._deadline_ns)
        places: tuple[float, ...] | None = None
        listener: int | None = None
        while places is None and not (self._faults and self._n_seats == 2):
            line = self._read()
            if not line.startswith(SIGN):
                if listener is not None:
                    self._waiting[listener] += line + "\n"
                continue
            command = read_command(line, self._n_seats)
            listener = None
            match command:
                case Input(seat):
                    listener = seat
                case Output(seat, n_lines):
                    self._channel.write(self._ask(seat, n_lines).encode() + b"\n", self._deadline_ns)
                case Note():
                    self._notes.append(command)
                case End():
                    places = command.places
        return self._game(bots, places)

    def _read(self) -> str:
        line = self._lines.read_line(self._deadline_ns)
        self.said += line + b"\n"
        if len(self.said) > 2 * _MOST_SAID:
            del self.said[:-_MOST_SAID]
        return line.decode("utf-8", "backslashreplace")

    def _ask(self, seat: int, n_lines: int) -> str:
        """Give a bot what waits for it and get its lines; blank ones of a bot that has forfeited."""
        text, self._waiting[seat] = self._waiting[seat], ""
        if any(fault.seat == seat for fault in self._faults):
            return "\n" * (n_lines - 1)
        player, clock = self._players[seat], self._clocks[seat]
        try:
            answer = player.ask(LinesView(text, n_lines), clock.budget())
            if not isinstance(clock, SeatClock):
                clock.charge(player.think_ns)
        except BotFault as fault:
            self._forfeit(seat, fault)
            return "\n" * (n_lines - 1)
        self._plies.add(seat, player.think_ns, b"")
        self._actions.append(f"{seat} {answer}")
        return answer

    def _forfeit(self, seat: int, fault: BotFault) -> None:
        ply = len(self._actions)
        is_starved = isinstance(fault, StarvedFault)
        if is_starved and self._job.voids_starved:
            raise StarvedGame(f"seat {seat}, ply {ply}: {fault.detail}") from fault
        self._faults.append(
            Fault(
                seat=seat,
                kind=FaultKind(fault.kind),
                ply=ply,
                detail=fault.detail,
                stderr=self._players[seat].stderr_tail(),
                starved_ms=round(fault.waited_ms, 1) if isinstance(fault, StarvedFault) else None,
            )
        )

    def _game(self, bots: Sequence[BotSpec], places: tuple[float, ...] | None) -> WholeGame:
        wall_ns = monotonic_ns() - self.began_ns
        at_fault = [fault.seat for fault in self._faults]
        usages = [player.usage() for player in self._players]
        data, disputed = merged_data(usages)
        words = [f"{bots[fault.seat].name} forfeits" for fault in self._faults]
        words += [f"{bots[note.seat].name}: {shown(note.text)}" for note in self._notes[-self._n_seats :]]
        values = None if places is None else tuple([place + 1 for place in places])
        if values is not None and not words:
            words = ["places " + " : ".join(f"{value:g}" for value in values)]
        return WholeGame(
            scores=points(places or (0.0,) * self._n_seats, ScoreOrder.RANKS, at_fault),
            values=values,
            detail="; ".join(words),
            wall_ns=wall_ns,
            faults=tuple(self._faults),
            data=data,
            disputed=disputed,
            seats=seat_records(self._plies, self._players, usages),
            actions=tuple(self._actions),
            think_us=self._plies.think_us(),
        )
