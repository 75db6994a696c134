"""A small process beside a run that ends the bots when the harness and its workers can't: both killed at once.

It is told processes on its standard input, a line each with pid and key: the harness first, then each worker. `done`
lets it go: then the harness has cleaned up itself. When the input ends without that, the harness is gone, however it
went. The workers then have a few seconds to end by themselves; after that they are killed, and then every process with
the mark of a bot of theirs (`reaper`). It stands outside: a session of its own, an interpreter of its own, no file but
the pipe. It plays no part while all is well and must never start anything.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from harness.protocols import reaper

_DONE = b"done"
_WORKERS_END_S = 5.0
_MOST_SWEEPS = 10
_LISTENS_S = 2.0
_LOOK_S = 0.001


def main() -> None:
    """Watch until the input ends, then clean up."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    watched: list[tuple[int, int]] = []
    waiting = b""
    while data := os.read(0, 4096):
        *lines, waiting = (waiting + data).split(b"\n")
        for line in lines:
            if line == _DONE:
                return
            watched.append(_watch(*map(int, line.split())))
    deadline = monotonic() + _WORKERS_END_S
    for pidfd, _ in watched[1:]:
        if not _ended(pidfd, deadline - monotonic()):
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            _ended(pidfd, _WORKERS_END_S)
    for _ in range(_MOST_SWEEPS):
        if not reaper.kill_marked({key for _, key in watched}):
            return


def _watch(pid: int, key: int) -> tuple[int, int]:
    """Hold on to a process, so that its number cannot come to mean another: give a pidfd (-1: gone) and its key."""
    try:
        pidfd = os.pidfd_open(pid)
    except OSError:
        return -1, key
    if reaper.owner_key(pid) != key:
        os.close(pidfd)
        return -1, key
    return pidfd, key


def _ended(pidfd: int, timeout_s: float) -> bool:
    if pidfd < 0:
        return True
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return bool(poller.poll(max(0.0, timeout_s * 1000)))


# --------------------------------------------------------------------------------- in the harness


@dataclass(slots=True)
class _State:
    """This process's guardian."""

    pipe: int = -1
    """The pipe to it; -1 for none, as in a worker, whose harness has one."""

    pid: int = 0
    told: bytes = b""
    """What it has been told, for its successor."""

    owner: int = 0
    """The process that started it; a fork of that has no say."""


_state = _State()


def guard(pids: list[int]) -> None:
    """Have the bots of these processes ended should they all be killed; starts the guardian if there is none.

    Give the pid of this process first.
    """
    lines = b"".join(b"%d %d\n" % (pid, reaper.owner_key(pid)) for pid in pids)
    if _state.owner == os.getpid() and _state.pipe >= 0:
        with contextlib.suppress(BrokenPipeError):
            os.write(_state.pipe, lines)
            _state.told += lines
            return
        end_guard()  # it is gone: start another, which must know all
    if _state.owner != os.getpid():
        _state.told = b""
    _state.told += lines
    _state.owner = os.getpid()
    reading, _state.pipe = os.pipe()
    try:
        _state.pid = _start_guardian(reading)
        reaper.spared.add(_state.pid)
    finally:
        os.close(reading)
    os.write(_state.pipe, _state.told)
    _wait_until_it_listens(_state.pid)


def renew() -> None:
    """Start another guardian if this process had one and it has ended. To be called now and then."""
    if guardian_pid():
        with contextlib.suppress(ChildProcessError):
            if os.waitpid(_state.pid, os.WNOHANG)[0]:
                end_guard()
                guard([])


def _start_guardian(reading: int) -> int:
    """Start the guardian in an interpreter of its own, small and known by its words; else as a fork of this process.

    Else is a program with Python in it, or one whose user has changed and may not start its interpreter any more.
    """
    root = str(Path(__file__).resolve().parents[2])
    program = f"import sys; sys.path.insert(0, {root!r}); from harness.protocols.guardian import main; main()"
    nowhere = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
    with contextlib.suppress(OSError, ValueError):
        return os.posix_spawn(
            sys.executable,
            [sys.executable, "-S", "-E", "-I", "-c", program],
            {},
            file_actions=[(os.POSIX_SPAWN_DUP2, reading, 0), nowhere, (os.POSIX_SPAWN_DUP2, 1, 2)],
            setsid=True,
        )
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            os.dup2(reading, 0)
            os.closerange(1, os.sysconf("SC_OPEN_MAX"))
            main()
        finally:
            os._exit(0)
    return pid


def _wait_until_it_listens(pid: int) -> None:
    """Let it finish its start, some 20 ms of CPU that would be in the way of the first plies; two seconds at most."""
    deadline = monotonic() + _LISTENS_S
    while monotonic() < deadline:
        try:
            place = reaper.read_file(f"/proc/{pid}/wchan")
        except OSError:
            return
        if b"pipe" in place:
            return
        sleep(_LOOK_S)


def end_guard() -> None:
    """Let the guardian go, once there are no bots any more. Safe to call twice."""
    descriptor, _state.pipe = _state.pipe, -1
    if descriptor < 0 or _state.owner != os.getpid():
        return
    with contextlib.suppress(BrokenPipeError):
        os.write(descriptor, _DONE + b"\n")
    os.close(descriptor)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(_state.pid, 0)
    reaper.spared.discard(_state.pid)


def guardian_pid() -> int:
    """Give the pid of this process's guardian, 0 if it has none."""
    return _state.pid if _state.pipe >= 0 and _state.owner == os.getpid() else 0
