"""What a gate demands, as gates and reports speak of it: defined in `config.policy`, which makes it from a file."""

from harness.config.policy import (
    Budget,
    DuelStage,
    GateSettings,
    LowerBoundRule,
    PanelStage,
    Policy,
    Rule,
    ScoreRule,
    SprtRule,
    SprtUnit,
    Stage,
    StageKind,
)

__all__ = [
    "Budget",
    "DuelStage",
    "GateSettings",
    "LowerBoundRule",
    "PanelStage",
    "Policy",
    "Rule",
    "ScoreRule",
    "SprtRule",
    "SprtUnit",
    "Stage",
    "StageKind",
]
