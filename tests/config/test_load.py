"""What a config means: defaults, paths, bot.yaml, time controls, skipped bots."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.config.load import load_config
from harness.config.settings import Pin, Schedule, ScheduleType, Seats, StopAfter
from harness.errors import ConfigError
from harness.records import Adjudication, Limits, TimeControl


def make_bot(folder: Path, bot_yaml: str | None, *, name: str = "mybot") -> Path:
    bot = folder / name
    bot.mkdir()
    (bot / "run").write_text("#!/bin/sh\n")
    (bot / "run").chmod(0o755)
    if bot_yaml is not None:
        (bot / "bot.yaml").write_text(bot_yaml)
    return bot


def test_defaults(write_config: Callable[..., Path], tmp_path: Path) -> None:
    config = load_config(write_config())
    assert config.name == "gauntlet"
    assert config.folder == tmp_path
    assert config.results == tmp_path / "results"
    assert [bot.name for bot in config.bots] == ["a", "b"]
    assert config.bots[0].command == (str(tmp_path / "prog"),)
    assert config.bots[1].command == (str(tmp_path / "prog"), "--flag")
    assert config.bots[0].cwd == str(tmp_path)
    assert config.bots[0].limits == Limits()
    assert config.bots[0].fingerprint == ""
    assert config.rules.name == "lightcycles"
    assert config.rules.params == (("width", 20),)
    assert config.rules.folder == str(tmp_path)
    assert config.time == TimeControl(per_ply_ms=100)
    assert config.adjudication == Adjudication()
    assert config.schedule == Schedule(ScheduleType.GAUNTLET, candidate="a", opponents=("b",))
    assert config.maps.ledger == tmp_path / "seeds.yaml"
    assert (config.maps.split, config.maps.count) == ("train", 4)
    assert config.seats is Seats.ROTATIONS
    assert config.workers is None
    assert config.transcripts
    assert config.stop_after == StopAfter()
    assert config.pin is Pin.AUTO
    assert config.skipped == ()
    assert config.builds == {"a": None, "b": None}


def test_everything_can_be_said(write_config: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    config = load_config(
        write_config(
            text="""\
name: other-name
rules: {name: chess, openings: book.epd, deep: [1, [2]]}
bots:
  one:
    about: a bot
    command: [./prog, "a b"]
    protocol: uci
    options: {Hash: 16, Skill Level: 3, OwnBook: false, Clear Hash: null, Contempt: 0.5}
    env: {FOO: bar}
    cwd: deep
    limits: {handshake_ms: 5}
    time: {nodes: 2000, wall_ms: 77}
    threads: 2
    deterministic: true
    files: [gauntlet.yaml]
  two: {command: [./prog], protocol: uci}
schedule: {type: round_robin, bots: [two, one]}
maps: {ledger: seeds.yaml, split: validation, count: 10}
time: {base_ms: 1000, increment_ms: 10, grace_ms: 5}
seats: both
adjudication: {resign_cp: 900, resign_plies: 3, draw_cp: 5, draw_from_ply: 10, max_plies: 300}
workers: 3
pin: off
transcripts: none
stop_after: {first_forfeits: null, forfeit_share: 0.5, after_games: 10}
results: ../elsewhere
"""
        )
    )
    one = config.bots[0]
    assert config.name == "other-name"
    assert config.rules.params == (("openings", "book.epd"), ("deep", (1, (2,))))
    assert one.protocol == "uci"
    assert one.command == (str(tmp_path / "prog"), "a b")
    assert one.options == (
        ("Hash", 16),
        ("Skill Level", 3),
        ("OwnBook", False),
        ("Clear Hash", None),
        ("Contempt", 0.5),
    )
    assert one.env == (("FOO", "bar"),)
    assert one.cwd == str(tmp_path / "deep")
    assert one.limits == Limits(handshake_ms=5)
    assert one.time == TimeControl(nodes=2000, wall_ms=77)
    assert one.threads == 2
    assert one.deterministic
    assert config.bots[1].time is None
    assert config.schedule == Schedule(ScheduleType.ROUND_ROBIN, bots=("two", "one"))
    assert config.time == TimeControl(base_ms=1000, increment_ms=10, grace_ms=5)
    assert config.seats is Seats.BOTH
    assert config.adjudication == Adjudication(
        resign_cp=900, resign_plies=3, draw_cp=5, draw_from_ply=10, max_plies=300
    )
    assert config.workers == 3
    assert config.pin is Pin.OFF
    assert not config.transcripts
    assert config.stop_after == StopAfter(None, 0.5, 10)
    assert config.results == tmp_path.parent / "elsewhere"


def test_paths_do_not_depend_on_the_working_directory(
    write_config: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_config()
    here = load_config(path)
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    there = load_config(Path("../gauntlet.yaml"))
    assert there.bots == here.bots
    assert there.maps == here.maps
    assert there.results == here.results
    assert there.locate("time") == "../gauntlet.yaml:7"


def test_contest_bots_get_a_longer_first_ply(write_config: Callable[..., Path]) -> None:
    assert load_config(write_config()).bots[0].time == TimeControl(per_ply_ms=100, first_ply_ms=1000)
    slow = load_config(write_config("per_ply_ms: 100", "per_ply_ms: 3000"))
    assert slow.bots[0].time == TimeControl(per_ply_ms=3000, first_ply_ms=3000)
    said = load_config(write_config("per_ply_ms: 100", "per_ply_ms: 100, first_ply_ms: 100"))
    assert said.bots[0].time is None
    walled = load_config(write_config("per_ply_ms: 100", "per_ply_ms: 100, wall_ms: 500"))
    assert walled.bots[0].time == TimeControl(per_ply_ms=100, first_ply_ms=500, wall_ms=500)
    uci = load_config(write_config("protocol: codingame", "protocol: uci"))
    assert uci.bots[0].time is None


# ------------------------------------------------------------------------------------------ bot.yaml


def with_folder(write_config: Callable[..., Path], entry: str) -> Path:
    return write_config("a: {command: [./prog], protocol: codingame}", f"a: {entry}")


def test_a_bots_own_file_is_read_and_its_paths_start_there(write_config: Callable[..., Path], tmp_path: Path) -> None:
    make_bot(tmp_path, "command: [./run, '{folder}/x', arg]\nprotocol: uci\nthreads: 2\n")
    config = load_config(with_folder(write_config, "{folder: mybot}"))
    bot = config.bots[0]
    assert bot.command == (str(tmp_path / "mybot/run"), str(tmp_path / "mybot/x"), "arg")
    assert bot.cwd == str(tmp_path / "mybot")
    assert (bot.protocol, bot.threads) == ("uci", 2)
    assert config.source("a").words == ("./run", "{folder}/x", "arg")


def test_the_config_wins_over_the_bots_own_file(write_config: Callable[..., Path], tmp_path: Path) -> None:
    make_bot(
        tmp_path,
        "command: [./run]\nprotocol: uci\noptions: {Hash: 1, Threads: 1}\nenv: {A: x, B: y}\n"
        "limits: {start_ms: 1, quit_ms: 2}\ndeterministic: true\n",
    )
    bot = load_config(
        with_folder(
            write_config,
            "{folder: mybot, command: [./run, more], options: {Hash: 9}, env: {B: z}, limits: {quit_ms: 3}, "
            "deterministic: false}",
        )
    ).bots[0]
    assert bot.command[1:] == ("more",)
    assert bot.options == (("Hash", 9), ("Threads", 1))
    assert bot.env == (("A", "x"), ("B", "z"))
    assert bot.limits == Limits(start_ms=1, quit_ms=3)
    assert not bot.deterministic


def test_python_in_the_config_replaces_the_program(write_config: Callable[..., Path], tmp_path: Path) -> None:
    folder = make_bot(
        tmp_path, "command: [./run]\nprotocol: uci\nenv: {A: x}\nlimits: {quit_ms: 3}\ndeterministic: true\n"
    )
    (folder / "bot.py").write_text("")
    bot = load_config(with_folder(write_config, '{folder: mybot, python: "bot.py:make"}')).bots[0]
    assert bot.protocol == "python"
    assert bot.command == ()
    assert bot.python == f"{folder}/bot.py:make"
    assert bot.env == ()
    assert bot.cwd == str(folder)
    assert bot.deterministic
    assert bot.time is None


def test_command_in_the_config_replaces_python(write_config: Callable[..., Path], tmp_path: Path) -> None:
    make_bot(tmp_path, 'python: "mod:make"\n')
    bot = load_config(with_folder(write_config, "{folder: mybot, command: ./run, protocol: uci}")).bots[0]
    assert bot.python is None
    assert bot.command == (str(tmp_path / "mybot/run"),)


def test_a_folder_needs_no_file_of_its_own(write_config: Callable[..., Path], tmp_path: Path) -> None:
    make_bot(tmp_path, None)
    bot = load_config(with_folder(write_config, "{folder: mybot, command: run, protocol: uci}")).bots[0]
    assert bot.command == (str(tmp_path / "mybot/run"),)


def test_module_names_stay_as_they_are(write_config: Callable[..., Path]) -> None:
    bot = load_config(with_folder(write_config, '{python: "package.module:make"}')).bots[0]
    assert bot.python == "package.module:make"


# -------------------------------------------------------------------------------------------- builds


BUILT = "command: [build/bot]\nprotocol: uci\nbuild: {command: [sh, -c, 'exit 0'], needs: %s, outputs: [x]}\n"


def test_a_built_bots_program_need_not_exist_yet(write_config: Callable[..., Path], tmp_path: Path) -> None:
    folder = make_bot(tmp_path, BUILT % "sh")
    config = load_config(with_folder(write_config, "{folder: mybot}"))
    assert config.bots[0].command == (str(folder / "build/bot"),)
    build = config.builds["a"]
    assert build is not None
    assert Path(build.command[0]).is_absolute()
    assert build.command[1:] == ("-c", "exit 0")
    assert build.folder == folder
    assert build.outputs == ("x",)


def test_a_build_can_be_a_string(write_config: Callable[..., Path], tmp_path: Path) -> None:
    make_bot(tmp_path, "command: [build/bot]\nprotocol: uci\nbuild: sh -c 'exit 0'\n")
    build = load_config(with_folder(write_config, "{folder: mybot}")).builds["a"]
    assert build is not None
    assert build.command[1:] == ("-c", "exit 0")


def test_a_bot_whose_needs_are_missing_is_skipped_with_a_word(
    write_config: Callable[..., Path], tmp_path: Path
) -> None:
    make_bot(tmp_path, BUILT % "no-such-compiler")
    config = load_config(
        write_config(
            "schedule: {type: gauntlet, candidate: a}",
            "  c: {folder: mybot}\nschedule: {type: gauntlet, candidate: a}",
        )
    )
    assert [bot.name for bot in config.bots] == ["a", "b"]
    assert [source.name for source in config.sources] == ["a", "b"]
    assert [bot.name for bot in config.skipped] == ["c"]
    assert "no-such-compiler" in config.skipped[0].reason
    assert config.schedule.opponents == ("b",)


def test_a_mixed_schedule_has_a_pool_and_perhaps_a_candidate(write_config: Callable[..., Path]) -> None:
    plain = load_config(write_config("type: gauntlet, candidate: a", "type: mixed"))
    assert plain.schedule == Schedule(ScheduleType.MIXED, bots=("a", "b"))
    judged = load_config(write_config("type: gauntlet, candidate: a", "type: mixed, candidate: b, lineups_per_map: 3"))
    assert judged.schedule == Schedule(ScheduleType.MIXED, bots=("a",), candidate="b", lineups_per_map=3)
    chosen = load_config(write_config("type: gauntlet, candidate: a", "type: mixed, bots: [b, a], candidate: a"))
    assert chosen.schedule == Schedule(ScheduleType.MIXED, bots=("b",), candidate="a")
    seats = load_config(write_config("count: 4}", "count: 4}\nseats: circular"))
    assert seats.seats is Seats.CIRCULAR


def test_a_skipped_bot_leaves_a_mixed_pool(write_config: Callable[..., Path], tmp_path: Path) -> None:
    make_bot(tmp_path, BUILT % "no-such-compiler")
    more = "  c: {folder: mybot}\nschedule: {type: mixed%s}"
    config = load_config(write_config("schedule: {type: gauntlet, candidate: a}", more % ""))
    assert config.schedule.bots == ("a", "b")
    with pytest.raises(ConfigError, match=r"the candidate cannot play here.*no-such-compiler"):
        load_config(write_config("schedule: {type: gauntlet, candidate: a}", more % ", candidate: c"))


def test_a_bots_lines_of_data_can_be_left_out(write_config: Callable[..., Path]) -> None:
    old = "a: {command: [./prog], protocol: codingame}"
    assert load_config(write_config()).bots[0].metadata
    assert not load_config(write_config(old, f"{old[:-1]}, metadata: false}}")).bots[0].metadata


def test_a_skipped_candidate_is_an_error(write_config: Callable[..., Path], tmp_path: Path) -> None:
    make_bot(tmp_path, BUILT % "no-such-compiler")
    with pytest.raises(ConfigError, match=r"the candidate cannot play here.*no-such-compiler"):
        load_config(with_folder(write_config, "{folder: mybot}"))


# ------------------------------------------------------------------------------- environment, places


def test_environment_values_are_taken_from_outside(
    write_config: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_SECRET", "hush")
    config = load_config(
        write_config("command: [./prog], protocol", 'command: [./prog], env: {KEY: "x-${MY_SECRET}-$y"}, protocol')
    )
    assert config.bots[0].env == (("KEY", "x-hush-$y"),)
    assert config.sources[0].env == (("KEY", "x-${MY_SECRET}-$y"),)
    assert "hush" not in repr(config.sources)


def test_locate_finds_keys_in_both_files(
    write_config: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_bot(tmp_path, "# words\ncommand: [./run]\nprotocol: uci\noptions:\n  Hash: 3\n")
    monkeypatch.chdir(tmp_path)
    with_folder(write_config, "\n    folder: mybot\n    threads: 2")
    config = load_config(Path("gauntlet.yaml"))
    assert config.locate("rules", "width") == "gauntlet.yaml:1"
    assert config.locate("bots", "a") == "gauntlet.yaml:3"
    assert config.locate("bots", "a", "threads") == "gauntlet.yaml:5"
    assert config.locate("bots", "a", "command") == "mybot/bot.yaml:2"
    assert config.locate("bots", "a", "options", "Hash") == "mybot/bot.yaml:5"
    assert config.locate("bots", "a", "options", "None") == "mybot/bot.yaml:4"
    assert config.locate("bots", "a", "nothing") == "gauntlet.yaml:3"
    assert config.locate("seats") == "gauntlet.yaml:1"
