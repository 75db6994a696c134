"""Strategies for any value that a record's types allow, made from its annotations: new fields are tested unasked."""

from __future__ import annotations

import types
from dataclasses import is_dataclass
from enum import Enum
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

T = TypeVar("T")

SIMPLE: dict[Any, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    int: st.integers(-(2**63), 2**63 - 1),
    float: st.floats(allow_nan=False, allow_infinity=False),
    str: st.text(max_size=12),
    type(None): st.none(),
}


def any_value(wanted: Any) -> st.SearchStrategy[Any]:
    """Give the values of a type made of the simple ones, enums, tuples, unions and frozen dataclasses."""
    if wanted in SIMPLE:
        return SIMPLE[wanted]
    origin, inner = get_origin(wanted), get_args(wanted)
    if origin in {Union, types.UnionType}:
        return st.one_of(*map(any_value, inner))
    if origin is tuple and inner[1:] == (...,):
        return st.lists(any_value(inner[0]), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*map(any_value, inner))
    if isinstance(wanted, type) and issubclass(wanted, Enum):
        return st.sampled_from(wanted)
    return any_dataclass(wanted)


def any_dataclass(wanted: type[T], **fixed: st.SearchStrategy[Any]) -> st.SearchStrategy[T]:
    """Give the objects of a dataclass; `fixed` replaces the strategies of single fields."""
    assert is_dataclass(wanted), f"no strategy for {wanted}"
    hints = get_type_hints(wanted)
    return st.builds(wanted, **({name: any_value(hint) for name, hint in hints.items()} | fixed))
