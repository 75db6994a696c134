"""What players of programs do alike, whatever the grammar: end one, give up on it, judge it late, tell what it used.

No line is read here, and nothing runs at a ply that was answered in time.
"""

from __future__ import annotations

from time import monotonic_ns
from typing import TYPE_CHECKING, ClassVar, NoReturn

from harness.errors import BotFault, StarvedFault, StarvedGame
from harness.protocols.base import NOT_MEASURED, NS_PER_MS, Budget, Channel, Usage
from harness.protocols.start_errors import start_error
from harness.records import BotSpec


class ProgramPlayer:
    """The base of the players. Its subclasses have slots for what is declared here."""

    if not TYPE_CHECKING:
        __slots__ = ()  # UCI's has them from a compiled class, and two bases with slots do not go together

    farewell: ClassVar[bytes] = b""
    """What asks the program to end; without one it is killed."""

    think_ns: int
    _channel: Channel | None
    _is_thinking: bool  # it has been asked and has not answered, so it would not hear a farewell
    _spec: BotSpec

    def close(self) -> None:
        """Say farewell, wait as long as the bot's limits allow, then kill it and all it started. Safe to call twice."""
        channel, self._channel = self._channel, None
        is_thinking, self._is_thinking = self._is_thinking, False
        if channel is None:
            return
        quit_ms = self._spec.limits.quit_ms if self.farewell and not is_thinking else 0
        if quit_ms:
            try:
                channel.write(self.farewell, monotonic_ns() + quit_ms * NS_PER_MS)
            except BotFault:
                quit_ms = 0
        channel.close(quit_ms)

    def _give_up(self, why: str, fault: BotFault) -> NoReturn:
        """End a program that does not start. Raises StarvedGame if that is the machine's doing, else BotStartError."""
        stderr = self.stderr_tail()
        self._is_thinking = True  # it does not listen: no farewell
        self.close()
        if isinstance(fault, StarvedFault):
            raise StarvedGame(f"{self._spec.name}: {fault.detail}") from fault
        raise start_error(self._spec, why, stderr) from fault

    def _forfeit_set_up(self, fault: BotFault) -> NoReturn:
        """Raise the fault of a program that is gone or silent while its game is set up: it had started well before."""
        self._is_thinking = True  # it has not said that it is done
        if isinstance(fault, StarvedFault):
            raise fault
        raise BotFault(fault.kind, f"while its game was set up: {fault.detail}") from fault

    def _judge_late(self, channel: Channel, asked_ns: int, budget: Budget, think_ns: int) -> None:
        """Raise the fault of a late answer, or count it as in time if another bot was in the way."""
        if fault := channel.judge_answer(asked_ns, asked_ns + budget.limit_ns, think_ns):
            raise fault
        self.think_ns = budget.limit_ns

    def cpu_ns(self) -> int:
        """Read the CPU time that the bot has used so far."""
        return self._channel.cpu_ns() if self._channel else 0

    def usage(self) -> Usage:
        """Say what the bot's processes have used."""
        return self._channel.usage() if self._channel else NOT_MEASURED

    def stderr_tail(self) -> str:
        """Give the end of the bot's standard error."""
        return self._channel.stderr_tail() if self._channel else ""
