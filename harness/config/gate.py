"""From the gate section to `GateSettings`: every name is one of a bot, stages become a policy. Pure but for paths."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path

from harness.config.document import Document
from harness.config.gate_models import DuelSection, GateSection, PanelSection, PassSection
from harness.config.models import ConfigFile
from harness.config.policy import (
    LINEAGE,
    Budget,
    DuelStage,
    GateSettings,
    LowerBoundRule,
    PanelStage,
    Policy,
    Rule,
    ScoreRule,
    SprtRule,
    SprtUnit,
    Stage,
    StageKind,
)
from harness.config.problems import Problem, build_problem


def build_gate(
    file: ConfigFile, name: str, folder: Path, document: Document, skipped: Mapping[str, str], problems: list[Problem]
) -> GateSettings:
    """Make a gate's settings; what is wrong with its names is added to `problems`. `name` is the config's."""
    section = file.gate
    assert section is not None
    candidates = [section.candidate] if section.candidate is not None else list(section.candidates or ())
    used: list[tuple[str, tuple[str | int, ...]]] = []
    if section.candidate is not None:
        used.append((section.candidate, ("gate", "candidate")))
    else:
        used += [(candidate, ("gate", "candidates", index)) for index, candidate in enumerate(candidates)]
    if not section.champion.startswith(LINEAGE):
        used.append((section.champion, ("gate", "champion")))
    if section.panel is not None:
        used += [(bot, ("gate", "panel", "bots", index)) for index, bot in enumerate(section.panel.bots)]
    for bot, place in used:
        _check_bot(bot, place, file, document, skipped, problems)
    _check_different(section, candidates, document, problems)
    champions = section.champions if section.champions is not None else f"{file.results}/champions"
    own = section.champion.removeprefix(LINEAGE) if section.champion.startswith(LINEAGE) else name
    return GateSettings(
        candidates=tuple(candidates),
        champion=section.champion,
        lineage=section.lineage or own,
        champions=Path(os.path.normpath(folder / champions)),
        budget=Budget(section.budget),
        policy=Policy(tuple(_stages(section))),
    )


def _stages(section: GateSection) -> list[Stage]:
    stages: list[Stage] = []
    for kind in StageKind:
        written = getattr(section, kind.value)
        if isinstance(written, PanelSection):
            stages.append(
                PanelStage(
                    tuple(dict.fromkeys(written.bots)),
                    written.split,
                    written.maps,
                    -written.no_worse_than,
                    written.confidence,
                )
            )
        elif isinstance(written, DuelSection):
            n_maps = written.passes.max_maps if written.maps is None else written.maps
            assert n_maps is not None
            stages.append(DuelStage(kind, written.split, n_maps, _rule(written.passes), written.futility))
    return stages


def _rule(section: PassSection) -> Rule:
    if section.score is not None:
        return ScoreRule(section.score)
    if section.lower_bound is not None:
        return LowerBoundRule(section.lower_bound, 0.95 if section.confidence is None else section.confidence)
    sprt = section.sprt
    assert sprt is not None
    if sprt.nelo0 is not None and sprt.nelo1 is not None:
        return SprtRule(SprtUnit.NELO, sprt.nelo0, sprt.nelo1, sprt.alpha, sprt.beta)
    assert sprt.elo0 is not None
    assert sprt.elo1 is not None
    return SprtRule(SprtUnit.ELO, sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta)


def _check_bot(
    bot: str,
    place: tuple[str | int, ...],
    file: ConfigFile,
    document: Document,
    skipped: Mapping[str, str],
    problems: list[Problem],
) -> None:
    if bot in skipped:
        step = "install it, or leave it out of the gate"
        problems.append(build_problem(document, place, f"it cannot play here: {skipped[bot]}", got=bot, next_step=step))
    elif bot not in file.bots:
        near = difflib.get_close_matches(bot, file.bots, n=1)
        problems.append(
            build_problem(
                document,
                place,
                "there is no bot of this name",
                got=bot,
                allowed=", ".join(file.bots),
                next_step=f"did you mean `{near[0]}`?" if near else "add it under `bots`",
            )
        )


def _check_different(section: GateSection, candidates: list[str], document: Document, problems: list[Problem]) -> None:
    """Refuse a bot that is to beat itself, stands twice, or sits on the panel that guards it."""
    key = "candidates" if section.candidate is None else "candidate"
    for index, candidate in enumerate(candidates):
        place: tuple[str | int, ...] = ("gate", key) if key == "candidate" else ("gate", key, index)
        if candidate == section.champion:
            step = "for the noise floor gate a copy of it under another name"
            problems.append(build_problem(document, place, "it is the champion itself", got=candidate, next_step=step))
        if candidate in candidates[:index]:
            problems.append(build_problem(document, place, "it stands twice", got=candidate, next_step="remove one"))
    panel = section.panel.bots if section.panel is not None else []
    for index, bot in enumerate(panel):
        place = ("gate", "panel", "bots", index)
        if bot in {*candidates, section.champion}:
            step = "the panel is who both of them meet: remove it"
            problems.append(build_problem(document, place, "it is judged itself", got=bot, next_step=step))
        elif bot in panel[:index]:
            problems.append(build_problem(document, place, "it stands twice", got=bot, next_step="remove one"))
