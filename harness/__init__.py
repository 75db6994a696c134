"""Measures game-playing bots: paired maps, swapped seats, honest error bars.

`harness.gate` judges a candidate from Python, for trainers. Nothing is imported before it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.run.gate_call import GateVerdict, gate

__all__ = ["GateVerdict", "gate"]


def __getattr__(name: str) -> object:
    if name in __all__:
        from harness.run import gate_call  # noqa: PLC0415 - the package itself must stay light

        return getattr(gate_call, name)
    raise AttributeError(f"module 'harness' has no attribute {name!r}")
