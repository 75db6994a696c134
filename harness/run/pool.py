"""The worker processes: starts them, hands out leases of jobs, notices at once when one dies.

The parent does no work per ply: a worker reports finished maps in batches, and gets a new lease before the old one
is used up. Quick games get long leases, slow ones short, so that a stop is never far.
"""

from __future__ import annotations

import contextlib
import mmap
import multiprocessing
import os
import pickle
import select
import signal
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from time import monotonic

from harness.protocols import guardian, reaper
from harness.records import MapJob
from harness.run.worker import AT_JOB, STOP, Encode, Lease, Report, serve

_LEASE_S = 0.04
_MAX_LEASE = 256
_END_S = 5.0


class Worker:
    """One worker process as the parent sees it: its connection and the jobs it holds, in the order it plays them."""

    def __init__(self, number: int, forked: BaseProcess, connection: Connection, shared: mmap.mmap) -> None:
        assert forked.pid
        self._shared = shared
        self.number = number
        self.pid: int = forked.pid
        self.key = reaper.owner_key(forked.pid)
        self.process = forked
        self.connection = connection
        self.jobs: list[int] = []
        self.is_stopping = False
        self._first_s = 0.0
        self._n_since = 0

    @property
    def at_job(self) -> int:
        """The job that it is at, or was when it died; of those that it holds."""
        at: int = AT_JOB.unpack_from(self._shared, 0)[0]
        return at if at in self.jobs else self.jobs[0]

    def finish(self, jobs: Sequence[int]) -> None:
        """Take note of jobs that it has finished. The first took its start-up too and says nothing of the others."""
        for job in jobs:
            self.jobs.remove(job)
        if self._first_s:
            self._n_since += len(jobs)
        else:
            self._first_s = monotonic()

    @property
    def lease(self) -> int:
        """How many jobs it should hold: about 40 ms of play, at least one."""
        if not self._n_since:
            return 1
        per_map_s = (monotonic() - self._first_s) / self._n_since
        return max(1, min(_MAX_LEASE, int(_LEASE_S / max(per_map_s, 1e-6))))


class Pool:
    """Worker processes, forked, so that they know `jobs` without being sent them.

    `cores[i]` is the core of worker i, or None to leave it to the system. A guardian ends the bots if all of us are
    killed at once.
    """

    def __init__(self, cores: Sequence[int | None], jobs: Sequence[MapJob], encode: Encode) -> None:
        self._jobs = jobs
        self._encode = encode
        self._context = multiprocessing.get_context("fork")
        self._poll = select.poll()
        self._by_descriptor: dict[int, Worker] = {}
        self._cores = list(cores)
        self._stopped: set[int] = set()
        reaper.take_charge()
        guardian.guard([os.getpid()])
        for number in range(len(cores)):
            self._start(number)

    @property
    def workers(self) -> list[Worker]:
        """The workers that live."""
        return list(self._by_descriptor.values())

    def _start(self, number: int) -> None:
        ours, theirs = self._context.Pipe()
        shared = mmap.mmap(-1, mmap.PAGESIZE)
        AT_JOB.pack_into(shared, 0, -1)
        arguments = (number, theirs, self._jobs, self._encode, self._cores[number], os.getpid(), shared)
        forked = self._context.Process(target=serve, args=arguments, name=f"harness-worker-{number}")
        forked.start()
        theirs.close()
        worker = Worker(number, forked, ours, shared)
        guardian.guard([worker.pid])
        self._by_descriptor[ours.fileno()] = worker
        self._poll.register(ours.fileno(), select.POLLIN)

    def send(self, worker: Worker, leases: Sequence[Lease]) -> None:
        """Give a worker more to play. A worker that has just died is noticed by `wait`."""
        worker.jobs.extend(job for job, _, _ in leases)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            worker.connection.send_bytes(pickle.dumps(list(leases)))

    def stop(self) -> None:
        """Ask every worker to finish its map, give the rest back and end."""
        for worker in self.workers:
            if not worker.is_stopping:
                worker.is_stopping = True
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    worker.connection.send_bytes(STOP)

    def wait(self, timeout_s: float) -> Iterator[tuple[Worker, Report | None]]:
        """Give the reports that have come, with None for a worker that has died; waits at most `timeout_s`."""
        for descriptor, _ in self._poll.poll(timeout_s * 1000):
            worker = self._by_descriptor[descriptor]
            try:
                report: Report = pickle.loads(worker.connection.recv_bytes())  # noqa: S301 - from our own worker
            except (EOFError, OSError):
                self._remove(worker)
                yield worker, None
            else:
                yield worker, report

    def replace(self, worker: Worker) -> None:
        """Start a worker in the place of one that has died."""
        self._start(worker.number)

    def look_after(self) -> None:
        """Kill workers that are stopped (SIGSTOP from a bot) at two calls in a row, for they would never end.

        See that the guardian lives, too. To be called about once a second.
        """
        guardian.renew()
        stopped = {worker.pid for worker in self.workers if _is_stopped(worker.pid)}
        for pid in stopped & self._stopped:
            reaper.kill(pid)
        self._stopped = stopped

    def _remove(self, worker: Worker, deadline_s: float | None = None) -> None:
        """Reap a dead worker, or one that is ending, and whatever its bots left behind."""
        self._poll.unregister(worker.connection.fileno())
        self._by_descriptor.pop(worker.connection.fileno(), None)
        worker.connection.close()
        worker.process.join(_END_S if deadline_s is None else max(0.0, deadline_s - monotonic()))
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join(_END_S)
        if worker.process.exitcode != 0:  # else it has ended its bots itself
            reaper.kill_marked({worker.key})
            reaper.kill_orphans(0, (), {other.pid for other in self.workers})

    def close(self) -> None:
        """End every worker now, and through it its bots. Safe to call twice."""
        for worker in self.workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker.pid, signal.SIGTERM)
        deadline_s = monotonic() + _END_S
        for worker in self.workers:
            self._remove(worker, deadline_s)
        guardian.end_guard()


def _is_stopped(pid: int) -> bool:
    try:
        return reaper.read_file(f"/proc/{pid}/stat").rpartition(b")")[2].split()[:1] == [b"T"]
    except OSError:
        return False
