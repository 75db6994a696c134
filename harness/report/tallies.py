"""Running counts of a run's records: by pair of bots, by bot, and of the run's wall time.

Memory follows the number of bots and pairs, never the number of maps. Must do no statistics; `estimates` does.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache

from harness.records import FaultKind, SeatRecord, bin_middle_s, median_bin
from harness.report.clusters import ClusterSums
from harness.report.model import Forfeits, PlyTime
from harness.stats.tally import MapTally

PAUSE_S = 10.0
"""A longer gap in which no game was played is a pause between sessions, not part of the run."""

SCORE_DIGITS = 12
"""Scores that differ by rounding alone are one score."""


def mean_score(total: float, n_games: int) -> float:
    """Give the mean of the scores of some games: from 0 to 1, with no difference that rounding made."""
    return min(1.0, max(0.0, round(total / n_games, SCORE_DIGITS)))


@dataclass(slots=True)
class PairTally:
    """What happened between two bots, from the side of the first."""

    maps: MapTally = field(default_factory=MapTally)
    n_games: int = 0
    points: float = 0.0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    maps_won: int = 0
    maps_lost: int = 0
    is_penta: bool = True
    mirrored_maps: int = 0
    repeated_games: int = 0
    voids: int = 0
    first_faults: Counter[FaultKind] = field(default_factory=Counter)
    second_faults: Counter[FaultKind] = field(default_factory=Counter)
    n_lineups: int = 0
    clusters: ClusterSums | None = None
    """Where two bots may meet in several lineups on one map (more than two seats): their scores by map."""

    def add_lineup(self, n_seats: int) -> None:
        """Take note of a lineup in which the two meet, before its maps come."""
        self.n_lineups += 1
        if n_seats > 2 and self.clusters is None:
            self.clusters = ClusterSums()

    def units(self) -> MapTally:
        """Give the scores of what is independent: one lineup's maps, or maps with all the lineups in which they met."""
        return self.maps if self.clusters is None or self.n_lineups == 1 else self.clusters.unit_tally()

    def add_map(self, seed: int, meetings: list[float]) -> None:
        """Add one lineup on the map of `seed`: in each game the first bot's score against the second (1, ½, 0)."""
        n_games = len(meetings)
        total = 0.0
        for score in meetings:
            total += score
            if score > 0.5:
                self.wins += 1
            elif score < 0.5:
                self.losses += 1
            else:
                self.draws += 1
        self.n_games += n_games
        self.points += total
        mean = mean_score(total, n_games)
        self.maps.add(mean)
        if self.clusters is not None:
            self.clusters.add(seed, mean)
        if mean > 0.5:
            self.maps_won += 1
        elif mean < 0.5:
            self.maps_lost += 1
        if n_games != 2:
            self.is_penta = False


@dataclass(slots=True)
class BotTally:
    """What one bot did in all of its games."""

    clusters: ClusterSums = field(default_factory=ClusterSums)
    n_maps: int = 0
    n_games: int = 0
    n_plies: int = 0
    think_s: float = 0.0
    max_ply_s: float | None = None
    bins: dict[int, int] = field(default_factory=dict)
    faults: Counter[FaultKind] = field(default_factory=Counter)
    cpu_s: float | None = None
    starved_s: float | None = None
    max_rss_mb: float | None = None
    in_process: bool = False

    def add_seat(self, seat: SeatRecord) -> None:
        """Add what the bot used in one game."""
        n_plies, cpu_s, starved_s, rss_mb = seat.plies, seat.cpu_s, seat.starved_s, seat.rss_mb
        self.n_games += 1
        self.n_plies += n_plies
        self.think_s += seat.think_s
        if n_plies and (self.max_ply_s is None or seat.max_ply_s > self.max_ply_s):
            self.max_ply_s = seat.max_ply_s
        bins = self.bins
        for index, n in seat.ply_bins:
            if index in bins:
                bins[index] += n
            else:
                bins[index] = n
        if cpu_s is not None:
            self.cpu_s = cpu_s if self.cpu_s is None else self.cpu_s + cpu_s
        if starved_s is not None:
            self.starved_s = starved_s if self.starved_s is None else self.starved_s + starved_s
        if rss_mb is not None and (self.max_rss_mb is None or rss_mb > self.max_rss_mb):
            self.max_rss_mb = rss_mb
        if seat.in_process:
            self.in_process = True

    def ply_time(self) -> PlyTime:
        """Give the think times per ply; quantiles from the bins, the longest as measured."""
        return PlyTime(
            n_plies=self.n_plies,
            median_s=self._quantile_s(0.5),
            p99_s=self._quantile_s(0.99),
            max_s=self.max_ply_s,
            total_s=self.think_s,
        )

    def _quantile_s(self, share: float) -> float | None:
        index = median_bin(self.bins, share)
        if index is None:
            return None
        middle = bin_middle_s(index)
        return middle if self.max_ply_s is None else min(middle, self.max_ply_s)


def forfeits(faults: Counter[FaultKind]) -> Forfeits:
    """Give counted faults as plain data."""
    return Forfeits(
        faults[FaultKind.TIMEOUT], faults[FaultKind.CRASH], faults[FaultKind.ILLEGAL], faults[FaultKind.RULED]
    )


@lru_cache(4)
def _second_of(started: str) -> float:
    """Read a time in ISO 8601, in UTC where it does not say; most maps of a run start in the same second as another."""
    at = datetime.fromisoformat(started)
    return (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).timestamp()


class BusyTime:
    """Wall time of a run without the pauses between its sessions, from the records alone.

    Records come about in the order of their ends, so one open stretch of time is enough: a record that begins
    more than PAUSE_S after the stretch's end starts a new one.
    """

    __slots__ = ("_closed_s", "_high_s", "_low_s")

    def __init__(self) -> None:
        self._closed_s = 0.0
        self._low_s: float | None = None
        self._high_s = 0.0

    def add(self, started: str, wall_s: float) -> None:
        """Add a record's start (ISO 8601) and length."""
        start_s = _second_of(started[:19]) + float(started[19:-1] or 0) if started[-1:] == "Z" else _second_of(started)
        end_s = start_s + max(wall_s, 0.0)
        if self._low_s is None:
            self._low_s, self._high_s = start_s, end_s
        elif start_s > self._high_s + PAUSE_S:
            self._closed_s += self._high_s - self._low_s
            self._low_s, self._high_s = start_s, end_s
        else:
            if not self._closed_s:
                self._low_s = min(self._low_s, start_s)
            self._high_s = max(self._high_s, end_s)

    def seconds(self) -> float:
        """Give the time so far."""
        return 0.0 if self._low_s is None else self._closed_s + self._high_s - self._low_s
