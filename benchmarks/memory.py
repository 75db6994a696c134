"""Memory of the parent: a run of 1,000 maps against one of 100,000, and the same records shown and gone on with.

Compiles stub_engine.c and starts `harness` by its command line, as a user does. The peak is the kernel's own count
(VmHWM) of that one process, without its workers and bots. README.md says what the numbers mean.

    python benchmarks/memory.py --maps 1000 100000 --json figures.json

Runs on Linux. It must not read anything inside `harness/`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
GOOD_STATUSES = (0, 5)  # 5: no verdict, for the two stubs are the same program and we say so

CONFIG = """\
name: memory
rules: {{name: chess}}
bots:
  a: {{command: {command}, protocol: uci}}
  b: {{command: {command}, protocol: uci}}
schedule: {{type: gauntlet, candidate: a}}
maps: {{ledger: ledger.yaml, split: train, count: {maps}}}
time: {{per_ply_ms: 60000}}
"""
LEDGER = """\
name: memory
feeds: generator
train: {{from: 1, to: {maps}}}
validation: {{from: -2, to: -2}}
test: {{from: -1, to: -1}}
"""

# the command line as it is, and at its end the peak of this process alone: children end without `atexit`
MEASURED = """\
import atexit, os, pathlib, runpy, sys
out, parent = sys.argv.pop(1), os.getpid()
@atexit.register
def tell():
    if os.getpid() == parent:
        status = pathlib.Path("/proc/self/status").read_text()
        pathlib.Path(out).write_text(status.split("VmHWM:")[1].split()[0])
runpy.run_module("harness", run_name="__main__", alter_sys=True)
"""


@dataclass(frozen=True, slots=True)
class Peak:
    """The peak of one command: megabytes of resident memory of its own process, and how long it took."""

    command: str
    maps: int
    peak_mb: float
    wall_s: float


def measure(words: list[str], folder: Path, maps: int) -> Peak:
    """Run one command to its end; end the program if it fails."""
    peak = folder / "peak.txt"
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(peak), *words], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode not in GOOD_STATUSES:
        sys.exit(f"harness {' '.join(words)} ended with status {done.returncode}:\n{done.stderr[-2000:]}")
    return Peak(words[0], maps, int(peak.read_text()) / 1024, time.monotonic() - started)


def measure_size(stub: Path, maps: int) -> list[Peak]:
    """Play that many maps, then show the run and start it again."""
    with tempfile.TemporaryDirectory(prefix="memory-") as name:
        folder = Path(name)
        command = json.dumps([str(stub), "8"])
        (folder / "memory.yaml").write_text(CONFIG.format(command=command, maps=maps))
        (folder / "ledger.yaml").write_text(LEDGER.format(maps=maps))
        peaks = [measure(["run", "memory.yaml", "--quiet"], folder, maps)]
        n_lines = sum(1 for _ in (folder / "results" / "memory" / "maps.jsonl").open("rb"))
        if n_lines != maps:
            sys.exit(f"{n_lines} of {maps} maps were recorded")
        peaks += [measure(["show", "memory"], folder, maps)]
        again = measure(["run", "memory.yaml", "--quiet"], folder, maps)
        return [*peaks, Peak("run again", maps, again.peak_mb, again.wall_s)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the parent's peak memory, few maps against many.")
    parser.add_argument("--maps", type=int, nargs=2, default=(1_000, 100_000), metavar="N", help="few and many")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all figures to a file as well")
    args = parser.parse_args()
    compiler = os.environ.get("CC", "cc")
    if shutil.which(compiler) is None:
        sys.exit(f"no C compiler: {compiler!r} is not in PATH. Install one (gcc or clang) or set CC to its name.")
    with tempfile.TemporaryDirectory(prefix="memory-") as folder:
        stub = Path(folder) / "stub_engine"
        subprocess.run([compiler, "-O2", "-o", stub, HERE / "stub_engine.c"], check=True)
        few, many = (measure_size(stub, maps) for maps in args.maps)
    print(f"{'peak MB of the parent':<22} {few[0].maps:>9,} maps {many[0].maps:>9,} maps   ratio")
    for small, large in zip(few, many, strict=True):
        ratio = large.peak_mb / small.peak_mb
        print(f"{small.command:<22} {small.peak_mb:>14.1f} {large.peak_mb:>14.1f}   {ratio:.2f}")
    print(f"played in {few[0].wall_s:.0f} s and {many[0].wall_s:.0f} s")
    if args.json:
        args.json.write_text(json.dumps([asdict(peak) for peak in (*few, *many)], indent=2) + "\n")


if __name__ == "__main__":
    main()
