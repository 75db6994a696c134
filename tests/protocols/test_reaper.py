"""Everything that a bot started ends with it, whatever it did to hide, for root and for an ordinary user."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from harness.errors import BotFault
from harness.play.map import play_map
from harness.play.table import Table
from harness.protocols import guardian, oversight, process, reaper
from harness.records import BotSpec, MapRecord
from tests.bots.actors import bot, faults_of, job, leftovers, swift, wait_until_gone
from tests.bots.users import USERS, run_apart

HIDERS = ("hydra", "bare-daemon", "session-bomb", "fork-bomb", "forger")


def play_and_look(lineup: tuple[BotSpec, ...], tag: str) -> tuple[MapRecord, dict[int, str]]:
    """Play a map, end the bots, and look at once at what is left."""
    table = Table()
    try:
        record, _ = play_map(job(*lineup, voids_starved=False), table, 0)
    finally:
        table.close()
    return record, leftovers(tag)


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("fault", HIDERS)
def test_nothing_of_a_hiding_bot_is_left_when_its_game_is_over(
    swift_bot: Path, tag: str, user: str, fault: str
) -> None:
    lineup = (swift(swift_bot, tag=tag, cwd="/"), swift(swift_bot, fault, tag=tag, cwd="/"))
    record, left = run_apart(partial(play_and_look, lineup, tag), user=user)
    assert left == {}
    assert [faults_of(game, 0) for game in record.games] == [[], []], "the other bot is unharmed"


@pytest.mark.parametrize("protocol", ["codingame", "uci"])
@pytest.mark.parametrize("fault", ["leave-children", "daemon-holds-pipe", "ignore-quit", "ignore-term", "stop-self"])
def test_nothing_is_left_of_bots_of_any_protocol(tag: str, protocol: str, fault: str) -> None:
    lineup = (bot(protocol, tag=tag), bot(protocol, fault, tag=tag))
    record, left = run_apart(partial(play_and_look, lineup, tag))
    assert left == {}
    assert [faults_of(game, 0) for game in record.games] == [[], []]


def test_a_library_s_own_children_are_left_alone(swift_bot: Path, tag: str) -> None:
    """A program that uses the harness owns its children: only marked ones are killed, whatever session they are in."""

    def play_beside_a_child() -> tuple[bool, dict[int, str]]:
        own = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
        lineup = (swift(swift_bot, tag=tag), swift(swift_bot, "hydra", tag=tag))
        _, left = play_and_look(lineup, tag)
        lives = own.poll() is None
        own.kill()
        own.wait()
        return lives, left

    lives, left = run_apart(play_beside_a_child, exclusive=False)
    assert lives
    assert left == {}


def test_a_bot_that_lives_on_keeps_its_children_while_another_ends(tag: str) -> None:
    def end_one_of_two() -> tuple[set[str], set[str]]:
        one, other = (bot("uci", "leave-children", tag=f"{tag}-{name}", at=0, name=name) for name in ("one", "other"))
        table = Table()
        play_map(job(one, other), table, 0)
        before = {name for name in ("one", "other") if len(leftovers(f"{tag}-{name}")) > 1}
        table._players.pop("one")[1].close()
        after = {name for name in ("one", "other") if leftovers(f"{tag}-{name}")}
        table.close()
        return before, after

    before, after = run_apart(end_one_of_two)
    assert before == {"one", "other"}
    assert after == {"other"}
    assert not leftovers(tag)


@pytest.mark.parametrize("user", USERS)
def test_the_guardian_ends_what_a_killed_process_leaves(swift_bot: Path, tag: str, user: str) -> None:
    """A program that uses the harness is killed in the middle of a game; nobody of ours is above its bots then."""

    def be_killed() -> None:
        guardian.guard([os.getpid()])
        seated = process.open_process(swift(swift_bot, "hydra", tag=tag, at=0, cwd="/"), 1)
        seated.exchange(b"2 0\n1 1 1 1\n3 3 3 3\n", 10**18, 0)
        while len(leftovers(tag)) < 2:  # the bot, and its hydra some time
            pass
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(AssertionError, match="killed by SIGKILL"):
        run_apart(be_killed, user=user, exclusive=False)
    assert not wait_until_gone(tag, 10.0)


def test_a_guardian_that_is_killed_is_replaced(swift_bot: Path, tag: str) -> None:
    """By one that knows what the first was told: bots that were there before it end by it."""

    def be_killed_after_the_guardian() -> None:
        guardian.guard([os.getpid()])
        process.open_process(swift(swift_bot, "ignore-all", tag=tag, at=0, cwd="/"), 1)
        first = guardian.guardian_pid()
        os.kill(first, signal.SIGKILL)
        while guardian.guardian_pid() in {0, first}:
            guardian.renew()
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(AssertionError, match="killed by SIGKILL"):
        run_apart(be_killed_after_the_guardian)
    assert not wait_until_gone(tag, 10.0)


def test_the_guardian_is_no_orphan(swift_bot: Path, tag: str) -> None:
    """`harness play` and the like own their children and start their bots themselves."""

    def end_a_bot() -> tuple[bool, list[str]]:
        guardian.guard([os.getpid()])
        process.open_process(swift(swift_bot, "bare-daemon", tag=tag, cwd="/"), 1).close(0)
        return _lives(guardian.guardian_pid()), list(leftovers(tag).values())

    assert run_apart(end_a_bot) == (True, [])


def _lives(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"


def test_a_bot_that_forks_on_and_on_leaves_no_crowd_of_dead(swift_bot: Path, tag: str) -> None:
    """Two thousand a second would fill the system's table of processes before a long game is over."""

    def wait_beside_a_hydra() -> int:
        seated = process.open_process(swift(swift_bot, "hydra", tag=tag, at=0, cwd="/"), 1)
        seated.exchange(b"2 0\n1 1 1 1\n3 3 3 3\n", time.monotonic_ns() + 10**10, time.monotonic_ns())
        with contextlib.suppress(BotFault):  # nothing comes: this is as long as it may take, and longer than a look
            seated.exchange(b"2 0\n", time.monotonic_ns() + 10**9, time.monotonic_ns())
        n_children = len(reaper.children())
        seated.close(0)
        return n_children

    assert run_apart(wait_beside_a_hydra) < 800
    assert not leftovers(tag)


def test_marks_are_inherited_and_told_apart() -> None:
    def mark_two() -> list[int]:
        marks = [reaper.new_mark(), reaper.new_mark()]
        for mark in marks:
            script = "read line; env -i sleep 60 & wait"  # it starts nothing before it is marked
            child = subprocess.Popen(["/bin/sh", "-c", script], stdin=subprocess.PIPE, start_new_session=True)
            reaper.set_mark(child.pid, mark)
            assert child.stdin
            child.stdin.write(b"go\n")
            child.stdin.close()
        found: list[int] = []
        while len(found) < 2:
            found = [reaper.mark_of(pid) for each in reaper.children() for pid in reaper.children_of(each)]
            found = [mark for mark in found if mark]
        assert sorted(found) == marks
        assert {reaper.owner_of(mark) for mark in marks} == {reaper.owner_key(os.getpid())}
        assert reaper.kill_orphans(marks[0], {marks[1]}, ()) == 0
        left = [reaper.mark_of(pid) for pid in reaper.children()]
        reaper.kill_marked({reaper.owner_key(os.getpid())})
        return [mark - marks[0] for mark in left] + reaper.children()

    assert run_apart(mark_two, exclusive=False) == [1]


def test_nobody_without_a_mark_is_ever_killed_for_an_owner_that_is_gone() -> None:
    """The key of a process that is gone is 0, and so is the owner of everything that has no mark."""

    def kill_for_nobody() -> tuple[int, bool]:
        own = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        left = reaper.kill_marked({0, reaper.owner_key(2**22 - 1)})
        lives = own.poll() is None
        own.kill()
        own.wait()
        return left, lives

    assert run_apart(kill_for_nobody, exclusive=False) == (0, True)


def test_keys_differ_for_processes_with_one_pid(monkeypatch: pytest.MonkeyPatch) -> None:
    """What gets the number of a dead worker later is not taken for it: the time of its start is in the key."""
    ours = reaper.owner_key(os.getpid())
    assert ours
    real = reaper.read_file
    fields = real("/proc/self/stat").rpartition(b")")
    later = fields[2].split()
    later[19] = b"%d" % (int(later[19]) + 1)
    monkeypatch.setattr(reaper, "read_file", lambda path: b"".join([*fields[:2], b" ", b" ".join(later)]))
    assert reaper.owner_key(os.getpid()) not in {0, ours}


def test_a_condemned_bot_says_why_when_it_is_asked_next(swift_bot: Path, tag: str) -> None:
    def condemn() -> str:
        seated = process.open_process(swift(swift_bot, tag=tag), 1)
        (watch,) = oversight.living.values()
        watch.condemn("took all the biscuits")
        try:
            seated.exchange(b"2 0\n1 1 1 1\n3 3 3 3\n", 10**18, 0)
        except Exception as error:  # noqa: BLE001 - its text is looked at
            return str(error)
        finally:
            seated.close(0)
        return "no fault"

    assert "took all the biscuits" in run_apart(condemn)
    assert not leftovers(tag)
