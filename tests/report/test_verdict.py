"""The sentences, word for word: what plain runs say. What gates say is in test_gated."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import ExitCode, quoted
from harness.records import MapRecord
from harness.report.model import HaltFacts, RunFacts, RunState, Summary
from harness.report.outcome import Outcome, Tone, Verdict
from harness.report.summary import SummaryBuilder
from harness.report.verdict import judge
from tests.report.made_records import (
    game_record,
    gauntlet,
    map_record,
    mirrored,
    penta_maps,
    round_robin,
)
from tests.report.measured import measured
from tests.report.strategies import record_lists

NB = "\u202f"
DONE = RunFacts(name="nightly")


def plain(text: str) -> str:
    """Sentences with ordinary spaces, to be read."""
    return text.replace(NB, " ")


def summary_of(records: list[MapRecord], facts: RunFacts = DONE) -> Summary:
    builder = SummaryBuilder()
    for record in records:
        builder.add(record)
    return builder.build(facts)


TABLE: list[tuple[Summary, str, str, str, ExitCode]] = [
    (
        summary_of(
            penta_maps(("cand-7", "champ-6"), (0, 0, 400, 0, 0), n_mirrored=388),
            replace(DONE, fingerprints=(("cand-7", "b2:a81f000007c2"), ("champ-6", "b2:a81f000007c2"))),
        ),
        "⇄ MIRRORED",
        "cand-7 and champ-6 play alike: all 400 maps were split.",
        (
            "388 of 400 pairs are the same game with the seats swapped. The result says nothing about strength. "
            "Both bots have fingerprint a81f…07c2: is the candidate the program you meant to test?"
        ),
        ExitCode.NO_VERDICT,
    ),
    (
        summary_of(penta_maps(("cand-7", "champ-6"), (5, 0, 1188, 0, 7))),
        "! STARVED",
        "No verdict: only 12 of 1 200 maps told the bots apart.",
        "The other 1 188 were split. Use maps, limits or opponents that separate the bots more.",
        ExitCode.NO_VERDICT,
    ),
    (
        replace(
            measured(27.0, 14.0, 41.0, n_maps=212),
            run=RunFacts(
                name="nightly",
                state=RunState.HALTED,
                planned=1200,
                halt=HaltFacts(
                    "the referee failed 20 times in a row",
                    evidence='Exit code 1, "Address already in use"',
                    log="runs/7f3a91/void/0213-0.log",
                ),
            ),
        ),
        "! STOPPED",
        "The run stopped: the referee failed 20 times in a row.",
        (
            'Exit code 1, "Address already in use". 212 finished maps are kept and none of them is affected. '
            "First failure: runs/7f3a91/void/0213-0.log"
        ),
        ExitCode.HALTED,
    ),
]


@pytest.mark.parametrize(("summary", "tag", "headline", "detail", "code"), TABLE)
def test_every_row_of_the_table(summary: Summary, tag: str, headline: str, detail: str, code: ExitCode) -> None:
    verdict = judge(summary)
    assert f"{verdict.glyph} {verdict.tag}" == tag
    assert plain(verdict.headline) == headline
    assert plain(verdict.detail) == detail
    assert verdict.exit_code == code


def test_thousands_and_units_are_set_off_by_narrow_no_break_spaces() -> None:
    detail = judge(measured(27.2, 14.1, 40.8)).detail
    assert f"95{NB}% interval" in detail
    assert f"1{NB}200 maps" in detail
    assert f"53.9{NB}%" in detail


# ------------------------------------------------------------------------------------------- plain runs


def test_a_plain_run_is_measured_not_promoted() -> None:
    verdict = judge(measured(27.2, 14.1, 40.8))
    assert (verdict.outcome, verdict.tag, verdict.tone, verdict.exit_code) == (
        Outcome.BETTER,
        "BETTER",
        Tone.GOOD,
        ExitCode.DONE,
    )
    assert verdict.headline == "cand-7 is better than champ-6 by 27 Elo."
    assert verdict.emphasis == "27 Elo"
    assert "fresh" not in verdict.detail  # nothing was chosen on other maps before
    worse = judge(measured(-22.0, -35.0, -9.0))
    assert (worse.tag, worse.glyph, worse.exit_code) == ("WORSE", "▼", ExitCode.DONE)
    unsure = judge(measured(4.0, -9.0, 17.0))
    assert (unsure.tag, unsure.glyph, unsure.exit_code) == ("NO EVIDENCE", "●", ExitCode.DONE)


def test_a_narrow_interval_earns_a_decimal() -> None:
    verdict = judge(measured(4.04, 1.5, 6.6, n_maps=100_000))
    assert verdict.headline == "cand-7 is better than champ-6 by 4.0 Elo."
    assert plain(verdict.detail).startswith("95 % interval +1.5 to +6.6 Elo.")


def test_a_perfect_score_is_told_in_maps() -> None:
    won = judge(summary_of(gauntlet("cand", {"dummy": 1.1}, 200, draw=0.0)))
    assert plain(won.headline) == "cand is better than dummy: it won all 200 maps."
    assert plain(won.detail).startswith("95 % interval +692 to over +700 Elo. It scored 100.0 %")
    lost = judge(summary_of(gauntlet("cand", {"god": -0.1}, 20, draw=0.0)))
    assert plain(lost.headline) == "cand is worse than god: it lost all 20 maps."


def test_few_maps_cannot_show_anything() -> None:
    verdict = judge(summary_of(gauntlet("cand", {"dummy": 1.1}, 3, draw=0.0)))
    assert verdict.outcome is Outcome.NO_EVIDENCE
    assert "over +700" in verdict.detail


def test_an_even_score_has_no_number_of_maps_that_would_tell() -> None:
    verdict = judge(measured(0.0, -9.0, 9.0))
    assert "Telling" not in verdict.detail
    assert verdict.detail.startswith("Estimate 0 Elo")


def test_copies_under_other_names_are_mirrored_too() -> None:
    verdict = judge(summary_of(mirrored(("a", "b"), 40)))
    assert verdict.outcome is Outcome.MIRRORED
    assert verdict.detail.endswith("Maps that are not mirrored, or other opponents, may tell them apart.")
    nearly = judge(summary_of(penta_maps(("a", "b"), (1, 0, 39, 0, 0), n_mirrored=38)))
    assert nearly.headline == "a and b play alike: 39 of 40 maps were split."


def test_no_decided_map_at_all_is_starved() -> None:
    verdict = judge(summary_of(penta_maps(("a", "b"), (0, 0, 60, 0, 0))))
    assert verdict.outcome is Outcome.STARVED
    assert verdict.headline == "No verdict: none of 60 maps told the bots apart."
    assert verdict.detail.startswith("All were split.")


# ------------------------------------------------------------------------------------------- several opponents

EVEN, STRONG, WEAK = 0.5, 0.8, 0.2


def panel(strengths: dict[str, float], n_maps: int = 120) -> Verdict:
    return judge(summary_of(gauntlet("cand", strengths, n_maps, seed=4)))


def test_better_than_all() -> None:
    verdict = panel({"a": STRONG, "b": STRONG})
    assert (verdict.tag, verdict.headline) == ("BETTER", "cand is better than a and b.")
    many = panel(dict.fromkeys("abcd", STRONG))
    assert many.headline == "cand is better than all 4 opponents."


def test_better_than_some() -> None:
    verdict = panel({"a": STRONG, "b": STRONG, "c": EVEN})
    assert verdict.tag == "BETTER THAN 2 OF 3"
    assert verdict.headline == "cand is better than b and a; no evidence against c."
    assert verdict.tone is Tone.GOOD
    assert "▲ and ▼ hold for all 3 comparisons together, at 5 % (Holm)" in plain(verdict.detail)
    many = panel({**{f"s{i}": STRONG for i in range(4)}, **{f"e{i}": EVEN for i in range(5)}})
    assert many.headline == "cand is better than 4 of 9 opponents; no evidence against the other 5."


def test_worse_than_some() -> None:
    verdict = panel({"a": WEAK, "b": EVEN})
    assert (verdict.tag, verdict.tone) == ("WORSE THAN 1 OF 2", Tone.BAD)
    assert verdict.headline == "cand is worse than a; no evidence against b."
    assert "hold for both comparisons together" in verdict.detail
    assert panel({"a": WEAK, "b": WEAK}).tag == "WORSE"


def test_mixed() -> None:
    verdict = panel({"a": STRONG, "b": WEAK, "c": EVEN})
    assert (verdict.outcome, verdict.tag, verdict.tone) == (Outcome.MIXED, "MIXED", Tone.NOTE)
    assert verdict.headline == "cand is better than a but worse than b; no evidence against c."


def test_no_evidence_against_any() -> None:
    verdict = panel(dict.fromkeys("abc", EVEN), 60)
    assert verdict.outcome is Outcome.NO_EVIDENCE
    assert verdict.headline == "No evidence that cand is better or worse than any of 3 opponents."


def test_a_twin_in_the_panel_is_named() -> None:
    records = gauntlet("cand", {"a": STRONG}, 60)
    twin = [replace(record, job=record.job + 1000) for record in mirrored(("cand", "twin"), 60)]
    verdict = judge(summary_of(records + twin))
    assert verdict.headline == "cand is better than a; it plays like twin."
    assert verdict.tag == "BETTER THAN 1 OF 2"
    twins = [*mirrored(("cand", "one"), 30), *mirrored(("cand", "two"), 30)]
    alike = judge(summary_of([replace(record, job=job) for job, record in enumerate(twins)]))
    assert (alike.outcome, alike.headline) == (Outcome.MIRRORED, "cand plays like one and two.")
    assert alike.exit_code == ExitCode.NO_VERDICT


# ------------------------------------------------------------------------------------------- round robin


def test_a_clear_leader() -> None:
    verdict = judge(summary_of(round_robin({"a": 9.0, "b": 1.0, "c": 1.0}, 80)))
    assert (verdict.outcome, verdict.tag) == (Outcome.LEADS, "LEADS")
    assert verdict.headline in {"a leads, ahead of b and c.", "a leads, ahead of c and b."}
    assert "one of 3 comparisons, all of them corrected for (Bonferroni)" in verdict.detail
    many = judge(summary_of(round_robin({"a": 9.0, "b": 1.0, "c": 1.0, "d": 1.0, "e": 1.0}, 60)))
    assert many.headline == "a leads, ahead of all 4 others."


def test_ties_are_named() -> None:
    verdict = judge(summary_of(round_robin({"a": 9.0, "b": 9.0, "c": 1.0}, 60)))
    assert verdict.tag == "SHARED LEAD"
    assert verdict.headline in {"a leads, but b may be as strong.", "b leads, but a may be as strong."}


def test_no_leader() -> None:
    verdict = judge(summary_of(round_robin({"a": 1.0, "b": 1.0, "c": 1.0}, 30)))
    assert verdict.headline == "No evidence that any of the 3 bots is better than the others."
    assert "scored most. It scored" in verdict.detail


# ------------------------------------------------------------------------------------------- no result yet


def unfinished(records: list[MapRecord], state: RunState, planned: int | None = 1200) -> Verdict:
    facts = RunFacts(name="nightly", state=state, planned=planned, again="harness run gauntlet.yaml")
    return judge(summary_of(records, facts))


def test_too_few_maps_gives_the_band_and_the_way_on() -> None:
    verdict = unfinished(penta_maps(("cand-7", "champ-6"), (6, 3, 12, 6, 11)), RunState.INTERRUPTED)
    assert plain(verdict.headline) == "Too early to say: 38 of 1 200 maps are done."
    assert plain(verdict.detail) == (
        "cand-7 scores 59 % so far; the always-valid 95 % band is 38 to 76 %. Go on with: harness run gauntlet.yaml"
    )
    assert verdict.exit_code == ExitCode.INTERRUPTED


def test_a_running_run_says_nothing_of_going_on() -> None:
    verdict = unfinished(gauntlet("cand", {"a": 0.6, "b": 0.6}, 20), RunState.RUNNING)
    assert "Go on" not in verdict.detail
    assert "so far against 2 opponents" in verdict.detail
    assert verdict.exit_code == ExitCode.NO_VERDICT
    pool = unfinished(round_robin({"a": 3.0, "b": 1.0, "c": 1.0}, 10), RunState.RUNNING)
    assert "has the highest score so far" in pool.detail


def test_nothing_played_is_no_result() -> None:
    assert unfinished([], RunState.DONE, None).headline == "Too early to say: 0 maps are done."
    assert unfinished([], RunState.RUNNING, 1).headline == "Too early to say: 0 of 1 map is done."


def test_one_bot_alone() -> None:
    verdict = judge(summary_of([map_record(0, ("solo",), [game_record((0,), (1.0,))])]))
    assert verdict.outcome is Outcome.NO_COMPARISON
    assert verdict.headline == "solo played alone: there is nothing to compare it with."


def test_a_halt_before_the_first_map() -> None:
    facts = RunFacts(name="nightly", state=RunState.HALTED, halt=HaltFacts("mole does not start."))
    verdict = judge(summary_of([], facts))
    assert verdict.headline == "The run stopped: mole does not start."
    assert verdict.detail == "No map was finished."


def test_of_what_a_program_said_the_verdict_has_the_last_line() -> None:
    evidence = "it ended with exit code 127" + quoted("+ judge 0\nsh: judge: not found\n")
    facts = RunFacts(name="nightly", state=RunState.HALTED, halt=HaltFacts("no game came of it", evidence=evidence))
    detail = judge(summary_of([], facts)).detail
    assert detail == "it ended with exit code 127, at the end: sh: judge: not found. No map was finished."


# ------------------------------------------------------------------------------------------- for all of them


@given(record_lists(max_maps=8), st.sampled_from(RunState), st.one_of(st.none(), st.integers(0, 20)))
@settings(max_examples=40)
def test_every_run_has_a_sentence(records: list[MapRecord], state: RunState, planned: int | None) -> None:
    facts = RunFacts(name="any", state=state, planned=planned, halt=HaltFacts("it had to"))
    verdict = judge(summary_of(records, facts))
    for text in (verdict.headline, verdict.detail):
        for word in ("nan", "inf ", "None", "significant", "p-value", "!", " ,", "  ", "-0"):
            assert word not in text, text
    assert verdict.headline.endswith(".")
    assert verdict.emphasis in verdict.headline
    assert verdict.tag.isupper()
