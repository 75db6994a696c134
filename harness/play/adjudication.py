"""Ends hopeless or endless games by the engines' own scores. Off unless the config asks for it."""

from __future__ import annotations

from harness.protocols.uci_info import last_scored, parse_info
from harness.records import Adjudication, Termination
from harness.referee.base import Outcome

_MATE_CP = 30_000


def is_watching(rule: Adjudication) -> bool:
    """Say whether a rule looks at scores at all."""
    return rule.resign_cp is not None or rule.draw_cp is not None


class Adjudicator:
    """Watches the scores of a two-seat game. `see` takes what was said at each ply and tells when it is decided."""

    def __init__(self, rule: Adjudication) -> None:
        self._rule = rule
        self._drawn_plies = 0
        self._lost_plies = [0, 0]
        self._plies = 0

    def see(self, seat: int, said: bytes) -> Outcome | None:
        """Take what `seat`'s engine said of its ply; its score is from its own side. None while undecided."""
        rule = self._rule
        self._plies += 1
        score_cp = _score_cp(said)
        loser = None
        if rule.resign_cp is not None and score_cp is not None:
            # both engines must agree: a ply counts for the side that it calls lost, and breaks the other's run
            if score_cp <= -rule.resign_cp:
                loser = seat
            elif score_cp >= rule.resign_cp:
                loser = 1 - seat
        for side in (0, 1):
            self._lost_plies[side] = self._lost_plies[side] + 1 if side == loser else 0
        is_level = rule.draw_cp is not None and score_cp is not None and abs(score_cp) <= rule.draw_cp
        self._drawn_plies = self._drawn_plies + 1 if is_level and self._plies > rule.draw_from_ply else 0
        if loser is not None and self._lost_plies[loser] >= rule.resign_plies:
            scores = (0.0, 1.0) if loser == 0 else (1.0, 0.0)
            return Outcome(scores, Termination.ADJUDICATED, f"both engines call {{{loser}}} lost")
        if rule.draw_cp is not None and self._drawn_plies >= rule.draw_plies:
            return Outcome((0.5, 0.5), Termination.ADJUDICATED, "both engines call it level")
        return None


def _score_cp(said: bytes) -> int | None:
    if not (scored := last_scored(said)):
        return None
    parsed = parse_info(scored.decode("ascii", "replace"))
    if parsed.mate is not None:
        return _MATE_CP if parsed.mate > 0 else -_MATE_CP
    return parsed.score_cp
