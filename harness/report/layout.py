"""Text in columns for a terminal: styled pieces, their widths, tables that drop columns and never wrap a cell.

A `Look` says what the terminal can do: width, ink, glyphs. Everything that is shown goes through `Look.clean` before
its width is taken, so that a terminal without UTF-8 gets lines of the same shape. Knows nothing of bots or scores, and
must not print.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TextIO

GAP = 2
"""Blanks between columns."""

DEFAULT_WIDTH = 80
MIN_WIDTH = 20
MAX_TEXT_WIDTH = 100
"""Sentences longer than this are hard to read, however wide the terminal."""


class Ink(StrEnum):
    """What may be written besides characters."""

    NONE = "none"  # a file or a pipe: no escape codes at all
    MONO = "mono"  # NO_COLOR on a terminal: bold and dim, no colour
    COLOR = "color"


class Style(StrEnum):
    """The styles there are. Colours are those of the palette, by their number among the 256."""

    PLAIN = ""
    BOLD = "bold"
    DIM = "dim"
    GOOD = "good"
    BAD = "bad"
    WARN = "warn"
    GOOD_BOLD = "good bold"
    BAD_BOLD = "bad bold"
    WARN_BOLD = "warn bold"
    GOOD_TAG = "good tag"
    BAD_TAG = "bad tag"
    WARN_TAG = "warn tag"
    NOTE_TAG = "note tag"


_COLOR_CODES: Mapping[Style, str] = {
    Style.BOLD: "1",
    Style.DIM: "2",
    Style.GOOD: "38;5;33",  # #0087ff
    Style.BAD: "38;5;166",  # #d75f00
    Style.WARN: "38;5;136",  # #af8700
    Style.GOOD_BOLD: "1;38;5;33",
    Style.BAD_BOLD: "1;38;5;166",
    Style.WARN_BOLD: "1;38;5;136",
    Style.GOOD_TAG: "1;38;5;231;48;5;25",  # darker grounds: white on them has 4.5:1 and more
    Style.BAD_TAG: "1;38;5;231;48;5;130",
    Style.WARN_TAG: "1;38;5;231;48;5;94",
    Style.NOTE_TAG: "1;38;5;231;48;5;240",
}
_MONO_CODES: Mapping[Style, str] = {
    style: "2" if style is Style.DIM else "1"
    for style in Style
    if style not in {Style.PLAIN, Style.GOOD, Style.BAD, Style.WARN}
}

_CODES: Mapping[Ink, Mapping[Style, str]] = {Ink.NONE: {}, Ink.MONO: _MONO_CODES, Ink.COLOR: _COLOR_CODES}

_ASCII = str.maketrans(
    {
        "━": "=",
        "─": "-",
        "●": "o",
        "◆": "x",
        "│": "|",
        "◀": "<",
        "▶": ">",
        "▲": "+",
        "·": ".",
        "▼": "-",
        "⇄": "<>",
        "≈": "~",
        "…": "...",
        "−": "-",
        "–": "-",
        "\u202f": " ",
        "½": "1/2",
        "µ": "u",
        "±": "+-",
        "×": "x",
        "√": "sqrt",
        "“": '"',
        "”": '"',
        "’": "'",
    }
)


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text in one style."""

    text: str
    style: Style = Style.PLAIN


Cell = tuple[Span, ...]
"""One line of spans."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a terminal can do. `height` None means that nothing scrolls away (a file)."""

    width: int = DEFAULT_WIDTH
    ink: Ink = Ink.NONE
    unicode: bool = True
    height: int | None = None

    def clean(self, text: str) -> str:
        """Give text as this terminal can show it; what would steer it (escape codes in a name) is spelled out."""
        text = harmless(text)
        if self.unicode:
            return text
        return text.translate(_ASCII).encode("ascii", "backslashreplace").decode("ascii")

    def cell(self, *pieces: Span | str) -> Cell:
        """Make a cell of spans and plain text."""
        spans = (piece if isinstance(piece, Span) else Span(piece) for piece in pieces)
        return tuple(replace(span, text=self.clean(span.text)) for span in spans if span.text)

    def paint(self, cell: Cell) -> str:
        """Give a cell as characters, with escape codes as far as the ink allows."""
        codes = _CODES[self.ink]
        painted = (f"\x1b[{code}m{span.text}\x1b[0m" if (code := codes.get(span.style)) else span.text for span in cell)
        return "".join(painted).rstrip(" ")


def look_of(stream: TextIO, env: Mapping[str, str]) -> Look:
    """Find out what a stream can do.

    COLUMNS gives a pipe its width and narrows a terminal (wider than it is would wrap every line). NO_COLOR and
    TERM=dumb take the colour away; FORCE_COLOR gives it to a pipe, and does nothing else.
    """
    is_tty = stream.isatty()
    size = terminal_size(stream) if is_tty else None
    forced = env.get("FORCE_COLOR", "") not in {"", "0"}
    if env.get("NO_COLOR"):
        ink = Ink.MONO if is_tty and env.get("TERM") != "dumb" else Ink.NONE
    elif forced or (is_tty and env.get("TERM") != "dumb"):
        ink = Ink.COLOR
    else:
        ink = Ink.NONE
    columns = env.get("COLUMNS", "")
    widths = [int(columns)] if columns.isdecimal() and int(columns) > 0 else []
    if size:
        widths.append(size.columns)
    return Look(
        width=max(min(widths, default=DEFAULT_WIDTH), MIN_WIDTH),
        ink=ink,
        unicode=_can_encode(stream.encoding, "━●◆│◀▶▲▼⇄≈…−–\u202f½µ±"),
        height=size.lines if size else None,
    )


def terminal_size(stream: TextIO) -> os.terminal_size | None:
    """Give the size of the terminal behind a stream; None if there is none."""
    try:
        return os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        return None


def _can_encode(encoding: str | None, glyphs: str) -> bool:
    try:
        glyphs.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


_SPACES = "\u00a0\u202f"
"""Spaces that do not break: not printable by Python's count, and meant."""


def harmless(text: str) -> str:
    """Give text with control characters, line ends and invisible marks spelled out as escapes."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in _SPACES else char.encode("unicode_escape").decode() for char in text
    )


# --------------------------------------------------------------------------------------------------- widths


def text_width(text: str) -> int:
    """Give the number of terminal cells a text takes: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(_char_width(char) for char in text)


def _char_width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def cell_width(cell: Cell) -> int:
    """Give the number of terminal cells a cell takes."""
    return sum(text_width(span.text) for span in cell)


def cut(text: str, width: int, ellipsis: str = "…") -> str:
    """Shorten a text to a width, marking that something is missing."""
    if text_width(text) <= width:
        return text
    kept = ""
    for char in text:
        if text_width(kept + char + ellipsis) > width:
            break
        kept += char
    return kept + ellipsis if width >= text_width(ellipsis) else kept


def pad(cell: Cell, width: int, *, right: bool) -> Cell:
    """Fill a cell up with blanks, on its left if it is aligned right."""
    blank = Span(" " * max(0, width - cell_width(cell)))
    return (blank, *cell) if right else (*cell, blank)


def wrapped(text: str, width: int) -> list[str]:
    """Break a text at its blanks, never at a hyphen (names have them) nor inside a number; only what is longer than a
    whole line is broken anywhere.
    """
    lines: list[str] = []
    line = ""
    for word in filter(None, text.split(" ")):
        longer = f"{line} {word}" if line else word
        if text_width(longer) <= width:
            line = longer
            continue
        if line:
            lines.append(line)
        *full, line = _chunks(word, width)
        lines += full
    return [*lines, line]


def _chunks(word: str, width: int) -> list[str]:
    """Cut a word into pieces that fit a line; one piece if it does already."""
    pieces = [""]
    for char in word:
        if text_width(pieces[-1] + char) > max(width, 2):
            pieces.append("")
        pieces[-1] += char
    return pieces


# --------------------------------------------------------------------------------------------------- tables


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its head, a cell a row, and which columns go first when space is short.

    Columns of the lowest `keep` are dropped first; those with `keep` None stay.
    """

    head: Cell
    cells: Sequence[Cell]
    right: bool = True
    keep: int | None = None

    @property
    def width(self) -> int:
        """Give the width of its widest cell."""
        return max(cell_width(cell) for cell in (self.head, *self.cells))


def drop_to_fit(columns: Sequence[Column], width: int) -> list[Column]:
    """Leave out columns, the least important first, until the rest fits into `width` or nothing may go."""
    kept = list(columns)
    while total_width(kept) > width:
        droppable = [column for column in kept if column.keep is not None]
        if not droppable:
            break
        kept.remove(min(droppable, key=lambda column: column.keep or 0))
    return kept


def total_width(columns: Sequence[Column]) -> int:
    """Give the width of a table of these columns."""
    return sum(column.width for column in columns) + GAP * max(0, len(columns) - 1)


def table_lines(columns: Sequence[Column]) -> list[Cell]:
    """Set columns side by side: the head, then a line a row."""
    n_rows = len(columns[0].cells)
    widths = [column.width for column in columns]  # each looks at all of its cells
    lines = []
    for index in range(-1, n_rows):
        pieces: list[Span] = []
        for number, column in enumerate(columns):
            if number:
                pieces.append(Span(" " * GAP))
            cell = column.head if index < 0 else column.cells[index]
            pieces.extend(pad(cell, widths[number], right=column.right))
        lines.append(tuple(pieces))
    return lines
