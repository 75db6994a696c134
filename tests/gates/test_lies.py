"""Each way in which a benchmark lies is found, and is not found where it is not."""

from dataclasses import replace

import pytest

from harness.gates.lies import Finding, Lie, StageNumbers, find_lies, find_mirror_trap
from harness.stats.intervals import MeanInterval, map_t


def interval(wins: int, splits: int, losses: int) -> MeanInterval:
    return map_t([1.0] * wins + [0.5] * splits + [0.0] * losses)


HONEST = StageNumbers(
    n_maps=200,
    n_split_maps=60,
    n_mirrored_maps=0,
    n_games=400,
    n_repeated_games=0,
    n_forfeit_maps=0,
    n_starved_games=0,
    duel=interval(100, 60, 40),
    duel_without_forfeits=interval(100, 60, 40),
    first_seat=interval(60, 90, 50),
    candidate_fingerprint="aa",
    champion_fingerprint="bb",
)
LEVEL = interval(70, 60, 70)


def kinds(numbers: StageNumbers) -> list[Lie]:
    return [finding.lie for finding in find_lies(numbers)]


def test_an_honest_stage_has_none() -> None:
    assert find_lies(HONEST) == ()
    assert find_lies(replace(HONEST, gain=0.1)) == ()


def test_equal_fingerprints_leave_no_verdict() -> None:
    (finding,) = find_lies(replace(HONEST, champion_fingerprint="aa"))
    assert finding == Finding(Lie.EQUAL_FINGERPRINTS, is_fatal=True, n=200, of=200)
    assert kinds(replace(HONEST, champion_fingerprint="", candidate_fingerprint="")) == []


@pytest.mark.parametrize(("n", "found"), [(160, True), (159, False)])
def test_mirrored_level_games(n: int, found: bool) -> None:
    assert (
        kinds(replace(HONEST, n_mirrored_maps=n, duel=LEVEL, duel_without_forfeits=LEVEL)) == [Lie.MIRRORED]
    ) is found


def test_mirrored_games_that_one_side_wins_are_no_trap() -> None:
    assert kinds(replace(HONEST, n_mirrored_maps=180)) == []


@pytest.mark.parametrize(("apart", "found"), [(4, True), (5, False)])
def test_nothing_apart(apart: int, found: bool) -> None:
    duel = interval(apart // 2 + apart % 2, 200 - apart, apart // 2)
    numbers = replace(HONEST, n_split_maps=200 - apart, duel=duel, duel_without_forfeits=duel)
    assert (kinds(numbers) == [Lie.NOTHING_APART]) is found


def test_few_maps_all_level_are_not_called_starved_of_decisions() -> None:
    duel = interval(0, 20, 0)
    numbers = replace(HONEST, n_maps=20, n_split_maps=20, duel=duel, duel_without_forfeits=duel)
    assert kinds(numbers) == []


@pytest.mark.parametrize(("n", "found"), [(4, True), (3, False), (0, False)])
def test_starvation(n: int, found: bool) -> None:
    assert (kinds(replace(HONEST, n_starved_games=n)) == [Lie.STARVED]) is found


def test_forfeits_that_decide() -> None:
    (finding,) = find_lies(replace(HONEST, n_forfeit_maps=60, duel_without_forfeits=LEVEL))
    assert (finding.lie, finding.n, finding.value, finding.is_fatal) == (Lie.FORFEITS_DECIDE, 60, LEVEL.mean, False)
    assert kinds(replace(HONEST, n_forfeit_maps=60)) == []  # the result is the same without them


@pytest.mark.parametrize(
    ("seat", "found"),
    [
        (interval(120, 60, 20), True),
        (interval(20, 60, 120), True),
        (interval(100, 60, 40), True),
        (interval(6, 0, 2), False),
    ],
)
def test_seat_bias(seat: MeanInterval, found: bool) -> None:
    assert (kinds(replace(HONEST, first_seat=seat)) == [Lie.SEAT_BIAS]) is found


def test_a_small_seat_bias_is_no_lie() -> None:
    assert kinds(replace(HONEST, first_seat=interval(1100, 0, 900))) == []


@pytest.mark.parametrize(("n", "found"), [(4, True), (3, False)])
def test_repeated_games(n: int, found: bool) -> None:
    assert (kinds(replace(HONEST, n_repeated_games=n)) == [Lie.REPEATED]) is found


def test_reused_maps_say_how_often() -> None:
    (finding,) = find_lies(replace(HONEST, n_selections=7))
    assert (finding.lie, finding.n) == (Lie.REUSED_MAPS, 7)


def test_too_few_maps_for_the_gain_asked() -> None:
    (finding,) = find_lies(replace(HONEST, gain=0.01))
    assert finding.lie is Lie.TOO_FEW_MAPS
    assert finding.value is not None
    assert finding.value < 0.1


def test_a_stage_that_ended_early_had_the_maps_that_were_planned() -> None:
    assert kinds(replace(HONEST, gain=0.05)) == [Lie.TOO_FEW_MAPS]
    assert kinds(replace(HONEST, gain=0.05, n_planned=1000)) == []


def test_what_leaves_no_verdict_comes_first() -> None:
    found = find_lies(
        replace(
            HONEST, n_starved_games=40, n_mirrored_maps=200, duel=LEVEL, duel_without_forfeits=LEVEL, n_selections=1
        )
    )
    assert [finding.lie for finding in found] == [Lie.MIRRORED, Lie.STARVED, Lie.REUSED_MAPS]


def test_a_panel_member_that_mirrors_the_champion_leaves_no_verdict() -> None:
    assert find_mirror_trap({"old": (7, 40), "twin": (32, 40)}) == (Finding(Lie.MIRROR_TRAP, True, 32, 40, bot="twin"),)
    assert find_mirror_trap({"twin": (31, 40)}) == ()
    assert find_mirror_trap({"twin": (7, 7)}) == ()
