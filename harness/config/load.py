"""Reads a config file: YAML, models, bots, cross-checks; gives a `Config` or one ConfigError that names them all.

Does not check what only others know: the rule set's parameters, the ledger's ranges, whether seats fit the rules.
Imports pydantic, so import it when a config is to be read, not before.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from harness.config.bots import build_bot, build_time
from harness.config.content import is_file, is_folder
from harness.config.document import Document, read_document
from harness.config.gate import build_gate
from harness.config.models import ConfigFile
from harness.config.problems import Problem, build_problem, collect_problems, raise_problems
from harness.config.referee import REFEREE, as_played_by, build_referee, check_bots
from harness.config.schedule import build_schedule
from harness.config.scoring import build_scoring
from harness.config.section import NAME
from harness.config.seeds import build_listed
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
from harness.config.unknown import find_unknown_keys
from harness.config.written import BotProblems, WrittenBot, read_bot
from harness.records import Adjudication, BotSpec, RulesSpec, TimeControl


def load_config(path: Path) -> Config:
    """Read and check a config and the bot.yaml files it names.

    Raises ConfigError, whose `where` is `file:line`. The file's own folder is where its relative paths start.
    """
    document = read_document(path)
    missing = _missing(document)
    try:
        file = ConfigFile.model_validate(document.data)
    except ValidationError as error:
        raise_problems([*find_unknown_keys(ConfigFile, document), *collect_problems(error, document), *missing])
        raise
    raise_problems(missing)
    folder = path.parent.resolve()
    name = file.name if file.name is not None else path.name.removesuffix(".yaml").removesuffix(".yml")
    problems: list[Problem] = []
    if not re.match(NAME, name):
        problems.append(
            build_problem(document, (), "the file's name cannot be the run's", got=name, next_step="add `name: …`")
        )
    time = build_time(file.time) if file.time is not None else TimeControl()
    referee = None
    if file.referee is not None:
        try:
            referee = build_referee(file.referee, document, folder)
        except BotProblems as error:
            problems += error.problems
    written: dict[str, WrittenBot] = {}
    made: list[tuple[BotSpec, BotSource]] = []
    skipped: list[SkippedBot] = []
    for bot_name, entry in file.bots.items():
        try:
            written[bot_name] = read_bot(bot_name, entry, document, folder)
            if file.referee is not None:
                written[bot_name] = as_played_by(file.referee.mode, written[bot_name])
            result = build_bot(written[bot_name], time)
        except BotProblems as error:
            problems += error.problems
            for problem in error.problems:
                if not problem.where.startswith(f"{path}:"):  # in bot.yaml: sort it where the config names the bot
                    problem.place = document.lines["bots", bot_name]
        else:
            if isinstance(result, SkippedBot):
                skipped.append(result)
            else:
                made.append(result)
    problems += _module_clashes(made, written)
    if file.referee is not None:
        problems += check_bots(file, document, written, [spec for spec, _ in made])
        if file.referee.mode != "old":
            made = [(replace(spec, protocol=REFEREE), source) for spec, source in made]
    gone = {bot.name: bot.reason for bot in skipped}
    gate = build_gate(file, name, folder, document, gone, problems) if file.gate is not None else None
    results = Path(os.path.normpath(folder / file.results))
    scoring = None
    if file.scoring is not None:
        scoring = build_scoring(file.scoring, folder, results, document, problems, has_gate=gate is not None)
    raise_problems(problems)
    if gate is not None:
        first = gate.policy.stages[0]
        opponents = () if gate.champion_lineage is not None else (gate.champion,)
        schedule = Schedule(ScheduleType.GAUNTLET, candidate=gate.candidates[0], opponents=opponents)
        maps = _ledger_maps(file, folder, first.split, first.n_maps)
    else:
        if file.maps.seeds is not None:
            maps = build_listed(file, folder, document, problems)
        else:
            maps = _ledger_maps(file, folder, file.maps.split, file.maps.count)
        schedule = build_schedule(file, document, gone, problems)
        raise_problems(problems)
    return Config(
        name=name,
        path=path,
        folder=folder,
        results=results,
        bots=tuple(spec for spec, _ in made),
        sources=tuple(source for _, source in made),
        skipped=tuple(skipped),
        rules=_rules(file, folder),
        time=time,
        adjudication=Adjudication(**file.adjudication.model_dump()),
        schedule=schedule,
        maps=maps,
        seats=Seats(file.seats),
        workers=None if file.workers == "auto" else file.workers,
        transcripts=file.transcripts == "all",
        stop_after=StopAfter(**file.stop_after.model_dump()),
        pin=Pin(file.pin),
        gate=gate,
        locator=Locator(document, written),
        scoring=scoring,
        referee=referee,
    )


def _missing(document: Document) -> list[Problem]:
    """List the keys that are needed without a referee, or with one that leaves the time to us."""
    referee = document.data.get("referee")
    needed = ["rules"] if referee is None else []
    if referee is None or (isinstance(referee, dict) and referee.get("mode") == "old"):
        needed.append("time")
    problems = []
    for key in needed:
        if document.data.get(key) is None:
            more = ", or a `referee`" if key == "rules" else ""
            step = f"add it{more}; docs/config.md says what it holds"
            problem = build_problem(document, (key,), "it is missing", next_step=step)
            problem.place = max(document.lines.values())
            problems.append(problem)
    return problems


def _rules(file: ConfigFile, folder: Path) -> RulesSpec:
    if file.rules is None:
        return RulesSpec(REFEREE)
    return RulesSpec(file.rules.name, _freeze_params(file.rules.model_extra or {}), str(folder))


def _ledger_maps(file: ConfigFile, folder: Path, split: str | None, count: int | None) -> MapsSpec:
    assert file.maps.ledger is not None
    assert split is not None
    assert count is not None
    return MapsSpec(Path(os.path.normpath(folder / file.maps.ledger)), split, count)


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


def _module_clashes(made: list[tuple[BotSpec, BotSource]], written: Mapping[str, WrittenBot]) -> list[Problem]:
    """Refuse two in-process bots whose modules have one name but lie in two folders: Python loads one of them."""
    folders: dict[str, str] = {}
    problems = []
    for spec, _ in made:
        top = (spec.python or "").rpartition(":")[0].partition(".")[0]
        if spec.python is None or spec.python.rpartition(":")[0].endswith(".py"):
            continue
        if not (is_file(Path(spec.cwd, f"{top}.py")) or is_folder(Path(spec.cwd, top))):
            continue
        if folders.setdefault(top, spec.cwd) != spec.cwd:
            document, place = written[spec.name].place("python")
            problems.append(
                build_problem(
                    document,
                    place,
                    f"another bot's module `{top}` lies in another folder; Python loads one module of a name",
                    got=spec.python,
                    next_step="write `file.py:callable`, which is loaded under a name of its own",
                )
            )
    return problems


def _freeze_params(params: Mapping[str, object]) -> tuple[tuple[str, object], ...]:
    return tuple((key, _frozen(value)) for key, value in params.items())


def _frozen(value: object) -> object:
    """Make lists tuples all the way down, so that a spec cannot be changed by who reads it."""
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value
