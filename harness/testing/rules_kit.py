"""Conformance checks for rule sets: what every one must do, whatever its game. For tests of built-in and users' rules.

    def test_my_rules() -> None:
        check_rules(lambda: build({"size": 9}, read_text), seeds=range(10))

A failed check raises `NonConforming`, which names the check, the seed and the turn. Plays games by a fixed
pseudo-random choice, so a failure comes back; knows nothing of any one game.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from harness.errors import IllegalAction
from harness.records import Form, LinesView, MovesView, StateView, Termination, View
from harness.rules.base import Outcome, Position, Rules
from harness.testing.playout import play_turn

VIEWS: dict[Form, type[View]] = {Form.LINES: LinesView, Form.MOVES: MovesView, Form.STATE: StateView}

GARBAGE = (
    "",
    " ",
    "\n",
    "\0",
    "\x1b[31m",
    "no such action",
    "\N{LATIN SMALL LETTER E WITH ACUTE}\N{GRINNING FACE}",
    "\udcff",
    "9" * 5_000,
    "-" * 100_000,
    "{}",
    "%s %n",
)
"""Answers that no rule set may accept, unless it lists them as legal."""

_MAX_REASON = 500
_TOLERANCE = 1e-9


class NonConforming(AssertionError):  # noqa: N818 - says what the rule set or protocol is
    """A rule set breaks the contract of `rules.base`, or a protocol that of `protocols.base`."""


@dataclass(frozen=True, slots=True)
class Case:
    """One seed under one rule set, as a check gets it. `build` makes the rule set anew."""

    build: Callable[[], Rules]
    seed: int
    max_turns: int

    def start(self) -> Position:
        """Make a fresh position of the seed's map, from a fresh rule set."""
        return self.build().start(self.seed)

    def need(self, condition: object, what: str, turn: int | None = None) -> None:
        """Raise NonConforming with `what` unless the condition holds."""
        if not condition:
            place = f"seed {self.seed}" if turn is None else f"seed {self.seed}, turn {turn}"
            raise NonConforming(f"{self.build().name}, {place}: {what}")

    def play(self, position: Position, turn: int = 0) -> int:
        """Play a position to its end and give the number of turns. Raises NonConforming if it does not end."""
        while position.to_act():
            self.need(turn < self.max_turns, f"a random game goes on after {self.max_turns} turns", turn)
            play_turn(position, turn, self.seed)
            turn += 1
        return turn


def check_rules(build: Callable[[], Rules], seeds: Iterable[int], max_turns: int = 2_000) -> None:
    """Run every check on every seed. Raises NonConforming at the first that fails, ValueError without seeds.

    `build` makes the rule set; it is called many times. A random game must end within `max_turns` turns.
    """
    cases = [Case(build, seed, max_turns) for seed in seeds]
    if not cases:
        raise ValueError("check_rules needs at least one seed")
    before = random.getstate()
    try:
        for case in cases:
            for check in CHECKS:
                check(case)
    finally:
        random.setstate(before)


def check_rule_set(case: Case) -> None:
    """Name, seats and forms are set, and every form is known."""
    rules = case.build()
    case.need(rules.name, "the rule set has no name")
    case.need(rules.seats >= 1, f"seats must be at least 1, got {rules.seats}")
    case.need(rules.forms, "the rule set offers no form")
    case.need(len(set(rules.forms)) == len(rules.forms), "a form is offered twice")
    case.need(all(form in VIEWS for form in rules.forms), f"an unknown form is offered: {rules.forms}")


def check_playout(case: Case) -> None:
    """A random game goes by the contract, turn for turn, and ends with an outcome."""
    rules, position, turn = case.build(), case.start(), 0
    while seats := position.to_act():
        case.need(turn < case.max_turns, f"a random game goes on after {case.max_turns} turns", turn)
        case.need(list(seats) == sorted(set(seats)), f"to_act is not in ascending order: {seats}", turn)
        case.need(
            all(0 <= seat < rules.seats for seat in seats), f"to_act names a seat that is not there: {seats}", turn
        )
        case.need(position.outcome() is None, "there is an outcome while seats are to act", turn)
        for seat in seats:
            case.need(position.legal(seat), f"seat {seat} is to act and has no legal action", turn)
        _check_views(case, rules, position, turn)
        before = len(position.log)
        played = play_turn(position, turn, case.seed)
        new = position.log[before:]
        case.need(len(new) == len(played), f"{len(played)} actions made {len(new)} entries in the log", turn)
        case.need(all(text and text.isprintable() for text in new), f"the log has more than plain text: {new}", turn)
        turn += 1
    _check_outcome(case, rules, position, turn)


def check_same_map(case: Case) -> None:
    """The same seed gives the same map: from a rule set made anew, used before, or after others drew random numbers."""
    names, pictures, properties = set(), set(), set()
    used = case.build()
    used.start(case.seed + 1)
    for stray, rules in enumerate((case.build(), used, used, case.build())):
        random.seed(stray)
        names.add(rules.map_name(case.seed))
        properties.add(_properties(rules, case.seed))
        position = rules.start(case.seed)
        pictures.add((position.draw(), *_view_texts(rules, position)))
    case.need(len(names) == 1, f"one seed has several map names: {sorted(names)}")
    case.need(all(name and name.isprintable() for name in names), f"the map's name is not one line of text: {names}")
    case.need(len(pictures) == 1, "one seed gives different maps")
    case.need(len(properties) == 1, f"one seed has several properties: {sorted(properties, key=repr)}")
    for key, value in properties.pop():
        case.need(key and key.isprintable(), f"a map property has no name: {key!r}")
        plain = isinstance(value, str) or (isinstance(value, int | float) and math.isfinite(value))
        case.need(plain, f"the map property {key} is neither text nor a number: {value!r}")


def _properties(rules: Rules, seed: int) -> tuple[tuple[str, object], ...]:
    give: Callable[[int], tuple[tuple[str, object], ...]] = getattr(rules, "map_properties", lambda _: ())
    return tuple(give(seed))


def check_no_global_state(case: Case) -> None:
    """A game neither draws from nor seeds Python's global random state."""
    random.seed(case.seed)
    before = random.getstate()
    case.play(case.start())
    case.need(random.getstate() == before, "the rules use the global random state")


def check_log(case: Case) -> None:
    """The log alone plays the game again, to the same end."""
    first, second = case.start(), case.start()
    case.play(first)
    rest = iter(first.log)
    turn = 0
    while (seats := second.to_act()) and turn < case.max_turns:
        texts = {seat: next(rest, None) for seat in seats}
        actions = {seat: second.parse(seat, text) for seat, text in texts.items() if text is not None}
        case.need(len(actions) == len(seats), "the log ends before the game when it is played again", turn)
        second.apply(actions)
        turn += 1
    case.need(next(rest, None) is None, "the game ends before its log when it is played again")
    case.need(second.log == first.log, "the log of a game played from a log differs from it")
    case.need(second.draw() == first.draw(), "a game played from its log ends in another position")
    case.need(second.outcome() == first.outcome(), "a game played from its log has another outcome")


def check_parse(case: Case) -> None:
    """`parse` refuses garbage with IllegalAction and nothing else, takes every legal action, and changes nothing."""
    for turn, position in _positions(case):
        before = (position.draw(), list(position.log))
        for seat in position.to_act():
            legal = position.legal(seat)
            for text in legal:
                _parse(case, position, seat, text, turn, must=True)
            for text in GARBAGE:
                if text not in legal:
                    _parse(case, position, seat, text, turn, must=False)
        case.need((position.draw(), list(position.log)) == before, "parse changed the position", turn)


def check_forfeits(case: Case) -> None:
    """A forfeit at any turn ends or goes on as `Position.apply` says; those who forfeit together tie."""
    for turn, position in _positions(case):
        seats = position.to_act()
        for group in dict.fromkeys([*((seat,) for seat in seats), seats]):
            _check_forfeit(case, _advance(case, turn), turn, group)


CHECKS: tuple[Callable[[Case], None], ...] = (
    check_rule_set,
    check_playout,
    check_same_map,
    check_no_global_state,
    check_log,
    check_parse,
    check_forfeits,
)


def _positions(case: Case) -> Iterable[tuple[int, Position]]:
    """Give positions along a random game: the first three turns, the last, and some between."""
    last = case.play(case.start()) - 1
    for turn in sorted({0, 1, 2, last // 3, last // 2, last}):
        if 0 <= turn <= last:
            yield turn, _advance(case, turn)


def _advance(case: Case, turns: int) -> Position:
    position = case.start()
    for turn in range(turns):
        play_turn(position, turn, case.seed)
    return position


def _view_texts(rules: Rules, position: Position) -> list[str]:
    return [_view_text(position.view(seat, form)) for seat in position.to_act() for form in rules.forms]


def _view_text(view: View) -> str:
    if isinstance(view, LinesView):
        return view.text
    if isinstance(view, MovesView):
        return f"{view.variant} {view.start} {view.first_seat} {view.moves}"
    return json.dumps(view.state, sort_keys=True)


def _is_json(state: object) -> bool:
    try:
        json.dumps(state, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


def _check_views(case: Case, rules: Rules, position: Position, turn: int) -> None:
    picture = position.draw()
    case.need(picture.strip(), "draw gives nothing to see", turn)
    for seat in position.to_act():
        for form in rules.forms:
            view = position.view(seat, form)
            case.need(isinstance(view, VIEWS[form]), f"form {form} is shown as {type(view).__name__}", turn)
            if isinstance(view, StateView):
                case.need(_is_json(view.state), "the state is nothing that JSON can hold", turn)
            again = _view_text(position.view(seat, form))
            case.need(_view_text(view) == again, f"form {form} differs if asked twice", turn)
            if isinstance(view, LinesView):
                case.need(view.text.endswith("\n"), "the lines do not end with a newline", turn)
                case.need(view.n_answer_lines >= 1, "no answer is asked for", turn)
            elif isinstance(view, MovesView):
                made = len(position.log)  # moves that belong to the map (an opening) may come before them
                case.need(not made or view.moves[-made:] == position.log, "the moves are not those made so far", turn)
    case.need(position.draw() == picture, "a view changed the position", turn)


def _check_outcome(case: Case, rules: Rules, position: Position, turn: int) -> Outcome:
    outcome = position.outcome()
    case.need(outcome is not None, "no seat is to act and there is no outcome", turn)
    assert outcome is not None
    n = rules.seats
    case.need(len(outcome.scores) == n, f"{n} seats have {len(outcome.scores)} scores", turn)
    case.need(all(0 <= score <= 1 for score in outcome.scores), f"a score is not in [0, 1]: {outcome.scores}", turn)
    is_split = n == 1 or abs(sum(outcome.scores) - n / 2) <= _TOLERANCE
    case.need(is_split, f"the scores do not sum to {n / 2}: {outcome.scores}", turn)
    case.need(outcome.values is None or len(outcome.values) == n, f"{n} seats, other values: {outcome.values}", turn)
    names = [f"bot{seat}" for seat in range(n)]
    try:
        detail = outcome.detail.format(*names)
    except (IndexError, KeyError, ValueError) as error:
        case.need(False, f"the detail cannot be filled with {n} names ({error!r}): {outcome.detail!r}", turn)
    else:
        case.need(detail and detail.isprintable(), f"the detail is not one line of text: {outcome.detail!r}", turn)
    case.need(position.outcome() == outcome, "the outcome differs if asked twice", turn)
    case.need(position.to_act() == (), "seats act after the end", turn)
    return outcome


def _parse(case: Case, position: Position, seat: int, text: str, turn: int, *, must: bool) -> None:
    shown = ascii(text[:40])
    try:
        position.parse(seat, text)
    except IllegalAction as refusal:
        reason = str(refusal)
        case.need(not must, f"the legal action {shown} is refused: {reason}", turn)
        is_fit = 0 < len(reason) <= _MAX_REASON and reason.isprintable()
        case.need(is_fit, f"the reason for refusing {shown} is not one short line: {reason[:80]!r}", turn)
    except Exception as error:
        what = f"parse of {shown} raised {type(error).__name__}, not IllegalAction"
        raise NonConforming(f"{case.build().name}, seed {case.seed}, turn {turn}: {what}") from error
    else:
        case.need(must, f"parse accepts {shown}", turn)


def _check_forfeit(case: Case, position: Position, turn: int, group: tuple[int, ...]) -> None:
    """Let `group` forfeit in this turn while the others act, then play on by chance."""
    rules = case.build()
    whole = len(group) == rules.seats
    play_turn(position, turn, case.seed, group)
    case.need(not set(group) & set(position.to_act()), f"seats {group} act after they forfeited", turn)
    if rules.seats == 2:
        case.need(position.to_act() == (), "a game of two goes on after a forfeit", turn)
    acting_later: set[int] = set()
    while position.to_act():
        turn += 1
        case.need(turn < case.max_turns, f"a random game goes on after {case.max_turns} turns", turn)
        acting_later |= set(position.to_act())
        play_turn(position, turn, case.seed)
        case.need(not set(group) & acting_later, f"seats {group} act after they forfeited", turn)
    outcome = _check_outcome(case, rules, position, turn)
    if not acting_later:
        case.need(outcome.termination is Termination.FORFEIT, "a game ended by forfeit does not say so", turn)
    scores = [outcome.scores[seat] for seat in group]
    case.need(max(scores) - min(scores) <= _TOLERANCE, f"seats {group} forfeit together and do not tie: {scores}", turn)
    above = [outcome.scores[seat] for seat in acting_later]
    case.need(all(score > scores[0] for score in above), f"seats {group} forfeit and do not end below the others", turn)
    if rules.seats == 2 and not whole:
        case.need(scores[0] == 0, f"seat {group[0]} forfeits and scores {scores[0]}", turn)
