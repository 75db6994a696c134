"""Candidate and champion against the same panel on the same maps: no worse as a whole, and against whom it is.

What makes a map easy for both cancels in the difference of the two, so that far fewer maps are needed than on maps of
their own. Pure; must not import numpy.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from harness.config.policy import PanelStage
from harness.stats.distributions import t_cdf
from harness.stats.holm import holm
from harness.stats.intervals import MeanInterval, of_tally
from harness.stats.paired import PairedDifference, compare_on_shared_maps
from harness.stats.tally import MapTally

N_WORST_MAPS = 5
"""How many maps a regression names."""


class PanelState(StrEnum):
    """What the panel stage found."""

    PASSED = "passed"
    REGRESSED = "regressed"  # shown worse than the champion: against the whole panel, or a member of it
    NOT_SHOWN = "not shown"  # neither: too few maps to show that it is no worse


@dataclass(frozen=True, slots=True)
class MemberResult:
    """One panel member: what candidate and champion score against it, and the difference on the same maps.

    `p_worse` is against "no worse", Holm-adjusted over the panel; None where there is no spread to measure by.
    `worst_maps` are the maps with the largest loss to the champion, as (map, difference), worst first.
    """

    bot: str
    candidate: MeanInterval
    champion: MeanInterval
    difference: PairedDifference
    p_worse: float | None
    is_regression: bool
    worst_maps: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class PanelResult:
    """A whole panel stage. `pooled` compares the mean scores against all members, map by map.

    `circles` are members that the champion is shown to beat and the candidate to lose to: if it also beats the champion
    nobody of the three is simply the best. `is_equivalent`: the difference is shown to be within the margin both ways.
    """

    state: PanelState
    pooled: PairedDifference
    members: tuple[MemberResult, ...]
    circles: tuple[str, ...]
    is_equivalent: bool

    @property
    def regressions(self) -> tuple[str, ...]:
        """Name the members that the candidate does shown worse against."""
        return tuple(member.bot for member in self.members if member.is_regression)


def compare_panel(
    stage: PanelStage,
    candidate: Mapping[str, Mapping[int, float]],
    champion: Mapping[str, Mapping[int, float]],
) -> PanelResult:
    """Judge a panel stage from mean map scores: `candidate[bot][map]`, and the same of the champion.

    Only maps that both played against a member count there, and only those played against every member count in the
    whole. Passed if the lower end of the whole difference is above −margin and there is no regression. A regression:
    the difference is below −margin, and one-sided t says "worse" at half of 1 − confidence after Holm's correction
    over the panel. Raises KeyError for a member that a mapping lacks.
    """
    level = 0.5 * (1.0 - stage.confidence)
    differences = [compare_on_shared_maps(candidate[bot], champion[bot], stage.confidence) for bot in stage.bots]
    measured = [index for index, difference in enumerate(differences) if difference.se]
    adjusted = holm([_p_worse(differences[index]) for index in measured])
    p_worse: dict[int, float] = dict(zip(measured, adjusted, strict=True))
    members = []
    for index, (bot, difference) in enumerate(zip(stage.bots, differences, strict=True)):
        p = p_worse.get(index)
        is_below = difference.difference is not None and difference.difference < -stage.margin
        # without a spread to measure by only the exact bounds speak
        is_shown = p <= level if p is not None else difference.high < 0.0
        members.append(
            MemberResult(
                bot=bot,
                candidate=_interval(candidate[bot], stage.confidence),
                champion=_interval(champion[bot], stage.confidence),
                difference=difference,
                p_worse=p,
                is_regression=is_below and is_shown,
                worst_maps=_worst_maps(candidate[bot], champion[bot]),
            )
        )
    pooled = compare_on_shared_maps(_over_all(stage.bots, candidate), _over_all(stage.bots, champion), stage.confidence)
    is_worse = any(member.is_regression for member in members) or pooled.high < 0.0
    if is_worse:
        state = PanelState.REGRESSED
    else:
        state = PanelState.PASSED if pooled.low > -stage.margin else PanelState.NOT_SHOWN
    return PanelResult(
        state=state,
        pooled=pooled,
        members=tuple(members),
        circles=tuple(m.bot for m in members if m.candidate.high < 0.5 < m.champion.low),
        is_equivalent=pooled.low > -stage.margin and pooled.high < stage.margin,
    )


def _p_worse(difference: PairedDifference) -> float:
    assert difference.difference is not None
    assert difference.se is not None
    return t_cdf(difference.difference / difference.se, difference.dof)


def _interval(scores: Mapping[int, float], confidence: float) -> MeanInterval:
    tally = MapTally()
    for number in sorted(scores):
        tally.add(scores[number])
    return of_tally(tally, confidence)


def _over_all(bots: Sequence[str], scores: Mapping[str, Mapping[int, float]]) -> dict[int, float]:
    """Give each map's mean score over all members, for the maps that all of them were met on."""
    shared = set(scores[bots[0]])
    for bot in bots[1:]:
        shared &= scores[bot].keys()
    return {number: sum(scores[bot][number] for bot in bots) / len(bots) for number in sorted(shared)}


def _worst_maps(candidate: Mapping[int, float], champion: Mapping[int, float]) -> tuple[tuple[int, float], ...]:
    losses = ((candidate[number] - champion[number], number) for number in candidate.keys() & champion.keys())
    worst = heapq.nsmallest(N_WORST_MAPS, (item for item in losses if item[0] < 0.0))
    return tuple((number, difference) for difference, number in worst)
