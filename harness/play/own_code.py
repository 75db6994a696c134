"""Whose bug an unexpected error is: ours, or that of the user's own rules or protocol. Reads tracebacks alone."""

from __future__ import annotations

import sys
from collections.abc import Callable
from traceback import walk_tb
from types import FrameType

from harness.errors import RefereeError
from harness.records import MapJob

_MARKS = frozenset({"__harness_text__", "__harness_content__"})
"""What `rules.own` and `protocols.load` leave in a module that they made of a file."""

_OWN = "__harness_own__"
"""What they leave in the package of an installed module that the config names."""

_OURS = "harness"


def blame(error: BaseException, job: MapJob) -> RefereeError | None:
    """Make the error that halts a run if it was raised in code that the job names as the user's; None if it was not."""
    own = {
        name.rpartition(":")[0]: name for name in (job.rules.name, *(bot.protocol for bot in job.lineup)) if ":" in name
    }
    packages = {target.partition(".")[0]: name for target, name in own.items() if not target.endswith(".py")}
    packages.pop(_OURS, None)
    return _blame(
        error,
        lambda frame: own.get(frame.f_code.co_filename) or packages.get(_package(frame)),
        f"failed in job {job.id}, seed {job.seed}",
        "mend it and begin a new run: with other rules or another protocol this one is not resumed",
    )


def blame_file(error: BaseException) -> RefereeError | None:
    """Make the error that ends a verb if it was raised in code of the user's that was loaded; None if it was not."""
    return _blame(
        error,
        _loaded,
        "failed; it is yours, not the harness's",
        "mend it, and try again",
    )


def _loaded(frame: FrameType) -> str | None:
    """Name the user's file or module that a frame is in; None if it is not the user's."""
    if _MARKS & frame.f_globals.keys():
        return frame.f_code.co_filename
    package = _package(frame)
    if package == _OURS or _OWN not in getattr(sys.modules.get(package), "__dict__", ()):
        return None
    return str(frame.f_globals["__name__"])


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _blame(
    error: BaseException, owner: Callable[[FrameType], str | None], failed: str, next_step: str
) -> RefereeError | None:
    """Blame the last frame that `owner` names."""
    found = None
    for frame, line in walk_tb(error.__traceback__):
        if name := owner(frame):
            found = name, f"{frame.f_code.co_filename}:{line}"
    if found is None:
        return None
    name, where = found
    return RefereeError(f"{name} {failed}", where=where, got=f"{type(error).__name__}: {error}", next_step=next_step)
