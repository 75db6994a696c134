"""What an external referee said of a game, in one shape for every grammar; and the grammars that are lines and codes.

A grammar gives numbers or a `ResultProblem`, never a guess: what is not certain voids the game. Pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from harness.records import RefereeMode, RefereeSpec, ResultForm, Scalar

MAX_DATA = 200
MAX_TEXT = 1_000
"""Pairs of a game's data that are kept, and characters of one value."""

_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_PAIR = re.compile(r"([A-Za-z_][\w.\-]*)=(.*)")
_WHOLE = re.compile(r"[-+]?\d+")
_SHOWN = 200


class ResultProblem(Exception):  # noqa: N818 - what is wrong with a result, not an error of ours
    """The referee's words are no result: the text says why."""


@dataclass(frozen=True, slots=True)
class Reported:
    """What a referee reported: a number for each seat, which seats it says have failed, and what else it told.

    Where `places` are given they decide (lower is better), not the numbers. `games` are several results of one call
    (psyleague allows that), each as `values`; empty for one. `echo` is the seed that it says it played, None if it does
    not say. `seat_data` has what it told of each seat, empty if nothing. `failure` are its words for who failed.
    """

    values: tuple[float, ...]
    failed: tuple[int, ...] = ()
    data: tuple[tuple[str, Scalar], ...] = ()
    echo: str | None = None
    games: tuple[tuple[float, ...], ...] = ()
    places: tuple[float, ...] | None = None
    seat_data: tuple[tuple[tuple[str, Scalar], ...], ...] = ()
    failure: str = ""


Grammar = Callable[[str, int], Reported]
"""From standard output and exit code to what was reported; raises ResultProblem."""


def grammar_of(spec: RefereeSpec) -> Grammar:
    """Give what reads a referee's results."""
    from harness.referee import result_json  # noqa: PLC0415 - JSON is not needed by most

    n_seats, result = spec.n_seats, spec.result
    if spec.mode is RefereeMode.BRUTAL:
        plain = _plain_lines(n_seats)

        def read_brutal(output: str, code: int) -> Reported:
            if code == 0 and not result.echo and (match := plain.fullmatch(output)) is not None:
                *scores, rest = match.groups()
                data = tuple([_pair(line) for line in rest.split("\n") if line][:MAX_DATA])
                return Reported(tuple([float(score) for score in scores]), data=data, echo=_seed_of(data))
            return read_lines(_ended_well(output, code), n_seats, result.echo)

        return read_brutal
    if spec.mode is RefereeMode.PSYLEAGUE:
        return lambda output, code: result_json.read_psyleague(_ended_well(output, code), n_seats)
    if spec.mode is RefereeMode.HALITE:
        return lambda output, code: result_json.read_halite(_ended_well(output, code), n_seats)
    match result.form:
        case ResultForm.LINES:
            return lambda output, code: read_lines(_ended_well(output, code), n_seats, result.echo)
        case ResultForm.JSON:
            return lambda output, code: result_json.read_path(
                _ended_well(output, code), n_seats, result.pattern, result.echo
            )
        case ResultForm.REGEX:
            pattern = re.compile(result.pattern, re.MULTILINE)
            return lambda output, code: read_pattern(_ended_well(output, code), n_seats, pattern, result.echo)
        case ResultForm.EXIT_CODE:
            codes = dict(result.codes)
            return lambda output, code: read_code(output, code, codes, result.echo)


def failure_of(output: str, pattern: str) -> str:
    """Give the words by which a referee says that the only bot has no score; "" if it does not."""
    found = re.search(pattern, output, re.MULTILINE) if pattern else None
    return "" if found is None else found[0].strip()[:_SHOWN] or "it failed"


def _plain_lines(n_seats: int) -> re.Pattern[str]:
    """Give what matches the output of a referee that says nothing but scores and pairs, the usual case."""
    return re.compile(r"(-?\d{1,15})\n" * n_seats + r"((?:[A-Za-z_][\w.\-]*=[^\r\n]*\n|\n)*)")


def _pair(line: str) -> tuple[str, Scalar]:
    key, _, text = line.partition("=")
    return key, scalar(text)


def _ended_well(output: str, code: int) -> str:
    if code:
        how = f"ended with exit code {code}" if code > 0 else f"was killed by signal {-code}"
        raise ResultProblem(f"it {how}" + (" and said nothing" if not output.strip() else ""))
    return output


def read_lines(output: str, n_seats: int, echo: str = "") -> Reported:
    """Read a number a line and seat, with noise before and `key=value` lines after, as brutaltester's referees do.

    The numbers are the last lines that are nothing but a number each. They must be as many as there are seats, and
    nothing but pairs and blank lines may follow, unless there are no other such lines. `null` is no number: with it a
    referee says that it failed itself.
    """
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    places = [number for number, line in enumerate(lines) if line == "null" or _NUMBER.fullmatch(line)]
    if not places:
        raise ResultProblem("it gave no scores" if lines else "it said nothing")
    end = places[-1] + 1
    start = end
    while start - 1 in places:
        start -= 1
    after = lines[end:]
    if start != places[0] and not all(_PAIR.fullmatch(line) for line in after):
        raise ResultProblem("which of the numbers that it printed are the scores is not clear: other lines follow each")
    scores = lines[start:end]
    if "null" in scores:
        raise ResultProblem(f"the score of seat {scores.index('null')} is null: the referee failed itself")
    if len(scores) != n_seats:
        raise ResultProblem(f"it gave {len(scores)} scores for {n_seats} seats: {' '.join(scores)[:_SHOWN]}")
    data = read_pairs(after)
    return Reported(_finite(scores), data=data, echo=find_echo(output, data, echo))


def _finite(texts: list[str]) -> tuple[float, ...]:
    values = tuple([float(text) for text in texts])
    if not all(map(math.isfinite, values)):
        raise ResultProblem(f"a score is too large for a number: {' '.join(texts)[:_SHOWN]}")
    return values


def read_pairs(lines: list[str]) -> tuple[tuple[str, Scalar], ...]:
    """Read the `key=value` lines, whole numbers as such; what is cut is too much for a record."""
    pairs = [match.groups() for line in lines if (match := _PAIR.fullmatch(line))]
    return tuple([(key, scalar(text)) for key, text in pairs[:MAX_DATA]])


def scalar(text: str) -> Scalar:
    """Give a text as a number if it is one."""
    text = text.strip()[:MAX_TEXT]
    if _WHOLE.fullmatch(text) and abs(number := int(text)) < 1 << 63:
        return number
    return float(text) if _NUMBER.fullmatch(text) and math.isfinite(float(text)) else text


def find_echo(output: str, data: tuple[tuple[str, Scalar], ...], echo: str) -> str | None:
    """Find the seed that was played: by the regular expression `echo`, or the pair `seed`."""
    if echo:
        found = re.findall(echo, output, re.MULTILINE)
        return str(found[-1]) if found else None
    return _seed_of(data)


def _seed_of(data: tuple[tuple[str, Scalar], ...]) -> str | None:
    seeds = [value for key, value in data if key == "seed"]
    return str(seeds[-1]) if seeds else None


def read_pattern(output: str, n_seats: int, pattern: re.Pattern[str], echo: str = "") -> Reported:
    """Read the numbers by a regular expression: the groups of its last match, or its matches if it has one group."""
    matches = list(pattern.finditer(output))
    if not matches:
        raise ResultProblem("nothing that it said matches `result.regex`")
    if pattern.groups == 1 and n_seats > 1:
        texts = [match[1] for match in matches]
    else:
        texts = [group or "" for group in matches[-1].groups()]
    if len(texts) != n_seats:
        raise ResultProblem(
            f"`result.regex` found {len(texts)} numbers for {n_seats} seats: {' '.join(texts)[:_SHOWN]}"
        )
    for text in texts:
        if not _NUMBER.fullmatch(text.strip()):
            raise ResultProblem(f"`result.regex` found what is no number: {text[:_SHOWN]!r}")
    data = read_pairs([line.strip() for line in output.splitlines()])
    return Reported(_finite(texts), data=data, echo=find_echo(output, data, echo))


def read_code(output: str, code: int, codes: dict[int, tuple[float, ...]], echo: str = "") -> Reported:
    """Read the result from the exit code alone."""
    if code not in codes:
        how = f"exit code {code}" if code >= 0 else f"a signal, {-code}"
        raise ResultProblem(f"it ended with {how}, which `result.exit_code` does not name")
    data = read_pairs([line.strip() for line in output.splitlines()])
    return Reported(codes[code], data=data, echo=find_echo(output, data, echo))
