"""A short night: games in which a seed picks a misbehaviour in one of ten. The long one is benchmarks/night.py."""

from __future__ import annotations

import pytest

from benchmarks.night import Night, play_night
from harness.protocols.process import why_no_sandbox
from tests.bots.misbehave import picked_fault
from tests.bots.users import run_apart
from tests.needs import cannot_run


@pytest.mark.parametrize(
    ("protocol", "isolation", "n_maps"),
    [("codingame", "process", 120), ("uci", "process", 120), ("codingame", "sandbox", 40)],
)
def test_a_night_leaves_no_process_no_file_and_no_wrong_record(protocol: str, isolation: str, n_maps: int) -> None:
    if isolation == "sandbox" and (why := why_no_sandbox()):
        cannot_run(f"this machine cannot give a sandbox: {why}")

    def play() -> tuple[list[str], int, int]:
        night = Night(protocol, isolation, n_maps, n_workers=2)
        play_night(night, lambda line: None)
        n_games = sum(night.seen.values()) if protocol == "codingame" else 2 * n_maps
        return night.wrong, n_games, night.seen["none"]

    wrong, n_games, n_good = run_apart(play, exclusive=False)  # what is a child of this test's process is not its
    assert wrong == []
    assert n_games == 2 * n_maps
    if protocol == "codingame":
        assert 0.75 * n_games < n_good < n_games, "some misbehaved, not all"


def test_the_judge_finds_what_is_wrong() -> None:
    """Records that do not belong to the seeds must not pass."""

    def play() -> int:
        night = Night("codingame", "process", 20, n_workers=2)
        real = night.judge
        night.judge = lambda record, run_key: real(record, run_key + "x")  # type: ignore[method-assign]
        play_night(night, lambda line: None)
        return len(night.wrong)

    assert run_apart(play, exclusive=False) > 0


def test_one_in_n_games_is_picked() -> None:
    picked = [picked_fault("a,b,c", 10, seed) for seed in range(0, 10**12, 10**8 + 7)]
    share = sum(name != "none" for name in picked) / len(picked)
    assert 0.08 < share < 0.12
    assert set(picked) == {"none", "a", "b", "c"}
