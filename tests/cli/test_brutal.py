"""`harness brutal`: what a user of cg-brutaltester types, and what comes of it."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from harness.errors import ExitCode
from harness.run.brutal_seeds import draw_seeds
from harness.store.run_directory import read_records
from tests.cli.bench import Bench
from tests.referee.delegated import REFEREES

PYTHON = shlex.quote(sys.executable)
REFEREE = f"{PYTHON} {REFEREES / 'brutal.py'}"
OLD = f"{PYTHON} {REFEREES / 'old.py'}"
BEST, FIRST = (f"{PYTHON} {REFEREES / 'nim_bot.py'} {kind}" for kind in ("best", "first"))
PLAYERS = ("-p1", BEST, "-p2", FIRST)


def only_run() -> Path:
    (path,) = (path.parent for path in Path("results").glob("*/maps.jsonl"))
    return path


def test_the_lines_the_table_the_logs_and_the_verdict(bench: Bench) -> None:
    Path("logs").mkdir()
    done = bench("brutal", "-r", REFEREE, *PLAYERS, "-n", "3", "-s", "-i", "42", "-l", "logs", "-v")
    assert done.code == ExitCode.DONE
    assert "Number of maps (-n): 3, 2 games each, one from every seat: 6 games" in done.out
    assert done.out.count("End of game ") == 6
    assert "End of game 6\t " in done.out
    assert "| Player 1 |          | " in done.out
    assert "Draws   p1 - p2: 0 (0.00%)" in done.out
    assert "NO EVIDENCE" in done.out or "BETTER" in done.out
    records = sorted(read_records(only_run()), key=lambda record: record.job)
    assert [record.seed for record in records] == draw_seeds(42, 3, 2, swaps=True)
    logs = sorted(Path("logs").iterdir())
    assert [log.name for log in logs] == [f"game{number}.json" for number in range(1, 7)]
    assert [json.loads(log.read_text())["uinput"] for log in logs[:3]] == [
        [f"seed={seed}"] for seed in (1562431130, 1562431130, 117392763)
    ]


def test_the_same_command_goes_on_and_another_bot_begins_anew(bench: Bench) -> None:
    command = ("brutal", "-r", REFEREE, *PLAYERS, "-n", "1", "-s", "-i", "7")
    assert bench(*command).code == ExitCode.DONE
    again = bench(*command)
    assert "1 maps of this run were done before" in again.out
    assert "End of game " not in again.out
    assert "| Player 1 |          | " in again.out
    bench("brutal", "-r", REFEREE, "-p1", FIRST, "-p2", BEST, "-n", "1", "-s", "-i", "7")
    assert len(list(Path("results").glob("*/maps.jsonl"))) == 2
    path = next(Path("results").glob("brutal-*.yaml"))
    assert bench("run", str(path), "--quiet").code == ExitCode.DONE


def test_a_referee_with_its_own_way_to_take_a_seed_is_found_out(bench: Bench) -> None:
    done = bench("brutal", "-r", f"{REFEREE} --seed-by seed", *PLAYERS, "-n", "2", "-s", "-i", "1")
    assert done.code == ExitCode.DONE
    assert "it takes `-seed {seed}`, which is used instead" in done.err
    assert all(record.paired for record in read_records(only_run()))


def test_a_referee_that_takes_no_seed_is_unpaired_and_that_is_said(bench: Bench) -> None:
    done = bench("brutal", "-r", f"{REFEREE} --seed-by none", *PLAYERS, "-n", "2", "-s", "-i", "1")
    assert done.code == ExitCode.DONE
    assert "the referee takes no seed" in done.out
    assert not any(record.paired for record in read_records(only_run()))


def test_without_swap_and_seed_the_cost_is_said(bench: Bench) -> None:
    done = bench("brutal", "-r", REFEREE, *PLAYERS, "-n", "2")
    assert done.code == ExitCode.DONE
    assert "without -s everybody keeps one seat" in done.out
    assert "nobody can play these maps again" in done.out
    assert done.out.count("End of game ") == 2


def test_old_mode(bench: Bench) -> None:
    done = bench("brutal", "-o", "-r", OLD, *PLAYERS, "-n", "2", "-s", "-i", "42")
    assert done.code == ExitCode.DONE
    assert re.search(r"End of game 4: [01] [01]\t \d", done.out)


def test_a_bot_that_fails_is_named_with_what_shows_it_again(bench: Bench) -> None:
    crash = f"{PYTHON} {REFEREES / 'nim_bot.py'} crash"
    done = bench("brutal", "-r", REFEREE, "-p1", BEST, "-p2", crash, "-n", "1", "-s", "-i", "42")
    assert "Error in game 1, seed 1562431130: p2: the referee gave it -1" in done.out
    assert "see it again: harness replay results/brutal-" in done.out
    assert "Errors  p1: 0, p2: 2" in done.out


def test_the_config_can_be_written_and_played(bench: Bench) -> None:
    done = bench("brutal", "-r", REFEREE, *PLAYERS, "-n", "2", "-s", "-i", "42", "--write-config", "g.yaml")
    assert done.code == ExitCode.DONE
    assert not Path("results").exists()
    assert bench("plan", "g.yaml").code == ExitCode.DONE
    assert bench("run", "g.yaml", "--quiet").code == ExitCode.DONE
    assert bench("brutal", "-r", REFEREE, *PLAYERS, "--write-config", "g.yaml").code == ExitCode.USAGE


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("-n", "0"), "-n needs a positive number"),
        (("-t", "-1"), "-t needs a positive number"),
        (("-l", "nowhere"), "-l needs a folder"),
        (("-p4", "cat"), "-p4 without -p3"),
        (("--seed=-seed 4",), "where the seed goes"),
    ],
)
def test_wrong_flags_are_said(bench: Bench, words: tuple[str, ...], why: str) -> None:
    done = bench("brutal", "-r", REFEREE, *PLAYERS, *words)
    assert done.code == ExitCode.USAGE
    assert why in done.err


def test_logs_and_console_can_be_imported_and_tell_the_same(bench: Bench) -> None:
    Path("logs").mkdir()
    done = bench("brutal", "-r", REFEREE, *PLAYERS, "-n", "3", "-s", "-i", "42", "-l", "logs")
    Path("console.log").write_text(done.out)
    made = bench("import", "logs", "--console", "console.log", "--run", "theirs", "--json")
    assert made.code == ExitCode.DONE, made.err
    assert made.data == {"run": "results/theirs", "maps": 3, "games": 6, "notes": []}
    shown = bench("show", "theirs", "--json").data
    assert [bot["n_games"] for bot in shown["bots"]] == [6, 6]
    assert bench("rate", "theirs").code == ExitCode.DONE
    assert bench("import", "logs", "--run", "theirs").code == ExitCode.USAGE
    assert bench("import", "console.log", "--run", "lines").code == ExitCode.DONE


def test_psyleague_games_can_be_imported(bench: Bench) -> None:
    games = [{"players": ["a", "b"], "ranks": [0, 1], "errors": [0, 0], "test_data": {"seed": seed}} for seed in (1, 2)]
    Path("league.games").write_text("".join(json.dumps(game) + "\n" for game in games))
    done = bench("import", "league.games")
    assert done.code == ExitCode.DONE
    assert "2 maps have one game" in done.err
    assert bench("show", "league").code == ExitCode.DONE
    assert bench("import", "league.games", "--names", "x,y", "--run", "z").code == ExitCode.USAGE
    assert bench("import", "none").code == ExitCode.USAGE
