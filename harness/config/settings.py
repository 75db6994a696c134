"""What a config says, as frozen dataclasses: the form in which the rest of the program sees it.

Standard library only, so that `plan` and workers can import it without pydantic. Reading is `load`'s job.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from harness.config.policy import GateSettings
from harness.records import Adjudication, BotSpec, RefereeSpec, RulesSpec, Scoring, TimeControl


class ScheduleType(StrEnum):
    """Who meets whom."""

    GAUNTLET = "gauntlet"
    ROUND_ROBIN = "round_robin"
    MIXED = "mixed"


class Seats(StrEnum):
    """In which seatings a lineup plays each map."""

    BOTH = "both"
    ROTATIONS = "rotations"
    BALANCED = "balanced"
    CIRCULAR = "circular"
    PERMUTATIONS = "permutations"
    FIXED = "fixed"


class Pin(StrEnum):
    """Whether a worker and its bots are bound to one core."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Schedule:
    """Who meets whom. A gauntlet has a candidate and its opponents; a round robin has `bots` only.

    Mixed lineups are drawn from `bots`, with the `candidate` in each of them if there is one (it is not among `bots`);
    `lineups_per_map` of them play each map, None for as many as seat every bot once at most.

    Names of bots, in the order in which they are to play; bots that were skipped are already gone.
    """

    type: ScheduleType
    bots: tuple[str, ...] = ()
    candidate: str | None = None
    opponents: tuple[str, ...] = ()
    lineups_per_map: int | None = None


LISTED = "listed"
"""The split of seeds that a config lists itself: none of a ledger's."""


@dataclass(frozen=True, slots=True)
class MapsSpec:
    """Which maps: `count` seeds of a split of a ledger, its first ones, or from `first` on as the ledger gave them.

    Without a ledger they are `seeds`, `count` of them, and the split is LISTED.
    """

    ledger: Path | None
    split: str
    count: int
    first: int | None = None
    seeds: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class StopAfter:
    """When a bot counts as broken, so that the run halts. None switches a test off.

    Its first `first_forfeits` games in a row are forfeits; or, after `after_games` games, more than
    `forfeit_share` of all its games are.
    """

    first_forfeits: int | None = 5
    forfeit_share: float | None = 0.2
    after_games: int = 50


@dataclass(frozen=True, slots=True)
class Build:
    """How a bot is built: an argv whose first word is resolved, run in `folder`.

    Its source files are those of `folder` that `fingerprint.source_files` names. `outputs` are patterns, relative to
    `folder`, of what it makes.
    """

    command: tuple[str, ...]
    folder: Path
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BotSource:
    """Where a bot comes from: what its fingerprint covers and how it is built.

    `words` is the command as written, before placeholders and paths are resolved, so that a fingerprint does not
    depend on where a folder lies. `env` is as written too: `${NAME}` stands for a value that is shown nowhere.
    `folder` is the bot's own folder, None for an engine that has none. `base` is what its paths are relative to.
    """

    name: str
    words: tuple[str, ...]
    base: Path
    folder: Path | None = None
    files: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    build: Build | None = None


@dataclass(frozen=True, slots=True)
class RefereeProgram:
    """A referee that is a program: what workers need of it, and it as a bot, for its build and its fingerprint."""

    spec: RefereeSpec
    bot: BotSpec
    source: BotSource


@dataclass(frozen=True, slots=True)
class SkippedBot:
    """A bot of the config that does not play, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Config:
    """A whole config. `bots` and `sources` have the same order, as written; paths are absolute but for `path`.

    `path` is the file as the user named it, for messages. `workers` is None for "auto".
    Bots whose `needs` this machine has not are in `skipped` and nowhere else. With a `gate` schedule and maps are those
    of its first stage; each stage is a config of its own. With a `referee` `rules` says nothing, and `time` only
    in old mode. `scoring` is that of a score contest, None elsewhere.
    """

    name: str
    path: Path
    folder: Path
    results: Path
    bots: tuple[BotSpec, ...]
    sources: tuple[BotSource, ...]
    skipped: tuple[SkippedBot, ...]
    rules: RulesSpec
    time: TimeControl
    adjudication: Adjudication
    schedule: Schedule
    maps: MapsSpec
    seats: Seats
    workers: int | None
    transcripts: bool
    stop_after: StopAfter
    pin: Pin
    gate: GateSettings | None
    locator: Callable[..., str] = field(repr=False, compare=False)
    scoring: Scoring | None = None
    referee: RefereeProgram | None = None

    @property
    def builds(self) -> Mapping[str, Build | None]:
        """How each bot is built, by name; None for those that are not."""
        return {source.name: source.build for source in self.sources}

    def source(self, name: str) -> BotSource:
        """Give the source of a bot. Raises KeyError for an unknown name."""
        for source in self.sources:
            if source.name == name:
                return source
        raise KeyError(name)

    def locate(self, *keys: str | int) -> str:
        """Give `file:line` where a key is written, or the closest key above it."""
        return self.locator(*keys)
