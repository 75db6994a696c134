"""A Python callable in a seat: what of the contract of players applies to it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import BotFault, BotStartError
from harness.protocols.base import Budget
from harness.protocols.inprocess import InProcessPlayer
from harness.records import BotSpec, FaultKind, Form, StateView, View

BUDGET = Budget(limit_ns=10**12)
MAKER = """
made = []

def make(seed, seat, n_seats):
    made.append((seed, seat, n_seats))
    return lambda view: ANSWER

make.form = "state"
"""

Seat = Callable[[str], InProcessPlayer]


@pytest.fixture
def seat(tmp_path: Path) -> Seat:
    """Give a maker of players whose bot answers with an expression."""

    def player(answer: str) -> InProcessPlayer:
        (tmp_path / "bot.py").write_text(MAKER.replace("ANSWER", answer))
        return InProcessPlayer(BotSpec("b", "python", python=f"{tmp_path}/bot.py:make", cwd=str(tmp_path)), Form.LINES)

    return player


def view() -> View:
    return StateView({"n": 3})


def test_games_go_through(seat: Seat) -> None:
    player = seat("'abc'[view.state['n'] - 1]")
    assert player.form is Form.STATE
    assert player.in_process
    player.start(1)
    for _ in range(2):
        player.begin_game(7, 1, 2)
        player.settle()
        assert player.ask(view(), BUDGET) == "c"
        assert player.think_ns > 0
        assert player.said == b""
        player.end_game()
    assert player.usage().cpu_s is None
    assert player.cpu_ns() > 0
    player.close()
    player.close()


@pytest.mark.parametrize(
    ("answer", "kind", "detail"),
    [
        ("1 // 0", FaultKind.CRASH, "raised ZeroDivisionError"),
        ("None", FaultKind.ILLEGAL, "answered None, not a string"),
        ("b'x'", FaultKind.ILLEGAL, "not a string"),
    ],
)
def test_faults(seat: Seat, answer: str, kind: FaultKind, detail: str) -> None:
    player = seat(answer)
    player.begin_game(1, 0, 2)
    with pytest.raises(BotFault, match=detail) as caught:
        player.ask(view(), BUDGET)
    assert caught.value.kind is kind
    player.end_game()
    player.begin_game(2, 0, 2)  # the next game begins as if nothing had been


def test_a_crash_leaves_its_traceback(seat: Seat) -> None:
    player = seat("1 // 0")
    player.begin_game(1, 0, 2)
    with pytest.raises(BotFault):
        player.ask(view(), BUDGET)
    assert "ZeroDivisionError" in player.stderr_tail()
    player.begin_game(2, 0, 2)
    assert player.stderr_tail() == ""


def test_a_late_answer_is_a_fault_once_it_has_come(seat: Seat) -> None:
    player = seat("'x' * sum(range(1000))")
    player.begin_game(1, 0, 2)
    with pytest.raises(BotFault, match="answered after") as caught:
        player.ask(view(), Budget(limit_ns=0))
    assert caught.value.kind is FaultKind.TIMEOUT


def test_a_maker_that_raises_does_not_start(seat: Seat, tmp_path: Path) -> None:
    seat("0")
    (tmp_path / "bad.py").write_text("def make(seed, seat, n_seats):\n    raise ValueError('no net')\n")
    player = InProcessPlayer(BotSpec("b", "python", python=f"{tmp_path}/bad.py:make"), Form.STATE)
    with pytest.raises(BotStartError, match="bot 'b' does not start") as caught:
        player.begin_game(1, 0, 2)
    assert "no net" in str(caught.value)
    assert f'    |   File "{tmp_path}/bad.py", line 2, in make' in str(caught.value)


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        ("def make(seed):\n    return None\n", "make", "takes 1 positional argument but 3 were given"),
        ("def make(seed):\n    return None\n", "mak", "cannot be imported: AttributeError: there is no 'mak' in "),
        ("imprt x\n", "make", "cannot be imported: SyntaxError: invalid syntax"),
        ("import nothing_like_this\n", "make", "cannot be imported: ModuleNotFoundError"),
    ],
)
def test_what_its_author_reads_of_a_bot_that_does_not_start_is_of_the_bot(
    tmp_path: Path, content: str, name: str, message: str
) -> None:
    file = tmp_path / "bot.py"
    file.write_text(content)
    with pytest.raises(BotStartError) as caught:
        InProcessPlayer(BotSpec("b", "python", python=f"{file}:{name}"), Form.STATE).begin_game(1, 0, 2)
    first, got, *rest = str(caught.value).splitlines()
    assert first == "bot 'b' does not start"
    assert message in got
    assert all(line.startswith(("    | ", "  allowed: ", "  next: ")) for line in rest)
    assert "harness/protocols" not in str(caught.value)
    assert "harness_bot_" not in str(caught.value)
