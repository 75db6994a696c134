"""Finds a rule set by its name. The one list of what exists; a new rule set adds a line here.

Imports a rule set only when it is asked for, so that light cycles never load a chess library. A name with a prefix of
`FAMILIES` is a game of a library, `mygame.py:build` one of the user's own.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from harness.rules.base import ParamError
from harness.rules.own import build_own

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness.rules.base import ReadText, Rules, RulesFactory

BUILT_IN: dict[str, str] = {
    "chess": "harness.rules.chess:build",
    "go": "harness.rules.go:build",
    "gomoku": "harness.rules.gomoku:build",
    "lightcycles": "harness.rules.lightcycles:build",
    "route": "harness.rules.route:build",
}

FAMILIES: dict[str, str] = {
    "open_spiel": "harness.rules.open_spiel:build",
}
"""By what stands before the slash; the maker is called with the rest of the name first."""


def build_rules(name: str, params: Mapping[str, object], read_text: ReadText) -> Rules:
    """Build the rule set `name`. Raises ParamError if there is none of that name or a parameter is wrong."""
    if name in BUILT_IN:
        build: RulesFactory = _find(BUILT_IN[name])
        return build(params, read_text)
    if ":" in name:
        return build_own(name, params, read_text)
    family, slash, game = name.partition("/")
    if slash and family in FAMILIES:
        build_game: Callable[[str, Mapping[str, object]], Rules] = _find(FAMILIES[family])
        return build_game(game, params)
    families = [f"{family}/GAME" for family in FAMILIES]
    near = get_close_matches(name, BUILT_IN, 1)
    raise ParamError(
        "name",
        name,
        ", ".join([*sorted(BUILT_IN), *families, "your own as file.py:build"]),
        what="there are no rules of this name",
        next_step=f"did you mean `{near[0]}`?" if near else None,
    )


def _find(target: str) -> Any:
    module, _, function = target.partition(":")
    return getattr(import_module(module), function)
