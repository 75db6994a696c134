"""A gate's artefacts: verdict.json, markdown for a pull request, JUnit XML for CI. Text from data; writes nothing.

The sentences are `gated`'s. Markdown is plain, its first line a hidden mark by which the next run finds the same
comment. JUnit has a case for each check, never one for each game.
"""

from __future__ import annotations

import json
from xml.sax.saxutils import escape, quoteattr

from harness.errors import ExitCode
from harness.gates.lies import FORFEIT_SHARE, Lie
from harness.gates.outcome import GateOutcome, GateState, StageOutcome
from harness.gates.panel import MemberResult
from harness.gates.policy import PanelStage, Stage, StageKind
from harness.report import numbers
from harness.report.export import Json, to_data
from harness.report.gated import caveats, stage_words
from harness.report.outcome import Verdict

GATE_SCHEMA = 1
MARK = "<!-- harness gate -->"
MAX_MARKDOWN = 60_000

_ERRORS = {GateState.UNDECIDED, GateState.NO_VERDICT, GateState.SEEDS_USED_UP}


def gate_data(outcome: GateOutcome, verdict: Verdict, key: str) -> dict[str, Json]:
    """Give everything as JSON-ready data. `key` is the digest of what the verdict depends on."""
    whole = to_data(outcome)
    assert isinstance(whole, dict)
    notes: list[Json] = list(caveats(outcome))
    annotations: list[Json] = list(gate_annotations(outcome, verdict))
    head: dict[str, Json] = {"schema": GATE_SCHEMA, "key": key, "verdict": to_data(verdict), "caveats": notes}
    return {**head, "annotations": annotations, **whole}


def gate_json(data: dict[str, Json]) -> str:
    """Give the data as plain ASCII JSON."""
    return json.dumps(data, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def gate_markdown(outcome: GateOutcome, verdict: Verdict, again: str) -> str:
    """Give the verdict for a pull request. `again` is the command that repeats it."""
    lines = [
        MARK,
        f"### {verdict.glyph} {verdict.tag}: {_plain(verdict.headline)}",
        "",
        _plain(verdict.detail),
        "",
        "| stage | result | | maps |",
        "|---|---|---|---|",
    ]
    for stage in outcome.stages:
        word, number = stage_words(stage)
        lines.append(f"| {stage.stage.kind.value} | {word} | {_plain(number)} | {stage.n_maps} |")
    notes = caveats(outcome)
    if notes:
        lines += ["", *(f"- {_plain(note)}" for note in notes)]
    lines += ["", f"Repeat: `{again}`", ""]
    return "\n".join(lines)[:MAX_MARKDOWN]


def gate_junit(outcome: GateOutcome, verdict: Verdict, stages: tuple[Stage, ...], key: str, again: str) -> str:
    """Give one suite with a case for each check: the stages, each panel member, each bot's forfeits, voids, seats.

    `stages` are those of the policy, played or not; `key` is the digest of what the verdict depends on, `again` the
    command that repeats it.
    """
    cases = [_stage_case(stage.kind, outcome, verdict, again) for stage in stages]
    cases += _guard_cases(outcome, stages)
    cases += _health_cases(outcome)
    body = "\n".join(cases)
    counts = {word: sum(f"<{word} " in case for case in cases) for word in ("failure", "error", "skipped")}
    numbers = f'tests="{len(cases)}" failures="{counts["failure"]}" errors="{counts["error"]}"'
    name = quoteattr(_ascii(f"{outcome.run}.{outcome.candidate}"))
    properties = "\n".join(
        f"    <property name={quoteattr(key)} value={quoteattr(_ascii(value))}/>"
        for key, value in (
            ("run", outcome.run),
            ("config", key),
            ("candidate.fingerprint", outcome.candidate_fingerprint),
            ("champion.fingerprint", outcome.champion_fingerprint),
            *((f"seeds.{s.stage.kind.value}", f"{s.first_seed}..{s.last_seed}") for s in outcome.stages),
        )
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites>\n<testsuite name={name} {numbers} skipped="{counts["skipped"]}">\n'
        f"  <properties>\n{properties}\n  </properties>\n{body}\n</testsuite>\n</testsuites>\n"
    )


def _stage_case(kind: StageKind, outcome: GateOutcome, verdict: Verdict, again: str) -> str:
    played = next((stage for stage in outcome.stages if stage.stage.kind is kind), None)
    name = f"gate.{kind.value}"
    if outcome.at is kind:
        text = f"{verdict.headline}\n{verdict.detail}\nRepeat: {again}"
        return _case(name, "error" if outcome.state in _ERRORS else "failure", text, played)
    if played is None:
        return _case(name, "skipped", "an earlier stage ended the gate")
    return _case(name, None, stage_words(played)[1], played)


def _guard_cases(outcome: GateOutcome, stages: tuple[Stage, ...]) -> list[str]:
    bots = [bot for stage in stages if isinstance(stage, PanelStage) for bot in stage.bots]
    if outcome.panel is None:
        return [_case(f"guard.{bot}", "skipped", "the panel was not played") for bot in bots]
    return [
        _case(f"guard.{member.bot}", "failure" if member.is_regression else None, _guard_text(member, outcome))
        for member in outcome.panel.members
    ]


def _guard_text(member: MemberResult, outcome: GateOutcome) -> str:
    difference = numbers.points(member.difference.difference, member.candidate.n)
    if member.is_regression:
        return f"{outcome.candidate} is worse against {member.bot} than {outcome.champion}, by {difference}"
    return f"{difference} next to {outcome.champion} on the same maps"


def _health_cases(outcome: GateOutcome) -> list[str]:
    return [_case(name, "failure" if is_bad else None, text) for name, is_bad, text in _health(outcome)]


def _health(outcome: GateOutcome) -> list[tuple[str, bool, str]]:
    """Give each check of the run's health: its name, whether it is over its limit, what was counted."""
    found = {finding.lie: finding for stage in outcome.stages for finding in stage.lies}
    counts: dict[str, list[int]] = {}
    for stage in outcome.stages:
        for each in stage.forfeits:
            count = counts.setdefault(each.bot, [0, 0])
            count[0] += each.n
            count[1] += each.of
    checks = [
        (
            f"health.forfeits.{bot}",
            n > FORFEIT_SHARE * n_games or (n > 0 and Lie.FORFEITS_DECIDE in found),
            f"{bot} forfeited {numbers.count(n)} of {numbers.counted(n_games, 'game')}",
        )
        for bot, (n, n_games) in counts.items()
    ]
    n_voids = sum(stage.n_voids for stage in outcome.stages)
    checks.append(("health.voids", Lie.STARVED in found, f"{numbers.counted(n_voids, 'void')}, played again"))
    bias = found.get(Lie.SEAT_BIAS)
    text = (
        f"the first seat scored {numbers.score(bias.value, bias.of)}" if bias else "no seat decides more than the bots"
    )
    checks.append(("health.seat", bias is not None, text))
    return checks


def gate_annotations(outcome: GateOutcome, verdict: Verdict) -> list[dict[str, Json]]:
    """Give what a CI system should point at: the verdict if it is no promotion, regressions, health over its limit."""
    notes: list[tuple[str, str, str]] = []
    if verdict.exit_code is not ExitCode.DONE:
        level = "warning" if outcome.state in _ERRORS else "error"
        notes.append((level, verdict.tag, f"{verdict.headline} {verdict.detail}"))
    members = outcome.panel.members if outcome.panel is not None else ()
    notes += [("error", f"guard.{m.bot}", _guard_text(m, outcome)) for m in members if m.is_regression]
    notes += [("warning", name, text) for name, is_bad, text in _health(outcome) if is_bad]
    return [{"level": level, "title": title, "message": text} for level, title, text in notes]


def github_line(level: str, title: str, message: str) -> str:
    """Write an annotation as GitHub's workflow command, with what would end it early escaped."""
    for char, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        title, message = title.replace(char, code), message.replace(char, code)
    for char, code in ((":", "%3A"), (",", "%2C")):
        title = title.replace(char, code)
    return f"::{level} title={title}::{message}"


def _case(name: str, problem: str | None, text: str, stage: StageOutcome | None = None) -> str:
    seconds = f' time="{stage.busy_s:.3f}"' if stage is not None else ""
    head = f'  <testcase classname="harness" name={quoteattr(_ascii(name))}{seconds}>'
    safe = _ascii(text)
    if problem is None:
        inner = f"<system-out>{escape(safe)}</system-out>" if safe else ""
    else:
        inner = f"<{problem} message={quoteattr(safe.splitlines()[0] if safe else problem)}>{escape(safe)}</{problem}>"
    return f"{head}{inner}</testcase>"


_PLAIN = {"\u2212": "-", "\u202f": "", "\u2013": "-"}


def _ascii(text: str) -> str:
    """Give text for machines: plain minus, no thin spaces, nothing that XML cannot hold."""
    for fancy, plain in _PLAIN.items():
        text = text.replace(fancy, plain)
    return "".join(char for char in text if char in "\n\t" or " " <= char <= "\ud7ff")


def _plain(text: str) -> str:
    """Give text that markdown takes as it is: no cell ends, no tags."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
