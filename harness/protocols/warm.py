"""Keeps one program alive that plays whole games when asked, one after another: a JVM with a referee in it.

It is asked on one pipe and answers on another, a line a game: exit code, and 1 if it has to be started anew. What it
prints meanwhile goes into files in memory, as with a program of its own for each game (`whole`), and the outcome is the
same `Ended`. What changes from game to game and would be in a program's environment is in a file in memory, too, at the
path that HARNESS_GAME names. It knows nothing of Java.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence
from time import monotonic_ns

from harness.protocols import oversight, reaper
from harness.protocols.guardian import guard
from harness.protocols.whole import KEPT_ERRORS, MOST_ERRORS, MOST_OUTPUT, Drain, Ended

GAME = "HARNESS_GAME"
"""The environment variable that names the file with the settings of the game being played, as a shell reads them."""

_LOOK_NS = 100_000_000
_NS_PER_MS = 1_000_000
_TICKS = os.sysconf("SC_CLK_TCK")
_ANSWER = re.compile(rb"(-?\d+) ([01])\n")


class WarmProgram:
    """One living program for many games; started when it is needed, and anew after `restart_every` of them."""

    def __init__(
        self, build: Callable[[int, int], Sequence[str]], *, cwd: str, env: Mapping[str, str], restart_every: int
    ) -> None:
        """Take `build`, which gives the command for the descriptors of requests and answers."""
        self._build = build
        self._cwd = cwd
        self._restart_every = restart_every
        self._output, self._errors, self._game = (_memory(name) for name in ("output", "errors", "game"))
        self._env = {**env, GAME: f"/proc/{os.getpid()}/fd/{self._game}"}
        self._process: subprocess.Popen[bytes] | None = None
        self._pidfd = self._requests = self._answers = -1
        self._mark = 0
        self._n_played = 0

    def play(self, request: bytes, settings: Mapping[str, str], *, limit_s: float, drains: Sequence[Drain]) -> Ended:
        """Have one game played, reading `drains` meanwhile. Raises OSError or ValueError if it cannot be started."""
        began_ns = monotonic_ns()
        for file in (self._output, self._errors, self._game):
            os.ftruncate(file, 0)
        os.write(self._game, "".join(f"{key}={shlex.quote(value)}\n" for key, value in settings.items()).encode())
        if self._process is None:
            self._start()
        process = self._process
        assert process is not None
        used_s = _cpu_s(process.pid)
        answer = b""
        with contextlib.suppress(BrokenPipeError):  # it is gone: that is seen at once
            os.write(self._requests, request)
        stopped, answer = self._wait(began_ns + int(limit_s * 1e9), drains)
        self._n_played += 1
        match = _ANSWER.fullmatch(answer)
        if match is None:
            status, cpu_s = self._end()
        else:
            status = (int(match[1]) & 0xFF) << 8
            cpu_s = _cpu_s(process.pid)
            reaper.kill_orphans(self._mark, oversight.living, self._others() | {process.pid})
            if match[2] == b"1" or self._n_played >= self._restart_every:
                self._end()
        size = os.fstat(self._errors).st_size
        return Ended(
            status,
            os.pread(self._output, MOST_OUTPUT, 0),
            os.pread(self._errors, KEPT_ERRORS, max(0, size - KEPT_ERRORS)),
            monotonic_ns() - began_ns,
            max(0.0, cpu_s - used_s),
            stopped,
        )

    def _start(self) -> None:
        if not reaper.has_charge():
            reaper.take_charge()
            guard([os.getpid()])
        theirs_in, self._requests = os.pipe()
        self._answers, theirs_out = os.pipe()
        try:
            self._process = subprocess.Popen(
                self._build(theirs_in, theirs_out),
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=self._errors,
                cwd=self._cwd,
                env=self._env,
                process_group=0,
                pass_fds=(theirs_in, theirs_out),
            )
        except BaseException:
            os.close(self._requests)
            os.close(self._answers)
            raise
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        self._mark = reaper.new_mark()
        reaper.set_mark(self._process.pid, self._mark)
        reaper.spared.add(self._process.pid)
        self._pidfd = os.pidfd_open(self._process.pid)
        self._n_played = 0

    def _wait(self, deadline_ns: int, drains: Sequence[Drain]) -> tuple[str, bytes]:
        """Wait for the answer or the end: give why it has to be ended ("" if it need not), and the answer."""
        poller = select.poll()
        for descriptor in (self._answers, self._pidfd, *(drain.descriptor for drain in drains)):
            poller.register(descriptor, select.POLLIN)
        answer = b""
        look_ns = monotonic_ns() + _LOOK_NS
        while True:
            wait_ns = max(0, min(deadline_ns, look_ns) - monotonic_ns())
            ready = {descriptor for descriptor, _ in poller.poll(wait_ns / _NS_PER_MS)}
            for drain in drains:
                if drain.descriptor in ready:
                    drain.read()
            if self._answers in ready:
                said = os.read(self._answers, 4096)
                answer += said
                if answer.endswith(b"\n"):
                    return "", answer
                if not said:  # it has closed them, or is ending
                    poller.unregister(self._answers)
            if self._pidfd in ready:
                return "", b""
            now_ns = monotonic_ns()
            if now_ns >= deadline_ns:
                return "it did not end in its time (referee.time_limit_s)", b""
            if now_ns >= look_ns:
                look_ns = now_ns + _LOOK_NS
                if os.fstat(self._output).st_size > MOST_OUTPUT:
                    return f"it wrote more than {MOST_OUTPUT >> 20} MB to standard output", b""
                if os.fstat(self._errors).st_size > MOST_ERRORS:
                    return f"it wrote more than {MOST_ERRORS >> 20} MB to standard error", b""
                reaper.reap_adopted(self._others())

    def _others(self) -> set[int]:
        return {each.pid for each in oversight.living.values()}

    def _end(self) -> tuple[int, float]:
        """End it with all that it started, and reap it: give its wait status and the CPU seconds of its whole life."""
        process = self._process
        if process is None:
            return 0, 0.0
        self._process = None
        reaper.kill_group(process.pid)
        try:
            _, status, used = os.wait4(process.pid, 0)
            cpu_s = used.ru_utime + used.ru_stime
        except ChildProcessError:
            status, cpu_s = 0, 0.0
        process.returncode = os.waitstatus_to_exitcode(status)
        reaper.spared.discard(process.pid)
        for descriptor in (self._pidfd, self._requests, self._answers):
            os.close(descriptor)
        reaper.kill_orphans(self._mark, oversight.living, self._others())
        return status, cpu_s

    def close(self) -> None:
        """End it. Safe to call twice."""
        self._end()
        for file in (self._output, self._errors, self._game):
            if file >= 0:
                os.close(file)
        self._output = self._errors = self._game = -1


def _memory(name: str) -> int:
    """Make a file in memory whose writers append, so that it can be emptied between games."""
    descriptor = os.memfd_create(name)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_APPEND)
    return descriptor


def _cpu_s(pid: int) -> float:
    """Give the CPU seconds that a process and the children that it waited for have used so far; 0 if it is gone."""
    try:
        fields = reaper.read_file(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        return sum(map(int, fields[11:15])) / _TICKS
    except (OSError, ValueError, IndexError):
        return 0.0
