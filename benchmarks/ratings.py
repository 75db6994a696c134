"""What ratings cost, against Ordo, BayesElo, choix and openskill in one run.

    python benchmarks/ratings.py --ordo PATH --bayeselo PATH --peers-python PATH

`--peers-python` is the interpreter of an environment with choix and openskill. Every peer is optional. The workloads:
a: 100 bots, 100,000 games, 1,000 maps; b: 1,000 bots, a million games; c: 10,000 bots, a million games, each bot
meeting its 40 neighbours in strength (c-mixed: 40 others at random). "Ordo" and "BayesElo" are the whole programs on
a PGN file and stand against "PGN to ratings"; "rating alone" stands against "ratings", which starts from counts.
Rounds start with another program each; medians are shown.
Must not be run as a test: a busy machine makes everything slow, though the ratios hold.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as `harness rate` runs; before numpy is imported

import argparse
import json
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.stats.pair_counts import FloatArray, IntArray

TIMEOUT_S = 240.0
N_RESAMPLES = 1_000
SIMULATIONS = 100
ORDO_SCALE = "200.240518"  # Ordo's -z for 400 points a factor of ten


@dataclass(frozen=True, slots=True)
class Workload:
    """A pool: who meets whom, how often."""

    n_bots: int
    n_games: int
    n_maps: int
    n_neighbours: int | None = None
    ring: bool = True


WORKLOADS = {
    "a": Workload(100, 100_000, 1_000),
    "b": Workload(1_000, 1_000_000, 1_000),
    "c": Workload(10_000, 1_000_000, 1_000, 40),
    "c-mixed": Workload(10_000, 1_000_000, 1_000, 40, ring=False),
}


@dataclass(frozen=True, slots=True)
class Games:
    """One entry a game."""

    names: list[str]
    first: IntArray
    second: IntArray
    points: FloatArray
    maps: IntArray


def make_games(load: Workload) -> Games:
    """Games by Bradley–Terry with a first seat worth 0.2 logits and 30% draws; the same for everyone."""
    rng = np.random.default_rng(1)
    n, n_games = load.n_bots, load.n_games
    strength = np.sort(rng.normal(0.0, 1.0, n)) if load.ring else rng.normal(0.0, 1.0, n)
    first = rng.integers(0, n, n_games)
    if load.n_neighbours is None:
        second = (first + rng.integers(1, n, n_games)) % n
    elif load.ring:
        half = load.n_neighbours // 2
        step = rng.integers(1, half + 1, n_games) * rng.choice([-1, 1], n_games)
        second = (first + step) % n
    else:
        half = load.n_neighbours // 2
        others = (np.arange(n)[:, None] + rng.integers(1, n, (n, half))) % n
        second = others[first, rng.integers(0, half, n_games)]
        swap = rng.random(n_games) < 0.5
        first, second = np.where(swap, second, first), np.where(swap, first, second)
    p = 1.0 / (1.0 + np.exp(strength[second] - strength[first] - 0.2))
    points = np.where(rng.random(n_games) < 0.3, 0.5, (rng.random(n_games) < p).astype(np.float64))
    return Games([f"bot{i}" for i in range(n)], first, second, points, rng.integers(0, load.n_maps, n_games))


def write_pgn(path: Path, games: Games) -> None:
    """The games as PGN, tags and no moves."""
    results = {0.0: "0-1", 0.5: "1/2-1/2", 1.0: "1-0"}
    with path.open("w") as out:
        for a, b, s in zip(games.first.tolist(), games.second.tolist(), games.points.tolist(), strict=True):
            out.write(
                f'[White "{games.names[a]}"]\n[Black "{games.names[b]}"]\n[Result "{results[s]}"]\n\n{results[s]}\n\n'
            )


# ------------------------------------------------------------------------------------------------- ours


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """(wall seconds, what it gave)."""
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def run_ours(name: str, pgn: str | None) -> dict[str, float]:
    """All of ours for one workload, in this process; printed as JSON by `--one`."""
    from harness.stats.aggregate import PairAggregator
    from harness.stats.bradley_terry import fit_bradley_terry
    from harness.stats.draw_models import DrawModel
    from harness.stats.pair_counts import counts_from_games
    from harness.stats.priors import NoPrior
    from harness.stats.rating_bootstrap import bootstrap_ratings
    from harness.stats.rating_errors import map_errors
    from harness.store.pgn_tags import read_pgn

    load = WORKLOADS[name]
    games = make_games(load)
    out: dict[str, float] = {}
    out["counts"], counts = timed(lambda: counts_from_games(games.names, games.first, games.second, games.points))
    out["ratings"], _ = timed(lambda: fit_bradley_terry(counts))
    out["ratings+seat"], fit = timed(lambda: fit_bradley_terry(counts, fit_seat=True))
    out["ratings+seat+draws"], _ = timed(
        lambda: fit_bradley_terry(counts, fit_seat=True, draw_model=DrawModel.RAO_KUPPER)
    )
    out["peak MB, ratings"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    del fit
    if name == "a":
        by_map = counts_from_games(games.names, games.first, games.second, games.points, games.maps)
        fit = fit_bradley_terry(by_map)
        out["sandwich"], _ = timed(lambda: map_errors(fit))
        out["bootstrap"], _ = timed(lambda: bootstrap_ratings(fit, n_resamples=N_RESAMPLES, seed=1))
        out["peak MB, bootstrap"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    out["weng-lin us/game"] = weng_lin_us(games)
    if pgn is not None:

        def from_file() -> None:
            pool = PairAggregator()
            pool.extend((row.map_key, [(row.names, row.scores)]) for row in read_pgn(Path(pgn)))
            fit_bradley_terry(pool.counts())

        out["PGN to ratings"], _ = timed(from_file)
        plain = fit_bradley_terry(counts, prior=NoPrior())
        Path(f"{pgn}.ours.json").write_text(json.dumps(dict(zip(plain.names, plain.ratings, strict=True))))
    return out


def weng_lin_us(games: Games) -> float:
    """Microseconds a game of the online rating over all games, arrays in and beliefs out."""
    from harness.stats.weng_lin import ELO
    from harness.stats.weng_lin_batch import WengLinPool

    pool = WengLinPool([ELO.new()] * len(games.names))
    wall_s, _ = timed(lambda: pool.play_duels(games.first, games.second, games.points))
    return wall_s / games.first.size * 1e6


# ------------------------------------------------------------------------------------------------ peers

_PEER = """
import json, sys, time
import numpy as np
import choix
from openskill.models import BradleyTerryFull
data = np.load(sys.argv[1])
first, second, points, n = data["first"], data["second"], data["points"], int(data["n"])
out = {}
if n <= 1000:
    table = np.zeros((n, n))
    np.add.at(table, (first, second), points)
    np.add.at(table, (second, first), 1.0 - points)
    start = time.perf_counter()
    choix.ilsr_pairwise_dense(table)
    out["choix"] = time.perf_counter() - start
model = BradleyTerryFull()
pool = [model.rating() for _ in range(n)]
m = min(20000, first.size)
start = time.perf_counter()
for a, b, s in zip(first[:m].tolist(), second[:m].tolist(), points[:m].tolist()):
    ranks = [1, 2] if s == 1.0 else [2, 1] if s == 0.0 else [1, 1]
    [[pool[a]], [pool[b]]] = model.rate([[pool[a]], [pool[b]]], ranks=ranks)
out["openskill us/game"] = (time.perf_counter() - start) / m * 1e6
print(json.dumps(out))
"""


def run_program(command: list[str], stdin: str = "", folder: str | None = None) -> tuple[float, str] | None:
    """(wall seconds, output) of a program; None if it did not end in time. Raises RuntimeError if it fails."""
    start = time.perf_counter()
    try:
        done = subprocess.run(
            command, input=stdin, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, cwd=folder
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stderr[-500:] or done.stdout[-500:]}")
    return time.perf_counter() - start, done.stdout


def run_ordo(program: str, pgn: Path, *options: str) -> tuple[float | None, float | None]:
    """(whole program, its rating alone by its own time log), in seconds."""
    base = [program, "-Q", "--timelog", "-G", "-a", "0", "-z", ORDO_SCALE, "-N", "6", "-p", str(pgn)]
    done = run_program([*base, "-o", f"{pgn}.ordo.txt", *options])
    if done is None:
        return None, None
    begin, end = (
        float(found[1]) if (found := re.search(rf"([\d.]+) \| {words}", done[1])) else 0.0
        for words in ("calculate rating", "done with rating calculation")
    )
    return done[0], end - begin


def run_bayeselo(program: str, pgn: Path) -> tuple[float | None, float | None]:
    """(whole program, without the reading), in seconds: the second is the difference of two runs."""
    head, tail = f"prompt off\nreadpgn {pgn}\n", "x\n"
    rating = f"elo\nmm 1 1\nratings >{pgn}.bayeselo.txt\nx\n"
    whole = run_program([program], head + rating + tail, str(pgn.parent))
    reading = run_program([program], head + tail, str(pgn.parent))
    if whole is None or reading is None:
        return None, None
    return whole[0], max(whole[0] - reading[0], 0.0)


def run_peers(args: argparse.Namespace, name: str, pgn: Path, arrays: Path) -> dict[str, float | None]:
    """All peers for one workload, each once."""
    out: dict[str, float | None] = {}
    if args.ordo:
        out["Ordo"], out["Ordo, rating alone"] = run_ordo(args.ordo, pgn, "-c", f"{pgn}.ordo.csv")
        _, out["Ordo, with seat and draws"] = run_ordo(args.ordo, pgn, "-W", "-D")
        if name == "a" and args.simulations:
            whole, _ = run_ordo(args.ordo, pgn, "-s", str(args.simulations))
            out["Ordo, errors"] = None if whole is None else whole * N_RESAMPLES / args.simulations
    if args.bayeselo:
        out["BayesElo"], out["BayesElo, rating alone"] = run_bayeselo(args.bayeselo, pgn)
    if args.peers_python:
        done = subprocess.run(
            [args.peers_python, "-c", _PEER, str(arrays)], capture_output=True, text=True, timeout=TIMEOUT_S, check=True
        )
        out |= json.loads(done.stdout)
    return out


def largest_gap(pgn: Path) -> float | None:
    """Largest difference in Elo between our maximum likelihood and Ordo's, both with mean 0; None without Ordo's."""
    table = Path(f"{pgn}.ordo.csv")
    if not table.exists():
        return None
    ours = json.loads(Path(f"{pgn}.ours.json").read_text())
    theirs = {}
    for line in table.read_text().splitlines()[1:]:
        cells = [cell.strip().strip('"') for cell in line.split(",")]
        theirs[cells[1]] = float(cells[2])
    return max(abs(float(rating) - 1500.0 - theirs[name]) for name, rating in ours.items() if rating is not None)


# --------------------------------------------------------------------------------------------- all of it


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ordo", help="path of Ordo's program")
    parser.add_argument("--bayeselo", help="path of BayesElo's program")
    parser.add_argument("--peers-python", help="an interpreter with choix and openskill")
    parser.add_argument("--workloads", nargs="+", choices=list(WORKLOADS), default=list(WORKLOADS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--simulations", type=int, default=SIMULATIONS, help="Ordo's, scaled up to 1,000; 0 for none")
    parser.add_argument("--json", type=Path, help="write the figures there")
    parser.add_argument("--one", choices=list(WORKLOADS), help=argparse.SUPPRESS)
    parser.add_argument("--pgn", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(run_ours(args.one, args.pgn)))
        return
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; medians of {args.rounds} rounds\n")
    figures = {}
    for name in args.workloads:
        figures[name] = measure(args, name)
        show(name, figures[name])
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1))


def measure(args: argparse.Namespace, name: str) -> dict[str, float | None]:
    """Medians of ours and the peers' over the rounds."""
    rounds: list[dict[str, float | None]] = []
    with tempfile.TemporaryDirectory() as folder:
        games = make_games(WORKLOADS[name])
        pgn, arrays = Path(folder) / "games.pgn", Path(folder) / "games.npz"
        write_pgn(pgn, games)
        np.savez(arrays, first=games.first, second=games.second, points=games.points, n=len(games.names))
        del games
        ours = [sys.executable, __file__, "--one", name, "--pgn", str(pgn)]
        parts: list[Callable[[], dict[str, float | None]]] = [
            lambda: json.loads(subprocess.run(ours, capture_output=True, text=True, check=True).stdout),
            lambda: run_peers(args, name, pgn, arrays),
        ]
        for number in range(args.rounds):
            found: dict[str, float | None] = {}
            for part in parts if number % 2 == 0 else reversed(parts):
                found |= part()
            rounds.append(found)
        gap = largest_gap(pgn)
    medians: dict[str, float | None] = {}
    for key in rounds[0]:
        values = [value for found in rounds if (value := found.get(key)) is not None]
        medians[key] = statistics.median(values) if values else None
    if gap is not None:
        medians["largest difference from Ordo, Elo"] = gap
    return medians


def show(name: str, figures: dict[str, float | None]) -> None:
    """One workload's figures, peers as multiples of ours."""
    load = WORKLOADS[name]
    meets = "all" if load.n_neighbours is None else f"{load.n_neighbours} others"
    print(f"{name}: {load.n_bots:,} bots, {load.n_games:,} games, each meets {meets}")
    for key, value in figures.items():
        text = f"over {TIMEOUT_S:.0f} s" if value is None else f"{value:10.4f}" if value < 100 else f"{value:10.1f}"
        base = figures.get(ours_of(key))
        ratio = f"  {value / base:8.1f} times ours" if value is not None and base else ""
        print(f"  {key:<36}{text}{ratio}")
    print(flush=True)


def ours_of(peer: str) -> str:
    """Which of our figures a peer's is to be compared with."""
    pairs = {
        "Ordo": "PGN to ratings",
        "Ordo, rating alone": "ratings",
        "Ordo, with seat and draws": "ratings+seat+draws",
        "Ordo, errors": "bootstrap",
        "BayesElo": "PGN to ratings",
        "BayesElo, rating alone": "ratings+seat+draws",
        "choix": "ratings",
        "openskill us/game": "weng-lin us/game",
    }
    return pairs.get(peer, "")


if __name__ == "__main__":
    main()
