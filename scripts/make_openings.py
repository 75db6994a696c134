"""Makes configs/openings.epd: well-known lines of scripts/opening_lines.txt, played on to eight plies and weighed.

A line is continued by moves that Stockfish holds within a third of a pawn of its best, chosen by a seeded coin, and the
position after eight plies is kept if Stockfish's longer look is within half a pawn of level. Node limits and one thread
make the file come out the same for the same Stockfish. About eight minutes on one core:

    .venv/bin/python scripts/make_openings.py /usr/games/stockfish > configs/openings.epd

The committed file was made with Stockfish 15.1.
"""

# ruff: noqa: INP001, T201 - a script: no package, and it prints

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

from cozy_chess import Board

from harness.rules.chess_board import find_move, uci_text
from harness.rules.chess_fen import write_fen
from harness.rules.chess_san import read_san, write_san

PLIES = 8
N_OPENINGS = 500
CHOICE_NODES, CHOICE_LINES, CHOICE_CP = 40_000, 4, 33
FINAL_NODES, FINAL_CP = 250_000, 50
TRIES = 16

_PV = re.compile(r" multipv (\d+) score cp (-?\d+) .* pv (\S+)")


class Weigher:
    """Stockfish over its pipes: the scored moves of a position, best first, the same at every call."""

    def __init__(self, path: str) -> None:
        self._process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._known: dict[tuple[str, int], list[tuple[str, int]]] = {}

    def weigh(self, fen: str, nodes: int, lines: int) -> list[tuple[str, int]]:
        """Give moves (UCI) with their scores in centipawns for the side to move."""
        if (fen, nodes) not in self._known:
            self._known[fen, nodes] = self._ask(fen, nodes, lines)
        return self._known[fen, nodes]

    def _ask(self, fen: str, nodes: int, lines: int) -> list[tuple[str, int]]:
        assert self._process.stdin
        assert self._process.stdout
        # a fresh hash table makes the answer depend on the position alone
        self._process.stdin.write(
            f"setoption name MultiPV value {lines}\nucinewgame\nposition fen {fen}\ngo nodes {nodes}\n"
        )
        self._process.stdin.flush()
        found: dict[int, tuple[str, int]] = {}
        for line in self._process.stdout:
            if line.startswith("bestmove"):
                break
            if (match := _PV.search(line)) is not None and "bound" not in line:
                found[int(match[1])] = (match[3], int(match[2]))
        return [found[rank] for rank in sorted(found)]

    def close(self) -> None:
        """End Stockfish."""
        self._process.communicate("quit\n")


def read_lines(path: Path) -> list[tuple[str, list[str]]]:
    """Give each line's name and moves (UCI)."""
    lines = []
    for text in path.read_text(encoding="utf-8").splitlines():
        if not text.strip() or text.startswith("#"):
            continue
        name, _, movetext = text.partition(": ")
        board, moves = Board(), []
        for san in movetext.split():
            if san[0].isdigit():
                continue
            move = read_san(board, san)
            moves.append(uci_text(board, move, is_chess960=False))
            board.play_unchecked(move)
        lines.append((name, moves))
    return lines


def continue_line(moves: list[str], weigher: Weigher, rng: random.Random) -> tuple[str, int, str] | None:
    """Play a line on to its end. Gives FEN, score and moves in SAN, or None if the end is not level."""
    board, text = Board(), ""
    for ply in range(PLIES):
        if ply < len(moves):
            uci = moves[ply]
        else:
            scored = weigher.weigh(write_fen(board), CHOICE_NODES, CHOICE_LINES)
            uci = rng.choice([move for move, score in scored if score >= scored[0][1] - CHOICE_CP])
        move = find_move(board, uci, is_chess960=False)
        assert move is not None, uci
        text += f"{ply // 2 + 1}. " * (ply % 2 == 0) + write_san(board, move) + " "
        board.play_unchecked(move)
    fen = write_fen(board)
    score = weigher.weigh(fen, FINAL_NODES, 1)[0][1]
    return (fen, score, text.strip()) if abs(score) <= FINAL_CP else None


def main() -> None:
    """Print the book: every line gives a position in turn until there are enough."""
    weigher = Weigher(sys.argv[1])
    lines = read_lines(Path(__file__).with_name("opening_lines.txt"))
    found: dict[str, str] = {}
    for attempt in range(TRIES):
        for name, moves in lines:
            end = continue_line(moves, weigher, random.Random(f"{name} {attempt}"))
            if end is None:
                continue
            fen, score, text = end
            place = fen.rsplit(" ", 2)[0]  # without the counters: roads of other lengths may meet
            if place not in found and len(found) < N_OPENINGS:
                found[place] = f'{place} id "{name}"; ce {score}; c0 "{text}";'
        print(f"{len(found)} openings after {attempt + 1} rounds", file=sys.stderr)
        if len(found) >= N_OPENINGS:
            break
    weigher.close()
    print("\n".join(sorted(found.values(), key=lambda line: line.split('id "')[1])))


if __name__ == "__main__":
    main()
