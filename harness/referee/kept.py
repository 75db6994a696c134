"""Keeps what a referee said of a game that came to nothing: a file for each in the run's folder, bounded.

The one thing that a worker writes there itself: the game has no record that could carry it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.protocols.whole import Ended
from harness.records import MapJob

KEPT_BYTES = 64 << 10
"""Of standard output the start, of standard error the end: so much of each."""

MOST_FILES = 100
"""Games of which a run keeps this; a referee that fails more often says nothing new."""


def keep_failure(
    folder: str, job: MapJob, number: int, call: str, ended: Ended, said: Sequence[bytes], why: str
) -> str | None:
    """Write the file of a game; give its path, None if nothing was written (no run, a full disk, too many)."""
    if not folder:
        return None
    try:
        place = Path(folder, "failed")
        place.mkdir(parents=True, exist_ok=True)
        if len(list(place.iterdir())) >= MOST_FILES:
            return None
        path = place / f"{job.id:06d}-{number}-attempt{job.attempt}.txt"
        parts = [
            f"job {job.id}, game {number}, attempt {job.attempt}, seed {job.seed}\n{why}\n{call}\n".encode(),
            f"status {ended.status}, {ended.wall_ns / 1e9:.3f} s, {ended.cpu_s:.3f} s of CPU\n".encode(),
            _part("standard output", ended.output[:KEPT_BYTES]),
            _part("standard error", ended.errors[-KEPT_BYTES:]),
            *(_part(f"standard error of player {seat}", own[-KEPT_BYTES:]) for seat, own in enumerate(said, 1) if own),
        ]
        path.write_bytes(b"\n".join(parts))
    except OSError:
        return None
    return str(path)


def _part(name: str, data: bytes) -> bytes:
    return f"--- {name}, {len(data)} bytes kept\n".encode() + data
