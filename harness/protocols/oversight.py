"""Watches the processes of the bots that this process has started: over a limit? late, and why? in another's way?

One `Oversight` a bot. Costs a quick bot nothing: it looks at bots that are slow to answer, at all of them ten times a
second while one is, and once a game. A bot that is over a limit, or that holds the core while it is another's turn so
that the other is late, is condemned: all its processes are killed on the spot, and what it is asked next fails with
the reason. It starts nothing, reads no pipe and decides no game.
"""

from __future__ import annotations

import contextlib
import os
import select
from collections import deque
from time import clock_gettime_ns, monotonic_ns

from harness.errors import BotFault, StarvedFault
from harness.making import maker
from harness.protocols import reaper
from harness.protocols.base import NOT_MEASURED, NS_PER_MS, Usage
from harness.protocols.limits import find_breach, set_cpu_limit, set_limits
from harness.protocols.meter import Meter, Reading, cpu_clock, is_runnable, read_process, stolen_ns, where_asleep
from harness.protocols.patience import SlowPly, start_slow_ply
from harness.records import BotSpec, FaultKind, Isolation

_LOOK_NS = 100 * NS_PER_MS
_WINDOW_NS = 20 * NS_PER_MS
_HOGS_SHARE = 1 / 3
"""Who uses so much of our cores for so long, out of turn, while another is late, is in its way: two that compute share
a core half and half. A pause to collect garbage is shorter, a machine that is busy besides leaves nobody a third.
"""

_READS_PIPE = b"pipe_read"
_POLLS = (b"poll", b"select")
_IDLE_NS = 30 * NS_PER_MS
"""What sleeps in poll and uses no CPU for so long is taken to wait for input: Node and event loops do that."""

_YIELD_NS = 8 * NS_PER_MS
"""For how long a bot may run on before the kernel gives the core back to who has yielded it: a slice or two."""

_make_usage = maker(Usage)

living: dict[int, Oversight] = {}
"""The bots of this process that have not been closed, by mark."""


class Oversight:
    """Watches one bot, from `pid` down."""

    __slots__ = (
        "_below",
        "_cpu_clock",
        "_cpu_ns",
        "_game",
        "_has_company",
        "_idle_since_ns",
        "_meter",
        "_ply",
        "_ply_wait_ns",
        "_relief_ns",
        "_rss_at_ns",
        "_rss_mb",
        "_seen",
        "_spec",
        "_suspects",
        "_suspects_ns",
        "_turn_wait_ns",
        "_was_harmed",
        "blocked_ns",
        "condemned",
        "mark",
        "overslept_ns",
        "pid",
    )

    def __init__(self, spec: BotSpec, pid: int) -> None:
        self._spec = spec
        self.pid = pid
        self.mark = reaper.new_mark()
        reaper.set_mark(pid, self.mark)
        if spec.isolation is Isolation.SANDBOX:
            for below in reaper.descendants(pid):  # those that it has started before it was marked
                reaper.set_mark(below, self.mark)
        if spec.isolation is Isolation.PROCESS:
            set_limits(pid, spec.limits)
        self._meter = Meter(pid)
        self._cpu_clock = cpu_clock(pid)
        self._has_company = spec.isolation is Isolation.SANDBOX
        self._below: list[int] = []
        self.condemned: str | None = None
        self.overslept_ns = 0
        """How long after it should have, the last wait for this bot returned."""

        self.blocked_ns = 0
        """How long in this ply it found its standard error full, while this process was waiting for a core itself."""
        self._ply: SlowPly | None = None
        self._seen = self._game = Reading()
        self._idle_since_ns = 0
        self._suspects: list[tuple[Oversight, Reading]] = []
        self._suspects_ns = 0
        self._was_harmed = False
        """Whether another bot was condemned for being in the way, in the ply that is looked at."""
        self._relief_ns = 0
        """Until when it is waited for since that other one was killed."""
        self._cpu_ns = 0
        self._turn_wait_ns = self._ply_wait_ns = 0
        self._rss_at_ns = -NS_PER_MS
        self._rss_mb = 0.0
        living[self.mark] = self

    # ------------------------------------------------------------------------------------- lateness

    def see_slow_ply(self, asked_ns: int, deadline_ns: int, now_ns: int) -> None:
        """Take note of a ply that was not answered at once; may be called at every look."""
        if self._ply is None or self._ply.deadline_ns != deadline_ns:
            reading = self._meter.read()
            cores = len(os.sched_getaffinity(0))
            self._ply = start_slow_ply(asked_ns, deadline_ns, now_ns, reading, self._seen, cores)
            self._seen = reading
            self._suspects = []
            self._was_harmed = False
            self._ply_wait_ns = 0
            self._relief_ns = 0
            self.overslept_ns = self.blocked_ns = 0

    def is_waited_for(self, now_ns: int) -> bool:
        """Say whether a bot past its limit gets more time: True at most as long as the machine has kept it waiting."""
        ply = self._ply
        assert ply
        reading = self._seen = self._meter.read()
        runnable = is_runnable(reading.cpu_ns)
        stolen_ns = _stolen_since(ply.asked_ns) + self.blocked_ns
        goes_on = ply.look(now_ns, reading, is_runnable=runnable, stolen_ns=stolen_ns)
        if ply.waited_ns or goes_on:
            self._look_for_culprit(now_ns)
        return goes_on or now_ns < self._relief_ns

    def judge_answer(self, asked_ns: int, deadline_ns: int, think_ns: int) -> BotFault | None:
        """Say what a late answer is: a time-out, one that the machine explains, or None.

        None if another bot kept this one from its core: that one is condemned, and the answer counts as in time.
        """
        now_ns = monotonic_ns()
        reading = self._meter.read()
        if self._ply is not None and self._ply.deadline_ns == deadline_ns:
            ply = self._ply
        else:  # it had answered when this process came back from its yield, and so long it was not the bot that ran
            ply = start_slow_ply(asked_ns, deadline_ns, now_ns, reading, self._seen, 1)
            self.overslept_ns = think_ns - min(think_ns, reading.cpu_since(self._seen), _YIELD_NS)
        stolen_ns = _stolen_since(asked_ns) + self.blocked_ns
        waited_ns = max(ply.waited_ns, ply.waited_by(now_ns, reading, stolen_ns))
        ply.waited_ns = min(think_ns, waited_ns + self.overslept_ns)
        self._seen = reading
        what = f"answered after {think_ns / NS_PER_MS:.1f} ms"
        if not ply.explains(think_ns) and not self._was_harmed:
            return BotFault(FaultKind.TIMEOUT, what)
        return None if self._was_harmed or self._is_harmed_now() else _starved(what, ply)

    def judge_silence(self, now_ns: int) -> BotFault | None:
        """Say what it is when the patience is over: as `judge_answer`; after None the bot is to be waited for again."""
        ply = self._ply
        assert ply
        self.check_limits()
        if self.condemned:
            return BotFault(FaultKind.CRASH, self.condemned)
        what = "no answer in time"
        if not ply.explains(now_ns - ply.asked_ns):
            return BotFault(FaultKind.TIMEOUT, what)
        if not self._was_harmed and self._is_harmed_now():
            self._relief_ns = now_ns + ply.limit_ns
            return None
        return _starved(what, ply)

    def _is_harmed_now(self) -> bool:
        """Find the bot that keeps this one waiting, while none is asked anything: who uses the core all the same."""
        if not self._suspects:
            self._suspects, self._suspects_ns = self._others(), monotonic_ns()
        if self._suspects and not self._was_harmed:
            left_ns = self._suspects_ns + _WINDOW_NS - monotonic_ns()
            select.select([], [], [], max(0, left_ns) / 1e9)
            self._look_for_culprit(monotonic_ns())
        return self._was_harmed

    def _look_for_culprit(self, now_ns: int) -> None:
        """Condemn who has used the core for long, since the first call of this ply, while it was not its turn."""
        if not self._suspects:
            self._suspects, self._suspects_ns = self._others(), now_ns
            return
        window_ns = now_ns - self._suspects_ns
        if window_ns < _WINDOW_NS:
            return
        least_ns = window_ns * len(os.sched_getaffinity(0)) * _HOGS_SHARE
        for other, before in self._suspects:
            used_ns = other.whole().cpu_since(before)
            if used_ns > least_ns and not other.condemned:
                self._was_harmed = True
                used_ms, window_ms = used_ns / NS_PER_MS, window_ns / NS_PER_MS
                other.condemn(f"kept the core busy out of its turn: {used_ms:.0f} of {window_ms:.0f} ms")
        self._suspects, self._suspects_ns = self._others(), now_ns

    def _others(self) -> list[tuple[Oversight, Reading]]:
        return [(other, other.whole()) for other in living.values() if other is not self and not other.condemned]

    # -------------------------------------------------------------------------------------- start-up

    def has_settled(self, now_ns: int) -> bool:
        """Say whether a bot that was just started waits for its input, or for events with nothing else to do.

        True as well where the system does not say.
        """
        reading = self._meter.read()
        places = where_asleep(reading.cpu_ns)
        if not places or any(_READS_PIPE in place for place in places):
            self._game = reading
            return True
        is_idle = b"0" not in places and any(word in place for place in places for word in _POLLS)
        if not is_idle or reading.cpu_ns != self._seen.cpu_ns:
            self._seen, self._idle_since_ns = reading, now_ns
        return now_ns - self._idle_since_ns > _IDLE_NS

    # --------------------------------------------------------------------------------------- limits

    def whole(self) -> Reading:
        """Read the bot with all it started, orphans too."""
        reading = self._meter.read()
        self._has_company |= reading.n_processes > 1
        if len(children := reaper.children()) > 1:
            for pid in children:
                if pid not in reading.cpu_ns and reaper.mark_of(pid) == self.mark:
                    for each in (pid, *reaper.descendants(pid)):
                        read_process(each, reading)
                    self._has_company = True
        return reading

    def check_limits(self) -> None:
        """Condemn the bot if it is over a limit."""
        if self.condemned or self._spec.isolation is Isolation.NONE:
            return
        reading = self.whole()
        breach = find_breach(self._spec.limits, reading, reading.cpu_since(self._game))
        if breach:
            self.condemn(breach)

    def condemn(self, why: str) -> None:
        """Kill the bot for a reason that is told when it is asked next."""
        self.condemned = why
        self.kill()

    def kill(self) -> None:
        """Kill the bot's processes that can be seen now; what they hand to others meanwhile is left to `sweep`."""
        if self._has_company or self.condemned:
            self._below = reaper.descendants(self.pid)
        reaper.kill_group(self.pid)
        for pid in self._below:
            reaper.kill(pid)
        if self.condemned:
            for pid in reaper.children():
                if pid != self.pid and reaper.mark_of(pid) == self.mark:
                    reaper.kill(pid)

    def sweep(self) -> None:
        """Kill and reap what is left of the bot after its own process was reaped; closes this oversight."""
        living.pop(self.mark, None)
        reaper.kill_orphans(self.mark, living, {other.pid for other in living.values()}, self._below)
        self._meter.close()

    @property
    def has_company(self) -> bool:
        """Whether the bot was seen to have other processes, or threads whose looks cost more."""
        return self._has_company

    # ---------------------------------------------------------------------------------------- usage

    def cpu_ns(self) -> int:
        """Read what the bot has used so far, all its threads and living processes. 0 if it is gone."""
        try:
            return self._meter.cpu_ns() if not self._has_company else sum(self.whole().cpu_ns.values())
        except OSError:
            return 0

    def note_answer(self, now_ns: int) -> None:
        """Add what the bot has waited in the slow ply that it has just answered, or answered a part of."""
        ply = self._ply
        assert ply
        with contextlib.suppress(OSError):
            waited_ns = ply.head_ns + self._meter.wait_ns() - ply.first.waits_ns.get(self.pid, 0)
            waited_ns = max(self._ply_wait_ns, min(waited_ns, now_ns - ply.asked_ns), ply.waited_ns)
            self._turn_wait_ns += waited_ns - self._ply_wait_ns
            self._ply_wait_ns = waited_ns

    def usage(self) -> Usage:
        """Say what the bot has used since the last call, which is once a game.

        Its waiting is that of its slow plies: out of its turn it waits for nobody's fault, and what it waited in a
        quick ply is less than a millisecond. Of a process alone, its CPU clock is read, and its memory if it has used a
        millisecond of CPU since that was read. One that has used nothing has others work for it: then all are read.
        """
        limits = self._spec.limits
        try:
            cpu_ns = clock_gettime_ns(self._cpu_clock)
            if self._has_company or cpu_ns == self._cpu_ns:
                return self._usage_of_all()
            if cpu_ns - self._rss_at_ns > NS_PER_MS:
                self._rss_at_ns = cpu_ns
                self._rss_mb = round(self._meter.rss_mb(), 1)
        except OSError:
            return NOT_MEASURED
        if limits.cpu_s is not None:
            self._game = Reading(cpu_ns={self.pid: cpu_ns})
            set_cpu_limit(self.pid, cpu_ns, limits)
        used_ns, self._cpu_ns = cpu_ns - self._cpu_ns, cpu_ns
        waited_s = 0.0
        if self._turn_wait_ns:
            waited_s, self._turn_wait_ns = _seconds(self._turn_wait_ns), 0
        return _make_usage((used_ns + 500) // 1000 / 1_000_000, waited_s, self._rss_mb)

    def usage_of_dead(self, cpu_s: float) -> Usage:
        """As `usage`, once the bot has ended and is known to have used so much in all."""
        return Usage(max(0.0, round(cpu_s - self._cpu_ns / 1e9, 6)), None, None)

    def _usage_of_all(self) -> Usage:
        reading = self.whole()
        if not reading.cpu_ns:
            return NOT_MEASURED
        before, self._game = self._game, reading
        self._cpu_ns = reading.cpu_ns.get(self.pid, self._cpu_ns)
        set_cpu_limit(self.pid, self._cpu_ns, self._spec.limits)
        waited_ns, self._turn_wait_ns = self._turn_wait_ns, 0
        return Usage(_seconds(reading.cpu_since(before)), _seconds(waited_ns), round(reading.rss_mb, 1))


def _seconds(ns: int) -> float:
    """Give nanoseconds as seconds, to the microsecond."""
    return (ns + 500) // 1000 / 1_000_000


def _starved(what: str, ply: SlowPly) -> StarvedFault:
    waited_ms = ply.waited_ns / NS_PER_MS
    return StarvedFault(FaultKind.TIMEOUT, f"{what}; for {waited_ms:.1f} ms of it the machine was busy", waited_ms)


# ---------------------------------------------------------------------------------- all bots at once

_next_look_ns = 0
_stolen: deque[tuple[int, int]] = deque(maxlen=64)


def look_at_all(now_ns: int) -> None:
    """Check the limits of every bot of this process and reap what they left, at most ten times a second."""
    global _next_look_ns  # noqa: PLW0603 - one clock for all bots of a process, as cheap as can be
    if now_ns < _next_look_ns:
        return
    _next_look_ns = now_ns + _LOOK_NS
    _stolen.append((now_ns, stolen_ns(os.sched_getaffinity(0))))
    for each in list(living.values()):
        each.check_limits()
    reaper.reap_adopted({each.pid for each in living.values()})


def _stolen_since(asked_ns: int) -> int:
    """Give what the host has stolen since a ply was asked, or since the last look before it; 0 if none was taken."""
    before = [stolen for at_ns, stolen in _stolen if at_ns <= asked_ns]
    return max(0, stolen_ns(os.sched_getaffinity(0)) - before[-1]) if before else 0
