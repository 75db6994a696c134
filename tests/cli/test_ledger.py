"""The ledger on the command line."""

import json
from pathlib import Path

import pytest

from harness.cli.main import main

LEDGER = """\
name: cycles
feeds: generator
train: {from: 0, to: 9}
validation: {from: 10, to: 39}
test: {from: 40, to: 59}
"""


@pytest.fixture
def ledger(tmp_path: Path) -> str:
    path = tmp_path / "cycles.yaml"
    path.write_text(LEDGER)
    return str(path)


def draw(ledger: str, *more: str, action: str = "draw", candidate: str = "c") -> int:
    return main(["ledger", action, ledger, "--lineage", "main", "--candidate", candidate, *more])


def test_show_says_what_is_left(ledger: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ledger", "show", ledger]) == 0
    assert "nothing was drawn yet" in capsys.readouterr().out
    assert draw(ledger, "--maps", "10") == 0
    assert main(["ledger", "show", ledger]) == 0
    out = capsys.readouterr().out
    assert "validation  10 to 39, 30 seeds, 20 never used" in out
    assert "validation 10 to 19: by hand of c for main, run by hand" in out
    assert main(["ledger", "show", ledger, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["splits"]["validation"] == {"from": 10, "to": 39, "n_unused": 20}
    assert facts["entries"][0]["decision"]["candidate"] == "c"


def test_reuse_is_said_with_its_cost(ledger: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert draw(ledger, "--maps", "30") == 0
    capsys.readouterr()
    assert draw(ledger, "--maps", "30", candidate="d") == 0
    out = capsys.readouterr().out
    assert "1 selection of this lineage was made on these maps before" in out
    assert "about 2.6 points too much" in out  # 0.564 deviations of a best of two, 0.25/√30
    assert draw(ledger, "--maps", "30", candidate="d") == 0
    assert "as drawn before" in capsys.readouterr().out


def test_spending_twice_is_refused_naming_the_first(ledger: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert draw(ledger, "--maps", "10", "--rule", "lower end above 0.5", action="spend") == 0
    assert "test seeds 40 to 49, entry #0, " in capsys.readouterr().out
    assert draw(ledger, "--maps", "5", "--from", "45", "--rule", "x", action="spend", candidate="d") == 2
    err = capsys.readouterr().err
    assert "cycles.spent.jsonl:1: a test seed serves one decision" in err
    assert "by hand of c for lineage main" in err
    assert draw(ledger, "--maps", "15", "--rule", "x", action="spend", candidate="d") == 5
    assert "10 in one piece, 15 are needed" in capsys.readouterr().err


def test_spending_needs_a_rule(ledger: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert draw(ledger, "--maps", "10", action="spend") == 2
    assert "--rule" in capsys.readouterr().err
    assert draw(ledger, "--maps", "0") == 2
    assert "1 or more" in capsys.readouterr().err


def test_drawing_as_json(ledger: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert draw(ledger, "--maps", "5", "--split", "train", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "split": "train",
        "from": 0,
        "to": 4,
        "entry": None,
        "digest": "",
        "n_selections": 0,
        "was_there": False,
    }


def test_verify(ledger: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert draw(ledger, "--maps", "10", "--rule", "x", action="spend") == 0
    assert main(["ledger", "verify", ledger]) == 0
    assert "1 entries, unaltered" in capsys.readouterr().out
    record = Path(ledger).with_name("cycles.spent.jsonl")
    with record.open("ab") as file:
        file.write(b"{")
    assert main(["ledger", "verify", ledger]) == 1
    assert "torn" in capsys.readouterr().out
    assert draw(ledger, "--maps", "10", "--rule", "x", action="spend", candidate="d") == 0
    assert "1 bytes was cut off" in capsys.readouterr().err
    record.write_bytes(record.read_bytes().replace(b'"c"', b'"e"', 1))
    assert main(["ledger", "verify", ledger]) == 2
    assert "not what was written" in capsys.readouterr().err
