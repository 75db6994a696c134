"""Whatever stands in a config: it loads, or one ConfigError says where it is wrong. Never another exception."""

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.config.load import load_config
from harness.errors import ConfigError

FULL = """\
name: full
rules: {name: chess, openings: book.epd, list: [1]}
bots:
  one:
    about: a bot
    command: [./prog, x]
    protocol: uci
    options: {Hash: 16}
    env: {FOO: bar}
    cwd: .
    limits: {handshake_ms: 5}
    time: {nodes: 2000}
    threads: 2
    deterministic: true
    files: [gauntlet.yaml]
    folder: .
    build: {command: [sh], needs: sh, outputs: [x]}
  two: {python: "mod:make"}
schedule: {type: gauntlet, candidate: one, opponents: [two]}
maps: {ledger: seeds.yaml, split: validation, count: 10}
time: {base_ms: 1000, increment_ms: 10, grace_ms: 5, wall_ms: 900}
seats: both
adjudication: {resign_cp: 900, draw_cp: 5, max_plies: 300}
workers: 3
pin: off
transcripts: none
stop_after: {first_forfeits: 3, forfeit_share: 0.5, after_games: 10}
results: elsewhere
"""
ODD: list[object] = [
    None,
    True,
    0,
    -1,
    1.5,
    2**70,
    float("inf"),
    "",
    "x",
    "a\0b",
    "é/..",
    [],
    [[]],
    ["", 1],
    {},
    {"a": {"b": [None]}},
]


def paths_of(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from paths_of(item, (*path, key))


DATA = yaml.safe_load(FULL) | {"pin": "off"}  # YAML 1.1 takes the plain word for a boolean
PATHS = list(paths_of(yaml.load(FULL, Loader=yaml.BaseLoader)))


def changed(path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> str:
    data: Any = copy.deepcopy(DATA)
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    change(inner, path[-1])
    return yaml.dump(data, Dumper=yaml.CSafeDumper, sort_keys=False)


def load(path: Path) -> str:
    try:
        load_config(path)
    except ConfigError as caught:
        error = caught
    else:
        return "fine"
    assert error.where
    assert error.what
    file, _, line = error.where.rpartition(":")
    assert file == str(path)
    assert 1 <= int(line) <= len(path.read_text().splitlines())
    return "error"


def test_the_full_config_is_fine(write_config: Callable[..., Path]) -> None:
    assert load(write_config(text=FULL)) == "fine"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: ".".join(map(str, path)))
def test_any_value_in_any_place(write_config: Callable[..., Path], path: tuple[Any, ...]) -> None:
    outcomes = set()
    for odd in ODD:

        def put(inner: Any, key: Any, odd: object = odd) -> None:
            inner[key] = copy.deepcopy(odd)

        outcomes.add(load(write_config(text=changed(path, put))))

    def remove(inner: Any, key: Any) -> None:
        del inner[key]

    outcomes.add(load(write_config(text=changed(path, remove))))
    is_free = path[:2] in {("rules", "openings"), ("rules", "list")}
    assert "error" in outcomes or is_free
