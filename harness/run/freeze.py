"""A bot of a config into the archive: which files make it, and how its paths will read from there.

With a folder it is the folder, what its build made included; without one it is the program and the arguments that are
files. Interpreters and programs outside the folder are named, not copied.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from harness.config.content import MAX_FILES, matching_files
from harness.config.settings import Config
from harness.errors import ConfigError
from harness.store.archive import freeze

_SKIPPED_FOLDERS = {"__pycache__", "node_modules"}


def freeze_bot(config: Config, name: str, archive: Path) -> str:
    """Freeze a bot, built and fingerprinted, and give its address.

    Raises ConfigError for a bot that cannot be frozen, StorageError if the archive cannot be written.
    """
    spec = next((bot for bot in config.bots if bot.name == name), None)
    if spec is None:
        raise ConfigError(
            f"there is no bot {name!r} to freeze",
            where=config.locate("bots"),
            allowed=", ".join(bot.name for bot in config.bots),
        )
    source = config.source(name)
    copies: dict[str, Path] = {}
    moved: dict[str, str] = {}
    outside: list[str] = []
    moved[spec.cwd] = "bot"
    if source.folder is not None:
        folder = source.folder
        copies |= {f"bot/{path.relative_to(folder).as_posix()}": path for path in _files_below(folder)}
        if Path(spec.cwd) != folder:
            moved = {str(folder): "bot"}
    elif spec.python is not None:
        file = spec.python.rpartition(":")[0]
        if not file.endswith(".py"):
            raise ConfigError(
                "a bot that is an importable module cannot be frozen: Python loads one module of a name",
                where=config.locate("bots", name, "python"),
                got=spec.python,
                next_step="write `file.py:callable`, best in a folder of its own",
            )
        _take(Path(file), spec.cwd, copies, moved)
    for number, word in enumerate(spec.command):
        path = Path(os.path.normpath(Path(spec.cwd, word)))
        if not path.is_file() or (source.folder is not None and path.is_relative_to(source.folder)):
            continue
        if number == 0 and (source.folder is not None or _is_interpreter(spec.command, spec.cwd)):
            outside.append(str(path))
        else:
            _take(path, spec.cwd, copies, moved)
    own = spec.protocol.rpartition(":")[0]
    if own.endswith(".py") and (source.folder is None or not Path(own).is_relative_to(source.folder)):
        _take(Path(own), spec.cwd, copies, moved)
    for pattern in source.files:
        for path in matching_files(pattern, source.base).values():
            if source.folder is None or not path.is_relative_to(source.folder):
                _take(path, spec.cwd, copies, moved)
    return freeze(archive, spec, copies, moved=moved, env=source.env, outside=tuple(outside))


def _take(path: Path, cwd: str, copies: dict[str, Path], moved: dict[str, str]) -> None:
    """Copy one file: to the same place relative to where the bot runs, else under its own name (numbered if taken)."""
    if path.is_relative_to(cwd):
        copies[f"bot/{path.relative_to(cwd).as_posix()}"] = path
        return
    target, number = f"bot/{path.name}", 1
    while copies.get(target, path) != path:
        number += 1
        target = f"bot/{number}-{path.name}"
    copies[target] = path
    moved[str(path)] = target


def _is_interpreter(command: tuple[str, ...], cwd: str) -> bool:
    """Say whether the program is there to run a file that is its argument."""
    return any(Path(cwd, word).is_file() for word in command[1:])


def _files_below(folder: Path) -> Iterator[Path]:
    """List all files of a folder but hidden ones and caches. Links to files are followed, links to folders are not."""
    n_files = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _SKIPPED_FOLDERS)
        for name in sorted(names):
            path = Path(place, name)
            if name.startswith(".") or name.endswith(".pyc") or not path.is_file():
                continue
            n_files += 1
            if n_files > MAX_FILES:
                raise ConfigError(
                    "the folder has too many files to be frozen", where=str(folder), allowed=f"at most {MAX_FILES:,}"
                )
            yield path
