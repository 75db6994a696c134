"""Finds a protocol by its name. The one list of what exists; a new protocol adds a line here."""

from __future__ import annotations

from collections.abc import Sequence

from harness.protocols.base import OpenChannel, Player
from harness.protocols.codingame import CodingamePlayer
from harness.protocols.inprocess import InProcessPlayer
from harness.protocols.process import open_process
from harness.protocols.uci import UciPlayer
from harness.records import BotSpec, Form

PROGRAMS: dict[str, type[CodingamePlayer | UciPlayer]] = {
    "codingame": CodingamePlayer,
    "uci": UciPlayer,
}
PYTHON = "python"


def form_of(spec: BotSpec) -> Form | None:
    """Say which form a bot's protocol speaks; None for an in-process bot, whose maker decides."""
    return None if spec.python else PROGRAMS[spec.protocol].form


def build_player(spec: BotSpec, forms: Sequence[Form], open_channel: OpenChannel = open_process) -> Player:
    """Build the player of a bot for rules that offer `forms`. Starts no program; KeyError for no such protocol."""
    if spec.python:
        return InProcessPlayer(spec, forms[0])
    return PROGRAMS[spec.protocol](spec, open_channel)
