"""One ply over a pipe: what runs for every action of every game, small and alone so that it can be compiled.

`_ply.c` is the same in C, for engines that answer at once; where it is built, `process` and `uci` stand on it, and
otherwise on the classes here. The tests run both. These classes do the plain case and hand everything else to methods
of the classes that inherit from them.
"""

from __future__ import annotations

from abc import abstractmethod
from os import read, sched_yield, write
from time import monotonic_ns

from harness.protocols.base import Budget, Channel
from harness.records import MovesView, View

CHUNK = 1 << 14


class Pipes:
    """A bot's pipes: `_in` and `_out` are non-blocking descriptors, `_pending` what was read while it was written to.

    `exchange_on` goes on with what is not the plain case.
    """

    __slots__ = ("_in", "_out", "_pending")

    _in: int
    _out: int
    _pending: bytes

    def exchange(self, data: bytes, deadline_ns: int, asked_ns: int) -> bytes:
        """Write, then read; see `protocols.base.Channel`.

        A bot in our session and on our core that answers at once has done so when the yield returns: no poll then.
        """
        if self._pending:
            return self.exchange_on(data, 0, deadline_ns, asked_ns)
        try:
            sent = write(self._in, data)
        except BlockingIOError:
            sent = 0
        except OSError:
            sent = -1
        if sent == len(data):
            sched_yield()
            try:
                if answer := read(self._out, CHUNK):
                    return answer
            except BlockingIOError:
                pass
        return self.exchange_on(data, sent, deadline_ns, asked_ns)

    def read_now(self, descriptor: int, most: int) -> bytes | None:
        """Give what is there to read from a non-blocking descriptor; b"" at its end, None if there is nothing."""
        try:
            return read(descriptor, most)
        except BlockingIOError:
            return None

    @abstractmethod
    def exchange_on(self, data: bytes, sent: int, deadline_ns: int, asked_ns: int) -> bytes:
        """Go on with an exchange of which `sent` bytes are written (-1: the bot has closed its input)."""


class UciAsk:
    """The question of a ply to a UCI engine.

    `_start` and `_variant` are those of `_view`; the next game's often are the same.
    `_position` is the command up to the moves; those are the line of `_view`, which grows. `_go` is of `_go_budget`.
    """

    __slots__ = (
        "_channel",
        "_go",
        "_go_budget",
        "_is_thinking",
        "_position",
        "_start",
        "_variant",
        "_view",
        "said",
        "think_ns",
    )

    _channel: Channel | None
    _view: MovesView | None
    _start: str
    _variant: str
    _position: str
    _go: str
    _go_budget: Budget | None
    _is_thinking: bool
    think_ns: int
    said: bytes

    def ask(self, view: View, budget: Budget) -> str:
        """Write `position …` and `go …` in one piece, wait for `bestmove`; see `protocols.base.Player`."""
        if view is not self._view or budget is not self._go_budget or self._channel is None:
            self._prepare(view, budget)
        assert isinstance(view, MovesView)
        assert self._channel
        request = f"{self._position}{view.line and ' moves'}{view.line}{self._go}".encode()
        self._is_thinking = True
        asked_ns = monotonic_ns()
        answer = self._channel.exchange(request, asked_ns + budget.limit_ns, asked_ns)
        return self._finish(answer, asked_ns, budget)

    @abstractmethod
    def _prepare(self, view: View, budget: Budget) -> None:
        """Make the parts of the request that stay; raises BotFault if there is nobody to ask."""

    @abstractmethod
    def _finish(self, data: bytes, asked_ns: int, budget: Budget) -> str:
        """Read on until the move is there, set `think_ns` and `said`, judge a late one."""
