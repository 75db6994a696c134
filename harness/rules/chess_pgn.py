"""Writes games as PGN in the standard's export format, for viewers, databases and rating tools.

Pure: a game in, text out. What the engines said comes as ready comments, for rules know no protocol. Reading PGN as an
opening book is `chess_pgn_book`'s job.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from harness.records import RESIGN, FaultKind, GameRecord, Termination, TimeControl, Transcript
from harness.rules.chess_board import find_move
from harness.rules.chess_fen import START_FEN, STARTPOS, read_fen
from harness.rules.chess_openings import Opening
from harness.rules.chess_san import write_san

_WIDTH = 79
_LONGEST = 64  # a longer word of a comment is cut, so that lines can keep to their width
_NO_BREAK = "\u00a0"
_RESULTS = {(1.0, 0.0): "1-0", (0.0, 1.0): "0-1", (0.5, 0.5): "1/2-1/2"}
_ENDINGS = {
    Termination.NORMAL: "normal",
    Termination.ADJUDICATED: "adjudication",
    Termination.MAX_LENGTH: "adjudication",
}
_FAULTS = {
    FaultKind.TIMEOUT: "time forfeit",
    FaultKind.ILLEGAL: "rules infraction",
    FaultKind.CRASH: "abandoned",
    FaultKind.RULED: "adjudication",
}


@dataclass(frozen=True, slots=True)
class PgnGame:
    """A game as PGN knows it.

    `moves` (UCI) are all that were made from `start` on, those of the opening too; `comments[i]` is said after
    `moves[i]`, "" for nothing, and may be shorter. `ending` is said after the last move. `date` is "2026.11.30" or
    with question marks; `result` is "1-0", "0-1", "1/2-1/2" or "*". `tags` come after those that every game has.
    """

    white: str
    black: str
    result: str
    moves: Sequence[str]
    start: str = STARTPOS
    comments: Sequence[str] = ()
    ending: str = ""
    event: str = "?"
    site: str = "?"
    date: str = "????.??.??"
    round: str = "?"
    is_chess960: bool = False
    tags: Mapping[str, str] = field(default_factory=dict)


def write_pgn(game: PgnGame) -> str:
    """Write one game, a blank line at its end so that games can be joined. Raises ValueError for an illegal move."""
    tags = {
        "Event": game.event,
        "Site": game.site,
        "Date": game.date,
        "Round": game.round,
        "White": game.white,
        "Black": game.black,
        "Result": game.result,
    }
    if game.is_chess960:
        tags["Variant"] = "Chess960"
    if game.start != STARTPOS:
        tags |= {"SetUp": "1", "FEN": game.start}
    tags |= {"PlyCount": str(len(game.moves)), **game.tags}
    head = "".join(f'[{name} "{_tag_value(value)}"]\n' for name, value in tags.items())
    return f"{head}\n{_wrap([*_movetext(game), game.result])}\n\n"


def _wrap(words: Sequence[str]) -> str:
    """Fill lines of up to 79 columns."""
    lines: list[str] = []
    line = words[0]
    for word in words[1:]:
        if len(line) + 1 + len(word) <= _WIDTH:
            line += " " + word
        else:
            lines.append(line)
            line = word
    return "\n".join([*lines, line])


def _movetext(game: PgnGame) -> list[str]:
    """Give numbers, moves and comments as words."""
    board = read_fen(START_FEN if game.start == STARTPOS else game.start, is_chess960=game.is_chess960)
    number, is_white = int(board.fullmove_number), str(board.side_to_move()) == "w"
    words: list[str] = []
    needs_number = True
    for ply, text in enumerate(game.moves):
        move = find_move(board, text, is_chess960=game.is_chess960)
        if move is None:
            raise ValueError(f"ply {ply + 1}: {text!r} is not legal in {board.fen()}")
        if is_white or needs_number:
            words.append(f"{number}{'.' if is_white else '...'}")
        words.append(write_san(board, move))
        said = game.comments[ply] if ply < len(game.comments) else ""
        if ply == len(game.moves) - 1 and game.ending:
            said = f"{said}, {game.ending}" if said else game.ending
        comment = _comment(said)
        words += comment
        needs_number = bool(comment)
        board.play_unchecked(move)
        number += not is_white
        is_white = not is_white
    return words if game.moves else _comment(game.ending)


def _comment(text: str) -> list[str]:
    """Give a comment as words, with its braces; a brace inside would end it, and has no escape in PGN."""
    words: list[str] = []
    flat = _one_line(text).replace("{", "(").replace("}", ")")
    for word in (long[at : at + _LONGEST] for long in flat.split(" ") for at in range(0, len(long), _LONGEST)):
        if word.startswith("%") and words:
            words[-1] += _NO_BREAK + word  # a line that starts with % is passed over by readers
        else:
            words.append(word)
    if not words:
        return []
    words[0] = "{" + words[0]
    words[-1] += "}"
    return words


def _tag_value(text: str) -> str:
    """Give a tag's value: one line, backslashes and quotes escaped, "?" for nothing."""
    return _one_line(text).replace("\\", "\\\\").replace('"', '\\"') or "?"


def _one_line(text: str) -> str:
    """Give a text without line breaks, control characters and runs of spaces."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


# ------------------------------------------------------------------------------- from what the harness keeps


def pgn_game(
    transcript: Transcript,
    record: GameRecord,
    opening: Opening,
    *,
    event: str,
    started: str,
    comments: Sequence[str] = (),
    time: TimeControl | None = None,
    is_chess960: bool = False,
) -> PgnGame:
    """Make a PGN game of a game's record, its transcript and the opening of its seed.

    `comments[i]` belongs to `transcript.actions[i]`. `started` is the map record's ISO time. The round is `job.game`,
    both as the records number them. `transcript.names[seat]` sat in that seat; seat 0 is White.
    """
    white, black = transcript.names
    tags = {"Termination": _termination(record), "TimeControl": time_control(time), "Seed": str(transcript.seed)}
    if opening.name:
        tags["Opening"] = opening.name
    date = started[:10].replace("-", ".")
    return PgnGame(
        white=white,
        black=black,
        result=_RESULTS.get((record.scores[0], record.scores[1]), "*"),
        moves=(*opening.moves, *(move for move in transcript.actions if move != RESIGN)),
        start=opening.start,
        comments=(*("book" for _ in opening.moves), *comments),
        ending=_ending(record),
        event=event,
        date=date if len(date) == 10 else "????.??.??",
        round=f"{transcript.job}.{transcript.game}",
        is_chess960=is_chess960,
        tags=tags,
    )


def _termination(record: GameRecord) -> str:
    if record.termination is Termination.FORFEIT:
        return _FAULTS[record.faults[-1].kind] if record.faults else "abandoned"
    return _ENDINGS[record.termination]


def _ending(record: GameRecord) -> str:
    faults = "; ".join(f"{fault.kind}: {fault.detail}" for fault in record.faults)
    return f"{record.detail} ({faults})" if faults else record.detail


def time_control(time: TimeControl | None) -> str:
    """Write a time control as PGN has it: `60+0.6`, `1/0.1` for a time per move, `-` for none, `?` for unknown."""
    if time is None:
        return "?"
    if time.base_ms is not None:
        increment = f"+{time.increment_ms / 1000:g}" if time.increment_ms else ""
        return f"{time.base_ms / 1000:g}{increment}"
    if time.per_ply_ms is not None:
        return f"1/{time.per_ply_ms / 1000:g}"
    return "-"
