"""A late answer is a forfeit of a bot that had its core, and void if the machine explains it; with real load.

Everything that competes is bound to one core with the bots. What is asserted does not depend on how busy the machine
is besides: a bot that needs 80 ms of CPU cannot be in time for 50 ms on any machine, one that needs 20 ms can on any
that is not starved, and with ten others on its core it is.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.errors import StarvedGame
from harness.play.map import play_map
from harness.play.table import Table
from harness.protocols import process
from harness.records import BotSpec, ClockKind, MapRecord, TimeControl
from harness.run.noise import measure_together
from tests.bots.actors import faults_of, job, swift
from tests.bots.users import run_apart

TIGHT = TimeControl(per_ply_ms=50, first_ply_ms=2000, wall_ms=5000)
BY_CPU = TimeControl(per_ply_ms=50, first_ply_ms=2000, wall_ms=20_000, clock=ClockKind.CPU)
REQUEST = b"2 0\n1 1 1 1\n3 3 3 3\n"


@contextlib.contextmanager
def load(program: Path, n_burners: int) -> Iterator[None]:
    """Burn the core of this process with that many others, outside of all bots."""
    burners = []
    try:
        for _ in range(n_burners):
            burner = subprocess.Popen(
                [program, "spin", "0", "burner"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
            )
            burners.append(burner)
            assert burner.stdin
            burner.stdin.write(REQUEST)
            burner.stdin.close()
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def play_one(*lineup: BotSpec, voids_starved: bool = True) -> MapRecord:
    table = Table()
    try:
        return play_map(job(*lineup, time=TIGHT, voids_starved=voids_starved), table, 0)[0]
    finally:
        table.close()


def under_load(program: Path, n_burners: int, *lineup: BotSpec, voids_starved: bool = True) -> MapRecord:
    """Play a map in a process of its own on one core, with burners beside it that are no bots.

    It goes before other people's processes as far as it may, so that they are in the way of a test as little as can be.
    """

    def action() -> MapRecord:
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, 0, -20)
        with load(program, n_burners):
            return play_one(*lineup, voids_starved=voids_starved)

    return run_apart(action, exclusive=False, core=quietest_core())


def quietest_core() -> int:
    """Give the core that others use least at this moment."""
    cores = sorted(os.sched_getaffinity(0))
    traces = measure_together(cores, 0.05)
    return min(zip(traces, cores, strict=True), key=lambda pair: pair[0].lost_share)[1]


def decided(program: Path, n_burners: int, *lineup: BotSpec) -> MapRecord:
    """As `under_load`, again and again while it is void: a bot is given up after half a second of waiting."""
    for _ in range(12):
        with contextlib.suppress(StarvedGame):
            return under_load(program, n_burners, *lineup)
    pytest.skip("void twelve times: others keep this machine so busy that no bot gets a core for 50 ms in 550")


def tight(program: Path, fault: str, tag: str, **keys: object) -> BotSpec:
    return swift(program, fault, tag=tag, **{"time": TIGHT, **keys})  # type: ignore[arg-type]


def test_a_bot_that_the_load_makes_late_voids_the_game(swift_bot: Path, tag: str) -> None:
    lineup = (tight(swift_bot, "none", tag), tight(swift_bot, "work-20", tag))
    with pytest.raises(StarvedGame, match=r"(ms|in time); for \d+\.\d ms of it the machine was busy"):
        under_load(swift_bot, 10, *lineup)


def test_void_too_often_it_is_a_forfeit_and_marked(swift_bot: Path, tag: str) -> None:
    lineup = (tight(swift_bot, "none", tag), tight(swift_bot, "work-20", tag))
    record = under_load(swift_bot, 10, *lineup, voids_starved=False)
    faults = [fault for game in record.games for fault in game.faults]
    assert [(fault.kind.value, fault.starved_ms is not None) for fault in faults] == [("timeout", True)] * 2
    assert all((fault.starved_ms or 0) > 30 for fault in faults)


@pytest.mark.parametrize("n_burners", [0, 3])
@pytest.mark.parametrize("fault", ["work-80", "pause-80", "spin", "sleep", "threads-3"])
def test_a_bot_that_is_too_slow_forfeits_whatever_the_load(
    swift_bot: Path, tag: str, fault: str, n_burners: int
) -> None:
    record = decided(swift_bot, n_burners, tight(swift_bot, "none", tag), tight(swift_bot, fault, tag))
    for game in record.games:
        ((kind, _, _),) = faults_of(game, 1)
        assert kind == "timeout"
        assert not faults_of(game, 0)
    assert all(fault.starved_ms is None for game in record.games for fault in game.faults)


@pytest.mark.parametrize("n_burners", [0, 5])
def test_by_cpu_time_the_load_does_not_matter(swift_bot: Path, tag: str, n_burners: int) -> None:
    quick = tight(swift_bot, "work-10", tag, time=BY_CPU, name="quick")
    greedy = tight(swift_bot, "work-80", tag, time=BY_CPU, name="greedy")
    record = under_load(swift_bot, n_burners, quick, greedy)
    for game in record.games:
        assert not faults_of(game, 0)
        ((kind, _, detail),) = faults_of(game, 1)
        assert kind == "timeout"
        assert "ms of CPU time" in detail


def test_waiting_is_recorded_in_its_own_turn_alone(swift_bot: Path, tag: str) -> None:
    """With five others on its core it waits most of its time; what it waited in the other's turn is not in."""
    lineup = [tight(swift_bot, "work-10", tag, time=BY_CPU, name=name) for name in ("one", "other")]
    record = under_load(swift_bot, 5, *lineup)
    for game in record.games:
        for seat in game.bots:
            assert seat.starved_s is not None
            assert 0.2 * seat.think_s < seat.starved_s <= seat.think_s
            assert (seat.cpu_s or 0) + seat.starved_s == pytest.approx(seat.think_s, rel=0.35)


def test_by_cpu_time_a_bot_may_sleep(swift_bot: Path, tag: str) -> None:
    sleepy = tight(swift_bot, "pause-60", tag, time=BY_CPU, at=15, name="sleepy")
    record = under_load(swift_bot, 0, sleepy, tight(swift_bot, "none", tag, time=BY_CPU))
    assert not any(game.faults for game in record.games)
    assert max(game.bots[game.seating.index(0)].max_ply_s for game in record.games) > 0.06


def test_what_a_wrapper_s_child_uses_counts(swift_bot: Path, tag: str) -> None:
    script = f"'{swift_bot}' work-80 1 {tag}; exit 0"
    wrapped = tight(swift_bot, "none", tag, time=BY_CPU, command=("/bin/sh", "-c", script), name="wrapped")
    record = under_load(swift_bot, 0, tight(swift_bot, "none", tag), wrapped)
    for game in record.games:
        ((_, _, detail),) = faults_of(game, 1)
        assert "ms of CPU time" in detail
        assert (game.bots[game.seating.index(1)].cpu_s or 0) > 0.07, "its record has it as well"


def test_a_wrapped_bot_that_the_load_makes_late_voids_the_game(swift_bot: Path, tag: str) -> None:
    script = f"'{swift_bot}' work-20 1 {tag}; exit 0"
    wrapped = tight(swift_bot, "none", tag, command=("/bin/sh", "-c", script), name="wrapped")
    with pytest.raises(StarvedGame):
        under_load(swift_bot, 10, tight(swift_bot, "none", tag), wrapped)


def test_who_holds_the_core_out_of_turn_is_ended_and_the_other_unharmed(swift_bot: Path, tag: str) -> None:
    """The opponent's child in the background takes half the core."""
    victim = tight(swift_bot, "work-40", tag, name="victim")
    record = decided(swift_bot, 0, victim, tight(swift_bot, "burn-behind", tag, name="hog"))
    for game in record.games:
        assert not faults_of(game, 0)
        ((kind, _, detail),) = faults_of(game, 1)
        assert kind == "crash"
        assert "kept the core busy out of its turn" in detail


def test_an_answer_that_came_while_we_slept_voids_the_game(swift_bot: Path, tag: str) -> None:
    """The bot answers in time, but this process is stopped then and sees it too late: who can tell?"""

    def ask_and_be_stopped() -> str:
        me = os.getpid()
        seated = process.open_process(tight(swift_bot, "stop-parent", tag, cwd="/"), 1)
        seated.exchange(REQUEST, time.monotonic_ns() + 10**10, time.monotonic_ns())
        waker = os.fork()
        if waker == 0:
            wake_when_stopped(me)
        asked_ns = time.monotonic_ns()
        deadline_ns = asked_ns + 50_000_000
        seated.exchange(REQUEST, deadline_ns, asked_ns)
        think_ns = time.monotonic_ns() - asked_ns
        assert think_ns > 100_000_000
        fault = seated.judge_answer(asked_ns, deadline_ns, think_ns)
        seated.close(0)
        os.kill(waker, signal.SIGKILL)
        os.waitpid(waker, 0)
        return type(fault).__name__

    assert run_apart(ask_and_be_stopped, exclusive=False, core=quietest_core()) == "StarvedFault"


def wake_when_stopped(pid: int) -> None:
    """Wait until a process is stopped, let it sleep for a fifth of a second, wake it; never returns."""
    while Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"T":
        time.sleep(0.001)
    time.sleep(0.2)
    os.kill(pid, signal.SIGCONT)
    time.sleep(60)
    os._exit(0)


def test_an_answer_in_time_is_taken_although_the_bot_is_gone(swift_bot: Path, tag: str) -> None:
    def ask() -> bytes:
        script = "read a; read b; read c; printf 'UP\\n'; exit 3"
        seated = process.open_process(tight(swift_bot, "none", tag, command=("/bin/sh", "-c", script), cwd="/"), 1)
        seated.write(REQUEST, time.monotonic_ns() + 10**10)
        os.waitid(os.P_PIDFD, seated._pidfd, os.WEXITED | os.WNOWAIT)
        return seated.read(time.monotonic_ns() + 10**10)

    assert run_apart(ask, exclusive=False) == b"UP\n"
