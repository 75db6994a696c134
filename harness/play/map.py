"""One map job: all its games, and the record and transcripts that come of them.

`play_map` is the function from a self-contained MapJob to a MapRecord that a worker is. It writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import blake2b
from time import gmtime, monotonic_ns, strftime, time_ns

from harness.play.adjudication import Adjudicator, is_watching
from harness.play.game import PlayedGame, Ply, play_game
from harness.play.table import Seats, Table
from harness.protocols.base import Player, Usage
from harness.protocols.metadata import Disputed, Pairs, merge_of_game
from harness.protocols.uci_info import all_last_scored
from harness.records import (
    SCHEMA,
    GameRecord,
    MapJob,
    MapRecord,
    SeatRecord,
    Termination,
    Transcript,
)
from harness.referee.base import RefereedGame
from harness.seeding import bot_seeds

Watch = Callable[[RefereedGame, int], RefereedGame]
"""Looks over a game's shoulder: is given each game and its number, gives the game to play (wrapped or the same)."""


def play_map(
    job: MapJob, table: Table, worker: int, watch: Watch | None = None
) -> tuple[MapRecord, tuple[Transcript, ...]]:
    """Play every seating of a job. Raises BotStartError (halts the run) and VoidGame (the job is played again)."""
    if job.referee is not None:
        from harness.play.delegated import play_delegated  # noqa: PLC0415 - it stands on this module

        return play_delegated(job, table, worker)
    began_ns = monotonic_ns()
    started = utc_text(time_ns())
    referee = table.referee(job.rules)
    all_seats = table.seat(job, referee.forms)
    n_seats = len(job.lineup)
    seeds = bot_seeds(job.run_key, job.id, len(all_seats) * n_seats)
    adjudicates, max_plies = is_watching(job.adjudication), job.adjudication.max_plies
    games: list[GameRecord] = []
    transcripts: list[Transcript] = []
    totals = [0.0] * n_seats
    for number, seats in enumerate(all_seats):
        game = referee.start(job.seed, seats.forms)
        if watch is not None:
            game = watch(game, number)
        for seat, player in enumerate(seats.players):
            player.begin_game(seeds[number * n_seats + seat], seat, n_seats)
        for player in seats.players:
            if not player.keeps_alive:
                player.settle()
        for clock in seats.clocks:
            clock.begin_game()
        try:
            adjudicator = Adjudicator(job.adjudication) if adjudicates else None
            played = play_game(
                game, seats.players, seats.clocks, adjudicator, max_plies, voids_starved=job.voids_starved
            )
            record = build_game_record(job, number, game, played, seats)
            for hear_result in seats.hearers:
                hear_result(record.scores)
        finally:
            for player in seats.players:
                player.end_game()
        games.append(record)
        if job.transcripts:
            transcripts.append(_transcript(job, number, seats.names, game, played))
        for index, score in zip(record.seating, record.scores, strict=True):
            totals[index] += score
    return (
        MapRecord(
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
            properties=referee.map_properties(job.seed),
        ),
        tuple(transcripts),
    )


def build_game_record(job: MapJob, number: int, game: RefereedGame, played: PlayedGame, seats: Seats) -> GameRecord:
    """Put together what is written of game `number`; its players still hold what they used."""
    outcome = played.outcome
    seating = job.seatings[number]
    is_forfeit = played.faults and outcome.termination is Termination.NORMAL and len(seating) == 2
    log = game.log
    usages = [player.usage() for player in seats.players]
    data, disputed = merged_data(usages)
    return GameRecord(
        seating,
        outcome.scores,
        Termination.FORFEIT if is_forfeit else outcome.termination,
        outcome.detail.format(*seats.names),
        len(log),
        seconds(played.wall_ns),
        "b2:" + blake2b("\n".join(log).encode(), digest_size=16).hexdigest(),
        seat_records(played.plies, seats.players, usages),
        tuple(played.faults),
        outcome.values,
        f"{transcript_file(job.id)}#{job.id}-{number}" if job.transcripts else None,
        data,
        disputed,
    )


def merged_data(usages: Sequence[Usage]) -> tuple[Pairs, Disputed]:
    """Give what the bots said of the game, and what they contradict each other in."""
    if any(used.said is not None for used in usages):
        return merge_of_game([used.said.of_game if used.said is not None else () for used in usages])
    return (), ()


def transcript_file(job_id: int) -> str:
    """Name the file, within a run, that holds a job's transcripts: a thousand jobs a file."""
    return f"t/{job_id // 1000:04d}.jsonl"


def seconds(ns: int) -> float:
    """Give nanoseconds as seconds, to the microsecond."""
    return (ns + 500) // 1000 / 1_000_000


def utc_text(now_ns: int) -> str:
    """Write nanoseconds since 1970 as UTC in ISO 8601, to the millisecond."""
    return f"{_second_text(now_ns // 1_000_000_000)}.{now_ns // 1_000_000 % 1000:03d}Z"


@lru_cache(1)
def _second_text(second: int) -> str:
    return strftime("%Y-%m-%dT%H:%M:%S", gmtime(second))


def seat_records(plies: Sequence[Ply], players: Sequence[Player], usages: Sequence[Usage]) -> tuple[SeatRecord, ...]:
    """Sum up what each seat used, in one pass over the game."""
    totals_ns = [0] * len(players)
    longest_ns = [0] * len(players)
    counts: list[dict[int, int]] = [{} for _ in players]
    for seat, think_ns, _ in plies:
        totals_ns[seat] += think_ns
        if think_ns > longest_ns[seat]:  # noqa: PLR1730 - `max` is a call a ply
            longest_ns[seat] = think_ns
        octave = think_ns.bit_length() - 4  # `think_bin` without a call a ply
        index = (octave << 3) + (think_ns >> octave) if octave >= 0 else max(think_ns, 0)
        bins = counts[seat]
        bins[index] = bins.get(index, 0) + 1
    return tuple(
        [
            _seat_record(player, used, bins, total_ns, most_ns)
            for player, used, bins, total_ns, most_ns in zip(
                players, usages, counts, totals_ns, longest_ns, strict=True
            )
        ]
    )


def _seat_record(player: Player, used: Usage, bins: dict[int, int], total_ns: int, longest_ns: int) -> SeatRecord:
    said = used.said
    return SeatRecord(
        sum(bins.values()),
        seconds(total_ns),
        seconds(longest_ns),
        used.cpu_s,
        used.rss_mb,
        used.starved_s,
        tuple(sorted(bins.items())),
        player.in_process,
        said.of_bot if said is not None else (),
        said.n_dropped if said is not None else 0,
    )


def _transcript(job: MapJob, number: int, names: tuple[str, ...], game: RefereedGame, played: PlayedGame) -> Transcript:
    """Make a game's transcript. What engines said is looked through here, all at once: a ply has better to do."""
    plies = played.plies
    return Transcript(
        job.id,
        number,
        job.seed,
        names,
        tuple(game.log),
        tuple([think // 1000 for _, think, _ in plies]),
        all_last_scored([said for _, _, said in plies]),
    )
