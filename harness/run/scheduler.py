"""Which job next: issue an id, fix it once its record is on disk, void it when nothing came of it.

Pure: no I/O, no clock. After a crash the same ids come back. Jobs are issued in plan order, those to be played
again first; what is done is the longest unbroken prefix plus a small set ahead of it, so memory does not grow with
the plan.
"""

from __future__ import annotations

import heapq
from enum import StrEnum


class VoidCause(StrEnum):
    """Why an issued job came to nothing."""

    STARVED = "starved"  # a bot was late because the machine kept it from running
    REFEREE = "referee"
    WORKER = "worker"


class Scheduler:
    """Issues the ids 0 to n_jobs - 1. Those whose records are on disk already are told with `finish_before`."""

    def __init__(self, n_jobs: int) -> None:
        self.n_jobs = n_jobs
        self.n_done = 0
        self.prefix = 0
        """Length of the longest unbroken prefix of finished jobs: what a stop rule may read."""
        self._ahead: set[int] = set()
        self._next = 0
        self._again: list[int] = []
        self._issued: set[int] = set()
        self._voids: dict[int, dict[VoidCause, int]] = {}

    def finish_before(self, job: int) -> bool:
        """Mark a job as done by an earlier start. False if it was marked already (a record that stands twice)."""
        before = self.n_done
        self._finish(job)
        return self.n_done > before

    def issue(self, at_most: int) -> list[int]:
        """Give up to `at_most` jobs to play now, in plan order; [] when none is left to issue.

        A job that came to nothing before is issued alone, so that another failure points to it.
        """
        if self._again:
            job = heapq.heappop(self._again)
            self._issued.add(job)
            return [job]
        jobs: list[int] = []
        while len(jobs) < at_most and self._next < self.n_jobs:
            job = self._next
            self._next += 1
            if job >= self.prefix and job not in self._ahead:
                self._issued.add(job)
                jobs.append(job)
        return jobs

    def fix(self, job: int) -> None:
        """Mark an issued job as done: its record is on disk."""
        self._issued.remove(job)
        self._voids.pop(job, None)
        self._finish(job)

    def void(self, job: int, cause: VoidCause) -> int:
        """Take an issued job back to be played again. Gives how often this job was void for that cause."""
        self.give_back(job)
        counts = self._voids.setdefault(job, {})
        counts[cause] = counts.get(cause, 0) + 1
        return counts[cause]

    def give_back(self, job: int) -> None:
        """Take back an issued job that was not begun."""
        self._issued.remove(job)
        heapq.heappush(self._again, job)

    def n_voids(self, job: int, cause: VoidCause) -> int:
        """Give how often a job that is not done was void for a cause."""
        return self._voids.get(job, {}).get(cause, 0)

    def attempt(self, job: int) -> int:
        """Give which attempt at the job the next one is, from 1."""
        return 1 + sum(self._voids.get(job, {}).values())

    @property
    def is_all_done(self) -> bool:
        """Whether every job's record is on disk."""
        return self.n_done == self.n_jobs

    @property
    def n_issued(self) -> int:
        """How many jobs are out."""
        return len(self._issued)

    def _finish(self, job: int) -> None:
        if job < self.prefix or job in self._ahead:
            return
        self.n_done += 1
        self._ahead.add(job)
        while self.prefix in self._ahead:
            self._ahead.remove(self.prefix)
            self.prefix += 1
