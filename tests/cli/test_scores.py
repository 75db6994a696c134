"""Score contests on the command line: run, resume, show in other ways, baselines, ratings, sizes, gates."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.bench import BOTS, Bench
from tests.cli.test_gate import decisions, forget_draws

CONFIG = f"""\
rules: {{name: route, cities: [12, 20]}}
bots:
  new: {{folder: {BOTS}/route_2opt, python: "two_opt_bot.py:make"}}
  old: {{folder: {BOTS}/route_greedy, python: "greedy_bot.py:make"}}
schedule: {{type: gauntlet, candidate: new}}
scoring: {{objective: minimise, relative: best}}
maps: {{ledger: seeds.yaml, split: train, count: 30}}
time: {{per_ply_ms: 60000}}
stop_after: {{first_forfeits: null, forfeit_share: null}}
workers: 2
"""
GATE = f"""\
rules: {{name: route, cities: [12, 20]}}
bots:
  new: {{folder: {BOTS}/route_2opt, python: "two_opt_bot.py:make"}}
  old: {{folder: {BOTS}/route_greedy, python: "greedy_bot.py:make"}}
  twin: {{folder: {BOTS}/route_greedy, python: "greedy_bot.py:make"}}
scoring: {{objective: minimise, relative: best}}
maps: {{ledger: seeds.yaml}}
time: {{per_ply_ms: 60000}}
workers: 2
gate:
  candidate: new
  champion: old
  screen:  {{split: train, pass: {{sprt: {{nelo0: 0, nelo1: 200}}, max_maps: 100}}}}
  confirm: {{split: validation, maps: 40, pass: {{lower_bound: 0.5}}}}
  final:   {{split: test, maps: 30, pass: {{lower_bound: 0.5}}}}
"""
FLAKY = '''\
"""The tour of the order of the numbers; on every fourth map it falls over, on every fifth it says nonsense."""

def make(seed, seat, n_seats):
    def play(view):
        n, first = view.text.split()[:2]
        if int(first) % 4 == 0:
            raise RuntimeError("out of ideas")
        if int(first) % 5 == 0:
            return "nan"
        return " ".join(map(str, range(int(n))))
    return play
'''


def scores(bench: Bench, *words: str) -> dict[str, Any]:
    done = bench(*words, "--json")
    assert done.code == 0, done.err
    found: dict[str, Any] = done.data["scores"]
    for bot in found["bots"]:
        assert bot.pop("time_s") >= 0.0  # of all numbers the only one that is not the same twice
    return found


@pytest.fixture
def contest(bench: Bench) -> Bench:
    """A bench with the finished run `tours`."""
    bench.write(CONFIG, "tours.yaml")
    done = bench("run", "tours.yaml", "--quiet")
    assert done.code == 0, done.err
    return bench


def test_a_run_ends_in_the_sentence_of_a_score_contest(bench: Bench) -> None:
    bench.write(CONFIG, "tours.yaml")
    done = bench("run", "tours.yaml")
    assert done.code == 0
    assert "▲ BETTER   new is better than old by" in done.out
    assert "next to the best of each seed" in done.out
    assert "30 seeds" in done.out
    assert "mean score so far new" in done.err
    lines = bench.lines("tours")
    assert [line["lineup"] for line in lines[:4]] == [["new"], ["old"], ["new"], ["old"]]
    assert [line["seed"] for line in lines[:4]] == [1, 1, 2, 2]
    assert all(line["games"][0]["values"][0] > 0 and line["scores"] == [1.0] for line in lines)


def test_the_numbers_do_not_depend_on_workers_nor_on_a_stop(contest: Bench) -> None:
    whole = scores(contest, "show", "tours")
    contest.change("workers: 2", "workers: 1", "tours.yaml")
    assert scores(contest, "run", "tours.yaml", "--run", "again", "--quiet") == whole
    path = contest.folder / "results" / "tours" / "maps.jsonl"
    kept = path.read_text().splitlines(keepends=True)
    path.write_text("".join(kept[:17]) + kept[17][:40])
    partial = contest("show", "tours", "--json")  # one map is torn
    assert partial.code == 3
    assert partial.data["scores"]["pairs"] == []
    assert scores(contest, "run", "tours.yaml", "--quiet") == whole


def test_show_reads_it_in_other_ways(contest: Bench) -> None:
    assert "it scores" in contest("show", "tours", "--relative", "none", "--failed-score", "99999").out
    assert "lower per seed" in contest("show", "tours", "--relative", "log", "--failed-score", "99999").out
    assert "in rank on each seed" in contest("show", "tours", "--relative", "rank").out
    upside_down = contest("show", "tours", "--objective", "maximise")
    assert "▼ WORSE   new is worse than old" in upside_down.out


def test_records_alone_do_not_say_what_is_better(contest: Bench) -> None:
    file = "results/tours/maps.jsonl"
    Path("alone.jsonl").write_text(Path(file).read_text())
    assert "nothing says which results are better" in contest("show", "alone.jsonl").out
    done = contest("show", "alone.jsonl", "--objective", "minimise", "--relative", "best")
    assert "leads, ahead of old" in done.out or "new is better than old" in done.out
    assert scores(contest, "show", "alone.jsonl", "--objective", "maximise")["failed_score"] == 0.0
    refused = contest("show", "alone.jsonl", "--relative", "best")
    assert refused.code == 2
    assert "add --objective maximise" in refused.err
    refused = contest("show", "tours", "--failed-score", "inf")
    assert refused.code == 2
    assert "finite" in refused.err


def test_failed_seeds_are_seen_and_count_what_was_said(bench: Bench) -> None:
    bench.write(FLAKY, "flaky.py")
    bench.write(CONFIG.replace("bots:\n", 'bots:\n  flaky: {python: "flaky.py:make"}\n'), "tours.yaml")
    done = bench("run", "tours.yaml", "--quiet")
    assert done.code == 0
    assert "failed" in done.out
    assert "forfeits: " in done.out
    assert "harness replay results/tours" in done.out
    found = scores(bench, "show", "tours")
    flaky = next(bot for bot in found["bots"] if bot["name"] == "flaky")
    values = [
        line["games"][0]["values"] is not None and not line["games"][0]["faults"]
        for line in bench.lines("tours")
        if line["lineup"] == ["flaky"]
    ]
    assert 0 < flaky["n_failed"] == values.count(False) < 30
    assert flaky["mean"] is None
    plain = scores(bench, "show", "tours", "--relative", "none", "--failed-score", "100000")
    counted = next(bot for bot in plain["bots"] if bot["name"] == "flaky")
    total = flaky["mean_scored"] * (30 - flaky["n_failed"]) + 100_000 * flaky["n_failed"]
    assert counted["total"] == pytest.approx(total)


def test_earlier_runs_and_tables_count_for_the_best(contest: Bench) -> None:
    contest.write("seed,score\n1,1\n", "top.csv")
    plain = scores(contest, "show", "tours")
    with_top = scores(contest, "show", "tours", "--baseline", "top.csv")
    assert with_top["n_baseline_seeds"] == 1
    assert with_top["bots"][0]["n_best"] == plain["bots"][0]["n_best"] - 1
    alone = CONFIG.replace(f'  new: {{folder: {BOTS}/route_2opt, python: "two_opt_bot.py:make"}}\n', "").replace(
        "{type: gauntlet, candidate: new}", "{type: round_robin}"
    )
    contest.write(alone.replace("relative: best", "relative: best, baseline: tours"), "alone.yaml")
    done = contest("run", "alone.yaml", "--quiet")
    assert "old played alone" in done.out
    found = scores(contest, "show", "alone")
    old = next(bot for bot in plain["bots"] if bot["name"] == "old")
    assert found["baseline"] == ["tours"]
    assert found["bots"][0]["measured"] == pytest.approx(old["measured"])
    refused = contest("show", "tours", "--baseline", "tours")
    assert refused.code == 2
    assert "not its own baseline" in refused.err


def test_a_score_contest_is_rated_by_ranks(contest: Bench) -> None:
    data = contest("rate", "tours", "--json").data
    assert [bot["name"] for bot in data["bots"]] == ["new", "old"]
    refused = contest("rate", "results/tours/maps.jsonl")
    assert refused.code == 0, "beside its manifest"
    Path("alone.jsonl").write_text(Path("results/tours/maps.jsonl").read_text())
    refused = contest("rate", "alone.jsonl")
    assert refused.code == 2
    assert "nothing says which scores are better" in refused.err


def test_plan_and_check_know_it(bench: Bench) -> None:
    bench.write(CONFIG, "tours.yaml")
    assert "scoring    minimise, relative to best" in bench("plan", "tours.yaml").out
    assert "2 of 2 bots are well" in bench("check", "tours.yaml").out
    bench.write(CONFIG.replace("scoring: {objective: minimise, relative: best}\n", ""), "tours.yaml")
    refused = bench("run", "tours.yaml")
    assert refused.code == 2
    assert "`scoring` is missing" in refused.err


def test_replay_and_play(contest: Bench) -> None:
    assert contest("replay", "tours", "0").code == 0
    assert contest("play", "tours.yaml", "--seed", "3").code == 0


def test_size_of_a_difference(bench: Bench) -> None:
    done = bench("size", "--difference", "0.5", "--sd", "4", "--maps", "200")
    assert "503 seeds" in done.out  # ((1.959964 + 0.841621) * 4 / 0.5)^2 = 502.3
    assert bench("size", "--difference", "0.5", "--sd", "4", "--json").data["runs"] == 1006
    for words in (["--difference", "1"], ["--sd", "1"], ["--difference", "1", "--sd", "1", "--gain", "0.1"]):
        assert bench("size", *words).code == 2
    for words in (["--difference", "0", "--sd", "1"], ["--difference", "1", "--sd", "-1"]):
        refused = bench("size", *words)
        assert refused.code == 2
        assert refused.err


# ----------------------------------------------------------------------------------------------------- gates


def gate(bench: Bench, text: str, *words: str) -> Any:
    bench.write(text, "gate.yaml")
    return bench("gate", "gate.yaml", "--quiet", *words)


def confirm_only(text: str) -> str:
    """Leave out screen and final stage."""
    return "\n".join(line for line in text.splitlines() if not line.startswith(("  screen", "  final"))) + "\n"


def verdict(bench: Bench, candidate: str = "new") -> dict[str, Any]:
    data: dict[str, Any] = json.loads((bench.folder / "results" / "gate" / candidate / "verdict.json").read_text())
    return data


@pytest.mark.parametrize("kind", ["share", "wins"])
def test_the_better_version_is_promoted(bench: Bench, kind: str) -> None:
    done = gate(bench, GATE.replace("relative: best", f"relative: best, seed_score: {kind}"))
    assert done.code == 0, done.out + done.err
    assert "▲ PROMOTED   new is better than old by" in done.out
    longest = max((line for line in done.out.splitlines() if not line.startswith("   record ")), key=len)
    assert len(longest) <= 110, "the verdict is wrapped between words"
    assert ("half of the difference" in done.out) is (kind == "share")
    data = verdict(bench)
    assert [stage["n_maps"] for stage in data["stages"]][1:] == [40, 30]
    assert data["stages"][2]["forfeits"] == [{"bot": "new", "n": 0, "of": 30}, {"bot": "old", "n": 0, "of": 30}]
    assert "test 2001 to 2030" in bench("ledger", "show", "seeds.yaml").out
    again = gate(bench, GATE.replace("relative: best", f"relative: best, seed_score: {kind}"))
    assert (again.code, again.out) == (0, done.out)


SLOW_GATE = GATE.replace("nelo1: 200", "nelo1: 60").replace("max_maps: 100", "max_maps: 200")


def test_one_worker_and_many_decide_on_the_same_seeds(bench: Bench) -> None:
    gate(bench, SLOW_GATE)
    whole = verdict(bench)["stages"]
    forget_draws(bench)
    gate(bench, SLOW_GATE.replace("workers: 2", "workers: 1"), "--run", "one")
    assert decisions(bench, "one", "new") == decisions(bench, "gate", "new")
    one = json.loads((bench.folder / "results" / "one" / "new" / "verdict.json").read_text())["stages"]
    assert [stage["interval"] for stage in one] == [stage["interval"] for stage in whole]


@pytest.mark.parametrize("kill_after", [1, 2])
def test_killed_in_mid_gate_it_comes_to_the_same_verdict(bench: Bench, kill_after: int) -> None:
    gate(bench, SLOW_GATE, "--run", "whole")
    forget_draws(bench)
    command = [sys.executable, "-m", "harness", "gate", "gate.yaml", "--quiet", "--run", "killed"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen(command, cwd=bench.folder, stdout=subprocess.DEVNULL, env=environment)
    stages = bench.folder / "results" / "killed" / "new"
    while process.poll() is None and len(list(stages.glob("*/maps.jsonl"))) < kill_after:
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert bench("gate", "gate.yaml", "--quiet", "--run", "killed").code == 0
    assert decisions(bench, "killed", "new") == decisions(bench, "whole", "new")
    assert bench("ledger", "verify", "seeds.yaml").code == 0


def test_the_worse_version_is_dropped_or_rejected(bench: Bench) -> None:
    worse = GATE.replace("candidate: new", "candidate: old").replace("champion: old", "champion: new")
    done = gate(bench, worse)
    assert done.code == 1
    assert "▼ DROPPED AT THE SCREEN   old did not pass the screen against new." in done.out
    assert "No seeds of later stages were spent." in done.out
    done = gate(bench, confirm_only(worse), "--run", "confirm")
    assert done.code == 1
    assert "No evidence that old is better than new." in done.out
    assert "the rest of the 40 could not change it any more" in done.out


def test_the_same_program_has_no_verdict(bench: Bench) -> None:
    text = confirm_only(GATE.replace("candidate: new", "candidate: twin").replace("maps: 40", "maps: 60"))
    done = gate(bench, text)
    assert done.code == 5
    assert "No verdict: none of 60 seeds told twin and old apart." in done.out
    score = text.replace("{lower_bound: 0.5}", "{score: 0.5}").replace("maps: 60", "maps: 40")
    done = gate(bench, score, "--run", "few")
    assert done.code == 5
    assert "twin and old are the same program." in done.out


def test_no_evidence_and_open_ends(bench: Bench) -> None:
    """Two bots whose tours are as good as chance: in the order of the numbers, and even numbers before odd ones."""
    for name, tour in (("order", "range(n)"), ("back", "[*range(0, n, 2), *range(1, n, 2)]")):
        code = f'lambda view: " ".join(map(str, (lambda n: {tour})(int(view.text.split()[0]))))'
        bench.write(f"def make(seed, seat, n_seats):\n    return {code}\n", f"{name}.py")
    bots = 'bots:\n  order: {python: "order.py:make"}\n  back: {python: "back.py:make"}\n'
    text = GATE.replace("bots:\n", bots).replace("champion: old", "champion: order")
    text = confirm_only(text.replace("candidate: new", "candidate: back"))
    done = gate(bench, text.replace("split: validation", "split: train"))
    assert done.code == 1
    assert "NOT PROMOTED   No evidence that back is better than order." in done.out
    assert "from 0 would take about" in done.out
    done = gate(bench, text.replace("lower_bound: 0.5", "lower_bound: 0.46"), "--run", "other")  # by luck it is worse
    assert done.code == 1
    assert "▼ REJECTED   back is worse than order by" in done.out
    assert "40 fresh seeds" in done.out
    open_end = text.replace("maps: 40, pass: {lower_bound: 0.5}", "pass: {sprt: {nelo0: 0, nelo1: 5}, max_maps: 30}")
    done = gate(bench, open_end, "--run", "open")
    assert done.code == 5
    assert "It is open whether back is better than order." in done.out
    done = gate(bench, text.replace("{lower_bound: 0.5}", "{score: 0.3}"), "--run", "score")
    assert done.code == 0
    assert "back passed every stage against order." in done.out


def test_failures_count_against_a_candidate_and_are_told(bench: Bench) -> None:
    bench.write(FLAKY, "flaky.py")
    text = GATE.replace("bots:\n", 'bots:\n  flaky: {python: "flaky.py:make"}\n').replace(
        "candidate: new", "candidate: flaky"
    )
    text += "stop_after: {first_forfeits: null, forfeit_share: null}\n"
    done = gate(bench, confirm_only(text))
    assert done.code == 1
    assert "No evidence that flaky is better than old." in done.out
    assert "confirm: " in done.out
    assert "had a forfeit" in done.out
    forfeits = {row["bot"]: row["n"] for row in verdict(bench, "flaky")["stages"][0]["forfeits"]}
    assert forfeits["flaky"] > 0
    assert forfeits["old"] == 0


def test_a_lineage_of_heuristics(bench: Bench) -> None:
    text = GATE.replace("champion: old", "champion: lineage/tours")
    bench.write(GATE, "gate.yaml")
    done = bench("champion", "set", "tours", "gate.yaml", "old")
    assert done.code == 0, done.err
    done = gate(bench, text)
    assert done.code == 0, done.out + done.err
    assert "is better than" in done.out


def test_nobody_meets_a_panel(bench: Bench) -> None:
    done = gate(bench, GATE + "  panel: {bots: [twin], split: validation, maps: 9, no_worse_than: -0.1}\n")
    assert done.code == 2
    assert "in a score contest nobody meets a panel" in done.err


def test_what_the_policy_does(bench: Bench) -> None:
    bench.write(GATE, "gate.yaml")
    done = bench("gate", "oc", "gate.yaml", "--draws", "0.1")
    assert done.code == 0
    assert "every seed won or lost, 10 % of them equal" in done.out
