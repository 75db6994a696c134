"""The walls around an untrusted bot: the command line of bubblewrap, and whether this machine can raise them.

Inside there is no network, no other process, no file but the system's programs (read-only), the bot's own folder
(read-only) and an empty /tmp of bounded size; no environment but what the bot was given, no way to new privileges.
The kernel ends everything inside when the bot's outermost process ends, or the worker, however it ends. Builds words
and starts nothing; docs/containment.md says what each option is for.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from harness.protocols import reaper
from harness.records import BotSpec, Limits

PROGRAM = "bwrap"

_NAMESPACES = (
    "--unshare-all",
    "--unshare-user",
    "--disable-userns",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
    "--hostname",
    "sandbox",
)
_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = (
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/localtime",
)
_SETTINGS_OF = "java*"  # in /etc: Debian's JVMs do not start without theirs
_PARTS = ("bin", "lib", "lib64", "libexec", "conf", "jre", "jmods", "release", "pyvenv.cfg")
"""What an interpreter needs of a prefix outside /usr (a venv, a JDK); nothing else of it is shown."""

_KEPT = ("PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ")
_HARNESS = str(Path(__file__).resolve().parents[1])
_KB, _BLOCK = 1024, 512
_SIGNALLED = 128


def build_command(spec: BotSpec) -> list[str]:
    """Give the command that runs a bot's own inside the walls, its kernel limits set there."""
    return [
        *(shutil.which(PROGRAM) or PROGRAM, *_NAMESPACES),
        *_files(spec),
        *("--chdir", spec.cwd, "--", "/bin/sh", "-c", _limits(spec.limits), "sh"),
        *spec.command,
    ]


def build_environment(spec: BotSpec) -> dict[str, str]:
    """Give what a bot inside sees of the environment: a few harmless variables and its own."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, "HOME": "/tmp", "TMPDIR": "/tmp", **dict(spec.env)}  # noqa: S108 - the sandbox's own


def build_probe() -> list[str]:
    """Give a command that ends well if this machine can raise the walls, and says why not if it can't."""
    return [shutil.which(PROGRAM) or PROGRAM, *_NAMESPACES, *_system(), *_own_devices(1), "--", "/bin/sh", "-c", ":"]


def has_not_started(status: int, stderr: bytes) -> bool:
    """Say whether a sandbox ended without having become its bot: bubblewrap or the shell inside says so."""
    code = os.waitstatus_to_exitcode(status)
    return (code == 1 and stderr.startswith(b"bwrap: ")) or (code in (126, 127) and stderr.startswith(b"sh: "))


def describe_status(status: int) -> str:
    """Say how a bot inside ended; its sandbox ends with 128 more than the signal that killed it."""
    code = os.waitstatus_to_exitcode(status)
    if code > _SIGNALLED:
        with contextlib.suppress(ValueError):
            return f"exit code {code} (killed by {signal.Signals(code - _SIGNALLED).name})"
    return reaper.describe_status(status)


def _files(spec: BotSpec) -> Iterator[str]:
    """Give the options for what is to be seen, in the order in which they are laid over each other."""
    yield from _system()
    yield from _own_devices(spec.limits.tmp_mb << 20)
    shown = _outermost({*_program(spec.command[0], spec.cwd), *spec.readable})
    if not _is_within(spec.cwd, (*shown, "/usr", *_SYSTEM)):
        yield from ("--dir", spec.cwd)
    for path in shown:
        yield from ("--ro-bind", path, path)
    if _is_within(_HARNESS, shown):
        yield from ("--tmpfs", _HARNESS, "--remount-ro", _HARNESS)
    yield from ("--remount-ro", "/")


def _outermost(paths: set[str]) -> list[str]:
    """Leave out what lies within another of the paths or is shown to everybody."""
    kept: list[str] = []
    for path in sorted(paths):
        if not _is_within(path, (*kept, "/usr", *_SYSTEM)):
            kept.append(path)
    return kept


def _is_within(path: str, folders: Iterable[str]) -> bool:
    return any(Path(path).is_relative_to(folder) for folder in folders)


def _system() -> Iterator[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for path in map(Path, _SYSTEM):
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))
    for setting in (*map(Path, _SETTINGS), *Path("/etc").glob(_SETTINGS_OF)):
        yield from ("--ro-bind-try", str(setting), str(setting))


def _own_devices(size: int) -> Iterator[str]:
    """Give an own /proc, the harmless devices, and /tmp and /dev/shm of `size` bytes each."""
    yield from ("--proc", "/proc", "--dev", "/dev")
    for path in ("/tmp", "/dev/shm"):  # noqa: S108 - the sandbox's own
        yield from ("--perms", "1777", "--size", str(size), "--tmpfs", path)
    yield from ("--remount-ro", "/dev")


@cache
def _program(program: str, cwd: str) -> frozenset[str]:
    """Give what must be seen for a program to start: itself, and the prefixes that its links lead through."""
    shown: set[str] = set()
    path = Path(cwd, program)
    for _ in range(40):
        prefix = path.parent.parent
        if (prefix / "lib").is_dir() and path.parent.name == "bin":
            shown.update(str(prefix / part) for part in _PARTS if (prefix / part).exists())
        shown.add(str(path))
        if not path.is_symlink():
            break
        path = Path(os.path.normpath(path.parent / path.readlink()))
    if path == Path(sys.executable).resolve():
        shown.update(
            str(Path(sys.base_prefix, part)) for part in ("lib", "bin") if Path(sys.base_prefix, part).exists()
        )
    return frozenset(shown)


def _limits(limits: Limits) -> str:
    """Write the shell line that limits a bot and becomes it: set inside, there is no moment without them."""
    words = [
        f"ulimit -f {_at_most(resource.RLIMIT_FSIZE, limits.file_mb << 20) // _BLOCK}",
        f"ulimit -n {_at_most(resource.RLIMIT_NOFILE, limits.open_files)}",
        "ulimit -c 0",
    ]
    if limits.address_space_mb is not None:
        words.append(f"ulimit -v {_at_most(resource.RLIMIT_AS, limits.address_space_mb << 20) // _KB}")
    return "; ".join([*words, 'exec "$@"'])


def _at_most(what: int, value: int) -> int:
    hard = resource.getrlimit(what)[1]
    return value if hard == resource.RLIM_INFINITY else min(hard, value)
