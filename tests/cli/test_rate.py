"""`harness rate`: runs, PGN files and tables together, as text and as JSON, and what it refuses."""

import random
from pathlib import Path

import pytest

from harness.errors import ExitCode
from harness.store.codec import encode_line
from tests.cli.bench import Bench
from tests.report.made_records import game_record, map_record, mirrored, round_robin


def write_run(folder: Path, name: str = "ladder", n_maps: int = 25) -> None:
    records = round_robin({"ace": 4.0, "mid": 2.0, "low": 1.0}, n_maps)
    path = folder / "results" / name / "maps.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"".join(encode_line(record) for record in records))


def test_rates_a_run(bench: Bench) -> None:
    write_run(bench.folder)
    data = bench("rate", "ladder", "--json").data
    assert [bot["name"] for bot in data["bots"]] == ["ace", "mid", "low"]
    assert data["n_games"] == 150
    assert data["n_maps"] == 25
    assert data["basis"] == "maps"
    assert data["n_repeated"] == 0
    text = bench("rate", "ladder")
    assert text.code == ExitCode.DONE
    assert text.err == ""
    for word in ("Rank could be", "ace", "method", "circles"):
        assert word in text.out


def test_a_played_run_and_a_record_twice(played: Bench) -> None:
    once = played("rate", "duel", "--json").data
    path = Path("results/duel/maps.jsonl")
    path.write_bytes(path.read_bytes() * 2)
    assert played("rate", "duel", "--json").data == once
    assert {bot["name"] for bot in once["bots"]} == {"cand", "chance", "flood"}


def test_two_runs_are_one_pool(bench: Bench) -> None:
    write_run(bench.folder, "one", 10)
    write_run(bench.folder, "two", 10)
    data = bench("rate", "one", "results/two", "--json").data
    # The same seeds in both: their games share ten maps, and those of the second repeat those of the first.
    assert data["n_maps"] == 10
    assert data["n_games"] == 120
    assert data["n_repeated"] == 60
    assert "repeat a game on another map" in bench("rate", "one", "two").out


def test_games_alike_on_one_map_are_no_repeat(bench: Bench) -> None:
    path = bench.folder / "mirror.jsonl"
    path.write_bytes(b"".join(encode_line(record) for record in mirrored(("a", "b"), 12)))
    data = bench("rate", str(path), "--json").data
    assert data["n_repeated"] == 0
    assert any(note["kind"] == "mirrored" for note in data["notes"])


def test_tables_and_pgn_join_the_pool(bench: Bench) -> None:
    write_run(bench.folder)
    rng = random.Random(4)
    lines = ["map,first,second,result"]
    for number in range(20):
        for pair in (("ace", "new"), ("new", "ace")):
            won = (rng.random() < 0.7) == (pair[0] == "ace")
            lines.append(f"{number},{pair[0]},{pair[1]},{'1-0' if won else '0-1'}")
    (bench.folder / "more.csv").write_text("\n".join(lines))
    games = [
        f'[Round "{number}"]\n[White "{w}"]\n[Black "{b}"]\n[Result "{r}"]\n\n{r}\n\n'
        for number in range(6)
        for w, b, r in (("new", "low", "1-0"), ("low", "new", "1/2-1/2"), ("low", "new", "*"))
    ]
    (bench.folder / "more.pgn").write_text("".join(games))
    done = bench("rate", "ladder", "more.csv", "more.pgn", "--json")
    data = done.data
    assert [source["kind"] for source in data["sources"]] == ["run", "table", "pgn"]
    assert [source["unit"] for source in data["sources"]] == ["map", "column", "pair_round"]
    assert [source["n_games"] for source in data["sources"]] == [150, 40, 12]
    assert data["sources"][2]["n_unfinished"] == 6
    # Map 3 of the table is not round 3 of the PGN file, nor seed 3.
    assert data["n_maps"] == 25 + 20 + 6
    assert len(data["bots"]) == 4
    again = bench("rate", "more.pgn", "--unit", "game", "--json").data
    assert again["n_maps"] == 12


def test_counted_lines_take_the_maps_away(bench: Bench) -> None:
    write_run(bench.folder)
    (bench.folder / "sums.csv").write_text("first,second,wins,draws,losses\nace,new,30,5,15\nnew,ace,20,5,25\n")
    data = bench("rate", "ladder", "sums.csv", "--json").data
    assert data["basis"] == "games"
    assert data["n_maps"] is None


def test_options(bench: Bench) -> None:
    write_run(bench.folder)
    data = bench("rate", "ladder", "--anchor", "mid=2000", "--seat", "--twins", "mid,low", "--json").data
    mid = next(bot for bot in data["bots"] if bot["name"] == "mid")
    assert mid["rating"] == pytest.approx(2000.0)
    assert mid["is_anchor"]
    assert data["seat"]["elo"] is not None
    assert data["twins"]["state"] == "compared"
    for draws, words in (("davidson", "draws by Davidson"), ("rao-kupper", "draws by Rao–Kupper")):
        assert words in bench("rate", "ladder", "--draws", draws, "--json").data["method"]
    for prior, words in (("none", "maximum likelihood"), ("pairs", "points each way"), ("average", "average bot")):
        assert words in bench("rate", "ladder", "--prior", prior, "--json").data["method"]


def test_fields_of_three_seats(bench: Bench) -> None:
    records = []
    for job in range(12):
        seatings = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
        rng = random.Random(job)
        games = [
            game_record(
                seating, [0.5 * (2 - index) if rng.random() < 0.8 else 0.5 for index in seating], moves=f"{job}{k}"
            )
            for k, seating in enumerate(seatings)
        ]
        records.append(map_record(job, ("ace", "mid", "low"), games))
    path = bench.folder / "field.jsonl"
    path.write_bytes(b"".join(encode_line(record) for record in records))
    data = bench("rate", str(path), "--json").data
    assert [bot["name"] for bot in data["bots"]] == ["ace", "mid", "low"]
    # Every game is three meetings of two thirds of a game each.
    assert data["n_games"] == pytest.approx(36 * 2.0)
    assert [seat["seat"] for seat in data["field_seats"]] == [0, 1, 2]
    assert sum(seat["score"] for seat in data["field_seats"]) == pytest.approx(1.5)
    assert data["seat"]["state"] == "seats_unknown"
    assert "seat 1 of 3 scored" in bench("rate", str(path)).out
    assert "do not say who sat first of two" in bench("rate", str(path), "--seat").err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rate", "nowhere"], "no run 'nowhere'"),
        (["rate", "none.csv"], "cannot read this table"),
        (["rate", "none.pgn"], "cannot read this PGN file"),
        (["rate", "ladder", "--anchor", "mid"], "NAME=ELO"),
        (["rate", "ladder", "--anchor", "nobody=1500"], "no bot named 'nobody'"),
        (["rate", "ladder", "--twins", "ace"], "two or more different names"),
        (["rate", "odd.jsonl"], "a result cannot be counted"),
    ],
)
def test_refusals(bench: Bench, words: list[str], message: str) -> None:
    write_run(bench.folder)
    record = map_record(0, ("a", "b"), [game_record((0, 1), (1.0, 1.0))])
    (bench.folder / "odd.jsonl").write_bytes(encode_line(record))
    done = bench(*words)
    assert done.code == ExitCode.USAGE
    assert message in done.err
    assert done.out == ""
