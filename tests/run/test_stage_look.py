"""What is counted of a stage's records beside their scores: who forfeited, and which draws show a mirror."""

from __future__ import annotations

from dataclasses import replace

from harness.gates.outcome import BotForfeits
from harness.records import FaultKind, MapRecord
from harness.run.stage_look import ForfeitCount, is_mirror_draw
from tests.report.made_records import game_record, map_record, with_fault


def drawn() -> MapRecord:
    """A map of which both games are the same draw."""
    games = [game_record(seating, (0.5, 0.5), moves="same") for seating in ((0, 1), (1, 0))]
    return map_record(0, ("champ", "twin"), games)


def test_forfeits_are_counted_by_bot() -> None:
    count = ForfeitCount()
    count.add(drawn())
    count.add(with_fault(drawn(), 1, FaultKind.TIMEOUT, "late"))
    assert count.result() == (BotForfeits("champ", 0, 4), BotForfeits("twin", 1, 4))


def test_a_mirror_draw_is_one_game_drawn_from_both_seats() -> None:
    assert is_mirror_draw(drawn())
    first, second = drawn().games
    assert not is_mirror_draw(replace(drawn(), games=(first, replace(second, moves="other"))))
    won = tuple(replace(game, scores=(1.0, 0.0)) for game in (first, second))
    assert not is_mirror_draw(replace(drawn(), games=won))
    one_more = replace(first.bots[0], plies=first.bots[0].plies + 1)
    odd = tuple(replace(game, bots=(one_more, game.bots[1])) for game in (first, second))
    assert not is_mirror_draw(replace(drawn(), games=odd))
    assert not is_mirror_draw(with_fault(drawn(), 0, FaultKind.CRASH, "exit code 1"))
