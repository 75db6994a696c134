"""Weng–Lin and TrueSkill: outside numbers, symmetries, and the quick path against the plain one."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.stats.arguments import StatsInputError
from harness.stats.trueskill import trueskill_duel
from harness.stats.truncated_normal import draw_mean_shift, draw_variance_cut, win_mean_shift, win_variance_cut
from harness.stats.weng_lin import ELO, OPENSKILL, Skill, WengLin, WengLinModel, expected_score, rate_game
from harness.stats.weng_lin_batch import WengLinPool
from tests.stats.vectors import Vector, vector, vectors

MODELS = {
    "BradleyTerryFull": WengLinModel.BRADLEY_TERRY_FULL,
    "PlackettLuce": WengLinModel.PLACKETT_LUCE,
    "ThurstoneMostellerFull": WengLinModel.THURSTONE_MOSTELLER_FULL,
}


def skills(sides: list[list[list[float]]]) -> list[list[Skill]]:
    return [[Skill(*player) for player in side] for side in sides]


def assert_close(case: Vector, got: list[list[Skill]], wanted: list[list[list[float]]]) -> None:
    for side, expected in zip(got, wanted, strict=True):
        for player, numbers in zip(side, expected, strict=True):
            assert case.tolerance is not None
            assert abs(player.mu - numbers[0]) <= case.tolerance
            assert abs(player.sigma - numbers[1]) <= case.tolerance


@pytest.mark.parametrize("case", vectors("openskill_"), ids=lambda case: case.id)
def test_openskill(case: Vector) -> None:
    scale = replace(OPENSKILL, model=MODELS[case.input["model"]], epsilon=case.input.get("epsilon", 0.1))
    got = rate_game(skills(case.input["teams"]), ranks=case.input["ranks"], scale=scale)
    assert_close(case, got, case.expected["teams"])


@pytest.mark.parametrize(
    "case", [case for case in vectors("wenglin_") if "teams" in case.input], ids=lambda case: case.id
)
def test_elo_scale(case: Vector) -> None:
    sides = skills(case.input["teams"])
    assert_close(case, rate_game(sides, ranks=case.input["ranks"]), case.expected["teams"])
    if "expected_before" in case.expected:
        assert case.close(expected_score(sides[0][0], sides[1][0]), case.expected["expected_before"])


def test_partial_score_against_a_fixed_opponent() -> None:
    case = vector("wenglin_partial_score_fixed_opponent")
    par = Skill(*case.input["fixed_opponent"])
    got = rate_game(
        [[Skill(*case.input["player"])], [par]],
        score=case.input["score"],
        weight=case.input["weight"],
        fixed=[[False], [True]],
        scale=replace(ELO, tau=case.input["tau"]),
    )
    assert_close(case, [got[0]], [[case.expected["player"]]])
    assert got[1] == [par]


def test_uneven_sides_are_scaled_to_the_average_size() -> None:
    # Four equal players against three are an even match; what one side gains is shared by fewer on the other.
    new = rate_game([[Skill(1500, 70)] * 4, [Skill(1500, 70)] * 3], ranks=[1, 2])
    up, down = new[0][0].mu - 1500, 1500 - new[1][0].mu
    assert 4 * up == pytest.approx(3 * down)
    plain = rate_game([[Skill(1500, 70)] * 3, [Skill(1500, 70)] * 3], ranks=[1, 2])
    also = rate_game([[Skill(1500, 70)] * 3] * 2, ranks=[1, 2], scale=replace(ELO, even_sides=False))
    assert plain == also


def test_field_weight_is_two_over_k() -> None:
    three = [[Skill(1500, 200)], [Skill(1550, 90)], [Skill(1480, 60)]]
    weighted = rate_game(three, ranks=[1, 2, 3])
    whole = rate_game(three, ranks=[1, 2, 3], scale=replace(ELO, two_over_k=False))
    for one, other, before in zip(weighted, whole, three, strict=True):
        assert one[0].mu - before[0].mu == pytest.approx(2 / 3 * (other[0].mu - before[0].mu))
    assert rate_game(three, ranks=[1, 2, 3], weight=1.5)[0][0].mu == pytest.approx(whole[0][0].mu)


SKILL = st.builds(Skill, st.floats(1000, 2000), st.floats(20, 400))
SIDES = st.lists(st.lists(SKILL, min_size=1, max_size=3), min_size=2, max_size=4)


@given(SIDES, st.data(), st.sampled_from(list(WengLinModel)))
def test_order_of_sides_changes_nothing(sides: list[list[Skill]], data: st.DataObject, model: WengLinModel) -> None:
    scale = replace(ELO, model=model, two_over_k=False)
    ranks = [data.draw(st.integers(1, 3)) for _ in sides]
    order = data.draw(st.permutations(range(len(sides))))
    got = rate_game(sides, ranks=ranks, scale=scale)
    moved = rate_game([sides[i] for i in order], ranks=[ranks[i] for i in order], scale=scale)
    for place, i in enumerate(order):
        for one, other in zip(got[i], moved[place], strict=True):
            assert one.mu == pytest.approx(other.mu, abs=1e-6)
            assert one.sigma == pytest.approx(other.sigma, abs=1e-6)


@given(SKILL, SKILL, st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_duels_move_both_by_their_uncertainty(one: Skill, other: Skill, score: float) -> None:
    after = rate_game([[one], [other]], score=score)
    assert all(math.isfinite(p.mu) and p.sigma > 0.0 for side in after for p in side)
    first, second = after[0][0].mu - one.mu, after[1][0].mu - other.mu
    spread = (one.sigma**2 + 36.0) / (other.sigma**2 + 36.0)
    assert first == pytest.approx(-spread * second, abs=1e-6)


def test_a_settled_rating_comes_to_rest() -> None:
    # Wins and losses in turn against sure opponents of one's own strength: σ rests near 62, a win is worth about 10.
    player = ELO.new()
    for game in range(400):
        player = rate_game([[player], [Skill(player.mu, 0.0)]], score=game % 2, fixed=[[False], [True]])[0][0]
    assert player.sigma == pytest.approx(62.0, abs=1.5)
    step = rate_game([[player], [Skill(player.mu, 0.0)]], score=1.0, fixed=[[False], [True]])[0][0].mu - player.mu
    assert step == pytest.approx(10.4, abs=0.6)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([0.0, 0.2, 0.5, 1.0])), max_size=40),
    st.booleans(),
    st.booleans(),
    st.sampled_from([WengLinModel.BRADLEY_TERRY_FULL, WengLinModel.THURSTONE_MOSTELLER_FULL]),
)
def test_the_batch_is_the_plain_path(
    games: list[tuple[int, int, float]], weighted: bool, with_fixed: bool, model: WengLinModel
) -> None:
    games = [(a, b, s if model is WengLinModel.BRADLEY_TERRY_FULL else round(s)) for a, b, s in games if a != b]
    scale = replace(ELO, model=model)
    start = [Skill(1500, 350), Skill(1700, 60), Skill(1300, 120), Skill(1550, 0.0)]
    fixed = {3} if with_fixed else set()
    weights = [0.25 + 0.5 * (i % 4) for i in range(len(games))] if weighted else None
    pool = WengLinPool(start, fixed=fixed, scale=scale)
    firsts, seconds, scores = ([game[k] for game in games] for k in range(3))
    pool.play_duels(np.array(firsts, dtype=int), np.array(seconds, dtype=int), np.array(scores, dtype=float), weights)
    plain = list(start)
    for i, (a, b, score) in enumerate(games):
        [[plain[a]], [plain[b]]] = rate_game(
            [[plain[a]], [plain[b]]],
            score=score,
            fixed=[[a in fixed], [b in fixed]],
            weight=1.0 if weights is None else weights[i],
            scale=scale,
        )
    for one, other in zip(pool.skills, plain, strict=True):
        assert one.mu == pytest.approx(other.mu, abs=1e-7)
        assert one.sigma == pytest.approx(other.sigma, abs=1e-7)


def test_the_pool_plays_fields_and_teams() -> None:
    pool = WengLinPool([ELO.new()] * 5, fixed=[4])
    pool.play([[0, 1], [2, 4]], ranks=[1, 2])
    pool.play([[0], [2], [3]], ranks=[1, 1, 2], weight=0.5)
    assert pool.skill(0).mu > 1500 > pool.skill(3).mu
    assert pool.skill(4) == ELO.new()


def test_heavy_weights_leave_a_share_of_the_variance() -> None:
    for path in ("plain", "batch"):
        if path == "plain":
            after = rate_game([[ELO.new()], [ELO.new()]], score=1.0, weight=1e6)[0][0].sigma
        else:
            pool = WengLinPool([ELO.new(), ELO.new()])
            pool.play_duels([0], [1], [1.0], [1e6])
            after = pool.skill(0).sigma
        assert after == pytest.approx(math.sqrt((350**2 + 36) * ELO.kappa))


# ------------------------------------------------------------------------------------------ TrueSkill


def test_trueskill_vectors() -> None:
    case = vector("trueskill_1v1")
    start = Skill(case.input["mu"], case.input["sigma"])
    options = {key: case.input[key] for key in ("beta", "tau", "draw_probability")}
    winner, loser = trueskill_duel(start, start, **options)
    assert_close(case, [[winner], [loser]], [[case.expected["winner"]], [case.expected["loser"]]])
    case = vector("ttt_1v1")
    start = Skill(case.input["mu"], case.input["sigma"])
    # A player's first game is not preceded by any drift, so gamma has nothing to act on.
    winner, loser = trueskill_duel(start, start, beta=case.input["beta"], tau=0.0, draw_probability=0.0)
    assert_close(case, [[winner], [loser]], [[case.expected["winner"]], [case.expected["loser"]]])


def test_trueskill_draw_pulls_together() -> None:
    one, other = trueskill_duel(Skill(30, 4), Skill(22, 6), draw=True)
    assert 22 < other.mu < one.mu < 30
    again = trueskill_duel(Skill(22, 6), Skill(30, 4), draw=True)
    assert again[0].mu == pytest.approx(other.mu)


@pytest.mark.parametrize("x", [-300.0, -40.0, -25.01, -24.99, -3.0, 0.0, 3.0, 40.0])
def test_truncated_normal_far_out(x: float) -> None:
    from scipy import stats

    v = math.exp(stats.norm.logpdf(x) - stats.norm.logcdf(x))
    assert win_mean_shift(x) == pytest.approx(v, rel=1e-9, abs=1e-300)
    assert 0.0 <= win_variance_cut(x) <= 1.0


@pytest.mark.parametrize("margin", [0.0, 1e-7, 0.01, 0.5, 3.0])
@pytest.mark.parametrize("lead", [-60.0, -5.0, -0.3, 0.0, 0.3, 5.0, 60.0])
def test_draw_shift_is_odd_and_finite(lead: float, margin: float) -> None:
    shift, cut = draw_mean_shift(lead, margin), draw_variance_cut(lead, margin)
    assert math.isfinite(shift)
    assert shift == pytest.approx(-draw_mean_shift(-lead, margin))
    assert shift * lead <= 0.0
    assert 0.0 <= cut <= 1.0 + 1e-9


def test_draw_shift_against_numerical_integration() -> None:
    from scipy import integrate, stats

    for lead, margin in ((0.4, 0.3), (-2.0, 0.1), (1.0, 2.0)):
        mass = integrate.quad(stats.norm.pdf, -margin - lead, margin - lead)[0]
        mean = integrate.quad(lambda z: z * stats.norm.pdf(z), -margin - lead, margin - lead)[0] / mass
        second = integrate.quad(lambda z: z * z * stats.norm.pdf(z), -margin - lead, margin - lead)[0] / mass
        assert draw_mean_shift(lead, margin) == pytest.approx(mean, rel=1e-6)
        assert draw_variance_cut(lead, margin) == pytest.approx(1.0 - (second - mean**2), rel=1e-6)


# ------------------------------------------------------------------------------------------ refusals


def test_refusals() -> None:
    new = ELO.new()
    two = [[new], [new]]
    thurstone = replace(ELO, model=WengLinModel.THURSTONE_MOSTELLER_FULL)
    refused: list[tuple[Any, str]] = [
        (lambda: rate_game([[new]], ranks=[1]), "two sides"),
        (lambda: rate_game([[new], []], ranks=[1, 2]), "each with a player"),
        (lambda: rate_game(two), "either ranks or a score"),
        (lambda: rate_game(two, ranks=[1, 2], score=1.0), "either ranks or a score"),
        (lambda: rate_game(two, ranks=[1]), "one finite number for each of 2"),
        (lambda: rate_game(two, ranks=[1, math.nan]), "one finite number"),
        (lambda: rate_game(two, score=1.5), "score is 1.5"),
        (lambda: rate_game([[new]] * 3, score=1.0), "a score is for two sides"),
        (lambda: rate_game(two, score=0.7, scale=thurstone), "no results between"),
        (lambda: rate_game(two, score=1.0, fixed=[[True]]), "one flag for every player"),
        (lambda: rate_game(two, score=1.0, weight=-1.0), "weight is -1.0"),
        (lambda: WengLin(mu=0, sigma=0, beta=1, tau=0), "sigma is 0"),
        (lambda: replace(ELO, model=WengLinModel.PLACKETT_LUCE), "no meetings to weigh"),
        (lambda: WengLinPool(two[0] * 2).play([[0], [0]], ranks=[1, 2]), "there twice"),
        (lambda: WengLinPool(two[0] * 2).play([[0], [-1]], ranks=[1, 2]), "has no number"),
        (lambda: WengLinPool(two[0] * 2).play_duels([0], [2], [1.0]), r"outside 0\.\.1"),
        (lambda: WengLinPool(two[0] * 2).play_duels([0], [0], [1.0]), "on both sides"),
        (lambda: WengLinPool(two[0] * 2).play_duels([0], [1], [1.2]), "score outside"),
        (lambda: WengLinPool(two[0] * 2).play_duels([0], [1], [1.0, 1.0]), "one entry a duel"),
        (lambda: WengLinPool(two[0] * 2).play_duels([0], [1], [1.0], [-1.0]), "weight that is negative"),
        (lambda: trueskill_duel(new, new, draw=True, draw_probability=0.0), "cannot happen"),
        (lambda: trueskill_duel(new, new, draw_probability=1.0), "0 to below 1"),
    ]
    for call, message in refused:
        with pytest.raises(StatsInputError, match=message):
            call()
