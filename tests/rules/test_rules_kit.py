"""The conformance kit: it passes a rule set that is right, and catches each way of being wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from harness.errors import IllegalAction
from harness.records import Form, LinesView, MovesView, StateView, Termination, View
from harness.rules.base import Outcome
from harness.rules.lightcycles import build as build_lightcycles
from harness.seeding import child_seed
from harness.testing.rules_kit import NonConforming, check_rules


class Pile:
    """Players take one or two stones in turn; who takes the last one wins, the others tie."""

    seats: ClassVar[int] = 3

    def __init__(self, seed: int) -> None:
        self.log: list[str] = []
        self.stones = 9 + child_seed(seed) % 9
        self.playing = list(range(self.seats))
        self.mover = 0
        self.last_places: list[int] = []
        self.winner: int | None = None

    def to_act(self) -> tuple[int, ...]:
        return () if self.winner is not None else (self.mover,)

    def view(self, seat: int, form: Form) -> View:
        if form is Form.LINES:
            return LinesView(f"{self.stones}\n")
        if form is Form.MOVES:
            return MovesView("startpos", self.log)
        return StateView({"stones": self.stones, "seat": seat})

    def parse(self, seat: int, text: str) -> object:
        if text not in self.legal(seat):
            raise IllegalAction(f"{text[:20]!a} is not 1 or 2")
        return int(text)

    def legal(self, seat: int) -> list[str]:
        return ["1", "2"]

    def apply(self, actions: Mapping[int, Any], forfeits: Sequence[int] = ()) -> None:
        seat = self.mover
        place = self.playing.index(seat)
        after = self.playing[(place + 1) % len(self.playing)]
        if forfeits:
            self.playing.remove(seat)
            self.last_places.append(seat)
            if len(self.playing) == 1:
                self.winner = self.playing[0]
        else:
            self.log.append(str(actions[seat]))
            self.stones -= actions[seat]
            if self.stones <= 0:
                self.winner = seat
        self.mover = after

    def outcome(self) -> Outcome | None:
        if self.winner is None:
            return None
        scores = [0.0] * self.seats
        n_below = 0
        others = [seat for seat in self.playing if seat != self.winner]
        for group in (*([seat] for seat in self.last_places), others, [self.winner]):
            for seat in group:
                scores[seat] = (n_below + (len(group) - 1) / 2) / (self.seats - 1)
            n_below += len(group)
        forfeit = len(self.last_places) == self.seats - 1
        return Outcome(tuple(scores), Termination.FORFEIT if forfeit else Termination.NORMAL, f"{{{self.winner}}} won")

    def draw(self) -> str:
        return f"{self.stones} stones, seat {self.mover} to move"


class PileRules:
    name: ClassVar[str] = "pile"
    forms: tuple[Form, ...] = (Form.LINES, Form.MOVES, Form.STATE)
    position: type[Pile] = Pile

    def __init__(self) -> None:
        self.seats = self.position.seats

    def start(self, seed: int) -> Pile:
        return self.position(seed)

    def map_name(self, seed: int) -> str:
        return f"pile {child_seed(seed) % 9 + 9}"


class TimedView(Pile):
    asked = 0

    def view(self, seat: int, form: Form) -> View:
        self.asked += 1
        return LinesView(f"{self.asked}\n") if form is Form.LINES else super().view(seat, form)


class NoNewline(Pile):
    def view(self, seat: int, form: Form) -> View:
        return LinesView("9") if form is Form.LINES else super().view(seat, form)


class NoAnswer(Pile):
    def view(self, seat: int, form: Form) -> View:
        return LinesView("9\n", 0) if form is Form.LINES else super().view(seat, form)


class NoJson(Pile):
    def view(self, seat: int, form: Form) -> View:
        return StateView({"odds": float("nan")}) if form is Form.STATE else super().view(seat, form)


class OtherForm(Pile):
    def view(self, seat: int, form: Form) -> View:
        return super().view(seat, Form.LINES)


class OldMoves(Pile):
    def view(self, seat: int, form: Form) -> View:
        return MovesView("startpos", self.log[:2]) if form is Form.MOVES else super().view(seat, form)


class ViewMoves(Pile):
    def view(self, seat: int, form: Form) -> View:
        view = super().view(seat, Form.STATE)
        self.mover = 2
        return view if form is Form.STATE else super().view(seat, form)


class NoPicture(Pile):
    def draw(self) -> str:
        return ""


class DoubleLog(Pile):
    def apply(self, actions: Mapping[int, Any], forfeits: Sequence[int] = ()) -> None:
        super().apply(actions, forfeits)
        self.log.append("1")


class ColourLog(Pile):
    def apply(self, actions: Mapping[int, Any], forfeits: Sequence[int] = ()) -> None:
        super().apply(actions, forfeits)
        if not forfeits:
            self.log[-1] = f"\x1b[1m{self.log[-1]}"


class WrongLog(Pile):
    def apply(self, actions: Mapping[int, Any], forfeits: Sequence[int] = ()) -> None:
        super().apply(actions, forfeits)
        if not forfeits:
            self.log[-1] = "1"


class TakesAll(Pile):
    def parse(self, seat: int, text: str) -> object:
        return super().parse(seat, text) if text in self.legal(seat) else 1


class TakesNone(Pile):
    def parse(self, seat: int, text: str) -> object:
        if text == "2" and len(self.log) == 2:
            raise IllegalAction("no more twos")
        return super().parse(seat, text)

    def legal(self, seat: int) -> list[str]:
        return ["1", "2"] if len(self.log) == 2 else ["1"]


class RaisesOther(Pile):
    def parse(self, seat: int, text: str) -> object:
        return int(text) if text.strip() else super().parse(seat, text)


class LongReason(Pile):
    def parse(self, seat: int, text: str) -> object:
        if text not in self.legal(seat):
            raise IllegalAction(f"{text!r} is not 1 or 2")
        return int(text)


class ParseMoves(Pile):
    asked = 0

    def parse(self, seat: int, text: str) -> object:
        self.asked += 1
        return super().parse(seat, text)

    def draw(self) -> str:
        return f"{super().draw()}, {self.asked - len(self.log)} answers too many"


class NoLegal(Pile):
    def legal(self, seat: int) -> list[str]:
        return super().legal(seat) if len(self.log) < 2 else []


class Endless(Pile):
    def apply(self, actions: Mapping[int, Any], forfeits: Sequence[int] = ()) -> None:
        self.stones += 3
        super().apply(actions, forfeits)


class SameSeat(Pile):
    def to_act(self) -> tuple[int, ...]:
        return () if self.winner is not None else (self.mover, self.mover)


class FourthSeat(Pile):
    def to_act(self) -> tuple[int, ...]:
        return () if self.winner is not None else (3,)


class EarlyOutcome(Pile):
    def outcome(self) -> Outcome | None:
        return super().outcome() or Outcome((0.5, 0.5, 0.5), Termination.NORMAL, "")


class NoOutcome(Pile):
    def outcome(self) -> Outcome | None:
        return None


def ends_with(**changes: Any) -> type[Pile]:
    class Changed(Pile):
        def outcome(self) -> Outcome | None:
            outcome = super().outcome()
            return outcome and replace(outcome, **changes)

    return Changed


class Restless(Pile):
    def outcome(self) -> Outcome | None:
        outcome = super().outcome()
        self.stones -= 1
        return outcome and replace(outcome, values=(0.0, 0.0, float(self.stones)))


class OtherDetail(Pile):
    """The outcome depends on something that the log does not have."""

    made = 0

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        OtherDetail.made += 1
        self.number = OtherDetail.made

    def outcome(self) -> Outcome | None:
        outcome = super().outcome()
        return outcome and replace(outcome, detail=f"game {self.number}")


class ForfeitsGoOn(Pile):
    def apply(self, actions: Mapping[int, Any], forfeits: Sequence[int] = ()) -> None:
        if forfeits:
            self.mover = (self.mover + 1) % 3
        else:
            super().apply(actions, forfeits)


class ForfeitsWin(Pile):
    def outcome(self) -> Outcome | None:
        outcome = super().outcome()
        if outcome and len(self.last_places) == 1:
            scores = [0.5 if seat == self.last_places[0] else 0.25 for seat in range(3)]
            scores[self.winner or 0] = 0.75
            return replace(outcome, scores=tuple(scores))
        return outcome


class SilentForfeit(Pile):
    """Ends at once at any forfeit and calls it normal."""

    def apply(self, actions: Mapping[int, Any], forfeits: Sequence[int] = ()) -> None:
        super().apply(actions, forfeits)
        if forfeits:
            self.winner = self.playing[0]


class StrayStart(Pile):
    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.stones = random.randrange(9, 99)


class StrayMove(Pile):
    def apply(self, actions: Mapping[int, Any], forfeits: Sequence[int] = ()) -> None:
        super().apply(actions, forfeits)
        random.random()


BROKEN: list[tuple[type[Pile], str]] = [
    (TimedView, "form lines differs if asked twice"),
    (NoNewline, "do not end with a newline"),
    (NoAnswer, "no answer is asked for"),
    (NoJson, "the state is nothing that JSON can hold"),
    (OtherForm, "form moves is shown as LinesView"),
    (OldMoves, "turn 3: the moves are not those made so far"),
    (ViewMoves, "a view changed the position"),
    (NoPicture, "draw gives nothing to see"),
    (DoubleLog, "1 actions made 2 entries in the log"),
    (ColourLog, "the log has more than plain text"),
    (WrongLog, "the log ends before the game when it is played again"),
    (TakesAll, "parse accepts ''"),
    (TakesNone, "turn 2: the legal action '2' is refused: no more twos"),
    (RaisesOther, "raised ValueError, not IllegalAction"),
    (LongReason, "is not one short line"),
    (ParseMoves, "parse changed the position"),
    (NoLegal, "turn 2: seat 2 is to act and has no legal action"),
    (Endless, "goes on after 300 turns"),
    (SameSeat, "to_act is not in ascending order"),
    (FourthSeat, "to_act names a seat that is not there"),
    (EarlyOutcome, "there is an outcome while seats are to act"),
    (NoOutcome, "no seat is to act and there is no outcome"),
    (ends_with(scores=(1.0, 0.5)), "3 seats have 2 scores"),
    (ends_with(scores=(1.5, 0.5, -0.5)), r"a score is not in \[0, 1\]"),
    (ends_with(scores=(1.0, 0.0, 0.0)), "the scores do not sum to 1.5"),
    (ends_with(values=(1.0, 2.0)), "3 seats, other values"),
    (ends_with(detail="{3} won"), "the detail cannot be filled with 3 names"),
    (ends_with(detail="{0} won\nby luck"), "the detail is not one line of text"),
    (ends_with(detail=""), "the detail is not one line of text"),
    (Restless, "the outcome differs if asked twice"),
    (OtherDetail, "a game played from its log has another outcome"),
    (ForfeitsGoOn, r"seats \(0,\) act after they forfeited"),
    (ForfeitsWin, r"do not end below the others"),
    (SilentForfeit, "a game ended by forfeit does not say so"),
    (StrayStart, "one seed gives different maps"),
    (StrayMove, "the rules use the global random state"),
]


def rules_of(kind: type[Pile]) -> Callable[[], PileRules]:
    class Broken(PileRules):
        position = kind

    return Broken


def test_a_right_rule_set_passes() -> None:
    check_rules(PileRules, range(20))


@pytest.mark.parametrize(("kind", "message"), BROKEN)
def test_a_wrong_position_is_caught(kind: type[Pile], message: str) -> None:
    with pytest.raises(NonConforming, match=message):
        check_rules(rules_of(kind), range(3), max_turns=300)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": ""}, "has no name"),
        ({"forms": ()}, "offers no form"),
        ({"forms": (Form.LINES, Form.LINES)}, "a form is offered twice"),
        ({"forms": ("picture",)}, "an unknown form is offered"),
        ({"map_name": lambda self, seed: f"pile {random.random()}"}, "several map names"),
        ({"map_name": lambda self, seed: "two\nlines"}, "not one line of text"),
        ({"map_properties": lambda self, seed: (("luck", random.random()),)}, "several properties"),
        ({"map_properties": lambda self, seed: (("", 1),)}, "a map property has no name"),
        ({"map_properties": lambda self, seed: (("size", None),)}, "size is neither text nor a number: None"),
    ],
)
def test_a_wrong_rule_set_is_caught(changes: dict[str, object], message: str) -> None:
    with pytest.raises(NonConforming, match=message):
        check_rules(type("Broken", (PileRules,), changes), range(3))


def test_seats_must_be_there() -> None:
    class NoSeats(PileRules):
        def __init__(self) -> None:
            self.seats = 0

    with pytest.raises(NonConforming, match="seats must be at least 1, got 0"):
        check_rules(NoSeats, range(3))


def test_a_failure_names_rules_seed_and_turn() -> None:
    with pytest.raises(NonConforming, match=r"^pile, seed 7, turn 0: "):
        check_rules(rules_of(NoPicture), [7])


def test_no_seeds_would_check_nothing() -> None:
    with pytest.raises(ValueError, match="at least one seed"):
        check_rules(PileRules, [])


def test_the_callers_random_state_is_left_alone() -> None:
    random.seed(5)
    before = random.getstate()
    check_rules(PileRules, range(2))
    assert random.getstate() == before


class Fingers(Pile):
    """Two show one or two fingers at once; an even sum is for seat 0, an odd one for seat 1."""

    seats = 2

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.scores: tuple[float, ...] = ()
        self.forfeited = False

    def to_act(self) -> tuple[int, ...]:
        return () if self.scores else (0, 1)

    def apply(self, actions: Mapping[int, Any], forfeits: Sequence[int] = ()) -> None:
        self.log += [str(actions[seat]) for seat in sorted(actions)]
        self.forfeited = bool(forfeits)
        if len(forfeits) == 2:
            self.scores = self.both_forfeit()
        elif forfeits:
            self.scores = (0.0, 1.0) if forfeits[0] == 0 else (1.0, 0.0)
        else:
            self.scores = (1.0, 0.0) if sum(actions.values()) % 2 == 0 else (0.0, 1.0)

    def both_forfeit(self) -> tuple[float, ...]:
        return (0.5, 0.5)

    def outcome(self) -> Outcome | None:
        ending = Termination.FORFEIT if self.forfeited else Termination.NORMAL
        return Outcome(self.scores, ending, "they have shown their fingers") if self.scores else None


class FirstWins(Fingers):
    def both_forfeit(self) -> tuple[float, ...]:
        return (1.0, 0.0)


class Lenient(Fingers):
    def outcome(self) -> Outcome | None:
        outcome = super().outcome()
        return outcome and replace(outcome, scores=(0.5, 0.5))


class PairGoesOn(Pile):
    seats = 2

    def apply(self, actions: Mapping[int, Any], forfeits: Sequence[int] = ()) -> None:
        if forfeits:
            self.mover = 1 - self.mover
        else:
            super().apply(actions, forfeits)


def test_a_right_rule_set_of_moves_at_once_passes() -> None:
    check_rules(rules_of(Fingers), range(5))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (FirstWins, r"seats \(0, 1\) forfeit together and do not tie: \[1.0, 0.0\]"),
        (Lenient, "seat 0 forfeits and scores 0.5"),
        (PairGoesOn, "a game of two goes on after a forfeit"),
    ],
)
def test_wrong_forfeits_of_two_are_caught(kind: type[Pile], message: str) -> None:
    with pytest.raises(NonConforming, match=message):
        check_rules(rules_of(kind), range(3))


LIGHT_CYCLES: list[dict[str, object]] = [
    {},
    {"turns": "simultaneous", "starts": "mirrored", "width": 12, "height": 8, "obstacles": 8},
    {"players": 3, "width": 9, "height": 7, "obstacles": 0.1},
    {"players": 3, "turns": "simultaneous", "width": 5, "height": 5},
    {"players": 4, "width": 8, "height": 8, "starts": "mirrored", "header": "always"},
    {"players": 4, "turns": "simultaneous", "width": 9, "height": 6, "starts": "mirrored"},
]


@pytest.mark.parametrize("params", LIGHT_CYCLES, ids=str)
def test_light_cycles_conform(params: dict[str, object]) -> None:
    check_rules(lambda: build_lightcycles(params, str), range(8))
