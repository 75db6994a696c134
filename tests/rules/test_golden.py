"""Golden playthroughs: a whole game of every rule set, kept as text beside this file.

A difference means that the rules, a view or a map changed. If that was meant, write the files anew and read the diff:
`python -m harness.testing.golden tests/rules/golden/*.txt`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.rules.registry import BUILT_IN
from harness.testing.golden import build_golden, read_header, write_golden

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(GOLDEN.glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_game_is_as_it_was(path: Path) -> None:
    assert build_golden(path) == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_every_rule_set_has_a_golden_game(name: str) -> None:
    assert any(read_header(path).rules == name for path in FILES), (
        f"rule set {name} has no golden game: write the header of tests/rules/golden/{name}.txt and run "
        "`python -m harness.testing.golden` on it (harness/testing/golden.py)"
    )


def test_a_file_without_a_header_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.write_text("rules: lightcycles\nseed: 1\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"empty.txt: a golden file opens with the lines rules, params, seed, turns"):
        build_golden(path)


def test_a_header_alone_is_enough_to_write_a_file(tmp_path: Path) -> None:
    path = tmp_path / "new.txt"
    path.write_text('rules: lightcycles\nparams: {"width": 6, "height": 5}\nseed: 1\nturns: 3\n', encoding="utf-8")
    write_golden([str(path)])
    assert path.read_text(encoding="utf-8").endswith("stopped after 3 turns\n")
    write_golden([str(path)])
    assert build_golden(path) == path.read_text(encoding="utf-8")
