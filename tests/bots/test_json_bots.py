"""The bots that speak JSON: as programs and called in-process they play the same, and rollouts beat chance."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bots.any_random import any_bot
from bots.spiel_rollout import rollout_bot
from harness.play.map import play_map
from harness.play.table import Table
from harness.records import BotSpec, Form, MapJob, MapRecord, RulesSpec, StateView, TimeControl, Transcript
from harness.rules.registry import build_rules

BOTS = Path(__file__).parents[2] / "bots"
FILES = {"any_random": "any_bot.py", "spiel_rollout": "rollout_bot.py"}


NONE: Mapping[str, object] = {}


def program(bot: str, **options: int) -> BotSpec:
    return BotSpec(bot, "json", (sys.executable, FILES[bot]), cwd=str(BOTS / bot), options=tuple(options.items()))


def inside(bot: str) -> BotSpec:
    return BotSpec(bot, "python", python=f"{BOTS / bot / FILES[bot]}:make", cwd=str(BOTS / bot))


def play(
    game: str, *bots: BotSpec, params: Mapping[str, object] = NONE, seed: int = 1
) -> tuple[MapRecord, tuple[Transcript, ...]]:
    job = MapJob(
        id=1,
        run="r",
        run_key="k",
        stage="run",
        split="train",
        seed=seed,
        lineup=bots,
        seatings=tuple(tuple((seat + turn) % len(bots) for seat in range(len(bots))) for turn in range(len(bots))),
        rules=RulesSpec(game, tuple(params.items())),
        time=TimeControl(per_ply_ms=60_000),
    )
    table = Table()
    try:
        return play_map(job, table, 0)
    finally:
        table.close()


GAMES: list[tuple[str, dict[str, object]]] = [
    ("open_spiel/connect_four", {}),
    ("open_spiel/leduc_poker", {}),
    ("open_spiel/goofspiel", {"num_cards": 4}),
    ("open_spiel/pig", {"winscore": 15}),
]
OURS: list[tuple[str, dict[str, object]]] = [
    ("lightcycles", {}),
    ("chess", {}),
    ("gomoku", {}),
    ("go", {"size": 9}),
]


@pytest.mark.parametrize(("game", "params"), [*GAMES, *OURS], ids=str)
def test_as_a_program_and_in_process_chance_plays_the_same(game: str, params: dict[str, object]) -> None:
    outside, inside_ = [play(game, kind("any_random"), kind("any_random"), params=params) for kind in (program, inside)]
    assert [game.actions for game in outside[1]] == [game.actions for game in inside_[1]]
    assert not any(game.faults for game in outside[0].games)


@pytest.mark.parametrize(("game", "params"), GAMES, ids=str)
def test_as_a_program_and_in_process_rollouts_play_the_same(game: str, params: dict[str, object]) -> None:
    lineups = [(kind("spiel_rollout"), program("any_random")) for kind in (program, inside)]
    outside, inside_ = [play(game, *lineup, params=params) for lineup in lineups]
    assert [game.actions for game in outside[1]] == [game.actions for game in inside_[1]]
    assert not any(game.faults for game in outside[0].games)


def test_rollouts_beat_chance() -> None:
    points = sum(
        play(
            "open_spiel/tic_tac_toe",
            inside("spiel_rollout"),
            inside("any_random"),
            params={"random_plies": 2},
            seed=seed,
        )[0].scores[0]
        for seed in range(20)
    )
    assert points > 30  # of 40; even play would come to 20


def test_what_a_rollout_bot_thinks_is_in_the_transcript() -> None:
    _, games = play("open_spiel/connect_four", program("spiel_rollout", rollouts=21), program("any_random"))
    assert any("nodes 21 score cp" in said for said in games[0].info)


def views(game: str, moves: Mapping[int, Sequence[str]]) -> dict[str, Any]:
    position = build_rules(game, {}, str).start(1)
    for actions in zip(*moves.values(), strict=True):
        position.apply({seat: position.parse(seat, text) for seat, text in zip(moves, actions, strict=True)})
    view = position.view(position.to_act()[0], Form.STATE)
    assert isinstance(view, StateView)
    return dict(view.state)


def test_a_rollout_bot_that_finds_no_such_game_plays_by_chance() -> None:
    shown = views("open_spiel/leduc_poker", {})
    bot = rollout_bot.RolloutBot(1, 10)
    action, mean = bot.play({**shown, "information": "never seen"})
    assert action in shown["legal"]
    assert mean is None


def test_makers_say_which_form_they_want() -> None:
    makers: list[Callable[..., object]] = [any_bot.make, rollout_bot.make]
    assert [getattr(make, "form", None) for make in makers] == ["state", "state"]
