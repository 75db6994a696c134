"""Reads a YAML file to plain data and remembers the line of every key, so that each error can name it.

The dialect is YAML with the traps taken out: only `true` and `false` are booleans (`on`, `no` are text), there are no
dates, no octal or base-60 numbers and no tags, keys are always text and stand once. Must not know what a key means.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml
from yaml import CSafeLoader

from harness.errors import ConfigError

KeyPath = tuple[str | int, ...]

MAX_FILE_BYTES = 4_000_000
MAX_DEPTH = 50
MAX_VALUES = 100_000  # aliases of aliases grow without bound; no honest config comes near


@dataclass(frozen=True, slots=True)
class Document:
    """A file's content: mappings, lists, text, numbers, booleans and None; `lines` gives the line of a key path."""

    path: Path
    data: dict[str, object]
    lines: Mapping[KeyPath, int]

    def has(self, keys: KeyPath) -> bool:
        """Say whether the file has this key."""
        return keys in self.lines

    def where(self, keys: KeyPath = ()) -> str:
        """Give `file:line` of a key, or of the closest key above it that the file has."""
        while keys not in self.lines:
            keys = keys[:-1]
        return f"{self.path}:{self.lines[keys]}"


class _Loader(CSafeLoader):
    """Composes nodes; resolves plain scalars by the few rules below instead of YAML 1.1's."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own way


for _tag, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", [*"~nN", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(0|[1-9][0-9_]*)|0x[0-9a-fA-F]+", list("-+0123456789")),
    ("float", r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][-+]?[0-9]+)?", list("-+.0123456789")),
    ("merge", r"<<", ["<"]),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"(?:{_pattern})$"), _first)


def read_document(path: Path) -> Document:
    """Read a file whose top is a mapping.

    Raises ConfigError naming file and line: missing or unreadable file, not UTF-8, not YAML, empty, a list or a
    single value at the top, a key written twice, a tag.
    """
    text = read_text(path)
    loader = None
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
    except yaml.YAMLError as error:
        raise _syntax_error(path, error) from None
    finally:
        if loader is not None:
            loader.dispose()
    if node is None:
        raise ConfigError("the file is empty", where=f"{path}:1", next_step="see docs/config.md for what it holds")
    reader = _Reader(path)
    data = reader.read(node, ())
    if not isinstance(data, dict):
        kind = "a list" if isinstance(data, list) else "a single value"
        raise ConfigError(
            "the top of the file must be keys with values",
            where=f"{path}:{node.start_mark.line + 1}",
            got=kind,
            allowed="`key: value` lines",
        )
    return Document(path, data, reader.lines)


def read_text(path: Path) -> str:
    """Read a UTF-8 file of the user's. Raises ConfigError if that can't be done."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise ConfigError(
                "the file is too large for a config", where=f"{path}:1", allowed=f"at most {MAX_FILE_BYTES:,} bytes"
            )
        raw = path.read_bytes()
    except FileNotFoundError:
        raise ConfigError(
            "there is no such file", where=str(path), next_step=f"check the path; looked in {path.absolute().parent}"
        ) from None
    except OSError as error:
        raise ConfigError(
            f"the file cannot be read: {error.strerror}", where=str(path), next_step="name a readable file"
        ) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            "the file is not UTF-8 text",
            where=f"{path}:{line}",
            got=f"byte 0x{raw[error.start]:02x}",
            next_step="save it as UTF-8",
        ) from None


def _syntax_error(path: Path, error: yaml.YAMLError) -> ConfigError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = mark.line + 1 if mark else 1
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
    context = getattr(error, "context", None)
    advice = "check indentation, colons, quotes and brackets on this line and the one above"
    if "cannot start any token" in problem:
        advice = 'indent with spaces, not tabs; put text that starts with @ ` % or { in "quotes"'
    return ConfigError(
        "this is not YAML: " + (f"{context}, {problem}" if context else problem),
        where=f"{path}:{line}",
        next_step=advice,
    )


class _Reader:
    """Turns composed nodes into plain data; one use."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: dict[KeyPath, int] = {(): 1}
        self._open: set[int] = set()
        self._n_values = 0

    def read(self, node: yaml.Node, keys: KeyPath) -> object:
        self._n_values += 1
        if self._n_values > MAX_VALUES or id(node) in self._open:
            raise self._error(node, keys[:4], "aliases (`*name`) repeat themselves without end")
        if len(keys) > MAX_DEPTH:
            raise self._error(node, keys[:4], "the values are nested too deep")
        self._open.add(id(node))
        try:
            if isinstance(node, yaml.MappingNode):
                return self._mapping(node, keys)
            if isinstance(node, yaml.SequenceNode):
                return self._list(node, keys)
            return self._scalar(node, keys)
        finally:
            self._open.discard(id(node))

    def _mapping(self, node: yaml.MappingNode, keys: KeyPath) -> dict[str, object]:
        self._refuse_tag(node, keys, "map")
        result: dict[str, object] = {}
        own: dict[str, int] = {}
        pairs: list[tuple[str, yaml.Node, yaml.Node]] = []
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._error(key_node, keys, "a key must be text")
            if key_node.tag == "tag:yaml.org,2002:merge":
                result |= self._merged(value_node, keys)
                continue
            key = key_node.value
            line = key_node.start_mark.line + 1
            if key in own:
                raise self._error(
                    key_node, (*keys, key), f"it stands twice, first in line {own[key]}", "keep one of the two"
                )
            own[key] = line
            pairs.append((key, key_node, value_node))
        for key, _, value_node in pairs:
            path = (*keys, key)
            self._forget(path)
            self.lines[path] = own[key]
            result[key] = self.read(value_node, path)
        return result

    def _merged(self, node: yaml.Node, keys: KeyPath) -> dict[str, object]:
        """Read what `<<: *name` brings in; the mapping's own keys win over it."""
        if not isinstance(node, yaml.MappingNode):
            raise self._error(node, (*keys, "<<"), "`<<` takes one mapping, written `<<: *name`")
        merged = self.read(node, keys)
        assert isinstance(merged, dict)
        return merged

    def _forget(self, path: KeyPath) -> None:
        """Drop the lines of a merged key that is now written anew."""
        if path in self.lines:
            for known in [k for k in self.lines if k[: len(path)] == path]:
                del self.lines[known]

    def _list(self, node: yaml.SequenceNode, keys: KeyPath) -> list[object]:
        self._refuse_tag(node, keys, "seq")
        result = []
        for index, item in enumerate(node.value):
            self.lines[*keys, index] = item.start_mark.line + 1
            result.append(self.read(item, (*keys, index)))
        return result

    def _scalar(self, node: yaml.Node, keys: KeyPath) -> object:
        text: str = node.value
        kind = node.tag.removeprefix("tag:yaml.org,2002:")
        try:
            match kind:
                case "str":
                    return text
                case "null":
                    return None
                case "bool":
                    return {"true": True, "false": False}[text.lower()]
                case "int":
                    return int(text.replace("_", ""), 16 if text.startswith("0x") else 10)
                case "float":
                    return float(text)
        except (ValueError, KeyError):
            raise self._error(node, keys, f"this is not a {kind} value") from None
        raise self._error(node, keys, f"the tag {node.tag} is not known here", "write the value without a tag")

    def _refuse_tag(self, node: yaml.Node, keys: KeyPath, kind: str) -> None:
        if node.tag != f"tag:yaml.org,2002:{kind}":
            raise self._error(node, keys, f"the tag {node.tag} is not known here", "write the value without a tag")

    def _error(self, node: yaml.Node, keys: KeyPath, problem: str, next_step: str | None = None) -> ConfigError:
        name = f"`{dotted(keys)}`: " if keys else ""
        got = node.value[:60] if isinstance(node, yaml.ScalarNode) else None
        return ConfigError(
            name + problem, where=f"{self.path}:{node.start_mark.line + 1}", got=got, next_step=next_step
        )


def dotted(keys: KeyPath) -> str:
    """Write a key path as people do: `bots.territory.files[0]`."""
    text = ""
    for key in keys:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else str(key)
    return text
