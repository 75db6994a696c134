"""Whole gates on the command line: games to verdict, artefacts, exit codes, lineages, stops and kills."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from harness.store.champions import Champions
from harness.store.gate_directory import lock_gate
from tests.cli.bench import BOTS, Bench

CONFIG = f"""\
rules: {{name: lightcycles, width: 15, height: 9}}
bots:
  flood: {{folder: {BOTS}/territory, python: "territory_bot.py:make"}}
  hugger: {{folder: {BOTS}/hugger, python: "hugger_bot.py:make"}}
  chance: {{folder: {BOTS}/random, python: "random_bot.py:make"}}
  twin: {{folder: {BOTS}/hugger, python: "hugger_bot.py:make"}}
maps: {{ledger: seeds.yaml}}
time: {{per_ply_ms: 60000}}
workers: 2
gate:
  candidate: flood
  champion: hugger
  screen:  {{split: train, maps: 20, pass: {{score: 0.52}}, futility: 0.02}}
  confirm: {{split: validation, pass: {{sprt: {{nelo0: 0, nelo1: 100}}, max_maps: 200}}}}
  panel:   {{bots: [chance], split: validation, maps: 30, no_worse_than: -0.1}}
  final:   {{split: test, maps: 40, pass: {{lower_bound: 0.5}}}}
"""
WEAK = CONFIG.replace("candidate: flood", "candidate: chance").replace("bots: [chance]", "bots: [flood]")


def verdict(bench: Bench, run: str = "gate", candidate: str = "flood") -> dict[str, Any]:
    data: dict[str, Any] = json.loads((bench.folder / "results" / run / candidate / "verdict.json").read_text())
    return data


def gate(bench: Bench, text: str, *words: str) -> Any:
    bench.write(text, "gate.yaml")
    return bench("gate", "gate.yaml", "--quiet", *words)


def test_the_stronger_is_promoted_with_artefacts(bench: Bench) -> None:
    done = gate(bench, CONFIG)
    assert done.code == 0
    assert "▲ PROMOTED   flood is better than hugger." in done.out
    data = verdict(bench)
    assert [stage["stage"].get("kind", "panel") for stage in data["stages"]] == [
        "screen",
        "confirm",
        "panel",
        "final",
    ]
    assert data["state"] == "promoted"
    assert data["verdict"]["exit_code"] == 0
    folder = bench.folder / "results" / "gate" / "flood"
    markdown = (folder / "summary.md").read_text()
    assert markdown.startswith("<!-- harness gate -->\n### ▲ PROMOTED: flood is better than hugger.")
    suite = ET.parse(folder / "junit.xml").getroot()[0]
    assert (suite.get("failures"), suite.get("errors"), suite.get("skipped")) == ("0", "0", "0")
    names = [case.get("name") for case in suite.iter("testcase")]
    assert names[:5] == ["gate.screen", "gate.confirm", "gate.panel", "gate.final", "guard.chance"]
    again = bench("gate", "gate.yaml", "--quiet")
    assert (again.code, again.out) == (0, done.out)
    assert bench("ledger", "verify", "seeds.yaml").code == 0
    shown = bench("ledger", "show", "seeds.yaml").out
    assert "test 2001 to 2040: final of flood for gate, run gate" in shown
    assert "ended promoted, 40 seeds seen" in shown


def test_on_github_what_is_wrong_is_pointed_at(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "::error" not in gate(bench, WEAK).err
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    done = gate(bench, WEAK, "--json")  # judged before; said again
    assert done.err.startswith("::error title=DROPPED AT THE SCREEN::chance did not pass the screen against hugger.")
    assert done.err.count("::error") + done.err.count("::warning") <= 10
    assert done.data["candidates"][0]["state"] == "rejected"


def test_the_weaker_is_dropped_at_the_screen_and_nothing_is_spent(bench: Bench) -> None:
    done = gate(bench, WEAK)
    assert done.code == 1
    assert "▼ DROPPED AT THE SCREEN   chance did not pass the screen against hugger." in done.out
    assert "No maps of later stages were spent." in " ".join(done.out.split())
    assert "nothing was drawn yet" in bench("ledger", "show", "seeds.yaml").out
    suite = ET.parse(bench.folder / "results" / "gate" / "chance" / "junit.xml").getroot()[0]
    assert (suite.get("failures"), suite.get("skipped")) == ("1", "4")  # three stages and a panel member


def decisions(bench: Bench, run: str, candidate: str) -> list[dict[str, Any]]:
    """What a gate's stages decided, after which maps and on which numbers; not what was played beyond them."""
    kept = ("first_seed", "n_maps", "decision", "panel", "interval", "corrected")
    data = verdict(bench, run, candidate)
    return [{"state": data["state"], **{key: stage[key] for key in kept}} for stage in data["stages"]]


def forget_draws(bench: Bench) -> None:
    """Let the next gate have the same maps."""
    (bench.folder / "seeds.spent.jsonl").unlink(missing_ok=True)


@pytest.mark.parametrize("candidate", ["flood", "chance"])
def test_any_number_of_workers_decides_the_same_after_the_same_maps(bench: Bench, candidate: str) -> None:
    text = CONFIG if candidate == "flood" else WEAK
    found = []
    for workers in (1, 2, 4):
        forget_draws(bench)
        gate(bench, text.replace("workers: 2", f"workers: {workers}"), "--run", f"w{workers}")
        found.append(decisions(bench, f"w{workers}", candidate))
    assert found[0] == found[1] == found[2]


def test_a_twin_is_not_promoted(bench: Bench) -> None:
    """The same program under another name plays the same: level games, and it is said why."""
    done = gate(bench, CONFIG.replace("candidate: flood", "candidate: twin"))
    assert done.code in {1, 5}
    assert "PROMOTED  " not in done.out.replace("NOT PROMOTED   ", "")
    data = verdict(bench, candidate="twin")
    assert any("same fingerprint" in note for note in data["caveats"])


def test_the_same_program_with_other_time_is_another_bot(bench: Bench) -> None:
    text = CONFIG.replace("candidate: flood", "candidate: twin")
    gate(bench, text.replace("twin: {", "twin: {time: {per_ply_ms: 50000}, "))
    assert not any("same fingerprint" in note for note in verdict(bench, candidate="twin")["caveats"])


def test_a_lineage_is_promoted_into_once(bench: Bench) -> None:
    text = CONFIG.replace("champion: hugger", "champion: lineage/main")
    missing = gate(bench, text)
    assert missing.code == 2
    assert "has no champion yet" in missing.err
    bench.write(CONFIG, "plain.yaml")
    assert bench("champion", "set", "main", "plain.yaml", "hugger").code == 0
    done = gate(bench, text)
    assert done.code == 0
    champions = Champions(bench.folder / "results" / "champions")
    champion = champions.require_champion("main")
    assert (champion.entry.bot, champion.entry.run) == ("flood", "gate")
    assert champion.entry.spent
    assert gate(bench, text).code == 0  # said again, entered once
    assert len(champions.history("main")) == 2
    # the frozen champion is who the next one has to beat
    weak = WEAK.replace("champion: hugger", "champion: lineage/main").replace("bots: [flood]", "bots: [twin]")
    refused = gate(bench, weak, "--run", "next")
    assert refused.code == 1
    assert champions.require_champion("main").entry.bot == "flood"
    assert champions.decisions("main") == [True, False]


def test_candidates_in_turn_share_the_error(bench: Bench) -> None:
    text = CONFIG.replace("candidate: flood", "candidates: [twin, flood]\n  budget: equal")
    done = gate(bench, text, "--json")
    assert done.code == 0
    first, second = done.data["candidates"]
    assert (first["candidate"], second["candidate"]) == ("twin", "flood")
    assert second["state"] == "promoted"
    assert second["level"]["alpha"] == pytest.approx(0.0125)
    assert second["stages"][-1]["stage"]["rule"]["confidence"] == pytest.approx(0.975)


def test_a_budget_needs_a_rate(bench: Bench) -> None:
    lines = [line for line in CONFIG.splitlines() if not line.startswith(("  confirm", "  panel", "  final"))]
    done = gate(bench, "\n".join(lines).replace("champion: hugger", "champion: hugger\n  budget: equal"))
    assert done.code == 2
    assert "no stage states an error rate" in done.err


def test_seeds_that_are_used_up_leave_no_verdict(bench: Bench) -> None:
    assert gate(bench, CONFIG).code == 0
    seeds = bench.folder / "seeds.yaml"
    seeds.write_text(seeds.read_text().replace("to: 3000", "to: 2060"))
    done = gate(bench, CONFIG, "--run", "second")
    assert done.code == 5
    assert "Too few unused maps for the final stage: 20 of 40 are left." in done.out


def test_more_maps_than_the_ledger_has_are_refused_before_play(bench: Bench) -> None:
    done = gate(bench, CONFIG.replace("max_maps: 200", "max_maps: 2000"))
    assert done.code == 2
    assert "the ledger has fewer validation seeds" in done.err
    assert "gate.yaml:14" in done.err


def test_an_undecided_gate(bench: Bench) -> None:
    text = CONFIG.replace("nelo1: 100}, max_maps: 200", "nelo1: 1}, max_maps: 20")
    done = gate(bench, text)
    assert done.code == 5
    assert "… UNDECIDED   It is open whether flood is better than hugger." in done.out


def test_run_drives_a_gate_and_plan_says_what_it_does(bench: Bench) -> None:
    bench.write(CONFIG, "gate.yaml")
    done = bench("run", "gate.yaml", "--quiet")
    assert done.code == 0
    assert "PROMOTED" in done.out
    plan = bench("plan", "gate.yaml")
    assert plan.code == 0
    assert "of 100 candidates that are exactly as strong as the champion it promotes" in plan.out
    check = bench("check", "gate.yaml")
    assert check.code == 0
    assert "4 of 4 bots are well" in check.out


def test_another_config_under_the_same_name_is_refused(bench: Bench) -> None:
    assert gate(bench, WEAK).code == 1
    done = gate(bench, WEAK.replace("score: 0.52", "score: 0.6"))
    assert done.code == 2
    assert "was judged already, with other inputs" in done.err


def test_two_at_once_are_refused(bench: Bench) -> None:
    with lock_gate(bench.folder / "results" / "gate"):
        done = gate(bench, CONFIG)
    assert done.code == 2
    assert "this gate is running already" in done.err


def test_oc_says_what_a_policy_does(bench: Bench) -> None:
    bench.write(CONFIG, "gate.yaml")
    done = bench("gate", "oc", "gate.yaml")
    assert done.code == 0
    assert "of 100 candidates that are exactly as strong as the champion it promotes 0.0" in done.out
    data = bench("gate", "oc", "gate.yaml", "--draws", "0.3", "--json").data
    assert data["false_per_100"] < 0.5
    assert [row["promotes"] for row in data["rows"]] == sorted(row["promotes"] for row in data["rows"])
    assert data["game_s"] is None
    gate(bench, CONFIG)
    measured = bench("gate", "oc", "gate.yaml")
    assert "earlier maps" in measured.out
    assert "time" in measured.out.splitlines()[1]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("gate", "duel.yaml"), "this config has no gate"),
        (("gate", "oc", "duel.yaml"), "this config has no gate"),
        (("gate", "a.yaml", "b.yaml"), "one config at a time"),
        (("gate", "duel.yaml", "--draws", "0.3"), "--draws goes with"),
    ],
)
def test_wrong_words(bench: Bench, words: tuple[str, ...], text: str) -> None:
    done = bench(*words)
    assert done.code == 2
    assert text in done.err


def test_rules_for_more_than_two_are_refused(bench: Bench) -> None:
    done = gate(bench, CONFIG.replace("width: 15, height: 9", "players: 3"))
    assert done.code == 2
    assert "a gate compares two bots that meet" in done.err


@pytest.mark.parametrize("kill_after", [1, 3])
def test_killed_in_mid_gate_it_comes_to_the_same_verdict(bench: Bench, kill_after: int) -> None:
    """kill -9 when so many stages have begun; the same command goes on, no test seed is spent twice."""
    gate(bench, CONFIG, "--run", "whole")
    forget_draws(bench)
    command = [sys.executable, "-m", "harness", "gate", "gate.yaml", "--quiet", "--run", "killed"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen(command, cwd=bench.folder, stdout=subprocess.DEVNULL, env=environment)
    stages = bench.folder / "results" / "killed" / "flood"
    while process.poll() is None and len(list(stages.glob("*/maps.jsonl"))) < kill_after:
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    done = bench("gate", "gate.yaml", "--quiet", "--run", "killed")
    assert done.code == 0
    assert decisions(bench, "killed", "flood") == decisions(bench, "whole", "flood")
    assert bench("ledger", "verify", "seeds.yaml").code == 0
    entries = bench("ledger", "show", "seeds.yaml", "--json").data["entries"]
    tests = [e for e in entries if e["split"] == "test" and e["closes"] is None and e["decision"]["run"] == "killed"]
    assert len(tests) == 1


CHESS = """\
rules: {name: chess, openings: book.epd}
bots:
  one: {python: "mover.py:make"}
  two: {python: "mover.py:make", time: {per_ply_ms: 50000}}
maps: {ledger: seeds.yaml}
time: {per_ply_ms: 60000}
gate:
  candidate: one
  champion: two
  screen: {split: train, maps: 2, pass: {score: 0.52}}
"""


def test_a_ledger_that_spans_more_than_the_book_is_refused(bench: Bench) -> None:
    (bench.folder / "mover.py").write_text("def make(seed, seat, n): return lambda view: ''\n")
    (bench.folder / "book.epd").write_text("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n")
    seeds = bench.folder / "seeds.yaml"
    seeds.write_text(seeds.read_text().replace("generator", "book"))
    done = gate(bench, CHESS)
    assert done.code == 2
    assert "3000 seeds for 1 openings" in done.err
    assert "gate.yaml:5" in done.err
