"""Whole gates played by simulated bots of known strength: what is promoted, beside what `harness gate oc` says.

A map favours its first seat by an amount of its own, so that its two games are not independent; a share of the games is
drawn; a game takes the longer the worse the candidate does in it. With several workers maps end out of order. Every
fourth gate of several workers is played again on the same maps: by one worker, which must decide the same, and with
each map counted when it ends, which no gate does, to see what that would come to.

    python benchmarks/gate_simulation.py                  # the table of docs/gate.md, some three minutes on one core
    python benchmarks/gate_simulation.py --gates 200      # a tenth of the gates
    python benchmarks/gate_simulation.py --twins 20       # real gates on light cycles: a bot against its own copy

`oc` gets the exact law of the simulated map scores. A share p of n gates has a standard error of √(p(1 − p)/n). Must
not be run as a test.
"""

from __future__ import annotations

import argparse
import heapq
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from harness.gates.decide import PrefixJudge, StageJudge, StageState
from harness.gates.laws import law_from_counts
from harness.gates.oc import gate_chance
from harness.gates.policy import DuelStage, LowerBoundRule, Policy, Rule, ScoreRule, SprtRule, SprtUnit, StageKind
from harness.stats.lattice_plan import MapLaw

ROOT = Path(__file__).parents[1]
DRAWS = 1 / 3
MAP_SPREAD = 0.25
"""Standard deviation of what a map adds to the first seat's chance of a decided game."""


def duel(kind: StageKind, rule: Rule, n_maps: int, futility: float = 0.0) -> DuelStage:
    return DuelStage(kind, "validation", n_maps, rule, futility)


SCREEN = duel(StageKind.SCREEN, ScoreRule(0.52), 40, 0.02)
CONFIRM = duel(StageKind.CONFIRM, SprtRule(SprtUnit.NELO, 0, 150), 200)
FINAL = duel(StageKind.FINAL, LowerBoundRule(0.5), 80)
POLICIES = {
    "fixed: lower end of 95 % over 80 maps": Policy((FINAL,)),
    "sequential: nElo 0 to 150, 200 maps": Policy((CONFIRM,)),
    "two stages: 52 % of 40 maps, then that": Policy((SCREEN, CONFIRM)),
}
SKILLS = (0.0, 0.1)
"""What the candidate's skill adds to its chance of a decided game: an equal bot, and one worth finding."""


def chance(skill: float, tilt: float) -> float:
    """Chance of the candidate to win a decided game in which the seat gives it `tilt`."""
    return min(1.0, max(0.0, 0.5 + skill + tilt))


def play_map(rng: Random, skill: float) -> tuple[float, float]:
    """Give the candidate's mean score on a new map, and how long its two games took."""
    tilt = rng.gauss(0.0, MAP_SPREAD)
    points = length = 0.0
    for side in (tilt, -tilt):
        score = 0.5 if rng.random() < DRAWS else float(rng.random() < chance(skill, side))
        points += score
        length += rng.expovariate(1.0) * (3.0 - 2.5 * score)
    return points / 2, length


def exact_law(skill: float) -> MapLaw:
    """Give the law of `play_map`'s scores: its two games are independent given the map, which is summed over."""
    cells = [0.0] * 5
    steps = 4001
    for index in range(steps):
        z = -6.0 + 12.0 * index / (steps - 1)
        weight = math.exp(-0.5 * z * z)
        games = [
            ((1 - DRAWS) * (1 - chance(skill, side)), DRAWS, (1 - DRAWS) * chance(skill, side))
            for side in (MAP_SPREAD * z, -MAP_SPREAD * z)
        ]
        for first, p in enumerate(games[0]):
            for second, q in enumerate(games[1]):
                cells[first + second] += weight * p * q
    mean = sum(index * cell for index, cell in enumerate(cells)) / 4 / sum(cells)
    return law_from_counts(cells, mean, games_per_map=2)


class Maps:
    """A stage's maps, made when they are first asked for, so that whoever asks sees the same."""

    def __init__(self, seed: str, skill: float) -> None:
        self._rng = Random(seed)
        self._skill = skill
        self._made: list[tuple[float, float]] = []

    def __getitem__(self, number: int) -> tuple[float, float]:
        while len(self._made) <= number:
            self._made.append(play_map(self._rng, self._skill))
        return self._made[number]


def play_stage(stage: DuelStage, maps: Maps, workers: int) -> PrefixJudge:
    """Play a stage's maps, so many at once, read in the order in which they end."""
    reader = PrefixJudge(StageJudge(stage, 2))
    todo: Iterator[int] = iter(range(stage.n_maps))
    playing: list[tuple[float, int]] = []
    now = 0.0
    while reader.is_open:
        while len(playing) < workers and (number := next(todo, None)) is not None:
            heapq.heappush(playing, (now + maps[number][1], number))
        now, number = heapq.heappop(playing)
        reader.take(number, maps[number][0])
    return reader


def play_by_arrival(stage: DuelStage, maps: Maps, workers: int) -> PrefixJudge:
    """Play a stage as it must not be played: each map counts when it ends."""
    reader = PrefixJudge(StageJudge(stage, 2))
    todo: Iterator[int] = iter(range(stage.n_maps))
    playing: list[tuple[float, int]] = []
    now = 0.0
    for place in range(stage.n_maps):
        while len(playing) < workers and (number := next(todo, None)) is not None:
            heapq.heappush(playing, (now + maps[number][1], number))
        now, number = heapq.heappop(playing)
        reader.take(place, maps[number][0])
        if not reader.is_open:
            break
    return reader


Player = Callable[[DuelStage, Maps, int], PrefixJudge]


def play_gate(policy: Policy, skill: float, seed: str, workers: int, play: Player) -> tuple[bool, tuple[int, ...]]:
    """Give whether the gate promotes, and the maps of its stages."""
    n_maps = []
    for stage in policy.stages:
        assert isinstance(stage, DuelStage)
        decision = play(stage, Maps(f"{seed} {stage.kind}", skill), workers).decision
        n_maps.append(decision.n_maps)
        if decision.state is not StageState.PASSED:
            return False, tuple(n_maps)
    return True, tuple(n_maps)


@dataclass(frozen=True)
class Row:
    """A policy's gates at one strength: shares and means with their standard errors.

    `n_again` gates were played again; one worker decided `n_otherwise` of them otherwise or after other maps, and
    `by_arrival` is the share of them that is promoted if each map counts when it ends.
    """

    promoted: float
    promoted_se: float
    maps: float
    maps_se: float
    n_again: int
    n_otherwise: int
    by_arrival: float


def simulate(policy: Policy, skill: float, workers: int, n_gates: int) -> Row:
    """Play `n_gates` gates of one policy at one strength."""
    promoted = n_again = n_otherwise = by_arrival = 0
    maps: list[int] = []
    for number in range(n_gates):
        seed = f"{skill} {workers} {number}"
        done = play_gate(policy, skill, seed, workers, play_stage)
        promoted += done[0]
        maps.append(sum(done[1]))
        if workers > 1 and number % 4 == 0:
            n_again += 1
            n_otherwise += play_gate(policy, skill, seed, 1, play_stage) != done
            by_arrival += play_gate(policy, skill, seed, workers, play_by_arrival)[0]
    share, mean = promoted / n_gates, sum(maps) / n_gates
    spread = math.sqrt(sum((each - mean) ** 2 for each in maps) / (n_gates - 1))
    return Row(
        promoted=share,
        promoted_se=math.sqrt(share * (1 - share) / n_gates),
        maps=mean,
        maps_se=spread / math.sqrt(n_gates),
        n_again=n_again,
        n_otherwise=n_otherwise,
        by_arrival=by_arrival / max(1, n_again),
    )


def print_table(n_gates: int, word: str) -> None:
    print("| policy | true score | workers | gates | promoted | oc | maps | oc | again by one worker |")
    print("|---|---|---|---|---|---|---|---|---|")
    arrivals = []
    for name, policy in POLICIES.items():
        if word not in name:
            continue
        n_here = n_gates if any(stage.kind is StageKind.CONFIRM for stage in policy.stages) else 10 * n_gates
        for skill in SKILLS:
            law = exact_law(skill)
            said = gate_chance(policy, law)
            for workers in (1, 4):
                row = simulate(policy, skill, workers, n_here)
                again = f"{row.n_otherwise} of {row.n_again} otherwise" if row.n_again else ""
                if row.n_again:
                    arrivals.append(f"{name}, {100 * law.mean:.1f} %: {100 * row.by_arrival:.1f} % of {row.n_again}")
                print(
                    f"| {name} | {100 * law.mean:.1f} % | {workers} | {n_here} | {100 * row.promoted:.1f} ± "
                    f"{100 * row.promoted_se:.1f} % | {100 * said.promotes:.1f} % | {row.maps:.1f} ± {row.maps_se:.1f} "
                    f"| {said.expected_jobs:.1f} | {again} |",
                    flush=True,
                )
    print("\npromoted if maps counted as they end (4 workers):")
    print("\n".join(arrivals))


TWINS = """\
rules: {{name: lightcycles, width: 15, height: 9}}
bots:
  twin: {{folder: twin, python: "random_bot.py:make"}}
  champ: {{folder: {bots}/random, python: "random_bot.py:make"}}
maps: {{ledger: seeds.yaml}}
time: {{per_ply_ms: 60000}}
workers: 1
gate:
  candidate: twin
  champion: champ
  screen:  {{split: train, maps: 128, pass: {{score: 0.52}}, futility: 0.02}}
  confirm: {{split: validation, pass: {{sprt: {{nelo0: 0, nelo1: 30, alpha: 0.05, beta: 0.05}}, max_maps: 2000}}}}
"""


def gate_twins(n_gates: int) -> None:
    """Gate the random bot against a copy of its own whose fingerprint a comment changes, on other maps each time."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "twin").mkdir()
        source = (ROOT / "bots" / "random" / "random_bot.py").read_text(encoding="utf-8")
        (folder / "twin" / "random_bot.py").write_text(f"{source}\n# a copy\n", encoding="utf-8")
        (folder / "gate.yaml").write_text(TWINS.format(bots=ROOT / "bots"), encoding="utf-8")
        states = []
        for number in range(n_gates):
            start = 1_000_000 * (number + 1)
            (folder / "seeds.yaml").write_text(
                f"name: twins\nfeeds: generator\ntrain: {{from: {start}, to: {start + 99_999}}}\n"
                f"validation: {{from: {start + 100_000}, to: {start + 199_999}}}\n"
                f"test: {{from: {start + 200_000}, to: {start + 299_999}}}\n",
                encoding="utf-8",
            )
            words = ["-m", "harness", "gate", "gate.yaml", "--quiet", "--json", "--run", f"night-{number}"]
            done = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode not in {0, 1, 5}:
                raise SystemExit(f"gate {number} ended with code {done.returncode}:\n{done.stderr}")
            states.append(json.loads(done.stdout)["candidates"][0]["verdict"]["tag"])
    for tag in sorted(set(states)):
        print(f"{states.count(tag)} of {n_gates} gates: {tag}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulated gates beside what `harness gate oc` says of them.")
    parser.add_argument("--gates", type=int, default=2000, help="gates a row (default 2000; fixed ones 10 times that)")
    parser.add_argument("--only", default="", metavar="WORD", help="only policies whose name has this word")
    parser.add_argument("--twins", type=int, metavar="N", help="instead: N real gates of a bot against its own copy")
    args = parser.parse_args()
    if args.twins:
        gate_twins(args.twins)
    else:
        print_table(args.gates, args.only)


if __name__ == "__main__":
    main()
