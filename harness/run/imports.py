"""From games that other runners played to map records, as far as what they wrote goes.

Games are put on one map only where their seeds say so: cg-brutaltester's `-s` plays a seed from every seat, one game
after the other. What cannot be known is said in `Imported.notes` and marked in the records: they are unpaired then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from harness.errors import UsageError
from harness.play.recording import transcript_file
from harness.records import (
    SCHEMA,
    Fault,
    FaultKind,
    GameRecord,
    MapRecord,
    ScoreOrder,
    SeatRecord,
    Termination,
    Transcript,
)
from harness.referee.points import points
from harness.report import numbers
from harness.store.foreign import Console, ForeignGame

STAGE = SPLIT = "imported"


@dataclass(frozen=True, slots=True)
class Imported:
    """The records with the transcripts that go with them, and what has to be said of them."""

    records: tuple[MapRecord, ...]
    transcripts: tuple[Transcript, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Seated:
    """A game whose seats are known: `seating[seat]` is the player who sat there."""

    game: ForeignGame
    seating: tuple[int, ...]


def import_brutal(
    games: Sequence[ForeignGame],
    console: Console | None,
    *,
    run: str,
    started: str,
    names: Sequence[str] = (),
    swapped: bool | None = None,
) -> Imported:
    """Make records of cg-brutaltester's games. `swapped` says whether `-s` was given, None if that is to be found out.

    Raises UsageError where it has to be said, or where the console has other results.
    """
    n_players = len(games[0].values)
    games = [game for game in games if len(game.values) == n_players]
    lineup = _names(names, console, n_players)
    notes: list[str] = []
    if swapped is None:
        swapped = _find_swapped(games, console, n_players)
    seeds_known = all(game.seed is not None for game in games)
    is_paired = seeds_known
    if swapped and seeds_known and n_players > 1 and len({game.seed for game in games}) == len(games) > 1:
        is_paired = False
        notes.append("-s was given, but no two games have one seed: the referee ignored it, and the games are unpaired")
    groups: dict[int, list[_Seated]] = {}
    for game in games:
        key, turn = game.number, (game.number - 1) % n_players if swapped else 0
        if swapped and is_paired:
            assert game.seed is not None
            key = game.seed
            turn = len(groups.get(key, ()))
        elif swapped and not seeds_known:
            key = (game.number - 1) // n_players
        seating = tuple((seat + turn) % n_players for seat in range(n_players))
        groups.setdefault(key, []).append(_Seated(_by_seat(game, seating), seating))
    if not seeds_known:
        notes.append("no seeds are written: the maps are not known, and the games are unpaired")
    if swapped and is_paired and any(len(group) > n_players for group in groups.values()):
        raise UsageError(
            "a seed was played more often than there are seats", next_step="was -s given? say --not-swapped"
        )
    uneven = sum(len(group) < n_players for group in groups.values()) if swapped and is_paired else 0
    if uneven:
        notes.append(f"{numbers.counted(uneven, 'map')} not played from every seat")
    if games[0].is_by_player:
        notes.append("who sat where is not written: results are the players', the seats of the records mean nothing")
    elif not swapped:
        notes.append("everybody kept one seat: what a seat is worth is in the result")
    elif console is None:
        notes.append(
            "who sat where follows from the numbers of the games, which is sure with one thread (-t 1) only; "
            "--console checks it"
        )
    _check_against(console, groups.values(), n_players)
    return _build([(lineup, group) for group in groups.values()], run, started, notes, is_paired=is_paired)


def _names(names: Sequence[str], console: Console | None, n_players: int) -> tuple[str, ...]:
    """Name the players: as asked for, else by their commands, else by number."""
    if names:
        if len(names) != n_players or len(set(names)) != n_players:
            raise UsageError(
                "--names needs a name for each player", got=", ".join(names), allowed=f"{n_players} different names"
            )
        return tuple(names)
    commands = console.commands if console is not None else ()
    if len(commands) == n_players and len(set(commands)) == n_players:
        return commands
    return tuple(f"p{number}" for number in range(1, n_players + 1))


def _by_seat(game: ForeignGame, seating: Sequence[int]) -> ForeignGame:
    """Give a game with its values by seat."""
    if not game.is_by_player:
        return game
    values = tuple(game.values[player] for player in seating)
    return ForeignGame(game.number, game.where, values, seed=game.seed, failed=game.failed, actions=game.actions)


def _find_swapped(games: Sequence[ForeignGame], console: Console | None, n_players: int) -> bool:
    """Find out whether `-s` was given: seeds come more than once; else which way the console's totals agree."""
    seeds = Counter(game.seed for game in games)
    if None not in seeds and len(seeds) < len(games):
        return True
    if n_players == 1:
        return False
    if console is not None and not games[0].is_by_player:
        fits = [way for way in (False, True) if _wins(games, n_players, swapped=way) == _total(console)]
        if len(fits) == 1:
            return fits[0]
    if games[0].is_by_player and None in seeds:
        return (
            False  # results name players: seats are not known either way, and change nothing but the seats' own table
        )
    raise UsageError(
        "nothing says whether cg-brutaltester was given -s: no seed comes twice",
        next_step="say --swapped or --not-swapped, or name its console output with --console",
    )


def _wins(games: Sequence[ForeignGame], n_players: int, *, swapped: bool) -> tuple[str, ...]:
    """Give each player's share of opponents beaten, as cg-brutaltester prints it, if games went in order."""
    beaten = [0] * n_players
    for game in games:
        turn = (game.number - 1) % n_players if swapped else 0
        for seat, value in enumerate(game.values):
            beaten[(seat + turn) % n_players] += sum(value > other for other in game.values)
    return tuple(f"{100 * n / (n_players - 1) / len(games):.1f}" for n in beaten)


def _total(console: Console) -> tuple[str, ...]:
    return tuple(f"{share:.1f}" for share in console.shares[-1])


def _check_against(console: Console | None, groups: Iterable[Sequence[_Seated]], n_players: int) -> None:
    """Refuse logs whose results are not those of the console: they belong to another run, or seats are wrong."""
    if console is None:
        return
    beaten = [0] * n_players
    n_games = 0
    for group in groups:
        for seated in group:
            n_games += 1
            for seat, value in enumerate(seated.game.values):
                beaten[seated.seating[seat]] += sum(value > other for other in seated.game.values)
    if n_games != len(console.numbers):
        return
    found = [100 * n / max(1, n_players - 1) / n_games for n in beaten]
    if any(abs(one - other) > 0.011 for one, other in zip(found, console.shares[-1], strict=True)):
        raise UsageError(
            "logs and console do not tell the same results",
            got=f"{' '.join(f'{share:.2f}%' for share in found)} in the logs, "
            f"{' '.join(f'{share:.2f}%' for share in console.shares[-1])} on the console",
            next_step="name logs and output of one run; if it had several threads, seats may be others: import one",
        )


def import_psyleague(games: Iterable[ForeignGame], *, run: str, started: str) -> Imported:
    """Make records of psyleague's games: those with one seed and the same players in other seats are one map."""
    groups: dict[tuple[object, ...], list[_Seated]] = {}
    lineups: dict[tuple[object, ...], tuple[str, ...]] = {}
    n_repeated = 0
    for game in games:
        assert game.players is not None
        key: tuple[object, ...] = ("game", game.number)
        if game.seed is not None and len(set(game.players)) == len(game.players):
            key = ("seed", game.seed, frozenset(game.players))
        lineup = lineups.setdefault(key, game.players)
        seating = tuple(_place(lineup, game.players))
        if any(seated.seating == seating for seated in groups.get(key, ())):
            n_repeated += 1
            key = ("game", game.number)
            lineup = lineups.setdefault(key, game.players)
            seating = tuple(range(len(lineup)))
        groups.setdefault(key, []).append(_Seated(game, seating))
    notes = []
    n_paired = sum(len(group) > 1 for group in groups.values())
    n_seeds = sum(group[0].game.seed is not None for group in groups.values())
    if n_paired:
        notes.append(
            f"{n_paired} maps have several games, by their `seed`; nobody has checked that they were on one map"
        )
    if n_paired < len(groups):
        notes.append(
            f"{len(groups) - n_paired} maps have one game: unpaired, and what the seats are worth is in the result"
            + ("" if n_seeds else "; no seeds are written")
        )
    if n_repeated:
        notes.append(f"{n_repeated} games have seed and seats of another: each counts as a map of its own")
    return _build([(lineups[key], group) for key, group in groups.items()], run, started, notes, is_paired=None)


def _place(lineup: Sequence[str], players: Sequence[str]) -> list[int]:
    """Give the index in the lineup of who sits in each seat; a bot against itself keeps its seats."""
    return list(range(len(players))) if len(set(players)) < len(players) else [lineup.index(name) for name in players]


def _build(
    maps: Sequence[tuple[tuple[str, ...], list[_Seated]]],
    run: str,
    started: str,
    notes: Sequence[str],
    *,
    is_paired: bool | None,
) -> Imported:
    """Make the records. `is_paired` None: those with several games of one seed are."""
    records: list[MapRecord] = []
    transcripts: list[Transcript] = []
    for job, (lineup, group) in enumerate(maps):
        games = [_record(lineup, job, number, seated) for number, seated in enumerate(group)]
        scores = [0.0] * len(lineup)
        for record in games:
            for player, score in zip(record.seating, record.scores, strict=True):
                scores[player] += score
        seed = group[0].game.seed
        records.append(
            MapRecord(
                schema=SCHEMA,
                run=run,
                job=job,
                stage=STAGE,
                split=SPLIT,
                seed=group[0].game.number if seed is None else seed,
                map="not known" if seed is None else f"seed {seed}",
                lineup=lineup,
                scores=tuple(scores),
                games=tuple(games),
                started=started,
                wall_s=0.0,
                worker=0,
                attempt=1,
                paired=seed is not None and (len(group) > 1 if is_paired is None else is_paired),
            )
        )
        transcripts += [
            Transcript(
                job,
                number,
                records[-1].seed,
                tuple(lineup[player] for player in seated.seating),
                seated.game.actions,
                (0,) * len(seated.game.actions),
            )
            for number, seated in enumerate(group)
            if seated.game.actions
        ]
    return Imported(tuple(records), tuple(transcripts), tuple(notes))


def _record(lineup: Sequence[str], job: int, number: int, seated: _Seated) -> GameRecord:
    game = seated.game
    n_seats = len(seated.seating)
    scores = points(game.values, ScoreOrder.HIGHER_IS_BETTER, game.failed)
    faults = tuple(Fault(seat, FaultKind.RULED, 0, "an error, as the imported game tells") for seat in game.failed)
    names = [lineup[player] for player in seated.seating]
    said = [0] * n_seats
    for action in game.actions:
        seat = action.partition(" ")[0]
        if seat.isdecimal() and int(seat) < n_seats:
            said[int(seat)] += 1
    seat_data = game.seat_data or ((),) * n_seats
    return GameRecord(
        seating=seated.seating,
        scores=scores,
        termination=Termination.FORFEIT if faults and n_seats <= 2 else Termination.NORMAL,
        detail=" : ".join(f"{name} {value:g}" for name, value in zip(names, game.values, strict=True)),
        plies=len(game.actions),
        wall_s=0.0,
        moves="b2:" + blake2b("\n".join(game.actions).encode(), digest_size=16).hexdigest() if game.actions else "",
        bots=tuple(SeatRecord(n, 0.0, 0.0, data=data) for n, data in zip(said, seat_data, strict=True)),
        faults=faults,
        values=game.values,
        transcript=f"{transcript_file(job)}#{job}-{number}" if game.actions else None,
        data=game.data,
    )
