"""From a bot as written to its `BotSpec` and `BotSource`, or to the reason why this machine skips it.

Looks at the file system for programs and folders; starts, builds and hashes nothing.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import get_args

from harness.config.build_models import BuildSection
from harness.config.command import CommandError, fill_words, resolve_command, search_path, split_command
from harness.config.content import is_file, is_folder, matching_files
from harness.config.document import KeyPath
from harness.config.models import BotSection, ProtocolName, TimeSection
from harness.config.settings import BotSource, Build, SkippedBot
from harness.config.written import BOT_FILE, WrittenBot
from harness.records import BotSpec, ClockKind, Isolation, Limits, TimeControl

_CPU_WALL_TIMES, _CPU_WALL_MS = 20, 1000
"""How long a ply that is judged by CPU time may last: so many times its limit, and so many milliseconds."""

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def build_bot(bot: WrittenBot, run_time: TimeControl) -> tuple[BotSpec, BotSource] | SkippedBot:
    """Make the spec (fingerprint still empty) and the source, or say why this machine skips the bot.

    Raises BotProblems.
    """
    section = BotSection.model_construct(**bot.keys)  # type: ignore[arg-type]
    if section.command is not None and section.python is not None:
        raise bot.problem(("python",), "a bot has `command` or `python`, not both", next_step="keep one of the two")
    if section.command is None and section.python is None:
        here = f"add one; there is no {BOT_FILE} in {bot.folder}" if bot.folder and not bot.bot_file else "add one"
        raise bot.problem((), "it has neither `command` nor `python`", next_step=here)
    build, skipped = _build(bot, section)
    if skipped is not None:
        return skipped
    cwd = bot.base
    if section.cwd is not None:
        cwd = Path(os.path.normpath(bot.base / fill_words([section.cwd], bot.base)[0]))
        if not is_folder(cwd) and build is None:
            raise bot.problem(("cwd",), "there is no such folder", got=section.cwd, next_step=f"looked for {cwd}")
    protocol, python = "python", None
    words: tuple[str, ...]
    command: tuple[str, ...] = ()
    if section.python is not None:
        words, python = (section.python,), _python(bot, section)
    else:
        protocol = _protocol(bot, section)
        words, command = _command(bot, section, build)
    spec = BotSpec(
        name=bot.name,
        protocol=protocol,
        command=command,
        python=python,
        cwd=str(cwd),
        env=_environment(bot, section.env),
        options=tuple(section.options.items()),
        limits=Limits(**section.limits.model_dump()),
        time=_time(bot, section, protocol, run_time),
        threads=section.threads,
        deterministic=section.deterministic,
        isolation=Isolation(section.isolation),
        readable=_readable(bot, section, command, cwd),
        metadata=section.metadata,
    )
    source = BotSource(
        name=bot.name,
        words=words,
        base=bot.base,
        folder=bot.folder,
        files=tuple(section.files),
        env=tuple(section.env.items()),
        build=build,
    )
    return spec, source


def _protocol(bot: WrittenBot, section: BotSection) -> str:
    if section.protocol is None:
        allowed = " or ".join(get_args(ProtocolName))
        raise bot.problem((), "`protocol` is missing", allowed=allowed, next_step="say what the bot speaks")
    return _own(bot, "protocol", section.protocol) if ":" in section.protocol else section.protocol


def _own(bot: WrittenBot, key: str, text: str) -> str:
    """Make the path of `file.py:name` absolute; `module:name` stays."""
    target, _, name = text.rpartition(":")
    if not target.endswith(".py"):
        return text
    file = Path(os.path.normpath(bot.base / fill_words([target], bot.base)[0]))
    if not is_file(file):
        raise bot.problem((key,), "there is no such file", got=target, next_step=f"looked for {file}")
    return f"{file}:{name}"


def _words(bot: WrittenBot, keys: KeyPath, command: object) -> tuple[str, ...]:
    assert isinstance(command, str | list)
    try:
        return split_command(command)
    except CommandError as error:
        raise bot.problem(keys, error.what, got=error.got, allowed=error.allowed, next_step=error.next_step) from None


def _resolved(bot: WrittenBot, keys: KeyPath, words: tuple[str, ...], *, must_exist: bool) -> tuple[str, ...]:
    try:
        return resolve_command(words, bot.base, must_exist=must_exist)
    except CommandError as error:
        raise bot.problem(keys, error.what, got=error.got, allowed=error.allowed, next_step=error.next_step) from None


def _command(bot: WrittenBot, section: BotSection, build: Build | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    words = _words(bot, ("command",), section.command)
    return words, _resolved(bot, ("command",), words, must_exist=build is None)


def _build(bot: WrittenBot, section: BotSection) -> tuple[Build | None, SkippedBot | None]:
    if section.build is None:
        return None, None
    if bot.folder is None:
        raise bot.problem(
            ("build",), "only a bot with a `folder` can be built", next_step="add `folder`: its files are the source"
        )
    keys: KeyPath
    if isinstance(section.build, BuildSection):
        written, keys, outputs = section.build.command, ("build", "command"), tuple(section.build.outputs)
        needs = section.build.needs
        if needs is not None and shutil.which(needs, path=search_path()) is None:
            return None, SkippedBot(bot.name, f"it needs `{needs}` to be built, which is not on this machine")
    else:
        written, keys, outputs = section.build, ("build",), ()
    command = _resolved(bot, keys, _words(bot, keys, written), must_exist=True)
    return Build(command, bot.folder, outputs), None


def _python(bot: WrittenBot, section: BotSection) -> str:
    """Check `module:callable` and make the path of `file.py:callable` absolute."""
    assert section.python is not None
    target, _, function = section.python.rpartition(":")
    by_file = target.endswith(".py")
    if not function.isidentifier() or not (by_file or all(part.isidentifier() for part in target.split("."))):
        raise bot.problem(
            ("python",),
            "the value is not allowed",
            got=section.python,
            allowed='"module:callable" or "file.py:callable"',
        )
    for key in ("env", "limits", "threads", "protocol", "isolation", "readable"):
        if key in bot.keys:
            raise bot.problem(
                (key,), "a bot that runs in the worker's process has no such thing", next_step=f"remove `{key}`"
            )
    return _own(bot, "python", section.python)


def _environment(bot: WrittenBot, env: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    result = []
    for name, text in env.items():
        if name == "HARNESS_BOT_SEED":
            raise bot.problem(("env", name), "the harness sets this one", next_step="remove it")
        for variable in _VARIABLE.findall(text):
            if variable not in os.environ:
                raise bot.problem(
                    ("env", name),
                    f"the environment variable {variable} is not set",
                    next_step=f"export {variable}=… before you start the harness",
                )
        value = _VARIABLE.sub(lambda match: os.environ[match[1]], text)
        if "\0" in value:
            raise bot.problem(("env", name), "the value has a NUL character in it")
        result.append((name, value))
    return tuple(result)


def _readable(bot: WrittenBot, section: BotSection, command: tuple[str, ...], cwd: Path) -> tuple[str, ...]:
    """List what a sandboxed bot may read: its folder or the files of its command, its `files`, and `readable`."""
    if Isolation(section.isolation) is not Isolation.SANDBOX:
        return ()
    paths = {bot.folder} if bot.folder is not None else {cwd / word for word in command[1:] if is_file(cwd / word)}
    for pattern in section.files:
        paths.update(matching_files(pattern, bot.base).values())
    for number, word in enumerate(section.readable):
        path = Path(os.path.normpath(bot.base / word))
        if not path.exists():
            raise bot.problem(
                ("readable", number), "there is no such file or folder", got=word, next_step=f"looked for {path}"
            )
        paths.add(path)
    return tuple(sorted(str(path) for path in paths))


_MODES_WITHOUT = {"codingame": ("nodes", "depth"), "gtp": ("nodes", "depth"), "xboard": ("nodes",)}
"""Time controls that a protocol has no word for."""


def build_time(section: TimeSection) -> TimeControl:
    """Make the dataclass of a time section."""
    time = TimeControl(**section.model_dump() | {"clock": ClockKind(section.clock)})
    if time.clock is ClockKind.CPU and "wall_ms" not in section.model_fields_set:
        longest_ms = max(time.per_ply_ms or 0, time.first_ply_ms or 0)
        time = replace(time, wall_ms=_CPU_WALL_TIMES * longest_ms + _CPU_WALL_MS)
    return time


def _time(bot: WrittenBot, section: BotSection, protocol: str, run_time: TimeControl) -> TimeControl | None:
    """Give the bot's own time control, None if it has the run's; the contest's first ply is set here."""
    own = build_time(section.time) if section.time is not None else None
    if section.grace_ms is not None:
        own = replace(own or run_time, grace_ms=section.grace_ms)
    time = own or run_time
    for mode in _MODES_WITHOUT.get(protocol, ()):
        if getattr(time, mode) is not None:
            raise bot.problem(
                ("time",),
                f"the protocol {protocol} has no {mode}",
                next_step="give this bot a `time` of its own, for example {per_ply_ms: 100}",
            )
    if protocol == "codingame" and time.per_ply_ms is not None and time.first_ply_ms is None:
        return replace(time, first_ply_ms=min(max(1000, time.per_ply_ms), time.wall_ms))
    return own
