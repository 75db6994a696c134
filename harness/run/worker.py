"""A worker: plays the map jobs it is sent, one game at a time, and sends back what came of them.

It runs in a process of its own, forked from the harness, and knows `play` and what lies below, nothing else. It
ends its bots whatever ends it: the end of work, SIGTERM, the death of the harness.
"""

from __future__ import annotations

import contextlib
import gc
import mmap
import os
import pickle
import resource
import select
import signal
import struct
import sys
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from time import monotonic_ns

from harness.errors import Halt, StarvedGame, VoidGame
from harness.play.map import play_games
from harness.play.own_code import blame
from harness.play.recording import Played, transcript_file
from harness.play.table import Table
from harness.protocols import oversight, process, reaper
from harness.records import MapJob, MapRecord, Transcript

Encode = Callable[[MapRecord | Transcript], bytes]

_REPORT_NS = 10_000_000
"""How long finished maps wait to be sent together: so short that they fit into the connection's buffer of some hundred
kilobytes, or the worker would have to wait for the harness to read.
"""

_HEAR_NS = 1_000_000
"""How often it is looked whether there is a message, between maps; one a map costs a quick map a hundredth."""

_GARBAGE = 60_000
"""New objects until cycles among them are looked for. A game makes thousands and hardly a cycle, and 10 ms of quick
games wait for their records; looking costs 5 %."""

_STDERR = 2
_AUTOGROUP = "/proc/self/autogroup"
_OOM_SCORE = b"500"
_NO_CORE = 1
"""A limit on core files that also keeps them from a handler that the system pipes them to (core(5))."""


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
    is_starved: bool = False


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

Lease = tuple[int, int, bool]
"""A job to play: its id, which attempt at it this is, and whether it is void if the machine makes a bot late."""

AT_JOB = struct.Struct("q")
"""What a worker writes into memory that it shares with the harness: the job it is at, for when it dies."""

STOP = b"stop"
"""Sent in place of jobs: finish the map being played, give the rest back, end."""


def serve(
    number: int,
    connection: Connection,
    jobs: Sequence[MapJob],
    encode: Encode,
    core: int | None,
    harness: int,
    shared: mmap.mmap,
) -> None:
    """Play jobs until told to stop or until the harness (its pid) is gone. The body of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _terminate)
    _settle(connection)
    reaper.die_with_parent(harness, signal.SIGTERM)
    if core is not None:
        os.sched_setaffinity(0, {core})
    table = Table()
    try:
        _serve(number, connection, jobs, encode, table, shared)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        table.close()
        reaper.kill_orphans(0, (), ())
        connection.close()


def _settle(connection: Connection) -> None:
    """Become a process of one's own, and set what all bots are to inherit.

    A session without a terminal, and the same for worker and bots: none can read from the terminal, Ctrl-Z does not
    stop a worker in the middle of a ply, and the kernel's grouping of sessions does not come between them. No file of
    the harness but our connection: the end of a pipe that others hold is never seen, and the lock of a run has to be
    free as soon as its harness is gone. What the harness made before is no garbage of ours. Bots leave no core files,
    and are what the kernel takes first when memory runs out.
    """
    priority = _read_session_priority()
    os.setsid()
    if priority:
        with contextlib.suppress(OSError), open(_AUTOGROUP, "w", encoding="ascii") as file:  # noqa: PTH123
            file.write(priority)
    gc.freeze()
    gc.set_threshold(_GARBAGE)
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - plain names
        if int(name) > _STDERR and int(name) != connection.fileno():
            with contextlib.suppress(OSError):
                os.close(int(name))
    oversight.living.clear()
    reaper.take_charge(exclusive=True)
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (_NO_CORE, hard))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "wb", buffering=0) as file:  # noqa: PTH123
        file.write(_OOM_SCORE)


def _read_session_priority() -> str:
    """Read the nice value that our session was given as a whole (sched(7)); "" where there is none to keep."""
    try:
        with open(_AUTOGROUP, encoding="ascii") as file:  # noqa: PTH123
            nice = file.read().rpartition("nice")[2].strip()
    except OSError:
        return ""
    return "" if nice == "0" else nice


def _serve(
    number: int, connection: Connection, jobs: Sequence[MapJob], encode: Encode, table: Table, shared: mmap.mmap
) -> None:
    outbox = _Outbox(connection, encode)
    try:
        _play_on(number, connection, jobs, table, shared, outbox)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        raise  # the harness is gone
    except Halt as error:
        outbox.send_if(True)
        connection.send_bytes(pickle.dumps(Failed(AT_JOB.unpack_from(shared, 0)[0], error, "")))
    except Exception as error:  # noqa: BLE001 - a bug of ours, which exits with 70, or of the user's own rules
        job = jobs[AT_JOB.unpack_from(shared, 0)[0]]
        failed = Failed(job.id, blame(error, job), traceback.format_exc())
        with contextlib.suppress(Exception):  # the bug may be in what makes the records
            outbox.send_if(True)
        connection.send_bytes(pickle.dumps(failed))


def _play_on(
    number: int,
    connection: Connection,
    jobs: Sequence[MapJob],
    table: Table,
    shared: mmap.mmap,
    outbox: _Outbox,
) -> None:
    waiting: deque[Lease] = deque()
    inbox = select.poll()
    inbox.register(connection.fileno(), select.POLLIN)
    heard_ns = 0
    while True:
        now_ns = monotonic_ns()
        outbox.send_if(outbox.is_due(now_ns))
        while not waiting or (now_ns - heard_ns > _HEAR_NS and inbox.poll(0)):
            outbox.send_if(not waiting)
            message = connection.recv_bytes()
            if message == STOP:
                outbox.send_if(True)
                connection.send_bytes(pickle.dumps(Stopped(tuple(job for job, _, _ in waiting))))
                return
            waiting.extend(pickle.loads(message))  # noqa: S301 - from our own parent
        if now_ns - heard_ns > _HEAR_NS:
            heard_ns = now_ns
        number_of_job, attempt, voids_starved = waiting.popleft()
        AT_JOB.pack_into(shared, 0, number_of_job)
        job = jobs[number_of_job]
        if attempt > 1:
            job = replace(job, attempt=attempt, voids_starved=voids_starved)
        try:
            outbox.add(play_games(job, table, number))
        except VoidGame as void:
            outbox.send_if(True)
            connection.send_bytes(pickle.dumps(Voided(job.id, str(void), isinstance(void, StarvedGame))))


class _Outbox:
    """Gathers played maps so that quick games do not cost a message each; nothing waits longer than 10 ms of play.

    Their records are made when they are sent: see `play.recording`.
    """

    def __init__(self, connection: Connection, encode: Encode) -> None:
        self._connection = connection
        self._encode = encode
        self._played: list[Played] = []
        self._last_ns = monotonic_ns()

    def add(self, played: Played) -> None:
        self._played.append(played)

    def is_due(self, now_ns: int) -> bool:
        return now_ns - self._last_ns > _REPORT_NS

    def send_if(self, wanted: bool) -> None:
        if not wanted or not self._played:
            return
        played, self._played = self._played, []
        encode = self._encode
        lines: list[bytes] = []
        transcripts: dict[str, list[bytes]] = {}
        for each in played:
            record, games = each.record()
            lines.append(encode(record))
            if games:
                transcripts.setdefault(transcript_file(record.job), []).extend(map(encode, games))
        report = Finished(
            tuple([each.job.id for each in played]),
            tuple(lines),
            tuple([(file, b"".join(texts)) for file, texts in transcripts.items()]),
        )
        self._connection.send_bytes(pickle.dumps(report))
        self._last_ns = monotonic_ns()


def _terminate(signum: int, frame: object) -> None:
    """End at once, through `finally`, so that the bots end too."""
    del signum, frame
    process.hurry()
    sys.exit(0)
