"""One run's folder under results/: manifest, map records, transcripts, events. One writer at a time.

manifest.json    what this run is made of: config text, fingerprints, plan; written once
maps.jsonl       one MapRecord a line, the truth: everything shown can be computed from it
t/NNNN.jsonl     transcripts of a thousand jobs each
events.jsonl     starts, stops, voids, worker deaths, with times
lock             held while a process writes here
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep
from typing import Self

import msgspec

from harness.errors import ResultsError
from harness.records import MapRecord, Scoring, Transcript
from harness.store.codec import decode_record, decode_transcript
from harness.store.journal import Journal, cut_torn_line, read_lines, storage_error

MANIFEST_SCHEMA = 1

_PATIENCE_S = 0.2


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a run is made of. Two runs with equal `fingerprints` are the same run and may continue each other.

    `fingerprints` maps a part's name ("config", "bot cand") to its hash, `parts` to what went into that hash, so that a
    refusal can name what changed. `bots` says how each was started. `config_text` is the config as it was. `scoring`
    says how a score contest's numbers were to be read when it began, None elsewhere; they may be read in another way.
    """

    schema: int
    run: str
    run_key: str
    created: str
    harness: str
    config_path: str
    config_text: str
    fingerprints: Mapping[str, str]
    parts: Mapping[str, Mapping[str, str]]
    bots: Mapping[str, Mapping[str, str]]
    n_jobs: int
    n_games: int
    machine: Mapping[str, str | int] = field(default_factory=dict)
    scoring: Scoring | None = None


_manifest_decoder = msgspec.json.Decoder(Manifest)


def now_text() -> str:
    """Give the time in UTC as records write it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class RunDirectory:
    """A run's folder open for writing; holds its lock. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        """Make the folder if need be and lock it. Raises ResultsError if another process writes there."""
        self.path = path
        self._transcripts: tuple[str, Journal] | None = None
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise storage_error(path, error) from error
        try:
            _lock(self._lock, path)
            self.torn_bytes = cut_torn_line(path / "maps.jsonl")
            cut_torn_line(path / "events.jsonl")
            for file in sorted((path / "t").glob("*.jsonl")):
                cut_torn_line(file)
            self._maps = Journal(path / "maps.jsonl")
            self._events = Journal(path / "events.jsonl")
        except BaseException:
            os.close(self._lock)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Sync, close and unlock. Safe to call twice."""
        if self._lock < 0:
            return
        journals = [self._maps, self._events, *([self._transcripts[1]] if self._transcripts else [])]
        with contextlib.ExitStack() as stack:
            stack.callback(os.close, self._lock)
            self._lock = -1
            for journal in journals:
                stack.callback(journal.close)

    def write_manifest(self, manifest: Manifest) -> None:
        """Write the manifest, all or nothing."""
        write_atomically(self.path / "manifest.json", msgspec.json.format(msgspec.json.encode(manifest), indent=1))

    def append_maps(self, lines: bytes) -> None:
        """Add finished maps: whole lines of maps.jsonl. Their transcripts are appended before."""
        self._maps.append(lines)

    def append_transcripts(self, file: str, lines: bytes) -> None:
        """Add transcripts to `t/NNNN.jsonl`, named relative to the run."""
        if self._transcripts is None or self._transcripts[0] != file:
            if self._transcripts:
                self._transcripts[1].close()
            self._transcripts = (file, Journal(self.path / file))
        self._transcripts[1].append(lines)

    def append_event(self, kind: str, **facts: str | float | None) -> None:
        """Note something that happened to the run, with the time."""
        self._events.append(msgspec.json.encode({"time": now_text(), "event": kind, **facts}) + b"\n")

    def sync(self) -> None:
        """Put everything appended on the disk."""
        if self._transcripts:
            self._transcripts[1].sync()
        self._maps.sync()
        self._events.sync()


def _lock(descriptor: int, path: Path) -> None:
    """Lock a run for writing and write our process id into the lock. Raises ResultsError, StorageError.

    One who only looks whether it is locked (`is_being_written`) holds it for a moment: that is waited out.
    """
    deadline = monotonic() + _PATIENCE_S
    while not _try_lock(descriptor):
        if monotonic() > deadline:
            holder = os.pread(descriptor, 100, 0).decode("ascii", "replace").strip()
            raise ResultsError(
                "another harness is writing to this run",
                where=str(path),
                got=f"process {holder or 'unknown'} holds its lock",
                next_step="wait for it, stop it with Ctrl-C, or start another run with --run NAME",
            )
        sleep(_PATIENCE_S / 20)
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    except OSError as error:
        raise storage_error(path / "lock", error) from error


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that a reader or a crash sees the old one or the new one, never a part."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise storage_error(path, error) from error


def read_manifest(path: Path) -> Manifest | None:
    """Read a run's manifest; None if the folder has none. Raises ResultsError if it is not one."""
    file = (path if path.is_dir() else path.parent) / "manifest.json"
    try:
        manifest = _manifest_decoder.decode(file.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ResultsError("cannot be read", where=str(file), got=os.strerror(error.errno or 0)) from error
    except ValueError as error:
        raise ResultsError("not a manifest that this program wrote", where=str(file), got=str(error)) from error
    if manifest.schema != MANIFEST_SCHEMA:
        raise ResultsError(
            "a manifest of another version",
            where=str(file),
            got=f"schema {manifest.schema}",
            allowed=f"schema {MANIFEST_SCHEMA}",
            next_step="use the version of harness that it names, or start a run of its own with --run NAME",
        )
    return manifest


def is_being_written(path: Path) -> bool:
    """Say whether a process holds the lock right now of a run, given by its folder or a file in it."""
    try:
        descriptor = os.open((path if path.is_dir() else path.parent) / "lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def read_records(path: Path) -> Iterator[MapRecord]:
    """Stream the map records of a run's folder (or of a maps.jsonl file), in the order they finished."""
    return read_lines(path if path.is_file() else path / "maps.jsonl", decode_record)


def read_halt(path: Path) -> str | None:
    """Say why a run's last start halted; None if it did not, or has not ended."""
    last: dict[str, object] = {}
    folder = path if path.is_dir() else path.parent
    for event in read_lines(folder / "events.jsonl", msgspec.json.decode):
        if event["event"] in {"start", "stop"}:
            last = event
    return str(last["reason"]) if last.get("halted") else None


class Transcripts:
    """Finds games' transcripts by their records' references, `t/0000.jsonl#17-0`. Keeps two files' indexes."""

    def __init__(self, path: Path) -> None:
        self._path = path if path.is_dir() else path.parent
        self._indexes: dict[str, dict[tuple[int, int], tuple[int, int]]] = {}

    def find(self, reference: str) -> Transcript:
        """Give one transcript. Raises ResultsError if it is gone, or for a reference that is none.

        Where a map stands twice (it was played again after a crash) the last one counts.
        """
        file, _, key = reference.partition("#")
        job, _, game = key.partition("-")
        if not (job.isdecimal() and game.isdecimal()):
            raise ResultsError("not a reference to a transcript", where=str(self._path), got=repr(reference))
        at = self._index(file).get((int(job), int(game)))
        if at is None:
            raise ResultsError(
                "this game's transcript is missing", where=str(self._path / file), got=f"no line for game {key}"
            )
        with (self._path / file).open("rb") as handle:
            handle.seek(at[0])
            return decode_transcript(handle.read(at[1]))

    def _index(self, file: str) -> dict[tuple[int, int], tuple[int, int]]:
        if file not in self._indexes:
            while len(self._indexes) > 1:
                self._indexes.pop(next(iter(self._indexes)))
            index: dict[tuple[int, int], tuple[int, int]] = {}
            offset = 0
            for transcript, size in read_lines(self._path / file, lambda line: (decode_transcript(line), len(line))):
                index[transcript.job, transcript.game] = (offset, size)
                offset += size
            self._indexes[file] = index
        return self._indexes[file]


def find_run(name: str, roots: tuple[Path, ...]) -> Path:
    """Find a run's folder by path or by name under `roots`. Raises ResultsError with the runs that are there."""
    for candidate in (Path(name), *(root / name for root in roots)):
        if (candidate / "maps.jsonl").exists() or (candidate.is_file() and candidate.suffix == ".jsonl"):
            return candidate
    known = sorted({entry.parent.name for root in roots for entry in root.glob("*/maps.jsonl")})
    raise ResultsError(
        f"no run {name!r}",
        got=f"looked for the folder itself and under {', '.join(str(root) for root in roots)}",
        allowed=", ".join(known) or "no runs there yet",
        next_step="name a run's folder, or start one with: harness run CONFIG",
    )
