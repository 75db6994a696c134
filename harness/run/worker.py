"""A worker: plays the map jobs it is sent, one game at a time, and sends back what came of them.

It runs in a process of its own, forked from the harness, and knows `play` and what lies below, nothing else. It
ends its bots whatever ends it: the end of work, SIGTERM, the death of the harness.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import select
import signal
import sys
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from time import monotonic_ns

from harness.errors import Halt, VoidGame
from harness.play.map import play_map, transcript_file
from harness.play.table import Table
from harness.protocols.reaper import set_subreaper
from harness.records import MapJob, MapRecord, Transcript

Encode = Callable[[MapRecord | Transcript], bytes]

_REPORT_NS = 20_000_000
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Finished:
    """Maps that were played: their ids, their lines of maps.jsonl, and transcript lines by file."""

    jobs: tuple[int, ...]
    lines: tuple[bytes, ...]
    transcripts: tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True)
class Voided:
    """A map that came to nothing, and why."""

    job: int
    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The worker cannot go on: an error that halts the run, or a bug with its traceback."""

    job: int
    error: Halt | None
    traceback: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """The worker was asked to stop and has; these jobs it gives back unbegun."""

    jobs: tuple[int, ...]


Report = Finished | Voided | Failed | Stopped

Lease = tuple[int, int]
"""A job to play: its id, and which attempt at it this is."""

STOP = b"stop"
"""Sent in place of jobs: finish the map being played, give the rest back, end."""


def serve(number: int, connection: Connection, jobs: Sequence[MapJob], encode: Encode, core: int | None) -> None:
    """Play jobs until told to stop or until the harness is gone. The body of a worker process.

    Jobs come as leases, (id, attempt) pairs; `jobs` makes a job of an id. The worker leads a session of its own: its
    bots have no terminal, and the kernel schedules worker and bots as one group (with a session each, Linux's
    autogroups make every hand-over between them dearer).
    """
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _terminate)
    _die_with_parent()
    set_subreaper()
    if core is not None:
        os.sched_setaffinity(0, {core})
    table = Table()
    try:
        _serve(number, connection, jobs, encode, table)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        table.close()
        connection.close()


def _serve(number: int, connection: Connection, jobs: Sequence[MapJob], encode: Encode, table: Table) -> None:
    waiting: deque[Lease] = deque()
    outbox = _Outbox(connection)
    inbox = select.poll()
    inbox.register(connection.fileno(), select.POLLIN)
    while True:
        while not waiting or inbox.poll(0):
            outbox.send_if(not waiting)
            message = connection.recv_bytes()
            if message == STOP:
                outbox.send_if(True)
                connection.send_bytes(pickle.dumps(Stopped(tuple(job for job, _ in waiting))))
                return
            waiting.extend(pickle.loads(message))  # noqa: S301 - from our own parent
        number_of_job, attempt = waiting.popleft()
        job = jobs[number_of_job]
        if attempt > 1:
            job = replace(job, attempt=attempt)
        try:
            record, transcripts = play_map(job, table, number)
            outbox.add(record.job, encode(record), b"".join(map(encode, transcripts)))
        except VoidGame as void:
            outbox.send_if(True)
            connection.send_bytes(pickle.dumps(Voided(job.id, str(void))))
            continue
        except Halt as error:
            outbox.send_if(True)
            connection.send_bytes(pickle.dumps(Failed(job.id, error, "")))
            return
        except Exception:  # noqa: BLE001 - a bug of ours; the parent shows it and exits with 70
            outbox.send_if(True)
            connection.send_bytes(pickle.dumps(Failed(job.id, None, traceback.format_exc())))
            return
        outbox.send_if(outbox.is_due())


class _Outbox:
    """Gathers finished maps so that quick games do not cost a message each; nothing waits longer than 20 ms of play."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._jobs: list[int] = []
        self._lines: list[bytes] = []
        self._transcripts: list[tuple[str, bytes]] = []
        self._last_ns = monotonic_ns()

    def add(self, job: int, line: bytes, transcripts: bytes) -> None:
        self._jobs.append(job)
        self._lines.append(line)
        if not transcripts:
            return
        file = transcript_file(job)
        if self._transcripts and self._transcripts[-1][0] == file:
            self._transcripts[-1] = (file, self._transcripts[-1][1] + transcripts)
        else:
            self._transcripts.append((file, transcripts))

    def is_due(self) -> bool:
        return monotonic_ns() - self._last_ns > _REPORT_NS

    def send_if(self, wanted: bool) -> None:
        if wanted and self._jobs:
            report = Finished(tuple(self._jobs), tuple(self._lines), tuple(self._transcripts))
            self._connection.send_bytes(pickle.dumps(report))
            self._jobs, self._lines, self._transcripts = [], [], []
            self._last_ns = monotonic_ns()


def _terminate(signum: int, frame: object) -> None:
    """End at once, through `finally`, so that the bots end too."""
    del signum, frame
    sys.exit(0)


def _die_with_parent() -> None:
    """Have the kernel send SIGTERM when the harness dies, however it dies. Linux only; elsewhere EOF ends us."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
