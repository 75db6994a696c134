"""The Gomocup player against scripts: what it says, and that nothing a brain says breaks it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import BotFault, BotStartError
from harness.protocols.base import Budget
from harness.protocols.gomocup import GomocupPlayer
from harness.protocols.gomocup_info import info_line
from harness.protocols.scripted import ScriptedChannel
from harness.protocols.uci_info import last_scored, parse_info
from harness.records import BotSpec, FaultKind, Limits, LinesView, MovesView

SPEC = BotSpec("brain", "gomocup", ("brain",))
ABOUT = b'name="Brain", version="2.1", author="Nobody"\r\n'
BUDGET = Budget(limit_ns=10**9, move_ms=100)
LEFT = b"INFO time_left 2147483647\r\n"
ASKED = (b"BEGIN", b"TURN", b"DONE")

Answer = bytes | Callable[[bytes], bytes]


def player(
    answer: Answer = b"7,7\r\n",
    *,
    spec: BotSpec = SPEC,
    about: bytes = ABOUT,
    ok: Answer = b"OK\r\n",
    chunk: int = 0,
    hang_up: bool = False,
) -> tuple[GomocupPlayer, ScriptedChannel]:
    """Give a player at the start of a game with a brain that answers what asks for a move with `answer`."""

    def reply(line: bytes) -> bytes:
        word = line.split()[0]
        if word == b"ABOUT":
            return about
        if word in {b"START", b"RECTSTART", b"RESTART"}:
            return ok(line) if callable(ok) else ok
        if word in ASKED:
            return answer(line) if callable(answer) else answer
        return b""

    channel = ScriptedChannel(reply, chunk=chunk, hang_up=hang_up)
    seated = GomocupPlayer(spec, channel.open)
    seated.begin_game(1, 0, 2)
    return seated, channel


def view(*moves: str, start: str = "15x15", variant: str = "free", first_seat: int = 0) -> MovesView:
    return MovesView(start, list(moves), first_seat, variant)


def grow(seen: MovesView, *moves: str) -> None:
    """Add moves as a position does."""
    seen.moves += moves
    seen.line += "".join(f" {move}" for move in moves)


def asked(channel: ScriptedChannel, before: int) -> bytes:
    """Give what was written since, without the time that stands before every request."""
    said = channel.written[before:]
    assert said.startswith(LEFT)
    return said.removeprefix(LEFT)


# ------------------------------------------------------------------------------------ what it says


def test_a_game_begins_with_who_are_you_the_limits_and_start() -> None:
    seated, channel = player()
    assert channel.written == b"ABOUT\r\n"
    assert seated.ask(view(), BUDGET) == "7,7"
    infos = b"INFO timeout_match 0\r\nINFO timeout_turn 100\r\nINFO game_type 1\r\nINFO rule 0\r\nINFO thread_num 1\r\n"
    assert channel.written == (
        b"ABOUT\r\nINFO max_memory 367001600\r\n" + infos + b"START 15\r\n" + infos + LEFT + b"BEGIN\r\n"
    )
    assert seated.identity == "Brain 2.1"


def test_infos_follow_time_memory_threads_rule_and_options() -> None:
    spec = BotSpec(
        "brain",
        "gomocup",
        limits=Limits(memory_mb=100),
        threads=3,
        options=(("folder", "x"), ("thread_num", 2), ("evaluate", True)),
    )
    seated, channel = player(spec=spec)
    seated.ask(view(variant="renju"), Budget(10**9, clocks_ms=(9000, 8000)))
    for line in (
        b"max_memory 104857600",
        b"timeout_match 9000",
        b"timeout_turn 1000",
        b"time_left 9000",
        b"rule 4",
        b"thread_num 2",
        b"folder x",
        b"evaluate 1",
    ):
        assert b"INFO %b\r\n" % line in channel.written
    assert b"thread_num 3" not in channel.written


def test_more_memory_is_told_by_an_option() -> None:
    _, channel = seated = player(spec=BotSpec("brain", "gomocup", options=(("max_memory", 2**30),)))
    seated[0].ask(view(), BUDGET)
    assert channel.written.count(b"max_memory") == 1
    assert b"INFO max_memory 1073741824\r\n" in channel.written


@pytest.mark.parametrize(
    ("budget", "info"),
    [(Budget(10**9, nodes=500), b"INFO max_node 500\r\n"), (Budget(10**9, depth=7), b"INFO max_depth 7\r\n")],
    ids=["nodes", "depth"],
)
def test_nodes_and_depth_are_told(budget: Budget, info: bytes) -> None:
    seated, channel = player()
    seated.ask(view(), budget)
    assert info in channel.written
    assert b"INFO timeout_turn 1000\r\n" in channel.written


@pytest.mark.parametrize(
    ("start", "variant", "command", "rule"),
    [("20x20", "free", b"START 20\r\n", b"0"), ("9x6", "standard", b"RECTSTART 9,6\r\n", b"1")],
)
def test_size_and_rule(start: str, variant: str, command: bytes, rule: bytes) -> None:
    seated, channel = player()
    seated.ask(view(start=start, variant=variant), BUDGET)
    assert command in channel.written
    assert b"INFO rule " + rule in channel.written


def test_one_stone_is_a_turn_and_an_opening_a_board() -> None:
    seated, channel = player()
    seen = view("0,0", first_seat=1)
    seated.ask(seen, BUDGET)
    assert channel.written.endswith(LEFT + b"TURN 0,0\r\n")
    grow(seen, "7,7", "1,1")
    before = len(channel.written)
    seated.ask(seen, BUDGET)
    assert asked(channel, before) == b"TURN 1,1\r\n"
    seated.end_game()
    seated.begin_game(2, 1, 2)
    seen = view("5,5", "6,6", "7,5")
    seated.ask(seen, BUDGET)
    assert channel.written.endswith(LEFT + b"BOARD\r\n5,5,2\r\n6,6,1\r\n7,5,2\r\nDONE\r\n")
    grow(seen, "7,7", "4,4")
    before = len(channel.written)
    seated.ask(seen, BUDGET)
    assert asked(channel, before) == b"TURN 4,4\r\n"


def test_time_left_is_told_before_every_ply_and_a_new_limit_once() -> None:
    seated, channel = player()
    seen = view()
    seated.ask(seen, Budget(10**9, move_ms=1000))
    for budget, told in (
        (BUDGET, b"INFO timeout_turn 100\r\n" + LEFT),
        (BUDGET, LEFT),
        (Budget(10**9, move_ms=100), LEFT),
    ):
        grow(seen, "7,7", "8,8")
        before = len(channel.written)
        seated.ask(seen, budget)
        assert channel.written[before:] == told + b"TURN 8,8\r\n"
    before = len(channel.written)
    grow(seen, "7,7", "8,8")
    seated.ask(seen, Budget(10**9, clocks_ms=(700, 800)))
    assert channel.written[before:] == b"INFO time_left 700\r\nTURN 8,8\r\n"


def test_swap2_is_asked_by_boards_until_colours_are_settled() -> None:
    seated, channel = player(lambda _: b"7,7 8,7 9,9\r\n")
    seen = view(variant="standard swap2")
    assert seated.ask(seen, BUDGET) == "7,7 8,7 9,9"
    assert channel.written.endswith(LEFT + b"SWAP2BOARD\r\nDONE\r\n")
    assert b"INFO rule 1\r\n" in channel.written
    grow(seen, "7,7 8,7 9,9", "8,8 8,6")
    before = len(channel.written)
    seated.ask(seen, BUDGET)
    assert asked(channel, before) == b"SWAP2BOARD\r\n7,7\r\n8,7\r\n9,9\r\n8,8\r\n8,6\r\nDONE\r\n"


def test_after_a_swap_own_stones_are_those_of_the_colour() -> None:
    """The example of the protocol's page: seat 1 takes Black, so the second stone is seat 0's."""
    seated, channel = player()
    seen = view(variant="standard swap2")
    seated.ask(seen, BUDGET)
    grow(seen, "7,7 8,7 9,9", "SWAP")
    seen.variant, seen.first_seat = "standard", 1
    before = len(channel.written)
    seated.ask(seen, BUDGET)
    assert asked(channel, before) == b"BOARD\r\n7,7,2\r\n8,7,1\r\n9,9,2\r\nDONE\r\n"
    grow(seen, "7,7", "3,3")
    before = len(channel.written)
    seated.ask(seen, BUDGET)
    assert asked(channel, before) == b"TURN 3,3\r\n"


# --------------------------------------------------------------------------------------- game after game


def test_a_kept_brain_is_restarted_and_told_of_the_game_again() -> None:
    seated, channel = player()
    seated.ask(view(), BUDGET)
    before = len(channel.written)
    seated.end_game()
    seated.begin_game(2, 0, 2)
    seated.ask(view(), BUDGET)
    said = channel.written[before:]
    assert said.startswith(LEFT + b"RESTART\r\nINFO timeout_match 0\r\n")
    assert said.endswith(LEFT + b"BEGIN\r\n")
    assert b"ABOUT" not in said


def test_another_size_is_a_start() -> None:
    seated, channel = player()
    seated.ask(view(), BUDGET)
    seated.end_game()
    seated.begin_game(2, 0, 2)
    before = len(channel.written)
    seated.ask(view(start="20x20"), BUDGET)
    assert b"START 20\r\n" in channel.written[before:]
    assert b"RESTART" not in channel.written[before:]


@pytest.mark.parametrize("refusal", [b"UNKNOWN\r\n", b"ERROR no\r\n", b""], ids=["unknown", "error", "silence"])
def test_a_brain_that_cannot_restart_is_started_anew(refusal: bytes) -> None:
    seated, channel = player(ok=lambda line: refusal if line.startswith(b"RESTART") else b"OK\n")
    for game in range(3):
        before = len(channel.written)
        seated.begin_game(game, 0, 2)
        assert seated.ask(view(), BUDGET) == "7,7"
        said = channel.written[before:]
        assert said.count(b"RESTART") == (1 if game == 1 or (game and not refusal) else 0), (
            "one that said no is not asked"
        )
        assert (b"START 15" in said.replace(b"RESTART", b"")) is True
        seated.end_game()
    assert seated.identity == "Brain 2.1"


def test_end_is_said_and_the_channel_closed_once() -> None:
    seated, channel = player()
    seated.ask(view(), BUDGET)
    seated.close()
    seated.close()
    assert channel.written.endswith(b"END\r\n")
    assert channel.written.count(b"END\r\n") == 1
    assert channel.is_closed
    with pytest.raises(BotFault, match="ended before it was asked"):
        seated.ask(view(), BUDGET)


def test_a_brain_that_owes_an_answer_is_ended_without_a_word() -> None:
    seated, channel = player(b"")
    with pytest.raises(BotFault, match="no answer in time"):
        seated.ask(view(), BUDGET)
    seated.end_game()
    assert channel.is_closed
    assert b"END" not in channel.written


# ------------------------------------------------------------------------------------- what a brain says


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n", b"\r\n\r\n"], ids=["lf", "cr", "crlf", "blank"])
@pytest.mark.parametrize("chunk", [0, 1, 3])
def test_lines_may_end_in_any_way(end: bytes, chunk: int) -> None:
    seated, _ = player(b"7,7" + end, ok=b"MESSAGE hi" + end + b"OK" + end, about=b"me" + end, chunk=chunk)
    seen = view()
    for _ in range(3):
        assert seated.ask(seen, BUDGET) == "7,7"
        grow(seen, "7,7", "8,8")
    assert seated.identity == "me"


def test_messages_before_and_after_an_answer_are_passed_over() -> None:
    talk = b"MESSAGE depth 4-9 ev 31 best h8\nDEBUG x\nUNKNOWN INFO thread_num\nerror what\n7,7\nmessage done\nDEB"
    more = iter([talk, b"UG y\n1,2\n"])
    seated, _ = player(lambda _: next(more))
    seen = view()
    assert seated.ask(seen, BUDGET) == "7,7"
    assert last_scored(seated.said) == b"depth 4 score cp 31 string depth 4-9 ev 31 best h8"
    assert b"UNKNOWN INFO thread_num" in seated.said
    grow(seen, "7,7", "8,8")
    assert seated.ask(seen, BUDGET) == "1,2"
    assert seated.said == b"DEBUG y\n"


def test_a_suggestion_is_taken() -> None:
    """As in Gomocup: the brain moves where it suggested, once it is told to."""

    def reply(line: bytes) -> bytes:
        return b"SUGGEST 3,4\n" if line.startswith(b"BEGIN") else b""

    seated, channel = player(reply)
    with pytest.raises(BotFault, match="no answer in time"):
        seated.ask(view(), BUDGET)
    assert channel.written.endswith(b"PLAY 3,4\r\n")


def test_what_is_no_message_is_the_answer_whatever_it_is() -> None:
    for text in ("SWAP", "7;7", "I resign", "OK", "depth 3"):
        seated, _ = player(text.encode() + b"\n")
        assert seated.ask(view(), BUDGET) == text


@pytest.mark.parametrize("extra", [b"7,7\n8,8\n", b"7,7\n8,8\nMESSAGE x\n", b"7,7\nMESSAGE x\n8,8\n"])
def test_an_answer_to_nothing_is_a_fault(extra: bytes) -> None:
    seated, _ = player(extra)
    seen = view()
    seated.ask(seen, BUDGET)
    grow(seen, "7,7", "8,8")
    with pytest.raises(BotFault, match="wrote more than it was asked for: 8,8") as caught:
        seated.ask(seen, BUDGET)
    assert caught.value.kind is FaultKind.ILLEGAL


def test_a_time_out_says_what_the_brain_had_to_say() -> None:
    seated, _ = player(b"UNKNOWN command BEGIN\n")
    with pytest.raises(BotFault, match="no answer in time; it had said UNKNOWN command BEGIN") as caught:
        seated.ask(view(), BUDGET)
    assert caught.value.kind is FaultKind.TIMEOUT


def test_a_last_line_without_its_end_counts() -> None:
    seated, _ = player(b"7,7", hang_up=True)
    assert seated.ask(view(), BUDGET) == "7,7"


def test_a_line_without_end_is_a_fault() -> None:
    seated, _ = player(b"x" * 3000, spec=BotSpec("brain", "gomocup", limits=Limits(answer_kb=1)))
    with pytest.raises(BotFault, match="a line longer than 1024 bytes: x"):
        seated.ask(view(), BUDGET)


def test_a_flood_of_messages_is_kept_in_part() -> None:
    seated, _ = player(b"MESSAGE depth 3 ev 5\n" + b"DEBUG thinking\n" * 20_000 + b"MESSAGE depth 9 ev -7\n7,7\n")
    assert seated.ask(view(), BUDGET) == "7,7"
    assert len(seated.said) < 4096 + 240
    assert last_scored(seated.said).startswith(b"depth 9 score cp -7")


# ------------------------------------------------------------------------------------- what does not start


@pytest.mark.parametrize(
    ("ok", "hang_up", "why"),
    [
        (b"ERROR unsupported size\n", False, r"`START 15` with OK within 10000 ms \(answered ERROR unsupported size\)"),
        (b"", False, r"`START 15` with OK within 10000 ms \(no answer in time\)"),
        (b"", True, r"`START 15` with OK within 10000 ms \(hung up\)"),
        (b"hello\nMESSAGE loading\n", True, r"\(hung up; it had said MESSAGE loading\)"),
        (b"usage: a b\n", False, r"\(no answer in time; it had said usage: a b\)"),
    ],
    ids=["error", "silent", "gone", "talks", "another program"],
)
def test_a_brain_that_does_not_say_ok_halts_the_run(ok: bytes, hang_up: bool, why: str) -> None:
    seated, channel = player(ok=ok, hang_up=hang_up)
    with pytest.raises(BotStartError, match=why):
        seated.ask(view(), BUDGET)
    assert channel.is_closed


def test_one_that_does_not_know_about_plays_all_the_same() -> None:
    seated, _ = player(about=b"UNKNOWN ABOUT\n")
    assert seated.ask(view(), BUDGET) == "7,7"
    assert seated.identity == ""


@pytest.mark.parametrize(("start", "variant"), [("15x15", "caro"), ("startpos", "free"), ("15x15", "")])
def test_a_game_of_another_kind_is_refused(start: str, variant: str) -> None:
    seated, _ = player()
    with pytest.raises(BotStartError, match="knows boards as 15x15 and the rules free, standard, renju, not"):
        seated.ask(view(start=start, variant=variant), BUDGET)


def test_a_view_in_lines_is_a_mistake_of_ours() -> None:
    seated, _ = player()
    with pytest.raises(TypeError, match="Gomocup's protocol speaks moves, got LinesView"):
        seated.ask(LinesView(""), BUDGET)


WORDS = [b"7,7", b"MESSAGE", b"ERROR ", b"SUGGEST", b"OK", b"\n", b"\r", b" ", b"ev 3", b"PLAY", b"\xff"]
ANYTHING = st.binary(max_size=80) | st.lists(st.sampled_from(WORDS) | st.binary(max_size=4), max_size=12).map(b"".join)


@given(ANYTHING, st.integers(0, 3), st.booleans())
def test_whatever_a_brain_says_is_an_answer_or_a_fault(said: bytes, chunk: int, hang_up: bool) -> None:
    seated, _ = player(said, chunk=chunk, hang_up=hang_up)
    seen = view()
    for _ in range(2):
        try:
            answer = seated.ask(seen, BUDGET)
        except BotFault:
            break
        assert answer
        grow(seen, "7,7", "8,8")
    seated.end_game()
    seated.close()


@given(ANYTHING, ANYTHING)
def test_whatever_a_brain_says_at_its_start_it_starts_or_does_not(about: bytes, ok: bytes) -> None:
    seated, _ = player(about=about, ok=ok)
    with contextlib.suppress(BotStartError, BotFault):
        seated.ask(view(), BUDGET)


# ------------------------------------------------------------------------------------------ scores


@pytest.mark.parametrize(
    ("said", "info"),
    [
        (b"MESSAGE depth 12-20 ev 35 n 1K\n", b"info depth 12 score cp 35 string depth 12-20 ev 35 n 1K\n"),
        (b"message Speed 1K | Depth 7-15 | Eval -143 | Node 1\n", b"info depth 7 score cp -143 string"),
        (b"MESSAGE Depth 8-6 | Eval +M9\nMESSAGE Bestline K8\n", b"info depth 8 score mate 9 string"),
        (b"DEBUG eval: -M4\n", b"info score mate -4 string eval: -M4\n"),
        (b"MESSAGE Eval VAL_NONE\n", b""),
        (b"MESSAGE every eval 3x\n", b""),
        (b"UNKNOWN ev 3\n", b""),
        (b"", b""),
    ],
)
def test_scores_are_found_in_messages(said: bytes, info: bytes) -> None:
    line = info_line(said)
    assert line.startswith(info)
    assert bool(line) == bool(info)


@given(ANYTHING)
def test_no_message_breaks_the_reading_of_scores(said: bytes) -> None:
    parse_info(last_scored(info_line(b"MESSAGE ev " + said)).decode("ascii", "replace"))
