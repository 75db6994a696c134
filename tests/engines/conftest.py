"""Debian's chess engines in a small gauntlet that is interrupted once and gone on with. A missing engine fails."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GAMES = "/usr/local/games:/usr/games"  # where Debian puts them; not on everyone's PATH

CONFIG = """\
rules: {{name: chess, openings: {root}/configs/openings.epd}}
bots:
  stockfish:
    command: [{shell}, {record}, stockfish, {stockfish}]
    protocol: uci
    options: {{Threads: 1, Hash: 4}}
    deterministic: true
    time: {{nodes: 300, wall_ms: 50000}}
  ethereal:
    command: [{shell}, {record}, ethereal, {ethereal}]
    protocol: uci
    options: {{Threads: 1, Hash: 4}}
    deterministic: true
    time: {{depth: 3, wall_ms: 50000}}
  gnuchess:
    command: [{shell}, {record}, gnuchess, {gnuchess}, --uci]
    protocol: uci
    options: {{Hash: 4, OwnBook: false}}
    deterministic: true
    time: {{depth: 1, wall_ms: 50000}}
schedule: {{type: gauntlet, candidate: stockfish}}
maps: {{ledger: {root}/seeds/chess.yaml, split: train, count: 5}}
time: {{per_ply_ms: 1000, wall_ms: 50000}}
adjudication: {{max_plies: 120}}
workers: 1
"""
RECORD_PID = 'echo $$ >> "$1.pids"\nshift\nexec "$@"\n'
N_JOBS = 10


def engine(name: str) -> str:
    """Find an engine. Tests never skip for want of one."""
    path = shutil.which(name, path=f"{os.environ.get('PATH', '')}:{GAMES}")
    assert path is not None, f"{name} is not installed: scripts/install-engines installs what the tests need"
    return path


@dataclass(frozen=True)
class Gauntlet:
    """The folder of the finished run, and what its two starts said."""

    folder: Path
    interrupted: subprocess.CompletedProcess[str]
    n_before: int
    alive_between: list[int]
    finished: subprocess.CompletedProcess[str]

    @property
    def run(self) -> Path:
        """The run's folder."""
        return self.folder / "results" / "small"

    def pids(self, name: str) -> list[int]:
        """The process ids under which an engine was ever started."""
        return [int(line) for line in (self.folder / f"{name}.pids").read_text().split()]


def harness(*words: str, cwd: Path) -> subprocess.Popen[str]:
    """Start the command line."""
    return subprocess.Popen(
        [sys.executable, "-m", "harness", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def result_of(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    """Wait for a command's end."""
    out, err = process.communicate(timeout=110)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def is_alive(pid: int) -> bool:
    """Say whether a process with this id lives."""
    return Path(f"/proc/{pid}").exists()


@pytest.fixture(scope="session")
def gauntlet(tmp_path_factory: pytest.TempPathFactory) -> Gauntlet:
    """Play it: Ctrl-C after the second map, then the same command again to the end."""
    folder = tmp_path_factory.mktemp("engines")
    record = folder / "record_pid.sh"
    record.write_text(RECORD_PID)
    words = {"shell": shutil.which("sh"), "record": record, "root": ROOT}
    words |= {"stockfish": engine("stockfish"), "ethereal": engine("ethereal-chess"), "gnuchess": engine("gnuchess")}
    (folder / "small.yaml").write_text(CONFIG.format(**words))
    first = harness("run", "small.yaml", cwd=folder)
    maps = folder / "results" / "small" / "maps.jsonl"
    while first.poll() is None and (not maps.exists() or maps.read_bytes().count(b"\n") < 2):
        time.sleep(0.02)
    first.send_signal(signal.SIGINT)
    interrupted = result_of(first)
    n_before = maps.read_bytes().count(b"\n")
    pids = [int(line) for path in folder.glob("*.pids") for line in path.read_text().split()]
    alive = [pid for pid in pids if is_alive(pid)]
    finished = result_of(harness("run", "small.yaml", cwd=folder))
    return Gauntlet(folder, interrupted, n_before, alive, finished)
