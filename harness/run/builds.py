"""Builds bots that need it, once for each state of their sources.

A stamp in the bot's folder (`.harness/build.json`) remembers which sources the last good build had.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from harness.config.fingerprint import source_fingerprint
from harness.config.referee import REFEREE
from harness.config.settings import Build, Config
from harness.errors import BotStartError, quoted
from harness.protocols.process import run_command
from harness.records import BotSpec

_BUILD_S = 600.0


def build_bots(config: Config, tell: Callable[[str], None]) -> None:
    """Run the builds that are due; `tell` gets a line for each. Raises BotStartError with the build's own output."""
    for bot in config.bots:
        build = config.builds[bot.name]
        if build is not None:
            _build(bot, build, tell)
    program = config.referee
    if program is not None and program.source.build is not None:
        _build(program.bot, program.source.build, tell)


def _build(bot: BotSpec, build: Build, tell: Callable[[str], None]) -> None:
    stamp = build.folder / ".harness" / "build.json"
    program = bot.command[0] if bot.command else None
    state = source_fingerprint(build, program)
    if _stamped(stamp) == state and (program is None or Path(program).exists()):
        return
    tell(f"building {bot.name}: {' '.join(build.command)}")
    try:
        (build.folder / "build").mkdir(exist_ok=True)
        result = run_command(build.command, str(build.folder), _BUILD_S)
        why = f"exit code {result.exit_code}{quoted(result.output)}" if result.exit_code else None
    except (OSError, TimeoutError) as error:
        why = str(error)
    if why is None and program is not None and not Path(program).exists():
        why = f"it ended well but made no {program}{quoted(result.output)}"
    if why is not None:
        raise BotStartError(
            "the referee cannot be built" if bot.name == REFEREE else f"bot {bot.name!r} cannot be built",
            got=why,
            next_step=f"run it by hand: cd {build.folder} && {' '.join(build.command)}",
        )
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(json.dumps({"sources": state}) + "\n", encoding="utf-8")


def _stamped(stamp: Path) -> str | None:
    try:
        return str(json.loads(stamp.read_text(encoding="utf-8"))["sources"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
