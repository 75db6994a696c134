"""The scheduler against a model: whatever comes to nothing, in whatever order, every job is done exactly once."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from harness.run.scheduler import Scheduler, VoidCause


class SchedulerMachine(RuleBasedStateMachine):
    """Issues, finishes, voids, gives back and crashes in any order; `done` and `out` are the model."""

    @initialize(n_jobs=st.integers(0, 12), data=st.data())
    def begin(self, n_jobs: int, data: st.DataObject) -> None:
        self.n_jobs = n_jobs
        self.done: set[int] = set()
        self.out: list[int] = []
        self.voids: dict[int, int] = {}
        self.came_back: set[int] = set()
        self.scheduler = Scheduler(n_jobs)

    @rule(at_most=st.integers(1, 5))
    def issue(self, at_most: int) -> None:
        jobs = self.scheduler.issue(at_most)
        assert len(jobs) <= at_most
        assert not set(jobs) & (self.done | set(self.out))
        assert jobs == sorted(jobs)
        left = set(range(self.n_jobs)) - self.done - set(self.out)
        assert bool(jobs) == bool(left)
        if self.came_back:
            assert jobs == [min(self.came_back)], "what came to nothing is issued first, and alone"
        elif jobs:
            assert jobs[0] == min(left)
        self.came_back -= set(jobs)
        self.out += jobs

    @precondition(lambda self: self.out)
    @rule(data=st.data())
    def fix(self, data: st.DataObject) -> None:
        job = data.draw(st.sampled_from(self.out))
        self.out.remove(job)
        self.scheduler.fix(job)
        self.done.add(job)

    @precondition(lambda self: self.out)
    @rule(data=st.data(), cause=st.sampled_from(VoidCause))
    def void(self, data: st.DataObject, cause: VoidCause) -> None:
        job = data.draw(st.sampled_from(self.out))
        self.out.remove(job)
        times = self.scheduler.void(job, cause)
        self.voids[job] = self.voids.get(job, 0) + 1
        self.came_back.add(job)
        assert 1 <= times <= self.voids[job]
        assert self.scheduler.attempt(job) == 1 + self.voids[job]

    @precondition(lambda self: self.out)
    @rule(data=st.data())
    def give_back(self, data: st.DataObject) -> None:
        job = data.draw(st.sampled_from(self.out))
        self.out.remove(job)
        self.scheduler.give_back(job)
        self.came_back.add(job)
        assert self.scheduler.attempt(job) == 1 + self.voids.get(job, 0)

    @rule(seed=st.integers(0, 99))
    def crash(self, seed: int) -> None:
        """Only what is done survives, told again in the order of the file, some lines twice."""
        lines = [*self.done, *(job for job in self.done if job % 3 == 0)]
        random.Random(seed).shuffle(lines)
        self.scheduler = Scheduler(self.n_jobs)
        seen: set[int] = set()
        for job in lines:
            assert self.scheduler.finish_before(job) is (job not in seen)
            seen.add(job)
        self.out, self.voids, self.came_back = [], {}, set()

    @invariant()
    def counts_agree(self) -> None:
        if not hasattr(self, "scheduler"):
            return
        prefix = 0
        while prefix in self.done:
            prefix += 1
        assert self.scheduler.prefix == prefix
        assert self.scheduler.n_done == len(self.done)
        assert self.scheduler.n_issued == len(self.out)
        assert self.scheduler.is_all_done is (len(self.done) == self.n_jobs)


TestSchedulerMachine = SchedulerMachine.TestCase
TestSchedulerMachine.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)


@given(st.integers(0, 40), st.randoms(use_true_random=False), st.floats(0, 0.6))
def test_every_job_is_done_once_whatever_dies(n_jobs: int, chance: random.Random, failing: float) -> None:
    scheduler = Scheduler(n_jobs)
    out: list[int] = []
    done: list[int] = []
    while not scheduler.is_all_done:
        out += scheduler.issue(chance.randint(1, 4))
        assert out, "nothing is out and nothing is issued, but not all is done"
        job = out.pop(chance.randrange(len(out)))
        if chance.random() < failing:
            scheduler.void(job, VoidCause.WORKER)
        else:
            scheduler.fix(job)
            done.append(job)
    assert sorted(done) == list(range(n_jobs))
    assert scheduler.issue(1) == []


def test_memory_does_not_grow_with_the_plan() -> None:
    scheduler = Scheduler(10**9)
    for _ in range(1000):
        (job,) = scheduler.issue(1)
        scheduler.fix(job)
    assert scheduler.prefix == scheduler.n_done == 1000
    assert not scheduler._ahead


def test_a_job_that_is_not_out_can_be_neither_fixed_nor_void() -> None:
    scheduler = Scheduler(3)
    with pytest.raises(KeyError):
        scheduler.fix(0)
    with pytest.raises(KeyError):
        scheduler.void(0, VoidCause.STARVED)


def test_voids_are_counted_for_each_cause_and_forgotten_when_the_job_is_done() -> None:
    scheduler = Scheduler(1)
    for cause, times in ((VoidCause.STARVED, 1), (VoidCause.WORKER, 1), (VoidCause.STARVED, 2)):
        scheduler.issue(1)
        assert scheduler.void(0, cause) == times
    assert scheduler.attempt(0) == 4
    scheduler.issue(1)
    scheduler.fix(0)
    assert scheduler.attempt(0) == 1
