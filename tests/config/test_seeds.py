"""Seeds that a config lists itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.config.load import load_config
from harness.config.seeds import read_seeds
from harness.config.settings import LISTED
from harness.errors import ConfigError
from harness.run.prepare import prepare
from tests.run.runs import write_config


def write(folder: Path, maps: dict[str, Any], **keys: Any) -> Path:
    bots = {name: {"command": "cat", "protocol": "codingame"} for name in ("a", "b")}
    path = write_config(folder, bots)
    path.write_text(json.dumps({**json.loads(path.read_text()), "maps": maps, **keys}))
    return path


def test_seeds_of_a_list_and_of_a_file_are_played_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("7  # the hard one\n\n-3\n10 - 12\n")
    for seeds, expected in (([9, -4, 5], (9, -4, 5)), ("seeds.txt", (7, -3, 10, 11, 12))):
        plan = prepare(write(tmp_path, {"seeds": seeds})).plan
        assert tuple(plan.seeds) == expected
        assert [job.seed for job in plan] == list(expected)
        assert plan.split == LISTED


def test_count_takes_the_first_of_them(tmp_path: Path) -> None:
    assert load_config(write(tmp_path, {"seeds": [5, 6, 7], "count": 2})).maps.seeds == (5, 6)


@pytest.mark.parametrize(
    ("maps", "why"),
    [
        ({}, "maps.ledger"),
        ({"seeds": [1], "ledger": "seeds.yaml"}, "one by one"),
        ({"seeds": [1], "split": "train"}, "one by one"),
        ({"seeds": [1, 2], "count": 3}, "fewer seeds"),
        ({"seeds": []}, "fewer seeds"),
        ({"seeds": [1 << 63]}, "no seed"),
        ({"seeds": "none.txt"}, "cannot be read"),
        ({"seeds": "bad.txt"}, "bad.txt:2: seven"),
    ],
)
def test_what_is_wrong_with_seeds_is_said(tmp_path: Path, maps: dict[str, Any], why: str) -> None:
    (tmp_path / "bad.txt").write_text("1\nseven\n")
    with pytest.raises(ConfigError, match=why):
        load_config(write(tmp_path, maps))


def test_a_run_does_not_go_on_with_other_seeds(tmp_path: Path) -> None:
    digests = {
        prepare(write(tmp_path, {"seeds": seeds})).fingerprints["config"].digest for seeds in ([1, 2, 3], [1, 4, 3])
    }
    assert len(digests) == 2


@pytest.mark.parametrize("text", ["1-", "2-1", "x", "1.5", "9223372036854775808", "1-9000000000"])
def test_a_line_that_is_no_seed_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="2: "):
        read_seeds(f"1\n{text}")


def test_ranges_may_be_negative() -> None:
    assert read_seeds("-3--1\n-1-1") == [-3, -2, -1, -1, 0, 1]


def test_seed_zero_is_refused_for_a_referee_in_java(tmp_path: Path) -> None:
    path = write(tmp_path, {"seeds": [0, 1]}, referee={"mode": "brutal", "command": ["java", "-jar", "x.jar"]})
    config = json.loads(path.read_text())
    del config["rules"], config["time"]
    config["bots"] = {name: {"command": "/bin/true"} for name in ("a", "b")}
    config["schedule"] = {"type": "gauntlet", "candidate": "a"}
    path.write_text(json.dumps(config))
    (tmp_path / "x.jar").touch()
    with pytest.raises(ConfigError, match="seed 0 is no seed"):
        prepare(path)


def test_fixed_seats_are_one_game_a_map(tmp_path: Path) -> None:
    assert prepare(write(tmp_path, {"seeds": [1, 2]}, seats="fixed")).plan.seatings == ((0, 1),)
