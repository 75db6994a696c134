"""Whether a referee plays the seed that it is given; and if not, which of the known ways to give it one works.

Told by the seed that the referee says it played, where it says one. Else by what it tells of the game: the same seed
twice and another once, with the same bots and their same seeds. Bots that play at random hide what such a comparison
looks for; then nobody can tell, and it says so. It decides nothing: who asks refuses or warns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from harness.config.referee import REFEREE
from harness.errors import ConfigError, Halt, VoidGame
from harness.plan.plan import Plan
from harness.play.table import Table
from harness.records import MapJob, RefereeSpec
from harness.referee.base import WholeGame
from harness.referee.calls import SEED_FORMS, placeholders, takes_seed
from harness.referee.external import same_seed
from harness.run.prepare import Prepared
from harness.seeding import bot_seeds

_TRIAL_S = 60.0
"""How long a game may last with a way to give the seed that is only tried."""


_obeyed: set[tuple[str, tuple[str, ...]]] = set()
"""Referees, by fingerprint and the way they take a seed, that this process has seen obey it: `brutal` looks first."""


class SeedState(StrEnum):
    """What was found of a referee and its seed."""

    OBEYED = "obeyed"  # it says that it played the seeds it was given
    LIKELY = "likely"  # it does not say; the same seed gave the same game, another one another
    IGNORED = "ignored"  # it says another seed, or tells other things of the same
    UNKNOWN = "unknown"  # nothing that it tells depends on the seed, or the bots play at random
    NONE = "none"  # it is given none


@dataclass(frozen=True, slots=True)
class SeedFinding:
    """What was found, in words too. `works` are the words of a way that works, where the one given does not."""

    state: SeedState
    words: str
    works: tuple[str, ...] = ()

    @property
    def next_step(self) -> str:
        """Say what to do about an ignored seed."""
        if self.works:
            return f"write `seed: {' '.join(self.works)}`: with it the referee plays the seed"
        return (
            "none of the known ways to give a seed works: look for its own in its help or source and write it as "
            "`seed`, or write `paired: false` to have results that are marked unpaired"
        )


def check_seed(plan: Plan, *, is_quick: bool = False) -> SeedFinding:
    """Play two or three games of a plan's first lineup and say what they tell; more if the seed is ignored.

    `is_quick` is content with one game if the referee says the right seed. Raises VoidGame and Halt if it fails.
    """
    spec = plan.referee
    assert spec is not None
    if not takes_seed(spec):
        return SeedFinding(SeedState.NONE, "it is given no seed")
    finding = _try(plan, spec, is_quick=is_quick)
    if finding.state is not SeedState.IGNORED or "seed" in placeholders(spec.command):
        return finding
    for words in SEED_FORMS[spec.mode]:
        if words != spec.seed:
            other = replace(spec, seed=words, time_limit_s=min(spec.time_limit_s, _TRIAL_S), folder="")
            try:
                found = _try(plan, other)
            except (VoidGame, Halt):
                continue
            if found.state in {SeedState.OBEYED, SeedState.LIKELY}:
                return replace(finding, works=words)
    return finding


def settle_seed(prepared: Prepared) -> str | None:
    """Refuse to begin a paired run whose referee ignores the seed; give a warning where that cannot be told.

    Raises ConfigError with the way that works. A referee that fails altogether is left to the run, which says so.
    """
    spec = prepared.plan.referee
    if spec is None or not spec.is_paired or (spec.fingerprint, spec.seed) in _obeyed:
        return None
    try:
        finding = check_seed(prepared.plan, is_quick=True)
    except (VoidGame, Halt):
        return None
    if finding.state is SeedState.IGNORED:
        raise ConfigError(
            "`referee.seed`: the referee does not play the seed that it is given",
            where=prepared.config.locate(REFEREE, "seed"),
            got=finding.words,
            next_step=finding.next_step,
        )
    if finding.state is SeedState.UNKNOWN:
        return f"nobody can tell whether the referee plays the seed that it is given: {finding.words}"
    return None


def _try(plan: Plan, spec: RefereeSpec, *, is_quick: bool = False) -> SeedFinding:
    job = replace(plan[0], referee=replace(spec, is_paired=False, folder=""), voids_starved=True)
    finding = _compare(job, plan.seeds[-1], is_quick=is_quick)
    if finding.state is SeedState.OBEYED and spec.fingerprint:
        _obeyed.add((spec.fingerprint, spec.seed))
    return finding


def _compare(job: MapJob, last: int, *, is_quick: bool) -> SeedFinding:
    table = Table()
    other = last if last != job.seed else job.seed + 1
    try:
        first = _play(job, table)
        if first.echo is not None:
            if not same_seed(first.echo, job.seed):
                return SeedFinding(SeedState.IGNORED, f"asked for seed {job.seed}, it says {first.echo}")
            if is_quick:
                return SeedFinding(SeedState.OBEYED, f"it says seed {first.echo}, as asked")
            second = _play(replace(job, seed=other), table)
            if second.echo is None or not same_seed(second.echo, other):
                return SeedFinding(SeedState.IGNORED, f"asked for seed {other}, it says {second.echo}")
            return SeedFinding(SeedState.OBEYED, f"it says the seeds that it was asked for, {job.seed} and {other}")
        same, another = _play(job, table), _play(replace(job, seed=other), table)
    finally:
        table.close()
    if first.data != same.data:
        return SeedFinding(SeedState.IGNORED, f"seed {job.seed} twice, and what it tells of the game differs")
    if _told(first) != _told(same):
        return SeedFinding(SeedState.UNKNOWN, f"seed {job.seed} twice gave two results; the bots may play at random")
    if _told(first) == _told(another):
        return SeedFinding(SeedState.UNKNOWN, f"seeds {job.seed} and {other} gave the same, and it says no seed")
    return SeedFinding(
        SeedState.LIKELY, f"it says no seed, but {job.seed} twice gave the same game and {other} another one"
    )


def _play(job: MapJob, table: Table) -> WholeGame:
    assert job.referee is not None
    bots = [job.lineup[index] for index in job.seatings[0]]
    return table.whole_referee(job.referee).play(job, 0, bots, bot_seeds(job.run_key, job.id, len(bots)))


def _told(game: WholeGame) -> tuple[object, ...]:
    return game.data, game.values, game.scores, game.actions
