"""When a bot counts as broken: a run of forfeits is a set-up fault, not a rating. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from harness.config.settings import StopAfter
from harness.errors import BrokenBotError
from harness.records import Fault, MapRecord


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
                else:
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
    return BrokenBotError(
        f"bot {name!r} looks broken: {what}",
        got=f"last: {fault.kind.value} at ply {fault.ply} of job {job}: {fault.detail}"
        + (f"\n  its standard error ends:{stderr}" if stderr else ""),
        next_step="try it with `harness check CONFIG` or `harness play CONFIG`; "
        "to play on all the same, set stop_after in the config",
    )
