"""The plan of a run: every map job in order, made when asked for. Pure: no files, no clock, no random state.

A job's id, seed and seatings follow from config, ledger and fingerprints alone. Jobs go map by map, so that in
every prefix of the plan all lineups have played the same maps, give or take one; mixed lineups take turns, so that in
every prefix all bots have played the same number of games, give or take one lineup.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import overload

from harness.config.settings import Config
from harness.errors import ConfigError
from harness.making import maker
from harness.plan.schedule import ScheduleError, build_lineups, lineups_per_map
from harness.plan.seatings import SeatsError, build_seatings
from harness.records import Adjudication, BotSpec, Ledger, MapJob, RefereeMode, RefereeSpec, RulesSpec, TimeControl

_make_job = maker(MapJob)


@dataclass(frozen=True, slots=True)
class Plan(Sequence[MapJob]):
    """All map jobs of a run, as a sequence that holds none of them: job i is map i // n, n lineups playing each map.

    The lineup of job i is i modulo their number; all of them play each map unless `per_map` says how many.
    `seeds[m]` is the seed of map m. `run` names the run; the bots' seeds follow from `run_key`.
    """

    run: str
    run_key: str
    stage: str
    split: str
    seeds: Sequence[int]
    lineups: tuple[tuple[BotSpec, ...], ...]
    seatings: tuple[tuple[int, ...], ...]
    rules: RulesSpec
    time: TimeControl
    adjudication: Adjudication
    transcripts: bool
    referee: RefereeSpec | None = None
    per_map: int | None = None

    @property
    def n_maps(self) -> int:
        """How many maps are played."""
        return len(self.seeds)

    @property
    def lineups_per_map(self) -> int:
        """How many lineups play each map."""
        return len(self.lineups) if self.per_map is None else self.per_map

    @property
    def n_games(self) -> int:
        """How many games there are in all."""
        return len(self) * len(self.seatings)

    def __len__(self) -> int:
        return len(self.seeds) * self.lineups_per_map

    @overload
    def __getitem__(self, index: int) -> MapJob: ...
    @overload
    def __getitem__(self, index: slice) -> list[MapJob]: ...
    def __getitem__(self, index: int | slice) -> MapJob | list[MapJob]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        lineups, seeds = self.lineups, self.seeds
        per_map = len(lineups) if self.per_map is None else self.per_map
        job = index if index >= 0 else index + len(self)
        at = job // per_map
        if not 0 <= at < len(seeds):
            raise IndexError(f"the plan has {len(self)} jobs, there is no job {index}")
        return _make_job(
            job,
            self.run,
            self.run_key,
            self.stage,
            self.split,
            seeds[at],
            lineups[job % len(lineups)],
            self.seatings,
            self.rules,
            self.time,
            self.adjudication,
            self.transcripts,
            1,
            True,  # the first attempt, which a starved bot voids
            self.referee,
        )


def build_plan(
    config: Config,
    ledger: Ledger,
    *,
    n_seats: int,
    run: str,
    run_key: str,
    stage: str = "run",
) -> Plan:
    """Make the plan of a config.

    `n_seats` is what the rules say. The config's bots carry their fingerprints; they go into every job as they are.
    Seeds that the ledger gave (`maps.first`) are taken as they are. Raises ConfigError, with the config's line:
    the test split, more maps than the split has seeds, seats that do not fit the rules, too few bots.
    """
    maps = config.maps
    if maps.split == "test" and maps.first is None:
        raise ConfigError(
            "`maps.split`: test seeds are spent by `harness gate`",
            where=config.locate("maps", "split"),
            got="test",
            allowed="train or validation",
            next_step="develop on train, compare on validation; what has been looked at proves nothing",
        )
    seeds = ledger.range_of(maps.split)
    if maps.first is None and not maps.seeds and maps.count > seeds.size:
        raise ConfigError(
            f"`maps.count`: the ledger has fewer {maps.split} seeds",
            where=config.locate("maps", "count"),
            got=str(maps.count),
            allowed=f"at most {seeds.size} ({ledger.path}: {seeds.first} to {seeds.last})",
            next_step="ask for fewer maps, or extend the range in the ledger",
        )
    try:
        seatings = build_seatings(config.seats, n_seats)
    except SeatsError as error:
        raise ConfigError(
            f"`seats`: {error.what}", where=config.locate("seats"), got=config.seats.value, next_step=error.next_step
        ) from None
    try:
        names = build_lineups(config.schedule, n_seats)
        per_map = lineups_per_map(config.schedule, n_seats)
    except ScheduleError as error:
        raise ConfigError(
            f"`schedule.{error.key}`: {error.what}",
            where=config.locate("schedule", error.key),
            got=error.got + _skipped(config),
            allowed=error.allowed,
            next_step=error.next_step,
        ) from None
    specs = {bot.name: bot for bot in config.bots}
    program = config.referee
    first = seeds.first if maps.first is None else maps.first
    played: Sequence[int] = maps.seeds or range(first, first + maps.count)
    if program is not None:
        _refuse_zero(config, program.spec, played)
    return Plan(
        run=run,
        run_key=run_key,
        stage=stage,
        split=maps.split,
        seeds=played,
        lineups=tuple(tuple(specs[name] for name in lineup) for lineup in names),
        seatings=seatings,
        rules=config.rules,
        time=config.time,
        adjudication=config.adjudication,
        transcripts=config.transcripts,
        per_map=per_map,
        referee=None if program is None else replace(program.spec, folder=str(config.results / run), warm=None),
    )


def _refuse_zero(config: Config, referee: RefereeSpec, seeds: Sequence[int]) -> None:
    """Refuse the seed 0 for a referee in Java: CodinGame's draw from SecureRandom, to which it is no seed at all."""
    is_java = re.fullmatch(r"java([-.]?\d+)?", Path(referee.command[0]).name) is not None
    if is_java and referee.mode is RefereeMode.BRUTAL and referee.is_paired and 0 in seeds:
        raise ConfigError(
            "seed 0 is no seed to a referee on CodinGame's SDK: it says that it plays it, on another map each time",
            where=config.locate("maps"),
            got="0 among the seeds to be played",
            next_step="begin the range in the ledger at 1",
        )


def _skipped(config: Config) -> str:
    if not config.skipped:
        return ""
    return "; skipped: " + ", ".join(f"{bot.name} ({bot.reason})" for bot in config.skipped)
