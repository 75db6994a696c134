"""`harness run`: begin, go on, say that all is done, refuse what does not belong together; the same whoever plays."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.errors import ExitCode
from tests.cli.bench import BOTS, ROOT, Bench, program, without_times


def events(run: str = "duel") -> list[dict[str, object]]:
    return [json.loads(line) for line in Path("results", run, "events.jsonl").read_text().splitlines()]


def test_a_run_ends_in_records_and_a_verdict(bench: Bench) -> None:
    done = bench("run", "duel.yaml")
    assert done.code == ExitCode.DONE
    assert "duel: 8 maps, 2 workers" in done.err
    assert "cand" in done.out
    assert "results/duel" in done.out
    assert "harness run duel.yaml" in done.out
    lines = bench.lines()
    assert [line["job"] for line in lines] == list(range(8))
    assert [line["seed"] for line in lines] == [1, 1, 2, 2, 3, 3, 4, 4]
    assert [line["lineup"] for line in lines] == [["cand", "chance"], ["cand", "flood"]] * 4
    assert all([game["seating"] for game in line["games"]] == [[0, 1], [1, 0]] for line in lines)
    assert all(line["run"] == "duel" and line["attempt"] == 1 for line in lines)
    assert [event["event"] for event in events()] == ["start", "stop"]


def test_json_has_the_numbers_and_nothing_else_is_printed(played: Bench) -> None:
    done = played("run", "duel.yaml", "--json")
    assert done.err == ""
    data = done.data
    assert data["is_final"]
    assert data["n_maps"] == 8
    assert data["n_games"] == 16
    assert data["candidate"] == "cand"
    assert data["verdict"]["exit_code"] == done.code
    assert {row["opponent"] for row in data["comparisons"]} == {"chance", "flood"}
    for row in data["comparisons"]:
        own = [line["scores"][0] for line in played.lines() if line["lineup"] == [row["bot"], row["opponent"]]]
        assert row["estimate"]["score"] == pytest.approx(sum(own) / 8)
        assert row["points"] == sum(own)


def test_a_second_start_says_that_all_is_done(played: Bench) -> None:
    before = {path: path.read_bytes() for path in Path("results/duel").rglob("*.jsonl")}
    done = played("run", "duel.yaml")
    assert done.code == ExitCode.DONE
    assert "All 8 maps of this run were done before; nothing was played." in done.out
    assert {path: path.read_bytes() for path in before} == before


def test_an_unfinished_run_goes_on_where_it_stopped(played: Bench) -> None:
    whole = [without_times(line) for line in played.lines()]
    path = Path("results/duel/maps.jsonl")
    kept = path.read_bytes().splitlines(keepends=True)[:3]
    path.write_bytes(b"".join(kept) + b'{"schema":1,"run":"du')
    done = played("run", "duel.yaml")
    assert done.code == ExitCode.DONE
    assert "3 of them done before" in done.err
    assert path.read_bytes().startswith(b"".join(kept))
    assert [without_times(line) for line in played.lines()] == whole
    assert [event["bytes"] for event in events() if event["event"] == "torn line cut off"] == [21]
    assert [event["done"] for event in events()[-2:]] == [3, 8]


def test_run_names_a_run_of_its_own_and_can_be_quiet(bench: Bench) -> None:
    done = bench("run", "duel.yaml", "--run", "second.try", "--quiet")
    assert done.err == ""
    assert "harness run duel.yaml --run second.try" in done.out
    assert {line["run"] for line in bench.lines("second.try")} == {"second.try"}
    assert [path.name for path in Path("results").iterdir()] == ["second.try"]
    assert f"harness run {bench.folder}/duel.yaml --run second.try" in bench("show", "second.try").out


@pytest.mark.parametrize("name", ["..", "../elsewhere", "a/b", "", ".hidden", "a b", "x" * 61])
def test_a_run_stays_in_its_folder(bench: Bench, name: str) -> None:
    for verb in ("run", "plan"):
        done = bench(verb, "duel.yaml", "--run", name)
        assert done.code == ExitCode.USAGE
        assert "a run's name is that of its folder" in done.err
        assert repr(name) in done.err
    assert not Path("results").exists()


def test_the_command_to_go_on_can_be_pasted(played: Bench) -> None:
    shutil.copytree(".", "my configs")
    shutil.move("my configs/duel.yaml", "my configs/it's.yaml")
    played.change("workers: 2", "name: duel", "my configs/it's.yaml")
    done = played("run", "my configs/it's.yaml")
    assert "nothing was played" in done.out
    assert """harness run 'my configs/it'"'"'s.yaml'""" in done.out


# --------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("width: 9", "width: 10", ["config: rules.width: was 9, is now 10"]),
        ("count: 4", "count: 5", ["config: maps.count: was 4, is now 5"]),
        ("per_ply_ms: 60000", "per_ply_ms: 50000", ["config: bots.cand.time", "50000"]),
        ("split: train", "split: validation", ["maps.split: was train, is now validation", "maps.first_seed"]),
        ("candidate: cand", "candidate: flood", ["schedule.candidate"]),
        ("  chance: {", "  fourth: {", ["bot chance", "bot fourth"]),
        ("hugger_bot.py:make", "./hugger_bot.py:make", ["bot cand: command"]),
    ],
)
def test_a_changed_config_is_refused_naming_what_changed(played: Bench, old: str, new: str, words: list[str]) -> None:
    before = Path("results/duel/maps.jsonl").read_bytes()
    played.change(old, new)
    done = played("run", "duel.yaml")
    assert done.code == ExitCode.USAGE
    assert "results/duel: this run was begun with other inputs" in done.err
    assert "--run NAME" in done.err
    for word in words:
        assert word in done.err
    assert Path("results/duel/maps.jsonl").read_bytes() == before
    assert json.loads(Path("results/duel/manifest.json").read_text())["run"] == "duel"


def test_a_changed_bot_is_refused_naming_its_file_and_plays_under_another_name(bench: Bench) -> None:
    shutil.copytree(BOTS / "hugger", "mine")
    bench.change(f"folder: {BOTS}/hugger", "folder: mine")
    bench("run", "duel.yaml")
    with Path("mine/hugger_bot.py").open("a") as file:
        file.write("# another tie-break\n")
    done = bench("run", "duel.yaml")
    assert done.code == ExitCode.USAGE
    assert "bot cand: file hugger_bot.py: its content changed" in done.err
    assert bench("run", "duel.yaml", "--run", "next").code == ExitCode.DONE
    assert len(bench.lines("next")) == 8


@pytest.mark.parametrize(
    ("old", "new"),
    [("workers: 2", "workers: 1"), ("rules:", "# a comment\nrules:"), ("workers: 2", "workers: 2\ntranscripts: none")],
)
def test_what_changes_no_result_may_change(played: Bench, old: str, new: str) -> None:
    played.change(old, new)
    assert "nothing was played" in played("run", "duel.yaml").out


def test_records_without_a_manifest_are_not_gone_on_with(played: Bench) -> None:
    Path("results/duel/manifest.json").unlink()
    done = played("run", "duel.yaml")
    assert done.code == ExitCode.USAGE
    assert "records but no manifest" in done.err
    assert not Path("results/duel/manifest.json").exists()


def test_a_bad_line_in_the_middle_is_named(played: Bench) -> None:
    path = Path("results/duel/maps.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"rubbish\n" + b"".join(lines[2:]))
    for verb in (["run", "duel.yaml"], ["show", "duel"], ["replay", "duel", "7"]):
        done = played(*verb)
        assert done.code == ExitCode.USAGE
        assert "results/duel/maps.jsonl:2: not a line that this program wrote" in done.err


def test_a_record_of_another_plan_is_refused(played: Bench) -> None:
    path = Path("results/duel/maps.jsonl")
    path.write_bytes(path.read_bytes().replace(b'"seed":3,', b'"seed":33,'))
    done = played("run", "duel.yaml")
    assert done.code == ExitCode.USAGE
    assert "seed 33 is not in this plan" in done.err


def test_results_that_cannot_be_written_halt(bench: Bench) -> None:
    Path("results").write_text("a file is in the way")
    done = bench("run", "duel.yaml")
    assert done.code == ExitCode.HALTED
    assert "cannot write" in done.err
    assert "No map was finished." in done.out


# ------------------------------------------------------------------------------------------------- other ends


def test_two_copies_of_one_bot_are_no_verdict(bench: Bench) -> None:
    hugger = f'{{folder: {BOTS}/hugger, python: "hugger_bot.py:make"}}'
    bench.change("  chance:", f"  copy: {hugger}\n  chance:")
    bench.change("candidate: cand", "candidate: cand, opponents: [copy]")
    done = bench("run", "duel.yaml", "--json")
    assert done.code == ExitCode.NO_VERDICT
    assert done.data["verdict"]["outcome"] == "mirrored"
    assert bench("show", "duel").code == ExitCode.NO_VERDICT


def test_a_broken_bot_halts_and_the_run_can_go_on(bench: Bench) -> None:
    Path("broken.py").write_text("def make(seed, seat, n_seats):\n    return lambda view: [][seed]\n")
    bench.change(f'{{folder: {BOTS}/random, python: "random_bot.py:make"}}', "{python: 'broken.py:make'}")
    for _ in range(2):
        done = bench("run", "duel.yaml", "--json")
        assert done.code == ExitCode.HALTED
        assert "bot 'chance' looks broken" in done.err
        assert "IndexError" in done.err
        assert "chance" in done.data["run"]["halt"]["reason"]
        assert done.data["run"]["state"] == "halted"
        assert done.data["verdict"]["exit_code"] == ExitCode.HALTED
        shown = bench("show", "duel", "--json")
        assert shown.data["run"]["halt"]["reason"] == done.data["run"]["halt"]["reason"]
        assert shown.code == ExitCode.HALTED
        assert "looks broken" in bench("show", "duel").out
    bench.change("workers: 2", "stop_after: {first_forfeits: null, forfeit_share: null}")
    done = bench("run", "duel.yaml", "--json")
    assert done.code == ExitCode.DONE
    by_name = {bot["name"]: bot for bot in done.data["bots"]}
    assert by_name["chance"]["forfeits"] == {"timeout": 0, "crash": 8, "illegal": 0, "ruled": 0}
    assert (
        by_name["cand"]["forfeits"]
        == by_name["flood"]["forfeits"]
        == {"timeout": 0, "crash": 0, "illegal": 0, "ruled": 0}
    )
    assert [line["job"] for line in bench.lines()] == list(range(8))


def test_whatever_an_in_process_bot_says_is_recorded(bench: Bench) -> None:
    """Text that UTF-8 cannot hold, NUL, a page of lines: a forfeit, not the end of a worker."""
    Path("odd.py").write_text(
        "def make(seed, seat, n_seats):\n"
        "    def bot(view):\n"
        "        raise ValueError('\\udcff\\x00' + 'line\\n' * 1000)\n"
        "    return bot\n"
    )
    bench.change(f'{{folder: {BOTS}/random, python: "random_bot.py:make"}}', "{python: 'odd.py:make'}")
    bench.change("workers: 2", "stop_after: {first_forfeits: null, forfeit_share: null}")
    assert bench("run", "duel.yaml").code == ExitCode.DONE
    faults = [fault for line in bench.lines() for game in line["games"] for fault in game["faults"]]
    assert len(faults) == 8
    assert all("\\udcff" in fault["detail"] and "\n" not in fault["detail"] for fault in faults)
    assert "crash" in bench("replay", "duel", "0", "--no-bots").out


@pytest.mark.parametrize("turns", ["simultaneous", "alternate"])
def test_four_at_a_table_of_whom_some_give_up(bench: Bench, turns: str) -> None:
    """A forfeit does not end such a game: the others play on, in every rotation, and replay agrees."""
    hugger = f'{{folder: {BOTS}/hugger, python: "hugger_bot.py:make"}}'
    Path("quits.py").write_text(
        "def make(seed, seat, n_seats):\n"
        "    plies = iter(range(3))\n"
        "    return lambda view: ('UP', 'UP', 'UP', 'UP')[next(plies)]\n"
    )
    bench.write(
        f"rules: {{name: lightcycles, players: 4, width: 12, height: 10, turns: {turns}}}\n"
        f"bots:\n  a: {hugger}\n  b: {{python: 'quits.py:make'}}\n  c: {hugger}\n  d: {{python: 'quits.py:make'}}\n"
        "schedule: {type: gauntlet, candidate: a}\n"
        "maps: {ledger: seeds.yaml, split: train, count: 2}\n"
        "seats: rotations\n"
        "time: {per_ply_ms: 60000}\n"
        "stop_after: {first_forfeits: null, forfeit_share: null}\n"
    )
    done = bench("run", "duel.yaml", "--json")
    assert done.data["n_games"] == 8
    assert len(done.data["comparisons"]) == 3
    for line in bench.lines():
        assert [sorted(game["seating"]) for game in line["games"]] == [[0, 1, 2, 3]] * 4
        assert sum(line["scores"]) == pytest.approx(8)
        replayed = bench("replay", "duel", str(line["job"]), "--json")
        assert replayed.code == ExitCode.DONE, replayed.err
        for game, again in zip(line["games"], replayed.data["games"], strict=True):
            assert game["faults"] == again["faults"]
            assert len(again["plies"]) == game["plies"] == sum(seat["plies"] for seat in game["bots"])
    assert sum(bot["forfeits"]["crash"] for bot in done.data["bots"]) > 0


# ----------------------------------------------------------------------------------------- the same everywhere


def test_results_do_not_depend_on_the_number_of_workers(bench: Bench) -> None:
    """One of the bots is a program of its own, so that processes and workers mix."""
    bench.change(f'cand: {{folder: {BOTS}/hugger, python: "hugger_bot.py:make"}}', f"cand: {{folder: {BOTS}/hugger}}")
    whole = {}
    for workers in ("1", "2", "4"):
        bench.change("workers: 2", f"workers: {workers}")
        done = bench("run", "duel.yaml", "--run", f"w{workers}", "--json")
        bench.change(f"workers: {workers}", "workers: 2")
        assert ("warning: " in done.err) == (int(workers) > len(os.sched_getaffinity(0)))
        lines = bench.lines(f"w{workers}")
        assert len(lines) == 8
        assert {line["worker"] for line in lines} <= set(range(int(workers)))
        whole[workers] = [without_times(line) for line in lines]
    assert whole["1"] == whole["2"] == whole["4"]


def test_results_do_not_depend_on_where_one_stands(played: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("below/deep").mkdir(parents=True)
    monkeypatch.chdir("below/deep")
    assert "nothing was played" in played("run", "../../duel.yaml").out
    done = played("run", "../../duel.yaml", "--run", "there")
    assert str(played.folder / "results" / "there") in done.out
    assert [without_times(line) for line in played.lines()] == [without_times(line) for line in played.lines("there")]
    assert not Path("results").exists()


def test_bots_have_seeds_of_their_own(bench: Bench) -> None:
    """Copies of one bot that draws from its seed play differently, in both games of a map and from map to map."""
    random = f'{{folder: {BOTS}/random, python: "random_bot.py:make"}}'
    bench.write(
        "rules: {name: lightcycles, width: 9, height: 7}\n"
        f"bots:\n  cand: {random}\n  twin: {random}\n"
        "schedule: {type: gauntlet, candidate: cand}\n"
        "maps: {ledger: seeds.yaml, split: train, count: 12}\n"
        "time: {per_ply_ms: 60000}\n"
    )
    bench("run", "duel.yaml")
    games = [game["moves"] for line in bench.lines() for game in line["games"]]
    assert len(games) == 24
    assert len(set(games)) > 18


# ----------------------------------------------------------------------------------------------- as a program


def test_as_a_program_of_its_own(bench: Bench) -> None:
    first = program("run", "duel.yaml", "--json", cwd=bench.folder)
    assert first.code == ExitCode.DONE
    assert first.err == ""
    assert first.data["n_maps"] == 8
    assert len(bench.lines()) == 8


def test_a_reader_that_has_enough_is_no_error(played: Bench) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "harness", "show", "duel", "--json"],
        stdout=writer,
        stderr=subprocess.PIPE,
        cwd=played.folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=50,
        check=False,
    )
    os.close(writer)
    assert done.stderr == b""
    assert done.returncode == ExitCode.DONE


def test_a_run_in_process_leaves_signals_and_processes_as_they_were(bench: Bench) -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    others = children_of_this_process()
    bench("run", "duel.yaml")
    assert {number: signal.getsignal(number) for number in before} == before
    assert children_of_this_process() <= others, "what the run started has ended with it"


def children_of_this_process() -> set[str]:
    """Give the pids of this process's children; other tests' may still be among them."""
    return set(" ".join(path.read_text() for path in Path("/proc/self/task").glob("*/children")).split())
