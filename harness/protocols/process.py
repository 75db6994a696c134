"""The only module that starts programs: a bot's process behind a `Channel`, and one-off commands such as builds.

Raw pipes, blocking waits with a deadline, one poll a read; no threads, no asyncio, no code between fork and exec
(docs/how-it-works.md gives the measurements). Standard error is drained whenever the bot is waited for and its
end is kept. Data that is there is read before a hang-up or an exit is believed.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import select
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from time import monotonic_ns

from harness.errors import BotFault, BotStartError
from harness.protocols import reaper
from harness.protocols.base import NOT_MEASURED, NS_PER_MS, Usage
from harness.records import BotSpec, FaultKind

_CHUNK = 1 << 16
_REAP_S = 5.0
_EXIT_NOTICE_S = 0.2
_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 2**20
_READY = select.POLLIN
_tags = itertools.count(1)
_living: dict[int, ProcessChannel] = {}


class ProcessChannel:
    """One bot process: standard input and output as pipes, its own session and process group."""

    __slots__ = (
        "_cpu_ns",
        "_err",
        "_err_kept",
        "_err_tail",
        "_in",
        "_name",
        "_out",
        "_pending",
        "_pid",
        "_pidfd",
        "_poll",
        "_process",
        "_rss_at_ns",
        "_rss_mb",
        "_schedstat",
        "_starved_ns",
        "_statm",
        "_status",
        "_tag",
    )

    def __init__(self, spec: BotSpec, seed: int) -> None:
        self._name = spec.name
        self._tag = f"{os.getpid()}.{next(_tags)}"
        self._process = process = _spawn(spec, seed, self._tag)
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self._pid = process.pid
        self._pidfd = os.pidfd_open(process.pid)
        self._in, self._out, self._err = process.stdin.fileno(), process.stdout.fileno(), process.stderr.fileno()
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        self._poll = select.poll()
        for descriptor in (self._out, self._err, self._pidfd):
            self._poll.register(descriptor, _READY)
        self._err_tail = bytearray()
        self._err_kept = spec.limits.stderr_kb * 1024
        self._pending = b""
        self._status: int | None = None
        self._schedstat = _open_proc(process.pid, "schedstat")
        self._statm = _open_proc(process.pid, "statm")
        self._cpu_ns = self._starved_ns = 0
        self._rss_at_ns = -NS_PER_MS
        self._rss_mb = 0.0
        _living[process.pid] = self

    # ------------------------------------------------------------------------------------ hot path

    def write(self, data: bytes, deadline_ns: int) -> None:
        """Send all of `data`; see `protocols.base.Channel`."""
        try:
            sent = os.write(self._in, data)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            raise self._gone("closed its standard input") from error
        if sent != len(data):
            self._write_rest(data[sent:], deadline_ns)

    def read(self, deadline_ns: int) -> bytes:
        """Give at least one byte; see `protocols.base.Channel`."""
        if self._pending:
            data, self._pending = self._pending, b""
            return data
        while True:
            left_ns = deadline_ns - monotonic_ns()
            if left_ns <= 0:
                raise BotFault(FaultKind.TIMEOUT, "no answer in time")
            events = self._poll.poll(left_ns / NS_PER_MS)
            if events and events[0][0] == self._out and (data := os.read(self._out, _CHUNK)):
                if len(events) > 1:
                    self._drain_stderr()
                return data
            if data := self._read_rest(events):
                return data

    def exchange(self, data: bytes, deadline_ns: int) -> bytes:
        """Write, then read; see `protocols.base.Channel`.

        A bot on our core that answers at once has done so when the yield returns, and then costs no poll.
        """
        self.write(data, deadline_ns)
        if self._pending:
            return self.read(deadline_ns)
        os.sched_yield()
        try:
            answer = os.read(self._out, _CHUNK)
        except BlockingIOError:
            answer = b""
        return answer or self.read(deadline_ns)

    # ----------------------------------------------------------------------------------- rare paths

    def _read_rest(self, events: list[tuple[int, int]]) -> bytes:
        """Deal with everything but plain data: standard error, hang-up, exit. Raises BotFault at the end."""
        ready = {descriptor for descriptor, _ in events}
        if self._err in ready:
            self._drain_stderr()
        if self._out in ready:
            if data := os.read(self._out, _CHUNK):
                return data
            raise self._gone("closed its standard output")
        if self._pidfd in ready:
            if select.select([self._out], [], [], 0)[0] and (data := os.read(self._out, _CHUNK)):
                return data
            raise self._gone("exited")
        return b""

    def _write_rest(self, data: bytes, deadline_ns: int) -> None:
        """Send what did not fit into the pipe, reading meanwhile so that neither side blocks the other."""
        poller = select.poll()
        poller.register(self._in, select.POLLOUT)
        for descriptor in (self._out, self._err, self._pidfd):
            poller.register(descriptor, _READY)
        while data:
            left_ns = deadline_ns - monotonic_ns()
            if left_ns <= 0:
                raise BotFault(FaultKind.TIMEOUT, "does not read its standard input")
            ready = dict(poller.poll(left_ns / NS_PER_MS))
            if self._err in ready:
                self._drain_stderr()
            if self._out in ready:
                chunk = os.read(self._out, _CHUNK)
                self._pending += chunk
                if not chunk:
                    poller.unregister(self._out)
                if len(self._pending) > 16 * _CHUNK:
                    raise BotFault(FaultKind.ILLEGAL, "writes without end while it is spoken to")
            if self._in in ready:
                try:
                    data = data[os.write(self._in, data) :]
                except BlockingIOError:
                    continue
                except OSError as error:
                    raise self._gone("closed its standard input") from error
            elif self._pidfd in ready:
                raise self._gone("exited")

    def _drain_stderr(self) -> None:
        try:
            data = os.read(self._err, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            self._poll.unregister(self._err)
            return
        self._err_tail += data
        if len(self._err_tail) > 2 * self._err_kept:
            del self._err_tail[: -self._err_kept]

    def _gone(self, what: str) -> BotFault:
        """Say how a bot left: with its exit status if it ends within a moment, else what it closed."""
        if self._status is None:
            self._status = reaper.wait_exit(self._pid, self._pidfd, _EXIT_NOTICE_S)
        self._drain_rest_of_stderr()
        if self._status is None:
            return BotFault(FaultKind.CRASH, what)
        return BotFault(FaultKind.CRASH, f"ended: {reaper.describe_status(self._status)}")

    def _drain_rest_of_stderr(self) -> None:
        for _ in range(64):
            if not select.select([self._err], [], [], 0)[0]:
                return
            before = len(self._err_tail)
            with contextlib.suppress(KeyError):
                self._drain_stderr()
            if len(self._err_tail) == before:
                return

    def usage(self) -> Usage:
        """Read what the process has used since the last call: its CPU clock (all threads, no children), its main
        thread's wait for a core. Resident memory is read again once it has used a millisecond of CPU.
        """
        if self._status is not None:
            return NOT_MEASURED
        try:
            cpu_ns = time.clock_gettime_ns((~self._pid << 3) | 2)
            starved_ns = int(os.pread(self._schedstat, 64, 0).split()[1])
            if cpu_ns - self._rss_at_ns > NS_PER_MS:
                self._rss_at_ns = cpu_ns
                self._rss_mb = round(int(os.pread(self._statm, 64, 0).split()[1]) * _PAGE_MB, 1)
        except (OSError, IndexError, ValueError):
            return NOT_MEASURED
        used = Usage((cpu_ns - self._cpu_ns) / 1e9, (starved_ns - self._starved_ns) / 1e9, self._rss_mb)
        self._cpu_ns, self._starved_ns = cpu_ns, starved_ns
        return used

    def stderr_tail(self) -> str:
        """Give the kept end of standard error."""
        if self._process is not None:
            self._drain_rest_of_stderr()
        return bytes(self._err_tail[-self._err_kept :]).decode("utf-8", "replace")

    def close(self, quit_ms: int) -> None:
        """End the bot and everything it started; see `protocols.base.Channel`."""
        if _living.pop(self._pid, None) is None:
            return
        with contextlib.suppress(OSError):
            self._process.stdin.close()  # type: ignore[union-attr]
        if self._status is None and quit_ms:
            self._status = reaper.wait_exit(self._pid, self._pidfd, quit_ms / 1000)
        self._drain_rest_of_stderr()
        reaper.kill_group(self._pid)
        if self._status is None:
            self._status = reaper.wait_exit(self._pid, self._pidfd, _REAP_S)
        reaper.kill_orphans(self._tag, set(_living), alone=not _living)
        self._process.returncode = self._status or 0
        for stream in (self._process.stdout, self._process.stderr):
            stream.close()  # type: ignore[union-attr]
        for descriptor in (self._pidfd, self._schedstat, self._statm):
            if descriptor >= 0:
                os.close(descriptor)


def _open_proc(pid: int, name: str) -> int:
    try:
        return os.open(f"/proc/{pid}/{name}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def open_process(spec: BotSpec, seed: int) -> ProcessChannel:
    """Start the bot of a spec. Raises BotStartError, naming command and reason, if the system cannot."""
    return ProcessChannel(spec, seed)


def _spawn(spec: BotSpec, seed: int, tag: str) -> subprocess.Popen[bytes]:
    environment = os.environ | dict(spec.env) | {"HARNESS_BOT_SEED": str(seed), reaper.TAG: tag}
    try:
        return subprocess.Popen(
            spec.command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=spec.cwd,
            env=environment,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise start_error(spec, _why_not_started(spec, error)) from error


def _why_not_started(spec: BotSpec, error: OSError | ValueError) -> str:
    number = error.errno if isinstance(error, OSError) else None
    if not Path(spec.cwd).is_dir():
        return f"its working folder {spec.cwd} is not a folder"
    if number == errno.ENOENT:
        return "no such program (or its interpreter is missing)"
    if number == errno.EACCES:
        return "the program is not executable (chmod +x)"
    if number == errno.ENOEXEC:
        return "not a program for this machine (wrong architecture, or a script without #! line)"
    return str(error)


def start_error(spec: BotSpec, why: str, stderr: str = "") -> BotStartError:
    """Build the error of a bot that does not start: its command, the reason, the end of its standard error."""
    if stderr:
        why += "\n  its standard error ends:\n" + "\n".join(f"    | {line}" for line in stderr.splitlines()[-8:])
    return BotStartError(
        f"bot {spec.name!r} does not start",
        got=why,
        where=None,
        next_step=f"run it by hand: cd {spec.cwd} && {' '.join(spec.command)}",
    )


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a one-off command did: exit code, and its output (standard output and error together)."""

    exit_code: int
    output: str


def run_command(command: tuple[str, ...], cwd: str, timeout_s: float) -> CommandResult:
    """Run a command to its end, such as a bot's build. Output is kept to its last 20,000 characters.

    Raises TimeoutError past `timeout_s` (the whole process group is killed) and OSError if it cannot start.
    """
    with subprocess.Popen(
        command,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            reaper.kill_group(process.pid)
            process.communicate()
            raise TimeoutError(f"still running after {timeout_s:g} s") from None
        except BaseException:
            reaper.kill_group(process.pid)
            raise
    return CommandResult(process.returncode, output.decode("utf-8", "replace")[-20_000:])
