"""What each misbehaviour comes to: the table of the hostile suite.

Keys are faults of tests/bots/misbehave.py. An outcome is None (the bot plays on unharmed) or the kind of forfeit, a
pattern of its detail, and at which of its own plies it falls: the one at which the bot misbehaves is 1.
"""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass


@dataclass(frozen=True)
class Forfeit:
    """A forfeit that is expected; `must` is False for one that may as well not come."""

    kind: str
    detail: str
    ply: int = 1
    must: bool = True

    def fits(self, kind: str, ply: int, detail: str) -> bool:
        """Say whether a forfeit is this one; `ply` is the bot's own."""
        return kind == self.kind and ply == self.ply and re.search(self.detail, detail) is not None


Expected = Forfeit | None

TIMEOUT = Forfeit("timeout", "no answer in time|does not read its standard input")
UNREADABLE = Forfeit(
    "illegal",
    "is no direction|not a move in UCI's form|the king on|is not Black's|is not a cell|is taken"
    "|is no point|not a move in SAN",
)
EXTRA = Forfeit("illegal", "wrote more than it was asked for", ply=2)
TOO_LONG = Forfeit("illegal", "a line longer than 1048576 bytes")
HOG = Forfeit("crash", "kept the core busy out of its turn", ply=2, must=False)


def ended(how: str, ply: int = 1) -> Forfeit:
    """Give the forfeit of a bot that ended by itself or was killed."""
    return Forfeit("crash", f"^ended: {how}$", ply)


EVERYWHERE: dict[str, Expected] = {
    "none": None,
    "slow-start": None,
    "silent": TIMEOUT,
    "late": TIMEOUT,
    "spin": TIMEOUT,
    "no-newline-exit": ended("exit code 0", ply=2),
    "answer-then-exit": ended("exit code 0", ply=2),
    "bytewise": None,
    "crlf": None,
    "huge-line": TOO_LONG,
    "stderr-flood": None,
    "illegal": UNREADABLE,
    "not-utf8": UNREADABLE,
    "nul-bytes": UNREADABLE,
    "exit-zero": ended("exit code 0"),
    "exit-three": ended("exit code 3"),
    "raise-error": ended("exit code 1"),
    "close-stderr": None,
    "stop-self": TIMEOUT,
    "ignore-term": TIMEOUT,
    "ignore-quit": None,
    "daemon-holds-pipe": ended("exit code 0"),
    "leave-children": None,
    "burn-in-background": HOG,
    "fork-bomb": Forfeit("crash", r"over its limit of processes: \d+ of 20"),
    "memory-bomb": Forfeit("crash", r"over its memory limit: \d+ MB of 300"),
    "fill-disk": None,
}
CODINGAME: dict[str, Expected] = {
    "exit-at-once": Forfeit("crash", "ended: exit code 5", ply=0),
    "wrong-handshake": Forfeit("illegal", "hello, I am a bot", ply=0),
    "twice": EXTRA,
    "ahead": EXTRA,
    "chatter": Forfeit("illegal", "still thinking"),
    "flood": Forfeit("illegal", "still thinking"),
    "empty": UNREADABLE,
}
UCI: dict[str, Expected] = {
    "twice": None,
    "ahead": None,
    "chatter": TIMEOUT,
    "flood": Forfeit("illegal", "wrote more than 16 MB in one game"),
    "empty": Forfeit("illegal", "`bestmove` without a move"),
}
NOT_JSON = Forfeit("illegal", "is not one JSON object")
JSON: dict[str, Expected] = {
    "not-utf8": NOT_JSON,
    "nul-bytes": NOT_JSON,
    "empty": NOT_JSON,
    "twice": EXTRA,
    "ahead": EXTRA,
    "chatter": NOT_JSON,
    "flood": NOT_JSON,
}
GOMOCUP: dict[str, Expected] = {
    "twice": EXTRA,
    "ahead": EXTRA,
    "chatter": TIMEOUT,
    "flood": Forfeit("illegal", "wrote more than 16 MB in one game"),
    "empty": TIMEOUT,  # blank lines are passed over
}
GTP: dict[str, Expected] = {
    "twice": EXTRA,
    "ahead": EXTRA,
    "chatter": TIMEOUT,
    "flood": Forfeit("illegal", "wrote more than 16 MB in one game"),
    "empty": TIMEOUT,  # blank lines are passed over
    # an answer ends with an empty line, so one that lost its end is none
    "no-newline-exit": Forfeit("crash", "^ended: exit code 0; it had said = [A-E][1-5]$"),
    "not-utf8": TIMEOUT,
    "nul-bytes": TIMEOUT,
}
XBOARD: dict[str, Expected] = {
    "twice": None,
    "ahead": None,
    "chatter": TIMEOUT,
    "flood": Forfeit("illegal", "wrote more than 16 MB in one game"),
    "empty": TIMEOUT,  # what is no word of the protocol is passed over
}
SIGNALS = [signal.Signals(number) for number in (4, 6, 8, 9, 11, 15, 24, 31)]  # Python ignores SIGPIPE and SIGXFSZ
PLAIN: dict[str, Expected] = {
    "close-stdin": Forfeit("crash", "closed its standard input", ply=2),
    "close-stdout": Forfeit("crash", "closed its standard output"),
    "kill-group": ended("killed by SIGKILL"),
    **{f"signal-{number.value}": ended(f"killed by {number.name}") for number in SIGNALS},
}
SANDBOXED: dict[str, Expected] = {
    # the sandbox's own processes hold the other ends, so that it is seen only in that nothing comes
    "close-stdin": Forfeit("timeout", "no answer in time", ply=2),
    "close-stdout": TIMEOUT,
    "kill-group": ended(r"exit code 137 \(killed by SIGKILL\)"),
    # what cannot be done is no fault; outside, tests/run and tests/protocols say what these come to
    "kill-parent": None,
    "stop-parent": None,
    "reach-others": None,
    "change-self": None,
    **{
        f"signal-{number.value}": ended(rf"exit code {128 + number.value} \(killed by {number.name}\)")
        for number in SIGNALS
    },
}


SPOKEN = (
    *("none", "silent", "late", "no-newline-exit", "answer-then-exit", "bytewise", "crlf", "huge-line", "stderr-flood"),
    *("illegal", "not-utf8", "nul-bytes", "exit-zero", "twice", "ahead", "chatter", "flood", "empty"),
)
"""What depends on the grammar; the rest is the channel's and the system's, which is the same under every protocol."""


def expected(protocol: str, isolation: str, *, spoken: bool = False) -> dict[str, Expected]:
    """Give the outcome of every fault for a protocol of `misbehave.py` and an isolation (process, sandbox).

    With `spoken` only of those that depend on the grammar.
    """
    outcomes = _expected(protocol, isolation)
    return {fault: outcomes[fault] for fault in SPOKEN} if spoken else outcomes


def _expected(protocol: str, isolation: str) -> dict[str, Expected]:
    by_protocol = {"codingame": CODINGAME, "uci": UCI, "json": JSON, "gomocup": GOMOCUP, "gtp": GTP, "xboard": XBOARD}
    return EVERYWHERE | by_protocol[protocol] | (PLAIN if isolation == "process" else SANDBOXED)
