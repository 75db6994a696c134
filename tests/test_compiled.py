"""The compiled twins: built here, and the same as what they stand for."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.compiled import PURE, best, is_built
from harness.making import Maker, maker
from harness.play.plies import PlainTurns, PlyLog
from harness.protocols.base import Usage
from harness.protocols.ply import Pipes, UciAsk
from harness.records import GameRecord, MapJob, MapRecord, SeatRecord, Transcript
from harness.referee.base import RefereedGame
from harness.rules.chess_ply import ChessPly

TWINS = (Maker, PlyLog, PlainTurns, Pipes, UciAsk, ChessPly)
REPOSITORY = Path(__file__).parent.parent


@pytest.mark.parametrize("plain", TWINS)
def test_every_twin_is_built_here(plain: type) -> None:
    assert is_built(plain.__module__), "install a C compiler and Python's headers, then: pip install -e ."
    assert PURE or best(plain) is not plain


@pytest.mark.skipif(PURE, reason="this is the run without them that the test starts")
@pytest.mark.timeout(240)
def test_without_the_twins_games_are_the_same() -> None:
    """Runs the tests of all that stands on a twin again, on the classes in Python."""
    tests = ["tests/play", "tests/protocols/test_uci.py", "tests/rules/test_chess.py", "tests/test_compiled.py"]
    tests += ["tests/protocols/test_whole.py"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
        cwd=REPOSITORY,
        env=os.environ | {"HARNESS_PURE": "1"},
        capture_output=True,
        text=True,
        timeout=230,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-4000:]


said = st.one_of(
    st.binary(max_size=40),
    st.lists(
        st.sampled_from([b"info depth 3 score cp 12 nodes 9", b"info string hello", b" score ", b"score cp 1\r", b""]),
        max_size=5,
    ).map(lambda lines: b"\n".join(lines) + b"\n"),
    st.just(b"info score cp 7 pv " + b"e2e4 " * 90 + b"\n"),
)


@given(st.lists(st.tuples(st.integers(0, 2), st.one_of(st.integers(0, 40), st.integers(0, 2**50)), said), max_size=20))
def test_logs_of_plies_agree(plies: list[tuple[int, int, bytes]]) -> None:
    plain, twin = PlyLog(), best(PlyLog)()
    for ply in plies:
        plain.add(*ply)
        twin.add(*ply)
    assert len(plain) == len(twin) == len(plies)
    assert [plain.totals(seat) for seat in range(4)] == [twin.totals(seat) for seat in range(4)]
    assert plain.think_us() == twin.think_us()
    assert plain.infos() == twin.infos()


@pytest.mark.parametrize("cls", [Usage, GameRecord, MapRecord, MapJob, SeatRecord, Transcript, RefereedGame])
def test_made_objects_are_as_the_class_makes_them(cls: type) -> None:
    make: Callable[..., object] = maker(cls)
    names = [field.name for field in fields(cls)]
    values = [object() for _ in names]
    made = make(*values)
    assert type(made) is cls
    assert all(getattr(made, name) is value for name, value in zip(names, values, strict=True))
    with pytest.raises(TypeError):
        make(*values, 1)
    with pytest.raises(TypeError):
        make()


def test_defaults_are_filled_in() -> None:
    assert maker(Usage)(1.0, 0.0, 2.0) == Usage(1.0, 0.0, 2.0)


@dataclass(slots=True)
class _DoesMore:
    value: int

    def __post_init__(self) -> None:
        self.value += 1


@dataclass
class _NoSlots:
    value: int


@pytest.mark.skipif(PURE, reason="a class makes any object of its own")
@pytest.mark.parametrize("cls", [_DoesMore, _NoSlots])
def test_a_class_that_does_more_is_refused(cls: type) -> None:
    with pytest.raises(TypeError):
        maker(cls)
