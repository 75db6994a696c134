"""What a CECP engine says of itself: its `feature` lines, and the commands by which its options are set.

Pure: text in, facts and text out. What a feature does is in `xboard`.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field

from harness.records import Scalar

_FEATURE = re.compile(r'([A-Za-z0-9_]+)=(?:"([^"]*)"|\'([^\']*)\'|(\S+))')
_KNOWN = frozenset(
    [
        *("ping", "setboard", "playother", "usermove", "time", "draw", "sigint", "sigterm", "reuse", "analyze"),
        *("myname", "variants", "colors", "ics", "name", "pause", "debug", "memory", "smp", "option", "done"),
    ]
)
"""Features that are accepted; `san` is not (coordinates are what every engine reads), nor is what is not known."""

COMMANDS = "commands"
"""The one option that is not the engine's: lines said to it in every game, with `;` between."""

_SWITCHES = {"memory": "memory", "cores": "smp"}
"""Settings with a command of their own, and the feature that says that the engine has it."""


class OptionError(ValueError):
    """A bot has an option that its engine has not, or a value that cannot be; the text says which and what there is."""


@dataclass(slots=True)
class Features:
    """What an engine has said; the defaults are those of the protocol."""

    name: str = ""
    can_ping: bool = False
    can_setboard: bool = False
    takes_usermove: bool = False
    takes_time: bool = True
    can_reuse: bool = True
    variants: frozenset[str] = frozenset(["normal"])
    options: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By name in small letters: name as the engine spells it, and what it says of its kind (`spin 16 1 64`)."""

    switches: set[str] = field(default_factory=set)
    is_any: bool = False
    is_waiting: bool = False
    """It has said `done=0`: it needs longer."""

    is_done: bool = False

    def read(self, line: str) -> str:
        """Take a line that starts with `feature`; give what is to be answered."""
        answers = []
        for match in _FEATURE.finditer(line.partition(" ")[2]):
            name = match[1]
            value = next(text for text in match.groups()[1:] if text is not None)
            answers.append(f"{'accepted' if name in _KNOWN else 'rejected'} {name}\n")
            self._take(name, value)
            self.is_any = True
        return "".join(answers)

    def _take(self, name: str, value: str) -> None:
        match name:
            case "myname":
                self.name = value.strip()
            case "ping":
                self.can_ping = value == "1"
            case "setboard":
                self.can_setboard = value == "1"
            case "usermove":
                self.takes_usermove = value == "1"
            case "time":
                self.takes_time = value == "1"
            case "reuse":
                self.can_reuse = value == "1"
            case "variants":
                self.variants = frozenset(word.strip() for word in value.split(","))
            case "option":
                spelled, _, kind = value.partition(" -")
                self.options[spelled.strip().lower()] = (spelled.strip(), kind)
            case "memory" | "smp" if value == "1":
                self.switches.add(name)
            case "done":
                self.is_done, self.is_waiting = value == "1", value == "0"
            case _:
                pass

    def option_command(self, name: str, value: Scalar) -> str:
        """Write the command that sets an option. Raises OptionError if the engine has none of that name."""
        if name in _SWITCHES and _SWITCHES[name] in self.switches:
            return f"{name} {value}\n"
        known = {key: spelled for key, (spelled, _) in self.options.items()}
        known |= {name: name for name, feature in _SWITCHES.items() if feature in self.switches}
        if name.lower() not in self.options:
            near = difflib.get_close_matches(name.lower(), known, 1, 0.5)
            hint = f"nearest: {known[near[0]]!r}; " if near else ""
            has = ", ".join(known.values()) or "none"
            raise OptionError(f"it has no option {name!r} ({hint}it has: {has}, and {COMMANDS} for lines of its own)")
        spelled, kind = self.options[name.lower()]
        if value is None:
            return f"option {spelled}\n"
        if isinstance(value, bool) or kind.startswith("check"):
            if value not in {True, False}:
                raise OptionError(f"its option {spelled!r} is true or false, not {value!r}")
            return f"option {spelled}={int(value)}\n"
        return f"option {spelled}={value}\n"
