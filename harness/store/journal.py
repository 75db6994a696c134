"""An append-only file of JSON lines: one writer, streaming readers, tolerant of a torn last line only.

A line is in the journal when `append` returns: it has been handed to the kernel in one write and survives the
death of the process. `sync` puts it on the disk as well, against power loss; the flow calls it by time.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from harness.errors import ResultsError, StorageError

T = TypeVar("T")
_BLOCK = 1 << 20


class Journal:
    """The writing end. Opens for append, creating the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise storage_error(path, error) from error
        self._is_dirty = False

    def append(self, lines: bytes) -> None:
        """Add whole lines, newline included. Raises StorageError; what was there before stays whole.

        A write that the disk takes in part only is taken back to the last whole line.
        """
        size = os.fstat(self._descriptor).st_size
        try:
            written = os.write(self._descriptor, lines)
            while written < len(lines):
                written += os.write(self._descriptor, lines[written:])
        except OSError as error:
            with contextlib.suppress(OSError):  # what cannot be taken back is a torn line, cut off at the next start
                os.ftruncate(self._descriptor, size)
            raise storage_error(self.path, error) from error
        self._is_dirty = True

    def sync(self) -> None:
        """Put everything appended on the disk."""
        if self._is_dirty:
            try:
                os.fdatasync(self._descriptor)
            except OSError as error:
                raise storage_error(self.path, error) from error
            self._is_dirty = False

    def close(self) -> None:
        """Sync and close. Safe to call twice."""
        if self._descriptor >= 0:
            descriptor = self._descriptor
            try:
                self.sync()
            finally:
                self._descriptor = -1
                os.close(descriptor)


def storage_error(path: Path, error: OSError) -> StorageError:
    """Build the halt of a file that cannot be written."""
    return StorageError(
        f"cannot write {path}",
        got=os.strerror(error.errno) if error.errno else str(error),
        next_step="free the disk or the folder's permissions, then run the same command again: it resumes",
    )


def cut_torn_line(path: Path) -> int:
    """Cut off a last line without its newline, as a killed writer leaves it. Gives how many bytes were cut."""
    try:
        with path.open("rb+") as file:
            size = file.seek(0, os.SEEK_END)
            keep = size
            while keep:
                start = max(0, keep - _BLOCK)
                file.seek(start)
                block = file.read(keep - start)
                at = block.rfind(b"\n")
                if at >= 0:
                    keep = start + at + 1
                    break
                keep = start
            if keep < size:
                file.truncate(keep)
            return size - keep
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise storage_error(path, error) from error


def read_lines(path: Path, decode: Callable[[bytes], T]) -> Iterator[T]:
    """Stream the decoded lines of a journal. A torn last line is left out; a file that is not there is empty.

    Raises ResultsError for a file that cannot be read, naming the line for any other line that `decode` (ValueError)
    refuses.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    except OSError as error:
        raise ResultsError("cannot be read", where=str(path), got=os.strerror(error.errno or 0)) from error
    with file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                yield decode(line)
            except (ValueError, RecursionError) as error:  # the latter for nesting without end
                raise ResultsError(
                    "not a line that this program wrote",
                    where=f"{path}:{number}",
                    got=f"{line[:80].decode('utf-8', 'replace')!r} ({error})",
                    next_step="restore the file from a copy, or delete that line: its map is then played again",
                ) from error
