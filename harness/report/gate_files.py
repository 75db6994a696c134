"""A gate's artefacts: verdict.json, markdown for a pull request, JUnit XML for CI. Text from data; writes nothing.

The sentences are `gated`'s. Markdown is plain, its first line a hidden mark by which the next run finds the same
comment. JUnit has a case for each check, never one for each game.
"""

from __future__ import annotations

import json
from xml.sax.saxutils import escape, quoteattr

from harness.gates.outcome import GateOutcome, GateState, StageOutcome
from harness.gates.policy import StageKind
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
    return {"schema": GATE_SCHEMA, "key": key, "verdict": to_data(verdict), "caveats": notes, **whole}


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


def gate_junit(outcome: GateOutcome, verdict: Verdict, kinds: tuple[StageKind, ...]) -> str:
    """Give one suite with a case for each check: the stages, each panel member, forfeits, voids."""
    cases = [_stage_case(kind, outcome, verdict) for kind in kinds]
    panel = outcome.panel
    if panel is not None:
        for member in panel.members:
            problem = "worse than the champion by more than the margin" if member.is_regression else None
            cases.append(_case(f"guard.{member.bot}", "failure" if problem else None, problem or ""))
    suffering = [stage for stage in outcome.stages if stage.n_forfeit_maps]
    text = ", ".join(f"{stage.stage.kind.value}: {stage.n_forfeit_maps} maps with a forfeit" for stage in suffering)
    decides = any(finding.lie.value == "forfeits decide" for stage in outcome.stages for finding in stage.lies)
    cases.append(_case("health.forfeits", "failure" if decides else None, text))
    starved = any(finding.lie.value == "starved" for stage in outcome.stages for finding in stage.lies)
    cases.append(
        _case("health.voids", "failure" if starved else None, f"{sum(s.n_voids for s in outcome.stages)} voids")
    )
    body = "\n".join(cases)
    counts = {word: sum(f"<{word} " in case for case in cases) for word in ("failure", "error", "skipped")}
    numbers = f'tests="{len(cases)}" failures="{counts["failure"]}" errors="{counts["error"]}"'
    name = quoteattr(_ascii(f"{outcome.run}.{outcome.candidate}"))
    properties = "\n".join(
        f"    <property name={quoteattr(key)} value={quoteattr(_ascii(value))}/>"
        for key, value in (
            ("run", outcome.run),
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


def _stage_case(kind: StageKind, outcome: GateOutcome, verdict: Verdict) -> str:
    played = next((stage for stage in outcome.stages if stage.stage.kind is kind), None)
    name = f"gate.{kind.value}"
    if outcome.at is kind:
        text = f"{verdict.headline}\n{verdict.detail}"
        return _case(name, "error" if outcome.state in _ERRORS else "failure", text, played)
    if played is None:
        return _case(name, "skipped", "an earlier stage ended the gate")
    return _case(name, None, stage_words(played)[1], played)


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
