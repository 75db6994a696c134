"""`harness show` of a part of a run: reads it twice, first for its keys and groups, then for the games of each."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from harness.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from harness.records import MapRecord
    from harness.report.expression import ExpressionError, Key
    from harness.report.model import RunFacts
    from harness.report.summary import SummaryBuilder
    from harness.report.survey import Query, Survey

_GOT = 11
"""Where the text of a detail begins in a message, so that a mark stands under its place."""


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that filter and group."""
    group = parser.add_argument_group(
        "a part of it", "by what records, maps and bots say: docs/how-to/filter-and-group.md"
    )
    group.add_argument("--where", metavar="TEXT", help="keep the games for which it holds: 'cells > 20 and seat == 0'")
    group.add_argument("--by", metavar="KEY", help="a group for each value, for quarters of numbers, or KEY:WIDTH")
    group.add_argument("--columns", metavar="KEY,KEY", help="the means of these, for each bot")
    group.add_argument("--bot", metavar="NAME", help="see games from this bot's place; else from the candidate's")
    group.add_argument("--keys", action="store_true", help="list the keys of the run and their values")


def is_filtered(args: argparse.Namespace) -> bool:
    """Say whether a part of the run is asked for."""
    return args.keys or any(value is not None for value in (args.where, args.by, args.columns, args.bot))


def show_filtered(
    args: argparse.Namespace,
    records: Callable[[], Iterator[MapRecord]],
    read_facts: Callable[[], RunFacts],
    make: Callable[[], SummaryBuilder],
) -> int:
    """Print the part of a run that is asked for, or its keys.

    `records` gives all of it, each time from the start; `read_facts` is asked once they have been read.
    """
    from harness.report.export import to_data
    from harness.report.layout import look_of
    from harness.report.subset_terminal import notes_of, render_keys, render_subsets
    from harness.report.subsets import SubsetBuilder
    from harness.report.survey import GroupError, Survey

    query = read_query(args)
    survey = Survey(query)
    for record in records():
        survey.add(record)
    look = look_of(sys.stdout, os.environ)
    if args.keys:
        print(json.dumps(_keys_data(survey), indent=2) if args.json else render_keys(survey, look))
        return ExitCode.DONE
    facts = read_facts()
    _check(args, query, survey, facts)
    try:
        grouping = survey.grouping() if query.by is not None else None
    except GroupError as error:
        raise UsageError(f"--by: {error.what}", got=error.got, next_step=error.next_step) from None
    subsets = SubsetBuilder(query, survey.candidate(facts.candidate), grouping, make)
    for record in records():
        subsets.add(record)
    report = subsets.build(facts, n_maps=survey.n_maps, n_games=survey.n_games)
    if args.json:
        data = to_data(report)
        assert isinstance(data, dict)
        print(json.dumps(data | {"notes": list(notes_of(report))}, indent=2))
    else:
        print(render_subsets(report, look))
    return ExitCode.DONE


def read_query(args: argparse.Namespace) -> Query:
    """Read what is asked for. Raises UsageError, which points at the place."""
    from harness.report.expression import ExpressionError, parse, parse_key
    from harness.report.survey import Query

    option = "--where"
    try:
        where = None if args.where is None else parse(args.where)
        option = "--by"
        by, width = (None, None) if args.by is None else _read_by(args.by)
        option = "--columns"
        columns: list[Key] = (
            [] if args.columns is None else [parse_key(text.strip()) for text in args.columns.split(",")]
        )
    except ExpressionError as error:
        raise _usage(option, error) from None
    return Query(where, by, width, tuple(columns), args.bot)


def _read_by(text: str) -> tuple[Key, float | None]:
    from harness.report.expression import parse_key

    name, colon, width_text = text.rpartition(":")
    if not colon:
        return parse_key(text), None
    try:
        width = float(width_text)
    except ValueError:
        width = 0.0
    if not 0.0 < width < float("inf"):
        raise UsageError(
            "--by: the width of bins is a number above 0", got=width_text, next_step="for example: --by cells:10"
        )
    return parse_key(name), width


def _check(args: argparse.Namespace, query: Query, survey: Survey, facts: RunFacts) -> None:
    """Refuse bots and keys that the run has not. A run without records has none, and nothing to say."""
    from harness.report.expression import ExpressionError

    if not survey.n_maps:
        raise UsageError(
            "this run has no maps yet", where=facts.results, next_step="see how far it is: harness show RUN"
        )
    if query.bot is not None and query.bot not in survey.bots:
        raise UsageError("--bot: there is no bot of this name", got=query.bot, allowed=", ".join(survey.bots))
    asked = [("--where", args.where, key) for key in (query.where.keys if query.where else ())]
    asked += [("--by", args.by, query.by)] if query.by else []
    asked += [("--columns", key.name, key) for key in query.columns]
    for option, text, key in asked:
        if option == "--columns" and survey.level_of(key) is not None:
            continue  # each bot's own, whoever looks
        try:
            survey.check(key, text, facts.candidate)
        except ExpressionError as error:
            raise _usage(option, error) from None


def _usage(option: str, error: ExpressionError) -> UsageError:
    return UsageError(
        f"{option}: {error.what}", got=error.pointed(_GOT), allowed=error.allowed, next_step=error.next_step
    )


def _keys_data(survey: Survey) -> list[dict[str, object]]:
    """Give the keys as data: name, whose it is, in how many places; the range of its numbers, some of its texts."""
    from harness.report.fields import FIELDS

    data: list[dict[str, object]] = []
    for name, facts in survey.names().items():
        if facts is None:
            field = FIELDS[name]
            data.append({"key": name, "of": field.level.value, "about": field.about, "is_result": field.is_result})
        else:
            has_numbers = facts.low <= facts.high
            data.append(
                {
                    "key": name,
                    "of": facts.level.value,
                    "n": facts.n,
                    "low": facts.low if has_numbers else None,
                    "high": facts.high if has_numbers else None,
                    "texts": list(facts.texts),
                }
            )
    return data
