"""docs/rules/lightcycles.md and docs/how-to/write-a-bot.md say what the code does: their examples are run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from harness.config.models import BotSection
from harness.records import Form, LinesView, StateView
from harness.rules.lightcycles import build
from harness.rules.lightcycles_game import AtOnce, InTurn, Layout
from harness.rules.lightcycles_map import ArenaMap, MapShape

DOCS = Path(__file__).parents[2] / "docs"
RULES = (DOCS / "rules" / "lightcycles.md").read_text(encoding="utf-8")
BOT = (DOCS / "how-to" / "write-a-bot.md").read_text(encoding="utf-8")


def blocks(text: str, language: str = "") -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for its_language, block in found if its_language == language]


def test_every_config_of_the_rules_page_is_accepted() -> None:
    (block,) = blocks(RULES, "yaml")
    for line in block.splitlines():
        params = yaml.safe_load(line)["rules"]
        assert params.pop("name") == "lightcycles"
        assert build(params, str).start(1).to_act()


def test_the_table_of_parameters_names_them_with_their_defaults() -> None:
    rows = re.findall(r"^\| (`.*?`) \| .*? \| (`.*?`) \|", RULES, re.MULTILINE)
    defaults = {
        key: yaml.safe_load(default)
        for keys, values in rows
        for key, default in zip(re.findall(r"\w+", keys), re.findall(r"[\w.]+", values), strict=True)
    }
    assert set(defaults) == {"players", "width", "height", "turns", "starts", "obstacles", "header"}
    spelt_out, bare = build(defaults, str), build({}, str)
    for seed in range(5):
        assert spelt_out.start(seed).draw() == bare.start(seed).draw()
        assert spelt_out.start(seed).view(0, Form.LINES) == bare.start(seed).view(0, Form.LINES)


def test_the_example_of_a_first_request_is_a_real_one() -> None:
    example = next(block for block in blocks(RULES) if block.startswith("board 7 5"))
    shape = MapShape(7, 5, 2, mirrored=False, obstacles=2)
    game = InTurn(Layout(shape, "alternate", sends_header=True), ArenaMap(((2, 1), (5, 3)), ((3, 2), (0, 4))))
    game.apply({0: game.parse(0, "RIGHT")})
    assert game.view(1, Form.LINES) == LinesView(example)


def test_the_example_of_a_mapping_is_a_real_one() -> None:
    shape = MapShape(7, 5, 3, mirrored=False, obstacles=1)
    game = AtOnce(Layout(shape, "simultaneous", sends_header=True), ArenaMap(((2, 1), (5, 3), (0, 0)), ((6, 0),)))
    game.apply({seat: game.parse(seat, text) for seat, text in enumerate(["RIGHT", "UP", "UP"])})
    (example,) = blocks(RULES, "json")
    view = game.view(1, Form.STATE)
    assert isinstance(view, StateView)
    assert view.state == json.loads(example)


@pytest.mark.parametrize("header", ["", "board 20 12 alternate 0\n", "board 20 12 alternate 2\n3 2\n0 4\n"])
def test_the_contest_bot_of_the_guide_plays(header: str) -> None:
    """On the contest's board, and on one with a header as `configs/quickstart.yaml` has it."""
    program = blocks(BOT, "python")[0]
    turns = header + "2 1\n9 9 9 9\n5 1 5 1\n2 1\n9 9 9 8\n5 1 5 0\n"
    result = subprocess.run([sys.executable, "-c", program], input=turns, capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["UP", "RIGHT"]
    assert result.stderr == ""


def test_the_maker_of_the_guide_makes_a_bot() -> None:
    names: dict[str, object] = {}
    exec(blocks(BOT, "python")[1], names)
    make = names["make"]
    assert callable(make)
    assert make(1, 0, 2)(LinesView("")) == "UP"


def test_every_bot_yaml_of_the_guide_is_accepted() -> None:
    sections = [yaml.safe_load(block) for block in blocks(BOT, "yaml")]
    flat = [section for section in sections if "bots" not in section]
    named = [bot for section in sections if "bots" in section for bot in section["bots"].values()]
    assert len(flat) == 3
    assert len(named) == 3
    for section in flat:
        BotSection.model_validate(section)
    for bot in named:
        assert bot.pop("folder") == "../bots/mine"
        BotSection.model_validate(bot)
