"""From map records to a `Summary`: records go in one by one, memory does not grow with their number.

The numbers do not depend on the order of the records, so they are the same for one worker and for many.
Must not read files or clocks, and must not hold text made for people.
"""

from __future__ import annotations

from itertools import combinations

from harness.records import FaultKind, GameRecord, MapRecord, Scoring
from harness.report.clusters import ClusterSums
from harness.report.comparisons import build_bot, build_comparison, build_lead, build_overall
from harness.report.estimates import holm_sides, of_interval
from harness.report.model import (
    CONFIDENCE,
    SUMMARY_SCHEMA,
    BotSummary,
    Comparison,
    ForfeitNote,
    Repeats,
    RunFacts,
    RunState,
    Shape,
    Summary,
)
from harness.report.repeats import RepeatCounter, group_key
from harness.report.score_book import Baseline, ScoreBook
from harness.report.score_model import ScoreSummary
from harness.report.tallies import BotTally, BusyTime, PairTally
from harness.stats.tally import MapTally

N_FORFEIT_NOTES = 5

_TIE = 1e-9
"""Shares that differ by rounding alone are a tie."""


class SummaryBuilder:
    """Takes map records, one at a time, and gives the summary of what it has taken.

    With `scoring` the results of bots that play alone are a score contest's, next to those of `baseline`.
    """

    def __init__(self, scoring: Scoring | None = None, baseline: Baseline | None = None) -> None:
        self._scores = None if scoring is None else ScoreBook(scoring, baseline)
        self._bots: dict[str, BotTally] = {}
        self._pairs: dict[tuple[str, str], PairTally] = {}
        self._lineups: dict[tuple[str, ...], bytes] = {}
        self._meetings: dict[tuple[str, ...], list[tuple[PairTally, int, int]]] = {}
        self._seats: list[ClusterSums] = []
        self._repeats = RepeatCounter()
        self._n_repeated = 0
        self._n_with_moves = 0
        self._busy = BusyTime()
        self._stages: set[str] = set()
        self._splits: set[str] = set()
        self._game_counts: set[int] = set()
        self._n_maps = 0
        self._n_games = 0
        self._n_plies = 0
        self._n_voids = 0
        self._n_unpaired = 0
        self._notes: list[ForfeitNote] = []

    @property
    def unit(self) -> str:
        """What people call a job: `map`, or `game` in a score contest, where a map is a job for each bot."""
        return "map" if self._scores is None else "game"

    @property
    def n_maps(self) -> int:
        """Number of records taken."""
        return self._n_maps

    @property
    def n_games(self) -> int:
        """Number of games in them."""
        return self._n_games

    def units(self, bot: str, opponent: str) -> MapTally:
        """Give what is independent of two bots that met, from the side of the one whose name comes first."""
        return self._pairs[min(bot, opponent), max(bot, opponent)].units()

    def clusters(self, bot: str) -> ClusterSums:
        """Give a bot's scores by map; none if it has not played."""
        return self._bots[bot].clusters if bot in self._bots else ClusterSums()

    def add(self, record: MapRecord) -> None:
        """Take one record."""
        lineup, games = record.lineup, record.games
        if lineup not in self._lineups:
            self._meet(lineup)
        n_games = len(games)
        self._n_maps += 1
        self._n_games += n_games
        self._n_voids += record.attempt - 1
        self._n_unpaired += not record.paired
        self._busy.add(record.started, record.wall_s)
        self._stages.add(record.stage)
        self._splits.add(record.split)
        self._game_counts.add(n_games)
        repeated = self._count_repeats(record)
        bots = [self._bots[name] for name in lineup]
        for bot, score in zip(bots, record.scores, strict=True):
            bot.n_maps += 1
            bot.clusters.add(record.seed, min(1.0, max(0.0, score / n_games)))
        if len(lineup) > 1:
            self._add_seats(record)
        elif self._scores is not None:
            self._scores.add(record)
        self._add_pairs(record, repeated)
        for number, game in enumerate(games):
            self._n_plies += game.plies
            for seat, used in zip(game.seating, game.bots, strict=True):
                bots[seat].add_seat(used)
            for fault in game.faults:
                bots[game.seating[fault.seat]].faults[fault.kind] += 1
                self._note(record, number, game, fault.seat, fault.kind, fault.ply, fault.detail)

    def build(self, run: RunFacts, *, with_bands: bool | None = None) -> Summary:
        """Give the summary of the records so far. `with_bands` False leaves out the always-valid bands.

        By default they are made while the run is not done: later nobody needs them.
        """
        planned_done = run.planned is None or self._n_maps >= run.planned
        bands = not planned_done or run.state.value != "done" if with_bands is None else with_bands
        shape, candidate = self._shape(run)
        bots = self._bot_summaries(candidate)
        comparisons = self._comparisons(shape, candidate, bots, with_bands=bands)
        games = self._game_counts
        busy_s = self._busy.seconds()
        sizes = {len(lineup) for lineup in self._lineups}
        seats = [of_interval(sums.interval(CONFIDENCE), sums.n) for sums in self._seats]
        return Summary(
            schema=SUMMARY_SCHEMA,
            run=run,
            shape=shape,
            candidate=candidate,
            stages=tuple(sorted(self._stages)),
            splits=tuple(sorted(self._splits)),
            seats=sizes.pop() if len(sizes) == 1 else 0,
            games_per_map=next(iter(games)) if len(games) == 1 else 0,
            n_maps=self._n_maps,
            n_games=self._n_games,
            n_plies=self._n_plies,
            n_voids=self._n_voids,
            busy_s=busy_s,
            games_per_s=self._n_games / busy_s if busy_s > 0.0 else None,
            bots=bots,
            comparisons=comparisons,
            overall=self._overall(candidate, comparisons),
            lead=build_lead(bots, self._bots) if shape is Shape.ROUND_ROBIN else None,
            first_seat=seats[0] if seats else None,
            repeats=Repeats(self._n_repeated, self._n_with_moves, self._repeats.is_exact),
            first_forfeits=tuple(self._notes),
            scores=self._score_summary(shape, run),
            seat_luck=tuple(seats) if len(seats) > 1 else (),
            n_unpaired=self._n_unpaired,
        )

    def _score_summary(self, shape: Shape, run: RunFacts) -> ScoreSummary | None:
        if self._scores is None or shape is not Shape.SINGLE:
            return None
        is_final = run.state is RunState.DONE and (run.planned is None or self._n_maps >= run.planned)
        return self._scores.build(run.candidate, is_final=is_final)

    # ------------------------------------------------------------------------------------- taking records

    def _meet(self, lineup: tuple[str, ...]) -> None:
        self._lineups[lineup] = group_key(lineup)
        for name in lineup:
            self._bots.setdefault(name, BotTally())
        meetings = []
        for pair in combinations(sorted(lineup), 2):
            tally = self._pairs.setdefault(pair, PairTally())
            tally.add_lineup(len(lineup))
            meetings.append((tally, lineup.index(pair[0]), lineup.index(pair[1])))
        self._meetings[lineup] = meetings

    def _add_seats(self, record: MapRecord) -> None:
        """Add what seats scored, whoever sat there: the first of two, each of more."""
        games = record.games
        n_seats = len(record.lineup) if len(record.lineup) > 2 else 1
        while len(self._seats) < n_seats:
            self._seats.append(ClusterSums())
        for seat in range(n_seats):
            total = 0.0
            for game in games:
                total += game.scores[seat]
            self._seats[seat].add(record.seed, min(1.0, max(0.0, total / len(games))))

    def _count_repeats(self, record: MapRecord) -> int:
        """Count the games of a record that repeat another map's. Games alike on one map count as one."""
        group = self._lineups[record.lineup]
        distinct = {game.moves for game in record.games if game.plies}
        repeated = 0
        for moves in distinct:
            repeated += self._repeats.is_repeat(group, moves)
        self._n_with_moves += len(distinct)
        self._n_repeated += repeated
        return repeated

    def _add_pairs(self, record: MapRecord, repeated: int) -> None:
        games, seed, n_voids, is_paired = record.games, record.seed, record.attempt - 1, record.paired
        is_mirrored = len(record.lineup) == 2 and len(games) == 2 and _is_mirrored(*games)
        for pair, one, two in self._meetings[record.lineup]:
            meetings = []
            for game in games:
                seating = game.seating
                seat_one, seat_two = seating.index(one), seating.index(two)
                meetings.append(_meeting(game, seat_one, seat_two))
                for fault in game.faults:
                    if fault.seat == seat_one:
                        pair.first_faults[fault.kind] += 1
                    elif fault.seat == seat_two:
                        pair.second_faults[fault.kind] += 1
            pair.add_map(seed, meetings)
            pair.voids += n_voids
            pair.repeated_games += repeated
            pair.mirrored_maps += is_mirrored
            if not is_paired:
                pair.is_penta = False

    def _note(
        self, record: MapRecord, number: int, game: GameRecord, seat: int, kind: FaultKind, ply: int, detail: str
    ) -> None:
        """Keep the forfeits of the lowest jobs, whatever order the records come in."""
        if len(self._notes) == N_FORFEIT_NOTES and record.job > self._notes[-1].job:
            return
        names = [record.lineup[index] for index in game.seating]
        others = tuple(name for index, name in enumerate(names) if index != seat)
        self._notes.append(ForfeitNote(record.job, number, names[seat], others, kind, ply, detail))
        self._notes.sort(key=lambda note: (note.job, note.game, note.ply, note.bot))
        del self._notes[N_FORFEIT_NOTES:]

    # ------------------------------------------------------------------------------------ making summaries

    def _shape(self, run: RunFacts) -> tuple[Shape, str | None]:
        if not self._lineups:
            return Shape.EMPTY, None
        if all(len(lineup) == 1 for lineup in self._lineups):
            return Shape.SINGLE, None
        firsts = {lineup[0] for lineup in self._lineups}
        is_duel = {len(lineup) for lineup in self._lineups} == {2} and len(self._lineups) == 1
        if len(firsts) == 1 and (is_duel or run.candidate in {None, *firsts}):
            return Shape.GAUNTLET, firsts.pop()
        return Shape.ROUND_ROBIN, None

    def _bot_summaries(self, candidate: str | None) -> tuple[BotSummary, ...]:
        """Give the bots, best score first; a gauntlet's candidate first and the rest in the order of its rows."""
        bots = [build_bot(name, tally) for name, tally in self._bots.items()]
        direction = -1.0 if candidate is None else 1.0
        bots.sort(key=lambda bot: (bot.name != candidate, direction * (bot.estimate.score or 0.0), bot.name))
        return tuple(bots)

    def _comparisons(
        self, shape: Shape, candidate: str | None, bots: tuple[BotSummary, ...], *, with_bands: bool
    ) -> tuple[Comparison, ...]:
        rank = {bot.name: index for index, bot in enumerate(bots)}
        pairs = [
            (names, tally) for names, tally in self._pairs.items() if shape is not Shape.GAUNTLET or candidate in names
        ]
        sides = holm_sides([tally.units() for _, tally in pairs])
        made = [
            build_comparison(names, tally, side, is_flipped=rank[names[1]] < rank[names[0]], with_band=with_bands)
            for (names, tally), side in zip(pairs, sides, strict=True)
        ]
        if shape is Shape.GAUNTLET:
            made.sort(key=lambda row: (-(row.estimate.score or 0.0), row.opponent or ""))
        else:
            made.sort(key=lambda row: (rank[row.bot], rank[row.opponent or row.bot]))
        return tuple(made)

    def _overall(self, candidate: str | None, rows: tuple[Comparison, ...]) -> Comparison | None:
        if candidate is None:
            return None
        return build_overall(candidate, rows, self._bots, n_repeated=self._n_repeated, n_voids=self._n_voids)


def _is_mirrored(first: GameRecord, second: GameRecord) -> bool:
    """Say whether two games are the same moves with the seats swapped."""
    return first.plies > 0 and first.moves == second.moves and first.seating == second.seating[::-1]


def _meeting(game: GameRecord, seat: int, other: int) -> float:
    """Give a seat's score against another's in one game. With two seats it is the game's own score."""
    if len(game.scores) == 2:
        return game.scores[seat]
    lead = game.scores[seat] - game.scores[other]
    return 1.0 if lead > _TIE else 0.0 if lead < -_TIE else 0.5
