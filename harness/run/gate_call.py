"""A gate as a Python call, for trainers: `harness.gate(config, candidate=…)`, again and again over one lineage.

The same steps, records and artefacts as on the command line; prints nothing.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import ExitCode
from harness.gates.outcome import GateState
from harness.plan.plan import Plan
from harness.records import MapRecord
from harness.run.cores import Placement
from harness.run.flow import Observer
from harness.run.gate import judge_candidate, level_for, prepare_gate, with_candidate
from harness.run.gate_end import conclude, known_verdict
from harness.store.gate_directory import lock_gate


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """What a gate came to. `folder` has the artefacts, `data` is what verdict.json holds."""

    state: GateState
    headline: str
    detail: str
    exit_code: ExitCode
    folder: Path
    data: dict[str, Any]

    @property
    def is_promoted(self) -> bool:
        """Say whether the candidate is champion now."""
        return self.state is GateState.PROMOTED


def gate(
    config: Path | str, *, candidate: str | None = None, python: str | None = None, run: str | None = None
) -> GateVerdict:
    """Judge one candidate by a config's gate and give the verdict.

    `candidate` is a bot of the config (default: the config's first candidate). With `python`, `file.py:callable` or
    `module:callable`, it is the name of an in-process bot that the config does not know. A candidate that was judged
    before under this run's name gets the verdict that it had; one that was stopped goes on. `run` names the gate, in
    place of the config's name.

    Raises what the command line reports: ConfigError, ResultsError, Interrupted, Halt errors; TypeError for a callable
    in place of its name.
    """
    _check_names(candidate, python)
    ready = prepare_gate(Path(config), run)
    name = candidate if candidate is not None else ready.gate.candidates[0]
    ready = with_candidate(ready, name, python)
    with lock_gate(ready.folder / name):
        data = known_verdict(ready, name)
        if data is None:
            judged = judge_candidate(ready, name, level_for(ready, []), _watch_nothing)
            data = conclude(
                ready, judged, shlex.join(["harness", "gate", str(config), *(["--run", run] if run else [])])
            )
    verdict = data["verdict"]
    return GateVerdict(
        state=GateState(data["state"]),
        headline=verdict["headline"],
        detail=verdict["detail"],
        exit_code=ExitCode(verdict["exit_code"]),
        folder=ready.folder / name,
        data=data,
    )


def _check_names(candidate: object, python: object) -> None:
    """Refuse a live callable: it has no content to fingerprint, so no gate could go on with it or freeze it."""
    for key, value in (("candidate", candidate), ("python", python)):
        if value is None or isinstance(value, str):
            continue
        got = f"{key} is {value!r}"
        if not callable(value):
            raise TypeError(f"{got}; allowed is a string or None")
        code = getattr(value, "__code__", None)
        place = f"{code.co_filename}:{code.co_name}" if code is not None and "<" not in code.co_qualname else ""
        raise TypeError(
            f"{got}, a live callable: it has no content to fingerprint or to freeze. "
            f'Pass where it is written: candidate="a-name-of-its-own", python="{place or "file.py:callable"}"'
        )


def _watch_nothing(stage: str, plan: Plan) -> Observer:
    """Give a stage's observer."""
    del stage, plan
    return _Silence()


class _Silence:
    """An observer that looks away."""

    def on_resumed(self, record: MapRecord) -> None:
        """Say nothing."""

    def on_start(self, plan: Plan, placement: Placement, n_done: int) -> None:
        """Say nothing."""

    def on_record(self, record: MapRecord) -> None:
        """Say nothing."""

    def on_void(self, job: int, reason: str) -> None:
        """Say nothing."""

    def on_warning(self, text: str) -> None:
        """Say nothing."""

    def on_stop_request(self, count: int) -> None:
        """Say nothing."""

    def tick(self) -> None:
        """Do nothing."""
