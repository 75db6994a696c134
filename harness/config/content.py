"""Finds and hashes the files that a bot consists of. Reads in pieces, with bounds on their number and size.

Must not know what a fingerprint is made of; that is `fingerprint`.
"""

from __future__ import annotations

import fnmatch
import importlib.machinery
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

from harness.errors import ConfigError

SKIPPED_FOLDERS = ("__pycache__", "build", "dist", "node_modules", "target")
SKIPPED_FILES = ("bot.yaml", "*.class", "*.log", "*.md", "*.o", "*.pyc")
MAX_FILES = 5_000
MAX_BYTES = 4_000_000_000
_PIECE = 1 << 20


def is_file(path: Path) -> bool:
    """Say whether there is such a file. False, where `Path.is_file` raises, for what is too long to be a name."""
    return os.path.isfile(path)  # noqa: PTH113 - for that reason


def is_folder(path: Path) -> bool:
    """Say whether there is such a folder. False for what is too long to be a name."""
    return os.path.isdir(path)  # noqa: PTH112 - for that reason


def source_files(folder: Path, outputs: Sequence[str] = ()) -> Iterator[Path]:
    """List a folder's source files in a fixed order.

    Left out: hidden files and folders, SKIPPED_FOLDERS, SKIPPED_FILES and what matches `outputs` (patterns relative
    to the folder). Links to folders are not followed. Raises ConfigError beyond MAX_FILES.
    """
    n_files = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in SKIPPED_FOLDERS)
        for name in sorted(names):
            if name.startswith(".") or any(fnmatch.fnmatch(name, pattern) for pattern in SKIPPED_FILES):
                continue
            path = Path(place, name)
            if is_output(path.relative_to(folder), outputs) or not path.is_file():
                continue
            n_files += 1
            if n_files > MAX_FILES:
                raise ConfigError(
                    "the folder has too many files for a bot's source",
                    where=str(folder),
                    allowed=f"at most {MAX_FILES:,}",
                    next_step="give the bot a folder of its own, with what it makes in build/",
                )
            yield path


def is_output(inside: Path, outputs: Sequence[str]) -> bool:
    """Say whether a path relative to a bot's folder is something a build makes."""
    if not set(inside.parts[:-1]).isdisjoint(SKIPPED_FOLDERS):
        return True
    text = inside.as_posix()
    for pattern in outputs:
        bare = pattern.removeprefix("./").rstrip("/")
        if fnmatch.fnmatch(text, bare) or text.startswith(f"{bare}/"):
            return True
    return False


def module_files(python: str, base: Path) -> dict[str, Path]:
    """Find the source of `module:callable`: its file, or the .py files of its package. Imports nothing.

    Raises ConfigError if the module is found neither in `base` nor on Python's path.
    """
    target = python.rpartition(":")[0]
    if target.endswith(".py"):
        return {Path(target).name: Path(target)}
    top = target.split(".", 1)[0]
    found = importlib.machinery.PathFinder.find_spec(top, [str(base), *sys.path])
    if found is not None and found.submodule_search_locations:
        package = Path(next(iter(found.submodule_search_locations)))
        files = (path for path in source_files(package) if path.suffix == ".py")
        return {f"{top}/{path.relative_to(package).as_posix()}": path for path in files}
    if found is None or not found.origin or not Path(found.origin).is_file():
        raise ConfigError(
            f"the module `{top}` is not found",
            got=python,
            next_step=f"install it, or name its file as `file.py:callable`; looked in {base} and Python's path",
        )
    return {Path(found.origin).name: Path(found.origin)}


def rules_files(name: str, folder: Path) -> dict[str, Path]:
    """Find the source of rules of the user's own, `file.py:build` relative to `folder` or `module:build`, as above."""
    target = name.rpartition(":")[0]
    return {target: Path(folder, target)} if target.endswith(".py") else module_files(name, folder)


def matching_files(pattern: str, base: Path) -> dict[str, Path]:
    """Find the files of one `files` pattern; empty if there are none."""
    if Path(pattern).is_absolute():
        return {str(path): path for path in sorted(Path("/").glob(pattern.lstrip("/"))) if path.is_file()}
    return {path.relative_to(base).as_posix(): path for path in sorted(base.glob(pattern)) if path.is_file()}


def hash_files(files: Mapping[str, Path]) -> dict[str, str]:
    """Hash the content of each file. Raises ConfigError for one that can't be read and beyond MAX_BYTES in all."""
    hashes = {}
    n_bytes = 0
    for name, path in files.items():
        digest = blake2b(digest_size=16)
        try:
            with path.open("rb", buffering=0) as file:
                while piece := file.read(_PIECE):
                    digest.update(piece)
                    n_bytes += len(piece)
                    if n_bytes > MAX_BYTES:
                        raise ConfigError(
                            "the files of a bot are too large to fingerprint",
                            where=str(path),
                            allowed=f"at most {MAX_BYTES:,} bytes in all",
                            next_step="give the bot a folder of its own, with what it makes in build/",
                        )
        except OSError as error:
            raise ConfigError(
                f"the file cannot be read for its fingerprint: {error.strerror}",
                where=str(path),
                next_step="make it readable",
            ) from None
        hashes[name] = digest.hexdigest()
    return hashes
