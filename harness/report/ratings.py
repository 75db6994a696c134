"""What `harness rate` found, as plain frozen data: the one source of its table, its sentences and its JSON.

Scores are shares in [0, 1], ratings on the 1500 scale, gaps in Elo. A value that does not exist is None. Bots are in
rating order and are named, not numbered, wherever they are mentioned.
Must hold no text made for people but the notes, and do no arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

RATINGS_SCHEMA = 1


class ErrorBasis(StrEnum):
    """What the intervals count."""

    MAPS = "maps"  # sandwich over whole maps, Student t
    GAMES = "games"  # the model's: games taken as independent
    NONE = "none"


class NoteKind(StrEnum):
    """What a note warns of."""

    POOL = "pool"  # groups that never met, perfect scores, a fit that failed
    ERRORS = "errors"  # what the intervals rest on
    MIRRORED = "mirrored"
    REPEATED = "repeated"
    UPSET = "upset"
    CIRCLE = "circle"
    TWINS = "twins"
    SOURCE = "source"  # what was left out of the files


@dataclass(frozen=True, slots=True)
class Note:
    """One thing to know before the ratings are relied on."""

    kind: NoteKind
    text: str


@dataclass(frozen=True, slots=True)
class RatedBot:
    """A bot with its rating. `rank_best` to `rank_worst` are the ranks it could have, all bots' holding together."""

    name: str
    rating: float | None
    se: float | None
    low: float | None
    high: float | None
    rank_best: int
    rank_worst: int
    is_anchor: bool
    n_games: float
    score: float | None
    wins: float
    draws: float
    losses: float
    nash_weight: float | None
    nash_skill: float | None


@dataclass(frozen=True, slots=True)
class RatedPair:
    """Two bots head to head, from the side of `bot`, and the gap of their ratings with its interval.

    `p_better` is the probability that `bot` is the better one.
    """

    bot: str
    opponent: str
    n_games: float
    n_maps: int
    score: float | None
    score_se: float | None
    gap: float | None
    gap_low: float | None
    gap_high: float | None
    p_better: float | None


@dataclass(frozen=True, slots=True)
class RatedUpset:
    """`winner` is rated `gap` below `loser` and took `score` of their points; p-values one-sided, by map."""

    winner: str
    loser: str
    score: float
    gap: float
    n_games: float
    n_maps: int
    p_value: float | None
    p_holm: float | None
    is_certain: bool


@dataclass(frozen=True, slots=True)
class RatedTriangle:
    """Three bots that beat each other round more than ratings allow; `scores` of each against the next."""

    bots: tuple[str, str, str]
    scores: tuple[float, float, float]
    curl: float
    is_circle: bool
    p_value: float | None
    p_holm: float | None


@dataclass(frozen=True, slots=True)
class Circles:
    """Whether one rating a bot explains the table: the test, the share of circularity, the strongest triangles."""

    state: str
    words: str
    method: str | None
    statistic: float | None
    dof: int
    n_maps: int
    p_value: float | None
    cyclic_share: float | None
    triangles: tuple[RatedTriangle, ...]


@dataclass(frozen=True, slots=True)
class Seat:
    """The first seat's score over all games with its interval over maps, and its worth in Elo if it was fitted."""

    state: str
    score: float | None
    low: float | None
    high: float | None
    elo: float | None
    elo_se: float | None


@dataclass(frozen=True, slots=True)
class FieldSeat:
    """One seat in games of `n_seats` > 2: its mean share of opponents beaten; ½ is a fair seat. Seats count from 0."""

    n_seats: int
    seat: int
    state: str
    score: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Twins:
    """Gaps between exact copies: what chance alone does to a rating here."""

    names: tuple[tuple[str, ...], ...]
    state: str
    words: str
    gap_sd: float | None
    expected_sd: float | None
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None


@dataclass(frozen=True, slots=True)
class Source:
    """One file or run that was read: what its games are grouped by, and how many were left out."""

    path: str
    kind: str
    unit: str
    n_games: int
    n_unfinished: int


@dataclass(frozen=True, slots=True)
class Ratings:
    """Everything of one `harness rate`."""

    schema: int
    sources: tuple[Source, ...]
    method: str
    state: str
    basis: ErrorBasis
    confidence: float
    n_games: float
    n_maps: int | None
    maps_are_merged: bool
    n_skipped: int
    n_repeated: int
    repeats_are_exact: bool
    bots: tuple[RatedBot, ...]
    pairs: tuple[RatedPair, ...]
    seat: Seat
    field_seats: tuple[FieldSeat, ...]
    circles: Circles
    upsets: tuple[RatedUpset, ...]
    twins: Twins | None
    notes: tuple[Note, ...]
