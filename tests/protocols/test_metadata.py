"""Lines of data on standard error: what they say is kept, typed and bounded, wherever they are cut."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.play.map import play_map
from harness.play.table import Table
from harness.protocols.metadata import (
    MAX_KEY,
    MAX_KEYS,
    MAX_LINE,
    MAX_READ,
    MAX_VALUE,
    DataReader,
    Said,
    merge_of_game,
    read_mappings,
    read_value,
)
from harness.records import BotSpec, MapJob, RulesSpec, TimeControl
from harness.store.codec import decode_record, encode_line


def read(*chunks: bytes) -> Said | None:
    reader = DataReader()
    for chunk in chunks:
        reader.take(chunk)
    return reader.give()


def kept(text: str) -> Said:
    said = read(text.encode())
    assert said is not None
    return said


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("-12", -12),
        ("+3", 3),
        ("007", 7),
        ("999999999999999999", 999999999999999999),
        ("9999999999999999999", "9999999999999999999"),
        ("2.5", 2.5),
        (".5", 0.5),
        ("3.", 3.0),
        ("1e3", 1000.0),
        ("-2E-2", -0.02),
        ("1e999", "1e999"),
        ("nan", "nan"),
        ("inf", "inf"),
        ("1_000", "1_000"),
        ("٣", "٣"),
        ("0x10", "0x10"),
        ("true", "true"),
        ("", ""),
        ("a b", "a b"),
        ("1 2", "1 2"),
    ],
)
def test_values_are_what_they_read_as(text: str, value: object) -> None:
    got = read_value(text)
    assert got == value
    assert type(got) is type(value)


def test_each_kind_of_line() -> None:
    said = kept(
        "[TDATA] cells = 231\n[PDATA] depth = 7\n[PDATA] depth = 8\n[PDATA+] nodes = 10\n[PDATA+] nodes = 2.5\n"
        "[DATA] opening = Ruy = Lopez\n  [PDATA]  spaced   key =   x y  \r\n[PDATA] empty =\n"
    )
    assert said.of_game == (("cells", 231),)
    assert said.of_bot == (
        ("depth", 8),
        ("nodes", 12.5),
        ("opening", "Ruy = Lopez"),
        ("spaced   key", "x y"),
        ("empty", ""),
    )
    assert said.n_dropped == 0


def test_other_lines_are_passed_over() -> None:
    assert read(b"turn 3\nDATA = 3\n[XDATA] k = v\ndebug: [PDATA] k = v\n[pdata] k = v\n") is None


def test_a_line_counts_once_its_newline_is_there() -> None:
    reader = DataReader()
    reader.take(b"[PDATA] k = 1")
    assert reader.give() is None
    reader.take(b"2\n")
    assert reader.give() == Said((), (("k", 12),))
    assert reader.give() is None


TEXT = (
    "hello\n[TDATA] cells = 231\n[PDATA] depth = 7\nnoise DATA noise\n[PDATA+] nodes = 5\n[PDATA+] nodes = 6\n"
    f"{'x' * 3000}\n[PDATA] {'y' * 2000} = 3\n[DATA] last = é\n"
).encode()


@given(st.lists(st.integers(0, len(TEXT)), max_size=12))
def test_it_does_not_matter_where_reads_are_cut(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(TEXT)]
    chunks = [TEXT[low:high] for low, high in pairwise(edges)]
    assert read(*chunks) == read(TEXT) == Said((("cells", 231),), (("depth", 7), ("nodes", 11), ("last", "é")), 1)


@given(st.lists(st.binary(max_size=200), max_size=8))
def test_any_bytes_are_taken(chunks: list[bytes]) -> None:
    read(*chunks)


@pytest.mark.parametrize(
    "line",
    [
        f"[PDATA] {'k' * (MAX_KEY + 1)} = 1",
        f"[PDATA] k = {'v' * (MAX_VALUE + 1)}",
        f"[PDATA] k = {' ' * MAX_LINE}1",
        "[PDATA] no value",
        "[PDATA] = 3",
        "[PDATA+] k = many",
        "[PDATA+] k = inf",
    ],
)
def test_what_cannot_be_kept_is_counted(line: str) -> None:
    assert kept(f"{line}\n[PDATA] other = 1\n") == Said((), (("other", 1),), 1)


def test_keys_are_bounded_and_known_ones_stay_open() -> None:
    lines = "".join(f"[PDATA] k{n} = {n}\n" for n in range(MAX_KEYS + 10))
    said = kept(lines + "[PDATA] k0 = 99\n[TDATA] of_game = 1\n")
    assert len(said.of_bot) == MAX_KEYS
    assert said.of_bot[0] == ("k0", 99)
    assert said.of_game == (("of_game", 1),)
    assert said.n_dropped == 10


def test_a_flood_is_read_to_a_bound_and_the_next_game_begins_anew() -> None:
    reader = DataReader()
    block = b"[PDATA+] n = 1\n" * 4096
    n_blocks = MAX_READ // len(block) + 5
    for _ in range(n_blocks):
        reader.take(block)
    said = reader.give()
    assert said is not None
    counted = dict(said.of_bot)["n"]
    assert isinstance(counted, int)
    assert 0 < counted < n_blocks * 4096
    assert counted + said.n_dropped == n_blocks * 4096
    reader.take(b"[PDATA] n = 1\n")
    assert reader.give() == Said((), (("n", 1),), 0)


def test_sums_stay_what_a_record_can_hold() -> None:
    large = "9" * 18
    total = dict(kept(f"[PDATA+] n = {large}\n" * 20).of_bot)["n"]
    assert isinstance(total, float)
    assert total == pytest.approx(20e18)
    huge = kept("[PDATA+] n = 1e308\n" * 3)
    assert huge == Said((), (("n", 1e308),), 2)
    assert math.isfinite(1e308)


def test_what_bots_say_of_a_game_is_brought_together() -> None:
    merged = merge_of_game([(("cells", 25), ("mode", "a")), (), (("cells", 26), ("mode", "a"), ("late", 1))])
    assert merged == ((("mode", "a"), ("late", 1)), (("cells", (25, None, 26)),))
    assert merge_of_game([(), ()]) == ((), ())


def test_what_an_in_process_bot_holds_is_read_within_the_same_bounds() -> None:
    assert read_mappings(None, 3) is None
    assert read_mappings({}, {}) is None
    said = read_mappings({"cells": 25}, {"loss": 0.5, "won": True, "name": "é", "bad": object(), 3: 4, "n": math.nan})
    assert said == Said((("cells", 25),), (("loss", 0.5), ("won", 1), ("name", "é")), 3)
    many = read_mappings({}, {f"k{n}": n for n in range(MAX_KEYS + 5)} | {"long": "x" * (MAX_VALUE + 1), "big": 2**63})
    assert many is not None
    assert len(many.of_bot) == MAX_KEYS
    assert many.n_dropped == 7


# ----------------------------------------------------------------------------------------- with real programs

BOT = """
import sys

name = sys.argv[1]
print("[PDATA] version = 3", file=sys.stderr, flush=True)
print(f"[TDATA] name = {name}", file=sys.stderr)
print("[TDATA] cells = 25", file=sys.stderr, flush=True)
ply = 0
while True:
    n_players, me = map(int, input().split())
    for _ in range(n_players):
        input()
    print("[PDATA+] plies = 1", file=sys.stderr, flush=True)
    print("RIGHT")
    sys.stdout.flush()
"""

UCI = """
import sys

for line in sys.stdin:
    word = line.split()[0]
    if word == "uci":
        print("[PDATA] started = 1", file=sys.stderr, flush=True)
        print("uciok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "go":
        print("[PDATA+] asked = 1", file=sys.stderr, flush=True)
        print("bestmove e7e5" if "e2e4" in line or moves else "bestmove 0000", flush=True)
    elif word == "position":
        moves = "moves" in line
    elif word == "quit":
        break
"""


def make_job(folder: Path, script: str, protocol: str, rules: RulesSpec, **changes: object) -> MapJob:
    (folder / "bot.py").write_text(script)
    lineup = tuple(
        BotSpec(name, protocol, (sys.executable, str(folder / "bot.py"), name), cwd=str(folder), **changes)  # type: ignore[arg-type]
        for name in ("a", "b")
    )
    return MapJob(
        id=3,
        run="test",
        run_key="key",
        stage="run",
        split="train",
        seed=5,
        lineup=lineup,
        seatings=((0, 1), (1, 0)),
        rules=rules,
        time=TimeControl(per_ply_ms=5000, wall_ms=10000),
    )


LIGHT_CYCLES = RulesSpec("lightcycles", ())


def test_a_contest_bots_data_is_in_its_record(tmp_path: Path) -> None:
    table = Table()
    try:
        record, _ = play_map(make_job(tmp_path, BOT, "codingame", LIGHT_CYCLES), table, 0)
    finally:
        table.close()
    assert dict(record.properties)["width"] == 30
    for game in record.games:
        assert game.data == (("cells", 25),)
        names = tuple("ab"[index] for index in game.seating)
        assert game.disputed == (("name", names),)
        for seat in game.bots:
            said = dict(seat.data)
            assert said["version"] == 3
            plies = said["plies"]
            assert isinstance(plies, int)
            assert seat.plies <= plies <= seat.plies + 1, "the ply that lost it the game may count too"
            assert seat.data_dropped == 0
    assert decode_record(encode_line(record)) == record


def test_it_can_be_switched_off(tmp_path: Path) -> None:
    table = Table()
    try:
        record, _ = play_map(make_job(tmp_path, BOT, "codingame", LIGHT_CYCLES, metadata=False), table, 0)
    finally:
        table.close()
    assert all(not game.data and not game.disputed for game in record.games)
    assert all(not seat.data and not seat.data_dropped for game in record.games for seat in game.bots)


def test_an_engine_that_is_kept_says_it_anew_each_game(tmp_path: Path) -> None:
    """What it said to start belongs to no game: which game is its first depends on the worker."""
    table = Table()
    try:
        record, _ = play_map(make_job(tmp_path, UCI, "uci", RulesSpec("chess", ())), table, 0)
    finally:
        table.close()
    for game in record.games:
        assert [dict(seat.data).get("asked", 0) for seat in game.bots] == [1, 0]
        assert all("started" not in dict(seat.data) for seat in game.bots)


PYTHON = """
class Bot:
    def __init__(self):
        self.data = {"plies": 0}
        self.game_data = {"cells": 7}

    def __call__(self, view):
        self.data["plies"] += 1
        return "RIGHT"


def make(seed, seat, n_seats):
    return Bot()
"""


def test_an_in_process_bot_holds_its_data(tmp_path: Path) -> None:
    job = make_job(tmp_path, PYTHON, "codingame", LIGHT_CYCLES)
    lineup = tuple(
        BotSpec(bot.name, "python", python=f"{tmp_path / 'bot.py'}:make", cwd=str(tmp_path), metadata=bot.name == "a")
        for bot in job.lineup
    )
    record, _ = play_map(replace(job, lineup=lineup), Table(), 0)
    for game in record.games:
        assert game.data == (("cells", 7),)
        for index, seat in zip(game.seating, game.bots, strict=True):
            said = dict(seat.data).get("plies")
            assert said is None if index else said in {seat.plies, seat.plies + 1}
