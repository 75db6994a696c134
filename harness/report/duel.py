"""Verdicts on one bot against one other: what the interval says. Gates use them where no selection stands between.

The direction is in the word, so the headline's number has no sign; the detail line gives the signed interval, the score
and the number of maps. Must not say that one is better without an interval over maps that leaves out an even score.
"""

from __future__ import annotations

from harness.errors import ExitCode
from harness.report import numbers
from harness.report.model import Comparison, Summary
from harness.report.outcome import Outcome, Tone, Verdict
from harness.report.words import all_of, interval_sentence, level_of, maps_phrase, scored_sentence
from harness.stats.elo import EloState
from harness.stats.planning import NeedState, maps_to_tell

FEW_APART_SHARE = 0.02
"""If no more than this share of the maps told the bots apart, and the interval holds an even score: starved."""

STARVED_FROM_MAPS = 50
"""Below this many maps, few maps apart is what one expects."""

MIRRORED_SHARE = 0.8
"""From this share of mirrored maps on, two bots that are not separated play alike."""


def plain(summary: Summary, row: Comparison) -> Verdict:
    """Say what a run without a gate found of its only comparison."""
    n_maps = row.estimate.n_maps
    if is_mirrored(row):
        return mirrored(summary, row)
    if not row.side and n_maps >= STARVED_FROM_MAPS and n_maps - row.maps_split <= FEW_APART_SHARE * n_maps:
        return starved_of_decisions(row)
    if row.side > 0:
        return better(summary, row, Outcome.BETTER, "BETTER", ExitCode.DONE)
    if row.side < 0:
        return worse(summary, row, Outcome.WORSE, "WORSE", ExitCode.DONE)
    return no_evidence(row, Outcome.NO_EVIDENCE, "NO EVIDENCE", ExitCode.DONE)


def is_mirrored(row: Comparison) -> bool:
    """Say whether two bots play alike: not separated, and nearly every map is one game with the seats swapped."""
    n_maps = row.estimate.n_maps
    return n_maps > 1 and not row.side and row.mirrored_maps >= MIRRORED_SHARE * n_maps


def better(
    summary: Summary, row: Comparison, outcome: Outcome, tag: str, code: ExitCode, *, fresh: bool = False
) -> Verdict:
    """Say that the bot is better, by how much, and how sure that is."""
    relation, emphasis = _relation(row, "better")
    return Verdict(
        outcome=outcome,
        tag=tag,
        glyph="▲",
        tone=Tone.GOOD,
        headline=f"{row.bot} is {relation}.",
        detail=_measured(summary, row, fresh=fresh),
        exit_code=code,
        emphasis=emphasis,
    )


def _measured(summary: Summary, row: Comparison, *, fresh: bool) -> str:
    scored = scored_sentence(summary, row, fresh=fresh)
    unit = "sets of games that share no map" if summary.n_unpaired else "maps, not games"
    return f"{interval_sentence(row)} {scored} The interval counts {unit}."


def worse(
    summary: Summary, row: Comparison, outcome: Outcome, tag: str, code: ExitCode, *, fresh: bool = False
) -> Verdict:
    """Say that the bot is worse, by how much, and how sure that is."""
    relation, emphasis = _relation(row, "worse")
    return Verdict(
        outcome=outcome,
        tag=tag,
        glyph="▼",
        tone=Tone.BAD,
        headline=f"{row.bot} is {relation}.",
        detail=f"{interval_sentence(row)} {scored_sentence(summary, row, fresh=fresh)}",
        exit_code=code,
        emphasis=emphasis,
    )


def _relation(row: Comparison, word: str) -> tuple[str, str]:
    """Give "better than B by 27 Elo" and the part that is the magnitude; a perfect score has no Elo."""
    estimate = row.estimate
    if estimate.elo.estimate.state is not EloState.FINITE:
        verb = "won" if word == "better" else "lost"
        every = all_of(estimate.n_maps, "map")
        return f"{word} than {row.opponent}: it {verb} {every}", every
    size = f"{numbers.elo_size(estimate.elo.estimate, numbers.elo_decimals(estimate.elo))} Elo"
    return f"{word} than {row.opponent} by {size}", size


def no_evidence(row: Comparison, outcome: Outcome, tag: str, code: ExitCode, *, fresh: bool = False) -> Verdict:
    """Say that nothing was shown, what still fits the data, and how many maps it would take."""
    elo = row.estimate.elo
    decimals = numbers.elo_decimals(elo)
    estimate = numbers.elo(elo.estimate, decimals)
    maps = maps_phrase(row.estimate.n_maps, fresh=fresh)
    sentences = [f"Estimate {estimate} Elo, {level_of(row)} {numbers.elo_range(elo)} Elo over {maps}."]
    if not row.side:
        gain, loss = numbers.elo_size(elo.high, decimals), numbers.elo_size(elo.low, decimals)
        sentences.append(f"A gain of {gain} Elo or a loss of {loss} Elo both fit the data.")
    need = maps_to_tell(row.estimate.score, row.estimate.sd)
    if need.state is NeedState.FINITE and need.n is not None and estimate != "0":
        sentences.append(f"Telling {estimate} from 0 would take about {numbers.about(need.n)} maps.")
    return Verdict(
        outcome=outcome,
        tag=tag,
        glyph="●",
        tone=Tone.NOTE,
        headline=f"No evidence that {row.bot} is better than {row.opponent}.",
        detail=" ".join(sentences),
        exit_code=code,
    )


def mirrored(summary: Summary, row: Comparison) -> Verdict:
    """Say that the two play the same games from either seat, so that nothing was measured."""
    n_maps = row.estimate.n_maps
    some = f"{numbers.count(row.maps_split)} of {numbers.counted(n_maps, 'map')}"
    split = all_of(n_maps, "map") if row.maps_split == n_maps else some
    prints = dict(summary.run.fingerprints)
    own, other = prints.get(row.bot, ""), prints.get(row.opponent or "", "")
    if own and own == other:
        advice = f"Both bots have fingerprint {numbers.digest(own)}: is the candidate the program you meant to test?"
    else:
        advice = "Maps that are not mirrored, or other opponents, may tell them apart."
    return Verdict(
        outcome=Outcome.MIRRORED,
        tag="MIRRORED",
        glyph="⇄",
        tone=Tone.WARN,
        headline=f"{row.bot} and {row.opponent} play alike: {split} {'was' if n_maps == 1 else 'were'} split.",
        detail=f"{numbers.count(row.mirrored_maps)} of {numbers.count(n_maps)} pairs are the same game with the seats "
        f"swapped. The result says nothing about strength. {advice}",
        exit_code=ExitCode.NO_VERDICT,
    )


def starved_of_decisions(row: Comparison) -> Verdict:
    """Say that hardly a map told the bots apart."""
    n_maps = row.estimate.n_maps
    n_apart = n_maps - row.maps_split
    which = f"only {numbers.count(n_apart)}" if n_apart else "none"
    rest = f"The other {numbers.count(row.maps_split)} were split." if n_apart else "All were split."
    return Verdict(
        outcome=Outcome.STARVED,
        tag="STARVED",
        glyph="!",
        tone=Tone.WARN,
        headline=f"No verdict: {which} of {numbers.counted(n_maps, 'map')} told the bots apart.",
        detail=f"{rest} Use maps, limits or opponents that separate the bots more.",
        exit_code=ExitCode.NO_VERDICT,
    )
