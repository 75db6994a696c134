"""A small process beside a run that ends the bots when the harness and its workers can't: both killed at once.

It is told pids on its standard input, a line each: the harness first, then each worker. `done` lets it go: then the
harness has cleaned up itself. When the input ends without that, the harness is gone, however it went. The workers then
have a few seconds to end by themselves; after that they are killed, and then every process with the mark of a bot of
theirs (`reaper`). It stands outside: a session of its own, an interpreter of its own, no file but the pipe. It plays no
part while all is well and must never start anything.
"""

from __future__ import annotations

import os
import select
import signal
from time import monotonic

from harness.protocols.reaper import kill_marked

DONE = b"done"
_WORKERS_END_S = 5.0
_MOST_SWEEPS = 10


def main() -> None:
    """Watch until the input ends, then clean up."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    pidfds: dict[int, int] = {}
    waiting = b""
    while data := os.read(0, 4096):
        *lines, waiting = (waiting + data).split(b"\n")
        for line in lines:
            if line == DONE:
                return
            _watch(int(line), pidfds)
    harness, *workers = pidfds
    del harness
    deadline = monotonic() + _WORKERS_END_S
    for pid in workers:
        if not _ended(pidfds[pid], deadline - monotonic()):
            signal.pidfd_send_signal(pidfds[pid], signal.SIGKILL)
            _ended(pidfds[pid], _WORKERS_END_S)
    _clean_up(pidfds)


def _clean_up(pidfds: dict[int, int]) -> None:
    for _ in range(_MOST_SWEEPS):
        if not kill_marked(pidfds):
            return


def _watch(pid: int, pidfds: dict[int, int]) -> None:
    """Hold on to a process, so that its number cannot come to mean another; one that is gone has left its mark."""
    try:
        pidfds[pid] = os.pidfd_open(pid)
    except OSError:
        pidfds[pid] = -1


def _ended(pidfd: int, timeout_s: float) -> bool:
    if pidfd < 0:
        return True
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return bool(poller.poll(max(0.0, timeout_s * 1000)))
