"""Real programs of xboard's protocol and of GTP end to end: check, a run that is interrupted, replay, export.

The games are read again by others: chess by python-chess from the PGN, Go by GNU Go from the SGF, which counts anew.
"""

from __future__ import annotations

import io
import json
import signal
import time
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest

from harness.errors import ExitCode
from tests.engines.conftest import ROOT, engine, harness, result_of
from tests.rules.gnugo_oracle import GnuGo

pytestmark = [pytest.mark.engines, pytest.mark.timeout(240)]

CHESS = """\
rules: {{name: chess, openings: {root}/configs/openings.epd}}
bots:
  gnuchess: {{command: [{gnuchess}, --xboard], protocol: xboard}}
  phalanx: {{command: [{phalanx}, -b-, -l-], protocol: xboard}}
  fairymax: {{command: [{fairymax}], protocol: xboard, options: {{memory: 8}}, time: {{depth: 2, wall_ms: 50000}}}}
  stockfish: {{command: [{stockfish}], protocol: uci, options: {{Threads: 1, Hash: 4}}, time: {{nodes: 100}}}}
schedule: {{type: round_robin}}
maps: {{ledger: {root}/seeds/chess.yaml, split: train, count: 1}}
time: {{per_ply_ms: 20, grace_ms: 20000, wall_ms: 50000}}
adjudication: {{max_plies: 80}}
stop_after: {{first_forfeits: null}}
workers: 2
"""
GO = """\
rules: {{name: go, size: 7}}
bots:
  zero: {{command: [{gnugo}, --mode, gtp, --chinese-rules, --positional-superko], protocol: gtp, deterministic: true,
    options: {{level: 0}}}}
  one: {{command: [{gnugo}, --mode, gtp, --chinese-rules, --positional-superko, --capture-all-dead], protocol: gtp,
    deterministic: true, options: {{level: 1}}}}
schedule: {{type: gauntlet, candidate: zero}}
maps: {{ledger: {root}/seeds/go.yaml, split: train, count: 3}}
time: {{per_ply_ms: 50000}}
workers: 1
"""
PROGRAMS = ("gnuchess", "phalanx", "fairymax", "stockfish", "gnugo")


def command(*words: str, cwd: Path) -> str:
    done = result_of(harness(*words, cwd=cwd))
    assert done.returncode in {ExitCode.DONE, ExitCode.NO_VERDICT}, done.stderr
    return done.stdout


def records(run: Path) -> list[dict[str, Any]]:
    lines = (run / "maps.jsonl").read_text().splitlines()
    return sorted((json.loads(line) for line in lines), key=lambda record: int(record["job"]))


def furnish(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.yaml").write_text(text.format(root=ROOT, **{program: engine(program) for program in PROGRAMS}))


@pytest.mark.parametrize("config", ["chess-xboard", "go"])
def test_the_configs_of_the_repository_find_their_engines_well(config: str, tmp_path: Path) -> None:
    done = result_of(harness("check", str(ROOT / "configs" / f"{config}.yaml"), "--json", cwd=tmp_path))
    assert done.returncode == ExitCode.DONE, done.stdout + done.stderr
    said = {"phalanx": "Phalanx", "fairymax": "Fairy-Max", "gnuchess": "GNU Chess", "stockfish": "Stockfish"}
    for check in json.loads(done.stdout)["bots"]:
        assert said.get(check["name"], "GNU Go") in check["identity"]
        assert check["problem"] is None


def test_chess_engines_of_two_protocols_play_each_other(tmp_path: Path) -> None:
    """Interrupted after the first map and gone on with; every game is legal chess with scores of the engines' own."""
    furnish(tmp_path, "four", CHESS)
    first = harness("run", "four.yaml", "--quiet", cwd=tmp_path)
    run = tmp_path / "results" / "four"
    while first.poll() is None and (not (run / "maps.jsonl").exists() or not (run / "maps.jsonl").read_bytes()):
        time.sleep(0.02)
    first.send_signal(signal.SIGINT)
    assert result_of(first).returncode in {ExitCode.INTERRUPTED, ExitCode.DONE, ExitCode.NO_VERDICT}
    command("run", "four.yaml", "--quiet", cwd=tmp_path)
    played = records(run)
    assert [record["job"] for record in played] == list(range(6))
    stream = io.StringIO(command("export", "four", cwd=tmp_path))
    by_round = {}
    while (game := chess.pgn.read_game(stream)) is not None:
        assert game.errors == []
        by_round[game.headers["Round"]] = game
    for record in played:
        for number, each in enumerate(record["games"]):
            # Phalanx takes positions for repeated whose castling rights differ, and claims the draw
            faults = [(record["lineup"][each["seating"][fault["seat"]]], fault["kind"]) for fault in each["faults"]]
            assert faults in ([], [("phalanx", "illegal")]), each
            pgn = by_round[f"{record['job']}.{number}"]
            assert pgn.headers["Result"] == {1.0: "1-0", 0.0: "0-1", 0.5: "1/2-1/2"}[each["scores"][0]]
            n_moves = len(list(pgn.mainline_moves()))
            assert n_moves == each["plies"] - ("resigns" in each["detail"])
    comments = [node.comment for pgn in by_round.values() for node in pgn.mainline()]
    assert sum("/" in comment for comment in comments) > len(comments) / 2, "scores and depths of most plies are known"


def test_gnu_go_plays_to_the_end_and_counts_the_same(tmp_path: Path) -> None:
    """GNU Go loads each finished game; what is left on the board is alive, so its count must be the recorded one."""
    furnish(tmp_path, "small", GO)
    command("run", "small.yaml", "--quiet", cwd=tmp_path)
    run = tmp_path / "results" / "small"
    sgf = command("export", "small", cwd=tmp_path)
    games = [f"(;{text}" for text in sgf.split("(;")[1:]]
    played = [game for record in records(run) for game in record["games"]]
    assert len(games) == len(played) == 6
    with GnuGo("--capture-all-dead") as oracle:
        for game, text in zip(played, games, strict=True):
            assert game["faults"] == []
            assert game["termination"] == "normal"
            if "resigns" in game["detail"]:
                assert "+R]" in text
                continue
            margin = game["values"][0] - game["values"][1]
            result = f"{'B' if margin > 0 else 'W'}+{abs(margin)}"
            assert f"RE[{result}]" in text
            path = tmp_path / "game.sgf"
            path.write_text(text)
            oracle.say(f"loadsgf {path}")
            assert oracle.say("final_score") == result
    data = json.loads(command("replay", "small", "0", "--json", cwd=tmp_path))
    assert data["played_again"], data["reason"]
    assert data["differences"] == [], "the same seeds make the same games"
