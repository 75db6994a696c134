"""A night of games with a bot that misbehaves in one of ten, in a way that its seed picks; every record is checked.

    python benchmarks/night.py [--games 10000] [--protocol codingame|uci] [--isolation process|sandbox] [--workers 2]

Plays light cycles or chess as `harness run` does and says what is wrong: a forfeit that should not be, or should, or of
another kind; a good bot that was harmed; a process, an orphan or a file that is left; a file that we kept open. Ends
with exit code 1 if anything is. In the contest's protocol every game is a process of its own, so that what it must come
to is known exactly; an engine that is kept picks anew for each game, and what was picked is known only to be allowed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from harness.plan.plan import Plan  # noqa: E402
from harness.records import GameRecord, MapRecord  # noqa: E402
from harness.run.cores import Placement  # noqa: E402
from harness.run.flow import run_config  # noqa: E402
from harness.run.prepare import prepare  # noqa: E402
from harness.seeding import bot_seeds  # noqa: E402
from harness.store.run_directory import read_records  # noqa: E402
from tests.bots.actors import bot, faults_of, kill_leftovers, leftovers  # noqa: E402
from tests.bots.misbehave import picked_fault  # noqa: E402
from tests.hostile.outcomes import Expected, Forfeit, expected  # noqa: E402

ONE_IN = 10
FILE_MB = 20
LIMITS = {"memory_mb": 300, "processes": 20, "output_mb": 16, "file_mb": FILE_MB, "tmp_mb": 8}
TIMES = {"stop_ms": 200, "quit_ms": 300}
RULES = {
    "codingame": {"name": "lightcycles", "width": 8, "height": 6, "starts": "mirrored"},
    "uci": {"name": "chess"},
}
NOT_IN_A_NIGHT = ("none", "exit-at-once", "wrong-handshake")
"""What halts a run in one protocol or the other; the rest may come to pass at any game."""

BUSY = ("fork-bomb", "memory-bomb", "shared-bomb", "flood")
"""What a busy machine may end by the clock before it is over its limit."""


@dataclass
class Night:
    """What is to be played, and what was wrong with it."""

    protocol: str
    isolation: str
    n_maps: int
    n_workers: int
    tag: str = field(default_factory=lambda: f"night-{uuid.uuid4().hex}")
    wrong: list[str] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    n_voids: int = 0

    @property
    def outcomes(self) -> dict[str, Expected]:
        """What each fault of this night comes to."""
        known = expected(self.protocol, self.isolation)
        return {fault: outcome for fault, outcome in known.items() if fault not in NOT_IN_A_NIGHT}

    def write_config(self, folder: Path) -> Path:
        """Write what is played into a folder."""
        faults = ",".join(self.outcomes)
        bots = {
            "good": bot(self.protocol, tag=self.tag),
            "night": bot(self.protocol, faults, tag=self.tag, one_in=ONE_IN),
        }
        keys = {"limits": {**LIMITS, **TIMES}, "isolation": self.isolation}
        config: dict[str, Any] = {
            "rules": RULES[self.protocol],
            "bots": {
                name: {"command": list(spec.command), "protocol": spec.protocol, "cwd": spec.cwd, **keys}
                for name, spec in bots.items()
            },
            "schedule": {"type": "gauntlet", "candidate": "good"},
            "maps": {"ledger": "seeds.yaml", "split": "train", "count": self.n_maps},
            "time": {"per_ply_ms": 300, "first_ply_ms": 5000, "wall_ms": 5000},
            "stop_after": {"first_forfeits": None, "forfeit_share": None},
            "workers": self.n_workers,
        }
        ranges = {"train": {"from": 1, "to": 99_999}, "validation": {"from": 10**5, "to": 10**5 + 9}}
        ledger = {"name": "seeds", "feeds": "generator", **ranges, "test": {"from": 10**6, "to": 10**6 + 9}}
        (folder / "seeds.yaml").write_text(json.dumps(ledger))
        path = folder / "night.yaml"
        path.write_text(json.dumps(config))
        return path

    # ----------------------------------------------------------------------------------- judging

    def judge(self, record: MapRecord, run_key: str) -> None:
        """Compare a record with what its seeds say must have happened."""
        seeds = bot_seeds(run_key, record.job, 4)
        for number, game in enumerate(record.games):
            seat = game.seating.index(1)
            where = f"job {record.job}, game {number}"
            if harmed := [fault for fault in faults_of(game, 0) if not self._is_starved(game, 0)]:
                self.wrong.append(f"{where}: the good bot forfeits: {harmed}")
            if self.protocol == "codingame":
                picked = picked_fault(",".join(self.outcomes), ONE_IN, seeds[2 * number + seat])
                self.seen[picked] += 1
                self._judge_fault(where, game, {picked})
            else:
                self.seen["faults"] += len(faults_of(game, 1))
                self._judge_fault(where, game, {"none", *self.outcomes})

    def _is_starved(self, game: GameRecord, index: int) -> bool:
        return any(fault.starved_ms is not None and game.seating[fault.seat] == index for fault in game.faults)

    def _judge_fault(self, where: str, game: GameRecord, possible: set[str]) -> None:
        """Say what is wrong with a game in which one of these faults was picked."""
        if self._is_starved(game, 1):
            self.seen["(marked: starved too often)"] += 1
            return
        faults = faults_of(game, 1)
        if len(faults) > 1:
            self.wrong.append(f"{where}: more than one fault: {faults}")
            return
        outcomes = [(name, self.outcomes.get(name)) for name in possible]
        if not any(self._fits(name, outcome, game, faults) for name, outcome in outcomes):
            self.wrong.append(f"{where}: {sorted(possible)[:3]} came to {faults or 'nothing'}")

    def _fits(self, name: str, outcome: Expected, game: GameRecord, faults: list[tuple[str, int, str]]) -> bool:
        if not faults:
            return outcome is None or not outcome.must
        if outcome is None:
            return False
        ((kind, ply, detail),) = faults
        own = (ply - game.seating.index(1)) // 2
        if outcome.fits(kind, own, detail):
            return True
        return name in BUSY and Forfeit("timeout", "no answer in time").fits(kind, own, detail)

    # --------------------------------------------------------------- what a run tells its observer

    def on_resumed(self, record: MapRecord) -> None:
        """Not in one night."""

    def on_start(self, plan: Plan, placement: Placement, n_done: int) -> None:
        """Nothing to do."""

    def on_record(self, record: MapRecord) -> None:
        """Nothing to do: records are judged as they are on disk."""

    def on_void(self, job: int, reason: str) -> None:
        """Count; a worker that died is wrong."""
        self.n_voids += 1
        if "died" in reason:
            self.wrong.append(f"job {job}: {reason}")

    def on_warning(self, text: str) -> None:
        """Show it."""
        print(f"warning: {text}", file=sys.stderr)

    def on_stop_request(self, count: int) -> None:
        """Nothing to do."""

    def tick(self) -> None:
        """Nothing to do."""


def count_open() -> int:
    """Count the files that this process has open."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def play_night(night: Night, say: Callable[[str], None]) -> None:
    """Play and judge; what is wrong is in `night.wrong`."""
    n_open = count_open()
    with tempfile.TemporaryDirectory(prefix="night-") as name:
        folder = Path(name)
        config = night.write_config(folder)
        before = {path.name for path in folder.iterdir()}
        prepared = prepare(config)
        began = time.monotonic()
        try:
            path = run_config(prepared, prepared.plan.run, night)
            say(f"{2 * night.n_maps:,} games in {time.monotonic() - began:.0f} s, {night.n_voids} void")
            records = 0
            for record in read_records(path):
                night.judge(record, prepared.plan.run_key)
                records += 1
            if records != night.n_maps:
                night.wrong.append(f"{records} records for {night.n_maps} maps")
        finally:
            if left := leftovers(night.tag):
                night.wrong.append(f"processes are left: {left}")
            kill_leftovers(night.tag)
        if extra := {path.name for path in folder.iterdir()} - before - {"results"}:
            night.wrong.append(f"files are left in its folder: {extra}")
    for file in Path(tempfile.gettempdir()).glob(f"*{night.tag}*"):
        if night.isolation == "sandbox" or file.stat().st_size > FILE_MB << 20:
            night.wrong.append(f"{file} is left, {file.stat().st_size} bytes")
        file.unlink()
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    if children:
        night.wrong.append(f"children are left: {children}")
    if count_open() > n_open:
        night.wrong.append(f"{count_open() - n_open} files were kept open")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=10_000, help="games to play, two a map (%(default)s)")
    parser.add_argument("--protocol", choices=("codingame", "uci"), default="codingame")
    parser.add_argument("--isolation", choices=("process", "sandbox"), default="process")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    args = parser.parse_args()
    night = Night(args.protocol, args.isolation, max(1, args.games // 2), args.workers)
    play_night(night, print)
    for name, count in sorted(night.seen.items()):
        print(f"  {name:<28} {count:>7,}")
    for line in night.wrong[:40]:
        print(f"WRONG {line}")
    print("nothing is wrong" if not night.wrong else f"{len(night.wrong)} things are wrong")
    sys.exit(bool(night.wrong))


if __name__ == "__main__":
    main()
