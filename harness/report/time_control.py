"""A time control in words: what a bot may use, by which clock, and the grace before a late answer is a fault."""

from __future__ import annotations

from harness.records import ClockKind, TimeControl
from harness.report import numbers


def time_words(control: TimeControl) -> str:
    """Say a time control in one line: `100 ms a ply, the first 1.0 s; grace 5.0 ms; at most 60 s a ply`."""
    parts: list[str] = []
    if control.per_ply_ms is not None:
        first = control.first_ply_ms
        text = f"{_ms(control.per_ply_ms)} a ply"
        if first is not None and first != control.per_ply_ms:
            text += f", the first {_ms(first)}"
        parts.append(text + (", of its own CPU time" if control.clock is ClockKind.CPU else ""))
    elif control.base_ms is not None:
        more = f" and {_ms(control.increment_ms)} a ply" if control.increment_ms else ""
        parts.append(f"{_ms(control.base_ms)} a game{more}")
    elif control.nodes is not None:
        parts.append(f"{numbers.count(control.nodes)} nodes a ply")
    elif control.depth is not None:
        parts.append(f"depth {control.depth}")
    parts.append(f"grace {_ms(control.grace_ms)}" if control.grace_ms else "no grace")
    parts.append(f"at most {_ms(control.wall_ms)} a ply")
    return "; ".join(parts)


def _ms(milliseconds: int) -> str:
    return numbers.duration(milliseconds / 1000)
