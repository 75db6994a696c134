"""docs/when-things-fail.md is complete, and every row names a test that is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "when-things-fail.md"
ROWS = [
    line
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| what happens")
]
CONSEQUENCES = (
    # the architecture's table of failures: a word of each of its rows
    "had its core",
    "waited for a core",
    "killed by a signal",
    "illegal or unreadable",
    "does not start",
    "fails its handshake",
    "first games in a row",
    "several seats fault",
    "referee fails",
    "worker dies",
    "Ctrl-C or SIGTERM once",
    "Ctrl-C or SIGTERM twice",
    "disk is full",
    "torn",
)


def test_functions(path: Path) -> set[str]:
    """Give the names of a file's tests."""
    return {
        node.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


test_functions.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip()[:40])
def test_row_names_a_test_that_exists(row: str) -> None:
    what, comes_to, shown_by = (cell.strip() for cell in row.strip("|").split("|"))
    assert what
    assert comes_to
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", shown_by)
    assert named, "no test is named"
    for file, name in named:
        assert name in test_functions(ROOT / file), f"{file} has no {name}"


@pytest.mark.parametrize("word", CONSEQUENCES)
def test_no_failure_is_missing(word: str) -> None:
    assert any(word in row for row in ROWS)
