"""From counted results to `Ratings`: which statistic is used for what, and what a reader must be told.

Must hold no formula of its own and read no files.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from harness.report import numbers
from harness.report.ratings import (
    RATINGS_SCHEMA,
    Circles,
    ErrorBasis,
    FieldSeat,
    Note,
    NoteKind,
    RatedBot,
    RatedPair,
    RatedTriangle,
    RatedUpset,
    Ratings,
    Seat,
    Source,
    Twins,
)
from harness.report.words import listed
from harness.stats.arguments import StatsInputError
from harness.stats.bradley_terry import BradleyTerryFit, FitState, fit_bradley_terry
from harness.stats.circles import CircleState, circle_test, triangle_curls
from harness.stats.draw_models import DrawModel
from harness.stats.head_to_head import HeadToHead, head_to_head, upsets
from harness.stats.hodge import hodge_decomposition
from harness.stats.nash import nash_average
from harness.stats.rating_errors import ErrorState, RatingErrors, map_errors, model_errors
from harness.stats.rating_ranks import RankInterval, simultaneous_differences
from harness.stats.rating_scale import ELO_PER_LOGIT
from harness.stats.redundancy import first_seat_bias, mirrored_pairs, seat_bias, twin_floor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.stats.aggregate import SeatSums
    from harness.stats.pair_counts import PairCounts
    from harness.stats.priors import Prior

CONFIDENCE = 0.95
MAX_VIEW_BOTS = 60
"""Nash averaging and the table of triangles are for pools that one can look at."""

MAX_TRIANGLES = 10
MAX_PAIRS = 20_000
"""Pairs written out: all of 200 bots. Beyond, only the upsets are listed."""

FEW_MAPS = 10
MAX_NOTES = 5


@dataclass(frozen=True, slots=True)
class RatingOptions:
    """How to rate. `twins` are groups of names that are exact copies of each other."""

    prior: Prior | None = None
    anchors: Mapping[str, float] = field(default_factory=dict)
    fit_seat: bool = False
    draw_model: DrawModel = DrawModel.HALF_POINT
    twins: tuple[tuple[str, ...], ...] = ()
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ReadFacts:
    """What the reading of the sources found besides the counts."""

    sources: tuple[Source, ...]
    n_skipped: int = 0
    n_repeated: int = 0
    n_with_moves: int = 0
    repeats_are_exact: bool = True
    seat_sums: tuple[SeatSums, ...] = ()


def build_ratings(counts: PairCounts, facts: ReadFacts, options: RatingOptions) -> Ratings:
    """Fit, judge and put into words. Raises StatsInputError if the options do not fit the results."""
    fit = fit_bradley_terry(
        counts,
        prior=options.prior,
        anchors=options.anchors,
        fit_seat=options.fit_seat,
        draw_model=options.draw_model,
    )
    errors, basis = _choose_errors(fit)
    ranks = _ranks(errors, options.seed)
    table = head_to_head(counts)
    order = sorted(
        range(counts.n_bots),
        key=lambda i: (-(rating if (rating := fit.rating(i)) is not None else -np.inf), counts.names[i]),
    )
    circles = _circles(counts, options.seed)
    all_upsets, certain = upsets(table, fit.ratings, confidence=CONFIDENCE)
    named = counts.names
    found = tuple(
        RatedUpset(
            named[u.winner],
            named[u.loser],
            u.score,
            u.gap_elo,
            u.games,
            u.n_maps,
            u.p_value,
            u.p_holm,
            u in certain,
        )
        for u in all_upsets
    )
    twins = _twins(errors, options.twins)
    return Ratings(
        schema=RATINGS_SCHEMA,
        sources=facts.sources,
        method=fit.describe(),
        state=fit.state.value,
        basis=basis,
        confidence=CONFIDENCE,
        n_games=fit.n_games,
        n_maps=counts.maps.n_maps if counts.maps else None,
        maps_are_merged=counts.maps is not None and counts.maps.merged_maps,
        n_skipped=facts.n_skipped,
        n_repeated=facts.n_repeated,
        repeats_are_exact=facts.repeats_are_exact,
        bots=_bots(fit, errors, ranks, order, counts),
        pairs=_pairs(errors, table, order),
        seat=_seat(errors),
        field_seats=tuple(_field_seat(sums) for sums in facts.seat_sums),
        circles=circles,
        upsets=found,
        twins=twins,
        notes=tuple(_notes(fit, errors, basis, table, circles, found, twins, facts)),
    )


def _choose_errors(fit: BradleyTerryFit) -> tuple[RatingErrors, ErrorBasis]:
    """By map where maps are known, else the model's; never both in one table."""
    errors = map_errors(fit)
    if errors.state is ErrorState.KNOWN:
        return errors, ErrorBasis.MAPS
    if errors.state is ErrorState.NO_MAPS:
        errors = model_errors(fit)
        return errors, ErrorBasis.GAMES if errors.state is ErrorState.KNOWN else ErrorBasis.NONE
    return errors, ErrorBasis.NONE


def _ranks(errors: RatingErrors, seed: int) -> Sequence[RankInterval]:
    n = len(errors.fit.names)
    if errors.covariance is None:  # nothing is known of any rank, and a table of all pairs may not fit into memory
        return [RankInterval(1, n)] * n
    return simultaneous_differences(errors, confidence=CONFIDENCE, seed=seed).rank_intervals()


def _bots(
    fit: BradleyTerryFit,
    errors: RatingErrors,
    ranks: Sequence[RankInterval],
    order: Sequence[int],
    counts: PairCounts,
) -> tuple[RatedBot, ...]:
    n = counts.n_bots
    totals = np.zeros((n, 3))
    for seat, sides in ((counts.first, (0, 1, 2)), (counts.second, (2, 1, 0))):
        for column, values in zip(sides, (counts.wins, counts.draws, counts.losses), strict=True):
            np.add.at(totals[:, column], seat, values)
    nash = _nash(counts)
    out = []
    for i in order:
        wins, draws, losses = (float(value) for value in totals[i])
        games = wins + draws + losses
        interval = errors.interval(i, CONFIDENCE)
        out.append(
            RatedBot(
                name=fit.names[i],
                rating=fit.rating(i),
                se=errors.se_elo(i),
                low=None if interval is None else interval[0],
                high=None if interval is None else interval[1],
                rank_best=ranks[i].best,
                rank_worst=ranks[i].worst,
                is_anchor=bool(fit.anchored[i]),
                n_games=games,
                score=(wins + 0.5 * draws) / games if games else None,
                wins=wins,
                draws=draws,
                losses=losses,
                nash_weight=None if nash is None else float(nash[0][i]),
                nash_skill=None if nash is None else float(nash[1][i]),
            )
        )
    return tuple(out)


def _nash(counts: PairCounts) -> tuple[Sequence[float], Sequence[float]] | None:
    """(weights, skills in Elo) of the Nash average over leads in logits; None unless all pairs of a small pool met."""
    n = counts.n_bots
    if n < 2 or n > MAX_VIEW_BOTS or np.count_nonzero(counts.games_matrix()) < n * (n - 1):
        return None
    points = counts.points_matrix() + 0.5  # half a point each way keeps a perfect score finite
    found = nash_average(np.log(points / points.T))
    return found.mixture.tolist(), (ELO_PER_LOGIT * found.skill).tolist()


def _pairs(errors: RatingErrors, table: HeadToHead, order: Sequence[int]) -> tuple[RatedPair, ...]:
    if table.low.size > MAX_PAIRS:
        return ()
    place = {bot: k for k, bot in enumerate(order)}
    rows = []
    scores = table.score.tolist()
    for k in range(table.low.size):
        one, other = int(table.low[k]), int(table.high[k])
        score = scores[k]
        if place[one] > place[other]:
            one, other, score = other, one, 1.0 - score
        gap = errors.difference(one, other, CONFIDENCE)
        rows.append(
            (
                (place[one], place[other]),
                RatedPair(
                    bot=errors.fit.names[one],
                    opponent=errors.fit.names[other],
                    n_games=float(table.games[k]),
                    n_maps=int(table.n_maps[k]),
                    score=score,
                    score_se=float(table.se[k]) if table.se_known[k] else None,
                    gap=gap.elo,
                    gap_low=gap.low,
                    gap_high=gap.high,
                    p_better=gap.p_better,
                ),
            )
        )
    return tuple(row for _, row in sorted(rows, key=lambda item: item[0]))


def _seat(errors: RatingErrors) -> Seat:
    fit = errors.fit
    bias = first_seat_bias(fit.counts, confidence=CONFIDENCE)
    fitted = fit.seat_fitted and fit.state is not FitState.NOT_CONVERGED
    return Seat(
        bias.state.value,
        bias.score,
        bias.low,
        bias.high,
        fit.seat_elo if fitted else None,
        errors.seat_se_elo() if fitted else None,
    )


def _field_seat(sums: SeatSums) -> FieldSeat:
    found = seat_bias(np.array(sums.points), np.array(sums.games, dtype=np.float64), confidence=CONFIDENCE)
    return FieldSeat(sums.n_seats, sums.seat, found.state.value, found.score, found.low, found.high)


def _circles(counts: PairCounts, seed: int) -> Circles:
    test = circle_test(counts, seed=seed)
    share = None
    triangles: tuple[RatedTriangle, ...] = ()
    if counts.n_bots <= MAX_VIEW_BOTS:
        games = counts.games_matrix()
        points = counts.points_matrix()
        lead = np.log((points + 0.5) / (points.T + 0.5))
        # Weights are the inverse variance of a logit, games·p·(1 − p).
        share_of = (points + 0.5) / (games + 1.0)
        share = hodge_decomposition(lead, games * (share_of * share_of.T)).cyclic_share
        if test.state is CircleState.TESTED:
            triangles = tuple(
                RatedTriangle(
                    (counts.names[t.bots[0]], counts.names[t.bots[1]], counts.names[t.bots[2]]),
                    t.scores,
                    t.curl_elo,
                    t.is_circle,
                    t.p_value,
                    t.p_holm,
                )
                for t in triangle_curls(counts)[:MAX_TRIANGLES]
            )
    return Circles(
        state=test.state.value,
        words=test.words,
        method=None if test.method is None else test.method.value,
        statistic=test.statistic,
        dof=test.dof,
        n_maps=test.n_maps,
        p_value=test.p_value,
        cyclic_share=share,
        triangles=triangles,
    )


def _twins(errors: RatingErrors, groups: tuple[tuple[str, ...], ...]) -> Twins | None:
    if not groups:
        return None
    for group in groups:
        if len(group) < 2 or len(set(group)) < len(group):
            raise StatsInputError(f"twins {', '.join(group)!r}: two or more different names are needed")
    floor = twin_floor(errors, [[errors.fit.counts.index_of(name) for name in group] for group in groups])
    return Twins(
        groups,
        floor.state.value,
        floor.words,
        floor.gap_sd_elo,
        floor.expected_sd_elo,
        floor.ratio,
        floor.low,
        floor.high,
    )


# ------------------------------------------------------------------------------------------------- words


def _notes(
    fit: BradleyTerryFit,
    errors: RatingErrors,
    basis: ErrorBasis,
    table: HeadToHead,
    circles: Circles,
    found: tuple[RatedUpset, ...],
    twins: Twins | None,
    facts: ReadFacts,
) -> list[Note]:
    notes = [Note(NoteKind.POOL, words) for words in fit.words]
    if fit.state is FitState.NO_GAMES:
        notes.append(Note(NoteKind.POOL, "No game between two bots was found."))
    notes += [Note(NoteKind.ERRORS, words) for words in (*errors.words, *_basis_words(errors, basis))]
    names = fit.names
    mirrored = [
        f"{names[one]} and {names[other]} split every one of {numbers.counted(n_maps, 'map')}: "
        "their games say nothing about strength."
        for one, other, n_maps in mirrored_pairs(table)
    ]
    notes += _first_few(NoteKind.MIRRORED, mirrored)
    if facts.n_repeated:
        at_least = "" if facts.repeats_are_exact else "at least "
        text = (
            f"{at_least}{numbers.count(facts.n_repeated)} of {numbers.counted(facts.n_with_moves, 'game')} repeat "
            "a game on another map: there is less to learn from them than their number says."
        )
        notes.append(Note(NoteKind.REPEATED, text[0].upper() + text[1:]))
    certain = [
        f"{upset.winner} beats {upset.loser}, which is rated {numbers.plain(upset.gap)} Elo higher, with "
        f"{numbers.score(upset.score, upset.n_maps)} over {numbers.counted(upset.n_maps, 'map')}."
        for upset in found
        if upset.is_certain
    ]
    notes += _first_few(NoteKind.UPSET, certain)
    notes += _circle_notes(circles)
    if twins is not None:
        pairs = listed([" = ".join(group) for group in twins.names])
        size = "" if twins.gap_sd is None else f" (gaps of {numbers.plain(twins.gap_sd, 1)} Elo)"
        notes.append(Note(NoteKind.TWINS, f"{pairs}{size}. {twins.words}"))
    for source in facts.sources:
        if source.n_unfinished:
            text = f"{source.path}: {numbers.counted(source.n_unfinished, 'game')} without a result left out."
            notes.append(Note(NoteKind.SOURCE, text))
    return notes


def _first_few(kind: NoteKind, texts: Sequence[str]) -> list[Note]:
    """The first texts as notes, the rest counted."""
    notes = [Note(kind, text) for text in texts[:MAX_NOTES]]
    if len(texts) > MAX_NOTES:
        notes.append(Note(kind, f"And {numbers.count(len(texts) - MAX_NOTES)} more."))
    return notes


def _basis_words(errors: RatingErrors, basis: ErrorBasis) -> list[str]:
    if basis is ErrorBasis.GAMES:
        return ["Nothing says which games share a map, so the intervals take every game as independent."]
    if basis is ErrorBasis.MAPS and errors.n_maps is not None and errors.n_maps < FEW_MAPS:
        return [f"{numbers.counted(errors.n_maps, 'map')} are few: the intervals are wide and rough."]
    return []


def _circle_notes(circles: Circles) -> list[Note]:
    if circles.p_value is None or circles.p_value >= 1.0 - CONFIDENCE:
        return []
    share = "" if circles.cyclic_share is None else f" ({100.0 * circles.cyclic_share:.0f} % of the leads go round)"
    text = f"One rating a bot does not explain this table{share}; p = {numbers.probability(circles.p_value)}."
    notes = [Note(NoteKind.CIRCLE, text)]
    for triangle in circles.triangles:
        if triangle.is_circle and triangle.p_holm is not None and triangle.p_holm <= 1.0 - CONFIDENCE:
            one, two, three = triangle.bots if triangle.curl > 0.0 else reversed(triangle.bots)
            notes.append(Note(NoteKind.CIRCLE, f"{one} beats {two}, {two} beats {three}, {three} beats {one}."))
    return notes
