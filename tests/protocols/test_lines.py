"""The line reader, whatever is written and however it is cut into pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import BotFault
from harness.protocols.lines import LineReader, shown
from harness.protocols.scripted import ScriptedChannel

BYTES = st.binary(max_size=60) | st.lists(st.sampled_from([b"\n", b"\r", b"\r\n", b"a", b"\0", b"\xff"])).map(b"".join)


def reader(data: bytes, chunk: int, *, hang_up: bool = True, max_bytes: int = 1000) -> LineReader:
    channel = ScriptedChannel(lambda line: data, chunk=chunk, hang_up=hang_up)
    channel.write(b"go\n", 0)
    return LineReader(channel, max_bytes)


@given(BYTES, st.integers(0, 7))
def test_lines_come_as_written_however_they_are_cut(data: bytes, chunk: int) -> None:
    expected = [line.rstrip(b"\r") for line in data.split(b"\n")]
    if data.endswith(b"\n") or not data:
        expected.pop()
    lines = reader(data, chunk)
    assert [lines.read_line(0) for _ in expected] == expected
    with pytest.raises(BotFault, match="hung up"):
        lines.read_line(0)


@given(BYTES, st.integers(0, 7))
def test_an_unfinished_line_of_a_living_bot_is_no_line(data: bytes, chunk: int) -> None:
    lines = reader(data, chunk, hang_up=False)
    for _ in range(data.count(b"\n")):
        lines.read_line(0)
    with pytest.raises(BotFault, match="no answer in time"):
        lines.read_line(0)
    assert lines.unread() == data.rpartition(b"\n")[2]


@given(st.integers(11, 200), st.integers(1, 9))
def test_a_line_too_long_is_refused_before_it_ends(length: int, chunk: int) -> None:
    with pytest.raises(BotFault, match="a line longer than 10 bytes: xxx") as caught:
        reader(b"x" * length, chunk, hang_up=False, max_bytes=10).read_line(0)
    assert caught.value.kind == "illegal"


def test_what_was_given_comes_before_what_is_read() -> None:
    lines = reader(b"b\nc\n", 1)
    lines.give(b"a\n")
    assert [lines.read_line(0) for _ in range(3)] == [b"a", b"b", b"c"]


@given(st.binary(max_size=300) | st.text(max_size=300))
def test_what_is_shown_is_one_short_line_of_plain_characters(data: bytes | str) -> None:
    text = shown(data)
    assert text.removesuffix("…").isascii()
    assert text.isprintable()
    assert len(text) <= 121
