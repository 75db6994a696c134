"""Reads a ledger of seeds: which may be used for training, for validation, for the test. Spends none.

A ledger is a small YAML file:

    name: lightcycles
    feeds: generator
    train: {from: 0, to: 999999}
    validation: {from: 1000000, to: 1999999}
    test: {from: 2000000, to: 2999999}
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import yaml

from harness.errors import ConfigError
from harness.records import Ledger, SeedRange

SPLITS = ("train", "validation", "test")
FEEDS = ("generator", "book")
KEYS = ("name", "feeds", *SPLITS)
INT64 = range(-(2**63), 2**63)


def read_ledger(path: Path) -> Ledger:
    """Read and check a ledger. Raises ConfigError naming file and line."""
    top = _read_keys(_compose(path), path, "the ledger", KEYS)
    ranges = tuple((split, _read_range(top[split], path, split)) for split in SPLITS)
    ordered = sorted(ranges, key=lambda item: item[1].first)
    for (low, below), (high, above) in pairwise(ordered):
        if above.first <= below.last:
            raise ConfigError(
                f"`{high}` overlaps `{low}`",
                where=_where(path, top[high]),
                got=f"{high} starts at {above.first}, {low} ends at {below.last}",
                allowed="ranges that share no seed",
                next_step="a seed that has been trained on proves nothing in a test: move one of them",
            )
    return Ledger(_text(top["name"], path, "name"), _feeds(top["feeds"], path), str(path), ranges)


def _compose(path: Path) -> yaml.Node:
    try:
        node = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    except OSError as error:
        raise ConfigError(
            f"the ledger cannot be read: {error.strerror}",
            where=str(path),
            next_step="correct `maps.ledger`, or copy a ledger of seeds/ there, or list `seeds` in its place",
        ) from None
    except UnicodeDecodeError:
        raise ConfigError("the ledger is not UTF-8 text", where=str(path), next_step="save it as UTF-8") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise ConfigError(
            f"this is not YAML: {getattr(error, 'problem', None) or error}",
            where=f"{path}:{mark.line + 1 if mark else 1}",
        ) from None
    if node is None:
        raise ConfigError("the ledger is empty", where=f"{path}:1", allowed=f"the keys {', '.join(KEYS)}")
    return node


def _read_keys(node: yaml.Node, path: Path, name: str, known: tuple[str, ...]) -> dict[str, yaml.Node]:
    """Read a mapping that has exactly the known keys."""
    if not isinstance(node, yaml.MappingNode):
        raise ConfigError(f"{name} must be keys with values", where=_where(path, node), allowed=", ".join(known))
    found: dict[str, yaml.Node] = {}
    for key, value in node.value:
        if key.value not in known or key.value in found:
            what = f"`{key.value}` stands twice" if key.value in found else f"unknown key `{key.value}` in {name}"
            raise ConfigError(what, where=_where(path, key), allowed=", ".join(known))
        found[key.value] = value
    for key in known:
        if key not in found:
            raise ConfigError(
                f"`{key}` is missing in {name}", where=_where(path, node), allowed=f"all of {', '.join(known)}"
            )
    return found


def _read_range(node: yaml.Node, path: Path, split: str) -> SeedRange:
    ends = _read_keys(node, path, f"`{split}`", ("from", "to"))
    first, last = (_seed(ends[end], path, f"{split}.{end}") for end in ("from", "to"))
    if last < first:
        raise ConfigError(
            f"`{split}` ends before it starts",
            where=_where(path, node),
            got=f"from {first} to {last}",
            next_step="exchange the two; both ends belong to the range",
        )
    return SeedRange(first, last)


def _seed(node: yaml.Node, path: Path, name: str) -> int:
    text = node.value if isinstance(node, yaml.ScalarNode) and not node.style else ""
    try:
        seed = int(text)
    except ValueError:
        seed = INT64.stop
    if seed not in INT64:
        raise ConfigError(
            f"`{name}` is no seed",
            where=_where(path, node),
            got=text[:40] or "no plain number",
            allowed="a whole number of 64 bits, from -2^63 to 2^63 - 1",
        )
    return seed


def _text(node: yaml.Node, path: Path, name: str) -> str:
    if not isinstance(node, yaml.ScalarNode) or not node.value:
        raise ConfigError(f"`{name}` must be text", where=_where(path, node))
    return str(node.value)


def _feeds(node: yaml.Node, path: Path) -> str:
    feeds = _text(node, path, "feeds")
    if feeds not in FEEDS:
        raise ConfigError(
            "`feeds` says what a seed becomes",
            where=_where(path, node),
            got=feeds,
            allowed="generator (a seed makes a map) or book (a seed picks an opening)",
        )
    return feeds


def _where(path: Path, node: yaml.Node) -> str:
    return f"{path}:{node.start_mark.line + 1}"
