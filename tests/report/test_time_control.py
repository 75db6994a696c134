"""Time controls in words: the mode, the clock, and the grace, which is never left unsaid."""

from __future__ import annotations

import pytest

from harness.records import ClockKind, TimeControl
from harness.report.time_control import time_words


@pytest.mark.parametrize(
    ("control", "words"),
    [
        (TimeControl(per_ply_ms=100, first_ply_ms=1000), "100 ms a ply, the first 1.0 s; no grace"),
        (TimeControl(per_ply_ms=50, grace_ms=5), "50 ms a ply; grace 5.0 ms"),
        (TimeControl(per_ply_ms=50, clock=ClockKind.CPU), "50 ms a ply, of its own CPU time; no grace"),
        (TimeControl(base_ms=10_000, increment_ms=100), "10 s a game and 100 ms a ply; no grace"),
        (TimeControl(nodes=2000), "2 000 nodes a ply; no grace"),
        (TimeControl(depth=8), "depth 8; no grace"),
    ],
)
def test_words(control: TimeControl, words: str) -> None:
    said = time_words(control).replace("\u202f", " ")
    assert said.startswith(words + "; at most 1 min"), said
