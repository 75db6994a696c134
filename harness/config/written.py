"""A bot as its two files say it: the config's entry and the bot.yaml of its folder, merged, each key with its place.

Checks the shape of both and no more; what the keys mean is `bots`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from harness.config.content import is_folder
from harness.config.document import Document, KeyPath, read_document
from harness.config.models import BotEntry, BotSection, LimitsSection
from harness.config.problems import Problem, build_problem, collect_problems
from harness.config.unknown import find_unknown_keys

BOT_FILE = "bot.yaml"

_OF_A_PROGRAM = frozenset({"command", "protocol", "env", "cwd", "limits", "build", "threads", "isolation", "readable"})
"""Keys of bot.yaml that go with its command: not used when the config says `python`."""


class BotProblems(Exception):  # noqa: N818 - carries problems to `load`, which makes the error
    """What is wrong with one bot."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(problems)
        self.problems = problems


@dataclass(frozen=True, slots=True)
class WrittenBot:
    """A bot as its two files say it, merged, and where each key stands."""

    name: str
    base: Path
    folder: Path | None
    keys: Mapping[str, object]
    document: Document
    bot_file: Document | None

    def place(self, *keys: str | int) -> tuple[Document, KeyPath]:
        """Say in which file a key of this bot stands, the config first."""
        inside: KeyPath = ("bots", self.name, *keys)
        if keys and self.bot_file is not None and not self.document.has(inside):
            shorter = keys
            while shorter:
                if self.bot_file.has(shorter):
                    return self.bot_file, shorter
                shorter = shorter[:-1]
        return self.document, inside

    def problem(
        self,
        keys: KeyPath,
        what: str,
        *,
        got: str | None = None,
        allowed: str | None = None,
        next_step: str | None = None,
    ) -> BotProblems:
        """Make the error of one key."""
        document, path = self.place(*keys)
        return BotProblems([build_problem(document, path, what, got=got, allowed=allowed, next_step=next_step)])


def read_bot(name: str, entry: BotEntry, document: Document, config_folder: Path) -> WrittenBot:
    """Join a config's entry with the bot.yaml of its folder, if it has one.

    Raises BotProblems; ConfigError if bot.yaml is no YAML.
    """
    keys: dict[str, object] = {}
    bot_file = None
    folder = None
    if entry.folder is not None:
        folder = Path(os.path.normpath(config_folder / entry.folder))
        if not is_folder(folder):
            raise BotProblems(
                [
                    build_problem(
                        document,
                        ("bots", name, "folder"),
                        "there is no such folder",
                        got=entry.folder,
                        next_step=f"it is relative to the config: looked for {folder}",
                    )
                ]
            )
        if os.path.lexists(folder / BOT_FILE):
            bot_file = read_document(_as_named(document.path, entry.folder) / BOT_FILE)
            try:
                section = BotSection.model_validate(bot_file.data)
            except ValidationError as error:
                unknown = find_unknown_keys(BotSection, bot_file)
                raise BotProblems([*unknown, *collect_problems(error, bot_file)]) from None
            keys = {key: getattr(section, key) for key in section.model_fields_set}
    if entry.python is not None:
        keys = {key: value for key, value in keys.items() if key not in _OF_A_PROGRAM}
    elif entry.command is not None:
        keys.pop("python", None)
    for key in entry.model_fields_set - {"folder"}:
        keys[key] = _merged(keys.get(key), getattr(entry, key))
    return WrittenBot(name, folder or config_folder, folder, keys, document, bot_file)


def _as_named(config: Path, folder: str) -> Path:
    """Name the bot's folder as the user would, for messages."""
    return Path(os.path.normpath(config.parent / folder))


def _merged(low: object, high: object) -> object:
    if isinstance(low, dict) and isinstance(high, dict):
        return {**low, **high}
    if isinstance(low, LimitsSection) and isinstance(high, LimitsSection):
        return low.model_copy(update={key: getattr(high, key) for key in high.model_fields_set})
    return high
