"""The xboard player against scripts: features, set-up, clocks, moves of every form, claims, getting back in step.

More than 500 lines, since all of the protocol is spoken by one script, which stands at the top.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import BotFault, BotStartError
from harness.play.adjudication import Adjudicator
from harness.protocols.base import Budget
from harness.protocols.scripted import ScriptedChannel
from harness.protocols.uci_info import all_last_scored
from harness.protocols.xboard import XboardPlayer
from harness.protocols.xboard_lines import Castlings, complains_of, edit_commands, find_move, info_line
from harness.records import Adjudication, BotSpec, LinesView, MovesView, Scalar

SPEC = BotSpec("engine", "xboard", ("engine",))
BUDGET = Budget(limit_ns=10**12, move_ms=200)
PLAIN = 'ping=1 setboard=1 usermove=1 myname="Scripted 1.0" done=1'


def engine(features: str = PLAIN, *, move: bytes = b"move e2e4\n", **answers: bytes) -> Callable[[bytes], bytes]:
    """Give an engine; it says `move` at `go` and at each move, and `answers` to commands of that name."""
    is_forced = False

    def hear(line: bytes) -> bytes:
        nonlocal is_forced
        word, _, rest = line.decode().strip().partition(" ")
        if word in answers:
            return answers[word]
        if word == "protover":
            return f"feature {features}\n".encode() if features else b""
        if word == "ping":
            return f"pong {rest}\n".encode()
        if word == "force":
            is_forced = True
        if word == "go":
            is_forced = False
            return move
        if word == "usermove" and not is_forced:
            return move
        return b""

    return hear


def player(
    hear: Callable[[bytes], bytes] | None = None,
    *,
    seat: int = 0,
    spec: BotSpec = SPEC,
    options: tuple[tuple[str, Scalar], ...] = (),
    chunk: int = 0,
) -> tuple[XboardPlayer, ScriptedChannel]:
    channel = ScriptedChannel(hear or engine(), chunk=chunk)
    seated = XboardPlayer(replace(spec, options=options), channel.open)
    seated.begin_game(5, seat, 2)
    return seated, channel


def view(*moves: str, start: str = "startpos", variant: str = "") -> MovesView:
    return MovesView(start, list(moves), 0, variant)


def written(channel: ScriptedChannel, before: int = 0) -> list[str]:
    return channel.written[before:].decode().splitlines()


@pytest.mark.parametrize(("answer", "said"), [(b"e2 to e4!\n\n", "e2 to e4!"), (b"1 20 0 9 e2e4\n", ""), (b"", "")])
def test_what_is_no_move_is_told_when_time_is_up(answer: bytes, said: str) -> None:
    seated, _ = player(engine(move=answer))
    with pytest.raises(BotFault) as caught:
        seated.ask(view(), BUDGET)
    assert caught.value.kind == "timeout"
    assert caught.value.detail == "no answer in time" + (f"; it had said {said}" if said else "")


# ------------------------------------------------------------------------------------ what it says


def test_features_are_answered_and_a_game_is_set_up_in_order() -> None:
    seated, channel = player(engine(f'done=0 san=1 colors=0 nps=1 option="Hash -spin 16 1 64" {PLAIN}'))
    assert seated.identity == "Scripted 1.0"
    answers = "rejected san, accepted colors, rejected nps, accepted option, accepted ping, accepted setboard"
    assert written(channel)[:2] == ["xboard", "protover 2"]
    assert ", ".join(written(channel)[2:]).startswith(f"accepted done, {answers}, accepted usermove")
    assert written(channel)[-5:] == ["new", "force", "easy", "post", "ping 2"]
    before = len(channel.written)
    assert seated.ask(view(), BUDGET) == "e2e4"
    assert written(channel, before) == ["st 0.2", "ping 3", "force", "time 20", "otim 20", "go"]


def test_a_ply_is_the_clocks_and_the_opponent_s_move() -> None:
    seated, channel = player()
    seen = view()
    seated.ask(seen, BUDGET)
    seen.moves += ["e2e4", "e7e5"]
    before = len(channel.written)
    seated.ask(seen, BUDGET)
    assert written(channel, before) == ["time 20", "otim 20", "usermove e7e5"]


def test_an_opening_is_played_in_force_mode_before_any_clock_runs() -> None:
    seated, channel = player(seat=1)
    before = len(channel.written)
    fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    seated.ask(view("g1f3", start=fen), BUDGET)
    assert written(channel, before) == [
        "st 0.2",
        f"setboard {fen}",
        "usermove g1f3",
        "ping 3",
        "force",
        "time 20",
        "otim 20",
        "go",
    ]


@pytest.mark.parametrize(
    ("budget", "setting", "clocks"),
    [
        (Budget(1, move_ms=1500), ["st 1.5"], ["time 150", "otim 150"]),
        (Budget(1, clocks_ms=(60_000, 30_000), increment_ms=100), ["level 0 1 0.1"], ["time 6000", "otim 3000"]),
        (Budget(1, clocks_ms=(90_500, 30_000)), ["level 0 1:30 0"], ["time 9050", "otim 3000"]),
        (Budget(1, clocks_ms=(400, 30_000)), ["level 0 0:01 0"], ["time 40", "otim 3000"]),
        (Budget(1, depth=7), ["st 1000", "sd 7"], ["time 100000", "otim 100000"]),
    ],
    ids=["a ply", "minutes", "minutes and seconds", "less than a second", "depth"],
)
def test_time_is_said_in_the_protocol_s_words(budget: Budget, setting: list[str], clocks: list[str]) -> None:
    seated, channel = player()
    before = len(channel.written)
    budget.limit_ns = 10**12
    seated.ask(view(), budget)
    assert written(channel, before) == [*setting, "ping 3", "force", *clocks, "go"]


def test_a_first_ply_with_a_limit_of_its_own_is_followed_by_the_usual_one() -> None:
    seated, channel = player()
    seen = view()
    seated.ask(seen, BUDGET)
    seen.moves += ["e2e4", "e7e5"]
    before = len(channel.written)
    seated.ask(seen, Budget(10**12, move_ms=50))
    assert written(channel, before) == ["st 0.05", "time 5", "otim 5", "usermove e7e5"]


def test_without_usermove_and_time_bare_moves_are_sent() -> None:
    seated, channel = player(engine("ping=1 time=0 done=1"))
    seen = view()
    seated.ask(seen, BUDGET)
    seen.moves += ["e2e4", "e7e5"]
    before = len(channel.written)
    channel._reply = lambda line: b"move g1f3\n"
    assert seated.ask(seen, BUDGET) == "g1f3"
    assert written(channel, before) == ["e7e5"]


def test_options_are_set_by_their_kind() -> None:
    features = (
        'option="Hash Size -spin 16 1 64" option="Own Book -check 1" option="Clear -button" memory=1 smp=1 ' + PLAIN
    )
    chosen: tuple[tuple[str, Scalar], ...] = (
        ("hash size", 32),
        ("Own Book", False),
        ("own book", 1),
        ("clear", None),
        ("memory", 64),
        ("cores", 2),
        ("commands", "book off; sd 9"),
    )
    seated, channel = player(engine(features), options=chosen)
    said = written(channel)
    at = said.index("option Hash Size=32")
    assert said[at : at + 7] == [
        "option Hash Size=32",
        "option Own Book=0",
        "option Own Book=1",
        "option Clear",
        "memory 64",
        "cores 2",
        "ping 1",
    ]
    before = len(channel.written)
    seated.ask(view(), BUDGET)
    assert written(channel, before)[:4] == ["book off", "sd 9", "st 0.2", "ping 3"]


def test_wrong_options_are_refused() -> None:
    features = f'option="Hash Size -spin 16 1 64" option="Book -check 1" {PLAIN}'
    with pytest.raises(BotStartError, match=r"no option 'Hash' \(nearest: 'Hash Size'; it has: Hash Size, Book, and"):
        player(engine(features), options=(("Hash", 1),))
    with pytest.raises(BotStartError, match="no option 'memory'"):
        player(engine(features), options=(("memory", 1),))
    with pytest.raises(BotStartError, match="its option 'Book' is true or false, not 'yes'"):
        player(engine(features), options=(("book", "yes"),))


def test_the_end_of_a_game_is_told_with_its_last_move() -> None:
    seated, channel = player()
    seen = view()
    seated.ask(seen, BUDGET)
    seen.moves += ["e2e4", "e7e5"]
    before = len(channel.written)
    seated.hear_result((0.0, 1.0))
    seated.end_game()
    assert written(channel, before) == ["force", "usermove e7e5", "result 0-1"]
    seated.begin_game(6, 1, 2)
    assert written(channel)[-5:-1] == ["new", "force", "easy", "post"]
    seated.end_game()
    assert written(channel)[-1] == "result *"
    seated.close()
    assert written(channel)[-1] == "quit"


@pytest.mark.parametrize("features", ["ping=1 reuse=0 usermove=1 done=1", "usermove=1 done=1"])
def test_an_engine_that_cannot_be_kept_is_started_for_each_game(features: str) -> None:
    seated, channel = player(engine(features))
    assert seated.ask(view(), BUDGET) == "e2e4"
    seated.end_game()
    assert channel.is_closed
    seated.begin_game(6, 0, 2)
    assert written(channel).count("xboard") == 2


# --------------------------------------------------------------------------- chess960, and no setboard

FEN960 = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"


def test_castling_in_chess960_is_written_in_letters() -> None:
    seated, channel = player(engine(f'variants="normal,fischerandom" {PLAIN}', move=b"move O-O\n"))
    before = len(channel.written)
    seen = view(start=FEN960, variant="chess960")
    assert seated.ask(seen, BUDGET) == "san O-O"
    assert written(channel, before)[:4] == ["variant fischerandom", "force", "st 0.2", f"setboard {FEN960}"]
    seen.moves += ["g1h1", "g8f8"]
    before = len(channel.written)
    seated.ask(seen, BUDGET)
    assert written(channel, before)[-1] == "usermove O-O-O"


def test_an_engine_without_chess960_does_not_start() -> None:
    seated, _ = player(engine(f'variants="normal,suicide" {PLAIN}'))
    with pytest.raises(BotStartError, match=r"does not play fischerandom.*\(it plays: normal, suicide\)"):
        seated.ask(view(start=FEN960, variant="chess960"), BUDGET)


def test_kings_and_rooks_are_followed() -> None:
    castlings = Castlings("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    moves = ["e1h1", "e8a8", "f1e1", "d8d1", "e1d1"]
    assert castlings.follow(moves[:2]) == ["O-O", "O-O-O"]
    assert castlings.follow(moves) == ["O-O", "O-O-O", "f1e1", "d8d1", "e1d1"]


def test_without_setboard_the_pieces_are_put_one_by_one() -> None:
    assert edit_commands("4k2r/p7/8/8/8/8/8/R3K3 w Qk - 0 1", "") == "edit\n#\nRa1\nKe1\nc\nKe8\nRh8\nPa7\n.\n"
    assert edit_commands("4k3/8/8/8/8/8/8/K7 b - - 0 1", "usermove ") == "usermove a2a3\nedit\n#\nKa1\nc\nKe8\n.\n"
    assert edit_commands("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "") is None, "castling rights would be understood"
    assert edit_commands("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "") is None, "there is no en passant"
    seated, channel = player(engine("ping=1 done=1"))
    seated.ask(view(start="4k3/8/8/8/8/8/8/K6Q w - - 0 1"), BUDGET)
    assert "edit" in written(channel)
    seated, _ = player(engine("ping=1 done=1"))
    with pytest.raises(BotStartError, match=r"no `setboard`, and the old `edit` cannot set up 4k3.*\(PGN\)"):
        seated.ask(view(start="4k3/8/8/8/8/8/8/R3K3 w - - 0 1"), BUDGET)


# ------------------------------------------------------------------------------ what an engine says


@pytest.mark.parametrize("chunk", [0, 1, 7])
@pytest.mark.parametrize(
    ("answer", "move"),
    [
        (b"move e2e4\n", "e2e4"),
        (b"move e2e4\r\n", "e2e4"),
        (b"1. e2e4\n1. ... e7e5\nMy move is : e7e5\n", "e7e5"),
        (b"12. ... e7e8q\n", "e7e8q"),
        (b"# move a2a3 is bad\nmove e7e8Q\n", "e7e8Q"),
        (b"tellics say hello\n\xff\xfe\nmove e1g1\n", "e1g1"),
        (b"move O-O\n", "san O-O"),
        (b"move 0-0-0\n", "san O-O-O"),
        (b"move o-o\n", "san O-O"),
        (b"move Nf3\n", "san Nf3"),
        (b"move e7e8=Q\n", "san e7e8=Q"),
        (b"offer draw\nmove e2e4\n", "e2e4"),
        (b"resign\n", "resign"),
        (b"0-1 {White resigns}\n", "resign"),
        (b"0-1\n", "resign"),
        (b"Error (unknown command): otim\nmove e2e4\n", "e2e4"),
    ],
)
def test_moves_have_many_forms(answer: bytes, move: str, chunk: int) -> None:
    seated, _ = player(engine(move=answer), chunk=chunk)
    assert seated.ask(view(), BUDGET) == move


@pytest.mark.parametrize("claim", [b"1-0 {White mates}", b"1/2-1/2 {Draw by repetition}", b"1/2-1/2"])
def test_a_claim_that_the_rules_do_not_bear_out_is_a_forfeit(claim: bytes) -> None:
    seated, channel = player(engine(move=claim + b"\n"))
    with pytest.raises(BotFault, match="but by the rules the game goes on") as caught:
        seated.ask(view(), BUDGET)
    assert caught.value.kind == "illegal"
    seated.end_game()
    assert not channel.is_closed, "it does not think any more, and can be kept"


def test_a_move_that_was_not_asked_for_is_not_heard() -> None:
    seated, channel = player(engine(move=b"move e2e4\nmove e2e4\nmo"))
    seen = view()
    seated.ask(seen, BUDGET)
    seen.moves += ["e2e4", "e7e5"]
    channel._reply = engine(move=b"ve d2d4\nmove g1f3\n")
    assert seated.ask(seen, BUDGET) == "d2d4"


def test_resigning_after_the_own_move_is_heard() -> None:
    """GNU Chess does."""
    seated, _ = player(engine(move=b"move e2e4\nresign\n"))
    seen = view()
    assert seated.ask(seen, BUDGET) == "e2e4"
    seen.moves += ["e2e4", "e7e5"]
    assert seated.ask(seen, BUDGET) == "resign"


def test_black_resigns_by_its_own_result() -> None:
    seated, _ = player(engine(move=b"1-0 {Black resigns}\n"), seat=1)
    assert seated.ask(view("e2e4"), BUDGET) == "resign"
    seated, _ = player(engine(move=b"0-1 {Black mates}\n"), seat=1)
    with pytest.raises(BotFault, match="claims `0-1"):
        seated.ask(view("e2e4"), BUDGET)


@pytest.mark.parametrize("features", [PLAIN, PLAIN.replace("usermove=1", "usermove=0")])
def test_refusing_a_move_of_the_opening_is_the_engine_s_fault(features: str) -> None:
    seated, channel = player(
        seat=1, hear=engine(features, usermove=b"Illegal move: e2e4\n", e2e4=b"Illegal move: e2e4\n")
    )
    with pytest.raises(BotFault, match="refuses a move that led here: `Illegal move: e2e4`") as caught:
        seated.ask(view("e2e4"), BUDGET)
    assert caught.value.kind == "illegal"
    seated.end_game()
    seated.begin_game(6, 0, 2)
    assert channel.written.count(b"protover") == 1, "it is in step, and kept"


@pytest.mark.parametrize(("kind", "hang_up"), [("timeout", False), ("crash", True)])
def test_falling_silent_while_its_game_is_set_up_is_a_forfeit(kind: str, hang_up: bool) -> None:
    is_mute = False

    def hear(line: bytes) -> bytes:
        nonlocal is_mute
        is_mute = is_mute or line == b"usermove e2e4\n"
        return b"" if is_mute else usual(line)

    usual = engine()
    seated, channel = player(hear, seat=1)
    channel._hang_up = hang_up
    with pytest.raises(BotFault, match="while its game was set up: ") as caught:
        seated.ask(view("e2e4"), BUDGET)
    assert caught.value.kind == kind
    seated.end_game()
    assert channel.is_closed
    channel._reply, channel._hang_up = engine(), False
    seated.begin_game(6, 0, 2)
    assert channel.written.count(b"protover") == 2, "it was started afresh for its next game"


def test_refusing_a_legal_move_is_the_engine_s_fault() -> None:
    seated, channel = player()
    seen = view()
    seated.ask(seen, BUDGET)
    seen.moves += ["e2e4", "e7e5"]
    channel._reply = lambda line: b"Illegal move: e7e5\n" if line.startswith(b"usermove") else b""
    with pytest.raises(BotFault, match="refuses the move of its opponent: `Illegal move: e7e5`") as caught:
        seated.ask(seen, BUDGET)
    assert caught.value.kind == "illegal"


def test_thinking_is_kept_in_the_form_that_everything_reads() -> None:
    thinking = b"  1   12   0   30 e2e4\n 9  -17 240  390414 (Nf6) e2e4 e7e5\n 10. 31 1 5\nposition learned\n"
    seated, _ = player(engine(move=thinking + b"move e2e4\n"))
    seated.ask(view(), BUDGET)
    assert seated.said == b"info depth 10 score cp 31 nodes 5 time 10\n"
    assert all_last_scored([seated.said]) == ("depth 10 score cp 31 nodes 5 time 10",)
    adjudicator = Adjudicator(Adjudication(resign_cp=500, resign_plies=1))
    assert adjudicator.see(0, info_line(b"5 -600 1 2 pv")) is not None
    seated, _ = player()
    seated.ask(view(), BUDGET)
    assert seated.said == b""


@pytest.mark.parametrize(
    ("line", "info"),
    [
        (b"3 +0 0 356 Nc6", b"info depth 3 score cp 0 nodes 356 time 0 pv Nc6\n"),
        (b" 4  100003  12  99\te2e4", b"info depth 4 score mate 3 nodes 99 time 120 pv e2e4\n"),
        (b"4 -100002 12 99", b"info depth 4 score mate -2 nodes 99 time 120\n"),
        (b"4 29990 12 99", b"info depth 4 score cp 29990 nodes 99 time 120\n"),
        (b"4& 12 12 99 e2e4", b"info depth 4 score cp 12 nodes 99 time 120 pv e2e4\n"),
        (b"4 12 12", b""),
        (b"depth 4 12 12 4", b""),
        (b"", b""),
    ],
)
def test_thinking_output_has_many_forms(line: bytes, info: bytes) -> None:
    assert info_line(line) == info


@pytest.mark.parametrize(
    ("line", "command", "complains"),
    [
        (b"Illegal move: sd 4", "sd 4", True),
        (b"Invalid move: sd 4", "sd 4", True),
        (b"Error (unknown command): sd", "sd 4", True),
        (b"error (bad): setboard 8/8", "setboard 8/8", True),
        (b"Illegal move: e2e4", "e7e5", False),
        (b"Illegal move: ", "e7e5", False),
        (b"move e2e4", "e2e4", False),
    ],
)
def test_complaints_are_about_something(line: bytes, command: str, *, complains: bool) -> None:
    assert complains_of(line, command) is complains


@pytest.mark.parametrize("complaint", [b"Illegal move: sd 3", b"Error (unknown command): sd"])
def test_an_engine_that_does_not_know_its_limit_does_not_start(complaint: bytes) -> None:
    seated, _ = player(engine(sd=complaint + b"\n"))
    with pytest.raises(BotStartError, match="`sd 3` was answered"):
        seated.ask(view(), Budget(10**12, depth=3))


# ------------------------------------------------------------------------- starting, getting back in step


def test_an_engine_that_says_no_features_does_not_start() -> None:
    with pytest.raises(BotStartError, match=r"did not answer `protover 2` with `feature … done=1` within 10000 ms"):
        player(engine(""))


def test_features_without_done_are_features() -> None:
    seated, _ = player(engine("ping=1 usermove=1"))
    assert seated.ask(view(), BUDGET) == "e2e4"
    with pytest.raises(BotStartError, match="did not answer"):
        player(engine("ping=1 done=0"))


def test_an_engine_that_sleeps_over_a_line_is_woken() -> None:
    """GNU Chess 6 does now and then: it reads on when there is more to read."""
    waiting = b""

    def hear(line: bytes) -> bytes:
        nonlocal waiting
        if line == b"\n":
            said, waiting = waiting, b""
            return said
        waiting += engine()(line)
        if line.startswith((b"go", b"usermove")):
            said, waiting = waiting, b""
            return said
        return b""

    seated, _ = player(hear)
    assert seated.ask(view(), BUDGET) == "e2e4"


def test_a_late_engine_is_told_to_move_and_kept() -> None:
    seated, channel = player(engine(PLAIN, move=b"", **{"?": b"move a2a3\n"}))
    with pytest.raises(BotFault) as caught:
        seated.ask(view(), BUDGET)
    assert caught.value.kind == "timeout"
    seated.end_game()
    assert not channel.is_closed
    assert "?" in written(channel)
    seated.begin_game(1, 0, 2)


def test_one_that_does_not_move_is_ended() -> None:
    seated, channel = player(engine(move=b""))
    with pytest.raises(BotFault):
        seated.ask(view(), BUDGET)
    seated.end_game()
    assert channel.is_closed
    assert written(channel)[-1] == "?", "it does not listen: no `quit`"
    with pytest.raises(BotFault, match="ended before it was asked"):
        seated.ask(view(), BUDGET)


def test_what_was_said_in_one_game_is_not_heard_in_the_next() -> None:
    seated, channel = player(engine(move=b"move e2e4\n1/2-1/2 {Draw}\n"))
    seated.ask(view(), BUDGET)
    seated.end_game()
    channel._reply = engine(move=b"move d2d4\n")
    seated.begin_game(2, 0, 2)
    assert seated.ask(view(), BUDGET) == "d2d4"


def test_a_view_of_another_form_is_a_bug() -> None:
    with pytest.raises(TypeError, match="protocol speaks moves"):
        player()[0].ask(LinesView("x\n"), BUDGET)


WORDS = [b"move ", b"e2e4", b"\n", b"\r\n", b"1. ... ", b"resign", b"1-0 {", b"9 1 2 3 x\n", b"Illegal move: ", b" "]
ANYTHING = st.lists(st.sampled_from(WORDS) | st.binary(max_size=4), max_size=12).map(b"".join)


@given(ANYTHING, st.integers(0, 5))
def test_anything_is_an_answer_or_a_fault_of_the_engine(answer: bytes, chunk: int) -> None:
    seated, _ = player(engine(move=answer), chunk=chunk)
    try:
        text = seated.ask(view("e2e4"), BUDGET)
    except BotFault as fault:
        assert fault.kind in {"timeout", "crash", "illegal"}  # noqa: PT017 - either is right
    else:
        assert isinstance(text, str)
        assert "\n" not in text
    seated.end_game()


@given(ANYTHING)
def test_lines_are_read_without_raising(data: bytes) -> None:
    for line in data.split(b"\n"):
        find_move(line)
        info_line(line)
        complains_of(line, "e2e4")


@given(ANYTHING, st.integers(0, 5))
def test_a_handshake_of_anything_succeeds_or_is_a_start_error(said: bytes, chunk: int) -> None:
    try:
        player(engine(protover=said, ping=b"pong 1\npong 2\n"), chunk=chunk)
    except BotStartError:
        return
    assert b"feature" in said
