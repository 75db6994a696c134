"""Frozen bots: whole or not there, playable when their source is gone, never altered unnoticed."""

import shutil
import subprocess
from pathlib import Path

import pytest

from harness.errors import ResultsError, StorageError
from harness.records import BotSpec
from harness.store.archive import HOME, freeze, read_frozen, thaw
from tests.store.scarce_disk import files_end_at


def made(folder: Path) -> tuple[BotSpec, dict[str, Path], dict[str, str]]:
    """A bot in a folder of its own, with a data file."""
    home = folder / "bot"
    (home / "data").mkdir(parents=True)
    (home / "run.sh").write_text("#!/bin/sh\nexec cat data/words.txt\n")
    (home / "run.sh").chmod(0o755)
    (home / "data" / "words.txt").write_text("hello\n")
    spec = BotSpec(
        name="cand",
        protocol="codingame",
        command=(str(home / "run.sh"), "--fast"),
        cwd=str(home),
        options=(("Hash", 16),),
        readable=(str(home),),
        fingerprint="abc",
    )
    copies = {"bot/run.sh": home / "run.sh", "bot/data/words.txt": home / "data" / "words.txt"}
    return spec, copies, {str(home): "bot"}


def test_a_frozen_bot_plays_when_its_source_is_gone(tmp_path: Path) -> None:
    spec, copies, moved = made(tmp_path)
    address = freeze(tmp_path / "archive", spec, copies, moved=moved)
    shutil.rmtree(tmp_path / "bot")
    bot = thaw(tmp_path / "archive", address, "champ")
    home = tmp_path / "archive" / address / "files" / "bot"
    assert bot.command == (str(home / "run.sh"), "--fast")
    assert (bot.cwd, bot.readable) == (str(home), (str(home),))
    assert (bot.name, bot.fingerprint, bot.options) == ("champ", "abc", (("Hash", 16),))
    done = subprocess.run(bot.command, cwd=bot.cwd, capture_output=True, check=True, timeout=30)
    assert done.stdout == b"hello\n"


def test_the_address_is_the_content(tmp_path: Path) -> None:
    spec, copies, moved = made(tmp_path)
    archive = tmp_path / "archive"
    first = freeze(archive, spec, copies, moved=moved)
    assert freeze(archive, spec, copies, moved=moved) == first
    assert [path.name for path in archive.iterdir()] == [first]
    shutil.copytree(tmp_path / "bot", tmp_path / "elsewhere" / "bot")
    other = tmp_path / "elsewhere"
    same_spec, same, same_moved = (
        BotSpec(
            **{
                **{f: getattr(spec, f) for f in spec.__slots__},
                "command": (str(other / "bot/run.sh"), "--fast"),
                "cwd": str(other / "bot"),
                "readable": (str(other / "bot"),),
            }
        ),
        {name: other / name for name in copies},
        {str(other / "bot"): "bot"},
    )
    assert freeze(archive, same_spec, same, moved=same_moved) == first
    (other / "bot/data/words.txt").write_text("bye\n")
    assert freeze(archive, same_spec, same, moved=same_moved) != first


def test_secrets_are_not_frozen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, copies, moved = made(tmp_path)
    archive = tmp_path / "archive"
    address = freeze(archive, spec, copies, moved=moved, env=(("TOKEN", "${MY_TOKEN}"), ("MODE", "x")))
    assert b"secret" not in (archive / address / "bot.json").read_bytes()
    monkeypatch.delenv("MY_TOKEN", raising=False)
    with pytest.raises(ResultsError, match="MY_TOKEN, which is not set"):
        thaw(archive, address, "champ")
    monkeypatch.setenv("MY_TOKEN", "secret")
    assert thaw(archive, address, "champ").env == (("TOKEN", "secret"), ("MODE", "x"))


def test_a_program_outside_is_named_not_copied(tmp_path: Path) -> None:
    spec, copies, moved = made(tmp_path)
    interpreter = tmp_path / "python9"
    interpreter.write_text("#!/bin/sh\n")
    address = freeze(tmp_path / "archive", spec, copies, moved=moved, outside=(str(interpreter),))
    assert thaw(tmp_path / "archive", address, "champ").name == "champ"
    interpreter.unlink()
    with pytest.raises(ResultsError, match="not on this machine"):
        thaw(tmp_path / "archive", address, "champ")


def test_in_process_bots_are_found_in_their_copy(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def make(seed, seat, n): return lambda view: 'x'\n")
    spec = BotSpec(name="a", protocol="python", python=f"{file}:make", cwd=str(tmp_path))
    address = freeze(tmp_path / "archive", spec, {"bot/mine.py": file}, moved={str(tmp_path): "bot"})
    assert read_frozen(tmp_path / "archive", address).spec.python == f"{HOME}/bot/mine.py:make"
    bot = thaw(tmp_path / "archive", address, "champ")
    assert bot.python == f"{tmp_path}/archive/{address}/files/bot/mine.py:make"


@pytest.mark.parametrize("what", ["content", "missing", "bot.json", "no json", "gone"])
def test_an_altered_bot_is_not_played(tmp_path: Path, what: str) -> None:
    spec, copies, moved = made(tmp_path)
    archive = tmp_path / "archive"
    address = freeze(archive, spec, copies, moved=moved)
    entry = archive / address
    match what:
        case "content":
            (entry / "files/bot/data/words.txt").write_text("hellO\n")
        case "missing":
            (entry / "files/bot/data/words.txt").unlink()
        case "bot.json":
            (entry / "bot.json").write_bytes((entry / "bot.json").read_bytes().replace(b'"Hash"', b'"hash"'))
        case "no json":
            (entry / "bot.json").write_text("{")
        case _:
            shutil.rmtree(entry)
    with pytest.raises(ResultsError, match="was altered" if what != "gone" else "is not in the archive"):
        thaw(archive, address, "champ")
    if what != "gone":
        with pytest.raises(ResultsError, match="was altered"):
            freeze(archive, spec, copies, moved=moved)


def test_a_full_disk_leaves_no_entry(tmp_path: Path) -> None:
    spec, copies, moved = made(tmp_path)
    archive = tmp_path / "archive"
    with files_end_at(3), pytest.raises(StorageError):
        freeze(archive, spec, copies, moved=moved)
    assert list(archive.iterdir()) == []


def test_a_source_that_is_gone_is_said(tmp_path: Path) -> None:
    spec, copies, moved = made(tmp_path)
    (tmp_path / "bot/run.sh").unlink()
    with pytest.raises(ResultsError, match="cannot be read"):
        freeze(tmp_path / "archive", spec, copies, moved=moved)
