"""Runs with a referee of `tests/referees`, for tests to change one thing of."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.run.runs import write_config

REFEREES = Path(__file__).resolve().parents[1] / "referees"


def bot(kind: str = "best", *words: str) -> dict[str, Any]:
    """Give the entry of a Nim bot that needs no script to be started."""
    return {"command": [sys.executable, str(REFEREES / "nim_bot.py"), kind, *words]}


def referee(program: str = "brutal.py", *words: str, **keys: Any) -> dict[str, Any]:
    """Give the section of a referee."""
    return {"mode": "brutal", "command": [sys.executable, str(REFEREES / program), *words], **keys}


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
    if (section or referee())["mode"] != "old":
        del config["time"]
    del config["rules"]
    path.write_text(json.dumps({**config, "referee": section or referee(), **keys}))
    return path
