"""What `harness check` finds out: each bot started, its handshake spoken, one ply played."""

from __future__ import annotations

from dataclasses import dataclass

from harness.errors import BotFault, BotStartError, IllegalAction
from harness.play.clock import build_clocks
from harness.protocols.base import Setting
from harness.protocols.registry import build_player
from harness.records import BotSpec, Scalar, TimeControl
from harness.referee.builtin import BuiltinReferee
from harness.run.prepare import Prepared
from harness.seeding import bot_seeds


@dataclass(frozen=True, slots=True)
class BotCheck:
    """One bot's answers. `problem` is None if all went well; `ply_ms` includes a contest bot's start-up.

    `options` are what its protocol is told, in the config's order.
    """

    name: str
    command: str
    protocol: str
    identity: str
    fingerprint: str
    isolation: str
    time: TimeControl
    options: dict[str, Scalar]
    answer: str | None
    ply_ms: float | None
    problem: str | None


def check_bot(prepared: Prepared, bot: BotSpec) -> BotCheck:
    """Start one bot, let it play the first ply of the plan's first map, end it. Raises nothing a bot can cause."""
    referee = prepared.referee
    assert isinstance(referee, BuiltinReferee)
    setting = Setting(prepared.config.rules, bot.time or prepared.config.time)
    player = build_player(bot, referee.forms, setting=setting)
    answer = None
    problem = None
    try:
        game = referee.start(prepared.plan.seeds[0], [player.form] * referee.n_seats)
        seat = game.to_act()[0]
        clocks = build_clocks([bot.time or prepared.config.time] * referee.n_seats, [player.cpu_ns] * referee.n_seats)
        player.begin_game(bot_seeds(prepared.plan.run_key, 0, seat + 1)[seat], seat, referee.n_seats)
        player.settle()
        answer = player.ask(game.views[seat](), clocks[seat].budget())
        game.parse(seat, answer)
    except BotStartError as error:
        problem = str(error)
    except BotFault as fault:
        stderr = "".join(f"\n  | {line}" for line in player.stderr_tail().splitlines()[-8:])
        problem = f"{fault.kind} on its first ply: {fault.detail}{stderr}"
    except IllegalAction as error:
        problem = f"illegal first ply: {error}"
    finally:
        player.close()
    return BotCheck(
        name=bot.name,
        command=" ".join(bot.command) or f"python: {bot.python}",
        protocol="python" if bot.python else bot.protocol,
        identity=player.identity,
        fingerprint=bot.fingerprint,
        isolation="none: it runs inside the worker" if bot.python else bot.isolation.value,
        time=bot.time or prepared.config.time,
        options=dict(bot.options),
        answer=answer,
        ply_ms=player.think_ns / 1e6 if answer is not None else None,
        problem=problem,
    )
