"""A referee that is a program: it starts the bots, plays a whole game by itself and prints what came of it.

Everything that is not certainly a result voids the game: what the referee said is then kept with the run, and the
message has the command that shows it again. Old mode, where the bots are ours, is `relay`.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from harness.errors import BotStartError, RefereeError, VoidGame
from harness.protocols.lines import shown
from harness.protocols.metadata import Disputed, Pairs, merge_of_game
from harness.protocols.start_errors import refuse_changed
from harness.protocols.whole import Ended, play_out
from harness.records import (
    BotSpec,
    Fault,
    FaultKind,
    Form,
    MapJob,
    RefereeLog,
    RefereeMode,
    RefereeSpec,
    ResultStream,
    ScoreOrder,
    SeatRecord,
)
from harness.referee.base import WholeGame
from harness.referee.calls import Calls, show_call
from harness.referee.jvm import WarmError, WarmJvm
from harness.referee.kept import keep_failure
from harness.referee.points import points
from harness.referee.result import Reported, ResultProblem, failure_of, grammar_of
from harness.referee.wrapper import Wrappers

_SAID: dict[ResultStream, Callable[[Ended], bytes]] = {
    ResultStream.STDOUT: lambda ended: ended.output,
    ResultStream.STDERR: lambda ended: ended.errors,
    ResultStream.BOTH: lambda ended: ended.output + b"\n" + ended.errors,
}

_ERRORS_SHOWN = 2_000
_LINES_SHOWN = 8


class ExternalReferee:
    """Plays games through a referee's program; starts nothing before the first. See `referee.base.WholeReferee`."""

    forms: tuple[Form, ...] = ()

    def __init__(self, spec: RefereeSpec) -> None:
        self.spec = spec
        self.n_seats = spec.n_seats
        self._grammar = grammar_of(spec)
        self._as_bot = BotSpec("referee", "referee", spec.command, cwd=spec.cwd)
        self._wrappers = Wrappers(spec)
        self._base = os.environ | dict(spec.env)
        self._warm: WarmJvm | None = None
        self._has_worked = False
        self._calls = Calls(spec)
        halite_or_ranks = spec.mode in {RefereeMode.HALITE, RefereeMode.PSYLEAGUE}
        self._order = ScoreOrder.RANKS if halite_or_ranks else spec.order

    @property
    def name(self) -> str:
        """Name the referee for people."""
        return describe(self.spec)

    def map_name(self, seed: int) -> str:
        """Name the map of `seed`: the referee knows more, when it has played it."""
        del seed
        return "the referee's" if self.spec.is_paired else "one for each game"

    def play(self, job: MapJob, number: int, bots: Sequence[BotSpec], seeds: Sequence[int]) -> WholeGame:
        """Play one game; see `referee.base.WholeReferee`."""
        if number == 0:
            self._refuse_changed(bots)
        players = [self._wrappers.command(seat, bot) for seat, bot in enumerate(bots)]
        more = self._wrappers.environment(bots, seeds)
        log = self._log_path(job, number)
        argv = self._calls.build(players, job.seed, log)
        ended = self._run(argv, more)
        said = [drain.take() for drain in self._wrappers.drains]
        try:
            reported = self._read(ended)
        except ResultProblem as problem:
            open_env = _open_part(more)
            raise self._failure(job, number, bots, players, argv, open_env, ended, said, str(problem), log) from None
        self._check_echo(job, reported, argv)
        self._has_worked = True
        game = self._game(bots, reported, ended, said)
        if log:
            self._keep_log(job, number, log, is_failed=bool(game.faults))
        return game

    def show(self, job: MapJob, bots: Sequence[BotSpec], seeds: Sequence[int]) -> str:
        """Give the command that plays a game by hand, without what of the bots' environment is nobody's to see."""
        players = [self._wrappers.command(seat, bot) for seat, bot in enumerate(bots)]
        more = self._wrappers.environment(bots, seeds)
        return show_call(self._calls.build(players, job.seed, None), self.spec.cwd, _open_part(more))

    def call(self, seed: int, bots: Sequence[BotSpec], seeds: Sequence[int], log: str | None = None) -> Ended:
        """Have one game played and give what the referee said, unread. Raises RefereeError if it does not start."""
        players = [self._wrappers.command(seat, bot) for seat, bot in enumerate(bots)]
        more = self._wrappers.environment(bots, seeds)
        ended = self._run(self._calls.build(players, seed, log), more)
        for drain in self._wrappers.drains:
            drain.take()
        return ended

    def _run(self, argv: list[str], more: dict[str, str]) -> Ended:
        spec, drains = self.spec, self._wrappers.drains
        try:
            if spec.warm is not None:
                if self._warm is None:
                    self._warm = WarmJvm(spec.command, spec.cwd, self._base, spec.warm)
                return self._warm.play(argv, more, limit_s=spec.time_limit_s, drains=drains)
            env = self._base | more if more else self._base
            return play_out(argv, cwd=spec.cwd, env=env, limit_s=spec.time_limit_s, drains=drains)
        except (OSError, ValueError, WarmError) as error:
            raise RefereeError(
                "the referee does not start",
                got=str(error),
                next_step=f"run it by hand: {show_call(argv, spec.cwd, {})}",
            ) from error

    def _refuse_changed(self, bots: Sequence[BotSpec]) -> None:
        """Raise BotStartError if a program of this game is not what it was. Looked at once a map."""
        for bot in bots:
            refuse_changed(bot)
        refuse_changed(self._as_bot)

    def _read(self, ended: Ended) -> Reported:
        if ended.stopped:
            raise ResultProblem(ended.stopped)
        result = self.spec.result
        said = _SAID[result.stream](ended).decode("utf-8", "replace")
        failure = failure_of(said, result.failed)
        if failure:
            return Reported((), failed=(0,), failure=failure)
        return self._grammar(said, ended.exit_code)

    def _game(self, bots: Sequence[BotSpec], reported: Reported, ended: Ended, said: Sequence[bytes]) -> WholeGame:
        why_failed = f"the referee says: {reported.failure}" if reported.failure else "the referee says that it failed"
        failed = dict.fromkeys(reported.failed, why_failed)
        if self.spec.has_negatives:
            failed |= {
                seat: f"the referee gave it {value:g}" for seat, value in enumerate(reported.values) if value < 0
            }
        faults = [
            Fault(
                seat=seat,
                kind=FaultKind.RULED,
                ply=0,
                detail=why,
                stderr=self._words(seat, said, ended),
            )
            for seat, why in sorted(failed.items())
        ]
        if reported.games:
            parts = [points(values, self._order, failed) for values in reported.games]
            scores = tuple([sum(each) / len(parts) for each in zip(*parts, strict=True)])
        elif reported.places is not None:
            scores = points(reported.places, ScoreOrder.RANKS, failed)
        else:
            scores = points(reported.values or (0.0,) * len(bots), self._order, failed)
        numbers = " : ".join(f"{value:g}" for value in reported.values)
        if faults:
            told = "; ".join(f"{bots[fault.seat].name} forfeits: {fault.detail}" for fault in faults)
        else:
            told = ("places " if self._order is ScoreOrder.RANKS else "") + numbers
        of_game, disputed, seats = self._data(bots, reported)
        return WholeGame(
            scores=scores,
            values=reported.values or None,
            detail=told,
            wall_ns=ended.wall_ns,
            faults=tuple(faults),
            data=(*reported.data, *of_game),
            disputed=disputed,
            echo=reported.echo,
            seats=seats,
        )

    def _data(self, bots: Sequence[BotSpec], reported: Reported) -> tuple[Pairs, Disputed, tuple[SeatRecord, ...]]:
        """Give what bots said of the game that the referee did not, and what each seat's record says.

        Bots are heard where we read their standard error.
        """
        if not self._wrappers.drains and not reported.seat_data:
            return (), (), ()
        heard = [drain.data.give() for drain in self._wrappers.drains]
        by_seat = [heard[seat] if seat < len(heard) and bot.metadata else None for seat, bot in enumerate(bots)]
        if not any(by_seat):
            return (), (), tuple([SeatRecord(0, 0.0, 0.0, data=own) for own in reported.seat_data])
        agreed, disputed = merge_of_game([said.of_game if said else () for said in by_seat])
        told = {key for key, _ in reported.data}
        seats = [
            SeatRecord(
                0,
                0.0,
                0.0,
                data=(*(reported.seat_data[seat] if reported.seat_data else ()), *(said.of_bot if said else ())),
                data_dropped=said.n_dropped if said else 0,
            )
            for seat, said in enumerate(by_seat)
        ]
        return tuple([pair for pair in agreed if pair[0] not in told]), disputed, tuple(seats)

    def _words(self, seat: int, said: Sequence[bytes], ended: Ended) -> str:
        """Give the end of what a bot said to standard error, or the referee if the bot's is not ours to read."""
        own = said[seat] if seat < len(said) else ended.errors
        return own[-_ERRORS_SHOWN:].decode("utf-8", "replace")

    # ------------------------------------------------------------------------------------ what goes wrong

    def _check_echo(self, job: MapJob, reported: Reported, argv: Sequence[str]) -> None:
        """Halt at a referee that plays another seed than it was given: its games would not be the pairs they seem."""
        if not self.spec.is_paired or reported.echo is None or same_seed(reported.echo, job.seed):
            return
        raise RefereeError(
            "the referee played another seed than the one asked for, so the games of a map are not on one map",
            got=f"asked for {job.seed}, it says {shown(reported.echo)}; {show_call(argv, self.spec.cwd, {})}",
            next_step="`harness check CONFIG` tries the known ways to give a seed and says which works (referee.seed); "
            "if none does, write `paired: false`",
        )

    def _failure(
        self,
        job: MapJob,
        number: int,
        bots: Sequence[BotSpec],
        players: Sequence[str],
        argv: Sequence[str],
        env: dict[str, str],
        ended: Ended,
        said: Sequence[bytes],
        why: str,
        log: str | None,
    ) -> Exception:
        """Keep what was said and make the error: void, or a halt if the first game never began."""
        errors = ended.errors.decode("utf-8", "replace")
        call = show_call(argv, self.spec.cwd, env)
        kept = keep_failure(self.spec.folder, job, number, call, ended, said, why)
        if log:
            self._keep_log(job, number, log, is_failed=True)
        where = f"; what it said is in {kept}" if kept else f"; it said {shown(ended.output[:400])}"
        tail = "".join(f"\n    | {line}" for line in errors.splitlines()[-_LINES_SHOWN:])
        if not self._has_worked and not ended.stopped and not ended.output.strip():
            culprit = _culprit(bots, players, errors)
            step = f"run it by hand: {call}"
            if culprit is not None:
                return BotStartError(
                    f"the referee cannot start bot {culprit.name!r}", got=f"{why}{where}{tail}", next_step=step
                )
            return RefereeError("the referee's first game came to nothing", got=f"{why}{where}{tail}", next_step=step)
        return VoidGame(f"the referee failed: {why}{where}; see it again with: {call}")

    # ------------------------------------------------------------------------------------------ logs

    def _log_path(self, job: MapJob, number: int) -> str | None:
        wanted = self.spec.log is not RefereeLog.NONE
        if not (self._calls.needs_log or (wanted and self._calls.takes_log)):
            return None
        return self._wrappers.scratch(f"{job.id:06d}-{number}.json")

    def _keep_log(self, job: MapJob, number: int, log: str, *, is_failed: bool) -> None:
        wanted = self.spec.log is RefereeLog.ALL or (self.spec.log is RefereeLog.FAILED and is_failed)
        with contextlib.suppress(OSError):
            if wanted and self.spec.folder:
                folder = Path(self.spec.folder, "logs")
                folder.mkdir(parents=True, exist_ok=True)
                shutil.move(log, folder / f"{job.id:06d}-{number}{Path(log).suffix}")
            else:
                Path(log).unlink(missing_ok=True)

    def close(self) -> None:
        """Remove what was made for it. Safe to call twice."""
        if self._warm is not None:
            self._warm.close()
            self._warm = None
        self._wrappers.close()


def _open_part(environment: dict[str, str]) -> dict[str, str]:
    """Give of the scripts' environment what may be shown, and means something to who calls by hand: the seeds."""
    return {key: value for key, value in environment.items() if re.fullmatch(r"HARNESS_P\d_SEED", key)}


def same_seed(echo: str, seed: int) -> bool:
    """Say whether a referee's word for a seed is this one."""
    with contextlib.suppress(ValueError):
        return int(echo) == seed
    return echo.strip() == str(seed)


def describe(spec: RefereeSpec) -> str:
    """Name a referee in a few words: `cellarena.jar (brutal)`."""
    files = [word for word in spec.command if Path(word).suffix in {".jar", ".py", ".exe"}]
    return f"{Path((files or list(spec.command))[0]).name} ({spec.mode.value})"


def _culprit(bots: Sequence[BotSpec], players: Sequence[str], errors: str) -> BotSpec | None:
    """Find the bot that could not be started: one whose program is not there, or whose command the referee names."""
    for bot in bots:
        program = Path(bot.cwd, bot.command[0])
        if not os.access(program, os.X_OK) or not program.is_file():
            return bot
    named = [bot for bot, player in zip(bots, players, strict=True) if player.split(" ")[0] in errors]
    return named[0] if len(named) == 1 else None
