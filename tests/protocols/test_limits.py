"""Limits of a bot: set in the kernel, or found by looking; and what a bot over one is told."""

from __future__ import annotations

import re
import resource
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.errors import BotFault
from harness.play.map import play_map
from harness.play.table import Table
from harness.protocols.limits import find_breach
from harness.protocols.meter import Reading
from harness.protocols.process import open_process
from harness.records import BotSpec, Isolation, Limits, TimeControl
from tests.bots.actors import LIMITS, faults_of, job, leftovers, swift
from tests.bots.users import USERS, run_apart

MB = 1 << 20


def run(script: str, *, user: str = USERS[0], isolation: Isolation = Isolation.PROCESS, **limits: int) -> str:
    """Run a shell script as a bot; give what it says and how it ends."""
    spec = BotSpec(
        "b", "codingame", ("/bin/sh", "-c", script), cwd="/tmp", limits=replace(LIMITS, **limits), isolation=isolation
    )

    def action() -> str:
        channel = open_process(spec, 1)
        text = b""
        try:
            channel.write(b"go\n", time.monotonic_ns() + 10**10)
            while True:
                text += channel.read(time.monotonic_ns() + 20 * 10**9)
        except BotFault as fault:
            return f"{text.decode()}{fault.detail}"
        finally:
            channel.close(0)

    return run_apart(action, user=user)


@pytest.mark.parametrize("user", USERS)
def test_the_kernel_holds_what_it_can(user: str) -> None:
    script = "read go; ulimit -n; ulimit -f; ulimit -v; ulimit -c"
    said = run(script, user=user, open_files=77, file_mb=3, address_space_mb=500)
    assert said.split()[:3] == ["77", str(3 * 2048), str(500 * 1024)]
    assert said.split()[3] == "0", "no core files"


def test_children_of_the_bot_are_held_too() -> None:
    assert run("read go; /bin/sh -c 'ulimit -n'", open_files=66).startswith("66\n")


def test_limits_that_are_lower_already_stay() -> None:
    def lowered() -> str:
        resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50))
        channel = open_process(BotSpec("b", "codingame", ("/bin/sh", "-c", "read go; ulimit -n")), 1)
        channel.write(b"go\n", 10**18)
        said = channel.read(10**18)
        channel.close(0)
        return said.decode()

    assert run_apart(lowered) == "50\n"


def test_without_isolation_there_are_none() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    said = run("read go; ulimit -n", isolation=Isolation.NONE, open_files=77)
    assert said.split()[0] in {"unlimited", str(resource.getrlimit(resource.RLIMIT_NOFILE)[0]), str(hard)}
    assert said.split()[0] != "77"


def test_a_file_may_grow_to_its_limit(tmp_path: Path) -> None:
    file = tmp_path / "big"
    said = run(f"read go; head -c 9000000 /dev/zero > {file}; echo tried", file_mb=2)
    assert "tried" in said
    assert file.stat().st_size == 2 * MB


def test_an_address_space_that_is_too_small_fails_in_the_bot() -> None:
    script = f"read go; exec {sys.executable} -S -E -I -c 'bytearray(900_000_000)'"
    assert "exit code 1" in run(script, address_space_mb=400)


def python(code: str) -> str:
    return f'read go; exec {sys.executable} -S -E -I -c "{code}"'


HUNGRY = "x = [b'x' * 4_000_000 for _ in range(60)]; import time; time.sleep(60)"
CROWD = "read go; for i in 1 2 3 4 5 6 7 8 9; do sleep 60 & done; wait"
HIDDEN_CROWD = "read go; for i in 1 2 3 4 5 6 7 8 9; do (setsid sleep 60 &) ; done; sleep 60"


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize(
    ("script", "limits", "why"),
    [
        (CROWD, {"processes": 5}, r"over its limit of processes: \d+ of 5 \(limits.processes\)"),
        (HIDDEN_CROWD, {"processes": 5}, r"over its limit of processes: \d+ of 5 \(limits.processes\)"),
        ("read go; while :; do :; done", {"cpu_s": 1}, r"over its CPU limit: 1\.\d s of 1 in one game|SIGXCPU"),
    ],
    ids=["processes", "orphans", "cpu"],
)
def test_looks_find_what_the_kernel_does_not_hold(user: str, script: str, limits: dict[str, Any], why: str) -> None:
    said = run(script, user=user, **limits)
    assert re.search(why, said), said


def test_memory_is_found_by_looking() -> None:
    assert "over its memory limit" in run(python(HUNGRY), memory_mb=100)


def test_memory_that_forks_share_counts_once() -> None:
    """Eight processes share 60 MB that the first has filled: in all that is far below 200 MB."""
    share = (
        "import os, time; x = b'x' * 60_000_000; "
        "[os.fork() or (time.sleep(1), os._exit(0)) for _ in range(8)]; time.sleep(0.6); print('fine', flush=True)"
    )
    assert run(python(share), memory_mb=200).startswith("fine")


def test_memory_of_several_processes_is_summed(swift_bot: Path, tag: str) -> None:
    patient = TimeControl(per_ply_ms=8000, first_ply_ms=8000, wall_ms=9000)
    limits = replace(LIMITS, memory_mb=300)
    keys: dict[str, Any] = {"time": patient, "limits": limits}

    def action() -> list[list[tuple[str, int, str]]]:
        table = Table()
        lineup = (swift(swift_bot, tag=tag, **keys), swift(swift_bot, "shared-bomb", tag=tag, **keys))
        record, _ = play_map(job(*lineup, voids_starved=False), table, 0)
        table.close()
        return [faults_of(game, 1) for game in record.games]

    for ((kind, _, detail),) in run_apart(action):
        assert kind == "crash"
        assert "over its memory limit" in detail
    assert not leftovers(tag)


def test_a_bot_over_a_limit_out_of_turn_is_ended_all_the_same(swift_bot: Path, tag: str) -> None:
    """It answers first and bombs then, while the other thinks."""
    behind = BotSpec(
        "behind",
        "codingame",
        ("/bin/sh", "-c", f"(sleep 0.1; {CROWD[9:]}) & exec '{swift_bot}' none 0 {tag}"),
        cwd="/tmp",
        limits=replace(LIMITS, processes=5),
        time=TimeControl(per_ply_ms=3000, first_ply_ms=3000),
    )
    thinker = swift(swift_bot, "pause-60", tag=tag, time=TimeControl(per_ply_ms=3000, first_ply_ms=3000))

    def action() -> list[tuple[list[tuple[str, int, str]], list[tuple[str, int, str]]]]:
        table = Table()
        record, _ = play_map(job(thinker, behind, voids_starved=False), table, 0)
        table.close()
        return [(faults_of(game, 0), faults_of(game, 1)) for game in record.games]

    for good, bad in run_apart(action):
        assert good == []
        ((kind, _, detail),) = bad
        assert kind == "crash"
        assert "over its limit of processes" in detail
    assert not leftovers(tag)


def test_a_breach_names_what_and_how_much() -> None:
    limits = Limits(memory_mb=100, processes=2, cpu_s=3)
    fine = Reading({1: 0, 2: 0}, {}, 99.0)
    assert find_breach(limits, fine, 2 * 10**9) is None
    assert (
        find_breach(limits, Reading({1: 0}, {}, 150.4), 0) == "over its memory limit: 150 MB of 100 (limits.memory_mb)"
    )
    assert "3 of 2" in (find_breach(limits, Reading({1: 0, 2: 0, 3: 0}), 0) or "")
    assert "over its CPU limit: 3.5 s of 3" in (find_breach(limits, fine, 3_500_000_000) or "")
    assert find_breach(Limits(), Reading({1: 0}), 10**15) is None
