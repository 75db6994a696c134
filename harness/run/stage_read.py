"""How a stage's judge reads records as they come: map scores where two bots meet, pairs of results where each is alone.

What it reads is a prefix of the plan whatever finished first; `gates.decide.PrefixJudge` sees to that.
"""

from __future__ import annotations

from typing import Protocol

from harness.gates.decide import PrefixJudge
from harness.records import MapRecord, Scoring
from harness.report.score_book import score_of
from harness.stats.seed_scores import duel_score

BOTS_A_SEED = 2
"""Jobs of one seed in a score contest's stage: the candidate's, then the champion's."""


class StageReader(Protocol):
    """Lets a stage's judge read. `n_beyond` counts maps that were begun past the deciding one."""

    prefix: PrefixJudge

    @property
    def n_beyond(self) -> int:
        """How many maps were taken that the decision does not rest on, once there is one."""

    def see(self, record: MapRecord) -> None:
        """Take a record."""


class MapReader:
    """Reads the candidate's mean score on each map."""

    def __init__(self, prefix: PrefixJudge) -> None:
        self.prefix = prefix

    @property
    def n_beyond(self) -> int:
        """How many maps were taken that the decision does not rest on, once there is one."""
        return self.prefix.n_beyond

    def see(self, record: MapRecord) -> None:
        """Take a record."""
        self.prefix.take(record.job, record.scores[0] / len(record.games))


class SeedReader:
    """Reads a map score of each seed that both bots have played; keeps the result whose other half is missing."""

    def __init__(self, prefix: PrefixJudge, scoring: Scoring) -> None:
        self.prefix = prefix
        self._scoring = scoring
        self._waiting: dict[int, float | None] = {}
        self._begun: set[int] = set()

    @property
    def n_beyond(self) -> int:
        """How many seeds were begun that the decision does not rest on, once there is one."""
        decision = self.prefix.decision
        return 0 if self.prefix.is_open else sum(number >= decision.n_maps for number in self._begun)

    def see(self, record: MapRecord) -> None:
        """Take a record."""
        number, place = divmod(record.job, BOTS_A_SEED)
        score = score_of(record)
        self._begun.add(number)
        if number not in self._waiting:
            self._waiting[number] = score
            return
        other = self._waiting.pop(number)
        first, second = (score, other) if place == 0 else (other, score)
        self.prefix.take(number, duel_score(first, second, self._scoring))
