"""What a fingerprint covers and what it must not depend on."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from harness.config.content import MAX_FILES, source_files
from harness.config.fingerprint import Fingerprint, bot_fingerprint, config_fingerprint, explain_change
from harness.config.fingerprint import source_fingerprint as fingerprint_of_sources
from harness.config.load import load_config
from harness.config.settings import Config
from harness.errors import ConfigError
from harness.records import Ledger, SeedRange

LEDGER = Ledger("x", "generator", "seeds.yaml", (("train", SeedRange(0, 9)), ("validation", SeedRange(10, 19))))

CONFIG = """\
rules: {{name: chess, openings: book.epd}}
bots:
  a: {{{entry}}}
  b: {{command: [/bin/sh], protocol: uci}}
schedule: {{type: gauntlet, candidate: a}}
maps: {{ledger: seeds.yaml, split: train, count: 4}}
time: {{per_ply_ms: 100}}
"""
ENTRY = "folder: bot, command: ['{python}', bot.py, --net, '{folder}/net.bin'], protocol: uci"


def load(folder: Path, entry: str = ENTRY, old: str = "", new: str = "") -> Config:
    bot = folder / "bot"
    if not bot.exists():
        (bot / "sub").mkdir(parents=True)
        (bot / "bot.py").write_text("print()\n")
        (bot / "net.bin").write_bytes(b"\0\1")
        (bot / "sub" / "more.py").write_text("x = 1\n")
    if not (folder / "book.epd").exists():
        (folder / "book.epd").write_text("fen\n")
    text = CONFIG.format(entry=entry)
    assert old in text
    path = folder / "c.yaml"
    path.write_text(text.replace(old, new))
    return load_config(path)


def bot_of(config: Config) -> Fingerprint:
    return bot_fingerprint(config.bots[0], config.source("a"))


def test_a_moved_copy_has_the_same_fingerprint(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    first = load(here)
    shutil.copytree(here, there)
    for path in there.rglob("*"):
        os.utime(path, (1, 1))
    second = load(there)
    assert bot_of(first) == bot_of(second)
    assert config_fingerprint(first, LEDGER) == config_fingerprint(second, LEDGER)
    assert len(bot_of(first).digest) == 32


@pytest.mark.parametrize("name", ["bot.py", "net.bin", "sub/more.py"])
def test_every_source_file_counts(tmp_path: Path, name: str) -> None:
    before = bot_of(load(tmp_path))
    (tmp_path / "bot" / name).write_text("other")
    after = bot_of(load(tmp_path))
    assert before.digest != after.digest
    assert explain_change(before.parts, after.parts) == [f"file {name}: its content changed"]


@pytest.mark.parametrize(
    "name",
    [".git/config", ".hidden", "__pycache__/x.pyc", "build/bot", "target/x", "bot.log", "README.md", "x.o", "bot.yaml"],
)
def test_what_is_no_source_does_not_count(tmp_path: Path, name: str) -> None:
    before = bot_of(load(tmp_path))
    path = tmp_path / "bot" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("about: words\n")
    assert bot_of(load(tmp_path)) == before


@pytest.mark.parametrize(
    ("entry", "change"),
    [
        (ENTRY + ", options: {Hash: 4}", "option Hash: new, 4"),
        (ENTRY + ", env: {A: x}", "environment A: new, x"),
        (ENTRY.replace("--net", "--nets"), "command: was"),
        (ENTRY.replace("uci", "codingame"), "protocol: was uci, is now codingame"),
    ],
)
def test_what_a_bot_is_told_counts(tmp_path: Path, entry: str, change: str) -> None:
    before, after = bot_of(load(tmp_path)), bot_of(load(tmp_path, entry))
    assert before.digest != after.digest
    (line,) = explain_change(before.parts, after.parts)
    assert line.startswith(change)
    assert explain_change(after.parts, before.parts)[0] != line


@pytest.mark.parametrize(
    "more", [", limits: {start_ms: 5}", ", threads: 2", ", deterministic: true", ", about: x", ", time: {nodes: 5}"]
)
def test_what_does_not_make_the_bot_another_does_not_count(tmp_path: Path, more: str) -> None:
    assert bot_of(load(tmp_path)) == bot_of(load(tmp_path, ENTRY + more))


def test_secrets_are_in_no_part_and_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prints = []
    for secret in ("hush-1", "hush-2"):
        monkeypatch.setenv("MY_SECRET", secret)
        prints.append(bot_of(load(tmp_path, ENTRY + ', env: {KEY: "${MY_SECRET}"}')))
    assert prints[0] == prints[1]
    assert prints[0].parts["environment KEY"] == "${MY_SECRET}"
    assert "hush" not in repr(prints)


def test_a_program_without_a_folder_counts_with_its_arguments_files(tmp_path: Path) -> None:
    entry = "command: [./engine, net.bin, --flag], protocol: uci"
    (tmp_path / "engine").write_text("#!/bin/sh\n")
    (tmp_path / "engine").chmod(0o755)
    (tmp_path / "net.bin").write_text("1")
    first = bot_of(load(tmp_path, entry))
    assert set(first.parts) == {"protocol", "command", "program ./engine", "argument net.bin"}
    (tmp_path / "engine").write_text("#!/bin/sh\n#\n")
    (tmp_path / "net.bin").write_text("2")
    second = bot_of(load(tmp_path, entry))
    assert explain_change(first.parts, second.parts) == [
        "program ./engine: its content changed",
        "argument net.bin: its content changed",
    ]


def test_further_files_count_and_must_match(tmp_path: Path) -> None:
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "1.nnue").write_text("1")
    entry = "command: [/bin/sh], protocol: uci, files: ['nets/*.nnue']"
    before = bot_of(load(tmp_path, entry))
    (tmp_path / "nets" / "2.nnue").write_text("2")
    after = bot_of(load(tmp_path, entry))
    assert explain_change(before.parts, after.parts) == ["file nets/2.nnue: new"]
    assert explain_change(after.parts, before.parts) == ["file nets/2.nnue: gone"]
    with pytest.raises(ConfigError, match="no file matches"):
        bot_of(load(tmp_path, entry.replace("nnue", "net")))
    with pytest.raises(ConfigError, match="no file matches"):
        bot_of(load(tmp_path, entry.replace("nets/*", "**x")))
    absolute = bot_of(load(tmp_path, entry.replace("nets/*", f"{tmp_path}/nets/*")))
    assert f"file {tmp_path}/nets/1.nnue" in absolute.parts


def test_in_process_bots_count_by_their_source(tmp_path: Path) -> None:
    (tmp_path / "mod.py").write_text("1")
    by_file = bot_of(load(tmp_path, "python: 'mod.py:make'"))
    by_name = bot_of(load(tmp_path, "python: 'mod:make'"))
    assert by_file.parts["file mod.py"] == by_name.parts["file mod.py"]
    package = tmp_path / "pack"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "inner.py").write_text("")
    (package / "data.bin").write_text("")
    assert {key for key in bot_of(load(tmp_path, "python: 'pack.inner:make'")).parts if "file" in key} == {
        "file pack/__init__.py",
        "file pack/inner.py",
    }
    beside = bot_of(load(tmp_path, "folder: bot, python: '../mod.py:make'"))
    assert {"file mod.py", "file bot.py"} <= set(beside.parts)
    installed = bot_of(load(tmp_path, "python: 'json:loads'"))
    assert "file json/decoder.py" in installed.parts
    with pytest.raises(ConfigError, match="module `no_such_module`"):
        bot_of(load(tmp_path, "python: 'no_such_module:make'"))


# -------------------------------------------------------------------------------------- built bots

BUILT = "folder: bot, command: [out/bot], protocol: uci, build: {command: [sh, '{folder}/bot.py'], outputs: [gen]}"


def test_a_built_bots_sources_count_and_not_what_it_makes(tmp_path: Path) -> None:
    config = load(tmp_path, BUILT)
    build = config.builds["a"]
    assert build is not None

    def both() -> tuple[Fingerprint, str]:
        return bot_of(config), fingerprint_of_sources(build, config.bots[0].command[0])

    before = both()
    assert "program out/bot" not in before[0].parts
    assert before[0].parts["build"] == '["sh", "{folder}/bot.py"]'
    for made in ("out/bot", "gen/x.c", "build/y"):
        path = tmp_path / "bot" / made
        path.parent.mkdir()
        path.write_text("made")
    assert both() == before
    (tmp_path / "bot" / "bot.py").write_text("changed")
    after = both()
    assert after[0].digest != before[0].digest
    assert after[1] != before[1]


def test_another_build_command_counts(tmp_path: Path) -> None:
    config = load(tmp_path, BUILT)
    build = config.builds["a"]
    assert build is not None
    other = replace(build, command=(*build.command, "-O3"))
    assert fingerprint_of_sources(build) != fingerprint_of_sources(other)


def test_a_built_bots_arguments_that_are_outputs_do_not_count(tmp_path: Path) -> None:
    entry = "folder: bot, command: [/bin/sh, build/x.jar], protocol: uci, build: {command: [sh]}"
    config = load(tmp_path, entry)
    before = bot_of(config)
    assert "program /bin/sh" in before.parts
    (tmp_path / "bot/build").mkdir()
    (tmp_path / "bot/build/x.jar").write_text("1")
    assert bot_of(config) == before


# ---------------------------------------------------------------------------------------- configs


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("count: 4", "count: 5", "maps.count"),
        ("split: train", "split: validation", "maps."),
        ("per_ply_ms: 100", "per_ply_ms: 101", "bots.a.time"),
        ("per_ply_ms: 100", "nodes: 100", "bots.a.time"),
        ("time:", "adjudication: {max_plies: 9}\ntime:", "adjudication.max_plies"),
        ("time:", "seats: both\ntime:", "seats"),
        ("openings: book.epd", "openings: book.epd, extra: [1]", "rules.extra"),
        ("name: chess", "name: checkers", "rules"),
        ("candidate: a", "candidate: b", "schedule.candidate"),
    ],
)
def test_what_changes_results_is_in_the_config_fingerprint(tmp_path: Path, old: str, new: str, part: str) -> None:
    before = config_fingerprint(load(tmp_path), LEDGER)
    after = config_fingerprint(load(tmp_path, ENTRY, old, new), LEDGER)
    assert before.digest != after.digest
    assert explain_change(before.parts, after.parts)[0].startswith(part)


@pytest.mark.parametrize(
    "more",
    [
        "# comment",
        "name: other",
        "workers: 7",
        "pin: off",
        "results: elsewhere",
        "transcripts: none",
        "stop_after: {after_games: 9}",
    ],
)
def test_what_does_not_change_results_is_not(tmp_path: Path, more: str) -> None:
    before = config_fingerprint(load(tmp_path), LEDGER)
    assert config_fingerprint(load(tmp_path, ENTRY, "time:", f"{more}\ntime:"), LEDGER) == before


def test_the_opening_books_content_and_the_ledgers_start_count(tmp_path: Path) -> None:
    config = load(tmp_path)
    before = config_fingerprint(config, LEDGER)
    moved = replace(LEDGER, ranges=(("train", SeedRange(1, 9)),))
    assert explain_change(before.parts, config_fingerprint(config, moved).parts) == ["maps.first_seed: was 0, is now 1"]
    (tmp_path / "book.epd").write_text("other\n")
    assert explain_change(before.parts, config_fingerprint(config, LEDGER).parts) == [
        "file book.epd of rules.openings: its content changed"
    ]


# ----------------------------------------------------------------------------------------- bounds


def test_a_folder_with_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_FILES == 5_000
    monkeypatch.setattr("harness.config.content.MAX_FILES", 3)
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text("")
    with pytest.raises(ConfigError, match="too many files"):
        list(source_files(tmp_path))


def test_too_much_content_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.config.content.MAX_BYTES", 10)
    with pytest.raises(ConfigError, match="too large"):
        bot_of(load(tmp_path))


def test_a_file_that_goes_away_is_an_error(tmp_path: Path) -> None:
    config = load(tmp_path)
    gone = replace(config.bots[0], command=(str(tmp_path / "gone"), *config.bots[0].command[1:]))
    with pytest.raises(ConfigError, match="cannot be read"):
        bot_fingerprint(gone, config.source("a"))


def test_an_argument_too_long_for_a_file_name_is_an_argument(tmp_path: Path) -> None:
    fingerprint = bot_of(load(tmp_path, f"command: [/bin/sh, -c, '{'x' * 5000}'], protocol: uci"))
    assert set(fingerprint.parts) == {"protocol", "command", "program /bin/sh"}


def test_files_are_listed_in_a_fixed_order(tmp_path: Path) -> None:
    load(tmp_path)
    names = [path.relative_to(tmp_path / "bot").as_posix() for path in source_files(tmp_path / "bot")]
    assert names == ["bot.py", "net.bin", "sub/more.py"]
