"""What to know before one relies on a result."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings

from harness.records import FaultKind, MapRecord
from harness.report.findings import MAX_FINDINGS, find
from harness.report.model import Forfeits, RunFacts, Summary
from harness.report.summary import SummaryBuilder
from harness.report.words import all_of, forfeit_causes, listed, tame
from tests.report.made_records import game_record, gauntlet, map_record, mirrored, with_fault
from tests.report.strategies import record_lists

NB = "\u202f"


def summary_of(records: list[MapRecord]) -> Summary:
    builder = SummaryBuilder()
    for record in records:
        builder.add(record)
    return builder.build(RunFacts("run"))


def texts(records: list[MapRecord]) -> list[str]:
    return [f"{finding.subject} {finding.text}".strip() for finding in find(summary_of(records))]


def test_nothing_unusual_is_nothing() -> None:
    assert texts(gauntlet("cand", {"a": 0.5}, 20)) == []


def test_forfeits_name_bot_cause_share_and_the_first() -> None:
    records = gauntlet("cand", {"a": 0.5, "b": 0.5, "c": 0.5}, 10)
    for index, (bot, kind) in enumerate(
        [
            (1, FaultKind.TIMEOUT),
            (1, FaultKind.CRASH),
            (1, FaultKind.ILLEGAL),
            (1, FaultKind.TIMEOUT),
            (0, FaultKind.CRASH),
        ]
    ):
        records[index] = with_fault(records[index], bot, kind, f"number {index}")
    assert texts(records) == [
        f"a 2 forfeits on time (10.0{NB}% of its games)",
        f"cand 1 forfeit by a crash (1.7{NB}% of its games)",
        "2 forfeits of 2 other bots",
        f"a first forfeit, job 0, game 0, ply {records[0].games[0].plies}: number 0",
    ]


def test_rare_forfeits_are_counts() -> None:
    records = gauntlet("cand", {"a": 0.5}, 600)
    records[5] = with_fault(records[5], 1, FaultKind.TIMEOUT, "late")
    assert texts(records)[0] == f"a 1 forfeit on time (1 of 1{NB}200 games)"


def test_voids_and_repeats() -> None:
    records = gauntlet("cand", {"a": 0.5}, 10)
    records[4] = replace(records[4], attempt=2)
    assert texts(records) == ["1 void, played again, not counted"]
    same = [map_record(job, ("a", "b"), [game_record((0, 1), (1, 0), moves="x")]) for job in range(4)]
    seats, repeated = texts(same)
    assert seats.startswith("seats every bot sat in one seat alone")
    assert repeated == (
        "3 of 4 games repeat another map's move for move and tell nothing new: the intervals are too narrow"
    )
    assert texts(same[:2])[1] == (
        "1 of 2 games repeats another map's move for move and tells nothing new: the intervals are too narrow"
    )


def test_bots_that_play_alike_are_named_beside_others() -> None:
    records = gauntlet("cand", {"a": 0.9}, 20) + mirrored(("cand", "twin"), 20)
    (found,) = texts([replace(record, job=job) for job, record in enumerate(records)])
    assert found == "cand and twin play alike: 20 of 20 pairs are the same game with the seats swapped"


@given(record_lists())
@settings(max_examples=30)
def test_there_are_never_too_many(records: list[MapRecord]) -> None:
    found = find(summary_of(records))
    assert len(found) <= MAX_FINDINGS
    assert all("nan" not in finding.text for finding in found)


def test_words() -> None:
    assert [listed(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
    assert [all_of(n, "map") for n in (1, 2, 1200)] == ["its only map", "both maps", f"all 1{NB}200 maps"]
    assert forfeit_causes(Forfeits(2, 1, 0)) == "3 forfeits: 2 on time, 1 by a crash"
    assert tame("  a\tb\n ") == r"a\tb"
    assert len(tame("x" * 500, 50)) == 50
