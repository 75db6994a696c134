"""What a runner adds to a contest game: ours against bare process starts and cg-brutaltester, in one run.

A small referee and bots in C (4-heap Nim, configs/referees/nim.c and bots/nim_c) play games of three processes each, a
few milliseconds a game: what a runner costs besides shows. Runners take turns, several rounds; medians of the games a
second of each, and of the ratios within a round, are printed. The referee notes when each game begins and ends, so that
no runner's start and end count, nor the first tenth of its games (a JVM warms up).

    python benchmarks/referees.py --brutaltester "java -jar cg-brutaltester.jar" --games 1000 --rounds 5 --json out.json

Runs on Linux with a C compiler. It must not read anything inside `harness/`: ours is started by its command line.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from threading import Timer

ROOT = Path(__file__).resolve().parents[1]
RUN_LIMIT_S = 300
WARM_UP = 10
"""One game in so many is played before the counting starts."""

FEW = 4
"""Games of a run that shows what starting and ending cost."""

FLOOR, OURS, UNBOUND, OLD = "xargs -P", "harness", "harness, unbound", "harness, old mode"
PEER, PEER_OLD = "brutaltester", "brutaltester -o"

CONFIG = """\
name: {name}
referee: {{mode: {mode}, command: {command}}}
bots:
  a: {{command: ./bot}}
  b: {{command: ./bot}}
schedule: {{type: gauntlet, candidate: a}}
maps: {{ledger: ledger.yaml, split: train, count: {maps}}}
workers: {workers}
"""

LEDGER = """\
name: referees
feeds: generator
train: {{from: 1, to: {maps}}}
validation: {{from: -2, to: -2}}
test: {{from: -1, to: -1}}
"""


@dataclass(frozen=True, slots=True)
class Task:
    """What one runner is to play: `games` (even), `workers` at once."""

    games: int
    workers: int
    folder: Path


Build = Callable[[Task], list[str]]


@dataclass(frozen=True, slots=True)
class Row:
    """A runner's medians. `over_floor` is its speed in shares of the floor's, `ours_over` how often as fast ours is.

    `cpu_ms` is the CPU time of a game, of all processes, without a runner's start and end.
    """

    runner: str
    workers: int
    games_per_s: float
    low: float
    high: float
    over_floor: float
    ours_over: float
    cpu_ms: float


@dataclass(frozen=True, slots=True)
class Sample:
    """One run: games a second that the referee saw, and CPU seconds of the whole tree, start and end included."""

    games_per_s: float
    cpu_s: float


def floor(task: Task) -> list[str]:
    words = "./nim -p1 ./bot -p2 ./bot -d seed={}"
    return ["sh", "-c", f"seq {task.games} | xargs -P {task.workers} -I{{}} {words} > floor.txt"]


def ours(mode: str, command: str, more: str = "") -> Build:
    """Start ours. A referee that is one program with one thread is best bound to a core with its worker: `pin: on`."""

    def build(task: Task) -> list[str]:
        maps = task.games // 2
        config = CONFIG.format(name=mode, mode=mode, command=command, maps=maps, workers=task.workers)
        (task.folder / f"{mode}.yaml").write_text(config + more)
        (task.folder / "ledger.yaml").write_text(LEDGER.format(maps=maps))
        shutil.rmtree(task.folder / "results", ignore_errors=True)
        return [sys.executable, "-m", "harness", "run", f"{mode}.yaml", "--quiet"]

    return build


def brutaltester(command: str, referee: str, *flags: str) -> Build:
    def build(task: Task) -> list[str]:
        players = ["-p1", "./bot", "-p2", "./bot", "-t", str(task.workers), "-n", str(task.games)]
        return [*shlex.split(command), "-r", referee, *players, *flags]

    return build


def compile_programs(folder: Path) -> None:
    """Build referee and bot with the system's C compiler; end the program if there is none."""
    compiler = os.environ.get("CC", "cc")
    if shutil.which(compiler) is None:
        sys.exit(f"no C compiler: {compiler!r} is not in PATH. Install one (gcc or clang) or set CC to its name.")
    for source, program in ((ROOT / "configs/referees/nim.c", "nim"), (ROOT / "bots/nim_c/bot.c", "bot")):
        subprocess.run([compiler, "-O2", "-DSTAMPS", "-o", folder / program, source], check=True)


def measure(name: str, build: Build, task: Task) -> Sample:
    """Play the task through one runner."""
    argv = build(task)
    stamps = task.folder / "stamps.bin"
    stamps.unlink(missing_ok=True)
    output = task.folder / "output.txt"
    environment = {**os.environ, "NIM_STAMPS": str(stamps), "PYTHONPATH": str(ROOT)}
    with output.open("wb") as file:
        process = subprocess.Popen(
            argv,
            cwd=task.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            process_group=0,
        )
        limit = Timer(RUN_LIMIT_S, os.killpg, (process.pid, signal.SIGKILL))
        limit.start()
        _, status, used = os.wait4(process.pid, 0)
        limit.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    games = sorted(struct.iter_unpack("qq", stamps.read_bytes())) if stamps.exists() else []
    if len(games) < task.games:
        tail = output.read_text(errors="replace")[-2000:]
        sys.exit(f"{name} played {len(games)} of {task.games} games\ncommand: {argv}\nend of its output:\n{tail}")
    counted = games[len(games) // WARM_UP :]
    speed = len(counted) / (max(end for _, end in counted) - counted[0][0]) * 1e9
    return Sample(speed, used.ru_utime + used.ru_stime)


def main() -> None:
    parser = argparse.ArgumentParser(description="Games a second of runners with a small referee in C.")
    parser.add_argument("--brutaltester", metavar="COMMAND", help="how cg-brutaltester is started, all words in one")
    parser.add_argument("--games", type=int, default=600, help="games of each run (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each runner (%(default)s)")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], help="games at once (1 2)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there too")
    args = parser.parse_args()
    runners: dict[str, Build] = {
        FLOOR: floor,
        OURS: ours("brutal", "./nim", "pin: on\n"),
        UNBOUND: ours("brutal", "./nim"),
        OLD: ours("old", "[./nim, --old]", "time: {per_ply_ms: 10000}\n"),
    }
    if args.brutaltester:
        runners[PEER] = brutaltester(args.brutaltester, "./nim")
        runners[PEER_OLD] = brutaltester(args.brutaltester, "./nim --old", "-o")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="referees-") as name:
        folder = Path(name)
        compile_programs(folder)
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {args.games} games, {args.rounds} rounds")
        heads = ("games/s", "min..max", "of floor", "ours is", "CPU ms")
        print(f"{'runner':<20} {'at once':>7} {heads[0]:>8} {heads[1]:>14} {heads[2]:>9} {heads[3]:>9} {heads[4]:>7}")
        for workers in args.workers:
            task = Task(args.games - args.games % 2, workers, folder)
            rounds = [{each: measure(each, build, task) for each, build in runners.items()} for _ in range(args.rounds)]
            few = replace(task, games=FEW)
            starts = {each: min(measure(each, build, few).cpu_s for _ in range(2)) for each, build in runners.items()}
            for each in runners:
                speeds = [one[each].games_per_s for one in rounds]
                cpu_s = median(one[each].cpu_s for one in rounds) - starts[each]
                row = Row(
                    each,
                    workers,
                    median(speeds),
                    min(speeds),
                    max(speeds),
                    median(one[each].games_per_s / one[FLOOR].games_per_s for one in rounds),
                    median(one[OURS].games_per_s / one[each].games_per_s for one in rounds),
                    1000 * cpu_s / (task.games - FEW),
                )
                rows.append(row)
                spread = f"{row.low:.0f}..{row.high:.0f}"
                print(
                    f"{each:<20} {workers:>7} {row.games_per_s:>8.0f} {spread:>14} {row.over_floor:>8.0%} "
                    f"{row.ours_over:>8.2f}x {row.cpu_ms:>7.2f}"
                )
    if args.json:
        facts = {"machine": platform.platform(), "cores": os.cpu_count(), "rows": [asdict(row) for row in rows]}
        args.json.write_text(json.dumps(facts, indent=1) + "\n")


if __name__ == "__main__":
    main()
