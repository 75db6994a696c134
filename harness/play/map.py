"""One map job: all its games, played one after another.

`play_map` is the function from a self-contained MapJob to a MapRecord that a worker is. It writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic_ns, time_ns

from harness.making import maker
from harness.play.adjudication import Adjudicator, is_watching
from harness.play.delegated import play_delegated
from harness.play.game import play_game
from harness.play.recording import Played, PlayedMap, PlayedSeating, Recorded
from harness.play.table import Table
from harness.records import MapJob
from harness.referee.base import RefereedGame
from harness.seeding import bot_seeds

Watch = Callable[[RefereedGame, int], RefereedGame]
"""Looks over a game's shoulder: is given each game and its number, gives the game to play (wrapped or the same)."""


_make_seating, _make_map = maker(PlayedSeating), maker(PlayedMap)


def play_map(job: MapJob, table: Table, worker: int, watch: Watch | None = None) -> Recorded:
    """Play every seating of a job. Raises BotStartError (halts the run) and VoidGame (the job is played again)."""
    return play_games(job, table, worker, watch).record()


def play_games(job: MapJob, table: Table, worker: int, watch: Watch | None = None) -> Played:
    """Play every seating of a job, and leave its record for later. Raises as `play_map`."""
    if job.referee is not None:
        return play_delegated(job, table, worker)
    began_ns, started_ns = monotonic_ns(), time_ns()
    seed = job.seed
    referee = table.referee(job.rules)
    all_seats = table.seat(job, referee.forms)
    n_seats = len(job.lineup)
    seeds = bot_seeds(job.run_key, job.id, len(all_seats) * n_seats)
    adjudicates, max_plies = is_watching(job.adjudication), job.adjudication.max_plies
    seatings: list[PlayedSeating] = []
    for number, seats in enumerate(all_seats):
        players = seats.players
        game = referee.start(seed, seats.forms)
        if watch is not None:
            game = watch(game, number)
        for seat, player in enumerate(players):
            player.begin_game(seeds[number * n_seats + seat], seat, n_seats)
        for player in seats.starters:
            player.settle()
        for clock in seats.game_clocks:
            clock.begin_game()
        try:
            adjudicator = Adjudicator(job.adjudication) if adjudicates else None
            played = play_game(game, players, seats.clocks, adjudicator, max_plies, voids_starved=job.voids_starved)
            usages = [player.usage() for player in players]
            for hear_result in seats.hearers:
                hear_result(played.outcome.scores)
        finally:
            for player in players:
                player.end_game()
        seatings.append(_make_seating(seats, game.log, played, usages))
    return _make_map(
        job,
        worker,
        referee.map_name(seed),
        referee.map_properties(seed),
        started_ns,
        monotonic_ns() - began_ns,
        seatings,
    )
