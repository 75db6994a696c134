"""Imports what a user wrote in Python: bots that play in-process, and protocols of their own.

`module:name` is imported as Python does it; `file.py:name` under a name of its own, so that files of one name in
different folders do not meet.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from types import ModuleType

from harness.seeding import child_seed

_CONTENT = "__harness_content__"
_OWN = "__harness_own__"


def load_object(path: str, folder: str, *, anew: bool = False) -> object:
    """Import `module:name` or `/path/file.py:name`. Raises whatever the import does, AttributeError for no such name.

    `folder` comes first on Python's path. With `anew` a file that was loaded before and has changed since is read
    again: for the start of a run, so that all its workers, forked later, have what was there then.
    """
    target, _, attribute = path.rpartition(":")
    folder = os.path.abspath(folder)  # noqa: PTH100 - a plain string for sys.path
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module = _load_file(target, anew=anew) if target.endswith(".py") else _load_installed(target)
    try:
        found: object = getattr(module, attribute)
    except AttributeError:
        raise AttributeError(f"there is no {attribute!r} in {target}") from None
    return found


def _load_installed(target: str) -> ModuleType:
    """Import a module, and mark its package as the user's, for what `play.own_code` says of an error in it."""
    module = importlib.import_module(target)
    sys.modules[target.partition(".")[0]].__dict__[_OWN] = True
    return module


def _load_file(path: str, *, anew: bool) -> ModuleType:
    """Import a file. A trainer may write each candidate over the last one: then it is to be loaded anew."""
    name = f"harness_bot_{child_seed('module', path):x}"
    known = sys.modules.get(name)
    if known is not None and not anew:
        return known
    with open(path, "rb") as file:  # noqa: PTH123 - pathlib would be imported for this alone
        content = file.read()
    if known is not None and known.__dict__[_CONTENT] == content:
        return known
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    module.__dict__[_CONTENT] = content
    sys.modules[name] = module
    try:  # not by the loader: its cache takes a file of the same second and size for the same
        exec(compile(content, path, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - a bot is a program
    except BaseException:
        del sys.modules[name]
        raise
    return module
