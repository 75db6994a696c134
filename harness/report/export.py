"""A summary and its verdict as JSON: every number that is shown anywhere, unrounded, in plain ASCII.

Keys are the field names of `model` and `verdict`; times carry their unit, scores are shares in [0, 1]. A value that
does not exist is null. `SUMMARY_SCHEMA` grows when a key changes its meaning or goes away; new keys may come at any
time. Must not round, and must not hold anything that is not in the summary or the verdict.
"""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass
from enum import Enum

from harness.report.model import Summary
from harness.report.outcome import Verdict

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def to_data(value: object) -> Json:
    """Give frozen data as what JSON can hold. Raises TypeError for anything else, ValueError for nan and inf."""
    if isinstance(value, Enum):
        return to_data(value.value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value!r} has no place in a summary; a missing number is None")
        return value + 0.0  # −0.0 becomes 0.0
    if isinstance(value, tuple | list):
        return [to_data(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_data(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"{type(value).__name__} is no plain data")


def to_json(summary: Summary, verdict: Verdict) -> str:
    """Give summary and verdict as one JSON object, indented, without a newline at its end."""
    whole: Json = to_data(summary)
    assert isinstance(whole, dict)
    schema = whole.pop("schema")
    shown = {"schema": schema, "verdict": to_data(verdict), "is_final": summary.is_final, **whole}
    return json.dumps(shown, indent=2, ensure_ascii=True, allow_nan=False)
