"""What an external referee does wrong, and what it comes to: docs/when-things-fail.md has a row for each."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.errors import BotStartError, RefereeError, ResultsError, VoidGame
from harness.records import FaultKind, RefereeLog
from tests.bots.actors import wait_until_gone
from tests.referee.delegated import REFEREES, desk, nim_bot, referee, write_run
from tests.run.runs import ROOT, Watcher, play


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("null", "the score of seat 1 is null"),
        ("missing", "it gave 1 scores for 2 seats"),
        ("extra", "it gave 3 scores for 2 seats"),
        ("silent", "it gave no scores"),
        ("exit", "it ended with exit code 3"),
    ],
)
def test_what_is_no_result_voids_the_game_and_is_kept(fault: str, words: str, tmp_path: Path) -> None:
    with desk("--fault", fault, folder=str(tmp_path)) as table, pytest.raises(VoidGame) as caught:
        table.play(seed=7)
    assert f"the referee failed: {words}" in str(caught.value)
    (kept,) = (tmp_path / "failed").iterdir()
    assert str(kept) in str(caught.value)
    text = kept.read_text()
    assert "seed=7" in text
    call = str(caught.value).partition("see it again with: ")[2]
    assert call in text
    again = subprocess.run(["sh", "-c", call], capture_output=True, text=True, timeout=30, check=False)
    assert "seed=7" in again.stdout


def test_noise_before_the_scores_is_passed_over() -> None:
    with desk("--fault", "noise") as table:
        assert list(table.play().scores) == [1, 0]


def test_a_negative_score_is_a_forfeit_of_a_kind_that_is_not_told() -> None:
    with desk("--fault", "negative") as table:
        game = table.play()
    (fault,) = game.faults
    assert (fault.seat, fault.kind, fault.detail) == (1, FaultKind.RULED, "the referee gave it -1")
    assert list(game.scores) == [1, 0]
    assert game.detail == "first forfeits: the referee gave it -1"
    with desk("--fault", "negative", has_negatives=False) as table:
        assert list(table.play().faults) == []


@pytest.mark.parametrize("kind", ["crash", "illegal"])
def test_a_bot_that_fails_in_the_referee_s_hands_forfeits(kind: str) -> None:
    with desk() as table:
        game = table.play(nim_bot("best"), nim_bot(kind))
    assert list(game.scores) == [1, 0]
    assert [(fault.seat, fault.kind) for fault in game.faults] == [(1, FaultKind.RULED)]


def test_a_hung_referee_is_ended_with_all_that_it_started(tag: str) -> None:
    with desk("--fault", "hang", "--tag", tag, time_limit_s=1.0) as table, pytest.raises(VoidGame) as caught:
        table.play(nim_bot("best", tag), nim_bot("first", tag))
    assert "it did not end in its time (referee.time_limit_s)" in str(caught.value)
    assert not wait_until_gone(tag)


def test_a_referee_that_crashes_later_voids_the_game(tag: str) -> None:
    with desk("--fault", "crash", "--from", "2", "--tag", tag) as table:
        assert list(table.play(seed=1).scores) == [1, 0]
        with pytest.raises(VoidGame, match="it was killed by signal 11"):
            table.play(seed=2)
        assert list(table.play(seed=1).scores) == [1, 0]
    assert not wait_until_gone(tag)


def test_a_referee_whose_first_game_comes_to_nothing_halts_the_run() -> None:
    with desk("--fault", "crash") as table, pytest.raises(RefereeError) as caught:
        table.play()
    assert "the referee's first game came to nothing" in str(caught.value)
    assert "run it by hand: cd " in str(caught.value)


def test_two_hundred_kilobytes_on_standard_error_are_no_matter() -> None:
    with desk("--fault", "flood") as table:
        assert list(table.play().scores) == [1, 0]


def test_an_output_without_end_is_ended(tag: str) -> None:
    with desk("--fault", "endless", "--tag", tag) as table, pytest.raises(VoidGame, match="MB to standard output"):
        table.play()
    assert not wait_until_gone(tag)


def test_what_a_referee_leaves_behind_ends_with_its_game(tag: str) -> None:
    with desk("--fault", "orphans", "--tag", tag) as table:
        assert list(table.play().scores) == [1, 0]
        assert not wait_until_gone(tag)


def test_a_bot_that_cannot_be_started_is_named_and_halts_the_run(tmp_path: Path) -> None:
    gone = nim_bot("gone", command=(str(tmp_path / "no such bot"),))
    with desk() as table, pytest.raises(BotStartError) as caught:
        table.play(nim_bot("best"), gone)
    assert "bot 'gone' does not start" in str(caught.value)
    named = nim_bot("broken", command=("/bin/nothing-there",))
    with desk() as table, pytest.raises(BotStartError) as caught:
        table.play(nim_bot("best"), named)
    assert "the referee cannot start bot 'broken'" in str(caught.value)
    assert "Cannot run program" in str(caught.value)


def test_the_same_later_is_void(tmp_path: Path) -> None:
    with desk(folder=str(tmp_path)) as table:
        table.play()
        with pytest.raises(VoidGame, match="exit code 1 and said nothing"):
            table.play(nim_bot("best"), nim_bot("broken", command=("/bin/nothing-there",)))


def test_a_referee_that_does_not_start_halts_the_run() -> None:
    with desk(command=("/no/such/referee",)) as table, pytest.raises(RefereeError) as caught:
        table.play()
    assert "the referee does not start" in str(caught.value)
    assert "No such file" in str(caught.value)


def test_another_seed_than_the_one_asked_for_halts_the_run() -> None:
    with desk("--seed-by", "none") as table, pytest.raises(RefereeError) as caught:
        table.play(seed=5)
    assert "asked for 5, it says " in str(caught.value)
    assert "harness check CONFIG" in str(caught.value)
    with desk("--seed-by", "none", is_paired=False) as table:
        assert table.play(seed=5).echo not in {None, "5"}


def test_failing_again_and_again_halts_the_run_and_it_can_go_on(tmp_path: Path) -> None:
    config = write_run(tmp_path, referee("brutal.py", "--fault", "exit", "--from", "2"), count=2)
    watcher = Watcher()
    with pytest.raises(RefereeError, match="job 1 came to nothing 3 times") as caught:
        play(config, watcher)
    assert "it ended with exit code 3" in str(caught.value)
    assert "see it again with: " in str(caught.value)
    assert len(watcher.voids) == 3
    assert len(list((tmp_path / "results" / "run" / "failed").iterdir())) == 3


def test_a_changed_referee_is_not_gone_on_with(tmp_path: Path) -> None:
    program = tmp_path / "referee.py"
    program.write_text((REFEREES / "brutal.py").read_text())
    section = referee(str(program))
    play(write_run(tmp_path, section, count=1))
    program.write_text(program.read_text() + "# another\n")
    with pytest.raises(ResultsError, match=r"referee: argument .*: its content changed"):
        play(write_run(tmp_path, section, count=1))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_lives_on_when_a_run_is_killed(number: signal.Signals, tmp_path: Path, tag: str) -> None:
    config = write_run(
        tmp_path, referee("brutal.py", "--fault", "hang", "--from", "2", "--tag", tag), count=3, workers=1
    )
    run = subprocess.Popen(
        [sys.executable, "-m", "harness", "run", str(config), "--quiet"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 30
    while (
        time.monotonic() < deadline
        and subprocess.run(["pgrep", "-f", f"time.sleep.*{tag}"], capture_output=True, check=False).returncode
    ):
        time.sleep(0.05)
    while run.poll() is None and time.monotonic() < deadline + 30:
        run.send_signal(number)  # two that come at once are one
        with contextlib.suppress(subprocess.TimeoutExpired):
            run.wait(timeout=0.5)
    assert run.returncode is not None
    assert not wait_until_gone(tag)


def test_logs_are_kept_of_the_games_that_were_asked_for(tmp_path: Path) -> None:
    for log, kept in ((RefereeLog.NONE, []), (RefereeLog.FAILED, ["000001-0.json"]), (RefereeLog.ALL, None)):
        folder = tmp_path / log.value
        with desk("--fault", "negative", "--from", "2", folder=str(folder), log=log) as table:
            table.play(seed=1, id=0)
            table.play(seed=2, id=1)
        found = sorted(path.name for path in (folder / "logs").glob("*"))
        assert found == (["000000-0.json", "000001-0.json"] if kept is None else kept)


def test_a_full_folder_of_failures_takes_no_more(tmp_path: Path) -> None:
    (tmp_path / "failed").mkdir()
    for number in range(100):
        (tmp_path / "failed" / str(number)).touch()
    with desk("--fault", "null", folder=str(tmp_path)) as table, pytest.raises(VoidGame, match="it said 1"):
        table.play()
    assert len(list((tmp_path / "failed").iterdir())) == 100
