"""A bot for any game of OpenSpiel: random games from the position, and the action with the best mean return."""

from __future__ import annotations

import json
import sys
from random import Random
from typing import TYPE_CHECKING, Any

import pyspiel  # type: ignore[import-not-found]

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.records import StateView

ROLLOUTS = 100
TRIES = 300
"""How many games are drawn to find one that looks like this to its seat, where the game hides something."""

State = Any


class RolloutBot:
    """The bot of one game."""

    def __init__(self, seed: int, rollouts: int) -> None:
        self.random = Random(seed)
        self.rollouts = rollouts
        self.played: list[int] = []  # its own actions in this game

    def play(self, shown: dict[str, Any]) -> tuple[str, float | None]:
        """Choose one of the legal actions; give it with its mean return, if it found one."""
        seat, legal = shown["seat"], [int(action) for action in shown["legal"]]
        game = pyspiel.load_game(shown["game"])
        sums, counts = dict.fromkeys(legal, 0.0), dict.fromkeys(legal, 0)
        for number in range(self.rollouts):
            root = self.root(game, shown)
            if root is None:
                break
            action = legal[number % len(legal)]
            self.step(root, seat, action)
            sums[action] += self.finish(root)[seat]
            counts[action] += 1
        tried = {action: sums[action] / counts[action] for action in legal if counts[action]}
        best = max(tried, key=lambda action: tried[action]) if tried else self.random.choice(legal)
        self.played.append(best)
        return str(best), tried.get(best)

    def root(self, game: Any, shown: dict[str, Any]) -> State | None:
        """Set up the position, or one that looks like it to this seat; None if none is found."""
        if "history" in shown:
            return replay(game, shown["history"])
        for _ in range(TRIES):
            state, mine = game.new_initial_state(), iter(self.played)
            while not state.is_terminal():
                if self.looks_like(state, shown):
                    return state
                self.step(state, shown["seat"], None, mine)
        return None

    def looks_like(self, state: State, shown: dict[str, Any]) -> bool:
        seat = shown["seat"]
        if state.is_chance_node() or seat not in acting(state):
            return False
        if "information" in shown:
            return bool(state.information_state_string(seat) == shown["information"])
        return bool(state.observation_string(seat) == shown["observation"])

    def step(self, state: State, seat: int, action: int | None, mine: Any = None) -> None:
        """Move on by one node at random, but for `action` or the next of `mine` where `seat` acts."""
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(self.random.choices(actions, weights)[0])
            return
        chosen = []
        for player in acting(state):
            legal = state.legal_actions(player)
            given = action
            if player == seat and mine is not None:
                given = next(mine, None)
            chosen.append(given if player == seat and given in legal else self.random.choice(legal or [0]))
        if state.is_simultaneous_node():
            state.apply_actions(chosen)
        else:
            state.apply_action(chosen[0])

    def finish(self, state: State) -> list[float]:
        while not state.is_terminal():
            self.step(state, -1, None)
        returns: list[float] = state.returns()
        return returns


def acting(state: State) -> list[int]:
    return list(range(state.num_players())) if state.is_simultaneous_node() else [state.current_player()]


def replay(game: Any, history: list[int]) -> State:
    """Set up a position from all that was done, chance included; those who act at once stand one after the other."""
    state, done = game.new_initial_state(), list(history)
    while done:
        if state.is_simultaneous_node():
            n_players = state.num_players()
            state.apply_actions(done[:n_players])
            done = done[n_players:]
        else:
            state.apply_action(done.pop(0))
    return state


def make(seed: int, seat: int, n_seats: int) -> Callable[[StateView], str]:  # noqa: ARG001 - the state tells both
    """For playing in-process: give the bot of one game."""
    bot = RolloutBot(seed, ROLLOUTS)
    return lambda view: bot.play(dict(view.state))[0]


make.form = "state"  # type: ignore[attr-defined]


def say(**message: object) -> None:
    print(json.dumps(message), flush=True)


def main() -> None:
    rollouts, bot = ROLLOUTS, RolloutBot(0, 1)
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            rollouts = message["options"].get("rollouts", ROLLOUTS)
            say(type="hello", protocol=1, name="spiel_rollout", keeps_alive=True)
        elif message["type"] == "game":
            bot = RolloutBot(message["seed"], rollouts)
            say(type="ready")
        elif message["type"] == "turn":
            action, mean = bot.play(message["state"])
            info = {} if mean is None else {"score_cp": round(100 * mean), "nodes": rollouts}
            say(action=action, info=info)
        elif message["type"] == "quit":
            break


if __name__ == "__main__":
    main()
