"""Score contests from records to sentence: what counts, what a failure counts, who is better, what is not claimed."""

from __future__ import annotations

import io
import json
import math
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import ExitCode
from harness.records import FaultKind, Objective, Relative, Scoring
from harness.report.export import to_data, to_json
from harness.report.findings import find
from harness.report.layout import Ink, Look, text_width
from harness.report.live_view import Standing, frame, said
from harness.report.model import RunFacts, RunState
from harness.report.outcome import Outcome
from harness.report.score_book import Baseline
from harness.report.summary import SummaryBuilder
from harness.report.terminal import render_summary
from harness.report.verdict import judge
from harness.stats.paired_numbers import NumbersState
from tests.report.made_scores import BEST, MAX, contest, pair_of, score_record, scores_of, summarise, tours

MIN = Scoring(Objective.MINIMISE, failed_score=1e6)


# ------------------------------------------------------------------------------------------------ the numbers


def test_two_versions_on_the_same_seeds() -> None:
    records = contest({"new": [12.0, 30.0, 5.0], "old": [10.0, 20.0, 5.0]})
    summary = summarise(records, MAX, candidate="new")
    scores, pair = scores_of(summary), pair_of(summary)
    assert (scores.n_seeds, scores.n_unmeasured, scores.candidate) == (3, 0, "new")
    assert [(bot.name, bot.n_seeds, bot.n_failed, bot.total) for bot in scores.bots] == [
        ("new", 3, 0, 47.0),
        ("old", 3, 0, 35.0),
    ]
    assert [bot.n_best for bot in scores.bots] == [3, 1], "a tie is a best of both"
    assert (pair.wins, pair.ties, pair.losses) == (2, 1, 0)
    assert pair.difference.mean == 4.0
    assert pair.difference == pair.absolute
    assert pair.opponent_mean == pytest.approx(35 / 3)
    assert pair.ratio.mean == pytest.approx((math.log(1.2) + math.log(1.5)) / 3)
    assert pair.sign_p == pytest.approx(0.5)


def test_relative_to_the_best_of_the_run() -> None:
    records = contest({"a": [80.0, 100.0], "b": [100.0, 50.0], "c": [100.0, None]})
    scores = scores_of(summarise(records, replace(BEST, objective=Objective.MAXIMISE)))
    assert {bot.name: bot.measured for bot in scores.bots} == {"a": 0.9, "b": 0.75, "c": 0.5}
    assert {bot.name: bot.n_best for bot in scores.bots} == {"a": 1, "b": 1, "c": 1}
    assert [bot.name for bot in scores.bots] == ["a", "b", "c"]
    assert scores.n_comparisons == 3, "the leader is picked by its result: one of all pairs"


def test_earlier_results_count_for_best_and_are_no_bots() -> None:
    records = contest({"new": [50.0, 40.0]}, first_seed=7)
    earlier = Baseline(("nightly-1",), {7: (25.0, 60.0), 99: (1.0,)})
    scores = scores_of(summarise(records, BEST, baseline=earlier))
    (bot,) = scores.bots
    assert bot.measured == pytest.approx((0.5 + 1.0) / 2)
    assert bot.n_best == 1
    assert (scores.baseline, scores.n_baseline_seeds) == (("nightly-1",), 1)


def test_earlier_results_are_the_median_if_there_are_any() -> None:
    records = contest({"new": [30.0, 30.0], "old": [10.0, 10.0]})
    scoring = Scoring(Objective.MAXIMISE, Relative.MEDIAN)
    earlier = Baseline(("x",), {1: (60.0, 60.0, 1.0)})
    scores = scores_of(summarise(records, scoring, baseline=earlier))
    assert {bot.name: bot.measured for bot in scores.bots} == pytest.approx({"new": 1.0, "old": (1 / 6 + 0.5) / 2})


@pytest.mark.parametrize(
    ("scoring", "differences"),
    [
        (MAX, [5.0, -7.0]),
        (MIN, [5.0, 1e6 - 7.0]),
        (Scoring(Objective.MAXIMISE, Relative.BEST), [0.5, -1.0]),
        (Scoring(Objective.MAXIMISE, Relative.RANK), [1.0, -1.0]),
    ],
)
def test_a_failed_seed_counts_as_stated(scoring: Scoring, differences: list[float]) -> None:
    records = contest({"new": [10.0, None], "old": [5.0, 7.0]})
    pair = pair_of(summarise(records, scoring, candidate="new"))
    assert pair.difference.mean == pytest.approx(sum(differences) / 2)
    assert (pair.bot_failed, pair.opponent_failed) == (1, 0)
    assert (pair.wins, pair.losses) == ((0, 2) if scoring is MIN else (1, 1))


def test_what_failures_of_one_count_is_nothing_to_the_other() -> None:
    records = contest({"new": [10.0, None], "old": [5.0, 7.0]})
    scores = scores_of(summarise(records, BEST))
    new, old = scores.bot("new"), scores.bot("old")
    assert (old.mean, old.total, old.mean_scored) == (6.0, 12.0, 6.0)
    assert (new.mean, new.total, new.mean_scored) == (None, None, 10.0)
    with pytest.raises(KeyError):
        scores.bot("nobody")


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf, 1e101, None])
def test_what_is_no_number_is_a_failure_without_a_fault_and_is_told(score: float | None) -> None:
    records = [*contest({"old": [5.0, 6.0]}), score_record(8, "new", 1, score), score_record(9, "new", 2, 7.0)]
    summary = summarise(records, MAX, candidate="new")
    assert scores_of(summary).bot("new").n_failed == 1
    assert scores_of(summary).bot("new").mean == 3.5
    assert any(
        finding.subject == "new" and "1 seed ended without a number that can be counted" in finding.text
        for finding in find(summary)
    )
    to_json(summary, judge(summary))  # refuses NaN and infinity


def test_a_score_with_a_fault_is_a_failure() -> None:
    records = [score_record(0, "new", 1, 99.0, fault=FaultKind.TIMEOUT), score_record(1, "old", 1, 5.0)]
    assert scores_of(summarise(records, MAX)).bot("new").n_failed == 1


@pytest.mark.parametrize("scale", [1.0, -1.0, 1e90, 1e-90])
def test_negative_huge_and_tiny_scores(scale: float) -> None:
    table = {"new": [3.0 * scale, 5.0 * scale, 4.0 * scale], "old": [2.0 * scale, 4.0 * scale, 4.0 * scale]}
    for relative in Relative:
        summary = summarise(contest(table), Scoring(Objective.MAXIMISE, relative, failed_score=1e-99))
        text = render_summary(summary, judge(summary), Look(100))
        assert "nan" not in text
        assert "inf" not in text
        to_json(summary, judge(summary))
    pair = pair_of(summarise(contest(table), MAX, candidate="new"))
    assert pair.difference.mean == pytest.approx(scale * 2 / 3)
    assert (pair.wins, pair.losses) == ((2, 0) if scale > 0 else (0, 2))


def test_whole_numbers_beyond_a_float_tie_where_they_round_to_one() -> None:
    records = contest({"new": [2.0**53 + 1], "old": [2.0**53]})
    assert pair_of(summarise(records, MAX)).ties == 1


def test_seeds_that_one_alone_has_played_are_counted_and_left_out() -> None:
    records = contest({"new": [1.0, 2.0, 3.0], "old": [5.0]})
    pair = pair_of(summarise(records, MAX, candidate="new"))
    assert (pair.n_seeds, pair.n_only_bot, pair.n_only_opponent) == (1, 2, 0)
    assert pair.difference.state is NumbersState.ONE_SEED


def test_a_result_that_stands_twice_counts_once() -> None:
    records = [score_record(0, "new", 1, 5.0), score_record(0, "new", 1, 9.0), score_record(1, "old", 1, 4.0)]
    assert scores_of(summarise(records, MAX)).bot("new").total == 5.0


@given(
    table=st.dictionaries(
        st.sampled_from(["new", "old", "mid", "bad"]),
        st.lists(st.one_of(st.none(), st.floats(-1e5, 1e5), st.integers(0, 3).map(float)), min_size=1, max_size=8),
        min_size=1,
    ),
    relative=st.sampled_from(Relative),
    objective=st.sampled_from(Objective),
    order=st.randoms(use_true_random=False),
    candidate=st.sampled_from([None, "new", "old"]),
)
@settings(max_examples=60, deadline=None)
def test_the_order_of_the_records_changes_nothing_and_every_page_can_be_drawn(
    table: dict[str, list[float | None]],
    relative: Relative,
    objective: Objective,
    order: random.Random,
    candidate: str | None,
) -> None:
    scoring = Scoring(objective, relative, failed_score=1.0)
    records = contest(table)
    mixed = list(records)
    order.shuffle(mixed)
    summary = summarise(records, scoring, candidate=candidate)
    assert to_data(scores_of(summary)) == to_data(scores_of(summarise(mixed, scoring, candidate=candidate)))
    for width in (60, 80, 120):
        for line in render_summary(summary, judge(summary), Look(width, Ink.NONE, unicode=False)).split("\n"):
            assert text_width(line) <= max(width, 72), line
            assert line.isascii()
            assert "nan" not in line


# ------------------------------------------------------------------------------------------------ the sentence


def test_better_in_each_measure() -> None:
    table = tours(200, 0.02)
    said_ = {}
    for relative in Relative:
        scoring = Scoring(Objective.MINIMISE, relative, failed_score=1e6)
        verdict = judge(summarise(contest(table), scoring, candidate="new"))
        assert (verdict.outcome, verdict.exit_code) == (Outcome.BETTER, ExitCode.DONE)
        assert verdict.emphasis
        assert verdict.emphasis in verdict.headline
        said_[relative] = verdict.headline.replace("\u202f", " ")
    assert said_[Relative.NONE] == "new is better than old: it scores 1.7 % lower."
    assert said_[Relative.LOG] == "new is better than old: it scores 1.6 % lower per seed."
    assert said_[Relative.BEST] == "new is better than old by 1.6 pt next to the best of each seed."
    assert said_[Relative.MEDIAN] == "new is better than old by 1.6 pt next to the median of the results on each seed."
    assert said_[Relative.RANK] == "new is better than old by 31 pt in rank on each seed."


def test_worse_says_which_way() -> None:
    table = tours(200, 0.02)
    verdict = judge(summarise(contest({"old": table["old"], "new": table["new"]}), MIN, candidate="old"))
    assert verdict.outcome is Outcome.WORSE
    assert verdict.headline.startswith("old is worse than new: it scores 1.7")
    assert verdict.headline.endswith("higher.")


def test_scores_on_both_sides_of_0_have_no_percentage() -> None:
    table = {"new": [float(x) for x in range(-10, 30)], "old": [float(x) - 3.0 - x % 3 for x in range(-10, 30)]}
    verdict = judge(summarise(contest(table), MAX, candidate="new"))
    assert verdict.headline == "new is better than old: it scores 4.03 higher."


def test_no_evidence_says_what_still_fits_and_how_many_seeds_it_takes() -> None:
    verdict = judge(summarise(contest(tours(40, 0.0, seed=3)), BEST, candidate="new"))
    assert verdict.outcome is Outcome.NO_EVIDENCE
    assert verdict.headline == "No evidence that new is better than old."
    assert "from 0 would take about" in verdict.detail


def test_failures_are_in_the_sentence_with_what_they_count() -> None:
    table = tours(60, 0.05)
    table["new"][3] = None
    detail = judge(summarise(contest(table), BEST, candidate="new")).detail
    assert "new has no score on 1 seed, which counts 0." in detail
    table["new"][9] = None
    detail = judge(summarise(contest(table), BEST, candidate="new")).detail
    assert "new has no score on 2 seeds, which count 0." in detail
    detail = judge(summarise(contest(table), MIN, candidate="new")).detail.replace("\u202f", " ")
    assert "new has no score on 2 seeds, which count 1 000 000, or the worst score there if that is worse." in detail
    unsaid = Scoring(Objective.MINIMISE)
    detail = judge(summarise(contest(table), unsaid, candidate="new")).detail
    assert "which count nothing: say what they count with `failed_score`." in detail
    assert "2 seeds are left out: a failure there counts nothing." in detail
    rank = Scoring(Objective.MINIMISE, Relative.RANK)
    assert "worse than any score" in judge(summarise(contest(table), rank, candidate="new")).detail


def test_a_few_seeds_that_decide_are_no_evidence() -> None:
    """Many small gains and a few large losses: t is above 0, the bootstrap, which follows the long tail, is not."""
    rng = random.Random(21)
    table = {"new": [103.4 - rng.lognormvariate(0.0, 1.4) for _ in range(40)], "old": [100.0] * 40}
    pair = pair_of(summarise(contest(table), MAX, candidate="new"))
    assert pair.difference.side == 1
    assert pair.boot_low is not None
    assert pair.boot_low < 0.0
    assert (pair.side, pair.side_corrected) == (0, 0)
    verdict = judge(summarise(contest(table), MAX, candidate="new"))
    assert verdict.outcome is Outcome.NO_EVIDENCE
    assert "Student's t alone would say more, the bootstrap does not: a few seeds decide." in verdict.detail


def test_beyond_thousands_of_seeds_t_stands_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.report.score_book.MAX_BOOTSTRAP_SEEDS", 100)
    pair = pair_of(summarise(contest(tours(101, 0.05)), BEST, candidate="new"))
    assert (pair.boot_low, pair.boot_high) == (None, None)
    assert pair.side == 1


def test_the_same_program_twice_tells_nothing() -> None:
    verdict = judge(summarise(contest({"new": [5.0, 6.0, None], "old": [5.0, 6.0, None]}), MAX, candidate="new"))
    assert verdict.outcome is Outcome.STARVED
    assert verdict.exit_code is ExitCode.NO_VERDICT
    assert verdict.headline == "No verdict: none of 3 seeds told new and old apart."
    table = {"new": [1.0] * 99 + [2.0], "old": [1.0] * 100}
    verdict = judge(summarise(contest(table), MAX, candidate="new"))
    assert verdict.headline == "No verdict: only 1 of 100 seeds told new and old apart."
    few = {"new": [1.0] * 20 + [2.0] * 3, "old": [1.0] * 23}
    assert "Fewer than 6 seeds told the two apart" in judge(summarise(contest(few), MAX, candidate="new")).detail


def test_one_alone_is_no_comparison_but_has_its_mean() -> None:
    verdict = judge(summarise(contest({"new": [5.0, 6.0, None]}), MAX))
    assert verdict.headline == "new played alone: there is nothing to compare it with."
    assert verdict.detail.startswith("Its mean score is 3.667 over 3 seeds.")
    assert "On 1 seed it has no score." in verdict.detail
    earlier = Baseline(("x",), {1: (10.0,), 2: (6.0,)})
    best = Scoring(Objective.MAXIMISE, Relative.BEST)
    detail = judge(summarise(contest({"new": [5.0, 6.0]}), best, baseline=earlier)).detail.replace("\u202f", " ")
    assert "It has 75.0 % next to the best of each seed." in detail
    log = Scoring(Objective.MAXIMISE, Relative.LOG, failed_score=1.0)
    assert "The geometric mean is 2.000." in judge(summarise(contest({"new": [1.0, 4.0]}), log)).detail


def field(n_seeds: int, **gains: float) -> dict[str, list[float | None]]:
    """Tours of several bots, shorter than the plain ones by a share each."""
    rng = random.Random(15)
    hard = [rng.lognormvariate(9.0, 0.4) for _ in range(n_seeds)]
    return {
        name: [round(base * (1.0 - gain) * rng.lognormvariate(0.0, 0.02), 3) for base in hard]
        for name, gain in gains.items()
    }


def test_a_candidate_against_several() -> None:
    table = field(100, new=0.05, a=0.0, b=0.1, c=0.05)
    verdict = judge(summarise(contest(table), BEST, candidate="new"))
    assert verdict.headline == "new is better than a but worse than b; no evidence against c."
    assert (verdict.outcome, verdict.tag) == (Outcome.MIXED, "MIXED")
    assert "all 3 comparisons together" in verdict.detail
    verdict = judge(summarise(contest(field(100, new=0.1, a=0.0, b=0.01)), BEST, candidate="new"))
    assert (verdict.headline, verdict.tag) == ("new is better than b and a.", "BETTER")
    verdict = judge(summarise(contest(field(100, new=0.0, a=0.1, b=0.0)), BEST, candidate="new"))
    assert (verdict.tag, verdict.glyph) == ("WORSE THAN 1 OF 2", "▼")
    verdict = judge(summarise(contest(field(30, new=0.0, a=0.0, b=0.0)), BEST, candidate="new"))
    assert verdict.headline == "No evidence that new is better or worse than any of 2 others."


def test_a_field_has_a_leader_or_not() -> None:
    verdict = judge(summarise(contest(field(100, a=0.0, b=0.1, c=0.02)), BEST))
    assert verdict.headline == "b leads, ahead of c and a."
    assert "one of 3 comparisons" in verdict.detail
    verdict = judge(summarise(contest(field(100, a=0.0, b=0.1, c=0.1)), BEST))
    assert verdict.tag == "SHARED LEAD"
    assert verdict.headline.endswith("may be as good.")
    verdict = judge(summarise(contest(field(30, a=0.0, b=0.0, c=0.0)), BEST))
    assert verdict.headline == "No evidence that any of the 3 bots is better than the others."


# ------------------------------------------------------------------------------------------- while it goes on


def test_while_a_run_goes_on_there_are_means_and_nothing_else() -> None:
    records = contest(tours(20, 0.5))
    facts = RunFacts(name="made", state=RunState.INTERRUPTED, planned=400, again="harness run made.yaml")
    summary = summarise(records, BEST, candidate="new", facts=facts)
    scores = scores_of(summary)
    assert scores.pairs == ()
    assert [bot.measured for bot in scores.bots] == [None, None]
    verdict = judge(summary)
    assert verdict.headline == "Too early to say: 40 of 400 games are done."
    text = render_summary(summary, verdict, Look(100))
    assert "mean score so far" in text
    assert "pt" not in text


def test_the_live_view_shows_means_so_far() -> None:
    records = contest({"new": [5.0, None], "old": [1_234.5, 1_234.5]})
    standing = Standing("made", 100, 0, 2, began_s=0.0, unit=SummaryBuilder(MAX).unit)
    for record in records:
        standing.add(record)
    summary = summarise(records, MAX, facts=RunFacts(name="made", state=RunState.RUNNING, planned=100))
    text = frame(summary, standing, Look(100), 10.0)
    assert "mean score so far" in text
    assert "last seed job 3, old 1\u202f234" in text
    assert "mean score so far new 5.000, old 1\u202f234" in said(summary, standing, 10.0)
    assert said(summary, standing, 10.0).startswith("made 4/100 games, ")
    failed = summarise(records[:3], MAX, facts=RunFacts(name="made", state=RunState.RUNNING, planned=100))
    standing.last = records[2]
    assert "job 2, new 0" in frame(failed, standing, Look(100), 10.0)


def test_without_a_scoring_nobody_knows_what_is_better() -> None:
    from harness.report.summary import SummaryBuilder

    builder = SummaryBuilder()
    for record in contest({"new": [5.0], "old": [4.0]}):
        builder.add(record)
    summary = builder.build(RunFacts(name="made"))
    assert summary.scores is None
    verdict = judge(summary)
    assert verdict.headline == "Each of 2 bots played alone: nothing says which results are better."
    assert "--objective" in verdict.detail


def test_json_has_every_number() -> None:
    summary = summarise(contest(tours(30, 0.02)), BEST, candidate="new")
    data = json.load(io.StringIO(to_json(summary, judge(summary))))
    assert data["schema"] == 1
    assert set(data["scores"]) == {
        "objective",
        "relative",
        "failed_score",
        "seed_score",
        "candidate",
        "n_seeds",
        "n_unmeasured",
        "baseline",
        "n_baseline_seeds",
        "bots",
        "pairs",
        "n_comparisons",
    }
    assert data["scores"]["pairs"][0]["side"] == 1
