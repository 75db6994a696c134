"""Builds that fail: the message has what the compiler said and how to try it by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.config.load import load_config
from harness.errors import BotStartError
from harness.run.builds import build_bots

CONFIG = """
rules: {name: lightcycles}
bots:
  a: {folder: a, command: [build/bot], protocol: codingame, build: {command: [sh, -c, "%s"]}}
  b: {command: [sh], protocol: codingame}
schedule: {type: gauntlet, candidate: a}
maps: {ledger: seeds.yaml, split: train, count: 1}
time: {per_ply_ms: 100}
"""


def built(folder: Path, script: str) -> list[str]:
    (folder / "a").mkdir(exist_ok=True)
    (folder / "seeds.yaml").write_text("name: s\nfeeds: generator\ntrain: {from: 1, to: 9}\n")
    (folder / "run.yaml").write_text(CONFIG % script)
    told: list[str] = []
    build_bots(load_config(folder / "run.yaml"), told.append)
    return told


def test_what_the_compiler_said_is_quoted_line_by_line(tmp_path: Path) -> None:
    with pytest.raises(BotStartError) as caught:
        built(tmp_path, "echo bot.c:1: error; echo '  here' >&2; exit 3")
    first, got, *quoted, step = str(caught.value).splitlines()
    assert first == "bot 'a' cannot be built"
    assert got == "  got:     exit code 3"
    assert sorted(quoted) == ["    |   here", "    | bot.c:1: error"]
    assert step.startswith("  next:    run it by hand: cd ")


def test_a_build_without_a_program_says_so(tmp_path: Path) -> None:
    with pytest.raises(BotStartError, match=r"it ended well but made no .*build/bot\n    \| done"):
        built(tmp_path, "echo done")


def test_a_good_build_is_done_once(tmp_path: Path) -> None:
    script = "echo > build/bot; chmod +x build/bot"
    (line,) = built(tmp_path, script)
    assert line.startswith("building a: ")
    assert built(tmp_path, script) == []
