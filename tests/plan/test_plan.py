import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from harness.config.settings import Config, Schedule, ScheduleType, Seats, SkippedBot
from harness.errors import ConfigError
from harness.plan.plan import Plan, build_plan
from harness.records import Ledger, MapJob

MakeConfig = Callable[..., Config]


def plan_of(config: Config, ledger: Ledger, n_seats: int = 2) -> Plan:
    return build_plan(config, ledger, n_seats=n_seats, run="night", run_key="key")


def test_jobs_go_map_by_map_and_all_lineups_share_each_map(make_config: MakeConfig, ledger: Ledger) -> None:
    plan = plan_of(make_config("abcd", count=5), ledger)
    assert (plan.n_maps, len(plan.lineups), len(plan), plan.n_games) == (5, 3, 15, 30)
    jobs = list(plan)
    assert [job.id for job in jobs] == list(range(15))
    assert [job.seed for job in jobs] == [100 + i // 3 for i in range(15)]
    assert [job.lineup[1].name for job in jobs] == ["b", "c", "d"] * 5
    assert {job.lineup[0].name for job in jobs} == {"a"}
    assert list(plan.seeds) == [100, 101, 102, 103, 104]


def test_every_prefix_is_balanced(make_config: MakeConfig, ledger: Ledger) -> None:
    plan = plan_of(make_config("abcde", count=7), ledger)
    counts = dict.fromkeys("bcde", 0)
    for job in plan:
        counts[job.lineup[1].name] += 1
        assert max(counts.values()) - min(counts.values()) <= 1


@pytest.mark.parametrize(("names", "n_seats"), [("abcdefgh", 4), ("abcdefg", 3), ("abcde", 4), ("abcdef", 2)])
def test_every_prefix_of_mixed_lineups_is_balanced(
    make_config: MakeConfig, ledger: Ledger, names: str, n_seats: int
) -> None:
    pool = Schedule(ScheduleType.MIXED, bots=tuple(names))
    short, plan = (plan_of(make_config(names, schedule=pool, count=n), ledger, n_seats) for n in (20, 100))
    assert list(plan)[: len(short)] == list(short), "more maps change nothing before"
    assert plan.lineups_per_map == len(names) // n_seats
    assert len(plan) == 100 * plan.lineups_per_map
    games = dict.fromkeys(names, 0)
    on_map: dict[int, list[str]] = {}
    for job in plan:
        for bot in job.lineup:
            games[bot.name] += 1
            on_map.setdefault(job.seed, []).append(bot.name)
        assert max(games.values()) - min(games.values()) <= 1
    assert list(on_map) == list(plan.seeds)
    assert all(len(seated) == len(set(seated)) for seated in on_map.values())


def test_a_candidate_sits_in_every_mixed_lineup(make_config: MakeConfig, ledger: Ledger) -> None:
    pool = Schedule(ScheduleType.MIXED, bots=tuple("bcdefg"), candidate="a", lineups_per_map=1)
    plan = plan_of(make_config("abcdefg", schedule=pool, count=40), ledger, 3)
    assert len(plan) == 40
    assert {job.lineup[0].name for job in plan} == {"a"}
    games = [sum(name in {bot.name for bot in job.lineup} for job in plan) for name in "bcdefg"]
    assert max(games) - min(games) <= 1


def test_mixed_lineups_that_do_not_fit_name_the_line(make_config: MakeConfig, ledger: Ledger) -> None:
    pool = Schedule(ScheduleType.MIXED, bots=tuple("abcd"), lineups_per_map=2)
    with pytest.raises(
        ConfigError, match=r"test\.yaml:schedule\.lineups_per_map: `schedule\.lineups_per_map`: more lineups"
    ):
        plan_of(make_config("abcd", schedule=pool), ledger, 3)


def test_a_job_is_self_contained(make_config: MakeConfig, ledger: Ledger) -> None:
    config = make_config("ab")
    job = plan_of(config, ledger)[3]
    assert job == MapJob(
        id=3,
        run="night",
        run_key="key",
        stage="run",
        split="train",
        seed=103,
        lineup=config.bots,
        seatings=((0, 1), (1, 0)),
        rules=config.rules,
        time=config.time,
        adjudication=config.adjudication,
        transcripts=True,
        attempt=1,
    )
    assert job.lineup[0].fingerprint == "print-a"


def test_a_plan_is_a_sequence(make_config: MakeConfig, ledger: Ledger) -> None:
    plan = plan_of(make_config("abc", count=5), ledger)
    assert isinstance(plan, Sequence)
    jobs = list(plan)
    assert plan[-1] == jobs[-1]
    assert plan[2:7:2] == jobs[2:7:2]
    assert list(reversed(plan)) == jobs[::-1]
    assert jobs[4] in plan
    assert plan == plan_of(make_config("abc", count=5), ledger)
    for index in (10, -11):
        with pytest.raises(IndexError, match="10 jobs"):
            plan[index]


def test_more_maps_extend_a_plan_and_change_nothing_before(make_config: MakeConfig, ledger: Ledger) -> None:
    short, long = (plan_of(make_config("abc", count=count), ledger) for count in (5, 50))
    assert list(long)[: len(short)] == list(short)


def test_memory_does_not_grow_with_the_number_of_maps(make_config: MakeConfig, ledger: Ledger) -> None:
    vast = replace(ledger, ranges=(("train", replace(ledger.range_of("train"), last=2**62)),))
    plan = plan_of(make_config("abcd", count=2**31 - 1), vast)
    assert sys.getsizeof(plan) + sys.getsizeof(plan.seeds) < 1000
    assert plan[3 * (2**31 - 2) + 2].seed == 100 + 2**31 - 2


def test_four_seats_in_rotations(make_config: MakeConfig, ledger: Ledger) -> None:
    plan = plan_of(make_config("abcde", count=2), ledger, n_seats=4)
    assert [len(job.lineup) for job in plan] == [4] * 8
    assert plan.n_games == 2 * 4 * 4


def test_negative_seeds_are_seeds(make_config: MakeConfig, ledger: Ledger) -> None:
    plan = plan_of(make_config("ab", split="validation", count=6), ledger)
    assert [job.seed for job in plan] == [-5, -4, -3, -2, -1, 0]


def error_of(config: Config, ledger: Ledger, n_seats: int = 2) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        plan_of(config, ledger, n_seats)
    return caught.value


def test_the_test_split_is_refused(make_config: MakeConfig, ledger: Ledger) -> None:
    error = error_of(make_config(split="test", count=1), ledger)
    assert error.where == "test.yaml:maps.split"
    assert "spent by `harness gate`" in error.what
    assert error.allowed == "train or validation"


def test_more_maps_than_seeds_are_refused(make_config: MakeConfig, ledger: Ledger) -> None:
    assert len(plan_of(make_config("ab", count=100), ledger)) == 100
    error = error_of(make_config("ab", count=101), ledger)
    assert error.where == "test.yaml:maps.count"
    assert error.got == "101"
    assert "at most 100 (seeds.yaml: 100 to 199)" in (error.allowed or "")


def test_seats_that_do_not_fit_the_rules_are_refused(make_config: MakeConfig, ledger: Ledger) -> None:
    error = error_of(make_config(seats=Seats.BOTH), ledger, n_seats=4)
    assert error.where == "test.yaml:seats"
    assert "the rules have 4" in error.what
    assert error.got == "both"


def test_too_few_bots_are_refused_and_the_skipped_named(make_config: MakeConfig, ledger: Ledger) -> None:
    config = make_config("ab", schedule=Schedule(ScheduleType.GAUNTLET, candidate="a", opponents=("b",)))
    config = replace(config, skipped=(SkippedBot("c", "no cc"),))
    error = error_of(config, ledger, n_seats=4)
    assert error.where == "test.yaml:schedule.opponents"
    assert error.got == "b; skipped: c (no cc)"
    assert error.allowed == "3 or more"


def test_plans_and_fingerprints_do_not_load_what_only_reading_a_config_needs() -> None:
    code = (
        "import harness.plan.plan, harness.plan.cost, harness.config.fingerprint, sys;"
        "print([m for m in ('pydantic', 'yaml', 'numpy') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert result.stdout == "[]\n"
