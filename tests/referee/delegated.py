"""Runs and games with a referee of `tests/referees`, for tests to change one thing of."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.play.table import Table
from harness.records import BotSpec, MapJob, RefereeMode, RefereeSpec, RulesSpec, TimeControl
from harness.referee.base import WholeGame
from harness.referee.external import ExternalReferee
from harness.referee.wrapper import Wrappers
from tests.run.runs import write_config

REFEREES = Path(__file__).resolve().parents[1] / "referees"
PYTHON = (sys.executable, "-S", "-E", "-I")


def bot(kind: str = "best", *words: str, **keys: Any) -> dict[str, Any]:
    """Give the entry of a Nim bot that needs no script to be started."""
    return {"command": [*PYTHON, str(REFEREES / "nim_bot.py"), kind, *words], **keys}


def referee(program: str = "brutal.py", *words: str, **keys: Any) -> dict[str, Any]:
    """Give the section of a referee."""
    return {"mode": "brutal", "command": [*PYTHON, str(REFEREES / program), *words], **keys}


def write_run(
    folder: Path,
    section: dict[str, Any] | None = None,
    bots: dict[str, dict[str, Any]] | None = None,
    *,
    count: int = 2,
    **keys: Any,
) -> Path:
    """Write a config with a referee; by default the best Nim bot against one that takes one from the first heap."""
    path = write_config(folder, bots or {"best": bot("best"), "first": bot("first")}, count=count)
    config = json.loads(path.read_text())
    section = section or referee()
    if section["mode"] != "old":
        del config["time"]
    del config["rules"]
    path.write_text(json.dumps({**config, "referee": section, **keys}))
    return path


def nim_bot(kind: str = "best", *words: str, **keys: Any) -> BotSpec:
    """Give the spec of a Nim bot."""
    command = (*PYTHON, str(REFEREES / "nim_bot.py"), kind, *words)
    return BotSpec(**{"name": kind, "protocol": "referee", "command": command, "cwd": str(REFEREES), **keys})


def spec(*words: str, program: str = "brutal.py", **keys: Any) -> RefereeSpec:
    """Give the spec of a referee of ours in brutaltester's new mode."""
    given: dict[str, Any] = {
        "mode": RefereeMode.BRUTAL,
        "n_seats": 2,
        "command": (*PYTHON, str(REFEREES / program), *words),
        "seed": ("-d", "seed={seed}"),
        "cwd": str(REFEREES),
        "time_limit_s": 30.0,
    }
    return RefereeSpec(**{**given, **keys})


def job(referee: RefereeSpec, *lineup: BotSpec, seed: int = 1, **keys: Any) -> MapJob:
    """Give a map job of one game."""
    facts: dict[str, Any] = {
        "id": 0,
        "run": "test",
        "run_key": "0",
        "stage": "run",
        "split": "train",
        "seed": seed,
        "lineup": lineup,
        "seatings": (tuple(range(len(lineup))),),
        "rules": RulesSpec("referee"),
        "time": TimeControl(per_ply_ms=5000, first_ply_ms=5000),
        "referee": referee,
    }
    return MapJob(**{**facts, **keys})


class Desk:
    """Plays games, one after another, through one referee."""

    def __init__(self, referee: RefereeSpec) -> None:
        self.table = Table()
        self._referee = referee

    def play(self, *lineup: BotSpec, seed: int = 1, **keys: Any) -> WholeGame:
        """Play one game."""
        bots = lineup or (nim_bot("best"), nim_bot("first"))
        wanted = job(self._referee, *bots, seed=seed, **keys)
        assert wanted.referee is not None
        return self.table.whole_referee(wanted.referee).play(wanted, 0, bots, [100 + seat for seat in range(len(bots))])

    def wrappers(self) -> Wrappers:
        """Give what makes the referee's commands of bots."""
        known = self.table.whole_referee(self._referee)
        assert isinstance(known, ExternalReferee)
        return known._wrappers


@contextmanager
def desk(*words: str, **keys: Any) -> Iterator[Desk]:
    """Give a desk with a referee of ours, closed afterwards."""
    it = Desk(spec(*words, **keys))
    try:
        yield it
    finally:
        it.table.close()
