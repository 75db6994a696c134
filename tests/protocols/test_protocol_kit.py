"""The conformance kit for protocols: every protocol of ours passes it, and it catches each way of being wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from time import monotonic_ns
from typing import Any, get_args

import pytest

from harness.config.models import ProtocolName
from harness.errors import BotFault, BotStartError, StarvedFault, StarvedGame
from harness.protocols.base import Budget, Channel, OpenChannel, Player
from harness.protocols.codingame import CodingamePlayer
from harness.protocols.jsonlines import JsonLinesPlayer
from harness.protocols.registry import PROGRAMS
from harness.protocols.start_errors import start_error
from harness.protocols.uci import UciPlayer
from harness.records import BotSpec, FaultKind, LinesView, StateView, View
from harness.testing.protocol_kit import CHECKS, Dialect, check_protocol, growing_moves

Program = Callable[[bytes], bytes]

WORDS = ("UP", "LEFT", "DOWN")
MOVES = ("e2e4", "g1f3", "f1c4")
CELLS = ("7,7", "8,8", "9,9")
POINTS = ("E5", "C3", "G7")


def codingame() -> Program:
    return lambda line: WORDS[int(line)].encode() + b"\n"


def uci() -> Program:
    ply = 0

    def hear(line: bytes) -> bytes:
        nonlocal ply
        if line == b"uci\n":
            return b"id name Kit 1.0\noption name Hash type spin\nuciok\n"
        if line == b"ucinewgame\n":
            ply = 0
        if line == b"isready\n":
            return b"readyok\n"
        if line.startswith(b"position"):
            ply = max(0, len(line.split()) - 3) // 2
        if line.startswith((b"go", b"stop")):
            return b"bestmove " + MOVES[ply].encode() + b"\n"
        return b""

    return hear


def gomocup() -> Program:
    ply = 0

    def hear(line: bytes) -> bytes:
        nonlocal ply
        word = line.split()[0]
        if word == b"ABOUT":
            return b'name="Kit", version="1"\r\n'
        if word in {b"START", b"RESTART"}:
            ply = 0
            return b"OK\r\n"
        if word in {b"BEGIN", b"TURN"}:
            ply += 1
            return CELLS[ply - 1].encode() + b"\r\n"
        return b""

    return hear


def gtp() -> Program:
    ply = 0

    def hear(line: bytes) -> bytes:
        nonlocal ply
        word = line.split()[0]
        if word == b"clear_board":
            ply = 0
        if word == b"list_commands":
            return b"= name\nversion\nboardsize\nclear_board\nkomi\nplay\ngenmove\n\n"
        if word == b"genmove":
            ply += 1
            return b"= " + POINTS[ply - 1].encode() + b"\n\n"
        return b"= \n\n"

    return hear


def xboard() -> Program:
    ply = 0

    def hear(line: bytes) -> bytes:
        nonlocal ply
        word, *_ = line.split() or [b""]  # a blank line is a nudge
        if word == b"protover":
            return b'feature done=0\nfeature ping=1 usermove=1 setboard=1 myname="Kit 1.0"\nfeature done=1\n'
        if word == b"new":
            ply = 0
        if word == b"ping":
            return b"pong " + line.split()[1] + b"\n"
        if word in {b"go", b"usermove", b"?"}:
            ply += 1
            return b"move " + MOVES[min(ply, 3) - 1].encode() + b"\n"
        return b""

    return hear


def json_lines(*, keeps_alive: bool) -> Callable[[], Program]:
    def hear(line: bytes) -> bytes:
        message = json.loads(line)
        answers: dict[str, dict[str, Any]] = {
            "hello": {"type": "hello", "protocol": 1, "name": "Kit", "keeps_alive": keeps_alive},
            "game": {"type": "ready"},
            "turn": {"action": message.get("state", {}).get("word"), "info": {"score_cp": 5}},
        }
        answer = answers.get(message["type"])
        return b"" if answer is None else json.dumps(answer).encode() + b"\n"

    return lambda: hear


def player_of(name: str) -> Callable[[BotSpec, OpenChannel], Player]:
    """Look a protocol up when it is played."""

    def build(spec: BotSpec, open_channel: OpenChannel) -> Player:
        return PROGRAMS[name](spec, open_channel)

    return build


DIALECTS: dict[str, Dialect] = {
    "codingame": Dialect(player_of("codingame"), codingame, lambda ply: LinesView(f"{ply}\n"), WORDS.__getitem__),
    "uci": Dialect(
        player_of("uci"),
        uci,
        growing_moves("startpos", MOVES, ("e7e5", "b8c6", "f8c5")),
        MOVES.__getitem__,
        chatter=b"info depth 3 score cp 20 pv e2e4\n",
        options=(("hash", 16),),
        is_request=lambda line: line.startswith(b"go"),
    ),
    "gomocup": Dialect(
        player_of("gomocup"),
        gomocup,
        growing_moves("15x15", CELLS, ("0,0", "1,1", "2,2"), "free"),
        CELLS.__getitem__,
        is_request=lambda line: line.startswith((b"BEGIN", b"TURN")),
        chatter=b"MESSAGE depth 1-2 ev 5 n 10 pv 7,7\r\n",
    ),
    "gtp": Dialect(
        player_of("gtp"),
        gtp,
        growing_moves("size 9 komi 7.5", POINTS, ("A1", "B1", "C1")),
        POINTS.__getitem__,
        is_request=lambda line: line.startswith(b"genmove"),
        is_open_ended=False,  # an answer ends with an empty line
    ),
    "xboard": Dialect(
        player_of("xboard"),
        xboard,
        growing_moves("startpos", MOVES, ("e7e5", "b8c6", "f8c5")),
        MOVES.__getitem__,
        is_request=lambda line: line.startswith((b"go", b"usermove")),
        chatter=b"9 25 14 4242 e2e4 e7e5\n",
    ),
    "json": Dialect(
        player_of("json"),
        json_lines(keeps_alive=True),
        lambda ply: StateView({"word": WORDS[ply]}),
        WORDS.__getitem__,
        options=(("depth", 3),),
    ),
    "json, a start for each game": Dialect(
        player_of("json"),
        json_lines(keeps_alive=False),
        lambda ply: StateView({"word": WORDS[ply]}),
        WORDS.__getitem__,
    ),
}
"""Every protocol of ours, with a program that speaks it; what stands after a comma is for people. A new one adds its
entry here.
"""

HELD = [name for name in DIALECTS if name.partition(",")[0] in PROGRAMS]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", HELD)
def test_conforms(name: str, check: Callable[[Dialect], None]) -> None:
    check(DIALECTS[name])


def test_no_protocol_is_left_out() -> None:
    left_out = set(PROGRAMS) - {name.partition(",")[0] for name in DIALECTS}
    assert not left_out, f"not held to the kit: {left_out}; add them to DIALECTS in {__file__}"


def test_the_config_knows_the_protocols_that_there_are() -> None:
    assert set(get_args(ProtocolName)) == set(PROGRAMS)


def test_the_whole_kit_is_one_call() -> None:
    check_protocol(DIALECTS["codingame"])


# ------------------------------------------------------------------------------- what it has to catch


class Unnamed(JsonLinesPlayer):
    def __init__(self, spec: BotSpec, open_channel: OpenChannel) -> None:
        super().__init__(spec, open_channel)
        self.identity = "two\nlines"

    def _take_hello(self, hello: dict[str, object]) -> None:
        self.keeps_alive = True


class EarlyStart(CodingamePlayer):
    def __init__(self, spec: BotSpec, open_channel: OpenChannel) -> None:
        super().__init__(spec, open_channel)
        self.start(1)


class OtherSeed(CodingamePlayer):
    def start(self, seed: int) -> None:
        super().start(seed + 1)


class Timeless(CodingamePlayer):
    def ask(self, view: View, budget: Budget) -> str:
        text = super().ask(view, budget)
        self.think_ns = 0
        return text


class NeverCloses(CodingamePlayer):
    def close(self) -> None:
        self._channel = None


class TalksOn(CodingamePlayer):
    """Says goodbye to a program that it has ended already."""

    last: Channel | None = None

    def start(self, seed: int) -> None:
        super().start(seed)
        self.last = self._channel

    def close(self) -> None:
        super().close()
        if self.last is not None:
            self.last.write(b"0\n", 0)


class Unfinished(CodingamePlayer):
    def ask(self, view: View, budget: Budget) -> str:
        assert isinstance(view, LinesView)
        return super().ask(LinesView(view.text.strip()), budget)


class ManyDeadlines(CodingamePlayer):
    """Each read may take as long as a whole ply."""

    def ask(self, view: View, budget: Budget) -> str:
        assert isinstance(view, LinesView)
        assert self._channel
        began_ns = monotonic_ns()
        self._channel.write(view.text.encode(), began_ns + budget.limit_ns)
        data = b""
        while not data.endswith(b"\n"):
            data += self._channel.read(monotonic_ns() + budget.limit_ns)
        self.think_ns = monotonic_ns() - began_ns
        return data.decode().strip()


class WholeReads(CodingamePlayer):
    """Takes what one read gives for the answer."""

    def ask(self, view: View, budget: Budget) -> str:
        assert isinstance(view, LinesView)
        assert self._channel
        began_ns = monotonic_ns()
        text = self._channel.exchange(view.text.encode(), began_ns + budget.limit_ns, began_ns).decode().strip()
        self.think_ns = monotonic_ns() - began_ns
        return text


class KeepsCarriageReturns(CodingamePlayer):
    def ask(self, view: View, budget: Budget) -> str:
        assert isinstance(view, LinesView)
        assert self._channel
        began_ns = monotonic_ns()
        deadline_ns = began_ns + budget.limit_ns
        data = self._channel.exchange(view.text.encode(), deadline_ns, began_ns)
        while not data.endswith(b"\n"):
            data += self._channel.read(deadline_ns)
        self.think_ns = monotonic_ns() - began_ns
        return data.decode()[:-1]


class Keeper(CodingamePlayer):
    """Keeps a program that owes an answer."""

    keeps_alive = True

    def begin_game(self, seed: int, seat: int, n_seats: int) -> None:
        if self._channel is None:
            self.start(seed)

    def ask(self, view: View, budget: Budget) -> str:
        try:
            return super().ask(view, budget)
        except BotFault as fault:
            if fault.kind is not FaultKind.TIMEOUT:
                self.close()
            raise

    def end_game(self) -> None:
        pass


class Strict(CodingamePlayer):
    def ask(self, view: View, budget: Budget) -> str:
        return WORDS[WORDS.index(super().ask(view, budget))]


class Bottomless(CodingamePlayer):
    def start(self, seed: int) -> None:
        super().start(seed)
        assert self._reader
        self._reader._max_bytes = 10**9


class OwnJudge(CodingamePlayer):
    def ask(self, view: View, budget: Budget) -> str:
        try:
            return super().ask(view, budget)
        except StarvedFault as fault:
            raise BotFault(FaultKind.TIMEOUT, fault.detail) from fault


class Overtime(CodingamePlayer):
    def ask(self, view: View, budget: Budget) -> str:
        text = super().ask(view, budget)
        self.think_ns += 1
        return text


class CalledOff(JsonLinesPlayer):
    """Calls a failed handshake a fault."""

    def start(self, seed: int) -> None:
        try:
            super().start(seed)
        except BotStartError as error:
            raise BotFault(FaultKind.CRASH, "no handshake") from error


class Speechless(JsonLinesPlayer):
    def stderr_tail(self) -> str:
        return ""


class BlamesTheBot(JsonLinesPlayer):
    def start(self, seed: int) -> None:
        try:
            super().start(seed)
        except StarvedGame as error:
            raise start_error(self._spec, str(error)) from error


class Stubborn(JsonLinesPlayer):
    """Starts a program again and again."""

    def start(self, seed: int) -> None:
        for _ in range(3):
            try:
                super().start(seed)
            except BotStartError as error:
                last = error
            else:
                return
        raise last


class Careless(JsonLinesPlayer):
    """Takes any view for a state."""

    def ask(self, view: View, budget: Budget) -> str:
        return super().ask(view if isinstance(view, StateView) else StateView({"word": "UP"}), budget)


class Collector(UciPlayer):
    """Keeps all that an engine says."""

    all_said = b""

    def _read_on(self, channel: Channel, data: bytes, deadline_ns: int) -> tuple[bytes, bytes]:
        said, answer = super()._read_on(channel, data, deadline_ns)
        self.all_said = b"info\n" * 100_000
        return said, answer

    def ask(self, view: View, budget: Budget) -> str:
        text = super().ask(view, budget)
        self.said = self.all_said or self.said
        return text


WRONG: list[tuple[str, Any, str]] = [
    ("json", Unnamed, "`identity` is not one line of text"),
    ("codingame", EarlyStart, "a program is started before it is asked for"),
    ("codingame", OtherSeed, "not started with its game's seed"),
    ("codingame", Timeless, "`think_ns` is not the time of the ply"),
    ("codingame", NeverCloses, "a channel is open after `close`"),
    ("codingame", TalksOn, "something was written after `close`"),
    ("codingame", Unfinished, "ply 0 came to BotFault.*no answer in time"),
    ("codingame", ManyDeadlines, "ply 1 was asked with .* deadlines, not one|the deadline of ply 0 is not its limit"),
    ("codingame", WholeReads, "ply 0 came to 'U', not 'UP'"),
    ("codingame", KeepsCarriageReturns, r"ply 0 came to 'UP.r', not 'UP'"),
    ("codingame", Keeper, "ply 0 came to .*, not 'UP'|ply 0 came to BotFault"),
    ("codingame", Strict, "raised ValueError.*no BotFault"),
    ("codingame", Bottomless, "without end"),
    ("codingame", OwnJudge, "a late answer is not what the channel judged it to be"),
    ("codingame", Overtime, "has more than its limit"),
    ("json", CalledOff, "a game's beginning came to BotFault"),
    ("json", Speechless, "has not the end of standard error"),
    ("json", BlamesTheBot, "a start that the machine spoilt is called the bot's fault"),
    ("json", Stubborn, "a fresh program that fails was started 3 times"),
    ("json", Careless, "a LinesView is taken for a StateView"),
    ("uci", Collector, "`said` keeps"),
]


@pytest.mark.parametrize(("name", "kind", "message"), WRONG, ids=[kind.__name__ for _, kind, _ in WRONG])
def test_a_wrong_player_is_caught(name: str, kind: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_protocol(replace(DIALECTS[name], build=kind))
