"""The run as one list of plain steps: read it from `run_config` down.

    prepare        config, builds, fingerprints, referee, plan        (prepare.py)
    open           the run's folder: new, or resumed if its fingerprints are ours
    read_done      what an earlier start finished
    start          workers on their cores                             (cores.py, pool.py)
    play           jobs out, records in, on disk before they count    (scheduler.py)
    close          workers, bots, folder

Who watches (progress, tables) is an `Observer`; this module prints nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Protocol

from harness.config.fingerprint import explain_change
from harness.errors import Halt, HarnessError, Interrupted, RefereeError, ResultsError, StorageError, WorkerError
from harness.plan.plan import Plan
from harness.protocols.start_errors import note_programs
from harness.records import MapRecord
from harness.run.cores import Placement, pin_for, place_workers
from harness.run.health import BotHealth, MachineHealth
from harness.run.pool import Pool, Worker
from harness.run.prepare import Prepared, build_manifest
from harness.run.scheduler import Scheduler, VoidCause
from harness.run.seed_check import settle_seed
from harness.run.signals import StopRequests
from harness.run.warm import settle_warm
from harness.run.worker import Failed, Finished, Lease, Report, Stopped, Voided
from harness.store.codec import decode_record, encode_line
from harness.store.run_directory import Manifest, RunDirectory, read_manifest, read_records

MAX_FAILURES = 3
"""How often one job may come to nothing through a dying worker or the referee before the run halts."""

MAX_STARVED = 3
"""How often one job may be void because the machine made a bot late; after that a late answer is a forfeit, marked."""

_TICK_S = 0.1
_SYNC_S = 1.0


class Observer(Protocol):
    """Watches a run. Called from the loop that feeds the workers, so it must be quick and raise nothing."""

    def on_resumed(self, record: MapRecord) -> None:
        """Take a map that an earlier start finished."""

    def on_start(self, plan: Plan, placement: Placement, n_done: int) -> None:
        """Play begins; `n_done` jobs were done before."""

    def on_record(self, record: MapRecord) -> None:
        """Take a map that was just finished and is on disk."""

    def on_void(self, job: int, reason: str) -> None:
        """Take note of a job that came to nothing and will be played again."""

    def on_warning(self, text: str) -> None:
        """Take something that people should know of the machine."""

    def on_stop_request(self, count: int) -> None:
        """The user asked to stop: 1 finish what is being played, 2 stop now."""

    def tick(self) -> None:
        """Called several times a second."""


class WorkerBug(Exception):  # noqa: N818 - not one of the expected errors
    """An exception of ours in a worker; the message is its traceback there."""


@dataclass(slots=True)
class _State:
    """What the loop works on."""

    plan: Plan
    directory: RunDirectory
    scheduler: Scheduler
    pool: Pool
    health: BotHealth
    machine: MachineHealth
    observer: Observer
    is_decided: Callable[[], bool]


def _never() -> bool:
    """Play on to the end of the plan."""
    return False


def run_config(prepared: Prepared, run: str, observer: Observer, is_decided: Callable[[], bool] = _never) -> Path:
    """Play everything of a plan that is not played yet. Gives the run's folder.

    `is_decided` ends the run before its plan does: asked after every batch of records that the observer has taken. What
    it reads must be an unbroken prefix of the plan, so that the decision does not depend on who finished first.
    Raises Interrupted after a stop request, Halt errors as they come; what is finished is on disk either way.
    """
    path = prepared.config.results / run
    _look_at_seed(prepared, path, observer)
    with StopRequests() as stop, open_run(prepared, path, run) as directory:
        scheduler, health = read_done(prepared, path, observer)
        if scheduler.is_all_done or is_decided():
            return path
        config = prepared.config
        pin = pin_for(config.pin, prepared.plan.referee)
        placement = place_workers(config.workers, config.bots, pin, len(prepared.plan) - scheduler.n_done)
        program = prepared.config.referee
        plan = settle_warm(prepared.plan, program.spec if program is not None else None, observer.on_warning)
        directory.append_event("start", workers=len(placement.cores), done=scheduler.n_done)
        observer.on_start(plan, placement, scheduler.n_done)
        note_programs(prepared.config.bots)
        pool = Pool(placement.cores, plan, encode_line)
        state = _State(plan, directory, scheduler, pool, health, MachineHealth(), observer, is_decided)
        try:
            play(state, stop)
        except BaseException as error:
            reason = type(error).__name__ if not isinstance(error, HarnessError) else error.what
            pool.close()
            with contextlib.suppress(StorageError):  # it may be why we are here
                directory.append_event("stop", reason=reason, done=scheduler.n_done, halted=isinstance(error, Halt))
            raise
        is_done = scheduler.n_done == len(prepared.plan)
        if is_done:
            let_end(pool, stop)
        pool.close()
        directory.append_event("stop", reason="done" if is_done else "decided", done=scheduler.n_done, halted=False)
    return path


def _look_at_seed(prepared: Prepared, path: Path, observer: Observer) -> None:
    """See whether a new run's external referee plays the seed that it is given. Raises ConfigError if it does not."""
    if prepared.plan.referee is not None and next(read_records(path), None) is None:
        doubt = settle_seed(prepared)
        if doubt is not None:
            observer.on_warning(doubt)


def let_end(pool: Pool, stop: StopRequests) -> None:
    """Let workers and bots end by themselves, as long as bots are given for that; a second Ctrl-C ends them now."""
    pool.stop()
    while pool.workers and stop.count < 2:
        for _ in pool.wait(_TICK_S):
            pass  # they give nothing back, and a death is what is waited for
        pool.look_after()


def open_run(prepared: Prepared, path: Path, run: str) -> RunDirectory:
    """Open the run's folder: a new one gets a manifest, an old one must have ours. Raises ResultsError."""
    directory = RunDirectory(path)
    try:
        old = read_manifest(path)
        if old is None:
            _refuse_records(path)
            directory.write_manifest(build_manifest(prepared, run))
        else:
            _refuse_change(prepared, old, path)
        if directory.torn_bytes:
            directory.append_event("torn line cut off", bytes=directory.torn_bytes)
    except BaseException:
        directory.close()
        raise
    return directory


def _refuse_records(path: Path) -> None:
    """Raise ResultsError if a folder without a manifest has records: they may come from anything."""
    if next(read_records(path), None) is not None:
        raise ResultsError(
            "this folder has records but no manifest: nobody can tell what they were played with",
            where=str(path),
            next_step="put its manifest.json back, or start a run of its own with --run NAME",
        )


def _refuse_change(prepared: Prepared, old: Manifest, path: Path) -> None:
    """Raise ResultsError, naming what changed, if a run's manifest has other fingerprints than ours."""
    changed: list[str] = []
    for part in sorted({*old.fingerprints, *prepared.fingerprints}):
        new = prepared.fingerprints.get(part)
        if new is None or new.digest != old.fingerprints.get(part):
            lines = explain_change(old.parts.get(part, {}), new.parts if new else {})
            changed += [f"{part}: {line}" for line in lines or ["not the same"]]
    if changed:
        raise ResultsError(
            "this run was begun with other inputs; its records and new ones must not be mixed",
            where=str(path),
            got="\n           ".join(changed[:12]),
            next_step="start a run of its own with --run NAME, or put back what changed",
        )


def read_done(prepared: Prepared, path: Path, observer: Observer) -> tuple[Scheduler, BotHealth]:
    """Stream what an earlier start finished into a scheduler. Raises ResultsError for a record of another plan."""
    health = BotHealth(prepared.config.stop_after)
    scheduler = Scheduler(len(prepared.plan))
    for record in read_records(path):
        if not 0 <= record.job < len(prepared.plan) or prepared.plan[record.job].seed != record.seed:
            raise ResultsError(
                f"job {record.job} with seed {record.seed} is not in this plan", where=str(path / "maps.jsonl")
            )
        if scheduler.finish_before(record.job):
            health.see(record)
            observer.on_resumed(record)
    return scheduler, health


def play(state: _State, stop: StopRequests) -> None:
    """Hand out jobs and take in records until all are done or it is decided. Raises Interrupted, Halt, WorkerBug."""
    synced_s = monotonic()
    seen_stops = 0
    while not state.scheduler.is_all_done and not state.is_decided():
        if not stop.count:
            for worker in state.pool.workers:
                _top_up(state, worker)
        elif stop.count > seen_stops:
            seen_stops = stop.count
            state.observer.on_stop_request(stop.count)
            state.pool.stop()
        if stop.count > 1 or (stop.count and not state.pool.workers):
            break
        for worker, report in state.pool.wait(_TICK_S):
            _take(state, worker, report, goes_on=not stop.count)
        state.observer.tick()
        if monotonic() - synced_s > _SYNC_S:
            state.directory.sync()
            state.pool.look_after()
            synced_s = monotonic()
    state.directory.sync()
    if not state.scheduler.is_all_done and not state.is_decided():
        raise Interrupted(
            f"stopped; {state.scheduler.n_done} of {len(state.plan)} map jobs are done and kept",
            next_step="the same command goes on where it stopped",
        )


def _top_up(state: _State, worker: Worker) -> None:
    """Keep a worker one lease ahead, so that it never waits for us."""
    if worker.is_stopping or len(worker.jobs) > worker.lease:
        return
    ids = state.scheduler.issue(worker.lease)
    if ids:
        state.pool.send(worker, [_lease(state.scheduler, job) for job in ids])


def _lease(scheduler: Scheduler, job: int) -> Lease:
    return job, scheduler.attempt(job), scheduler.n_voids(job, VoidCause.STARVED) < MAX_STARVED


def _take(state: _State, worker: Worker, report: Report | None, *, goes_on: bool) -> None:
    """Act on what a worker says; None is its death. While the run `goes_on` it gets more to play at once."""
    match report:
        case Finished():
            for file, lines in report.transcripts:
                state.directory.append_transcripts(file, lines)
            state.directory.append_maps(b"".join(report.lines))
            worker.finish(report.jobs)
            if goes_on:
                _top_up(state, worker)  # before its records are looked at, which takes as long as some of its maps
            for job, line in zip(report.jobs, report.lines, strict=True):
                state.scheduler.fix(job)
                record = decode_record(line)
                state.observer.on_record(record)
                _warn(state, state.machine.see(record))
                state.health.see(record)
        case Voided():
            worker.jobs.remove(report.job)
            cause = VoidCause.STARVED if report.is_starved else VoidCause.REFEREE
            _void(state, report.job, cause, report.reason)
        case Stopped():
            for job in report.jobs:
                worker.jobs.remove(job)
                state.scheduler.give_back(job)
        case Failed():
            if report.error is not None:
                raise report.error
            raise WorkerBug(f"in worker {worker.number}, job {report.job}:\n{report.traceback}")
        case None:
            _bury(state, worker)


def _warn(state: _State, text: str | None) -> None:
    if text is not None:
        state.directory.append_event("warning", text=text)
        state.observer.on_warning(text)


def _void(state: _State, job: int, cause: VoidCause, reason: str) -> None:
    times = state.scheduler.void(job, cause)
    state.directory.append_event("void", job=job, cause=cause.value, reason=reason)
    state.observer.on_void(job, reason)
    if cause is VoidCause.STARVED:
        _warn(state, state.machine.see_void())
    if times >= MAX_FAILURES and cause is not VoidCause.STARVED:
        kind: type[Halt] = WorkerError if cause is VoidCause.WORKER else RefereeError
        lineup = ", ".join(bot.name for bot in state.plan[job].lineup)
        raise kind(
            f"job {job} came to nothing {times} times",
            got=f"{reason}; the bots of that job: {lineup}",
            next_step="a bot may be killing the process that started it: try them with `isolation: sandbox`"
            if cause is VoidCause.WORKER
            else f"see it played with: harness play CONFIG --seed {state.plan[job].seed}",
        )


def _bury(state: _State, worker: Worker) -> None:
    """A worker has died: the job it was at is void, those behind it go back, another takes its place."""
    if worker.jobs:
        at = worker.at_job
        for job in worker.jobs:
            if job != at:
                state.scheduler.give_back(job)
        _void(state, at, VoidCause.WORKER, f"worker {worker.number} died ({_how(worker)})")
    elif worker.is_stopping:
        return
    if not worker.is_stopping:
        state.pool.replace(worker)


def _how(worker: Worker) -> str:
    code = worker.process.exitcode
    return f"exit code {code}" if code is None or code >= 0 else f"killed by signal {-code}"
