"""docs/record-format.md says what is on disk: every key, no other, in order; its example is a record."""

import json
import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from harness.records import (
    Fault,
    FaultKind,
    GameRecord,
    MapRecord,
    SeatRecord,
    Termination,
    Transcript,
    bin_middle_s,
    think_bin,
)
from harness.store.codec import decode_record, encode_line
from harness.store.run_directory import Manifest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "record-format.md").read_text(encoding="utf-8")
DOCUMENTED: dict[str, type] = {
    "maps.jsonl: a map": MapRecord,
    "A game": GameRecord,
    "A seat": SeatRecord,
    "A fault": Fault,
    "t/NNNN.jsonl: a transcript": Transcript,
    "manifest.json: what a run is made of": Manifest,
}


def table_under(heading: str) -> list[list[str]]:
    """Give the rows of the table under a heading, without its head."""
    section = re.split(rf"^##+ {re.escape(heading)}$", PAGE, flags=re.MULTILINE)[1]
    section = re.split(r"^##", section, maxsplit=1, flags=re.MULTILINE)[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


@pytest.mark.parametrize("heading", DOCUMENTED)
def test_every_key_is_documented_and_no_other(heading: str) -> None:
    keys = [row[0].strip("`") for row in table_under(heading)]
    assert keys == [field.name for field in fields(DOCUMENTED[heading])]
    assert all(len(row) == 3 and row[2] for row in table_under(heading))


@pytest.mark.parametrize("heading", DOCUMENTED)
def test_what_may_be_null_is_said(heading: str) -> None:
    hints = get_type_hints(DOCUMENTED[heading])
    for key, value, _ in table_under(heading):
        assert ("null" in value) == (type(None) in get_args(hints[key.strip("`")])), key


def test_the_words_of_enums_are_all_there() -> None:
    kinds = {row[0].strip("`"): row[1] for heading in ("A game", "A fault") for row in table_under(heading)}
    assert re.findall(r"`(\w+)`", kinds["termination"]) == [each.value for each in Termination]
    assert re.findall(r"`(\w+)`", kinds["kind"]) == [each.value for each in FaultKind]


def example() -> dict[str, Any]:
    text = re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert text is not None
    data: dict[str, Any] = json.loads(text[1])
    return data


def test_the_example_is_a_record_with_every_key() -> None:
    data = example()
    record = decode_record(json.dumps(data).encode())
    assert json.loads(encode_line(record)) == data
    for part, kind in ((data, MapRecord), (data["games"][0], GameRecord), (data["games"][0]["bots"][0], SeatRecord)):
        assert is_dataclass(kind)
        assert list(part) == [field.name for field in fields(kind)]
    for game in data["games"]:
        assert sum(game["scores"]) == 1
        assert game["plies"] == sum(seat["plies"] for seat in game["bots"])
        assert all(seat["plies"] == sum(count for _, count in seat["ply_bins"]) for seat in game["bots"])
    totals = [sum(game["scores"][game["seating"].index(bot)] for game in data["games"]) for bot in (0, 1)]
    assert data["scores"] == totals


def test_the_formula_of_the_bins_is_the_code() -> None:
    for t in [*range(100), *(2**power + offset for power in range(7, 45) for offset in (-1, 0, 1, 37))]:
        digits = t.bit_length()
        index = t if t < 8 else 8 * (digits - 4) + t // 2 ** (digits - 4)
        assert think_bin(t) == index
        assert t == 0 or abs(bin_middle_s(index) * 1e9 - t) <= 0.0625 * t


def test_every_event_is_documented() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "harness").rglob("*.py"))
    written = re.findall(r'append_event\(\s*"([^"]+)"((?:, \w+=[^,]+)*)', source)
    documented = {row[0].strip("`"): set(re.findall(r"`(\w+)`", row[1])) for row in table_under("events.jsonl")}
    assert {event for event, _ in written} == set(documented)
    for event, facts in written:
        assert set(re.findall(r", (\w+)=", facts)) == documented[event]
