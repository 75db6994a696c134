"""What a protocol is: a `Player` turns what a seat may see into text for a bot, and its answer into an action.

A player owns one bot and, for a program, the channel to it. It knows no rules: an action is text. All waiting has
a total deadline in monotonic nanoseconds; nothing here sleeps.

The life of a player, as `play` lives it:

    player.start()                       # a fresh bot: spawn and handshake; BotStartError if it fails
    player.begin_game(seed, seat, ...)   # once a game
    player.settle()                      # once all have begun it
    text = player.ask(view, budget)      # once a ply; BotFault on time-out, crash or nonsense
    player.end_game()                    # ready for another game?
    player.close()
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from harness.errors import BotFault
    from harness.protocols.metadata import Said
    from harness.records import BotSpec, Form, RulesSpec, TimeControl, View

NS_PER_MS = 1_000_000


@dataclass(slots=True)
class Budget:
    """What a seat may use on one ply, made by the clock; reused from ply to ply.

    `limit_ns` is the time until a fault, grace included and bounded by the wall limit. The rest is for protocols
    that tell the bot: `move_ms` per ply; `clocks_ms` what each seat has left, with `increment_ms`; `nodes`; `depth`.
    """

    limit_ns: int
    move_ms: int | None = None
    clocks_ms: tuple[int, ...] | None = None
    increment_ms: int = 0
    nodes: int | None = None
    depth: int | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """What a bot's process has used: CPU seconds, seconds it waited for a core; and its resident memory now, in MB.

    `said` is what it said meanwhile in lines of data; None if nothing.
    """

    cpu_s: float | None
    starved_s: float | None
    rss_mb: float | None
    said: Said | None = None


NOT_MEASURED = Usage(None, None, None)


class Channel(Protocol):
    """A pair of byte pipes to a bot with the end of its standard error. Total deadlines on everything."""

    def write(self, data: bytes, deadline_ns: int) -> None:
        """Send all of `data`. Raises BotFault: crash if the bot is gone, timeout at the deadline."""

    def read(self, deadline_ns: int, asked_ns: int = 0) -> bytes:
        """Give at least one byte as soon as there is one. `asked_ns` is when the bot was asked; 0 for now.

        Raises BotFault: timeout at the deadline; crash when the bot is gone and all it said has been given. A bot that
        the machine keeps from running is waited for beyond the deadline, for as long as that; StarvedFault if even
        then nothing came.
        """

    def exchange(self, data: bytes, deadline_ns: int, asked_ns: int) -> bytes:
        """Write, then read: the one call of a ply. Faults as of `write` and `read`."""

    def settle(self, deadline_ns: int) -> None:
        """Wait until a bot that was just started waits for its first input, has said something or has gone.

        Raises nothing; at the deadline it is as ready as it is.
        """

    def judge_answer(self, asked_ns: int, deadline_ns: int, think_ns: int) -> BotFault | None:
        """Say what an answer past its deadline is: a time-out, a StarvedFault if the machine explains it.

        None if another bot was in the way (and was ended for it): the answer counts as in time.
        """

    def cpu_ns(self) -> int:
        """Read the CPU time that the bot has used so far, in nanoseconds; 0 where that is not known."""

    def usage(self) -> Usage:
        """Say what the process has used since this was last asked."""

    def stderr_tail(self) -> str:
        """Give the last kilobytes of standard error, decoded with replacement."""

    def close(self, quit_ms: int) -> None:
        """End the bot: close its input, wait up to `quit_ms`, then kill it and all it started. Safe to call twice."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is played: for protocols that tell the bot. None where it is not known (a referee outside has the rules)."""

    rules: RulesSpec | None = None
    time: TimeControl | None = None


NO_SETTING = Setting()


OpenChannel = Callable[["BotSpec", int], Channel]
"""Starts the bot of a spec with a seed in HARNESS_BOT_SEED. Raises BotStartError."""


class Player(Protocol):
    """A bot in a seat, over some protocol.

    One that has `hear_setting(setting)` is told what is played when it is built. One that has `hear_result(scores)` is
    told the scores of a game's seats before `end_game`; a game without an outcome has none.
    """

    form: Form
    """The form of position this protocol speaks."""

    keeps_alive: bool
    """Whether one start may serve several games."""

    in_process: bool
    think_ns: int
    """Time of the last answered ply: from the request written to the answer's bytes read."""

    said: bytes
    """What the engine said before its last answer, as it said it: lines, at most some kilobytes; b"" if nothing."""

    identity: str
    """What the bot says it is ("Stockfish 15.1"); "" where the protocol has no such thing."""

    def start(self, seed: int) -> None:
        """Start a fresh bot and shake hands. Raises BotStartError."""

    def begin_game(self, seed: int, seat: int, n_seats: int) -> None:
        """Make ready for a game. A kept bot that fails here is started afresh once. Raises BotStartError."""

    def settle(self) -> None:
        """Wait until the bot is ready for its first ply: called once all bots of a game have begun it.

        So no bot's start-up is on its own clock or on the core while another thinks.
        """

    def ask(self, view: View, budget: Budget) -> str:
        """Write the request of one ply and wait for its answer.

        Raises BotFault: timeout, crash, or illegal for an answer that is no answer in this protocol.
        """

    def end_game(self) -> None:
        """After a game, however it ended: get back in step or close, so that the next game can begin."""

    def cpu_ns(self) -> int:
        """Read the CPU time that the bot has used so far, in nanoseconds; 0 where that is not known."""

    def usage(self) -> Usage:
        """Say what the bot has used since this was last asked, or since it started."""

    def stderr_tail(self) -> str:
        """Give the end of the bot's standard error."""

    def close(self) -> None:
        """End the bot for good. Safe to call twice."""
