"""A map job whose games are played by an external referee: from what it reports to the record.

As `map.play_map`, for referees that play whole games. It writes nothing and knows no grammar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic_ns, time_ns

from harness.play.recording import Recorded, digest_of, seconds, transcript_name, utc_text
from harness.play.table import Table
from harness.records import (
    SCHEMA,
    BotSpec,
    GameRecord,
    MapJob,
    MapRecord,
    SeatRecord,
    Termination,
    Transcript,
)
from harness.referee.base import WholeGame
from harness.seeding import bot_seeds

_NOTHING_MEASURED = SeatRecord(0, 0.0, 0.0)


@dataclass(slots=True)
class DelegatedMap:
    """A map whose record is made already: beside a process for every game nobody would see the difference."""

    job: MapJob
    recorded: Recorded

    def record(self) -> Recorded:
        """Give its record and transcripts."""
        return self.recorded


def play_delegated(job: MapJob, table: Table, worker: int) -> DelegatedMap:
    """Play every seating of a job. Raises Halt errors and VoidGame as `map.play_map` does."""
    assert job.referee is not None
    began_ns = monotonic_ns()
    started = utc_text(time_ns())
    referee = table.whole_referee(job.referee)
    n_seats = len(job.lineup)
    seeds = bot_seeds(job.run_key, job.id, len(job.seatings) * n_seats)
    games: list[GameRecord] = []
    transcripts: list[Transcript] = []
    totals = [0.0] * n_seats
    for number, seating in enumerate(job.seatings):
        bots = [job.lineup[index] for index in seating]
        game = referee.play(job, number, bots, seeds[number * n_seats : (number + 1) * n_seats])
        games.append(_record(job, number, game))
        if job.transcripts and game.actions:
            transcripts.append(_transcript(job, number, bots, game))
        for index, score in zip(seating, game.scores, strict=True):
            totals[index] += score
    record = MapRecord(
        schema=SCHEMA,
        run=job.run,
        job=job.id,
        stage=job.stage,
        split=job.split,
        seed=job.seed,
        map=referee.map_name(job.seed),
        lineup=tuple([bot.name for bot in job.lineup]),
        scores=tuple(totals),
        games=tuple(games),
        started=started,
        wall_s=seconds(monotonic_ns() - began_ns),
        worker=worker,
        attempt=job.attempt,
        paired=job.referee.is_paired,
    )
    return DelegatedMap(job, (record, tuple(transcripts)))


def _record(job: MapJob, number: int, game: WholeGame) -> GameRecord:
    seating = job.seatings[number]
    actions = game.actions
    data = game.data
    if game.echo is not None and all(key != "seed" for key, _ in data):
        data = (*data, ("seed", game.echo))
    return GameRecord(
        seating=seating,
        scores=game.scores,
        termination=Termination.FORFEIT if game.faults and len(seating) <= 2 else Termination.NORMAL,
        detail=game.detail,
        plies=len(actions),
        wall_s=seconds(game.wall_ns),
        moves=digest_of(actions) if actions else "",
        bots=game.seats or (_NOTHING_MEASURED,) * len(seating),
        faults=game.faults,
        values=game.values,
        transcript=transcript_name(job.id, number) if job.transcripts and actions else None,
        data=data,
        disputed=game.disputed,
    )


def _transcript(job: MapJob, number: int, bots: Sequence[BotSpec], game: WholeGame) -> Transcript:
    names = tuple([bot.name for bot in bots])
    return Transcript(job.id, number, job.seed, names, game.actions, game.think_us)
