"""How long a late bot is waited for, and when the machine explains it: arithmetic, by made-up readings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.protocols.meter import Reading
from harness.protocols.patience import STEP_NS, SlowPly, start_slow_ply

MS = 1_000_000
PID = 7


def reading(cpu_ms: float, wait_ms: float, *, threads: int = 1) -> Reading:
    return Reading({PID: int(cpu_ms * MS)}, {PID + thread: int(wait_ms * MS) for thread in range(threads)})


def slow_ply(*, limit_ms: int = 50, first_ms: float = 1, head_ms: float = 0, cores: int = 1) -> SlowPly:
    """Begin a ply that was asked at 0, with a first look after `first_ms`, in which it ran but for `head_ms`."""
    first = reading(100 + first_ms - head_ms, 200 + head_ms)
    return start_slow_ply(0, limit_ms * MS, int(first_ms * MS), first, reading(100, 200), cores)


def look(ply: SlowPly, at_ms: float, cpu_ms: float, wait_ms: float, *, runs: bool = True, stolen_ms: float = 0) -> bool:
    """Look at a ply; `cpu_ms` and `wait_ms` are those since it was asked."""
    return ply.look(
        int(at_ms * MS), reading(100 + cpu_ms, 200 + wait_ms), is_runnable=runs, stolen_ns=int(stolen_ms * MS)
    )


def test_a_bot_that_sleeps_is_given_up_at_once() -> None:
    ply = slow_ply()
    assert not look(ply, 50, 1, 0, runs=False)
    assert not ply.explains(50 * MS)


def test_a_bot_that_computes_is_given_up_when_it_is_seen_to_have_its_core() -> None:
    ply = slow_ply()
    assert look(ply, 50, 50, 0), "whether it waits at this moment is not known yet"
    assert not look(ply, 52, 52, 0)
    assert not ply.explains(52 * MS)


def test_a_bot_that_waited_is_given_that_time_and_no_more() -> None:
    ply = slow_ply()
    assert look(ply, 50, 20, 30)
    assert ply.until_ns >= 80 * MS
    assert look(ply, 70, 40, 30)
    assert not look(ply, 83, 53, 30)
    assert not ply.explains(83 * MS)


def test_an_answer_within_that_time_is_explained() -> None:
    ply = slow_ply()
    assert look(ply, 50, 20, 30)
    assert ply.explains(78 * MS)
    assert not ply.explains(81 * MS)


def test_what_it_waited_before_the_first_look_counts() -> None:
    ply = slow_ply(first_ms=10, head_ms=9)
    assert look(ply, 50, 41, 9)
    assert ply.waited_ns == 9 * MS


def test_waiting_of_earlier_plies_does_not_count_for_more_than_the_head() -> None:
    first = reading(100, 5000)
    ply = start_slow_ply(0, 50 * MS, 1 * MS, first, reading(90, 200), 1)
    assert ply.head_ns == 1 * MS


def test_a_wait_that_goes_on_is_sat_out_until_it_is_known() -> None:
    """The kernel books a wait when the thread runs again; until then nothing but the lack of progress shows it."""
    ply = slow_ply()
    at = 50.0
    while at < 150:
        assert look(ply, at, 5, 0), "it is ready to run and does not"
        at += 2
    assert look(ply, at, 5.5, at - 5.5), "now it has run, and its wait is booked"
    assert ply.waited_ns == pytest.approx((at - 5.5) * MS)
    assert ply.explains(int((at + 40) * MS))


def test_it_is_sat_out_for_half_a_second_at_most_and_that_counts_for_the_bot() -> None:
    ply = slow_ply()
    at = 50.0
    while look(ply, at, 5, 0):
        at += 2
        assert at < 700
    assert at == pytest.approx(550, abs=4)
    assert ply.explains(int(at * MS))


def test_a_look_that_comes_late_itself_leaves_room_for_a_wait() -> None:
    """This process had no core for 70 ms: the bot may have waited in them as well, after it had run a little."""
    ply = slow_ply()
    assert look(ply, 60, 40, 10)
    assert look(ply, 130, 45, 10), "45 of 130 ms it ran and 10 it waited: the rest is not known"
    assert not look(ply, 132, 46, 11, runs=False), "asleep: nothing goes on"


def test_time_that_the_host_stole_counts() -> None:
    ply = slow_ply()
    assert look(ply, 50, 20, 10, stolen_ms=20)
    assert ply.explains(75 * MS)


def test_threads_that_wait_for_each_other_are_the_bot_s_own_affair() -> None:
    """Four threads on one core: each waits three quarters of the time, but the core was theirs all the time."""
    ply = slow_ply()
    assert look(ply, 50, 50, 37)
    assert not look(ply, 52, 52, 39)
    assert not ply.explains(52 * MS)


def test_on_several_cores_the_machine_explains_what_no_core_of_theirs_did() -> None:
    ply = slow_ply(cores=4)
    assert look(ply, 50, 80, 30)
    assert ply.explains(78 * MS)


@given(
    st.integers(5, 200),
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=40),
)
def test_no_bot_that_had_its_limit_is_waited_for_for_ever(limit: int, parts: list[tuple[int, int, int]]) -> None:
    """Whatever it does: patience ends once it has had its limit of time not waiting, or at its longest."""
    ply = slow_ply(limit_ms=limit)
    at = cpu = waited = 1.0
    at, waited = float(limit), 0.0
    cpu = float(limit)
    for runs, waits, sleeps in parts * 20:
        at += runs + waits + sleeps
        cpu += runs
        waited += waits
        if not look(ply, at, cpu, waited, runs=runs > 0):
            return
        assert at <= limit + max(500, limit) + 60
        assert ply.until_ns <= (limit + max(500, limit)) * MS + STEP_NS
    assert at < limit + 600
