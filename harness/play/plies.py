"""What runs for every ply of every game between rules and players: small and alone so that it can be compiled.

`_plies.c` is the same in C; where it is built, `game.play_game` uses that. The tests run both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from harness.errors import BotFault, IllegalAction
from harness.protocols.base import Budget, Player
from harness.protocols.uci_info import all_last_scored
from harness.records import View, think_bin
from harness.referee.base import Action

SeatTotals = tuple[int, int, int, tuple[tuple[int, int], ...]]
"""Of one seat: plies, nanoseconds in all, nanoseconds of the longest ply, and `think_bin` to count, smallest first."""


class PlyLog:
    """The plies of one game that were answered, in the order in which they were asked."""

    __slots__ = ("_plies",)

    def __init__(self) -> None:
        self._plies: list[tuple[int, int, bytes]] = []

    def __len__(self) -> int:
        return len(self._plies)

    def add(self, seat: int, think_ns: int, said: bytes) -> None:
        """Note a ply: who answered, in which time, and what it said before its answer."""
        self._plies.append((seat, think_ns, said))

    def totals(self, seat: int) -> SeatTotals:
        """Sum up the plies of one seat."""
        thinks_ns = [think_ns for who, think_ns, _ in self._plies if who == seat]
        bins: dict[int, int] = {}
        for think_ns in thinks_ns:
            index = think_bin(think_ns)
            bins[index] = bins.get(index, 0) + 1
        return len(thinks_ns), sum(thinks_ns), max(thinks_ns, default=0), tuple(sorted(bins.items()))

    def think_us(self) -> tuple[int, ...]:
        """Give the time of each ply in microseconds."""
        return tuple([think_ns // 1000 for _, think_ns, _ in self._plies])

    def infos(self) -> tuple[str, ...]:
        """Give of each ply the last scored line that was said; () if nobody said anything."""
        return all_last_scored([said for _, _, said in self._plies])


Ask = Callable[[View, Budget], str]
Charge = Callable[[int], None]
Seat = tuple[Player, Ask, Callable[[], View], Callable[[], Budget], Charge | None]
"""What the loop knows of a seat: player, its `ask`, its view, its budget, what charges its clock if anything does."""

Stop = tuple[tuple[int, ...], str | None, BotFault | None]
"""Where plain turns ended: the turn that is not plain, its seat's answer if it has one, its fault if it has one."""


class PlainTurns:
    """Plays turns of one seat each whose bot does as it should; stops before any other."""

    __slots__ = ("_apply", "_log", "_parse", "_seats", "_to_act")

    def __init__(
        self,
        to_act: Callable[[], tuple[int, ...]],
        parse: Callable[[int, str], Action],
        apply: Callable[[Mapping[int, Action], Sequence[int]], None],
        seats: Sequence[Seat],
        log: PlyLog,
    ) -> None:
        self._to_act = to_act
        self._parse = parse
        self._apply = apply
        self._seats = seats
        self._log = log

    def run(self, most_plies: int) -> Stop:
        """Play until a turn is not plain, the game is over (its turn is empty) or `most_plies` (above 0) are logged."""
        to_act, parse, apply, seats, log = self._to_act, self._parse, self._apply, self._seats, self._log
        while len(turn := to_act()) == 1 and len(log) < most_plies:
            seat = turn[0]
            player, ask, view, budget, charge = seats[seat]
            try:
                text = ask(view(), budget())
                if charge is not None:
                    charge(player.think_ns)
            except BotFault as fault:
                return turn, None, fault
            try:
                action = parse(seat, text)
            except IllegalAction:
                return turn, text, None
            log.add(seat, player.think_ns, player.said)
            apply({seat: action}, ())
        return turn, None, None
