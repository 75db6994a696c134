"""cg-brutaltester's flags as a config, and the seeds that it draws.

The numbers of `java.util.Random` and of cg-brutaltester itself come from programs run with a JDK 17: the class, and
cg-brutaltester with a referee that wrote down what it was asked for.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from harness.config.load import load_config
from harness.records import RefereeLog, RefereeMode
from harness.run.brutal import BrutalRun, build_config, build_seeds, describe_losses
from harness.run.brutal_seeds import MAX_INT, JavaRandom, draw_seeds
from harness.run.prepare import prepare


@pytest.mark.parametrize(
    ("seed", "expected"),
    [
        (42, "1562431130 117392763 1467211248 102948884 662969970 2023087525 595021505 1519796918 10 196118093"),
        (0, "1569741360 1785505948 516548029 1302116447 1368843515 663681053 1182054491 251269761 9 678332847"),
        (-7, "577934662 1935951297 1445645590 2031187707 1119890478 314447087 1829394591 677675436 1 425474944"),
        (MAX_INT, "1331656281 1948209505 1822609419 1757921231 1713237812 1388223910 145398221 102343302 7 536490105"),
    ],
)
def test_numbers_are_those_of_java(seed: int, expected: str) -> None:
    random = JavaRandom(seed)
    found = [*(random.next_int(MAX_INT) for _ in range(8)), random.next_int(16), random.next_int(1_000_000_007)]
    assert " ".join(map(str, found)) == expected


def test_seeds_are_those_of_cg_brutaltester() -> None:
    assert draw_seeds(42, 3, 2, swaps=True) == [1562431130, 117392763, 1467211248]
    assert draw_seeds(42, 6, 2, swaps=False) == [117392763, 1467211248, 662969970, 2023087525, 1519796918, 1429255519]


def asked(folder: Path, **changes: object) -> BrutalRun:
    (folder / "mine").touch(mode=0o755)
    whole = BrutalRun(
        referee="cat a.txt",
        players=("./mine --deep 'a b'", "cat"),
        n_maps=3,
        threads=2,
        swaps=True,
        initial=42,
        is_old=False,
        keeps_logs=False,
        cwd=folder,
    )
    return replace(whole, **changes)  # type: ignore[arg-type]


def test_flags_become_a_config_that_plays_them(tmp_path: Path) -> None:
    path = tmp_path / "gauntlet.yaml"
    path.write_text(build_config(asked(tmp_path, keeps_logs=True), tmp_path))
    prepared = prepare(path)
    config, plan = prepared.config, prepared.plan
    assert config.referee is not None
    assert config.referee.spec.mode is RefereeMode.BRUTAL
    assert config.referee.spec.seed == ("-d", "seed={seed}")
    assert config.referee.spec.log is RefereeLog.ALL
    assert [bot.command[1:] for bot in config.bots] == [("--deep", "a b"), ()]
    assert config.bots[0].command[0] == str(tmp_path / "mine")
    assert plan.seatings == ((0, 1), (1, 0))
    assert list(plan.seeds) == [1562431130, 117392763, 1467211248]
    assert config.workers == 2


def test_commands_mean_the_same_from_another_folder(tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    (tmp_path / "results").mkdir()
    run = asked(tmp_path / "bots", referee="../ref.sh")
    (tmp_path / "ref.sh").touch(mode=0o755)
    path = tmp_path / "results" / "x.yaml"
    path.write_text(build_config(run, path.parent, results="."))
    config = load_config(path)
    assert config.referee is not None
    assert config.referee.spec.command == (str(tmp_path / "ref.sh"),)
    assert config.referee.spec.cwd == str(tmp_path / "bots")
    assert (config.bots[0].command[0], config.bots[0].cwd) == (str(tmp_path / "bots" / "mine"), str(tmp_path / "bots"))
    assert config.results == path.parent


def test_without_swap_everybody_keeps_a_seat_and_that_is_said(tmp_path: Path) -> None:
    run = asked(tmp_path, swaps=False)
    path = tmp_path / "fixed.yaml"
    path.write_text(build_config(run, tmp_path))
    plan = prepare(path).plan
    assert plan.seatings == ((0, 1),)
    assert list(plan.seeds) == [117392763, 1467211248, 662969970]
    assert any("one seat" in loss for loss in describe_losses(run))


def test_without_seeds_nothing_is_passed_and_the_run_is_unpaired(tmp_path: Path) -> None:
    run = asked(tmp_path, swaps=False, initial=None)
    path = tmp_path / "free.yaml"
    path.write_text(build_config(run, tmp_path))
    spec = prepare(path).plan.referee
    assert spec is not None
    assert (spec.seed, spec.is_paired) == ((), False)
    assert build_seeds(run) == [1, 2, 3]
    assert any("nobody can play these maps again" in loss for loss in describe_losses(run))


def test_more_players_meet_in_one_lineup(tmp_path: Path) -> None:
    run = asked(tmp_path, players=("cat", "cat", "cat"))
    path = tmp_path / "three.yaml"
    path.write_text(build_config(run, tmp_path))
    plan = prepare(path).plan
    assert [bot.name for bot in plan[0].lineup] == ["p1", "p2", "p3"]
    assert plan.seatings == ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    assert len(plan) == 3


def test_old_mode_has_our_bots_and_its_line_for_the_seed(tmp_path: Path) -> None:
    path = tmp_path / "old.yaml"
    path.write_text(build_config(asked(tmp_path, is_old=True, keeps_logs=True), tmp_path))
    spec = prepare(path).plan.referee
    assert spec is not None
    assert (spec.mode, spec.seed) == (RefereeMode.OLD, ("###Seed {seed}",))


def test_the_config_says_how_it_was_asked_for(tmp_path: Path) -> None:
    first = build_config(asked(tmp_path), tmp_path).splitlines()[0]
    assert shlex.split(first)[1:] == [
        *("harness", "brutal", "-r", "cat a.txt", "-p1", "./mine --deep 'a b'", "-p2", "cat"),
        *("-t", "2", "-n", "3", "-s", "-i", "42"),
    ]
