"""`harness plan` and `harness check`: what would be played, what it costs, and whether every bot is well."""

from pathlib import Path

import pytest

from harness.errors import ExitCode
from tests.cli.bench import BOTS, Bench


def test_a_plan_says_what_would_be_played(bench: Bench) -> None:
    done = bench("plan", "duel.yaml")
    assert done.code == ExitCode.DONE
    assert "4 of the train split, seeds 1 to 4" in done.out
    assert "16 in 8 map jobs, 0 jobs done already" in done.out
    assert "nothing of it is played yet" in done.out
    assert [line.split()[1] for line in done.out.splitlines() if line.startswith("job ")] == ["0", "1", "2", "3"]
    assert not Path("results").exists()


def test_a_plan_as_data_is_what_a_run_then_plays(bench: Bench, played: Bench) -> None:
    plan = bench("plan", "duel.yaml", "--json", "--jobs", "100").data
    assert [job["id"] for job in plan["jobs"]] == list(range(8))
    lines = played.lines()
    assert [(job["seed"], job["lineup"]) for job in plan["jobs"]] == [(line["seed"], line["lineup"]) for line in lines]
    assert all(plan["seatings"] == [game["seating"] for game in line["games"]] for line in lines)
    assert (plan["n_jobs"], plan["n_games"], plan["n_maps"]) == (8, 16, 4)
    assert (plan["run"], plan["rules"], plan["split"], plan["seeds"]) == ("duel", "lightcycles", "train", [1, 4])
    assert plan["n_workers"] == 2


def test_a_plan_measures_by_what_is_played(played: Bench) -> None:
    plan = played("plan", "duel.yaml", "--json").data
    assert plan["n_done"] == 8
    games_s = sum(line["wall_s"] for line in played.lines()) / 16
    assert plan["estimate_s"] == pytest.approx(16 * games_s / 2)
    assert "at the speed measured so far" in played("plan", "duel.yaml").out


def test_a_plan_warns_of_a_run_that_it_cannot_go_on_with(played: Bench) -> None:
    played.change("width: 9", "width: 10")
    done = played("plan", "duel.yaml", "--json")
    assert (done.code, done.data["n_done"], done.data["estimate_s"]) == (ExitCode.DONE, 0, None)
    assert "results/duel was begun with other inputs" in done.err
    assert played("plan", "duel.yaml", "--run", "other").err == ""


def test_a_plan_of_a_bounded_game_says_the_most_it_takes(bench: Bench) -> None:
    bench.change("workers: 2", "workers: 2\nadjudication: {max_plies: 10}")
    assert bench("plan", "duel.yaml", "--json").data["bound_s"] == 16 * 10 * 60 / 2
    assert "at most" in bench("plan", "duel.yaml").out


def test_a_plan_warns_of_more_workers_than_cores(bench: Bench) -> None:
    bench.change("workers: 2", "workers: 500")
    bench.change("count: 4", "count: 400")
    assert "500 workers on" in bench("plan", "duel.yaml").err


def test_every_bot_is_tried(bench: Bench) -> None:
    bench.change(f'cand: {{folder: {BOTS}/hugger, python: "hugger_bot.py:make"}}', f"cand: {{folder: {BOTS}/hugger}}")
    done = bench("check", "duel.yaml")
    assert done.code == ExitCode.DONE
    assert done.out.count("✓") == 3
    assert "3 of 3 bots are well; lightcycles, map of seed 1: 9x7" in done.out
    assert not Path("results").exists()
    data = bench("check", "duel.yaml", "--json").data
    by_name = {each["name"]: each for each in data["bots"]}
    assert list(by_name) == ["cand", "chance", "flood"]
    assert by_name["cand"]["protocol"] == "codingame"
    assert by_name["cand"]["command"].endswith("hugger_bot.py")
    assert by_name["flood"]["protocol"] == "python"
    assert all(each["answer"] in {"UP", "DOWN", "LEFT", "RIGHT"} for each in data["bots"])
    assert all(len(each["fingerprint"]) == 32 and each["problem"] is None for each in data["bots"])
    assert data["skipped"] == []


def test_a_long_answer_is_cut(bench: Bench) -> None:
    Path("long.py").write_text("def make(seed, seat, n_seats):\n    return lambda view: 'AROUND ' * 60\n")
    bench.change("  chance:", "  long: {python: 'long.py:make'}\n  chance:")
    (shown,) = [line for line in bench("check", "duel.yaml").out.splitlines() if "first ply    'AROUND" in line]
    assert shown.count("AROUND") == 14
    assert "… in" in shown
    answers = [each["answer"] for each in bench("check", "duel.yaml", "--json").data["bots"]]
    assert "AROUND " * 60 in answers


def test_a_stopped_run_says_its_reason_once(bench: Bench) -> None:
    Path("sick.py").write_text("def make(seed, seat, n_seats):\n    raise RuntimeError('no model file\\nat all')\n")
    bench.change("  chance:", "  sick: {python: 'sick.py:make'}\n  chance:")
    done = bench("run", "duel.yaml", "--quiet")
    assert done.code == ExitCode.HALTED
    assert "The run stopped: bot 'sick' does not start." in done.out
    assert "no model file" not in done.out, "it is in the lines of the error"
    assert "raised RuntimeError: no model file at all\n" in done.err
    told = bench("run", "duel.yaml", "--quiet", "--json").data["verdict"]["detail"]
    assert "no model file" in told, "data has it all"
    assert "\\n" not in told


SICK = """\
def raises(seed, seat, n_seats):
    raise RuntimeError("no model file")

def wrong(seed, seat, n_seats):
    return lambda view: "SIDEWAYS"

def breaks(seed, seat, n_seats):
    return lambda view: 1 // 0
"""


def test_a_bot_that_is_not_well_is_named_with_its_problem(bench: Bench) -> None:
    Path("sick.py").write_text(SICK)
    for name in ("raises", "wrong", "breaks"):
        bench.change("  chance:", f"  {name}: {{python: 'sick.py:{name}'}}\n  chance:")
    done = bench("check", "duel.yaml")
    assert done.code == ExitCode.HALTED
    assert "3 of 6 bots are well" in done.out
    problems = {each["name"]: each["problem"] for each in bench("check", "duel.yaml", "--json").data["bots"]}
    assert "no model file" in problems["raises"]
    assert problems["wrong"].startswith("illegal first ply")
    assert "crash on its first ply: raised ZeroDivisionError" in problems["breaks"]
    assert problems["cand"] is None


def test_a_bot_that_is_not_there_is_a_config_error(bench: Bench) -> None:
    bench.change(
        f'{{folder: {BOTS}/random, python: "random_bot.py:make"}}', "{command: no-such-engine, protocol: codingame}"
    )
    for verb in ("check", "plan", "run"):
        done = bench(verb, "duel.yaml")
        assert done.code == ExitCode.USAGE
        assert "duel.yaml:4" in done.err
        assert "no-such-engine" in done.err


def test_a_skipped_bot_is_said(bench: Bench) -> None:
    Path("extra").mkdir()
    build = "build: {command: [no-such-compiler], needs: no-such-compiler}"
    Path("extra/bot.yaml").write_text(f"command: [build/bot]\nprotocol: codingame\n{build}\n")
    bench.change("  chance:", "  extra: {folder: extra}\n  chance:")
    for verb, *words in (["check"], ["plan"], ["run", "--quiet"]):
        done = bench(verb, "duel.yaml", *words)
        assert done.code == ExitCode.DONE
        assert "extra" in done.out + done.err
        assert "no-such-compiler" in done.out + done.err
    assert [each["name"] for each in bench("check", "duel.yaml", "--json").data["skipped"]] == ["extra"]
