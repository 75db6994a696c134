"""From cg-brutaltester's arguments to a config: the same run as a YAML file, which then goes the way of every other.

What the flags mean is here, in `build_config`; what it costs to leave some out is in `describe_losses`. It starts
nothing and writes nothing.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.run.brutal_seeds import draw_seeds

NO_LIMIT_MS = 60_000
"""Of a ply in old mode, where cg-brutaltester waits for ever: the referee has a limit, this is for a bot that hangs."""

_PER_LINE = 8


@dataclass(frozen=True, slots=True)
class BrutalRun:
    """What was asked for. `initial` is the seed of the seeds, None without `-i`; `seed_words` None leaves the default.

    Without `is_seeded` the referee is given no seed. `cwd` is the folder from which commands were written.
    """

    referee: str
    players: tuple[str, ...]
    n_maps: int
    threads: int
    swaps: bool
    initial: int | None
    is_old: bool
    keeps_logs: bool
    cwd: Path
    seed_words: tuple[str, ...] | None = None
    is_paired: bool = True
    warm: bool = False

    @property
    def is_seeded(self) -> bool:
        """Say whether the referee is given seeds: cg-brutaltester passes them with `-s` or `-i` only."""
        return self.initial is not None and self.is_paired

    @property
    def games_per_map(self) -> int:
        """How many games a map has."""
        return len(self.players) if self.swaps else 1

    @property
    def names(self) -> tuple[str, ...]:
        """Name the players, p1 first."""
        return tuple(f"p{number}" for number in range(1, len(self.players) + 1))


def build_seeds(run: BrutalRun) -> list[int]:
    """Give the seed of each map; without seeds they are numbered from 1, and mean nothing."""
    if run.initial is None:
        return list(range(1, run.n_maps + 1))
    return draw_seeds(run.initial, run.n_maps, len(run.players), swaps=run.swaps)


def describe_losses(run: BrutalRun) -> list[str]:
    """Say, a sentence each, what the flags that are missing take from the result."""
    losses = []
    if not run.swaps:
        losses.append(
            "without -s everybody keeps one seat, as cg-brutaltester does it: what a seat is worth is in the result"
        )
    if run.initial is None:
        losses.append(
            "without -s and -i the referee is given no seed: nobody can play these maps again, and a run that is "
            "stopped goes on with others"
        )
    elif not run.is_paired:
        losses.append(
            "the referee takes no seed: each game is on a map of its own, and -s swaps seats on different maps"
        )
    return losses


def build_config(run: BrutalRun, folder: Path, *, name: str | None = None, results: str = "results") -> str:
    """Give the text of the config, for a file in `folder`: paths that the commands name are relative to it."""
    cwd = os.path.relpath(run.cwd, folder)
    lines = ["# " + line for line in _comment(run)]
    if name is not None:
        lines.append(f"name: {name}")
    lines += ["referee:", f"  mode: {'old' if run.is_old else 'brutal'}"]
    lines.append(f"  command: {_command(run.referee, run.cwd, folder)}")
    if cwd != ".":
        lines.append(f"  cwd: {_text(cwd)}")
    if len(run.players) != 2:
        lines.append(f"  players: {len(run.players)}")
    if not run.is_seeded:
        lines += ["  seed: none", "  paired: false"]
    elif run.seed_words is not None:
        lines.append(f"  seed: {_text(run.seed_words[0] if run.is_old else shlex.join(run.seed_words))}")
    if run.keeps_logs and not run.is_old:
        lines.append("  log: all")
    if run.warm:
        lines.append("  warm: {}")
    lines.append("bots:")
    for number, (bot, command) in enumerate(zip(run.names, run.players, strict=True), 1):
        lines += [f"  {bot}:  # -p{number}", f"    command: {_command(command, run.cwd, folder)}"]
        if cwd != ".":
            lines.append(f"    cwd: {_text(cwd)}")
    if len(run.players) == 2:
        lines.append("schedule: {type: gauntlet, candidate: p1}")
    else:
        lines.append("schedule: {type: round_robin}")
    lines += ["maps:", *_seeds(run)]
    lines.append(f"seats: {'rotations' if run.swaps else 'fixed'}")
    if run.is_old:
        lines.append(f"time: {{per_ply_ms: {NO_LIMIT_MS}, first_ply_ms: {NO_LIMIT_MS}}}")
    lines.append(f"workers: {run.threads}")
    lines += ["stop_after: {first_forfeits: null, forfeit_share: null}  # cg-brutaltester goes on whatever happens"]
    lines.append(f"results: {_text(results)}")
    return "\n".join(lines) + "\n"


def _comment(run: BrutalRun) -> list[str]:
    words = ["harness", "brutal", "-r", run.referee]
    for number, command in enumerate(run.players, 1):
        words += [f"-p{number}", command]
    words += ["-t", str(run.threads), "-n", str(run.n_maps), *(["-s"] if run.swaps else [])]
    words += ["-i", str(run.initial)] if run.initial is not None else []
    words += ["-o"] if run.is_old else []
    return [shlex.join(words)]


def _seeds(run: BrutalRun) -> list[str]:
    if run.initial is None:
        return [
            "  # numbers of the maps: the referee is given none",
            f"  seeds: [{', '.join(map(str, build_seeds(run)))}]",
        ]
    how = "java.util.Random" + ("" if run.swaps else ", without -s")
    seeds = build_seeds(run)
    rows = [", ".join(map(str, seeds[at : at + _PER_LINE])) for at in range(0, len(seeds), _PER_LINE)]
    return [f"  # as cg-brutaltester draws them with -i {run.initial} ({how})", "  seeds: [", *_indented(rows), "  ]"]


def _indented(rows: Sequence[str]) -> list[str]:
    return [f"    {row}," for row in rows]


def _command(text: str, cwd: Path, folder: Path) -> str:
    """Write a command: its first word, if it is a path, as seen from `folder`."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    if words and "/" in words[0] and not words[0].startswith("/"):
        words[0] = os.path.relpath(cwd / words[0], folder)
        if "/" not in words[0]:
            words[0] = f"./{words[0]}"
    return _text(shlex.join(words))


def _text(text: str) -> str:
    """Write a text so that YAML reads it as this text."""
    return json.dumps(text, ensure_ascii=False)
