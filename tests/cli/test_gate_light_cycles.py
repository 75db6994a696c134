"""Gates on light cycles with bots of known relation: a mirror breaker, a stronger bot, copies of one program."""

import json
from typing import Any

import pytest

from tests.cli.bench import BOTS, Bench

BOTS_AND_TIME = f"""\
bots:
  parent: {{folder: {BOTS}/territory, python: "territory_bot.py:make"}}
  variant: {{folder: {BOTS}/territory, python: "territory_bot.py:make_left_first"}}
  same: {{folder: {BOTS}/territory, python: "territory_bot.py:make"}}
  in_c: {{folder: {BOTS}/territory_c, deterministic: true}}
  hugger: {{folder: {BOTS}/hugger, python: "hugger_bot.py:make"}}
time: {{per_ply_ms: 60000}}
workers: 2
"""
MIRRORED = "rules: {name: lightcycles, width: 12, height: 8, turns: simultaneous, starts: mirrored}\n"
RANDOM = "rules: {name: lightcycles, width: 12, height: 8}\n"
SHORT_TEST = "maps: {ledger: seeds.yaml, split: train, count: 20}\n"
GATE = """\
maps: {ledger: seeds.yaml}
gate:
  candidate: variant
  champion: parent
  screen:  {split: train, maps: 20, pass: {score: 0.52}}
  confirm: {split: validation, pass: {sprt: {nelo0: 0, nelo1: 100}, max_maps: 150}}
  panel:   {bots: [hugger], split: validation, maps: 30, no_worse_than: -0.03}
"""


def gate(bench: Bench, text: str) -> tuple[int, str, dict[str, Any]]:
    """Give a gate's exit code, what it printed and the verdict's data of its only candidate."""
    bench.write(text, "gate.yaml")
    done = bench("gate", "gate.yaml", "--quiet")
    (path,) = bench.folder.glob("results/gate/*/verdict.json")
    return done.code, done.out, json.loads(path.read_text())


def test_a_single_mirrored_test_takes_a_tie_break_for_strength(bench: Bench) -> None:
    schedule = "schedule: {type: gauntlet, candidate: variant, opponents: [parent]}\n"
    bench.write(MIRRORED + BOTS_AND_TIME + SHORT_TEST + schedule, "short.yaml")
    done = bench("run", "short.yaml", "--quiet", "--json")
    assert done.code == 0
    (row,) = done.data["comparisons"]
    assert row["estimate"]["low"] > 0.6


def test_the_gate_refuses_it_and_names_the_mirror(bench: Bench) -> None:
    """The copy would have let it pass: it beats the copy as it beats the champion."""
    code, out, data = gate(bench, MIRRORED + BOTS_AND_TIME + GATE.replace("[hugger]", "[hugger, same]"))
    assert code == 5
    screen, confirm, panel = data["stages"]
    assert (screen["decision"]["state"], confirm["decision"]["state"]) == ("passed", "passed")
    assert panel["panel"]["pooled"]["difference"] > 0.0
    assert "⇄ MIRRORED   No verdict: parent and same mirror each other and draw, on all 30 maps." in out
    assert "shows who breaks the mirror, not who is stronger" in " ".join(out.split())
    assert [note for note in data["caveats"] if note.startswith("panel: the mirror trap: parent and same drew 30 of")]


def test_starts_that_do_not_mirror_show_no_trap(bench: Bench) -> None:
    text = RANDOM + BOTS_AND_TIME + GATE.replace("candidate: variant", "candidate: parent")
    text = text.replace("champion: parent", "champion: hugger").replace("bots: [hugger]", "bots: [same]")
    _, _, data = gate(bench, text)
    assert not [note for note in data["caveats"] if "mirror" in note]


def test_the_stronger_bot_is_promoted(bench: Bench) -> None:
    text = GATE.replace("candidate: variant", "candidate: parent").replace("champion: parent", "champion: hugger")
    code, out, _ = gate(bench, RANDOM + BOTS_AND_TIME + text.replace("bots: [hugger]", "bots: [variant]"))
    assert code == 0
    assert "▲ PROMOTED   parent is better than hugger." in out


@pytest.mark.parametrize(("name", "note"), [("same", "same fingerprint"), ("in_c", "one game with the seats swapped")])
def test_a_copy_is_refused(bench: Bench, name: str, note: str) -> None:
    """Under another name, or written once more in C: the games are the same, and it is said."""
    code, out, data = gate(bench, RANDOM + BOTS_AND_TIME + GATE.replace("candidate: variant", f"candidate: {name}"))
    assert code == 5
    assert f"⇄ MIRRORED   {name} and parent play alike: all " in out
    assert any(note in each for each in data["caveats"])
