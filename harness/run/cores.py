"""How many workers, and on which cores.

A worker and its single-threaded bots share one core: a hop between cores costs 60 µs, on one core 6 to 9
(docs/how-it-works.md). Bots with threads get cores of their own and are not bound.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from harness.config.settings import Pin
from harness.records import BotSpec, RefereeMode, RefereeSpec


@dataclass(frozen=True, slots=True)
class Placement:
    """Where workers run: `cores[i]` is the core of worker i, None where it is not bound; `warning` for people."""

    cores: tuple[int | None, ...]
    warning: str | None = None


def available_cores() -> list[int]:
    """List the cores this process may use, as the system says (taskset, containers with cpusets)."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def referee_keeps_time(referee: RefereeSpec | None) -> bool:
    """Say whether the bots are an external referee's, to start and to time."""
    return referee is not None and referee.mode is not RefereeMode.OLD


def pin_for(pin: Pin, referee: RefereeSpec | None) -> Pin:
    """Give how workers are bound under a referee: by itself not to a core, where it starts the bots and is many itself.

    A JVM and the bots that it keeps time of would share that core.
    """
    return Pin.OFF if pin is Pin.AUTO and referee_keeps_time(referee) else pin


def place_workers(wanted: int | None, bots: Sequence[BotSpec], pin: Pin, n_jobs: int) -> Placement:
    """Choose the workers' cores. `wanted` None is as many as the cores carry; never more workers than jobs."""
    cores = available_cores()
    threads = max((bot.threads for bot in bots), default=1)
    carried = max(1, len(cores) // threads)
    n_workers = max(1, min(wanted or carried, n_jobs))
    is_bound = pin is Pin.ON or (pin is Pin.AUTO and threads == 1 and n_workers <= len(cores))
    warning = None
    if n_workers > carried:
        each = f", and a bot here uses {threads} threads" if threads > 1 else ""
        warning = (
            f"{n_workers} workers on {len(cores)} cores{each}: thinking times will stretch and bots may lose on time "
            f"through no fault of theirs. workers: {carried} is what this machine carries"
        )
    return Placement(tuple(cores[i % len(cores)] if is_bound else None for i in range(n_workers)), warning)
