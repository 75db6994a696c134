"""The stub engine's scripted games are what the benchmark says they are, and the stub plays them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import chess
import pytest

SOURCE = Path(__file__).parents[2] / "benchmarks" / "stub_engine.c"
SIZES = [8, 100]


def read_line(plies: int) -> list[str]:
    """Read the moves of `LINE_<plies>` from the C source: adjacent string literals, as the compiler joins them."""
    found = re.search(rf"LINE_{plies}\[\] =\s*((?:\"[^\"]*\"\s*)+);", SOURCE.read_text())
    assert found, f"no LINE_{plies} in {SOURCE}"
    return "".join(re.findall(r'"([^"]*)"', found[1])).split(" ")


@pytest.fixture(scope="module")
def stub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stub") / "stub_engine"
    strict = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
    subprocess.run(["cc", "-O2", *strict, "-o", path, SOURCE], check=True)
    return path


def ask(stub: Path, *arguments: str, text: str, status: int = 0) -> list[str]:
    done = subprocess.run([stub, *arguments], input=text.encode(), capture_output=True, timeout=20, check=False)
    assert done.returncode == status, done.stderr
    return done.stdout.decode().splitlines()


def best_moves(lines: list[str]) -> list[str]:
    return [line.removeprefix("bestmove ") for line in lines if line.startswith("bestmove ")]


@pytest.mark.parametrize("plies", SIZES)
def test_line_ends_in_mate_at_its_last_ply_and_not_before(plies: int) -> None:
    board = chess.Board()
    moves = read_line(plies)
    for text in moves:
        # any ending that some runner may claim or apply would cut the game short
        assert not board.is_game_over(claim_draw=True), f"over after {len(board.move_stack)} plies"
        board.push_uci(text)
    assert len(moves) == plies
    assert board.is_checkmate()


@pytest.mark.parametrize("plies", SIZES)
def test_stub_plays_its_line_from_the_moves_since_the_start(stub: Path, plies: int) -> None:
    moves = read_line(plies)
    commands = ["position startpos\ngo movetime 5"]
    commands += [f"position startpos moves {' '.join(moves[:ply])}\ngo wtime 5 btime 5" for ply in range(1, plies)]
    lines = ask(stub, str(plies), text="\n".join(commands) + "\n")
    assert best_moves(lines) == moves
    assert lines[::2] == ["info depth 1 score cp 10"] * plies


@pytest.mark.parametrize("plies", SIZES)
def test_stub_plays_its_line_from_a_fen_and_the_moves_since(stub: Path, plies: int) -> None:
    """Some runners send the position after the last capture or pawn move, then the moves since."""
    moves = read_line(plies)
    board = chess.Board()
    commands = []
    for ply in range(plies):
        since = min(board.halfmove_clock, ply)
        start = board.copy()
        for _ in range(since):
            start.pop()
        tail = f" moves {' '.join(moves[ply - since : ply])}" if since else ""
        commands.append(f"position fen {start.fen()}{tail}\ngo depth 1\n")
        board.push_uci(moves[ply])
    assert best_moves(ask(stub, str(plies), text="".join(commands))) == moves


def test_stub_speaks_uci_in_order_and_ends_at_quit(stub: Path) -> None:
    text = (
        "uci\r\nsetoption name Hash value 1\nisready\nucinewgame\nposition startpos moves e2e4\ngo\nstop\nquit\nuci\n"
    )
    assert ask(stub, "8", "2", text=text) == [
        "id name stub",
        "id author harness",
        "uciok",
        "readyok",
        "info depth 1 score cp 10",
        "info depth 1 score cp 10",
        "bestmove e7e5",
    ]


def test_stub_can_leave_out_info(stub: Path) -> None:
    assert ask(stub, "8", "0", text="position startpos\ngo\n") == ["bestmove e2e4"]


@pytest.mark.parametrize(
    "position",
    [
        "startpos moves " + " ".join(read_line(8)),
        "fen rnb1k1nr/pppp1ppp/8/1Nb1p3/4P3/P7/1PPP1qPP/R1BQKBNR w KQkq - 0 5",
        "fen 8/8/8/8/8/8/8/k1K5 w - - 0 90",
        "fen broken",
    ],
)
def test_stub_has_no_move_past_the_end_of_its_line(stub: Path, position: str) -> None:
    assert ask(stub, "8", "0", text=f"position {position}\ngo\n") == ["bestmove 0000"]


def test_stub_writes_one_answer_in_one_write_and_waits_for_whole_lines(stub: Path) -> None:
    process = subprocess.Popen([stub, "8", "3"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        process.stdin.write(b"position startpos mov")
        process.stdin.write(b"es e2e4 e7e5\ngo move")
        process.stdin.write(b"time 10\n")
        assert process.stdout.read(4096) == b"info depth 1 score cp 10\n" * 3 + b"bestmove b1c3\n"
        process.stdin.close()
    assert process.returncode == 0


def test_stub_adds_its_times_to_a_file(stub: Path, tmp_path: Path) -> None:
    times = tmp_path / "times.txt"
    for ending in ("quit\n", ""):
        ask(stub, "8", "1", str(times), text="ucinewgame\n" + "position startpos\ngo\n" * 3 + ending)
    ask(stub, "8", "1", str(times), text="uci\nquit\n")
    played, played_too, greeted = ([int(word) for word in line.split()] for line in times.read_text().splitlines())
    assert 0 < played[0] <= played[1] <= played_too[0] <= played_too[1]
    assert (played[2], played_too[2]) == (3, 3)
    assert greeted == [0, 0, 0]


@pytest.mark.parametrize("arguments", [[], ["9"], ["8", "-1"], ["8", "many"], ["8", "1001"], ["8", "1", "x", "y"]])
def test_stub_refuses_other_arguments(stub: Path, arguments: list[str]) -> None:
    assert ask(stub, *arguments, text="uci\n", status=2) == []
