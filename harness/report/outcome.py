"""What a verdict is: a word for programs, a tag and sentences for people, an exit code.

Must not make any: `verdict.judge` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from harness.errors import ExitCode


class Outcome(StrEnum):
    """What a verdict says, for programs."""

    BETTER = "better"
    NO_EVIDENCE = "no evidence"
    WORSE = "worse"
    MIXED = "mixed"
    LEADS = "leads"
    PROMOTED = "promoted"
    NOT_PROMOTED = "not promoted"
    REJECTED = "rejected"
    DROPPED = "dropped at the screen"
    HELD = "held"
    UNDECIDED = "undecided"
    MIRRORED = "mirrored"
    STARVED = "starved"
    TOO_FEW_MAPS = "too few maps"
    STOPPED = "stopped"
    NO_COMPARISON = "no comparison"


class Tone(StrEnum):
    """How a verdict or a mark is coloured. Never the only carrier: glyph and word say the same."""

    GOOD = "good"
    BAD = "bad"
    WARN = "warn"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judged run. `emphasis` is the part of the headline that carries the magnitude, "" if none does."""

    outcome: Outcome
    tag: str
    glyph: str
    tone: Tone
    headline: str
    detail: str
    exit_code: ExitCode
    emphasis: str = ""
