"""What the chess rules cost: microseconds a ply of ours and of the libraries, and of reading a book.

Every level plays the same random games in the same process, in rounds, so that the figures of one run compare; prints
medians of five and the ratio to ours. Libraries that are not installed are named and left out
(`pip install chess rust-chess` for all).

    taskset -c 1 python benchmarks/chess_rules.py
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))

import cozy_chess  # noqa: E402

from harness.records import Form  # noqa: E402
from harness.rules.chess import ChessRules, build  # noqa: E402
from harness.rules.chess_board import CHESS960_MOVES, find_move  # noqa: E402
from harness.rules.chess_openings import read_epd  # noqa: E402
from harness.testing.playout import play_turn  # noqa: E402

Games = Sequence[Sequence[str]]


def record_games(rules: ChessRules, n_games: int) -> list[list[str]]:
    games = []
    for seed in range(n_games):
        position = rules.start(0)
        turn = 0
        while position.to_act():
            play_turn(position, turn, seed)
            turn += 1
        games.append(position.log)
    return games


def play_rules(rules: ChessRules, games: Games) -> None:
    """To_act, view, parse and apply of every ply, as the loop of a game calls them."""
    for game in games:
        position = rules.start(0)
        to_act, view, parse, apply = position.to_act, position.view, position.parse, position.apply
        for text in game:
            seat = to_act()[0]
            view(seat, Form.MOVES)
            apply({seat: parse(seat, text)})


def play_nothing(games: Games) -> None:
    """The same loop and calls on an object that does nothing: the least that any rules cost in Python."""

    class Nothing:
        def to_act(self) -> tuple[int, ...]:
            return (0,)

        def view(self, seat: int, form: Form) -> None: ...

        def parse(self, seat: int, text: str) -> str:  # noqa: ARG002 - does nothing
            return text

        def apply(self, actions: dict[int, str]) -> None: ...

    for game in games:
        position = Nothing()
        to_act, view, parse, apply = position.to_act, position.view, position.parse, position.apply
        for text in game:
            seat = to_act()[0]
            view(seat, Form.MOVES)
            apply({seat: parse(seat, text)})


def play_cozy(games: Games) -> None:
    """Move from a table, legality, push, hash, status: no repetition, no dead position, castling in its spelling."""
    for game in games:
        board = cozy_chess.Board()
        for text in game:
            move = CHESS960_MOVES[text]
            board.is_legal(move)
            board.play_unchecked(move)
            board.hash()
            board.status()


def in_its_spelling(games: Games) -> list[list[str]]:
    """Spell castling as king takes rook, so that `play_cozy` need not translate."""
    spelled = []
    for game in games:
        board, texts = cozy_chess.Board(), []
        for text in game:
            move = find_move(board, text, is_chess960=False)
            assert move is not None
            texts.append(str(move))
            board.play_unchecked(move)
        spelled.append(texts)
    return spelled


def play_rust(games: Games) -> None:
    """rust-chess: parse, checked push, status (which looks for a third repetition); fifty moves asked besides."""
    import rust_chess  # type: ignore[import-not-found, unused-ignore]

    for game in games:
        board = rust_chess.Board()
        for text in game:
            board.make_move(rust_chess.Move.from_uci(text), True)
            board.get_status()
            board.is_fifty_moves()


def play_python(games: Games) -> None:
    """python-chess in its short way: push with legality, game over, third repetition."""
    import chess

    for game in games:
        board = chess.Board()
        for text in game:
            board.push_uci(text)
            board.is_game_over()
            board.is_repetition(3)


def time_of(work: Callable[[], None]) -> float:
    began = perf_counter()
    work()
    return perf_counter() - began


def measure(levels: dict[str, tuple[Callable[[Games], None], Games]], rounds: int) -> None:
    seconds: dict[str, list[float]] = {name: [] for name in levels}
    for _ in range(rounds):
        for name, (play, games) in levels.items():
            plies = sum(map(len, games))
            seconds[name].append(time_of(partial(play, games)) / plies * 1e6)
    ours = seconds["ours"]
    print(f"{'':24}{'us/ply':>8}{'min..max':>16}{'times ours':>12}")
    for name, each in seconds.items():
        ratio = median(one / our for one, our in zip(each, ours, strict=True))
        print(f"{name:24}{median(each):8.2f}{min(each):8.2f}..{max(each):<6.2f}{ratio:12.2f}")


def measure_book(n_lines: int) -> None:
    book = (REPOSITORY / "configs" / "openings.epd").read_text(encoding="utf-8").splitlines(keepends=True)
    text = "".join(book[i % len(book)] for i in range(n_lines))
    began = perf_counter()
    read_epd(text)
    seconds = perf_counter() - began
    print(f"reading an EPD book: {seconds / n_lines * 1e6:.1f} us a line, each position checked")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    rules = build({}, str)
    games = record_games(rules, asked.games)
    print(f"{len(games)} random games, {sum(map(len, games))} plies, medians of {asked.rounds}")
    levels: dict[str, tuple[Callable[[Games], None], Games]] = {
        "ours": (partial(play_rules, rules), games),
        "empty calls": (play_nothing, games),
        "cozy-chess, bare": (play_cozy, in_its_spelling(games)),
    }
    for name, module, play in (("rust-chess", "rust_chess", play_rust), ("python-chess", "chess", play_python)):
        if find_spec(module) is None:
            print(f"{name} is not installed: left out")
        else:
            levels[name] = (play, games)
    measure(levels, asked.rounds)
    measure_book(10_000)


if __name__ == "__main__":
    main()
