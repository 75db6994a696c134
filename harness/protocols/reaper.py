"""Ends what a bot started: its process group, then everything that came of it, wherever it hid.

A bot's children that left its session (setsid, double fork) are handed to the nearest subreaper when their parent
dies. Whoever starts bots makes itself one (`take_charge`), so such orphans become its children, and any user may kill
them. They are told apart by a mark that every descendant inherits through fork, exec and an emptied environment: the
limit on file locks, which Linux has not enforced since 2.4. A bot may lower it, never raise it. In a process that owns
all its children (a worker) an orphan whose mark belongs to no living bot is killed too, so forging it gains nothing.

What it does not do: it starts nothing and knows no protocol. Linux only; elsewhere only the process group is killed,
which `take_charge` reports by returning False. docs/containment.md says which guarantee holds where.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import resource
import select
import signal
import sys
import threading
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass

MARK_LIMIT = 10
"""RLIMIT_LOCKS, which the resource module has no name for."""

_START_BITS, _SERIAL_BITS = 20, 20
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_PDEATHSIG = 1
_SWEEP_S = 3.0
_HUNTS, _HUNTED, _CLEAN_LOOKS = 50, 24, 2
_serials = itertools.count(1)


@dataclass(slots=True)
class _Charge:
    """What this process has taken on: by pid, since a fork inherits the memory but not the task."""

    pid: int = 0
    is_exclusive: bool = False
    works: bool = False
    key_of: int = 0
    key: int = 0


_charge = _Charge()

spared: set[int] = set()
"""Children of this process that are none of a bot's, whatever it looks like: its guardian."""


@dataclass(frozen=True, slots=True)
class Exit:
    """How a process ended: its wait status, and the CPU seconds that it and the children it waited for have used."""

    status: int
    cpu_s: float

    def __str__(self) -> str:
        """Say it in words: `exit code 3`, `killed by SIGSEGV`."""
        return describe_status(self.status)


def take_charge(*, exclusive: bool = False) -> bool:
    """Make this process the parent of its descendants' orphans. False where the system has no such thing.

    `exclusive` says that all its children, known or not, come from bots and may be killed: true in a worker, not in
    a program that uses the harness as a library.
    """
    if _charge.pid != os.getpid():
        _charge.pid = os.getpid()
        _charge.is_exclusive = False
        _charge.works = _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    _charge.is_exclusive |= exclusive
    return _charge.works


def has_charge() -> bool:
    """Say whether this process has called `take_charge` (a fork of one that has, has not)."""
    return _charge.pid == os.getpid()


def die_with_parent(parent: int, number: signal.Signals) -> None:
    """Have the kernel send a signal to this process when its parent dies, however it dies; at once if it has."""
    _prctl(_PR_SET_PDEATHSIG, int(number))
    if os.getppid() != parent:
        os.kill(os.getpid(), number)


def _prctl(option: int, value: int) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    return int(ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)) == 0


# --------------------------------------------------------------------------------------------- marks


def owner_key(pid: int) -> int:
    """Give what stands for a living process in the marks of its bots: its pid, and when it started.

    The latter so that another process that gets the same number later is not taken for it. 0 if it is gone.
    """
    try:
        started = int(read_file(f"/proc/{pid}/stat").rpartition(b")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return 0
    return pid << _START_BITS | started & (1 << _START_BITS) - 1


def is_alive(key: int) -> bool:
    """Say whether the process of a key still lives."""
    return key != 0 and owner_key(key >> _START_BITS) == key


def new_mark() -> int:
    """Give the mark of the next bot that this process starts: its own key, then a number."""
    if _charge.key_of != os.getpid():
        _charge.key_of, _charge.key = os.getpid(), owner_key(os.getpid())
    return _charge.key << _SERIAL_BITS | next(_serials) & (1 << _SERIAL_BITS) - 1


def set_mark(pid: int, mark: int) -> None:
    """Mark a process that was just started, and so all that will come of it.

    Nothing happens where the limit was lowered before (a harness that runs below a marked bot): then orphans are only
    found in a process that owns its children.
    """
    with contextlib.suppress(OSError, ValueError):
        resource.prlimit(pid, MARK_LIMIT, (mark, mark))


def mark_of(pid: int) -> int:
    """Read a process's mark; 0 if it has none, is gone, or belongs to another user."""
    try:
        return max(0, resource.prlimit(pid, MARK_LIMIT)[0])
    except OSError:
        return 0


def owner_of(mark: int) -> int:
    """Give the key of the process that started the bot of a mark."""
    return mark >> _SERIAL_BITS


# --------------------------------------------------------------------------------------------- ending


def wait_exit(pid: int, pidfd: int, timeout_s: float) -> Exit | None:
    """Wait for a child to end and reap it. None if it still runs after `timeout_s`."""
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    if not poller.poll(max(0.0, timeout_s * 1000)):
        return None
    try:
        _, status, used = os.wait4(pid, 0)
    except ChildProcessError:
        return Exit(0, 0.0)
    return Exit(status, used.ru_utime + used.ru_stime)


def describe_status(status: int) -> str:
    """Say a wait status in words: `exit code 3`, `killed by SIGSEGV`."""
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def kill(pid: int) -> None:
    """Kill one process; one that is gone or out of our reach is no error."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def kill_group(pid: int) -> None:
    """Kill the process group that a bot leads, stopped members included, whatever it forks meanwhile."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def kill_orphans(mark: int, living: Collection[int], keep: Collection[int], known: Collection[int] = ()) -> int:
    """Kill and reap the children of this process that a bot left behind, again and again until none is left.

    `mark` is the bot's, 0 for none in particular; `known` are pids that were seen to be its; `living` are the marks of
    bots that live on, `keep` the pids of children that are none of its. Orphans with another mark or none go too if
    this process owns its children. Bounded by three seconds, for bots that fork faster than they die. Gives how many
    were still there then.
    """
    owns_all = _charge.is_exclusive and _charge.pid == os.getpid()
    deadline = time.monotonic() + _SWEEP_S
    is_clean = False
    while True:
        found = []
        for pid in children():
            if pid not in keep and pid not in spared:
                its = mark_of(pid)
                if (mark and its == mark) or pid in known or (owns_all and its not in living):
                    found.append(pid)
        if not found:
            # one look can miss a child that is handed over meanwhile; two cannot miss the same
            if is_clean:
                return 0
            is_clean = True
            continue
        is_clean = False
        if not _kill_and_reap(found, deadline):
            return len(found)


def reap_adopted(keep: Collection[int]) -> None:
    """Reap those children that bots left to this process and that have ended; a bot that forks on and on leaves many.

    `keep` are the pids of children that somebody else will wait for. Without a mark, only a process that owns its
    children takes them to be a bot's.
    """
    owns_all = _charge.is_exclusive and _charge.pid == os.getpid()
    for pid in children():
        if pid not in keep and pid not in spared and (owns_all or mark_of(pid)):
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def kill_marked(owners: Collection[int]) -> int:
    """Kill every process of the system that a bot of these owners (their keys) left behind, whoever its parent is now.

    For owners that are dead. Bounded by three seconds; gives how many were still there then.
    """
    owners = set(owners) - {0}  # whoever has no mark seems to be of owner 0: everybody
    deadline = time.monotonic() + _SWEEP_S
    n_clean = 0
    while owners and n_clean < _CLEAN_LOOKS:
        alive = [pid for pid in _all_pids() if owner_of(mark_of(pid)) in owners and not _is_gone(pid)]
        for pid in alive:
            kill(pid)
        n_found = len(alive) + _hunt(owners)
        _reap_adopted_of(owners)
        n_clean = 0 if n_found else n_clean + 1
        if time.monotonic() > deadline:
            return n_found
    return 0


def _reap_adopted_of(owners: Collection[int]) -> None:
    """Reap what this process has adopted of some owners' bots, if anything."""
    for pid in children():
        if owner_of(mark_of(pid)) in owners:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def _hunt(owners: Collection[int]) -> int:
    """Kill what a look at all processes is too slow for; give how many.

    A process that hands itself on to a new one again and again is gone before such a look reaches it, but it is always
    among the newest.
    """
    killed = set()
    for _ in range(_HUNTS):
        try:
            newest = int(read_file("/proc/loadavg").split()[-1])
        except (OSError, ValueError, IndexError):
            break
        for pid in range(newest, max(1, newest - _HUNTED), -1):
            if pid not in killed and owner_of(mark_of(pid)) in owners and not _is_gone(pid):
                kill(pid)
                killed.add(pid)
    return len(killed)


def _kill_and_reap(pids: Collection[int], deadline: float) -> bool:
    """Kill some children and wait for each; False if the time is up. One that does not die keeps nobody waiting."""
    for pid in pids:
        kill(pid)
    left = set(pids)
    while left:
        for pid in tuple(left):
            with contextlib.suppress(ChildProcessError):
                if os.waitpid(pid, os.WNOHANG)[0] == 0:
                    continue
            left.discard(pid)
        if time.monotonic() > deadline:
            return False
        if left:
            os.sched_yield()
    return True


# --------------------------------------------------------------------------------------------- looking

# ruff: noqa: PTH208 - a Path for each process costs more than the rest


def has_children() -> bool:
    """Say whether this process has any child at all, alive or not waited for. If not, nothing below it is left."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


_children_files: dict[tuple[int, int], int] = {}


def children() -> list[int]:
    """Give the pids of this process's children, over all its threads."""
    if threading.active_count() > 1:
        return children_of(os.getpid())
    pid = os.getpid()
    key = (pid, threading.get_native_id())
    descriptor = _children_files.get(key)
    try:
        if descriptor is None:
            descriptor = os.open(f"/proc/{pid}/task/{key[1]}/children", os.O_RDONLY | os.O_CLOEXEC)
            _children_files[key] = descriptor
        return [int(word) for word in _read_all(descriptor).split()]
    except OSError:
        return []


def children_of(pid: int) -> list[int]:
    """Give the pids of another process's children, over all its threads; [] if it is gone."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
    return [int(child) for thread in threads for child in _children_of(pid, int(thread))]


def descendants(pid: int) -> list[int]:
    """Give a process's children, theirs, and so on; not those that were handed to another parent."""
    found = []
    waiting = children_of(pid)
    while waiting:
        found += waiting
        waiting = [child for parent in waiting for child in children_of(parent)]
    return found


def _children_of(pid: int, thread: int) -> list[bytes]:
    try:
        descriptor = os.open(f"/proc/{pid}/task/{thread}/children", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        return _read_all(descriptor).split()
    except OSError:
        return []
    finally:
        os.close(descriptor)


def _read_all(descriptor: int) -> bytes:
    data = os.pread(descriptor, 4096, 0)
    while len(data) % 4096 == 0 and (more := os.pread(descriptor, 4096, len(data))):
        data += more
    return data


def _all_pids() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdigit())


def _is_gone(pid: int) -> bool:
    """Say whether a process has ended, waited for by its parent or not."""
    try:
        return read_file(f"/proc/{pid}/stat").rpartition(b")")[2].split()[:1] in ([b"Z"], [b"X"])
    except OSError:
        return True


def read_file(path: str, most: int = 4096) -> bytes:
    """Read the start of a file of /proc. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, most)
    finally:
        os.close(descriptor)
