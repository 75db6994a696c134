"""Budgets: per ply, per game, by CPU time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import BotFault
from harness.play.clock import CpuClock, GameClock, build_clocks
from harness.records import ClockKind, TimeControl

MS = 1_000_000


def test_the_first_ply_may_have_its_own_limit_in_every_game() -> None:
    (clock,) = build_clocks([TimeControl(per_ply_ms=50, first_ply_ms=1000, grace_ms=7)])
    for _ in range(2):
        clock.begin_game()
        budgets = [clock.budget() for _ in range(3)]
        assert [budget.limit_ns for budget in budgets] == [1007 * MS, 57 * MS, 57 * MS]
        assert [budget.move_ms for budget in budgets] == [1000, 50, 50], "the bot is not told of the grace"


@pytest.mark.parametrize(
    ("control", "limit_ms"),
    [
        (TimeControl(nodes=100, wall_ms=900), 900),
        (TimeControl(depth=4, wall_ms=900, grace_ms=50), 900),
        (TimeControl(per_ply_ms=500, wall_ms=520, grace_ms=50), 520),
    ],
)
def test_the_wall_bounds_every_mode(control: TimeControl, limit_ms: int) -> None:
    (clock,) = build_clocks([control])
    clock.begin_game()
    budget = clock.budget()
    assert budget.limit_ns == limit_ms * MS
    assert (budget.nodes, budget.depth) == (control.nodes, control.depth)


def test_game_time_is_used_up_refilled_and_shown_to_both() -> None:
    control = TimeControl(base_ms=1000, increment_ms=100, grace_ms=5, wall_ms=60_000)
    white, black = build_clocks([control, control])
    assert isinstance(white, GameClock)
    assert isinstance(black, GameClock)
    for clock in (white, black):
        clock.begin_game()
    assert white.budget().limit_ns == 1005 * MS
    white.charge(300 * MS)
    budget = black.budget()
    assert budget.clocks_ms == (800, 1000)
    assert budget.increment_ms == 100
    black.charge(1003 * MS)
    assert white.budget().clocks_ms == (800, 100), "within the grace the clock stands at zero, then the increment comes"
    with pytest.raises(BotFault, match="over its game time") as caught:
        black.charge(106 * MS)
    assert caught.value.kind == "timeout"


@given(st.lists(st.integers(0, 900), max_size=20), st.integers(0, 300))
def test_what_is_left_never_falls_below_the_increment(used_ms: list[int], increment_ms: int) -> None:
    clock = GameClock(TimeControl(base_ms=1000, increment_ms=increment_ms), 0, [0.0])
    for used in used_ms:
        limit_ms = clock.budget().limit_ns / MS
        if used > limit_ms:
            with pytest.raises(BotFault):
                clock.charge(used * MS)
            return
        clock.charge(used * MS)
        assert clock.budget().limit_ns >= increment_ms * MS


def test_by_cpu_time_the_wall_is_only_a_bound() -> None:
    cpu_ms = [0]
    control = TimeControl(per_ply_ms=50, first_ply_ms=200, grace_ms=5, wall_ms=4000, clock=ClockKind.CPU)
    (clock,) = build_clocks([control], [lambda: cpu_ms[0] * MS])
    assert isinstance(clock, CpuClock)
    for _ in range(2):
        clock.begin_game()
        budget = clock.budget()
        assert (budget.limit_ns, budget.move_ms) == (4000 * MS, 200)
        cpu_ms[0] += 205
        clock.charge(3999 * MS)
        assert clock.budget().move_ms == 50
        cpu_ms[0] += 56
        with pytest.raises(BotFault, match=r"used 56\.0 ms of CPU time") as caught:
            clock.charge(60 * MS)
        assert caught.value.kind == "timeout"


def test_every_seat_has_its_own_control() -> None:
    clocks = build_clocks([TimeControl(per_ply_ms=10), TimeControl(base_ms=500), TimeControl(nodes=5)])
    assert [type(clock).__name__ for clock in clocks] == ["SeatClock", "GameClock", "SeatClock"]
