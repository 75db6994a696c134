"""A folder with a config, a ledger and deterministic bots, and the command line run in it. Import it; it tests nothing.

The bots play light cycles on a small board in the worker's own process, so a game takes a millisecond or two; time
limits are far away, since nothing here is about time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import main

ROOT = Path(__file__).parents[2]
BOTS = ROOT / "bots"

CONFIG = """\
rules: {{name: lightcycles, width: 9, height: 7}}
bots:
  cand: {{folder: {bots}/hugger, python: "hugger_bot.py:make"}}
  chance: {{folder: {bots}/random, python: "random_bot.py:make"}}
  flood: {{folder: {bots}/territory, python: "territory_bot.py:make"}}
schedule: {{type: gauntlet, candidate: cand}}
maps: {{ledger: seeds.yaml, split: train, count: 4}}
time: {{per_ply_ms: 60000}}
workers: 2
"""
SEEDS = """\
name: small
feeds: generator
train: {from: 1, to: 1000}
validation: {from: 1001, to: 2000}
test: {from: 2001, to: 3000}
"""


def furnish(folder: Path) -> Path:
    """Put config and ledger into a folder."""
    (folder / "duel.yaml").write_text(CONFIG.format(bots=BOTS))
    (folder / "seeds.yaml").write_text(SEEDS)
    return folder


@dataclass
class Done:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The JSON on standard output, and nothing else there."""
        return json.loads(self.out)


class Bench:
    """The folder, and the command line in it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def write(self, text: str, name: str = "duel.yaml") -> None:
        """Write a config."""
        (self.folder / name).write_text(text)

    def change(self, old: str, new: str, name: str = "duel.yaml") -> None:
        """Change a word in a config that is there."""
        text = (self.folder / name).read_text()
        assert old in text
        self.write(text.replace(old, new), name)

    def __call__(self, *words: str) -> Done:
        """Run a command in this process."""
        self._capsys.readouterr()
        code = main(list(words))
        said = self._capsys.readouterr()
        return Done(code, said.out, said.err)

    def lines(self, run: str = "duel") -> list[dict[str, Any]]:
        """Give a run's records, in plan order."""
        path = self.folder / "results" / run / "maps.jsonl"
        return sorted((json.loads(line) for line in path.read_text().splitlines()), key=lambda line: line["job"])


def program(*words: str, cwd: Path) -> Done:
    """Run the command line as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "harness", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def without_times(record: dict[str, Any]) -> dict[str, Any]:
    """Leave out of a record what differs from one play to the next: times, and which worker it was."""
    games = [
        {
            key: [{"plies": seat["plies"], "in_process": seat["in_process"]} for seat in value]
            if key == "bots"
            else value
            for key, value in game.items()
            if key != "wall_s"
        }
        for game in record["games"]
    ]
    dropped = {"run", "started", "wall_s", "worker", "games"}
    return {**{key: value for key, value in record.items() if key not in dropped}, "games": games}
