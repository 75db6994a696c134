"""The built-in referee: the one place where rules and protocols meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import repeat
from pathlib import Path

from harness.errors import ConfigError, RefereeError
from harness.making import maker
from harness.protocols.lines import shown
from harness.protocols.registry import form_of, made_for
from harness.records import BotSpec, Form, RulesSpec, Scalar, View
from harness.referee.base import RefereedGame
from harness.rules.base import Outcome, ParamError, Position, Rules
from harness.rules.registry import BUILT_IN, build_rules

Properties = tuple[tuple[str, Scalar], ...]


def _no_properties(seed: int) -> Properties:  # noqa: ARG001 - rules that say nothing of their maps
    return ()


_make_game = maker(RefereedGame)


class BuiltinReferee:
    """Rules of ours as a referee."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.n_seats = rules.seats
        self.forms = rules.forms
        self.map_properties: Callable[[int], Properties] = getattr(rules, "map_properties", _no_properties)
        """Gives what the rules say of the map of a seed, as pairs of key and value; nothing if they say nothing."""

    @property
    def name(self) -> str:
        """Name the referee for people: its rules."""
        return self.rules.name

    def map_name(self, seed: int) -> str:
        """Name the map of `seed`."""
        return self.rules.map_name(seed)

    def start(self, seed: int, forms: Sequence[Form]) -> RefereedGame:
        """Set up a game; see `referee.base.Referee`."""
        position = self.rules.start(seed)
        views = tuple([_viewer(position, seat, form) for seat, form in enumerate(forms)])
        try:
            return _make_game(
                position.log,
                position.to_act,
                views,
                position.parse,
                position.apply,
                position.outcome,
                position.draw,
            )
        except AttributeError as error:
            raise RefereeError(
                f"a game of the rules {self.name} lacks what every game has",
                got=str(error),
                next_step="docs/how-to/add-a-rule-set.md has one that is whole",
            ) from error


class OwnReferee(BuiltinReferee):
    """Rules of the user's own as a referee: what they say of the end of a game is looked at, once a game."""

    def __init__(self, rules: Rules, written: str) -> None:
        super().__init__(rules)
        self._written = written

    def start(self, seed: int, forms: Sequence[Form]) -> RefereedGame:
        """Set up a game; see `referee.base.Referee`. Its `outcome` raises RefereeError for what can be none."""
        game = super().start(seed, forms)
        game.outcome = partial(self._sound_outcome, game.outcome, game.to_act, seed)
        return game

    def _sound_outcome(
        self, told: Callable[[], Outcome | None], to_act: Callable[[], tuple[int, ...]], seed: int
    ) -> Outcome | None:
        outcome = told()
        wrong = _what_is_wrong(outcome, self.n_seats) if outcome is not None or not to_act() else ""
        if not wrong:
            return outcome
        code = getattr(told, "__code__", None)
        raise RefereeError(
            f"{self._written} gives a game on the map of seed {seed} an end that is none",
            where=f"{code.co_filename}:{code.co_firstlineno}" if code is not None else None,
            got=wrong,
            allowed=f"an Outcome with {_what_adds_up(self.n_seats)}; None while somebody is to act",
            next_step="mend `outcome`; docs/how-to/add-a-rule-set.md has the kit that finds this before a run",
        )


def _what_is_wrong(outcome: object, n_seats: int) -> str:
    """Say what of an outcome is against the contract of `rules.base.Outcome`; "" if nothing is."""
    if not isinstance(outcome, Outcome):
        return f"{shown(repr(outcome))}, with nobody to act" if outcome is None else shown(repr(outcome))
    scores: object = outcome.scores
    is_sound = (
        isinstance(scores, tuple)
        and len(scores) == n_seats
        and all(isinstance(score, int | float) and 0 <= score <= 1 for score in scores)
        and (n_seats == 1 or abs(sum(scores) - n_seats / 2) < _ROUNDING)
    )
    return "" if is_sound else f"scores {shown(repr(scores))}"


def _what_adds_up(n_seats: int) -> str:
    if n_seats == 1:
        return "scores (1,) for a result, which is in `values`, or (0,) for none"
    return f"a tuple of {n_seats} scores from 0 to 1 that add up to {n_seats / 2:g} (win 1, draw 1/2, loss 0)"


_ROUNDING = 1e-9

_MOVES = Form.MOVES  # looking up a member of an enumeration costs as much as the rest


def _viewer(position: Position, seat: int, form: Form) -> Callable[[], View]:
    """Give what shows the game to a seat. A view of the moves is one object that lives as long as the game."""
    if form is _MOVES:
        return repeat(position.view(seat, form)).__next__
    return partial(position.view, seat, form)


def build_referee(spec: RulesSpec) -> BuiltinReferee:
    """Build the referee for a rule set. Raises ParamError for a wrong name or parameter (key, got, allowed)."""
    folder = Path(spec.folder)
    files: dict[str, str] = {}

    def read_text(name: str) -> str:
        if name not in files:
            files[name] = (folder / name).read_text(encoding="utf-8")
        return files[name]

    try:
        rules = build_rules(spec.name, dict(spec.params), read_text)
        return OwnReferee(rules, spec.name) if ":" in spec.name else BuiltinReferee(rules)
    except OSError as error:
        key = next((key for key, value in spec.params if str(folder / str(value)) == error.filename), "name")
        raise ParamError(key, str(error.filename), f"a readable file ({error.strerror})") from error


def check_fit(referee: BuiltinReferee, bots: Sequence[BotSpec], locate: Callable[[str], str] | None = None) -> None:
    """Refuse bots whose protocol speaks a form that the rules do not offer, or is made for other games.

    `locate` gives the place in the config of a bot of this name. Raises ConfigError with those that fit.
    """
    offered, name = referee.forms, referee.rules.name
    for bot in bots:
        form = form_of(bot)
        if form is None:
            continue
        games = made_for(bot.protocol, bot.cwd)
        if form not in offered:
            got = f"protocol {bot.protocol} needs the form {form.value!r}"
        elif not _is_meant(games, name):
            got = f"protocol {bot.protocol} is made for {', '.join(games)}"
        else:
            continue
        raise ConfigError(
            f"bot {bot.name!r} speaks {bot.protocol}, which does not fit {name}",
            where=locate(bot.name) if locate else None,
            got=got,
            allowed=f"{name} offers {', '.join(f.value for f in offered)}"
            f" (protocols: {', '.join(fitting_protocols(offered, name))})",
            next_step="give the bot another protocol, or the run other rules",
        )


def _is_meant(games: Sequence[str], rules: str) -> bool:
    """Say whether a protocol made for `games` may be used with a rule set; a user's own rules may be a relative."""
    return not games or rules in games or rules not in BUILT_IN


def fitting_protocols(forms: Sequence[Form], rules: str) -> list[str]:
    """List the protocols that speak one of `forms` and fit the rules; in-process bots always fit."""
    from harness.protocols.registry import PROGRAMS, PYTHON  # noqa: PLC0415 - keeps the import list of plans short

    fit = [name for name, player in PROGRAMS.items() if player.form in forms and _is_meant(made_for(name), rules)]
    return [*fit, PYTHON]
