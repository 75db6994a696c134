"""The page of the config says what the code does."""

import re
from pathlib import Path

import pytest

from harness.config.load import load_config
from harness.config.models import BotEntry, ConfigFile
from harness.config.reference import EXAMPLE, build_reference
from harness.config.section import Section

PAGE = Path(__file__).parents[2] / "docs" / "config.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == build_reference(), "run scripts/config-reference"


def all_sections() -> list[type[Section]]:
    found: list[type[Section]] = []
    todo: list[type[Section]] = [Section]
    while todo:
        children = todo.pop().__subclasses__()
        found += children
        todo += children
    return found


def test_every_key_is_on_the_page_with_words() -> None:
    page = build_reference()
    sections = all_sections()
    assert {ConfigFile, BotEntry} < set(sections)
    for section in sections:
        assert section.__doc__
        for key, field in section.model_fields.items():
            assert field.description, f"{section.__name__}.{key} needs a description"
            assert f"| `{field.alias or key}` |" in page


def test_every_link_leads_to_a_heading() -> None:
    page = build_reference()
    headings = {line.lstrip("# ").lower() for line in page.splitlines() if line.startswith("#")}
    links = re.findall(r"\]\(#([^)]*)\)", page)
    assert links
    assert set(links) <= headings


def test_the_example_loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "x")
    mine = tmp_path / "bots" / "mine"
    mine.mkdir(parents=True)
    (mine / "bot.yaml").write_text("command: [stockfish]\nprotocol: uci\n")
    (mine / "stockfish").write_text("#!/bin/sh\n")
    (mine / "stockfish").chmod(0o755)
    (tmp_path / "configs").mkdir()
    monkeypatch.setenv("PATH", str(mine))
    path = tmp_path / "configs" / "example.yaml"
    path.write_text(EXAMPLE, encoding="utf-8")
    assert [bot.name for bot in load_config(path).bots] == ["candidate", "stockfish", "trainer"]
