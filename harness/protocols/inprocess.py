"""In-process bots: a Python callable in a seat, for trainers and for speed.

`python: module:callable` names a maker. It is called `make(seed, seat, n_seats)` once a game and gives a function
`bot(view) -> str`. A maker says which form it wants with an attribute `form`; else it gets the rules' first.
Such a bot has no wall against its own faults but an exception: it cannot be interrupted, and a late answer is
found only after it came. Records say so (`in_process`). What it says of itself and of the game (`[PDATA]`, `[TDATA]`)
it holds in mappings `data` and `game_data`, read when the game is over.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from time import monotonic_ns, thread_time_ns

from harness.errors import BotFault, BotStartError, StarvedFault, quoted
from harness.protocols.base import NOT_MEASURED, NS_PER_MS, Budget, Usage
from harness.protocols.lines import shown
from harness.protocols.load import load_object
from harness.protocols.metadata import read_mappings
from harness.protocols.meter import own_wait_ns
from harness.records import BotSpec, FaultKind, Form, View

Bot = Callable[[View], str]
MakeBot = Callable[[int, int, int], Bot]

_NOT_THE_BOT = ("harness.protocols", "importlib")
"""Modules whose lines at the start of a traceback tell a bot's author nothing."""


class InProcessPlayer:
    """A Python callable in a seat. See `protocols.base.Player`."""

    keeps_alive = True
    in_process = True
    identity = ""
    said = b""

    __slots__ = ("_bot", "_make", "_spec", "_stderr", "_waited_ns", "form", "think_ns")

    def __init__(self, spec: BotSpec, default_form: Form) -> None:
        self._spec = spec
        self._make = load_maker(spec)
        self.form = Form(getattr(self._make, "form", default_form))
        self._bot: Bot | None = None
        self.think_ns = 0
        self._waited_ns = 0
        self._stderr = ""

    def start(self, seed: int) -> None:
        """Nothing to start: the maker is loaded."""

    def begin_game(self, seed: int, seat: int, n_seats: int) -> None:
        """Make the game's bot. Raises BotStartError if the maker raises."""
        self._stderr = ""
        self._waited_ns = own_wait_ns()
        try:
            self._bot = self._make(seed, seat, n_seats)
        except Exception as error:
            raise BotStartError(
                f"bot {self._spec.name!r} does not start",
                got=f"{self._spec.python}({seed}, {seat}, {n_seats}) raised {_one_line(error)}"
                + quoted(_traceback(error)),
                next_step="mend the maker; it is called make(seed, seat, n_seats) once a game",
            ) from error

    def ask(self, view: View, budget: Budget) -> str:
        """Call the bot. Raises BotFault: crash for an exception, illegal for a non-string, timeout if late."""
        t0_ns = monotonic_ns()
        try:
            answer = self._bot(view)  # type: ignore[misc]
        except Exception as error:
            self._stderr = _traceback(error)
            raise BotFault(FaultKind.CRASH, f"raised {_one_line(error)}") from error
        self.think_ns = monotonic_ns() - t0_ns
        if self.think_ns > budget.limit_ns:
            raise self._late(budget.limit_ns)
        if not isinstance(answer, str):
            raise BotFault(FaultKind.ILLEGAL, f"answered {shown(repr(answer))}, not a string")
        return answer

    def _late(self, limit_ns: int) -> BotFault:
        """Say what a late answer is. The worker's own waiting is the bot's, known since the game began."""
        what = f"answered after {self.think_ns / NS_PER_MS:.1f} ms"
        waited_ns = min(self.think_ns, own_wait_ns() - self._waited_ns)
        if waited_ns <= 0 or self.think_ns - waited_ns > limit_ns:
            return BotFault(FaultKind.TIMEOUT, what)
        waited_ms = waited_ns / NS_PER_MS
        return StarvedFault(FaultKind.TIMEOUT, f"{what}; for {waited_ms:.1f} ms of it the machine was busy", waited_ms)

    def settle(self) -> None:
        """Nothing to wait for: it has answered."""

    def end_game(self) -> None:
        """Forget the game's bot."""
        self._bot = None

    def close(self) -> None:
        """Nothing to close."""

    def cpu_ns(self) -> int:
        """Read this thread's CPU clock: while the bot is asked, it is the bot's."""
        return thread_time_ns()

    def usage(self) -> Usage:
        """Give what the bot holds as its data; it has no clock of its own."""
        if self._spec.metadata and (said := read_mappings(*_data_of(self._bot))) is not None:
            return Usage(None, None, None, said)
        return NOT_MEASURED

    def stderr_tail(self) -> str:
        """Give the traceback of the last exception."""
        return self._stderr


def _data_of(bot: Bot | None) -> tuple[object, object]:
    return getattr(bot, "game_data", None), getattr(bot, "data", None)


def load_maker(spec: BotSpec, *, anew: bool = False) -> MakeBot:
    """Import the maker that `python` names; see `load.load_object`. Raises BotStartError."""
    try:
        maker: MakeBot = load_object(spec.python or "", spec.cwd, anew=anew)  # type: ignore[assignment]
    except Exception as error:
        raise BotStartError(
            f"bot {spec.name!r} does not start",
            got=f"python: {spec.python} cannot be imported: {_one_line(error)}{quoted(_traceback(error))}",
            allowed="module:callable, found from the bot's folder or installed; or file.py:callable",
        ) from error
    return maker


def _one_line(error: BaseException) -> str:
    return shown(f"{type(error).__name__}: {' '.join(str(error).split())}")


def _traceback(error: BaseException) -> str:
    """Give the traceback from where the user's code begins; nothing if no line of that was reached."""
    reached = error.__traceback__
    while reached is not None and reached.tb_frame.f_globals.get("__name__", "").startswith(_NOT_THE_BOT):
        reached = reached.tb_next
    if reached is None and not isinstance(error, SyntaxError):
        return ""
    return "".join(traceback.format_exception(type(error), error, reached))[-4000:]
