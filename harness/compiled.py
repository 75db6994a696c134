"""Chooses between a class in Python and its compiled twin: `ply.py` beside `_ply.c`.

The twins do the same; the compiled ones are built at installation where there is a C compiler, and are not needed.
HARNESS_PURE=1 in the environment does without them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

PURE = os.environ.get("HARNESS_PURE", "") not in {"", "0"}


def is_built(module: str) -> bool:
    """Say whether a module of ours has its compiled twin here, whether or not it is used."""
    try:
        import_module(_twin(module))
    except ImportError:
        return False
    return True


def best(plain: type) -> type:
    """Give the compiled twin of a class, or the class itself where there is none."""
    if PURE or not is_built(plain.__module__):
        return plain
    twin: type = getattr(import_module(_twin(plain.__module__)), plain.__name__)
    return twin


def function(module: str, name: str) -> Callable[..., Any] | None:
    """Give a function of a module's compiled twin, None where there is none: the module then does without it."""
    if PURE or not is_built(module):
        return None
    found: Callable[..., Any] = getattr(import_module(_twin(module)), name)
    return found


def _twin(module: str) -> str:
    package, _, name = module.rpartition(".")
    return f"{package}._{name}"
