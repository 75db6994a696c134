"""From what the loop saw of a map's games to its record and transcripts. Pure but for reading no file and no clock.

It is done some maps at a time, after they were played: what a game needs is then not pushed out of the processor's
caches by what its record needs, which takes a third off a quick game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from time import gmtime, strftime
from typing import Protocol

from harness.making import maker
from harness.play.game import PlayedGame
from harness.play.plies import PlyLog, SeatTotals
from harness.play.table import Seats
from harness.protocols.base import Player, Usage
from harness.protocols.metadata import Disputed, Pairs, merge_of_game
from harness.records import SCHEMA, GameRecord, MapJob, MapRecord, SeatRecord, Termination, Transcript

Recorded = tuple[MapRecord, tuple[Transcript, ...]]


_make_map, _make_game, _make_seat = maker(MapRecord), maker(GameRecord), maker(SeatRecord)
_make_transcript = maker(Transcript)
_NORMAL = Termination.NORMAL


class Played(Protocol):
    """A map that was played and is still to be written down."""

    @property
    def job(self) -> MapJob:
        """Which job it was."""

    def record(self) -> Recorded:
        """Give its record and transcripts."""


@dataclass(slots=True)
class PlayedSeating:
    """One game of a map as it came from the loop: its actions, and what its bots used."""

    seats: Seats
    log: list[str]
    played: PlayedGame
    usages: list[Usage]


@dataclass(slots=True)
class PlayedMap:
    """All games of a map. `started_ns` is since 1970, `wall_ns` how long it took."""

    job: MapJob
    worker: int
    map_name: str
    properties: Pairs
    started_ns: int
    wall_ns: int
    seatings: list[PlayedSeating]

    def record(self) -> Recorded:
        """Put together what is written of it."""
        job = self.job
        games = [_game_record(job, number, game) for number, game in enumerate(self.seatings)]
        totals = [0.0] * len(job.lineup)
        for game in games:
            for index, score in zip(game.seating, game.scores, strict=True):
                totals[index] += score
        record = _make_map(
            SCHEMA,
            job.run,
            job.id,
            job.stage,
            job.split,
            job.seed,
            self.map_name,
            self.seatings[0].seats.lineup,
            tuple(totals),
            tuple(games),
            utc_text(self.started_ns),
            seconds(self.wall_ns),
            self.worker,
            job.attempt,
            True,  # one map for all its games
            self.properties,
        )
        if not job.transcripts:
            return record, ()
        return record, tuple([_transcript(job, number, game) for number, game in enumerate(self.seatings)])


def _game_record(job: MapJob, number: int, game: PlayedSeating) -> GameRecord:
    played, usages, log, players = game.played, game.usages, game.log, game.seats.players
    outcome, faults = played.outcome, played.faults
    seating = job.seatings[number]
    is_forfeit = faults and outcome.termination is _NORMAL and len(seating) == 2
    data, disputed = merged_data(usages)
    return _make_game(
        seating,
        outcome.scores,
        Termination.FORFEIT if is_forfeit else outcome.termination,
        _in_words(outcome.detail, game.seats.names),
        len(log),
        seconds(played.wall_ns),
        digest_of(log),
        seat_records(played.plies, players, usages),
        tuple(faults),
        outcome.values,
        transcript_name(job.id, number) if job.transcripts else None,
        data,
        disputed,
    )


def merged_data(usages: Sequence[Usage]) -> tuple[Pairs, Disputed]:
    """Give what the bots said of the game, and what they contradict each other in."""
    for used in usages:
        if used.said is not None:
            return merge_of_game([each.said.of_game if each.said is not None else () for each in usages])
    return (), ()


@lru_cache(64)
def _in_words(detail: str, names: tuple[str, ...]) -> str:
    return detail.format(*names)


def seat_records(plies: PlyLog, players: Sequence[Player], usages: Sequence[Usage]) -> tuple[SeatRecord, ...]:
    """Sum up what each seat used."""
    totals = plies.totals
    return tuple([_seat_record(totals(seat), used, players[seat].in_process) for seat, used in enumerate(usages)])


def _seat_record(totals: SeatTotals, used: Usage, in_process: bool) -> SeatRecord:
    n_plies, total_ns, longest_ns, bins = totals
    said = used.said
    if said is None:
        return _make_seat(
            n_plies, seconds(total_ns), seconds(longest_ns), used.cpu_s, used.rss_mb, used.starved_s, bins, in_process
        )
    return _make_seat(
        n_plies,
        seconds(total_ns),
        seconds(longest_ns),
        used.cpu_s,
        used.rss_mb,
        used.starved_s,
        bins,
        in_process,
        said.of_bot,
        said.n_dropped,
    )


def _transcript(job: MapJob, number: int, game: PlayedSeating) -> Transcript:
    """Make a game's transcript. What engines said is looked through here, all at once: a ply has better to do."""
    plies = game.played.plies
    return _make_transcript(
        job.id, number, job.seed, game.seats.names, tuple(game.log), plies.think_us(), plies.infos()
    )


def digest_of(actions: Sequence[str]) -> str:
    """Give the digest of a sequence of actions, as `moves` has it."""
    return f"b2:{blake2b(chr(10).join(actions).encode(), digest_size=16).hexdigest()}"


def transcript_file(job_id: int) -> str:
    """Name the file, within a run, that holds a job's transcripts: a thousand jobs a file."""
    return f"t/{job_id // 1000:04d}.jsonl"


def transcript_name(job_id: int, game: int) -> str:
    """Name the transcript of a game: its file and where in it."""
    return f"t/{job_id // 1000:04d}.jsonl#{job_id}-{game}"


def seconds(ns: int) -> float:
    """Give nanoseconds as seconds, to the microsecond."""
    return (ns + 500) // 1000 / 1_000_000


def utc_text(now_ns: int) -> str:
    """Write nanoseconds since 1970 as UTC in ISO 8601, to the millisecond."""
    return f"{_second_text(now_ns // 1_000_000_000)}.{now_ns // 1_000_000 % 1000:03d}Z"


@lru_cache(1)
def _second_text(second: int) -> str:
    return strftime("%Y-%m-%dT%H:%M:%S", gmtime(second))
