"""What a runner adds to a ply: ours, its peers and a bare loop, with engines that answer at once, in one run.

Compiles stub_engine.c, then plays the same games through every runner in turn, several rounds, and prints
medians and the ratios within a round (the machine's speed drifts; ratios hold). Times are taken by the
stubs, so a runner's start and end are shown apart and no runner's own figures are trusted; the stubs also count
plies, and a runner that did not play all of them stops the run. Every runner keeps its games, ours as records and
transcripts, the others as PGN. README.md says what each number means.

    python benchmarks/overhead.py --c-chess-cli PATH --fastchess PATH --cutechess PATH --workers 2 --json out.json

Runs on Linux (it sets CPU affinity). It must not read anything inside `harness/`: ours is started by its command
line, like the others.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
OURS = "harness"
ONE_WORKER = "one worker"
"""Ours again: worker and bots on one core; the process that hands out jobs is free to run elsewhere."""
FLOOR = "bare loop"
RUN_LIMIT_S = 300
BUSY_LOAD = 0.5

CONFIG = """\
name: overhead
rules: {{name: chess}}
bots:
  a: {{command: {command}, protocol: uci}}
  b: {{command: {command}, protocol: uci}}
schedule: {{type: gauntlet, candidate: a}}
maps: {{ledger: ledger.yaml, split: train, count: {maps}}}
seats: both
time: {{per_ply_ms: 1000}}
workers: {workers}
"""

# all seeds mean the start position: one opening, as in every other runner
LEDGER = """\
name: overhead
feeds: generator
train: {{from: 1, to: {maps}}}
validation: {{from: -2, to: -2}}
test: {{from: -1, to: -1}}
"""


@dataclass(frozen=True, slots=True)
class Task:
    """What one runner is to play: `games` (even) of `plies` plies, one at a time on each of `cores`."""

    plies: int
    games: int
    cores: tuple[int, ...]
    folder: Path
    engine: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """One run: microseconds of wall time a ply, games a second, and seconds before and after the games."""

    us_per_ply: float
    games_per_s: float
    outside_s: float


@dataclass(frozen=True, slots=True)
class Row:
    """A runner's medians in one table.

    `ours_over` and `worker_over` are how often as fast ours is, whole and one worker; `scaling` is against one core.
    """

    runner: str
    games_per_s: float
    us_per_ply: float
    us_per_ply_range: tuple[float, float]
    outside_s: float
    ours_over: float | None
    worker_over: float | None
    scaling: float | None


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of one size of game on one number of cores."""

    plies: int
    games: int
    cores: tuple[int, ...]
    rows: tuple[Row, ...]


Build = Callable[[Task], list[str]]

GOOD_STATUSES = {
    OURS: (0, 5),
    ONE_WORKER: (0, 5),
}  # 5: no verdict, for both stubs are one program


def bare_loop(task: Task) -> list[str]:
    cores = [str(core) for core in task.cores]
    size = ["--plies", str(task.plies), "--games", str(task.games), "--cores", *cores]
    return [sys.executable, str(HERE / "bare_loop.py"), *size, "--", *task.engine]


def harness(task: Task) -> list[str]:
    maps = task.games // 2
    command = json.dumps(list(task.engine))
    config = CONFIG.format(command=command, maps=maps, workers=len(task.cores))
    (task.folder / "overhead.yaml").write_text(config)
    (task.folder / "ledger.yaml").write_text(LEDGER.format(maps=maps))
    return [sys.executable, "-m", "harness", "run", "overhead.yaml", "--quiet"]


def c_chess_cli(binary: str) -> Build:
    def build(task: Task) -> list[str]:
        each = ["-each", f"cmd={' '.join(task.engine)}", "movetime=1"]
        games = ["-games", str(task.games), "-concurrency", str(len(task.cores)), "-pgn", "games.pgn"]
        return [binary, *each, "-engine", "name=a", "-engine", "name=b", *games]

    return build


def fastchess(binary: str) -> Build:
    def build(task: Task) -> list[str]:
        engine = [f"cmd={task.engine[0]}", f"args={' '.join(task.engine[1:])}"]
        players = ["-engine", "name=a", *engine, "-engine", "name=b", *engine, "-each", "st=1", "proto=uci"]
        games = ["-rounds", str(task.games // 2), "-games", "2", "-concurrency", str(len(task.cores))]
        quiet = ["-ratinginterval", "0", "-autosaveinterval", "0", "-pgnout", "file=games.pgn"]
        # without it two games at once run slower than one: engines and threads wander between the cores
        affinity = ["-use-affinity", ",".join(map(str, task.cores))] if len(task.cores) > 1 else []
        return [binary, *players, *games, *quiet, *affinity]

    return build


def cutechess(binary: str) -> Build:
    def build(task: Task) -> list[str]:
        engine = [f"cmd={task.engine[0]}", *(f"arg={word}" for word in task.engine[1:])]
        players = ["-engine", "name=a", *engine, "-engine", "name=b", *engine, "-each", "st=1", "proto=uci"]
        games = ["-rounds", str(task.games // 2), "-games", "2", "-concurrency", str(len(task.cores))]
        return [binary, *players, *games, "-ratinginterval", "0", "-pgnout", "games.pgn"]

    return build


def compile_stub(folder: Path) -> Path:
    """Build the stub engine with the system's C compiler; end the program if there is none."""
    stub = folder / "stub_engine"
    compiler = os.environ.get("CC", "cc")
    if shutil.which(compiler) is None:
        sys.exit(f"no C compiler: {compiler!r} is not in PATH. Install one (gcc or clang) or set CC to its name.")
    subprocess.run([compiler, "-O2", "-o", stub, HERE / "stub_engine.c"], check=True)
    return stub


def measure(name: str, build: Build, task: Task) -> Sample:
    """Play the task through one runner and read the stubs' times; end the program if plies are missing."""
    argv = build(task)
    output = task.folder / "output.txt"
    started = time.monotonic()
    with output.open("wb") as file:
        # its own process group, so that a runner that hangs is ended together with its engines
        process = subprocess.Popen(
            argv, cwd=task.folder, stdin=subprocess.DEVNULL, stdout=file, stderr=file, process_group=0
        )
        try:
            status = process.wait(timeout=RUN_LIMIT_S)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    wall_s = time.monotonic() - started

    times = task.folder / "times.txt"
    stubs = [tuple(map(int, line.split())) for line in times.read_text().splitlines()] if times.exists() else []
    stubs = [stub for stub in stubs if stub[2]]  # a stub that was only greeted saw no game
    plies = sum(stub[2] for stub in stubs)
    if status not in GOOD_STATUSES.get(name, (0,)) or plies != task.games * task.plies:
        how = f"was stopped after {RUN_LIMIT_S} s" if status is None else f"ended with status {status}"
        tail = output.read_text(errors="replace")[-2000:]
        sys.exit(
            f"{name} {how}; its engines were asked for {plies} plies, expected {task.games * task.plies}.\n"
            f"command: {argv}\nend of its output:\n{tail}"
        )
    played_s = (max(stub[1] for stub in stubs) - min(stub[0] for stub in stubs)) / 1e9
    return Sample(
        us_per_ply=played_s / plies * 1e6,
        games_per_s=task.games / played_s,
        outside_s=wall_s - played_s,
    )


def measure_rounds(
    runners: dict[str, Build], stub: Path, *, plies: int, games: int, cores: tuple[int, ...], n_rounds: int
) -> dict[str, list[Sample]]:
    """Measure every runner once a round, each round starting with another one."""
    samples: dict[str, list[Sample]] = {name: [] for name in runners}
    names = list(runners)
    everywhere = os.sched_getaffinity(0)
    for round_number in range(n_rounds):
        first = round_number % len(names)
        for name in names[first:] + names[:first]:
            with tempfile.TemporaryDirectory(prefix="overhead-") as folder:
                engine = (str(stub), str(plies), "1", f"{folder}/times.txt")
                task = Task(plies, games, cores, Path(folder), engine)
                os.sched_setaffinity(0, everywhere if name == ONE_WORKER else cores)  # inherited by all that is started
                samples[name].append(measure(name, runners[name], task))
                os.sched_setaffinity(0, everywhere)
            print(f"  round {round_number + 1} {name}: {samples[name][-1].us_per_ply:.2f} µs", file=sys.stderr)
    return samples


def median_ratio(over: list[Sample], under: list[Sample]) -> float:
    """Give the median over rounds of how many times as many games a second `over` played as `under`."""
    return median(a.games_per_s / b.games_per_s for a, b in zip(over, under, strict=True))


def build_table(
    samples: dict[str, list[Sample]],
    single: dict[str, list[Sample]] | None,
    *,
    plies: int,
    games: int,
    cores: tuple[int, ...],
) -> Table:
    ours, worker = samples.get(OURS), samples.get(ONE_WORKER)
    rows = []
    for name, runs in samples.items():
        us_per_ply = [run.us_per_ply for run in runs]
        rows.append(
            Row(
                runner=name,
                games_per_s=median(run.games_per_s for run in runs),
                us_per_ply=median(us_per_ply),
                us_per_ply_range=(min(us_per_ply), max(us_per_ply)),
                outside_s=median(run.outside_s for run in runs),
                ours_over=median_ratio(ours, runs) if ours else None,
                worker_over=median_ratio(worker, runs) if worker else None,
                scaling=median_ratio(runs, single[name]) if single else None,
            )
        )
    return Table(plies, games, cores, tuple(rows))


def print_table(table: Table) -> None:
    n_cores = len(table.cores)
    place = "one core" if n_cores == 1 else f"{n_cores} cores, {n_cores} games at once"
    print(f"\n{table.plies} plies, {table.games:,} games a run, {place}")
    print(
        f"{'':<12} {'games/s':>9} {'µs/ply':>8} {'min..max':>15} {'outside s':>10} {'ours is':>8} {'worker is':>10} "
        f"{'scaling':>8}"
    )
    for row in table.rows:
        low, high = row.us_per_ply_range
        print(
            f"{row.runner:<12} {row.games_per_s:>9,.0f} {row.us_per_ply:>8.2f} {f'{low:.2f}..{high:.2f}':>15} "
            f"{row.outside_s:>10.2f} {times(row.ours_over):>8} {times(row.worker_over):>10} {times(row.scaling):>8}"
        )


def times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f} x"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure what runners add to a ply, as ratios in one run.")
    parser.add_argument("--c-chess-cli", metavar="PATH", help="a c-chess-cli binary to measure too")
    parser.add_argument("--fastchess", metavar="PATH", help="a fastchess binary to measure too")
    parser.add_argument("--cutechess", metavar="PATH", help="a cutechess-cli binary to measure too")
    parser.add_argument("--without-harness", action="store_true", help="measure the bare loop and peers alone")
    parser.add_argument("--games-8", type=int, default=8000, help="8-ply games a run (even; %(default)s)")
    parser.add_argument("--games-100", type=int, default=800, help="100-ply games a run (even; %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each runner (%(default)s)")
    parser.add_argument("--workers", type=int, default=1, help="also measure this many games at once on as many cores")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all figures to a file as well")
    args = parser.parse_args()

    n_cores = len(os.sched_getaffinity(0))
    if not 1 <= args.workers <= n_cores:
        parser.error(f"--workers {args.workers}: this process may use {n_cores} cores; give 1 to {n_cores}")
    if args.rounds < 1:
        parser.error(f"--rounds {args.rounds}: give at least 1")
    for option, games in (("--games-8", args.games_8), ("--games-100", args.games_100)):
        if games < 2 or games % (2 * args.workers):
            parser.error(f"{option} {games}: give a multiple of {2 * args.workers}, so that workers share pairs evenly")
    for option in ("c_chess_cli", "fastchess", "cutechess"):
        path = getattr(args, option)
        if path and shutil.which(path) is None:
            parser.error(f"--{option.replace('_', '-')} {path}: no program there that can be started")
    return args


def main() -> None:
    args = parse_arguments()
    runners: dict[str, Build] = {FLOOR: bare_loop}
    if not args.without_harness:
        runners[OURS] = harness
        if len(os.sched_getaffinity(0)) > 1:
            runners[ONE_WORKER] = harness
    for name, path, build in (
        ("c-chess-cli", args.c_chess_cli, c_chess_cli),
        ("fastchess", args.fastchess, fastchess),
        ("cutechess", args.cutechess, cutechess),
    ):
        if path:
            runners[name] = build(os.path.realpath(shutil.which(path) or path))

    cores = tuple(sorted(os.sched_getaffinity(0)))
    load = os.getloadavg()[0]
    if load > BUSY_LOAD:
        print(f"the machine is busy (load {load:.1f}): trust ratios and the low ends of ranges only", file=sys.stderr)
    tables = []
    with tempfile.TemporaryDirectory(prefix="overhead-") as folder:
        stub = compile_stub(Path(folder))
        for plies, games in ((8, args.games_8), (100, args.games_100)):
            single: dict[str, list[Sample]] | None = None
            for n_cores in sorted({1, args.workers}):
                place = cores[:n_cores]
                here = {name: build for name, build in runners.items() if n_cores == 1 or name != ONE_WORKER}
                samples = measure_rounds(here, stub, plies=plies, games=games, cores=place, n_rounds=args.rounds)
                tables.append(build_table(samples, single, plies=plies, games=games, cores=place))
                single = samples
                print_table(tables[-1])
    if args.json:
        report = {
            "machine": {
                "python": platform.python_version(),
                "kernel": platform.release(),
                "cores": len(cores),
                "load_at_start": load,
            },
            "rounds": args.rounds,
            "tables": [asdict(table) for table in tables],
        }
        args.json.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
