"""From the schedule section to a `Schedule`: every name is one of a bot, defaults are filled in. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from harness.config.document import Document
from harness.config.models import ConfigFile, GauntletSection, MixedSection
from harness.config.problems import Problem, build_problem
from harness.config.settings import Schedule, ScheduleType


def build_schedule(
    file: ConfigFile, document: Document, skipped: Mapping[str, str], problems: list[Problem]
) -> Schedule:
    """Make a file's schedule: names checked, defaults filled in, skipped bots (name to reason) left out.

    What is wrong is added to `problems`.
    """
    section = file.schedule
    assert section is not None
    if isinstance(section, GauntletSection):
        _check_names([section.candidate], ("candidate",), file, document, problems)
        _check_plays(section.candidate, document, skipped, problems)
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
    if isinstance(section, MixedSection):
        return _mixed(section, bots, file, document, skipped, problems)
    if section.bots is not None:
        _check_names(bots, ("bots",), file, document, problems)
    return Schedule(ScheduleType.ROUND_ROBIN, bots=tuple(name for name in bots if name not in skipped))


def _mixed(
    section: MixedSection,
    bots: list[str],
    file: ConfigFile,
    document: Document,
    skipped: Mapping[str, str],
    problems: list[Problem],
) -> Schedule:
    if section.bots is not None:
        _check_names(section.bots, ("bots",), file, document, problems)
    candidate = section.candidate
    if candidate is not None:
        _check_names([candidate], ("candidate",), file, document, problems)
        _check_plays(candidate, document, skipped, problems)
    left = tuple(name for name in bots if name not in skipped and name != candidate)
    return Schedule(ScheduleType.MIXED, bots=left, candidate=candidate, lineups_per_map=section.lineups_per_map)


def _check_plays(candidate: str, document: Document, skipped: Mapping[str, str], problems: list[Problem]) -> None:
    if candidate in skipped:
        problems.append(
            build_problem(
                document,
                ("schedule", "candidate"),
                f"the candidate cannot play here: {skipped[candidate]}",
                next_step="install it, or choose another candidate",
            )
        )


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
