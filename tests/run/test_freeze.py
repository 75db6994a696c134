"""Which files make a bot: its folder, or its program with what it reads; played from the copy alone."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from harness.config.load import load_config
from harness.errors import ConfigError
from harness.run.freeze import freeze_bot
from harness.store.archive import read_frozen, thaw

CONFIG = """\
rules: {{name: lightcycles}}
bots:
  bot: {{{bot}}}
  other: {{command: [./prog], protocol: codingame}}
schedule: {{type: gauntlet, candidate: other, opponents: [other2]}}
maps: {{ledger: seeds.yaml, split: train, count: 4}}
time: {{per_ply_ms: 100}}
"""


def load(folder: Path, bot: str) -> str:
    (folder / "prog").write_text("#!/bin/sh\ncat\n")
    (folder / "prog").chmod(0o755)
    text = CONFIG.format(bot=bot).replace("other2", "bot")
    (folder / "gate.yaml").write_text(text)
    return freeze_bot(load_config(folder / "gate.yaml"), "bot", folder / "archive")


def copied(folder: Path, address: str) -> set[str]:
    return {file.path for file in read_frozen(folder / "archive", address).files}


def test_a_folder_is_copied_with_what_was_built_and_without_caches(tmp_path: Path) -> None:
    home = tmp_path / "mine"
    for name in ("main.py", "build/net.bin", "__pycache__/x.pyc", ".git/config", "README.md"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(name)
    address = load(
        tmp_path,
        'folder: mine, command: ["{{python}}", main.py], protocol: codingame'.replace("{{", "{").replace("}}", "}"),
    )
    assert copied(tmp_path, address) == {"bot/main.py", "bot/build/net.bin", "bot/README.md"}
    frozen = read_frozen(tmp_path / "archive", address)
    assert len(frozen.outside) == 1
    shutil.rmtree(home)
    bot = thaw(tmp_path / "archive", address, "champ")
    assert bot.command[0] == frozen.outside[0][0]
    assert Path(bot.cwd, bot.command[1]).read_text() == "main.py"


def test_a_program_is_copied_with_its_files_in_their_places(tmp_path: Path) -> None:
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "a.net").write_text("net")
    address = load(
        tmp_path, 'command: ["./prog"], protocol: uci, files: ["nets/*.net"], options: {EvalFile: nets/a.net}'
    )
    assert copied(tmp_path, address) == {"bot/prog", "bot/nets/a.net"}
    shutil.rmtree(tmp_path / "nets")
    (tmp_path / "prog").unlink()
    bot = thaw(tmp_path / "archive", address, "champ")
    assert os.access(bot.command[0], os.X_OK)
    assert Path(bot.cwd, "nets/a.net").read_text() == "net"


def test_an_interpreter_is_named_and_its_script_copied(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("print(1)")
    address = load(tmp_path, f'command: ["{sys.executable}", script.py], protocol: uci')
    assert copied(tmp_path, address) == {"bot/script.py"}
    assert len(read_frozen(tmp_path / "archive", address).outside) == 1
    bot = thaw(tmp_path / "archive", address, "champ")
    assert Path(bot.cwd, bot.command[1]).read_text() == "print(1)"


def test_an_in_process_file_is_copied(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def make(seed, seat, n): return lambda view: 'x'\n")
    address = load(tmp_path, 'python: "mine.py:make"')
    assert copied(tmp_path, address) == {"bot/mine.py"}
    python = thaw(tmp_path / "archive", address, "champ").python
    assert python is not None
    assert Path(python.rpartition(":")[0]).is_relative_to(tmp_path / "archive")


def test_an_importable_module_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be frozen") as caught:
        load(tmp_path, 'python: "json:loads"')
    assert "gate.yaml:3" in str(caught.value)


@pytest.mark.parametrize("place", ["mine.py", "mine/mine.py"])
def test_a_protocol_of_one_s_own_is_frozen_with_its_bot(tmp_path: Path, place: str) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "main.py").write_text("main")
    (tmp_path / place).write_text("class Mine: ...")
    protocol = f'"../{place}:Mine"' if place == "mine.py" else '"mine.py:Mine"'
    address = load(tmp_path, f'folder: mine, command: ["{{python}}", main.py], protocol: {protocol}')
    assert copied(tmp_path, address) == {"bot/main.py", "bot/mine.py"}
    (tmp_path / place).unlink()
    bot = thaw(tmp_path / "archive", address, "champ")
    file, _, name = bot.protocol.rpartition(":")
    assert Path(file).read_text() == "class Mine: ..."
    assert name == "Mine"
