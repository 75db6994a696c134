"""Every misbehaviour against a good bot: in both seats, by every protocol, with 1 and 2 workers, plain and sandboxed.

One run for each of these settings plays all of them, through workers as users' runs do; the tests look at its records.
What halts a run or kills workers is in tests/run/test_failures.py, what a sandbox keeps a bot from in
tests/protocols/test_sandbox.py.
"""

from __future__ import annotations

import uuid
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from harness.protocols.process import why_no_sandbox
from harness.records import GameRecord, MapRecord
from tests.bots.actors import PROTOCOLS, bot, faults_of, kill_leftovers, leftovers
from tests.hostile.outcomes import Expected, expected
from tests.needs import cannot_run
from tests.run.runs import LIGHTCYCLES, Watcher, entry, play, write_config

ISOLATIONS = ("process", "sandbox")
N_WORKERS = (1, 2)
SETTINGS = [(protocol, isolation, n) for protocol in PROTOCOLS for isolation in ISOLATIONS for n in N_WORKERS]
LATER = ("json", "gomocup", "gtp", "xboard")
SETTINGS += [(protocol, "process", 1) for protocol in LATER]  # one shows what differs: what is said
LIMITS = {
    "memory_mb": 300,
    "processes": 20,
    "output_mb": 16,
    "file_mb": 20,
    "tmp_mb": 8,
    "stop_ms": 200,
    "quit_ms": 300,
}
CHESS = {"name": "chess"}
GO = {"name": "go", "size": 5}
GOMOKU = {"name": "gomoku", "size": 7, "openings": "none"}
PATIENT = {"per_ply_ms": 4000, "first_ply_ms": 5000}
"""For those that a limit is to end: on a busy machine that takes a while."""


class Played:
    """One run with everything in it: its records by bot, and what was left of it."""

    def __init__(self, protocol: str, isolation: str, n_workers: int) -> None:
        tag = f"tag-{uuid.uuid4().hex}"
        self.by_bot: dict[str, MapRecord] = {}
        self.watcher = Watcher()
        with TemporaryDirectory() as folder:
            config = write_config(Path(folder), bots_of(protocol, isolation, tag), **settings_of(protocol, n_workers))
            before = set(Path(folder).iterdir())
            try:
                records = play(config, self.watcher, max_starved=1000)
            finally:
                self.processes = leftovers(tag)
                kill_leftovers(tag)
            self.files = {path.name for path in set(Path(folder).iterdir()) - before} | {
                path.name for path in Path("/tmp").glob(f"*{tag}*") if path.stat().st_size > LIMITS["file_mb"] << 20
            }
            for path in Path("/tmp").glob(f"*{tag}*"):
                path.unlink()
        for record in records:
            self.by_bot[record.lineup[1]] = record


def bots_of(protocol: str, isolation: str, tag: str) -> dict[str, dict[str, Any]]:
    """Give the good bot and every bad one, as a config has them."""
    bots = {"good": entry(bot(protocol, tag=tag))}
    for fault in expected(protocol, isolation, spoken=protocol in LATER):
        options: dict[str, Any] = {"path": ["."]} if fault == "fill-disk" and isolation == "sandbox" else {}
        keys: dict[str, Any] = {"limits": LIMITS, "isolation": isolation}
        if fault.endswith(("-bomb", "flood")):
            keys["time"] = PATIENT
        bots[f"bad-{fault}"] = entry(bot(protocol, fault, tag=tag, **options), **keys)
    return bots


def settings_of(protocol: str, n_workers: int) -> dict[str, Any]:
    time = {"per_ply_ms": 200, "first_ply_ms": 5000, "wall_ms": 5000}
    rules = {"uci": CHESS, "xboard": CHESS, "gomocup": GOMOKU, "gtp": GO}.get(protocol, LIGHTCYCLES)
    return {"count": 1, "workers": n_workers, "rules": rules, "time": time}


@cache
def played(protocol: str, isolation: str, n_workers: int) -> Played:
    if isolation == "sandbox" and (why := why_no_sandbox()):
        cannot_run(f"this machine cannot give a sandbox: {why}")
    return Played(protocol, isolation, n_workers)


def own_ply(game: GameRecord, ply: int, index: int) -> int:
    """Give the number among a bot's own plies of a ply of the game; seats move in turn."""
    return (ply - game.seating.index(index)) // 2


CASES = [
    pytest.param(*setting, fault, outcome, id=f"{'-'.join(map(str, setting))}-{fault}")
    for setting in SETTINGS
    for fault, outcome in expected(setting[0], setting[1], spoken=setting[0] in LATER).items()
]


@pytest.mark.timeout(180)
@pytest.mark.parametrize(("protocol", "isolation", "n_workers", "fault", "outcome"), CASES)
def test_outcome(protocol: str, isolation: str, n_workers: int, fault: str, outcome: Expected) -> None:
    record = played(protocol, isolation, n_workers).by_bot[f"bad-{fault}"]
    assert [game.seating for game in record.games] == [(0, 1), (1, 0)]
    for game in record.games:
        assert faults_of(game, 0) == [], "the good bot is unharmed"
        faults = [(kind, own_ply(game, ply, 1), detail) for kind, ply, detail in faults_of(game, 1)]
        if outcome is None:
            assert faults == []
            assert game.termination == "normal"
        elif outcome.must or faults:
            assert len(faults) == 1
            assert outcome.fits(*faults[0]), faults
            assert game.termination == "forfeit"
            assert game.scores[game.seating.index(1)] == 0


@pytest.mark.timeout(180)
@pytest.mark.parametrize(("protocol", "isolation", "n_workers"), SETTINGS)
def test_run_goes_on_to_its_end_and_nothing_is_left(protocol: str, isolation: str, n_workers: int) -> None:
    run = played(protocol, isolation, n_workers)
    assert run.by_bot.keys() == {f"bad-{fault}" for fault in expected(protocol, isolation, spoken=protocol in LATER)}
    assert run.processes == {}
    assert run.files == {"results"}
    assert not [reason for _, reason in run.watcher.voids if "died" in reason], "no worker died"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_end_of_standard_error_is_kept(protocol: str) -> None:
    run = played(protocol, "process", 1)
    (fault, _) = [fault for game in run.by_bot["bad-raise-error"].games for fault in game.faults]
    assert fault.stderr.rstrip().endswith("ValueError: a bug in this bot")
    assert "Traceback" in fault.stderr


# ------------------------------------------------------------------------------------------ in pairs

TROUBLE = ("silent", "exit-three", "illegal", "leave-children", "stderr-flood", "daemon-holds-pipe", "huge-line")


@pytest.fixture(scope="module", params=["alternate", "simultaneous"])
def pairs(request: pytest.FixtureRequest) -> tuple[str, list[MapRecord], dict[int, str]]:
    """Play every pair of some troublemakers, in turn and at once."""
    tag = f"tag-{uuid.uuid4().hex}"
    bots = {fault: entry(bot("codingame", fault, tag=tag), limits=LIMITS) for fault in TROUBLE}
    keys = settings_of("codingame", 2) | {
        "schedule": {"type": "round_robin"},
        "rules": {**LIGHTCYCLES, "turns": request.param},
    }
    with TemporaryDirectory() as folder:
        try:
            records = play(write_config(Path(folder), bots, **keys), max_starved=1000)
        finally:
            left = leftovers(tag)
            kill_leftovers(tag)
    return request.param, records, left


def test_pairs_of_troublemakers_harm_themselves_alone(pairs: tuple[str, list[MapRecord], dict[int, str]]) -> None:
    turns, records, left = pairs
    assert left == {}
    assert len(records) == len(TROUBLE) * (len(TROUBLE) - 1) // 2
    outcomes = expected("codingame", "process")
    for record in records:
        guilty = [index for index, name in enumerate(record.lineup) if outcomes[name] is not None]
        for game in record.games:
            faulty = sorted(game.seating[fault.seat] for fault in game.faults)
            if turns == "simultaneous" or len(guilty) < 2:
                assert faulty == guilty, record.lineup
            else:
                assert faulty == [game.seating[0]], (
                    "both would forfeit at the same ply of theirs: the first seat is first"
                )
            for fault in game.faults:
                outcome = outcomes[record.lineup[game.seating[fault.seat]]]
                assert outcome is not None
                assert fault.kind == outcome.kind
            if turns == "simultaneous" and len(guilty) == 2:
                assert game.scores == (0.5, 0.5), "they share the last place"
