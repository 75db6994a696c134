"""A gate as a trainer calls it: in-process bots, one after another, over one lineage."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import harness
from harness.cli.main import main
from harness.errors import ConfigError, ExitCode, ResultsError
from harness.gates.outcome import GateState
from harness.store.champions import Champions
from harness.store.gate_directory import lock_gate
from tests.cli.bench import BOTS, SEEDS

CONFIG = f"""\
name: training
rules: {{name: lightcycles, width: 15, height: 9}}
bots:
  start: {{folder: {BOTS}/random, python: "random_bot.py:make"}}
  other: {{folder: {BOTS}/hugger, python: "hugger_bot.py:make"}}
maps: {{ledger: seeds.yaml}}
time: {{per_ply_ms: 60000}}
workers: 1
gate:
  candidate: other
  champion: lineage/main
  budget: lord
  screen:  {{split: train, maps: 20, pass: {{score: 0.55}}, futility: 0.02}}
  confirm: {{split: validation, pass: {{sprt: {{nelo0: 0, nelo1: 150}}, max_maps: 100}}}}
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "seeds.yaml").write_text(SEEDS)
    path = tmp_path / "training.yaml"
    path.write_text(CONFIG)
    (tmp_path / "plain.yaml").write_text(CONFIG.replace("lineage/main", "start"))
    place = ["--champions", str(tmp_path / "results" / "champions")]
    assert main(["champion", "set", "main", str(tmp_path / "plain.yaml"), "start", *place]) == 0
    return path


def candidate(folder: Path, number: int, bot: str) -> str:
    """A new candidate's file: one of the example bots with a line of its own."""
    file = folder / f"generation{number}.py"
    source = {"hugger": BOTS / "hugger" / "hugger_bot.py", "random": BOTS / "random" / "random_bot.py"}[bot]
    file.write_text(source.read_text() + f"\nGENERATION = {number}\n")
    return f"{file.name}:make"


def test_generations_over_one_lineage(config: Path, tmp_path: Path) -> None:
    champions = Champions(tmp_path / "results" / "champions")
    better = harness.gate(config, candidate="g1", python=candidate(tmp_path, 1, "hugger"))
    assert better.is_promoted
    assert better.exit_code is ExitCode.DONE
    assert (better.folder / "verdict.json").exists()
    assert champions.require_champion("main").entry.bot == "g1"
    (tmp_path / "generation1.py").unlink()  # the frozen copy is who comes next has to beat
    worse = harness.gate(config, candidate="g2", python=candidate(tmp_path, 2, "random"))
    assert worse.state is GateState.REJECTED
    assert worse.data["champion"] == "g1"
    assert worse.data["level"]["position"] == 2
    assert champions.decisions("main") == [True, False]
    again = harness.gate(config, candidate="g2", python=candidate(tmp_path, 2, "random"))
    assert again.data == worse.data
    assert champions.decisions("main") == [True, False]


def test_a_bot_of_the_file(config: Path) -> None:
    verdict = harness.gate(config, run="second")
    assert verdict.is_promoted
    assert verdict.data["candidate"] == "other"
    assert verdict.folder.parent.name == "second"


@pytest.mark.parametrize(("name", "python"), [("nobody", None), ("other", "x.py:make"), ("a/b", "x.py:make")])
def test_who_cannot_be_a_candidate(config: Path, name: str, python: str | None) -> None:
    with pytest.raises(ConfigError, match="cannot be the candidate"):
        harness.gate(config, candidate=name, python=python)


def test_another_program_under_a_judged_name_is_refused(config: Path, tmp_path: Path) -> None:
    harness.gate(config, candidate="g", python=candidate(tmp_path, 1, "random"))
    with pytest.raises(ResultsError, match="judged already"):
        harness.gate(config, candidate="g", python=candidate(tmp_path, 2, "random"))


def test_two_at_once_are_refused(config: Path, tmp_path: Path) -> None:
    with lock_gate(tmp_path / "results" / "training" / "other"), pytest.raises(ResultsError, match="running already"):
        harness.gate(config)


def test_a_candidate_written_over_the_last_one_is_what_is_played(config: Path, tmp_path: Path) -> None:
    """A trainer may use one file for all its generations, even of one size within one second."""
    file = tmp_path / "generation.py"
    texts = [(BOTS / name / f"{name}_bot.py").read_text() for name in ("hugger", "random")]
    longest = max(map(len, texts)) + 1
    states = []
    for number, text in enumerate(texts):
        file.write_text(text + "#" * (longest - len(text)))
        os.utime(file, (1_700_000_000, 1_700_000_000))
        states.append(harness.gate(config, candidate=f"g{number}", python="generation.py:make").state)
    assert states == [GateState.PROMOTED, GateState.REJECTED]


def make_live(seed: int, seat: int, n_seats: int) -> Callable[[object], str]:
    return lambda view: "UP"


def test_a_live_callable_is_refused_with_what_to_pass(config: Path) -> None:
    with pytest.raises(TypeError, match=r'python="\S*test_gate_call\.py:make_live"'):
        harness.gate(config, candidate="live", python=make_live)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r'python="file\.py:callable"'):
        harness.gate(config, candidate=lambda view: "UP")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="python is 3; allowed is a string or None"):
        harness.gate(config, candidate="live", python=3)  # type: ignore[arg-type]


def test_the_package_has_nothing_else() -> None:
    with pytest.raises(AttributeError, match="no attribute 'gait'"):
        harness.gait  # noqa: B018
