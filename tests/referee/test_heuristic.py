"""Score contests through a tester of their own, one seat, AtCoder's kind: scores, failures of bot and of tester."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import main
from harness.errors import ConfigError, RefereeError
from harness.records import FaultKind
from harness.report.score_book import score_of
from harness.run.prepare import prepare
from tests.referee.delegated import REFEREES, write_run
from tests.run.runs import play

RESULT = {"regex": r"^Score = (\S+)$", "stream": "stderr", "failed": r"^(WA|TLE|RE)\b.*"}
SCORING = {"objective": "minimise", "relative": "best"}


def section_of(*words: str, **keys: Any) -> dict[str, Any]:
    command = [sys.executable, str(REFEREES / "heuristic.py"), *words, "{seed}", "{p1}"]
    return {"mode": "template", "command": command, "players": 1, "result": RESULT, **keys}


def bot(kind: str) -> dict[str, Any]:
    return {"command": [sys.executable, str(REFEREES / "split_bot.py"), kind]}


def run(folder: Path, *bots: str, count: int = 4, **keys: Any) -> Path:
    section = keys.pop("referee", None) or section_of()
    keys = {"scoring": SCORING, **keys}
    return write_run(folder, section, {name: bot(name) for name in bots}, count=count, **keys)


def test_scores_are_read_from_standard_error(tmp_path: Path) -> None:
    records = play(run(tmp_path, "greedy", "order"))
    assert [(record.lineup, record.seed) for record in records[:3]] == [
        (("greedy",), 1),
        (("order",), 1),
        (("greedy",), 2),
    ]
    scores = [score_of(record) for record in records]
    assert None not in scores
    assert all(len(record.games) == 1 and record.scores == (1.0,) for record in records)
    again = [score_of(record) for record in play(run(tmp_path / "again", "greedy", "order", workers=2))]
    assert sorted(map(str, again)) == sorted(map(str, scores))


@pytest.mark.parametrize(
    ("kind", "words"), [("crash", "RE: exit code 3"), ("nonsense", "WA: not a side for each number")]
)
def test_a_bot_that_fails_has_no_score_and_the_tester_is_not_blamed(tmp_path: Path, kind: str, words: str) -> None:
    records = play(run(tmp_path, kind, count=6))
    failed = [record for record in records if score_of(record) is None]
    assert len(failed) == 2
    for record in failed:
        (fault,) = record.games[0].faults
        assert fault.kind is FaultKind.RULED
        assert fault.detail == f"the referee says: {words}"
        assert record.games[0].values is None
        assert record.scores == (0.0,)


def test_whole_run_with_show_and_failures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = run(tmp_path, "greedy", "order", "crash", count=12, stop_after={"forfeit_share": None})
    assert main(["run", str(path), "--quiet", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    found = {row["name"]: row for row in data["scores"]["bots"]}
    assert found["crash"]["n_failed"] == 5
    assert found["greedy"]["n_failed"] == 0
    assert "greedy is better than order" in data["verdict"]["headline"]
    assert main(["show", str(tmp_path / "results" / "run")]) == 0
    out = capsys.readouterr().out
    assert "crash 5 forfeits" in out
    assert main(["check", str(run(tmp_path / "well", "greedy", "order"))]) == 0


@pytest.mark.parametrize("fault", ["crash", "silent"])
def test_a_tester_that_fails_is_void_and_then_halts(tmp_path: Path, fault: str) -> None:
    with pytest.raises(RefereeError):
        play(run(tmp_path, "greedy", referee=section_of("--fault", fault)))


def test_negative_and_broken_numbers(tmp_path: Path) -> None:
    negative = play(
        run(tmp_path / "a", "greedy", referee=section_of("--fault", "negative"), scoring={"objective": "maximise"})
    )
    assert all((score_of(record) or 0.0) <= 0.0 for record in negative)
    assert all(score_of(record) is not None for record in negative)
    floats = play(run(tmp_path / "b", "order", referee=section_of("--fault", "float")))
    assert any((score_of(record) or 0.0) % 1 for record in floats)


def test_a_gate_through_a_tester(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = run(tmp_path, "greedy", "order")
    config = json.loads(path.read_text())
    del config["schedule"]
    config["maps"] = {"ledger": "seeds.yaml"}
    config["gate"] = {
        "candidate": "greedy",
        "champion": "order",
        "confirm": {"split": "validation", "maps": 15, "pass": {"lower_bound": 0.5}},
    }
    path.write_text(json.dumps(config))
    assert main(["gate", str(path), "--quiet"]) == 0
    assert "▲ PROMOTED   greedy is better than order" in capsys.readouterr().out


def test_a_tester_for_one_needs_a_scoring(tmp_path: Path) -> None:
    path = run(tmp_path, "greedy")
    config = json.loads(path.read_text())
    del config["scoring"]
    path.write_text(json.dumps(config))
    with pytest.raises(ConfigError, match="`scoring` is missing"):
        prepare(path)


def test_failed_is_for_one_seat_and_a_regular_expression(tmp_path: Path) -> None:
    two = section_of(players=2, result={**RESULT, "regex": "(a)(b)"})
    two["command"] = [*two["command"][:-1], "{players}"]
    with pytest.raises(ConfigError, match="it does not say whose fault it is"):
        prepare(run(tmp_path, "greedy", referee=two))
    with pytest.raises(ConfigError, match="no regular expression"):
        prepare(run(tmp_path, "greedy", referee=section_of(result={**RESULT, "failed": "("})))
