"""What a key is in one game of a record: fields of the record, map properties, what bots said.

A game is seen from one bot's place: `seat`, `opponent` and what it said of itself are that bot's. Without one only what
is the same for all seats is known. Must not keep records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from harness.records import GameRecord, MapRecord, Scalar
from harness.report.expression import Values


class Level(StrEnum):
    """Whose a value is: the same for all games of a map, for all seats of a game, or one seat's own."""

    MAP = "map"
    GAME = "game"
    SEAT = "seat"


@dataclass(frozen=True, slots=True)
class Field:
    """A field that every record has. `is_result` says that it is known only when the game is over."""

    name: str
    level: Level
    about: str
    is_result: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """One game of a record, seen by the bot at `bot` in its lineup; None for by nobody."""

    record: MapRecord
    number: int
    bot: int | None

    @property
    def game(self) -> GameRecord:
        """Give the game."""
        return self.record.games[self.number]

    @property
    def seat(self) -> int | None:
        """Give the seat of the bot that sees it."""
        return None if self.bot is None else self.game.seating.index(self.bot)


def _one(read: Callable[[GameRecord, int], Scalar]) -> Callable[[Place], Values]:
    """Make a reader of what one seat has."""

    def values(place: Place) -> Values:
        seat = place.seat
        value = None if seat is None else read(place.game, seat)
        return () if value is None else (value,)

    return values


def _opponents(place: Place) -> Values:
    if place.bot is None:
        return ()
    return tuple(name for index, name in enumerate(place.record.lineup) if index != place.bot)


def _faults(game: GameRecord, seat: int) -> int:
    return sum(fault.seat == seat for fault in game.faults)


_FIELDS: tuple[tuple[Field, Callable[[Place], Values]], ...] = (
    (Field("seed", Level.MAP, "seed of the map"), lambda place: (place.record.seed,)),
    (Field("map", Level.MAP, "the map's name"), lambda place: (place.record.map,)),
    (Field("job", Level.MAP, "number of the map job"), lambda place: (place.record.job,)),
    (Field("split", Level.MAP, "split of the ledger"), lambda place: (place.record.split,)),
    (Field("stage", Level.MAP, "part of the run"), lambda place: (place.record.stage,)),
    (Field("seats", Level.MAP, "how many seats there are"), lambda place: (len(place.record.lineup),)),
    (Field("game", Level.GAME, "number of the game on its map, from 0"), lambda place: (place.number,)),
    (Field("plies", Level.GAME, "actions in the game", is_result=True), lambda place: (place.game.plies,)),
    (
        Field("termination", Level.GAME, "normal, forfeit, adjudicated or max_length", is_result=True),
        lambda place: (place.game.termination.value,),
    ),
    (Field("wall_s", Level.GAME, "seconds that the game took", is_result=True), lambda place: (place.game.wall_s,)),
    (
        Field("game_faults", Level.GAME, "forfeits in the game, of any bot", is_result=True),
        lambda place: (len(place.game.faults),),
    ),
    (Field("seat", Level.SEAT, "where the bot sat, from 0"), _one(lambda _, seat: seat)),
    (Field("opponent", Level.SEAT, "who else was in the game; any of several"), _opponents),
    (
        Field("time_s", Level.SEAT, "seconds that the bot thought", is_result=True),
        _one(lambda game, seat: game.bots[seat].think_s),
    ),
    (
        Field("max_ply_s", Level.SEAT, "the bot's longest ply, in seconds", is_result=True),
        _one(lambda game, seat: game.bots[seat].max_ply_s),
    ),
    (
        Field("cpu_s", Level.SEAT, "CPU seconds that the bot used", is_result=True),
        _one(lambda game, seat: game.bots[seat].cpu_s),
    ),
    (Field("faults", Level.SEAT, "the bot's own forfeits in the game", is_result=True), _one(_faults)),
    (
        Field("score", Level.SEAT, "the bot's points in the game", is_result=True),
        _one(lambda game, seat: game.scores[seat]),
    ),
    (
        Field("value", Level.SEAT, "the bot's number by the rules: cells, points", is_result=True),
        _one(lambda game, seat: None if game.values is None else game.values[seat]),
    ),
)
FIELDS: dict[str, Field] = {field.name: field for field, _ in _FIELDS}
"""The fields that every record has, by name; what bots and maps say comes besides."""

_READERS: dict[str, Callable[[Place], Values]] = {field.name: read for field, read in _FIELDS}

OF_MAP, OF_GAME, OF_BOT, OF_OPPONENT = "map.", "game.", "bot.", "opponent."
"""Prefixes that name where a key is from; without one it is looked for in this order, after the fields above."""


def values_of(key: str, place: Place) -> Values:
    """Give what a key is in a game: a field, a map property, what bots said of the game, what the bot said of itself.

    Nothing where it is not there; several values for the opponents of a table.
    """
    if (read := _READERS.get(key)) is not None:
        return read(place)
    prefix, dot, name = key.partition(".")
    if dot and (read_part := _PARTS.get(prefix + dot)) is not None:
        return read_part(name, place)
    for read_part in (_of_map, _of_game, _of_bot):
        if values := read_part(key, place):
            return values
    return ()


def _find(pairs: Iterable[tuple[str, Scalar]], name: str) -> Values:
    for key, value in pairs:
        if key == name and value is not None:
            return (value,)
    return ()


def _of_map(name: str, place: Place) -> Values:
    return _find(place.record.properties, name)


def _of_game(name: str, place: Place) -> Values:
    return _find(place.game.data, name)


def _of_bot(name: str, place: Place) -> Values:
    seat = place.seat
    return () if seat is None else _find(place.game.bots[seat].data, name)


def _of_opponent(name: str, place: Place) -> Values:
    own = place.seat
    if own is None:
        return ()
    others = [used.data for seat, used in enumerate(place.game.bots) if seat != own]
    return tuple(value for data in others for value in _find(data, name))


_PARTS: dict[str, Callable[[str, Place], Values]] = {
    OF_MAP: _of_map,
    OF_GAME: _of_game,
    OF_BOT: _of_bot,
    OF_OPPONENT: _of_opponent,
}


def seen_from(record: MapRecord, bot: str | None) -> int | None:
    """Give the place of a bot in a record's lineup; None if it is not there, or for nobody. Alone is seen by itself."""
    if bot is None:
        return 0 if len(record.lineup) == 1 else None
    return record.lineup.index(bot) if bot in record.lineup else None
