"""Why a bot does not start, in words; and that it is still the bot that it was. Starts nothing."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from harness.errors import BotStartError
from harness.records import BotSpec


def why_not_started(spec: BotSpec, error: OSError | ValueError) -> str:
    """Say in words why the system would not start a bot."""
    number = error.errno if isinstance(error, OSError) else None
    if not Path(spec.cwd).is_dir():
        return f"its working folder {spec.cwd} is not a folder"
    if number == errno.ENOENT:
        return "no such program (or its interpreter is missing)"
    if number == errno.EACCES:
        return "the program is not executable (chmod +x)"
    if number == errno.ENOEXEC:
        return "not a program for this machine (wrong architecture, or a script without #! line)"
    return str(error)


def start_error(spec: BotSpec, why: str, stderr: str = "") -> BotStartError:
    """Build the error of a bot that does not start: its command, the reason, the end of its standard error."""
    if stderr:
        why += "\n  its standard error ends:\n" + "\n".join(f"    | {line}" for line in stderr.splitlines()[-8:])
    return BotStartError(
        f"bot {spec.name!r} does not start",
        got=why,
        where=None,
        next_step=f"run it by hand: cd {spec.cwd} && {' '.join(spec.command)}",
    )


_programs: dict[str, tuple[int, int, int]] = {}
"""What the files of commands were when they were first seen: inode, size, time of change."""


def note_programs(bots: Iterable[BotSpec]) -> None:
    """Remember what the programs of bots are, so that one that is changed later is not started as if it were the same.

    To be called before workers are forked, so that all of them, later ones too, compare with the same.
    """
    for spec in bots:
        refuse_changed(spec)


def refuse_changed(spec: BotSpec) -> None:
    """Raise BotStartError if a file that a command names is not what it was: results would be of two bots."""
    for word in spec.command:
        path = os.path.join(spec.cwd, word)  # noqa: PTH118 - at every start
        try:
            found = os.stat(path)  # noqa: PTH116
        except (OSError, ValueError):
            continue
        now = (found.st_ino, found.st_size, found.st_mtime_ns)
        if stat.S_ISREG(found.st_mode) and _programs.setdefault(path, now) != now:
            raise BotStartError(
                f"bot {spec.name!r} changed while it was in use: its results before and after would be of two bots",
                got=f"{path} is not the file that it was",
                next_step="let it alone during a run; one that changes itself cannot do so with `isolation: sandbox`",
            )
