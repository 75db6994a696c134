"""Runs a program for a whole game to its end, with all that it starts: an external referee and the bots below it.

What it says goes into files in memory, so that it never waits for us and we wake once, when it ends. There is one
deadline; past it, or however else it ends, nothing that it started lives on (`reaper`). It reads no meaning into
anything, and `process` is the only other module that starts programs for a run.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import monotonic_ns

from harness.compiled import function
from harness.protocols import oversight, reaper
from harness.protocols.guardian import guard
from harness.protocols.metadata import DataReader

_LOOK_NS = 100_000_000
_NS_PER_MS = 1_000_000
_PIPE_BYTES = 1 << 16
_PAGE = 1 << 12
_QUICK_MS = 100
_N_ENDED = 5
"""How many things the compiled twin gives of a program that has ended; of one that goes on it gives four."""

_QUICK_S = _QUICK_MS / 1000
_quick = function("harness.protocols.whole", "play")
"""The compiled twin of the quick case, None where it is not built; see `_whole.c`."""

_DEFAULT_SIGNALS = (signal.SIGPIPE, signal.SIGXFSZ)
"""What this interpreter ignores and a program should not."""

MOST_OUTPUT = 16 << 20
"""Bytes of standard output that are read; a program that has written more is ended."""

MOST_ERRORS = 256 << 20
"""Bytes of standard error after which a program is ended; the end of it is read."""

KEPT_ERRORS = 64 << 10
"""Bytes kept of the end of standard error."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How it ended: its wait status, what it said, and `stopped` if it had to be ended, with the reason in words."""

    status: int
    output: bytes
    errors: bytes
    wall_ns: int
    cpu_s: float
    stopped: str = ""

    @property
    def exit_code(self) -> int:
        """Give its exit code, negative for a signal."""
        return os.waitstatus_to_exitcode(self.status)


class Drain:
    """A named pipe that this process reads, so that who writes to it never waits; the end of it is kept."""

    def __init__(self, path: str, kept: int = KEPT_ERRORS) -> None:
        """Make the pipe. Open for both, so that opening it never waits and it never ends."""
        os.mkfifo(path, 0o600)
        self.path = path
        self._kept = kept
        self._tail = bytearray()
        self.data = DataReader()
        """Reads the lines of data in it."""
        self.descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)

    def read(self) -> None:
        """Take what is there."""
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self.descriptor, _PIPE_BYTES):
                self._tail += data
                self.data.take(data)
                if len(self._tail) > 2 * self._kept:
                    del self._tail[: -self._kept]
                if len(data) < _PIPE_BYTES:
                    return

    def take(self) -> bytes:
        """Give the end of what was written since the last call."""
        self.read()
        tail = bytes(self._tail[-self._kept :])
        self._tail.clear()
        return tail

    def close(self) -> None:
        """Close and remove the pipe."""
        os.close(self.descriptor)
        with contextlib.suppress(OSError):
            os.unlink(self.path)  # noqa: PTH108 - a plain name


def play_out(
    command: list[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    limit_s: float,
    drains: Sequence[Drain] = (),
) -> Ended:
    """Run a program to its end, reading `drains` meanwhile, and end everything that it started.

    Raises OSError or ValueError if it cannot be started.
    """
    if not reaper.has_charge():
        reaper.take_charge()
        guard([os.getpid()])
    began_ns = monotonic_ns()
    mark = reaper.new_mark()
    if _quick is not None and not drains and limit_s > _QUICK_S:
        begun = _quick(_encoded(command), _environment(env), os.fsencode(cwd), mark, _QUICK_MS)
        if len(begun) == _N_ENDED:
            status, cpu_s, said, wrong, has_children = begun
            if has_children:
                _sweep(mark)
            return Ended(status, said, wrong, monotonic_ns() - began_ns, cpu_s)
        pid, pidfd, output, errors = begun
    else:
        output, errors = os.memfd_create("output"), os.memfd_create("errors")
        pid = pidfd = 0
    try:
        if not pid:
            pid = _start(command, cwd, env, output, errors)
            reaper.set_mark(pid, mark)
            pidfd = os.pidfd_open(pid)
        try:
            stopped = _wait(pid, pidfd, output, errors, began_ns + int(limit_s * 1e9), drains)
        finally:
            status, cpu_s = _end(pid, mark, pidfd)
        said = os.pread(output, _PAGE, 0)
        if len(said) == _PAGE:
            said = os.pread(output, MOST_OUTPUT, 0)
        wrong = os.pread(errors, _PAGE, 0)
        if len(wrong) == _PAGE:
            wrong = os.pread(errors, KEPT_ERRORS, max(0, os.fstat(errors).st_size - KEPT_ERRORS))
        return Ended(status, said, wrong, monotonic_ns() - began_ns, cpu_s, stopped)
    finally:
        os.close(output)
        os.close(errors)


def _start(command: list[str], cwd: str, env: Mapping[str, str], output: int, errors: int) -> int:
    """Start a program in a process group of its own; give its pid. Raises OSError, ValueError.

    `posix_spawn` costs half of what `Popen` does, but takes no folder: this process steps into it and back, which it
    may only if nobody else here minds.
    """
    if threading.active_count() > 1:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, cwd=cwd, env=env, process_group=0
        )
        process.returncode = 0  # it is waited for here
        return process.pid
    here = os.open(".", os.O_PATH | os.O_CLOEXEC)
    try:
        os.chdir(cwd)
        return os.posix_spawn(
            command[0],
            command,
            env,
            file_actions=(
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, output, 1),
                (os.POSIX_SPAWN_DUP2, errors, 2),
            ),
            setpgroup=0,
            setsigdef=_DEFAULT_SIGNALS,
        )
    finally:
        os.fchdir(here)
        os.close(here)


def _wait(pid: int, pidfd: int, output: int, errors: int, deadline_ns: int, drains: Sequence[Drain]) -> str:
    """Wait until it has ended: "", or why it has to be ended."""
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    for drain in drains:
        poller.register(drain.descriptor, select.POLLIN)
    look_ns = monotonic_ns() + _LOOK_NS
    while True:
        wait_ns = max(0, min(deadline_ns, look_ns) - monotonic_ns())
        ready = [descriptor for descriptor, _ in poller.poll(wait_ns / _NS_PER_MS)]
        for drain in drains:
            if drain.descriptor in ready:
                drain.read()
        if pidfd in ready:
            return ""
        now_ns = monotonic_ns()
        if now_ns >= deadline_ns:
            return "it did not end in its time (referee.time_limit_s)"
        if now_ns >= look_ns:
            look_ns = now_ns + _LOOK_NS
            if os.fstat(output).st_size > MOST_OUTPUT:
                return f"it wrote more than {MOST_OUTPUT >> 20} MB to standard output"
            if os.fstat(errors).st_size > MOST_ERRORS:
                return f"it wrote more than {MOST_ERRORS >> 20} MB to standard error"
            reaper.reap_adopted({pid, *(each.pid for each in oversight.living.values())})


def _end(pid: int, mark: int, pidfd: int) -> tuple[int, float]:
    """End it with all that it started, and reap it: give its wait status and the CPU seconds of its tree.

    The group is killed before the leader is reaped, while its number can belong to nobody else.
    """
    reaper.kill_group(pid)
    os.close(pidfd)
    try:
        _, status, used = os.wait4(pid, 0)
        cpu_s = used.ru_utime + used.ru_stime
    except ChildProcessError:
        status, cpu_s = 0, 0.0
    if reaper.has_children():
        _sweep(mark)
    return status, cpu_s


def _sweep(mark: int) -> None:
    """End and reap what is left of a program that was reaped."""
    living = oversight.living
    reaper.kill_orphans(mark, living, {each.pid for each in living.values()})


def _encoded(words: list[str]) -> list[bytes]:
    return [os.fsencode(word) for word in words]


_last_environment: tuple[Mapping[str, str], list[bytes]] = ({}, [])


def _environment(env: Mapping[str, str]) -> list[bytes]:
    """Give an environment as the system takes it; the last one is kept, for it is nearly always the same object."""
    global _last_environment  # noqa: PLW0603 - a cache of one
    if _last_environment[0] is not env:
        _last_environment = (env, [os.fsencode(f"{name}={value}") for name, value in env.items()])
    return _last_environment[1]
