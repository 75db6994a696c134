"""Lineages: who is champion, since when, by which verdict. An append-only file each, beside the archive of frozen bots.

`NAME.jsonl` is a chain of entries (locked, synced, each with the digest of the one before), `archive/` the frozen bots.
The last entry that names a champion is the champion; going back is an entry too, nothing is ever erased.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec

from harness.errors import LedgerError, ResultsError, UsageError
from harness.store.archive import read_frozen
from harness.store.chain import Link, lock_chain, read_chain

SCHEMA = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,59}")


class EntryKind(StrEnum):
    """What an entry of a lineage says."""

    SET = "set"  # a person made it champion
    PROMOTED = "promoted"  # a gate did
    REFUSED = "refused"  # a gate did not; the champion stays
    ROLLED_BACK = "rolled back"  # an earlier champion is champion again


class LineageEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry. `address` is a frozen bot's; of a refused candidate "" (it was not frozen).

    `run` and `verdict` (its digest) say which gate decided, `spent` which entry of a ledger it had registered.
    `goes_back_to` is the number of the entry whose champion is champion again.
    """

    schema: int
    kind: EntryKind
    bot: str
    address: str
    fingerprint: str
    run: str = ""
    verdict: str = ""
    spent: str = ""
    note: str = ""
    goes_back_to: int | None = None


@dataclass(frozen=True, slots=True)
class Numbered:
    """An entry with its place in the lineage."""

    number: int
    time: str
    digest: str
    entry: LineageEntry


_decoder = msgspec.json.Decoder(LineageEntry)


class Champions:
    """The lineages of a folder, with their archive."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def archive(self) -> Path:
        """The folder of frozen bots."""
        return self.folder / "archive"

    def path(self, lineage: str) -> Path:
        """Give a lineage's file. Raises UsageError for a name that no file should have."""
        if not _NAME.fullmatch(lineage):
            raise UsageError(
                "a lineage's name is that of its file",
                got=repr(lineage),
                allowed="up to 60 letters, digits and . _ + -, a letter or digit first",
            )
        return self.folder / f"{lineage}.jsonl"

    def names(self) -> list[str]:
        """Give the lineages that are there."""
        return sorted(path.stem for path in self.folder.glob("*.jsonl"))

    def history(self, lineage: str) -> list[Numbered]:
        """Read all entries, oldest first; none if there is no such lineage yet. Raises LedgerError if it is damaged."""
        path = self.path(lineage)
        return [_numbered(link, path) for link in read_chain(path)]

    def champion(self, lineage: str) -> Numbered | None:
        """Give the entry of the present champion; None if the lineage has none."""
        return _champion(self.history(lineage))

    def require_champion(self, lineage: str) -> Numbered:
        """Give the present champion. Raises ResultsError with the lineages that are there."""
        champion = self.champion(lineage)
        if champion is None:
            raise ResultsError(
                f"lineage {lineage!r} has no champion yet",
                where=str(self.path(lineage)),
                allowed=", ".join(self.names()) or "no lineages there yet",
                next_step=f"make a bot its first champion: harness champion set {lineage} CONFIG BOT",
            )
        return champion

    def decisions(self, lineage: str) -> list[bool]:
        """Give what the gates of a lineage decided so far, oldest first: promoted or not."""
        kinds = [numbered.entry.kind for numbered in self.history(lineage)]
        return [kind is EntryKind.PROMOTED for kind in kinds if kind in {EntryKind.PROMOTED, EntryKind.REFUSED}]

    def append(self, lineage: str, entry: LineageEntry, *, against: str | None = None) -> Numbered:
        """Add an entry; when this returns it is on the disk, before that nothing has changed.

        A gate's decision that is there already (its run and verdict) is given back as it is, so that a gate that was
        killed here may say it again. `against` is the address of the champion that a promotion beat: if that is not the
        champion any more, LedgerError. A champion's frozen bot must be in the archive, whole: else ResultsError.
        """
        if entry.address:
            read_frozen(self.archive, entry.address)
        with lock_chain(self.path(lineage)) as chain:
            known = [_numbered(link, chain.path) for link in chain.links]
            for numbered in known:
                if entry.verdict and (numbered.entry.run, numbered.entry.verdict) == (entry.run, entry.verdict):
                    return numbered
            champion = _champion(known)
            present = champion.entry.address if champion else ""
            if against is not None and present != against:
                raise LedgerError(
                    f"the champion of {lineage!r} has changed since this gate began",
                    where=str(chain.path),
                    got=f"{champion.entry.bot} since {champion.time}" if champion else "no champion",
                    next_step="gate the candidate against the present champion",
                )
            return _numbered(chain.append(entry), chain.path)

    def roll_back(self, lineage: str, to: int | None = None, note: str = "") -> Numbered:
        """Make an earlier champion champion again: that of entry `to`, else the one before the present one.

        Raises LedgerError if there is none, or the entry names no champion.
        """
        history = self.history(lineage)
        present = _champion(history)
        earlier = [n for n in history if n.entry.address and present and n.entry.address != present.entry.address]
        found = next((n for n in history if n.number == to and n.entry.address), None) if to is not None else None
        if to is None and earlier:
            found = earlier[-1]
        if found is None:
            raise LedgerError(
                f"nobody to go back to in lineage {lineage!r}",
                where=str(self.path(lineage)),
                got=f"entry {to}" if to is not None else f"{len(history)} entries",
                allowed=", ".join(f"{n.number} ({n.entry.bot})" for n in history if n.entry.address) or "none",
            )
        entry = LineageEntry(
            schema=SCHEMA,
            kind=EntryKind.ROLLED_BACK,
            bot=found.entry.bot,
            address=found.entry.address,
            fingerprint=found.entry.fingerprint,
            note=note,
            goes_back_to=found.number,
        )
        return self.append(lineage, entry)


def _champion(history: list[Numbered]) -> Numbered | None:
    return next((numbered for numbered in reversed(history) if numbered.entry.kind is not EntryKind.REFUSED), None)


def _numbered(link: Link, path: Path) -> Numbered:
    try:
        entry = _decoder.decode(link.entry)
    except ValueError as error:
        raise LedgerError("no entry of a lineage", where=f"{path}:{link.number + 1}", got=str(error)) from error
    if entry.schema != SCHEMA:
        raise LedgerError(
            "an entry of another version", where=f"{path}:{link.number + 1}", got=f"schema {entry.schema}"
        )
    return Numbered(link.number, link.time, link.digest, entry)
