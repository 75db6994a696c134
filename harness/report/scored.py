"""Verdicts on a score contest: two versions on the same seeds, one against several, or the best of a field.

Nothing is claimed unless Student's t over seeds and the bootstrap both say so. The direction is in the word. Must not
say that one is better while a run is not done.
"""

from __future__ import annotations

from harness.errors import ExitCode
from harness.records import Objective, Relative
from harness.report import numbers, score_words
from harness.report.outcome import Outcome, Tone, Verdict
from harness.report.score_model import ScorePair, ScoreSummary
from harness.report.words import all_of, listed
from harness.stats.paired_numbers import FEW_APART, NumbersState
from harness.stats.planning import NeedState, games_for_duel

MAX_NAMED = 3
FEW_APART_SHARE = 0.02
STARVED_FROM_SEEDS = 50

_INTERVAL = f"95{numbers.THIN}% interval"


def judge(scores: ScoreSummary) -> Verdict:
    """Put a finished score contest into words."""
    if not scores.pairs:
        return alone(scores)
    if len(scores.pairs) == 1:
        return plain(scores, scores.pairs[0])
    return _against_several(scores) if scores.candidate is not None else _field(scores)


def plain(scores: ScoreSummary, pair: ScorePair) -> Verdict:
    """Say what a run without a gate found of its only comparison."""
    if not pair.side and is_starved(pair):
        return starved(pair)
    if pair.side > 0:
        return better(scores, pair, Outcome.BETTER, "BETTER", ExitCode.DONE)
    if pair.side < 0:
        return worse(scores, pair, Outcome.WORSE, "WORSE", ExitCode.DONE)
    return no_evidence(scores, pair, Outcome.NO_EVIDENCE, "NO EVIDENCE", ExitCode.DONE)


def is_starved(pair: ScorePair) -> bool:
    """Say whether hardly a seed told the two apart: then nothing was measured."""
    apart = pair.wins + pair.losses
    return not apart or (pair.n_seeds >= STARVED_FROM_SEEDS and apart <= FEW_APART_SHARE * pair.n_seeds)


def alone(scores: ScoreSummary) -> Verdict:
    """Say what one bot scored, which is no comparison."""
    bot = scores.bots[0]
    sentences = [f"Its mean score is {score_words.mean_score(bot)} over {seeds(bot.n_seeds)}."]
    if scores.relative is Relative.LOG:
        sentences.append(f"The geometric mean is {score_words.measured(bot, scores.relative)}.")
    elif scores.relative is not Relative.NONE and scores.n_baseline_seeds:
        sentences.append(f"It has {score_words.measured(bot, scores.relative)} {score_words.next_to(scores)}.")
    if bot.n_failed:
        sentences.append(f"On {seeds(bot.n_failed)} it has no score.")
    return Verdict(
        outcome=Outcome.NO_COMPARISON,
        tag="NO COMPARISON",
        glyph="●",
        tone=Tone.NOTE,
        headline=f"{bot.name} played alone: there is nothing to compare it with.",
        detail=" ".join(sentences),
        exit_code=ExitCode.DONE,
    )


def better(
    scores: ScoreSummary, pair: ScorePair, outcome: Outcome, tag: str, code: ExitCode, *, fresh: bool = False
) -> Verdict:
    """Say that the bot is better, by how much, and how sure that is."""
    headline, emphasis = relation(scores, pair, "better", 1)
    detail = measured(scores, pair, fresh=fresh)
    return Verdict(outcome, tag, "▲", Tone.GOOD, f"{pair.bot} is {headline}.", detail, code, emphasis)


def worse(
    scores: ScoreSummary, pair: ScorePair, outcome: Outcome, tag: str, code: ExitCode, *, fresh: bool = False
) -> Verdict:
    """Say that the bot is worse, by how much, and how sure that is."""
    headline, emphasis = relation(scores, pair, "worse", -1)
    detail = measured(scores, pair, fresh=fresh)
    return Verdict(outcome, tag, "▼", Tone.BAD, f"{pair.bot} is {headline}.", detail, code, emphasis)


def relation(scores: ScoreSummary, pair: ScorePair, word: str, side: int) -> tuple[str, str]:
    """Give "better than old: it scores 2.3 % higher per seed" and the part that is the magnitude."""
    size = score_words.Gap(pair, scores.relative).size()
    head = f"{word} than {pair.opponent}"
    if scores.relative in (Relative.NONE, Relative.LOG):
        per_seed = " per seed" if scores.relative is Relative.LOG else ""
        return f"{head}: it scores {size} {score_words.direction(scores, side)}{per_seed}", size
    return f"{head} by {size} {score_words.next_to(scores)}", size


def measured(scores: ScoreSummary, pair: ScorePair, *, fresh: bool = False) -> str:
    """Say what a comparison rests on: the interval, the seeds, who won them, and what failures count."""
    gap = score_words.Gap(pair, scores.relative)
    over = f"over {seeds(pair.n_seeds, fresh=fresh)}"
    if pair.difference.state is NumbersState.ALL_EQUAL:
        first = f"The difference is the same on {all_of(pair.difference.n, 'seed')}."
    elif scores.relative is Relative.NONE and pair.opponent_mean is not None:
        first = f"{_INTERVAL} {gap.interval()} of {pair.opponent}'s mean, {over}."
    else:
        first = f"{_INTERVAL} {gap.interval()} {over}."
    sentences = [first, _won(pair), *_failures(scores, pair), *_unmeasured(scores)]
    return " ".join([*sentences, "The interval counts seeds, each played by both."])


def _won(pair: ScorePair) -> str:
    n_won, n_tied, n_lost = (numbers.count(n) for n in (pair.wins, pair.ties, pair.losses))
    return f"It won {n_won}, tied {n_tied} and lost {n_lost} of them."


def _failures(scores: ScoreSummary, pair: ScorePair) -> list[str]:
    n_failed = [(pair.bot, pair.bot_failed), (pair.opponent, pair.opponent_failed)]
    said = [f"{name} has no score on {numbers.counted(n, 'seed')}" for name, n in n_failed if n]
    if not said:
        return []
    is_one = pair.bot_failed + pair.opponent_failed == 1
    counts = "which counts" if is_one else "which count"
    if scores.relative in (Relative.BEST, Relative.MEDIAN):
        counts += " 0"
    elif scores.relative is Relative.RANK:
        counts += " as worse than any score"
    elif scores.failed_score is not None:
        counts += f" {score_words.amount(scores.failed_score)}, or the worst score there if that is worse"
    else:
        counts += f" nothing: say what {'it counts' if is_one else 'they count'} with `failed_score`"
    return [f"{' and '.join(said)}, {counts}."]


def _unmeasured(scores: ScoreSummary) -> list[str]:
    n = scores.n_unmeasured
    if not n:
        return []
    why = {
        Relative.MEDIAN: "the median there is not above 0",
        Relative.LOG: "a score there has no logarithm, or a failure counts nothing",
    }.get(scores.relative, "a failure there counts nothing")
    return [f"{seeds(n)} {'is' if n == 1 else 'are'} left out: {why}."]


def no_evidence(
    scores: ScoreSummary, pair: ScorePair, outcome: Outcome, tag: str, code: ExitCode, *, fresh: bool = False
) -> Verdict:
    """Say that nothing was shown, what still fits the data, and how many seeds it would take."""
    gap = score_words.Gap(pair, scores.relative)
    difference = pair.difference
    sentences = [f"Difference {gap.signed()}, {_INTERVAL} {gap.interval()} over {seeds(pair.n_seeds, fresh=fresh)}."]
    sentences += [_won(pair), *_failures(scores, pair), *_unmeasured(scores)]
    if difference.state is NumbersState.FEW_APART:
        sentences.append(f"Fewer than {FEW_APART} seeds told the two apart: no interval is to be trusted there.")
    elif difference.side and not pair.side:
        sentences.append("Student's t alone would say more, the bootstrap does not: a few seeds decide.")
    elif difference.mean and difference.sd:
        need = games_for_duel(difference.mean, game_sd=difference.sd)
        if need.state is NeedState.FINITE and need.n is not None:
            sentences.append(f"Telling {gap.signed()} from 0 would take about {numbers.about(need.n)} seeds.")
    headline = f"No evidence that {pair.bot} is better than {pair.opponent}."
    return Verdict(outcome, tag, "●", Tone.NOTE, headline, " ".join(sentences), code)


def starved(pair: ScorePair) -> Verdict:
    """Say that hardly a seed told the two apart."""
    n_apart = pair.wins + pair.losses
    which = f"only {numbers.count(n_apart)}" if n_apart else "none"
    same = "They have the same score on every seed: is it the program that you meant to test?"
    rest = f"On the other {numbers.count(pair.ties)} they have the same score."
    return Verdict(
        outcome=Outcome.STARVED,
        tag="STARVED",
        glyph="!",
        tone=Tone.WARN,
        headline=f"No verdict: {which} of {seeds(pair.n_seeds)} told {pair.bot} and {pair.opponent} apart.",
        detail=rest if n_apart else same,
        exit_code=ExitCode.NO_VERDICT,
    )


# ------------------------------------------------------------------------------------------------- more than two


def _against_several(scores: ScoreSummary) -> Verdict:
    candidate, n = scores.pairs[0].bot, len(scores.pairs)
    groups = {side: [pair.opponent for pair in scores.pairs if pair.side_corrected == side] for side in (1, -1, 0)}
    claims = [f"{word} than {_group(groups[side], n)}" for word, side in (("better", 1), ("worse", -1)) if groups[side]]
    if not claims:
        headline = f"No evidence that {candidate} is better or worse than any of {numbers.count(n)} others."
        look = (Outcome.NO_EVIDENCE, "NO EVIDENCE", "●", Tone.NOTE)
    else:
        headline = f"{candidate} is {' but '.join(claims)}"
        if groups[0]:
            rest = listed(groups[0]) if len(groups[0]) <= MAX_NAMED else f"the other {len(groups[0])}"
            headline += f"; no evidence against {rest}"
        headline += "."
        n_better, n_worse = len(groups[1]), len(groups[-1])
        if n_better and n_worse:
            look = (Outcome.MIXED, "MIXED", "●", Tone.NOTE)
        elif n_better:
            look = (Outcome.BETTER, "BETTER" if n_better == n else f"BETTER THAN {n_better} OF {n}", "▲", Tone.GOOD)
        else:
            look = (Outcome.WORSE, "WORSE" if n_worse == n else f"WORSE THAN {n_worse} OF {n}", "▼", Tone.BAD)
    level = f"▲ and ▼ hold for {all_of(n, 'comparison')} together, at 5{numbers.THIN}% (Holm)."
    return Verdict(*look, headline, f"{_standing(scores)} {level}", ExitCode.DONE)


def _group(names: list[str], n: int) -> str:
    if len(names) <= MAX_NAMED:
        return listed(names)
    return f"all {numbers.count(n)} others" if len(names) == n else f"{len(names)} of {n} others"


def _field(scores: ScoreSummary) -> Verdict:
    leader, n = scores.bots[0].name, len(scores.pairs)
    ahead = [pair.opponent for pair in scores.pairs if pair.side_corrected > 0]
    level = [pair.opponent for pair in scores.pairs if pair.side_corrected <= 0]
    if not ahead:
        headline = f"No evidence that any of the {numbers.count(n + 1)} bots is better than the others."
        look = (Outcome.NO_EVIDENCE, "NO EVIDENCE", "●", Tone.NOTE)
    elif level:
        who = listed(level) if len(level) <= MAX_NAMED else f"{len(level)} of the other {n}"
        headline = f"{leader} leads, but {who} may be as good."
        look = (Outcome.LEADS, "SHARED LEAD", "●", Tone.NOTE)
    else:
        headline = f"{leader} leads, ahead of {listed(ahead) if n <= MAX_NAMED else f'all {numbers.count(n)} others'}."
        look = (Outcome.LEADS, "LEADS", "▲", Tone.GOOD)
    gap = score_words.Gap(scores.pairs[0], scores.relative)
    lead = f"Its lead over {scores.pairs[0].opponent} is {gap.signed()}, {_INTERVAL} {gap.interval()}."
    picked = (
        f"The leader is picked by its result: one of {numbers.count(scores.n_comparisons)} comparisons, all of them "
        "corrected for (Bonferroni)."
    )
    return Verdict(*look, headline, f"{_standing(scores)} {lead} {picked}", ExitCode.DONE)


def _standing(scores: ScoreSummary) -> str:
    bot = scores.bots[0]
    mean = f"mean score {score_words.mean_score(bot)}"
    if scores.relative not in (Relative.NONE, Relative.LOG):
        mean += f", {score_words.measured(bot, scores.relative)} {score_words.next_to(scores)}"
    less = " (less is better)" if scores.objective is Objective.MINIMISE else ""
    return f"{bot.name} has a {mean} over {seeds(bot.n_seeds)}{less}."


def seeds(n: int, *, fresh: bool = False) -> str:
    """Say how many seeds; `fresh` ones were not used to choose the candidate."""
    return numbers.counted(n, "fresh seed" if fresh else "seed")
