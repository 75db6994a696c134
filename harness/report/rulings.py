"""What a gate decided, as plain data: the part of a verdict that the records of a run alone cannot say.

A gate (or the machinery that starts and stops stages) makes one of these and hands it to `verdict.judge`, which puts it
into words together with the numbers of the summary. Must hold no text but names that the user wrote.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Promoted:
    """The candidate is better than the champion and passed every gate."""


@dataclass(frozen=True, slots=True)
class Held:
    """The candidate is better than the champion but loses ground to these panel members."""

    guards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NotPromoted:
    """The confirm stage found no evidence that the candidate is better."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The candidate is worse than the champion."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """The screen's sequential test crossed its lower bound: unlikely to be `gain_elo` better."""

    gain_elo: float
    llr: float
    bound: float
    n_maps: int


@dataclass(frozen=True, slots=True)
class Equivalent:
    """The interval lies inside the margin that the config sets, in Elo to either side."""

    margin_elo: float


@dataclass(frozen=True, slots=True)
class StarvedOfTime:
    """Games were lost on time because the machine was too busy; alone, the same bots kept their time."""

    n_lost: int
    n_games: int
    load: float
    n_cores: int
    n_lost_alone: int
    n_games_alone: int
    n_void_maps: int


@dataclass(frozen=True, slots=True)
class SeedsUsedUp:
    """The ledger has fewer unused maps left than a stage needs. `setting` is the key that says how many."""

    n_left: int
    n_needed: int
    setting: str = "confirm.maps"


Ruling = Promoted | Held | NotPromoted | Rejected | Dropped | Equivalent | StarvedOfTime | SeedsUsedUp
