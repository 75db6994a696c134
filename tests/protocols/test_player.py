"""What all players of programs have from one base: how a program is ended and given up on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.errors import BotFault, BotStartError, StarvedFault, StarvedGame
from harness.protocols.player import ProgramPlayer
from harness.records import BotSpec, FaultKind


class Pipe:
    """A channel that notes what was said to it and how it was closed."""

    def __init__(self, *, is_deaf: bool = False) -> None:
        self.is_deaf = is_deaf
        self.said = b""
        self.closed: list[int] = []

    def write(self, data: bytes, deadline_ns: int) -> None:
        del deadline_ns
        if self.is_deaf:
            raise BotFault(FaultKind.CRASH, "gone")
        self.said += data

    def stderr_tail(self) -> str:
        return "oh no"

    def close(self, quit_ms: int) -> None:
        self.closed.append(quit_ms)


class Polite(ProgramPlayer):
    farewell = b"bye\n"

    def __init__(self, pipe: Pipe, quit_ms: int = 50) -> None:
        spec = BotSpec("bot", "polite", ("bot",))
        self._spec = replace(spec, limits=replace(spec.limits, quit_ms=quit_ms))
        self._channel = pipe  # type: ignore[assignment]
        self._is_thinking = False
        self.think_ns = 0

    def think(self) -> None:
        self._is_thinking = True

    def fail(self, fault: BotFault) -> None:
        self._give_up("it said nothing", fault)


class Curt(Polite):
    farewell = b""


def test_a_program_is_told_to_end_and_waited_for_once() -> None:
    player = Polite(pipe := Pipe())
    player.close()
    player.close()
    assert (pipe.said, pipe.closed) == (b"bye\n", [50])


def test_one_that_would_not_hear_it_is_killed() -> None:
    thinking = Polite(busy := Pipe())
    thinking.think()
    thinking.close()
    Polite(deaf := Pipe(is_deaf=True)).close()
    Polite(hasty := Pipe(), quit_ms=0).close()
    Curt(curt := Pipe()).close()
    for pipe in (busy, deaf, hasty, curt):
        assert (pipe.said, pipe.closed) == (b"", [0])


def test_one_that_does_not_start_is_killed_and_its_standard_error_shown() -> None:
    with pytest.raises(BotStartError, match="oh no") as caught:
        Polite(pipe := Pipe()).fail(BotFault(FaultKind.TIMEOUT, "no answer in time"))
    assert "it said nothing" in str(caught.value)
    assert (pipe.said, pipe.closed) == (b"", [0])


def test_one_that_the_machine_kept_from_starting_is_no_broken_bot() -> None:
    with pytest.raises(StarvedGame, match="bot: it waited"):
        Polite(pipe := Pipe()).fail(StarvedFault(FaultKind.TIMEOUT, "it waited", 9.0))
    assert pipe.closed == [0]
