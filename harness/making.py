"""Makes objects of small dataclasses quickly, from all their values in order: several are made a game.

`_making.c` stores values without running `__init__`, a fifth of the time; where it is not built, a class makes its own
objects as ever.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, ParamSpec, TypeVar

from harness.compiled import best

P = ParamSpec("P")
T = TypeVar("T")


class Maker:
    """Makes objects of a class by calling it: what a compiled maker does in another way."""

    def __init__(self, cls: type[Any], names: tuple[str, ...], defaults: tuple[object, ...]) -> None:
        del names, defaults
        self._cls = cls

    def __call__(self, *values: object) -> Any:
        """Make one of its values, in order; those at the end may be left out if they have defaults."""
        return self._cls(*values)


def maker(cls: Callable[P, T]) -> Callable[P, T]:
    """Give what makes objects of a dataclass with slots, by position alone.

    Raises TypeError for a class that has no slots, makes defaults anew for each object or has a `__post_init__`.
    """
    compiled = best(Maker)
    if compiled is Maker:
        return cls
    assert isinstance(cls, type)
    if hasattr(cls, "__post_init__") or any(field.default_factory is not MISSING for field in fields(cls)):
        raise TypeError(f"{cls.__name__} does more than keep its values")
    names = tuple([field.name for field in fields(cls)])
    defaults = tuple([field.default for field in fields(cls) if field.default is not MISSING])
    made: Callable[P, T] = compiled(cls, names, defaults)
    return made
