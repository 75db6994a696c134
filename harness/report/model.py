"""What a run's records say, as plain frozen data: the one source of every table, sentence and export.

Names carry units. Scores are shares in [0, 1], from the side of `bot` where there are two. A value that does not exist
is None, with a state that says why. `build` in `summary` makes it, `export` writes it as JSON.
Must hold no text made for people and do no arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from harness.records import FaultKind
from harness.report.score_model import ScoreSummary
from harness.stats.elo import EloInterval
from harness.stats.intervals import IntervalMethod, IntervalState

SUMMARY_SCHEMA = 1
CONFIDENCE = 0.95
"""The level of every interval in a summary."""


class Shape(StrEnum):
    """Who met whom."""

    EMPTY = "empty"  # nothing played
    SINGLE = "single"  # each bot alone: a score contest
    GAUNTLET = "gauntlet"  # one candidate in every lineup, in its first place
    ROUND_ROBIN = "round robin"  # anything else


class RunState(StrEnum):
    """How far the run is. Only DONE shows plain intervals; the others show always-valid bands."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    HALTED = "halted"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class HaltFacts:
    """Why a run halted: `reason` ends the sentence "The run stopped: …"; the rest may be None."""

    reason: str
    evidence: str | None = None
    log: str | None = None


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What the records cannot say of their own run.

    `planned` counts maps. `results` names the folder or file of the records and `again` the command that goes
    on or repeats; both are shown as given. `fingerprints` are (bot, digest). `candidate` is the gauntlet's
    candidate when the plan is known, "" if it has none; None leaves the shape to the records.
    """

    name: str
    state: RunState = RunState.DONE
    planned: int | None = None
    results: str | None = None
    again: str | None = None
    halt: HaltFacts | None = None
    fingerprints: tuple[tuple[str, str], ...] = ()
    candidate: str | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean score over maps with its interval; `n_units` independent units went into it.

    A unit is a map; where one bot meets several on the same map it is the map with all of these meetings.
    `band_low`, `band_high` and `band_elo` are the always-valid band, None where there is none.
    """

    n_maps: int
    n_units: int
    score: float | None
    low: float
    high: float
    sd: float | None
    method: IntervalMethod
    state: IntervalState
    elo: EloInterval
    band_low: float | None = None
    band_high: float | None = None
    band_elo: EloInterval | None = None

    @property
    def side(self) -> int:
        """Say on which side of an even score the interval lies: 1 above, −1 below, 0 not separated."""
        return side_of(self.low, self.high)

    @property
    def band_side(self) -> int:
        """Say the same of the always-valid band; 0 without one."""
        if self.band_low is None or self.band_high is None:
            return 0
        return side_of(self.band_low, self.band_high)


def side_of(low: float, high: float) -> int:
    """Say on which side of ½ an interval lies: 1, −1, or 0 if it contains ½."""
    return 1 if low > 0.5 else -1 if high < 0.5 else 0


@dataclass(frozen=True, slots=True)
class Forfeits:
    """Games lost through a bot's own fault, by kind."""

    timeout: int = 0
    crash: int = 0
    illegal: int = 0
    ruled: int = 0

    @property
    def total(self) -> int:
        """Count all kinds."""
        return self.timeout + self.crash + self.illegal + self.ruled

    def by_kind(self) -> tuple[tuple[FaultKind, int], ...]:
        """Give the kinds that occurred, most frequent first."""
        kinds = (
            (FaultKind.TIMEOUT, self.timeout),
            (FaultKind.CRASH, self.crash),
            (FaultKind.ILLEGAL, self.illegal),
            (FaultKind.RULED, self.ruled),
        )
        return tuple(sorted((kind for kind in kinds if kind[1]), key=lambda kind: -kind[1]))


@dataclass(frozen=True, slots=True)
class Comparison:
    """One bot against one opponent, or against all of them (`opponent` is None).

    `wins`, `draws`, `losses` count games; with more than two seats they count meetings of the two in a game.
    `points` of `n_games` games give the Wilson interval, for reference: it treats games as independent, which
    the two games of a map are not. `z` is (wins − losses)/√(wins + losses), None without decided games.
    `penta` counts two-game map scores 0, ½, 1, 1½, 2 and is None where maps have other scores.
    `mirrored_maps` are those whose two games are the same with the seats swapped. `side` is where the plain
    interval lies, `side_corrected` what remains of it after Holm's correction for all comparisons of the run.
    """

    bot: str
    opponent: str | None
    estimate: Estimate
    n_games: int
    points: float
    wins: int
    draws: int
    losses: int
    maps_won: int
    maps_split: int
    maps_lost: int
    per_game_low: float
    per_game_high: float
    z: float | None
    penta: tuple[int, int, int, int, int] | None
    mirrored_maps: int
    repeated_games: int
    voids: int
    bot_forfeits: Forfeits
    opponent_forfeits: Forfeits
    side: int
    side_corrected: int


@dataclass(frozen=True, slots=True)
class PlyTime:
    """How long a bot thought per ply, as the referee's clock saw it. Median and p99 are good to 6 %."""

    n_plies: int
    median_s: float | None
    p99_s: float | None
    max_s: float | None
    total_s: float


@dataclass(frozen=True, slots=True)
class BotSummary:
    """One bot over all of its games. `estimate` is its share of opponents beaten, whoever they were."""

    name: str
    n_maps: int
    n_games: int
    estimate: Estimate
    ply_time: PlyTime
    forfeits: Forfeits
    cpu_s: float | None
    starved_s: float | None
    max_rss_mb: float | None
    in_process: bool


@dataclass(frozen=True, slots=True)
class Lead:
    """Who scored most in a round robin, and who may be as strong.

    `level` are the bots whose difference from `bot` holds 0, best first, after correction for all
    `n_comparisons` pairs (the leader was picked by its result); `ahead_of` are the others. `margin` is the
    difference in score to the second, with its interval at the plain level.
    """

    bot: str
    ahead_of: tuple[str, ...]
    level: tuple[str, ...]
    second: str
    margin: float
    margin_low: float
    margin_high: float
    n_comparisons: int


@dataclass(frozen=True, slots=True)
class ForfeitNote:
    """One forfeit, for looking at: where it is recorded and what was said."""

    job: int
    game: int
    bot: str
    opponents: tuple[str, ...]
    kind: FaultKind
    ply: int
    detail: str


@dataclass(frozen=True, slots=True)
class Repeats:
    """Games whose moves are those of another map's game by the same bots.

    `n_games` counts the games of one map that are alike (mirrored ones) once and leaves out those without a
    move; of these `n_repeated` were played before. `is_exact` is False when more distinct games were played
    than are remembered: then `n_repeated` is a lower bound.
    """

    n_repeated: int
    n_games: int
    is_exact: bool


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything that tables, sentences and exports show of a run.

    `comparisons` are candidate against opponent in a gauntlet and every pair in a round robin, best score first.
    `overall` is the gauntlet's candidate against all opponents, None elsewhere. `seats` and
    `games_per_map` are 0 where lineups differ in them. `busy_s` is wall time without pauses between sessions.
    `scores` are the numbers of a score contest, None elsewhere. `seat_luck` is what each seat scored, whoever sat
    there, with more than two seats; empty elsewhere. `n_unpaired` are the maps whose games were not on
    one map.
    """

    schema: int
    run: RunFacts
    shape: Shape
    candidate: str | None
    stages: tuple[str, ...]
    splits: tuple[str, ...]
    seats: int
    games_per_map: int
    n_maps: int
    n_games: int
    n_plies: int
    n_voids: int
    busy_s: float
    games_per_s: float | None
    bots: tuple[BotSummary, ...]
    comparisons: tuple[Comparison, ...]
    overall: Comparison | None
    lead: Lead | None
    first_seat: Estimate | None
    repeats: Repeats
    first_forfeits: tuple[ForfeitNote, ...]
    scores: ScoreSummary | None = None
    seat_luck: tuple[Estimate, ...] = ()
    n_unpaired: int = 0

    @property
    def is_final(self) -> bool:
        """Say whether plain intervals may be shown: the run is over, by plan."""
        return self.run.state is RunState.DONE and (self.run.planned is None or self.n_maps >= self.run.planned)

    def bot(self, name: str) -> BotSummary:
        """Give a bot by name. Raises KeyError."""
        for bot in self.bots:
            if bot.name == name:
                return bot
        raise KeyError(name)
