"""What other runners left of games, read into one shape: cg-brutaltester's logs and console, psyleague's `.games`.

A reader gives what stands there and no more: a seed, a seat or a pairing that is not written is None or said in words,
never guessed. Making records of it is `run/imports`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import ResultsError
from harness.records import Scalar


@dataclass(frozen=True, slots=True)
class ForeignGame:
    """One game. `values` are by seat, larger is better; or by player where `players` is None and seats are not known.

    `number` is the game's in the order of its file. `players[seat]` is a name, or None where seats are not named.
    `failed` are seats at fault. `actions` are `SEAT LINE` in order, and the place where it was read is `where`.
    """

    number: int
    where: str
    values: tuple[float, ...]
    is_by_player: bool = False
    players: tuple[str, ...] | None = None
    seed: int | None = None
    failed: tuple[int, ...] = ()
    actions: tuple[str, ...] = ()
    data: tuple[tuple[str, Scalar], ...] = ()
    seat_data: tuple[tuple[tuple[str, Scalar], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Console:
    """What cg-brutaltester printed: the players' commands, and a row for each line "End of game".

    `shares[k]` are the percentages of the k-th such line, `numbers[k]` its game, `places[k]` the players by place where
    it is old mode's, else "".
    """

    commands: tuple[str, ...]
    numbers: tuple[int, ...]
    shares: tuple[tuple[float, ...], ...]
    places: tuple[str, ...]


_GAME_FILE = re.compile(r"game(\d+)\.(json|log)")
_COMMAND = re.compile(r"Player (\d) command line: (.*)")
_END = re.compile(r"End of game (\d+)(?::((?: ?\d+)+))?\s((?:\s*\d+[.,]\d\d%)+)")
_SEED = re.compile(r"seed=(-?\d+)")


# ------------------------------------------------------------------------------------- cg-brutaltester


def read_console(path: Path) -> Console:
    """Read what cg-brutaltester printed. Raises ResultsError if no game ended there."""
    commands: dict[int, str] = {}
    numbers, shares, places = [], [], []
    for line in _text(path).splitlines():
        if match := _COMMAND.search(line):
            commands[int(match[1])] = match[2].strip()
        elif match := _END.search(line):
            numbers.append(int(match[1]))
            places.append((match[2] or "").strip())
            shares.append(tuple(float(share.replace(",", ".")) for share in re.findall(r"(\d+[.,]\d\d)%", match[3])))
    if not numbers:
        raise ResultsError(
            "no game ended in this output of cg-brutaltester",
            where=str(path),
            allowed="lines `End of game 7  52.00% 31.00%`",
        )
    return Console(tuple(commands[key] for key in sorted(commands)), tuple(numbers), tuple(shares), tuple(places))


def read_logs(folder: Path) -> Iterator[ForeignGame]:
    """Read a folder of cg-brutaltester's logs, by game: `game7.json`, or `game7.log` in old mode.

    A file that is torn or tells no scores, as of a game that came to nothing, is passed over. Raises ResultsError if
    there are none at all.
    """
    found = [(int(match[1]), path) for path in folder.iterdir() if (match := _GAME_FILE.fullmatch(path.name))]
    if not found:
        raise ResultsError("no logs of cg-brutaltester here", where=str(folder), allowed="game1.json, game2.json, …")
    for number, path in sorted(found):
        game = _read_json_log(number, path) if path.suffix == ".json" else _read_old_log(number, path)
        if game is not None:
            yield game


def _read_json_log(number: int, path: Path) -> ForeignGame | None:
    """Read the log of a referee on CodinGame's SDK: `scores` and `outputs` by seat, the seed in `uinput`."""
    try:
        log = json.loads(_text(path))
        scores = {int(seat): float(score) for seat, score in log["scores"].items()}
        values = tuple(scores[seat] for seat in range(len(scores)))
        outputs = {str(key): value for key, value in (log.get("outputs") or {}).items()}
        told = "".join(log.get("uinput") or ())
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    if not values:
        return None
    seed = _SEED.search(told)
    turns = [outputs.get(str(seat)) or [] for seat in range(len(values))]
    actions = [
        f"{seat} {line}"
        for turn in range(max(map(len, turns)))
        for seat, said in enumerate(turns)
        if turn < len(said) and isinstance(said[turn], str)
        for line in said[turn].splitlines()
    ]
    return ForeignGame(
        number=number,
        where=str(path),
        values=values,
        seed=int(seed[1]) if seed else None,
        failed=tuple(seat for seat, value in enumerate(values) if value < 0),
        actions=tuple(actions),
    )


def _read_old_log(number: int, path: Path) -> ForeignGame | None:
    """Read a log of old mode. Its `###End` names players, not seats: cg-brutaltester has changed it back."""
    actions = []
    places = ""
    for line in _text(path).splitlines():
        if line.startswith("Referee: ###End"):
            places = line.removeprefix("Referee: ###End").strip()
        elif line.startswith("Player ") and ": " in line:
            seat, _, said = line.removeprefix("Player ").partition(": ")
            if seat.isdecimal():
                actions.append(f"{seat} {said}")
    values = values_of_places(places)
    return None if values is None else ForeignGame(number, str(path), values, is_by_player=True, actions=tuple(actions))


def values_of_places(places: str) -> tuple[float, ...] | None:
    """Give each player a number, larger for a better place, from `0 12 3`; None if it does not place each once."""
    groups = places.split()
    players = "".join(groups)
    if not players or sorted(players) != [str(player) for player in range(len(players))]:
        return None
    values = [0.0] * len(players)
    for place, group in enumerate(groups):
        for player in group:
            values[int(player)] = float(-place)
    return tuple(values)


def games_of_console(console: Console, path: Path) -> Iterator[ForeignGame]:
    """Give the games of a console's lines alone: places in old mode, else from how the percentages grow.

    A line has the shares of all games so far; what it adds to the line before is how many others each player beat,
    which orders them. Raises ResultsError where that is no such number: lines are missing, or several threads printed.
    """
    before = [0] * len(console.shares[0])
    for index, (number, shares, places) in enumerate(zip(console.numbers, console.shares, console.places, strict=True)):
        n_others = len(shares) - 1
        total = [round(share * (index + 1) * n_others / 100) for share in shares]
        beaten = tuple(now - then for now, then in zip(total, before, strict=True))
        before = total
        values = values_of_places(places) if places else tuple(map(float, beaten))
        if values is None or (not places and not _orders(beaten)):
            raise ResultsError(
                f"the result of game {number} cannot be read from the percentages",
                where=str(path),
                got=f"line {index + 1} of its kind adds {', '.join(map(str, beaten))} to those before",
                next_step="import the folder of logs (-l) as well; with one thread (-t 1) the lines alone are enough",
            )
        yield ForeignGame(number, str(path), values, is_by_player=True)


def _orders(beaten: Sequence[int]) -> bool:
    """Say whether these can be how many others each player beat: as many as have beaten fewer."""
    return all(own == sum(other < own for other in beaten) for own in beaten)


# -------------------------------------------------------------------------------------------- psyleague


def read_psyleague(path: Path) -> Iterator[ForeignGame]:
    """Read psyleague's games, a JSON object a line. Raises ResultsError naming a line that is none of them."""
    for number, line in enumerate(_text(path).splitlines(), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            game = json.loads(line)
            players = tuple(str(name) for name in game["players"])
            ranks = tuple(float(rank) for rank in game["ranks"])
            errors = tuple(game.get("errors") or ())
            told = _pairs(game.get("test_data") or {})
            seat_data = tuple(_pairs(data) for data in game.get("player_data") or ())
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ResultsError(
                "not a game of psyleague",
                where=where,
                got=f"{line[:80]!r} ({type(error).__name__}: {error})",
                allowed='{"players": [...], "ranks": [...], "errors": [...], "test_data": {...}, "player_data": [...]}',
            ) from None
        if len(ranks) != len(players) or not players:
            raise ResultsError("a game with as many ranks as players is needed", where=where, got=line[:80])
        seed = dict(told).get("seed")
        yield ForeignGame(
            number=number,
            where=where,
            values=tuple(-rank for rank in ranks),
            players=players,
            seed=seed if isinstance(seed, int) and not isinstance(seed, bool) else None,
            failed=tuple(seat for seat, failed in enumerate(errors[: len(players)]) if failed),
            data=told,
            seat_data=seat_data if len(seat_data) == len(players) else (),
        )


def _pairs(data: dict[str, object]) -> tuple[tuple[str, Scalar], ...]:
    return tuple((str(key), value if isinstance(value, Scalar) else str(value)) for key, value in data.items())


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ResultsError("cannot be read", where=str(path), got=error.strerror or str(error)) from None
