"""CECP, the protocol of xboard and WinBoard, version 2: for chess.

The engine keeps the position, so a ply is the clocks and the opponent's move. It is kept over games if it has `ping`,
by which it says that it has done all it was told, and has not said `reuse=0`. After a time-out it is told `?` and
waited for, bounded; one that does not move then is ended and started afresh.

What an engine says of the result is its own view: a claim that it has lost is a resignation; any other claim made while
the game goes on by the rules is against them. Draw offers are not passed on.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic_ns
from typing import NoReturn

from harness.errors import BotFault, StarvedFault
from harness.protocols.base import NS_PER_MS, Budget, Channel, OpenChannel
from harness.protocols.lines import LineReader, recall, shown
from harness.protocols.player import ProgramPlayer
from harness.protocols.start_errors import start_error
from harness.protocols.xboard_features import COMMANDS, Features, OptionError
from harness.protocols.xboard_lines import (
    Castlings,
    clock_commands,
    complains_of,
    edit_commands,
    find_claim,
    find_move,
    info_line,
    is_thought,
    time_commands,
)
from harness.records import RESIGN, BotSpec, FaultKind, Form, MovesView, View

STARTPOS = "startpos"
_LOST = ("0-1", "1-0")
_RESULTS: dict[tuple[float, ...], str] = {(1.0, 0.0): "1-0", (0.0, 1.0): "0-1", (0.5, 0.5): "1/2-1/2"}
_NUDGE_NS = 100 * NS_PER_MS
"""An engine that is silent for so long while it has something to answer is sent an empty line."""

_SETTINGS = ("st ", "sd ", "level ", "setboard ", "variant ", "edit")
"""Commands that a game cannot do without: an engine that complains of one is not started."""


class XboardPlayer(ProgramPlayer):
    """A CECP engine in a seat. See `protocols.base.Player` for the calls."""

    form = Form.MOVES
    rules = ("chess",)
    keeps_alive = True
    in_process = False
    farewell = b"quit\n"

    __slots__ = (
        "_asked",
        "_budget",
        "_castlings",
        "_channel",
        "_features",
        "_is_thinking",
        "_n_known",
        "_n_pings",
        "_open",
        "_reader",
        "_result",
        "_seat",
        "_spec",
        "_view",
        "identity",
        "said",
        "think_ns",
    )

    def __init__(self, spec: BotSpec, open_channel: OpenChannel) -> None:
        self._spec = spec
        self._open = open_channel
        self._channel: Channel | None = None
        self._reader: LineReader | None = None
        self._features = Features()
        self._view: MovesView | None = None
        self._budget: Budget | None = None
        self._castlings: Castlings | None = None
        self._n_known = 0  # of the view's moves, so many are on the engine's board
        self._n_pings = 0
        self._seat = 0
        self._asked = ""
        self._is_thinking = False
        self._result = "*"
        self.think_ns = 0
        self.said = b""
        self.identity = ""

    # ------------------------------------------------------------------------------- starting, ending

    def start(self, seed: int) -> None:
        """Start the engine, hear its features, set its options. Raises BotStartError, StarvedGame."""
        self.close()
        self._channel = channel = self._open(self._spec, seed)
        self._reader = LineReader(channel, self._spec.limits.answer_kb * 1024)
        self._is_thinking = False
        self._features = features = Features()
        limit_ms = self._spec.limits.handshake_ms
        deadline_ns = monotonic_ns() + limit_ms * NS_PER_MS
        try:
            channel.write(b"xboard\nprotover 2\n", deadline_ns)
            self._hear_features(features, deadline_ns)
            self.identity = shown(features.name)
            lines = [features.option_command(name, value) for name, value in self._spec.options if name != COMMANDS]
            self._say(lines, deadline_ns)
            channel.usage()  # what it used to start is none of a game's
        except OptionError as error:
            self._refuse(str(error))
        except BotFault as fault:
            self._give_up(
                f"it did not answer `protover 2` with `feature … done=1` within {limit_ms} ms ({fault.detail})", fault
            )
        except BaseException:
            self.close()
            raise

    def _hear_features(self, features: Features, deadline_ns: int) -> None:
        """Read features until they are done, answering each. One that never says `done` is waited for to the end."""
        channel = self._channel
        assert channel
        try:
            while not features.is_done:
                line = self._read_nudging(deadline_ns)
                if line.startswith(b"feature "):
                    channel.write(features.read(line.decode("utf-8", "replace")).encode(), deadline_ns)
        except BotFault as fault:
            is_old_way = fault.kind is FaultKind.TIMEOUT and features.is_any and not features.is_waiting
            if not is_old_way or isinstance(fault, StarvedFault):
                raise

    def _say(self, lines: list[str], deadline_ns: int, moves: Sequence[str] = ()) -> bytes:
        """Say lines and wait until the engine has done them, if it can tell. Raises BotFault, BotStartError.

        Gives its complaint about one of the `moves` that are among the lines, if it has one.
        """
        refused = b""
        channel = self._channel
        assert channel
        text = "".join(lines)
        if not self._features.can_ping:
            channel.write(text.encode(), deadline_ns)
            return refused
        self._n_pings += 1
        channel.write(f"{text}ping {self._n_pings}\n".encode(), deadline_ns)
        pong = b"pong %d" % self._n_pings
        while (line := self._read_nudging(deadline_ns).rstrip()) != pong:
            for command in lines:
                if self._is_needed(command) and complains_of(line, command.rstrip("\n")):
                    self._refuse(f"`{shown(command.strip())}` was answered `{shown(line)}`")
            if not refused and any(complains_of(line, move.strip().removeprefix("usermove ")) for move in moves):
                refused = line
        return refused

    def _read_nudging(self, deadline_ns: int) -> bytes:
        """Read a line from an engine that does not think. Raises BotFault at the deadline.

        Some (GNU Chess 6) sleep over a line that comes right after another, until there is more to read.
        """
        channel, reader = self._channel, self._reader
        assert channel
        assert reader
        for _ in range(max(0, deadline_ns - monotonic_ns()) // _NUDGE_NS):
            try:
                return reader.read_line(monotonic_ns() + _NUDGE_NS)
            except BotFault as fault:
                if fault.kind is not FaultKind.TIMEOUT:
                    raise
                channel.write(b"\n", deadline_ns)
        return reader.read_line(deadline_ns)

    def _is_needed(self, command: str) -> bool:
        own = dict(self._spec.options).get(COMMANDS)
        return command.startswith(_SETTINGS) or (own is not None and command.strip() in str(own))

    def _refuse(self, why: str) -> NoReturn:
        stderr = self.stderr_tail()
        self.close()
        raise start_error(self._spec, why, stderr)

    def begin_game(self, seed: int, seat: int, n_seats: int) -> None:
        """Say `new` and wait for its `pong`. A kept engine that fails is started afresh once. Raises BotStartError."""
        kept = self._channel is not None
        if not kept:
            self.start(seed)
        self._seat = seat
        self._view = self._budget = None
        self._result = "*"
        limit_ms = self._spec.limits.game_start_ms
        try:
            self._say(["new\n", "force\n", "easy\n", "post\n"], monotonic_ns() + limit_ms * NS_PER_MS)
        except BotFault as fault:
            if isinstance(fault, StarvedFault) or not kept:
                self._give_up(f"it did not answer `new`, `ping` within {limit_ms} ms ({fault.detail})", fault)
            self._is_thinking = True
            self.close()
            self.begin_game(seed, seat, n_seats)

    def settle(self) -> None:
        """Nothing to wait for: it has answered."""

    def hear_result(self, scores: tuple[float, ...]) -> None:
        """Take the scores of the game, for `result`."""
        self._result = _RESULTS.get(scores, "*")

    def end_game(self) -> None:
        """Get a late engine back in step with `?`, tell it the rest of the game, or end it."""
        channel = self._channel
        if channel is None:
            return
        if not self._features.can_ping or not self._features.can_reuse:
            self.close()
            return
        try:
            if self._is_thinking:
                self._stop(channel)
            rest = self._new_moves(self._view) if self._view is not None else []
            lines = ["force\n", *rest, f"result {self._result}\n"]
            channel.write("".join(lines).encode(), monotonic_ns() + self._spec.limits.stop_ms * NS_PER_MS)
        except BotFault:
            self._is_thinking = True  # it hears nothing any more, `quit` neither
            self.close()

    def _stop(self, channel: Channel) -> None:
        """Tell an engine to move at once and wait until it has. Raises BotFault."""
        reader = self._reader
        assert reader
        deadline_ns = monotonic_ns() + self._spec.limits.stop_ms * NS_PER_MS
        channel.write(b"?\n", deadline_ns)
        while True:
            line = reader.read_line(deadline_ns)
            if find_move(line) or find_claim(line) or line.rstrip() == b"resign":
                self._is_thinking = False
                return

    # --------------------------------------------------------------------------------------- a game

    def ask(self, view: View, budget: Budget) -> str:
        """Tell the clocks and what was played, wait for a move; see `protocols.base.Player`."""
        channel, reader = self._channel, self._reader
        if channel is None:
            raise BotFault(FaultKind.CRASH, "ended before it was asked")
        assert reader
        is_first = view is not self._view
        if is_first:
            self._begin_line(view, budget)
        assert isinstance(view, MovesView)
        request = self._request(view, budget, is_first=is_first)
        reader = self._forget_moves(reader)
        self._is_thinking = True
        t0_ns = monotonic_ns()
        deadline_ns = t0_ns + budget.limit_ns
        reader.give(channel.exchange(request, deadline_ns, t0_ns))
        move = self._read_move(reader, deadline_ns)
        self.think_ns = think_ns = monotonic_ns() - t0_ns
        self._is_thinking = False
        if think_ns > budget.limit_ns:
            self._judge_late(channel, t0_ns, budget, think_ns)
        self._n_known = len(view.moves) + 1  # it has made its own move
        return move

    def _request(self, view: MovesView, budget: Budget, *, is_first: bool) -> bytes:
        """Write what makes the engine move: its clocks, then `go` or the opponent's move."""
        new = self._new_moves(view)
        self._asked = new[-1].strip() if new else ""
        clocks = clock_commands(budget, self._seat) if self._features.takes_time else ""
        if budget is not self._budget and budget.clocks_ms is None:
            self._budget = budget
            clocks = "".join([f"{line}\n" for line in time_commands(budget, self._seat)]) + clocks
        if is_first or len(new) != 1:
            return f"force\n{''.join(new)}{clocks}go\n".encode()
        return f"{clocks}{new[0]}".encode()

    def _new_moves(self, view: MovesView) -> list[str]:
        """Give what was played since the engine last knew the position, as commands."""
        moves = view.moves
        word = "usermove " if self._features.takes_usermove else ""
        if self._castlings is None:
            return [f"{word}{move}\n" for move in moves[self._n_known :]]
        written = self._castlings.follow(moves)
        return [f"{word}{move}\n" for move in written[self._n_known :]]

    def _forget_moves(self, reader: LineReader) -> LineReader:
        """Leave out moves that were said before they were asked for; claims and resigning are heard."""
        if rest := reader.unread():
            *lines, last = rest.split(b"\n")
            self._reader = reader = LineReader(self._channel, self._spec.limits.answer_kb * 1024)  # type: ignore[arg-type]
            reader.give(b"".join([line + b"\n" for line in lines if not find_move(line)]) + last)
        return reader

    def _read_move(self, reader: LineReader, deadline_ns: int) -> str:
        """Read lines until one is a move, or gives the game up. Raises BotFault."""
        thought = unread = b""
        lost = _LOST[self._seat]
        while True:
            try:
                line = reader.read_line(deadline_ns)
            except BotFault as fault:
                raise recall(fault, unread) from fault.__cause__
            if is_thought(line):
                thought = line
            elif move := find_move(line):
                self.said = info_line(thought)
                return move
            elif line.rstrip() == b"resign" or (claim := find_claim(line)) == lost:
                self.said = info_line(thought)
                return RESIGN
            elif claim is not None:
                self._is_thinking = False
                raise BotFault(
                    FaultKind.ILLEGAL, f"claims `{shown(line)}`, but by the rules the game goes on and it is to move"
                )
            elif self._asked and complains_of(line, self._asked.removeprefix("usermove ")):
                self._is_thinking = False
                raise BotFault(FaultKind.ILLEGAL, f"refuses the move of its opponent: `{shown(line)}`")
            else:
                unread = line.strip() or unread

    def _begin_line(self, view: View, budget: Budget) -> None:
        """Set up the position and its opening moves, on nobody's clock.

        Raises BotStartError if the engine says that it cannot, BotFault if it is gone, silent or refuses a move.
        """
        if not isinstance(view, MovesView):
            raise TypeError(f"xboard's protocol speaks {Form.MOVES}, got {type(view).__name__}")
        self._n_known = 0
        self._castlings = None
        lines = []
        if view.variant == "chess960":
            if "fischerandom" not in self._features.variants:
                known = ", ".join(sorted(self._features.variants))
                self._refuse(f"it does not play fischerandom, as chess960 is called there (it plays: {known})")
            lines += ["variant fischerandom\n", "force\n"]
            self._castlings = Castlings(view.start)
        own = dict(self._spec.options).get(COMMANDS)
        lines += [f"{line}\n" for each in str(own or "").split(";") if (line := each.strip())]
        lines += [f"{line}\n" for line in time_commands(budget, self._seat)]
        if view.start != STARTPOS:
            lines.append(self._set_up(view.start))
        moves = self._new_moves(view)
        lines += moves
        deadline_ns = monotonic_ns() + self._spec.limits.game_start_ms * NS_PER_MS
        try:
            refused = self._say(lines, deadline_ns, moves)
        except BotFault as fault:
            self._forfeit_set_up(fault)
        if refused:
            raise BotFault(FaultKind.ILLEGAL, f"refuses a move that led here: `{shown(refused)}`")
        self._n_known = len(view.moves)
        self._view, self._budget = view, budget

    def _set_up(self, fen: str) -> str:
        """Write the commands that set up a position. Raises BotStartError if there are none for it."""
        if self._features.can_setboard:
            return f"setboard {fen}\n"
        commands = edit_commands(fen, "usermove " if self._features.takes_usermove else "")
        if commands is None:
            self._refuse(
                f"it has no `setboard`, and the old `edit` cannot set up {fen} (castling rights or en passant): play"
                " openings that are moves (PGN)"
            )
        return commands
