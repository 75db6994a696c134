"""The end of a gate, in an order that a kill at any point leaves whole: artefacts, verdict, lineage, ledger.

The verdict on disk is the decision. What comes after it (freezing, the lineage's entry, closing the seeds) is done
again when the gate is started again, and each of these steps is heard once.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import msgspec

from harness.config.policy import DuelStage
from harness.errors import ResultsError
from harness.gates.outcome import GateState
from harness.report.gate_files import gate_data, gate_json, gate_junit, gate_markdown
from harness.report.gated import judge_gate
from harness.run.freeze import freeze_bot
from harness.run.gate import Judged, PreparedGate
from harness.run.stage_look import summarise_prefix
from harness.run.stage_read import BOTS_A_SEED
from harness.store.champions import SCHEMA, EntryKind, LineageEntry
from harness.store.gate_directory import VERDICT, read_verdict, write_artefacts
from harness.store.spending import Drawn, close


def conclude(ready: PreparedGate, judged: Judged, again: str) -> dict[str, Any]:
    """Write a candidate's artefacts and verdict, then what follows from it. Gives the verdict's data."""
    outcome = judged.outcome
    folder = ready.folder / outcome.candidate
    summary = None
    last = outcome.last_duel
    if last is not None:
        assert isinstance(last.stage, DuelStage)
        path, scoring = folder / last.stage.kind.value, ready.config.scoring
        if scoring is None:
            summary = summarise_prefix(path, last.n_maps)
        else:
            summary = summarise_prefix(path, BOTS_A_SEED * last.n_maps, scoring, outcome.candidate)
    verdict = judge_gate(outcome, summary)
    data: dict[str, Any] = dict(gate_data(outcome, verdict, ready.key))
    data["champion_address"] = ready.champion_address
    data["drawn"] = [_drawn_data(drawn, n_used) for drawn, n_used in judged.drawn]
    folder.mkdir(parents=True, exist_ok=True)
    write_artefacts(
        folder,
        {
            "summary.md": gate_markdown(outcome, verdict, again),
            "junit.xml": gate_junit(outcome, verdict, ready.gate.policy.stages, ready.key, again),
            VERDICT: gate_json(data),
        },
    )
    _follow_up(ready, outcome.candidate, data)
    return data


def known_verdict(ready: PreparedGate, candidate: str) -> dict[str, Any] | None:
    """Give the verdict that a candidate has already, its follow-up done; None if it is not judged.

    Raises ResultsError if it was judged under another config, or is another program by now.
    """
    folder = ready.folder / candidate
    data = read_verdict(folder)
    if data is None:
        return None
    fingerprint = ready.bot(candidate).fingerprint
    same_bots = data.get("candidate_fingerprint") == fingerprint
    if not same_bots or (data.get("key") != ready.key and not _is_champion_now(ready, data)):
        raise ResultsError(
            "this candidate was judged already, with other inputs",
            where=str(folder / VERDICT),
            got="config or champion" if same_bots else f"candidate {data.get('candidate_fingerprint')}",
            next_step="start a gate of its own with --run NAME",
        )
    _follow_up(ready, candidate, data)
    return data


def _is_champion_now(ready: PreparedGate, data: dict[str, Any]) -> bool:
    """Say whether the champion differs only because this very gate made the candidate champion."""
    champion = ready.champions.champion(ready.gate.champion_lineage) if ready.gate.champion_lineage else None
    return bool(
        champion
        and data["state"] == GateState.PROMOTED.value
        and champion.entry.run == ready.run
        and champion.entry.fingerprint == data["candidate_fingerprint"]
        and str(data.get("key")).split(".", maxsplit=1)[0] == ready.key.split(".", maxsplit=1)[0]
    )


def _follow_up(ready: PreparedGate, candidate: str, data: dict[str, Any]) -> None:
    """Freeze and enter the candidate, or enter that it was refused; close the draws. Safe to repeat."""
    lineage = ready.gate.champion_lineage
    state = GateState(data["state"])
    decided = state in {GateState.PROMOTED, GateState.REJECTED, GateState.BLOCKED, GateState.NOT_SHOWN}
    if lineage is not None and decided:
        is_promoted = state is GateState.PROMOTED
        entry = LineageEntry(
            schema=SCHEMA,
            kind=EntryKind.PROMOTED if is_promoted else EntryKind.REFUSED,
            bot=candidate,
            address=freeze_bot(ready.config, candidate, ready.champions.archive) if is_promoted else "",
            fingerprint=str(data["candidate_fingerprint"]),
            run=ready.run,
            verdict=blake2b(gate_json(data).encode(), digest_size=16).hexdigest(),
            spent=next((drawn["digest"] for drawn in reversed(data["drawn"]) if drawn["digest"]), ""),
        )
        ready.champions.append(lineage, entry, against=str(data["champion_address"]) if is_promoted else None)
    for item in data["drawn"]:
        drawn = msgspec.convert(item["draw"], Drawn)
        close(ready.ledger, drawn, int(item["n_used"]), state.value)


def _drawn_data(drawn: Drawn, n_used: int) -> dict[str, Any]:
    return {"draw": msgspec.to_builtins(drawn), "n_used": n_used, "digest": drawn.digest}
