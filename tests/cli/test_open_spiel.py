"""A run of a game of OpenSpiel: the same whatever the workers, resumable, and paired in its chance."""

from __future__ import annotations

import pytest

from tests.cli.bench import BOTS, Bench, without_times

CONFIG = f"""\
rules: {{name: open_spiel/leduc_poker}}
bots:
  one: {{folder: {BOTS}/any_random, python: "any_bot.py:make"}}
  two: {{folder: {BOTS}/any_random, python: "any_bot.py:make"}}
schedule: {{type: round_robin}}
maps: {{ledger: seeds.yaml, split: train, count: 12}}
time: {{per_ply_ms: 60000}}
workers: 2
"""


def test_one_worker_or_two_play_the_same(bench: Bench) -> None:
    bench.write(CONFIG)
    assert bench("run", "duel.yaml", "--quiet").code == 0
    bench.change("workers: 2", "workers: 1")
    assert bench("run", "duel.yaml", "--quiet", "--run", "again").code == 0
    first, second = ([without_times(line) for line in bench.lines(run)] for run in ("duel", "again"))
    for line in (*first, *second):
        for game in line["games"]:
            game.pop("transcript")
    assert first == second
    assert {line["map"] for line in first} == {"chance of the seed"}


def test_values_are_the_returns_and_add_up(bench: Bench) -> None:
    bench.write(CONFIG)
    bench("run", "duel.yaml", "--quiet")
    for line in bench.lines():
        for game in line["games"]:
            assert sum(game["values"]) == 0
            assert (game["values"][0] > game["values"][1]) == (game["scores"][0] > game["scores"][1])


def test_another_version_of_the_library_is_another_run(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.write(CONFIG)
    bench("run", "duel.yaml", "--quiet")
    assert bench("replay", "duel", "3").code == 0
    monkeypatch.setattr("harness.config.fingerprint.version", lambda name: "9.9")
    refused = bench("run", "duel.yaml", "--quiet")
    assert refused.code == 2
    assert "library of the rules: was open_spiel " in refused.err
    assert "is now open_spiel 9.9" in refused.err


def test_the_shown_game_has_the_library_s_picture(bench: Bench) -> None:
    bench.write(CONFIG)
    said = bench("play", "duel.yaml", "--seed", "3")
    assert "Round 1 sequence" in said.out


def test_a_score_contest_of_one_seat(bench: Bench) -> None:
    one_seat = CONFIG.replace("leduc_poker", "2048").replace("count: 12", "count: 2")
    bench.write(f"{one_seat}scoring: {{objective: maximise}}\n")
    assert bench("run", "duel.yaml", "--quiet").code == 0
    values: dict[str, list[float]] = {line["lineup"][0]: [] for line in bench.lines()}
    for line in bench.lines():
        values[line["lineup"][0]] += [game["values"][0] for game in line["games"]]
    assert {name: len(found) for name, found in values.items()} == {"one": 2, "two": 2}
    assert all(value > 0 for found in values.values() for value in found)
