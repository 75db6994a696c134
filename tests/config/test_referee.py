"""The section `referee`: what it becomes, and what is refused with the next step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.config.load import load_config
from harness.errors import ConfigError
from harness.records import RefereeLog, RefereeMode, RefereeSpec, ResultForm, ScoreOrder

CONFIG = """\
referee:
  mode: brutal
  command: ./prog --flag
bots:
  a: {command: [./prog]}
  b: {command: ./prog 'two words'}
schedule: {type: gauntlet, candidate: a}
maps: {ledger: seeds.yaml, split: train, count: 4}
"""

Write = Callable[..., Path]


@pytest.fixture
def write(write_config: Write) -> Write:
    def changed(old: str = "", new: str = "") -> Path:
        return write_config(old, new, text=CONFIG)

    return changed


def spec_of(path: Path) -> RefereeSpec:
    config = load_config(path)
    assert config.referee is not None
    return config.referee.spec


def test_defaults_are_brutaltester_s(write: Write, tmp_path: Path) -> None:
    spec = spec_of(write())
    assert spec.mode is RefereeMode.BRUTAL
    assert spec.command == (str(tmp_path / "prog"), "--flag")
    assert spec.seed == ("-d", "seed={seed}")
    assert (spec.n_seats, spec.has_negatives, spec.is_paired, spec.log) == (2, True, True, RefereeLog.NONE)
    assert spec.cwd == str(tmp_path)
    config = load_config(write())
    assert [bot.protocol for bot in config.bots] == ["referee"] * 2


def test_a_slip_in_the_result_is_all_that_is_wrong_with_it(write: Write) -> None:
    with pytest.raises(ConfigError, match="`failed`") as caught:
        load_config(write("mode: brutal", "mode: template\n  result: {regex: '^Score = (.*)', faild: '^WA'}"))
    assert "`referee.result.faild`: unknown key" in str(caught.value)
    assert "`referee.result`:" not in str(caught.value)


def test_halite_has_its_own_way_to_give_the_seed(write: Write) -> None:
    assert spec_of(write("mode: brutal", "mode: halite")).seed == ("-s", "{seed}")


def _timed(write: Write) -> Path:
    path = write("mode: brutal", "mode: old")
    path.write_text(path.read_text() + "time: {per_ply_ms: 50}\n")
    return path


def test_old_mode_has_bots_and_a_time_of_ours(write: Write) -> None:
    config = load_config(_timed(write))
    assert config.referee is not None
    assert config.referee.spec.seed == ("###Seed {seed}",)
    assert [bot.protocol for bot in config.bots] == ["codingame"] * 2
    assert config.time.per_ply_ms == 50
    with pytest.raises(ConfigError, match="`time`: it is missing"):
        load_config(write("mode: brutal", "mode: old"))


def test_templates(write: Write) -> None:
    template = "mode: template\n  result: {json: 'a.*', seed: s}\n  order: ranks"
    path = write(
        "mode: brutal\n  command: ./prog --flag", f"{template}\n  command: [./prog, '{{seed}}', '{{players}}']"
    )
    spec = spec_of(path)
    assert (spec.result.form, spec.result.pattern, spec.result.echo) == (ResultForm.JSON, "a.*", "s")
    assert (spec.order, spec.has_negatives, spec.seed) == (ScoreOrder.RANKS, False, ())


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("mode: brutal", "mode: brutal\n  seed: none", ("it is given no seed", "paired: false")),
        ("mode: brutal", "mode: psyleague", ("it is given no seed",)),
        ("mode: brutal", "mode: brutal\n  seed: -d 5", ("does not say where the seed goes", "-d seed={seed}")),
        ("--flag", "'{seed}'\n  seed: -s {seed}", ("the command has `{seed}` in it already",)),
        ("--flag", "'{p1}'", ("does not name each of its 2 players once", "{p1} {p2}", "write `{players}`")),
        ("--flag", "'x={players}'", ("has to be a word of its own",)),
        ("mode: brutal", "mode: brutal\n  players: 9", ("8 or less",)),
        ("mode: brutal", "mode: brutal\n  result: {json: a}", ("mode brutal has a form of its own",)),
        ("mode: brutal", "mode: halite\n  order: ranks", ("mode halite says itself what is better",)),
        ("mode: brutal", "mode: halite\n  log: all", ("does not say where the log goes", "{log}")),
        ("mode: brutal", "mode: brutal\n  folder: nowhere", ("there is no such folder",)),
        ("./prog --flag", "./gone", ("`referee.command`: there is no such program",)),
        ("./prog --flag", "'./prog | cat'", ("there is no shell here",)),
        ("mode: brutal", "mode: template\n  result: {regex: '('}\n  seed: -s {seed}", ("no regular expression",)),
        ("mode: brutal", "mode: template\n  result: {regex: x}\n  seed: -s {seed}", ("it has 0 groups", "1 or 2")),
        ("mode: brutal", "mode: template\n  result: {}\n  seed: -s {seed}", ("one of json, regex, exit_code",)),
        (
            "mode: brutal",
            "mode: template\n  result: {json: a, regex: b}\n  seed: -s {seed}",
            ("two keys say how to read the result",),
        ),
        (
            "mode: brutal",
            "mode: template\n  result: {exit_code: {0: [1]}}\n  seed: -s {seed}",
            ("code 0 has not a number for each seat", "2 numbers"),
        ),
        ("mode: brutal", "mode: template\n  result: {exit_code: {x: [1, 0]}}", ("a whole number",)),
        ("mode: brutal", "mode: odd", ("'brutal'",)),
        ("bots:", "rules: {name: chess}\nbots:", ("rules are ours, a referee is a program", "keep one of the two")),
        ("bots:", "time: {per_ply_ms: 50}\nbots:", ("`time`: it says nothing here",)),
        ("bots:", "adjudication: {max_plies: 4}\nbots:", ("`adjudication`: it says nothing here",)),
        ("[./prog]", "[./prog], limits: {memory_mb: 5}", ("`bots.a.limits`: it says nothing here",)),
        ("[./prog]", "[./prog], protocol: uci", ("`bots.a.protocol`: it says nothing here",)),
        ("{command: [./prog]}", "{python: 'x.y:make'}", ("needs bots that are programs",)),
        ("mode: brutal", "mode: brutal\n  playrs: 2", ("unknown key", "did you mean `players`?")),
    ],
)
def test_what_is_refused(old: str, new: str, words: tuple[str, ...], write: Write) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(write(old, new))
    for word in words:
        assert word in str(caught.value)


def test_in_old_mode_bots_speak_lines_and_the_command_has_no_players(write: Write) -> None:
    path = _timed(write)
    text = path.read_text()
    path.write_text(text.replace("[./prog]", "[./prog], protocol: uci"))
    with pytest.raises(ConfigError, match="in old mode bots speak lines"):
        load_config(path)
    path.write_text(text.replace("--flag", "'{p1}' '{p2}'"))
    with pytest.raises(ConfigError, match="in old mode the bots are ours"):
        load_config(path)


def test_rules_or_a_referee_are_needed(write: Write) -> None:
    with pytest.raises(ConfigError, match="`rules`: it is missing"):
        load_config(write("referee:\n  mode: brutal\n  command: ./prog --flag\n", ""))


def test_a_bot_s_own_file_may_say_what_a_referee_does_not_use(write: Write, tmp_path: Path) -> None:
    path = write("{command: [./prog]}", "{folder: mine}")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "bot.yaml").write_text(
        "command: [../prog]\nprotocol: uci\noptions: {Hash: 1}\ntime: {nodes: 9}\n"
    )
    config = load_config(path)
    assert (config.bots[0].protocol, config.bots[0].options, config.bots[0].time) == ("referee", (), None)
