"""In which seatings a lineup plays one map. Pure.

`seatings[g][seat]` is the index in the lineup of the bot that sits there in game g.
"""

from __future__ import annotations

from itertools import permutations

from harness.config.settings import Seats

MAX_GAMES_A_MAP = 720
"""All orders of six seats; of seven there are 5,040, which no map record should hold."""


class SeatsError(ValueError):
    """The seats option does not fit the number of seats. The caller knows the line."""

    def __init__(self, what: str, next_step: str) -> None:
        super().__init__(what)
        self.what = what
        self.next_step = next_step


def build_seatings(option: Seats, n_seats: int) -> tuple[tuple[int, ...], ...]:
    """Give the seatings of one map. Raises SeatsError if the option does not fit.

    Rotations put every bot in every seat once. Permutations are all orders, so that who sits beside whom is
    balanced too.
    """
    match option:
        case Seats.BOTH:
            if n_seats != 2:
                raise SeatsError(
                    f"`both` is for two seats, the rules have {n_seats}", "write `rotations` or `permutations`"
                )
            return ((0, 1), (1, 0))
        case Seats.ROTATIONS:
            return tuple(tuple((seat + turn) % n_seats for seat in range(n_seats)) for turn in range(n_seats))
        case Seats.PERMUTATIONS:
            if n_seats > 6:
                raise SeatsError(
                    f"{n_seats} seats have more than {MAX_GAMES_A_MAP} orders to play on each map", "write `rotations`"
                )
            return tuple(permutations(range(n_seats)))
