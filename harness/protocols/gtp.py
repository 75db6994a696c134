"""GTP, version 2: the Go Text Protocol.

The engine keeps the board, so a ply is what has been played since, as `play`, and `genmove`, in one write. It is kept
over games. Every command is answered, in order, so an engine that was late is back in step once it has answered what it
was asked; one that does not within its limits is ended and started afresh.

A game starts from what the rules call its start (`size 9 komi 7.5 handicap C3 G7`) and the moves since. In the rules'
cleanup phase `kgs-genmove_cleanup` asks for the move, where the engine has it.
"""

from __future__ import annotations

import difflib
from time import monotonic_ns
from typing import NoReturn

from harness.errors import BotFault, StarvedFault
from harness.protocols.base import NS_PER_MS, Budget, Channel, OpenChannel
from harness.protocols.lines import LineReader, recall, shown
from harness.protocols.player import ProgramPlayer
from harness.protocols.start_errors import start_error
from harness.records import BotSpec, FaultKind, Form, MovesView, View

COLORS = ("b", "w")
_CLEANUP = "cleanup"
_COMMANDS = "commands"
"""The one option that is no command of the engine's: any commands, with `;` between."""

_NEEDED = ("boardsize", "clear_board", "komi", "play", "genmove")
_USED = ("set_free_handicap", "time_settings", "time_left", "set_random_seed", "kgs-genmove_cleanup")
_MS_PER_S = 1000


class GtpPlayer(ProgramPlayer):
    """A GTP engine in a seat. See `protocols.base.Player` for the calls."""

    form = Form.MOVES
    rules = ("go",)
    keeps_alive = True
    in_process = False
    farewell = b"quit\n"
    said = b""

    __slots__ = (
        "_budget",
        "_channel",
        "_commands",
        "_is_thinking",
        "_n_known",
        "_n_owed",
        "_open",
        "_reader",
        "_spec",
        "_view",
        "identity",
        "think_ns",
    )

    def __init__(self, spec: BotSpec, open_channel: OpenChannel) -> None:
        self._spec = spec
        self._open = open_channel
        self._channel: Channel | None = None
        self._reader: LineReader | None = None
        self._commands: frozenset[str] = frozenset()
        self._view: MovesView | None = None
        self._budget: Budget | None = None
        self._n_known = 0  # of the view's moves, so many are on the engine's board
        self._n_owed = 0  # answers to commands that were sent
        self._is_thinking = False
        self.think_ns = 0
        self.identity = ""

    # ------------------------------------------------------------------------------- starting, ending

    def start(self, seed: int) -> None:
        """Start the engine, ask who it is and what it knows. Raises BotStartError, StarvedGame."""
        self.close()
        self._channel = channel = self._open(self._spec, seed)
        self._reader = LineReader(channel, self._spec.limits.answer_kb * 1024)
        self._n_owed = 0
        limit_ms = self._spec.limits.handshake_ms
        try:
            name, version, commands = self._say(["name", "version", "list_commands"], limit_ms)
            self.identity = " ".join(shown(text) for is_done, text in (name, version) if is_done and text)
            self._commands = frozenset(commands[1].split()) if commands[0] else self._ask_each(limit_ms)
            self._check_commands()
            channel.usage()  # what it used to start is none of a game's
        except BotFault as fault:
            why = f"it did not answer `name`, `version`, `list_commands` within {limit_ms} ms"
            self._give_up(f"{why} ({fault.detail}); an answer is `= text` and an empty line", fault)
        except BaseException:
            self.close()
            raise

    def _ask_each(self, limit_ms: int) -> frozenset[str]:
        """Ask an engine that lists nothing for each command that is of use."""
        names = [*_NEEDED, *_USED, *(name for name, _ in self._spec.options if name != _COMMANDS)]
        answers = self._say([f"known_command {name}" for name in names], limit_ms)
        return frozenset(name for name, answer in zip(names, answers, strict=True) if answer == (True, "true"))

    def _check_commands(self) -> None:
        """Refuse an engine that cannot play, and options that are not its commands. Raises BotStartError."""
        if missing := [name for name in _NEEDED if name not in self._commands]:
            self._refuse(f"it does not know {', '.join(missing)} (it knows: {', '.join(sorted(self._commands))})")
        for name, _ in self._spec.options:
            if name != _COMMANDS and name not in self._commands:
                near = difflib.get_close_matches(name, self._commands, 1, 0.5)
                hint = f"nearest: {near[0]!r}; " if near else ""
                self._refuse(f"it has no command {name!r} for that option ({hint}`list_commands` gives them all)")

    def _refuse(self, why: str) -> NoReturn:
        stderr = self.stderr_tail()
        self.close()
        raise start_error(self._spec, why, stderr)

    def begin_game(self, seed: int, seat: int, n_seats: int) -> None:
        """Clear the board. A kept engine that fails is started afresh once. Raises BotStartError."""
        kept = self._channel is not None
        if not kept:
            self.start(seed)
        self._view = self._budget = None
        commands = ["clear_board"]
        if "set_random_seed" in self._commands:
            commands.append(f"set_random_seed {seed}")
        limit_ms = self._spec.limits.game_start_ms
        try:
            is_done, text = self._say(commands, limit_ms)[0]
        except BotFault as fault:
            if isinstance(fault, StarvedFault) or not kept:
                self._give_up(f"at `clear_board`, within {limit_ms} ms: {fault.detail}", fault)
            self._n_owed = max(self._n_owed, 1)
            self.close()
            self.begin_game(seed, seat, n_seats)
            return
        if not is_done:
            self._refuse(f"`clear_board` was answered `? {shown(text)}`")

    def settle(self) -> None:
        """Nothing to wait for: it has answered."""

    def _has_extra(self) -> bool:
        """Say whether there is an answer that nothing was asked for: from then on no answer is to be trusted."""
        assert self._reader
        return any(line[:1] in {b"=", b"?"} for line in self._reader.unread().splitlines())

    def end_game(self) -> None:
        """Wait for what a late engine owes; end one that does not give it, or gives more."""
        if self._channel is None:
            return
        if not self._n_owed:
            if self._has_extra():
                self.close()
            return
        deadline_ns = monotonic_ns() + self._spec.limits.stop_ms * NS_PER_MS
        try:
            while self._n_owed:
                self._read_answer(deadline_ns)
        except BotFault:
            self.close()

    def close(self) -> None:
        """Say `quit` if no answer is owed, wait as long as the bot's limits allow, then kill. Safe to call twice."""
        self._is_thinking = self._is_thinking or self._n_owed > 0
        self._n_owed = 0
        super().close()

    # ------------------------------------------------------------------------------- commands, answers

    def _say(self, commands: list[str], limit_ms: int) -> list[tuple[bool, str]]:
        """Give commands and read what each is answered: whether it was done, and the text. Raises BotFault."""
        assert self._channel
        deadline_ns = monotonic_ns() + limit_ms * NS_PER_MS
        self._n_owed += len(commands)
        self._channel.write("".join([f"{command}\n" for command in commands]).encode(), deadline_ns)
        return [self._read_answer(deadline_ns) for _ in commands]

    def _read_answer(self, deadline_ns: int) -> tuple[bool, str]:
        """Read the next answer up to its blank line; what stands before it is noise and passed over."""
        reader = self._reader
        assert reader
        unread = b""
        try:
            while (line := reader.read_line(deadline_ns))[:1] not in {b"=", b"?"}:
                unread = line.strip() or unread
            unread = line
            is_done = line[:1] == b"="
            head, _, rest = line[1:].partition(b" ")
            text = rest if not head or head.isdigit() else line[1:]  # an id is not asked for, and may come
            rows, size, most = [text], len(text), self._spec.limits.answer_kb * 1024
            while line := reader.read_line(deadline_ns).rstrip():
                rows.append(line)
                size += len(line)
                if size > most:
                    why = f"an answer longer than {most} bytes: {shown(text)}"
                    raise BotFault(FaultKind.ILLEGAL, why)  # noqa: TRY301 - `recall` leaves it as it is
        except BotFault as fault:
            raise recall(fault, unread) from fault.__cause__
        self._n_owed -= 1
        return is_done, b"\n".join(rows).decode("utf-8", "backslashreplace").strip()

    # --------------------------------------------------------------------------------------- a game

    def ask(self, view: View, budget: Budget) -> str:
        """Play what is new, then `genmove`, in one write; see `protocols.base.Player`."""
        channel, reader = self._channel, self._reader
        if channel is None:
            raise BotFault(FaultKind.CRASH, "ended before it was asked")
        assert reader
        if view is not self._view:
            self._begin_line(view)
        assert isinstance(view, MovesView)
        if self._has_extra():
            raise BotFault(FaultKind.ILLEGAL, f"wrote more than it was asked for: {shown(reader.unread())}")
        seat = (view.first_seat + len(view.moves)) % 2
        commands = self._new_moves(view)
        n_plays = len(commands)
        if budget is not self._budget:
            commands += self._describe_time(budget, seat)
        is_cleanup = view.variant == _CLEANUP and "kgs-genmove_cleanup" in self._commands
        commands.append(f"{'kgs-genmove_cleanup' if is_cleanup else 'genmove'} {COLORS[seat]}")
        self._n_owed += len(commands)
        data = "".join([f"{command}\n" for command in commands]).encode()
        t0_ns = monotonic_ns()
        deadline_ns = t0_ns + budget.limit_ns
        reader.give(channel.exchange(data, deadline_ns, t0_ns))
        answers = [self._read_answer(deadline_ns) for _ in commands]
        self.think_ns = think_ns = monotonic_ns() - t0_ns
        if think_ns > budget.limit_ns:
            self._judge_late(channel, t0_ns, budget, think_ns)
        self._check_played(commands[:n_plays], answers, "the move of its opponent")
        is_done, text = answers[-1]
        if not is_done:
            raise BotFault(FaultKind.ILLEGAL, f"`{commands[-1]}` was answered `? {shown(text)}`")
        self._n_known = len(view.moves) + 1  # it has played its own move
        return text

    def _new_moves(self, view: MovesView) -> list[str]:
        """Give what was played since the engine last knew the board, as commands."""
        moves = view.moves
        return [f"play {COLORS[(view.first_seat + ply) % 2]} {moves[ply]}" for ply in range(self._n_known, len(moves))]

    def _check_played(self, moves: list[str], answers: list[tuple[bool, str]], what: str) -> None:
        """Raise BotFault if a move was refused: all that are told are legal."""
        for move, (is_done, text) in zip(moves, answers, strict=False):
            if not is_done:
                raise BotFault(FaultKind.ILLEGAL, f"refuses {what}: `{move}`, `? {shown(text)}`")

    def _begin_line(self, view: View) -> None:
        """Set up the map, its opening included, on nobody's clock.

        Raises BotStartError if the engine says that it cannot, BotFault if it is gone, silent or refuses a move.
        """
        if not isinstance(view, MovesView):
            raise TypeError(f"GTP speaks {Form.MOVES}, got {type(view).__name__}")
        words = view.start.split()
        if words[:1] != ["size"] or words[2:3] != ["komi"] or len(words) < 4:
            self._refuse(f"GTP is for Go: no game of it starts from {shown(view.start)!r}")
        # in this order: some engines clear the board at `boardsize`, and forget komi at `clear_board`
        commands = [f"boardsize {words[1]}", "clear_board", f"komi {words[3]}", *_option_commands(self._spec)]
        if stones := words[5:]:
            takes_all = "set_free_handicap" in self._commands
            commands += [f"set_free_handicap {' '.join(stones)}"] if takes_all else [f"play b {at}" for at in stones]
        self._n_known = 0
        moves = self._new_moves(view)
        try:
            answers = self._say([*commands, *moves], self._spec.limits.game_start_ms)
        except BotFault as fault:
            self._forfeit_set_up(fault)
        for command, (is_done, text) in zip(commands, answers, strict=False):
            if not is_done:
                self._refuse(f"`{command}` was answered `? {shown(text)}`")
        self._check_played(moves, answers[len(commands) :], "a move that led here")
        self._n_known = len(view.moves)
        self._view = view

    def _describe_time(self, budget: Budget, seat: int) -> list[str]:
        """Say what time there is: settings when they are new, and what is left of a game's time.

        Whole seconds are all that GTP has; less than one is said as one.
        """
        commands = []
        is_first, self._budget = self._budget is None, budget if budget.clocks_ms is None else _CLOCKED
        if budget.clocks_ms is not None:
            left_s = max(1, budget.clocks_ms[seat] // _MS_PER_S)
            if is_first:
                commands.append(f"time_settings {left_s} 0 0")
            commands.append(f"time_left {COLORS[seat]} {left_s} 0")
        elif budget.move_ms is not None:
            commands.append(f"time_settings 0 {max(1, budget.move_ms // _MS_PER_S)} 1")
        return [command for command in commands if command.split()[0] in self._commands]


_CLOCKED = Budget(0)
"""Stands for the budgets of a game with game time: each ply has one of its own."""


def _option_commands(spec: BotSpec) -> list[str]:
    """Write the options of a bot as commands: name and value, or what `commands` says."""
    lines: list[str] = []
    for name, value in spec.options:
        if name == _COMMANDS:
            lines += [part for each in str(value).split(";") if (part := each.strip())]
        elif value is None:
            lines.append(name)
        else:
            lines.append(f"{name} {str(value).lower() if isinstance(value, bool) else value}")
    return lines
