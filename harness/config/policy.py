"""What a gate demands of a candidate, stage by stage, as frozen dataclasses: what is played, what passes.

Standard library only. Says what must hold, never whether it does: that is `gates`. Reading is `load`'s job; a program
may make these itself. Every interval that a rule speaks of is two-sided: a rule about one end errs in half the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class StageKind(StrEnum):
    """The stages of a gate, in the order in which they are played."""

    SCREEN = "screen"  # cheap, drops losers
    CONFIRM = "confirm"  # longer, on maps that the candidate was not selected on
    PANEL = "panel"  # candidate and champion against the same bots on the same maps
    FINAL = "final"  # on test seeds, committed to before the first game


class SprtUnit(StrEnum):
    """The unit of a sequential test's bounds; a bound without one cannot be written."""

    ELO = "elo"
    NELO = "nelo"


class Budget(StrEnum):
    """How the error rate is kept over several candidates."""

    NONE = "none"  # each candidate has the whole rate
    EQUAL = "equal"  # the rate is shared equally among the candidates of the config
    SPENDING = "spending"  # the k-th of a lineage gets 6/(π²k²) of it: any false promotion at all
    LORD = "lord"  # LORD++ over a lineage: the share of false ones among the promotions


@dataclass(frozen=True, slots=True)
class ScoreRule:
    """Passed with a mean map score of `score` or more over all maps. States no error rate."""

    score: float

    def __post_init__(self) -> None:
        _check_between("score", self.score, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class SprtRule:
    """The sequential test of `low` against `high`, in `unit`, with error rates `alpha` and `beta`."""

    unit: SprtUnit
    low: float
    high: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        _check_between("alpha", self.alpha, 0.0, 1.0)
        _check_between("beta", self.beta, 0.0, 1.0)
        if not self.low < self.high:
            raise ValueError(f"{self.unit}0 is {self.low!r} and {self.unit}1 is {self.high!r}; the first must be lower")
        if self.alpha + self.beta >= 1.0:
            raise ValueError(f"alpha + beta is {self.alpha + self.beta!r}; their sum must stay below 1")


@dataclass(frozen=True, slots=True)
class LowerBoundRule:
    """Passed when the lower end of the interval over all maps lies above the score `lower_bound`."""

    lower_bound: float
    confidence: float = 0.95

    def __post_init__(self) -> None:
        _check_between("lower_bound", self.lower_bound, 0.0, 1.0)
        _check_between("confidence", self.confidence, 0.0, 1.0)

    @property
    def alpha(self) -> float:
        """How often a candidate that is exactly at the bound passes, at most."""
        return 0.5 * (1.0 - self.confidence)


Rule = ScoreRule | SprtRule | LowerBoundRule


@dataclass(frozen=True, slots=True)
class DuelStage:
    """Candidate against champion on `n_maps` maps of a split; with a sequential rule that is the most it may take.

    `futility`: a fixed stage is given up once a candidate that truly stands where the rule asks for would reach what
    is still missing with less than this probability. 0 gives up only what cannot be reached at all.
    """

    kind: StageKind
    split: str
    n_maps: int
    rule: Rule
    futility: float = 0.0

    def __post_init__(self) -> None:
        _check_maps(self.n_maps)
        if self.kind is StageKind.PANEL:
            raise ValueError("a panel stage is a PanelStage")
        if not 0.0 <= self.futility < 0.5:
            raise ValueError(f"futility is {self.futility!r}; allowed is a number from 0 to below 0.5")
        if self.futility and isinstance(self.rule, SprtRule):
            raise ValueError("a sequential test gives up at its lower limit; it takes no futility")

    @property
    def is_sequential(self) -> bool:
        """Say whether the number of maps follows from the results."""
        return isinstance(self.rule, SprtRule)


@dataclass(frozen=True, slots=True)
class PanelStage:
    """Candidate and champion each against all of `bots` on the same `n_maps` maps.

    Passed when the candidate's mean score against the whole panel is shown to be less than `margin` below the
    champion's, and no member of the panel is one that it does shown worse against.
    """

    bots: tuple[str, ...]
    split: str
    n_maps: int
    margin: float
    confidence: float = 0.95

    def __post_init__(self) -> None:
        _check_maps(self.n_maps)
        _check_between("margin", self.margin, 0.0, 0.5)
        _check_between("confidence", self.confidence, 0.0, 1.0)
        if not self.bots or len(set(self.bots)) != len(self.bots):
            raise ValueError(f"bots is {self.bots!r}; a panel has one bot or more, each once")

    @property
    def kind(self) -> StageKind:
        """Give the stage's name."""
        return StageKind.PANEL


Stage = DuelStage | PanelStage


@dataclass(frozen=True, slots=True)
class Policy:
    """The stages of a gate, in order, each on maps of its own. All must be passed."""

    stages: tuple[Stage, ...]

    def __post_init__(self) -> None:
        kinds = [stage.kind for stage in self.stages]
        order = [kind for kind in StageKind if kind in kinds]
        if kinds != order:
            raise ValueError(f"stages are {', '.join(kinds) or 'none'}; allowed is each once, as {', '.join(order)}")
        if not any(isinstance(stage, DuelStage) for stage in self.stages):
            raise ValueError("no stage meets the champion; a gate has a screen, a confirm or a final stage")

    def stage(self, kind: StageKind) -> Stage | None:
        """Give a stage by name; None if this gate has none."""
        return next((stage for stage in self.stages if stage.kind is kind), None)


LINEAGE = "lineage/"
"""How a champion begins that is the current one of a lineage, not a bot of the file."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """A config's gate: who is judged, against whom, by what.

    `champion` is a bot's name, or LINEAGE with a lineage's name behind it. `lineage` is the series that selections and
    the budget count over; `champions` the folder of lineages, absolute.
    """

    candidates: tuple[str, ...]
    champion: str
    lineage: str
    champions: Path
    budget: Budget
    policy: Policy

    @property
    def champion_lineage(self) -> str | None:
        """Give the lineage whose champion is to be beaten; None if the champion is a bot of the file."""
        return self.champion.removeprefix(LINEAGE) if self.champion.startswith(LINEAGE) else None


def _check_between(name: str, value: float, low: float, high: float) -> None:
    if not low < value < high:
        raise ValueError(f"{name} is {value!r}; allowed is a number above {low:g} and below {high:g}")


def _check_maps(n_maps: int) -> None:
    if n_maps < 1:
        raise ValueError(f"n_maps is {n_maps!r}; allowed is a whole number, 1 or more")
