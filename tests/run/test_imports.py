"""From what other runners left to records: maps only where seeds say so, and words for what is not known."""

from __future__ import annotations

import pytest

from harness.errors import UsageError
from harness.records import FaultKind
from harness.run.imports import Imported, import_brutal, import_psyleague
from harness.store.foreign import Console, ForeignGame


def game(number: int, values: tuple[float, ...], seed: int | None = None, **facts: object) -> ForeignGame:
    failed = tuple(seat for seat, value in enumerate(values) if value < 0)
    return ForeignGame(number, f"game{number}", values, seed=seed, failed=failed, **facts)  # type: ignore[arg-type]


def brutal(games: list[ForeignGame], console: Console | None = None, **facts: object) -> Imported:
    return import_brutal(games, console, run="x", started="2026-11-30T00:00:00.000Z", **facts)  # type: ignore[arg-type]


SWAPPED = [game(1, (7, 1), 42), game(2, (3, 5), 42), game(3, (2, 2), 43), game(4, (-1, 4), 43)]


def test_games_of_one_seed_are_a_map_from_both_seats() -> None:
    made = brutal(SWAPPED)
    first, second = made.records
    assert [record.seed for record in made.records] == [42, 43]
    assert [game.seating for game in first.games] == [(0, 1), (1, 0)]
    assert first.scores == (2.0, 0.0)  # player 1 won from the first seat with 7, from the second with 5
    assert second.scores == (1.5, 0.5)
    assert second.games[1].faults[0].kind is FaultKind.RULED
    assert all(record.paired for record in made.records)
    assert len(made.notes) == 1
    assert "sure with one thread" in made.notes[0]


def test_a_map_that_is_not_whole_is_said() -> None:
    assert "1 map not played from every seat" in brutal(SWAPPED[:3]).notes


def test_whether_seats_were_swapped_has_to_be_known() -> None:
    games = [game(1, (7, 1), 5), game(2, (3, 5), 6)]
    with pytest.raises(UsageError, match="nothing says whether"):
        brutal(games)
    fixed = brutal(games, swapped=False)
    assert [record.games[0].seating for record in fixed.records] == [(0, 1), (0, 1)]
    assert "everybody kept one seat" in fixed.notes[0]
    ignored = brutal(games, swapped=True)
    assert not any(record.paired for record in ignored.records)
    assert [record.games[0].seating for record in ignored.records] == [(0, 1), (1, 0)]
    assert ignored.records[1].scores == (1.0, 0.0)  # player 1 sat second and had 5
    assert "ignored it" in ignored.notes[0]


def test_the_console_tells_whether_seats_were_swapped() -> None:
    games = [game(1, (7, 1), 5), game(2, (3, 5), 6)]
    as_fixed = Console((), (1, 2), ((100.0, 0.0), (50.0, 50.0)), ("", ""))
    assert "everybody kept one seat" in brutal(games, as_fixed).notes[0]
    as_swapped = Console((), (1, 2), ((100.0, 0.0), (100.0, 0.0)), ("", ""))
    assert brutal(games, as_swapped).records[1].scores == (1.0, 0.0)


def test_a_console_of_another_run_is_refused() -> None:
    console = Console(("./a", "./b"), (1, 2, 3, 4), ((0.0, 100.0),) * 4, ("",) * 4)
    with pytest.raises(UsageError, match="do not tell the same results"):
        brutal(SWAPPED, console)


def test_players_have_the_names_of_their_commands() -> None:
    console = Console(("./a", "./b"), (1,), ((50.0, 0.0),), ("",))
    assert brutal(SWAPPED, console).records[0].lineup == ("./a", "./b")
    assert brutal(SWAPPED).records[0].lineup == ("p1", "p2")
    assert brutal(SWAPPED, names=("new", "old")).records[0].lineup == ("new", "old")
    with pytest.raises(UsageError, match="a name for each player"):
        brutal(SWAPPED, names=("new",))


def test_results_by_player_are_nobodys_seat() -> None:
    made = brutal([game(1, (0, -1), is_by_player=True), game(2, (0, -1), is_by_player=True)])
    assert [record.scores for record in made.records] == [(1.0, 0.0), (1.0, 0.0)]
    assert not any(record.paired for record in made.records)
    assert any("who sat where is not written" in note for note in made.notes)


def test_actions_make_a_transcript_and_a_digest() -> None:
    made = brutal([game(1, (1, 0), 5, actions=("0 UP", "1 DOWN", "0 UP"))], swapped=False)
    record = made.records[0].games[0]
    assert (record.plies, [seat.plies for seat in record.bots]) == (3, [2, 1])
    assert record.moves.startswith("b2:")
    assert made.transcripts[0].actions == ("0 UP", "1 DOWN", "0 UP")


def psyleague(*games: ForeignGame) -> Imported:
    return import_psyleague(games, run="x", started="2026-11-30T00:00:00.000Z")


def test_psyleague_games_of_a_seed_and_its_players_are_one_map() -> None:
    made = psyleague(
        game(1, (0, -1), 5, players=("a", "b")),
        game(2, (0, -1), 5, players=("b", "a")),
        game(3, (0, -1), 5, players=("a", "c")),
        game(4, (0, -1), None, players=("a", "b")),
    )
    assert [(record.lineup, len(record.games), record.paired) for record in made.records] == [
        (("a", "b"), 2, True),
        (("a", "c"), 1, False),
        (("a", "b"), 1, False),
    ]
    assert [game.seating for game in made.records[0].games] == [(0, 1), (1, 0)]
    assert made.records[0].scores == (1.0, 1.0)
    assert "nobody has checked" in made.notes[0]
    assert "2 maps have one game: unpaired" in made.notes[1]


def test_a_game_played_twice_is_a_map_of_its_own() -> None:
    made = psyleague(*[game(number, (0, -1), 5, players=("a", "b")) for number in (1, 2)])
    assert len(made.records) == 2
    assert "seed and seats of another" in made.notes[-1]
