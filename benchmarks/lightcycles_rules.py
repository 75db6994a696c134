"""Turns a second of light cycles: the rules alone, the rules through their whole interface, and the whole loop.

Plays the same recorded games (territory against itself on the contest's board) at every level, in rounds, so that the
figures of one run compare; prints medians of five. All of it runs in this process, on one core.

    taskset -c 1 python benchmarks/lightcycles_rules.py
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))

from harness.play.clock import build_clocks  # noqa: E402
from harness.play.game import play_game  # noqa: E402
from harness.protocols.inprocess import InProcessPlayer  # noqa: E402
from harness.records import BotSpec, Form, LinesView, RulesSpec, TimeControl, View  # noqa: E402
from harness.referee.builtin import BuiltinReferee, build_referee  # noqa: E402
from harness.rules.base import Position  # noqa: E402

TERRITORY = f"{REPOSITORY}/bots/territory/territory_bot.py:make"
REPLAY = f"{__file__}:make_replay"
TIME = TimeControl(per_ply_ms=1000)

Game = tuple[int, list[str]]
"""A recorded game: its seed, and all actions in the order in which the rules took them."""

replayed: list[Sequence[str]] = []
"""For `make_replay`: what each seat is to answer in the game that begins."""


def make_replay(seed: int, seat: int, n_seats: int) -> Callable[[View], str]:
    """Make a bot that answers from a record, at once. This file is loaded a second time to make it."""
    del seed, n_seats
    answers = iter(sys.modules["__main__"].replayed[seat])
    return lambda view: next(answers)  # noqa: ARG005 - reads nothing


def record_games(referee: BuiltinReferee, n_games: int) -> list[Game]:
    games = []
    for seed in range(n_games):
        players = [InProcessPlayer(BotSpec("territory", "python", python=TERRITORY), Form.LINES) for _ in range(2)]
        games.append((seed, play(referee, seed, players)))
    return games


def play(referee: BuiltinReferee, seed: int, players: Sequence[InProcessPlayer]) -> list[str]:
    game = referee.start(seed, [player.form for player in players])
    for seat, player in enumerate(players):
        player.begin_game(seed, seat, len(players))
    play_game(game, players, build_clocks([TIME, TIME]))
    return game.log


def apply_alone(referee: BuiltinReferee, games: Sequence[Game]) -> float:
    """Seconds that `apply` takes, with actions that are read already."""
    total_s = 0.0
    for seed, log in games:
        position = referee.rules.start(seed)
        turns = list(parsed_turns(referee.rules.start(seed), log))
        began_s = process_time()
        for actions in turns:
            position.apply(actions)
        total_s += process_time() - began_s
        assert position.outcome()
    return total_s


def parsed_turns(position: Position, log: Sequence[str]) -> list[dict[int, object]]:
    answers, turns = iter(log), []
    while seats := position.to_act():
        actions = {seat: position.parse(seat, next(answers)) for seat in seats}
        position.apply(actions)
        turns.append(actions)
    return turns


def whole_interface(referee: BuiltinReferee, games: Sequence[Game]) -> float:
    """Seconds for whole games through the rules' interface: map, who acts, what each sees, reading, turn, outcome."""
    began_s = process_time()
    for seed, log in games:
        position = referee.rules.start(seed)
        answers = iter(log)
        while seats := position.to_act():
            actions = {}
            for seat in seats:
                view = position.view(seat, Form.LINES)
                assert isinstance(view, LinesView)
                actions[seat] = position.parse(seat, next(answers))
            position.apply(actions)
        assert position.outcome()
    return process_time() - began_s


def loop(referee: BuiltinReferee, games: Sequence[Game], bot: str) -> float:
    """Seconds for whole games in the harness's own loop: referee, clocks, players, faults."""
    players = [InProcessPlayer(BotSpec(f"bot{seat}", "python", python=bot), Form.LINES) for seat in range(2)]
    total_s = 0.0
    for seed, log in games:
        replayed[:] = [log[0::2], log[1::2]]  # two seats take turns in the log in either kind of game
        began_s = process_time()
        assert play(referee, seed, players) == log
        total_s += process_time() - began_s
    return total_s


def main() -> None:
    parser = argparse.ArgumentParser(description="Turns a second of light cycles.")
    parser.add_argument("--games", type=int, default=40, help="games a round (default 40)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default 5)")
    options = parser.parse_args()
    for turns in ("simultaneous", "alternate"):
        referee = build_referee(RulesSpec("lightcycles", (("turns", turns),)))
        games = record_games(referee, options.games)
        n_turns = sum(len(parsed_turns(referee.rules.start(seed), log)) for seed, log in games)
        print(f"{turns}: {len(games)} games, {n_turns} turns of the rules, {sum(len(log) for _, log in games)} plies")
        levels: dict[str, Callable[[BuiltinReferee, Sequence[Game]], float]] = {
            "apply alone": apply_alone,
            "whole interface": whole_interface,
            "loop, bots that answer at once": partial(loop, bot=REPLAY),
            "loop, territory in Python": partial(loop, bot=TERRITORY),
        }
        times: dict[str, list[float]] = {name: [] for name in levels}
        for _ in range(options.rounds):
            for name, measure in levels.items():
                times[name].append(measure(referee, games))
        for name, seconds in times.items():
            per_turn_us = median(seconds) / n_turns * 1e6
            print(f"  {name:<32}{per_turn_us:8.2f} µs a turn {1e6 / per_turn_us:12,.0f} turns/s")


if __name__ == "__main__":
    main()
