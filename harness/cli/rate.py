"""Rate every bot of one or more runs, PGN files or tables: ratings, head to head, circles, what to look at.

RESULTS are runs (a folder, its name under results/, or a maps.jsonl file), PGN files (.pgn) or tables with a header
line (.csv, .tsv): first, second, result; or first, second, wins, draws, losses; and map where games share one.
A score contest is rated by ranks: on each seed every bot has met all others, and who scored more has won.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.shared import add_json, result_roots
from harness.errors import ExitCode, ResultsError, UsageError

if TYPE_CHECKING:
    from harness.report.ratings import Source
    from harness.stats.aggregate import MapGames, PairAggregator
    from harness.stats.priors import Prior
    from harness.stats.redundancy import GameRepeats

_TABLES = {".csv", ".tsv"}
_DRAWS = ("half", "davidson", "rao-kupper")
_PRIORS = ("average", "pairs", "none")
_UNITS = ("fen", "round", "game")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments."""
    parser.add_argument("results", nargs="+", metavar="RESULTS", help="runs, PGN files, tables")
    add_json(parser)
    parser.add_argument(
        "--anchor", action="append", default=[], metavar="NAME=ELO", help="hold a bot's rating fixed; may be repeated"
    )
    parser.add_argument("--seat", action="store_true", help="fit what the first seat is worth, too")
    parser.add_argument("--draws", choices=_DRAWS, default="half", help="what a draw says (default: half a point)")
    parser.add_argument(
        "--prior",
        choices=_PRIORS,
        default="average",
        help="average: one imaginary draw a bot against an average bot (default); pairs: half a point each way for "
        "every pair that met; none: maximum likelihood",
    )
    parser.add_argument(
        "--twins",
        action="append",
        default=[],
        metavar="A,B",
        help="bots that are exact copies of each other: shows what chance does",
    )
    parser.add_argument(
        "--unit",
        choices=_UNITS,
        help="what counts as one map in PGN (default: the start position, else pair and round)",
    )


def run(args: argparse.Namespace) -> int:
    """Rate and print."""
    # One thread: the matrices are small, and on shared cores threads that wait for each other cost more than they give.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from harness.report.ratings_build import RatingOptions, ReadFacts, build_ratings
    from harness.stats.aggregate import PairAggregator
    from harness.stats.arguments import StatsInputError
    from harness.stats.draw_models import DrawModel
    from harness.stats.redundancy import GameRepeats

    pool, repeats = PairAggregator(), GameRepeats()
    try:
        sources = tuple(_read(name, args.unit, pool, repeats) for name in args.results)
    except StatsInputError as error:
        raise ResultsError("a result cannot be counted", got=str(error)) from error
    counts = pool.counts()
    if any(source.unit == "none" for source in sources):
        counts = counts.without_maps()
    models = dict(zip(_DRAWS, (DrawModel.HALF_POINT, DrawModel.DAVIDSON, DrawModel.RAO_KUPPER), strict=True))
    options = RatingOptions(
        prior=_prior(args.prior),
        anchors=dict(_anchor(text) for text in args.anchor),
        fit_seat=args.seat,
        draw_model=models[args.draws],
        twins=tuple(tuple(name.strip() for name in text.split(",")) for text in args.twins),
    )
    facts = ReadFacts(sources, pool.skipped, repeats.n_repeated, repeats.n_games, repeats.is_exact, pool.seat_sums())
    try:
        ratings = build_ratings(counts, facts, options)
    except StatsInputError as error:
        raise UsageError(str(error)) from error
    if args.json:
        import json

        from harness.report.export import to_data

        print(json.dumps(to_data(ratings), indent=2, ensure_ascii=True, allow_nan=False))
    else:
        from harness.report.layout import look_of
        from harness.report.ratings_terminal import render_ratings

        print(render_ratings(ratings, look_of(sys.stdout, os.environ)))
    return ExitCode.DONE


def _prior(name: str) -> Prior:
    from harness.stats.priors import AverageDraws, NoPrior, PairPoints

    priors: dict[str, Prior] = {"average": AverageDraws(), "pairs": PairPoints(), "none": NoPrior()}
    return priors[name]


def _anchor(text: str) -> tuple[str, float]:
    name, _, elo = text.rpartition("=")
    try:
        return name, float(elo)
    except ValueError:
        raise UsageError(
            "--anchor needs a name and a rating", got=repr(text), allowed="NAME=ELO, such as champ=1500"
        ) from None


# --------------------------------------------------------------------------------------------- reading


def _read(name: str, unit: str | None, pool: PairAggregator, repeats: GameRepeats) -> Source:
    """Put one source into the pool."""
    from harness.report.ratings import Source
    from harness.store.pgn_tags import read_pgn
    from harness.store.tables import TableNotes, Unit, read_table

    before = pool.n_games
    path = Path(name)
    suffix = path.suffix.lower()
    if suffix == ".pgn":
        notes = TableNotes()
        games = read_pgn(path, notes, unit=None if unit is None else Unit(unit))
        # A start position is the same map in every file; rounds and single games are their file's own.
        pool.extend(
            (row.map_key if notes.unit is Unit.FEN else f"{name}\n{row.map_key}", [(row.names, row.scores)])
            for row in games
        )
        return Source(name, "pgn", notes.unit.value, pool.n_games - before, notes.n_unfinished)
    if suffix in _TABLES:
        notes = TableNotes()
        from harness.store.tables import GameRow

        for row in read_table(path, notes):
            key = row.map_key if notes.unit is Unit.COLUMN else f"{name}\n{row.map_key}"
            if isinstance(row, GameRow):
                pool.add(key, row.names, row.scores)
            else:
                pool.add_counts(key, row.first, row.second, row.wins, row.draws, row.losses)
        return Source(name, "table", notes.unit.value, pool.n_games - before, notes.n_unfinished)
    from harness.run.score_ranks import is_score_contest, ranks_by_seed
    from harness.store.run_directory import find_run

    run_path = find_run(name, result_roots())
    if is_score_contest(run_path):
        pool.extend(ranks_by_seed(run_path))
    else:
        pool.extend(_run_maps(run_path, repeats))
    return Source(str(run_path), "run", "map", pool.n_games - before, 0)


def _run_maps(path: Path, repeats: GameRepeats) -> Iterator[MapGames]:
    """Give the maps of a run with their games."""
    from harness.store.results import read_results

    # Names in seat order for each seating, and a number for the bots whatever their order: made once a lineup.
    known: dict[tuple[str, ...], tuple[int, dict[tuple[int, ...], tuple[str, ...]]]] = {}
    salts: dict[tuple[str, ...], int] = {}
    count_games = repeats.add_map
    for record in read_results(path):
        lineup, games = record.lineup, record.games
        found = known.get(lineup)
        if found is None:
            bots = tuple(sorted(lineup))
            found = known[lineup] = (salts.setdefault(bots, hash(bots)), {})
        salt, names = found
        count_games([hash(game.moves) ^ salt for game in games if game.plies])
        seated = []
        for game in games:
            seating = game.seating
            if seating not in names:
                names[seating] = tuple(lineup[index] for index in seating)
            seated.append((names[seating], game.scores))
        yield record.seed, seated
