r"""Conformance checks for protocols: what `protocols/base.py` asks of a player. For tests of ours and of users' own.

    def my_program() -> Callable[[bytes], bytes]:     # a program that speaks it well, in memory: a line in, text out
        return lambda line: b"ok\n" if line == b"hello\n" else b"e2e4\n" if line.startswith(b"move") else b""

    def test_my_protocol() -> None:
        check_protocol(Dialect(MyPlayer, my_program, lambda ply: LinesView(f"move {ply}\n"), lambda ply: "e2e4"))

The kit spoils what the program says, in all ways that `Channel` knows, and looks at what the player makes of it. No
process and no clock, so a failed check comes back; `NonConforming` names the check. What only real programs show
(processes left behind, a starved machine) is the channel's business, not the protocol's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic_ns

from harness.errors import BotFault, BotStartError, StarvedFault, StarvedGame
from harness.protocols.base import Budget, OpenChannel, Player
from harness.protocols.scripted import Reply
from harness.records import BotSpec, FaultKind, Form, Limits, LinesView, MovesView, Scalar, StateView, View
from harness.testing.rules_kit import VIEWS, NonConforming
from harness.testing.spoiler import STDERR, Spoiler

BUDGET = Budget(limit_ns=10**12, move_ms=1_000_000)
LATE = Budget(limit_ns=0, move_ms=1)
ANSWER_KB = 8
SAID_MOST = 1 << 16
"""So many bytes of what an engine says before its answer may be kept."""

_OTHER_VIEWS: tuple[View, ...] = (LinesView("1\n"), MovesView("startpos", []), StateView({"seat": 0}))

GARBAGE = (
    b"\n",
    b" \n",
    b"\0\n",
    b"\xff\xfe\xc3\n",
    b"no such answer\n",
    b"{}\n",
    b"[]\n",
    b"null\n",
    b"[" * 5_000 + b"\n",
    b"9" * 5_000 + b"\n",
    b"%s %n {0}\n",
    "\N{GRINNING FACE}\n".encode(),
)
"""What a program may say instead of an answer. A protocol may pass it on as an action, or say that it is none."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A protocol with a program that speaks it well.

    `program` makes a program in memory: it is called with each line that it is sent, newline included, and gives what
    it says to it. `view(ply)` is what a seat is shown at its ply of a game, counted from 0, at which a new game begins
    (`growing_moves` for protocols that want one list that grows); `action(ply)` is what the program plays then.

    `is_request` tells the lines that ask for an action from others that are written in the same breath (setting up a
    board): only what the program says to the former is spoilt. `chatter` is what it may say before an answer, if the
    protocol has that. `options` go into the spec. `is_open_ended`: a last line cut off by the program's end counts.
    """

    build: Callable[[BotSpec, OpenChannel], Player]
    program: Callable[[], Reply]
    view: Callable[[int], View]
    action: Callable[[int], str]
    is_request: Callable[[bytes], bool] = bool
    chatter: bytes = b""
    options: tuple[tuple[str, Scalar], ...] = ()
    is_open_ended: bool = True
    n_plies: int = 3


def growing_moves(
    start: str, actions: Sequence[str], replies: Sequence[str], variant: str = ""
) -> Callable[[int], MovesView]:
    """Give the views of the first seat of a game whose list of moves grows: its actions and an opponent's replies."""
    view = MovesView(start, [], 0, variant)

    def at(ply: int) -> MovesView:
        nonlocal view
        if ply == 0:
            view = MovesView(start, [], 0, variant)
        while len(view.moves) < 2 * ply:
            made = len(view.moves)
            move = (replies if made % 2 else actions)[made // 2]
            view.moves.append(move)
            view.line += f" {move}"
        return view

    return at


@dataclass(slots=True)
class Case:
    """One player on channels that can be spoilt."""

    dialect: Dialect
    prepare: Callable[[Spoiler], None] | None = None
    """Spoils each channel as it is opened."""

    channels: list[Spoiler] = field(default_factory=list)
    check: str = ""
    seed: int = 100
    player: Player = field(init=False)

    def __post_init__(self) -> None:
        spec = BotSpec(
            "kit", "kit", ("program",), options=self.dialect.options, limits=Limits(answer_kb=ANSWER_KB, quit_ms=0)
        )
        self.player = self.dialect.build(spec, self._open)

    def _open(self, spec: BotSpec, seed: int) -> Spoiler:
        del spec
        channel = Spoiler(self.dialect.program(), seed, self.dialect.is_request)
        if self.prepare is not None:
            self.prepare(channel)
        self.channels.append(channel)
        return channel

    @property
    def channel(self) -> Spoiler:
        """Give the channel opened last."""
        return self.channels[-1]

    def need(self, condition: object, what: str) -> None:
        """Raise NonConforming with `what` unless the condition holds."""
        if not condition:
            raise NonConforming(f"{type(self.player).__name__}: {what}")

    def begin(self) -> None:
        """Begin a game with a seed of its own."""
        self.seed += 1
        try:
            self.player.begin_game(self.seed, 0, 2)
            self.player.settle()
        except BotFault as fault:
            raise NonConforming(f"{type(self.player).__name__}: a game's beginning came to {fault!r}") from fault

    def ask(self, ply: int, budget: Budget = BUDGET) -> str:
        """Ask for a ply."""
        view = self.dialect.view(ply)
        return self.channel.ask(lambda: self.player.ask(view, budget))

    def play(self, n_plies: int | None = None) -> None:
        """Play plies of a begun game, each of which must come to the program's action."""
        for ply in range(self.dialect.n_plies if n_plies is None else n_plies):
            try:
                got = self.ask(ply)
            except BotFault as fault:
                raise NonConforming(f"{type(self.player).__name__}: ply {ply} came to {fault!r}") from fault
            self.need(got == self.dialect.action(ply), f"ply {ply} came to {got!r}, not {self.dialect.action(ply)!r}")

    def fault(self, ply: int, budget: Budget = BUDGET) -> BotFault:
        """Ask for a ply that must come to a fault."""
        try:
            got = self.ask(ply, budget)
        except BotFault as fault:
            self.need(fault.kind in tuple(FaultKind), f"a fault of kind {fault.kind!r}")
            line = fault.detail
            self.need(line and line.isprintable(), f"a fault's detail is not one line of text: {line!r}")
            return fault
        raise NonConforming(f"{type(self.player).__name__}: ply {ply} came to {got!r}, not to a fault")

    def next_game(self) -> None:
        """End the game, and play another whole one with a program that is well again."""
        self.player.end_game()
        for channel in self.channels:
            channel.is_mute = channel.goes = channel.goes_after_answer = False
            channel.spoil, channel.endless, channel.fault = None, b"", None
        self.prepare = None
        self.begin()
        self.play()
        self.player.end_game()

    def close(self) -> None:
        """End the player, twice, and see that nothing of it is left open."""
        self.player.close()
        self.player.close()
        self.need(all(channel.is_closed for channel in self.channels), "a channel is open after `close`")


def check_protocol(dialect: Dialect) -> None:
    """Run every check. Raises NonConforming at the first that fails."""
    for check in CHECKS:
        check(dialect)


# ------------------------------------------------------------------------------------------- the checks


def check_shape(dialect: Dialect) -> None:
    """A player says what it is, and can be asked of its bot and closed before it has one."""
    case = Case(dialect)
    player = case.player
    case.need(player.form in tuple(Form), f"an unknown form: {player.form!r}")
    case.need(isinstance(dialect.view(0), VIEWS[player.form]), f"`view` of the test is not of the form {player.form}")
    case.need(player.in_process is False, "a program's player says that it is in-process")
    case.need(isinstance(player.keeps_alive, bool), "`keeps_alive` is neither true nor false")
    case.need(not case.channels, "a program is started before it is asked for")
    player.usage()
    case.need(isinstance(player.cpu_ns(), int), "`cpu_ns` is no whole number")
    case.need(isinstance(player.stderr_tail(), str), "`stderr_tail` is no text")
    player.end_game()
    case.close()


def check_games(dialect: Dialect) -> None:
    """Whole games go through, in one start or in one each, with the game's seed, and the answers as they were said."""
    case = Case(dialect)
    for game in range(3):
        n_before = len(case.channels)
        case.begin()
        n_new = len(case.channels) - n_before
        is_kept = game > 0 and case.player.keeps_alive
        case.need(n_new == (0 if is_kept else 1), f"game {game} started {n_new} programs")
        if n_new:
            case.need(case.channel.seed == case.seed, "a program was not started with its game's seed")
        case.play()
        case.need(case.player.think_ns > 0, "`think_ns` is not the time of the ply")
        case.need(isinstance(case.player.said, bytes), "`said` is no bytes")
        case.need(case.player.identity.isprintable(), "`identity` is not one line of text")
        case.player.end_game()
    case.close()
    for channel in case.channels:
        case.need(channel.written.endswith(b"\n"), f"what was written does not end with a newline: {channel.written!r}")
        written = channel.written
        case.player.close()
        case.need(channel.written == written, "something was written after `close`")


def check_deadline(dialect: Dialect) -> None:
    """A ply has one deadline, its limit after the request, however many pieces the answer comes in."""
    case = Case(dialect)
    case.begin()
    case.channel.cut(1)
    for ply in range(dialect.n_plies):
        before_ns = monotonic_ns()
        case.ask(ply)
        after_ns = monotonic_ns()
        found = list(dict.fromkeys(case.channel.deadlines))
        is_set_up = ply == 0  # a board may be set up first, on no clock
        case.need(is_set_up or len(found) == 1, f"ply {ply} was asked with {len(found)} deadlines, not one")
        asked_ns = found[-1] - BUDGET.limit_ns
        case.need(before_ns <= asked_ns <= after_ns, f"the deadline of ply {ply} is not its limit after the request")
    case.close()


def check_pieces(dialect: Dialect) -> None:
    """Answers in single bytes, with CRLF, or cut off without a newline by the program's end are answers."""

    def bytewise(channel: Spoiler) -> None:
        channel.cut(1)

    for prepare in (bytewise, Spoiler.use_crlf):
        case = Case(dialect, prepare)
        case.begin()
        case.play()
        case.player.end_game()
        case.close()
    if not dialect.is_open_ended:
        return
    case = Case(dialect)
    case.begin()
    last = dialect.n_plies - 1
    case.play(last)
    case.channel.spoil = lambda said: said.rstrip(b"\n")
    case.channel.goes_after_answer = True
    got = case.ask(last)
    case.need(got == dialect.action(last), f"a last line without newline came to {got!r}")
    case.next_game()
    case.close()


def check_silence(dialect: Dialect) -> None:
    """No answer is a time-out; what comes of it later is never taken for another game's."""
    for ply in range(dialect.n_plies):
        case = Case(dialect)
        case.begin()
        case.play(ply)
        case.channel.is_mute = True
        kind = case.fault(ply).kind
        case.need(kind is FaultKind.TIMEOUT, f"silence is {kind}, not a time-out")
        case.channel.is_mute = False  # what it owes comes now
        case.next_game()
        case.close()


def check_crash(dialect: Dialect) -> None:
    """A program that goes instead of answering has crashed, and its next game is played by a fresh one."""
    for ply in range(dialect.n_plies):
        case = Case(dialect)
        case.begin()
        case.play(ply)
        case.channel.goes = True
        kind = case.fault(ply).kind
        case.need(kind is FaultKind.CRASH, f"a program that is gone is {kind}, not a crash")
        case.next_game()
        case.need(len(case.channels) == 2, f"after a crash {len(case.channels) - 1} programs were started")
        case.close()


def check_garbage(dialect: Dialect) -> None:
    """Nonsense is passed on or is a fault, never an error of another kind; the next game is as if nothing had been."""
    for junk in GARBAGE:
        case = Case(dialect)
        case.begin()
        case.play(1)
        case.channel.spoil = _instead(junk)
        try:
            got: object = case.ask(1)
        except BotFault as fault:
            case.need(fault.kind is not FaultKind.CRASH, f"{junk[:20]!r} is called a crash")
            case.need(len(fault.detail) < 1_000, f"the fault of {junk[:20]!r} quotes {len(fault.detail)} characters")
        except Exception as error:
            raise NonConforming(f"{type(case.player).__name__}: {junk[:20]!r} raised {error!r}, no BotFault") from error
        else:
            case.need(isinstance(got, str), f"{junk[:20]!r} came to {got!r}, which is no text")
        case.next_game()
        case.close()


def _instead(junk: bytes) -> Callable[[bytes], bytes]:
    return lambda said: junk if said else b""


def check_flood(dialect: Dialect) -> None:
    """A line without end is the program's fault, found after about as much as one answer may have."""
    case = Case(dialect)
    case.begin()
    case.channel.endless = b"x" * 1_000
    case.channel.n_read = 0
    fault = case.fault(0)
    case.need(fault.kind is FaultKind.ILLEGAL, f"a line without end is {fault.kind}, not illegal")
    most = 2 * ANSWER_KB * 1024
    case.need(case.channel.n_read <= most, f"{case.channel.n_read} bytes were read of a line that may have {most // 2}")
    case.need(len(fault.detail) < 1_000, "the fault quotes the whole line")
    case.next_game()
    case.close()


def check_chatter(dialect: Dialect) -> None:
    """What a program says before its answer does not grow on the player."""
    if not dialect.chatter:
        return
    case = Case(dialect)
    case.begin()
    case.channel.cut(4_096)
    case.channel.spoil = lambda said: dialect.chatter * (1_000_000 // len(dialect.chatter)) + said
    got = case.ask(0)
    case.need(got == dialect.action(0), f"after much chatter ply 0 came to {got!r}")
    case.need(len(case.player.said) <= SAID_MOST, f"`said` keeps {len(case.player.said)} bytes")
    case.next_game()
    case.close()


def check_late(dialect: Dialect) -> None:
    """An answer past its limit is what the channel judges it to be; the machine's fault passes through as it is."""
    for judgement in (
        BotFault(FaultKind.TIMEOUT, "judged late"),
        StarvedFault(FaultKind.TIMEOUT, "the machine was busy", 5.0),
    ):
        case = Case(dialect)
        case.begin()
        case.channel.judgement = judgement
        case.need(case.fault(0, LATE) is judgement, "a late answer is not what the channel judged it to be")
        case.next_game()
        case.close()
    case = Case(dialect)
    case.begin()
    got = case.ask(0, LATE)
    case.need(got == dialect.action(0), f"an answer that was late for others' sake came to {got!r}")
    case.need(case.channel.n_judged == 1, f"a late answer was judged {case.channel.n_judged} times")
    case.need(case.player.think_ns == LATE.limit_ns, "an answer that counts as in time has more than its limit")
    case.close()
    case = Case(dialect)
    case.begin()
    case.channel.fault = StarvedFault(FaultKind.TIMEOUT, "nothing came, the machine was busy", 5.0)
    case.need(isinstance(case.fault(0), StarvedFault), "a starved program's silence is called its own fault")
    case.next_game()
    case.close()


def check_start(dialect: Dialect) -> None:
    """A program that fails its handshake does not start; without a handshake, its first ply is the fault."""

    def mute(channel: Spoiler) -> None:
        channel.start_fault = BotFault(FaultKind.TIMEOUT, "no answer in time")

    def gone(channel: Spoiler) -> None:
        channel.start_fault = BotFault(FaultKind.CRASH, "ended: exit code 3")

    def starved(channel: Spoiler) -> None:
        channel.start_fault = StarvedFault(FaultKind.TIMEOUT, "the machine was busy", 5.0)

    for prepare, kind in ((mute, FaultKind.TIMEOUT), (gone, FaultKind.CRASH), (starved, FaultKind.TIMEOUT)):
        case = Case(dialect, prepare)
        try:
            case.begin()
            fault = case.fault(0)
        except BotStartError as error:
            case.need(prepare is not starved, "a start that the machine spoilt is called the bot's fault")
            case.need("'kit'" in error.what, f"the error of a failed start does not name the bot: {error.what}")
            case.need(STDERR in str(error), "the error of a failed start has not the end of standard error")
            case.need(error.next_step, "the error of a failed start says no next step")
        except StarvedGame:
            case.need(prepare is starved, "a failed start is called the machine's fault")
        else:
            case.need(fault.kind is kind, f"the first ply of a program that is {prepare.__name__} is {fault.kind}")
            case.close()
            continue
        case.need(len(case.channels) == 1, f"a fresh program that fails was started {len(case.channels)} times")
        case.need(case.channel.is_closed, "the program of a failed start is left open")
        case.close()


def check_refusal(dialect: Dialect) -> None:
    """A program that the system does not start is reported as it is."""
    error = BotStartError("bot 'kit' does not start")

    def refuse(channel: Spoiler) -> None:
        del channel
        raise error

    case = Case(dialect, refuse)
    try:
        case.begin()
    except BotStartError as raised:
        case.need(raised is error, "the error of a start is not passed on")
    else:
        case.need(False, "the error of a start is swallowed")
    case.close()


def check_kept(dialect: Dialect) -> None:
    """A kept program that fails between two games is started afresh once, and only once."""
    case = Case(dialect)
    case.begin()
    case.play()
    case.player.end_game()
    if not case.player.keeps_alive:
        case.close()
        return
    case.channel.is_gone = True
    case.begin()
    case.play()
    case.need(len(case.channels) == 2, f"a kept program that has gone was started {len(case.channels) - 1} times")
    case.need(case.channels[0].is_closed, "the program that has gone is left open")
    case.player.end_game()
    case.channel.is_gone = True

    def gone(channel: Spoiler) -> None:
        channel.is_gone = True

    case.prepare = gone
    try:
        case.begin()
        case.ask(0)
    except BotStartError:
        case.need(len(case.channels) == 3, f"a kept program was started afresh {len(case.channels) - 2} times")
    else:
        case.need(False, "a program that cannot be started again is taken for started")
    case.close()


def check_view(dialect: Dialect) -> None:
    """A view of another form is a bug of ours, and said to be: TypeError."""
    for view in _OTHER_VIEWS:
        if isinstance(view, type(dialect.view(0))):
            continue
        case = Case(dialect)
        case.begin()
        try:
            case.player.ask(view, BUDGET)
        except TypeError:
            pass
        else:
            case.need(False, f"a {type(view).__name__} is taken for a {type(dialect.view(0)).__name__}")
        case.close()


CHECKS: tuple[Callable[[Dialect], None], ...] = (
    check_shape,
    check_games,
    check_deadline,
    check_pieces,
    check_silence,
    check_crash,
    check_garbage,
    check_flood,
    check_chatter,
    check_late,
    check_start,
    check_refusal,
    check_kept,
    check_view,
)
