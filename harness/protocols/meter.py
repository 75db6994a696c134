"""Measures what a bot's processes use: CPU, waiting for a core, memory, how many there are. Judges nothing.

All from /proc and process clocks, without privileges. A reading of a bot with one thread and no children costs some
microseconds, of a tree some tens for each process; readings are taken of bots that are slow to answer, never of
every ply. What cannot be read (a process that has just gone, a system without /proc) is left out.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from harness.protocols.reaper import children_of, read_file

_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 2**20
_TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")
_DIRECTORY = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY
_FILE = os.O_RDONLY | os.O_CLOEXEC
_ALONE_LINKS = 3
"""Links of /proc/PID/task with one thread: itself, its parent, the thread."""

_STEAL = 8
"""Place of a core's stolen time in its line of /proc/stat."""


@dataclass(slots=True)
class Reading:
    """What some processes had used when it was taken.

    `cpu_ns` is by process (all its threads, past ones too), `waits_ns` by thread: how long it was ready to run while
    the kernel ran something else. A wait that goes on is not in it until the thread runs again. `rss_mb` sums.
    """

    cpu_ns: dict[int, int] = field(default_factory=dict)
    waits_ns: dict[int, int] = field(default_factory=dict)
    rss_mb: float = 0.0

    @property
    def n_processes(self) -> int:
        """How many processes there were."""
        return len(self.cpu_ns)

    def cpu_since(self, before: Reading) -> int:
        """Give the nanoseconds of CPU that these processes have used since an earlier reading."""
        return sum(now - before.cpu_ns.get(pid, 0) for pid, now in self.cpu_ns.items())

    def wait_since(self, before: Reading) -> int:
        """Give how long the thread that waited most has waited since an earlier reading, in nanoseconds."""
        return max((now - before.waits_ns.get(thread, 0) for thread, now in self.waits_ns.items()), default=0)


def cpu_clock(pid: int) -> int:
    """Give the clock of the CPU time of a process: all its threads, no children (clock_getcpuclockid(3), unwrapped)."""
    return (~pid << 3) | 2


class Meter:
    """Reads one process and all that it starts, as long as those have a parent among them."""

    __slots__ = ("_children", "_schedstat", "_statm", "_task", "pid")

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._task = _open(f"/proc/{pid}/task", _DIRECTORY)
        self._schedstat = _open(f"/proc/{pid}/schedstat", _FILE)
        self._statm = _open(f"/proc/{pid}/statm", _FILE)
        self._children = _open(f"/proc/{pid}/task/{pid}/children", _FILE)

    def cpu_ns(self) -> int:
        """Read the process's CPU clock: all its threads, no children. Raises OSError if it is gone."""
        return time.clock_gettime_ns(cpu_clock(self.pid))

    def wait_ns(self) -> int:
        """Read how long the main thread has waited for a core so far. Raises OSError if it is gone."""
        return _second_number(os.pread(self._schedstat, 64, 0))

    def rss_mb(self) -> float:
        """Read the process's resident memory. Raises OSError if it is gone."""
        return _second_number(os.pread(self._statm, 64, 0)) * _PAGE_MB

    def is_alone(self) -> bool:
        """Say whether the process has one thread and no children. Raises OSError if it is gone."""
        return os.fstat(self._task).st_nlink == _ALONE_LINKS and not os.pread(self._children, 8, 0)

    def read(self) -> Reading:
        """Read the process with its threads and descendants; an empty reading if it is gone."""
        reading = Reading()
        with contextlib.suppress(OSError):
            if self.is_alone():
                reading.cpu_ns[self.pid] = self.cpu_ns()
                reading.waits_ns[self.pid] = self.wait_ns()
                reading.rss_mb = self.rss_mb()
                return reading
        waiting = [self.pid]
        while waiting:
            for pid in waiting:
                read_process(pid, reading)
            waiting = [child for pid in waiting for child in children_of(pid) if child not in reading.cpu_ns]
        return reading

    def close(self) -> None:
        """Close its files. Safe to call twice."""
        for name in ("_task", "_schedstat", "_statm", "_children"):
            descriptor = getattr(self, name)
            if descriptor >= 0:
                os.close(descriptor)
                setattr(self, name, -1)


def read_process(pid: int, reading: Reading) -> None:
    """Add one process, with its threads but without its children, to a reading."""
    with contextlib.suppress(OSError):
        n_pages = _second_number(read_file(f"/proc/{pid}/statm"))
        if not n_pages:
            return  # it has ended, and its parent has not looked yet
        reading.cpu_ns[pid] = time.clock_gettime_ns(cpu_clock(pid))
        reading.rss_mb += n_pages * _PAGE_MB
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - a Path for each thread costs more than the rest
            waits = read_file(f"/proc/{pid}/task/{thread}/schedstat")
            reading.waits_ns[int(thread)] = _second_number(waits)


def where_asleep(pids: Iterable[int]) -> set[bytes]:
    """Give the places in the kernel where the threads of these processes sleep; b"0" stands for one that runs.

    Empty if the system does not say.
    """
    places = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - as above
                places.add(read_file(f"/proc/{pid}/task/{thread}/wchan"))
    return places


def read_proportional_mb(pids: Iterable[int]) -> float:
    """Read the memory of some processes with what they share counted once. Slow: it looks at every page."""
    total_kb = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            for line in read_file(f"/proc/{pid}/smaps_rollup").split(b"\n"):
                if line.startswith(b"Pss:"):
                    total_kb += _second_number(line)
    return total_kb / 1024


def is_runnable(pids: Iterable[int]) -> bool:
    """Say whether a thread of these processes runs or is ready to, at this moment."""
    for pid in pids:
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - as above
                if read_file(f"/proc/{pid}/task/{thread}/stat").rpartition(b")")[2].split()[:1] == [b"R"]:
                    return True
    return False


_own: tuple[int, int] = (0, -1)


def own_wait_ns() -> int:
    """Read how long this thread has waited for a core so far; 0 where the system does not say.

    Of a process with several threads, the one that asked first.
    """
    global _own  # noqa: PLW0603 - one file kept open; a fork opens its own
    pid, descriptor = _own
    if pid != os.getpid():
        descriptor = _open("/proc/thread-self/schedstat", _FILE)
        _own = os.getpid(), descriptor
    try:
        return _second_number(os.pread(descriptor, 64, 0))
    except OSError:
        return 0


def stolen_ns(cores: Iterable[int]) -> int:
    """Read how long the host has kept a virtual core from running, so far; the most of these cores, in steps of 10 ms.

    0 on bare metal and where the host does not say.
    """
    wanted = {b"cpu%d" % core for core in cores}
    most = 0
    with contextlib.suppress(OSError):
        for line in read_file("/proc/stat", 1 << 20).split(b"\n"):
            words = line.split()
            if len(words) > _STEAL and words[0] in wanted:
                most = max(most, int(words[_STEAL]) * _TICK_NS)
    return most


def _open(path: str, flags: int) -> int:
    try:
        return os.open(path, flags)
    except OSError:
        return -1


def _second_number(data: bytes) -> int:
    words = data.split()
    if len(words) < 2:
        raise ProcessLookupError
    return int(words[1])
