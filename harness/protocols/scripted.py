r"""A bot in memory, for tests of protocols and for bot authors: a `Channel` that answers from a script.

    channel = ScriptedChannel({b"uci\n": b"id name X\nuciok\n", b"isready\n": b"readyok\n"})

No process, no clock: a read that has nothing to give is a time-out at once, and the end of the script after
`hang_up` is a crash.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from harness.errors import BotFault
from harness.protocols.base import NOT_MEASURED, Usage
from harness.records import BotSpec, FaultKind

Reply = Callable[[bytes], bytes]


class ScriptedChannel:
    """Answers each written line by a mapping (line to bytes) or a function; keeps all that was written.

    `chunk` cuts what it says into pieces of that many bytes, to try a protocol against split reads.
    """

    def __init__(self, replies: Mapping[bytes, bytes] | Reply, *, chunk: int = 0, hang_up: bool = False) -> None:
        self._reply: Reply = replies if callable(replies) else lambda line: replies.get(line, b"")
        self._chunk = chunk
        self._hang_up = hang_up
        self._waiting = b""
        self._unfinished = b""
        self.written = b""
        self.is_closed = False

    def write(self, data: bytes, deadline_ns: int) -> None:
        """Take the bot's input, line by line."""
        del deadline_ns
        self.written += data
        *lines, self._unfinished = (self._unfinished + data).split(b"\n")
        for line in lines:
            self._waiting += self._reply(line + b"\n")

    def read(self, deadline_ns: int, asked_ns: int = 0) -> bytes:
        """Give what the script says, or the fault that its end stands for."""
        del deadline_ns, asked_ns
        if not self._waiting:
            if self._hang_up:
                raise BotFault(FaultKind.CRASH, "hung up")
            raise BotFault(FaultKind.TIMEOUT, "no answer in time")
        size = self._chunk or len(self._waiting)
        data, self._waiting = self._waiting[:size], self._waiting[size:]
        return data

    def exchange(self, data: bytes, deadline_ns: int, asked_ns: int) -> bytes:
        """Write, then read."""
        self.write(data, deadline_ns)
        return self.read(deadline_ns, asked_ns)

    def settle(self, deadline_ns: int) -> None:
        """A script is always ready."""

    def judge_answer(self, asked_ns: int, deadline_ns: int, think_ns: int) -> BotFault | None:
        """A script has no machine to blame."""
        del asked_ns, deadline_ns
        return BotFault(FaultKind.TIMEOUT, f"answered after {think_ns / 1e6:.1f} ms")

    def cpu_ns(self) -> int:
        """A script uses nothing."""
        return 0

    def usage(self) -> Usage:
        """A script uses nothing."""
        return NOT_MEASURED

    def stderr_tail(self) -> str:
        """A script has no standard error."""
        return ""

    def close(self, quit_ms: int) -> None:
        """Remember that it was closed."""
        del quit_ms
        self.is_closed = True

    def open(self, spec: BotSpec, seed: int) -> ScriptedChannel:
        """Stand in for `open_process`: a player's `open_channel`."""
        del spec, seed
        return self
