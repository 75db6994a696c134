"""UCI: the Universal Chess Interface, for chess and its relatives.

One write (`position` and `go` together) and, from an engine that answers at once, one read a ply. The engine is
kept over games: `ucinewgame`, `isready` at game start only. After a time-out it is told `stop` and waited for,
bounded, until it is in step again; one that does not come back is ended and started afresh.
"""

from __future__ import annotations

import difflib
import re
from time import monotonic_ns
from typing import TYPE_CHECKING

from harness.compiled import best
from harness.errors import BotFault, StarvedFault, StarvedGame
from harness.protocols.base import NS_PER_MS, Budget, Channel, OpenChannel
from harness.protocols.lines import LineReader, recall, shown
from harness.protocols.player import ProgramPlayer
from harness.protocols.ply import UciAsk
from harness.protocols.start_errors import start_error
from harness.protocols.uci_info import last_scored
from harness.records import BotSpec, FaultKind, Form, MovesView, Scalar, View

if TYPE_CHECKING:
    Ask = UciAsk
else:
    Ask = best(UciAsk)

_NEWLINE = 10
_SAID_KEPT = 4096
"""Of what an engine says before its move, so much is kept as it is; of more than that, the line that matters."""

_MOVE_BYTES = 8
_MOVES_KEPT = 4096
_MOVES: dict[bytes, str] = {}
"""Moves that were read before, by what follows `bestmove `: the same few hundred come again and again."""

_BARE_MOVE = re.compile(rb"^bestmove\r?\n", re.MULTILINE)


class UciPlayer(Ask, ProgramPlayer):
    """A UCI engine in a seat. `open_channel` starts it; see `protocols.base.Player` for the calls."""

    form = Form.MOVES
    rules = ("chess",)
    keeps_alive = True
    in_process = False
    farewell = b"quit\n"

    __slots__ = ("_is_chess960", "_known", "_max_bytes", "_open", "_spec", "identity")

    def __init__(self, spec: BotSpec, open_channel: OpenChannel) -> None:
        self._spec = spec
        self._open = open_channel
        self._channel = None
        self._max_bytes = spec.limits.answer_kb * 1024
        self._known: dict[str, str] = {}
        self._is_chess960 = False
        self._view = None
        self._position = ""
        self._go = ""
        self._go_budget = None
        self._is_thinking = False
        self.think_ns = 0
        self.said = b""
        self.identity = ""

    # ------------------------------------------------------------------------------- starting, ending

    def start(self, seed: int) -> None:
        """Start the engine: `uci`, its options, `isready`. Raises BotStartError, StarvedGame."""
        limits = self._spec.limits
        self._channel = channel = self._open(self._spec, seed)
        reader = LineReader(channel, self._max_bytes)
        step = "answer `uci` with `uciok`"
        try:
            deadline_ns = monotonic_ns() + limits.handshake_ms * NS_PER_MS
            channel.write(b"uci\n", deadline_ns)
            known: dict[str, str] = {}
            self._known = known
            self._is_chess960 = False
            self._view = None
            while (line := reader.read_line(deadline_ns).rstrip()) != b"uciok":
                self._note_identity(line, known)
            step = "answer `isready` with `readyok` after its options were set"
            commands = [self._option_command(name, value, known) for name, value in self._spec.options]
            channel.write("".join([*commands, "isready\n"]).encode(), deadline_ns)
            while reader.read_line(deadline_ns).rstrip() != b"readyok":
                pass
            channel.usage()  # what it used to start is none of a game's
        except StarvedFault as fault:
            self.close()
            raise StarvedGame(f"{self._spec.name}: {fault.detail}") from fault
        except BotFault as fault:
            stderr = channel.stderr_tail()
            self.close()
            why = f"it did not {step} within {limits.handshake_ms} ms ({fault.detail})"
            raise start_error(self._spec, why, stderr) from fault
        except BaseException:
            self.close()
            raise

    def _note_identity(self, line: bytes, known: dict[str, str]) -> None:
        text = line.decode("utf-8", "replace").strip()
        if text.startswith("id name "):
            self.identity = text[8:].strip()
        elif text.startswith("option name ") and " type " in text:
            name = text[12 : text.rindex(" type ")].strip()
            known[name.lower()] = name

    def _option_command(self, name: str, value: Scalar, known: dict[str, str]) -> str:
        if name.lower() not in known:
            near = difflib.get_close_matches(name.lower(), known, 1, 0.5)
            hint = f"nearest: {known[near[0]]!r}; " if near else ""
            why = f"it has no option {name!r} ({hint}it has: {', '.join(known.values()) or 'none'})"
            raise start_error(self._spec, why)
        spelled = known[name.lower()]  # names have no case in UCI, but not all engines know that
        if value is None:
            return f"setoption name {spelled}\n"
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return f"setoption name {spelled} value {text}\n"

    def begin_game(self, seed: int, seat: int, n_seats: int) -> None:
        """Say `ucinewgame` and wait for `readyok`. A kept engine that fails is started afresh once."""
        channel = self._channel
        if channel is None:
            self.start(seed)
        try:
            self._synchronise(b"ucinewgame\nisready\n")
        except StarvedFault as fault:
            self.close()
            raise StarvedGame(f"{self._spec.name}: {fault.detail}") from fault
        except BotFault as fault:
            stderr = self.stderr_tail()
            self.close()
            if channel is None:
                raise start_error(self._spec, f"at `ucinewgame`, `isready`: {fault.detail}", stderr) from fault
            self.begin_game(seed, seat, n_seats)

    def _synchronise(self, command: bytes) -> None:
        """Send a command that ends in `isready` and read until `readyok`. Raises BotFault."""
        channel = self._channel
        assert channel
        now_ns = monotonic_ns()
        deadline_ns = now_ns + self._spec.limits.game_start_ms * NS_PER_MS
        answer = channel.exchange(command, deadline_ns, now_ns)
        if answer == b"readyok\n":
            return
        reader = LineReader(channel, self._max_bytes)
        reader.give(answer)
        while reader.read_line(deadline_ns).rstrip() != b"readyok":
            pass

    def settle(self) -> None:
        """Nothing to wait for: it has answered."""

    def end_game(self) -> None:
        """Get a late engine back in step with `stop`, or end it."""
        if not self._is_thinking or self._channel is None:
            return
        self._is_thinking = False
        deadline_ns = monotonic_ns() + self._spec.limits.stop_ms * NS_PER_MS
        reader = LineReader(self._channel, self._max_bytes)
        try:
            self._channel.write(b"stop\n", deadline_ns)
            while not reader.read_line(deadline_ns).startswith(b"bestmove"):
                pass
        except BotFault:
            self._is_thinking = True  # it hears nothing any more, `quit` neither
            self.close()

    # ------------------------------------------------------------------------------------- hot path

    def _prepare(self, view: View, budget: Budget) -> None:
        """Make the parts of a request that stay the same for a while."""
        if self._channel is None:
            raise BotFault(FaultKind.CRASH, "ended before it was asked")
        if view is not self._view:
            self._begin_line(view)
        if budget is not self._go_budget:
            self._go, self._go_budget = _go_command(budget), budget

    def _finish(self, data: bytes, asked_ns: int, budget: Budget) -> str:
        """Read on until the move is there; see `protocols.ply.UciAsk`.

        What the engine says before it is kept in `said` as it is: to look into it can wait until the game is over.
        """
        channel = self._channel
        assert channel
        said, found, answer = data.partition(b"bestmove ")
        if not found or answer[-1:] != b"\n" or (said and said[-1] != _NEWLINE):
            said, answer = self._read_on(channel, data, asked_ns + budget.limit_ns)
        self.think_ns = think_ns = monotonic_ns() - asked_ns
        self._is_thinking = False
        if think_ns > budget.limit_ns:
            self._judge_late(channel, asked_ns, budget, think_ns)
        self.said = said if len(said) < _SAID_KEPT else b"info %b\n" % last_scored(said)
        return _MOVES.get(answer) or _read_move(answer)

    def _begin_line(self, view: View) -> None:
        if not isinstance(view, MovesView):
            raise TypeError(f"UCI speaks {Form.MOVES}, got {type(view).__name__}")
        if (view.variant == "chess960") is not self._is_chess960:
            self._switch_chess960()
        self._start, self._variant = view.start, view.variant
        self._position = "position startpos" if view.start == "startpos" else f"position fen {view.start}"
        self._view = view

    def _switch_chess960(self) -> None:
        """Tell the engine that castling is written as in chess960, or no longer. Raises BotStartError if it cannot."""
        assert self._channel
        is_chess960 = not self._is_chess960
        command = self._option_command("UCI_Chess960", is_chess960, self._known)
        self._channel.write(command.encode(), monotonic_ns() + self._spec.limits.game_start_ms * NS_PER_MS)
        self._is_chess960 = is_chess960

    def _read_on(self, channel: Channel, data: bytes, deadline_ns: int) -> tuple[bytes, bytes]:
        """Collect chunks until a line starts with `bestmove`. Gives what was said before it, and the rest of the line.

        Complete lines are dropped as they pass but for the last scored `info`, so endless chatter costs no memory. A
        fault says what else came last: a move in the wrong form is otherwise waited over without a word.
        """
        seen = data
        while True:
            if not data.isspace():
                seen = data
            at = 0 if data.startswith(b"bestmove ") else data.find(b"\nbestmove ") + 1
            found = at > 0 or data.startswith(b"bestmove ")
            end = data.find(b"\n", at)
            if found and end >= 0:
                return data[:at], data[at + 9 : end]
            if not found:
                if _BARE_MOVE.search(data):
                    raise BotFault(FaultKind.ILLEGAL, "`bestmove` without a move")
                scored = last_scored(data)
                data = (b"info " + scored + b"\n" if scored else b"") + data[data.rfind(b"\n") + 1 :]
            if len(data) > self._max_bytes:
                raise BotFault(FaultKind.ILLEGAL, f"a line longer than {self._max_bytes} bytes: {shown(data)}")
            try:
                data += channel.read(deadline_ns)
            except BotFault as fault:
                if fault.kind is not FaultKind.CRASH or not found:
                    raise recall(fault, _last_odd(seen)) from fault.__cause__
                data += b"\n"


def _last_odd(data: bytes) -> bytes:
    """Give the last line that is no `info`, and say so if its end has not come; b"" if there is none."""
    *lines, rest = data.split(b"\n")
    if rest.strip():
        return rest.strip() + b" (without the end of the line)"
    return next((line.strip() for line in reversed(lines) if line.strip() and not line.startswith(b"info")), b"")


def _read_move(answer: bytes) -> str:
    words = answer.split(None, 1)
    if not words:
        raise BotFault(FaultKind.ILLEGAL, "`bestmove` without a move")
    move = words[0].decode("ascii", "backslashreplace")
    if len(answer) < _MOVE_BYTES and len(_MOVES) < _MOVES_KEPT:
        _MOVES[answer] = move
    return move


def _go_command(budget: Budget) -> str:
    if budget.clocks_ms is not None:
        white, black = budget.clocks_ms
        step = budget.increment_ms
        return f"\ngo wtime {white} btime {black} winc {step} binc {step}\n"
    if budget.nodes is not None:
        return f"\ngo nodes {budget.nodes}\n"
    if budget.depth is not None:
        return f"\ngo depth {budget.depth}\n"
    return f"\ngo movetime {budget.move_ms}\n"
