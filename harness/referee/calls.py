"""The command line of one game for an external referee: placeholders filled, players, seed and log where they belong.

Words only: it starts nothing and touches no file. docs/how-to/external-referee.md has the placeholders.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

from harness.records import RefereeMode, RefereeSpec

MAX_SEATS = 8
PLAYERS = "{players}"
_PLACE = re.compile(r"\{(seed|log|n|p[1-8])\}")
_SAFE_WORD = re.compile(r"[A-Za-z0-9_./+=:@%,^-]+")

SEED_FORMS: Mapping[RefereeMode, tuple[tuple[str, ...], ...]] = {
    RefereeMode.BRUTAL: (
        ("-d", "seed={seed}"),
        ("-seed", "{seed}"),
        ("-d", "{seed}"),
        ("--seed", "{seed}"),
        ("--seed={seed}",),
    ),
    RefereeMode.OLD: (("###Seed {seed}",),),
    RefereeMode.HALITE: (("-s", "{seed}"),),
    RefereeMode.PSYLEAGUE: (("--seed", "{seed}"), ("--seed={seed}",), ("-seed", "{seed}")),
    RefereeMode.TEMPLATE: (("--seed", "{seed}"), ("--seed={seed}",), ("-seed", "{seed}")),
}
"""The known ways to give a seed; the first is a mode's own where it has one."""


def placeholders(words: Sequence[str]) -> set[str]:
    """Give the placeholders that words have, without their braces."""
    found = {place for word in words for place in _PLACE.findall(word)}
    return found | ({"players"} if any(PLAYERS in word for word in words) else set())


def names_players(words: Sequence[str]) -> bool:
    """Say whether a command says itself where the players go."""
    return any(place == "players" or (place[0] == "p" and place[1:].isdigit()) for place in placeholders(words))


def takes_seed(spec: RefereeSpec) -> bool:
    """Say whether a referee is given the seed in any way."""
    return bool(spec.seed) or "seed" in placeholders(spec.command)


class Calls:
    """Builds the argv of each game of a referee.

    What the command does not place itself is added at its end, as the mode has it: players, then seed, then log.
    """

    def __init__(self, spec: RefereeSpec) -> None:
        self._spec = spec
        self._places = placeholders(spec.command)
        self._names_players = names_players(spec.command)
        self._seed_words = () if "seed" in self._places else spec.seed
        self.takes_log = spec.mode is RefereeMode.BRUTAL or "log" in self._places
        self.needs_log = "log" in self._places

    def build(self, players: Sequence[str], seed: int, log: str | None) -> list[str]:
        """Give the argv. `players` are the bots' command lines by seat, `log` a path for the referee's log."""
        spec = self._spec
        argv = self._filled(players, seed, log) if self._places else list(spec.command)
        own_words = [word.replace("{seed}", str(seed)) for word in self._seed_words]
        match spec.mode:
            case RefereeMode.BRUTAL:
                if not self._names_players:
                    for number, player in enumerate(players, 1):
                        argv += (f"-p{number}", player)
                argv += own_words
                if log and not self.needs_log:
                    argv += ("-l", log)
            case RefereeMode.HALITE:
                if "--results-as-json" not in argv:
                    argv.append("--results-as-json")
                argv += own_words
                argv += () if self._names_players else players
            case RefereeMode.PSYLEAGUE | RefereeMode.TEMPLATE:
                argv += () if self._names_players else players
                argv += own_words
            case RefereeMode.OLD:
                pass  # players are ours, the seed goes by a line
        return argv

    def _filled(self, players: Sequence[str], seed: int, log: str | None) -> list[str]:
        facts = {"seed": str(seed), "n": str(len(players)), "log": log or ""}
        facts |= {f"p{number}": player for number, player in enumerate(players, 1)}
        argv: list[str] = []
        for word in self._spec.command:
            if word == PLAYERS:
                argv += players
            else:
                argv.append(_PLACE.sub(lambda match: facts[match[1]], word))
        return argv


def is_safe(command: Sequence[str]) -> bool:
    """Say whether a command means the same to who splits it at blanks and to a shell."""
    return all(_SAFE_WORD.fullmatch(word) for word in command)


def show_call(argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> str:
    """Write a call as one line for a shell."""
    settings = "".join(f"{name}={shlex.quote(value)} " for name, value in env.items())
    return f"cd {shlex.quote(cwd)} && {settings}{shlex.join(argv)}"
