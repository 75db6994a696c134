"""Ends what a bot started: its process group, then every orphan that carries its tag.

A bot's children that left its session (setsid, double fork) are handed to the nearest subreaper when their parent
dies. A worker makes itself one, so such orphans become its children and can be found and killed by any user
without privileges. They are told apart by a tag in their environment. Linux only; elsewhere only the process
group is killed, which `set_subreaper` reports by returning False.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import time
from pathlib import Path

TAG = "HARNESS_BOT_TAG"
_PR_SET_CHILD_SUBREAPER = 36
_SWEEP_S = 2.0


def set_subreaper() -> bool:
    """Make this process the parent of its descendants' orphans. False where the system has no such thing."""
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    return int(libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) == 0


def wait_exit(pid: int, pidfd: int, timeout_s: float) -> int | None:
    """Wait for a child to end and reap it. Gives its wait status; None if it still runs after `timeout_s`."""
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    if not poller.poll(max(0.0, timeout_s * 1000)):
        return None
    try:
        return os.waitpid(pid, 0)[1]
    except ChildProcessError:
        return 0


def describe_status(status: int) -> str:
    """Say a wait status in words: `exit code 3`, `killed by SIGSEGV`."""
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def kill_group(pid: int) -> None:
    """Kill the process group that a bot leads, stopped members included."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def kill_orphans(tag: str, keep: set[int], *, alone: bool) -> int:
    """Kill and reap this process's children that carry `tag`, again and again until none is left.

    A tag is `worker.number`; one that ends with the dot stands for every bot of that worker. `keep` are the pids of
    living bots (or workers). With `alone` (nothing else lives in this process) orphans that wiped their environment
    are taken too. Bounded by two seconds, for bots that fork faster than they die. Gives how many.
    """
    killed = 0
    deadline = time.monotonic() + _SWEEP_S
    while True:
        found = [pid for pid in _children() if pid not in keep and _is_of(pid, tag, alone=alone)]
        if not found or time.monotonic() > deadline:
            return killed
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for pid in found:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
            killed += 1


def _children() -> list[int]:
    """Give the pids of this process's children, over all its threads."""
    try:
        text = " ".join(path.read_text() for path in Path("/proc/self/task").glob("*/children"))
    except OSError:
        return []
    return [int(word) for word in text.split()]


def _is_of(pid: int, tag: str, *, alone: bool) -> bool:
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return alone
    mark = f"{TAG}=".encode()
    tags = [entry for entry in environment if entry.startswith(mark)]
    if tags:
        return tags[0] == mark + tag.encode() or (tag.endswith(".") and tags[0].startswith(mark + tag.encode()))
    return alone
