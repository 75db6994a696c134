"""Records to lines and back: nothing is lost, whatever a bot wrote, and nothing that is no record is taken."""

import json
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.records import SCHEMA, Fault, FaultKind, MapRecord, Transcript
from harness.store.codec import decode_record, decode_transcript, encode_line
from tests.report.made_records import duel_map, game_record, map_record
from tests.store.any_record import any_dataclass

RECORDS = any_dataclass(MapRecord, schema=st.just(SCHEMA))
TRANSCRIPTS = any_dataclass(Transcript)


@given(RECORDS)
def test_a_record_comes_back_as_it_was(record: MapRecord) -> None:
    line = encode_line(record)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert decode_record(line) == record
    assert encode_line(decode_record(line)) == line


@given(TRANSCRIPTS)
def test_a_transcript_comes_back_as_it_was(transcript: Transcript) -> None:
    line = encode_line(transcript)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert decode_transcript(line) == transcript


@given(RECORDS)
def test_other_programs_read_the_same(record: MapRecord) -> None:
    """Plain JSON: numbers as they were, kinds as their words, what is missing as null."""
    data = json.loads(encode_line(record))
    assert data["seed"] == record.seed
    assert data["scores"] == list(record.scores)
    for game, made in zip(data["games"], record.games, strict=True):
        assert game["termination"] == made.termination.value
        assert game["wall_s"] == made.wall_s
        assert game["values"] == (None if made.values is None else list(made.values))
        assert [fault["kind"] for fault in game["faults"]] == [fault.kind.value for fault in made.faults]


def test_lone_surrogates_of_a_bot_become_escapes() -> None:
    """An in-process bot may raise or answer any Python string; JSON cannot hold all of them."""
    fault = Fault(0, FaultKind.CRASH, 3, "raised \udcff", stderr="tail \ud800\nmore é")
    record = map_record(0, ("a", "b"), [game_record((0, 1), (0.0, 1.0), faults=[fault])])
    read = decode_record(encode_line(record))
    assert read.games[0].faults == (replace(fault, detail="raised \\udcff", stderr="tail \\ud800\nmore é"),)
    assert replace(read, games=()) == replace(record, games=())
    transcript = Transcript(0, 0, 1, ("a", "b"), ("UP\udcff",), (7,))
    assert decode_transcript(encode_line(transcript)).actions == ("UP\\udcff",)


GOOD = encode_line(duel_map(4, ("a", "b"), 0.5, random.Random(1)))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b'"schema":1', b'"schema":2', "schema 2; this version reads schema 1"),
        (b'"job":4', b'"job":4.5', "`int`"),
        (b'"job":4', b'"job":"4"', "`int`"),
        (b'"job":4,', b"", "missing required field `job`"),
        (b'"termination":"normal"', b'"termination":"odd"', "Invalid enum value"),
        (b'"lineup":["a","b"]', b'"lineup":"ab"', "`array`"),
        (b'"split":"train"', b'"split":null', "`str`"),
        (b'{"schema"', b'[{"schema"', "object"),
        (b'"map":"ring 4"', b'"map":"ring \xff"', "UTF-8"),
    ],
)
def test_what_is_no_record_is_refused_with_a_reason(old: bytes, new: bytes, words: str) -> None:
    assert GOOD.count(old) >= 1
    with pytest.raises(ValueError, match=words):
        decode_record(GOOD.replace(old, new, 1))


def test_a_later_version_may_add_keys() -> None:
    assert decode_record(GOOD.replace(b'{"schema"', b'{"new":[1],"schema"', 1)) == decode_record(GOOD)


@pytest.mark.parametrize("line", [b"", b"\n", b"null\n", b"[]\n", b'{"job":1}\n', b"\x00\x00\x00\n"])
def test_a_transcript_is_not_anything(line: bytes) -> None:
    with pytest.raises(ValueError):
        decode_transcript(line)
    with pytest.raises(ValueError):
        decode_record(line)
