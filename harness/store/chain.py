"""An append-only file of JSON lines that several programs may write to at once, and that shows if it was altered.

Each line holds an entry, its number, the time, the digest of the line before and its own. Writing takes the file's
lock, reads what is there, decides, appends one line and syncs it: what `append` returned is on the disk, and a line
that a killed writer left torn was never returned to anybody. Knows nothing of what an entry means.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from time import monotonic, sleep

import msgspec

from harness.errors import LedgerError
from harness.store.journal import Journal, cut_torn_line, read_lines, storage_error
from harness.store.run_directory import now_text

PATIENCE_S = 30.0
"""How long a writer waits for others, each of which holds the lock for milliseconds."""


class Link(msgspec.Struct, frozen=True):
    """One line. `digest` covers the other fields, `previous` the digest of the line before ("" for the first)."""

    number: int
    time: str
    entry: msgspec.Raw
    previous: str
    digest: str


_decoder = msgspec.json.Decoder(Link)


def digest_of(number: int, time: str, entry: bytes, previous: str) -> str:
    """Hash a line's content, 32 hex digits."""
    digest = blake2b(digest_size=16)
    for part in (str(number).encode(), time.encode(), entry, previous.encode()):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()


class LockedChain:
    """A chain while its lock is held: what is there, and the right to add to it. `torn_bytes` were cut off its end."""

    def __init__(self, path: Path, links: list[Link], torn_bytes: int) -> None:
        self.path = path
        self.links = links
        self.torn_bytes = torn_bytes

    def append(self, entry: object) -> Link:
        """Add an entry, a msgspec-encodable value; on the disk when this returns. Raises StorageError."""
        raw = msgspec.json.encode(entry)
        number, time = len(self.links), now_text()
        previous = self.links[-1].digest if self.links else ""
        link = Link(number, time, msgspec.Raw(raw), previous, digest_of(number, time, raw, previous))
        journal = Journal(self.path)
        try:
            journal.append(msgspec.json.encode(link) + b"\n")
        finally:
            journal.close()
        self.links.append(link)
        return link


@contextlib.contextmanager
def lock_chain(path: Path) -> Iterator[LockedChain]:
    """Lock a chain for writing, making it if need be. Raises LedgerError if it is damaged or never comes free."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        is_new = not path.exists()
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise storage_error(path, error) from error
    try:
        _wait_for_lock(descriptor, path)
        if is_new:
            _sync_folder(path.parent)
        torn = cut_torn_line(path)
        yield LockedChain(path, list(read_chain(path)), torn)
    finally:
        os.close(descriptor)


def read_chain(path: Path) -> Iterator[Link]:
    """Stream a chain without locking it; a torn last line is left out. Raises LedgerError at the first altered line."""
    previous, expected = "", 0
    for link in read_lines(path, _decoder.decode):
        fits = link.number == expected and link.previous == previous
        if not fits or link.digest != digest_of(link.number, link.time, bytes(link.entry), link.previous):
            raise LedgerError(
                "this line is not what was written: the file was edited, or lines are missing",
                where=f"{path}:{expected + 1}",
                got=f"entry {link.number}",
                allowed=f"entry {expected}, unaltered, after the line before it",
                next_step="restore the file from version control; what it records cannot be written by hand",
            )
        previous, expected = link.digest, expected + 1
        yield link


def has_torn_line(path: Path) -> bool:
    """Say whether the last line lacks its end, as a killed writer leaves it."""
    try:
        with path.open("rb") as file:
            if not file.seek(0, os.SEEK_END):
                return False
            file.seek(-1, os.SEEK_END)
            return file.read(1) != b"\n"
    except FileNotFoundError:
        return False


def _wait_for_lock(descriptor: int, path: Path) -> None:
    deadline = monotonic() + PATIENCE_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() > deadline:
                raise LedgerError(
                    "another program holds this file's lock",
                    where=str(path),
                    got=f"not free within {PATIENCE_S:g} s",
                    next_step="end the program that holds it (`fuser` names it), then run the same command again",
                ) from None
            sleep(0.005)
        else:
            return


def _sync_folder(folder: Path) -> None:
    """Put a new file's name on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        raise storage_error(folder, error) from error
    finally:
        os.close(descriptor)
