"""Judge whether a candidate becomes champion: play the config's gate, stage by stage, and say the verdict.

    harness gate CONFIG       play what is not played yet, judge, write the artefacts; the exit code is the verdict
    harness gate oc CONFIG    say beforehand how often this policy promotes, and after how many maps; plays nothing

A gate that was stopped goes on with the same command. Artefacts lie in the run's folder, one folder a candidate:
verdict.json, summary.md (for a pull request), junit.xml (for CI).
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cli.run import Watcher
from harness.cli.shared import add_json, warn
from harness.errors import ExitCode, Halt, Interrupted, UsageError

if TYPE_CHECKING:
    from harness.gates.oc import GateChance
    from harness.plan.plan import Plan
    from harness.records import Scoring
    from harness.report.live import Progress
    from harness.run.gate import PreparedGate

_MAX_ANNOTATIONS = 10
_ORDER = (ExitCode.NO_VERDICT, ExitCode.NOT_PASSED)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments."""
    parser.add_argument("words", nargs="+", metavar="[oc] CONFIG", help="a config with a `gate:`; `oc` only computes")
    parser.add_argument("--run", metavar="NAME", help="name the gate's run, in place of the config's name")
    parser.add_argument("--quiet", "-q", action="store_true", help="no progress, only the verdict")
    parser.add_argument("--draws", type=float, metavar="SHARE", help="with oc: share of drawn games (measured, else 0)")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Judge, or compute."""
    words = list(args.words)
    computes = words[0] == "oc" and len(words) > 1
    if computes:
        words.pop(0)
    if len(words) != 1:
        raise UsageError("one config at a time", got=" ".join(words), next_step="harness gate CONFIG")
    if args.draws is not None and not (computes and 0.0 <= args.draws < 1.0):
        raise UsageError("--draws goes with `harness gate oc`", got=str(args.draws), allowed="0 to below 1")
    path = Path(words[0])
    if computes:
        return show_characteristic(path, args.run, draws=args.draws, as_json=args.json)
    return judge(path, args.run, quiet=args.quiet, as_json=args.json)


# -------------------------------------------------------------------------------------------------------- judging


def judge(path: Path, run_name: str | None, *, quiet: bool, as_json: bool) -> int:
    """Play a gate and print its verdicts. Several candidates: 0 if one was promoted, else the gravest of theirs."""
    from harness.run.gate import prepare_gate
    from harness.store.gate_directory import lock_gate

    ready = prepare_gate(path, run_name, tell=warn)
    for skipped in ready.config.skipped:
        warn(f"{skipped.name} is skipped: {skipped.reason}")
    again = shlex.join(["harness", "gate", str(path), *(["--run", run_name] if run_name else [])])
    with lock_gate(ready.folder):
        try:
            results = _all_candidates(ready, again, quiet=quiet or as_json)
        except Interrupted as stop:
            raise Interrupted(stop.what, next_step=f"go on with: {again}") from None
    if as_json:
        print(json.dumps({"candidates": results}, indent=2, ensure_ascii=True))
    else:
        for data in results:
            print(_shown(data, ready.folder / str(data["candidate"])))
    if os.environ.get("GITHUB_ACTIONS") == "true":
        _annotate(results)
    codes = {ExitCode(data["verdict"]["exit_code"]) for data in results}
    if ExitCode.DONE in codes:
        return ExitCode.DONE
    return next(code for code in _ORDER if code in codes)


def _annotate(results: list[dict[str, Any]]) -> None:
    """Point GitHub at what is wrong, on standard error, so that --json stays JSON."""
    from harness.report.gate_files import github_line

    notes = [note for data in results for note in data.get("annotations", ())]
    for note in notes[:_MAX_ANNOTATIONS]:
        print(github_line(note["level"], note["title"], note["message"]), file=sys.stderr)


def _all_candidates(ready: PreparedGate, again: str, *, quiet: bool) -> list[dict[str, Any]]:
    from harness.run.gate import judge_candidate, level_for
    from harness.run.gate_end import conclude, known_verdict

    results: list[dict[str, Any]] = []
    promoted: list[bool] = []
    for candidate in ready.gate.candidates:
        data = known_verdict(ready, candidate)
        if data is None:
            views = _Views(candidate, ready.config.scoring, quiet=quiet)
            try:
                judged = judge_candidate(ready, candidate, level_for(ready, promoted), views.watch)
            except Halt as halt:
                raise type(halt)(
                    halt.what, where=halt.where, got=halt.got, allowed=halt.allowed, next_step=halt.next_step or again
                ) from halt
            finally:
                views.stop()
            data = conclude(ready, judged, again)
        results.append(data)
        promoted.append(data["state"] == "promoted")
        if promoted[-1] and candidate != ready.gate.candidates[-1] and ready.champion_address:
            warn(f"{candidate} is champion now; the candidates after it were to beat the one before: gate them again")
            break
    return results


class _Views:
    """Shows the stages of one candidate as they are played."""

    def __init__(self, candidate: str, scoring: Scoring | None, *, quiet: bool) -> None:
        self._candidate = candidate
        self._scoring = scoring
        self._quiet = quiet
        self._shown: list[Progress] = []

    def watch(self, stage: str, plan: Plan) -> Watcher:
        """Give the observer of a stage's run."""
        from harness.report.live import make_progress
        from harness.report.summary import SummaryBuilder

        if not self._quiet:
            warn(f"{self._candidate}: {stage}, at most {len(plan)} map jobs on {plan.split} seeds from {plan.seeds[0]}")
        self.stop()
        summaries = SummaryBuilder(self._scoring)
        self._shown.append(make_progress(sys.stderr, os.environ, summaries, quiet=self._quiet))
        return Watcher(summaries, self._shown[-1])

    def stop(self) -> None:
        """End what is shown."""
        while self._shown:
            self._shown.pop().stop()


def _shown(data: dict[str, Any], folder: Path) -> str:
    from harness.report.layout import look_of
    from harness.report.outcome import Outcome, Tone, Verdict
    from harness.report.terminal import render_verdict

    facts = dict(data["verdict"])
    kinds = {"outcome": Outcome, "tone": Tone, "exit_code": ExitCode}
    verdict = Verdict(**(facts | {key: kind(facts[key]) for key, kind in kinds.items()}))
    return render_verdict(verdict, data["caveats"], str(folder), look_of(sys.stdout, os.environ))


# ----------------------------------------------------------------------------------------- operating characteristic


def show_characteristic(path: Path, run_name: str | None, *, draws: float | None = None, as_json: bool = False) -> int:
    """Print what a gate's policy does, at the strengths and speeds of its own earlier games if there are any."""
    from harness.config.load import load_config
    from harness.errors import ConfigError
    from harness.gates.oc import compute_characteristic
    from harness.report import numbers

    config = load_config(path)
    if config.gate is None:
        raise ConfigError("this config has no gate", where=str(path), next_step="add a `gate:` section: docs/gate.md")
    from harness.run.gate_history import measured

    known = measured(config, run_name or config.name)
    counts = known.counts if draws is None else None
    is_alone = config.scoring is not None  # a seed is one meeting then, of two games of one bot each
    rows = compute_characteristic(
        config.gate.policy, draw_share=draws or 0.0, games_per_map=1 if is_alone else 2, counts=counts
    )
    even = next(row for row in rows if abs(row.true_score - 0.5) < 1e-9)
    if as_json:
        print(json.dumps(_oc_facts(rows, even, known.game_s), indent=2))
        return ExitCode.DONE
    source = f"map scores as in {known.n_maps} earlier maps" if counts else f"{100 * (draws or 0):g} % of games drawn"
    source += f", both games of a map {'as measured' if counts else 'independent'}"
    if is_alone:
        source = f"every seed won or lost, {100 * (draws or 0):g} % of them equal"
    print(f"what this policy does ({source})")
    print(
        "true score    Elo  promoted  undecided  maps: mean  half by  90 % by" + ("     time" if known.game_s else "")
    )
    for row in rows:
        print(
            f"{100 * row.true_score:9.0f} % {numbers.signed(row.true_elo):>6}  {100 * row.promotes:7.2f} %"
            f"  {100 * row.undecided:7.2f} %  {row.expected_jobs:10.0f}  {row.median_jobs:7}  {row.p90_jobs:7}"
            + (f"  {numbers.duration(row.expected_games * (1 + is_alone) * known.game_s):>7}" if known.game_s else "")
        )
    print(f"of 100 candidates that are exactly as strong as the champion it promotes {100 * even.promotes:.2f}")
    for stage in even.stages:
        print(f"{stage.kind.value:<9} {stage.method.value}; an equal candidate passes {100 * stage.passes:.1f} % of it")
    return ExitCode.DONE


def _oc_facts(rows: tuple[GateChance, ...], even: GateChance, game_s: float | None) -> dict[str, object]:
    from harness.report.export import to_data

    return {"rows": [to_data(row) for row in rows], "false_per_100": 100.0 * even.promotes, "game_s": game_s}
