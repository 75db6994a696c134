"""The UCI player against scripts: what it says, and that nothing an engine says breaks it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import BotFault, BotStartError
from harness.protocols.base import Budget
from harness.protocols.scripted import ScriptedChannel
from harness.protocols.uci import UciPlayer
from harness.protocols.uci_info import last_scored
from harness.records import BotSpec, LinesView, MovesView

SPEC = BotSpec("engine", "uci", ("engine",))
GREETING = b"id name Engine 1.0\noption name Hash type spin default 16\noption name Clear Hash type button\nuciok\n"
BUDGET = Budget(limit_ns=10**9, move_ms=100)

WORDS = [
    b"bestmove ",
    b"bestmove",
    b"info depth 3 score cp 20 pv e2e4",
    b" score ",
    b"\n",
    b"\r\n",
    b"e2e4",
    b" ",
    b"info ",
]
ANYTHING = st.binary(max_size=80) | st.lists(st.sampled_from(WORDS) | st.binary(max_size=4), max_size=12).map(b"".join)


def player(
    answer: bytes | Callable[[bytes], bytes] = b"bestmove e2e4\n",
    *,
    spec: BotSpec = SPEC,
    greeting: bytes = GREETING,
    chunk: int = 0,
    hang_up: bool = False,
) -> tuple[UciPlayer, ScriptedChannel]:
    """Give a player at the start of a game with an engine that answers `go` with `answer`."""

    def reply(line: bytes) -> bytes:
        word = line.split()[0] if line.split() else b""
        if word == b"uci":
            return greeting
        if word == b"isready":
            return b"readyok\n"
        if word in {b"go", b"stop"}:
            return answer(line) if callable(answer) else answer
        return b""

    channel = ScriptedChannel(reply, chunk=chunk, hang_up=hang_up)
    seated = UciPlayer(spec, channel.open)
    seated.begin_game(1, 0, 2)
    return seated, channel


def view(*moves: str, start: str = "startpos") -> MovesView:
    return MovesView(start, list(moves))


# ------------------------------------------------------------------------------------ what it says


def test_handshake_options_and_new_game_go_out_in_order() -> None:
    spec = BotSpec("engine", "uci", ("engine",), options=(("hash", 64), ("Clear Hash", None), ("HASH", True)))
    _, channel = player(spec=spec)
    assert channel.written == (
        b"uci\nsetoption name Hash value 64\nsetoption name Clear Hash\nsetoption name Hash value true\nisready\n"
        b"ucinewgame\nisready\n"
    )


def test_position_and_go_leave_in_one_piece_and_grow_with_the_game() -> None:
    seated, channel = player()
    seen = view(start="8/8/8/8/8/8/8/K1k5 w - - 0 1")
    before = len(channel.written)
    assert seated.ask(seen, BUDGET) == "e2e4"
    assert channel.written[before:] == b"position fen 8/8/8/8/8/8/8/K1k5 w - - 0 1\ngo movetime 100\n"
    seen.moves += ["a1a2", "c1c2"]
    seen.line = " a1a2 c1c2"
    before = len(channel.written)
    seated.ask(seen, Budget(10**9, clocks_ms=(1500, 900), increment_ms=20))
    assert channel.written[before:] == (
        b"position fen 8/8/8/8/8/8/8/K1k5 w - - 0 1 moves a1a2 c1c2\ngo wtime 1500 btime 900 winc 20 binc 20\n"
    )


@pytest.mark.parametrize(
    ("budget", "command"),
    [(Budget(1, nodes=500), b"go nodes 500\n"), (Budget(1, depth=7), b"go depth 7\n")],
    ids=["nodes", "depth"],
)
def test_go_says_what_limits_the_search(budget: Budget, command: bytes) -> None:
    seated, channel = player()
    budget.limit_ns = 10**9
    seated.ask(view(), budget)
    assert channel.written.endswith(command)


def test_a_kept_engine_is_told_of_the_new_game_only() -> None:
    seated, channel = player()
    before = len(channel.written)
    seated.end_game()
    seated.begin_game(2, 1, 2)
    assert channel.written[before:] == b"ucinewgame\nisready\n"
    assert seated.identity == "Engine 1.0"


def test_quit_is_said_and_the_channel_closed_once() -> None:
    seated, channel = player()
    seated.close()
    seated.close()
    assert channel.written.endswith(b"quit\n")
    assert channel.is_closed
    with pytest.raises(BotFault, match="ended before it was asked"):
        seated.ask(view(), BUDGET)


def test_a_silent_engine_is_told_to_stop_and_ended_if_it_does_not() -> None:
    seated, channel = player(b"")
    with pytest.raises(BotFault) as caught:
        seated.ask(view(), BUDGET)
    assert caught.value.kind == "timeout"
    seated.end_game()
    assert b"stop\n" in channel.written
    assert channel.is_closed


def test_an_engine_that_obeys_stop_is_kept() -> None:
    seated, channel = player(lambda line: b"bestmove a1a2\n" if line == b"stop\n" else b"info depth 1\n")
    with pytest.raises(BotFault):
        seated.ask(view(), BUDGET)
    seated.end_game()
    assert not channel.is_closed
    seated.begin_game(1, 0, 2)


# ------------------------------------------------------------------------------ what an engine says


@pytest.mark.parametrize("chunk", [0, 1, 2, 3, 7, 30])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_info_is_kept_and_the_move_found_however_it_is_cut(chunk: int, end: bytes) -> None:
    lines = [
        b"info depth 1 score cp 10 nodes 20 pv e2e4",
        b"info depth 2 score cp 25 nodes 400 pv d2d4",
        b"info string the bestmove is near",
        b"info currmove a2a3 currmovenumber 9",
        b"bestmove d2d4 ponder d7d5",
    ]
    seated, _ = player(end.join(lines) + end, chunk=chunk)
    assert seated.ask(view(), BUDGET) == "d2d4"
    assert last_scored(seated.said) == b"depth 2 score cp 25 nodes 400 pv d2d4"


@given(
    st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"")), max_size=5),
    st.integers(0, 9),
    st.booleans(),
)
def test_the_move_is_found_behind_any_lines(lines: list[bytes], chunk: int, ends_without_newline: bool) -> None:
    before = b"".join(line + b"\n" for line in lines if not line.startswith(b"bestmove"))
    last = b"bestmove e2e4" if ends_without_newline else b"bestmove e2e4\n"
    seated, _ = player(before + last, chunk=chunk, hang_up=True)
    assert seated.ask(view(), BUDGET) == "e2e4"


@given(ANYTHING, st.integers(0, 9), st.booleans())
def test_anything_is_an_answer_or_a_fault_of_the_engine(answer: bytes, chunk: int, hang_up: bool) -> None:
    seated, _ = player(answer, chunk=chunk, hang_up=hang_up)
    try:
        text = seated.ask(view(), BUDGET)
    except BotFault as fault:
        assert fault.kind in {"timeout", "crash", "illegal"}  # noqa: PT017 - either is right
    else:
        assert text.isascii()
        assert not set(text) & set(" \n")
    assert len(seated.said) <= 4096
    seated.end_game()


@given(ANYTHING, st.integers(0, 9), st.booleans())
def test_a_handshake_of_anything_succeeds_or_is_a_start_error(greeting: bytes, chunk: int, hang_up: bool) -> None:
    try:
        seated, _ = player(greeting=greeting, chunk=chunk, hang_up=hang_up)
    except BotStartError:
        return
    assert b"uciok" in greeting
    assert seated.ask(view(), BUDGET) == "e2e4"


@pytest.mark.parametrize(
    ("answer", "kind"),
    [(b"bestmove \n", "illegal"), (b"bestmove\n", "illegal"), (b"x" * 2_000_000, "illegal"), (b"best", "timeout")],
    ids=["no move", "nothing", "endless line", "half a word"],
)
def test_what_is_no_answer_is_the_engine_s_fault(answer: bytes, kind: str) -> None:
    seated, _ = player(answer, chunk=60_000)
    with pytest.raises(BotFault) as caught:
        seated.ask(view(), BUDGET)
    assert caught.value.kind == kind


@pytest.mark.parametrize("chunk", [0, 1, 7])
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"info depth 1 score cp 3 pv e2e4\nBestmove e2e4\n", "; it had said Bestmove e2e4"),
        (b"e2e4\r\n\n", "; it had said e2e4"),
        (b"bestmove e2e4", "; it had said bestmove e2e4 (without the end of the line)"),
        (b"info depth 1\ninfo depth 1 score cp 3 pv e2e4\n", ""),
    ],
)
def test_what_is_no_move_is_told_when_time_is_up(answer: bytes, said: str, chunk: int) -> None:
    seated, _ = player(answer, chunk=chunk)
    with pytest.raises(BotFault) as caught:
        seated.ask(view(), BUDGET)
    assert (caught.value.kind, caught.value.detail) == ("timeout", f"no answer in time{said}")


def test_chatter_without_end_costs_no_memory() -> None:
    line = b"info depth 1 score cp 1 pv e2e4\n"
    seated, channel = player(line * 200_000, chunk=4096)
    longest = 0
    read = channel.read

    def watch(deadline_ns: int, asked_ns: int = 0) -> bytes:
        nonlocal longest
        data = read(deadline_ns, asked_ns)
        longest = max(longest, len(data))
        return data

    channel.read = watch  # type: ignore[method-assign]
    with pytest.raises(BotFault, match="no answer in time"):
        seated.ask(view(), BUDGET)
    assert longest <= 4096


def test_an_unknown_option_names_the_nearest() -> None:
    spec = BotSpec("engine", "uci", ("engine",), options=(("Hahs", 64),))
    with pytest.raises(BotStartError, match="no option 'Hahs'") as caught:
        player(spec=spec)
    assert "nearest: 'Hash'" in str(caught.value)


def test_a_view_of_another_form_is_a_bug() -> None:
    seated, _ = player()
    with pytest.raises(TypeError, match="UCI speaks moves"):
        seated.ask(LinesView("x\n"), BUDGET)


def test_a_kept_engine_that_has_gone_is_started_afresh_once() -> None:
    seated, first = player()
    channels = [
        ScriptedChannel({b"uci\n": GREETING, b"isready\n": b"readyok\n", b"go movetime 100\n": b"bestmove a1a2\n"})
    ]
    seated._open = lambda spec, seed: channels.pop()
    first._reply = lambda line: b""
    seated.begin_game(1, 0, 2)
    assert first.is_closed
    assert seated.ask(view(), BUDGET) == "a1a2"


def test_chess960_is_switched_on_once_and_off_again() -> None:
    greeting = b"option name UCI_Chess960 type check default false\nuciok\n"
    seated, channel = player(greeting=greeting)
    for variant in ("chess960", "chess960", ""):
        seated.begin_game(1, 0, 2)
        seated.ask(MovesView("startpos", ["e2e4"], variant=variant), BUDGET)
    switches = [line for line in channel.written.split(b"\n") if line.startswith(b"setoption")]
    assert switches == [b"setoption name UCI_Chess960 value true", b"setoption name UCI_Chess960 value false"]


def test_an_engine_without_chess960_does_not_start_a_game_of_it() -> None:
    seated, _ = player()
    with pytest.raises(BotStartError, match="UCI_Chess960"):
        seated.ask(MovesView("startpos", [], variant="chess960"), BUDGET)
