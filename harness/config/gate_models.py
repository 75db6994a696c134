"""The keys of a config's `gate`, as pydantic models: stages, rules, the panel.

Checks single values and what one mapping can know of itself; names of bots are `gate`'s to check.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from harness.config.section import Name, Positive, Section, Text, problem

Share = Annotated[float, Field(gt=0, lt=1)]


class SprtSection(Section):
    """A sequential test: stops as soon as it knows which of two strengths fits. Bounds in exactly one unit."""

    nelo0: float | None = Field(default=None, description="No better than this, in normalized Elo.")
    nelo1: float | None = Field(default=None, description="As good as this, in normalized Elo.")
    elo0: float | None = Field(default=None, description="No better than this, in logistic Elo.")
    elo1: float | None = Field(default=None, description="As good as this, in logistic Elo.")
    alpha: Share = Field(default=0.05, description="How often a candidate at the lower bound passes.")
    beta: Share = Field(default=0.05, description="How often a candidate at the upper bound fails.")

    @model_validator(mode="after")
    def check_bounds(self) -> SprtSection:
        """Ask for both bounds of one unit, the lower one first."""
        given = [key for key in ("nelo0", "nelo1", "elo0", "elo1") if getattr(self, key) is not None]
        if given not in (["nelo0", "nelo1"], ["elo0", "elo1"]):
            raise problem(
                "a sequential test has two bounds in one unit",
                key=given[-1] if len(given) > 1 else None,
                allowed="nelo0 and nelo1, or elo0 and elo1",
                next_step="write for example `{nelo0: 0, nelo1: 10}`",
            )
        low, high = (getattr(self, key) for key in given)
        if not low < high:
            raise problem("it must be above the other bound", key=given[1], allowed=f"more than {low:g}")
        if self.alpha + self.beta >= 1.0:
            raise problem("with `alpha` it leaves no room for a decision", key="beta", allowed="a sum below 1")
        return self


class PassSection(Section):
    """What passes a stage: exactly one of `score`, `sprt` and `lower_bound`."""

    score: Share | None = Field(
        default=None, description="The mean map score over all maps is this or more. States no error rate."
    )
    sprt: SprtSection | None = Field(default=None, description="A sequential test; see [sprt](#sprt).")
    max_maps: Positive | None = Field(
        default=None, description="With `sprt`: undecided after so many maps. The ledger must have as many."
    )
    lower_bound: Share | None = Field(
        default=None, description="The lower end of the two-sided interval over all maps is above this score."
    )
    confidence: Share | None = Field(default=None, description="With `lower_bound`: level of the interval (0.95).")

    @model_validator(mode="after")
    def check_one(self) -> PassSection:
        """Ask for exactly one rule, and for no key that would have no effect."""
        given = [key for key in ("score", "sprt", "lower_bound") if getattr(self, key) is not None]
        if len(given) != 1:
            raise problem(
                "exactly one rule says what passes",
                key=given[1] if given else None,
                allowed="score, sprt or lower_bound",
                next_step="keep one of them" if given else "write for example `{score: 0.52}`",
            )
        if (self.sprt is None) != (self.max_maps is None):
            if self.sprt is None:
                raise problem("it has no effect without `sprt`", key="max_maps", next_step="use the stage's `maps`")
            raise problem("it is missing", key="max_maps", next_step="say after how many maps it is undecided")
        if self.confidence is not None and self.lower_bound is None:
            raise problem("it has no effect without `lower_bound`", key="confidence", next_step="remove it")
        return self


class DuelSection(Section):
    """`screen`, `confirm` or `final`: the candidate against the champion, on maps of the stage's own."""

    split: Literal["train", "validation", "test"] = Field(
        description="The range of the ledger. `test` is for `final` alone, which takes no other."
    )
    maps: Positive | None = Field(default=None, description="How many maps; with `sprt` it is `max_maps` that counts.")
    passes: PassSection = Field(alias="pass", description="What passes; see [pass](#pass).")
    futility: Annotated[float, Field(ge=0, lt=0.5)] = Field(
        default=0.0,
        description="A stage with a fixed number of maps is given up once a candidate that truly stands where `pass` "
        "asks for would reach what is missing with less than this probability. 0: once it cannot be reached at all.",
    )

    @model_validator(mode="after")
    def check_length(self) -> DuelSection:
        """Ask for a length, once."""
        if self.passes.sprt is None and self.maps is None:
            raise problem("it is missing", key="maps", next_step="say how many maps are played")
        if self.passes.sprt is not None:
            for key, value in (("maps", self.maps), ("futility", self.futility or None)):
                if value is not None:
                    step = "write `max_maps` beside `sprt`" if key == "maps" else "a sequential test gives up by itself"
                    raise problem("it has no effect with `sprt`", key=key, next_step=step)
        return self


class PanelSection(Section):
    """Candidate and champion against the same bots on the same maps: a guard against getting worse elsewhere.

    Passed when the candidate's score against the whole panel is shown to be no further below the champion's than
    `no_worse_than`, and against no member it is shown to be worse (and measured to be worse by more than that).
    """

    bots: Annotated[list[Text], Field(min_length=1)] = Field(description="The panel: bots of this file.")
    split: Literal["train", "validation"] = Field(description="The range of the ledger.")
    maps: Positive = Field(description="How many maps each meeting is played on.")
    no_worse_than: Annotated[float, Field(gt=-0.5, lt=0)] = Field(
        description="The largest loss of score that does not matter, as −0.03 for three points."
    )
    confidence: Share = Field(default=0.95, description="Level of the two-sided intervals.")


class GateSection(Section):
    """Whether a candidate becomes champion: stages in order, each on maps of its own, all to be passed.

    `harness gate oc CONFIG` says beforehand how often such a policy promotes; docs/gate.md explains it.
    """

    candidate: Text | None = Field(default=None, description="The bot that is judged.")
    candidates: Annotated[list[Text], Field(min_length=1)] | None = Field(
        default=None, description="Several, judged in this order; in place of `candidate`."
    )
    champion: Text = Field(
        description="The bot to beat: one of this file, or `lineage/NAME` for the present champion of a lineage."
    )
    lineage: Name | None = Field(
        default=None,
        description="The series of candidates that uses of the same maps and `budget` count over. Default: that of "
        "`champion`, else the config's name.",
    )
    champions: Text | None = Field(
        default=None, description="The folder of lineages. Default: `champions` in `results`."
    )
    budget: Literal["none", "equal", "spending", "lord"] = Field(
        default="none",
        description="How the error rate of the last stage that states one is kept over several candidates. `equal`: "
        "shared among those of this config. `spending`: the k-th of the lineage gets 6/(π²k²) of it. `lord`: LORD++ "
        "over the lineage.",
    )
    screen: DuelSection | None = Field(default=None, description="Cheap, drops losers; see [stage](#stage).")
    confirm: DuelSection | None = Field(default=None, description="On maps the candidate was not selected on.")
    panel: PanelSection | None = Field(default=None, description="See [panel](#panel).")
    final: DuelSection | None = Field(
        default=None, description="On test seeds, registered before the first game and spent for ever."
    )

    @model_validator(mode="after")
    def check_stages(self) -> GateSection:
        """Ask for candidates once, for a stage against the champion, and for each split in its place."""
        if (self.candidate is None) == (self.candidates is None):
            raise problem(
                "a gate has `candidate` or `candidates`",
                key="candidates" if self.candidate is not None else None,
                next_step="keep one of the two" if self.candidate is not None else "add `candidate`",
            )
        duels = {"screen": self.screen, "confirm": self.confirm, "final": self.final}
        if not any(duels.values()):
            raise problem(
                "no stage meets the champion", allowed="screen, confirm, final", next_step="add at least one of them"
            )
        for name, stage in duels.items():
            if stage is not None and (stage.split == "test") != (name == "final"):
                raise problem(
                    "test seeds are for the final stage, and it is for them",
                    key=f"{name}.split",
                    allowed="test" if name == "final" else "train or validation",
                )
        return self
