"""A gate's folder under results/: a folder for each candidate, in it one for each stage's run and the verdict's files.

RUN/lock                    held while a gate runs here
RUN/CANDIDATE/screen/ …     the runs of the stages
RUN/CANDIDATE/verdict.json  written last but for the ledger and the lineage: with it the candidate is judged
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.errors import ResultsError
from harness.store.journal import storage_error
from harness.store.run_directory import write_atomically

VERDICT = "verdict.json"


@contextlib.contextmanager
def lock_gate(folder: Path) -> Iterator[None]:
    """Hold a gate's folder. Raises ResultsError if another gate runs there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise storage_error(folder, error) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ResultsError(
                "this gate is running already",
                where=str(folder),
                next_step="wait for it, stop it with Ctrl-C, or start another with --run NAME",
            ) from None
        yield
    finally:
        os.close(descriptor)


def read_verdict(folder: Path) -> dict[str, Any] | None:
    """Read a candidate's verdict; None if it is not judged yet. Raises ResultsError for a file that is none."""
    path = folder / VERDICT
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ResultsError("not a verdict that this program wrote", where=str(path), got=str(error)) from error
    if not isinstance(found, dict):
        raise ResultsError("not a verdict that this program wrote", where=str(path))
    return found


def write_artefacts(folder: Path, files: dict[str, str]) -> None:
    """Write files all or nothing each, in the order given."""
    for name, text in files.items():
        write_atomically(folder / name, text.encode("utf-8"))
