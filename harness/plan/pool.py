"""Mixed lineups from a pool: every bot plays as often as every other, and meets every other about as often. Pure.

A sequence of tables that is repeated without end. Seats are dealt in rounds: a round has every bot once, tables are cut
from rounds laid end to end, so that at any table in the sequence no bot is more than one game ahead. Within a round
bots change places until those who have met least sit together. Only `Random.random` is used, seeded by the sizes alone:
the same pool gives the same tables, and more maps change none of those before.
"""

from __future__ import annotations

from itertools import combinations
from math import gcd, lcm
from random import Random

from harness.seeding import child_seed

MAX_POOL = 500

_CYCLE = 256
"""Tables in a cycle, about: what is left of imbalance at its end comes again in every cycle."""

_LONGEST_CYCLE = 1024
_DEALS = 4
"""How often each round is dealt; the best deal is taken. Rounds of more than `_MANY` bots are dealt once."""

_MANY = 24
_SWAPS = 100_000
"""Pairs of places that are tried in all, so that a large pool does not take long; small ones need far fewer."""

_REPAIRS = 30_000
_TWICE = 10**6
"""What it costs a deal if a bot sits twice on one map: more than all else."""

Table = tuple[int, ...]


def build_tables(n_bots: int, n_seats: int, per_map: int) -> tuple[Table, ...]:
    """Give a cycle of tables of `n_seats` of `n_bots` bots, as indices; `per_map` in a row share a map.

    In every prefix, of any number of cycles, the numbers of games of two bots differ by one at most; over whole cycles
    they are equal, and how often two bots have met differs from the mean by few. No bot sits twice on one map.
    Needs 2 <= n_seats <= n_bots and per_map · n_seats <= n_bots.
    """
    if not 2 <= n_seats <= n_bots <= MAX_POOL or not 1 <= per_map <= n_bots // n_seats:
        raise ValueError(f"build_tables cannot seat {n_bots} bots at {per_map} tables of {n_seats}")
    dealer = _Dealer(n_bots, n_seats, per_map)
    n_rounds = _cycle_length(n_bots, n_seats, per_map) * n_seats // n_bots
    n_deals = _DEALS if n_bots <= _MANY else 1
    for _ in range(n_rounds):
        dealer.deal(n_deals, _SWAPS // (n_rounds * n_deals))
    dealer.even_out(n_rounds)
    return dealer.tables()


def _cycle_length(n_bots: int, n_seats: int, per_map: int) -> int:
    """Give the number of tables after which all games can be equal, and all meetings too if that is not too many."""
    for_games = lcm(n_bots // gcd(n_bots, n_seats), per_map)
    pairs = n_bots * (n_bots - 1)
    both = lcm(for_games, pairs // gcd(pairs, n_seats * (n_seats - 1)))
    step = both if both <= _LONGEST_CYCLE else for_games
    return step * max(1, _CYCLE // step)


class _Dealer:
    """The seats dealt so far, and how often each two bots have met."""

    def __init__(self, n_bots: int, n_seats: int, per_map: int) -> None:
        self._n = n_bots
        self._seats = n_seats
        self._on_map = n_seats * per_map
        self._dealt: list[int] = []
        self._met = [[0] * n_bots for _ in range(n_bots)]
        self._random = Random(child_seed("pool", n_bots, n_seats, per_map)).random

    def tables(self) -> tuple[Table, ...]:
        """Cut what is dealt into tables."""
        size = self._seats
        return tuple(tuple(self._dealt[at : at + size]) for at in range(0, len(self._dealt), size))

    def deal(self, n_deals: int, n_swaps: int) -> None:
        """Deal a round: every bot once, where it costs least."""
        best: tuple[int, list[int]] | None = None
        for _ in range(n_deals):
            deal = self._deal_once()
            cost = self._improve(deal, n_swaps)
            if best is None or cost < best[0]:
                best = cost, deal
        assert best is not None
        start = len(self._dealt)
        self._dealt += best[1]
        for place in range(start, len(self._dealt)):
            for before in range(place - place % self._seats, place):
                self._count(self._dealt[place], self._dealt[before], 1)

    def _count(self, one: int, two: int, change: int) -> None:
        self._met[one][two] += change
        self._met[two][one] += change

    def _deal_once(self) -> list[int]:
        """Deal one by one, each time a bot that has met those at its table least."""
        left = list(range(self._n))
        for index in range(self._n - 1, 0, -1):
            other = int(self._random() * (index + 1))
            left[index], left[other] = left[other], left[index]
        places = self._dealt[len(self._dealt) - len(self._dealt) % self._on_map :]
        n_before = len(places)
        for _ in range(self._n):
            at = len(places)
            here = places[at - at % self._seats :]
            on_map = set(places[at - at % self._on_map :])
            costs = [(bot in on_map, sum([self._met[bot][other] for other in here])) for bot in left]
            places.append(left.pop(costs.index(min(costs))))
        return places[n_before:]

    def _improve(self, deal: list[int], n_swaps: int) -> int:
        """Swap places within a deal as long as that lowers its cost; give the cost."""
        start = len(self._dealt)
        first = start - start % self._on_map
        places = self._dealt[first:] + deal
        seats, on_map, met = self._seats, self._on_map, self._met

        def table_cost(table: int) -> int:
            here = places[table * seats : (table + 1) * seats]
            return sum([2 * met[one][two] + 1 if one != two else _TWICE for one, two in combinations(here, 2)])

        def map_cost(number: int) -> int:
            here = places[number * on_map : (number + 1) * on_map]
            return _TWICE * (len(here) - len(set(here)))

        def cost_of(one: int, two: int) -> int:
            cost = table_cost(one // seats) + table_cost(two // seats)
            if one // on_map != two // on_map:
                cost += map_cost(one // on_map) + map_cost(two // on_map)
            return cost

        is_better = True
        while is_better and n_swaps > 0:
            is_better = False
            for one, two in combinations(range(start - first, len(places)), 2):
                if one // seats == two // seats:
                    continue
                n_swaps -= 1
                before = cost_of(one, two)
                places[one], places[two] = places[two], places[one]
                if cost_of(one, two) < before:
                    is_better = True
                else:
                    places[one], places[two] = places[two], places[one]
        deal[:] = places[start - first :]
        n_tables, n_maps = -(-len(places) // seats), -(-len(places) // on_map)
        return sum(map(table_cost, range(n_tables))) + sum(map(map_cost, range(n_maps)))

    def even_out(self, n_rounds: int) -> None:
        """Swap places in the last third of the rounds until all have met equally often, or as near as it goes."""
        mean = len(self._dealt) * (self._seats - 1) / (self._n * (self._n - 1))
        goal = 0 if mean.is_integer() else 1
        last = max(1, n_rounds // 3)
        for trial in range(_REPAIRS):
            if trial % 200 == 0:
                counts = [self._met[one][two] for one, two in combinations(range(self._n), 2)]
                if max(counts) - min(counts) <= goal:
                    return
            start = (n_rounds - 1 - int(self._random() * last)) * self._n
            one, two = (start + int(self._random() * self._n) for _ in range(2))
            if one // self._seats != two // self._seats and self._may_swap(one, two):
                self._swap_if_no_worse(one, two)

    def _may_swap(self, one: int, two: int) -> bool:
        """Say whether two places may change bots: nobody would sit twice at a table or on a map."""
        for size in (self._seats, self._on_map):
            if one // size == two // size:
                continue
            for place, new in ((one, self._dealt[two]), (two, self._dealt[one])):
                low = place - place % size
                if new in self._dealt[low : low + size]:
                    return False
        return True

    def _swap_if_no_worse(self, one: int, two: int) -> None:
        """Swap two bots if the squares of all meetings then sum to no more."""
        bot, other = self._dealt[one], self._dealt[two]
        change = 0
        for leaves, comes, place in ((bot, other, one), (other, bot, two)):
            low = place - place % self._seats
            for mate in self._dealt[low : low + self._seats]:
                if mate != leaves:
                    change += 2 * (self._met[comes][mate] - self._met[leaves][mate]) + 2
                    self._count(leaves, mate, -1)
                    self._count(comes, mate, 1)
        self._dealt[one], self._dealt[two] = other, bot
        if change > 0:
            for leaves, comes, place in ((other, bot, one), (bot, other, two)):
                low = place - place % self._seats
                for mate in self._dealt[low : low + self._seats]:
                    if mate != leaves:
                        self._count(leaves, mate, -1)
                        self._count(comes, mate, 1)
            self._dealt[one], self._dealt[two] = bot, other
