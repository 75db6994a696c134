"""What it costs to start a bot, hear from it and end it: bare, contained and sandboxed; and to end one that hides.

Prints medians and ratios of one run, on one core, with a C program that plays light cycles (tests/bots/misbehave.c).

    python benchmarks/starts.py [--rounds N]

Runs on Linux with a C compiler; sandboxed rows need bubblewrap. README.md says what each row means.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from harness.protocols import guardian, reaper  # noqa: E402
from harness.protocols.process import open_process, why_no_sandbox  # noqa: E402
from harness.records import BotSpec, Isolation, Limits  # noqa: E402

REQUEST = b"2 0\n1 1 1 1\n3 3 3 3\n"
FAR_NS = 10**18


def compile_bot(folder: Path) -> Path:
    """Build the bot with the system's C compiler; end the program if there is none."""
    compiler = os.environ.get("CC", "cc")
    if shutil.which(compiler) is None:
        sys.exit(f"no C compiler: {compiler!r} is not in PATH. Install one (gcc or clang) or set CC to its name.")
    program = folder / "misbehave"
    subprocess.run([compiler, "-O2", "-o", program, ROOT / "tests/bots/misbehave.c", "-lpthread"], check=True)
    return program


def bare(command: tuple[str, ...]) -> None:
    """Start, ask, hear and end with nothing but pipes: the floor."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(REQUEST)
        process.stdout.read(3)
        process.kill()


def contained(spec: BotSpec) -> None:
    """The same through a channel, with marks, limits and the search for what it left."""
    channel = open_process(spec, 1)
    channel.exchange(REQUEST, FAR_NS, time.monotonic_ns())
    channel.close(0)


def time_of(action: Callable[[], None]) -> float:
    began = time.perf_counter()
    action()
    return (time.perf_counter() - began) * 1000


def time_to_end(spec: BotSpec) -> float:
    """Start a bot that hides, give it 50 ms to spread, and time the end alone."""
    channel = open_process(spec, 1)
    channel.write(REQUEST, FAR_NS)
    time.sleep(0.05)
    return time_of(lambda: channel.close(0))


def main() -> None:
    parser = argparse.ArgumentParser(description="Time starts and ends of bots in every isolation.")
    parser.add_argument("--rounds", type=int, default=60, help="starts of each kind (%(default)s)")
    rounds = parser.parse_args().rounds
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    reaper.take_charge(exclusive=True)
    guardian.guard([os.getpid()])
    with tempfile.TemporaryDirectory(prefix="starts-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        spec = BotSpec("bot", "codingame", (str(compile_bot(folder)), "none", "9999", "x"), cwd="/", limits=Limits())
        kinds: dict[str, Callable[[], None]] = {
            "bare pipes": lambda: bare(spec.command),
            "none": lambda: contained(replace(spec, isolation=Isolation.NONE)),
            "process": lambda: contained(spec),
        }
        isolations = [Isolation.PROCESS]
        if why := why_no_sandbox():
            print(f"no sandbox here: {why}", file=sys.stderr)
        else:
            walled = replace(spec, isolation=Isolation.SANDBOX, readable=(name,))
            kinds["sandbox"] = lambda: contained(walled)
            isolations.append(Isolation.SANDBOX)
        times: dict[str, list[float]] = {kind: [] for kind in kinds}
        for _ in range(rounds):
            for kind, action in kinds.items():
                times[kind].append(time_of(action))
        floor = median(times["bare pipes"])
        print(f"{'start, one answer, end':<28} {'ms':>8} {'min..max':>18} {'over bare':>10}")
        for kind, values in times.items():
            print(
                f"{kind:<28} {median(values):>8.2f} {f'{min(values):.2f}..{max(values):.2f}':>18} "
                f"{median(values) / floor:>9.2f}x"
            )
        print(f"\n{'end of one that hides':<28} {'ms':>8} {'min..max':>18}")
        for fault in ("none", "bare-daemon", "forger", "hydra", "session-bomb", "fork-bomb"):
            for isolation in isolations:
                hider = replace(spec, command=(spec.command[0], fault, "0", "x"), isolation=isolation, readable=(name,))
                values = [time_to_end(hider) for _ in range(max(3, rounds // 12))]
                print(
                    f"{f'{fault} ({isolation.value})':<28} {median(values):>8.2f} "
                    f"{f'{min(values):.2f}..{max(values):.2f}':>18}"
                )
    guardian.end_guard()


if __name__ == "__main__":
    main()
