"""What a plan will cost before it is played: games, and time from a measured or assumed game. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from harness.plan.plan import Plan
from harness.records import TimeControl


@dataclass(frozen=True, slots=True)
class Cost:
    """How much there is to play.

    Seconds of wall time with all workers busy; None where nothing is known. `n_lineups` play each map. `plies_bound`
    bounds the plies of all games. `estimate_s` comes from the seconds of a game that were measured or assumed;
    `bound_s` is what the time control allows at worst if every bot uses all of its time.
    """

    n_maps: int
    n_lineups: int
    n_jobs: int
    n_games: int
    plies_bound: int | None
    estimate_s: float | None
    bound_s: float | None


def compute_cost(plan: Plan, *, n_workers: int, game_s: float | None = None, max_plies: int | None = None) -> Cost:
    """Compute the cost of a whole plan.

    `game_s` is the mean wall time of a game in seconds. `max_plies` is the rules' own bound on a game's plies, if
    they have one; the adjudication's bound is used if it is lower. Raises ValueError for less than one worker.
    """
    if n_workers < 1:
        raise ValueError(f"compute_cost needs at least one worker, got {n_workers}")
    bounds = [bound for bound in (plan.adjudication.max_plies, max_plies) if bound is not None]
    plies = min(bounds) if bounds else None
    busy = min(n_workers, max(len(plan), 1))
    worst = _worst_game_s(plan, plies) if plan.referee is None else plan.referee.time_limit_s
    return Cost(
        n_maps=plan.n_maps,
        n_lineups=plan.lineups_per_map,
        n_jobs=len(plan),
        n_games=plan.n_games,
        plies_bound=None if plies is None else plies * plan.n_games,
        estimate_s=None if game_s is None else game_s * plan.n_games / busy,
        bound_s=None if worst is None else worst * plan.n_games / busy,
    )


def _worst_game_s(plan: Plan, plies: int | None) -> float | None:
    """Give the longest a game can take by the clock, as if all its seats had the slowest control of the plan."""
    if plies is None or not plan.lineups:
        return None
    controls = {bot.time or plan.time for lineup in plan.lineups for bot in lineup}
    return max(_game_ms(control, plies, len(plan.seatings[0])) for control in controls) / 1000


def _game_ms(time: TimeControl, plies: int, n_seats: int) -> int:
    """Give the most a game may take if every seat has this control. A first ply may be longer than the others."""
    if time.per_ply_ms is not None:
        first = min(time.first_ply_ms or time.per_ply_ms, time.wall_ms)
        return plies * (time.per_ply_ms + time.grace_ms) + n_seats * max(first - time.per_ply_ms, 0)
    if time.base_ms is not None:
        whole = n_seats * time.base_ms + plies * (time.increment_ms + time.grace_ms)
        return min(whole, plies * time.wall_ms)
    return plies * time.wall_ms
