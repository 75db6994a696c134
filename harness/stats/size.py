"""How much play a question takes, whole: what `harness size` answers.

One gain, asked of every way to play it: a duel of single games, maps from all seats, two versions against one
panel, a sequential test, and a number of maps that is given. Pure; the words are the command's. Must not
import numpy.
"""

import math
from dataclasses import dataclass

from harness.stats.arguments import StatsInputError, check_count, check_open_unit, check_positive, check_unit
from harness.stats.distributions import normal_quantile, two_sided_z
from harness.stats.elo import NELO_PER_T, elo_of_score, to_score
from harness.stats.planning import Need, games_for_duel, games_per_version, maps_to_tell, power_of
from harness.stats.sprt_bounds import EloBounds
from harness.stats.sprt_plan import SprtPlan, plan_sprt

_CURVE = (0.1, 0.25, 0.5, 1.0, 1.5, 2.0)
"""Where the power curve is given, in shares of the maps needed."""


@dataclass(frozen=True, slots=True)
class SizeQuestion:
    """A gain in exactly one unit: `gain_score` in points of score over ½ (0.05 is 5 %), `gain_elo` or
    `gain_nelo`.

    `map_sd` is the measured standard deviation of a map's mean score; without it games are taken as
    independent with `draw_share` draws. `correlation` is that of two versions' scores on a map they share;
    without it 0 and ½ are both answered. `n_maps` asks what that many maps can tell.
    """

    gain_score: float | None = None
    gain_elo: float | None = None
    gain_nelo: float | None = None
    draw_share: float = 0.0
    map_sd: float | None = None
    games_per_map: int = 2
    correlation: float | None = None
    confidence: float = 0.95
    power: float = 0.8
    alpha: float = 0.05
    beta: float = 0.05
    n_maps: int | None = None


@dataclass(frozen=True, slots=True)
class VersionNeed:
    """Games each of two versions needs at one correlation of their scores on a shared map."""

    correlation: float
    games: Need


@dataclass(frozen=True, slots=True)
class SequentialNeed:
    """A sequential test of no gain against the gain, at one true gain."""

    true_elo: float
    plan: SprtPlan


@dataclass(frozen=True, slots=True)
class MapsCanTell:
    """What a given number of maps can tell: the power for the gain asked, and the gain it would need for that power."""

    n_maps: int
    power: float
    smallest_gain_score: float
    smallest_gain_elo: float | None


@dataclass(frozen=True, slots=True)
class SizeAnswer:
    """All answers for one gain. `power_curve` is (maps, power); `is_sd_measured` says where `map_sd` came from."""

    question: SizeQuestion
    gain_score: float
    gain_elo: float
    gain_nelo: float
    game_sd: float
    map_sd: float
    is_sd_measured: bool
    duel: Need
    maps: Need
    versions: tuple[VersionNeed, ...]
    sequential: tuple[SequentialNeed, ...]
    power_curve: tuple[tuple[int, float], ...]
    given: MapsCanTell | None


def answer(question: SizeQuestion) -> SizeAnswer:
    """Answer a question. Raises StatsInputError without exactly one gain, or for numbers that no play can have."""
    check_open_unit("confidence", question.confidence)
    check_open_unit("power", question.power)
    check_unit("draw_share", question.draw_share)
    check_count("games_per_map", question.games_per_map, minimum=1)
    if question.draw_share == 1.0:
        raise StatsInputError("draw_share is 1; nothing can be told from games that are all drawn")
    game_sd = 0.5 * math.sqrt(1.0 - question.draw_share)
    measured = question.map_sd is not None
    map_sd = game_sd / math.sqrt(question.games_per_map) if question.map_sd is None else question.map_sd
    check_positive("map_sd", map_sd)
    gain = _gain_score(question, map_sd)
    score = 0.5 + gain
    maps = maps_to_tell(score, map_sd, confidence=question.confidence, power=question.power)
    correlations = (0.0, 0.5) if question.correlation is None else (question.correlation,)
    return SizeAnswer(
        question=question,
        gain_score=gain,
        gain_elo=elo_of_score(score),
        gain_nelo=gain / (map_sd * math.sqrt(question.games_per_map)) * NELO_PER_T,
        game_sd=game_sd,
        map_sd=map_sd,
        is_sd_measured=measured,
        duel=games_for_duel(gain, confidence=question.confidence, power=question.power, game_sd=game_sd),
        maps=maps,
        versions=tuple(
            VersionNeed(
                rho,
                games_per_version(gain, rho, confidence=question.confidence, power=question.power, game_sd=game_sd),
            )
            for rho in correlations
        ),
        sequential=_sequential(question, score, map_sd),
        power_curve=_curve(gain, map_sd, maps, question.confidence),
        given=None if question.n_maps is None else _given(question, question.n_maps, gain, map_sd),
    )


def _gain_score(question: SizeQuestion, map_sd: float) -> float:
    given = [
        (name, value)
        for name, value in (
            ("gain_score", question.gain_score),
            ("gain_elo", question.gain_elo),
            ("gain_nelo", question.gain_nelo),
        )
        if value is not None
    ]
    if len(given) != 1:
        said = ", ".join(f"{name} {value!r}" for name, value in given) or "none"
        raise StatsInputError(f"a gain is needed in exactly one unit (score, elo or nelo); given: {said}")
    name, value = given[0]
    check_positive(name, value)
    if name == "gain_elo":
        gain = to_score(value) - 0.5
    elif name == "gain_nelo":
        gain = value / NELO_PER_T * map_sd * math.sqrt(question.games_per_map)
    else:
        gain = value
    if not 0.0 < gain < 0.5:
        raise StatsInputError(
            f"{name} is {value!r}, a score of {0.5 + gain!r}; allowed are gains that leave it above 0.5 and below 1"
        )
    return gain


def _sequential(question: SizeQuestion, score: float, map_sd: float) -> tuple[SequentialNeed, ...]:
    """The test of 0 against the gain when nothing, half of it and all of it is there."""
    elo = elo_of_score(score)
    return tuple(
        SequentialNeed(
            true_elo=share * elo,
            plan=plan_sprt(
                EloBounds(0.0, elo),
                to_score(share * elo),
                map_sd=map_sd,
                games_per_map=question.games_per_map,
                alpha=question.alpha,
                beta=question.beta,
                count_overshoot=True,
            ),
        )
        for share in (0.0, 0.5, 1.0)
    )


def _curve(gain: float, map_sd: float, maps: Need, confidence: float) -> tuple[tuple[int, float], ...]:
    if maps.n is None:
        return ()
    sizes = sorted({max(2, round(share * maps.n)) for share in _CURVE})
    return tuple((n, power_of(gain, map_sd, n, confidence=confidence)) for n in sizes)


def _given(question: SizeQuestion, n_maps: int, gain: float, map_sd: float) -> MapsCanTell:
    check_count("n_maps", n_maps, minimum=1)
    quantiles = two_sided_z(question.confidence) + normal_quantile(question.power)
    smallest = quantiles * map_sd / math.sqrt(n_maps)
    return MapsCanTell(
        n_maps=n_maps,
        power=power_of(gain, map_sd, n_maps, confidence=question.confidence),
        smallest_gain_score=smallest,
        smallest_gain_elo=elo_of_score(0.5 + smallest) if smallest < 0.5 else None,
    )
