"""A channel in memory to a program that speaks well, which spoils what it says: the driver under the protocol kit.

No process and no clock: what fails comes back. Knows nothing of any one protocol.
"""

from __future__ import annotations

from collections.abc import Callable

from harness.errors import BotFault
from harness.protocols.scripted import Reply, ScriptedChannel
from harness.records import FaultKind

STDERR = "the last words on standard error"
_MOST_READ = 1 << 19


class Spoiler(ScriptedChannel):
    """A channel to a well-behaved program that spoils what it says, to requests or from the start.

    While a player asks (`is_asked`), from the first request on: `is_mute` keeps answers back until later, `goes` ends
    the program, `spoil` changes what it says, `endless` comes without end in its place, `fault` is what reading raises.
    `start_fault` is raised by all reading, whoever reads.
    """

    def __init__(self, program: Reply, seed: int, is_request: Callable[[bytes], bool]) -> None:
        super().__init__(program)
        self.seed = seed
        self.is_asked = self.is_mute = self.goes = self.is_gone = self.goes_after_answer = False
        self.spoil: Callable[[bytes], bytes] | None = None
        self.endless = b""
        self.fault: BotFault | None = None
        self.start_fault: BotFault | None = None
        self.judgement: BotFault | None = None
        self.n_read = 0
        self.n_judged = 0
        self.deadlines: list[int] = []
        self._is_request = is_request
        self._is_armed = False
        self._kept_back = b""
        self._program = self._reply
        self._reply = self._say

    def ask(self, ask: Callable[[], str]) -> str:
        """Call a player's `ask` with the spoiling switched on."""
        self.is_asked, self._is_armed = True, False
        self.deadlines.clear()
        try:
            return ask()
        finally:
            self.is_asked = self._is_armed = False

    def _say(self, line: bytes) -> bytes:
        said = self._program(line)
        if not self.is_asked or not self._is_request(line):
            return said
        self._is_armed = True
        if self.goes:
            self.is_gone = True
            return b""
        if self.is_mute:
            self._kept_back += said
            return b""
        return said if self.spoil is None else self.spoil(said)

    def write(self, data: bytes, deadline_ns: int) -> None:
        """Take the player's words."""
        if self.is_gone:
            raise BotFault(FaultKind.CRASH, "closed its standard input")
        self.deadlines.append(deadline_ns)
        self._deliver()
        super().write(data, deadline_ns)

    def read(self, deadline_ns: int, asked_ns: int = 0) -> bytes:
        """Give what is there, as it is spoilt."""
        self.deadlines.append(deadline_ns)
        if self.start_fault is not None:
            raise self.start_fault
        if self._is_armed and self.fault is not None:
            raise self.fault
        self._deliver()
        self._hang_up = self.is_gone
        if self._is_armed and self.endless:
            data = self.endless
            assert self.n_read < _MOST_READ, f"{self.n_read} bytes were read of an answer without end"
        else:
            data = super().read(deadline_ns, asked_ns)
        self.n_read += len(data)
        self.is_gone = self.is_gone or (self._is_armed and self.goes_after_answer)
        return data

    def _deliver(self) -> None:
        """Say late what was kept back."""
        if not self.is_mute:
            self._waiting, self._kept_back = self._kept_back + self._waiting, b""

    def judge_answer(self, asked_ns: int, deadline_ns: int, think_ns: int) -> BotFault | None:
        """Judge as the check says."""
        del asked_ns, deadline_ns, think_ns
        self.n_judged += 1
        return self.judgement

    def stderr_tail(self) -> str:
        """Give words to look for."""
        return STDERR

    def cut(self, size: int) -> None:
        """Say everything from now on in pieces of so many bytes."""
        self._chunk = size

    def use_crlf(self) -> None:
        """End every line with CR and LF from now on."""
        plain = self._program
        self._program = lambda line: plain(line).replace(b"\n", b"\r\n")
