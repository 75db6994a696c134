"""In which seatings a lineup plays one map. Pure.

`seatings[g][seat]` is the index in the lineup of the bot that sits there in game g. docs/how-to/seats.md says what each
option balances and how many games it takes.
"""

from __future__ import annotations

from itertools import permutations

from harness.config.settings import Seats

MAX_GAMES_A_MAP = 720
"""All orders of six seats; of seven there are 5,040, which no map record should hold."""

Seating = tuple[int, ...]


class SeatsError(ValueError):
    """The seats option does not fit the number of seats. The caller knows the line."""

    def __init__(self, what: str, next_step: str) -> None:
        super().__init__(what)
        self.what = what
        self.next_step = next_step


def build_seatings(option: Seats, n_seats: int) -> tuple[Seating, ...]:
    """Give the seatings of one map. Raises SeatsError if the option does not fit.

    All of them but `fixed`, the lineup's own order alone, put every bot in every seat equally often. Rotations keep the
    order in which bots follow each other.
    Balanced: besides, every bot sits right after every other equally often, counting from the first seat to the last.
    Circular: the same round the table, where the first seat comes after the last. Permutations are all orders.
    """
    match option:
        case Seats.BOTH:
            if n_seats != 2:
                raise SeatsError(
                    f"`both` is for two seats, the rules have {n_seats}",
                    "write `rotations`, `balanced`, `circular` or `permutations`",
                )
            return ((0, 1), (1, 0))
        case Seats.FIXED:
            return (tuple(range(n_seats)),)
        case Seats.ROTATIONS:
            return tuple(_rotations(tuple(range(n_seats))))
        case Seats.BALANCED:
            return tuple(_row_complete(n_seats))
        case Seats.CIRCULAR:
            n_games = n_seats * (n_seats - 1)
            if n_games > MAX_GAMES_A_MAP:
                raise SeatsError(
                    f"{n_seats} seats take {n_games} games a map to be balanced round the table, more than "
                    f"{MAX_GAMES_A_MAP}",
                    "write `balanced`",
                )
            return tuple(_circular(n_seats))
        case Seats.PERMUTATIONS:
            if n_seats > 6:
                raise SeatsError(
                    f"{n_seats} seats have more than {MAX_GAMES_A_MAP} orders to play on each map",
                    "write `balanced` or `circular`",
                )
            return tuple(permutations(range(n_seats)))


def _rotations(order: Seating) -> list[Seating]:
    return [order[turn:] + order[:turn] for turn in range(len(order))]


def _zigzag(n: int) -> list[int]:
    """Give 0, 1, n − 1, 2, n − 2 …: for even n every difference of neighbours, modulo n, comes once."""
    return [(-(place // 2) if place % 2 == 0 else place // 2 + 1) % n for place in range(n)]


def _row_complete(n: int) -> list[Seating]:
    """Give n seatings for even n, 2n for odd n, in which each bot is right after each other one once (twice).

    Source: E. J. Williams, Australian Journal of Scientific Research A 2 (1949) 149-168: the zigzag and its shifts,
    and for odd n their mirror images.
    """
    zigzag = _zigzag(n)
    square = [tuple((bot + shift) % n for bot in zigzag) for shift in range(n)]
    return square if n % 2 == 0 or n == 1 else square + [seating[::-1] for seating in square]


def _circular(n: int) -> list[Seating]:
    """Give n(n − 1) seatings in which each bot is right after each other one n times, the table being round.

    Odd n: Walecki's cycles through all bots (É. Lucas, Récréations mathématiques 2, 1883), both ways round, each turned
    to every seat. Even n: in Williams' square the pairs that meet where the table closes are the halves of n, so n − 1
    squares, renamed by the rounds of a round robin, have every pair there once.
    """
    if n == 1:
        return [(0,)]
    if n % 2:
        hub = n - 1
        cycles = [(hub, *((bot + shift) % hub for bot in _zigzag(hub))) for shift in range(hub // 2)]
        both_ways = [order for cycle in cycles for order in (cycle, cycle[:1] + cycle[:0:-1])]
        return [seating for order in both_ways for seating in _rotations(order)]
    square = _row_complete(n)
    seatings = []
    for shift in range(n - 1):
        names = [0] * n
        for half, (one, two) in enumerate(_round(n, shift)):
            names[half], names[half + n // 2] = one, two
        seatings += [tuple(names[bot] for bot in seating) for seating in square]
    return seatings


def _round(n: int, shift: int) -> list[tuple[int, int]]:
    """Give the pairs of one round of a round robin of n bots, by the circle method; n is even."""
    ring = n - 1
    pairs = [((shift + step) % ring, (shift - step) % ring) for step in range(1, n // 2)]
    return [(shift % ring, ring), *pairs]
