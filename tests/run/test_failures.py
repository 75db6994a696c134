"""What a failure does to a run: the rows of docs/when-things-fail.md that concern more than one game."""

from __future__ import annotations

import multiprocessing
import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from harness.errors import (
    BotStartError,
    BrokenBotError,
    ExitCode,
    HarnessError,
    ResultsError,
    WorkerError,
)
from harness.records import MapRecord
from harness.run.prepare import prepare
from harness.run.signals import StopRequests
from harness.seeding import bot_seeds
from harness.store.run_directory import read_records
from tests.bots.actors import MISBEHAVE, bot, leftovers, swift, wait_until_gone
from tests.bots.misbehave import picked_fault
from tests.run.runs import LIGHTCYCLES, Watcher, entry, play, results_of, start_cli, what_was_played, write_config

N_QUICK = 24


@pytest.fixture
def quick(tmp_path: Path, swift_bot: Path, tag: str) -> Iterator[Path]:
    """Give the config of a run of quick, deterministic bots; nothing of it may be left at the end."""
    bots = {name: entry(swift(swift_bot, tag=tag)) for name in ("good", "other")}
    yield write_config(tmp_path, bots, count=N_QUICK, workers=2)
    assert not wait_until_gone(tag)


@pytest.fixture
def slow(tmp_path: Path, swift_bot: Path, tag: str) -> Iterator[Path]:
    """Give the config of a run whose maps take about a second each; nothing of it may be left at the end."""
    bots = {name: entry(swift(swift_bot, "pause-4", tag=tag)) for name in ("good", "other")}
    yield write_config(tmp_path, bots, count=4, workers=2)
    assert not wait_until_gone(tag)


# ------------------------------------------------------------------------------------------- bots


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["./nothing-here"], "there is no"),
        (["/bin/sh", "-c", "exit 3"], None),
        (["./not-executable"], "executable"),
        (["./wrong-architecture"], "not a program for this machine"),
        (["./no-interpreter"], "interpreter is missing"),
    ],
    ids=lambda value: value[0].strip("./") if isinstance(value, list) else "",
)
def test_a_bot_that_does_not_start_halts_the_run(tmp_path: Path, tag: str, command: list[str], why: str | None) -> None:
    """`exit 3` has no handshake to fail in the contest's protocol, so it is asked over UCI."""
    (tmp_path / "not-executable").write_text("#!/bin/sh\n")
    (tmp_path / "wrong-architecture").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\0\xf7\0" + bytes(100))
    (tmp_path / "no-interpreter").write_text("#!/no/such/interpreter\n")
    for name in ("wrong-architecture", "no-interpreter"):
        (tmp_path / name).chmod(0o755)
    protocol = "uci" if why is None else "codingame"
    good = entry(bot(protocol, tag=tag))
    bots = {"good": good, "bad": {"command": command, "protocol": protocol}}
    config = write_config(tmp_path, bots, rules={"name": "chess"} if protocol == "uci" else LIGHTCYCLES)
    process = start_cli(config, "--quiet")
    output, errors = process.communicate(timeout=30)
    text = output + errors
    # what can be seen without starting the program is an error of the config
    assert process.returncode in {ExitCode.HALTED, ExitCode.USAGE}, text
    assert "bad" in text
    assert (why or "exit code 3") in text
    assert not list(read_records(results_of(config)))
    assert not wait_until_gone(tag)


@pytest.mark.parametrize("fault", ["hang-before-handshake", "wrong-handshake", "exit-at-once"])
def test_a_failed_handshake_halts_the_run(tmp_path: Path, tag: str, fault: str) -> None:
    bots = {"good": entry(bot("uci", tag=tag)), "bad": entry(bot("uci", fault, tag=tag), limits={"handshake_ms": 700})}
    config = write_config(tmp_path, bots, rules={"name": "chess"})
    with pytest.raises(BotStartError) as caught:
        play(config)
    message = str(caught.value)
    assert "'bad' does not start" in message
    assert "uciok" in message
    assert ("cannot find my net" in message) == (fault == "exit-at-once"), "its standard error is shown"
    assert not list(read_records(results_of(config)))
    assert not wait_until_gone(tag)


def test_a_bot_that_forfeits_its_first_games_halts_the_run(tmp_path: Path, tag: str) -> None:
    bots = {"good": entry(bot("codingame", tag=tag)), "bad": entry(bot("codingame", "exit-three", tag=tag, at=0))}
    config = write_config(tmp_path, bots, count=20, stop_after={"first_forfeits": 4})
    with pytest.raises(BrokenBotError, match="'bad' looks broken: it forfeited its first 4 games in a row") as caught:
        play(config)
    assert "crash at ply" in str(caught.value)
    assert "exit code 3" in str(caught.value)
    assert "it is all over" in str(caught.value), "its standard error is shown"
    n_kept = len(list(read_records(results_of(config))))
    assert n_kept >= 2
    with pytest.raises(BrokenBotError):
        play(config)
    assert len(list(read_records(results_of(config)))) == n_kept, "a second start plays nothing more"


def test_a_bot_that_forfeits_too_often_halts_the_run(tmp_path: Path, tag: str) -> None:
    sometimes = bot("codingame", "exit-three,none", tag=tag, at=0, one_in=2)
    bots = {"good": entry(bot("codingame", tag=tag)), "bad": entry(sometimes)}
    rule = {"first_forfeits": None, "forfeit_share": 0.05, "after_games": 10}
    config = write_config(tmp_path, bots, count=40, stop_after=rule)
    with pytest.raises(BrokenBotError, match=r"'bad' looks broken: it forfeited \d+ of its \d+ games"):
        play(config)


def test_a_bot_that_changes_its_own_program_halts_the_run(tmp_path: Path, tag: str) -> None:
    program = tmp_path / "changing.py"
    shutil.copy(MISBEHAVE, program)
    spec = bot("codingame", "change-self", tag=tag, at=2)
    changing = replace(spec, command=tuple(str(program) if word == str(MISBEHAVE) else word for word in spec.command))
    config = write_config(tmp_path, {"good": entry(bot("codingame", tag=tag)), "bad": entry(changing)})
    with pytest.raises(BotStartError, match="'bad' changed while it was in use") as caught:
        play(config)
    assert str(program) in str(caught.value)
    with pytest.raises(ResultsError, match="begun with other inputs"):
        play(config)
    assert not wait_until_gone(tag)


# ---------------------------------------------------------------------------------------- workers


class AtRecord(Watcher):
    """Does something once, when so many maps are finished."""

    def __init__(self, n_records: int, action: Callable[[], None]) -> None:
        super().__init__()
        self.n_records = n_records
        self.action = action

    def on_record(self, record: MapRecord) -> None:
        super().on_record(record)
        if len(self.records) == self.n_records:
            self.action()


def signal_self(number: int) -> None:
    os.kill(os.getpid(), number)


def signal_worker(number: int) -> None:
    """Send a signal to the worker that has begun its job last: the other has just finished one."""
    workers = [child for child in multiprocessing.active_children() if child.name.startswith("harness-worker")]
    os.kill(max(child.pid or 0 for child in workers), number)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGSTOP], ids=lambda number: number.name)
def test_a_worker_that_dies_or_stops_costs_nothing_but_time(slow: Path, number: signal.Signals) -> None:
    undisturbed = what_was_played(play(slow))
    shutil.rmtree(results_of(slow))
    watcher = AtRecord(1, lambda: signal_worker(number))
    assert what_was_played(play(slow, watcher)) == undisturbed
    how = "signal 11" if number == signal.SIGSEGV else "signal 9"
    assert [reason.partition(" died ")[2] for _, reason in watcher.voids] == [f"(killed by {how})"]
    ((job, _),) = watcher.voids
    assert [record.attempt for record in watcher.records if record.job == job] == [2]


def test_a_job_at_which_workers_die_again_and_again_halts_the_run(tmp_path: Path, tag: str) -> None:
    bots = {"good": entry(bot("codingame", tag=tag)), "bad": entry(bot("codingame", "kill-parent", tag=tag))}
    config = write_config(tmp_path, bots)
    watcher = Watcher()
    with pytest.raises(WorkerError, match="job 0 came to nothing 3 times") as caught:
        play(config, watcher)
    assert "killed by signal 9" in str(caught.value)
    assert "sandbox" in str(caught.value), "it says what would help"
    assert len(watcher.voids) == 3
    assert not wait_until_gone(tag)


def test_the_right_job_is_blamed_when_a_worker_dies_with_finished_maps_in_hand(
    tmp_path: Path, swift_bot: Path, tag: str
) -> None:
    """Quick maps are reported in batches: those finished but not reported are played again, and blamed for nothing."""
    sometimes = bot("codingame", "kill-parent,none", tag=tag, one_in=3)
    bots = {"good": entry(swift(swift_bot, tag=tag)), "bad": entry(sometimes)}
    config = write_config(tmp_path, bots, count=12)
    watcher = Watcher()
    with pytest.raises(WorkerError, match=r"job (\d+) came to nothing 3 times") as caught:
        play(config, watcher)
    (guilty,) = {job for job, _ in watcher.voids}
    assert f"job {guilty} " in str(caught.value)
    seeds = bot_seeds(prepare(config).plan.run_key, guilty, 4)
    assert any(picked_fault("kill-parent,none", 3, seed) == "kill-parent" for seed in (seeds[1], seeds[2]))


# ------------------------------------------------------------------------------ the harness itself


def start_playing(config: Path, n_records: int = 1) -> subprocess.Popen[str]:
    """Start the command line and wait until it has finished some maps."""
    process = start_cli(config)
    deadline = time.monotonic() + 40
    while len(list(read_records(results_of(config)))) < n_records:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return process


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_worker(pid: int, harness: int) -> bool:
    """Tell workers, which are forks of the harness, from its guardian."""
    return Path(f"/proc/{pid}/cmdline").read_bytes() == Path(f"/proc/{harness}/cmdline").read_bytes()


@pytest.mark.parametrize("victims", ["harness", "workers", "both"])
def test_nothing_lives_on_when_the_kernel_kills_the_harness(slow: Path, tag: str, victims: str) -> None:
    process = start_playing(slow)
    workers = [pid for pid in children_of(process.pid) if is_worker(pid, process.pid)]
    assert len(workers) == 2
    assert leftovers(tag), "there are bots to be left behind"
    doomed = {"harness": [process.pid], "workers": workers, "both": [process.pid, *workers]}[victims]
    for pid in doomed:
        os.kill(pid, signal.SIGSTOP)  # so that none of them sees another die
    for pid in doomed:
        os.kill(pid, signal.SIGKILL)
    if victims == "workers":
        time.sleep(0.3)
        assert process.poll() is None, "it goes on with new workers"
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert not wait_until_gone(tag, 10.0)


def test_a_killed_run_can_be_resumed_at_once(slow: Path, tag: str) -> None:
    process = start_playing(slow)
    process.kill()
    n_before = len(list(read_records(results_of(slow))))
    watcher = Watcher()
    records = play(slow, watcher)  # the run's folder is not locked by a worker that is still ending
    assert len(watcher.resumed) == n_before
    assert [record.job for record in records] == [0, 1, 2, 3]
    process.communicate(timeout=10)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_one_signal_finishes_what_is_being_played(slow: Path, number: signal.Signals) -> None:
    process = start_playing(slow)
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == ExitCode.INTERRUPTED, errors
    assert "harness run" in errors, "the resume command is printed"
    records = list(read_records(results_of(slow)))
    assert 2 <= len(records) < 4, "both workers finished the map that they were at"


def test_an_ignored_hang_up_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with StopRequests() as stop:
            signal.raise_signal(signal.SIGHUP)
            signal.raise_signal(signal.SIGTERM)
            assert stop.count == 1
    finally:
        signal.signal(signal.SIGHUP, before)


def test_two_signals_stop_at_once(tmp_path: Path, swift_bot: Path, tag: str) -> None:
    bots = {name: entry(swift(swift_bot, "pause-200", tag=tag, at=at)) for name, at in (("good", 9), ("other", 9))}
    config = write_config(tmp_path, bots, count=40, workers=2)
    process = start_cli(config)
    deadline = time.monotonic() + 20
    while not leftovers(tag):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == ExitCode.INTERRUPTED, errors
    assert not list(read_records(results_of(config))), "a map takes seconds here: none was waited for"
    assert not wait_until_gone(tag)


# --------------------------------------------------------------------------------- resuming, storage


def in_fork(action: Callable[[], object]) -> int:
    """Run something in a fork of this process; give its exit code as `waitpid` has it (negative for a signal)."""
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            action()
            code = 0
        except HarnessError as error:
            code = int(error.exit_code)
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.mark.parametrize("n_workers", [1, 2])
def test_a_run_killed_at_many_points_ends_as_an_undisturbed_one(quick: Path, n_workers: int) -> None:
    undisturbed = what_was_played(play(quick))
    assert len(undisturbed) == N_QUICK
    shutil.rmtree(results_of(quick))
    quick.write_text(quick.read_text().replace('"workers": 2', f'"workers": {n_workers}'))
    for n_records in (1, 1, 2, 3, 5, 7):
        killer = AtRecord(n_records, partial(signal_self, signal.SIGTERM if n_records == 2 else signal.SIGKILL))
        assert in_fork(partial(play, quick, killer)) in {-signal.SIGKILL, ExitCode.INTERRUPTED}
    watcher = Watcher()
    assert what_was_played(play(quick, watcher)) == undisturbed
    assert len(watcher.resumed) >= 6
    assert len(watcher.resumed) + len(watcher.records) == N_QUICK


def test_a_torn_last_line_is_cut_off_and_said(quick: Path) -> None:
    undisturbed = what_was_played(play(quick))
    file = results_of(quick) / "maps.jsonl"
    data = file.read_bytes()
    file.write_bytes(data[:-40])
    assert what_was_played(play(quick)) == undisturbed
    assert len(file.read_bytes().splitlines()) == N_QUICK
    assert "torn line cut off" in (results_of(quick) / "events.jsonl").read_text()


def test_any_other_bad_line_is_an_error_that_names_it(quick: Path) -> None:
    play(quick)
    file = results_of(quick) / "maps.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:4], lines[4][:-20] + b"\n", *lines[5:]]))
    with pytest.raises(ResultsError, match=r"maps\.jsonl:5: "):
        play(quick)


def test_a_full_disk_halts_at_once_and_loses_nothing(quick: Path) -> None:
    undisturbed = what_was_played(play(quick))
    shutil.rmtree(results_of(quick))

    def with_little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, 6_000))
        play(quick)

    assert in_fork(with_little_room) == ExitCode.HALTED
    kept = list(read_records(results_of(quick)))
    assert 0 < len(kept) < N_QUICK
    assert (results_of(quick) / "maps.jsonl").read_bytes().endswith(b"\n"), "no half line is left"
    assert what_was_played(play(quick)) == undisturbed


def test_a_real_full_file_system_halts_the_command_line(tmp_path: Path, swift_bot: Path, tag: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small file system; the limit on file size is tried instead, above")
    room = tmp_path / "room"
    room.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", room], check=True)
    try:
        bots = {name: entry(swift(swift_bot, tag=tag)) for name in ("good", "other")}
        config = write_config(tmp_path, bots, count=400, workers=2, results=str(room))
        process = start_cli(config)
        _, errors = process.communicate(timeout=40)
        assert process.returncode == ExitCode.HALTED, errors
        assert "No space left on device" in errors
        assert "free the disk" in errors
        assert 0 < len(list(read_records(room / "run"))) < 400
        assert not wait_until_gone(tag)
    finally:
        subprocess.run(["umount", room], check=True)
