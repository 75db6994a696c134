"""The JSON player against scripts: what it says to the letter, what it takes, and what it refuses in which words."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import BotFault, BotStartError
from harness.play.map import play_map
from harness.play.table import Table
from harness.protocols.base import Budget, Setting
from harness.protocols.jsonlines import JsonLinesPlayer
from harness.protocols.scripted import ScriptedChannel
from harness.protocols.uci_info import last_scored
from harness.records import BotSpec, FaultKind, Limits, MapJob, RulesSpec, StateView, TimeControl

PAGE = Path(__file__).parents[2] / "docs" / "protocols" / "json.md"
SPEC = BotSpec("mine", "json", ("mine",), options=(("depth", 3),))
SETTING = Setting(RulesSpec("lightcycles", (("width", 20),)), TimeControl(per_ply_ms=100))
BUDGET = Budget(limit_ns=10**9, move_ms=100)
HELLO = {"type": "hello", "protocol": 1, "name": "Mine", "version": "1.2", "keeps_alive": True}
READY = {"type": "ready"}
UP = {"action": "UP"}

Said = Any


def said(message: Said) -> bytes:
    return message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"


def seated(
    answer: Said = UP, *, hello: Said = HELLO, ready: Said = READY, spec: BotSpec = SPEC, setting: Setting = SETTING
) -> tuple[JsonLinesPlayer, ScriptedChannel]:
    """Give a player with a bot that answers each message with what is given."""
    answers = {"hello": hello, "game": ready, "turn": answer}

    def reply(line: bytes) -> bytes:
        kind = json.loads(line)["type"]
        return said(answers[kind]) if kind in answers else b""

    channel = ScriptedChannel(reply)
    player = JsonLinesPlayer(spec, channel.open)
    player.hear_setting(setting)
    return player, channel


def begun(answer: Said = UP, **keys: Any) -> tuple[JsonLinesPlayer, ScriptedChannel]:
    player, channel = seated(answer, **keys)
    player.begin_game(771, 0, 2)
    return player, channel


def messages(channel: ScriptedChannel) -> list[dict[str, Any]]:
    return [json.loads(line) for line in channel.written.splitlines()]


def ask(player: JsonLinesPlayer, budget: Budget = BUDGET) -> str:
    return player.ask(StateView({"legal": ["UP"], "seat": 0}), budget)


# ------------------------------------------------------------------------------------ what it says


def test_a_whole_game_to_the_letter() -> None:
    player, channel = begun()
    assert ask(player) == "UP"
    assert ask(player) == "UP"
    player.hear_result((1.0, 0.0))
    player.end_game()
    player.close()
    assert channel.written.decode().splitlines() == [
        '{"type":"hello","protocol":1,"bot":"mine","seed":771,"options":{"depth":3}}',
        '{"type":"game","rules":"lightcycles","params":{"width":20},"seat":0,"seats":2,"seed":771,"time":{"per_ply_ms":100}}',
        '{"type":"turn","ply":0,"time":{"move_ms":100},"state":{"legal":["UP"],"seat":0}}',
        '{"type":"turn","ply":1,"time":{"move_ms":100},"state":{"legal":["UP"],"seat":0}}',
        '{"type":"end","scores":[1.0,0.0]}',
        '{"type":"quit"}',
    ]
    assert player.identity == "Mine 1.2"
    assert player.keeps_alive


def test_a_second_game_begins_anew_and_without_the_first_one_s_scores() -> None:
    player, channel = begun()
    ask(player)
    player.hear_result((1.0, 0.0))
    player.end_game()
    player.begin_game(9, 1, 2)
    ask(player)
    player.end_game()
    kinds = [message["type"] for message in messages(channel)]
    assert kinds == ["hello", "game", "turn", "end", "game", "turn", "end"]
    assert [message["ply"] for message in messages(channel) if message["type"] == "turn"] == [0, 0]
    assert [message["scores"] for message in messages(channel) if message["type"] == "end"] == [[1.0, 0.0], None]


def test_a_referee_outside_leaves_the_rules_unsaid() -> None:
    _, channel = begun(setting=Setting())
    assert messages(channel)[1]["rules"] is None
    assert messages(channel)[1]["params"] == {}
    assert messages(channel)[1]["time"] == {}


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        (Budget(limit_ns=10**9, move_ms=100), {"move_ms": 100}),
        (
            Budget(limit_ns=10**9, clocks_ms=(5000, 4000), increment_ms=50),
            {"left_ms": [5000, 4000], "increment_ms": 50},
        ),
        (Budget(limit_ns=10**9, nodes=1000), {"nodes": 1000}),
        (Budget(limit_ns=10**9, depth=4), {"depth": 4}),
        (Budget(limit_ns=10**9), {}),
    ],
)
def test_a_turn_tells_the_time_there_is(budget: Budget, told: dict[str, object]) -> None:
    player, channel = begun()
    ask(player, budget)
    assert messages(channel)[-1]["time"] == told


# ------------------------------------------------------------------------------------ what it takes


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        ({"action": "UP"}, "UP"),
        ({"action": 3}, "3"),
        ({"action": -1, "type": "action"}, "-1"),
        ({"action": ""}, ""),
        ({"action": "\N{GRINNING FACE}"}, "\N{GRINNING FACE}"),
        (b'{"action":"UP"}\r\n', "UP"),
        (b' {"action": "UP"} \n', "UP"),
    ],
)
def test_answers(answer: Said, action: str) -> None:
    assert ask(begun(answer)[0]) == action


@pytest.mark.parametrize(
    ("info", "kept"),
    [
        ({"score_cp": 35, "depth": 4, "text": "more room"}, b"depth 4 score cp 35 string more room"),
        ({"score_cp": -7, "nodes": 100, "other": [1, {}]}, b"nodes 100 score cp -7"),
        ({"depth": 4}, b""),
        ({"score_cp": 1.5, "text": ["x"]}, b""),
        ({"score_cp": 1, "text": "two\nlines\0" + "x" * 1000}, b"score cp 1 string two\\nlines\\x00xxx"),
        ("a text", b""),
        (None, b""),
        ({}, b""),
    ],
    ids=str,
)
def test_info_is_kept_as_transcripts_have_it(info: object, kept: bytes) -> None:
    player, _ = begun({"action": "UP", "info": info})
    ask(player)
    assert last_scored(player.said)[: len(kept)] == kept
    assert len(player.said) < 400
    assert player.said.count(b"\n") <= 1


def test_what_was_said_at_one_ply_is_not_said_at_the_next() -> None:
    answers = iter([HELLO, READY, {"action": "UP", "info": {"score_cp": 1}}, UP])
    channel = ScriptedChannel(lambda _: said(next(answers)))
    player = JsonLinesPlayer(SPEC, channel.open)
    player.begin_game(1, 0, 2)
    ask(player)
    assert player.said
    ask(player)
    assert player.said == b""


# ---------------------------------------------------------------------------------- what it refuses


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"acton": "UP"}, "there is no key 'acton'; there are: type, action, info"),
        ({"action": "UP", "infos": 1}, "there is no key 'infos'"),
        ({"type": "ready", "action": "UP"}, '`type` is "ready", not .*action'),
        ({}, "`action` is missing, not text or a whole number"),
        ({"action": None}, "`action` is missing"),
        ({"action": 1.5}, "`action` is 1.5, not text"),
        ({"action": True}, "`action` is true, not text"),
        ({"action": ["UP"]}, r"`action` is \[\"UP\"\], not text"),
        (b"UP\n", "'UP' is not one JSON object"),
        (b"[1]\n", "is not one JSON object"),
        (b"\n", "'' is not one JSON object"),
        (b'{"action":"UP"} {"action":"UP"}\n', "is not one JSON object"),
        (b'{"action":NaN}\n', "is not one JSON object"),
        (b'{"action":"\xff"}\n', "is not one JSON object"),
        (b"[" * 100_000 + b"\n", "is not one JSON object"),
        (b'{"action":' + b"9" * 10_000 + b"}\n", "is not one JSON object"),
    ],
)
def test_an_answer_that_is_none_is_a_fault(answer: Said, why: str) -> None:
    player, _ = begun(answer)
    with pytest.raises(BotFault, match=why) as caught:
        ask(player)
    assert caught.value.kind is FaultKind.ILLEGAL
    assert len(caught.value.detail) < 300


def test_more_than_was_asked_for_is_a_fault_at_the_next_ply() -> None:
    player, _ = begun(said(UP) * 2)
    ask(player)
    with pytest.raises(BotFault, match="wrote more than it was asked for"):
        ask(player)


@pytest.mark.parametrize(
    ("hello", "why"),
    [
        ({**HELLO, "protocol": 2}, "`protocol` is 2, this harness speaks 1"),
        ({**HELLO, "protocol": True}, "`protocol` is true, this harness speaks 1"),
        ({"type": "hello"}, "`protocol` is missing, this harness speaks 1"),
        ({**HELLO, "keeps_alive": "yes"}, '`keeps_alive` is "yes", not true or false'),
        ({**HELLO, "name": 5}, "`name` is 5, not text"),
        ({**HELLO, "keep_alive": True}, "there is no key 'keep_alive'; there are: type, protocol, name"),
        (READY, "`type` is \"ready\", not 'hello'"),
        (b"hello\n", "'hello' is not one JSON object"),
        (b"", "no answer in time"),
    ],
    ids=str,
)
def test_a_hello_that_is_none_does_not_start(hello: Said, why: str) -> None:
    player, channel = seated(hello=hello)
    with pytest.raises(BotStartError, match="bot 'mine' does not start") as caught:
        player.begin_game(1, 0, 2)
    assert re.search(f"its answer to `hello`, within 10000 ms: .*{re.escape(why)}", str(caught.value))
    assert channel.is_closed


@pytest.mark.parametrize("ready", [b"", {"type": "ok"}, {"type": "ready", "seat": 0}, b"ready\n"], ids=str)
def test_a_bot_that_is_not_ready_for_its_first_game_does_not_start(ready: Said) -> None:
    player, channel = seated(ready=ready)
    with pytest.raises(BotStartError, match="its answer to `game`, within 10000 ms"):
        player.begin_game(1, 0, 2)
    assert channel.is_closed


def test_a_late_bot_is_ended_without_goodbye_and_one_that_erred_is_kept() -> None:
    late, channel = begun(b"")
    with pytest.raises(BotFault, match="no answer in time"):
        ask(late)
    late.end_game()
    assert channel.is_closed
    assert messages(channel)[-1]["type"] == "turn"
    erred, channel = begun({"action": "SIDEWAYS"})
    ask(erred)  # the rules refuse it
    erred.hear_result((0.0, 1.0))
    erred.end_game()
    assert not channel.is_closed
    assert messages(channel)[-1] == {"type": "end", "scores": [0.0, 1.0]}


KEYS = st.sampled_from(["action", "info", "type"]) | st.text(max_size=3)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
ANYTHING = st.binary(max_size=60) | VALUES.map(lambda value: json.dumps(value).encode())


@given(ANYTHING)
def test_nothing_that_a_bot_says_breaks_it(text: bytes) -> None:
    player, _ = begun(text + b"\n")
    try:
        assert isinstance(ask(player), str)
    except BotFault as fault:
        assert fault.detail.isprintable()  # noqa: PT017 - there need be none
    player.end_game()


# ---------------------------------------------------------------------------------------- the page


def bot_of_the_page(folder: Path) -> BotSpec:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len([line for line in code.splitlines() if line.strip()]) <= 15
    (folder / "bot.py").write_text(code)
    return BotSpec("page", "json", (sys.executable, "bot.py"), cwd=str(folder), limits=Limits(quit_ms=5_000))


GAMES: list[tuple[str, dict[str, object]]] = [
    ("lightcycles", {"turns": "simultaneous"}),
    ("chess", {}),
    ("open_spiel/leduc_poker", {}),
]


@pytest.mark.parametrize(("game", "params"), GAMES, ids=str)
def test_the_page_s_bot_plays(tmp_path: Path, game: str, params: dict[str, object]) -> None:
    spec = bot_of_the_page(tmp_path)
    twin = BotSpec("twin", "json", spec.command, cwd=spec.cwd)
    job = MapJob(
        id=0,
        run="r",
        run_key="k",
        stage="run",
        split="train",
        seed=1,
        lineup=(spec, twin),
        seatings=((0, 1), (1, 0)),
        rules=RulesSpec(game, tuple(params.items())),
        time=TimeControl(per_ply_ms=60_000),
    )
    table = Table()
    try:
        record, _ = play_map(job, table, 0)
    finally:
        table.close()
    assert len(record.games) == 2
    assert not any(game.faults for game in record.games)


def test_the_page_has_every_key_and_the_version() -> None:
    page = PAGE.read_text(encoding="utf-8")
    player, channel = begun()
    ask(player)
    player.end_game()
    player.close()
    for message in messages(channel):
        assert f"| `{message['type']}` → |" in page or message["type"] == "turn"
        for key in message:
            assert f"`{key}`" in page or key == "type", key
    for key in ("name", "version", "keeps_alive", "action", "info", "score_cp", "depth", "nodes", "text"):
        assert f"`{key}`" in page


def test_the_page_s_exchange_is_a_real_one() -> None:
    """What comes from a bot on the page is taken, what goes to it has these keys."""
    lines = re.findall(r"^(→|←) (\{.*\})$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    sent = [json.loads(text.replace(",…", "")) for arrow, text in lines if arrow == "→"]
    hello, ready, answer = [json.loads(text) for arrow, text in lines if arrow == "←"]
    player, channel = begun(answer, hello=hello, ready=ready)
    ask(player)
    player.hear_result((1.0, 0.0))
    player.end_game()
    player.close()
    assert [list(message) for message in messages(channel)] == [list(message) for message in sent]
