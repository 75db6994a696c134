"""The law of one map's score at a true strength: what `oc` computes with.

Either two games that are independent but for nothing (`pair_law`), or what earlier maps of these bots showed: their
counts tilted to another mean, which keeps their draws and what sharing a map does to them. Pure; imports numpy through
`lattice_plan`, so that no module on the light path may import this one at its top.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from harness.stats.lattice_plan import MapLaw, game_law, pair_law
from harness.stats.solve import find_root

_MIN_COUNT = 1e-3
"""What an empty cell counts before tilting, so that a mean beyond the sample exists."""


def law_at(score: float, *, draw_share: float, games_per_map: int) -> MapLaw:
    """Give the law of independent games at a true mean score.

    Games are drawn with probability `draw_share` as far as the score leaves room: a bot that scores 95 % draws 10 % at
    most. `games_per_map` is 1 or 2.
    """
    if not 0.0 < score < 1.0:
        raise ValueError(f"score is {score!r}; allowed is a number above 0 and below 1")
    if games_per_map not in (1, 2):
        raise ValueError(f"games_per_map is {games_per_map!r}; the model has 1 or 2; give measured counts for others")
    room = (1.0 - 1e-12) * 2.0 * min(score, 1.0 - score)  # rounding must leave no share below 0
    draw = min(draw_share, room)
    win = max(0.0, score - 0.5 * draw)
    return pair_law(win, draw) if games_per_map == 2 else game_law(win, draw)


def law_from_counts(counts: Sequence[float], score: float, *, games_per_map: int) -> MapLaw:
    """Give the law that is nearest to measured counts of the map scores 0, 1/k, …, 1 and has the mean `score`.

    p_i ∝ count_i·e^(θi): of all laws with that mean the one with the least information gained over the sample.
    """
    total = math.fsum(counts)
    if total <= 0.0 or len(counts) < 2:
        raise ValueError(f"counts is {tuple(counts)!r}; two cells or more with maps in them are needed")
    if not 0.0 < score < 1.0:
        raise ValueError(f"score is {score!r}; allowed is a number above 0 and below 1")
    steps = len(counts) - 1
    weights = [max(count, _MIN_COUNT) for count in counts]

    def tilted(theta: float) -> list[float]:
        logs = [math.log(weight) + theta * index for index, weight in enumerate(weights)]
        top = max(logs)
        raw = [math.exp(value - top) for value in logs]
        whole = math.fsum(raw)
        return [value / whole for value in raw]

    def lead(theta: float) -> float:
        return math.fsum(index * p for index, p in enumerate(tilted(theta))) / steps - score

    theta = find_root(lead, -60.0, 60.0, absolute=1e-13)
    return MapLaw(tuple(tilted(theta)), games_per_map)
