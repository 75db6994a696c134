"""Who used which seeds for which decision: `seeds/NAME.spent.jsonl`, beside the ledger it belongs to.

Train seeds are free and not recorded. Validation seeds are drawn: recorded, and counted when they come round again.
Test seeds are spent: once, by a decision whose rule is on record before the first game. A draw belongs to a decision:
until it is closed with a verdict, the same decision asking again (a run that is resumed) gets what it had.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import msgspec

from harness.errors import LedgerError, SeedsUsedUp, SpentError
from harness.records import Ledger, SeedRange
from harness.store.chain import Link, LockedChain, has_torn_line, lock_chain, read_chain

SCHEMA = 1
FREE_SPLIT, COUNTED_SPLIT, SPENT_SPLIT = "train", "validation", "test"


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What seeds are wanted for. Two equal decisions are one, and get the same seeds.

    `lineage` is the series of candidates that selections are counted over; `config` and `candidate_fingerprint` are
    digests; `rule` says in words or JSON what decides, with sample size and opponents: it is on record before the first
    game. `purpose` names the stage.
    """

    lineage: str
    run: str
    purpose: str
    candidate: str
    candidate_fingerprint: str
    config: str
    rule: str
    opponents: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Hash the decision, 32 hex digits."""
        return blake2b(msgspec.json.encode(self), digest_size=16).hexdigest()


class Spending(msgspec.Struct, frozen=True, kw_only=True):
    """One entry: a decision had the seeds `first` to `last` of a split. `n_selections` were made on them before.

    With `closes`, the number of an earlier draw, it says instead what came of that: the `verdict`, and that its first
    `n_used` seeds were played. Validation seeds beyond them may be drawn again as if they had never been; test seeds
    stay spent.
    """

    schema: int
    split: str
    first: int
    last: int
    decision: Decision
    n_selections: int = 0
    closes: int | None = None
    n_used: int = 0
    verdict: str = ""

    @property
    def seeds(self) -> SeedRange:
        """Give the seeds as a range."""
        return SeedRange(self.first, self.last)


@dataclass(frozen=True, slots=True)
class Drawn:
    """Seeds that may be played. `number` and `digest` name the entry, None and "" for train seeds.

    `n_selections` is how many earlier selections were made on some of them; `was_there` says that this very decision
    had drawn them before; `torn_bytes` were cut off the file's end, as a killed writer leaves them.
    """

    split: str
    seeds: SeedRange
    number: int | None
    digest: str
    n_selections: int
    was_there: bool
    torn_bytes: int = 0


@dataclass(frozen=True, slots=True)
class SpentEntry:
    """An entry with its place in the file."""

    number: int
    time: str
    digest: str
    spending: Spending


def spent_path(ledger: Ledger) -> Path:
    """Give the file that belongs to a ledger: `seeds/NAME.yaml` has `seeds/NAME.spent.jsonl`."""
    path = Path(ledger.path)
    return path.with_name(f"{path.name.removesuffix('.yaml').removesuffix('.yml')}.spent.jsonl")


_decoder = msgspec.json.Decoder(Spending)


def read_spent(ledger: Ledger) -> list[SpentEntry]:
    """Read all entries of a ledger, oldest first. Raises LedgerError for a damaged file, naming the line."""
    path = spent_path(ledger)
    return [_entry(link, path) for link in read_chain(path)]


def draw(
    ledger: Ledger, split: str, n_seeds: int, decision: Decision, *, first: int | None = None, n_taken: int = 0
) -> Drawn:
    """Draw `n_seeds` neighbouring seeds of a split for a decision; what is returned is on the disk.

    Without `first` train seeds are the first ones after the `n_taken` that the caller has, test seeds the first block
    that nobody had, validation seeds those after the last draw: from the start again when the range is used up, but
    never any that another stage of the same gate holds. With `first` it is these seeds or an error.
    Raises SeedsUsedUp if there are too few, SpentError for test seeds that were spent (also by this very decision, once
    it is closed), LedgerError for seeds outside the split or a damaged file.
    """
    if n_seeds < 1:
        raise LedgerError("nothing to draw", got=f"{n_seeds} seeds", allowed="1 or more")
    whole = ledger.range_of(split)
    if first is not None and not (whole.first <= first and first + n_seeds - 1 <= whole.last):
        raise LedgerError(
            f"these seeds are not in the {split} split",
            where=ledger.path,
            got=f"{first} to {first + n_seeds - 1}",
            allowed=f"{whole.first} to {whole.last}",
        )
    if split == FREE_SPLIT:
        start = first if first is not None else whole.first + n_taken
        if start + n_seeds - 1 > whole.last:
            raise _used_up(ledger, split, whole.last - start + 1, n_seeds)
        return Drawn(split, SeedRange(start, start + n_seeds - 1), None, "", 0, was_there=False)
    with lock_chain(spent_path(ledger)) as chain:
        entries = [_entry(link, chain.path) for link in chain.links]
        closed = {entry.spending.closes for entry in entries}
        for entry in entries:
            mine = entry.spending
            if mine.closes is None and (mine.split, mine.decision) == (split, decision):
                if entry.number not in closed:
                    return _drawn(entry, chain.torn_bytes, was_there=True)
                if split == SPENT_SPLIT:
                    raise _spent(ledger, entry)
        if split == SPENT_SPLIT:
            start = _unspent(ledger, entries, n_seeds, first)
        else:
            start = _next_counted(ledger, split, entries, n_seeds, decision) if first is None else first
        seeds = SeedRange(start, start + n_seeds - 1)
        spending = Spending(
            schema=SCHEMA,
            split=split,
            first=seeds.first,
            last=seeds.last,
            decision=decision,
            n_selections=count_selections(entries, split, seeds, decision.lineage),
        )
        return _drawn(_append(chain, spending), chain.torn_bytes, was_there=False)


def close(ledger: Ledger, drawn: Drawn, n_used: int, verdict: str) -> None:
    """Record what came of a draw: the verdict in a word, and that games of its first `n_used` seeds were seen.

    Validation seeds beyond those are given back. Nothing happens for train seeds, and for a draw that is closed.
    """
    if drawn.number is None:
        return
    with lock_chain(spent_path(ledger)) as chain:
        entries = [_entry(link, chain.path) for link in chain.links]
        if any(entry.spending.closes == drawn.number for entry in entries):
            return
        old = entries[drawn.number].spending
        _append(
            chain,
            Spending(
                schema=SCHEMA,
                split=old.split,
                first=old.first,
                last=old.last,
                decision=old.decision,
                closes=drawn.number,
                n_used=n_used,
                verdict=verdict,
            ),
        )


def count_selections(entries: list[SpentEntry], split: str, seeds: SeedRange, lineage: str) -> int:
    """Count the earlier draws of a lineage on some of these seeds: so many selections were made on them."""
    return sum(
        played.first <= seeds.last and seeds.first <= played.last
        for entry, played in _played(entries)
        if entry.spending.split == split and entry.spending.decision.lineage == lineage
    )


def count_left(ledger: Ledger, split: str, entries: list[SpentEntry]) -> int:
    """Count the seeds of a split that no decision ever had."""
    whole = ledger.range_of(split)
    return whole.size - sum(part.size for part in _union([p for e, p in _played(entries) if e.spending.split == split]))


def check_spent(ledger: Ledger) -> list[str]:
    """Check a ledger's entries against each other and against its ranges; gives what is wrong, a line each.

    Raises LedgerError for a file that was altered.
    """
    entries = read_spent(ledger)
    path = spent_path(ledger)
    wrong = []
    for entry in entries:
        spending, where = entry.spending, f"{path}:{entry.number + 1}"
        if spending.closes is not None:
            continue
        try:
            whole = ledger.range_of(spending.split)
        except KeyError:
            wrong.append(f"{where}: the ledger has no split {spending.split!r}")
            continue
        if not (whole.first <= spending.first <= spending.last <= whole.last):
            wrong.append(
                f"{where}: seeds {spending.first} to {spending.last} are not in {spending.split} any more "
                f"({whole.first} to {whole.last}): the range was moved after they were used"
            )
    tests = [entry for entry in entries if entry.spending.split == SPENT_SPLIT and entry.spending.closes is None]
    wrong += [
        f"{path}:{entry.number + 1}: test seeds that entry {before.number} had spent"
        for index, entry in enumerate(tests)
        for before in tests[:index]
        if _overlap(before.spending.seeds, entry.spending.seeds)
    ]
    if has_torn_line(path):
        wrong.append(f"{path}: its last line is torn, as a killed writer leaves it; the next draw cuts it off")
    return wrong


# ------------------------------------------------------------------------------------------------- which seeds


def _next_counted(ledger: Ledger, split: str, entries: list[SpentEntry], n_seeds: int, decision: Decision) -> int:
    """Give the first seed of the next block: after the last draw, else from the start of the range."""
    whole = ledger.range_of(split)
    drawn = [(entry, played) for entry, played in _played(entries) if entry.spending.split == split]
    closed = {entry.spending.closes for entry in entries}
    mine = [
        played
        for entry, played in drawn
        if entry.number not in closed and _gate_of(entry.spending.decision) == _gate_of(decision)
    ]
    after = drawn[-1][1].last + 1 if drawn else whole.first
    for start in (after, whole.first, *sorted(played.last + 1 for played in mine)):
        block = SeedRange(start, start + n_seeds - 1)
        if whole.first <= start and block.last <= whole.last and not any(_overlap(block, other) for other in mine):
            return start
    left = whole.size - sum(part.size for part in _union(mine))
    raise _used_up(ledger, split, left, n_seeds)


def _gate_of(decision: Decision) -> tuple[str, ...]:
    """Give what the stages of one gate have in common: while they are open they must be on maps of their own."""
    return decision.run, decision.config, decision.candidate, decision.candidate_fingerprint


def _unspent(ledger: Ledger, entries: list[SpentEntry], n_seeds: int, first: int | None) -> int:
    """Give the first seed of a block of test seeds that nobody had."""
    whole = ledger.range_of(SPENT_SPLIT)
    spent = [entry for entry in entries if entry.spending.split == SPENT_SPLIT and entry.spending.closes is None]
    if first is not None:
        for entry in spent:
            if _overlap(entry.spending.seeds, SeedRange(first, first + n_seeds - 1)):
                raise _spent(ledger, entry)
        return first
    start = whole.first
    for part in _union([entry.spending.seeds for entry in spent]):
        if start + n_seeds - 1 < part.first:
            break
        start = max(start, part.last + 1)
    if start + n_seeds - 1 > whole.last:
        raise _used_up(ledger, SPENT_SPLIT, max(0, whole.last - start + 1), n_seeds)
    return start


def _spent(ledger: Ledger, entry: SpentEntry) -> SpentError:
    decision = entry.spending.decision
    return SpentError(
        "a test seed serves one decision, and these have served theirs",
        where=f"{spent_path(ledger)}:{entry.number + 1}",
        got=f"seeds {entry.spending.first} to {entry.spending.last}, spent on {entry.time} by run {decision.run}: "
        f"{decision.purpose} of {decision.candidate} for lineage {decision.lineage}",
        next_step="leave the choice of seeds to the ledger, or add a range of test seeds",
    )


def _used_up(ledger: Ledger, split: str, n_left: int, n_needed: int) -> SeedsUsedUp:
    error = SeedsUsedUp(
        f"too few unused {split} seeds",
        where=ledger.path,
        got=f"{n_left} in one piece, {n_needed} are needed",
        next_step=f"extend `{split}` in the ledger, or ask for fewer maps",
    )
    error.n_left, error.n_needed = n_left, n_needed
    return error


def _played(entries: list[SpentEntry]) -> list[tuple[SpentEntry, SeedRange]]:
    """Give each draw with the seeds of it that were played, less what was given back."""
    used = {e.spending.closes: e.spending.n_used for e in entries if e.spending.split == COUNTED_SPLIT}
    result = []
    for entry in entries:
        seeds = entry.spending.seeds
        n_played = min(used.get(entry.number, seeds.size), seeds.size)
        if entry.spending.closes is None and n_played:
            result.append((entry, SeedRange(seeds.first, seeds.first + n_played - 1)))
    return result


def _overlap(first: SeedRange, second: SeedRange) -> bool:
    return first.first <= second.last and second.first <= first.last


def _union(ranges: list[SeedRange]) -> list[SeedRange]:
    """Join ranges that touch, in rising order."""
    joined: list[SeedRange] = []
    for part in sorted(ranges, key=lambda r: r.first):
        if joined and part.first <= joined[-1].last + 1:
            joined[-1] = SeedRange(joined[-1].first, max(joined[-1].last, part.last))
        else:
            joined.append(part)
    return joined


def _append(chain: LockedChain, spending: Spending) -> SpentEntry:
    return _entry(chain.append(spending), chain.path)


def _entry(link: Link, path: Path) -> SpentEntry:
    try:
        spending = _decoder.decode(link.entry)
    except ValueError as error:
        raise LedgerError("no entry of a ledger", where=f"{path}:{link.number + 1}", got=str(error)) from error
    if spending.schema != SCHEMA:
        raise LedgerError(
            "an entry of another version", where=f"{path}:{link.number + 1}", got=f"schema {spending.schema}"
        )
    return SpentEntry(link.number, link.time, link.digest, spending)


def _drawn(entry: SpentEntry, torn_bytes: int, *, was_there: bool) -> Drawn:
    spending = entry.spending
    return Drawn(
        spending.split, spending.seeds, entry.number, entry.digest, spending.n_selections, was_there, torn_bytes
    )
