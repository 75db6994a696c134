"""Random map records for hypothesis: any mix of lineups that a plan could hold, with every kind of trouble."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from harness.records import Fault, FaultKind, GameRecord, MapRecord, SeatRecord, Termination
from tests.report.made_records import map_record

DETAILS = ("", "late", "\x1b[31mred", "two\nlines", "ø" * 300)
NAMES = ("ann", "bob", "cy", "dee", "eve")


SEATS = (
    SeatRecord(plies=0, think_s=0.0, max_ply_s=0.0),
    SeatRecord(plies=3, think_s=0.3, max_ply_s=0.2, cpu_s=0.3, rss_mb=11.5, starved_s=0.0, ply_bins=((20, 1), (90, 2))),
    SeatRecord(plies=1, think_s=1e-9, max_ply_s=1e-9, ply_bins=((1, 1),), in_process=True),
    SeatRecord(plies=50, think_s=99.0, max_ply_s=9.9, cpu_s=0.0, rss_mb=0.0, starved_s=5.0, ply_bins=((250, 50),)),
)
"""A few kinds are enough: hypothesis is there for the results."""


@st.composite
def game_records(draw: st.DrawFn, seating: tuple[int, ...]) -> GameRecord:
    n = len(seating)
    if n == 1:
        scores: tuple[float, ...] = (1.0,)
    else:
        places = draw(st.lists(st.integers(1, n), min_size=n, max_size=n))
        scores = tuple(_share(places, seat) for seat in range(n))
    plies = draw(st.integers(0, 60))
    faulty = draw(st.lists(st.sampled_from(range(n)), unique=True, max_size=n if draw(st.booleans()) else 0))
    return GameRecord(
        seating=seating,
        scores=scores,
        termination=Termination.FORFEIT if faulty else Termination.NORMAL,
        detail="over",
        plies=plies,
        wall_s=0.25,
        moves=f"b2:{draw(st.integers(0, 3)):032x}",
        bots=tuple(draw(st.lists(st.sampled_from(SEATS), min_size=n, max_size=n))),
        faults=tuple(
            Fault(seat=seat, kind=draw(st.sampled_from(FaultKind)), ply=plies, detail=draw(st.sampled_from(DETAILS)))
            for seat in faulty
        ),
    )


def _share(places: list[int], seat: int) -> float:
    """The share of opponents beaten, ties counting half."""
    own = places[seat]
    others = [place for index, place in enumerate(places) if index != seat]
    points = sum(Fraction(1) if own < place else Fraction(1, 2) if own == place else Fraction(0) for place in others)
    return float(points / len(others))


@st.composite
def record_lists(draw: st.DrawFn, *, max_maps: int = 12, seats: int | None = None) -> list[MapRecord]:
    """Maps of one run: lineups of one size, in plan order."""
    n_seats = seats or draw(st.integers(1, 4))
    n_maps = draw(st.integers(0, max_maps))
    names = draw(st.permutations(NAMES))
    is_gauntlet = draw(st.booleans())
    records = []
    for job in range(n_maps):
        rest = draw(st.permutations(names[1:] if is_gauntlet else names))
        lineup = (names[0], *rest[: n_seats - 1]) if is_gauntlet else tuple(rest[:n_seats])
        seatings = [tuple((seat + shift) % n_seats for seat in range(n_seats)) for shift in range(n_seats)]
        if draw(st.booleans()):
            seatings = seatings[:1]
        games = [draw(game_records(seating)) for seating in seatings]
        record = map_record(job, lineup, games, attempt=draw(st.integers(1, 3)))
        records.append(record)
    return records
