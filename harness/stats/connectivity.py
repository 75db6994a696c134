"""Who can be compared with whom: the graph of points taken, its groups, and what is wrong in words.

A likelihood without prior has a finite maximum exactly if every bot can be reached from every other along "took points
from" (Ford 1957). Bots that are reachable both ways form a class; ratings mean something inside a class only.
Must not fit anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.stats.pair_counts import IntArray, PairCounts


@dataclass(frozen=True, slots=True, eq=False)
class Connectivity:
    """Groups that met at all, and classes inside which maximum likelihood is finite.

    `group[i]` numbers the connected pool of bot i, `level[i]` its class; both count from 0 in order of first bot.
    `idle` lists bots without a game. Anchors count as one bot: their gaps are given, not fitted.
    """

    group: IntArray
    level: IntArray
    idle: tuple[int, ...]
    always_won: tuple[int, ...]
    always_lost: tuple[int, ...]

    @property
    def n_groups(self) -> int:
        """Number of pools that never met each other."""
        return int(self.group.max()) + 1 if self.group.size else 0

    @property
    def n_levels(self) -> int:
        """Number of classes; 1 means that maximum likelihood exists."""
        return int(self.level.max()) + 1 if self.level.size else 0


def find_connectivity(counts: PairCounts, anchors: Sequence[int] = ()) -> Connectivity:
    """Groups and classes of the results. Cells without a game are ignored."""
    from scipy.sparse import coo_array  # noqa: PLC0415 - not needed to read the dataclass
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    n = counts.n_bots
    node = np.arange(n)
    if anchors:
        node[np.asarray(anchors, dtype=np.int64)] = anchors[0]
    first, second = node[counts.first], node[counts.second]
    took = counts.wins + counts.draws > 0.0
    gave = counts.losses + counts.draws > 0.0
    tail = np.concatenate([first[took], second[gave]])
    head = np.concatenate([second[took], first[gave]])
    graph = coo_array((np.ones(tail.size), (tail, head)), shape=(n, n)).tocsr()
    _, weak = connected_components(graph, directed=True, connection="weak")
    _, strong = connected_components(graph, directed=True, connection="strong")
    scored = np.bincount(tail, minlength=n) > 0
    conceded = np.bincount(head, minlength=n) > 0
    idle = ~(scored | conceded)[node]
    return Connectivity(
        group=_in_order(weak[node].astype(np.int64)),
        level=_in_order(strong[node].astype(np.int64)),
        idle=tuple(int(i) for i in np.flatnonzero(idle)),
        always_won=tuple(int(i) for i in np.flatnonzero((scored & ~conceded)[node])),
        always_lost=tuple(int(i) for i in np.flatnonzero((conceded & ~scored)[node])),
    )


def _in_order(labels: IntArray) -> IntArray:
    """Number labels 0, 1, ... in order of first appearance."""
    _, where, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(where.size, dtype=np.int64)
    rank[np.argsort(where, kind="stable")] = np.arange(where.size)
    return rank[inverse]


def describe_connectivity(
    names: Sequence[str], found: Connectivity, *, prior_joins: bool, prior_bounds: bool
) -> tuple[str, ...]:
    """What a reader must know before comparing ratings, a sentence each; empty if all is well.

    `prior_joins` says that the prior ties bots together that never met, `prior_bounds` that it makes a perfect score
    between bots that met finite.
    """
    words: list[str] = []
    if found.idle:
        words.append(f"{name_list(names, found.idle)}: no games, so nothing is known.")
    idle = set(found.idle)
    pools = _members(found.group, idle)
    if len(pools) > 1:
        shown = "; ".join(name_list(names, pool) for pool in pools[:4])
        more = f" and {len(pools) - 4} more" if len(pools) > 4 else ""
        tail = (
            "Gaps between the groups come from the prior alone."
            if prior_joins
            else "Ratings can be compared inside a group only. Play games between the groups."
        )
        words.append(f"{len(pools)} groups of bots never met: {shown}{more}. {tail}")
    for bots, deed in ((found.always_won, "won"), (found.always_lost, "lost")):
        bots_that_met = [i for i in bots if i not in idle]
        if bots_that_met:
            each = "each " if len(bots_that_met) > 1 else ""
            effect = "how far ahead or behind comes from the prior." if prior_bounds else "no finite rating fits that."
            words.append(f"{name_list(names, bots_that_met)} {each}{deed} every game: {effect}")
    perfect = {*found.always_won, *found.always_lost}
    levels = [level for level in _members(found.level, idle) if not perfect.issuperset(level)]
    n_pools_left = len({int(found.group[level[0]]) for level in levels})
    if len(levels) > n_pools_left:
        shown = "; ".join(name_list(names, level) for level in levels[:4])
        effect = (
            "the gaps between these groups come from the prior."
            if prior_bounds
            else "no finite ratings fit that; only gaps inside a group are estimated."
        )
        words.append(f"Some bots took no point at all from some others: {shown}: {effect}")
    return tuple(words)


def _members(label: IntArray, without: set[int]) -> list[list[int]]:
    groups: dict[int, list[int]] = {}
    for bot, value in enumerate(label.tolist()):
        if bot not in without:
            groups.setdefault(value, []).append(bot)
    return list(groups.values())


def name_list(names: Sequence[str], bots: Sequence[int], limit: int = 6) -> str:
    """Names joined for a sentence, the rest counted."""
    shown = ", ".join(names[i] for i in bots[:limit])
    return f"{shown} and {len(bots) - limit} more" if len(bots) > limit else shown
