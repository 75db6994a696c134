"""Whose bug an unexpected error is: ours, or that of the user's own rules or protocol. Reads tracebacks alone."""

from __future__ import annotations

from traceback import walk_tb

from harness.errors import RefereeError
from harness.records import MapJob


def blame(error: BaseException, job: MapJob) -> RefereeError | None:
    """Make the error that halts a run if it was raised in code that the job names as the user's; None if it was not."""
    own = {
        name.rpartition(":")[0]: name for name in (job.rules.name, *(bot.protocol for bot in job.lineup)) if ":" in name
    }
    found = None
    for frame, line in walk_tb(error.__traceback__) if own else ():
        for target in (frame.f_code.co_filename, frame.f_globals.get("__name__")):
            if target in own:
                found = own[target], f"{frame.f_code.co_filename}:{line}"
    if found is None:
        return None
    name, where = found
    return RefereeError(
        f"{name} failed in job {job.id}, seed {job.seed}",
        where=where,
        got=f"{type(error).__name__}: {error}",
        next_step="mend it and begin a new run: with other rules or another protocol this one is not resumed",
    )
