"""What a summary says of records, against a slow second reading of the same records."""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.records import FaultKind, MapRecord, think_bin
from harness.report.export import to_data, to_json
from harness.report.model import Comparison, RunFacts, RunState, Shape, Summary
from harness.report.summary import N_FORFEIT_NOTES, SummaryBuilder
from harness.report.verdict import judge
from harness.stats.intervals import map_t, wilson
from tests.report.made_records import (
    at_tables,
    duel_map,
    game_record,
    gauntlet,
    map_record,
    mirrored,
    penta_maps,
    round_robin,
    with_fault,
)
from tests.report.strategies import record_lists

DONE = RunFacts(name="made")


def summary_of(records: list[MapRecord], facts: RunFacts = DONE) -> Summary:
    builder = SummaryBuilder()
    for record in records:
        builder.add(record)
    return builder.build(facts)


def row(summary: Summary, opponent: str) -> Comparison:
    (found,) = [row for row in summary.comparisons if row.opponent == opponent]
    return found


# ------------------------------------------------------------------------------------------ by hand


def test_a_gauntlet_is_told_by_its_first_place() -> None:
    summary = summary_of(gauntlet("cand", {"a": 0.6, "b": 0.4}, 20))
    assert summary.shape is Shape.GAUNTLET
    assert summary.candidate == "cand"
    assert summary.bots[0].name == "cand"
    assert {row.bot for row in summary.comparisons} == {"cand"}
    assert summary.overall is not None
    assert summary.overall.opponent is None
    assert summary.lead is None
    assert (summary.n_maps, summary.n_games) == (40, 80)
    assert (summary.seats, summary.games_per_map) == (2, 2)


def test_anything_else_is_a_round_robin() -> None:
    summary = summary_of(round_robin({"a": 3.0, "b": 1.0, "c": 0.2}, 30))
    assert summary.shape is Shape.ROUND_ROBIN
    assert summary.candidate is None
    assert summary.overall is None
    assert [bot.name for bot in summary.bots] == ["a", "b", "c"]
    assert [(row.bot, row.opponent) for row in summary.comparisons] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert summary.lead is not None
    assert summary.lead.bot == "a"
    assert summary.lead.n_comparisons == 3


def test_a_round_robin_that_has_only_begun_is_not_taken_for_a_gauntlet() -> None:
    begun = round_robin({"a": 1.0, "b": 1.0, "c": 1.0}, 1)[:2]
    assert {record.lineup[0] for record in begun} == {"a"}
    assert summary_of(begun).shape is Shape.GAUNTLET
    assert summary_of(begun, replace(DONE, candidate="")).shape is Shape.ROUND_ROBIN
    assert summary_of(begun, replace(DONE, candidate="a")).shape is Shape.GAUNTLET


def test_nothing_and_one_bot_alone_have_states() -> None:
    assert summary_of([]).shape is Shape.EMPTY
    alone = summary_of([map_record(0, ("solo",), [game_record((0,), (1.0,))])])
    assert alone.shape is Shape.SINGLE
    assert alone.comparisons == ()
    assert alone.first_seat is None


def test_penta_won_split_lost_and_games() -> None:
    summary = summary_of(penta_maps(("cand", "champ"), (3, 5, 7, 11, 13)))
    only = row(summary, "champ")
    assert only.penta == (3, 5, 7, 11, 13)
    assert (only.maps_won, only.maps_split, only.maps_lost) == (24, 7, 8)
    assert (only.wins, only.draws, only.losses) == (7 + 11 + 26, 16, 6 + 5 + 7)
    assert only.n_games == 78
    assert only.points == only.wins + only.draws / 2
    assert only.z == pytest.approx((only.wins - only.losses) / math.sqrt(only.wins + only.losses))
    per_game = wilson(only.points, 78)
    assert (only.per_game_low, only.per_game_high) == (per_game.low, per_game.high)
    assert summary.overall == replace(only, opponent=None, side_corrected=only.side)


def test_the_interval_is_over_maps() -> None:
    summary = summary_of(penta_maps(("cand", "champ"), (20, 30, 50, 40, 60)))
    scores = [0.0] * 20 + [0.25] * 30 + [0.5] * 50 + [0.75] * 40 + [1.0] * 60
    want = map_t(scores)
    got = row(summary, "champ").estimate
    assert (got.score, got.low, got.high, got.sd) == (want.mean, want.low, want.high, want.sd)
    assert got.n_units == got.n_maps == 200


def test_mirrored_maps_are_the_same_game_with_seats_swapped() -> None:
    summary = summary_of(mirrored(("a", "b"), 40))
    only = row(summary, "b")
    assert only.mirrored_maps == 40
    assert only.maps_split == 40
    assert only.repeated_games == 0  # alike on one map: one game, not a repeat
    assert summary.repeats.n_games == 40
    other = penta_maps(("a", "b"), (0, 0, 30, 0, 0), n_mirrored=12)
    assert row(summary_of(other), "b").mirrored_maps == 12


def test_games_that_repeat_other_maps_are_counted_whatever_the_seats() -> None:
    records = [
        map_record(0, ("a", "b"), [game_record((0, 1), (1, 0), moves="x"), game_record((1, 0), (1, 0), moves="y")]),
        map_record(1, ("a", "b"), [game_record((0, 1), (1, 0), moves="y"), game_record((1, 0), (1, 0), moves="z")]),
        map_record(2, ("a", "b"), [game_record((0, 1), (1, 0), moves="x"), game_record((1, 0), (1, 0), moves="x")]),
        map_record(3, ("a", "c"), [game_record((0, 1), (1, 0), moves="x"), game_record((1, 0), (1, 0), moves="")]),
        map_record(4, ("a", "c"), [game_record((0, 1), (0, 1), moves="", plies=0)]),
    ]
    summary = summary_of(records)
    assert summary.repeats.n_repeated == 2
    assert summary.repeats.n_games == 7
    assert summary.repeats.is_exact
    assert (row(summary, "b").repeated_games, row(summary, "c").repeated_games) == (2, 0)


def test_voids_are_attempts_that_came_to_nothing() -> None:
    records = [replace(record, attempt=1 + record.job % 3) for record in gauntlet("cand", {"a": 0.5, "b": 0.5}, 6)]
    summary = summary_of(records)
    assert summary.n_voids == sum(record.attempt - 1 for record in records)
    assert sum(row.voids for row in summary.comparisons) == summary.n_voids


def test_forfeits_are_counted_by_bot_kind_and_pair() -> None:
    records = gauntlet("cand", {"a": 0.5, "b": 0.5}, 10)
    records[0] = with_fault(records[0], 1, FaultKind.TIMEOUT, "late")
    records[2] = with_fault(records[2], 1, FaultKind.CRASH, "gone")
    records[3] = with_fault(records[3], 0, FaultKind.ILLEGAL, "what")
    summary = summary_of(records)
    assert summary.bot("a").forfeits.by_kind() == ((FaultKind.TIMEOUT, 1), (FaultKind.CRASH, 1))
    assert summary.bot("cand").forfeits.total == 1
    assert row(summary, "a").opponent_forfeits.total == 2
    assert row(summary, "b").bot_forfeits.illegal == 1
    assert summary.overall is not None
    assert summary.overall.opponent_forfeits.total == 2
    assert [(note.job, note.bot) for note in summary.first_forfeits] == [(0, "a"), (2, "a"), (3, "cand")]
    assert summary.first_forfeits[0].opponents == ("cand",)


def test_only_the_first_forfeits_are_kept_whatever_the_order() -> None:
    records = [with_fault(record, 1, FaultKind.TIMEOUT, "late") for record in gauntlet("cand", {"a": 0.5}, 20)]
    random.Random(3).shuffle(records)
    summary = summary_of(records)
    assert [note.job for note in summary.first_forfeits] == list(range(N_FORFEIT_NOTES))
    assert summary.bot("a").forfeits.timeout == 20


def test_time_per_ply_comes_from_the_bins() -> None:
    record = duel_map(0, ("a", "b"), 0.5, random.Random(1))
    first = record.games[0]
    bins = ((think_bin(1_000_000), 97), (think_bin(50_000_000), 3))
    seat = replace(first.bots[0], plies=100, think_s=0.247, max_ply_s=0.0505, ply_bins=bins)
    idle = replace(first.bots[1], plies=0, think_s=0.0, max_ply_s=0.0, ply_bins=())
    summary = summary_of([replace(record, games=(replace(first, bots=(seat, idle)),))])
    time = summary.bot("a").ply_time
    assert time.n_plies == 100
    assert time.median_s == pytest.approx(0.001, rel=0.07)
    assert time.p99_s == pytest.approx(0.050, rel=0.07)
    assert time.max_s == 0.0505
    assert time.total_s == pytest.approx(0.247)
    assert summary.bot("b").ply_time.median_s is None
    assert summary.bot("b").ply_time.max_s is None


def test_pauses_between_sessions_are_not_playing_time() -> None:
    records = gauntlet("cand", {"a": 0.5}, 20)  # one begins each half second and lasts 0.8 s
    assert summary_of(records).busy_s == pytest.approx(19 * 0.5 + 0.8)
    later = [replace(record, started=record.started.replace("2026-11-30", "2026-12-04")) for record in records[10:]]
    resumed = summary_of(records[:10] + later)
    assert resumed.busy_s == pytest.approx(2 * (9 * 0.5 + 0.8))
    assert resumed.games_per_s == pytest.approx(40 / resumed.busy_s)


def test_four_seats_compare_pairwise_and_score_the_share_beaten() -> None:
    lineup = ("cand", "a", "b", "c")
    record = map_record(
        0,
        lineup,
        [
            game_record((0, 1, 2, 3), (1.0, 2 / 3, 1 / 3, 0.0), moves="p"),
            game_record((1, 2, 3, 0), (0.5, 1.0, 0.0, 0.5), moves="q"),  # cand level with a, behind b
        ],
    )
    summary = summary_of([record])
    assert summary.shape is Shape.GAUNTLET
    assert [
        (r.opponent, r.wins, r.draws, r.losses) for r in sorted(summary.comparisons, key=lambda r: str(r.opponent))
    ] == [
        ("a", 1, 1, 0),
        ("b", 1, 0, 1),
        ("c", 2, 0, 0),
    ]
    assert row(summary, "a").penta == (0, 0, 0, 1, 0)
    assert summary.overall is not None
    assert summary.overall.estimate.score == pytest.approx(0.75)
    assert summary.bot("b").estimate.score == pytest.approx((1 / 3 + 1.0) / 2)


def test_bots_that_meet_in_several_lineups_on_a_map_have_one_score_there() -> None:
    records = at_tables(40, [("a", "b", "c"), ("a", "b", "d"), ("a", "b", "e"), ("c", "d", "e")], random.Random(3))
    summary = summary_of(records)
    by_map: dict[int, list[float]] = {}
    for record in records:
        if "b" in record.lineup:
            for game in record.games:
                lead = game.scores[game.seating.index(0)] - game.scores[game.seating.index(1)]
                by_map.setdefault(record.seed, []).append(1.0 if lead > 0 else 0.0)
    want = map_t([sum(scores) / len(scores) for scores in by_map.values()])
    pair = next(row for row in summary.comparisons if {row.bot, row.opponent} == {"a", "b"})
    low, high = (pair.estimate.low, pair.estimate.high)
    if pair.bot == "b":
        low, high = 1.0 - high, 1.0 - low
    assert (low, high) == pytest.approx((want.low, want.high))
    assert (pair.estimate.n_maps, pair.estimate.n_units) == (120, 40)
    once = next(row for row in summary.comparisons if {row.bot, row.opponent} == {"a", "c"})
    assert (once.estimate.n_maps, once.estimate.n_units) == (40, 40)
    assert summary.lead is not None
    assert summary.lead.n_comparisons == 10


def test_intervals_of_mixed_lineups_cover_what_they_should() -> None:
    """Bots of equal strength on maps that favour some of them: 95 % intervals miss an even score about 5 % of the time.

    Taking each lineup as independent they would miss it three times as often: the bound lies between the two.
    """
    source = random.Random(11)
    n_missed = n_seen = 0
    for _ in range(60):
        lineups = [("a", "b", "c"), ("a", "b", "d"), ("a", "c", "d"), ("b", "c", "d")]
        summary = summary_of(at_tables(12, lineups, source))
        n_missed += sum(bool(row.estimate.side) for row in summary.comparisons)
        n_seen += len(summary.comparisons)
    assert n_missed / n_seen < 0.09


def test_seats_have_their_luck() -> None:
    records = at_tables(200, [("a", "b", "c", "d")], random.Random(5))
    summary = summary_of(records)
    scores = [seat.score or 0.0 for seat in summary.seat_luck]
    assert scores == sorted(scores, reverse=True), "each seat costs something more than the one before"
    assert sum(scores) == pytest.approx(2.0)
    for seat in range(4):
        means = [sum(game.scores[seat] for game in record.games) / 4 for record in records]
        want = map_t(means)
        assert (summary.seat_luck[seat].low, summary.seat_luck[seat].high) == pytest.approx((want.low, want.high))
    assert summary.first_seat == summary.seat_luck[0]
    assert summary_of(gauntlet("cand", {"x": 0.5}, 5)).seat_luck == ()


def test_a_plan_without_a_candidate_has_none() -> None:
    records = at_tables(5, [("a", "b", "c", "d")], random.Random(5))
    assert summary_of(records).shape is Shape.GAUNTLET, "the records alone cannot tell"
    builder = SummaryBuilder()
    for record in records:
        builder.add(record)
    assert builder.build(RunFacts(name="made", candidate="")).shape is Shape.ROUND_ROBIN
    duel = SummaryBuilder()
    for record in gauntlet("a", {"b": 0.5}, 3):
        duel.add(record)
    assert duel.build(RunFacts(name="made", candidate="")).shape is Shape.GAUNTLET


def test_holm_takes_back_what_chance_gives_to_one_of_many() -> None:
    counts = {f"o{index}": (12, 0, 40, 0, 14) for index in range(9)}
    records: list[MapRecord] = []
    for opponent, penta in {**counts, "odd": (8, 0, 38, 0, 20)}.items():
        records += [
            replace(record, job=len(records) + index)
            for index, record in enumerate(penta_maps(("cand", opponent), penta))
        ]
    summary = summary_of(records)
    odd = row(summary, "odd")
    assert odd.side == 1  # by itself its interval leaves out an even score
    assert odd.side_corrected == 0  # as one of ten it does not
    alone = summary_of(penta_maps(("cand", "odd"), (8, 0, 38, 0, 20)))
    assert row(alone, "odd").side_corrected == 1


def test_bands_are_made_only_while_the_run_is_not_done() -> None:
    records = gauntlet("cand", {"a": 0.6}, 30)
    done = summary_of(records)
    assert done.is_final
    assert row(done, "a").estimate.band_low is None
    for facts in (replace(DONE, planned=31), replace(DONE, state=RunState.INTERRUPTED, planned=31)):
        going = summary_of(records, facts)
        assert not going.is_final
        estimate = row(going, "a").estimate
        assert estimate.band_low is not None
        assert estimate.band_high is not None
        assert estimate.band_low < estimate.low < estimate.high < estimate.band_high
    assert summary_of(records, replace(DONE, planned=30)).is_final


# --------------------------------------------------------------------------------- against a second reading


@given(record_lists(max_maps=10))
@settings(max_examples=60)
def test_counts_agree_with_a_second_reading(records: list[MapRecord]) -> None:
    summary = summary_of(records)
    assert summary.n_maps == len(records)
    assert summary.n_games == sum(len(record.games) for record in records)
    assert summary.n_plies == sum(game.plies for record in records for game in record.games)
    for bot in summary.bots:
        seats = [
            (game, seat)
            for record in records
            for game in record.games
            for seat, index in enumerate(game.seating)
            if record.lineup[index] == bot.name
        ]
        assert bot.n_games == len(seats)
        assert bot.ply_time.n_plies == sum(game.bots[seat].plies for game, seat in seats)
        kinds = Counter(fault.kind for game, seat in seats for fault in game.faults if fault.seat == seat)
        assert dict(bot.forfeits.by_kind()) == dict(kinds)
        scores = [
            score / len(record.games)
            for record in records
            for name, score in zip(record.lineup, record.scores, strict=True)
            if name == bot.name
        ]
        assert bot.estimate.score == pytest.approx(sum(scores) / len(scores))
        assert (bot.n_maps, bot.estimate.n_maps) == (len(scores), len(scores))


@given(record_lists(max_maps=10))
@settings(max_examples=60)
def test_pairs_agree_with_a_second_reading(records: list[MapRecord]) -> None:
    summary = summary_of(records)
    for pair in summary.comparisons:
        means: list[float] = []
        counts: Counter[float] = Counter()
        for record in records:
            if pair.bot not in record.lineup or pair.opponent not in record.lineup:
                continue
            one, two = record.lineup.index(pair.bot), record.lineup.index(pair.opponent)
            meetings = []
            for game in record.games:
                mine, theirs = game.scores[game.seating.index(one)], game.scores[game.seating.index(two)]
                meetings.append(1.0 if mine > theirs else 0.0 if mine < theirs else 0.5)
            counts.update(meetings)
            means.append(sum(meetings) / len(meetings))
        assert (pair.wins, pair.draws, pair.losses) == (counts[1.0], counts[0.5], counts[0.0])
        assert pair.maps_won == sum(mean > 0.5 for mean in means)
        assert pair.maps_lost == sum(mean < 0.5 for mean in means)
        assert pair.maps_split == sum(mean == 0.5 for mean in means)
        want = map_t(means)
        assert pair.estimate.score == pytest.approx(want.mean)
        assert pair.estimate.low == pytest.approx(want.low, abs=1e-9)
        assert pair.estimate.high == pytest.approx(want.high, abs=1e-9)
        assert pair.side == pair.estimate.side


@given(record_lists(max_maps=8), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_the_order_of_records_changes_nothing(records: list[MapRecord], source: random.Random) -> None:
    shuffled = list(records)
    source.shuffle(shuffled)
    one, two = to_data(summary_of(records)), to_data(summary_of(shuffled))
    assert _rounded(one) == _rounded(two)


@given(record_lists(max_maps=8, seats=2))
@settings(max_examples=40)
def test_exchanging_two_bots_turns_every_number_round(records: list[MapRecord]) -> None:
    names = {"ann": "zed", "bob": "bob", "cy": "cy", "dee": "dee", "eve": "eve"}  # changes which name sorts first
    renamed = [replace(record, lineup=tuple(names[name] for name in record.lineup)) for record in records]
    one, two = summary_of(records), summary_of(renamed)
    found = {(names[row.bot], names[row.opponent or ""]): row for row in one.comparisons}
    for again in two.comparisons:
        key = (again.bot, again.opponent or "")
        same = found.get(key)
        if same is not None:
            assert again.estimate.score == pytest.approx(same.estimate.score)
            assert (again.wins, again.losses, again.side) == (same.wins, same.losses, same.side)
        else:
            other = found[key[::-1]]
            assert again.estimate.score == pytest.approx(1.0 - (other.estimate.score or 0.0))
            assert again.estimate.low == pytest.approx(1.0 - other.estimate.high)
            assert (again.wins, again.losses, again.side) == (other.losses, other.wins, -other.side)
            assert again.penta == (None if other.penta is None else other.penta[::-1])


@given(record_lists(), st.sampled_from(RunState), st.one_of(st.none(), st.integers(0, 30)))
@settings(max_examples=30)
def test_json_holds_only_finite_numbers(records: list[MapRecord], state: RunState, planned: int | None) -> None:
    summary = summary_of(records, RunFacts(name="any", state=state, planned=planned))
    text = to_json(summary, judge(summary))
    assert text.isascii()
    read = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    assert not re.search(r"-0\.0(?!\d)", text)
    assert read["schema"] == 1
    assert read["verdict"]["headline"]
    assert read["n_maps"] == len(records)


def _rounded(value: object) -> object:
    """Sums of floats may differ in their last bits."""
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return value
