"""Plays games under our rules and under python-chess side by side and compares everything at every ply.

python-chess (GPL) is a test oracle only: nothing under harness/ imports it.
"""

from __future__ import annotations

import random
from collections import Counter

import chess

from harness.records import Form, StateView
from harness.rules.chess_fen import STARTPOS
from harness.rules.chess_openings import Opening
from harness.rules.chess_position import ChessPosition

ENDS = {
    "mated": chess.Board.is_checkmate,
    "stalemate": chess.Board.is_stalemate,
    "fifty": chess.Board.is_fifty_moves,
    "threefold": lambda board: board.is_repetition(3),
    "dead": chess.Board.is_insufficient_material,
}
"""A word of our outcome's detail to what python-chess calls the same."""


class Pair:
    """One game, held by both."""

    def __init__(self, fen: str = STARTPOS, *, is_chess960: bool = False) -> None:
        self.ours = ChessPosition(Opening(fen), is_chess960=is_chess960)
        start = chess.STARTING_FEN if fen == STARTPOS else fen
        self.theirs = chess.Board(start, chess960=is_chess960)
        self.compare()

    def push(self, text: str) -> None:
        """Make a move in both, as the referee would in ours."""
        (seat,) = self.ours.to_act()
        assert self.ours.parse(seat, text) == text
        self.ours.apply({seat: text})
        self.theirs.push_uci(text)
        self.compare()

    def compare(self) -> None:
        """Compare legal moves, FEN, seat to act and whether, how and for whom the game has ended."""
        ours, theirs = self.ours, self.theirs
        where = f"{theirs.root().fen()} moves {' '.join(ours.log)}"
        assert ours.fen() == theirs.fen(), where
        true = {word for word, is_so in ENDS.items() if is_so(theirs)}
        outcome = ours.outcome()
        if outcome is None:
            assert not true, where
            assert ours.to_act() == ((0,) if theirs.turn else (1,)), where
            assert ours.legal(ours.to_act()[0]) == sorted(move.uci() for move in theirs.legal_moves), where
            return
        assert ours.to_act() == (), where
        assert [word for word in true if word in outcome.detail], f"{outcome} but {true}: {where}"
        assert ("mated" in outcome.detail) == ("mated" in true), where
        result = (0.5, 0.5) if "mated" not in true else (0.0, 1.0) if theirs.turn else (1.0, 0.0)
        assert outcome.scores == result, where

    @property
    def is_over(self) -> bool:
        return self.ours.outcome() is not None


def choose(rng: random.Random, pair: Pair, shuffle: float) -> str:
    """Choose a move, with a liking for what is rare: castling, en passant, promotions and going back."""
    board = pair.theirs
    view = pair.ours.view(pair.ours.to_act()[0], Form.STATE)
    assert isinstance(view, StateView)
    texts: list[str] = list(view.state["legal"])  # type: ignore[call-overload]
    if rng.random() < shuffle and len(board.move_stack) > 1:
        last = board.move_stack[-2]
        back = chess.Move(last.to_square, last.from_square).uci()
        if back in texts:
            return back
    if rng.random() < 0.6:
        moves = [board.parse_uci(text) for text in texts]
        rare = [m for m in moves if m.promotion or board.is_castling(m) or board.is_en_passant(m)]
        if rare:
            return rng.choice(rare).uci()
    if shuffle > 0.5:  # long games without progress, for the fifty moves
        quiet = [text for text in texts if not board.is_zeroing(board.parse_uci(text))]
        texts = quiet or texts
    return rng.choice(texts)


def play_random(seed: int, starts: list[str], *, is_chess960: bool = False, max_plies: int = 200) -> Counter[str]:
    """Play one random game from one of `starts` to its end, comparing at every ply. Counts what happened in it."""
    rng = random.Random(seed)
    pair = Pair(rng.choice(starts), is_chess960=is_chess960)
    shuffle = rng.choice([0.0, 0.0, 0.3, 0.9])
    happened: Counter[str] = Counter()
    while not pair.is_over and len(pair.ours.log) < max_plies:
        text = choose(rng, pair, shuffle)
        move = pair.theirs.parse_uci(text)
        happened["castling"] += pair.theirs.is_castling(move)
        happened["en passant"] += pair.theirs.is_en_passant(move)
        happened["promotion"] += move.promotion is not None
        pair.push(text)
        happened["plies"] += 1
    outcome = pair.ours.outcome()
    happened[next((word for word in ENDS if outcome and word in outcome.detail), "cut")] += 1
    return happened
