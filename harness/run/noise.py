"""How much of the time of a core a machine keeps from who should have it: measured, then reckoned for any ply.

A probe computes on one core for some seconds and notes every gap in which it did not run: `measure_gaps`. What a ply of
so much work would have lasted, begun at any moment of that time, follows from the gaps alone (`Trace`, pure).
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil
from time import monotonic_ns

from harness.protocols import reaper

_GAP_NS = 30_000
"""The probe's loop takes less than a microsecond a round: what takes longer than this was no round."""

_NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class Trace:
    """What a probe saw: for how long it ran, and its gaps as (start, length), in nanoseconds since it began."""

    wall_ns: int
    gaps: tuple[tuple[int, int], ...] = ()

    @property
    def lost_share(self) -> float:
        """The share of the time in which the probe did not have its core."""
        return sum(length for _, length in self.gaps) / self.wall_ns if self.wall_ns else 0.0

    def durations(self, work_ns: int, step_ns: int) -> list[int]:
        """Give how long so much work would have lasted, begun every `step_ns`; nanoseconds, in order of the start.

        Work that the trace is too short for is left out.
        """
        starts = [start for start, _ in self.gaps]
        lost = [0, *accumulate(length for _, length in self.gaps)]
        # by what has been computed: when a gap begins, and how much has been lost up to it
        computed = [start - before for start, before in zip(starts, lost, strict=False)]
        found = []
        for begin in range(0, self.wall_ns, step_ns):
            first = bisect_right(starts, begin)
            before = lost[first]
            inside = first and starts[first - 1] + self.gaps[first - 1][1] > begin
            done_at_begin = computed[first - 1] if inside else begin - before
            end_done = done_at_begin + work_ns
            end = end_done + lost[bisect_right(computed, end_done - 1)]
            if end > self.wall_ns:
                break
            found.append(end - begin)
        return found


def quantile(values: Sequence[int], share: float) -> float:
    """Give the smallest value that is not exceeded by `share` of the values; 0 for none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return float(ordered[max(0, ceil(share * len(ordered)) - 1)])


def measure_gaps(seconds: float) -> Trace:
    """Compute for so long on the core one is on, and note when one was not let."""
    was_on = gc.isenabled()
    gc.disable()
    gaps = []
    began = before = monotonic_ns()
    end = began + int(seconds * 1e9)
    while before < end:
        now = monotonic_ns()
        if now - before > _GAP_NS:
            gaps.append((before - began, now - before))
        before = now
    if was_on:
        gc.enable()
    return Trace(before - began, tuple(gaps))


def measure_together(cores: Sequence[int], seconds: float) -> list[Trace]:
    """Measure on several cores at once, a process bound to each."""
    probes = [_start_probe(core, seconds) for core in cores]
    traces = []
    for pid, reading in probes:
        with os.fdopen(reading, "rb") as pipe:
            data = pipe.read()
        os.waitpid(pid, 0)
        traces.append(Trace(*pickle.loads(data)))  # noqa: S301 - from a fork of this process
    return traces


def _start_probe(core: int, seconds: float) -> tuple[int, int]:
    reading, writing = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    try:
        reaper.die_with_parent(parent, signal.SIGKILL)
        os.sched_setaffinity(0, {core})
        trace = measure_gaps(seconds)
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump((trace.wall_ns, trace.gaps), pipe)
    finally:
        os._exit(0)


@dataclass(frozen=True, slots=True)
class Noise:
    """What so many workers at once would feel: milliseconds for 5 ms of work, and shares from 0 to 1.

    `lost_plies` is the share of plies of 45 ms of work that would have taken longer than 50 ms. `worst_ms` is by how
    much the worst of them was late.
    """

    n_workers: int
    median_ms: float
    p99_ms: float
    max_ms: float
    lost_time: float
    lost_plies: float
    worst_late_ms: float


PLY_MS, WORK_MS = 50, 45
SHORT_WORK_MS = 5


def summarise_noise(traces: Sequence[Trace]) -> Noise:
    """Sum up what probes that ran at once have seen."""
    short = [
        duration
        for trace in traces
        for duration in trace.durations(SHORT_WORK_MS * _NS_PER_MS, SHORT_WORK_MS * _NS_PER_MS)
    ]
    plies = [duration for trace in traces for duration in trace.durations(WORK_MS * _NS_PER_MS, _NS_PER_MS)]
    late = [duration - PLY_MS * _NS_PER_MS for duration in plies if duration > PLY_MS * _NS_PER_MS]
    return Noise(
        n_workers=len(traces),
        median_ms=quantile(short, 0.5) / _NS_PER_MS,
        p99_ms=quantile(short, 0.99) / _NS_PER_MS,
        max_ms=max(short, default=0) / _NS_PER_MS,
        lost_time=sum(trace.lost_share for trace in traces) / len(traces) if traces else 0.0,
        lost_plies=len(late) / len(plies) if plies else 0.0,
        worst_late_ms=max(late, default=0) / _NS_PER_MS,
    )


_BEARABLE_PLIES = 0.005
_BEARABLE_TIME = 0.02


def suggest_workers(noises: Sequence[Noise]) -> int:
    """Give the most workers at which few plies would be lost, or hardly more than with one; at least one."""
    alone = noises[0]
    good = [
        noise.n_workers
        for noise in noises
        if noise.lost_plies <= alone.lost_plies + _BEARABLE_PLIES
        and noise.lost_time <= alone.lost_time + _BEARABLE_TIME
    ]
    return max(good, default=1)
