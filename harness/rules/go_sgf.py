"""Writes games of Go as SGF (FF[4]), for viewers and for engines that load games.

Pure: a game in, text out. The moves of the map's opening are moves of the game here, with a comment that says so, and
so are the passes and stones of the cleanup after the first two passes.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.records import RESIGN, FaultKind, GameRecord, Termination, Transcript
from harness.rules.go import GoRules
from harness.rules.go_position import PASS

_COLORS = "BW"
_FAULTS = {FaultKind.TIMEOUT: "T"}


def write_sgf(
    transcript: Transcript,
    record: GameRecord,
    rules: GoRules,
    *,
    event: str,
    started: str,
    comments: Sequence[str] = (),
) -> str:
    """Write one game, a newline at its end so that games can be joined to a collection.

    `comments[i]` belongs to `transcript.actions[i]`, "" for nothing. `started` is the map record's ISO time. Raises
    ValueError for a game that is none by the rules.
    """
    table = rules.table
    grid = table.grid
    position = rules.start(transcript.seed)
    color = int(bool(table.stones))
    nodes = []
    for point in rules.opening(transcript.seed):
        nodes.append(f";{_COLORS[color]}[{_vertex(grid.names[point], grid.size)}]C[opening]")
        color = 1 - color
    for ply, action in enumerate(transcript.actions):
        seat = color
        try:
            position.apply({seat: position.parse(seat, action)})
        except Exception as error:
            raise ValueError(f"ply {ply}: {action!r}: {error}") from error
        if action != RESIGN:
            said = comments[ply] if ply < len(comments) else ""
            nodes.append(f";{_COLORS[seat]}[{_vertex(action, grid.size)}]" + (f"C[{_text(said)}]" if said else ""))
            color = 1 - color
    black, white = transcript.names
    root = {
        "GM": "1",
        "FF": "4",
        "CA": "UTF-8",
        "AP": "harness",
        "SZ": str(grid.size),
        "KM": f"{table.komi:g}",
        "RU": "Chinese",
        "PB": _text(black),
        "PW": _text(white),
        "RE": _result(record),
        "DT": started[:10],
        "EV": _text(event),
        "RO": f"{transcript.job}.{transcript.game}",
        "GC": _text(f"seed {transcript.seed}; {record.detail}"),
    }
    head = "".join(f"{name}[{value}]" for name, value in root.items())
    if table.stones:
        stones = "".join(f"[{_vertex(grid.names[point], grid.size)}]" for point in table.stones)
        head += f"HA[{len(table.stones)}]AB{stones}PL[W]"
    return f"(;{head}\n{_wrap(nodes)})\n"


def _vertex(name: str, size: int) -> str:
    """Write a point as SGF has it: column and row from the top left, in letters; nothing for a pass."""
    if name == PASS:
        return ""
    column = "ABCDEFGHJKLMNOPQRSTUVWXYZ".index(name[0])
    row = size - int(name[1:])
    return f"{chr(ord('a') + column)}{chr(ord('a') + row)}"


def _result(record: GameRecord) -> str:
    """Write how a game ended: `B+5.5`, `W+R`, `B+T`, `W+F`, `0` for a draw."""
    black, white = record.scores
    if black == white:
        return "0"
    winner = "B" if black > white else "W"
    if record.termination is Termination.FORFEIT:
        kind = record.faults[-1].kind if record.faults else None
        return f"{winner}+{_FAULTS.get(kind, 'F') if kind is not None else 'F'}"
    if record.values is None:
        return f"{winner}+R"
    return f"{winner}+{abs(record.values[0] - record.values[1]):g}"


def _text(text: str) -> str:
    """Give a text as a value: one line, with what would end it escaped."""
    flat = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return flat.replace("\\", "\\\\").replace("]", "\\]").replace(":", "\\:")


def _wrap(nodes: Sequence[str]) -> str:
    """Put ten moves on a line."""
    return "\n".join("".join(nodes[at : at + 10]) for at in range(0, len(nodes), 10))
