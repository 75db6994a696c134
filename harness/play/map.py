"""One map job: all its games, and the record and transcripts that come of them.

`play_map` is the function from a self-contained MapJob to a MapRecord that a worker is. It writes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from time import monotonic_ns

from harness.play.adjudication import Adjudicator
from harness.play.clock import Clock, build_clocks
from harness.play.game import PlayedGame, play_game
from harness.play.table import Table
from harness.protocols.base import NOT_MEASURED, Player, Usage
from harness.records import (
    SCHEMA,
    Adjudication,
    GameRecord,
    MapJob,
    MapRecord,
    SeatRecord,
    Termination,
    Transcript,
    moves_digest_parts,
    think_bin,
)
from harness.referee.base import RefereedGame
from harness.seeding import bot_seed

Watch = Callable[[RefereedGame, int], RefereedGame]
"""Looks over a game's shoulder: is given each game and its number, gives the game to play (wrapped or the same)."""


def play_map(
    job: MapJob, table: Table, worker: int, watch: Watch | None = None
) -> tuple[MapRecord, tuple[Transcript, ...]]:
    """Play every seating of a job. Raises BotStartError (halts the run) and VoidGame (the job is played again)."""
    began_ns = monotonic_ns()
    started = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    referee = table.referee(job.rules)
    players = table.seat(job.lineup, referee.forms)
    games: list[GameRecord] = []
    transcripts: list[Transcript] = []
    totals = [0.0] * len(job.lineup)
    for number, seating in enumerate(job.seatings):
        seated = [players[index] for index in seating]
        game = referee.start(job.seed, [player.form for player in seated])
        if watch is not None:
            game = watch(game, number)
        before = [begin(player, job, number, seat) for seat, player in enumerate(seated)]
        try:
            played = play_game(game, seated, _clocks(job, seating), *_ends(job.adjudication))
            used = [_used(player, first) for player, first in zip(seated, before, strict=True)]
        finally:
            for player in seated:
                player.end_game()
        record = build_game_record(job, number, seating, game, played, seated, used)
        games.append(record)
        if job.transcripts:
            transcripts.append(_transcript(job, number, seating, game, played))
        for seat, index in enumerate(seating):
            totals[index] += record.scores[seat]
    return (
        MapRecord(
            schema=SCHEMA,
            run=job.run,
            job=job.id,
            stage=job.stage,
            split=job.split,
            seed=job.seed,
            map=referee.map_name(job.seed),
            lineup=tuple(bot.name for bot in job.lineup),
            scores=tuple(totals),
            games=tuple(games),
            started=started,
            wall_s=seconds(monotonic_ns() - began_ns),
            worker=worker,
            attempt=job.attempt,
        ),
        tuple(transcripts),
    )


def begin(player: Player, job: MapJob, number: int, seat: int) -> Usage:
    """Make one player ready for game `number` of a job; give what its process had used before."""
    seed = bot_seed(job.run_key, job.id, number, seat)
    player.begin_game(seed, seat, len(job.lineup))
    return player.usage()


def build_game_record(
    job: MapJob,
    number: int,
    seating: Sequence[int],
    game: RefereedGame,
    played: PlayedGame,
    players: Sequence[Player],
    used: Sequence[Usage],
) -> GameRecord:
    """Put together what is written of one game."""
    outcome = played.outcome
    names = [job.lineup[index].name for index in seating]
    by_seat: list[list[int]] = [[] for _ in seating]
    for seat, think in zip(played.seats, played.think_ns, strict=True):
        by_seat[seat].append(think)
    is_forfeit = played.faults and outcome.termination is Termination.NORMAL and len(seating) == 2
    return GameRecord(
        seating=tuple(seating),
        scores=outcome.scores,
        termination=Termination.FORFEIT if is_forfeit else outcome.termination,
        detail=outcome.detail.format(*names),
        plies=len(game.log),
        wall_s=seconds(played.wall_ns),
        moves="b2:" + blake2b(moves_digest_parts(game.log), digest_size=16).hexdigest(),
        bots=tuple(map(_seat_record, by_seat, players, used)),
        faults=tuple(played.faults),
        values=outcome.values,
        transcript=f"{transcript_file(job.id)}#{job.id}-{number}" if job.transcripts else None,
    )


def transcript_file(job_id: int) -> str:
    """Name the file, within a run, that holds a job's transcripts: a thousand jobs a file."""
    return f"t/{job_id // 1000:04d}.jsonl"


def seconds(ns: int) -> float:
    """Give nanoseconds as seconds, to the microsecond."""
    return round(ns / 1e9, 6)


def _clocks(job: MapJob, seating: Sequence[int]) -> Sequence[Clock]:
    return build_clocks([job.lineup[index].time or job.time for index in seating])


def _ends(rule: Adjudication) -> tuple[Adjudicator | None, int | None]:
    watches = rule.resign_cp is not None or rule.draw_cp is not None
    return (Adjudicator(rule) if watches else None), rule.max_plies


def _used(player: Player, before: Usage) -> Usage:
    after = player.usage()
    if after is NOT_MEASURED or after.cpu_s is None:
        return NOT_MEASURED
    return Usage(
        cpu_s=round(after.cpu_s - (before.cpu_s or 0.0), 6),
        starved_s=round((after.starved_s or 0.0) - (before.starved_s or 0.0), 6),
        rss_mb=round(after.rss_mb or 0.0, 1),
    )


def _seat_record(think_ns: list[int], player: Player, used: Usage) -> SeatRecord:
    return SeatRecord(
        plies=len(think_ns),
        think_s=seconds(sum(think_ns)),
        max_ply_s=seconds(max(think_ns, default=0)),
        cpu_s=used.cpu_s,
        rss_mb=used.rss_mb,
        starved_s=used.starved_s,
        ply_bins=tuple(sorted(Counter(map(think_bin, think_ns)).items())),
        in_process=player.in_process,
    )


def _transcript(job: MapJob, number: int, seating: Sequence[int], game: RefereedGame, played: PlayedGame) -> Transcript:
    return Transcript(
        job=job.id,
        game=number,
        seed=job.seed,
        names=tuple(job.lineup[index].name for index in seating),
        actions=tuple(game.log),
        think_us=tuple(think // 1000 for think in played.think_ns),
        info=tuple(played.info) if any(played.info) else (),
    )
