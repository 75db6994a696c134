"""Light cycles against a slow model written from the rules' text alone, over thousands of random games."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import pytest

from harness.records import Form, LinesView
from harness.rules.base import Position
from harness.rules.lightcycles import build

STEPS = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}


@dataclass
class Model:
    """Light cycles on coordinates and sets. `places` lists groups that tie, the last place first."""

    width: int
    height: int
    obstacles: set[tuple[int, int]]
    trails: dict[int, list[tuple[int, int]]]
    places: list[set[int]] = field(default_factory=list)
    survived: dict[int, int] = field(default_factory=dict)

    def move(self, moves: dict[int, str | None]) -> None:
        """Move these seats together; None is a forfeit."""
        taken = self.obstacles.union(*self.trails.values())
        targets = {
            seat: (self.trails[seat][-1][0] + STEPS[word][0], self.trails[seat][-1][1] + STEPS[word][1])
            for seat, word in moves.items()
            if word is not None
        }
        crashed = {
            seat
            for seat, (x, y) in targets.items()
            if not (0 <= x < self.width and 0 <= y < self.height)
            or (x, y) in taken
            or any(target == (x, y) for other, target in targets.items() if other != seat)
        }
        forfeited = moves.keys() - targets.keys()
        for seat, target in targets.items():
            if seat not in crashed:
                self.trails[seat].append(target)
                self.survived[seat] = self.survived.get(seat, 0) + 1
        self.places += [group for group in (forfeited, crashed) if group]
        for seat in crashed | forfeited:
            del self.trails[seat]

    def scores(self, n: int) -> list[float]:
        scores = []
        for seat in range(n):
            rank = next((i for i, group in enumerate(self.places) if seat in group), len(self.places))
            group = self.places[rank] if rank < len(self.places) else {seat}
            below = sum(len(lower) for lower in self.places[:rank])
            scores.append((below + (len(group) - 1) / 2) / (n - 1))
        return scores


def lines_of(position: Position, seat: int) -> list[str]:
    view = position.view(seat, Form.LINES)
    assert isinstance(view, LinesView)
    return view.text.splitlines()


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("turns", ["alternate", "simultaneous"])
def test_every_game_goes_as_in_the_model(players: int, turns: str) -> None:
    for seed in range(500):
        random = Random(seed)
        width, height, obstacles = random.randint(6, 9), random.randint(6, 9), random.choice([0, 4])
        play_both(players, turns, width, height, obstacles, random)


def play_both(players: int, turns: str, width: int, height: int, obstacles: int, random: Random) -> None:
    seed = random.randrange(10**6)
    params = {"players": players, "turns": turns, "width": width, "height": height, "obstacles": obstacles}
    position = build({**params, "header": "always"}, str).start(seed)
    lines = lines_of(position, position.to_act()[0])
    assert lines[0] == f"board {width} {height} {turns} {obstacles}"
    blocked = {(int(x), int(y)) for x, y in (line.split() for line in lines[1 : 1 + obstacles])}
    starts = [tuple(map(int, line.split()[:2])) for line in lines[2 + obstacles :]]
    model = Model(width, height, blocked, {seat: [(x, y)] for seat, (x, y) in enumerate(starts)})
    tails = list(starts)
    while seats := position.to_act():
        assert set(seats) == set(model.trails) or (turns == "alternate" and set(seats) < set(model.trails))
        moves: dict[int, str | None] = {}
        for seat in seats:
            careful = random.random() < 0.85
            moves[seat] = random.choice(position.legal(seat) if careful else [*STEPS, None])
        actions = {seat: position.parse(seat, word) for seat, word in moves.items() if word is not None}
        position.apply(actions, [seat for seat, word in moves.items() if word is None])
        model.move(moves)
        for seat in position.to_act():
            shown = [
                f"{tails[s][0]} {tails[s][1]} {model.trails[s][-1][0]} {model.trails[s][-1][1]}"
                if s in model.trails
                else "-1 -1 -1 -1"
                for s in range(players)
            ]
            assert lines_of(position, seat)[-1 - players :] == [f"{players} {seat}", *shown]
    assert len(model.trails) <= 1
    outcome = position.outcome()
    assert outcome
    assert outcome.scores == pytest.approx(model.scores(players))
    assert outcome.values == tuple(model.survived.get(seat, 0) for seat in range(players))
