"""The new mode of cg-brutaltester's referees, played with one of ours: records, seeds, scripts, and what goes wrong."""

from __future__ import annotations

from pathlib import Path

from tests.referee.delegated import write_run
from tests.run.runs import play


def test_a_run_has_scores_values_seeds_and_data(tmp_path: Path) -> None:
    records = play(write_run(tmp_path, count=3))
    assert [record.seed for record in records] == [1, 2, 3]
    for record in records:
        assert record.paired
        assert [game.seating for game in record.games] == [(0, 1), (1, 0)]
        for game in record.games:
            assert dict(game.data) == {"seed": record.seed, "heaps": 4}
            assert game.values == game.scores
            assert sorted(game.scores) == [0, 1]
            assert (game.plies, game.moves, game.transcript) == (0, "", None)
            assert game.detail in {"1 : 0", "0 : 1"}
    assert sum(record.scores[0] for record in records) >= 5
