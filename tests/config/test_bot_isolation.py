"""The keys that say what a bot may do and by which clock it is judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.config.load import load_config
from harness.config.settings import Config
from harness.errors import ConfigError
from harness.records import ClockKind, Isolation, Limits

LEDGER = {"name": "s", "feeds": "generator"} | {
    split: {"from": first, "to": first + 9} for split, first in (("train", 1), ("validation", 20), ("test", 40))
}


def load(root: Path, *, time: dict[str, Any] | None = None, **bot: Any) -> Config:
    """Load a config of two bots, the first with these keys (None: without that key)."""
    (root / "mine").mkdir(exist_ok=True)
    (root / "bot.sh").write_text("#!/bin/sh\n")
    (root / "bot.py").write_text("def make(seed, seat, n_seats): ...\n")
    (root / "seeds.yaml").write_text(json.dumps(LEDGER))
    entry = {"command": ["/bin/sh", "bot.sh", "not-a-file"], "protocol": "codingame"}
    config = {
        "rules": {"name": "lightcycles"},
        "bots": {"one": {key: value for key, value in (entry | bot).items() if value is not None}, "two": entry},
        "schedule": {"type": "gauntlet", "candidate": "one"},
        "maps": {"ledger": "seeds.yaml", "split": "train", "count": 2},
        "time": time or {"per_ply_ms": 50},
    }
    path = root / "run.yaml"
    path.write_text(json.dumps(config))
    return load_config(path)


def test_without_a_word_a_bot_has_limits_and_no_sandbox(tmp_path: Path) -> None:
    one, _ = load(tmp_path).bots
    assert (one.isolation, one.readable, one.limits) == (Isolation.PROCESS, (), Limits())


def test_a_sandboxed_bot_may_read_the_files_of_its_command(tmp_path: Path) -> None:
    one, _ = load(tmp_path, isolation="sandbox").bots
    assert one.isolation is Isolation.SANDBOX
    assert one.readable == (str(tmp_path / "bot.sh"),)


def test_a_sandboxed_bot_with_a_folder_may_read_that_and_what_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "net.nn").write_text("x")
    (tmp_path / "shared").mkdir()
    one, _ = load(
        tmp_path,
        command=["/bin/cat"],
        folder="mine",
        isolation="sandbox",
        files=["*.nn"],
        readable=["../shared"],
    ).bots
    assert one.readable == tuple(str(tmp_path / name) for name in ("mine", "mine/net.nn", "shared"))


def test_what_may_be_read_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"bots\.one\.readable.*no such file or folder"):
        load(tmp_path, isolation="sandbox", readable=["nowhere"])


def test_limits_are_taken_over(tmp_path: Path) -> None:
    limits = {"memory_mb": 100, "processes": 3, "cpu_s": 9, "open_files": 20, "file_mb": 5, "address_space_mb": 900}
    one, two = load(tmp_path, limits={**limits, "output_mb": 2, "tmp_mb": 7}).bots
    assert one.limits == Limits(**limits, output_mb=2, tmp_mb=7)
    assert two.limits == Limits()


def test_grace_is_each_bot_s_own(tmp_path: Path) -> None:
    config = load(tmp_path, time={"per_ply_ms": 50, "grace_ms": 5}, grace_ms=20)
    assert [bot.time.grace_ms for bot in config.bots if bot.time] == [20, 5]
    assert [bot.time.per_ply_ms for bot in config.bots if bot.time] == [50, 50]


@pytest.mark.parametrize(("extra", "wall_ms"), [({}, 21_000), ({"wall_ms": 3000}, 3000)])
def test_a_ply_judged_by_cpu_time_has_a_generous_wall(tmp_path: Path, extra: dict[str, int], wall_ms: int) -> None:
    config = load(tmp_path, time={"per_ply_ms": 50, "first_ply_ms": 1000, "clock": "cpu", **extra})
    assert (config.time.clock, config.time.wall_ms) == (ClockKind.CPU, wall_ms)


@pytest.mark.parametrize(
    ("time", "bot", "message"),
    [
        ({"base_ms": 1000, "clock": "cpu"}, {}, r"time\.clock.*no effect without `per_ply_ms`"),
        ({"per_ply_ms": 50, "clock": "sun"}, {}, r"time\.clock"),
        ({"per_ply_ms": 50}, {"isolation": "jail"}, r"bots\.one\.isolation"),
        ({"per_ply_ms": 50}, {"limits": {"memory_mb": 0}}, r"bots\.one\.limits\.memory_mb"),
        ({"per_ply_ms": 50}, {"limits": {"memory": 1}}, r"bots\.one\.limits\.memory.*unknown key"),
    ],
    ids=["clock without plies", "unknown clock", "unknown isolation", "no memory", "unknown limit"],
)
def test_what_makes_no_sense_is_refused(
    tmp_path: Path, time: dict[str, Any], bot: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        load(tmp_path, time=time, **bot)


@pytest.mark.parametrize("key", ["isolation", "readable"])
def test_a_bot_in_our_process_cannot_be_kept_apart(tmp_path: Path, key: str) -> None:
    value: object = "sandbox" if key == "isolation" else ["."]
    keys: dict[str, Any] = {"python": "bot.py:make", "command": None, "protocol": None, key: value}
    with pytest.raises(ConfigError, match=f"bots.one.{key}"):
        load(tmp_path, **keys)
