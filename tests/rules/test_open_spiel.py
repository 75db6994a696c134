"""OpenSpiel's games as rules: they conform, hide what is hidden, meet one chance twice, and refuse what cannot be."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspiel  # type: ignore[import-not-found]
import pytest

from harness.records import Form, StateView, Termination
from harness.rules.base import ParamError, Position, Rules
from harness.rules.open_spiel_position import SpielPosition
from harness.rules.registry import build_rules
from harness.seeding import child_seed
from harness.testing.playout import play_turn
from harness.testing.rules_kit import check_rules

ROOT = Path(__file__).parents[2]


def spiel(game: str, /, **params: object) -> Rules:
    return build_rules(f"open_spiel/{game}", params, str)


def state_of(position: Position, seat: int) -> dict[str, Any]:
    view = position.view(seat, Form.STATE)
    assert isinstance(view, StateView)
    return dict(view.state)


# ----------------------------------------------------------------------------------------- conforming

CONFORMING: list[tuple[str, dict[str, object]]] = [
    ("connect_four", {}),
    ("connect_four", {"random_plies": 0, "rows": 4, "columns": 5}),
    ("tic_tac_toe", {"random_plies": 7}),  # often over by then: fewer, or drawn again
    ("breakthrough", {"rows": 5, "columns": 4}),  # no observation string
    ("go", {"board_size": 5, "komi": 7}),  # a whole number where the library wants another
    ("backgammon", {}),
    ("pig", {"players": 3, "winscore": 20}),
    ("yacht", {"players": 1}),  # one seat
    ("goofspiel", {"num_cards": 4, "players": 3}),  # at once, with chance
    ("oshi_zumo", {"coins": 10}),  # at once, without
    ("matrix_pd", {}),  # one turn, no zero sum
    ("snake", {"players": 4}),
    ("kuhn_poker", {"players": 3}),
    ("leduc_poker", {"tensor": "information"}),
    ("liars_dice", {"tensor": "none"}),
    ("hearts", {}),
    ("gin_rummy", {"tensor": "observation"}),
    ("phantom_ttt", {}),
    ("first_sealed_auction", {}),
    ("negotiation", {}),  # draws by a seed of its own
    ("misere(game=kuhn_poker(players=3))", {}),
    ("repeated_game(stage_game=matrix_rps(),num_repetitions=5)", {}),
    ("python_kuhn_poker", {}),
]


@pytest.mark.parametrize(("game", "params"), CONFORMING, ids=str)
def test_conforms(game: str, params: dict[str, object]) -> None:
    check_rules(lambda: spiel(game, **params), range(3))


# -------------------------------------------------------------------------------------------- hiding


def positions(game: str, n_seeds: int, **params: object) -> Iterator[SpielPosition]:
    """Give positions in which somebody is to act, from games played by chance."""
    rules = spiel(game, **params)
    for seed in range(n_seeds):
        position, turn = rules.start(seed), 0
        while position.to_act():
            assert isinstance(position, SpielPosition)
            yield position
            play_turn(position, turn, child_seed("hands", seed, bits=8))
            turn += 1


HIDING = [("kuhn_poker", 200), ("leduc_poker", 200), ("liars_dice", 100), ("hearts", 3), ("dark_hex", 20)]


@pytest.mark.parametrize(("game", "n_seeds"), HIDING, ids=str)
def test_what_a_seat_is_shown_follows_from_its_own_information_alone(game: str, n_seeds: int) -> None:
    """Whatever else differs between two positions, a seat that knows the same of both is shown the same."""
    shown: dict[tuple[int, str], str] = {}
    whole: dict[tuple[int, str], set[str]] = {}
    for position in positions(game, n_seeds):
        for seat in position.to_act():
            state = position._state
            known = seat, state.information_state_string(seat)
            text = json.dumps(state_of(position, seat))
            assert shown.setdefault(known, text) == text
            whole.setdefault(known, set()).add(str(state))
    if n_seeds >= 100:  # and the test has seen positions that only the others could tell apart
        assert any(len(states) > 1 for states in whole.values())


@pytest.mark.parametrize("game", ["kuhn_poker", "leduc_poker", "hearts", "phantom_ttt", "gin_rummy"])
def test_a_hidden_history_is_never_shown(game: str) -> None:
    for position in positions(game, 3):
        for seat in position.to_act():
            assert "history" not in state_of(position, seat)


def test_a_seed_from_which_the_hidden_would_follow_is_never_shown() -> None:
    shown = [state_of(spiel("negotiation").start(seed), 0)["game"] for seed in range(5)]
    assert set(shown) == {"negotiation()"}


def test_an_opponent_s_cards_are_not_in_the_text() -> None:
    """In Kuhn poker a seat's information begins with its own card; the other's stands nowhere."""
    for position in positions("kuhn_poker", 50):
        (seat,) = position.to_act()
        cards = position._state.history()[:2]
        assert state_of(position, seat)["information"].strip("pb") == str(cards[seat])
        assert str(cards[1 - seat]) not in state_of(position, seat)["information"]


def test_who_acts_at_once_sees_nothing_of_the_others_choice() -> None:
    rules = spiel("goofspiel", num_cards=4)
    position = rules.start(1)
    before = [state_of(position, seat) for seat in position.to_act()]
    position.parse(0, position.legal(0)[0])
    assert [state_of(position, seat) for seat in position.to_act()] == before


# -------------------------------------------------------------------------------------------- chance


def deals(position: SpielPosition) -> list[int]:
    """Give what chance has done in a game so far."""
    state = position._state.get_game().new_initial_state()
    drawn = []
    for step in position._state.full_history():
        if state.is_chance_node():
            drawn.append(step.action)
        state.apply_action(step.action)
    return drawn


@pytest.mark.parametrize(
    ("game", "n_sure"), [("backgammon", None), ("pig", None), ("leduc_poker", 2), ("gin_rummy", 20)]
)
def test_two_games_on_a_map_meet_the_same_chance_whatever_is_played(game: str, n_sure: int | None) -> None:
    """Dice are the same throughout; cards are as long as the same are left to be dealt."""
    rules = spiel(game)
    for seed in range(5):
        found = []
        for salt in (1, 2):
            position, turn = rules.start(seed), 0
            assert isinstance(position, SpielPosition)
            while position.to_act() and turn < 30:
                play_turn(position, turn, salt)
                turn += 1
            found.append(deals(position))
        n_compared = min(n_sure or 100, *map(len, found))
        assert n_compared >= 2
        assert found[0][:n_compared] == found[1][:n_compared]


def test_seeds_give_other_chance_and_other_openings() -> None:
    dice = {tuple(deals(position)) for position in map(spiel("backgammon").start, range(50)) if position.to_act()}  # type: ignore[arg-type]
    assert len(dice) > 10
    assert len({spiel("connect_four").map_name(seed) for seed in range(100)}) > 80


def test_chance_is_drawn_with_its_probabilities() -> None:
    rules = spiel("pig")
    rolled = [0] * 6
    for seed in range(600):
        position = rules.start(seed)
        assert isinstance(position, SpielPosition)
        position.apply({0: position.parse(0, "0")})
        rolled[deals(position)[0]] += 1
    assert all(70 <= n <= 130 for n in rolled), rolled  # 100 each, give or take three standard deviations


SHOW = """
from harness.rules.registry import build_rules
from harness.testing.playout import play_turn
for game in ("connect_four", "leduc_poker", "goofspiel", "negotiation"):
    rules = build_rules(f"open_spiel/{game}", {}, str)
    for seed in (1, -5, 2**62):
        position, turn = rules.start(seed), 0
        while position.to_act():
            play_turn(position, turn, seed)
            turn += 1
        print(game, rules.map_name(seed), position.log, position.outcome(), repr(position.draw()))
"""


def test_another_process_plays_the_same_games() -> None:
    said = [
        subprocess.run(
            [sys.executable, "-c", SHOW],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
            cwd=ROOT,
            env={"PYTHONHASHSEED": salt},
        ).stdout
        for salt in ("1", "2")
    ]
    assert said[0] == said[1]
    assert len(said[0].splitlines()) == 12


# -------------------------------------------------------------------------------------- openings, ends


def test_an_opening_is_of_the_map_not_of_the_game() -> None:
    rules = spiel("connect_four", random_plies=3)
    position = rules.start(4)
    assert position.log == []
    assert position.to_act() == (1,)
    assert len(state_of(position, 1)["history"]) == 3
    assert rules.map_name(4).split() == position.opening  # type: ignore[attr-defined]
    assert spiel("connect_four", random_plies=0).map_name(4) == "the game's start"


def test_what_is_played_at_once_opens_with_nothing_drawn_unless_it_is_asked_for() -> None:
    assert spiel("oshi_zumo").start(4).opening == []  # type: ignore[attr-defined]
    assert len(spiel("oshi_zumo", random_plies=1).start(4).opening) == 2  # type: ignore[attr-defined]
    assert spiel("matrix_rps").start(4).opening == []  # type: ignore[attr-defined]
    assert len(spiel("connect_four").start(4).opening) == 4  # type: ignore[attr-defined]


def test_an_opening_never_ends_the_game() -> None:
    rules = spiel("tic_tac_toe", random_plies=8)
    for seed in range(50):
        assert rules.start(seed).to_act()


def test_an_action_may_be_its_number_or_its_name() -> None:
    position = spiel("connect_four").start(1)
    (seat,) = position.to_act()
    shown = state_of(position, seat)
    for number, name in zip(shown["legal"], shown["names"], strict=True):
        assert position.parse(seat, number) == position.parse(seat, name) == int(number)


def test_returns_are_values_and_their_order_points() -> None:
    position = spiel("first_sealed_auction", players=3).start(1)
    turn = 0
    while position.to_act():
        play_turn(position, turn, 1)
        turn += 1
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.values is not None
    order = sorted(range(3), key=lambda seat: outcome.values[seat])  # type: ignore[index]
    assert [outcome.scores[seat] for seat in order] == sorted(outcome.scores)
    assert sum(outcome.scores) == pytest.approx(1.5)


def test_a_forfeit_of_one_of_three_ends_the_game() -> None:
    position = spiel("kuhn_poker", players=3).start(1)
    position.apply({}, (0,))
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.scores == (0.0, 0.75, 0.75)
    assert outcome.termination is Termination.FORFEIT


# ------------------------------------------------------------------------------------------- refusing

REFUSED: list[tuple[str, dict[str, object], str, str]] = [
    ("connect_fuor", {}, "name", "no such game.*nearest: connect_four"),
    ("connect_four", {"row": 5}, "row", "connect_four has: columns, .*random_plies"),
    ("connect_four", {"rows": "5"}, "rows", "int, by default 6"),
    ("connect_four", {"rows": True}, "rows", "int, by default 6"),
    ("connect_four", {"random_plies": -1}, "random_plies", "a whole number from 0"),
    ("connect_four", {"random_plies": True}, "random_plies", "a whole number from 0"),
    ("connect_four", {"tensor": "all"}, "tensor", "none, observation, information"),
    ("banqi", {"tensor": "information"}, "tensor", "banqi has no such tensor"),
    ("misere", {"game": "kuhn_poker()"}, "game", r"a game in the name itself: \"open_spiel/misere\(game="),
    ("misere", {}, "name", "does not load it: Missing parameter game"),
    ("leduc_poker", {"players": 99}, "name", "does not load it"),
    ("go", {"board_size": -9}, "name", "does not load it: unsupported board size"),
    ("go", {"board_size": 90}, "name", "does not load it: .* up to 19"),
    ("negotiation", {"rng_seed": 5}, "rng_seed", "it follows from the map's seed"),
    ("hanabi", {}, "name", "win or lose together"),
    ("mfg_garnet", {}, "name", "no seats"),
    ("crossword", {}, "name", "no list of numbers"),
    ("tiny_bridge_2p", {}, "name", "together"),
]


@pytest.mark.parametrize(("game", "params", "key", "message"), REFUSED, ids=str)
def test_what_does_not_fit_is_refused(game: str, params: dict[str, object], key: str, message: str) -> None:
    with pytest.raises(ParamError, match=message) as caught:
        spiel(game, **params)
    assert caught.value.key == key


def test_every_game_is_taken_or_refused_in_words() -> None:
    """No game of the library ends in a traceback when it is named."""
    taken = 0
    for kind in pyspiel.registered_games():
        try:
            spiel(kind.short_name)
        except ParamError as error:
            assert error.what  # noqa: PT017
        else:
            taken += 1
    assert taken > 90


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(ParamError, match="its library cannot be loaded") as caught:
        spiel("connect_four")
    assert caught.value.next_step is not None
    assert caught.value.next_step.endswith("-m pip install open_spiel")
