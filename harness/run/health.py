"""When a bot counts as broken, and a machine as too busy. Pure.

A run of forfeits is a set-up fault and no rating; times on a machine that keeps bots waiting say little.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.config.settings import StopAfter
from harness.errors import BrokenBotError
from harness.records import Fault, FaultKind, MapRecord


@dataclass(slots=True)
class _Count:
    games: int = 0
    forfeits: int = 0
    all_forfeits: bool = True


class BotHealth:
    """Counts each bot's games and forfeits; `see` raises BrokenBotError when one is broken."""

    def __init__(self, rule: StopAfter) -> None:
        self._rule = rule
        self._counts: dict[str, _Count] = {}

    def see(self, record: MapRecord) -> None:
        """Take note of a finished map."""
        lineup = record.lineup
        for game in record.games:
            faults = {fault.seat: fault for fault in game.faults} if game.faults else {}
            for seat, index in enumerate(game.seating):
                if seat in faults:
                    self._see_forfeit(lineup[index], faults[seat], record.job)
                elif not (faults and game.bots[seat].plies == 0):  # who was never asked has shown nothing
                    count = self._count(lineup[index])
                    count.games += 1
                    count.all_forfeits = False

    def _count(self, name: str) -> _Count:
        count = self._counts.get(name)
        if count is None:
            count = self._counts[name] = _Count()
        return count

    def _see_forfeit(self, name: str, fault: Fault, job: int) -> None:
        count = self._count(name)
        count.games += 1
        count.forfeits += 1
        first, share = self._rule.first_forfeits, self._rule.forfeit_share
        if first is not None and count.all_forfeits and count.games >= first:
            raise _broken(name, f"it forfeited its first {count.games} games in a row", fault, job)
        if share is not None and count.games >= self._rule.after_games and count.forfeits > share * count.games:
            raise _broken(name, f"it forfeited {count.forfeits} of its {count.games} games", fault, job)


def _broken(name: str, what: str, fault: Fault, job: int) -> BrokenBotError:
    stderr = "".join(f"\n    | {line}" for line in fault.stderr.splitlines()[-8:])
    at = " in" if fault.kind is FaultKind.RULED else f" at ply {fault.ply} of"
    return BrokenBotError(
        f"bot {name!r} looks broken: {what}",
        got=f"last: {fault.kind.value}{at} job {job}: {fault.detail}"
        + (f"\n  its standard error ends:{stderr}" if stderr else ""),
        next_step="try it with `harness check CONFIG` or `harness play CONFIG`; "
        "to play on all the same, set stop_after in the config",
    )


_LEAST_THINK_S = 5.0
_LEAST_VOIDS = 3
_WAITED_SHARE = 0.05
_VOID_SHARE = 0.01


class MachineHealth:
    """Adds up what the machine costs a run; says so once, when it is too much for times to be believed."""

    def __init__(self) -> None:
        self.n_maps = 0
        self.n_voids = 0
        self.think_s = 0.0
        self.waited_s = 0.0
        self._has_warned = False

    def see(self, record: MapRecord) -> str | None:
        """Take note of a finished map; give a warning for people, at most once."""
        self.n_maps += 1
        for game in record.games:
            for seat in game.bots:
                if seat.starved_s is not None:
                    self.think_s += seat.think_s
                    self.waited_s += seat.starved_s
        return self._warning()

    def see_void(self) -> str | None:
        """Take note of a map that is void because a bot was kept waiting; as `see`."""
        self.n_voids += 1
        return self._warning()

    def _warning(self) -> str | None:
        waits = self.think_s > _LEAST_THINK_S and self.waited_s > _WAITED_SHARE * self.think_s
        voids = self.n_voids >= _LEAST_VOIDS and self.n_voids > _VOID_SHARE * (self.n_maps + self.n_voids)
        if self._has_warned or not (waits or voids):
            return None
        self._has_warned = True
        causes = []
        if waits:
            share = self.waited_s / self.think_s
            causes.append(f"bots have waited for a core for {share:.0%} of the time they thought")
        if voids:
            causes.append(f"{self.n_voids} of {self.n_maps + self.n_voids} maps were void for a bot that had to wait")
        return (
            f"this machine is busy: {', and '.join(causes)}. Times mean little here: end other "
            "programs, use fewer workers (`harness doctor` measures how many this machine carries), or judge by "
            "`time: {clock: cpu}`"
        )
