"""A run filtered and grouped: the map stays the unit, marks hold for all that is shown, what is odd is said."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pytest

from harness.records import MapRecord, Scalar
from harness.report.clusters import ClusterSums
from harness.report.export import Json, to_data
from harness.report.expression import ExpressionError, parse, parse_key
from harness.report.fields import FIELDS, Place, values_of
from harness.report.layout import Look
from harness.report.model import RunFacts, RunState, Shape
from harness.report.subset_terminal import label_of, notes_of, render_keys, render_subsets, value_text
from harness.report.subsets import SubsetBuilder, SubsetReport, take_games
from harness.report.summary import SummaryBuilder
from harness.report.survey import FEW_VALUES, MAX_GROUPS, MAX_KEYS, GroupError, Query, Survey
from harness.stats.intervals import map_t
from tests.report.made_records import at_tables, gauntlet, round_robin

DONE = RunFacts(name="made", state=RunState.DONE)


def with_data(
    record: MapRecord,
    *,
    properties: dict[str, Scalar] | None = None,
    game: Callable[[int], dict[str, Scalar]] | None = None,
    bot: Callable[[str, int], dict[str, Scalar]] | None = None,
) -> MapRecord:
    """The record with what its map, its games and its bots say."""
    games = []
    for number, played in enumerate(record.games):
        seats = tuple(
            replace(used, data=tuple(bot(record.lineup[index], number).items())) if bot else used
            for index, used in zip(played.seating, played.bots, strict=True)
        )
        said = tuple(game(number).items()) if game else ()
        games.append(replace(played, data=said, bots=seats))
    return replace(record, games=tuple(games), properties=tuple((properties or {}).items()))


def made(n_maps: int = 60, seed: int = 1) -> list[MapRecord]:
    """A gauntlet against two, on maps of some cells; the candidate says how deep it looked."""
    return [
        with_data(
            record,
            properties={"cells": record.seed % 10, "shape": "ring" if record.seed % 3 else "bar"},
            game=partial(_rounds, record.seed),
            bot=lambda name, number: {"depth": 5 + number} if name == "cand" else {},
        )
        for record in gauntlet("cand", {"ann": 0.6, "bob": 0.45}, n_maps, seed)
    ]


def _rounds(seed: int, number: int) -> dict[str, Scalar]:
    return {"rounds": 10 * seed % 7 + number}


def ask(
    records: Sequence[MapRecord],
    where: str | None = None,
    by: str | None = None,
    *,
    width: float | None = None,
    columns: Sequence[str] = (),
    bot: str | None = None,
    facts: RunFacts = DONE,
) -> SubsetReport:
    """Ask as `harness show` does."""
    query = Query(
        None if where is None else parse(where),
        None if by is None else parse_key(by),
        width,
        tuple(parse_key(key) for key in columns),
        bot,
    )
    survey = Survey(query)
    for record in records:
        survey.add(record)
    for key in query.keys:
        if key not in query.columns:
            survey.check(key, where if where is not None and key in parse(where).keys else key.name, facts.candidate)
    subsets = SubsetBuilder(
        query, survey.candidate(facts.candidate), survey.grouping() if by is not None else None, SummaryBuilder
    )
    for record in records:
        subsets.add(record)
    report = subsets.build(facts, n_maps=survey.n_maps, n_games=survey.n_games)
    to_data(report)  # which refuses what is no finite number
    return report


def plain(records: Sequence[MapRecord], candidate: str | None = None) -> Json:
    builder = SummaryBuilder()
    for record in records:
        builder.add(record)
    return to_data(builder.build(replace(DONE, candidate=candidate)))


# -------------------------------------------------------------------------------------------------- filters


def test_everything_is_what_show_shows() -> None:
    records = made()
    assert to_data(ask(records).whole.summary) == plain(records, "cand")
    report = ask(records, "seed > 0")
    assert (report.whole.n_maps, report.whole.n_games, report.whole.n_partial) == (120, 240, 0)


def test_a_filter_on_maps_keeps_whole_maps() -> None:
    records = made()
    report = ask(records, "cells > 4 and shape == 'ring'")
    kept = [record for record in records if record.seed % 10 > 4 and record.seed % 3]
    assert to_data(report.whole.summary) == plain(kept, "cand")
    assert report.whole.n_partial == 0
    assert not any("seats do not cancel" in note for note in notes_of(report))
    only = ask(records, "opponent == 'bob'")
    assert to_data(only.whole.summary) == plain([record for record in records if "bob" in record.lineup], "cand")


def test_a_filter_that_keeps_one_seating_counts_each_map_once_and_says_so() -> None:
    records = made()
    report = ask(records, "seat == 1 and opponent == 'ann'")
    row = report.whole.summary.comparisons[0]
    scores = [record.games[1].scores[1] for record in records if "ann" in record.lineup]
    want = map_t(scores)
    assert (row.estimate.score, row.estimate.low, row.estimate.high) == pytest.approx((want.mean, want.low, want.high))
    assert row.estimate.n_units == 60
    assert row.penta is None
    assert report.whole.n_partial == 60
    assert any("In 60 of 60 map records only some games" in note for note in notes_of(report))


def test_results_that_choose_a_subset_are_named() -> None:
    report = ask(made(), "plies > 40 and cells > 2", by="termination")
    assert report.result_keys == ("plies", "termination")
    assert any("`plies` and `termination` are known only when a game is over" in note for note in notes_of(report))
    assert ask(made(), "rounds > 3").result_keys == ()


def test_games_that_do_not_say_are_left_out_and_counted() -> None:
    records = made(20)
    quiet = [replace(record, properties=()) if record.job < 10 else record for record in records]
    for where in ("cells > 4", "not cells > 4"):
        report = ask(quiet, where)
        assert report.n_unknown == 20
        assert "20 games do not say what the filter needs, and are left out." in notes_of(report)
    assert sum(ask(quiet, where).whole.n_games for where in ("cells > 4", "not cells > 4")) == 60
    grouped = ask(quiet, by="cells")
    assert grouped.n_ungrouped == 20
    assert "20 kept games have no `cells`, and are in no group." in notes_of(grouped)


def test_nothing_kept_is_said() -> None:
    report = ask(made(5), "plies < 0")
    assert report.whole.n_maps == 0
    assert notes_of(report)[0].startswith("No game is kept")
    assert "0 of 10 map records kept" in render_subsets(report, Look(100)).replace("\u202f", " ")


# ------------------------------------------------------------------------------------- whose place, which key


def test_every_field_has_a_value_from_a_bots_place() -> None:
    record = made(3)[1]
    place = Place(record, 1, 0)
    for name in FIELDS:
        assert values_of(name, place) or name == "value"
    assert values_of("seat", place) == (1,)
    assert values_of("score", place) == (record.games[1].scores[1],)
    assert values_of("opponent", place) == ("bob",)
    assert values_of("depth", place) == values_of("bot.depth", place) == (6,)
    assert values_of("opponent.depth", Place(record, 1, 1)) == (6,)
    assert values_of("cells", place) == values_of("map.cells", place) == (record.seed % 10,)
    assert values_of("game.rounds", place) == values_of("rounds", place)
    assert values_of("game.cells", place) == ()
    nobody = Place(record, 1, None)
    for name in ("seat", "opponent", "depth", "time_s", "opponent.depth"):
        assert values_of(name, nobody) == ()


def test_keys_of_one_name_are_told_apart_by_where_they_are_from() -> None:
    record = with_data(
        made(2)[0],
        properties={"k": 1, "seed": "own"},
        game=lambda _: {"k": 2, "g": 3},
        bot=lambda _name, _number: {"k": 4, "g": 5, "b": 6},
    )
    place = Place(record, 0, 0)
    assert [values_of(key, place) for key in ("k", "g", "b")] == [(1,), (3,), (6,)]
    assert [values_of(key, place) for key in ("game.k", "bot.k", "bot.g")] == [(2,), (4,), (5,)]
    assert values_of("seed", place) == (record.seed,)
    assert values_of("map.seed", place) == ("own",)
    survey = Survey(Query())
    survey.add(record)
    assert list(survey.names())[len(FIELDS) :] == ["k", "map.seed", "game.k", "g", "bot.k", "bot.g", "b"]


def test_a_bot_of_a_round_robin_is_seen_as_a_candidate() -> None:
    records = round_robin({"a": 3.0, "b": 2.0, "c": 1.0}, 30)
    report = ask(records, bot="b")
    assert report.whole.summary.shape is Shape.GAUNTLET
    assert report.whole.summary.candidate == "b"
    assert {row.opponent for row in report.whole.summary.comparisons} == {"a", "c"}
    builder = SummaryBuilder()
    for record in records:
        builder.add(record)
    pairs = {frozenset((row.bot, row.opponent)): row for row in builder.build(DONE).comparisons}
    for row in report.whole.summary.comparisons:
        same = pairs[frozenset(("b", row.opponent))]
        score = same.estimate.score if same.bot == "b" else 1.0 - (same.estimate.score or 0.0)
        assert row.estimate.score == pytest.approx(score)
    with pytest.raises(ExpressionError, match="`seat` is one bot's own, and this run has no candidate") as caught:
        ask(records, "seat == 0")
    assert caught.value.allowed == "a, b, c"


def test_games_taken_from_a_record_keep_who_scored_what() -> None:
    record = at_tables(1, [("a", "b", "c")], random.Random(2))[0]
    taken = take_games(record, [2, 0], bot=2)
    assert taken.lineup == ("c", "a", "b")
    for old, new in zip((record.games[2], record.games[0]), taken.games, strict=True):
        assert [record.lineup[index] for index in old.seating] == [taken.lineup[index] for index in new.seating]
        assert old.scores == new.scores
    for name in "abc":
        own = [game.scores[game.seating.index("abc".index(name))] for game in (record.games[2], record.games[0])]
        assert taken.scores[taken.lineup.index(name)] == pytest.approx(sum(own))
    assert take_games(record, [0, 1, 2]) is record


def test_a_table_of_three_is_kept_for_any_opponent_and_grouped_under_each() -> None:
    records = at_tables(20, [("a", "b", "c"), ("a", "b", "d")], random.Random(4))
    assert ask(records, "opponent == 'c'").whole.n_maps == 20
    groups = ask(records, by="opponent").groups
    assert [(group.value, group.n_maps) for group in groups] == [("b", 40), ("c", 20), ("d", 20)]


@pytest.mark.parametrize(
    ("where", "what", "step"),
    [
        ("cels > 3", "there is no key `cels` in this run", "did you mean `cells`?"),
        ("opponent == bob", "there is no key `bob` in this run", "text goes in quotes: 'bob'"),
        ("shape == ring", "there is no key `ring` in this run", "text goes in quotes: 'ring'"),
        ("map.depth > 3", "there is no key `map.depth` in this run", "did you mean"),
        ("opponent.nothing > 3", "there is no key `opponent.nothing` in this run", ""),
    ],
)
def test_keys_that_are_nowhere(where: str, what: str, step: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        ask(made(3), where)
    assert caught.value.what == what
    assert step in (caught.value.next_step or "")
    assert "cells, shape, rounds, depth" in (caught.value.allowed or "")


# --------------------------------------------------------------------------------------------------- groups


def test_few_numbers_make_a_group_each() -> None:
    groups = ask(made(), "cells < 5", by="cells").groups
    assert [group.value for group in groups] == [0, 1, 2, 3, 4]
    assert {group.n_maps for group in groups} == {12}


def test_many_numbers_are_cut_in_quarters() -> None:
    records = [with_data(record, properties={"area": 1000 + 7 * index}) for index, record in enumerate(made(100)[::2])]
    report = ask(records, by="area")
    assert [group.n_maps for group in report.groups] == [25, 25, 25, 25]
    assert [label_of(report, group) for group in report.groups][:2] == ["area 1000 to 1168", "area 1175 to 1343"]
    flat = [with_data(record, properties={"area": max(0, index - 80)}) for index, record in enumerate(records)]
    assert sum(group.n_maps for group in ask(flat, by="area").groups) == 100


def test_bins_of_a_width() -> None:
    groups = ask(made(), by="cells", width=4).groups
    assert [(group.low, group.high, group.n_maps) for group in groups] == [(0, 3, 48), (4, 7, 48), (8, 9, 24)]
    records = [with_data(record, properties={"x": record.seed % 5 * 0.1 - 0.2}) for record in made(10)]
    assert sum(group.n_maps for group in ask(records, by="x", width=0.1).groups) == 20


def test_text_and_numbers_side_by_side() -> None:
    records = [
        with_data(record, properties={"k": "odd" if record.seed % 2 else record.seed % 4}) for record in made(20)
    ]
    assert [group.value for group in ask(records, by="k").groups] == [0, 2, "odd"]
    assert [group.value for group in ask(made(), by="shape").groups] == ["bar", "ring"]


def test_too_many_groups_are_refused() -> None:
    records = [with_data(record, properties={"name": f"n{record.seed}"}) for record in made(MAX_GROUPS + 1)]
    with pytest.raises(GroupError, match="more groups than can be compared") as caught:
        ask(records, by="name")
    assert "--where" in caught.value.next_step
    with pytest.raises(GroupError) as caught:
        ask(records, by="seed", width=1)
    assert "--by seed:10," in caught.value.next_step
    assert len(ask(records, by="seed", width=10).groups) <= MAX_GROUPS
    with pytest.raises(GroupError, match="no game that is kept has `name`"):
        ask(records, "plies < 0", by="name")


def test_a_game_of_one_map_may_be_in_another_group() -> None:
    report = ask(made(30), by="seat")
    assert [(group.value, group.n_maps, group.n_games) for group in report.groups] == [(0, 60, 60), (1, 60, 60)]
    assert all(group.n_partial == 60 for group in report.groups)


def test_the_order_of_records_changes_nothing() -> None:
    records = [with_data(record, properties={"area": record.job * 37 % 101}) for record in made(60)]
    shuffled = list(records)
    random.Random(3).shuffle(shuffled)
    one, two = (ask(some, "plies > 35", by="area", columns=["plies"]) for some in (records, shuffled))
    assert [(group.low, group.high, group.n_games) for group in one.groups] == [
        (group.low, group.high, group.n_games) for group in two.groups
    ]
    assert [group.sides for group in one.groups] == [group.sides for group in two.groups]
    for mine, theirs in zip(one.groups, two.groups, strict=True):
        assert mine.summary.overall is not None
        assert theirs.summary.overall is not None
        assert mine.summary.overall.estimate.low == pytest.approx(theirs.summary.overall.estimate.low)
        assert [mean.mean for mean in mine.means] == pytest.approx([mean.mean for mean in theirs.means])


# ------------------------------------------------------------------------------------- many looks, one truth


def test_marks_hold_for_all_groups_together() -> None:
    """Even bots, ten groups and two opponents: without correction most such looks would find something."""
    n_plain = n_marked = 0
    for seed in range(15):
        records = [
            with_data(record, properties={"k": record.seed % 8})
            for record in gauntlet("cand", {"ann": 0.5, "bob": 0.5}, 96, seed)
        ]
        report = ask(records, by="k")
        assert report.n_intervals == 8 * 3
        rows = [row for group in report.groups for row in group.summary.comparisons]
        n_plain += any(row.estimate.side for row in rows)
        n_marked += any(side for group in report.groups for side in (*group.sides, group.overall_side))
    assert n_plain > 5
    assert n_marked <= 3
    assert report.by_luck == pytest.approx(1.0 - 0.95**24)


def planted(seed: int) -> list[MapRecord]:
    """The candidate is better on maps of the kind `k == 1` and nowhere else."""
    rng = random.Random(seed)
    records = []
    for index, record in enumerate(gauntlet("cand", {"ann": 0.5}, 200, seed)):
        kind = index % 4
        if kind == 1 and rng.random() < 0.8:
            games = [
                replace(game, scores=tuple(1.0 if bot == 0 else 0.0 for bot in game.seating)) for game in record.games
            ]
            won = replace(record, games=tuple(games), scores=(2.0, 0.0))
            records.append(with_data(won, properties={"k": kind}))
        else:
            records.append(with_data(record, properties={"k": kind}))
    return records


def test_a_group_that_differs_from_the_rest_is_found() -> None:
    records = planted(7)
    report = ask(records, by="k")
    assert [group.rest.side if group.rest else None for group in report.groups][1] == 1
    assert [group.overall_side for group in report.groups][1] == 1
    own, rest = ClusterSums(), ClusterSums()
    for record in records:
        (own if dict(record.properties)["k"] == 1 else rest).add(record.seed, record.scores[0] / 2)
    want = own.lead_interval(rest, 0.95)
    found = report.groups[1].rest
    assert found is not None
    assert want.mean is not None
    assert (found.score, found.low, found.high) == pytest.approx(
        (2 * want.mean - 1, 2 * want.low - 1, 2 * want.high - 1)
    )
    text = render_subsets(report, Look(110))
    assert "▲ +" in text
    assert "than elsewhere" in text


def test_small_groups_are_not_compared_with_the_rest() -> None:
    records = [with_data(record, properties={"k": int(index < 9)}) for index, record in enumerate(planted(3))]
    assert [group.rest is None for group in ask(records, by="k").groups] == [True, True]


def test_one_subset_is_a_warning_too() -> None:
    records = [record for record in made() if "ann" in record.lineup]
    assert any("One subset, chosen by whoever asked" in note for note in notes_of(ask(records, "cells > 4")))
    report = ask(made(), "cells > 4")
    assert report.n_intervals == 3
    assert any(note.startswith("3 intervals are shown.") and "14\u202f%" in note for note in notes_of(report))


def test_a_run_that_goes_on_shows_bands_and_no_marks() -> None:
    facts = replace(DONE, state=RunState.RUNNING, planned=1000)
    report = ask(planted(7), by="k", facts=facts)
    assert not report.groups[1].summary.is_final
    assert report.groups[1].summary.comparisons[0].estimate.band_low is not None
    text = render_subsets(report, Look(110))
    assert "▲" not in text
    assert "intervals are shown" not in text


# ------------------------------------------------------------------------------------ means, and what is odd


def test_means_are_of_each_bots_own_games() -> None:
    report = ask(made(30), columns=["depth", "rounds", "shape", "time_s"])
    means = {(mean.bot, mean.key): mean for mean in report.whole.means}
    assert means["cand", "depth"].mean == pytest.approx(5.5)
    assert means["cand", "depth"].n == 120
    assert ("ann", "depth") in means
    assert means["ann", "depth"].mean is None
    assert (means["ann", "shape"].mean, means["ann", "shape"].n_texts) == (None, 60)
    assert means["bob", "time_s"].n == 60
    text = render_subsets(report, Look(110))
    head = next(line for line in text.splitlines() if "Mean per game" in line)
    assert head.split()[-4:] == ["depth", "rounds", "shape", "time_s"]


def test_disputed_values_and_dropped_lines_are_said() -> None:
    records = made(10)
    first = records[3].games[1]
    disputed = replace(first, disputed=(("rounds", (4, 5)),), data=())
    records[3] = replace(records[3], games=(records[3].games[0], disputed))
    seats = tuple(replace(used, data_dropped=3) for used in records[4].games[0].bots)
    records[4] = replace(records[4], games=(replace(records[4].games[0], bots=seats), records[4].games[1]))
    report = ask(records, "rounds >= 0")
    assert (report.n_disputed, report.n_unknown) == (1, 1)
    notes = " ".join(notes_of(report))
    assert "first in job 3, game 1: `rounds` is 4 and 5 by seat" in notes
    assert "cand: 3 lines of data dropped" in notes
    assert ask(records, "cells >= 0").n_disputed == 0


def test_a_score_contest_is_seen_from_each_bots_own_place() -> None:
    solo = [
        replace(
            record, lineup=(name,), games=(replace(game, seating=(0,), scores=(1.0,), values=(value,)),), scores=(1.0,)
        )
        for record, name, value in zip(made(20), ["one", "two"] * 20, range(40), strict=True)
        for game in [replace(record.games[0], bots=record.games[0].bots[:1])]
    ]
    report = ask(solo, "seat == 0 and value < 30", by="value", width=10)
    assert [(group.low, group.high, group.n_maps) for group in report.groups] == [
        (0, 9, 10),
        (10, 19, 10),
        (20, 29, 10),
    ]
    text = render_subsets(report, Look(100))
    assert "value 0 to 9" in text
    assert "3 subsets shown, each by itself" in text


def test_keys_are_listed_with_their_values() -> None:
    survey = Survey(Query())
    for record in made(30):
        survey.add(record)
    lines = render_keys(survey, Look(100)).splitlines()
    found = {line.split()[0]: " ".join(line.split()[1:]) for line in lines[1:]}
    assert set(FIELDS) < set(found)
    assert found["cells"] == "60 maps 0 to 9"
    assert found["shape"] == "60 maps 'ring', 'bar'"
    assert found["depth"] == "120 seats 5 to 6"


def test_memory_is_bounded_whatever_is_said() -> None:
    survey = Survey(Query(by=parse_key("seed")))
    for index, record in enumerate(made(100)):
        survey.add(with_data(record, properties={f"k{index}-{number}": number for number in range(10)}))
    assert len(survey.known) == MAX_KEYS
    assert len(survey.grouping().bins) <= FEW_VALUES


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        (-3, "−3"),
        (2.5, "2.5"),
        (3.0, "3"),
        (0.123456, "0.1235"),
        (12345.67, "12346"),
        (-1e-7, "−1e−07"),
        ("a\nb", "a\\nb"),
        ("", "(empty)"),
    ],
)
def test_values_as_text(value: Scalar, text: str) -> None:
    assert value_text(value) == text
