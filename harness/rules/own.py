"""Rule sets of a user's own: `mygame.py:build`, a file beside the config, or `package.module:build`, installed.

A file is one module: it is read like any file that rules name, and imported under a name of its own.
"""

from __future__ import annotations

import sys
import traceback
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from harness.records import Form
from harness.rules.base import ParamError
from harness.seeding import child_seed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.rules.base import ReadText, Rules, RulesFactory

_TEXT = "__harness_text__"
_OWN = "__harness_own__"
_PAGE = "docs/how-to/add-a-rule-set.md has one that works"


def build_own(name: str, params: Mapping[str, object], read_text: ReadText) -> Rules:
    """Build the rule set that `name` names. Raises ParamError if that fails, saying where in the user's code."""
    target, _, attribute = name.rpartition(":")
    factory = _load(name, target, attribute, read_text)
    try:
        rules = factory(params, read_text)
    except (ParamError, OSError):
        raise
    except Exception as error:
        raise _broken(name, "its maker fails", target, error) from error
    missing = [wanted for wanted in ("name", "seats", "forms", "start", "map_name") if not hasattr(rules, wanted)]
    if missing:
        raise ParamError("name", name, f"a maker of rules: {_PAGE}", what=f"what it makes has no {', '.join(missing)}")
    if not rules.forms or any(form not in tuple(Form) for form in rules.forms):
        raise ParamError("name", name, f"forms of {', '.join(Form)}", what=f"its forms are {rules.forms!r}")
    return rules


def _load(name: str, target: str, attribute: str, read_text: ReadText) -> RulesFactory:
    try:
        module = _load_file(target, read_text(target)) if target.endswith(".py") else _load_installed(target)
    except OSError as error:
        allowed = f"a readable file, relative to the config ({error.strerror})"
        raise ParamError("name", name, allowed) from error
    except Exception as error:
        raise _broken(name, "it cannot be imported", target, error) from error
    factory: RulesFactory | None = getattr(module, attribute, None)
    if factory is None or not callable(factory):
        raise ParamError("name", name, f"a maker of rules: {_PAGE}", what=f"{target} has no function {attribute!r}")
    return factory


def _load_installed(target: str) -> ModuleType:
    """Import a module, and mark its package as the user's, for what `play.own_code` says of an error in it."""
    module = import_module(target)
    sys.modules[target.partition(".")[0]].__dict__[_OWN] = True
    return module


def _load_file(path: str, text: str) -> ModuleType:
    """Import a file, again if its text has changed."""
    name = f"harness_rules_{child_seed('rules', path):x}"
    known = sys.modules.get(name)
    if known is not None and known.__dict__[_TEXT] == text:
        return known
    module = ModuleType(name)
    module.__dict__[_TEXT] = text
    module.__dict__["__file__"] = path
    sys.modules[name] = module
    try:
        exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - the user's own program
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _broken(name: str, what: str, target: str, error: Exception) -> ParamError:
    """Say what went wrong, and at which line of the user's file if it was there."""
    place = f" at line {error.lineno}" if isinstance(error, SyntaxError) else ""
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == target:
            place = f" at line {frame.lineno}"
    said = str(error).splitlines()
    return ParamError(
        "name",
        name,
        f"rules that can be built: {_PAGE}",
        what=f"{what}: {type(error).__name__}{place}: {said[0] if said else ''}",
    )
