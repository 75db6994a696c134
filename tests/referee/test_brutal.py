"""The new mode of cg-brutaltester's referees, played with one of ours: records, seeds, scripts, and what goes wrong."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

from harness.protocols import reaper
from harness.protocols.process import why_no_sandbox
from harness.records import FaultKind, Isolation, Termination
from tests.referee.delegated import PYTHON, REFEREES, bot, desk, nim_bot, referee, write_run
from tests.run.runs import play


def test_a_run_has_scores_values_seeds_and_data(tmp_path: Path) -> None:
    records = play(write_run(tmp_path, count=3))
    assert [record.seed for record in records] == [1, 2, 3]
    for record in records:
        assert record.paired
        assert [game.seating for game in record.games] == [(0, 1), (1, 0)]
        for game in record.games:
            assert dict(game.data) == {"seed": record.seed, "heaps": 4}
            assert game.values == game.scores
            assert sorted(game.scores) == [0, 1]
            assert (game.plies, game.moves, game.transcript) == (0, "", None)
            assert game.detail in {"1 : 0", "0 : 1"}
    assert sum(record.scores[0] for record in records) >= 5


# -------------------------------------------------------------------------------------------- bots' commands


def test_commands_that_are_safe_are_given_as_they_are() -> None:
    with desk() as table:
        wrappers = table.wrappers()
        assert wrappers.command(0, nim_bot("best", "--a=1,2")).endswith("nim_bot.py best --a=1,2")
        assert not wrappers.is_wrapped(0, nim_bot("best", "--a=1,2"))


@pytest.mark.parametrize("words", [("two words",), ("it's",), ('say "x"',), ("$HOME",), ("a;b",), ("",), ("ü",)])
def test_blanks_and_quotes_reach_the_bot_as_they_are_written(words: tuple[str, ...], tmp_path: Path) -> None:
    folder = tmp_path / "a folder's name"
    folder.mkdir()
    said = tmp_path / "said"
    bot = nim_bot("tell", str(said), *words, cwd=str(folder), env=(("OWN", "value of mine"),))
    with desk() as table:
        game = table.play(bot, nim_bot("first"))
        assert sorted(game.scores) == [0, 1]
        script = Path(table.wrappers().command(0, bot))
        assert "value of mine" not in script.read_text()
        assert " " not in str(script)
    facts = json.loads(said.read_text())
    assert facts == {"words": list(words), "cwd": str(folder), "seed": "100", "own": "value of mine"}
    assert not script.exists()


def test_scripts_of_a_run_stay_with_it_and_may_be_called_by_hand(tmp_path: Path) -> None:
    with desk(folder=str(tmp_path)) as table:
        table.play(nim_bot("best", "two words"), nim_bot("first"))
    script = tmp_path / "scripts" / "p1-best"
    done = subprocess.run([script], input="1 2 0 0\n", capture_output=True, text=True, timeout=20, check=False)
    assert done.stdout == "1 1\n"


def test_a_run_at_a_path_with_blanks_keeps_its_scripts_elsewhere(tmp_path: Path) -> None:
    with desk(folder=str(tmp_path / "my runs")) as table:
        bot = nim_bot("best", "two words")
        assert sorted(table.play(bot, nim_bot("first")).scores) == [0, 1]
        assert " " not in table.wrappers().command(0, bot)


def test_a_chatty_bot_does_not_block_and_its_last_words_are_kept() -> None:
    with desk(drains_bots=True) as table:
        game = table.play(nim_bot("chatty"), nim_bot("last-words"), seed=3)
    (fault,) = game.faults
    assert (fault.seat, fault.kind) == (1, FaultKind.RULED)
    assert fault.stderr.endswith("these are my last words\n")
    assert game.seats[1].data == (("turns", 1),)
    assert dict(game.data) == {"seed": 3, "heaps": 4, "mood": "gloomy"}


def test_a_sandboxed_bot_plays_and_sees_nothing_else(tmp_path: Path) -> None:
    if why := why_no_sandbox():
        pytest.fail(f"install bubblewrap: {why}")
    said = tmp_path / "said"
    said.touch()
    bot = nim_bot("tell", str(said), isolation=Isolation.SANDBOX, readable=(str(REFEREES),))
    with desk() as table:
        game = table.play(bot, nim_bot("first"))
    assert game.faults, "it cannot write outside"
    assert not said.read_text()
    with desk() as table:
        good = nim_bot("best", isolation=Isolation.SANDBOX, readable=(str(REFEREES),))
        assert not table.play(good, nim_bot("first")).faults


def test_what_dead_processes_left_is_removed_and_what_others_have_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(tempfile.mkdtemp(prefix="harness-test-"))
    monkeypatch.setattr(tempfile, "tempdir", str(root))
    dead = subprocess.Popen(["true"])
    dead_key = reaper.owner_key(dead.pid) or dead.pid << 20
    dead.wait()
    (root / f"harness-referee-{dead_key:x}-old").mkdir()
    (root / f"harness-referee-{reaper.owner_key(1):x}-other").mkdir()
    with desk() as table:
        table.play(nim_bot("best", "two words"), nim_bot("first"))
        assert len(list(root.iterdir())) == 2
    assert [path.name.rpartition("-")[2] for path in root.iterdir()] == ["other"]
    shutil.rmtree(root)


# ------------------------------------------------------------------------------------------------ more players


@pytest.mark.parametrize("n_seats", [1, 3, 4, 8])
def test_any_number_of_players(n_seats: int, tmp_path: Path) -> None:
    bots = {f"b{number}": bot("best") for number in range(n_seats)}
    more = {"scoring": {"objective": "maximise"}} if n_seats == 1 else {}
    records = play(write_run(tmp_path, referee(players=n_seats), bots, count=1, seats="rotations", **more))
    for record in records:
        assert len(record.games) == n_seats
        for game in record.games:
            assert len(game.scores) == len(game.values or ()) == n_seats
            assert sum(game.scores) == pytest.approx(n_seats / 2 if n_seats > 1 else 1)


def test_one_of_three_that_fails_is_last_and_the_game_no_forfeit(tmp_path: Path) -> None:
    bots = {"a": bot("best"), "b": bot("crash"), "c": bot("first")}
    (record,) = play(write_run(tmp_path, referee(players=3), bots, count=1))
    for game in record.games:
        assert game.termination is Termination.NORMAL
        (fault,) = game.faults
        assert record.lineup[game.seating[fault.seat]] == "b"
        assert game.scores[fault.seat] == 0
        assert sorted(game.scores) == [0, 0.5, 1]


# ------------------------------------------------------------------------------------------------- other modes


def test_modes_with_programs_of_ours(tmp_path: Path) -> None:
    command = [*PYTHON, str(REFEREES / "other_modes.py")]
    sections: dict[str, dict[str, Any]] = {
        "psyleague": {"mode": "psyleague", "command": [*command, "psyleague", "{seed}", "{players}"]},
        "halite": {"mode": "halite", "command": [*command, "halite"]},
        "json": {"mode": "template", "command": [*command, "json", "{seed}", "{p1}", "{p2}"]},
        "regex": {"mode": "template", "command": [*command, "regex", "{seed}", "{p1}", "{p2}"]},
        "code": {"mode": "template", "command": [*command, "code"], "seed": "--seed={seed}"},
        "lines": {"mode": "template", "command": [*command, "lines", "{seed}", "{p1}", "{p2}"], "negative": "forfeit"},
    }
    sections["json"]["result"] = {"json": "scores.*", "seed": "options.seed"}
    sections["regex"]["result"] = {"regex": "(-?\\d+) beats (-?\\d+)", "seed": "map (\\d+)"}
    sections["regex"]["order"] = "lower_is_better"
    sections["code"]["result"] = {"exit_code": {10: [1, 0], 11: [0, 1]}}
    for name, section in sections.items():
        records = play(write_run(tmp_path / name, section, count=2))
        assert [record.scores for record in records] == [(2.0, 0.0)] * 2, name
        for record in records:
            for game in record.games:
                assert name == "code" or dict(game.data)["seed"] == record.seed, name
        if name == "psyleague":
            assert records[0].games[0].bots[0].data == (("turns", 1),)
        if name == "halite":
            assert list(records[0].games[0].values or ()) == [5120, 17]


def test_the_example_in_c(tmp_path: Path) -> None:
    compiler = shutil.which(os.environ.get("CC", "cc"))
    assert compiler, "install a C compiler"
    root = Path(__file__).parents[2]
    nim, nimbot = tmp_path / "nim", tmp_path / "nimbot"
    subprocess.run([compiler, "-O2", "-Wall", "-Werror", "-o", nim, root / "configs/referees/nim.c"], check=True)
    subprocess.run([compiler, "-O2", "-Wall", "-Werror", "-o", nimbot, root / "bots/nim_c/bot.c"], check=True)
    bots = {"a": {"command": [str(nimbot)]}, "b": bot("first"), "c": {"command": [str(nimbot)]}}
    for name, section in {
        "new": {"mode": "brutal", "command": [str(nim)]},
        "old": {"mode": "old", "command": [str(nim), "--old"]},
    }.items():
        records = play(write_run(tmp_path / name, section, bots, count=4))
        assert len(records) == 8
        both = [record for record in records if record.lineup == ("a", "c")]
        assert all(record.scores == (1, 1) for record in both), "who plays perfectly wins from one seat alone"
        assert all(record.scores[0] >= 1 for record in records)
