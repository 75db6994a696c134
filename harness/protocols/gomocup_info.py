"""What a Gomocup brain says of its thinking in MESSAGE and DEBUG lines, as the `info` line that the rest reads.

The protocol has no form for depth and score; brains of today say `depth 12-20 ev 35`, `Depth 12-20 | Eval +M5` and the
like. Pure and tolerant: what cannot be read is left out, and nothing here raises on any bytes.
"""

from __future__ import annotations

import re

_SCORE = re.compile(rb"\b(?:ev|eval|score|value)\b[\s:=]*([+-]?)(M?)([0-9]{1,9})\b", re.IGNORECASE)
_DEPTH = re.compile(rb"\b(?:depth|d)\b[\s:=]*([0-9]{1,4})\b", re.IGNORECASE)
_SHOWN = 160


def info_line(said: bytes) -> bytes:
    """Give the last line with a score as `info depth 12 score cp 35 string …`, with its newline; b"" if there is none.

    Scores are in the brain's own unit; `M5` and `+M5` are a win in five moves, `-M4` a loss in four.
    """
    for line in reversed(said.splitlines()):
        word, _, text = line.partition(b" ")
        if word.upper() not in {b"MESSAGE", b"DEBUG"}:
            continue
        found = _SCORE.search(text)
        if found is None:
            continue
        sign, mate, number = found.groups()
        depth = _DEPTH.search(text)
        before = b"info depth %b" % depth[1] if depth else b"info"
        kind = b"mate" if mate else b"cp"
        return b"%b score %b %b%b string %b\n" % (before, kind, sign.replace(b"+", b""), number, text[:_SHOWN].strip())
    return b""
