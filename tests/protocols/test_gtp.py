"""The GTP player against scripts: what it says and when, answers of every form, and what an engine may do wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import BotFault, BotStartError
from harness.protocols.base import Budget
from harness.protocols.gtp import GtpPlayer
from harness.protocols.scripted import ScriptedChannel
from harness.records import BotSpec, LinesView, MovesView, Scalar

KNOWN = [
    *("name", "version", "list_commands", "boardsize", "clear_board", "komi", "play", "genmove"),
    *("time_settings", "time_left", "level", "quit"),
]
BUDGET = Budget(limit_ns=10**12)
Answers = dict[str, bytes]


def engine(known: list[str] = KNOWN, **answers: bytes) -> Callable[[bytes], bytes]:
    """Give an engine that does all it is told; `answers` by command replace what it says."""

    def hear(line: bytes) -> bytes:
        words = line.decode().split()
        if words[0] in answers:
            return answers[words[0]]
        said = {"name": "Scripted Go", "version": "1.0", "list_commands": "\n".join(known), "genmove": "D4"}
        return f"= {said.get(words[0], '')}\n\n".encode()

    return hear


def player(
    hear: Callable[[bytes], bytes] | None = None, *, options: tuple[tuple[str, Scalar], ...] = (), chunk: int = 0
) -> tuple[GtpPlayer, ScriptedChannel]:
    channel = ScriptedChannel(hear or engine(), chunk=chunk)
    seated = GtpPlayer(BotSpec("engine", "gtp", ("engine",), options=options), channel.open)
    seated.begin_game(5, 0, 2)
    return seated, channel


def view(*moves: str, start: str = "size 9 komi 7.5", first_seat: int = 0, variant: str = "") -> MovesView:
    return MovesView(start, list(moves), first_seat, variant)


def written(channel: ScriptedChannel, before: int = 0) -> list[str]:
    return channel.written[before:].decode().splitlines()


# ------------------------------------------------------------------------------------ what it says


def test_handshake_and_board_go_out_in_order() -> None:
    seated, channel = player(options=(("level", 5), ("commands", "komi 3; level 2 ;")))
    assert seated.identity == "Scripted Go 1.0"
    assert written(channel) == ["name", "version", "list_commands", "clear_board"]
    assert seated.ask(view("E5"), BUDGET) == "D4"
    assert written(channel)[4:] == [
        "boardsize 9",
        "clear_board",
        "komi 7.5",
        "level 5",
        "komi 3",
        "level 2",
        "play b E5",
        "genmove w",
    ]


def test_only_what_is_new_is_played() -> None:
    seated, channel = player()
    seen = view()
    assert seated.ask(seen, BUDGET) == "D4"
    seen.moves += ["D4", "C3"]
    before = len(channel.written)
    assert seated.ask(seen, BUDGET) == "D4"
    assert written(channel, before) == ["play w C3", "genmove b"]


@pytest.mark.parametrize("knows_handicap", [True, False])
def test_handicap_stones_are_black_and_white_begins(knows_handicap: bool) -> None:
    known = [*KNOWN, "set_free_handicap"] if knows_handicap else KNOWN
    seated, channel = player(engine(known))
    seated.ask(view("E5", "G5", start="size 9 komi 0.5 handicap C3 G7", first_seat=1), BUDGET)
    stones = ["set_free_handicap C3 G7"] if knows_handicap else ["play b C3", "play b G7"]
    assert written(channel)[6:] == ["komi 0.5", *stones, "play w E5", "play b G5", "genmove w"]


@pytest.mark.parametrize(
    ("budget", "commands"),
    [
        (Budget(1, move_ms=5000), ["time_settings 0 5 1"]),
        (Budget(1, move_ms=200), ["time_settings 0 1 1"]),
        (Budget(1, clocks_ms=(61_500, 900)), ["time_settings 61 0 0", "time_left b 61 0"]),
        (Budget(1), []),
    ],
    ids=["a ply", "less than a second", "game time", "none"],
)
def test_time_is_said_in_whole_seconds(budget: Budget, commands: list[str]) -> None:
    seated, channel = player()
    budget.limit_ns = 10**12
    seated.ask(view(), budget)
    assert written(channel)[7:] == [*commands, "genmove b"]


def test_game_time_is_set_once_and_said_before_every_move() -> None:
    seated, channel = player()
    seen = view()
    seated.ask(seen, Budget(10**12, clocks_ms=(60_000, 60_000)))
    seen.moves += ["D4", "C3"]
    before = len(channel.written)
    seated.ask(seen, Budget(10**12, clocks_ms=(58_900, 60_000)))
    assert written(channel, before) == ["play w C3", "time_left b 58 0", "genmove b"]


def test_an_engine_without_time_commands_is_told_none() -> None:
    seated, channel = player(engine([name for name in KNOWN if not name.startswith("time")]))
    seated.ask(view(), Budget(10**12, move_ms=5000))
    assert not any("time" in line for line in written(channel))


@pytest.mark.parametrize("knows", [True, False])
def test_the_cleanup_has_a_command_of_its_own(knows: bool) -> None:
    name = "kgs-genmove_cleanup"
    seated, channel = player(engine([*KNOWN, name] if knows else KNOWN, **{name: b"= PASS\n\n"}))
    assert seated.ask(view("pass", "pass", variant="cleanup"), BUDGET) == ("PASS" if knows else "D4")
    assert written(channel)[-1] == (f"{name} b" if knows else "genmove b")


def test_a_seed_is_said_where_there_is_a_command_for_it() -> None:
    _, channel = player(engine([*KNOWN, "set_random_seed"]))
    assert written(channel)[3:] == ["clear_board", "set_random_seed 5"]


def test_an_engine_that_lists_nothing_is_asked_one_by_one() -> None:
    def hear(line: bytes) -> bytes:
        words = line.decode().split()
        if words[0] == "list_commands":
            return b"? unknown command\n\n"
        if words[0] == "known_command":
            return b"= true\n\n" if words[1] in KNOWN else b"= false\n\n"
        return engine()(line)

    seated, channel = player(hear)
    assert seated.ask(view(), Budget(10**12, move_ms=2000)) == "D4"
    assert "known_command genmove" in written(channel)
    assert "time_settings 0 2 1" in written(channel)


def test_a_kept_engine_gets_a_board_for_each_game() -> None:
    seated, channel = player()
    seated.ask(view(), BUDGET)
    seated.end_game()
    before = len(channel.written)
    seated.begin_game(6, 1, 2)
    seated.ask(view("E5", start="size 13 komi 5.5"), BUDGET)
    assert written(channel, before) == [
        "clear_board",
        "boardsize 13",
        "clear_board",
        "komi 5.5",
        "play b E5",
        "genmove w",
    ]
    seated.close()
    assert written(channel)[-1] == "quit"


# --------------------------------------------------------------------------- what an engine answers


@pytest.mark.parametrize("chunk", [0, 1, 3])
@pytest.mark.parametrize(
    "answer",
    [
        b"= D4\n\n",
        b"=D4\n\n",
        b"=1 D4\n\n",
        b"=12 D4\r\n\r\n",
        b"=   D4  \n\n",
        b"# thinking\nnoise\n\n= D4\n\n",
        b"= D4\n \n",
    ],
)
def test_answers_have_many_forms(answer: bytes, chunk: int) -> None:
    seated, _ = player(engine(genmove=answer), chunk=chunk)
    assert seated.ask(view(), BUDGET) == "D4"


def test_an_error_to_genmove_is_the_engine_s_fault() -> None:
    seated, _ = player(engine(genmove=b"? no idea\n\n"))
    with pytest.raises(BotFault, match=r"`genmove b` was answered `\? no idea`") as caught:
        seated.ask(view(), BUDGET)
    assert caught.value.kind == "illegal"
    seated.end_game()
    seated.begin_game(1, 0, 2)


@pytest.mark.parametrize(("answer", "said"), [(b"D4\n", "D4"), (b"= D4\n", "= D4"), (b"", "")])
def test_what_is_no_answer_is_told_when_time_is_up(answer: bytes, said: str) -> None:
    seated, _ = player(engine(genmove=answer))
    with pytest.raises(BotFault) as caught:
        seated.ask(view(), BUDGET)
    assert caught.value.kind == "timeout"
    assert caught.value.detail == "no answer in time" + (f"; it had said {said}" if said else "")


def test_refusing_a_legal_move_is_the_engine_s_fault() -> None:
    seated, _ = player()
    seen = view()
    seated.ask(seen, BUDGET)
    seen.moves += ["D4", "C3"]
    seated._channel._reply = engine(play=b"? illegal move\n\n")  # type: ignore[union-attr]
    with pytest.raises(BotFault, match=r"refuses the move of its opponent: `play w C3`, `\? illegal move`") as caught:
        seated.ask(seen, BUDGET)
    assert caught.value.kind == "illegal"


def test_an_answer_that_was_not_asked_for_is_refused() -> None:
    seated, channel = player(engine(genmove=b"= D4\n\n= E5\n\n"))
    seen = view()
    assert seated.ask(seen, BUDGET) == "D4"
    seen.moves += ["D4", "C3"]
    with pytest.raises(BotFault, match="wrote more than it was asked for: = E5"):
        seated.ask(seen, BUDGET)
    seated.end_game()
    assert channel.is_closed, "no answer of its is to be trusted any more"


def test_a_late_engine_that_answers_after_all_is_kept() -> None:
    seated, channel = player(engine(genmove=b""))
    with pytest.raises(BotFault) as caught:
        seated.ask(view(), BUDGET)
    assert caught.value.kind == "timeout"
    channel._waiting += b"= D4\n\n"
    seated.end_game()
    assert not channel.is_closed
    channel._reply = engine()
    seated.begin_game(1, 0, 2)
    assert seated.ask(view(), BUDGET) == "D4"


def test_a_silent_engine_is_ended() -> None:
    seated, channel = player(engine(genmove=b""))
    with pytest.raises(BotFault):
        seated.ask(view(), BUDGET)
    seated.end_game()
    assert channel.is_closed
    assert written(channel)[-1] == "genmove b", "it does not listen: no `quit`"
    with pytest.raises(BotFault, match="ended before it was asked"):
        seated.ask(view(), BUDGET)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"boardsize": b"? unacceptable size\n\n"}, r"`boardsize 9` was answered `\? unacceptable size`"),
        ({"komi": b"? no\n\n"}, r"`komi 7.5` was answered"),
    ],
)
def test_an_engine_that_cannot_set_up_the_map_does_not_start(answers: Answers, message: str) -> None:
    seated, _ = player(engine(KNOWN, **answers))
    with pytest.raises(BotStartError, match=message):
        seated.ask(view("E5"), BUDGET)


def test_refusing_a_move_of_the_opening_is_the_engine_s_fault() -> None:
    seated, _ = player(engine(play=b"? illegal move\n\n"))
    with pytest.raises(BotFault, match=r"refuses a move that led here: `play b E5`, `\? illegal move`") as caught:
        seated.ask(view("E5"), BUDGET)
    assert caught.value.kind == "illegal"


@pytest.mark.parametrize(("answer", "hang_up"), [("timeout", False), ("crash", True)])
def test_falling_silent_while_its_game_is_set_up_is_a_forfeit(answer: str, hang_up: bool) -> None:
    seated, channel = player(engine(play=b""))
    channel._hang_up = hang_up
    with pytest.raises(BotFault, match="while its game was set up: ") as caught:
        seated.ask(view("E5"), BUDGET)
    assert caught.value.kind == answer
    seated.end_game()
    assert channel.is_closed
    channel._reply, channel._hang_up = engine(), False
    seated.begin_game(1, 0, 2)
    assert seated.ask(view("E5"), BUDGET) == "D4", "it was started afresh for its next game"


def test_what_is_missing_is_named() -> None:
    with pytest.raises(BotStartError, match="it does not know komi, genmove"):
        player(engine(["boardsize", "clear_board", "play", "name"]))
    with pytest.raises(BotStartError, match=r"no command 'levle' for that option.*nearest: 'level'"):
        player(options=(("levle", 3),))
    with pytest.raises(BotStartError, match=r"did not answer `name`.*an answer is `= text` and an empty line"):
        player(lambda line: b"= one line\n")
    with pytest.raises(BotStartError, match=r"`clear_board` was answered `\? no`"):
        player(engine(clear_board=b"? no\n\n"))


def test_gtp_is_for_go() -> None:
    seated, _ = player()
    with pytest.raises(BotStartError, match="GTP is for Go"):
        seated.ask(MovesView("startpos", []), BUDGET)
    with pytest.raises(TypeError, match="GTP speaks moves"):
        player()[0].ask(LinesView("x\n"), BUDGET)


WORDS = [b"=", b"?", b"= D4", b"\n", b"\r\n", b"\n\n", b"=1 ", b"#", b" ", b"= \n\n"]
ANYTHING = st.lists(st.sampled_from(WORDS) | st.binary(max_size=4), max_size=12).map(b"".join)


@given(ANYTHING, st.integers(0, 5))
def test_anything_is_an_answer_or_a_fault_of_the_engine(answer: bytes, chunk: int) -> None:
    seated, channel = player(engine(genmove=answer), chunk=chunk)
    try:
        text = seated.ask(view(), BUDGET)
    except BotFault as fault:
        assert fault.kind in {"timeout", "crash", "illegal"}  # noqa: PT017 - either is right
    else:
        assert isinstance(text, str)
    seated.end_game()
    if not channel.is_closed:
        assert seated._n_owed == 0
