"""What the records of a score contest say, as plain frozen data: part of a `Summary`.

Scores are as the bots got them, in their own unit. "Measured" numbers are what `Scoring.relative` makes of them. Must
hold no text made for people and do no arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.records import Objective, Relative, SeedScore
from harness.stats.paired_numbers import NumbersInterval


@dataclass(frozen=True, slots=True)
class ScoreBot:
    """One bot over its seeds. `n_failed` of them have no score.

    `mean` is over all its seeds, with what `failed_score` says for those without; None where nothing says it. `total`
    is the sum. `mean_scored` leaves the failed ones out. `measured` is the mean measured number of the `n_measured`
    seeds that have one (logarithms are natural). On `n_best` seeds nobody of the run and no earlier result is better.
    `time_s` is the mean time of a seed: its plies as the harness saw them, else (a referee of its own) the whole game.
    """

    name: str
    n_seeds: int
    n_failed: int
    mean: float | None
    total: float | None
    mean_scored: float | None
    measured: float | None
    n_measured: int
    n_best: int
    time_s: float | None


@dataclass(frozen=True, slots=True)
class ScorePair:
    """One bot against one other on the seeds that both have played.

    `difference` is bot less opponent in the measured number, with Student's t over seeds; `boot_low` and `boot_high`
    are the studentised bootstrap's ends, None where it was not or could not be made. `absolute` is the same of the
    scores themselves, `ratio` of ln(bot/opponent) over the seeds on which both have a score above 0. `opponent_mean` is
    what a percentage is of: the opponent's mean score if all scores are above 0, else None. `sign_p` is the two-sided
    sign test's of wins against losses. `side` is 1 if the bot is better, −1 if it is worse, 0 if t and bootstrap do not
    both say so; `side_corrected` is what remains of it for all comparisons of the run together.
    """

    bot: str
    opponent: str
    n_seeds: int
    n_only_bot: int
    n_only_opponent: int
    wins: int
    ties: int
    losses: int
    sign_p: float
    bot_failed: int
    opponent_failed: int
    difference: NumbersInterval
    boot_low: float | None
    boot_high: float | None
    absolute: NumbersInterval
    ratio: NumbersInterval
    opponent_mean: float | None
    correlation: float | None
    side: int
    side_corrected: int


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """A score contest. Bots are in the order of their measured numbers, best first; a candidate is first.

    `pairs` are the candidate against every other bot, or the best against every other one, in the order of `bots`;
    empty while a run goes on. `n_comparisons` is how many `side_corrected` allows for. On `n_unmeasured` seeds there is
    no measured number (no median above 0, a logarithm of 0, a failure that counts nothing). `baseline` names the
    earlier results, which `n_baseline_seeds` of the seeds have. `seed_score` is what a gate makes of a seed.
    """

    objective: Objective
    relative: Relative
    failed_score: float | None
    seed_score: SeedScore
    candidate: str | None
    n_seeds: int
    n_unmeasured: int
    baseline: tuple[str, ...]
    n_baseline_seeds: int
    bots: tuple[ScoreBot, ...]
    pairs: tuple[ScorePair, ...]
    n_comparisons: int

    def bot(self, name: str) -> ScoreBot:
        """Give a bot by name. Raises KeyError."""
        for bot in self.bots:
            if bot.name == name:
                return bot
        raise KeyError(name)
