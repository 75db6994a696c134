"""The outside numbers of tests/data/stat_vectors.json, by id or by the start of an id."""

import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parents[1] / "data" / "stat_vectors.json"


@dataclass(frozen=True)
class Vector:
    id: str
    input: dict[str, Any]
    expected: dict[str, Any]
    tolerance: float | None

    def close(self, got: float, wanted: float, *, tolerance: float | None = None) -> bool:
        """Within the case's own tolerance, absolute below 1 and relative above."""
        allowed = self.tolerance if tolerance is None else tolerance
        assert allowed is not None, f"{self.id} records a behaviour and has no tolerance"
        return math.isfinite(got) and abs(got - wanted) <= allowed * max(1.0, abs(wanted))


@cache
def all_vectors() -> dict[str, Vector]:
    raw = json.loads(_FILE.read_text(encoding="utf-8"))
    return {item["id"]: Vector(item["id"], item["input"], item["expected"], item["tolerance"]) for item in raw}


def vector(vector_id: str) -> Vector:
    return all_vectors()[vector_id]


def vectors(prefix: str) -> list[Vector]:
    found = [item for item in all_vectors().values() if item.id.startswith(prefix)]
    assert found, f"no vector starts with {prefix}"
    return found
