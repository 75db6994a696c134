"""The only module that starts programs: a bot's process behind a `Channel`, and one-off commands such as builds.

Raw pipes, blocking waits with a deadline, one poll a read; no threads, no asyncio, no code between fork and exec
(docs/how-it-works.md gives the measurements). Standard error is drained whenever the bot is waited for and its
end is kept. Data that is there is read before a hang-up or an exit is believed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import shutil
import subprocess
from dataclasses import dataclass, replace
from functools import cache
from os import sched_yield, write
from pathlib import Path
from time import monotonic_ns
from typing import TYPE_CHECKING

from harness.compiled import best
from harness.errors import BotFault
from harness.protocols import reaper, sandbox
from harness.protocols.base import NS_PER_MS, Usage
from harness.protocols.guardian import guard
from harness.protocols.metadata import DataReader
from harness.protocols.meter import own_wait_ns
from harness.protocols.oversight import Oversight, look_at_all
from harness.protocols.patience import STEP_NS
from harness.protocols.ply import CHUNK, Pipes
from harness.protocols.start_errors import refuse_changed, start_error, why_not_started
from harness.records import BotSpec, FaultKind, Isolation

_PIPE_BYTES = 1 << 16
_REAP_S = 5.0
_EXIT_NOTICE_S = 0.2
_PROBE_S = 10.0
_QUICK_STARTS, _SETTLE_STEP_MS = 3, 8
_READY = select.POLLIN
_QUICK_NS = NS_PER_MS
"""A bot that has not answered by then is slow, and worth the cost of a look at what it does."""

_LOOK_NS = 100 * NS_PER_MS


if TYPE_CHECKING:
    BestPipes = Pipes
else:
    BestPipes = best(Pipes)


class ProcessChannel(BestPipes):
    """One bot process: standard input and output as pipes, its own process group in the worker's session."""

    __slots__ = (
        "_data",
        "_err",
        "_err_kept",
        "_err_tail",
        "_exit",
        "_is_closed",
        "_most_said",
        "_n_errors",
        "_oversight",
        "_pid",
        "_pidfd",
        "_poll",
        "_process",
        "_said",
        "_spec",
    )

    def __init__(self, spec: BotSpec, seed: int) -> None:
        self._spec = spec
        self._process = process = _spawn(spec, seed)
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self._pid = process.pid
        self._oversight = Oversight(spec, process.pid)
        self._pidfd = os.pidfd_open(process.pid)
        self._in, self._out, self._err = process.stdin.fileno(), process.stdout.fileno(), process.stderr.fileno()
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        self._poll = select.poll()
        for descriptor in (self._out, self._err, self._pidfd):
            self._poll.register(descriptor, _READY)
        self._data: DataReader | None = None
        self._err_tail = bytearray()
        self._err_kept = spec.limits.stderr_kb * 1024
        self._n_errors = 0
        self._pending = b""
        self._said = 0
        self._most_said = spec.limits.output_mb << 20
        self._exit: reaper.Exit | None = None
        self._is_closed = False

    # ------------------------------------------------------------------------------------ hot path

    def exchange_on(self, data: bytes, sent: int, deadline_ns: int, asked_ns: int) -> bytes:
        """Go on with what is not the plain case; see `protocols.ply.Pipes`."""
        if sent < 0:
            raise self._gone("closed its standard input")
        if sent < len(data):
            self._write_rest(data[sent:], deadline_ns)
        return self.read(deadline_ns, asked_ns)

    def write(self, data: bytes, deadline_ns: int) -> None:
        """Send all of `data`; see `protocols.base.Channel`."""
        try:
            sent = write(self._in, data)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            raise self._gone("closed its standard input") from error
        if sent != len(data):
            self._write_rest(data[sent:], deadline_ns)

    def read(self, deadline_ns: int, asked_ns: int = 0) -> bytes:
        """Give at least one byte; see `protocols.base.Channel`."""
        if self._pending:
            data, self._pending = self._pending, b""
            return data
        now_ns = monotonic_ns()
        left_ns = deadline_ns - now_ns
        events = self._poll.poll(_QUICK_NS / NS_PER_MS if left_ns > _QUICK_NS else max(0, left_ns / NS_PER_MS))
        if events and events[0][0] == self._out and (data := os.read(self._out, CHUNK)):
            if len(events) > 1:
                self._drain_stderr()
            return self._count(data)
        return self._read_slowly(events, deadline_ns, asked_ns or now_ns)

    # ----------------------------------------------------------------------------------- rare paths

    def _read_slowly(self, events: list[tuple[int, int]], deadline_ns: int, asked_ns: int) -> bytes:
        """Wait for a bot that does not answer at once, with an eye on what it does meanwhile.

        Past the deadline it goes on as long as the machine has kept the bot from running (`patience`).
        """
        watch = self._oversight
        until_ns = deadline_ns
        waited_ns = 0
        is_watched = False
        while True:
            n_before = self._n_errors
            if data := self._read_rest(events):
                if is_watched:
                    watch.note_answer(monotonic_ns())
                return self._count(data)
            if self._n_errors - n_before == _PIPE_BYTES:  # it found its pipe full until this process got a core again
                watch.blocked_ns += own_wait_ns() - waited_ns
            now_ns = monotonic_ns()
            watch.see_slow_ply(asked_ns, deadline_ns, now_ns)
            is_watched = True
            look_at_all(now_ns)
            left_ns = until_ns - now_ns
            if now_ns >= deadline_ns:
                # until_ns is the deadline, or what the last look past it allowed
                if not watch.is_waited_for(now_ns) and (fault := watch.judge_silence(now_ns)):
                    raise fault
                left_ns = STEP_NS
            wait_ns = min(left_ns, _LOOK_NS)
            waited_ns = own_wait_ns()
            events = self._poll.poll(wait_ns / NS_PER_MS)
            watch.overslept_ns = max(0, monotonic_ns() - now_ns - wait_ns - NS_PER_MS)

    def settle(self, deadline_ns: int) -> None:
        """Wait until a bot that was just started waits for its first input; see `protocols.base.Channel`."""
        self._wait_until_settled(deadline_ns)
        self._used()  # what it used to start is none of a game's; what it said is

    def _wait_until_settled(self, deadline_ns: int) -> None:
        pause_ms = 1
        for _ in range(_QUICK_STARTS):
            sched_yield()
            if self._oversight.has_settled(monotonic_ns()):
                return
        while (now_ns := monotonic_ns()) < deadline_ns:
            events = self._poll.poll(pause_ms)
            if self._oversight.has_settled(now_ns) or any(descriptor != self._err for descriptor, _ in events):
                return  # it waits, it has said something, or it has gone: what it is will be seen when it is asked
            if events:
                self._drain_stderr()
            pause_ms = min(2 * pause_ms, _SETTLE_STEP_MS)

    def judge_answer(self, asked_ns: int, deadline_ns: int, think_ns: int) -> BotFault | None:
        """Say what an answer after the deadline is; see `protocols.base.Channel`."""
        return self._oversight.judge_answer(asked_ns, deadline_ns, think_ns)

    def _count(self, data: bytes) -> bytes:
        self._said += len(data)
        if self._said > self._most_said:
            raise BotFault(
                FaultKind.ILLEGAL, f"wrote more than {self._most_said >> 20} MB in one game (limits.output_mb)"
            )
        return data

    def _read_rest(self, events: list[tuple[int, int]]) -> bytes:
        """Deal with everything but plain data: standard error, hang-up, exit. Raises BotFault at the end."""
        ready = {descriptor for descriptor, _ in events}
        if self._err in ready:
            self._drain_stderr()
        if self._out in ready:
            if data := os.read(self._out, CHUNK):
                return data
            raise self._gone("closed its standard output")
        if self._pidfd in ready:
            if select.select([self._out], [], [], 0)[0] and (data := os.read(self._out, CHUNK)):
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
            if self._err in ready and not self._drain_stderr():
                poller.unregister(self._err)
            if self._out in ready:
                chunk = os.read(self._out, CHUNK)
                self._pending += chunk
                if not chunk:
                    poller.unregister(self._out)
                if len(self._pending) > 16 * CHUNK:
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

    def _drain_stderr(self) -> bool:
        """Keep the end of what is there; False once the bot has closed it."""
        data = self.read_now(self._err, _PIPE_BYTES)
        return True if data is None else self._keep_errors(data)

    def _keep_errors(self, data: bytes) -> bool:
        if not data:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._err)
            return False
        self._err_tail += data
        self._n_errors += len(data)
        if self._spec.metadata:
            if self._data is None:
                self._data = DataReader()
            self._data.take(data)
        if len(self._err_tail) > 2 * self._err_kept:
            del self._err_tail[: -self._err_kept]
        return True

    def _gone(self, what: str) -> BotFault:
        """Say how a bot left: why it was killed, or its exit status if it ends within a moment, or what it closed."""
        if self._exit is None:
            self._exit = reaper.wait_exit(self._pid, self._pidfd, _EXIT_NOTICE_S)
        self._drain_rest_of_stderr()
        if self._oversight.condemned:
            return BotFault(FaultKind.CRASH, self._oversight.condemned)
        if self._exit is None:
            return BotFault(FaultKind.CRASH, what)
        if self._spec.isolation is Isolation.SANDBOX:
            if sandbox.has_not_started(self._exit.status, bytes(self._err_tail)):
                raise start_error(self._spec, f"not inside its sandbox: {self._exit}", self.stderr_tail())
            return BotFault(FaultKind.CRASH, f"ended: {sandbox.describe_status(self._exit.status)}")
        return BotFault(FaultKind.CRASH, f"ended: {self._exit}")

    def _drain_rest_of_stderr(self) -> None:
        for _ in range(64):
            if not select.select([self._err], [], [], 0)[0]:
                return
            if not self._drain_stderr():
                return

    def cpu_ns(self) -> int:
        """Read the CPU time that the bot has used so far."""
        return self._oversight.cpu_ns()

    def usage(self) -> Usage:
        """Say what the bot has used since the last call; see `oversight`. The next game begins: it may write anew."""
        self._said = 0
        used = self._used()
        if not self._is_closed and (errors := self.read_now(self._err, _PIPE_BYTES)) is not None:
            self._keep_errors(errors)
        if self._data is not None and (said := self._data.give()) is not None:
            return replace(used, said=said)
        return used

    def _used(self) -> Usage:
        look_at_all(monotonic_ns())
        if self._exit is not None:
            return self._oversight.usage_of_dead(self._exit.cpu_s)
        return self._oversight.usage()

    def stderr_tail(self) -> str:
        """Give the kept end of standard error."""
        if not self._is_closed:
            self._drain_rest_of_stderr()
        return bytes(self._err_tail[-self._err_kept :]).decode("utf-8", "replace")

    def close(self, quit_ms: int) -> None:
        """End the bot and everything it started; see `protocols.base.Channel`."""
        if self._is_closed:
            return
        with contextlib.suppress(OSError):
            self._process.stdin.close()  # type: ignore[union-attr]
        if self._exit is None and quit_ms and not _state.is_hurried:
            self._exit = reaper.wait_exit(self._pid, self._pidfd, quit_ms / 1000)
        self._drain_rest_of_stderr()
        self._is_closed = True
        self._oversight.kill()
        if self._exit is None:
            self._exit = reaper.wait_exit(self._pid, self._pidfd, _REAP_S)
        self._oversight.sweep()
        self._process.returncode = self._exit.status if self._exit else 0
        for stream in (self._process.stdout, self._process.stderr):
            stream.close()  # type: ignore[union-attr]
        os.close(self._pidfd)


@dataclass(slots=True)
class _State:
    """What holds for all bots of this process."""

    is_hurried: bool = False


_state = _State()


def hurry() -> None:
    """From now on, end bots without waiting for them to end by themselves."""
    _state.is_hurried = True


def open_process(spec: BotSpec, seed: int) -> ProcessChannel:
    """Start the bot of a spec. Raises BotStartError, naming command and reason, if the system cannot.

    A process that is no worker becomes the parent of its bots' orphans and gets a guardian with its first bot.
    """
    if not reaper.has_charge():
        reaper.take_charge()
        guard([os.getpid()])
    return ProcessChannel(spec, seed)


def _spawn(spec: BotSpec, seed: int) -> subprocess.Popen[bytes]:
    refuse_changed(spec)
    command, environment = spec.command, os.environ | dict(spec.env)
    cwd: str | None = spec.cwd
    if spec.isolation is Isolation.SANDBOX:
        program = Path(spec.cwd, spec.command[0])
        if not os.access(program, os.X_OK):
            number = errno.EACCES if program.exists() else errno.ENOENT
            raise start_error(spec, why_not_started(spec, OSError(number, os.strerror(number))))
        command, environment = tuple(sandbox.build_command(spec)), sandbox.build_environment(spec)
        cwd = "/"
    try:
        return subprocess.Popen(
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=environment | {"HARNESS_BOT_SEED": str(seed)},
            process_group=0,
        )
    except (OSError, ValueError) as error:
        raise start_error(spec, why_not_started(spec, error)) from error


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


@cache
def why_no_sandbox() -> str | None:
    """Say why this machine cannot give a sandbox; None if it can. Tries one, once for each process."""
    if shutil.which(sandbox.PROGRAM) is None:
        return f"bubblewrap is not installed: there is no program {sandbox.PROGRAM!r}"
    try:
        result = run_command(tuple(sandbox.build_probe()), "/", _PROBE_S)
    except (OSError, TimeoutError) as error:
        return str(error)
    return None if result.exit_code == 0 else result.output.strip() or f"exit code {result.exit_code}"
