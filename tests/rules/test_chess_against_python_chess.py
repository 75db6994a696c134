"""Our chess proved equal to python-chess: perft counts, random games, and which positions are legal at all.

`HARNESS_CHESS_GAMES=20000 pytest tests/rules/test_chess_against_python_chess.py --timeout 3600` plays more of them.
"""

from __future__ import annotations

import os
import random
from collections import Counter

import chess
import pytest
from cozy_chess import Board

from harness.rules.chess import build
from harness.rules.chess_board import find_move, legal_texts
from harness.rules.chess_fen import START_FEN, STARTPOS, FenError, read_fen, write_fen
from tests.rules.chess_oracle import Pair, play_random

N_GAMES = int(os.environ.get("HARNESS_CHESS_GAMES", "100"))

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
POSITION_3 = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
POSITION_4 = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"
POSITION_5 = "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"
POSITION_6 = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"
FRC_1 = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
FRC_2 = "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9"

STARTS = [
    *[STARTPOS] * 4,
    KIWIPETE,
    POSITION_3,
    POSITION_4,
    "8/P1k5/8/8/8/8/5K1p/8 w - - 90 60",
    "4k3/8/8/3b4/7r/8/3B4/4K3 b - - 80 1",
    "k7/7P/8/8/8/8/p7/7K b - - 0 1",
    "8/8/4k3/8/3nn3/8/8/4K3 w - - 95 1",
    "8/8/1b2k3/8/8/b7/6p1/4K3 b - - 0 300",
    "k7/P7/8/1K6/8/8/8/8 w - - 0 1",
]


def perft(board: Board, depth: int, *, is_chess960: bool = False) -> int:
    """Count the leaves, each move read from its own text as an engine would send it."""
    texts = legal_texts(board, is_chess960=is_chess960)
    if depth == 1:
        return len(texts)
    total = 0
    for text in texts:
        move = find_move(board, text, is_chess960=is_chess960)
        assert move is not None, text
        after = board.__copy__()
        after.play_unchecked(move)
        total += perft(after, depth - 1, is_chess960=is_chess960)
    return total


@pytest.mark.parametrize(
    ("fen", "depth", "leaves"),
    [
        (START_FEN, 4, 197_281),
        (KIWIPETE, 3, 97_862),
        (POSITION_3, 4, 43_238),
        (POSITION_4, 3, 9_467),
        (POSITION_5, 3, 62_379),
        (POSITION_6, 3, 89_890),
    ],
)
def test_perft(fen: str, depth: int, leaves: int) -> None:
    assert perft(read_fen(fen), depth) == leaves


@pytest.mark.parametrize(("fen", "leaves"), [(FRC_1, 12_189), (FRC_2, 18_002)])
def test_perft_of_chess960(fen: str, leaves: int) -> None:
    assert perft(read_fen(fen, is_chess960=True), 3, is_chess960=True) == leaves


def test_random_games_agree_at_every_ply() -> None:
    happened: Counter[str] = Counter()
    for seed in range(N_GAMES):
        happened += play_random(seed, STARTS)
    print(dict(happened))  # noqa: T201 - what a long run met, shown with -s
    rare = ("castling", "en passant", "promotion", "mated", "stalemate", "threefold", "fifty", "dead")
    assert not [word for word in rare if not happened[word]], "the games must meet every rule at least once"


def test_random_games_of_chess960_agree_at_every_ply() -> None:
    starts = [opening.start for opening in build({"variant": "chess960"}, str).openings]
    happened: Counter[str] = Counter()
    for seed in range(N_GAMES // 4):
        happened += play_random(seed, starts, is_chess960=True)
    print(dict(happened))  # noqa: T201 - what a long run met, shown with -s
    assert happened["castling"]
    assert happened["threefold"]


@pytest.mark.parametrize(
    ("fen", "moves", "why"),
    [
        ("3k4/8/8/8/3p4/8/4P3/K2R4 w - - 0 1", "e2e4 d8c8 a1a2 c8d8 a2a1 d8c8 a1a2 c8d8 a2a1", "pinned capturer"),
        ("4k3/8/8/8/3p4/8/4P3/K3R3 w - - 0 1", "e2e4 e8d8 a1a2 d8e8 a2a1 e8d8 a1a2 d8e8 a2a1", "usable right"),
        ("4k3/8/8/8/3b4/8/4P3/7K w - - 0 1", "e2e4 d4c3 h1h2 c3d4 h2h1 d4c3 h1h2 c3d4 h2h1", "a bishop beside"),
        ("r3k3/8/8/8/8/8/8/R3K3 w Qq - 0 1", "a1b1 a8b8 b1a1 b8a8 a1b1 a8b8 b1a1 b8a8 a1b1 a8b8", "rights lost"),
        ("4k2r/8/8/8/8/8/8/R3K3 w - - 6 9", "a1a2 h8h7 a2a1 h7h8 a1a2 h8h7 a2a1 h7h8", "clock at the start"),
        ("4k2r/8/8/8/8/8/8/R3K3 w - - 97 9", "a1a2 h8h7 a2a1", "fifty moves"),
        ("7k/8/5KQ1/8/8/8/8/8 w - - 99 80", "g6g7", "mate on the hundredth ply is mate"),
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 99 80", "g5g6", "stalemate on the hundredth ply"),
        ("4k3/8/8/8/8/2n5/3B4/4K3 w - - 0 1", "d2c3", "bishop alone after a capture"),
        ("7k/5P2/8/8/8/8/8/K1B5 w - - 0 1", "f7f8b", "bishops on one colour"),
        ("7k/4P3/8/8/8/8/8/K1B5 w - - 0 1", "e7e8b h8g8", "bishops on both colours"),
        ("7k/4P3/4B3/8/8/8/8/K5n1 w - - 0 1", "e7e8b g1h3 e6h3", "a capture leaves bishops on one colour"),
    ],
)
def test_corners_agree(fen: str, moves: str, why: str) -> None:
    pair = Pair(fen)
    for text in moves.split():
        assert not pair.is_over, why
        pair.push(text)


def test_which_positions_are_legal_agrees() -> None:
    """Ours may accept a check that python-chess proves impossible, and nothing else; the other way round never."""
    rng = random.Random(3)
    counts: Counter[bool] = Counter()
    for _ in range(6000):
        fen = _spoil(rng, rng.choice([START_FEN, KIWIPETE, POSITION_3, POSITION_4, POSITION_5, POSITION_6]))
        try:
            theirs = chess.Board(fen)
        except ValueError:
            with pytest.raises(FenError):
                read_fen(fen)
            continue
        try:
            ours = read_fen(fen)
        except FenError:
            # python-chess reads a right without any rook on the rank as no right; we refuse it
            is_read_as_it_stands = set(theirs.castling_xfen()) == set(fen.split()[2])
            assert not theirs.is_valid() or not is_read_as_it_stands, fen
            counts[False] += 1
        else:
            assert theirs.status() & ~chess.STATUS_IMPOSSIBLE_CHECK == chess.STATUS_VALID, fen
            assert write_fen(ours) == theirs.fen(), fen
            counts[True] += 1
    assert counts[True] > 200
    assert counts[False] > 200


def _spoil(rng: random.Random, fen: str) -> str:
    """Change a few characters of the board, and perhaps the other fields."""
    board, _, castling, _, clock, number = fen.split()
    squares = list("/".join("".join("." * int(c) if c.isdigit() else c for c in rank) for rank in board.split("/")))
    for _ in range(rng.randrange(3)):
        at = rng.choice([index for index, letter in enumerate(squares) if letter != "/"])
        squares[at] = rng.choice("....pnbrqkPNBRQK")
    placement = "".join(squares)
    for run in range(8, 0, -1):
        placement = placement.replace("." * run, str(run))
    if rng.random() < 0.3:
        castling = rng.choice(["-", "KQkq", "KQ", "kq", "Kk", "Qq", "q"])
    side = rng.choice("wb")
    en_passant = rng.choice(["-", "-", rng.choice("abcdefgh") + ("6" if side == "w" else "3")])
    return f"{placement} {side} {castling} {en_passant} {clock} {number}"
