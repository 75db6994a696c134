"""Write a run's games in a format that other tools read: PGN for chess, with scores, depths and times.

To standard output, or to a file with --output. Games come in the order in which their maps finished.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.shared import add_run, result_roots, warn
from harness.errors import ExitCode, ResultsError, UsageError
from harness.records import MapRecord, TimeControl

if TYPE_CHECKING:
    from harness.rules.chess import ChessRules
    from harness.rules.chess_pgn import PgnGame
    from harness.store.run_directory import Transcripts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments."""
    add_run(parser)
    parser.add_argument("--format", choices=("pgn",), default="pgn", help="pgn: chess games, with scores and times")
    parser.add_argument("--output", "-o", type=Path, metavar="FILE", help="write there, not to standard output")
    parser.add_argument("--config", type=Path, metavar="FILE", help="the run's config, if it is not where it was")


def run(args: argparse.Namespace) -> int:
    """Export the run."""
    from harness.store.run_directory import find_run, read_manifest

    path = find_run(args.run, result_roots())
    manifest = read_manifest(path)
    if manifest is None and args.config is None:
        raise ResultsError("this run has no manifest", where=str(path), next_step="name its config with --config")
    config = args.config or Path(manifest.config_path if manifest else "")
    with contextlib.ExitStack() as stack:
        out = stack.enter_context(args.output.open("w", encoding="utf-8")) if args.output else sys.stdout
        n_games = 0
        for text in _pgn_games(path, config):
            out.write(text)
            n_games += 1
    if args.output:
        warn(f"{n_games} games written to {args.output}")
    return ExitCode.DONE


def _pgn_games(path: Path, config_path: Path) -> Iterator[str]:
    """Give every finished game as PGN text."""
    from harness.config.load import load_config
    from harness.rules.chess import ChessRules
    from harness.rules.chess_pgn import write_pgn
    from harness.run.prepare import locate_rules
    from harness.store.run_directory import Transcripts, read_records

    config = load_config(config_path)
    rules = locate_rules(config).rules
    if not isinstance(rules, ChessRules):
        raise UsageError("PGN is for chess", got=f"{path} is a run of {rules.name}")
    times = {bot.name: bot.time or config.time for bot in config.bots}
    transcripts = Transcripts(path)
    for record in read_records(path):
        for number in range(len(record.games)):
            yield write_pgn(_pgn_game(record, number, rules, transcripts, times))


def _pgn_game(
    record: MapRecord, number: int, rules: ChessRules, transcripts: Transcripts, times: Mapping[str, TimeControl]
) -> PgnGame:
    from harness.protocols.uci_info import parse_info, pgn_comment
    from harness.rules.chess_pgn import pgn_game

    game = record.games[number]
    if game.transcript is None:
        raise ResultsError("this run kept no transcripts", next_step="set transcripts: all in the config")
    transcript = transcripts.find(game.transcript)
    infos = transcript.info or ("",) * len(transcript.actions)
    comments = [
        pgn_comment(parse_info(info), think / 1e6) for info, think in zip(infos, transcript.think_us, strict=True)
    ]
    controls = {times.get(name) for name in record.lineup}
    return pgn_game(
        transcript,
        game,
        rules.opening(record.seed),
        event=record.run,
        started=record.started,
        comments=comments,
        time=controls.pop() if len(controls) == 1 else None,
        is_chess960=rules.is_chess960,
    )
