"""`harness export`: PGN that other tools read, whole or not at all. Real engines' games are in tests/engines."""

import io
import shutil
import sys
from pathlib import Path

import chess.pgn
import pytest

from harness.errors import ExitCode
from tests.cli.bench import ROOT, Bench

SHUFFLER = ROOT / "tests" / "bots" / "misbehave.py"
BOOK = 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - id "open";\n'
CONFIG = """\
rules: {{name: chess, openings: book.epd}}
bots:
  one: {{command: [{python}, -S, -E, -I, {program}, --protocol, uci, --fault, none], protocol: uci}}
  two: {{command: [{python}, -S, -E, -I, {program}, --protocol, uci, --fault, illegal, --at, "2"], protocol: uci}}
schedule: {{type: gauntlet, candidate: one}}
maps: {{ledger: seeds.yaml, split: train, count: 2}}
time: {{per_ply_ms: 60000}}
stop_after: {{first_forfeits: null}}
workers: 1
"""


@pytest.fixture
def knights(bench: Bench) -> Bench:
    """A bench with a finished run of two engines that move their knights; one forfeits at its third ply."""
    Path("book.epd").write_text(BOOK)
    bench.write(CONFIG.format(python=sys.executable, program=SHUFFLER))
    assert bench("run", "duel.yaml", "--quiet").code in {ExitCode.DONE, ExitCode.NO_VERDICT}
    return bench


def games_in(text: str) -> list[chess.pgn.Game]:
    stream = io.StringIO(text)
    games = []
    while (game := chess.pgn.read_game(stream)) is not None:
        assert game.errors == []
        games.append(game)
    return games


def test_export_writes_what_was_recorded(knights: Bench) -> None:
    done = knights("export", "duel")
    assert done.code == ExitCode.DONE
    games = games_in(done.out)
    assert len(games) == 4
    records = [(line, number) for line in knights.lines() for number in (0, 1)]
    for game, (line, number) in zip(games, records, strict=True):
        recorded = line["games"][number]
        names = [line["lineup"][index] for index in recorded["seating"]]
        assert [game.headers["White"], game.headers["Black"]] == names
        assert game.headers["Round"] == f"{line['job']}.{number}"
        assert game.headers["Result"] == {1.0: "1-0", 0.0: "0-1"}[recorded["scores"][0]]
        assert game.headers["Termination"] == "rules infraction"
        assert game.headers["TimeControl"] == "1/60"
        assert game.headers["FEN"].startswith("rnbqkbnr/pppp1ppp/8/4p3")
        assert len(list(game.mainline_moves())) == recorded["plies"]


def test_export_needs_neither_config_nor_engines(knights: Bench) -> None:
    whole = knights("export", "duel").out
    Path("duel.yaml").unlink()
    assert knights("export", "duel").out == whole
    Path("moved").mkdir()
    shutil.move("book.epd", "moved/book.epd")
    assert "book.epd" in knights("export", "duel").err
    assert knights("export", "duel", "--config", "moved/duel.yaml").out == whole


def test_export_refuses_another_book(knights: Bench) -> None:
    Path("book.epd").write_text(BOOK.replace("open", "other"))
    done = knights("export", "duel")
    assert done.code == ExitCode.USAGE
    assert "`rules.openings` is not what this run was played with" in done.err


def test_export_to_a_file_is_whole_or_not_at_all(knights: Bench) -> None:
    done = knights("export", "duel", "--output", "games.pgn")
    assert done.out == ""
    assert "4 games written to games.pgn" in done.err
    whole = Path("games.pgn").read_text()
    assert whole == knights("export", "duel").out
    path = Path("results/duel/t/0000.jsonl")
    text = path.read_text()
    path.write_text(text.replace('"g1f3"', '"g1g5"'))
    failed = knights("export", "duel", "-o", "games.pgn")
    assert failed.code == ExitCode.USAGE
    assert "this is no game by the rules" in failed.err
    assert "g1g5" in failed.err
    assert Path("games.pgn").read_text() == whole
    assert [path.name for path in Path().glob(".*")] == []
    path.write_text(text)
    nowhere = knights("export", "duel", "-o", "none/games.pgn")
    assert nowhere.code == ExitCode.USAGE
    assert "cannot write none/games.pgn" in nowhere.err


def test_export_gives_a_map_once(knights: Bench) -> None:
    whole = knights("export", "duel").out
    path = Path("results/duel/maps.jsonl")
    path.write_bytes(path.read_bytes() * 2)
    assert knights("export", "duel").out == whole


def test_a_game_without_a_format_is_said_to_have_none(played: Bench) -> None:
    done = played("export", "duel")
    assert done.code == ExitCode.USAGE
    assert "no format that other tools read is known for lightcycles" in done.err
    assert "allowed: runs of chess, go" in done.err
    assert "maps.jsonl and t/, which have all of it" in done.err
    assert played("export", "duel", "--format", "sgf").err == done.err
    assert done.out == ""


GO = """\
rules: {{name: go, size: 5}}
bots:
  one: {{command: [{python}, -S, -E, -I, {program}, --protocol, gtp, --fault, none], protocol: gtp}}
  two: {{command: [{python}, -S, -E, -I, {program}, --protocol, gtp, --fault, illegal, --at, "2"], protocol: gtp}}
schedule: {{type: gauntlet, candidate: one}}
maps: {{ledger: seeds.yaml, split: train, count: 1}}
time: {{per_ply_ms: 60000}}
stop_after: {{first_forfeits: null}}
workers: 1
"""


def test_go_is_exported_as_sgf(bench: Bench) -> None:
    """What engines read of it is in tests/engines and tests/rules."""
    bench.write(GO.format(python=sys.executable, program=SHUFFLER))
    assert bench("run", "duel.yaml", "--quiet").code in {ExitCode.DONE, ExitCode.NO_VERDICT}
    done = bench("export", "duel")
    assert done.code == ExitCode.DONE
    games = done.out.strip().split(")\n(")
    assert len(games) == 2
    (record,) = bench.lines()
    for text, game in zip(games, record["games"], strict=True):
        winner = "BW"[game["scores"].index(1.0)]
        assert f"SZ[5]KM[7.5]RU[Chinese]PB[{'two' if winner == 'W' else 'one'}]" in text
        assert f"RE[{winner}+F]" in text
        assert text.count(";B[") + text.count(";W[") == game["plies"]
    refused = bench("export", "duel", "--format", "pgn")
    assert refused.code == ExitCode.USAGE
    assert "PGN is for chess" in refused.err
    assert "--format sgf" in refused.err
    transcripts = Path("results/duel/t/0000.jsonl")
    transcripts.write_text(transcripts.read_text().replace('"A1"', '"Z9"'))
    spoilt = bench("export", "duel")
    assert spoilt.code == ExitCode.USAGE
    assert "this is no game by the rules" in spoilt.err
