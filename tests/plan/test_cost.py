from collections.abc import Callable
from dataclasses import replace

import pytest

from harness.config.settings import Config
from harness.plan.cost import Cost, compute_cost
from harness.plan.plan import Plan, build_plan
from harness.records import Ledger, TimeControl

MakeConfig = Callable[..., Config]


def plan_of(config: Config, ledger: Ledger) -> Plan:
    return build_plan(config, ledger, n_seats=2, run="night", run_key="key")


def test_counts_and_an_estimate_from_a_measured_game(make_config: MakeConfig, ledger: Ledger) -> None:
    plan = plan_of(make_config("abc", count=10), ledger)
    assert compute_cost(plan, n_workers=2, game_s=0.5) == Cost(
        n_maps=10, n_lineups=2, n_jobs=20, n_games=40, plies_bound=None, estimate_s=10.0, bound_s=None
    )


def test_nothing_known_is_none_and_not_zero(make_config: MakeConfig, ledger: Ledger) -> None:
    cost = compute_cost(plan_of(make_config("ab"), ledger), n_workers=1)
    assert (cost.plies_bound, cost.estimate_s, cost.bound_s) == (None, None, None)


def test_no_more_workers_are_busy_than_there_are_jobs(make_config: MakeConfig, ledger: Ledger) -> None:
    plan = plan_of(make_config("ab", count=2), ledger)
    assert compute_cost(plan, n_workers=64, game_s=1.0).estimate_s == 2.0


def test_the_lower_of_two_bounds_on_plies_counts(make_config: MakeConfig, ledger: Ledger) -> None:
    plan = plan_of(make_config("ab", count=1, max_plies=10), ledger)
    assert compute_cost(plan, n_workers=1, max_plies=300).plies_bound == 20
    assert compute_cost(plan, n_workers=1, max_plies=4).plies_bound == 8


@pytest.mark.parametrize(
    ("time", "game_s"),
    [
        (TimeControl(per_ply_ms=100), 1.0),
        (TimeControl(per_ply_ms=100, grace_ms=20), 1.2),
        (TimeControl(per_ply_ms=100, first_ply_ms=1000), 1.0 + 2 * 0.9),
        (TimeControl(base_ms=1000, increment_ms=10), 2 * 1.0 + 10 * 0.01),
        (TimeControl(base_ms=10**9, wall_ms=500), 5.0),
        (TimeControl(nodes=5, wall_ms=2000), 20.0),
        (TimeControl(depth=5, wall_ms=2000), 20.0),
    ],
)
def test_the_clock_bounds_the_time(make_config: MakeConfig, ledger: Ledger, time: TimeControl, game_s: float) -> None:
    plan = plan_of(make_config("ab", count=1, time=time, max_plies=10), ledger)
    assert compute_cost(plan, n_workers=1).bound_s == pytest.approx(2 * game_s)


def test_the_slowest_bots_own_time_is_the_bound(make_config: MakeConfig, ledger: Ledger) -> None:
    config = make_config("ab", count=1, max_plies=10)
    slow = replace(config.bots[1], time=TimeControl(per_ply_ms=1000))
    plan = plan_of(replace(config, bots=(config.bots[0], slow)), ledger)
    assert compute_cost(plan, n_workers=1).bound_s == pytest.approx(20.0)


def test_no_workers_are_refused(make_config: MakeConfig, ledger: Ledger) -> None:
    with pytest.raises(ValueError, match="at least one worker"):
        compute_cost(plan_of(make_config("ab"), ledger), n_workers=0)
