"""JSON lines: one JSON object a line, our own protocol for whatever has no grammar of its own.

docs/protocols/json.md is the page for bot authors, and what it says is what is done here. We may send keys that a bot
does not know, which it has to ignore; a key of a bot's that we do not know is refused, for it is a slip that would go
unseen. What is not one JSON object on one line is the bot's fault; notes belong on standard error.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from time import monotonic_ns
from typing import NoReturn

from harness.errors import BotFault, RefereeError, StarvedFault
from harness.protocols.base import NO_SETTING, NS_PER_MS, Budget, Channel, OpenChannel, Setting
from harness.protocols.lines import LineReader, shown
from harness.protocols.player import ProgramPlayer
from harness.records import BotSpec, FaultKind, Form, StateView, TimeControl, View

PROTOCOL = 1
"""Version of the protocol. A change that a bot could not ignore makes it 2."""

_HELLO = ("type", "protocol", "name", "version", "keeps_alive")
_ANSWER = ("type", "action", "info")
_TIME = ("per_ply_ms", "first_ply_ms", "base_ms", "increment_ms", "nodes", "depth")
_NUMBERS = (("depth", "depth"), ("nodes", "nodes"), ("score_cp", "score cp"))
_TEXT_KEPT = 200

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False, allow_nan=False).encode


class JsonLinesPlayer(ProgramPlayer):
    """A bot that speaks JSON lines, in a seat. See `protocols.base.Player` for the calls.

    `keeps_alive` is what the bot said of itself; until it has said so, that one start serves one game.
    """

    form = Form.STATE
    in_process = False
    farewell = b'{"type":"quit"}\n'

    __slots__ = (
        "_budget",
        "_channel",
        "_is_thinking",
        "_open",
        "_ply",
        "_reader",
        "_scores",
        "_setting",
        "_spec",
        "_time",
        "identity",
        "keeps_alive",
        "said",
        "think_ns",
    )

    def __init__(self, spec: BotSpec, open_channel: OpenChannel) -> None:
        self._spec = spec
        self._open = open_channel
        self._setting = NO_SETTING
        self._channel: Channel | None = None
        self._reader: LineReader | None = None
        self._is_thinking = False
        self._ply = 0
        self._scores: tuple[float, ...] | None = None
        self._budget: Budget | None = None
        self._time = ""
        self.keeps_alive = False
        self.identity = ""
        self.think_ns = 0
        self.said = b""

    def hear_setting(self, setting: Setting) -> None:
        """Take what is played, for `game`."""
        self._setting = setting

    # ------------------------------------------------------------------------------- starting, ending

    def start(self, seed: int) -> None:
        """Start the program and exchange `hello`. Raises BotStartError, StarvedGame."""
        self.close()
        self._channel = channel = self._open(self._spec, seed)
        self._reader = LineReader(channel, self._spec.limits.answer_kb * 1024)
        self._is_thinking = False
        limit_ms = self._spec.limits.handshake_ms
        hello = {
            "type": "hello",
            "protocol": PROTOCOL,
            "bot": self._spec.name,
            "seed": seed,
            "options": dict(self._spec.options),
        }
        try:
            self._take_hello(self._exchange(hello, limit_ms))
            channel.usage()  # what it used to start is none of a game's
        except BotFault as fault:
            self._give_up(f"its answer to `hello`, within {limit_ms} ms: {fault.detail}", fault)
        except BaseException:
            self.close()
            raise

    def _exchange(self, message: Mapping[str, object], limit_ms: int) -> dict[str, object]:
        """Send a message and read the one that answers it. Raises BotFault."""
        channel, reader = self._channel, self._reader
        assert channel
        assert reader
        deadline_ns = monotonic_ns() + limit_ms * NS_PER_MS
        channel.write(f"{_encode(message)}\n".encode(), deadline_ns)
        return _read_object(reader.read_line(deadline_ns))

    def _take_hello(self, hello: dict[str, object]) -> None:
        """Read what a bot says of itself. Raises BotFault for what is no `hello` of this version."""
        _check(hello, "hello", _HELLO)
        version = hello.get("protocol")
        if type(version) is not int or version != PROTOCOL:
            raise BotFault(FaultKind.ILLEGAL, f"`protocol` is {_told(version)}, this harness speaks {PROTOCOL}")
        words = []
        for key in ("name", "version"):
            value = hello.get(key, "")
            if not isinstance(value, str):
                raise BotFault(FaultKind.ILLEGAL, f"`{key}` is {_told(value)}, not text")
            words.append(shown(value.strip()))
        keeps_alive = hello.get("keeps_alive", False)
        if not isinstance(keeps_alive, bool):
            raise BotFault(FaultKind.ILLEGAL, f"`keeps_alive` is {_told(keeps_alive)}, not true or false")
        self.keeps_alive = keeps_alive
        self.identity = " ".join(word for word in words if word)

    def begin_game(self, seed: int, seat: int, n_seats: int) -> None:
        """Say `game`, wait for `ready`. A kept bot that fails is started afresh once. Raises BotStartError."""
        kept = self._channel is not None
        if not kept:
            self.start(seed)
        setting = self._setting
        game = {
            "type": "game",
            "rules": setting.rules.name if setting.rules else None,
            "params": dict(setting.rules.params) if setting.rules else {},
            "seat": seat,
            "seats": n_seats,
            "seed": seed,
            "time": _describe_time(setting.time),
        }
        self._ply = 0
        self._scores = None
        limit_ms = self._spec.limits.game_start_ms
        try:
            _check(self._exchange(game, limit_ms), "ready", ("type",))
        except BotFault as fault:
            if isinstance(fault, StarvedFault) or not kept:
                self._give_up(f"its answer to `game`, within {limit_ms} ms: {fault.detail}", fault)
            self._is_thinking = True
            self.close()
            self.begin_game(seed, seat, n_seats)

    def settle(self) -> None:
        """Nothing to wait for: it has said `ready`."""

    def hear_result(self, scores: tuple[float, ...]) -> None:
        """Take the scores of the game, for `end`."""
        self._scores = scores

    def end_game(self) -> None:
        """Say `end`. A bot that owes an answer is ended, for what it says next could be taken for another game's."""
        if self._channel is None:
            return
        if self._is_thinking:
            self.close()
            return
        deadline_ns = monotonic_ns() + self._spec.limits.quit_ms * NS_PER_MS
        message = _encode({"type": "end", "scores": self._scores})
        try:
            self._channel.write(f"{message}\n".encode(), deadline_ns)
        except BotFault:
            self._is_thinking = True
            self.close()
        if not self.keeps_alive:
            self.close()

    # ------------------------------------------------------------------------------------- hot path

    def ask(self, view: View, budget: Budget) -> str:
        """Send `turn` and wait for its answer; see `protocols.base.Player`."""
        if not isinstance(view, StateView):
            raise TypeError(f"the JSON protocol speaks {Form.STATE}, got {type(view).__name__}")
        channel, reader = self._channel, self._reader
        if channel is None:
            raise BotFault(FaultKind.CRASH, "ended before it was asked")
        assert reader
        if extra := reader.unread():
            self._is_thinking = True
            raise BotFault(FaultKind.ILLEGAL, f"wrote more than it was asked for: {shown(extra)}")
        if budget is not self._budget:
            self._time, self._budget = _encode(_describe_budget(budget)), budget
        try:
            state = _encode(view.state)
        except (TypeError, ValueError) as error:  # no bug of ours: rules may be the user's own
            raise RefereeError(
                "what the rules show is no JSON",
                got=str(error),
                allowed="text, finite numbers, true, false, null, lists, mappings",
            ) from error
        data = f'{{"type":"turn","ply":{self._ply},"time":{self._time},"state":{state}}}\n'.encode()
        self._ply += 1
        self._is_thinking = True
        t0_ns = monotonic_ns()
        deadline_ns = t0_ns + budget.limit_ns
        reader.give(channel.exchange(data, deadline_ns, t0_ns))
        line = reader.read_line(deadline_ns)
        self.think_ns = think_ns = monotonic_ns() - t0_ns
        if think_ns > budget.limit_ns:
            self._judge_late(channel, t0_ns, budget, think_ns)
        answer = _read_object(line)
        action = _read_action(answer)
        self.said = _describe_info(answer["info"]) if "info" in answer else b""
        self._is_thinking = False
        return action


def _read_object(line: bytes) -> dict[str, object]:
    try:
        message = json.loads(line.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise BotFault(FaultKind.ILLEGAL, f"{shown(line)!r} is not one JSON object")
    return message


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _check(message: dict[str, object], kind: str, known: tuple[str, ...]) -> None:
    """Refuse a message of another type, or with a key that there is not."""
    if message.get("type") != kind:
        raise BotFault(FaultKind.ILLEGAL, f"`type` is {_told(message.get('type'))}, not {kind!r}")
    _check_keys(message, known)


def _check_keys(message: dict[str, object], known: tuple[str, ...]) -> None:
    for key in message:
        if key not in known:
            raise BotFault(FaultKind.ILLEGAL, f"there is no key {shown(key)!r}; there are: {', '.join(known)}")


def _read_action(answer: dict[str, object]) -> str:
    _check_keys(answer, _ANSWER)
    if answer.get("type", "action") != "action":
        raise BotFault(FaultKind.ILLEGAL, f"`type` is {_told(answer['type'])}, not 'action'")
    action = answer.get("action")
    if isinstance(action, str):
        return action
    if type(action) is int:
        return str(action)
    raise BotFault(FaultKind.ILLEGAL, f"`action` is {_told(action)}, not text or a whole number")


def _told(value: object) -> str:
    """Show a value of a bot's message, as JSON."""
    return "missing" if value is None else shown(json.dumps(value))


def _describe_info(info: object) -> bytes:
    """Write what a bot says of its thinking as transcripts keep it: like UCI, with its score if it gave one."""
    if not isinstance(info, dict):
        return b""
    words = [f"{word} {info[key]}" for key, word in _NUMBERS if type(info.get(key)) is int]
    text = info.get("text")
    if isinstance(text, str):
        words.append(f"string {shown(text)[:_TEXT_KEPT]}")
    return f"info {' '.join(words)}\n".encode("ascii", "replace") if words else b""


def _describe_time(time: TimeControl | None) -> dict[str, object]:
    """Give what is set of a time control, under the config's names."""
    return {key: value for key in _TIME if (value := getattr(time, key, None))}


def _describe_budget(budget: Budget) -> dict[str, object]:
    if budget.clocks_ms is not None:
        return {"left_ms": budget.clocks_ms, "increment_ms": budget.increment_ms}
    given = {"move_ms": budget.move_ms, "nodes": budget.nodes, "depth": budget.depth}
    return {key: value for key, value in given.items() if value is not None}
