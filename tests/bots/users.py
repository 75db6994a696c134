"""Runs a part of a test in a process of its own: as a worker is one, as root or as an ordinary user."""

from __future__ import annotations

import os
import pickle
import pwd
import resource
import signal
import traceback
from collections.abc import Callable
from typing import TypeVar

from harness.protocols import guardian, oversight, reaper

T = TypeVar("T")

_LONGEST_S = 50

USERS = ("root", "nobody") if os.geteuid() == 0 else (pwd.getpwuid(os.geteuid()).pw_name,)
"""Whom a test can be: root can be anybody, everybody else only themselves."""


def run_apart(action: Callable[[], T], *, user: str = USERS[0], exclusive: bool = True, core: int | None = None) -> T:
    """Run something in a fork that owns its bots as a worker does; give what it gives, raise what it raises.

    Nothing that it starts is waited for here: what lives on after it has ended was left behind.
    """
    reading, writing = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(reading)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(_LONGEST_S)
            _become(user, exclusive=exclusive, core=core)
            reaper.die_with_parent(parent, signal.SIGKILL)
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(_outcome(action), pipe)
            guardian.end_guard()
            code = 0
        except BaseException:  # noqa: BLE001 - a fork must never return into the test
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    status = os.waitpid(pid, 0)[1]
    reaper.reap_adopted({each.pid for each in oversight.living.values()})
    assert data, f"the process ended without a word: {reaper.describe_status(status)}"
    is_good, value = pickle.loads(data)
    if not is_good:
        raise value
    return value  # type: ignore[no-any-return]


def _become(user: str, *, exclusive: bool, core: int | None) -> None:
    os.setsid()
    if pwd.getpwnam(user).pw_uid != os.geteuid():
        entry = pwd.getpwnam(user)
        os.setgroups([])
        os.setgid(entry.pw_gid)
        os.setuid(entry.pw_uid)
    resource.setrlimit(resource.RLIMIT_CORE, (1, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    oversight.living.clear()
    if exclusive:
        reaper.take_charge(exclusive=True)
    if core is not None:
        os.sched_setaffinity(0, {core})


def _outcome(action: Callable[[], T]) -> tuple[bool, T | BaseException]:
    try:
        return True, action()
    except Exception as error:  # noqa: BLE001 - it is raised again in the test
        return False, error
