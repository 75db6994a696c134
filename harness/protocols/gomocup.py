r"""Gomocup: the protocol of piskvork and its relatives, for gomoku. A program that speaks it is called a brain.

Lines to the brain end with CR LF; it may end its own with CR, LF or both. The brain is kept over games: `RESTART` where
it knows that, else it is started anew. The size of the board is known when a game begins, so `START` or `RESTART` is
sent before the first ply of a game, on no clock. One that is late is ended, for the protocol has no way to stop it.
"""

from __future__ import annotations

import re
from time import monotonic_ns

from harness.errors import BotFault, StarvedFault
from harness.protocols.base import NS_PER_MS, Budget, Channel, OpenChannel
from harness.protocols.gomocup_info import info_line
from harness.protocols.lines import recall, shown
from harness.protocols.player import ProgramPlayer
from harness.protocols.start_errors import start_error
from harness.records import BotSpec, FaultKind, Form, MovesView, View

RULES = {"free": 0, "standard": 1, "renju": 4}
"""`INFO rule` by the rules' own word for it."""

UNLIMITED = 2_147_483_647
"""The protocol's word for no limit of time."""

MEMORY_MB = 350
"""What Gomocup lets a brain use. Brains take what they are told as soon as they are told, so it is not our own limit
unless that is less; one that is to have more is told so by its options."""

_PLACE = re.compile(r"[0-9]{1,2}x[0-9]{1,2}")
_SWAP2 = " swap2"
_MEMORY = "max_memory"
_SAID_KEPT = 4096
_LINE = re.compile(rb"[\r\n]*+([^\r\n]++)[\r\n]")
_TALK = re.compile(rb"(?:[\r\n]*+(?:MESSAGE|DEBUG)\b[^\r\n]*+[\r\n])++", re.IGNORECASE)
"""All complete messages at once: a brain may say very much before it moves."""

_COMPLAINTS = (b"UNKNOWN", b"ERROR")
_CHATTER = (b"MESSAGE", b"DEBUG", *_COMPLAINTS)
_NAME = re.compile(r'\bname\s*=\s*"([^"]*)"', re.IGNORECASE)
_VERSION = re.compile(r'\bversion\s*=\s*"([^"]*)"', re.IGNORECASE)

_PLAIN = re.compile(rb"([0-9]{1,2},[0-9]{1,2})\r?\n")
_ANSWERS: dict[bytes, str] = {}
"""Answers that were read before, by all that came: a cell and the end of its line. There are a few hundred."""


class GomocupPlayer(ProgramPlayer):
    """A Gomocup brain in a seat. See `protocols.base.Player` for the calls."""

    form = Form.MOVES
    keeps_alive = True
    in_process = False
    farewell = b"END\r\n"
    rules = ("gomoku",)

    __slots__ = (
        "_budget",
        "_buffer",
        "_channel",
        "_complaint",
        "_is_thinking",
        "_known",
        "_knows_restart",
        "_left",
        "_max_bytes",
        "_open",
        "_place",
        "_seat",
        "_seed",
        "_spec",
        "_turn_ms",
        "_view",
        "identity",
        "said",
        "think_ns",
    )

    def __init__(self, spec: BotSpec, open_channel: OpenChannel) -> None:
        self._spec = spec
        self._open = open_channel
        self._channel: Channel | None = None
        self._max_bytes = spec.limits.answer_kb * 1024
        self._buffer = b""
        self._knows_restart = True
        self._place = ""
        self._seat = self._seed = 0
        self._view: MovesView | None = None
        self._known = 0
        self._budget: Budget | None = None
        self._turn_ms = 0
        self._left = ""
        self._complaint = b""
        self._is_thinking = False
        self.think_ns = 0
        self.said = b""
        self.identity = ""

    # ------------------------------------------------------------------------------- starting, ending

    def start(self, seed: int) -> None:
        """Start the brain, wait until it reads, and ask who it is; what it answers is read with `START`'s OK."""
        self.close()
        self._channel = channel = self._open(self._spec, seed)
        self._buffer = b""
        self._place = ""
        deadline_ns = monotonic_ns() + self._spec.limits.handshake_ms * NS_PER_MS
        try:
            channel.settle(deadline_ns)
            channel.write(b"ABOUT\r\n", deadline_ns)
        except BotFault as fault:
            self._give_up(f"at `ABOUT`: {fault.detail}", fault)
        except BaseException:
            self.close()
            raise

    def begin_game(self, seed: int, seat: int, n_seats: int) -> None:
        """Start the brain if it is not running. The game's first ply tells it of the game. Raises BotStartError."""
        del n_seats
        self._seed, self._seat = seed, seat
        self._view = None
        if self._channel is None:
            self.start(seed)

    def settle(self) -> None:
        """Nothing to wait for: `start` has."""

    def _begin_board(self, view: View, budget: Budget) -> MovesView:
        """Get the brain ready for a new game. Raises BotStartError, StarvedGame."""
        if not isinstance(view, MovesView):
            raise TypeError(f"Gomocup's protocol speaks {Form.MOVES}, got {type(view).__name__}")
        rule = RULES.get(view.variant.removesuffix(_SWAP2))
        if rule is None or not _PLACE.fullmatch(view.start):
            got = f"{view.start!r}, {view.variant!r}"
            raise start_error(
                self._spec, f"its protocol knows boards as 15x15 and the rules {', '.join(RULES)}, not {got}"
            )
        limits = self._spec.limits
        infos = self._infos(rule, budget)
        is_kept = bool(self._place)
        is_restart = is_kept and self._place == view.start
        command = "RESTART" if is_restart else _start_command(view.start)
        limit_ms = limits.game_start_ms if is_kept else limits.handshake_ms
        try:
            self._expect_ok(command, limit_ms, self._left if is_restart else f"{self._memory()}{infos}")
        except BotFault as fault:
            why = f"it did not answer `{command}` with OK within {limit_ms} ms ({fault.detail})"
            if isinstance(fault, StarvedFault) or not is_kept:
                self._give_up(why, fault)
            self._knows_restart = self._knows_restart and not (is_restart and fault.kind is FaultKind.ILLEGAL)
            self._is_thinking = fault.kind is not FaultKind.ILLEGAL
            self.start(self._seed)
            return self._begin_board(view, budget)
        self._place = view.start
        self._view = view
        self._known = 0
        self._turn_ms = _turn_ms(budget)
        self._tell_time(budget)
        assert self._channel
        self._channel.write(infos.encode(), monotonic_ns() + limits.game_start_ms * NS_PER_MS)
        return view

    def _expect_ok(self, command: str, limit_ms: int, before: str) -> None:
        """Send a command and read until OK. Raises BotFault.

        `before` are infos: a brain that heeds them ahead of `START` gets its memory there, on no clock. They are sent
        again after it, for one that heeds them only then.
        """
        assert self._channel
        deadline_ns = monotonic_ns() + limit_ms * NS_PER_MS
        self._channel.write(f"{before}{command}\r\n".encode(), deadline_ns)
        said = b""
        while True:
            try:
                line = self._read_line(deadline_ns)
            except BotFault as fault:
                raise recall(fault, said) from fault.__cause__
            word = line.split(None, 1)[0].upper()
            if not word.startswith(b"NAME"):  # else it is what `ABOUT` asks for
                said = line
            if word == b"OK":
                break
            if word == b"ERROR" or (word == b"UNKNOWN" and command == "RESTART"):  # or it does not know ABOUT
                raise BotFault(FaultKind.ILLEGAL, f"answered {shown(line)}")
            if word not in _CHATTER and not self.identity:
                self.identity = _read_about(line)
        if not self._place:
            self._channel.usage()  # what it used to start is none of a game's

    def _infos(self, rule: int, budget: Budget) -> str:
        """Write what there is to know of the game. What it is worth to the brain is its affair."""
        spec = self._spec
        left_ms = budget.clocks_ms[self._seat] if budget.clocks_ms else None  # before the first ply that is all of it
        infos: dict[str, object] = {
            "timeout_match": left_ms or 0,
            "timeout_turn": _turn_ms(budget),
            "game_type": 1,
            "rule": rule,
            "thread_num": spec.threads,
        }
        if budget.nodes is not None:
            infos["max_node"] = budget.nodes
        if budget.depth is not None:
            infos["max_depth"] = budget.depth
        infos |= {key: int(value) if isinstance(value, bool) else value for key, value in spec.options}
        infos.pop(_MEMORY, None)
        return "".join([f"INFO {key} {value}\r\n" for key, value in infos.items()])

    def _memory(self) -> str:
        usual = min(self._spec.limits.memory_mb, MEMORY_MB) << 20
        return f"INFO {_MEMORY} {dict(self._spec.options).get(_MEMORY, usual)}\r\n"

    def end_game(self) -> None:
        """Keep the brain for the next game; end one that owes an answer, or that cannot begin another."""
        if self._is_thinking or not self._knows_restart:
            self.close()

    # ------------------------------------------------------------------------------------------- plies

    def ask(self, view: View, budget: Budget) -> str:
        """Write the request of one ply, wait for a cell; see `protocols.base.Player`.

        In swap2 the request is `SWAP2BOARD` and the answer a step of it.
        """
        if self._channel is None:
            raise BotFault(FaultKind.CRASH, "ended before it was asked")
        seen = self._view
        if seen is None or view is not seen:
            seen = self._begin_board(view, budget)
        if self._buffer:
            self._pass_over_rest()
        request = self._request(seen, budget).encode()
        self._complaint = self.said = b""
        self._is_thinking = True
        channel = self._channel
        t0_ns = monotonic_ns()
        deadline_ns = t0_ns + budget.limit_ns
        data = channel.exchange(request, deadline_ns, t0_ns)
        answer = _ANSWERS.get(data)
        if answer is None or self._buffer:
            self._buffer += data
            answer = self._read_answer(channel, data, deadline_ns)
        self.think_ns = think_ns = monotonic_ns() - t0_ns
        self._is_thinking = False
        if think_ns > budget.limit_ns:
            self._judge_late(channel, t0_ns, budget, think_ns)
        return answer

    def _request(self, view: MovesView, budget: Budget) -> str:
        """Write what is asked: the opponent's stone if that is all that is new, else the whole board."""
        time = self._left if budget is self._budget else self._tell_time(budget)
        moves = view.moves
        known, self._known = self._known, len(moves) + 1
        if view.variant.endswith(_SWAP2):
            self._known = 0
            opening = "".join([f"{stone}\r\n" for stone in view.line.split()])
            return f"{time}SWAP2BOARD\r\n{opening}DONE\r\n"
        if not moves:
            return f"{time}BEGIN\r\n"
        if len(moves) == known + 1:
            return f"{time}TURN {moves[-1]}\r\n"
        stones = [word for word in view.line.split() if word != "SWAP"]
        mine = 0 if view.first_seat == self._seat else 1
        board = "".join([f"{stone},{1 if number & 1 == mine else 2}\r\n" for number, stone in enumerate(stones)])
        return f"{time}BOARD\r\n{board}DONE\r\n"

    def _tell_time(self, budget: Budget) -> str:
        """Write the time that is left, and the time for a ply if that is not what it was.

        It stands before all that is asked: some brains with two threads miss what comes right after their answer.
        """
        self._budget = budget
        left_ms = budget.clocks_ms[self._seat] if budget.clocks_ms else UNLIMITED
        self._left = f"INFO time_left {left_ms}\r\n"
        turn_ms = _turn_ms(budget)
        if turn_ms == self._turn_ms or budget.clocks_ms:
            return self._left
        self._turn_ms = turn_ms
        return f"INFO timeout_turn {turn_ms}\r\n{self._left}"

    def _read_answer(self, channel: Channel, data: bytes, deadline_ns: int) -> str:
        """Read on until a line is no message. What was said before goes to `said`, bounded.

        UNKNOWN and ERROR are passed over, for they may be about an info: a brain that cannot go on says no more, and
        its time-out says what it had said.
        """
        said = b""
        while True:
            if talk := _TALK.match(self._buffer):
                said = (said + talk[0])[-_SAID_KEPT:]
                self._buffer = self._buffer[talk.end() :]
            try:
                line = self._read_line(deadline_ns)
            except BotFault as fault:
                raise recall(fault, self._complaint) from fault.__cause__
            word = line.split(None, 1)[0].upper()
            if word == b"SUGGEST":
                channel.write(b"PLAY %b\r\n" % line[7:].strip(), deadline_ns)
            elif word not in _CHATTER:
                break
            elif word in _COMPLAINTS:
                self._complaint = line
            said = (said + line + b"\n")[-_SAID_KEPT:]
        if said:
            self.said = info_line(said) + said
        answer = line.decode("utf-8", "backslashreplace")
        if not self._buffer and not said and (plain := _PLAIN.fullmatch(data)):
            _ANSWERS[data] = plain[1].decode()
        return answer

    def _read_line(self, deadline_ns: int) -> bytes:
        """Give the next line that is not blank, without its end. A last line without end counts if the brain is gone.

        Raises BotFault as `Channel.read`, and illegal for a line too long.
        """
        assert self._channel
        while True:
            found = _LINE.match(self._buffer)
            if found is not None:
                self._buffer = self._buffer[found.end() :]
                if line := found[1].strip():
                    return line
                continue
            self._buffer = self._buffer.lstrip(b"\r\n")
            if len(self._buffer) > self._max_bytes:
                raise BotFault(
                    FaultKind.ILLEGAL, f"a line longer than {self._max_bytes} bytes: {shown(self._buffer[:200])}"
                )
            try:
                self._buffer += self._channel.read(deadline_ns)
            except BotFault as fault:
                if fault.kind is not FaultKind.CRASH or not self._buffer.strip():
                    raise
                self._buffer += b"\n"

    def _pass_over_rest(self) -> None:
        """Drop messages that came after the last answer. Raises BotFault for anything else: an answer to nothing."""
        while found := _LINE.match(self._buffer):
            line = found[1].strip()
            if line and line.split(None, 1)[0].upper() not in _CHATTER:
                raise BotFault(FaultKind.ILLEGAL, f"wrote more than it was asked for: {shown(line)}")
            self._buffer = self._buffer[found.end() :]
        self._buffer = self._buffer.lstrip(b"\r\n")


def _start_command(place: str) -> str:
    width, _, height = place.partition("x")
    return f"START {width}" if width == height else f"RECTSTART {width},{height}"


def _turn_ms(budget: Budget) -> int:
    """Give the time for one ply that the brain is told, in milliseconds."""
    if budget.move_ms is not None:
        return budget.move_ms
    limit_ms = budget.limit_ns // NS_PER_MS
    return min(limit_ms, max(budget.clocks_ms)) if budget.clocks_ms else limit_ms


def _read_about(line: bytes) -> str:
    """Read who a brain is: name and version where it says them so, else its line."""
    text = line.decode("utf-8", "replace")
    name = _NAME.search(text)
    if name is None:
        return shown(text)
    version = _VERSION.search(text)
    return shown(f"{name[1]} {version[1] if version else ''}".strip())
