"""The contest protocol: lines in, lines out, one process a game (CodinGame and its relatives)."""

from __future__ import annotations

from time import monotonic_ns

from harness.errors import BotFault
from harness.protocols.base import NS_PER_MS, Budget, Channel, OpenChannel
from harness.protocols.lines import LineReader, shown
from harness.protocols.player import ProgramPlayer
from harness.records import BotSpec, FaultKind, Form, LinesView, View


class CodingamePlayer(ProgramPlayer):
    """A contest bot in a seat: started for each game, killed after it. See `protocols.base.Player`."""

    form = Form.LINES
    keeps_alive = False
    in_process = False
    identity = ""

    said = b""

    __slots__ = ("_channel", "_is_thinking", "_open", "_reader", "_spec", "think_ns")

    def __init__(self, spec: BotSpec, open_channel: OpenChannel) -> None:
        self._spec = spec
        self._open = open_channel
        self._channel: Channel | None = None
        self._reader: LineReader | None = None
        self._is_thinking = False
        self.think_ns = 0

    def start(self, seed: int) -> None:
        """Start the program; contest bots shake no hands. Raises BotStartError."""
        self.close()
        self._channel = self._open(self._spec, seed)
        self._reader = LineReader(self._channel, self._spec.limits.answer_kb * 1024)

    def begin_game(self, seed: int, seat: int, n_seats: int) -> None:
        """Start a fresh process with this game's seed."""
        del seat, n_seats
        self.start(seed)

    def settle(self) -> None:
        """Wait until the process waits for its first line, as long as its limits allow."""
        assert self._channel
        self._channel.settle(monotonic_ns() + self._spec.limits.start_ms * NS_PER_MS)

    def ask(self, view: View, budget: Budget) -> str:
        """Write the turn's lines and wait for the answer's; see `protocols.base.Player`."""
        if not isinstance(view, LinesView):
            raise TypeError(f"the contest protocol speaks {Form.LINES}, got {type(view).__name__}")
        channel, reader = self._channel, self._reader
        assert channel
        assert reader
        if extra := reader.unread():
            raise BotFault(FaultKind.ILLEGAL, f"wrote more than it was asked for: {shown(extra)}")
        data = view.text.encode()
        t0_ns = monotonic_ns()
        deadline_ns = t0_ns + budget.limit_ns
        reader.give(channel.exchange(data, deadline_ns, t0_ns))
        lines = [reader.read_line(deadline_ns) for _ in range(view.n_answer_lines)]
        self.think_ns = think_ns = monotonic_ns() - t0_ns
        if think_ns > budget.limit_ns:
            self._judge_late(channel, t0_ns, budget, think_ns)
        return b"\n".join(lines).decode("utf-8", "backslashreplace")

    def end_game(self) -> None:
        """Kill the process: a contest bot plays one game."""
        self.close()
