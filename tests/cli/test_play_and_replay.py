"""`harness play` and `harness replay`: a map in full view, and a recorded game held against rules and bots."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from harness.errors import ExitCode
from tests.cli.bench import BOTS, Bench


def test_play_shows_every_ply(bench: Bench) -> None:
    done = bench("play", "duel.yaml")
    assert done.code == ExitCode.DONE
    assert "seed 1: 9x7" in done.out
    assert done.out.count("game 0") == done.out.count("game 1") == 2
    data = bench("play", "duel.yaml", "--json").data
    assert data["record"]["lineup"] == ["cand", "chance"]
    for game, transcript in zip(data["record"]["games"], data["transcripts"], strict=True):
        assert len(transcript["actions"]) == game["plies"]
        assert all(action in done.out for action in transcript["actions"])
    assert not Path("results").exists()


def test_play_plays_a_job_as_the_run_does(played: Bench) -> None:
    """Same seeds for map and bots: the same moves, also of a bot that draws."""
    for line in played.lines():
        record = played("play", "duel.yaml", "--job", str(line["job"]), "--json").data["record"]
        assert record["seed"] == line["seed"]
        assert [game["moves"] for game in record["games"]] == [game["moves"] for game in line["games"]]
        assert record["scores"] == line["scores"]


def test_play_takes_any_seed_and_bots(bench: Bench) -> None:
    done = bench("play", "duel.yaml", "--seed", "77", "--bots", "flood", "flood", "--once", "--json")
    record = done.data["record"]
    assert (record["seed"], record["lineup"], len(record["games"])) == (77, ["flood", "flood"], 1)
    text = bench("play", "duel.yaml", "--seed", "77", "--bots", "flood", "flood", "--once", "--no-board")
    assert "#" not in text.out
    assert len(text.out.splitlines()) < record["games"][0]["plies"] + 10


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--job", "8"], "allowed: 0 to 7"),
        (["--job", "-1"], "allowed: 0 to 7"),
        (["--bots", "cand"], "--bots takes 2 bots"),
        (["--bots", "cand", "nobody"], "cand, chance, flood"),
    ],
)
def test_play_refuses_what_the_config_has_not(bench: Bench, words: list[str], said: str) -> None:
    done = bench("play", "duel.yaml", *words)
    assert done.code == ExitCode.USAGE
    assert said in " ".join(done.err.split())


# ------------------------------------------------------------------------------------------------------ replay


def test_replay_shows_checks_and_plays_again(played: Bench) -> None:
    played.change('python: "hugger_bot.py:make"', 'python: "hugger_bot.py:make", deterministic: true')
    done = played("replay", "duel", "3")
    assert done.code == ExitCode.DONE
    assert done.out.count("The rules accept it and end it as recorded.") == 2
    assert "Its bots, played again, made the same actions." in done.out
    line = played.lines()[3]
    data = played("replay", "duel", "3", "--json").data
    assert (data["run"], data["job"], data["seed"], data["map"]) == ("duel", 3, line["seed"], line["map"])
    assert data["played_again"]
    assert data["differences"] == []
    for game, recorded in zip(data["games"], line["games"], strict=True):
        assert [ply["ply"] for ply in game["plies"]] == list(range(recorded["plies"]))
        assert game["seats"] == [line["lineup"][index] for index in recorded["seating"]]
        assert game["scores"] == recorded["scores"]
        assert all(ply["action"] in done.out for ply in game["plies"])


def test_replay_of_every_job_agrees_with_rules_and_bots(played: Bench) -> None:
    for job in range(8):
        data = played("replay", "duel", str(job), "--json").data
        assert data["played_again"], data["reason"]
        assert data["differences"] == []


def test_replay_of_one_game_is_of_the_rules_alone(played: Bench) -> None:
    data = played("replay", "duel", "0", "--game", "1", "--json").data
    assert [game["game"] for game in data["games"]] == [1]
    assert not data["played_again"]
    done = played("replay", "duel", "0", "--game", "2")
    assert done.code == ExitCode.USAGE
    assert "0 to 1" in done.err


def test_replay_needs_neither_config_nor_bots_for_the_rules(played: Bench) -> None:
    Path("duel.yaml").unlink()
    assert "accept it" in played("replay", "duel", "0", "--no-bots").out
    assert played("replay", "duel", "0").code == ExitCode.USAGE


def test_replay_finds_a_bot_that_plays_otherwise_now(bench: Bench) -> None:
    shutil.copytree(BOTS / "hugger", "mine")
    bench.change(f"folder: {BOTS}/hugger", "folder: mine")
    bench("run", "duel.yaml", "--quiet")
    path = Path("mine/hugger_bot.py")
    path.write_text(path.read_text().replace("(0, 1, 3, 2)", "(3, 1, 0, 2)"))
    for name in [name for name in sys.modules if name.startswith("harness_bot_")]:
        del sys.modules[name]
    done = bench("replay", "duel", "1", "--no-board")
    assert done.code == ExitCode.NOT_PASSED
    assert "warning: bot cand is not what it was" in done.err
    assert "differs from ply" in done.out
    data = bench("replay", "duel", "1", "--json").data
    first = data["differences"][0]
    game = data["games"][first["game"]]
    assert game["plies"][first["ply"]]["action"] == first["then"] != first["now"]


def test_replay_does_not_play_again_under_another_config(played: Bench) -> None:
    played.change("count: 4", "count: 5")
    done = played("replay", "duel", "0", "--no-board")
    assert done.code == ExitCode.DONE
    assert "Not played again: the config is not what it was: maps.count: was 4, is now 5" in done.out


def test_replay_does_not_play_bots_again_that_may_differ(bench: Bench) -> None:
    bench.change('random_bot.py:make"', 'random_bot.py:make", deterministic: false')
    bench("run", "duel.yaml", "--quiet")
    assert "not marked deterministic: chance" in bench("replay", "duel", "0").out


@pytest.mark.parametrize(
    ("pattern", "new", "said"),
    [
        (r'"actions":\["[A-Z]+"', '"actions":["SIDEWAYS"', "SIDEWAYS"),
        (r'"actions":\[("[A-Z]+"),"[A-Z]+",("[A-Z]+")', r'"actions":[\1,\2,\1', "is not a game by these rules"),
        (r',"[A-Z]+"\],"think_us":\[\d+,', '],"think_us":[', "is not a game by these rules"),
        (r'("[A-Z]+")\],"think_us":\[', r'\1,"UP"],"think_us":[1,', "the transcript goes on"),
        (r'"think_us":\[', '"think_us":[1,', "not as many"),
    ],
    ids=["unreadable", "shifted", "cut short", "too long", "a time too many"],
)
def test_replay_refuses_a_transcript_that_is_no_game(played: Bench, pattern: str, new: str, said: str) -> None:
    path = Path("results/duel/t/0000.jsonl")
    path.write_text(re.sub(pattern, new, path.read_text()))
    for job in range(8):
        done = played("replay", "duel", str(job), "--no-bots")
        assert done.code == ExitCode.USAGE
        assert said in done.err
        assert "Traceback" not in done.err


def test_replay_refuses_a_record_that_says_otherwise(played: Bench) -> None:
    first = next(line["job"] for line in played.lines() if line["games"][0]["scores"] == [1.0, 0.0])
    path = Path("results/duel/maps.jsonl")
    path.write_text(path.read_text().replace('"scores":[1.0,0.0],"term', '"scores":[0.5,0.5],"term'))
    done = played("replay", "duel", str(first), "--no-bots")
    assert done.code == ExitCode.USAGE
    assert "it ends (1.0, 0.0), the record says (0.5, 0.5)" in done.err


def test_replay_without_transcripts_says_how_to_get_them(bench: Bench) -> None:
    bench.change("workers: 2", "workers: 2\ntranscripts: none")
    bench("run", "duel.yaml", "--quiet")
    assert not Path("results/duel/t").exists()
    assert all(game["transcript"] is None for line in bench.lines() for game in line["games"])
    done = bench("replay", "duel", "0")
    assert done.code == ExitCode.USAGE
    assert "transcripts: all" in done.err


def test_replay_of_a_job_that_is_not_there(played: Bench) -> None:
    done = played("replay", "duel", "99")
    assert done.code == ExitCode.USAGE
    assert "jobs up to 7" in done.err
    Path("results/duel/manifest.json").unlink()
    assert "no manifest" in played("replay", "duel", "0").err
    assert json.loads(Path("results/duel/maps.jsonl").read_text().splitlines()[0])["schema"] == 1
