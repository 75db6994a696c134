"""Lineages: promotion is all or nothing, a gate says it once, going back is an entry."""

import multiprocessing
import os
import signal
from pathlib import Path

import msgspec
import pytest

from harness.errors import LedgerError, ResultsError, UsageError
from harness.records import BotSpec
from harness.store.archive import freeze, thaw
from harness.store.chain import lock_chain
from harness.store.champions import SCHEMA, Champions, EntryKind, LineageEntry


def frozen(champions: Champions, name: str) -> str:
    """Freeze a bot that is one file; its content is its name."""
    file = champions.folder.parent / f"{name}.sh"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\necho {name}\n")
    spec = BotSpec(name=name, protocol="codingame", command=(str(file),), cwd=str(file.parent), fingerprint=name)
    return freeze(champions.archive, spec, {f"bot/{file.name}": file}, moved={str(file): f"bot/{file.name}"})


def entry(name: str, address: str, kind: EntryKind = EntryKind.SET, run: str = "", verdict: str = "") -> LineageEntry:
    return LineageEntry(schema=SCHEMA, kind=kind, bot=name, address=address, fingerprint=name, run=run, verdict=verdict)


@pytest.fixture
def champions(tmp_path: Path) -> Champions:
    return Champions(tmp_path / "champions")


def test_the_last_champion_is_champion(champions: Champions) -> None:
    assert champions.champion("main") is None
    assert champions.names() == []
    a, b = frozen(champions, "a"), frozen(champions, "b")
    champions.append("main", entry("a", a))
    champions.append("main", entry("b", b, EntryKind.PROMOTED, "night", "v1"), against=a)
    champions.append("main", entry("c", "", EntryKind.REFUSED, "night", "v2"), against=b)
    assert champions.require_champion("main").entry.bot == "b"
    assert [n.entry.kind for n in champions.history("main")] == ["set", "promoted", "refused"]
    assert champions.decisions("main") == [True, False]
    assert champions.names() == ["main"]


def test_a_gate_that_says_it_twice_is_heard_once(champions: Champions) -> None:
    a = frozen(champions, "a")
    champions.append("main", entry("a", a))
    b = frozen(champions, "b")
    promotion = entry("b", b, EntryKind.PROMOTED, "night", "v1")
    first = champions.append("main", promotion, against=a)
    assert champions.append("main", promotion, against=a) == first
    assert len(champions.history("main")) == 2


def test_a_champion_that_has_changed_is_not_beaten(champions: Champions) -> None:
    a, b, c = (frozen(champions, name) for name in "abc")
    champions.append("main", entry("a", a))
    champions.append("main", entry("b", b, EntryKind.PROMOTED, "one", "v1"), against=a)
    with pytest.raises(LedgerError, match="has changed since this gate began") as caught:
        champions.append("main", entry("c", c, EntryKind.PROMOTED, "two", "v2"), against=a)
    assert "b since" in str(caught.value)
    with pytest.raises(LedgerError, match="no champion"):
        champions.append("other", entry("c", c, EntryKind.PROMOTED, "two", "v2"), against=a)


def test_going_back_is_an_entry(champions: Champions) -> None:
    a, b = frozen(champions, "a"), frozen(champions, "b")
    with pytest.raises(LedgerError, match="nobody to go back to"):
        champions.roll_back("main")
    champions.append("main", entry("a", a))
    with pytest.raises(LedgerError, match="nobody to go back to"):
        champions.roll_back("main")
    champions.append("main", entry("b", b, EntryKind.PROMOTED, "night", "v1"))
    back = champions.roll_back("main", note="crashes on Tuesdays")
    assert (back.entry.bot, back.entry.goes_back_to, back.entry.kind) == ("a", 0, EntryKind.ROLLED_BACK)
    assert champions.require_champion("main").entry.note == "crashes on Tuesdays"
    assert champions.roll_back("main", to=1).entry.bot == "b"
    assert len(champions.history("main")) == 4
    with pytest.raises(LedgerError, match="entry 9"):
        champions.roll_back("main", to=9)


def test_nobody_becomes_champion_without_a_frozen_copy(champions: Champions) -> None:
    with pytest.raises(ResultsError, match="not in the archive"):
        champions.append("main", entry("a", "f" * 32))
    assert champions.history("main") == []


def test_a_lineage_without_a_champion_is_said(champions: Champions) -> None:
    champions.append("main", entry("a", frozen(champions, "a")))
    with pytest.raises(ResultsError, match="has no champion yet") as caught:
        champions.require_champion("mian")
    assert "main" in str(caught.value)
    assert "harness champion set mian" in str(caught.value)


@pytest.mark.parametrize("name", ["", "../x", ".hidden", "a/b", "x" * 61])
def test_names_that_no_file_should_have(champions: Champions, name: str) -> None:
    with pytest.raises(UsageError, match="a lineage's name"):
        champions.history(name)


def test_entries_of_another_kind_are_refused(champions: Champions) -> None:
    with lock_chain(champions.path("main")) as chain:
        chain.append({"hello": 1})
    with pytest.raises(LedgerError, match="no entry of a lineage"):
        champions.history("main")
    with lock_chain(champions.path("other")) as chain:
        chain.append({**msgspec.to_builtins(entry("a", "")), "schema": 7})
    with pytest.raises(LedgerError, match="another version"):
        champions.history("other")


def promote_for_ever(champions: Champions) -> None:
    number = 0
    while True:
        name = f"bot{os.getpid()}-{number}"
        champions.append("main", entry(name, frozen(champions, name), EntryKind.PROMOTED, name, "v"))
        number += 1


def test_killed_while_it_promotes_there_is_a_champion_whole_and_one(champions: Champions) -> None:
    champions.append("main", entry("first", frozen(champions, "first")))
    context = multiprocessing.get_context("fork")
    for _ in range(4):
        before = len(champions.history("main"))
        promoter = context.Process(target=promote_for_ever, args=(champions,))
        promoter.start()
        while len(champions.history("main")) < before + 2:
            os.sched_yield()
        assert promoter.pid
        os.kill(promoter.pid, signal.SIGKILL)
        promoter.join(50)
        champion = champions.require_champion("main")
        bot = thaw(champions.archive, champion.entry.address, "champ")
        assert champion.entry.bot in Path(bot.command[0]).read_text()
    for numbered in champions.history("main"):
        thaw(champions.archive, numbered.entry.address, "old")
    champions.append("main", entry("last", frozen(champions, "last"), EntryKind.PROMOTED, "x", "v"))
    assert champions.require_champion("main").entry.bot == "last"
