"""The seeds that a config lists itself, in place of a ledger: in the config or in a file, one a line or as ranges."""

from __future__ import annotations

import os
import re
from pathlib import Path

from harness.config.document import Document
from harness.config.models import ConfigFile
from harness.config.problems import Problem, build_problem
from harness.config.settings import LISTED, MapsSpec

MAX_SEEDS = 1_000_000
_SEEDS = re.compile(r"(-?\d+)(?:\s*-\s*(-?\d+))?")
_INT64 = range(-(2**63), 2**63)


def build_listed(file: ConfigFile, folder: Path, document: Document, problems: list[Problem]) -> MapsSpec:
    """Make the maps of a config with `maps.seeds`. What is wrong is added to `problems`."""
    given = file.maps.seeds
    assert given is not None
    place = ("maps", "seeds")
    seeds: list[int] = []
    if isinstance(given, str):
        path = Path(os.path.normpath(folder / given))
        try:
            seeds = read_seeds(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
            problems.append(build_problem(document, place, f"the file of seeds cannot be read: {why}", got=str(path)))
        except ValueError as error:
            problems.append(
                build_problem(
                    document,
                    place,
                    "the file of seeds has a line that is none",
                    got=f"{path}:{error}",
                    allowed="whole numbers of 64 bits, one a line, ranges as 10-99, # for comments",
                )
            )
    else:
        seeds = list(given)
        wrong = next((seed for seed in seeds if seed not in _INT64), None)
        if wrong is not None:
            problems.append(build_problem(document, place, "no seed", got=str(wrong), allowed="64 bits with a sign"))
    count = file.maps.count or len(seeds)
    if not problems and not 0 < count <= len(seeds):
        problems.append(
            build_problem(
                document,
                ("maps", "count") if file.maps.count else place,
                "there are fewer seeds than maps",
                got=str(count),
                allowed=f"1 to {len(seeds)}" if seeds else "at least one seed",
            )
        )
    return MapsSpec(None, LISTED, count, seeds=tuple(seeds[:count]))


def read_seeds(text: str) -> list[int]:
    """Read seeds, one a line or as ranges that include both ends. Raises ValueError with `LINE: text`."""
    seeds: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].strip()
        if not words:
            continue
        match = _SEEDS.fullmatch(words)
        first = int(match[1]) if match else 0
        last = int(match[2] or first) if match else -1
        if last < first or first not in _INT64 or last not in _INT64 or len(seeds) + last - first >= MAX_SEEDS:
            raise ValueError(f"{number}: {words[:60]}")
        seeds += range(first, last + 1)
    return seeds
