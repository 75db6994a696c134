"""What `harness check` finds out of a run whose referee is a program: the referee, its seed, and each bot in a game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from harness.errors import BotStartError, GameError, Halt, VoidGame
from harness.play.table import Table
from harness.records import BotSpec, MapJob
from harness.run.check import BotCheck
from harness.run.prepare import Prepared
from harness.run.seed_check import SeedFinding, SeedState, check_seed
from harness.seeding import bot_seeds


@dataclass(frozen=True, slots=True)
class RefereeCheck:
    """The referee's answers; `problem` is None if all went well. `result` are its words for the first game."""

    name: str
    command: str
    mode: str
    fingerprint: str
    seed: SeedFinding | None
    result: str
    game_s: float
    problem: str | None


def check_referee(prepared: Prepared) -> RefereeCheck:
    """Play a few games of the plan's first lineup. Raises nothing that a referee or a bot can cause."""
    plan = prepared.plan
    spec = plan.referee
    assert spec is not None
    result, game_s = "", 0.0
    seed: SeedFinding | None = None
    problem = None
    table = Table()
    job = replace(plan[0], referee=replace(spec, is_paired=False, folder=""))
    try:
        bots = [job.lineup[index] for index in job.seatings[0]]
        assert job.referee is not None
        game = table.whole_referee(job.referee).play(job, 0, bots, bot_seeds(job.run_key, job.id, len(bots)))
        result, game_s = game.detail, game.wall_ns / 1e9
        seed = check_seed(plan)
        if seed.state is SeedState.IGNORED and spec.is_paired:
            problem = f"it does not play the seed that it is given: {seed.words}\nnext: {seed.next_step}"
    except (VoidGame, Halt) as error:
        problem = str(error)
    finally:
        table.close()
    return RefereeCheck(
        name=prepared.referee.name,
        command=" ".join(spec.command),
        mode=spec.mode.value,
        fingerprint=spec.fingerprint,
        seed=seed,
        result=result,
        game_s=game_s,
        problem=problem,
    )


def check_bots_played(prepared: Prepared) -> Iterator[BotCheck]:
    """Have each bot play a game, in the first seat beside others of the config; the referee tells what came of it."""
    plan, config = prepared.plan, prepared.config
    assert plan.referee is not None
    table = Table()
    spec = replace(plan.referee, is_paired=False, folder="")
    try:
        for bot in config.bots:
            others = [other for other in (*plan.lineups[0], *config.bots) if other.name != bot.name]
            lineup = (bot, *dict.fromkeys(others))[: spec.n_seats]
            job = replace(plan[0], referee=spec, lineup=lineup)
            yield _check(prepared, bot, job, table)
    finally:
        table.close()


def _check(prepared: Prepared, bot: BotSpec, job: MapJob, table: Table) -> BotCheck:
    assert job.referee is not None
    problem = answer = None
    game_ms = None
    try:
        seeds = bot_seeds(job.run_key, job.id, len(job.lineup))
        game = table.whole_referee(job.referee).play(job, 0, job.lineup, seeds)
        answer, game_ms = game.detail, game.wall_ns / 1e6
        fault = next((fault for fault in game.faults if fault.seat == 0), None)
        if fault is not None:
            stderr = "".join(f"\n  | {line}" for line in fault.stderr.splitlines()[-8:])
            problem = f"{fault.kind.value}: {fault.detail}{stderr}"
    except BotStartError as error:
        problem = str(error)
    except (GameError, Halt) as error:
        problem = f"its game came to nothing: {error}"
    return BotCheck(
        name=bot.name,
        command=" ".join(bot.command),
        protocol=bot.protocol,
        identity="",
        fingerprint=bot.fingerprint,
        isolation=bot.isolation.value if bot.protocol != "referee" else "the referee's, which starts it",
        time=bot.time or prepared.config.time,
        options=dict(bot.options),
        answer=answer,
        ply_ms=game_ms,
        problem=problem,
    )
