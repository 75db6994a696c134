"""A referee that ignores its seed is found, and what works is named; a paired run of it is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import main
from harness.errors import ConfigError, ExitCode
from harness.run import seed_check
from harness.run.prepare import prepare
from harness.run.seed_check import SeedState, check_seed, settle_seed
from tests.referee.delegated import bot, referee, write_run
from tests.run.runs import Watcher, play


def found(config: Path) -> tuple[SeedState, str, tuple[str, ...]]:
    finding = check_seed(prepare(config).plan)
    return finding.state, finding.words, finding.works


def test_a_seed_that_is_echoed_is_obeyed(tmp_path: Path) -> None:
    assert found(write_run(tmp_path)) == (
        SeedState.OBEYED,
        "it says the seeds that it was asked for, 1 and 2",
        (),
    )


def test_what_was_seen_to_obey_is_not_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepare(write_run(tmp_path))
    assert check_seed(prepared.plan, is_quick=True).state is SeedState.OBEYED

    def refuse(*arguments: object) -> None:
        raise AssertionError("another game was played")

    monkeypatch.setattr(seed_check, "_play", refuse)
    assert settle_seed(prepared) is None


def test_the_known_way_that_works_is_named(tmp_path: Path) -> None:
    state, words, works = found(write_run(tmp_path, referee("brutal.py", "--seed-by", "seed")))
    assert state is SeedState.IGNORED
    assert words.startswith("asked for seed 1, it says ")
    assert works == ("-seed", "{seed}")


def test_a_paired_run_of_it_is_refused_and_can_begin_once_it_is_corrected(tmp_path: Path) -> None:
    section = referee("brutal.py", "--seed-by", "seed")
    with pytest.raises(ConfigError) as caught:
        play(write_run(tmp_path, section))
    assert "`referee.seed`: the referee does not play the seed that it is given" in str(caught.value)
    assert "write `seed: -seed {seed}`" in str(caught.value)
    assert len(play(write_run(tmp_path, {**section, "seed": "-seed {seed}"}))) == 2


def test_without_any_way_results_are_unpaired_and_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    section = referee("brutal.py", "--seed-by", "none")
    with pytest.raises(ConfigError, match="none of the known ways"):
        play(write_run(tmp_path, section))
    config = write_run(tmp_path, {**section, "paired": False, "seed": "none"}, count=3)
    records = play(config)
    assert [record.paired for record in records] == [False] * 3
    seeds = [dict(game.data)["seed"] for record in records for game in record.games]
    assert len(set(seeds)) == 6
    section = {**referee("other_modes.py", "lines", "5", "{players}"), "mode": "template", "paired": False}
    play(write_run(tmp_path, section, count=12, name="run2"))
    assert main(["show", str(tmp_path / "results" / "run2")]) == ExitCode.DONE
    said = " ".join(capsys.readouterr().out.split())
    assert "unpaired the referee takes no seed, so every game was on a map of its own" in said
    assert "each of them 2 games that share no map" in said
    assert "each played from both seats" not in said
    assert main(["show", str(tmp_path / "results" / "run2"), "--json"]) == ExitCode.DONE
    facts = json.loads(capsys.readouterr().out)
    assert facts["n_unpaired"] == 12
    assert facts["comparisons"][0]["penta"] is None


@pytest.mark.parametrize(
    ("kind", "state"),
    [
        ("same", SeedState.LIKELY),
        ("none", SeedState.UNKNOWN),
        ("chance", SeedState.UNKNOWN),
        ("data", SeedState.IGNORED),
    ],
)
def test_a_referee_that_says_no_seed_is_judged_by_its_games(kind: str, state: SeedState, tmp_path: Path) -> None:
    section = {**referee("mute.py", kind, "{seed}", "{players}"), "mode": "template"}
    config = write_run(tmp_path, section, {"best": bot("best"), "first": bot("first")})
    assert found(config)[0] is state
    watcher = Watcher()
    if state is SeedState.IGNORED:
        with pytest.raises(ConfigError, match="what it tells of the game differs"):
            play(config, watcher)
        return
    play(config, watcher)
    doubts = [text for text in watcher.warnings if "nobody can tell" in text]
    assert len(doubts) == (state is SeedState.UNKNOWN)


def test_check_says_all_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = str(write_run(tmp_path, bots={"best": bot("best"), "bad": bot("illegal")}))
    assert main(["check", config]) == ExitCode.HALTED
    said = capsys.readouterr().out
    assert "✓ referee  brutal.py (brutal)" in said
    assert "seed         obeyed: it says the seeds that it was asked for, 1 and 2" in said
    assert "✓ best" in said
    assert "✗ bad" in said
    assert "problem      ruled: the referee gave it -1" in said
    assert "1 of 2 bots are well; brutal.py (brutal)" in said
    ignoring = str(write_run(tmp_path / "b", referee("brutal.py", "--seed-by", "seed")))
    assert main(["check", ignoring]) == ExitCode.USAGE
    assert "next: write `seed: -seed {seed}`" in capsys.readouterr().out
    assert main(["check", ignoring, "--json"]) == ExitCode.USAGE
    facts: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert facts["referee"]["seed"]["works"] == ["-seed", "{seed}"]
    broken = str(write_run(tmp_path / "c", referee("brutal.py", "--fault", "null")))
    assert main(["check", broken]) == ExitCode.HALTED
    assert "problem      the referee failed: the score of seat 1 is null" in capsys.readouterr().out


def test_play_plan_replay_and_the_rest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bots = {"best": bot("best", deterministic=True), "first": bot("first", deterministic=True)}
    config = str(write_run(tmp_path, bots=bots))
    assert main(["plan", config]) == ExitCode.DONE
    said = capsys.readouterr().out
    assert "referee    brutal.py (brutal), 2 seats" in said
    assert "limits     a whole game at most 10" in said
    assert main(["play", config, "--once"]) == ExitCode.DONE
    assert "seed = 1, heaps = 4" in capsys.readouterr().out
    assert main(["run", config, "--quiet"]) == ExitCode.DONE
    run = str(tmp_path / "results" / "run")
    capsys.readouterr()
    assert main(["replay", run, "1"]) == ExitCode.DONE
    said = capsys.readouterr().out
    assert said.count("(the same)") == 2
    assert "by hand: cd " in said
    assert "-d seed=2" in said
    assert main(["replay", run, "1", "--game", "0", "--json", "--no-bots"]) == ExitCode.DONE
    (game,) = json.loads(capsys.readouterr().out)["games"]
    assert game["command"].endswith("-d seed=2")
    assert main(["rate", run]) == ExitCode.DONE
    capsys.readouterr()
    assert main(["export", run]) == ExitCode.USAGE
    assert "an external referee played this run" in capsys.readouterr().err
    maps = tmp_path / "results" / "run" / "maps.jsonl"
    maps.write_text(maps.read_text().replace('"scores":[1.0,0.0]', '"scores":[0.5,0.5]'))
    assert main(["replay", run, "1"]) == ExitCode.NOT_PASSED
    assert "(otherwise)" in capsys.readouterr().out


def test_a_gate_judges_by_a_referee(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = write_run(tmp_path, bots={"best": bot("best"), "first": bot("first")})
    facts = json.loads(config.read_text())
    del facts["schedule"]
    facts["maps"] = {"ledger": "seeds.yaml"}
    screen = {"split": "train", "maps": 4, "pass": {"score": 0.6}}
    confirm = {"split": "validation", "maps": 8, "pass": {"lower_bound": 0.5}}
    facts["gate"] = {"candidate": "best", "champion": "first", "screen": screen, "confirm": confirm}
    config.write_text(json.dumps(facts))
    assert main(["gate", str(config), "--quiet"]) == ExitCode.DONE
    assert "best" in capsys.readouterr().out
