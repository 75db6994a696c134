"""The contest player against scripts: what it says, and that nothing a bot says breaks it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import BotFault
from harness.protocols.base import Budget
from harness.protocols.codingame import CodingamePlayer
from harness.protocols.scripted import ScriptedChannel
from harness.records import BotSpec, LinesView, MovesView

SPEC = BotSpec("bot", "codingame", ("bot",))
BUDGET = Budget(limit_ns=10**9, move_ms=100)


def player(answer: bytes, *, chunk: int = 0, hang_up: bool = False) -> tuple[CodingamePlayer, ScriptedChannel]:
    channel = ScriptedChannel(lambda line: answer if line == b"end\n" else b"", chunk=chunk, hang_up=hang_up)
    seated = CodingamePlayer(SPEC, channel.open)
    seated.begin_game(1, 0, 2)
    return seated, channel


def test_lines_go_out_and_the_answer_comes_back() -> None:
    seated, channel = player(b"UP\r\n")
    assert seated.ask(LinesView("2 0\nend\n"), BUDGET) == "UP"
    assert channel.written == b"2 0\nend\n"
    seated.end_game()
    assert channel.is_closed


LINES = st.lists(st.binary(max_size=20).map(lambda line: line.replace(b"\n", b"").rstrip(b"\r")), max_size=3)


@given(LINES, st.integers(0, 9))
def test_as_many_lines_are_read_as_are_asked_for(lines: list[bytes], chunk: int) -> None:
    lines.append(b"last, without its newline")
    seated, _ = player(b"\n".join(lines), chunk=chunk, hang_up=True)
    answer = seated.ask(LinesView("end\n", len(lines)), BUDGET)
    assert answer == b"\n".join(lines).decode("utf-8", "backslashreplace")


@given(st.binary(max_size=60), st.integers(0, 9), st.booleans())
def test_anything_is_an_answer_or_a_fault_of_the_bot(answer: bytes, chunk: int, hang_up: bool) -> None:
    seated, _ = player(answer, chunk=chunk, hang_up=hang_up)
    for _ in range(3):
        try:
            text = seated.ask(LinesView("end\n"), BUDGET)
        except BotFault as fault:
            assert fault.kind in {"timeout", "crash", "illegal"}  # noqa: PT017 - either is right
            break
        assert "\n" not in text
        text.encode("utf-8")


def test_lines_that_were_not_asked_for_are_refused_at_the_next_ply() -> None:
    seated, _ = player(b"UP\nDOWN\n")
    assert seated.ask(LinesView("end\n"), BUDGET) == "UP"
    with pytest.raises(BotFault) as caught:
        seated.ask(LinesView("end\n"), BUDGET)
    assert caught.value.kind == "illegal"
    assert caught.value.detail == "wrote more than it was asked for: DOWN\\n"


def test_a_view_of_another_form_is_a_bug() -> None:
    seated, _ = player(b"UP\n")
    with pytest.raises(TypeError, match="the contest protocol speaks lines"):
        seated.ask(MovesView("startpos", []), BUDGET)
