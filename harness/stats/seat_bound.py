"""Whether a seat term has a finite estimate beside the ratings.

It has none if some ratings and a seat worth explain every result at least as well the larger they are; the search for
them is a system of difference constraints, solved by shortest paths. Must not fit anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from harness.stats.priors import NoPrior, Prior, SpreadDraws

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.stats.pair_counts import BoolArray, IntArray, PairCounts


def seat_is_bounded(counts: PairCounts, level: IntArray, prior: Prior, anchors: Iterable[int]) -> bool:
    """Whether the seat term is finite and can be told from the ratings.

    A direction (v, g) with g = ±1 makes the likelihood grow for ever, or leaves it as it is, if v_first − v_second + g
    is at least 0 wherever the first seat took points and at most 0 wherever the second did.
    """
    same = level[counts.first] == level[counts.second]
    took = same & (counts.wins + counts.draws > 0.0)
    gave = same & (counts.losses + counts.draws > 0.0)
    if not (took.any() and gave.any()):
        return isinstance(prior, SpreadDraws) and bool(same.any())
    if not isinstance(prior, NoPrior):
        return True  # the prior holds all ratings, so results on both sides hold the seat
    return all(_excluded(counts, sign, took, gave, anchors) for sign in (1, -1))


def _excluded(counts: PairCounts, sign: int, took: BoolArray, gave: BoolArray, anchors: Iterable[int]) -> bool:
    """Whether no direction with g = sign exists, that is: the constraints have a cycle of negative length."""
    n = counts.n_bots
    node = np.arange(n)
    held = sorted(anchors)
    if held:
        node[held] = held[0]  # gaps between anchors are given, so they move as one
    first, second = node[counts.first], node[counts.second]
    # took: v_second − v_first <= g, an edge first → second of length g; gave: v_first − v_second <= −g.
    tail = np.concatenate([first[took], second[gave]])
    head = np.concatenate([second[took], first[gave]])
    length = np.concatenate([np.full(int(took.sum()), sign), np.full(int(gave.sum()), -sign)])
    short = np.unique((tail * n + head)[length < 0])
    if np.isin(short, short % n * n + short // n).any():
        return True  # a pair that is short both ways: the usual case, and it needs no search
    loop = tail == head
    if np.any(length[loop] < 0):
        return True
    return _has_negative_cycle(n, tail[~loop], head[~loop], length[~loop])


def _has_negative_cycle(n: int, tail: IntArray, head: IntArray, length: IntArray) -> bool:
    """Bellman and Ford's passes over all edges at once, with a look for a cycle of parents after each.

    A cycle of parents is a negative cycle; without one the passes end once every shortest path is found.
    """
    order = np.lexsort((length, head))
    tail, head, length = tail[order], head[order], length[order]
    starts = np.flatnonzero(np.concatenate([[True], head[1:] != head[:-1]]))
    ends = head[starts]
    group = np.repeat(np.arange(starts.size), np.diff(np.append(starts, head.size)))
    distance = np.zeros(n, dtype=np.int64)
    parent = np.arange(n)
    for _ in range(n):
        reach = distance[tail] + length
        best = np.minimum.reduceat(reach, starts)
        better = best < distance[ends]
        if not better.any():
            return False
        hit = np.flatnonzero(reach == best[group])
        _, where = np.unique(group[hit], return_index=True)
        via = tail[hit[where]]
        distance[ends[better]] = best[better]
        parent[ends[better]] = via[better]
        if _parents_turn(parent):
            return True
    return True


def _parents_turn(parent: IntArray) -> bool:
    """Whether following parents never ends for some node; a root is its own parent."""
    root = parent == np.arange(parent.size)
    jump = parent
    for _ in range(int(parent.size).bit_length()):
        jump = jump[jump]
    return bool(np.any(~root[jump]))
