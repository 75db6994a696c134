"""The gate section: what it means, and what is wrong with it, by line and key."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.config.load import load_config
from harness.config.policy import (
    Budget,
    DuelStage,
    LowerBoundRule,
    PanelStage,
    ScoreRule,
    SprtRule,
    SprtUnit,
    StageKind,
)
from harness.config.settings import ScheduleType
from harness.errors import ConfigError

CONFIG = """\
rules: {name: lightcycles, width: 20}
bots:
  cand: {command: [./prog], protocol: codingame}
  champ: {command: [./prog, a], protocol: codingame}
  old1: {command: [./prog, b], protocol: codingame}
  old2: {command: [./prog, c], protocol: codingame}
  twin: {command: [./prog], protocol: codingame}
maps: {ledger: seeds.yaml}
time: {per_ply_ms: 100}
gate:
  candidate: cand
  champion: champ            # a bot of this file, or the current champion of a lineage
  screen:  {split: train, maps: 128, pass: {score: 0.52}}
  confirm: {split: validation, pass: {sprt: {nelo0: 0, nelo1: 10, alpha: 0.05, beta: 0.05}, max_maps: 4000}}
  panel:   {bots: [old1, old2, twin], split: validation, maps: 256, no_worse_than: -0.03}
  final:   {split: test, maps: 512, pass: {lower_bound: 0.5, confidence: 0.95}}   # optional
"""

WriteConfig = Callable[..., Path]


def test_the_whole_gate(write_config: WriteConfig, tmp_path: Path) -> None:
    config = load_config(write_config(text=CONFIG))
    gate = config.gate
    assert gate is not None
    assert gate.policy.stages == (
        DuelStage(StageKind.SCREEN, "train", 128, ScoreRule(0.52)),
        DuelStage(StageKind.CONFIRM, "validation", 4000, SprtRule(SprtUnit.NELO, 0, 10, 0.05, 0.05)),
        PanelStage(("old1", "old2", "twin"), "validation", 256, 0.03, 0.95),
        DuelStage(StageKind.FINAL, "test", 512, LowerBoundRule(0.5, 0.95)),
    )
    assert (gate.candidates, gate.champion, gate.lineage) == (("cand",), "champ", "gauntlet")
    assert (gate.champion_lineage, gate.budget) == (None, Budget.NONE)
    assert gate.champions == tmp_path / "results" / "champions"
    assert config.schedule.type is ScheduleType.GAUNTLET
    assert (config.schedule.candidate, config.schedule.opponents) == ("cand", ("champ",))
    assert (config.maps.split, config.maps.count) == ("train", 128)


def test_a_lineage_several_candidates_and_a_budget(write_config: WriteConfig, tmp_path: Path) -> None:
    config = load_config(
        write_config(
            "candidate: cand\n  champion: champ",
            "candidates: [cand, twin]\n  champion: lineage/main\n  budget: lord\n  champions: kept",
            text=CONFIG.replace(", twin]", "]"),
        )
    )
    gate = config.gate
    assert gate is not None
    assert (gate.candidates, gate.champion_lineage, gate.lineage) == (("cand", "twin"), "main", "main")
    assert gate.budget is Budget.LORD
    assert gate.champions == tmp_path / "kept"
    assert config.schedule.opponents == ()


def test_elo_bounds_and_futility(write_config: WriteConfig) -> None:
    text = CONFIG.replace("nelo0: 0, nelo1: 10", "elo0: -5, elo1: 0.5").replace(
        "maps: 128", "maps: 128, futility: 0.02"
    )
    gate = load_config(write_config(text=text)).gate
    assert gate is not None
    screen, confirm = gate.policy.stages[:2]
    assert isinstance(screen, DuelStage)
    assert isinstance(confirm, DuelStage)
    assert screen.futility == 0.02
    assert confirm.rule == SprtRule(SprtUnit.ELO, -5, 0.5)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("candidate: cand", "candidate: cnad", 11, ("`gate.candidate`", "did you mean `cand`?")),
        ("champion: champ ", "champion: cand ", 11, ("`gate.candidate`: it is the champion itself", "noise floor")),
        ("champion: champ ", "champion: nobody ", 12, ("`gate.champion`", "no bot of this name")),
        ("candidate: cand\n", "candidates: [cand, cand]\n", 11, ("`gate.candidates[1]`: it stands twice",)),
        ("candidate: cand\n", "candidate: cand\n  candidates: [cand]\n", 12, ("`candidate` or `candidates`",)),
        ("  candidate: cand\n", "", 10, ("a gate has `candidate` or `candidates`",)),
        ("[old1, old2, twin]", "[old1, cand]", 15, ("`gate.panel.bots[1]`: it is judged itself",)),
        ("[old1, old2, twin]", "[old1, old1]", 15, ("`gate.panel.bots[1]`: it stands twice",)),
        ("no_worse_than: -0.03", "no_worse_than: 0.03", 15, ("`gate.panel.no_worse_than`", "less than 0")),
        ("pass: {score: 0.52}", "pass: {score: 0.52, lower_bound: 0.5}", 13, ("exactly one rule says what passes",)),
        ("pass: {score: 0.52}", "pass: {}", 13, ("exactly one rule says what passes",)),
        ("pass: {score: 0.52}", "pass: {score: 52}", 13, ("`gate.screen.pass.score`", "less than 1")),
        ("pass: {score: 0.52}", "pass: {scor: 0.52}", 13, ("`gate.screen.pass.scor`", "did you mean `score`?")),
        ("pass: {score: 0.52}", "pas: {score: 0.52}", 13, ("`gate.screen.pas`", "did you mean `pass`?")),
        ("score: 0.52", "score: 0.52, confidence: 0.9", 13, ("no effect without `lower_bound`",)),
        ("score: 0.52", "score: 0.52, max_maps: 9", 13, ("`gate.screen.pass.max_maps`: it has no effect",)),
        (", max_maps: 4000", "", 14, ("`gate.confirm.pass.max_maps`: it is missing",)),
        ("nelo1: 10, ", "", 14, ("two bounds in one unit", "nelo0 and nelo1")),
        ("nelo1: 10", "elo1: 10", 14, ("two bounds in one unit",)),
        ("nelo1: 10", "nelo1: -10", 14, ("`gate.confirm.pass.sprt.nelo1`: it must be above",)),
        ("alpha: 0.05", "alpha: 0.96", 14, ("leaves no room",)),
        ("train, maps: 128", "train", 13, ("`gate.screen.maps`: it is missing",)),
        ("confirm: {", "confirm: {maps: 9, ", 14, ("`gate.confirm.maps`: it has no effect with `sprt`",)),
        ("confirm: {", "confirm: {futility: 0.1, ", 14, ("`gate.confirm.futility`: it has no effect",)),
        ("split: train", "split: test", 13, ("test seeds are for the final stage",)),
        ("split: test", "split: train", 16, ("test seeds are for the final stage",)),
        ("ledger: seeds.yaml", "ledger: seeds.yaml, count: 4", 8, ("a gate's stages say what is played",)),
        ("gate:", "schedule: {type: gauntlet, candidate: cand}\ngate:", 10, ("a gate's stages say what is played",)),
    ],
)
def test_errors_name_line_and_key(
    write_config: WriteConfig, old: str, new: str, line: int, words: tuple[str, ...]
) -> None:
    path = write_config(old, new, text=CONFIG)
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    message = str(caught.value)
    assert f"{path}:{line}" in message.splitlines()[0]
    for word in words:
        assert word in message


def test_no_stage_against_the_champion(write_config: WriteConfig) -> None:
    lines = [line for line in CONFIG.splitlines() if line.strip().split(":")[0] not in {"screen", "confirm", "final"}]
    with pytest.raises(ConfigError, match="no stage meets the champion"):
        load_config(write_config(text="\n".join(lines)))


@pytest.mark.parametrize("key", ["schedule", "maps.split", "maps.count"])
def test_without_a_gate_what_is_played_must_be_said(write_config: WriteConfig, key: str) -> None:
    old = {
        "schedule": "schedule: {type: gauntlet, candidate: a}\n",
        "maps.split": "split: train, ",
        "maps.count": ", count: 4",
    }[key]
    with pytest.raises(ConfigError, match=f"`{key}`: it is missing"):
        load_config(write_config(old, ""))
