"""A disk that is full (the kernel refuses every byte past a limit, as without room, but with EFBIG); open files."""

from __future__ import annotations

import contextlib
import resource
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def files_end_at(n_bytes: int) -> Iterator[None]:
    """Let no file of this process grow past `n_bytes`: a write across it is taken in part, the next not at all."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def n_open_files() -> int:
    """Count this process's open descriptors."""
    return len(list(Path("/proc/self/fd").iterdir()))
