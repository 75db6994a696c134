"""What this machine can give a run: cores, containment, quiet. Each finding says what it means and why it is so.

Looks, tries and measures; changes nothing and prints nothing.
"""

from __future__ import annotations

import os
import platform
import resource
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from statistics import median
from time import perf_counter

from harness.compiled import PURE, best
from harness.making import Maker
from harness.play.plies import PlainTurns
from harness.protocols import reaper
from harness.protocols.guardian import guard, guardian_pid
from harness.protocols.meter import Meter, stolen_ns
from harness.protocols.ply import Pipes
from harness.protocols.process import open_process, why_no_sandbox
from harness.records import BotSpec, Isolation, Limits
from harness.rules.chess_ply import ChessPly
from harness.run.cores import available_cores
from harness.run.noise import Noise, measure_together, suggest_workers, summarise_noise

_STARTS = 15
_KB = 1024


class Grade(StrEnum):
    """How well a thing is."""

    GOOD = "good"
    LIMITED = "limited"
    MISSING = "missing"


TWINS: tuple[type, ...] = (Maker, PlainTurns, Pipes, ChessPly)
"""One class of each module that has a compiled twin."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing: what it is, how well, what was seen, and what that means for a run."""

    name: str
    grade: Grade
    seen: str
    means: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Everything that was found. `suggested_workers` follows from the noise at 1 to n workers."""

    machine: str
    user: str
    findings: tuple[Finding, ...]
    noises: tuple[Noise, ...]
    suggested_workers: int


def diagnose(seconds: float, tell: Callable[[str], None]) -> Diagnosis:
    """Look at everything; measure noise for so long at each number of workers. `tell` gets a line for slow steps."""
    findings = tuple(_look())
    cores = available_cores()
    noises = []
    for n_workers in _numbers_of_workers(len(cores)):
        tell(f"measuring noise with {n_workers} at once, for {seconds:g} s")
        noises.append(summarise_noise(measure_together(cores[:n_workers], seconds)))
    return Diagnosis(
        machine=f"{platform.system()} {platform.release()}, {platform.machine()}, Python {platform.python_version()}",
        user="root" if os.geteuid() == 0 else f"uid {os.geteuid()}",
        findings=findings,
        noises=tuple(noises),
        suggested_workers=suggest_workers(noises),
    )


def _numbers_of_workers(n_cores: int) -> list[int]:
    """Give 1, then twice as many each time, and all; four at most, for each takes its seconds."""
    numbers = {1, n_cores, max(1, n_cores // 2), max(1, n_cores * 3 // 4)}
    return sorted(numbers)


def _look() -> Iterator[Finding]:
    yield _cores()
    yield _memory()
    yield _open_files()
    yield _orphans()
    yield _marks()
    yield _guardian()
    yield _sandbox()
    yield _groups()
    yield _waiting()
    yield _stolen()
    yield _compiled()
    yield from _starts()


def _compiled() -> Finding:
    pure = [cls.__module__ for cls in TWINS if best(cls) is cls]
    if not pure:
        return Finding("compiled", Grade.GOOD, "the path of every ply is compiled", "a ply costs what the kernel asks")
    return Finding(
        "compiled",
        Grade.LIMITED,
        "HARNESS_PURE is set" if PURE else f"in Python alone: {', '.join(sorted(set(pure)))}",
        "quick games cost more; a C compiler and Python's headers at installation make the difference",
    )


def _cores() -> Finding:
    cores = available_cores()
    quota = cpu_quota()
    seen = f"{len(cores)} of {os.cpu_count()} cores may be used"
    if quota is not None and quota < len(cores):
        return Finding(
            "cores",
            Grade.LIMITED,
            f"{seen}, but a quota allows the time of {quota:.1f}",
            f"more than {max(1, int(quota))} workers would be stopped in the middle of plies",
        )
    return Finding("cores", Grade.GOOD, seen, "`workers: auto` plays that many games at once")


def cpu_quota(root: Path = Path("/sys/fs/cgroup")) -> float | None:
    """Give for how many cores' time the control group of this process is good; None for no limit known."""
    for path in (root / "cpu.max", root / "unified" / "cpu.max"):
        words = _read(path).split()
        if len(words) == 2 and words[0] != "max":
            return int(words[0]) / int(words[1])
    quota, period = _read(root / "cpu" / "cpu.cfs_quota_us"), _read(root / "cpu" / "cpu.cfs_period_us")
    if quota.strip().isdigit() and period.strip().isdigit():
        return int(quota) / int(period)
    return None


def _memory() -> Finding:
    rows = dict(line.split(":") for line in _read(Path("/proc/meminfo")).splitlines() if ":" in line)
    free_mb = int(rows.get("MemAvailable", "0 kB").split()[0]) // _KB
    wanted_mb = 2 * len(available_cores()) * Limits().memory_mb
    seen = f"{free_mb:,} MB free"
    if free_mb < wanted_mb:
        return Finding(
            "memory",
            Grade.LIMITED,
            seen,
            f"{wanted_mb:,} MB could be wanted by two bots in every worker at the default limit of "
            f"{Limits().memory_mb:,} MB each: set `limits: {{memory_mb: …}}` if you do not trust them",
        )
    return Finding("memory", Grade.GOOD, seen, "bots within their default limit fit")


def _open_files() -> Finding:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    enough = hard == resource.RLIM_INFINITY or hard >= Limits().open_files
    seen = "no limit" if hard == resource.RLIM_INFINITY else f"{hard:,}"
    return Finding(
        "open files",
        Grade.GOOD if enough else Grade.LIMITED,
        seen,
        "for each process" if enough else "bots get this many, less than the default of `limits.open_files`",
    )


def _orphans() -> Finding:
    works = reaper.take_charge()
    return Finding(
        "orphans",
        Grade.GOOD if works else Grade.MISSING,
        "processes that a bot leaves behind come to us" if works else "this system has no subreapers",
        "all that a bot started ends with it" if works else "what leaves a bot's process group lives on: use a sandbox",
    )


def _probe(isolation: Isolation = Isolation.PROCESS) -> BotSpec:
    return BotSpec("probe", "codingame", ("/bin/cat",), cwd="/", isolation=isolation)


def _marks() -> Finding:
    seated = open_process(_probe(), 1)
    marks = [reaper.mark_of(pid) for pid in reaper.children()]
    seated.close(0)
    works = any(reaper.owner_of(mark) == reaper.owner_key(os.getpid()) for mark in marks)
    return Finding(
        "marks",
        Grade.GOOD if works else Grade.LIMITED,
        "bots can be marked for good" if works else "the limit that serves as a mark was lowered for us already",
        "orphans are known by it wherever they hide" if works else "only a worker's own children can be told",
    )


def _guardian() -> Finding:
    guard([os.getpid()])
    return Finding(
        "guardian",
        Grade.GOOD,
        f"runs beside us (process {guardian_pid()})",
        "bots end even if harness and workers are killed at once",
    )


def _sandbox() -> Finding:
    why = why_no_sandbox()
    if why is None:
        return Finding("sandbox", Grade.GOOD, "bubblewrap works", "`isolation: sandbox` can be asked for")
    means = "`isolation: sandbox` is an error here; on Debian: apt install bubblewrap"
    return Finding("sandbox", Grade.MISSING, why, means)


def _groups() -> Finding:
    """Control groups are not used: what they could do more is rarely to be had without a system manager's help."""
    root = next((path for path in (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified")) if is_v2(path)), None)
    if root is None:
        return Finding(
            "control groups", Grade.LIMITED, "no version 2 here", "not needed: limits are watched by readings"
        )
    controllers = _read(root / "cgroup.controllers").split()
    writable = os.access(root, os.W_OK)
    return Finding(
        "control groups",
        Grade.GOOD if {"memory", "pids"} <= set(controllers) and writable else Grade.LIMITED,
        f"version 2, {'writable' if writable else 'not writable'}, controllers: {', '.join(controllers) or 'none'}",
        "not needed: limits are looked at by readings, ten times a second",
    )


def is_v2(path: Path) -> bool:
    """Say whether a folder is the root of a version 2 hierarchy."""
    return (path / "cgroup.controllers").exists()


def _waiting() -> Finding:
    meter = Meter(os.getpid())
    try:
        meter.wait_ns()
        meter.cpu_ns()
    except OSError as error:
        return Finding(
            "waiting for a core",
            Grade.MISSING,
            f"not told by this kernel ({error})",
            "a late answer is always a forfeit, whoever had the core: leave cores free and give `grace_ms`",
        )
    finally:
        meter.close()
    return Finding(
        "waiting for a core",
        Grade.GOOD,
        "told by the kernel for every thread",
        "a bot that is late because it had no core does not lose for it",
    )


def _stolen() -> Finding:
    stolen_s = stolen_ns(available_cores()) / 1e9
    up_s = float((_read(Path("/proc/uptime")).split() or ["0"])[0])
    share = stolen_s / up_s if up_s else 0.0
    grade = Grade.GOOD if share < 0.01 else Grade.LIMITED
    return Finding(
        "stolen time",
        grade,
        f"{stolen_s:.1f} s since start ({share:.1%})",
        "the host of a virtual machine took it; it counts as waiting" if stolen_s else "this machine has its cores",
    )


def _starts() -> Iterator[Finding]:
    """Time what it costs to start and end a trivial program in every isolation that there is."""
    for isolation in (Isolation.PROCESS, Isolation.SANDBOX):
        if isolation is Isolation.SANDBOX and why_no_sandbox():
            continue
        times_ms = []
        for _ in range(_STARTS):
            began = perf_counter()
            seated = open_process(_probe(isolation), 1)
            seated.exchange(b"x\n", 10**18, 0)
            seated.close(0)
            times_ms.append((perf_counter() - began) * 1000)
        yield Finding(
            f"start ({isolation.value})",
            Grade.GOOD,
            f"{median(times_ms):.1f} ms to start `cat`, hear from it and end it",
            "paid once a game by contest bots, once a run by engines that stay",
        )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
