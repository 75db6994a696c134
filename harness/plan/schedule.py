"""Who meets whom: lineups of bot names from a schedule. Pure; the order is part of the plan and never changes."""

from __future__ import annotations

from itertools import combinations

from harness.config.settings import Schedule, ScheduleType
from harness.plan.pool import MAX_POOL, build_tables

Lineup = tuple[str, ...]


class ScheduleError(ValueError):
    """The schedule does not fill the seats. `key` is the key of `schedule` that is meant."""

    def __init__(self, what: str, *, key: str, got: str, allowed: str, next_step: str) -> None:
        super().__init__(what)
        self.what = what
        self.key = key
        self.got = got
        self.allowed = allowed
        self.next_step = next_step


def build_lineups(schedule: Schedule, n_seats: int) -> tuple[Lineup, ...]:
    """Give the lineups of a schedule, each with one bot a seat. Raises ScheduleError if there are too few bots.

    Gauntlet: the candidate with every choice of n_seats - 1 opponents. Round robin: every choice of n_seats bots.
    With one seat nobody meets anybody: everyone plays the maps alone. Mixed: a cycle of lineups, of which
    `lineups_per_map` in turn play each map, with the candidate in each if there is one.
    """
    if schedule.type is ScheduleType.MIXED:
        return _mixed(schedule, n_seats)
    if schedule.type is ScheduleType.ROUND_ROBIN:
        _check_enough(schedule.bots, n_seats, "bots", "bots")
        return tuple(combinations(schedule.bots, n_seats))
    assert schedule.candidate is not None
    if n_seats == 1:
        return tuple((name,) for name in (schedule.candidate, *schedule.opponents))
    _check_enough(schedule.opponents, n_seats - 1, "opponents", "opponents for the candidate")
    return tuple((schedule.candidate, *others) for others in combinations(schedule.opponents, n_seats - 1))


def lineups_per_map(schedule: Schedule, n_seats: int) -> int | None:
    """Give how many lineups play each map; None for all of them. Raises ScheduleError as `build_lineups` does."""
    if schedule.type is not ScheduleType.MIXED:
        return None
    n_drawn = n_seats - (schedule.candidate is not None)
    if n_seats < 2 or len(schedule.bots) > MAX_POOL:
        raise ScheduleError(
            "lineups of one bot cannot be mixed" if n_seats < 2 else "the pool is too large to be mixed",
            key="type" if n_seats < 2 else "bots",
            got="mixed, for rules with one seat" if n_seats < 2 else f"{len(schedule.bots)} bots",
            allowed="gauntlet or round_robin" if n_seats < 2 else f"at most {MAX_POOL}",
            next_step="write `type: round_robin`" if n_seats < 2 else "play parts of the pool",
        )
    _check_enough(schedule.bots, n_drawn, "bots", "bots to draw from")
    most = max(1, len(schedule.bots) // n_drawn)
    wanted = most if schedule.lineups_per_map is None else schedule.lineups_per_map
    if wanted > most:
        raise ScheduleError(
            "more lineups on a map than the bots can fill, each in one of them",
            key="lineups_per_map",
            got=str(wanted),
            allowed=f"1 to {most}: {len(schedule.bots)} bots, {n_drawn} drawn for each lineup",
            next_step="leave it out, add bots, or play more maps",
        )
    return wanted


def _mixed(schedule: Schedule, n_seats: int) -> tuple[Lineup, ...]:
    per_map = lineups_per_map(schedule, n_seats)
    assert per_map is not None
    bots = schedule.bots
    first = () if schedule.candidate is None else (schedule.candidate,)
    n_drawn = n_seats - len(first)
    if n_drawn == 1:
        return tuple((*first, name) for name in bots)
    tables = build_tables(len(bots), n_drawn, per_map)
    return tuple((*first, *(bots[index] for index in sorted(table))) for table in tables)


def _check_enough(names: tuple[str, ...], needed: int, key: str, what: str) -> None:
    if len(names) < needed:
        raise ScheduleError(
            f"there are too few {what} for the seats of the rules",
            key=key,
            got=", ".join(names) or "none",
            allowed=f"{needed} or more",
            next_step="add bots, or copies of one under other names",
        )
