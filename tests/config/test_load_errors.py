"""Every way a config can be wrong: each names file, line and key, what was found, what is allowed, what to do."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.config.load import load_config
from harness.errors import ConfigError

A = "a: {command: [./prog], protocol: codingame}"


def error_of(path: Path) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    return caught.value


CASES = [
    # old, new, line, `what` has, the message has
    ("rules: {name: lightcycles, width: 20}\n", "", 1, "`rules`: it is missing", "docs/config.md"),
    ("rules: {name: lightcycles", "rules: {nam: lightcycles", 1, "`rules.name`: it is missing", ""),
    ("rules: {name: lightcycles, width: 20}", "rules: lightcycles", 1, "`rules`", "keys with values"),
    ("maps:", "mapps:", 6, "`mapps`: unknown key", "did you mean `maps`?"),
    ("time: {per_ply_ms: 100}", "qqqq: 1", 7, "`qqqq`: unknown key", "remove it"),
    ("bots:\n", "bots: {}\nothers:\n", 2, "`bots`", "at least one entry"),
    ("bots:\n", "seats: both\nbotz:\n", 3, "`botz`", "did you mean `bots`?"),
    (A, "a: {comand: [./prog], protocol: uci}", 3, "`bots.a.comand`: unknown key", "did you mean `command`?"),
    (A, "a: {command: [./prog], protocol: udi}", 3, "`bots.a.protocol`", "or your own, as file.py:name"),
    (A, "a: {command: [./prog], protocol: udi}", 3, "`bots.a.protocol`", "did you mean `uci`?"),
    (A, "a: {command: [./prog], protocol: cecp_of_mine}", 3, "`bots.a.protocol`", "codingame"),
    (A, "a: {command: [./prog]}", 3, "`protocol` is missing", "codingame or "),
    (A, "a: {protocol: uci}", 3, "neither `command` nor `python`", "add one"),
    (A, "a: {command: [./prog], python: 'm:f', protocol: uci}", 3, "`bots.a.python`", "not both"),
    (A, "a: ./prog", 3, "`bots.a`", "keys with values"),
    (A, "a:", 3, "`bots.a`", "nothing"),
    (A, "'a b': {command: [./prog], protocol: uci}", 3, "name is not allowed", "letters, digits"),
    (A, "a: {command: [], protocol: uci}", 3, "`bots.a.command`", "at least one entry"),
    (A, "a: {command: '', protocol: uci}", 3, "`bots.a.command`", "at least one character"),
    (A, "a: {command: '  ', protocol: uci}", 3, "command is empty", ""),
    (A, "a: {command: [./prog, 5], protocol: uci}", 3, "`bots.a.command[1]`", "put it in quotes"),
    (A, "a: {command: 5, protocol: uci}", 3, "`bots.a.command`", "text"),
    (A, "a: {command: ./prog > log, protocol: uci}", 3, "no shell here to understand `>`", "[sh, -c,"),
    (A, "a: {command: './prog \"x', protocol: uci}", 3, "quotes do not balance", "close them"),
    (A, "a: {command: [./none], protocol: uci}", 3, "no such program", "looked for"),
    (A, "a: {command: [no-such-engine], protocol: uci}", 3, "no such program", "/usr/games"),
    (A, "a: {command: [./gauntlet.yaml], protocol: uci}", 3, "not executable", "chmod +x"),
    (A, "a: {command: [./], protocol: uci}", 3, "is a folder, not a file", ""),
    (A, "a: {folder: nowhere}", 3, "`bots.a.folder`: there is no such folder", "looked for"),
    (A, "a: {folder: .}", 3, "neither `command` nor `python`", "there is no bot.yaml"),
    (A, "a: {command: [./prog], protocol: uci, cwd: none}", 3, "`bots.a.cwd`", "looked for"),
    (A, "a: {command: [./prog], protocol: uci, build: make}", 3, "only a bot with a `folder`", "add `folder`"),
    (A, "a: {folder: ., command: x, protocol: uci, build: no-such-make}", 3, "`bots.a.build`: there is no", "install"),
    (A, "a: {folder: ., command: x, protocol: uci, build: {}}", 3, "`bots.a.build.command`: it is missing", ""),
    (A, "a: {folder: ., command: x, protocol: uci, build: {cmd: x}}", 3, "`bots.a.build.cmd`", "command, needs"),
    (A, "a: {command: [./prog], protocol: uci, env: {A: 1}}", 3, "`bots.a.env.A`", "put it in quotes"),
    (A, "a: {command: [./prog], protocol: uci, env: {A-B: x}}", 3, "name is not allowed", "first no digit"),
    (A, "a: {command: [./prog], protocol: uci, env: {A: '${NO_SUCH_V}'}}", 3, "NO_SUCH_V is not set", "export"),
    (A, "a: {command: [./prog], protocol: uci, env: {HARNESS_BOT_SEED: x}}", 3, "the harness sets", "remove"),
    (A, "a: {command: [./prog], protocol: uci, options: {X: [1]}}", 3, "`bots.a.options.X`", "text"),
    (A, "a: {command: [./prog], protocol: uci, limits: {start_ms: 0}}", 3, "`bots.a.limits.start_ms`", "1 or more"),
    (A, "a: {command: [./prog], protocol: uci, limits: {start: 1}}", 3, "`bots.a.limits.start`", "`start_ms`?"),
    (A, "a: {command: [./prog], protocol: uci, threads: true}", 3, "`bots.a.threads`", "a whole number"),
    (A, "a: {command: [./prog], protocol: uci, deterministic: yes}", 3, "deterministic", "true or false"),
    (A, "a: {command: [./prog], protocol: codingame, time: {nodes: 5}}", 3, "has no nodes", "time"),
    (A, "a: {command: [./prog], protocol: gtp, time: {depth: 5}}", 3, "the protocol gtp has no depth", "time"),
    (A, "a: {command: [./prog], protocol: xboard, time: {nodes: 5}}", 3, "xboard has no nodes", "time"),
    (A, "a: {python: nothing}", 3, "`bots.a.python`", "module:callable"),
    (A, "a: {python: 'a b:f'}", 3, "`bots.a.python`", "module:callable"),
    (A, "a: {python: 'none.py:f'}", 3, "no such file", "looked for"),
    (A, "a: {python: 'm:f', env: {A: x}}", 3, "`bots.a.env`", "remove `env`"),
    (A, "a: {python: 'm:f', protocol: uci}", 3, "`bots.a.protocol`", "remove `protocol`"),
    ("type: gauntlet", "type: gauntlett", 5, "`schedule.type`", "'gauntlet', 'round_robin'"),
    ("type: gauntlet, candidate: a", "candidate: a", 5, "`schedule.type`: it is missing", ""),
    ("type: gauntlet, candidate: a", "type: gauntlet", 5, "`schedule.candidate`: it is missing", ""),
    ("candidate: a", "candidat: a", 5, "`schedule.candidat`", "did you mean `candidate`?"),
    ("candidate: a", "candidate: c", 5, "there is no bot of this name", "add it under `bots`"),
    ("candidate: a", "candidate: a, opponents: [bb]", 5, "`schedule.opponents[0]`", "did you mean `b`?"),
    ("candidate: a", "candidate: a, opponents: [a]", 5, "among its own opponents", "another name"),
    ("candidate: a", "candidate: a, opponents: [b, b]", 5, "`schedule.opponents[1]`: it stands twice", ""),
    ("type: gauntlet, candidate: a", "type: round_robin, bots: [a, x]", 5, "`schedule.bots[1]`", "a, b"),
    ("type: gauntlet, candidate: a", "type: mixed, bots: [a, x]", 5, "`schedule.bots[1]`", "a, b"),
    ("type: gauntlet, candidate: a", "type: mixed, candidate: c", 5, "`schedule.candidate`", "a, b"),
    ("type: gauntlet, candidate: a", "type: mixed, lineups_per_map: 0", 5, "`schedule.lineups_per_map`", "1 or more"),
    ("count: 4", 'count: "4"', 6, "`maps.count`", "a whole number"),
    ("count: 4", "count: 4.0", 6, "`maps.count`", "a whole number"),
    ("count: 4", "count: 0", 6, "`maps.count`", "1 or more"),
    ("split: train", "split: tain", 6, "`maps.split`", "'train', 'validation' or 'test'"),
    ("split: train", "split: tain", 6, "`maps.split`", "did you mean `train`?"),
    ("per_ply_ms: 100", "per_ply_ms: 100, nodes: 5", 7, "`time.nodes`: two keys set the mode", "keep per_ply_ms"),
    ("per_ply_ms: 100", "wall_ms: 100", 7, "`time`: exactly one key", "per_ply_ms, base_ms, nodes, depth"),
    ("per_ply_ms: 100", "per_ply_ms: -1", 7, "`time.per_ply_ms`", "1 or more"),
    ("per_ply_ms: 100", "per_ply_ms: 99999999999", 7, "`time.per_ply_ms`", "or less"),
    ("per_ply_ms: 100", "base_ms: 5, first_ply_ms: 5", 7, "`time.first_ply_ms`: it has no effect", "remove"),
    ("per_ply_ms: 100", "per_ply_ms: 5, increment_ms: 5", 7, "`time.increment_ms`: it has no effect", "remove"),
    ("per_ply_ms: 100", "per_ply_ms: 100, wall_ms: 50", 7, "`time.wall_ms`", "100 or more"),
    ("time:", "workers: autoo\ntime:", 7, "`workers`", "a whole number or 'auto'"),
    ("time:", "workers: 0\ntime:", 7, "`workers`", "1 or more or 'auto'"),
    ("time:", "pin: maybe\ntime:", 7, "`pin`", "'auto', 'on' or 'off'"),
    ("time:", "seats: all\ntime:", 7, "`seats`", "rotations"),
    ("time:", "name: a/b\ntime:", 7, "`name`", "letters, digits"),
    ("time:", "adjudication: {resign_plies: 4}\ntime:", 7, "without `resign_cp`", "add `resign_cp`"),
    ("time:", "adjudication: {draw_plies: 4}\ntime:", 7, "without `draw_cp`", "add `draw_cp`"),
    ("time:", "stop_after: {forfeit_share: 2}\ntime:", 7, "`stop_after.forfeit_share`", "less than 1"),
]


@pytest.mark.parametrize(("old", "new", "line", "what", "more"), CASES, ids=[f"{c[1][:60]}" for c in CASES])
def test_each_error_names_line_and_key(
    write_config: Callable[..., Path], old: str, new: str, line: int, what: str, more: str
) -> None:
    path = write_config(old, new)
    error = error_of(path)
    assert error.where == f"{path}:{line}"
    assert what in error.what
    assert more in str(error)


def test_all_problems_are_told_at_once_the_first_first(write_config: Callable[..., Path]) -> None:
    path = write_config("count: 4", "count: none")
    path.write_text(path.read_text().replace("protocol: codingame", "protocol: x").replace("time:", "tme:"))
    error = error_of(path)
    assert error.where == f"{path}:3"
    rows = str(error).splitlines()
    assert [row.split(": ")[0].strip() for row in rows if row.startswith("     ")] == [
        f"{path}:{line}" for line in (4, 6, 7, 1)
    ]
    assert rows[-1].endswith("`time`: it is missing")


def test_errors_in_a_bots_own_file_name_that_file(write_config: Callable[..., Path], tmp_path: Path) -> None:
    folder = tmp_path / "mybot"
    folder.mkdir()
    bot = folder / "bot.yaml"
    path = write_config(A, "a: {folder: mybot}")
    for text, line, what in (
        ("about: x\nprotocl: uci\n", 2, "`protocl`: unknown key"),
        ("folder: x\n", 1, "`folder`: unknown key"),
        ("command: [./none]\nprotocol: uci\n", 1, "no such program"),
        ("protocol: uci\ncommand: a | b\n", 2, "no shell"),
        ("protocol: uci\n\nenv: {A: '${NO_SUCH_V}'}\ncommand: sh\n", 3, "not set"),
        ("a: [\n", 2, "not YAML"),
    ):
        bot.write_text(text)
        error = error_of(path)
        assert error.where == f"{bot}:{line}"
        assert what in error.what


def test_two_modules_of_one_name_are_refused(write_config: Callable[..., Path], tmp_path: Path) -> None:
    for name in ("v1", "v2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.py").write_text("")
    text = """\
rules: {name: x}
bots:
  a: {folder: v1, python: "bot:make"}
  b: {folder: v2, python: "bot:make"}
schedule: {type: gauntlet, candidate: a}
maps: {ledger: seeds.yaml, split: train, count: 4}
time: {per_ply_ms: 100}
"""
    error = error_of(write_config(text=text))
    assert "loads one module of a name" in error.what
    assert "file.py:callable" in (error.next_step or "")
    load_config(write_config(text=text.replace("bot:make", "bot.py:make")))


def test_a_file_name_that_cannot_name_a_run(write_config: Callable[..., Path], tmp_path: Path) -> None:
    path = write_config().rename(tmp_path / "my config.yaml")
    error = error_of(path)
    assert error.got == "my config"
    assert "add `name" in (error.next_step or "")
