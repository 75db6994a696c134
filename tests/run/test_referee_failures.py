"""A referee that fails: the map is void and played again; at one job three times and the run halts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import RefereeError, VoidGame
from harness.play import map as play_module
from tests.bots.actors import swift, wait_until_gone
from tests.run.runs import Watcher, entry, play, write_config

Void = Callable[[int, int], bool]


@pytest.fixture
def config(tmp_path: Path, swift_bot: Path, tag: str) -> Path:
    bots = {name: entry(swift(swift_bot, tag=tag)) for name in ("good", "other")}
    return write_config(tmp_path, bots, count=3)


@pytest.fixture
def fail_at(monkeypatch: pytest.MonkeyPatch) -> Callable[[Void], None]:
    """Let games fail in workers, which are forked from here, where a function of job and attempt says so."""
    real = play_module.play_games

    def set_failures(fails: Void) -> None:
        def play_games(job, table, worker, watch=None):  # type: ignore[no-untyped-def]
            if fails(job.id, job.attempt):
                raise VoidGame("the referee lost its pencil")
            return real(job, table, worker, watch)

        monkeypatch.setattr("harness.run.worker.play_games", play_games)

    return set_failures


def test_a_job_that_the_referee_voids_again_and_again_halts_the_run(
    config: Path, fail_at: Callable[[Void], None], tag: str
) -> None:
    fail_at(lambda job, attempt: job == 1)
    watcher = Watcher()
    with pytest.raises(RefereeError, match="job 1 came to nothing 3 times") as caught:
        play(config, watcher)
    assert "the referee lost its pencil" in str(caught.value)
    assert "harness play CONFIG --seed 2" in str(caught.value)
    assert watcher.voids == [(1, "the referee lost its pencil")] * 3
    assert not wait_until_gone(tag)


def test_one_failure_costs_nothing_but_a_second_game(config: Path, fail_at: Callable[[Void], None]) -> None:
    fail_at(lambda job, attempt: attempt == 1)
    watcher = Watcher()
    records = play(config, watcher)
    assert [(record.job, record.attempt) for record in records] == [(0, 2), (1, 2), (2, 2)]
    assert len(watcher.voids) == 3
