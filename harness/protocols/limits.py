"""What a bot's processes may take of the machine: set in the kernel where it can be, checked by readings where not.

Kernel limits hold for each process by itself and are inherited: address space, size of a file, open files, CPU
seconds. Resident memory, number of processes and CPU seconds of the whole tree are looked at while a bot is waited
for (`process`), since no kernel limit works on them for every user: the one on processes counts all of a user's and
spares root, resident memory has none without a cgroup of one's own.
"""

from __future__ import annotations

import contextlib
import resource

from harness.protocols.meter import Reading, read_proportional_mb
from harness.records import Limits

_MB = 1 << 20
_NS = 10**9


def set_limits(pid: int, limits: Limits) -> None:
    """Limit a process that was just started, and what it will start. Limits that are lower already stay."""
    _lower(pid, resource.RLIMIT_FSIZE, limits.file_mb * _MB)
    _lower(pid, resource.RLIMIT_NOFILE, limits.open_files)
    if limits.address_space_mb is not None:
        _lower(pid, resource.RLIMIT_AS, limits.address_space_mb * _MB)


def set_cpu_limit(pid: int, used_ns: int, limits: Limits) -> None:
    """Let the kernel end a process a second past its CPU seconds, counted from what it has used before this game.

    Only the soft limit, which can be set again for the next game.
    """
    if limits.cpu_s is not None:
        with contextlib.suppress(OSError, ValueError):
            hard = resource.prlimit(pid, resource.RLIMIT_CPU)[1]
            resource.prlimit(pid, resource.RLIMIT_CPU, (used_ns // _NS + limits.cpu_s + 1, hard))


def find_breach(limits: Limits, reading: Reading, cpu_ns: int) -> str | None:
    """Say which limit a tree of processes is over, in words; None if none. `cpu_ns` is what it used in this game."""
    if reading.n_processes > limits.processes:
        return f"over its limit of processes: {reading.n_processes} of {limits.processes} (limits.processes)"
    if reading.rss_mb > limits.memory_mb:
        # what forked processes share is in the resident memory of each; asking for its share costs much more
        used_mb = reading.rss_mb if reading.n_processes == 1 else read_proportional_mb(reading.cpu_ns)
        if used_mb > limits.memory_mb:
            return f"over its memory limit: {used_mb:.0f} MB of {limits.memory_mb} (limits.memory_mb)"
    if limits.cpu_s is not None and cpu_ns > limits.cpu_s * _NS:
        return f"over its CPU limit: {cpu_ns / _NS:.1f} s of {limits.cpu_s} in one game (limits.cpu_s)"
    return None


def _lower(pid: int, what: int, value: int) -> None:
    with contextlib.suppress(OSError, ValueError):
        hard = resource.prlimit(pid, what)[1]
        if hard == resource.RLIM_INFINITY or hard > value:
            resource.prlimit(pid, what, (value, value))
