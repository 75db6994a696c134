"""A referee is kept warm only where games are the same then, found out by playing them."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.plan.plan import Plan
from harness.protocols.process import run_command
from harness.records import MapRecord, Warm
from harness.referee.jvm import cache_folder
from harness.run import warm as warm_module
from harness.run.flow import run_config
from harness.run.prepare import prepare
from harness.run.warm import find_warm, read_facts, settle_warm
from harness.store.run_directory import read_records
from tests.referee.delegated import REFEREES, bot, write_run
from tests.run.runs import Watcher


@pytest.fixture(scope="module", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("classes")
    assert shutil.which("javac"), "scripts/install-engines installs default-jdk-headless"
    source = str(REFEREES / "java" / "Heaps.java")
    result = run_command(("javac", "-d", str(folder), source), str(folder), 60)
    assert result.exit_code == 0, result.output
    return folder


def write(folder: Path, classes: Path, *flags: str, bots: dict[str, Any] | None = None, **keys: Any) -> Path:
    command = ["java", "-Xshare:auto", "-cp", str(classes), "Heaps", *flags]
    section = {"mode": "brutal", "command": command, "warm": {"restart_every": 3}, **keys}
    path = write_run(folder, section, bots, count=3)
    config = json.loads(path.read_text())
    config["maps"] = {"seeds": [1, 2, 3]}
    path.write_text(json.dumps(config))
    return path


def find(plan: Plan, *, is_shared: bool = False) -> tuple[warm_module.WarmFinding, list[str]]:
    told: list[str] = []
    return find_warm(plan, Warm(3, is_shared), told.append), told


def test_a_run_with_a_warm_referee_has_the_records_of_a_cold_one(tmp_path: Path, classes: Path) -> None:
    records: dict[str, list[MapRecord]] = {}
    for name, flags in (("cold", {"warm": None}), ("warm", {})):
        folder = tmp_path / name
        folder.mkdir()
        prepared = prepare(write(folder, classes, "-exits", bot_stderr="harness", **flags))
        watcher = Watcher()
        path = run_config(prepared, name, watcher)
        assert not any("not kept warm" in warning for warning in watcher.warnings)
        records[name] = sorted(read_records(path), key=lambda record: record.job)
    facts = {
        name: [(record.seed, game.scores, game.values, game.data) for record in found for game in record.games]
        for name, found in records.items()
    }
    assert facts["cold"] == facts["warm"]
    assert len(facts["warm"]) == 6


def test_what_was_found_is_kept_for_the_next_run(tmp_path: Path, classes: Path) -> None:
    plan = prepare(write(tmp_path, classes, "-clock")).plan
    first, told = find(plan)
    again, silent = find(plan)
    assert (first.is_equal, len(told), silent) == (True, 1, [])
    assert first == again
    assert "5 games in one JVM" in first.why
    assert list((cache_folder() / "findings").iterdir())


def test_static_state_is_fresh_or_else_it_is_seen(tmp_path: Path, classes: Path) -> None:
    plan = prepare(write(tmp_path, classes, "-counts")).plan
    fresh, _ = find(plan)
    shared, _ = find(plan, is_shared=True)
    assert fresh.is_equal
    assert not shared.is_equal
    assert shared.is_final
    assert "is not played in one JVM as in a JVM of its own" in shared.why


def test_bots_that_draw_by_themselves_show_nothing(tmp_path: Path, classes: Path) -> None:
    source = """
import os
while True:
    heaps = [int(word) for word in input().split()]
    order = sorted(range(4), key=lambda heap: os.urandom(4))
    print(next(heap for heap in order if heaps[heap]), 1, flush=True)
"""
    (tmp_path / "random_bot.py").write_text(source)
    bots = {name: {"command": [sys.executable, "random_bot.py", name]} for name in ("a", "b")}
    plan = prepare(write(tmp_path, classes, bots=bots)).plan
    finding, _ = find(plan)
    assert not finding.is_equal
    assert not finding.is_final
    assert "plays the same game twice" in finding.why


def test_a_plan_is_cold_until_that_is_settled(tmp_path: Path, classes: Path) -> None:
    prepared = prepare(write(tmp_path, classes))
    program = prepared.config.referee
    assert program is not None
    assert prepared.plan.referee is not None
    assert prepared.plan.referee.warm is None
    warmed = settle_warm(prepared.plan, program.spec, lambda line: None)
    assert warmed.referee is not None
    assert warmed.referee.warm == Warm(3)


def test_what_is_no_java_program_stays_cold_and_is_told(tmp_path: Path) -> None:
    path = write_run(tmp_path, None, {"a": bot(), "b": bot("first")})
    prepared = prepare(path)
    program = prepared.config.referee
    assert program is not None
    told: list[str] = []
    plan = settle_warm(prepared.plan, replace(program.spec, warm=Warm()), told.append)
    assert plan is prepared.plan
    assert "not kept warm" in told[0]
    assert "only `java" in told[0]


def test_a_cache_that_cannot_be_written_is_no_fault(
    tmp_path: Path, classes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = prepare(write(tmp_path, classes, "-exits", "-clock")).plan
    monkeypatch.setattr(warm_module, "_path", lambda name: Path("/proc/none") / name)
    assert find(plan)[0].is_equal


def test_the_facts_of_a_log_have_their_places() -> None:
    text = json.dumps({"a": [1, {"b": "x"}], "c": json.dumps({"d": 2}), "e": "{no json"})
    assert sorted(read_facts(text)) == [("/a/0", "1"), ("/a/1/b", "x"), ("/c/d", "2"), ("/e", "{no json")]
    assert list(read_facts("plain words")) == [("", "plain words")]
