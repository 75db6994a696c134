"""A contest bot's start-up is on nobody's clock: it is waited for before the first ply, as long as its limits allow."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from harness.errors import BotFault
from harness.play.map import play_map
from harness.play.table import Table
from harness.protocols.process import ProcessChannel, open_process
from harness.records import BotSpec, TimeControl
from tests.bots.actors import LIMITS, bot, job, leftovers

FAR_S = 20.0


def start(script: str) -> ProcessChannel:
    return open_process(BotSpec("b", "codingame", ("/bin/sh", "-c", script), cwd="/", limits=LIMITS), 1)


def settle(channel: ProcessChannel, seconds: float) -> float:
    """Wait for a bot to settle; give how long that was."""
    began = time.monotonic()
    channel.settle(time.monotonic_ns() + int(seconds * 1e9))
    return time.monotonic() - began


@pytest.mark.parametrize(
    "script",
    ["sleep 0.3; read line", "sleep 0.3; cat", "(sleep 0.3; read line); echo no", "sleep 0.3; cat; exit 3"],
    ids=["itself", "as another program", "as a child", "with a shell around it"],
)
def test_who_sleeps_first_is_waited_for_until_it_reads(script: str) -> None:
    channel = start(script)
    try:
        assert 0.3 <= settle(channel, FAR_S) < FAR_S
    finally:
        channel.close(0)


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        ("exit 3", "ended: exit code 3"),
        ("exec 1>&-; sleep 60", "closed its standard output"),
        ("kill -9 $$", "SIGKILL"),
    ],
)
def test_who_leaves_is_not_waited_for(script: str, fault: str) -> None:
    channel = start(script)
    try:
        assert settle(channel, FAR_S) < FAR_S
        with pytest.raises(BotFault) as caught:
            channel.read(time.monotonic_ns() + 10**9)
        assert fault in caught.value.detail
    finally:
        channel.close(0)


def test_who_speaks_unasked_is_heard_later() -> None:
    channel = start("echo hello; sleep 60")
    try:
        assert settle(channel, FAR_S) < FAR_S
        assert channel.read(time.monotonic_ns() + 10**9) == b"hello\n"
    finally:
        channel.close(0)


@pytest.mark.parametrize("script", ["while :; do :; done", "sleep 60", "while :; do echo noise >&2; done"])
def test_who_is_never_ready_is_given_its_time_and_no_more(script: str) -> None:
    channel = start(script)
    try:
        assert 0.3 <= settle(channel, 0.3) < FAR_S
    finally:
        channel.close(0)


def test_what_waits_for_events_and_does_nothing_is_ready() -> None:
    """As Node and event loops do: no thread of theirs sleeps in a read."""
    script = "import select, sys; poll = select.poll(); poll.register(0); poll.poll(); print(sys.stdin.readline())"
    spec = BotSpec("b", "codingame", ("/usr/bin/env", "python3", "-S", "-c", script), cwd="/", limits=LIMITS)
    channel = open_process(spec, 1)
    try:
        assert settle(channel, FAR_S) < FAR_S
    finally:
        channel.close(0)


def test_a_slow_start_is_on_nobody_s_clock(tag: str) -> None:
    """It sleeps for 400 ms before it reads, and has 200 ms for its first ply."""
    control = TimeControl(per_ply_ms=200, first_ply_ms=200, wall_ms=5000)
    lineup = [bot("codingame", fault, tag=tag, time=control) for fault in ("none", "slow-start")]
    table = Table()
    try:
        record, _ = play_map(job(*lineup, voids_starved=False), table, 0)
    finally:
        table.close()
    assert [fault for game in record.games for fault in game.faults if fault.starved_ms is None] == []
    assert not leftovers(tag)


def test_the_time_to_start_is_bounded_by_the_bot_s_limits(tag: str, tmp_path: Path) -> None:
    control = TimeControl(per_ply_ms=100, first_ply_ms=100, wall_ms=5000)
    never = BotSpec(
        "never",
        "codingame",
        ("/bin/sleep", "60"),
        cwd=str(tmp_path),
        time=control,
        limits=LIMITS.__class__(start_ms=50),
    )
    table = Table()
    try:
        record, _ = play_map(job(bot("codingame", tag=tag), never, voids_starved=False), table, 0)
    finally:
        table.close()
    assert [fault.kind.value for game in record.games for fault in game.faults] == ["timeout", "timeout"]
