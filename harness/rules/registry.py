"""Finds a rule set by its name. The one list of what exists; a new rule set adds a line here.

Imports a rule set only when it is asked for, so that light cycles never load a chess library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from harness.rules.base import ParamError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.rules.base import ReadText, Rules

BUILT_IN: dict[str, str] = {
    "chess": "harness.rules.chess:build",
    "lightcycles": "harness.rules.lightcycles:build",
    "route": "harness.rules.route:build",
}


def build_rules(name: str, params: Mapping[str, object], read_text: ReadText) -> Rules:
    """Build the rule set `name`. Raises ParamError if there is none of that name or a parameter is wrong."""
    target = BUILT_IN.get(name)
    if target is None:
        raise ParamError("name", name, ", ".join(sorted(BUILT_IN)))
    module, _, function = target.partition(":")
    built: Rules = getattr(import_module(module), function)(params, read_text)
    return built
