"""One error rate over several candidates: which level the next one is judged at, and the policy at that level.

Levels are fixed before the candidate's first game, from decisions that are on record. Pure; must not import numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from harness.config.policy import Budget, DuelStage, LowerBoundRule, Policy, SprtRule
from harness.stats.online_errors import lord_level, spending_level


@dataclass(frozen=True, slots=True)
class Level:
    """What one candidate may be judged at: `alpha` of the stage that decides, `whole` for the series of them.

    `position` is the candidate's place in the series, from 1.
    """

    budget: Budget
    position: int
    alpha: float
    whole: float


class NoErrorRateError(ValueError):
    """The policy states no error rate that a budget could share out."""


def deciding_stage(policy: Policy) -> DuelStage | None:
    """Give the last stage against the champion that states an error rate; None if none does."""
    stated = [
        stage
        for stage in policy.stages
        if isinstance(stage, DuelStage) and isinstance(stage.rule, SprtRule | LowerBoundRule)
    ]
    return stated[-1] if stated else None


def level_of(policy: Policy, budget: Budget, *, n_candidates: int = 1, promoted: Sequence[bool] = ()) -> Level:
    """Give the level of the next candidate.

    `promoted` are the decisions of the series so far, oldest first: of this config's candidates, with a lineage of all
    that were gated into it. A promotion needs every stage, so the rate of the deciding stage bounds the whole gate's.
    Raises NoErrorRateError if a budget is asked for and no stage states a rate.
    """
    stage = deciding_stage(policy)
    if stage is None:
        if budget is Budget.NONE:
            return Level(budget, len(promoted) + 1, 1.0, 1.0)
        raise NoErrorRateError("no stage states an error rate: a score to reach has none")
    assert isinstance(stage.rule, SprtRule | LowerBoundRule)
    whole = stage.rule.alpha
    position = len(promoted) + 1
    match budget:
        case Budget.NONE:
            alpha = whole
        case Budget.EQUAL:
            alpha = whole / n_candidates
        case Budget.SPENDING:
            alpha = spending_level(position, whole)
        case Budget.LORD:
            alpha = lord_level(promoted, whole)
    return Level(budget, position, alpha, whole)


def at_level(policy: Policy, level: Level) -> Policy:
    """Give the policy with the deciding stage's rate at the level's; the same policy if nothing changes."""
    stage = deciding_stage(policy)
    if stage is None or level.alpha == level.whole:
        return policy
    rule = stage.rule
    if isinstance(rule, SprtRule):
        stricter: SprtRule | LowerBoundRule = replace(rule, alpha=level.alpha)
    else:
        assert isinstance(rule, LowerBoundRule)
        stricter = replace(rule, confidence=1.0 - 2.0 * level.alpha)
    return Policy(tuple(replace(stage, rule=stricter) if other is stage else other for other in policy.stages))
