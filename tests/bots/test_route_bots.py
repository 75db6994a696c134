"""The bots for the score contest: as programs and called in-process they answer the same, and 2-opt is shorter."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bots.route_2opt import two_opt_bot
from bots.route_greedy import greedy_bot
from harness.records import Form, LinesView
from harness.rules.route import build

BOTS = Path(__file__).parents[2] / "bots"
MADE: dict[str, tuple[str, Callable[[LinesView], str]]] = {
    "route_greedy": ("greedy_bot.py", greedy_bot.make(1, 0, 1)),
    "route_2opt": ("two_opt_bot.py", two_opt_bot.make(1, 0, 1)),
}


def lines(n_cities: int, seed: int) -> LinesView:
    view = build({"cities": n_cities}, str).start(seed).view(0, Form.LINES)
    assert isinstance(view, LinesView)
    return view


@pytest.mark.parametrize("name", MADE)
def test_program_and_in_process_bot_answer_the_same(name: str) -> None:
    file, make = MADE[name]
    for n_cities, seed in ((5, 1), (60, 2), (150, 3)):
        view = lines(n_cities, seed)
        done = subprocess.run(
            [sys.executable, file], cwd=BOTS / name, input=view.text, capture_output=True, text=True, check=True
        )
        assert done.stdout == make(view) + "\n"


def test_two_opt_is_shorter_on_every_map_of_some_size() -> None:
    for seed in range(20):
        position = build({"cities": 80}, str).start(seed)
        lengths = [position.length(position.parse(0, make(lines(80, seed)))) for _, make in MADE.values()]
        assert lengths[1] < lengths[0]


@pytest.mark.parametrize("name", MADE)
def test_they_start_without_slow_imports(name: str) -> None:
    slow = "{'typing', 'random', 're', 'collections', 'enum'}"
    module = MADE[name][0].removesuffix(".py")
    code = f"import {module}, sys; print(*sorted({slow} & {{*sys.modules}}))"
    done = subprocess.run(
        [sys.executable, "-E", "-S", "-c", code], cwd=BOTS / name, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
