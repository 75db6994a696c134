"""Whole runs for tests: a folder with config and ledger, played by workers of this process or by the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from harness.plan.plan import Plan
from harness.records import BotSpec, MapRecord
from harness.run.cores import Placement
from harness.run.flow import MAX_STARVED, run_config
from harness.run.prepare import prepare
from harness.store.run_directory import read_records

ROOT = Path(__file__).resolve().parents[2]
LIGHTCYCLES = {"name": "lightcycles", "width": 8, "height": 6, "starts": "mirrored"}


@dataclass
class Watcher:
    """An observer that keeps what it is told."""

    resumed: list[MapRecord] = field(default_factory=list)
    records: list[MapRecord] = field(default_factory=list)
    voids: list[tuple[int, str]] = field(default_factory=list)
    stops: list[int] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    placement: Placement | None = None

    def on_resumed(self, record: MapRecord) -> None:
        self.resumed.append(record)

    def on_start(self, plan: Plan, placement: Placement, n_done: int) -> None:
        self.placement = placement

    def on_record(self, record: MapRecord) -> None:
        self.records.append(record)

    def on_void(self, job: int, reason: str) -> None:
        self.voids.append((job, reason))

    def on_warning(self, text: str) -> None:
        self.warnings.append(text)

    def on_stop_request(self, count: int) -> None:
        self.stops.append(count)

    def tick(self) -> None:
        pass


def write_config(folder: Path, bots: dict[str, dict[str, Any]], *, count: int = 3, **keys: Any) -> Path:
    """Write a config whose first bot is the candidate, and a ledger; give the config's path."""
    folder.mkdir(parents=True, exist_ok=True)
    ranges = {"train": {"from": 1, "to": 9999}, "validation": {"from": 10000, "to": 19999}}
    ledger = {"name": "seeds", "feeds": "generator", **ranges, "test": {"from": 20000, "to": 29999}}
    (folder / "seeds.yaml").write_text(json.dumps(ledger))
    config = {
        "rules": LIGHTCYCLES,
        "bots": bots,
        "schedule": {"type": "gauntlet", "candidate": next(iter(bots))},
        "maps": {"ledger": "seeds.yaml", "split": "train", "count": count},
        "time": {"per_ply_ms": 250, "first_ply_ms": 5000, "wall_ms": 5000},
        "stop_after": {"first_forfeits": None, "forfeit_share": None},
        "workers": 1,
        **keys,
    }
    path = folder / "run.yaml"
    path.write_text(json.dumps(config))
    return path


def entry(spec: BotSpec, **keys: Any) -> dict[str, Any]:
    """Write a spec of `tests.bots.actors` as a config has it."""
    return {"command": list(spec.command), "protocol": spec.protocol, "cwd": spec.cwd, **keys}


def play(config: Path, watcher: Watcher | None = None, *, max_starved: int = MAX_STARVED) -> list[MapRecord]:
    """Play a config in this process; give all records that are on disk then, by job.

    With a large `max_starved` a busy machine makes a run longer and nothing else.
    """
    prepared = prepare(config)
    with mock.patch("harness.run.flow.MAX_STARVED", max_starved):
        path = run_config(prepared, prepared.plan.run, watcher or Watcher())
    return sorted(read_records(path), key=lambda record: record.job)


def results_of(config: Path) -> Path:
    """Give the folder of a config's run."""
    return config.parent / "results" / "run"


def start_cli(config: Path, *words: str, **popen: Any) -> subprocess.Popen[str]:
    """Start `harness run` as a user does, in its own process group."""
    return subprocess.Popen(
        [sys.executable, "-m", "harness", "run", str(config), *words],
        cwd=config.parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
        **popen,
    )


def what_was_played(records: Sequence[MapRecord]) -> dict[int, tuple[object, ...]]:
    """Give, by job, what must not depend on timing: seed, seatings, scores, moves, faults."""
    return {
        record.job: (
            record.seed,
            record.lineup,
            record.scores,
            tuple((game.seating, game.scores, game.moves, game.plies) for game in record.games),
            tuple((fault.seat, fault.kind, fault.ply) for game in record.games for fault in game.faults),
        )
        for record in records
    }
