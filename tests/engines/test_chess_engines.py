"""Real chess engines end to end: check, an interrupted gauntlet, its records, its PGN, its table.

The table is computed once more here from maps.jsonl, in a few lines that share nothing with the program.
"""

import io
import json
import math
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import chess
import chess.pgn
import pytest

from harness.errors import ExitCode
from tests.engines.conftest import N_JOBS, ROOT, Gauntlet, harness, is_alive, result_of

pytestmark = [pytest.mark.engines, pytest.mark.timeout(240)]


def command(*words: str, cwd: Path) -> str:
    done = result_of(harness(*words, cwd=cwd))
    assert done.returncode in {ExitCode.DONE, ExitCode.NO_VERDICT}, done.stderr
    return done.stdout


def records(gauntlet: Gauntlet) -> list[dict[str, Any]]:
    lines = (gauntlet.run / "maps.jsonl").read_text().splitlines()
    return sorted((json.loads(line) for line in lines), key=lambda record: int(record["job"]))


def test_the_config_of_the_repository_finds_its_engines_well(tmp_path: Path) -> None:
    done = result_of(harness("check", str(ROOT / "configs" / "chess.yaml"), "--json", cwd=tmp_path))
    assert done.returncode == ExitCode.DONE, done.stdout + done.stderr
    checks = {check["name"]: check for check in json.loads(done.stdout)["bots"]}
    said = {"stockfish": "Stockfish", "ethereal": "Ethereal", "gnuchess": "GNU Chess"}
    assert set(checks) == set(said)
    for name, words in said.items():
        assert words in checks[name]["identity"]
        assert checks[name]["problem"] is None
        assert len(checks[name]["fingerprint"]) == 32
        assert chess.Move.from_uci(checks[name]["answer"])


def test_ctrl_c_finishes_the_map_and_says_how_to_go_on(gauntlet: Gauntlet) -> None:
    assert gauntlet.interrupted.returncode == ExitCode.INTERRUPTED, gauntlet.interrupted.stderr
    assert "harness run small.yaml" in gauntlet.interrupted.stderr
    assert 2 <= gauntlet.n_before < N_JOBS
    assert gauntlet.alive_between == []
    assert gauntlet.finished.returncode == ExitCode.DONE, gauntlet.finished.stderr
    assert f"{gauntlet.n_before} of them done before" in gauntlet.finished.stderr


def test_every_job_is_there_once_as_planned(gauntlet: Gauntlet) -> None:
    plan = json.loads(command("plan", "small.yaml", "--json", "--jobs", "1000", cwd=gauntlet.folder))
    played = records(gauntlet)
    assert [record["job"] for record in played] == list(range(N_JOBS))
    assert [(job["seed"], job["lineup"]) for job in plan["jobs"]] == [(each["seed"], each["lineup"]) for each in played]
    for record in played:
        assert [game["seating"] for game in record["games"]] == [[0, 1], [1, 0]]
        assert all(game["faults"] == [] for game in record["games"])
        assert record["attempt"] == 1


def test_engines_stay_alive_between_games_and_are_gone_at_the_end(gauntlet: Gauntlet) -> None:
    """One start each in the first session, one in the second, for all their games; none is left."""
    for name in ("stockfish", "ethereal", "gnuchess"):
        assert len(gauntlet.pids(name)) == 2
        assert not any(is_alive(pid) for pid in gauntlet.pids(name))


def test_python_chess_reads_the_pgn(gauntlet: Gauntlet) -> None:
    text = command("export", "small", cwd=gauntlet.folder)
    stream = io.StringIO(text)
    by_round = {}
    while (game := chess.pgn.read_game(stream)) is not None:
        assert game.errors == []
        by_round[game.headers["Round"]] = game
    played = {
        f"{each['job']}.{number}": (each, game)
        for each in records(gauntlet)
        for number, game in enumerate(each["games"])
    }
    assert set(by_round) == set(played)
    for key, (record, game) in played.items():
        _check_game(by_round[key], record, game)


def _check_game(pgn: chess.pgn.Game, record: dict[str, Any], game: dict[str, Any]) -> None:
    """Replay a game with python-chess: every move legal, the end as the record says, and not earlier."""
    board = pgn.board()
    claimable_before = False
    for move in pgn.mainline_moves():
        assert move in board.legal_moves
        assert board.outcome(claim_draw=False) is None
        claimable_before = board.is_repetition(3) or board.is_fifty_moves()
        assert not claimable_before
        board.push(move)
    result = {(1.0, 0.0): "1-0", (0.0, 1.0): "0-1", (0.5, 0.5): "1/2-1/2"}[tuple(game["scores"])]
    assert pgn.headers["Result"] == result
    assert [pgn.headers["White"], pgn.headers["Black"]] == [record["lineup"][index] for index in game["seating"]]
    assert len(list(pgn.mainline_moves())) == game["plies"]
    if game["termination"] == "normal":
        outcome = board.outcome(claim_draw=True)
        assert outcome is not None
        assert outcome.result() == result
    else:
        assert (game["termination"], game["plies"], result) == ("max_length", 120, "1/2-1/2")
    assert any("depth" in node.comment or "/" in node.comment for node in pgn.mainline())


def test_the_table_can_be_computed_from_the_records_alone(gauntlet: Gauntlet) -> None:
    shown = json.loads(command("show", "small", "--json", cwd=gauntlet.folder))
    rows = {row["opponent"]: row for row in shown["comparisons"]}
    played = records(gauntlet)
    assert set(rows) == {"ethereal", "gnuchess"}
    for opponent, row in rows.items():
        games = [
            game["scores"][game["seating"].index(0)]
            for record in played
            if record["lineup"] == ["stockfish", opponent]
            for game in record["games"]
        ]
        maps = [(first + second) / 2 for first, second in zip(games[::2], games[1::2], strict=True)]
        assert (row["wins"], row["draws"], row["losses"]) == (games.count(1.0), games.count(0.5), games.count(0.0))
        assert (row["n_games"], row["points"], row["estimate"]["n_maps"]) == (len(games), sum(games), len(maps))
        assert row["estimate"]["score"] == pytest.approx(mean(maps))
        assert row["estimate"]["sd"] == pytest.approx(stdev(maps))
        assert row["penta"] == [maps.count(quarter / 4) for quarter in range(5)]
        decided = row["wins"] + row["losses"]
        z = (row["wins"] - row["losses"]) / math.sqrt(decided) if decided else None
        assert row["z"] == pytest.approx(z)
        p, n, t = mean(games), len(games), 1.959963984540054
        half = t * math.sqrt(p * (1 - p) / n + t * t / (4 * n * n))
        wilson = [(p + t * t / (2 * n) + sign * half) / (1 + t * t / n) for sign in (-1, 1)]
        assert [row["per_game_low"], row["per_game_high"]] == pytest.approx(wilson)
    seats = [seat for record in played for game in record["games"] for seat in game["bots"]]
    assert shown["n_plies"] == sum(seat["plies"] for seat in seats)
    assert shown["n_games"] == 2 * N_JOBS
    assert sum(bot["ply_time"]["total_s"] for bot in shown["bots"]) == pytest.approx(
        sum(seat["think_s"] for seat in seats)
    )


def test_engines_that_are_called_deterministic_are(gauntlet: Gauntlet) -> None:
    """One map against each opponent is played again: before the interruption, and after it."""
    for job in ("0", str(N_JOBS - 1)):
        data = json.loads(command("replay", "small", job, "--json", cwd=gauntlet.folder))
        assert data["played_again"], data["reason"]
        assert data["differences"] == []
        assert any(ply["info"] for ply in data["games"][0]["plies"])
