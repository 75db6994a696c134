"""One map job: all its games, and the record and transcripts that come of them.

`play_map` is the function from a self-contained MapJob to a MapRecord that a worker is. It writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from time import monotonic_ns

from harness.play.adjudication import Adjudicator
from harness.play.clock import Clock, build_clocks
from harness.play.game import PlayedGame, play_game
from harness.play.table import Table
from harness.protocols.base import Player
from harness.records import (
    SCHEMA,
    Adjudication,
    GameRecord,
    MapJob,
    MapRecord,
    SeatRecord,
    Termination,
    Transcript,
    think_bin,
)
from harness.referee.base import RefereedGame
from harness.seeding import bot_seeds

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
    n_seats = len(job.lineup)
    seeds = bot_seeds(job.run_key, job.id, len(job.seatings) * n_seats)
    games: list[GameRecord] = []
    transcripts: list[Transcript] = []
    totals = [0.0] * n_seats
    for number, seating in enumerate(job.seatings):
        seated = [players[index] for index in seating]
        game = referee.start(job.seed, [player.form for player in seated])
        if watch is not None:
            game = watch(game, number)
        for seat, player in enumerate(seated):
            player.begin_game(seeds[number * n_seats + seat], seat, n_seats)
        try:
            clocks = _clocks(job, seating, seated)
            played = play_game(game, seated, clocks, *_ends(job.adjudication), voids_starved=job.voids_starved)
            record = build_game_record(job, number, game, played, seated)
        finally:
            for player in seated:
                player.end_game()
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


def build_game_record(
    job: MapJob, number: int, game: RefereedGame, played: PlayedGame, players: Sequence[Player]
) -> GameRecord:
    """Put together what is written of game `number`; `players` are in seat order and still hold what they used."""
    outcome = played.outcome
    seating = job.seatings[number]
    is_forfeit = played.faults and outcome.termination is Termination.NORMAL and len(seating) == 2
    return GameRecord(
        seating=seating,
        scores=outcome.scores,
        termination=Termination.FORFEIT if is_forfeit else outcome.termination,
        detail=outcome.detail.format(*[job.lineup[index].name for index in seating]),
        plies=len(game.log),
        wall_s=seconds(played.wall_ns),
        moves="b2:" + blake2b("\n".join(game.log).encode(), digest_size=16).hexdigest(),
        bots=tuple([_seat_record(seat, played, player) for seat, player in enumerate(players)]),
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


def _clocks(job: MapJob, seating: Sequence[int], players: Sequence[Player]) -> Sequence[Clock]:
    controls = [job.lineup[index].time or job.time for index in seating]
    return build_clocks(controls, [player.cpu_ns for player in players])


def _ends(rule: Adjudication) -> tuple[Adjudicator | None, int | None]:
    watches = rule.resign_cp is not None or rule.draw_cp is not None
    return (Adjudicator(rule) if watches else None), rule.max_plies


def _seat_record(seat: int, played: PlayedGame, player: Player) -> SeatRecord:
    think_ns = [think for at, think, _ in played.plies if at == seat]
    used = player.usage()
    bins: dict[int, int] = {}
    for think in think_ns:
        index = think_bin(think)
        bins[index] = bins.get(index, 0) + 1
    return SeatRecord(
        plies=len(think_ns),
        think_s=seconds(sum(think_ns)),
        max_ply_s=seconds(max(think_ns, default=0)),
        cpu_s=None if used.cpu_s is None else round(used.cpu_s, 6),
        rss_mb=used.rss_mb,
        starved_s=None if used.starved_s is None else round(used.starved_s, 6),
        ply_bins=tuple(sorted(bins.items())),
        in_process=player.in_process,
    )


def _transcript(job: MapJob, number: int, seating: Sequence[int], game: RefereedGame, played: PlayedGame) -> Transcript:
    """Make a game's transcript. Engine info is decoded here, all at once, since it is looked at only later."""
    said = b"\n".join([info for _, _, info in played.plies])
    return Transcript(
        job=job.id,
        game=number,
        seed=job.seed,
        names=tuple([job.lineup[index].name for index in seating]),
        actions=tuple(game.log),
        think_us=tuple([think // 1000 for _, think, _ in played.plies]),
        info=tuple(said.decode("ascii", "replace").split("\n")) if said.strip(b"\n") else (),
    )
