"""A config made without files, for tests of what follows from one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.config.settings import Config, MapsSpec, Pin, Schedule, ScheduleType, Seats, StopAfter
from harness.records import Adjudication, BotSpec, Ledger, RulesSpec, SeedRange, TimeControl

MakeConfig = Callable[..., Config]


@pytest.fixture
def make_config() -> MakeConfig:
    """Make a config of bots `names`, the first the candidate of a gauntlet against the others."""

    def make(
        names: str = "abcd",
        *,
        schedule: Schedule | None = None,
        seats: Seats = Seats.ROTATIONS,
        split: str = "train",
        count: int = 5,
        time: TimeControl | None = None,
        max_plies: int | None = None,
    ) -> Config:
        return Config(
            name="test",
            path=Path("test.yaml"),
            folder=Path("/x"),
            results=Path("/x/results"),
            bots=tuple(BotSpec(name=name, protocol="uci", fingerprint=f"print-{name}") for name in names),
            sources=(),
            skipped=(),
            rules=RulesSpec("lightcycles"),
            time=time or TimeControl(per_ply_ms=100),
            adjudication=Adjudication(max_plies=max_plies),
            schedule=schedule or Schedule(ScheduleType.GAUNTLET, candidate=names[0], opponents=tuple(names[1:])),
            maps=MapsSpec(Path("/x/seeds.yaml"), split, count),
            seats=seats,
            workers=None,
            transcripts=True,
            stop_after=StopAfter(),
            gate=None,
            pin=Pin.AUTO,
            locator=lambda *keys: f"test.yaml:{'.'.join(map(str, keys))}",
        )

    return make


@pytest.fixture
def ledger() -> Ledger:
    return Ledger(
        "test",
        "generator",
        "seeds.yaml",
        (("train", SeedRange(100, 199)), ("validation", SeedRange(-5, 0)), ("test", SeedRange(1000, 1000))),
    )
