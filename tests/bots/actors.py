"""Bots, rules and jobs for tests that play with real programs: specs of `misbehave.py`, and what is left of them.

Import from here; start nothing by yourself. Every program carries the test's tag on its command line (`tag` fixture).
"""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.records import BotSpec, GameRecord, Limits, MapJob, RulesSpec, TimeControl

HERE = Path(__file__).parent
MISBEHAVE = HERE / "misbehave.py"
PROTOCOLS = ("codingame", "uci")
LIMITS = Limits(start_ms=5000, handshake_ms=5000, game_start_ms=5000, quit_ms=500, stop_ms=300)
TIME = TimeControl(per_ply_ms=250, first_ply_ms=5000, wall_ms=5000)
RULES = {
    "codingame": RulesSpec("lightcycles", (("width", 8), ("height", 6), ("starts", "mirrored"))),
    "uci": RulesSpec("chess"),
    "gomocup": RulesSpec("gomoku", (("size", 7), ("openings", "none"))),
    "gtp": RulesSpec("go", (("size", 5),)),
    "xboard": RulesSpec("chess"),
    "json": RulesSpec("lightcycles", (("width", 8), ("height", 6), ("starts", "mirrored"))),
}


def bot(protocol: str, fault: str = "none", *, tag: str, at: int = 1, name: str = "", **options: Any) -> BotSpec:
    """Give a bot with one fault. `options` are further words of `misbehave.py`; keys of BotSpec go there."""
    spec_keys = {key: options.pop(key) for key in list(options) if key in BotSpec.__slots__}
    words = [options.pop("interpreter", sys.executable), "-S", "-E", "-I", str(MISBEHAVE)]
    words += ["--protocol", protocol, "--fault", fault, "--at", str(at), "--tag", tag]
    for key, value in options.items():
        for each in value if isinstance(value, list) else [value]:
            words += ["--" + key.replace("_", "-"), str(each)]
    spec = BotSpec(
        name=name or f"{fault}.{at}", protocol=protocol, command=tuple(words), cwd=str(HERE), limits=LIMITS, time=TIME
    )
    return replace(spec, **spec_keys)


def swift(program: Path, fault: str = "none", *, tag: str, at: int = 1, name: str = "", **spec_keys: Any) -> BotSpec:
    """Give a light-cycles bot in C with one fault; `program` is the fixture `swift_bot`."""
    words = (str(program), fault, str(at), tag)
    spec = BotSpec(
        name=name or f"{fault}.{at}", protocol="codingame", command=words, cwd=str(HERE), limits=LIMITS, time=TIME
    )
    return replace(spec, **spec_keys)


def job(*lineup: BotSpec, time: TimeControl = TIME, seed: int = 1, **changes: Any) -> MapJob:
    """Give the map job of two bots of one protocol, both seatings."""
    return MapJob(
        id=0,
        run="test",
        run_key="0",
        stage="run",
        split="train",
        seed=seed,
        lineup=lineup,
        seatings=((0, 1), (1, 0)),
        rules=RULES[lineup[0].protocol],
        time=time,
        **changes,
    )


def faults_of(game: GameRecord, index: int) -> list[tuple[str, int, str]]:
    """Give kind, ply and detail of the forfeits of the bot with that index in the lineup."""
    return [(fault.kind.value, fault.ply, fault.detail) for fault in game.faults if game.seating[fault.seat] == index]


def leftovers(tag: str) -> dict[int, str]:
    """Give the processes, other than this one, that have the tag on their command line.

    One that hands itself on to a new process twice in a millisecond is gone before a look at all reaches it; it is
    always among the newest, so these are looked at again and again besides.
    """
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    found = {pid: words for pid in pids if (words := _tagged(pid, tag))}
    for _ in range(30):
        newest = int(Path("/proc/loadavg").read_text().split()[-1])
        found |= {pid: words for pid in range(newest, max(1, newest - 12), -1) if (words := _tagged(pid, tag))}
    return found


def _tagged(pid: int, tag: str) -> str:
    """Give the command line of a process if it has the tag and the process is not this one; else nothing."""
    if pid == os.getpid():
        return ""
    try:
        with open(f"/proc/{pid}/cmdline", "rb", buffering=0) as file:  # noqa: PTH123 - quick, or it is gone
            words = file.read(8192).decode("utf-8", "replace").replace("\0", " ")
    except OSError:
        return ""
    return words if tag in words else ""


def wait_until_gone(tag: str, timeout_s: float = 5.0) -> dict[int, str]:
    """Wait until no process has the tag; give those that have it still."""
    deadline = time.monotonic() + timeout_s
    while (found := leftovers(tag)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found


def kill_leftovers(tag: str) -> None:
    """Clean up after a failed test, however the leftovers fork."""
    for _ in range(200):
        found = leftovers(tag)
        if not found:
            return
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
