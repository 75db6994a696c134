"""A game as text, ply by ply, for `play` and `replay`: who did what, how long it took, what the engine said of it.

From plain data that the caller has; boards come drawn by the rules. Whatever a bot wrote is tamed before it is shown.
Must not print, and must not know any rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.records import Fault, FaultKind, GameRecord
from harness.report import numbers
from harness.report.layout import Cell, Look, Span, Style, cell_width, cut, pad
from harness.report.words import tame

PLY_WIDTH = 5
TIME_WIDTH = 8
MAX_NAME = 20
MAX_ACTION = 40
STDERR_LINES = 8

_FORFEITS = {
    FaultKind.TIMEOUT: "forfeits on time",
    FaultKind.CRASH: "crashes",
    FaultKind.ILLEGAL: "acts illegally",
    FaultKind.RULED: "forfeits by the referee's word",
}


@dataclass(frozen=True, slots=True)
class PlyView:
    """One action of a game. `ply` counts from 0; `think_s` None and `info` "" where nothing is known.

    `board` is the position after it as the rules draw it, "" if it is not to be shown.
    """

    ply: int
    seat: int
    bot: str
    action: str
    think_s: float | None = None
    info: str = ""
    board: str = ""


def render_head(job: int | None, game: int, seed: int, map_name: str, names: Sequence[str], look: Look) -> str:
    """Give the line above a game: which it is, on which map, who sits where."""
    where = f"job {job}, game {game}" if job is not None else f"game {game}"
    seats = ", ".join(f"seat {seat} {tame(name)}" for seat, name in enumerate(names))
    title = look.cell(Span(where, Style.BOLD), f", seed {seed}: {tame(map_name)}")
    return "\n".join((look.paint(title), look.paint(look.cell(Span(seats, Style.DIM)))))


def render_ply(view: PlyView, look: Look, *, name_width: int = MAX_NAME) -> str:
    """Give one ply as a line, with the board below it if there is one. The engine's words are cut, never wrapped."""
    name = cut(tame(view.bot), min(name_width, MAX_NAME), look.clean("…"))
    time = "" if view.think_s is None else numbers.duration(view.think_s)
    cells: list[Cell] = [
        pad(look.cell(Span(str(view.ply), Style.DIM)), PLY_WIDTH, right=True),
        pad(look.cell(Span(name)), min(name_width, MAX_NAME), right=False),
        pad(look.cell(Span(tame(view.action, MAX_ACTION), Style.BOLD)), 8, right=False),
        pad(look.cell(Span(time, Style.DIM)), TIME_WIDTH, right=True),
    ]
    line: list[Span] = []
    for cell in cells:
        line += [*cell, Span("  ")]
    room = look.width - cell_width(tuple(line))
    if view.info and room > 8:
        line += look.cell(Span(cut(look.clean(tame(view.info, 400)), room, look.clean("…")), Style.DIM))
    return "\n".join([look.paint(tuple(line)), *_board_lines(view.board, look)])


def _board_lines(board: str, look: Look) -> list[str]:
    """Give a board below its ply. Its lines are the rules' own and are not cut: a cut board is no board."""
    indent = " " * (PLY_WIDTH + 2)
    return [look.clean(indent + line).rstrip() for line in board.splitlines()] if board else []


def render_end(game: GameRecord, names: Sequence[str], look: Look) -> str:
    """Give what a game ended in: scores by bot, how, after how long; and every fault with what the bot said last."""
    scores = ", ".join(f"{tame(name)} {_points(score)}" for name, score in zip(names, game.scores, strict=True))
    plies = f", {numbers.counted(game.plies, 'ply', 'plies')}" if game.moves else ""
    how = f"{tame(game.detail)}{plies} in {numbers.duration(game.wall_s)}"
    lines = [look.cell(Span(scores, Style.BOLD), f"   {how}")]
    if game.data:
        told = ", ".join(f"{key} = {value}" for key, value in game.data)
        lines.append(look.cell(Span(tame(told, 400), Style.DIM)))
    for fault in game.faults:
        lines += _fault_lines(fault, names, look)
    return "\n".join(look.paint(line) for line in lines)


def _fault_lines(fault: Fault, names: Sequence[str], look: Look) -> list[Cell]:
    at = "" if fault.kind is FaultKind.RULED else f" at ply {fault.ply}"
    said = f"{tame(names[fault.seat])} {_FORFEITS[fault.kind]}{at}"
    last_words = fault.stderr.splitlines()[-STDERR_LINES:]
    return [
        look.cell(Span(f"! {said}: ", Style.WARN), tame(fault.detail, 200)),
        *(look.cell(Span(f"  | {tame(line, 200)}", Style.DIM)) for line in last_words),
    ]


def _points(score: float) -> str:
    """Give points as people write them: 1, ½, 0; a share of opponents beaten as percent."""
    exact = {0.0: "0", 0.5: "½", 1.0: "1"}
    return exact.get(score) or f"{numbers.plain(100.0 * score)}{numbers.THIN}%"
