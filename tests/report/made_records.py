"""Map records made from a seed: invented bots of given strength, for tests of what people see. Not played games."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from itertools import combinations

from harness.records import Fault, FaultKind, GameRecord, MapRecord, SeatRecord, Termination, think_bin

START = datetime(2026, 11, 30, 6, 12, tzinfo=UTC)


def seat_record(rng: random.Random, plies: int, *, in_process: bool = False) -> SeatRecord:
    """What a seat used: think times around 8 ms."""
    times_ns = [int(rng.lognormvariate(15.9, 0.5)) for _ in range(plies)]
    bins: dict[int, int] = {}
    for time_ns in times_ns:
        bins[think_bin(time_ns)] = bins.get(think_bin(time_ns), 0) + 1
    return SeatRecord(
        plies=plies,
        think_s=sum(times_ns) / 1e9,
        max_ply_s=max(times_ns, default=0) / 1e9,
        cpu_s=None if in_process else sum(times_ns) / 1e9,
        rss_mb=None if in_process else 11.0,
        starved_s=None if in_process else 0.0,
        ply_bins=tuple(sorted(bins.items())),
        in_process=in_process,
    )


def game_record(
    seating: Sequence[int],
    scores: Sequence[float],
    *,
    moves: str = "m",
    plies: int = 40,
    faults: Sequence[Fault] = (),
    rng: random.Random | None = None,
) -> GameRecord:
    """One game, with think times if there is a source of chance."""
    rng = rng or random.Random(0)
    n = len(seating)
    return GameRecord(
        seating=tuple(seating),
        scores=tuple(scores),
        termination=Termination.FORFEIT if faults else Termination.NORMAL,
        detail="made up",
        plies=plies,
        wall_s=0.4,
        moves="b2:" + blake2b(moves.encode(), digest_size=16).hexdigest(),
        bots=tuple(seat_record(rng, plies // n) for _ in range(n)),
        faults=tuple(faults),
    )


def map_record(job: int, lineup: Sequence[str], games: Sequence[GameRecord], *, attempt: int = 1) -> MapRecord:
    """One line of maps.jsonl, with the sums that belong to the games."""
    totals = [0.0] * len(lineup)
    for game in games:
        for seat, index in enumerate(game.seating):
            totals[index] += game.scores[seat]
    started = START + timedelta(seconds=0.5 * job)
    return MapRecord(
        schema=1,
        run="made",
        job=job,
        stage="main",
        split="train",
        seed=1_000_000 + job,
        map=f"ring {job}",
        lineup=tuple(lineup),
        scores=tuple(totals),
        games=tuple(games),
        started=started.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        wall_s=0.8,
        worker=job % 2,
        attempt=attempt,
    )


def duel_map(
    job: int, names: tuple[str, str], win: float, rng: random.Random, *, draw: float = 0.1, seed: int | None = None
) -> MapRecord:
    """A map played from both seats; `win` is the chance that the first bot wins a decided game."""
    games = []
    for number, seating in enumerate(((0, 1), (1, 0))):
        points = 0.5 if rng.random() < draw else float(rng.random() < win)
        scores = (points, 1.0 - points) if seating == (0, 1) else (1.0 - points, points)
        games.append(game_record(seating, scores, moves=f"{job}-{number}", plies=30 + rng.randrange(30), rng=rng))
    record = map_record(job, names, games)
    if seed is None:
        return record
    return replace(record, seed=seed)


def gauntlet(
    candidate: str, strengths: dict[str, float], n_maps: int, seed: int = 1, *, draw: float = 0.1
) -> list[MapRecord]:
    """The candidate against each opponent on the same maps, map by map."""
    rng = random.Random(seed)
    records: list[MapRecord] = []
    for index in range(n_maps):
        for opponent, win in strengths.items():
            records.append(duel_map(len(records), (candidate, opponent), win, rng, draw=draw, seed=1_000_000 + index))
    return records


def round_robin(strengths: dict[str, float], n_maps: int, seed: int = 1) -> list[MapRecord]:
    """Every pair on the same maps; a bot's strength is the odds of its winning."""
    rng = random.Random(seed)
    records: list[MapRecord] = []
    for index in range(n_maps):
        for one, two in combinations(strengths, 2):
            win = strengths[one] / (strengths[one] + strengths[two])
            records.append(duel_map(len(records), (one, two), win, rng, seed=1_000_000 + index))
    return records


def at_tables(n_maps: int, lineups: Sequence[tuple[str, ...]], rng: random.Random) -> list[MapRecord]:
    """Records of several lineups on each map, in all rotations; what a map favours is the same for all of them."""
    records: list[MapRecord] = []
    for seed in range(n_maps):
        tilt = {name: rng.gauss(0.0, 1.0) for name in "abcdef"}
        for lineup in lineups:
            n = len(lineup)
            games = []
            for turn in range(n):
                seating = tuple((seat + turn) % n for seat in range(n))
                luck = [tilt[lineup[index]] + rng.gauss(0.0, 1.0) - 0.3 * seat for seat, index in enumerate(seating)]
                scores = [sum(mine > other for other in luck) / (n - 1) for mine in luck]
                games.append(game_record(seating, scores, moves=f"{len(records)}-{turn}"))
            records.append(replace(map_record(len(records), lineup, games), seed=seed))
    return records


def mirrored(names: tuple[str, str], n_maps: int) -> list[MapRecord]:
    """Two copies of one program: both games of each map are the same, and split."""
    return [
        map_record(
            job,
            names,
            [game_record((0, 1), (1.0, 0.0), moves=f"{job}"), game_record((1, 0), (1.0, 0.0), moves=f"{job}")],
        )
        for job in range(n_maps)
    ]


def with_fault(record: MapRecord, bot: int, kind: FaultKind, detail: str) -> MapRecord:
    """The record with its first game lost by a fault of the bot (its index in the lineup)."""
    first, *rest = record.games
    seat = first.seating.index(bot)
    scores = tuple(0.0 if index == seat else 1.0 for index in range(len(first.seating)))
    fault = Fault(seat=seat, kind=kind, ply=first.plies, detail=detail)
    lost = replace(first, scores=scores, faults=(fault,), termination=Termination.FORFEIT)
    made = map_record(record.job, record.lineup, [lost, *rest], attempt=record.attempt)
    return replace(made, seed=record.seed)


def penta_maps(names: tuple[str, str], counts: Iterable[int], *, n_mirrored: int = 0) -> list[MapRecord]:
    """Maps with the scores 0, ½, 1, 1½, 2 so many times each, evenly mixed. Splits come from a win and a loss."""
    kinds = (((0.0, 0.0)), (0.0, 0.5), (1.0, 0.0), (0.5, 1.0), (1.0, 1.0))
    plan = [kind for kind, n in zip(kinds, counts, strict=True) for _ in range(n)]
    random.Random(5).shuffle(plan)
    records = []
    left = n_mirrored
    for job, (first, second) in enumerate(plan):
        same = first == 1.0 and second == 0.0 and left > 0
        left -= same
        moves = (f"{job}", f"{job}") if same else (f"{job}a", f"{job}b")
        games = [
            game_record((0, 1), (first, 1.0 - first), moves=moves[0]),
            game_record((1, 0), (1.0 - second, second), moves=moves[1]),
        ]
        records.append(map_record(job, names, games))
    return records
