"""Finds a protocol by its name. The one list of what exists; a new protocol adds a line here.

A protocol of a user's own is named by its file, `/path/mine.py:Player`, or its module.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from harness.errors import BotStartError
from harness.protocols.base import NO_SETTING, OpenChannel, Player, Setting
from harness.protocols.codingame import CodingamePlayer
from harness.protocols.gomocup import GomocupPlayer
from harness.protocols.gtp import GtpPlayer
from harness.protocols.inprocess import InProcessPlayer
from harness.protocols.jsonlines import JsonLinesPlayer
from harness.protocols.lines import shown
from harness.protocols.load import load_object
from harness.protocols.process import open_process
from harness.protocols.uci import UciPlayer
from harness.protocols.xboard import XboardPlayer
from harness.records import BotSpec, Form


class PlayerType(Protocol):
    """A class of players: what `PROGRAMS` holds, and what a user's own protocol is.

    One that is made for certain rule sets alone has their names in `rules`.
    """

    form: Form

    def __call__(self, spec: BotSpec, open_channel: OpenChannel, /) -> Player:
        """Make the player of a bot. Starts nothing."""


PROGRAMS: dict[str, PlayerType] = {
    "codingame": CodingamePlayer,
    "gomocup": GomocupPlayer,
    "gtp": GtpPlayer,
    "json": JsonLinesPlayer,
    "uci": UciPlayer,
    "xboard": XboardPlayer,
}
PYTHON = "python"


def player_type(protocol: str, folder: str = ".", *, anew: bool = False) -> PlayerType:
    """Give the class of a protocol's players. KeyError for no such protocol.

    A user's own is imported, `anew` if its file has changed since. Raises BotStartError if that fails or it lacks what
    a player must have.
    """
    if ":" not in protocol:
        return PROGRAMS[protocol]
    try:
        found = load_object(protocol, folder, anew=anew)
    except Exception as error:
        raise _unfit(protocol, f"it cannot be imported: {shown(f'{type(error).__name__}: {error}')}") from error
    missing = [name for name in ("form", *_CALLS) if not hasattr(found, name)]
    if missing:
        raise _unfit(protocol, f"it has no {', '.join(missing)}")
    if found.form not in tuple(Form):  # type: ignore[attr-defined]
        raise _unfit(protocol, f"its `form` is {shown(repr(found.form))}")  # type: ignore[attr-defined]
    return found  # type: ignore[return-value]


_CALLS = ("start", "begin_game", "settle", "ask", "end_game", "cpu_ns", "usage", "stderr_tail", "close")


def _unfit(protocol: str, why: str) -> BotStartError:
    return BotStartError(
        f"the protocol {protocol} cannot be used",
        got=why,
        allowed="a class of players, as harness/protocols/base.py describes it",
        next_step="docs/how-to/add-a-protocol.md has one that works, and the kit that checks it",
    )


def form_of(spec: BotSpec) -> Form | None:
    """Say which form a bot's protocol speaks; None for an in-process bot, whose maker decides.

    Asked at the start of a run: a user's own protocol is read anew, so that all workers, forked later, have this one.
    """
    return None if spec.python else player_type(spec.protocol, spec.cwd, anew=True).form


def made_for(protocol: str, folder: str = ".") -> tuple[str, ...]:
    """Name the rule sets that a protocol is made for: the `rules` of its players; () for any that offer its form."""
    found: tuple[str, ...] = getattr(player_type(protocol, folder), "rules", ())
    return found


def build_player(
    spec: BotSpec,
    forms: Sequence[Form],
    open_channel: OpenChannel = open_process,
    setting: Setting = NO_SETTING,
) -> Player:
    """Build the player of a bot for rules that offer `forms`. Starts no program; KeyError for no such protocol."""
    if spec.python:
        return InProcessPlayer(spec, forms[0])
    player = player_type(spec.protocol, spec.cwd)(spec, open_channel)
    hear_setting: Callable[[Setting], None] | None = getattr(player, "hear_setting", None)
    if hear_setting is not None:
        hear_setting(setting)
    return player
