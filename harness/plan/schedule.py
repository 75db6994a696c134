"""Who meets whom: lineups of bot names from a schedule. Pure; the order is part of the plan and never changes."""

from __future__ import annotations

from itertools import combinations

from harness.config.settings import Schedule, ScheduleType

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
    With one seat nobody meets anybody: everyone plays the maps alone.
    """
    if schedule.type is ScheduleType.ROUND_ROBIN:
        _check_enough(schedule.bots, n_seats, "bots", "bots")
        return tuple(combinations(schedule.bots, n_seats))
    assert schedule.candidate is not None
    if n_seats == 1:
        return tuple((name,) for name in (schedule.candidate, *schedule.opponents))
    _check_enough(schedule.opponents, n_seats - 1, "opponents", "opponents for the candidate")
    return tuple((schedule.candidate, *others) for others in combinations(schedule.opponents, n_seats - 1))


def _check_enough(names: tuple[str, ...], needed: int, key: str, what: str) -> None:
    if len(names) < needed:
        raise ScheduleError(
            f"there are too few {what} for the seats of the rules",
            key=key,
            got=", ".join(names) or "none",
            allowed=f"{needed} or more",
            next_step="add bots, or copies of one under other names",
        )
