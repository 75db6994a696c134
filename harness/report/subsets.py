"""The second reading of a run that is filtered or grouped: the games of each group, summed up as a run of their own.

The map stays the unit: of a map of which only some games are kept the score is that of the games that are, and it
counts once. Memory follows groups, bots and columns. Must not choose which groups to show.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from harness.records import MapRecord, Scalar
from harness.report.clusters import ClusterSums
from harness.report.estimates import holm_sides_of
from harness.report.fields import FIELDS, Place, seen_from, values_of
from harness.report.model import CONFIDENCE, RunFacts, Shape, Summary
from harness.report.summary import SummaryBuilder
from harness.report.survey import Bin, Grouping, Query
from harness.stats.intervals import MeanInterval, of_tally
from harness.stats.tally import MapTally

MIN_UNITS = 10
"""Fewer maps in a group, or beside it, are not compared with the rest."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A candidate's score in a group less that in all other games, in shares; `side` holds for all groups together."""

    score: float
    low: float
    high: float
    side: int


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a key over a bot's games: of `n` games in which it is a number; in `n_texts` it is text."""

    bot: str
    key: str
    mean: float | None
    n: int
    n_texts: int


@dataclass(frozen=True, slots=True)
class Subset:
    """One group. `low` and `high` are the least and the greatest number in it, or `value` its only value.

    `n_maps` counts map records; in `n_partial` of them some games were left out. `sides` are those of the summary's
    rows after correction for all intervals of all groups: its comparisons, or its bots; `overall_side` that of all
    together.
    """

    value: Scalar
    low: float | None
    high: float | None
    n_maps: int
    n_games: int
    n_partial: int
    summary: Summary
    sides: tuple[int, ...]
    overall_side: int
    rest: Difference | None
    means: tuple[Mean, ...]


@dataclass(frozen=True, slots=True)
class Dispute:
    """Bots said different things of one game: where first, which key, what each seat said."""

    job: int
    game: int
    key: str
    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class SubsetReport:
    """A run, filtered and grouped.

    `whole` is all that was kept; `groups` is empty without `by`. Games that do not say what `where` needs are in
    `n_unknown`, kept ones without the key of `by` in `n_ungrouped`. `n_intervals` are shown and corrected for together;
    `by_luck` is the chance that one of so many leaves out an even score by luck alone. `result_keys` are known only
    when a game is over. `dropped` counts lines of data that were too much, by bot.
    """

    run: RunFacts
    where: str | None
    by: str | None
    bot: str | None
    n_maps: int
    n_games: int
    n_unknown: int
    n_ungrouped: int
    n_intervals: int
    by_luck: float
    result_keys: tuple[str, ...]
    n_disputed: int
    first_dispute: Dispute | None
    dropped: tuple[tuple[str, int], ...]
    whole: Subset
    groups: tuple[Subset, ...]


@dataclass(slots=True)
class _Sums:
    """Sum of a key's numbers over a bot's games."""

    total: float = 0.0
    n: int = 0
    n_texts: int = 0

    def add(self, value: Scalar) -> None:
        if isinstance(value, str):
            self.n_texts += 1
        elif value is not None:
            self.total += value
            self.n += 1


@dataclass(slots=True)
class _Group:
    """What a group has so far."""

    builder: SummaryBuilder
    n_partial: int = 0
    low: float | None = None
    high: float | None = None
    sums: dict[tuple[str, str], _Sums] = field(default_factory=dict)

    def see(self, value: Scalar) -> None:
        """Take note of a value that belongs to the group."""
        if isinstance(value, int | float):
            self.low = value if self.low is None else min(self.low, value)
            self.high = value if self.high is None else max(self.high, value)


class SubsetBuilder:
    """Takes every record once more and sorts its games."""

    def __init__(
        self, query: Query, bot: str | None, grouping: Grouping | None, make: Callable[[], SummaryBuilder]
    ) -> None:
        self._query = query
        self._bot = bot
        self._grouping = grouping
        self._whole = _Group(make())
        self._groups = [_Group(make()) for _ in grouping.bins] if grouping else []
        self._n_maps = self._n_games = self._n_unknown = self._n_ungrouped = self._n_disputed = 0
        self._first_dispute: Dispute | None = None
        self._dropped: dict[str, int] = {}
        self._asked = {key.name.rpartition(".")[2] for key in query.keys} | {key.name for key in query.keys}

    def add(self, record: MapRecord) -> None:
        """Take one record."""
        bot = seen_from(record, self._bot)
        if self._bot is not None and bot is None:
            return
        self._n_maps += 1
        self._n_games += len(record.games)
        kept: list[int] = []
        by_group: dict[int, list[int]] = {}
        for number in range(len(record.games)):
            place = Place(record, number, bot)
            self._note(place)
            where = self._query.where
            holds = True if where is None else where.holds(partial(_look_up, place))
            if holds is None:
                self._n_unknown += 1
            if holds:
                kept.append(number)
                self._sort(place, by_group)
        if kept:
            self._take(self._whole, record, kept, bot)
        for group, numbers in by_group.items():
            self._take(self._groups[group], record, numbers, bot)

    def _note(self, place: Place) -> None:
        """Count what is not as it should be: disputed keys that were asked for, lines that were dropped."""
        game = place.game
        for key, values in game.disputed:
            if key in self._asked:
                self._n_disputed += 1
                if self._first_dispute is None or place.record.job < self._first_dispute.job:
                    self._first_dispute = Dispute(place.record.job, place.number, key, values)
        for seat, used in enumerate(game.bots):
            if used.data_dropped:
                name = place.record.lineup[game.seating[seat]]
                self._dropped[name] = self._dropped.get(name, 0) + used.data_dropped

    def _sort(self, place: Place, by_group: dict[int, list[int]]) -> None:
        by, grouping = self._query.by, self._grouping
        if by is None or grouping is None:
            return
        values = values_of(by.name, place)
        if not values:
            self._n_ungrouped += 1
        for value in dict.fromkeys(values):
            group = grouping.find(value)
            if group is not None:
                self._groups[group].see(value)
                numbers = by_group.setdefault(group, [])
                if place.number not in numbers:
                    numbers.append(place.number)

    def _take(self, group: _Group, record: MapRecord, numbers: Sequence[int], bot: int | None) -> None:
        group.n_partial += len(numbers) < len(record.games)
        for key in self._query.columns:
            for number in numbers:
                for index, name in enumerate(record.lineup):
                    sums = group.sums.setdefault((name, key.name), _Sums())
                    for value in values_of(key.name, Place(record, number, index)):
                        sums.add(value)
        group.builder.add(take_games(record, numbers, bot or 0))

    # -------------------------------------------------------------------------------------- what comes of it

    def build(self, run: RunFacts, *, n_maps: int, n_games: int) -> SubsetReport:
        """Give the report. `n_maps` and `n_games` are those of the whole run."""
        facts = replace(run, candidate=self._bot or "", planned=None)
        groups = [(group, each) for group, each in zip(self._groups, self._bins(), strict=True) if group.builder.n_maps]
        shown = groups or [(self._whole, Bin())]
        summaries = [group.builder.build(facts) for group, _ in shown]
        rows = [self._intervals(group.builder, summary) for (group, _), summary in zip(shown, summaries, strict=True)]
        sides = iter(holm_sides_of([make for makers in rows for make in makers]))
        rests = self._rests([group for group, _ in groups])
        made = []
        for number, ((group, each), summary, makers) in enumerate(zip(shown, summaries, rows, strict=True)):
            own = [next(sides) for _ in makers]
            rest = rests[number] if groups else None
            made.append(self._subset(group, each, summary, own, rest))
        whole = made[0] if not groups else self._subset(self._whole, Bin(), self._whole.builder.build(facts), [], None)
        n_intervals = sum(map(len, rows))
        return SubsetReport(
            run=run,
            where=None if self._query.where is None else self._query.where.text,
            by=None if self._query.by is None else self._query.by.name,
            bot=self._bot,
            n_maps=n_maps,
            n_games=n_games,
            n_unknown=self._n_unknown,
            n_ungrouped=self._n_ungrouped,
            n_intervals=n_intervals,
            by_luck=1.0 - CONFIDENCE**n_intervals,
            result_keys=self._result_keys(),
            n_disputed=self._n_disputed,
            first_dispute=self._first_dispute,
            dropped=tuple(sorted(self._dropped.items())),
            whole=whole,
            groups=tuple(made) if groups else (),
        )

    def _bins(self) -> Sequence[Bin]:
        return self._grouping.bins if self._grouping else ()

    def _result_keys(self) -> tuple[str, ...]:
        by = () if self._query.by is None else (self._query.by,)
        asked = (*(() if self._query.where is None else self._query.where.keys), *by)
        names = dict.fromkeys(key.name for key in asked)
        return tuple(name for name in names if name in FIELDS and FIELDS[name].is_result)

    def _intervals(self, builder: SummaryBuilder, summary: Summary) -> list[Callable[[float], MeanInterval] | None]:
        """Give what makes the interval of each row that is shown, in their order."""
        if summary.shape is Shape.GAUNTLET:
            made: list[Callable[[float], MeanInterval] | None] = []
            for row in summary.comparisons:
                units = builder.units(row.bot, row.opponent or "")
                made.append(partial(_seen, units, row.bot > (row.opponent or "")))
            if len(summary.comparisons) > 1:
                made.append(builder.clusters(summary.candidate or "").interval)
            return made
        if summary.shape is Shape.ROUND_ROBIN:
            return [builder.clusters(bot.name).interval for bot in summary.bots]
        return []

    def _rests(self, groups: Sequence[_Group]) -> list[Difference | None]:
        """Compare the candidate's score in each group with that in all other games."""
        bot = self._bot
        if bot is None:
            return [None] * len(groups)
        everything = ClusterSums()
        for group in groups:  # not those of the whole: a map may have games in several groups
            everything.add_all(group.builder.clusters(bot))
        makers: list[Callable[[float], MeanInterval] | None] = []
        for group in groups:
            own = group.builder.clusters(bot)
            rest = everything.without(own)
            enough = own.n_units >= MIN_UNITS and rest.n_units >= MIN_UNITS
            makers.append(partial(own.lead_interval, rest) if enough else None)
        sides = holm_sides_of(makers)
        return [
            None if make is None else _difference(make(CONFIDENCE), side)
            for make, side in zip(makers, sides, strict=True)
        ]

    def _subset(
        self, group: _Group, each: Bin, summary: Summary, sides: Sequence[int], rest: Difference | None
    ) -> Subset:
        n_rows = len(summary.comparisons) if summary.shape is Shape.GAUNTLET else len(summary.bots)
        overall = sides[n_rows] if len(sides) > n_rows else sides[0] if len(sides) == 1 else 0
        means = tuple(
            Mean(bot, key, sums.total / sums.n if sums.n else None, sums.n, sums.n_texts)
            for (bot, key), sums in sorted(group.sums.items(), key=lambda item: item[0][0])
        )
        return Subset(
            value=each.value,
            low=group.low,
            high=group.high,
            n_maps=group.builder.n_maps,
            n_games=group.builder.n_games,
            n_partial=group.n_partial,
            summary=summary,
            sides=tuple(sides[:n_rows]),
            overall_side=overall,
            rest=rest,
            means=means,
        )


def _look_up(place: Place, key: str) -> tuple[Scalar, ...]:
    return values_of(key, place)


def _seen(units: MapTally, is_other_side: bool, level: float) -> MeanInterval:
    """Give the interval of a pair's units from the side that is asked for."""
    plain = of_tally(units, level)
    if not is_other_side:
        return plain
    mean = None if plain.mean is None else 1.0 - plain.mean
    return replace(plain, mean=mean, low=1.0 - plain.high, high=1.0 - plain.low)


def _difference(interval: MeanInterval, side: int) -> Difference:
    mean = 0.5 if interval.mean is None else interval.mean
    return Difference(2.0 * mean - 1.0, 2.0 * interval.low - 1.0, 2.0 * interval.high - 1.0, side)


def take_games(record: MapRecord, numbers: Sequence[int], bot: int = 0) -> MapRecord:
    """Give a record with some of its games only, and with the bot at `bot` first in its lineup."""
    games = tuple(record.games[number] for number in numbers)
    lineup = record.lineup
    if bot:
        order = [bot, *(index for index in range(len(lineup)) if index != bot)]
        place = {old: new for new, old in enumerate(order)}
        lineup = tuple(lineup[index] for index in order)
        games = tuple(replace(game, seating=tuple(place[index] for index in game.seating)) for game in games)
    elif len(games) == len(record.games):
        return record
    totals = [0.0] * len(lineup)
    for game in games:
        for index, score in zip(game.seating, game.scores, strict=True):
            totals[index] += score
    return replace(record, lineup=lineup, games=games, scores=tuple(totals))
