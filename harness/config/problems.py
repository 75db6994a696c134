"""Turns pydantic's findings into one ConfigError in the project's words: file, line, key, got, allowed, next step.

The lowest line comes first and carries the details; the others follow in one line each. Reads and repairs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from harness.config.document import Document, KeyPath, dotted
from harness.config.section import OWN
from harness.errors import ConfigError

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

_ALLOWED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "text (put it in quotes if it looks like a number)",
    "list_type": "a list",
    "dict_type": "keys with values",
    "model_type": "keys with values",
    "model_attributes_type": "keys with values",
    "none_required": "null",
    "greater_than_equal": "{ge} or more",
    "greater_than": "more than {gt}",
    "less_than_equal": "{le} or less",
    "less_than": "less than {lt}",
    "literal_error": "{expected}",
    "string_too_short": "at least one character",
    "too_short": "at least one entry",
    "union_tag_invalid": "{expected_tags}",
}


@dataclass(slots=True)
class Problem:
    """One thing that is wrong with a file. `place` is its line, for sorting; a missing key comes after its section."""

    place: int
    where: str
    what: str
    got: str | None = None
    allowed: str | None = None
    next_step: str | None = None


def raise_problems(problems: Iterable[Problem]) -> None:
    """Raise one ConfigError for all of them, the first line first; return if there are none."""
    ordered = sorted(problems, key=lambda p: p.place)
    if not ordered:
        return
    first, *others = ordered
    step = first.next_step
    if others:
        rest = "\n".join(f"           {p.where}: {p.what}" for p in others)
        step = f"{step or 'correct this'}; also wrong:\n{rest}"
    raise ConfigError(first.what, where=first.where, got=first.got, allowed=first.allowed, next_step=step)


def collect_problems(error: ValidationError, document: Document) -> list[Problem]:
    """List what pydantic found in the document but for unknown keys, one problem a key."""
    found: dict[KeyPath, Problem] = {}
    unknown: list[KeyPath] = []
    for detail in error.errors(include_url=False):
        path = _written_path(detail, document.data)
        if detail["type"] == "extra_forbidden":
            unknown.append(path)
            continue
        new = _build_problem(detail, document, path)
        known = found.get(_key_of(detail, path))
        if known is None:
            found[_key_of(detail, path)] = new
        elif known.allowed and new.allowed and new.allowed not in known.allowed.split(" or "):
            known.allowed += f" or {new.allowed}"
    # a value that fits no member of a union is told of by all of them: what is said of its inside is what helps
    inside = [*found, *unknown]
    return [p for path, p in found.items() if not any(path == deeper[: len(path)] != deeper for deeper in inside)]


def build_problem(
    document: Document,
    keys: KeyPath,
    what: str,
    *,
    got: str | None = None,
    allowed: str | None = None,
    next_step: str | None = None,
) -> Problem:
    """Make the problem of a key: `what` follows its name."""
    name = f"`{dotted(keys)}`: " if keys else ""
    where = document.where(keys)
    return Problem(int(where.rpartition(":")[2]), where, name + what, got, allowed, next_step)


def _build_problem(detail: ErrorDetails, document: Document, path: KeyPath) -> Problem:
    kind = detail["type"]
    context = detail.get("ctx", {})
    if kind == "problem":
        path = _key_of(detail, path)
        got = _shown(_at(document.data, path)) if context["key"] else None
        return build_problem(
            document, path, context["what"], got=got, allowed=context["allowed"], next_step=context["next_step"]
        )
    if kind in {"missing", "union_tag_not_found"}:
        if kind == "union_tag_not_found":
            path = (*path, context["discriminator"].strip("'"))
        missing = build_problem(document, path, "it is missing", next_step="add it; docs/config.md says what it holds")
        section = path[:-1]
        missing.place = max(line for known, line in document.lines.items() if known[: len(section)] == section)
        return missing
    if kind == "union_tag_invalid":
        path = (*path, context["discriminator"].strip("'"))
    allowed = _ALLOWED.get(kind)
    if allowed is not None:
        allowed = allowed.format(**context)
    elif kind == "string_pattern_mismatch":
        allowed = "letters, digits and . _ + -, first a letter or digit; at most 60"
        if context.get("pattern") == OWN:
            allowed = "your own, as file.py:name or module:name"
        elif "A-Za-z_]" in str(context.get("pattern")):
            allowed = "letters, digits and _, first no digit"
        elif "[1-9]" in str(context.get("pattern")):
            allowed = "a whole number"
    else:
        allowed = str(detail["msg"])
    what = "the name is not allowed" if detail["loc"][-1:] == ("[key]",) else "the value is not allowed"
    got = str(path[-1]) if what.startswith("the name") else _shown(_at(document.data, path))
    return build_problem(document, path, what, got=got, allowed=allowed, next_step=_nearest(detail))


def _nearest(detail: ErrorDetails) -> str | None:
    """Name the word that was meant by one that is not among those that are known, if it is near one."""
    words = re.findall(r"'([^']+)'", detail.get("ctx", {}).get("expected", ""))
    near = get_close_matches(str(detail["input"]), words, 1) if detail["type"] == "literal_error" else []
    return f"did you mean `{near[0]}`?" if near else None


def _key_of(detail: ErrorDetails, path: KeyPath) -> KeyPath:
    key = detail.get("ctx", {}).get("key") if detail["type"] == "problem" else None
    return (*path, *key.split(".")) if key else path


def _written_path(detail: ErrorDetails, data: object) -> KeyPath:
    """Keep of pydantic's location what the file has: not its names for the members of a union."""
    path: KeyPath = ()
    location = [part for part in detail["loc"] if part != "[key]"]
    for number, part in enumerate(location):
        if (isinstance(data, dict) and part in data) or (
            isinstance(data, list) and isinstance(part, int) and part < len(data)
        ):
            data = data[part]  # type: ignore[index]
            path = (*path, part)
        elif detail["type"] == "missing" and number == len(location) - 1:
            path = (*path, part)
    return path


def _at(data: object, keys: KeyPath) -> object:
    for key in keys:
        if isinstance(data, dict):
            data = data.get(key)
        elif isinstance(data, list) and isinstance(key, int):
            data = data[key]
    return data


def _shown(value: object) -> str:
    """Show a value in the file's terms, cut."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "keys with values"
    if isinstance(value, list):
        return "a list"
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "…"
