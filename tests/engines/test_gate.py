"""Gates on chess: Stockfish with more nodes is promoted, with as many it is not; both killed in mid-gate and resumed.

Node limits make the games the same whenever they are played, so that the gate that was killed has to come to the very
decisions of the one that was not.
"""

from __future__ import annotations

import json
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from harness.errors import ExitCode
from tests.engines.conftest import ROOT, engine, harness, result_of

pytestmark = [pytest.mark.engines, pytest.mark.timeout(240)]

CONFIG = """\
rules: {{name: chess, openings: {root}/configs/openings.epd}}
bots:
  more: {{command: [{stockfish}], protocol: uci, options: {{Threads: 1, Hash: 4}}, deterministic: true,
    time: {{nodes: {nodes}, wall_ms: 50000}}}}
  champ: {{command: [{stockfish}], protocol: uci, options: {{Threads: 1, Hash: 4}}, deterministic: true,
    time: {{nodes: 1000, wall_ms: 50000}}}}
maps: {{ledger: chess.yaml}}
time: {{per_ply_ms: 1000, wall_ms: 50000}}
adjudication: {{max_plies: 120}}
workers: 2
gate:
  candidate: more
  champion: champ
  screen:  {{split: train, maps: 5, pass: {{score: 0.5}}}}
  confirm: {{split: validation, pass: {{sprt: {{nelo0: 0, nelo1: 300}}, max_maps: 40}}}}
"""


def furnish(folder: Path, nodes: int) -> Path:
    """Put config and ledger into a folder; what is spent there is nobody else's."""
    folder.mkdir(exist_ok=True)
    shutil.copy(ROOT / "seeds" / "chess.yaml", folder / "chess.yaml")
    (folder / "gate.yaml").write_text(CONFIG.format(root=ROOT, stockfish=engine("stockfish"), nodes=nodes))
    return folder


def decisions(folder: Path) -> dict[str, Any]:
    """What the gate decided, after which maps and on which numbers; not what was played beyond them."""
    data = json.loads((folder / "results" / "gate" / "more" / "verdict.json").read_text())
    kept = ("first_seed", "n_maps", "decision", "interval")
    return {"state": data["state"], "stages": [{key: stage[key] for key in kept} for stage in data["stages"]]}


def kill_after(folder: Path, n_maps: int) -> int:
    """Play until so many maps are on disk, then kill -9. Gives how many are there."""
    process = harness("gate", "gate.yaml", "--quiet", cwd=folder)
    stages = folder / "results" / "gate" / "more"

    def n_done() -> int:
        return sum(path.read_bytes().count(b"\n") for path in stages.glob("*/maps.jsonl"))

    while process.poll() is None and n_done() < n_maps:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=20)
    assert process.returncode == -signal.SIGKILL
    return n_done()


@pytest.mark.parametrize(
    ("nodes", "codes", "n_before"), [(2000, {ExitCode.DONE}, 7), (1000, {ExitCode.NOT_PASSED, ExitCode.NO_VERDICT}, 3)]
)
def test_killed_in_mid_gate_it_comes_to_the_same_verdict(
    tmp_path: Path, nodes: int, codes: set[ExitCode], n_before: int
) -> None:
    whole, killed = furnish(tmp_path / "whole", nodes), furnish(tmp_path / "killed", nodes)
    wanted = result_of(harness("gate", "gate.yaml", "--quiet", cwd=whole))
    assert kill_after(killed, n_before) >= n_before
    done = result_of(harness("gate", "gate.yaml", "--quiet", cwd=killed))
    assert done.returncode == wanted.returncode, done.stderr
    assert decisions(killed) == decisions(whole)
    assert done.returncode in codes, done.stdout
    assert (decisions(killed)["state"] == "promoted") is (nodes > 1000)
