"""A bot that plays any game at random: its state lists the legal actions. Speaks JSON lines, docs/protocols/json.md."""

from __future__ import annotations

import json
import sys

TYPE_CHECKING = False  # as in `typing`, whose import would take longer than all else here
if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.records import StateView


class Dice:
    """Numbers from a seed. Importing `random` would cost more than all the rest of this program."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def below(self, size: int) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % size

    def choose(self, actions: list[str]) -> str:
        return actions[self.below(len(actions))]


def make(seed: int, seat: int, n_seats: int) -> Callable[[StateView], str]:  # noqa: ARG001 - the state tells both
    """For playing in-process: give the bot of one game."""
    dice = Dice(seed)

    def bot(view: StateView) -> str:
        legal = view.state["legal"]
        assert isinstance(legal, list)
        return dice.choose(legal)

    return bot


make.form = "state"  # type: ignore[attr-defined]


def say(message: dict[str, object]) -> None:
    print(json.dumps(message), flush=True)


def main() -> None:
    dice = Dice(0)
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say({"type": "hello", "protocol": 1, "name": "any_random", "keeps_alive": True})
        elif message["type"] == "game":
            dice = Dice(message["seed"])
            say({"type": "ready"})
        elif message["type"] == "turn":
            say({"action": dice.choose(message["state"]["legal"])})
        elif message["type"] == "quit":
            break


if __name__ == "__main__":
    main()
