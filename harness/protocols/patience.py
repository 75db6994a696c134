"""When a bot is late: how long it is still waited for, and whether the machine explains it. Pure arithmetic.

A bot that answers within its limit never gets here. One that does not is given, past the limit, as long as the kernel
has kept it waiting for a core since it was asked. An answer in that time voids the game, since the bot would have been
in time on a machine that is not starved; none in that time is a forfeit, since the bot has had its whole limit to run.
A bot that sleeps is not waiting, a bot that computes is not either: both forfeit at once.

The waiting is what /proc/PID/schedstat says. It is first read some way into a ply (reading it at every ply would cost a
tenth of the ply), so what was waited before is known only up to the waiting since the last reading; that counts for the
bot. Three things besides are the machine's: time that the host stole from this virtual machine, a wait that still goes
on (the kernel books it when the thread runs again), and an answer that lay ready while this process was kept off its
core itself. Threads of one bot that wait for each other are the bot's own affair: what it waited and what it ran on
all its cores cannot be longer than the ply.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.protocols.meter import Reading

_MS = 1_000_000
STEP_NS = 2 * _MS
"""How often a late bot is looked at."""

_LEAST_PATIENCE_NS = 500 * _MS
_MOST_PATIENCE_NS = 10_000 * _MS


@dataclass(slots=True)
class SlowPly:
    """One ply of a bot that has not answered at once. Times are monotonic nanoseconds.

    `first` was read at `first_ns`, `head_ns` is what the bot may have waited in this ply before. `cores` is on how many
    the bot may run.
    """

    asked_ns: int
    deadline_ns: int
    first_ns: int
    first: Reading
    head_ns: int
    cores: int = 1
    until_ns: int = 0
    """Until when an answer is waited for."""

    waited_ns: int = 0
    """How much of the ply so far is the machine's, as of the last look."""

    _stuck_ns: int = 0
    _unknown_ns: int = 0
    _last_ns: int = 0
    _last: Reading = field(default_factory=Reading)

    def __post_init__(self) -> None:
        self.until_ns = self.deadline_ns

    @property
    def limit_ns(self) -> int:
        """How long the bot may take, grace included."""
        return self.deadline_ns - self.asked_ns

    def explains(self, elapsed_ns: int) -> bool:
        """Say whether the bot would have been in time, had it not been kept waiting; as of the last look."""
        return self.waited_ns > 0 and elapsed_ns - self.waited_ns <= self.limit_ns

    def look(self, now_ns: int, reading: Reading, *, is_runnable: bool, stolen_ns: int) -> bool:
        """Take a reading past the limit, set `waited_ns` and `until_ns`; False if the patience is over.

        `stolen_ns` is what the host has stolen in this ply. To be called every `STEP_NS`, or as soon as this process
        gets a core itself. A thread that is ready to run but has not since the last look has been waiting since then.
        One that has run may be waiting again, for some of the time since: while that could explain that it is late, it
        is looked at again.
        """
        is_first = self._last_ns == 0
        has_run = not is_first and reading.cpu_since(self._last) > 0
        since_ns = now_ns - (self.asked_ns if is_first else self._last_ns)
        if has_run:
            self._stuck_ns = 0
        elif is_runnable and not is_first:
            self._stuck_ns += since_ns
        self._last_ns, self._last = now_ns, reading
        elapsed_ns = now_ns - self.asked_ns
        self.waited_ns = self.waited_by(now_ns, reading, stolen_ns) + self._stuck_ns
        until_ns = self.deadline_ns + self.waited_ns
        unknown_ns = max(0, min(since_ns, elapsed_ns - self.waited_ns - reading.cpu_since(self.first)))
        if is_runnable and elapsed_ns - self.waited_ns - unknown_ns <= self.limit_ns:
            until_ns = max(until_ns, now_ns + STEP_NS)
            self._unknown_ns = unknown_ns
        else:
            self._unknown_ns = 0
        most_ns = min(max(self.limit_ns, _LEAST_PATIENCE_NS), _MOST_PATIENCE_NS)
        self.until_ns = min(until_ns, self.deadline_ns + most_ns)
        if self.until_ns <= now_ns:  # the longest patience ends in doubt, which counts for the bot
            self.waited_ns += self._unknown_ns
        return self.until_ns > now_ns

    def waited_by(self, now_ns: int, reading: Reading, stolen_ns: int = 0) -> int:
        """Give how much of the ply up to now the bot was kept from running, in nanoseconds."""
        waited_ns = self.head_ns + reading.wait_since(self.first) + stolen_ns
        idle_ns = now_ns - self.first_ns - reading.cpu_since(self.first) // self.cores
        return max(0, min(waited_ns, self.head_ns + max(0, idle_ns)))


def start_slow_ply(
    asked_ns: int, deadline_ns: int, now_ns: int, reading: Reading, before: Reading, cores: int
) -> SlowPly:
    """Begin to watch a ply. `before` is the last reading of this bot, from this ply or an earlier one."""
    head_ns = min(reading.wait_since(before), now_ns - asked_ns)
    return SlowPly(asked_ns, deadline_ns, now_ns, reading, head_ns, cores)
