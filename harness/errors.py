"""Every error the project raises on purpose, as one tree.

    HarnessError                 expected: one message, no traceback; carries the exit code
    ├── UsageError               2   wrong words on the command line
    ├── ConfigError              2   a file the user wrote is wrong (file, line, key)
    ├── ResultsError             2   a results folder does not fit (other fingerprints, bad line, in use)
    ├── LedgerError              2   seeds cannot be had as asked, or the record of spent ones is damaged
    │   ├── SpentError               a test seed that another decision has had
    │   └── SeedsUsedUp          5   fewer unused seeds than a stage needs: no verdict
    ├── Interrupted              3   stopped by a signal; resumable
    └── Halt                     4   the run cannot go on
        ├── BotStartError            a bot does not start or fails its handshake
        ├── BrokenBotError           a bot forfeits its first games, or too many of them
        ├── RefereeError             the referee failed too often at one job
        ├── WorkerError              workers died too often at one job
        └── StorageError             disk full, results unwritable

    GameError                    inside one game; never reaches a user
    ├── BotFault                 the bot's own fault: becomes a forfeit
    │   └── StarvedFault             late, but the kernel kept it waiting for a core: void, unless it happens too often
    ├── IllegalAction            raised by rules; the referee turns it into a BotFault
    └── VoidGame                 no outcome through the harness, the referee or the machine
        └── StarvedGame              a bot was late through the machine's fault

Anything else that escapes is a bug: it keeps its traceback and exits with 70.
This module imports nothing of the project and formats nothing but its own messages.
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What a command's exit status means."""

    DONE = 0
    NOT_PASSED = 1
    USAGE = 2
    INTERRUPTED = 3
    HALTED = 4
    NO_VERDICT = 5
    BUG = 70


def quoted(text: str) -> str:
    """Give what a program said for the end of a `got`: each line on a line of its own, marked as a quotation."""
    return "".join(f"\n    | {line}" for line in text.splitlines())


class HarnessError(Exception):
    """An expected error: says what, where, what was found, what is allowed and what to do next."""

    exit_code: ExitCode = ExitCode.USAGE

    def __init__(
        self,
        what: str,
        *,
        where: str | None = None,
        got: str | None = None,
        allowed: str | None = None,
        next_step: str | None = None,
    ) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.got = got
        self.allowed = allowed
        self.next_step = next_step

    def __reduce__(self) -> tuple[object, ...]:
        """Cross a process border whole: the keyword parts are kept, cause and traceback are not."""
        state = {name: getattr(self, name) for name in ("where", "got", "allowed", "next_step")}
        return type(self), (self.what,), state

    def __str__(self) -> str:
        """Give the message as people see it: one line of fact, then a line for each detail."""
        head = f"{self.where}: {self.what}" if self.where else self.what
        rows = (("got", self.got), ("allowed", self.allowed), ("next", self.next_step))
        return "\n".join([head, *(f"  {label + ':':<9}{text}" for label, text in rows if text)])


class UsageError(HarnessError):
    """The command line does not make sense."""


class ConfigError(HarnessError):
    """A file that the user wrote is wrong. `where` is `file:line`, `what` names the key."""


class ResultsError(HarnessError):
    """A results folder cannot be used as asked: it belongs to other inputs, is damaged or in use."""


class LedgerError(HarnessError):
    """Seeds cannot be had as asked, or the record of the spent ones is damaged."""


class SpentError(LedgerError):
    """A test seed serves one decision, ever, and it has: the message names it."""


class SeedsUsedUp(LedgerError):  # noqa: N818 - a state, not a fault
    """A split has fewer unused seeds left (`n_left`) than are needed (`n_needed`)."""

    exit_code = ExitCode.NO_VERDICT
    n_left = 0
    n_needed = 0


class Interrupted(HarnessError):  # noqa: N818 - an event, not a fault
    """The run was stopped by a signal and can be resumed."""

    exit_code = ExitCode.INTERRUPTED


class Halt(HarnessError):  # noqa: N818 - the base of the halting errors below
    """The run cannot go on; finished maps are kept and the run can be resumed."""

    exit_code = ExitCode.HALTED


class BotStartError(Halt):
    """A bot does not start, or fails its handshake: a set-up fault, so nothing is scored."""


class BrokenBotError(Halt):
    """A bot forfeits its first games in a row, or more than a set share of them."""


class RefereeError(Halt):
    """The referee failed too often at one job."""


class WorkerError(Halt):
    """Workers died too often at one job."""


class StorageError(Halt):
    """Results cannot be written: disk full, folder read-only."""


class GameError(Exception):
    """Something that ends or voids one game. Caught in `play`, never shown as an error."""


class BotFault(GameError):  # noqa: N818 - the glossary's word
    """A bot's own fault: it forfeits.

    `kind` is a `records.FaultKind` value, `detail` one line for people.
    """

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(kind, detail)
        self.kind = kind
        self.detail = detail


class StarvedFault(BotFault):
    """A bot was late, and the time for which the machine kept it from running explains it.

    `waited_ms` is that time. Void and played again; a forfeit like any other if the job was void too often.
    """

    def __init__(self, kind: str, detail: str, waited_ms: float) -> None:
        super().__init__(kind, detail)
        self.args = (kind, detail, waited_ms)
        self.waited_ms = waited_ms


class IllegalAction(GameError):  # noqa: N818 - the glossary's word
    """The rules do not accept an action; the text says which and why."""


class VoidGame(GameError):  # noqa: N818 - the glossary's word
    """No outcome because of the harness, the referee or a starved machine: played again."""


class StarvedGame(VoidGame):
    """Void because a bot was late through the machine's fault."""
