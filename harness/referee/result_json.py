"""The grammars of external referees that are JSON: psyleague's, Halite's, and a path into any document. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping

from harness.records import Scalar
from harness.referee.result import MAX_DATA, MAX_TEXT, Reported, ResultProblem

_SHOWN = 200


def read_psyleague(output: str, n_seats: int) -> Reported:
    """Read what psyleague's `cmd_play_game` prints: an object with `ranks`, or a list of them, which is averaged.

    A seat with a number in `errors` has failed.
    """
    document = parse(output)
    games = document if isinstance(document, list) else [document]
    if not games:
        raise ResultProblem("its list of results is empty")
    ranks = [_numbers(_get(game, "ranks"), n_seats, "ranks") for game in games]
    failed: set[int] = set()
    data: list[tuple[str, Scalar]] = []
    seat_data: list[list[tuple[str, Scalar]]] = [[] for _ in range(n_seats)]
    for game in games:
        errors = _listed(game, "errors", n_seats)
        failed.update(seat for seat, error in enumerate(errors) if error)
        data += _pairs(game.get("test_data"))
        for seat, own in enumerate(_listed(game, "player_data", n_seats)):
            seat_data[seat] += _pairs(own)
    seeds = [value for key, value in data if key == "seed"]
    return Reported(
        values=tuple([sum(each) / len(ranks) for each in zip(*ranks, strict=True)]),
        failed=tuple(sorted(failed)),
        data=tuple(data[:MAX_DATA]),
        echo=str(seeds[-1]) if seeds else None,
        games=tuple(ranks) if len(ranks) > 1 else (),
        seat_data=tuple([tuple(own[:MAX_DATA]) for own in seat_data]) if any(seat_data) else (),
    )


def _listed(game: Mapping[str, object], key: str, n_seats: int) -> list[object]:
    """Give a list with something for each seat, [] if there is none."""
    values = game.get(key)
    if not values:
        return []
    if not isinstance(values, list) or len(values) != n_seats:
        raise ResultProblem(f"`{key}` has not something for each of {n_seats} seats")
    return values


def read_halite(output: str, n_seats: int) -> Reported:
    """Read Halite's `--results-as-json`: the scores of `stats`, `map_seed`, and who was `terminated`.

    The ranks decide, since they break ties of the scores.
    """
    document = _mapping(parse(output))
    stats = _mapping(_get(document, "stats"))
    if len(stats) != n_seats:
        raise ResultProblem(f"its `stats` have {len(stats)} players for {n_seats} seats")
    seats = [_mapping(_get(stats, str(seat))) for seat in range(n_seats)]
    ranks = _numbers([_get(seat, "rank") for seat in seats], n_seats, "stats.*.rank")
    terminated = document.get("terminated") or {}
    failed = tuple([seat for seat in range(n_seats) if _mapping(terminated).get(str(seat))])
    data = [(key, document[key]) for key in ("map_width", "map_height", "map_generator") if key in document]
    scores = _numbers([each.get("score") for each in seats], n_seats, "stats.*.score")
    seed = document.get("map_seed")
    data += [("seed", seed)] if seed is not None else []
    return Reported(scores, failed, tuple(_scalars(data)), None if seed is None else str(seed), places=ranks)


def read_path(output: str, n_seats: int, path: str, echo: str = "") -> Reported:
    """Read the numbers at a path of a JSON document: keys and indexes with dots between, `*` for all in order."""
    document = parse(output)
    found = look_up(document, path)
    if not found:
        raise ResultProblem(f"there is nothing at {path!r} of its JSON")
    values = found[0] if len(found) == 1 and isinstance(found[0], list) else found
    if len(found) == 1 and isinstance(found[0], Mapping):
        raise ResultProblem(f"at {path!r} there are keys with values, not numbers: write {path + '.*'!r}")
    seed = look_up(document, echo) if echo else []
    told = [str(seed[-1])] if seed else []
    data: list[tuple[str, Scalar]] = [("seed", seed[-1])] if seed and isinstance(seed[-1], int | str) else []
    return Reported(_numbers(values, n_seats, path), data=tuple(data), echo=told[0] if told else None)


def look_up(document: object, path: str) -> list[object]:
    """Give what is at a path; `*` takes all of a list, or of a mapping by key. [] where there is nothing."""
    found = [document]
    for part in path.split("."):
        step: list[object] = []
        for each in found:
            if part == "*" and isinstance(each, Mapping):
                step += [each[key] for key in sorted(each, key=_as_number)]
            elif part == "*" and isinstance(each, list):
                step += each
            elif isinstance(each, Mapping) and part in each:
                step.append(each[part])
            elif isinstance(each, list) and part.lstrip("-").isdecimal() and -len(each) <= int(part) < len(each):
                step.append(each[int(part)])
        found = step
    return found


def _as_number(key: str) -> tuple[int, str]:
    return (int(key), "") if key.isdecimal() else (1 << 62, key)


def parse(output: str) -> dict[str, object] | list[dict[str, object]]:
    """Find the JSON document: all of the output, or its last line that is one, if there is noise before.

    Raises ResultProblem.
    """
    text = output.strip()
    if not text:
        raise ResultProblem("it said nothing")
    for candidate in (text, *reversed([line for line in text.splitlines() if line.strip()[:1] in "{["])):
        try:
            document = json.loads(candidate, parse_constant=_refuse)
        except (ValueError, RecursionError):
            continue
        if isinstance(document, dict) or (isinstance(document, list) and all(isinstance(d, dict) for d in document)):
            return document
    for at in [i for i, character in enumerate(text) if character == "{"][:1]:
        try:
            document, end = json.JSONDecoder(parse_constant=_refuse).raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        if isinstance(document, dict) and not text[end:].strip():
            return document
    raise ResultProblem(f"it printed no JSON object: {text[:_SHOWN]!r}")


def _refuse(word: str) -> float:
    raise ValueError(word)


def _get(mapping: Mapping[str, object], key: str) -> object:
    if key not in mapping:
        raise ResultProblem(f"its JSON has no `{key}`")
    return mapping[key]


def _mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise ResultProblem(f"its JSON has {str(value)[:_SHOWN]!r} where keys with values should be")
    return value


def _numbers(values: object, n_seats: int, name: str) -> tuple[float, ...]:
    if isinstance(values, int | float) and n_seats == 1:
        values = [values]
    if not isinstance(values, list) or len(values) != n_seats:
        n = len(values) if isinstance(values, list) else "no list"
        raise ResultProblem(
            f"`{name}` has {n} numbers for {n_seats} seats" if n != "no list" else f"`{name}` is no list"
        )
    for value in values:
        if value is None:
            raise ResultProblem(f"`{name}` has null for a seat: the referee failed itself")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ResultProblem(f"`{name}` has what is no number: {str(value)[:_SHOWN]!r}")
    return tuple(map(float, values))


def _pairs(value: object) -> list[tuple[str, Scalar]]:
    return _scalars(list(value.items())) if isinstance(value, Mapping) else []


def _scalars(pairs: list[tuple[str, object]]) -> list[tuple[str, Scalar]]:
    """Keep the pairs whose values are no structures, long texts cut."""
    return [
        (str(key), value[:MAX_TEXT] if isinstance(value, str) else value)
        for key, value in pairs
        if value is None or isinstance(value, str | int | float)
    ]
