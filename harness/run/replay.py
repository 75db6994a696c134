"""Plays a recorded game again: by the rules from its transcript, and by its bots where they are deterministic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b

from harness.errors import IllegalAction, ResultsError, VoidGame
from harness.play.map import play_map
from harness.play.table import Table
from harness.records import Form, GameRecord, MapJob, MapRecord, Transcript
from harness.referee.base import RefereedGame
from harness.referee.builtin import BuiltinReferee
from harness.referee.external import ExternalReferee
from harness.run.prepare import Prepared
from harness.seeding import bot_seeds


@dataclass(frozen=True, slots=True)
class Step:
    """One ply of a replay: who did what in how long, and the board after the turn (only on a turn's last ply)."""

    ply: int
    seat: int
    action: str
    think_us: int
    info: str
    board: str


def replay_steps(referee: BuiltinReferee, game: GameRecord, transcript: Transcript) -> Iterator[Step]:
    """Apply a transcript ply by ply. Raises ResultsError where the rules do not accept it or end otherwise."""
    if not len(transcript.actions) == len(transcript.think_us) == len(transcript.info or transcript.actions):
        raise _refusal(transcript, 0, "its actions, think times and infos are not as many")
    form: Form = referee.forms[0]
    table = referee.start(transcript.seed, [form] * referee.n_seats)
    faults = {(fault.seat, fault.ply) for fault in game.faults}
    ply = 0
    while (turn := table.to_act()) and (ply < len(transcript.actions) or any(f[1] == ply for f in faults)):
        forfeits = [seat for seat in turn if (seat, ply) in faults]
        acting = [seat for seat in turn if seat not in forfeits]
        texts = transcript.actions[ply : ply + len(acting)]
        if len(texts) < len(acting):
            raise _refusal(transcript, ply, "the transcript ends in the middle of a turn")
        try:
            actions = {seat: table.parse(seat, text) for seat, text in zip(acting, texts, strict=True)}
        except IllegalAction as error:
            raise _refusal(transcript, ply, str(error)) from error
        table.apply(actions, forfeits)
        for offset, seat in enumerate(acting):
            at = ply + offset
            yield Step(
                ply=at,
                seat=seat,
                action=texts[offset],
                think_us=transcript.think_us[at],
                info=transcript.info[at] if transcript.info else "",
                board=table.draw() if offset == len(acting) - 1 else "",
            )
        ply += len(acting)
    if ply < len(transcript.actions):
        raise _refusal(transcript, ply, "the game is over, the transcript goes on")
    _check_end(table, game, transcript)


def _check_end(table: RefereedGame, game: GameRecord, transcript: Transcript) -> None:
    outcome = table.outcome()
    if outcome is not None and outcome.scores != game.scores:
        raise _refusal(transcript, len(table.log), f"it ends {outcome.scores}, the record says {game.scores}")
    if outcome is None and game.termination in ("normal", "forfeit"):
        raise _refusal(transcript, len(table.log), "the rules say that the game is not over")
    digest = "b2:" + blake2b("\n".join(table.log).encode(), digest_size=16).hexdigest()
    if digest != game.moves:
        raise _refusal(transcript, len(table.log), f"its moves hash to {digest}, the record says {game.moves}")


def _refusal(transcript: Transcript, ply: int, why: str) -> ResultsError:
    return ResultsError(
        f"job {transcript.job}, game {transcript.game} is not a game by these rules",
        where=f"ply {ply}",
        got=why,
        next_step="the rules or the record changed since it was played",
    )


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a game that was played again parts from its record: the ply, and both actions ("" past the end)."""

    game: int
    ply: int
    then: str
    now: str


def play_again(job: MapJob, record: MapRecord, transcripts: list[Transcript]) -> list[Difference]:
    """Play a job's games again with its bots and compare; [] if they play the same."""
    table = Table()
    try:
        _, played = play_map(replace(job, attempt=record.attempt, transcripts=True), table, record.worker)
    finally:
        table.close()
    differences = []
    for then, now in zip(transcripts, played, strict=True):
        if then.actions != now.actions:
            pairs = enumerate(zip((*then.actions, ""), (*now.actions, ""), strict=False))
            ply, (old, new) = next((i, pair) for i, pair in pairs if pair[0] != pair[1])
            differences.append(Difference(then.game, ply, old, new))
    return differences


@dataclass(frozen=True, slots=True)
class GameAgain:
    """A game of an external referee once more: the command that plays it by hand, and what came of it this time.

    Without play, or with a `problem`, nothing came of it. `command` is "" in old mode, where the bots are ours.
    """

    command: str
    detail: str = ""
    scores: tuple[float, ...] = ()
    values: tuple[float, ...] | None = None
    problem: str | None = None


def play_games_again(
    prepared: Prepared, record: MapRecord, numbers: Iterable[int], *, is_played: bool
) -> Iterator[GameAgain]:
    """Have a referee play games of a job again, with the seeds that they had. Raises Halt errors as a run does."""
    job = prepared.plan[record.job]
    assert job.referee is not None
    n_seats = len(job.lineup)
    seeds = bot_seeds(job.run_key, job.id, len(job.seatings) * n_seats)
    table = Table()
    try:
        referee = table.whole_referee(job.referee)
        for number in numbers:
            bots = [job.lineup[index] for index in record.games[number].seating]
            own = seeds[number * n_seats : (number + 1) * n_seats]
            command = referee.show(job, bots, own) if isinstance(referee, ExternalReferee) else ""
            if not is_played:
                yield GameAgain(command)
                continue
            try:
                game = referee.play(job, number, bots, own)
            except VoidGame as void:
                yield GameAgain(command, problem=str(void))
            else:
                yield GameAgain(command, game.detail, game.scores, game.values)
    finally:
        table.close()
