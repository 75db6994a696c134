"""What a gate came to, in words; and its artefacts: nothing that a parser or a person trips over.

A line over 500: the gates that are made at the top serve every test below.
"""

import json
import math
import random
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from harness.errors import ExitCode
from harness.gates.budget import Level
from harness.gates.decide import Reason, StageDecision, StageJudge, StageState
from harness.gates.lies import Finding, Lie
from harness.gates.outcome import (
    BotForfeits,
    Corrected,
    GateOutcome,
    GateState,
    StageOutcome,
    corrected_estimate,
    state_after,
)
from harness.gates.panel import compare_panel
from harness.gates.policy import (
    Budget,
    DuelStage,
    LowerBoundRule,
    PanelStage,
    Rule,
    ScoreRule,
    SprtRule,
    SprtUnit,
    StageKind,
)
from harness.report.gate_files import (
    MARK,
    gate_annotations,
    gate_data,
    gate_json,
    gate_junit,
    gate_markdown,
    github_line,
)
from harness.report.gated import caveats, judge_gate, stage_words
from harness.report.model import RunFacts, Summary
from harness.report.outcome import Outcome
from harness.report.summary import SummaryBuilder
from harness.stats.elo import Elo, EloState
from tests.report.made_records import mirrored, penta_maps
from tests.report.measured import measured

NB = "\u202f"
LEVEL = Level(Budget.NONE, 1, 0.05, 0.05)


def duel(
    rule: Rule, cells: tuple[int, ...], *, n_maps: int | None = None, kind: StageKind, seed: int = 1
) -> StageOutcome:
    """A stage on made-up maps: so many scored 0, ¼, ½, ¾, 1, in an order from the seed."""
    scores = [index / 4 for index, count in enumerate(cells) for _ in range(count)]
    random.Random(seed).shuffle(scores)
    stage = DuelStage(kind, "train" if kind is StageKind.SCREEN else "validation", n_maps or len(scores), rule)
    judge = StageJudge(stage, 2)
    for score in scores:
        if judge.decision.state is StageState.OPEN:
            judge.add(score)
    assert judge.decision.state is not StageState.OPEN
    interval = judge.interval()
    return StageOutcome(
        stage=stage,
        first_seed=1,
        last_seed=stage.n_maps,
        n_selections=0,
        spent="",
        n_maps=judge.decision.n_maps,
        n_beyond=0,
        n_voids=0,
        n_forfeit_maps=0,
        busy_s=1.5,
        decision=judge.decision,
        interval=interval,
        corrected=corrected_estimate(stage, judge.tally, interval, 2),
    )


def panel(chances: tuple[float, float], champion: tuple[float, float], n_maps: int = 300) -> StageOutcome:
    stage = PanelStage(("old", "older"), "validation", n_maps, 0.05)
    rng = random.Random(3)

    def play(p: tuple[float, float]) -> dict[str, dict[int, float]]:
        return {
            bot: {5000 + n: sum(rng.random() < chance for _ in range(2)) / 2 for n in range(n_maps)}
            for bot, chance in zip(stage.bots, p, strict=True)
        }

    result = compare_panel(stage, play(chances), play(champion))
    return StageOutcome(stage, 5000, 5000 + n_maps - 1, 0, "", n_maps, 0, 0, 0, 2.0, panel=result)


def gate(*stages: StageOutcome, **more: Any) -> GateOutcome:
    state = state_after(stages) if stages else None
    return GateOutcome(
        **{
            "run": "nightly",
            "lineage": "main",
            "candidate": "cand-7",
            "champion": "champ-6",
            "candidate_fingerprint": "aa" * 16,
            "champion_fingerprint": "bb" * 16,
            "state": state or GateState.PROMOTED,
            "at": stages[-1].stage.kind if state else None,
            "stages": stages,
            "level": LEVEL,
            **more,
        }
    )


def summary(cells: tuple[int, ...] = (10, 20, 30, 40, 30)) -> Summary:
    builder = SummaryBuilder()
    for record in penta_maps(("cand-7", "champ-6"), cells):
        builder.add(record)
    return builder.build(RunFacts(name="final"))


STAGES = (
    DuelStage(StageKind.SCREEN, "train", 100, ScoreRule(0.52)),
    DuelStage(StageKind.CONFIRM, "validation", 400, SprtRule(SprtUnit.NELO, 0, 60)),
    PanelStage(("old", "older"), "validation", 300, 0.05),
    DuelStage(StageKind.FINAL, "test", 1200, LowerBoundRule(0.5)),
)
SCREENED = duel(ScoreRule(0.52), (5, 10, 30, 35, 20), kind=StageKind.SCREEN)
SPRT = SprtRule(SprtUnit.NELO, 0, 60)
CONFIRMED = duel(SPRT, (10, 30, 80, 120, 60), n_maps=400, kind=StageKind.CONFIRM)


def test_promoted_by_an_interval() -> None:
    last = duel(LowerBoundRule(0.5), (30, 90, 150, 140, 90), kind=StageKind.FINAL)
    verdict = judge_gate(gate(SCREENED, last), summary((30, 90, 150, 140, 90)))
    assert verdict.outcome is Outcome.PROMOTED
    assert verdict.exit_code is ExitCode.DONE
    assert verdict.headline.startswith("cand-7 is better than champ-6 by ")
    assert "over 500 fresh maps" in verdict.detail
    assert "Elo, corrected for having had to pass. It scored " in verdict.detail


def test_promoted_by_a_sequential_test_shows_no_plain_estimate() -> None:
    verdict = judge_gate(gate(SCREENED, CONFIRMED), summary())
    assert verdict.headline == "cand-7 is better than champ-6."
    assert verdict.detail.startswith("LLR +")
    assert "crossed +2.94 after" in verdict.detail
    assert "Corrected for the early stop the estimate is +" in verdict.detail
    assert "Score" not in verdict.detail


# the numbers of the sentences that reports are designed by: 1 200 maps, an interval of fixed size
FINAL = DuelStage(StageKind.FINAL, "test", 1200, LowerBoundRule(0.5))


def ended(low: float, middle: float, high: float, state: StageState, stage: DuelStage = FINAL) -> StageOutcome:
    """A stage that read all its maps and came to these Elo, corrected if it was passed."""
    elos = [Elo(value, EloState.FINITE) for value in (middle, low, high)]
    return replace(
        CONFIRMED,
        stage=stage,
        n_maps=stage.n_maps,
        decision=StageDecision(state, Reason.LOWER_BOUND, stage.n_maps, 0.5),
        corrected=Corrected(elos[0], elos[1], elos[2], 0.95) if state is StageState.PASSED else None,
    )


def dropped_screen() -> StageOutcome:
    stage = DuelStage(StageKind.SCREEN, "train", 2000, SprtRule(SprtUnit.ELO, 0, 10))
    decision = StageDecision(StageState.FAILED, Reason.LLR, 412, 0.49, -2.961, -2.944, 2.944)
    return replace(CONFIRMED, stage=stage, n_maps=412, decision=decision, corrected=None)


GOLDEN: dict[str, tuple[tuple[StageOutcome, ...], Summary, str, str, str, ExitCode]] = {
    "better": (
        (ended(14.1, 27.2, 40.8, StageState.PASSED),),
        measured(27.2, 14.1, 40.8),
        "▲ PROMOTED",
        "cand-7 is better than champ-6 by 27 Elo.",
        (
            "95 % interval +14 to +41 Elo, corrected for having had to pass. It scored 53.9 % over 1 200 fresh maps, "
            "each played from both seats. The interval counts maps, not games."
        ),
        ExitCode.DONE,
    ),
    "no evidence": (
        (ended(-9.0, 4.0, 17.0, StageState.FAILED),),
        measured(4.0, -9.0, 17.0, sd=0.331),
        "● NOT PROMOTED",
        "No evidence that cand-7 is better than champ-6.",
        (
            "Estimate +4 Elo, 95 % interval −9 to +17 Elo over 1 200 fresh maps. A gain of 17 Elo or a loss of 9 Elo "
            "both fit the data. Telling +4 from 0 would take about 26 000 maps."
        ),
        ExitCode.NOT_PASSED,
    ),
    "worse": (
        (ended(-35.0, -22.0, -9.0, StageState.FAILED),),
        measured(-22.0, -35.0, -9.0),
        "▼ REJECTED",
        "cand-7 is worse than champ-6 by 22 Elo.",
        "95 % interval −35 to −9 Elo. It scored 46.8 % over 1 200 fresh maps, each played from both seats.",
        ExitCode.NOT_PASSED,
    ),
    "dropped at the screen": (
        (dropped_screen(),),
        measured(-5.0, -30.0, 20.0, n_maps=412),
        "▼ DROPPED AT THE SCREEN",
        "cand-7 is unlikely to be 10 Elo better than champ-6.",
        (
            "LLR −2.96 crossed −2.94 after 412 maps. The screen stops early, so it does not measure how large the "
            "difference is. No maps of later stages were spent."
        ),
        ExitCode.NOT_PASSED,
    ),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_the_sentences_word_for_word(name: str) -> None:
    stages, found, tag, headline, detail, code = GOLDEN[name]
    verdict = judge_gate(gate(*stages), found)
    assert f"{verdict.glyph} {verdict.tag}" == tag
    assert verdict.headline.replace(NB, " ") == headline
    assert verdict.detail.replace(NB, " ") == detail
    assert verdict.exit_code is code


def test_held_says_by_how_much_it_is_better_and_who_objects() -> None:
    last = ended(14.1, 27.2, 40.8, StageState.PASSED)
    verdict = judge_gate(gate(last, panel((0.8, 0.4), (0.6, 0.6))), measured(27.2, 14.1, 40.8))
    assert (verdict.tag, verdict.emphasis) == ("HELD", "27 Elo")
    assert verdict.headline == "cand-7 is better than champ-6 by 27 Elo, but loses ground to older."
    assert verdict.detail.replace(NB, " ").startswith("95 % interval +14 to +41 Elo, corrected for having had to pass.")
    assert "Against older it scores −" in verdict.detail


def test_a_bar_that_a_worse_bot_would_clear_names_no_size() -> None:
    verdict = judge_gate(gate(ended(-30.0, -4.0, 20.0, StageState.PASSED)), measured(5.0, -9.0, 17.0))
    assert verdict.headline == "cand-7 is better than champ-6."


def test_a_score_that_was_reached_is_not_called_better() -> None:
    assert judge_gate(gate(SCREENED), summary()).headline == "cand-7 passed every stage against champ-6."


def test_dropped_at_the_screen() -> None:
    screen = duel(ScoreRule(0.52), (20, 35, 30, 10, 5), kind=StageKind.SCREEN)
    verdict = judge_gate(gate(screen), summary((20, 35, 30, 10, 5)))
    assert verdict.exit_code is ExitCode.NOT_PASSED
    assert verdict.outcome in {Outcome.DROPPED, Outcome.REJECTED}
    assert "LLR" not in verdict.detail


def test_no_evidence_and_worse() -> None:
    level = duel(LowerBoundRule(0.5), (20, 50, 60, 50, 20), kind=StageKind.CONFIRM)
    verdict = judge_gate(gate(SCREENED, level), summary((20, 50, 60, 50, 20)))
    assert (verdict.tag, verdict.headline) == ("NOT PROMOTED", "No evidence that cand-7 is better than champ-6.")
    cells = (40, 60, 60, 30, 10)
    worse = duel(LowerBoundRule(0.3), cells, kind=StageKind.CONFIRM)
    worse = replace(worse, decision=replace(worse.decision, state=StageState.FAILED))  # type: ignore[type-var]
    verdict = judge_gate(gate(SCREENED, worse), summary(cells))
    assert verdict.tag == "REJECTED"
    assert verdict.headline.startswith("cand-7 is worse than champ-6 by ")


def test_undecided() -> None:
    stage = duel(SprtRule(SprtUnit.NELO, 0, 1), (2, 5, 6, 5, 2), kind=StageKind.CONFIRM)
    verdict = judge_gate(gate(SCREENED, stage), summary())
    assert verdict.outcome is Outcome.UNDECIDED
    assert verdict.exit_code is ExitCode.NO_VERDICT
    assert "between −2.94 and +2.94 after all 20 fresh maps" in verdict.detail


def test_blocked_by_a_regression_names_bot_and_maps() -> None:
    blocked = gate(SCREENED, CONFIRMED, panel((0.8, 0.4), (0.6, 0.6)))
    verdict = judge_gate(blocked, summary())
    assert blocked.state is GateState.BLOCKED
    assert verdict.tag == "HELD"
    assert verdict.headline == "cand-7 is better than champ-6, but loses ground to older."
    assert "Against older it scores −" in verdict.detail
    assert "Worst on the maps of seeds 50" in verdict.detail
    assert verdict.exit_code is ExitCode.NOT_PASSED


def test_blocked_by_the_whole_panel() -> None:
    stage = panel((0.6, 0.6), (0.6, 0.6))
    assert stage.panel is not None
    lower = replace(stage.panel.pooled, low=-0.04, high=-0.01, difference=-0.025)
    from harness.gates.panel import PanelState

    worse = replace(stage, panel=replace(stage.panel, state=PanelState.REGRESSED, pooled=lower))
    assert "loses ground to the panel as a whole" in judge_gate(gate(CONFIRMED, worse), summary()).headline


def test_not_shown_to_be_no_worse() -> None:
    outcome = gate(CONFIRMED, panel((0.6, 0.6), (0.6, 0.6), n_maps=12))
    assert outcome.state is GateState.NOT_SHOWN
    verdict = judge_gate(outcome, summary())
    assert verdict.headline == "cand-7 is not shown to be as good as champ-6 against the panel."
    assert "allowed is −5 pt" in verdict.detail.replace("\u202f", " ")


def test_circles_are_named() -> None:
    outcome = gate(CONFIRMED, panel((0.8, 0.3), (0.6, 0.7)))
    assert "panel: champ-6 beats older, and older beats cand-7: a circle, not a ranking" in caveats(outcome)


def with_lie(lie: Lie, *, fatal: bool = False, value: float | None = None) -> StageOutcome:
    return replace(SCREENED, lies=(Finding(lie, fatal, 80, 100, value),))


def test_mirrored_maps_leave_no_verdict() -> None:
    builder = SummaryBuilder()
    for record in mirrored(("cand-7", "champ-6"), 100):
        builder.add(record)
    outcome = gate(with_lie(Lie.MIRRORED, fatal=True))
    assert outcome.state is GateState.NO_VERDICT
    verdict = judge_gate(outcome, builder.build(RunFacts(name="x")))
    assert verdict.outcome is Outcome.MIRRORED
    assert "play alike" in verdict.headline
    assert verdict.exit_code is ExitCode.NO_VERDICT


def test_nothing_apart_leaves_no_verdict() -> None:
    verdict = judge_gate(gate(with_lie(Lie.NOTHING_APART, fatal=True)), summary((0, 1, 118, 1, 0)))
    assert verdict.outcome is Outcome.STARVED
    assert "only 2 of 120 maps" in verdict.headline


def test_one_program_is_not_promoted_over_itself() -> None:
    outcome = gate(with_lie(Lie.EQUAL_FINGERPRINTS, fatal=True))
    assert outcome.state is GateState.NO_VERDICT
    verdict = judge_gate(outcome, summary())
    assert verdict.headline == "cand-7 and champ-6 are the same program."
    assert verdict.exit_code is ExitCode.NO_VERDICT
    failed = duel(ScoreRule(0.52), (20, 35, 30, 10, 5), kind=StageKind.SCREEN)
    assert gate(replace(failed, lies=outcome.stages[0].lies)).state is GateState.REJECTED


def test_seeds_used_up() -> None:
    outcome = gate(SCREENED, state=GateState.SEEDS_USED_UP, at=StageKind.FINAL, n_seeds_left=310, n_seeds_needed=1200)
    verdict = judge_gate(outcome, summary())
    assert verdict.headline.replace("\u202f", " ") == "Too few unused maps for the final stage: 310 of 1 200 are left."
    assert verdict.exit_code is ExitCode.NO_VERDICT
    nothing = gate(state=GateState.SEEDS_USED_UP, at=StageKind.SCREEN, n_seeds_left=0, n_seeds_needed=5)
    assert judge_gate(nothing, None).detail.startswith("The screen stage was not started")


@pytest.mark.parametrize("lie", list(Lie))
def test_every_lie_has_its_words(lie: Lie) -> None:
    (line,) = caveats(gate(with_lie(lie, value=0.3)))
    assert line.startswith("screen: ")
    assert len(line) > 25
    assert "nan" not in line


def test_faults_voids_and_work_beyond_are_said() -> None:
    lines = caveats(gate(replace(SCREENED, n_forfeit_maps=2, n_voids=1, n_beyond=7)))
    assert lines == (
        "screen: 2 maps had a forfeit",
        "screen: 1 void, played again, not counted",
        "screen: 7 maps played beyond the deciding ones, used by nothing",
    )
    assert caveats(gate(SCREENED)) == ()


# --------------------------------------------------------------------------------------------------- artefacts


OUTCOMES = {
    "promoted": gate(SCREENED, CONFIRMED),
    "blocked": gate(SCREENED, CONFIRMED, panel((0.8, 0.4), (0.6, 0.6))),
    "undecided": gate(duel(SprtRule(SprtUnit.NELO, 0, 1), (2, 5, 6, 5, 2), kind=StageKind.CONFIRM)),
    "rejected": gate(duel(ScoreRule(0.52), (20, 35, 30, 10, 5), kind=StageKind.SCREEN)),
}


def no_odd_numbers(value: object) -> None:
    if isinstance(value, float):
        assert math.isfinite(value)
    elif isinstance(value, dict):
        for item in value.values():
            no_odd_numbers(item)
    elif isinstance(value, list):
        for item in value:
            no_odd_numbers(item)


@pytest.mark.parametrize("name", OUTCOMES)
def test_json_holds_everything_and_no_odd_number(name: str) -> None:
    outcome = OUTCOMES[name]
    verdict = judge_gate(outcome, summary())
    text = gate_json(gate_data(outcome, verdict, "key"))
    assert text.isascii()
    data = json.loads(text)
    no_odd_numbers(data)
    assert (data["schema"], data["key"], data["state"]) == (1, "key", outcome.state.value)
    assert data["verdict"]["exit_code"] == int(verdict.exit_code)
    assert len(data["stages"]) == len(outcome.stages)


@pytest.mark.parametrize(
    ("name", "failures", "errors", "skipped"),
    [("promoted", 0, 0, 4), ("blocked", 2, 0, 1), ("undecided", 0, 1, 5), ("rejected", 1, 0, 5)],
)
def test_junit_has_a_case_a_check(name: str, failures: int, errors: int, skipped: int) -> None:
    outcome = OUTCOMES[name]
    text = gate_junit(outcome, judge_gate(outcome, summary()), STAGES, "key", "harness gate a.yaml")
    suite = ET.fromstring(text.encode())[0]
    assert text.isascii()
    counts = (suite.get("failures"), suite.get("errors"), suite.get("skipped"))
    assert counts == (str(failures), str(errors), str(skipped))
    assert len(list(suite.iter("failure"))) == failures
    assert int(suite.get("tests") or 0) == len(list(suite.iter("testcase")))


def unwell() -> GateOutcome:
    """A gate whose candidate forfeits, on a busy machine, where the first seat wins."""
    lies = (
        Finding(Lie.STARVED, False, 9, 100, 0.09),
        Finding(Lie.SEAT_BIAS, False, 100, 100, 0.71),
    )
    forfeits = (BotForfeits("cand-7", 3, 200), BotForfeits("champ-6", 2, 200))
    screen = duel(ScoreRule(0.52), (20, 35, 30, 10, 5), kind=StageKind.SCREEN)
    return gate(replace(screen, lies=lies, forfeits=forfeits, n_voids=9))


def test_junit_names_each_check_of_health() -> None:
    outcome = unwell()
    text = gate_junit(outcome, judge_gate(outcome, summary()), STAGES, "key", "harness gate a.yaml")
    cases = {case.get("name"): case for case in ET.fromstring(text.encode()).iter("testcase")}
    assert list(cases) == [
        "gate.screen",
        "gate.confirm",
        "gate.panel",
        "gate.final",
        "guard.old",
        "guard.older",
        "health.forfeits.cand-7",
        "health.forfeits.champ-6",
        "health.voids",
        "health.seat",
    ]
    failed = {name: case.find("failure") for name, case in cases.items()}
    messages = {name: problem.get("message") for name, problem in failed.items() if problem is not None}
    del messages["gate.screen"]
    assert messages == {
        "health.forfeits.cand-7": "cand-7 forfeited 3 of 200 games",
        "health.voids": "9 voids, played again",
        "health.seat": "the first seat scored 71.0%",
    }
    assert cases["guard.old"].find("skipped") is not None
    screen = failed["gate.screen"]
    assert screen is not None
    assert str(screen.text).endswith("Repeat: harness gate a.yaml")


def test_annotations_point_at_the_verdict_regressions_and_health() -> None:
    assert gate_annotations(OUTCOMES["promoted"], judge_gate(OUTCOMES["promoted"], summary())) == []
    outcome = unwell()
    notes = gate_annotations(outcome, judge_gate(outcome, summary()))
    assert [(note["level"], note["title"]) for note in notes] == [
        ("error", "DROPPED AT THE SCREEN"),
        ("warning", "health.forfeits.cand-7"),
        ("warning", "health.voids"),
        ("warning", "health.seat"),
    ]
    blocked = gate_annotations(OUTCOMES["blocked"], judge_gate(OUTCOMES["blocked"], summary()))
    assert [(note["level"], note["title"]) for note in blocked] == [("error", "HELD"), ("error", "guard.older")]
    undecided = gate_annotations(OUTCOMES["undecided"], judge_gate(OUTCOMES["undecided"], summary()))
    assert [note["level"] for note in undecided] == ["warning"]


def test_nothing_in_an_annotation_ends_it_early() -> None:
    assert github_line("error", "a:b,c", "50 %\nmore, and: so") == "::error title=a%3Ab%2Cc::50 %25%0Amore, and: so"


def test_names_from_users_break_neither_xml_nor_markdown() -> None:
    outcome = replace(OUTCOMES["rejected"], candidate='a<b>&"|\x07', run="x&y")
    verdict = judge_gate(outcome, summary())
    ET.fromstring(gate_junit(outcome, verdict, STAGES, "key", "harness gate a.yaml").encode())
    text = gate_markdown(outcome, verdict, "harness gate a.yaml")
    assert "<b>" not in text.replace(MARK, "")
    assert "\\|" in text


@pytest.mark.parametrize("name", OUTCOMES)
def test_markdown_has_a_row_a_stage(name: str) -> None:
    outcome = OUTCOMES[name]
    text = gate_markdown(outcome, judge_gate(outcome, summary()), "harness gate a.yaml")
    assert text.startswith(f"{MARK}\n### ")
    for stage in outcome.stages:
        assert f"| {stage.stage.kind.value} | {stage_words(stage)[0]} |" in text
    assert text.rstrip().endswith("Repeat: `harness gate a.yaml`")
