"""From the records of a score contest to a `ScoreSummary`. Relative scores need all results of a seed, which are kept.

Eight bytes a result and an entry a seed; the numbers do not depend on the order of the records. While a run goes on
nothing is made relative: then there are running means only. Must not read files.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from harness.records import MapRecord, Objective, Scoring
from harness.report.model import CONFIDENCE
from harness.report.score_model import ScoreBot, ScorePair, ScoreSummary
from harness.seeding import child_seed
from harness.stats.intervals import sign_test_p
from harness.stats.paired_numbers import correlation, numbers_interval
from harness.stats.seed_scores import best_of, compare, filled_in, is_more_better, measure, usable

MAX_BOOTSTRAP_SEEDS = 5_000
"""With more seeds the bootstrap is left out: there it says what t says, and takes seconds."""

N_RESAMPLES = 4_000

_MISSING, _FAILED = math.nan, math.inf


@dataclass(frozen=True, slots=True)
class Baseline:
    """Earlier results: the scores on each seed, and the names of where they are from."""

    names: tuple[str, ...] = ()
    scores: Mapping[int, tuple[float, ...]] | None = None

    def at(self, seed: int) -> tuple[float, ...]:
        """Give the results on a seed, none if there are none."""
        return () if self.scores is None else self.scores.get(seed, ())


def score_of(record: MapRecord) -> float | None:
    """Give the score of a record of one bot; None if the bot failed or the number is none that can be counted."""
    game = record.games[0]
    return None if game.faults or not game.values else usable(game.values[0])


class ScoreBook:
    """Takes records of one-bot line-ups. A bot's first result on a seed is the one that counts."""

    def __init__(self, scoring: Scoring, baseline: Baseline | None = None) -> None:
        self.scoring = scoring
        self._baseline = baseline or Baseline()
        self._places: dict[int, int] = {}
        self._results: dict[str, array[float]] = {}
        self._running: dict[str, _Running] = {}
        self._first_jobs: dict[str, int] = {}

    def add(self, record: MapRecord) -> None:
        """Take one record."""
        name, score = record.lineup[0], score_of(record)
        results = self._results.get(name)
        if results is None:
            results = self._results[name] = array("d")
            self._running[name] = _Running()
        place = self._places.setdefault(record.seed, len(self._places))
        if place >= len(results):
            results.extend([_MISSING] * (place + 1 - len(results)))
        if not math.isnan(results[place]):
            return
        results[place] = _FAILED if score is None else score
        self._first_jobs[name] = min(record.job, self._first_jobs.get(name, record.job))
        game = record.games[0]
        self._running[name].add(score, game.bots[0].think_s if game.bots[0].plies else game.wall_s)

    def build(self, candidate: str | None, *, is_final: bool) -> ScoreSummary:
        """Give the summary of what was taken; with `is_final` relative numbers, intervals and comparisons too."""
        if not is_final:
            bots = [running.summary(name) for name, running in self._running.items()]
            bots.sort(key=lambda bot: self._first_jobs[bot.name])
            return self.summary(candidate, bots, (), 0, 0)
        return _Final(self).summary(candidate)

    # ------------------------------------------------------------------------------------ for the final summary

    @property
    def names(self) -> list[str]:
        """The bots, in the order of their names, so that nothing depends on who came first."""
        return sorted(self._results)

    def time_of(self, name: str) -> float | None:
        """Give the mean time of a bot's seeds."""
        return self._running[name].mean_time_s

    def rows(self) -> list[tuple[int, list[float | None], list[bool], tuple[float, ...]]]:
        """Give, for each seed in order: the seed, each bot's score, whether it has played it, earlier results."""
        columns = [self._results[name] for name in self.names]
        rows = []
        for seed, place in sorted(self._places.items()):
            cells = [column[place] if place < len(column) else _MISSING for column in columns]
            scores = [cell if math.isfinite(cell) else None for cell in cells]
            played = [not math.isnan(cell) for cell in cells]
            rows.append((seed, scores, played, self._baseline.at(seed)))
        return rows

    def summary(
        self,
        candidate: str | None,
        bots: Sequence[ScoreBot],
        pairs: Sequence[ScorePair],
        n_unmeasured: int,
        n_comparisons: int,
    ) -> ScoreSummary:
        """Put a summary together."""
        scoring = self.scoring
        return ScoreSummary(
            objective=scoring.objective,
            relative=scoring.relative,
            failed_score=scoring.failed_score,
            seed_score=scoring.seed_score,
            candidate=candidate if candidate in self._results else None,
            n_seeds=len(self._places),
            n_unmeasured=n_unmeasured,
            baseline=self._baseline.names,
            n_baseline_seeds=sum(bool(self._baseline.at(seed)) for seed in self._places),
            bots=tuple(bots),
            pairs=tuple(pairs),
            n_comparisons=n_comparisons,
        )


class _Running:
    """A bot's mean while the run goes on."""

    __slots__ = ("n", "n_failed", "time_us", "total")

    def __init__(self) -> None:
        self.n = 0
        self.time_us = 0  # whole, so that the order of the records does not show
        self.n_failed = 0
        self.total = 0.0

    def add(self, score: float | None, time_s: float) -> None:
        self.n += 1
        self.time_us += round(1e6 * time_s)
        if score is None:
            self.n_failed += 1
        else:
            self.total += score

    def summary(self, name: str) -> ScoreBot:
        n_scored = self.n - self.n_failed
        mean = self.total / n_scored if n_scored else None
        return ScoreBot(name, self.n, self.n_failed, None, None, mean, None, 0, 0, self.mean_time_s)

    @property
    def mean_time_s(self) -> float | None:
        return self.time_us / 1e6 / self.n if self.n else None


class _Final:
    """All numbers of a book, each seed looked at once."""

    def __init__(self, book: ScoreBook) -> None:
        self._book = book
        self._scoring = scoring = book.scoring
        self._names = names = book.names
        self._at = {name: index for index, name in enumerate(names)}
        self._rows = book.rows()
        self._measured: list[list[float | None]] = []
        self._filled: list[list[float | None]] = []
        self._n_best = [0] * len(names)
        self._n_unmeasured = 0
        for _, scores, played, earlier in self._rows:
            here = [index for index in range(len(names)) if played[index]]
            own = [scores[index] for index in here]
            values = measure(own, earlier, scoring)
            self._n_unmeasured += values is None
            self._measured.append(_spread(values, here, len(names)))
            filled: Sequence[float | None] = filled_in(own, earlier, scoring) or own
            self._filled.append(_spread(filled, here, len(names)))
            best = best_of((*own, *earlier), scoring.objective)
            for index in here:
                is_best = scores[index] is not None and compare(scores[index], best, scoring.objective) == 0
                self._n_best[index] += is_best

    def summary(self, candidate: str | None) -> ScoreSummary:
        bots = [self._bot(name) for name in self._names]
        sign = 1.0 if is_more_better(self._scoring) else -1.0
        bots.sort(
            key=lambda bot: (
                bot.name != candidate,
                math.inf if bot.measured is None else -sign * bot.measured,
                bot.n_failed,
                bot.name,
            )
        )
        if len(bots) < 2:
            return self._book.summary(candidate, bots, (), self._n_unmeasured, 0)
        first, *others = bots
        duels = [_Duel(self, first.name, other.name) for other in others]
        if first.name == candidate:
            n_comparisons = len(others)
            sides = _holm_sides(duels)
        else:  # the first was picked by its result: one of all pairs
            n_comparisons = len(bots) * (len(bots) - 1) // 2
            sides = [duel.side(1.0 - (1.0 - CONFIDENCE) / n_comparisons) for duel in duels]
        pairs = [duel.pair(side) for duel, side in zip(duels, sides, strict=True)]
        return self._book.summary(candidate, bots, pairs, self._n_unmeasured, n_comparisons)

    def _bot(self, name: str) -> ScoreBot:
        index = self._at[name]
        scores = [row[1][index] for row in self._rows if row[2][index]]
        there = [score for score in scores if score is not None]
        measured = [value for row in self._measured if (value := row[index]) is not None]
        filled = [value for row in self._filled if (value := row[index]) is not None]
        total = math.fsum(filled) if filled and len(filled) == len(scores) else None
        return ScoreBot(
            name=name,
            n_seeds=len(scores),
            n_failed=len(scores) - len(there),
            mean=None if total is None else total / len(scores),
            total=total,
            mean_scored=math.fsum(there) / len(there) if there else None,
            measured=math.fsum(measured) / len(measured) if measured else None,
            n_measured=len(measured),
            n_best=self._n_best[index],
            time_s=self._book.time_of(name),
        )

    def shared(self, first: str, second: str) -> list[int]:
        """Give the rows that both have played."""
        a, b = self._at[first], self._at[second]
        return [number for number, row in enumerate(self._rows) if row[2][a] and row[2][b]]

    def count_played(self, name: str) -> int:
        """Count the seeds that a bot has played."""
        return sum(row[2][self._at[name]] for row in self._rows)

    def columns(self, table: str, first: str, second: str, rows: Sequence[int]) -> tuple[list[float], list[float]]:
        """Give both bots' numbers of a table ("measured" or "filled") on the rows on which both have one."""
        source = self._measured if table == "measured" else self._filled
        a, b = self._at[first], self._at[second]
        both = [(x, y) for row in rows if (x := source[row][a]) is not None and (y := source[row][b]) is not None]
        return [x for x, _ in both], [y for _, y in both]

    def scores(self, name: str, rows: Sequence[int]) -> list[float | None]:
        """Give a bot's scores as they were."""
        return [self._rows[row][1][self._at[name]] for row in rows]

    @property
    def objective(self) -> Objective:
        """Which way is better."""
        return self._scoring.objective

    @property
    def sign(self) -> int:
        """Whether a higher measured number is the better one: 1, else −1."""
        return 1 if is_more_better(self._scoring) else -1


class _Duel:
    """Two bots on the seeds that both have played."""

    def __init__(self, whole: _Final, bot: str, opponent: str) -> None:
        self._whole = whole
        self.bot = bot
        self.opponent = opponent
        self._shared = whole.shared(bot, opponent)
        self._xs, self._ys = whole.columns("measured", bot, opponent, self._shared)
        self._differences = [x - y for x, y in zip(self._xs, self._ys, strict=True)]
        self._boot = _bootstrap(self._differences)

    def side(self, confidence: float) -> int:
        """Say who is better at a level: only if Student's t and the bootstrap both say so."""
        interval = numbers_interval(self._differences, confidence)
        side = interval.side
        if side and self._boot is not None:
            low, high = self._boot(confidence)
            side = side if (low > 0.0 if side > 0 else high < 0.0) else 0
        return side * self._whole.sign

    def pair(self, side_corrected: int) -> ScorePair:
        """Give the comparison as plain data."""
        whole, shared = self._whole, self._shared
        first, second = whole.scores(self.bot, shared), whole.scores(self.opponent, shared)
        results = [compare(x, y, whole.objective) for x, y in zip(first, second, strict=True)]
        wins, losses = results.count(1), results.count(-1)
        low, high = self._boot(CONFIDENCE) if self._boot is not None else (None, None)
        own, theirs = whole.columns("filled", self.bot, self.opponent, shared)
        both = [(x, y) for x, y in zip(first, second, strict=True) if x is not None and y is not None]
        ratios = [math.log(x) - math.log(y) for x, y in both if x > 0.0 and y > 0.0]
        has_percent = theirs and min(theirs) > 0.0 and min(own) > 0.0 and len(theirs) == len(shared)
        return ScorePair(
            bot=self.bot,
            opponent=self.opponent,
            n_seeds=len(shared),
            n_only_bot=whole.count_played(self.bot) - len(shared),
            n_only_opponent=whole.count_played(self.opponent) - len(shared),
            wins=wins,
            ties=results.count(0),
            losses=losses,
            sign_p=sign_test_p(wins, losses),
            bot_failed=first.count(None),
            opponent_failed=second.count(None),
            difference=numbers_interval(self._differences, CONFIDENCE),
            boot_low=low,
            boot_high=high,
            absolute=numbers_interval([x - y for x, y in zip(own, theirs, strict=True)], CONFIDENCE),
            ratio=numbers_interval(ratios, CONFIDENCE),
            opponent_mean=math.fsum(theirs) / len(theirs) if has_percent else None,
            correlation=correlation(self._xs, self._ys),
            side=self.side(CONFIDENCE),
            side_corrected=side_corrected,
        )


def _spread(values: Sequence[float | None] | None, places: Sequence[int], size: int) -> list[float | None]:
    """Put the values of those who have played a seed at their places; None for the others, and for no values."""
    row: list[float | None] = [None] * size
    if values is not None:
        for place, value in zip(places, values, strict=True):
            row[place] = value
    return row


def _bootstrap(values: Sequence[float]) -> Callable[[float], tuple[float, float]] | None:
    """Give the bootstrap's interval at any level; None where it is not or cannot be made."""
    if not 2 <= len(values) <= MAX_BOOTSTRAP_SEEDS:
        return None
    from harness.stats.bootstrap_t import studentise  # noqa: PLC0415 - numpy, for finished runs only

    found = studentise(values, seed=child_seed("score contest"), n_resamples=N_RESAMPLES)
    return None if found is None else found.interval


def _holm_sides(duels: Sequence[_Duel]) -> list[int]:
    """Give the sides that hold for all comparisons together: Holm's method on intervals, as `estimates.holm_sides`."""
    sides = [0] * len(duels)
    left = list(range(len(duels)))
    while left:
        level = 1.0 - (1.0 - CONFIDENCE) / len(left)
        found = {index: side for index in left if (side := duels[index].side(level))}
        if not found:
            break
        for index, side in found.items():
            sides[index] = side
        left = [index for index in left if index not in found]
    return sides
