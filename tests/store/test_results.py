"""Results alone: the same as the full records, once each, and nothing that is no record."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import ResultsError
from harness.records import SCHEMA, MapRecord
from harness.store.codec import encode_line
from harness.store.results import decode_result, read_results
from tests.report.made_records import round_robin
from tests.store.any_record import any_dataclass


@given(any_dataclass(MapRecord, schema=st.just(SCHEMA)))
def test_results_are_those_of_the_record(record: MapRecord) -> None:
    result = decode_result(encode_line(record))
    assert (result.job, result.seed, result.lineup) == (record.job, record.seed, record.lineup)
    got = [(game.seating, game.scores, game.moves, game.plies) for game in result.games]
    assert got == [(game.seating, game.scores, game.moves, game.plies) for game in record.games]


def test_a_record_that_stands_twice_counts_once(tmp_path: Path) -> None:
    lines = [encode_line(record) for record in round_robin({"a": 2.0, "b": 1.0, "c": 0.5}, 6)]
    mixed = [*lines, *lines[3:9]]
    random.Random(1).shuffle(mixed)
    path = tmp_path / "maps.jsonl"
    path.write_bytes(b"".join(mixed) + lines[0][:50])
    for name in (path, tmp_path):
        assert sorted(result.job for result in read_results(name)) == list(range(len(lines)))


def test_lines_that_are_no_record_are_named(tmp_path: Path) -> None:
    path = tmp_path / "maps.jsonl"
    line = encode_line(round_robin({"a": 2.0, "b": 1.0}, 1)[0])
    path.write_bytes(line + b"{}\n")
    with pytest.raises(ResultsError, match=r"maps\.jsonl:2"):
        list(read_results(path))
    path.write_bytes(line.replace(b'"schema":1', b'"schema":9', 1))
    with pytest.raises(ResultsError, match=r"schema 9; this version reads schema 1"):
        list(read_results(path))
