"""Finds keys that no section has, and suggests the nearest one that it has.

Walks models and data side by side, so that one wrong key hides no other problem of its section. Pure.
"""

from __future__ import annotations

import difflib
import types
from collections.abc import Iterator
from typing import Annotated, Literal, Union, get_args, get_origin

from harness.config.document import Document, KeyPath
from harness.config.problems import Problem, build_problem
from harness.config.section import Section


def find_unknown_keys(model: type[Section], document: Document) -> list[Problem]:
    """List the keys of a document that its model, or one of the models in it, does not have."""
    return list(_in_section(model, document.data, (), document))


def _in_section(model: type[Section], data: dict[str, object], keys: KeyPath, document: Document) -> Iterator[Problem]:
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    known = list(fields)
    for key, value in data.items():
        if key in known:
            yield from _in_value(fields[key].annotation, value, (*keys, key), document)
        elif model.model_config.get("extra") != "allow":
            near = difflib.get_close_matches(key, [name for name in known if name not in data], n=1, cutoff=0.5)
            yield build_problem(
                document,
                (*keys, key),
                "unknown key",
                allowed=", ".join(known),
                next_step=f"did you mean `{near[0]}`?" if near else "remove it",
            )


def _in_value(annotation: object, value: object, keys: KeyPath, document: Document) -> Iterator[Problem]:
    if not isinstance(value, dict):
        return
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _in_value(get_args(annotation)[0], value, keys, document)
    elif origin in {Union, types.UnionType}:
        for member in get_args(annotation):
            if _is_meant(member, value):
                yield from _in_value(member, value, keys, document)
    elif origin is dict:
        for key, item in value.items():
            yield from _in_value(get_args(annotation)[1], item, (*keys, key), document)
    elif isinstance(annotation, type) and issubclass(annotation, Section):
        yield from _in_section(annotation, value, keys, document)


def _is_meant(member: object, value: dict[str, object]) -> bool:
    """Say whether a member of a union is the one: by its `type`, where it has one."""
    if not (isinstance(member, type) and issubclass(member, Section) and "type" in member.model_fields):
        return True
    kind = member.model_fields["type"].annotation
    return get_origin(kind) is Literal and value.get("type") in get_args(kind)
