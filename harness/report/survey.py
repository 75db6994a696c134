"""The first reading of a run that is filtered or grouped: which keys there are, and where groups begin and end.

Records go in one by one; what is kept is bounded by the number of keys and groups, and does not depend on the records'
order: quantiles come from the games whose numbers hash lowest. Must do no statistics.
"""

from __future__ import annotations

import difflib
import heapq
import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from harness.records import MapRecord, Scalar
from harness.report.expression import Expression, ExpressionError, Key
from harness.report.fields import FIELDS, OF_BOT, OF_GAME, OF_MAP, OF_OPPONENT, Level, Place, seen_from, values_of

MAX_GROUPS = 24
"""More are no help to a reader, and each costs megabytes."""

FEW_VALUES = 8
"""Up to so many different numbers each make a group of its own."""

QUANTILES = 4
SAMPLE = 4096
MAX_KEYS = 1000
_EXAMPLES = 4
_MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked of a run. `bot` is from whose place games are seen; None for the candidate, if there is one."""

    where: Expression | None = None
    by: Key | None = None
    width: float | None = None
    columns: tuple[Key, ...] = ()
    bot: str | None = None

    @property
    def keys(self) -> tuple[Key, ...]:
        """Give every key that is asked for."""
        where = () if self.where is None else self.where.keys
        by = () if self.by is None else (self.by,)
        return (*where, *by, *self.columns)


@dataclass(slots=True)
class KeyFacts:
    """What is known of a key that bots or maps gave: in how many games or places, and which values."""

    level: Level
    n: int = 0
    low: float = math.inf
    high: float = -math.inf
    texts: dict[str, None] = field(default_factory=dict)

    def add(self, value: Scalar) -> None:
        """Take a value."""
        self.n += 1
        if isinstance(value, str):
            if len(self.texts) < _EXAMPLES:
                self.texts.setdefault(value)
        elif value is not None:
            self.low, self.high = min(self.low, value), max(self.high, value)


class GroupError(ValueError):
    """The groups that `--by` asks for cannot be made: what, what was found, and what helps."""

    def __init__(self, what: str, got: str, next_step: str) -> None:
        super().__init__(what)
        self.what = what
        self.got = got
        self.next_step = next_step


@dataclass(frozen=True, slots=True)
class Bin:
    """One group: the numbers from `low` to `high` (`is_open`: `high` left out), or one `value`."""

    value: Scalar = None
    low: float | None = None
    high: float | None = None
    is_open: bool = False


class Grouping:
    """Finds the group of a value."""

    def __init__(self, bins: Sequence[Bin]) -> None:
        self.bins = tuple(bins)
        self._by_value = {
            (isinstance(each.value, str), each.value): at for at, each in enumerate(bins) if each.low is None
        }
        self._ranges = [(each, at) for at, each in enumerate(bins) if each.low is not None]
        self._highs = [each.high for each, _ in self._ranges if each.high is not None]

    def find(self, value: Scalar) -> int | None:
        """Give the index of a value's group; None if it has none (the run went on while it was read)."""
        known = self._by_value.get((isinstance(value, str), value))
        if known is not None or isinstance(value, str) or value is None or not self._ranges:
            return known
        at = min(bisect_left(self._highs, value), len(self._ranges) - 1)
        if self._ranges[at][0].is_open and value == self._ranges[at][0].high and at + 1 < len(self._ranges):
            at += 1
        each, index = self._ranges[at]
        is_inside = each.low is not None and value >= each.low
        return index if is_inside or not each.is_open else None


class Survey:
    """Reads every record once."""

    def __init__(self, query: Query) -> None:
        self.query = query
        self.n_maps = 0
        self.n_games = 0
        self.known: dict[str, KeyFacts] = {}
        self.dropped: dict[str, int] = {}
        self.bots: dict[str, None] = {}
        self.is_solo = True
        """Whether everybody plays alone: then each game is seen from its only place."""
        self._firsts: dict[str, None] = {}
        self._numbers: set[float] = set()
        self._bins: set[int] = set()
        self._texts: set[str] = set()
        self._sample: list[tuple[int, float]] = []

    def add(self, record: MapRecord) -> None:
        """Take one record."""
        self.n_maps += 1
        self.n_games += len(record.games)
        self._firsts.setdefault(record.lineup[0])
        self.bots.update(dict.fromkeys(record.lineup))
        self.is_solo = self.is_solo and len(record.lineup) == 1
        self._note(OF_MAP, Level.MAP, record.properties)
        first = None if self.is_solo else next(iter(self._firsts))
        bot = seen_from(record, self.query.bot or first)
        for number, game in enumerate(record.games):
            self._note(OF_GAME, Level.GAME, game.data)
            for seat, used in enumerate(game.bots):
                self._note(OF_BOT, Level.SEAT, used.data)
                if used.data_dropped:
                    name = record.lineup[game.seating[seat]]
                    self.dropped[name] = self.dropped.get(name, 0) + used.data_dropped
            if self.query.by is None or (self.query.bot is not None and bot is None):
                continue
            place = Place(record, number, bot)
            where = self.query.where
            if where is None or where.holds(lambda key, place=place: values_of(key, place)):  # type: ignore[misc]
                for value in values_of(self.query.by.name, place):
                    self._take_group_value(value, (record.job << 16) + number)

    def _note(self, prefix: str, level: Level, pairs: Iterable[tuple[str, Scalar]]) -> None:
        for key, value in pairs:
            name = prefix + key
            facts = self.known.get(name)
            if facts is None:
                if len(self.known) >= MAX_KEYS:
                    continue
                facts = self.known[name] = KeyFacts(level)
            facts.add(value)

    def _take_group_value(self, value: Scalar, place: int) -> None:
        if isinstance(value, str):
            if len(self._texts) <= MAX_GROUPS:
                self._texts.add(value)
        elif value is not None:
            number = float(value)
            if len(self._numbers) <= FEW_VALUES:
                self._numbers.add(number)
            if self.query.width and len(self._bins) <= MAX_GROUPS:
                self._bins.add(math.floor(number / self.query.width))
            entry = (-_scattered(place), number)
            if len(self._sample) < SAMPLE:
                heapq.heappush(self._sample, entry)
            else:
                heapq.heappushpop(self._sample, entry)

    # ------------------------------------------------------------------------------------------ what follows

    def candidate(self, planned: str | None) -> str | None:
        """Give the bot from whose place games are seen: the one asked for, or the only one that comes first.

        `planned` is the candidate as the plan has it, "" if it has none, None if that is not known.
        """
        if self.query.bot is not None:
            return self.query.bot
        if len(self._firsts) == 1 and planned in {None, *self._firsts}:
            return next(iter(self._firsts))
        return None

    def names(self) -> dict[str, KeyFacts | None]:
        """Give the keys that may be asked for, without a prefix where none is needed; fields of every record first."""
        found: dict[str, KeyFacts | None] = dict.fromkeys(FIELDS)
        for name, facts in self.known.items():
            bare = name.partition(".")[2]
            found[name if bare in found else bare] = facts
        return found

    def level_of(self, key: Key) -> Level | None:
        """Say whose a key is; None if it is nowhere in the run."""
        if key.name in FIELDS:
            return FIELDS[key.name].level
        if key.name.startswith(OF_OPPONENT):
            return Level.SEAT if OF_BOT + key.name.removeprefix(OF_OPPONENT) in self.known else None
        for prefix in (OF_MAP, OF_GAME, OF_BOT):
            name = key.name if key.name.startswith(prefix) else prefix + key.name
            if name in self.known:
                return self.known[name].level
        return None

    def check(self, key: Key, text: str, planned: str | None) -> None:
        """Refuse a key that is nowhere, and one bot's own where no bot is in view. Raises ExpressionError."""
        level = self.level_of(key)
        if level is None:
            what = f"there is no key `{key.name}` in this run"
            allowed = ", ".join(self.names())
            raise ExpressionError(what, text, key.at, key.length, self._hint(key), allowed=allowed)
        if level is Level.SEAT and not self.is_solo and self.candidate(planned) is None:
            what = f"`{key.name}` is one bot's own, and this run has no candidate"
            step = f"say whose: --bot {next(iter(self.bots))}"
            raise ExpressionError(what, text, key.at, key.length, step, allowed=", ".join(self.bots))

    def _hint(self, key: Key) -> str:
        if key.name in self.bots or any(key.name in facts.texts for facts in self.known.values()):
            return f"text goes in quotes: '{key.name}'"
        near = difflib.get_close_matches(key.name, self.names(), 1)
        return f"did you mean `{near[0]}`?" if near else "see what each is with --keys"

    def grouping(self) -> Grouping:
        """Make the groups. Raises GroupError if they would be too many or if there is nothing to group by."""
        by = self.query.by
        assert by is not None
        texts = [Bin(value=text) for text in sorted(self._texts)]
        bins = [*self._number_bins(), *texts]
        if not bins:
            raise GroupError(f"no game that is kept has `{by.name}`", "no group", "see what there is with --keys")
        if len(bins) > MAX_GROUPS:
            raise GroupError(
                f"`{by.name}` makes more groups than can be compared",
                f"more than {MAX_GROUPS}",
                f"bins of a greater width, as --by {by.name}:{self._fitting_width()}, or fewer values with --where"
                if self._sample
                else "fewer values with --where",
            )
        return Grouping(bins)

    def _fitting_width(self) -> str:
        """Give a round width of which about ten bins hold all values."""
        values = [number for _, number in self._sample]
        span = max(values) - min(values)
        return f"{10.0 ** math.ceil(math.log10(span / 10)):g}" if span > 0 else "100"

    def _number_bins(self) -> list[Bin]:
        if self.query.width:
            width = self.query.width
            return [Bin(low=at * width, high=(at + 1) * width, is_open=True) for at in sorted(self._bins)]
        if len(self._numbers) <= FEW_VALUES:
            return [Bin(value=_whole(number)) for number in sorted(self._numbers)]
        values = sorted(number for _, number in self._sample)
        edges = sorted({values[math.ceil(len(values) * part / QUANTILES) - 1] for part in range(1, QUANTILES)})
        lows = [-math.inf, *edges]
        highs = [*edges, math.inf]
        return [Bin(low=low, high=high) for low, high in zip(lows, highs, strict=True)]


def _whole(number: float) -> int | float:
    return int(number) if number.is_integer() else number


def _scattered(number: int) -> int:
    """Scatter whole numbers over 64 bits, the same on every machine (the finaliser of MurmurHash3)."""
    number = (number ^ (number >> 33)) * 0xFF51AFD7ED558CCD & _MASK
    number = (number ^ (number >> 33)) * 0xC4CEB9FE1A85EC53 & _MASK
    return number ^ (number >> 33)
