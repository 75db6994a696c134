"""Reads a channel line by line: LF, CRLF, a last line without its newline, blank and very long lines.

Used for handshakes and for protocols that answer in lines; the UCI player has its own fast path for plies.
"""

from __future__ import annotations

from harness.errors import BotFault
from harness.protocols.base import Channel
from harness.records import FaultKind

_SHOWN = 120


def shown(data: bytes | str) -> str:
    """Cut and escape what a bot said, for one line of a message."""
    text = data.decode("utf-8", "backslashreplace") if isinstance(data, bytes) else data
    text = text.encode("unicode_escape").decode("ascii")
    return f"{text[:_SHOWN]}…" if len(text) > _SHOWN else text


def recall(fault: BotFault, said: bytes) -> BotFault:
    """Give the fault of a bot that did not answer, with what it had said in place of an answer, if anything.

    To be told from being slow: what is said in the wrong form is waited over. What the machine did is left as it is.
    """
    if not said or type(fault) is not BotFault or fault.kind is FaultKind.ILLEGAL:
        return fault
    return BotFault(fault.kind, f"{fault.detail}; it had said {shown(said)}")


class LineReader:
    """Lines from a channel. Bounded: a line longer than `max_bytes` is the bot's fault (illegal)."""

    __slots__ = ("_buffer", "_channel", "_max_bytes")

    def __init__(self, channel: Channel, max_bytes: int) -> None:
        self._channel = channel
        self._buffer = b""
        self._max_bytes = max_bytes

    def read_line(self, deadline_ns: int) -> bytes:
        """Give the next line without its end. A last line without newline counts once the bot has gone.

        Raises BotFault: timeout at the deadline, crash when the bot is gone, illegal for a line too long.
        """
        buffer = self._buffer
        while (end := buffer.find(b"\n")) < 0:
            if len(buffer) > self._max_bytes:
                raise BotFault(FaultKind.ILLEGAL, f"a line longer than {self._max_bytes} bytes: {shown(buffer)}")
            self._buffer = buffer
            try:
                buffer += self._channel.read(deadline_ns)
            except BotFault as fault:
                if fault.kind is not FaultKind.CRASH or not buffer:
                    raise
                buffer += b"\n"
        self._buffer = buffer[end + 1 :]
        return buffer[:end].rstrip(b"\r")

    def give(self, data: bytes) -> None:
        """Take bytes that were read from the channel by other means."""
        self._buffer += data

    def unread(self) -> bytes:
        """Give what has arrived but was not asked for."""
        return self._buffer
