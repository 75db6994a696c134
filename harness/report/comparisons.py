"""Comparisons made from tallies: a bot against another, against all of them, and the lead of a round robin.

Pure: tallies in, plain data out. The side from which a pair is counted is settled here and nowhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from harness.records import FaultKind
from harness.report.estimates import of_interval, of_maps, seen_from_other_side
from harness.report.model import CONFIDENCE, BotSummary, Comparison, Lead
from harness.report.tallies import BotTally, PairTally, forfeits
from harness.stats.intervals import duel_z, wilson


def build_comparison(
    names: tuple[str, str], tally: PairTally, side: int, *, is_flipped: bool, with_band: bool
) -> Comparison:
    """Give a pair's tally, which counts from the side of `names[0]`; from the other side if `is_flipped`."""
    bot, opponent = names[::-1] if is_flipped else names
    estimate = of_maps(tally.units(), tally.maps.n, with_band=with_band)
    penta = tally.maps.penta() if tally.is_penta and tally.maps.n else None
    points, wins, losses = tally.points, tally.wins, tally.losses
    maps_won, maps_lost = tally.maps_won, tally.maps_lost
    own_faults, their_faults = tally.first_faults, tally.second_faults
    if is_flipped:
        estimate = seen_from_other_side(estimate)
        penta = None if penta is None else (penta[4], penta[3], penta[2], penta[1], penta[0])
        points, wins, losses = tally.n_games - points, losses, wins
        maps_won, maps_lost = maps_lost, maps_won
        own_faults, their_faults = their_faults, own_faults
        side = -side
    per_game = wilson(min(max(points, 0.0), tally.n_games), tally.n_games, CONFIDENCE)
    return Comparison(
        bot=bot,
        opponent=opponent,
        estimate=estimate,
        n_games=tally.n_games,
        points=points,
        wins=wins,
        draws=tally.draws,
        losses=losses,
        maps_won=maps_won,
        maps_split=tally.maps.n - maps_won - maps_lost,
        maps_lost=maps_lost,
        per_game_low=per_game.low,
        per_game_high=per_game.high,
        z=duel_z(wins - losses, wins + losses),
        penta=penta,
        mirrored_maps=tally.mirrored_maps,
        repeated_games=tally.repeated_games,
        voids=tally.voids,
        bot_forfeits=forfeits(own_faults),
        opponent_forfeits=forfeits(their_faults),
        side=estimate.side,
        side_corrected=side,
    )


def build_overall(
    candidate: str, rows: Sequence[Comparison], bots: Mapping[str, BotTally], *, n_repeated: int, n_voids: int
) -> Comparison:
    """Give the candidate against all of its opponents together, a map with all its meetings being one unit."""
    tally = bots[candidate]
    clustered = of_interval(tally.clusters.interval(CONFIDENCE), tally.n_maps)
    estimate = clustered if len(rows) > 1 else rows[0].estimate
    points = sum(row.points for row in rows)
    n_meetings = sum(row.n_games for row in rows)
    per_game = wilson(points, n_meetings)
    pentas = [row.penta for row in rows]
    wins, losses = sum(row.wins for row in rows), sum(row.losses for row in rows)
    faults: Counter[FaultKind] = Counter()
    for name, bot in bots.items():
        if name != candidate:
            faults.update(bot.faults)
    return Comparison(
        bot=candidate,
        opponent=None,
        estimate=estimate,
        n_games=n_meetings,
        points=points,
        wins=wins,
        draws=sum(row.draws for row in rows),
        losses=losses,
        maps_won=sum(row.maps_won for row in rows),
        maps_split=sum(row.maps_split for row in rows),
        maps_lost=sum(row.maps_lost for row in rows),
        per_game_low=per_game.low,
        per_game_high=per_game.high,
        z=duel_z(wins - losses, wins + losses),
        penta=None if None in pentas else _sum_penta([penta for penta in pentas if penta is not None]),
        mirrored_maps=sum(row.mirrored_maps for row in rows),
        repeated_games=n_repeated,
        voids=n_voids,
        bot_forfeits=forfeits(tally.faults),
        opponent_forfeits=forfeits(faults),
        side=estimate.side,
        side_corrected=estimate.side,
    )


def _sum_penta(pentas: list[tuple[int, int, int, int, int]]) -> tuple[int, int, int, int, int]:
    a, b, c, d, e = (sum(column) for column in zip(*pentas, strict=True))
    return a, b, c, d, e


def build_lead(ranked: Sequence[BotSummary], bots: Mapping[str, BotTally]) -> Lead | None:
    """Compare the bot that scored most, `ranked[0]`, with each other one, corrected for all pairs there are."""
    if len(ranked) < 2:
        return None
    leader, *others = ranked
    n_comparisons = len(ranked) * (len(ranked) - 1) // 2
    level = 1.0 - (1.0 - CONFIDENCE) / n_comparisons
    own = bots[leader.name].clusters
    ahead: list[str] = []
    tied: list[str] = []
    for other in others:
        interval = own.lead_interval(bots[other.name].clusters, level)
        (ahead if interval.low > 0.5 else tied).append(other.name)
    plain = own.lead_interval(bots[others[0].name].clusters, CONFIDENCE)
    mean = 0.5 if plain.mean is None else plain.mean
    return Lead(
        bot=leader.name,
        ahead_of=tuple(ahead),
        level=tuple(tied),
        second=others[0].name,
        margin=2.0 * mean - 1.0,
        margin_low=2.0 * plain.low - 1.0,
        margin_high=2.0 * plain.high - 1.0,
        n_comparisons=n_comparisons,
    )


def build_bot(name: str, tally: BotTally) -> BotSummary:
    """Give one bot over all of its games."""
    estimate = of_interval(tally.clusters.interval(CONFIDENCE), tally.n_maps)
    return BotSummary(
        name=name,
        n_maps=tally.n_maps,
        n_games=tally.n_games,
        estimate=estimate,
        ply_time=tally.ply_time(),
        forfeits=forfeits(tally.faults),
        cpu_s=tally.cpu_s,
        starved_s=tally.starved_s,
        max_rss_mb=tally.max_rss_mb,
        in_process=tally.in_process,
    )
