"""Reads a config file: YAML, models, bots, cross-checks; gives a `Config` or one ConfigError that names them all.

Does not check what only others know: the rule set's parameters, the ledger's ranges, whether seats fit the rules.
Imports pydantic, so import it when a config is to be read, not before.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from harness.config.bots import BotProblems, WrittenBot, build_bot, build_time, read_bot
from harness.config.document import Document, read_document
from harness.config.models import NAME, ConfigFile, GauntletSection
from harness.config.problems import Problem, build_problem, collect_problems, raise_problems
from harness.config.settings import (
    BotSource,
    Config,
    MapsSpec,
    Pin,
    Schedule,
    ScheduleType,
    Seats,
    SkippedBot,
    StopAfter,
)
from harness.records import Adjudication, BotSpec, RulesSpec


def load_config(path: Path) -> Config:
    """Read and check a config and the bot.yaml files it names.

    Raises ConfigError, whose `where` is `file:line`. The file's own folder is where its relative paths start.
    """
    document = read_document(path)
    try:
        file = ConfigFile.model_validate(document.data)
    except ValidationError as error:
        raise_problems(collect_problems(error, document))
        raise
    folder = path.absolute().parent
    name = file.name if file.name is not None else path.name.removesuffix(".yaml").removesuffix(".yml")
    problems: list[Problem] = []
    if not re.match(NAME, name):
        problems.append(
            build_problem(document, (), "the file's name cannot be the run's", got=name, next_step="add `name: …`")
        )
    time = build_time(file.time)
    written: dict[str, WrittenBot] = {}
    made: list[tuple[BotSpec, BotSource]] = []
    skipped: list[SkippedBot] = []
    for bot_name, entry in file.bots.items():
        try:
            written[bot_name] = read_bot(bot_name, entry, document, folder)
            result = build_bot(written[bot_name], time)
        except BotProblems as error:
            problems += error.problems
        else:
            if isinstance(result, SkippedBot):
                skipped.append(result)
            else:
                made.append(result)
    schedule = _schedule(file, document, {bot.name: bot.reason for bot in skipped}, problems)
    raise_problems(problems)
    return Config(
        name=name,
        path=path,
        folder=folder,
        results=Path(os.path.normpath(folder / file.results)),
        bots=tuple(spec for spec, _ in made),
        sources=tuple(source for _, source in made),
        skipped=tuple(skipped),
        rules=RulesSpec(file.rules.name, _freeze_params(file.rules.model_extra or {}), str(folder)),
        time=time,
        adjudication=Adjudication(**file.adjudication.model_dump()),
        schedule=schedule,
        maps=MapsSpec(Path(os.path.normpath(folder / file.maps.ledger)), file.maps.split, file.maps.count),
        seats=Seats(file.seats),
        workers=None if file.workers == "auto" else file.workers,
        transcripts=file.transcripts == "all",
        stop_after=StopAfter(**file.stop_after.model_dump()),
        pin=Pin(file.pin),
        locator=Locator(document, written),
    )


class Locator:
    """Finds the line of a key, in the config or in a bot's own file."""

    def __init__(self, document: Document, written: Mapping[str, WrittenBot]) -> None:
        self._document = document
        self._written = written

    def __call__(self, *keys: str | int) -> str:
        """Give `file:line` of a key or of the closest one above it."""
        if len(keys) > 2 and keys[0] == "bots" and keys[1] in self._written:
            document, inside = self._written[str(keys[1])].place(*keys[2:])
            return document.where(inside)
        return self._document.where(keys)


def _freeze_params(params: Mapping[str, object]) -> tuple[tuple[str, object], ...]:
    return tuple((key, _frozen(value)) for key, value in params.items())


def _frozen(value: object) -> object:
    """Make lists tuples all the way down, so that a spec cannot be changed by who reads it."""
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def _schedule(file: ConfigFile, document: Document, skipped: Mapping[str, str], problems: list[Problem]) -> Schedule:
    """Make the schedule: names checked, defaults filled in, skipped bots left out."""
    section = file.schedule
    if isinstance(section, GauntletSection):
        _check_names([section.candidate], ("candidate",), file, document, problems)
        if section.candidate in skipped:
            problems.append(
                build_problem(
                    document,
                    ("schedule", "candidate"),
                    f"the candidate cannot play here: {skipped[section.candidate]}",
                    next_step="install it, or choose another candidate",
                )
            )
        if section.opponents is None:
            opponents = [name for name in file.bots if name != section.candidate]
        else:
            opponents = section.opponents
            _check_names(opponents, ("opponents",), file, document, problems)
            if section.candidate in opponents:
                problems.append(
                    build_problem(
                        document,
                        ("schedule", "opponents", opponents.index(section.candidate)),
                        "the candidate is among its own opponents",
                        next_step="remove it; to measure the noise add a copy of it under another name",
                    )
                )
        left = tuple(name for name in opponents if name not in skipped)
        return Schedule(ScheduleType.GAUNTLET, candidate=section.candidate, opponents=left)
    bots = list(file.bots) if section.bots is None else section.bots
    if section.bots is not None:
        _check_names(bots, ("bots",), file, document, problems)
    return Schedule(ScheduleType.ROUND_ROBIN, bots=tuple(name for name in bots if name not in skipped))


def _check_names(
    names: list[str], keys: tuple[str], file: ConfigFile, document: Document, problems: list[Problem]
) -> None:
    """Refuse names of no bot, with the nearest, and names that stand twice."""
    for number, name in enumerate(names):
        place = ("schedule", *keys) if keys == ("candidate",) else ("schedule", *keys, number)
        if name not in file.bots:
            near = difflib.get_close_matches(name, file.bots, n=1)
            problems.append(
                build_problem(
                    document,
                    place,
                    "there is no bot of this name",
                    got=name,
                    allowed=", ".join(file.bots),
                    next_step=f"did you mean `{near[0]}`?" if near else "add it under `bots`",
                )
            )
        elif name in names[:number]:
            problems.append(build_problem(document, place, "it stands twice", got=name, next_step="remove one"))
