"""One game: the loop that everybody reads.

Seats are asked one after another, also in a turn that all of them share: what a seat is shown never depends on
the others' answers of that turn, and each has the core to itself while its clock runs. A bot's fault is caught
here, once, and becomes a forfeit; the rules say what a forfeit does to the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from sys import maxsize
from time import monotonic_ns
from typing import TYPE_CHECKING

from harness.compiled import best
from harness.errors import BotFault, IllegalAction, StarvedFault, StarvedGame
from harness.making import maker
from harness.play.adjudication import Adjudicator
from harness.play.clock import Clock, SeatClock
from harness.play.plies import PlainTurns, PlyLog
from harness.protocols.base import Player
from harness.protocols.lines import shown
from harness.records import Fault, FaultKind, Termination
from harness.referee.base import Outcome, RefereedGame

if TYPE_CHECKING:
    NewLog, NewTurns = PlyLog, PlainTurns
else:
    NewLog, NewTurns = best(PlyLog), best(PlainTurns)


@dataclass(slots=True)
class PlayedGame:
    """What the loop saw: the outcome, every ply and every fault.

    The i-th of `plies` belongs to the i-th action of the game's log; a ply that ended in a fault is in `faults` only.
    """

    outcome: Outcome
    plies: PlyLog
    faults: list[Fault]
    wall_ns: int


_make_played = maker(PlayedGame)


def play_game(
    game: RefereedGame,
    players: Sequence[Player],
    clocks: Sequence[Clock],
    adjudicator: Adjudicator | None = None,
    max_plies: int | None = None,
    *,
    voids_starved: bool = True,
) -> PlayedGame:
    """Play one game to its end. The players have begun it already; whoever called this ends it for them.

    Raises StarvedGame for a late answer that the machine explains; without `voids_starved` that is a forfeit, marked.
    """
    to_act, parse, apply, log = game.to_act, game.parse, game.apply, game.log
    seats = [
        (player, player.ask, view, clock.budget, None if isinstance(clock, SeatClock) else clock.charge)
        for player, view, clock in zip(players, game.views, clocks, strict=True)
    ]
    plies = NewLog()
    play_plain = NewTurns(to_act, parse, apply, seats, plies).run if adjudicator is None else None
    most_plies = maxsize if max_plies is None else max_plies
    faults: list[Fault] = []
    decided: Outcome | None = None
    began_ns = monotonic_ns()
    while decided is None:
        # turns of one seat whose bot does as it should need nothing of what follows
        turn, answer, failed = play_plain(most_plies) if play_plain is not None else (to_act(), None, None)
        if not turn:
            break
        if len(plies) >= most_plies:
            decided = _too_long(len(players), most_plies)
            break
        actions: dict[int, object] = {}
        forfeits: tuple[int, ...] = ()
        for seat in turn:
            player, ask, view, budget, charge = seats[seat]
            text = ""
            try:
                if failed is not None:
                    raise failed
                if answer is not None:
                    text = answer
                else:
                    text = ask(view(), budget())
                    if charge is not None:
                        charge(player.think_ns)
                actions[seat] = parse(seat, text)
            except BotFault as fault:
                if isinstance(fault, StarvedFault) and voids_starved:
                    raise StarvedGame(f"seat {seat}, ply {len(log)}: {fault.detail}") from fault
                forfeits += (seat,)
                faults.append(_fault(seat, player, fault, len(log)))
            except IllegalAction as error:
                forfeits += (seat,)
                illegal = BotFault(FaultKind.ILLEGAL, f"{shown(text)}: {error}")
                faults.append(_fault(seat, player, illegal, len(log)))
            else:
                plies.add(seat, player.think_ns, player.said)
                if adjudicator is not None and decided is None:
                    decided = adjudicator.see(seat, player.said)
        apply(actions, forfeits)
    wall_ns = monotonic_ns() - began_ns
    return _make_played(game.outcome() or decided or _UNDECIDED, plies, faults, wall_ns)


_UNDECIDED = Outcome((), Termination.NORMAL, "")


def _fault(seat: int, player: Player, fault: BotFault, ply: int) -> Fault:
    return Fault(
        seat=seat,
        kind=FaultKind(fault.kind),
        ply=ply,
        detail=fault.detail,
        stderr=player.stderr_tail(),
        starved_ms=round(fault.waited_ms, 1) if isinstance(fault, StarvedFault) else None,
    )


def _too_long(n_seats: int, max_plies: int) -> Outcome:
    return Outcome((0.5,) * n_seats, Termination.MAX_LENGTH, f"ended level by the limit of {max_plies} plies")
