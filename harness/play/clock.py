"""Time: what a seat may use on its next ply, and what is left of its game time.

Pure arithmetic on milliseconds and nanoseconds; reads no clock itself but a bot's CPU clock, when asked to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain, repeat

from harness.errors import BotFault
from harness.protocols.base import NS_PER_MS, Budget
from harness.records import ClockKind, FaultKind, TimeControl


class SeatClock:
    """The budget of one seat without game time: the same on every ply but the first. `budget` is all there is to it."""

    __slots__ = ("_first", "_later", "budget", "differs_from_ply_to_ply")

    def __init__(self, control: TimeControl) -> None:
        self._later = _fixed_budget(control, control.per_ply_ms)
        first_ms = control.first_ply_ms if control.per_ply_ms is not None else None
        self._first = _fixed_budget(control, first_ms) if first_ms else None
        self.budget: Callable[[], Budget] = repeat(self._later).__next__
        """Gives what the seat may use on this ply."""

        self.differs_from_ply_to_ply = self._first is not None

    def begin_game(self) -> None:
        """Make ready for a game."""
        if self._first is not None:
            self.budget = chain([self._first], repeat(self._later)).__next__


class CpuClock:
    """The budget of one seat that is judged by the CPU time of its bot; `read_cpu_ns` reads that.

    The wall limit bounds a ply besides, for a bot that sleeps.
    """

    __slots__ = ("_before_ns", "_control", "_is_first", "_read_cpu_ns")

    differs_from_ply_to_ply = True

    def __init__(self, control: TimeControl, read_cpu_ns: Callable[[], int]) -> None:
        self._control = control
        self._read_cpu_ns = read_cpu_ns
        self._before_ns = 0
        self._is_first = True

    def begin_game(self) -> None:
        """Make ready for a game."""
        self._is_first = True

    def _limit_ms(self) -> int:
        control = self._control
        return (control.first_ply_ms if self._is_first else None) or control.per_ply_ms or control.wall_ms

    def budget(self) -> Budget:
        """Give what the seat may use on this ply, and take note of what its bot has used before."""
        self._before_ns = self._read_cpu_ns()
        return Budget(limit_ns=self._control.wall_ms * NS_PER_MS, move_ms=self._limit_ms())

    def charge(self, think_ns: int) -> None:
        """Raise BotFault if the bot used more CPU time on this ply than its limit and grace."""
        del think_ns
        used_ms = (self._read_cpu_ns() - self._before_ns) / NS_PER_MS
        if used_ms > self._limit_ms() + self._control.grace_ms:
            raise BotFault(FaultKind.TIMEOUT, f"used {used_ms:.1f} ms of CPU time")
        self._is_first = False


class GameClock:
    """The budget of one seat with game time: its own remaining time, and what the others have left.

    `left_ms` is shared by the seats of a game. Time used comes off, the increment is added after each ply. A ply
    that uses more than is left plus grace is a time-out; within the grace the clock stands at zero.
    """

    __slots__ = ("_control", "_left_ms", "_seat")

    differs_from_ply_to_ply = True

    def __init__(self, control: TimeControl, seat: int, left_ms: list[float]) -> None:
        self._control = control
        self._seat = seat
        self._left_ms = left_ms
        self.begin_game()

    def begin_game(self) -> None:
        """Make ready for a game: all the time there is."""
        self._left_ms[self._seat] = float(self._control.base_ms or 0)

    def budget(self) -> Budget:
        """Give what the seat may use on this ply: all it has left, bounded by the wall limit."""
        control = self._control
        limit_ms = min(self._left_ms[self._seat] + control.grace_ms, float(control.wall_ms))
        return Budget(
            limit_ns=int(limit_ms * NS_PER_MS),
            clocks_ms=tuple(max(1, int(left)) for left in self._left_ms),
            increment_ms=control.increment_ms,
        )

    def charge(self, think_ns: int) -> None:
        """Take a ply's time off the clock and add the increment. Raises BotFault if it was more than there was."""
        left_ms = self._left_ms[self._seat] - think_ns / NS_PER_MS
        if left_ms < -self._control.grace_ms:
            raise BotFault(FaultKind.TIMEOUT, f"{-left_ms:.1f} ms over its game time")
        self._left_ms[self._seat] = max(0.0, left_ms) + self._control.increment_ms


Clock = SeatClock | CpuClock | GameClock


def build_clocks(controls: Sequence[TimeControl], read_cpu_ns: Sequence[Callable[[], int]] = ()) -> tuple[Clock, ...]:
    """Build the clocks of the seats; `controls[seat]` is that seat's time control. They serve game after game.

    `read_cpu_ns[seat]` reads its bot's CPU time; without it no bot is judged by that.
    """
    left_ms = [0.0] * len(controls)
    readers = read_cpu_ns or [_read_nothing] * len(controls)
    return tuple([_build_clock(control, seat, left_ms, readers[seat]) for seat, control in enumerate(controls)])


def _read_nothing() -> int:
    return 0


def _build_clock(control: TimeControl, seat: int, left_ms: list[float], read_cpu_ns: Callable[[], int]) -> Clock:
    if control.base_ms is not None:
        return GameClock(control, seat, left_ms)
    if control.clock is ClockKind.CPU:
        return CpuClock(control, read_cpu_ns)
    return SeatClock(control)


@lru_cache
def _fixed_budget(control: TimeControl, move_ms: int | None) -> Budget:
    limit_ms = control.wall_ms if move_ms is None else min(move_ms + control.grace_ms, control.wall_ms)
    return Budget(limit_ns=limit_ms * NS_PER_MS, move_ms=move_ms, nodes=control.nodes, depth=control.depth)
