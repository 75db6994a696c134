"""Golden playthroughs: a whole game as text, to be kept beside the tests, so that no change of rules goes unseen.

A golden file opens with what it is made from, and the rest follows from that. To add one, write its header

    rules: lightcycles
    params: {"width": 9, "height": 6}
    seed: 1
    turns: 200

and run `python -m harness.testing.golden FILE`; the same command writes a file anew after a change that was meant.
Files that parameters name are relative to the golden file's folder.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.records import LinesView, MovesView, View
from harness.rules.base import Position, Rules
from harness.rules.registry import build_rules
from harness.testing.playout import play_turn

_KEYS = ("rules", "params", "seed", "turns")
_FULL_VIEW_EVERY = 20


@dataclass(frozen=True, slots=True)
class GoldenHeader:
    """What a golden file is made from; `turns` bounds its length."""

    rules: str
    params: Mapping[str, object]
    seed: int
    turns: int


def read_header(path: Path) -> GoldenHeader:
    """Read the first lines of a golden file. Raises ValueError if they are not a header."""
    lines = path.read_text(encoding="utf-8").splitlines()[: len(_KEYS)]
    fields = dict(line.split(": ", 1) for line in lines if ": " in line)
    if tuple(fields) != _KEYS:
        raise ValueError(f"{path}: a golden file opens with the lines {', '.join(_KEYS)}, got {lines}")
    return GoldenHeader(fields["rules"], json.loads(fields["params"]), int(fields["seed"]), int(fields["turns"]))


def build_golden(path: Path) -> str:
    """Play the game that the header of `path` asks for and give the text that the file should have."""
    header = read_header(path)
    rules = build_rules(header.rules, header.params, lambda name: (path.parent / name).read_text(encoding="utf-8"))
    opening = [
        f"rules: {header.rules}",
        f"params: {json.dumps(header.params)}",
        f"seed: {header.seed}",
        f"turns: {header.turns}",
    ]
    return "\n".join([*opening, *_playthrough(rules, header.seed, header.turns), ""])


def _playthrough(rules: Rules, seed: int, turns: int) -> list[str]:
    lines = [f"map: {rules.map_name(seed)}"]
    position = rules.start(seed)
    turn = 0
    while position.to_act() and turn < turns:
        if turn % _FULL_VIEW_EVERY == 0:
            lines += _show(rules, position, turn)
        texts = play_turn(position, turn, seed)
        lines.append(f"turn {turn}: " + ", ".join(f"{seat} {text}" for seat, text in texts.items()))
        turn += 1
    lines += ["", *_block("end", position.draw())]
    outcome = position.outcome()
    if outcome is None:
        return [*lines, f"stopped after {turn} turns"]
    return [
        *lines,
        f"scores: {' '.join(f'{score:.6g}' for score in outcome.scores)}",
        f"values: {outcome.values and ' '.join(f'{value:g}' for value in outcome.values)}",
        f"termination: {outcome.termination}",
        f"detail: {outcome.detail}",
        f"actions: {len(position.log)}",
    ]


def _show(rules: Rules, position: Position, turn: int) -> list[str]:
    lines = ["", *_block(f"before turn {turn}", position.draw())]
    for seat in position.to_act():
        for form in rules.forms:
            lines += _block(f"seat {seat} sees {form}", _text(position.view(seat, form)))
        lines.append(f"seat {seat} may: {' '.join(position.legal(seat))}")
    return lines


def _text(view: View) -> str:
    if isinstance(view, LinesView):
        return f"{view.text}answer lines: {view.n_answer_lines}"
    if isinstance(view, MovesView):
        return f"start: {view.start}\nfirst seat: {view.first_seat} variant: {view.variant}\n{' '.join(view.moves)}"
    return json.dumps(view.state, sort_keys=True)


def _block(title: str, text: str) -> list[str]:
    return [f"{title}:", *(f"  {line}".rstrip() for line in text.splitlines())]


def write_golden(names: Sequence[str]) -> None:
    """Write golden files anew. Raises ValueError for one without a header."""
    for name in names:
        path = Path(name)
        path.write_text(build_golden(path), encoding="utf-8")


if __name__ == "__main__":
    write_golden(sys.argv[1:])
