"""The lines of cg-brutaltester's old mode, in which the runner holds the bots and the referee asks for them. Pure.

The referee says `###Input i` and then lines for bot i, up to its next `###` line; `###Output i n` asks for n lines of
bot i; `###Error i text` is told to people; `###End 0 12 3` are the places from the first on, bots that tie in one word.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.referee.result import ResultProblem

SIGN = "###"


@dataclass(frozen=True, slots=True)
class Input:
    """Lines for a bot follow."""

    seat: int


@dataclass(frozen=True, slots=True)
class Output:
    """So many lines of a bot are wanted."""

    seat: int
    n_lines: int


@dataclass(frozen=True, slots=True)
class Note:
    """Something for people about a bot."""

    seat: int
    text: str


@dataclass(frozen=True, slots=True)
class End:
    """The game is over: `places[seat]`, 0 for the best, equal for ties."""

    places: tuple[float, ...]


def opening(seed_words: tuple[str, ...], seed: int, n_seats: int) -> str:
    """Give what a referee is told first: the seed, if it takes one, and for how many it starts."""
    lines = [word.replace("{seed}", str(seed)) for word in seed_words]
    return "".join(f"{line}\n" for line in [*lines, f"###Start {n_seats}"])


def read_command(line: str, n_seats: int) -> Input | Output | Note | End:
    """Read a `###` line. Raises ResultProblem for one that is none of the four."""
    name, *words = line[len(SIGN) :].split() or [""]
    match name:
        case "Input" if len(words) == 1:
            return Input(_seat(words[0], n_seats, line))
        case "Output" if len(words) == 2 and words[1].isdecimal() and int(words[1]) > 0:
            return Output(_seat(words[0], n_seats, line), int(words[1]))
        case "Error" if words:
            return Note(_seat(words[0], n_seats, line), " ".join(words[1:]))
        case "End":
            return End(_places(words, n_seats, line))
    raise ResultProblem(f"not a line of the old mode: {line[:200]!r}")


def _seat(word: str, n_seats: int, line: str) -> int:
    if not word.isdecimal() or int(word) >= n_seats:
        raise ResultProblem(f"there is no bot {word[:20]!r} among {n_seats}: {line[:200]!r}")
    return int(word)


def _places(words: list[str], n_seats: int, line: str) -> tuple[float, ...]:
    """Read the places, each word a group of seats that tie, a digit a seat."""
    seats = "".join(words)
    if sorted(seats) != [str(seat) for seat in range(n_seats)]:
        raise ResultProblem(f"it does not place each of {n_seats} bots once: {line[:200]!r}")
    places = [0.0] * n_seats
    before = 0
    for word in words:
        for seat in word:
            places[int(seat)] = float(before)
        before += len(word)
    return tuple(places)
