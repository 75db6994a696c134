"""Games of OpenSpiel as rule sets: `open_spiel/connect_four` and a hundred others. The library is an optional extra.

This module reads the parameters and says which games fit; the games are played in `open_spiel_position`.
docs/rules/open-spiel.md is the page for users.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Mapping
from importlib import import_module
from textwrap import shorten
from types import ModuleType
from typing import Any

from harness.records import Form, Objective
from harness.rules.base import ParamError
from harness.rules.open_spiel_position import Setup, SpielPosition
from harness.seeding import child_seed

RANDOM_PLIES = 4
"""How many plies of the map are drawn, in a game in turn without chance of its own, if the config does not say."""

_OWN = ("random_plies", "tensor")
_TENSORS = ("none", "observation", "information")
_MAX_PLIES = 1_000
_SEED = "rng_seed"
"""What the library calls the seed of games that draw their chance themselves."""

_NAME = 60
"""Longest name of a map, in characters."""


class SpielRules:
    """One game of the library with its parameters: makes the map of any seed."""

    name = "open_spiel"
    forms: tuple[Form, ...] = (Form.STATE,)

    def __init__(self, game: Any, setup: Setup, *, reseed: Any = None) -> None:
        self.name = setup.name
        self.seats: int = game.num_players()
        if self.seats == 1:
            self.objective = Objective.MAXIMISE
        self._game = game
        self._setup = setup
        self._reseed = reseed
        self._usual_name = "chance of the seed" if game.max_chance_outcomes() else "the game's start"
        self._named: tuple[int | None, str] = (None, "")

    def start(self, seed: int) -> SpielPosition:
        """Draw the map of `seed`: its random plies, then whatever chance does first."""
        game = self._reseed(child_seed("open_spiel stream", seed, bits=31)) if self._reseed else self._game
        position = SpielPosition(game, self._setup, seed)
        self._named = (seed, shorten(" ".join(position.opening), _NAME, placeholder=" …") or self._usual_name)
        return position

    def map_name(self, seed: int) -> str:
        """Name the map by the plies that were drawn for it, if there are any."""
        if self._named[0] != seed:
            self.start(seed)
        return self._named[1]


def build(game: str, params: Mapping[str, object]) -> SpielRules:
    """Build a game of the library from its name and parameters. Raises ParamError for what does not fit."""
    spiel = _library(game)
    tensor = _word(params, "tensor", _TENSORS)
    theirs = {key: value for key, value in params.items() if key not in _OWN}
    loaded, reseed = _load(spiel, game, theirs)
    kind = loaded.get_type()
    name = f"open_spiel/{game}"
    _refuse_unfit(spiel, name, loaded, kind)
    is_perfect = kind.information == spiel.GameType.Information.PERFECT_INFORMATION
    is_sampled = kind.chance_mode == spiel.GameType.ChanceMode.SAMPLED_STOCHASTIC
    is_fixed = kind.chance_mode == spiel.GameType.ChanceMode.DETERMINISTIC
    is_in_turn = kind.dynamics == spiel.GameType.Dynamics.SEQUENTIAL
    if tensor != "none" and not getattr(kind, f"provides_{_TENSOR_NAMES[tensor]}"):
        raise ParamError("tensor", tensor, f"what {game} has", what=f"{game} has no such tensor")
    setup = Setup(
        name=name,
        game=str(loaded),
        random_plies=_random_plies(params, RANDOM_PLIES if is_fixed and is_in_turn else 0),
        shows_history=is_perfect and not is_sampled,
        shows_information=kind.provides_information_state_string and not is_perfect,
        shows_observation=kind.provides_observation_string,
        tensor="" if tensor == "none" else _TENSOR_NAMES[tensor],
    )
    return SpielRules(loaded, setup, reseed=reseed)


_TENSOR_NAMES = {"observation": "observation_tensor", "information": "information_state_tensor"}


def _library(game: str) -> ModuleType:
    try:
        library = import_module("pyspiel")  # an optional extra, loaded for its own games alone
        if game.startswith("python_"):
            import_module("open_spiel.python.games")  # registers the games that are written in Python
    except ImportError as error:
        raise ParamError(
            "name",
            f"open_spiel/{game}",
            "",
            what=f"its library cannot be loaded: {error}",
            next_step=f"{sys.executable} -m pip install open_spiel",
        ) from error
    return library


# ------------------------------------------------------------------------------------------- which game


def _load(spiel: Any, game: str, params: Mapping[str, object]) -> tuple[Any, Any]:
    """Load a game; besides, if it samples by a seed of its own, what loads it with a given one."""
    short, _, inside = game.partition("(")
    kinds = {kind.short_name: kind for kind in spiel.registered_games()}
    if short not in kinds:
        near = difflib.get_close_matches(short, kinds, 3, 0.4)
        hint = f"nearest: {', '.join(near)}" if near else "see the list in docs/rules/open-spiel.md"
        raise ParamError("name", f"open_spiel/{game}", hint, what="OpenSpiel has no such game")
    known = kinds[short].parameter_specification
    filled = _check_params(game, params, known)
    given = spiel.game_parameters_from_string(game) if inside else {}
    filled = {key: value for key, value in given.items() if key != "name"} | filled
    try:
        loaded = spiel.load_game(short, filled)
        loaded.new_initial_state()  # some parameters are looked at only here: the size of Go's board
    except Exception as error:  # the library raises what its languages have
        said = shorten(str(error) or type(error).__name__, 200)
        raise ParamError("name", f"open_spiel/{game}", "", what=f"OpenSpiel does not load it: {said}") from error
    samples = loaded.get_type().chance_mode == spiel.GameType.ChanceMode.SAMPLED_STOCHASTIC
    if not samples or _SEED not in known:
        return loaded, None
    return loaded, lambda seed: spiel.load_game(short, {**filled, _SEED: seed})


def _check_params(game: str, params: Mapping[str, object], known: Mapping[str, object]) -> dict[str, object]:
    """Check a game's own parameters against what the library says of them, whole numbers as numbers included."""
    filled: dict[str, object] = {}
    for key, value in params.items():
        if key == _SEED and key in known:
            raise ParamError(key, value, "nothing: it follows from the map's seed")
        if key not in known:
            raise ParamError(key, value, f"{game} has: {', '.join([*sorted(known), *_OWN])}")
        default = known[key]
        if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)  # noqa: PLW2901 - the library takes 7 for no number
        if type(value) is not type(default):
            usual = f"{type(default).__name__}, by default {default!r}"
            if isinstance(default, dict):
                usual = f'a game in the name itself: "open_spiel/{game}({key}=tic_tac_toe())"'
            raise ParamError(key, value, usual)
        filled[key] = value
    return filled


def _refuse_unfit(spiel: Any, name: str, game: Any, kind: Any) -> None:
    """Refuse games in which nobody meets anybody, and those whose chance cannot be drawn from the map's seed."""
    why = ""
    n_seats = game.num_players()
    if kind.dynamics == spiel.GameType.Dynamics.MEAN_FIELD:
        why = "a mean-field game has no seats"
    elif kind.action_structs_only:
        why = "its actions are no list of numbers"
    elif n_seats > 1 and kind.utility == spiel.GameType.Utility.IDENTICAL:
        why = "all its seats win or lose together, so that every game would be level"
    elif kind.chance_mode == spiel.GameType.ChanceMode.SAMPLED_STOCHASTIC and _SEED not in game.get_parameters():
        why = "it draws its chance itself and takes no seed, so that no map could be played twice"
    elif kind.information != spiel.GameType.Information.PERFECT_INFORMATION and not (
        kind.provides_information_state_string or kind.provides_observation_string
    ):
        why = "it cannot say what a seat may see"
    if why:
        raise ParamError(
            "name", name, "games of one to many seats that meet, and that show them what is theirs", what=why
        )


# ------------------------------------------------------------------------------------------- parameters of ours


def _word(params: Mapping[str, object], key: str, words: tuple[str, ...]) -> str:
    value = params.get(key, words[0])
    if not isinstance(value, str) or value not in words:
        raise ParamError(key, value, ", ".join(words))
    return value


def _random_plies(params: Mapping[str, object], usual: int) -> int:
    value = params.get("random_plies", usual)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MAX_PLIES:
        raise ParamError("random_plies", value, f"a whole number from 0 to {_MAX_PLIES}")
    return value
