"""Commands of bots for referees that split them at blanks: as they are where that is safe, else a script each.

A script lies at a path without blanks and becomes the bot, with its folder, environment and seed, or its sandbox; with
`drains_bots` the bot's standard error goes to a pipe of ours. What changes from game to game (seeds, that pipe) and
what must stand in no file (the values of the bot's environment) comes through the referee's environment, or is read
where HARNESS_GAME says: a referee that is kept warm has one environment for all games.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from harness.errors import RefereeError
from harness.protocols import reaper, sandbox
from harness.protocols.start_errors import start_error, why_not_started
from harness.protocols.warm import GAME
from harness.protocols.whole import Drain
from harness.records import BotSpec, Isolation, RefereeSpec
from harness.referee.calls import is_safe

_PREFIX = "harness-referee-"
_SEEN_BY = "HARNESS_P"
"""How the names of our variables begin: HARNESS_P1_SEED is the seed of the first player's bot."""


class Wrappers:
    """The bots' commands as a referee is given them, and the environment that goes with them."""

    def __init__(self, spec: RefereeSpec) -> None:
        self._spec = spec
        self._private: str | None = None
        self._commands: dict[tuple[int, str], tuple[BotSpec, str]] = {}
        self._wrapped: set[tuple[int, str]] = set()
        self.drains: list[Drain] = []

    def command(self, seat: int, bot: BotSpec) -> str:
        """Give the command line of a bot in a seat, making its script if it needs one."""
        known = self._commands.get((seat, bot.name))
        if known is None or (known[0] is not bot and known[0] != bot):
            self._wrapped.discard((seat, bot.name))
            if self._needs_script(bot):
                command = self._write_script(seat, bot)
                self._wrapped.add((seat, bot.name))
            else:
                command = " ".join(bot.command)
            known = self._commands[seat, bot.name] = (bot, command)
        return known[1]

    def environment(self, bots: Sequence[BotSpec], seeds: Sequence[int]) -> dict[str, str]:
        """Give what the scripts of these bots, by seat, look for in the environment; empty if there are none."""
        found: dict[str, str] = {}
        if not self._wrapped:
            return found
        for seat, (bot, seed) in enumerate(zip(bots, seeds, strict=True)):
            if (seat, bot.name) in self._wrapped:
                name = f"{_SEEN_BY}{seat + 1}"
                found[f"{name}_SEED"] = str(seed)
                found |= {f"{name}_ENV_{key}": value for key, value in bot.env}
                if self._spec.drains_bots:
                    found[f"{name}_STDERR"] = self._drain(seat).path
        return found

    def is_wrapped(self, seat: int, bot: BotSpec) -> bool:
        """Say whether a bot is started by a script, and so is given its seed."""
        return (seat, bot.name) in self._wrapped

    def scratch(self, name: str) -> str:
        """Give a path in a private folder that goes with this object."""
        if self._private is None:
            self._private = _private_folder()
        return f"{self._private}/{name}"

    def _drain(self, seat: int) -> Drain:
        while len(self.drains) <= seat:
            self.drains.append(Drain(self.scratch(f"stderr-p{len(self.drains) + 1}")))
        return self.drains[seat]

    def _needs_script(self, bot: BotSpec) -> bool:
        return (
            self._spec.drains_bots
            or bool(bot.env)
            or bot.isolation is Isolation.SANDBOX
            or Path(bot.cwd) != Path(self._spec.cwd)
            or not is_safe(bot.command)
        )

    def _write_script(self, seat: int, bot: BotSpec) -> str:
        """Write a bot's script, whole or not at all: other workers write and start the same. Raises BotStartError."""
        program = Path(bot.cwd, bot.command[0])
        if not os.access(program, os.X_OK) or program.is_dir():
            number = errno.EACCES if program.exists() else errno.ENOENT
            raise start_error(bot, why_not_started(bot, OSError(number, os.strerror(number))))
        folder = f"{self._spec.folder}/scripts"
        if not self._spec.folder or not is_safe([folder]):
            folder = self.scratch("scripts")
        Path(folder).mkdir(parents=True, exist_ok=True)
        path = f"{folder}/p{seat + 1}-{re.sub('[^A-Za-z0-9_.-]', '_', bot.name)}"
        part = f"{path}.{os.getpid()}"
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o755), "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(build_script(seat, bot))
        os.replace(part, path)  # noqa: PTH105 - plain names
        return path

    def close(self) -> None:
        """Remove the private folder."""
        for drain in self.drains:
            drain.close()
        self.drains = []
        if self._private is not None:
            shutil.rmtree(self._private, ignore_errors=True)
            self._private = None
        self._commands.clear()


def build_script(seat: int, bot: BotSpec) -> str:
    """Give the text of a bot's script. No secret stands in it: values come from the referee's environment."""
    name = f"{_SEEN_BY}{seat + 1}"
    settings = [f'{key}="${{{name}_ENV_{key}-}}"' for key, _ in bot.env] + [f'HARNESS_BOT_SEED="${{{name}_SEED-}}"']
    if bot.isolation is Isolation.SANDBOX:
        given = {key for key, _ in bot.env}
        kept = [f"{k}={shlex.quote(v)}" for k, v in sandbox.build_environment(bot).items() if k not in given]
        words = f"env -i {' '.join([*kept, *settings])} {shlex.join(sandbox.build_command(bot))}"
    else:
        words = shlex.join(bot.command)
    return "\n".join(
        [
            "#!/bin/sh",
            f"# {bot.name} as player {seat + 1}: made by harness for a referee that splits commands at blanks",
            f'if [ -n "${{{GAME}-}}" ]; then . "${GAME}"; unset {GAME}; fi',
            f'if [ -n "${{{name}_STDERR-}}" ]; then exec 2>"${name}_STDERR"; fi',
            *([f"export {each}" for each in settings] if bot.isolation is not Isolation.SANDBOX else []),
            f"cd {shlex.quote(bot.cwd)} || exit 126",
            f"exec {words}",
            "",
        ]
    )


def _private_folder() -> str:
    """Make a folder for this process alone, at a path without blanks, and remove those of processes that are gone."""
    roots = [root for root in (tempfile.gettempdir(), "/tmp", "/var/tmp") if is_safe([root])]  # noqa: S108
    for root in roots:
        with contextlib.suppress(OSError):
            for old in Path(root).glob(f"{_PREFIX}*"):
                key = old.name.removeprefix(_PREFIX).split("-")[0]
                owner = int(key, 16) if re.fullmatch("[0-9a-f]+", key) else 0
                if owner and not reaper.is_alive(owner) and old.stat().st_uid == os.getuid():
                    shutil.rmtree(old, ignore_errors=True)
        with contextlib.suppress(OSError):
            return tempfile.mkdtemp(prefix=f"{_PREFIX}{reaper.owner_key(os.getpid()):x}-", dir=root)
    raise RefereeError(
        "there is no folder for what the referee needs at a path without blanks",
        got=", ".join(roots) or tempfile.gettempdir(),
        next_step="set TMPDIR to one",
    )
