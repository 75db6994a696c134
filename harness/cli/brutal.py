"""Play bots against each other with a contest's referee: cg-brutaltester's flags, with the harness behind them.

    harness brutal -r "java -jar referee.jar" -p1 "./mine" -p2 "./old" -t 2 -n 200 -s -i 42

-n counts maps. With -s everybody plays each map from every seat (2 players: 2 games a map), as in cg-brutaltester;
without -s a map is one game (cg-brutaltester plays as many games as there are players for each -n if -i is given).
With -i the seeds are those that cg-brutaltester draws. A run that is stopped goes on with the same command, or with
`harness run` and the file that it names.
"""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import sys
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from time import strftime
from typing import TYPE_CHECKING

from harness.cli.run import Watcher, play
from harness.cli.shared import RESULTS, run_command, warn
from harness.errors import GameError, Halt, UsageError

if TYPE_CHECKING:
    from harness.records import MapRecord
    from harness.report.brutal import WinTable
    from harness.report.summary import SummaryBuilder
    from harness.run.brutal import BrutalRun
    from harness.run.prepare import Prepared


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments: cg-brutaltester's, then ours."""
    parser.add_argument("-r", metavar="COMMAND", required=True, help="the referee")
    for number in range(1, 5):
        parser.add_argument(f"-p{number}", metavar="COMMAND", required=number < 3, help=f"player {number}")
    parser.add_argument("-n", metavar="MAPS", type=int, default=1, help="how many maps (default: 1)")
    parser.add_argument("-t", metavar="THREADS", type=int, default=1, help="games played at once (default: 1)")
    parser.add_argument("-s", action="store_true", help="everybody plays each map from every seat, in rotation")
    parser.add_argument("-i", metavar="SEED", type=int, help="initial seed, from which those of the maps are drawn")
    parser.add_argument(
        "-l", metavar="FOLDER", type=Path, help="an existing folder for the logs: game1.json, game2.json, …"
    )
    parser.add_argument("-o", action="store_true", help="old mode: the referee speaks ###Start, ###Input, ###Output")
    parser.add_argument("-v", action="store_true", help="say more of each game: seed, seats, scores")
    parser.add_argument("--seed", metavar="WORDS", help="how the referee takes a seed: --seed='-seed {seed}'")
    parser.add_argument(
        "--warm", action="store_true", help="keep a referee in Java alive between games, if that is the same"
    )
    parser.add_argument("--run", metavar="NAME", help="name the run, to play the same once more")
    parser.add_argument(
        "--write-config", metavar="FILE", type=Path, help="write the config that does the same, play nothing"
    )


def run(args: argparse.Namespace) -> int:
    """Play, or write the config."""
    from harness.report.brutal import WinTable
    from harness.report.summary import SummaryBuilder
    from harness.run.brutal import build_config

    wanted = _read(args)
    if args.write_config is not None:
        return _write(args.write_config, wanted)
    root = Path.cwd() / RESULTS
    root.mkdir(exist_ok=True)
    wanted = _with_working_seed(wanted, root)
    name = args.run or _name(wanted, root)
    path = root / f"{name}.yaml"
    path.write_text(build_config(wanted, root, name=name, results="."), encoding="utf-8")
    shown = path.relative_to(Path.cwd())
    _introduce(wanted, args, shown)
    prepared = _prepare(path)
    table = WinTable(len(wanted.players))
    lines = GameLines(wanted, table, args.l, prepared, is_verbose=args.v)
    return play(prepared, BrutalWatcher(SummaryBuilder(), lines), run_command(shown))


def _read(args: argparse.Namespace) -> BrutalRun:
    """Check the arguments. Raises UsageError."""
    from harness.run.brutal import BrutalRun

    given = [args.p1, args.p2, args.p3, args.p4]
    if args.p4 is not None and args.p3 is None:
        raise UsageError("-p4 without -p3", next_step="number the players without a gap")
    for flag, value in (("-n", args.n), ("-t", args.t)):
        if value < 1:
            raise UsageError(f"{flag} needs a positive number", got=str(value))
    if args.l is not None and not args.l.is_dir():
        raise UsageError("-l needs a folder that is there", got=str(args.l), next_step=f"mkdir -p {args.l}")
    if args.seed is not None and "{seed}" not in args.seed:
        raise UsageError(
            "--seed does not say where the seed goes", got=args.seed, next_step="write for example -seed {seed}"
        )
    initial = args.i
    if initial is None and args.s:
        initial = secrets.randbelow(1 << 31)
    return BrutalRun(
        referee=args.r,
        players=tuple(command for command in given if command is not None),
        n_maps=args.n,
        threads=args.t,
        swaps=args.s,
        initial=initial,
        is_old=args.o,
        keeps_logs=args.l is not None,
        cwd=Path.cwd(),
        seed_words=None if args.seed is None else ((args.seed,) if args.o else tuple(args.seed.split())),
        warm=args.warm,
    )


def _write(path: Path, wanted: BrutalRun) -> int:
    """Write the config, whose paths are relative to it, and see that it is read."""
    from harness.config.load import load_config
    from harness.run.brutal import build_config, describe_losses

    folder = path.absolute().parent
    if path.exists():
        raise UsageError("this file is there already", got=str(path), next_step="remove it, or name another")
    path.write_text(build_config(wanted, folder), encoding="utf-8")
    load_config(path)
    for loss in describe_losses(wanted):
        warn(f"note: {loss}")
    print(f"wrote {path}; see what it plays with `harness plan {path}`, then: {run_command(path)}")
    return 0


def _prepare(path: Path) -> Prepared:
    from harness.run.prepare import prepare

    return prepare(path, tell=warn)


def _with_working_seed(wanted: BrutalRun, root: Path) -> BrutalRun:
    """Find out how the referee takes a seed, where it does not take it as cg-brutaltester gives it."""
    from harness.run.brutal import build_config
    from harness.run.seed_check import SeedState, check_seed

    if not wanted.is_seeded or wanted.seed_words is not None:
        return wanted
    path = root / f".brutal-{os.getpid()}.yaml"
    try:
        path.write_text(
            build_config(replace(wanted, warm=False), root, name="brutal-probe", results="."), encoding="utf-8"
        )
        plan = _prepare(path).plan
        finding = check_seed(plan, is_quick=True)
    except (GameError, Halt):
        return wanted  # the run itself says what is wrong
    finally:
        path.unlink(missing_ok=True)
    if finding.state is not SeedState.IGNORED:
        return wanted
    if finding.works:
        warn(f"note: {finding.words}; it takes `{' '.join(finding.works)}`, which is used instead (--seed)")
        return replace(wanted, seed_words=finding.works)
    warn(f"note: {finding.words}")
    return replace(wanted, is_paired=False)


def _name(wanted: BrutalRun, root: Path) -> str:
    """Name the run by what is played, so that the same command goes on with it and another bot begins anew."""
    from harness.run.brutal import build_config

    if not wanted.is_seeded:
        return strftime("brutal-%Y%m%d-%H%M%S")
    path = root / f".brutal-{os.getpid()}.yaml"
    try:
        path.write_text(build_config(wanted, root, name="brutal", results="."), encoding="utf-8")
        fingerprints = _prepare(path).fingerprints
    finally:
        path.unlink(missing_ok=True)
    whole = "".join(f"{part}={found.digest};" for part, found in sorted(fingerprints.items()))
    return f"brutal-{blake2b(whole.encode(), digest_size=4).hexdigest()}"


def _introduce(wanted: BrutalRun, args: argparse.Namespace, config: Path) -> None:
    """Print what will be played."""
    from harness.run.brutal import describe_losses

    n_games = wanted.n_maps * wanted.games_per_map
    if wanted.swaps:
        how = f"{wanted.games_per_map} games each, one from every seat: {n_games} games"
    else:
        how = f"one game each: {n_games} games"
    print(f"Referee command line: {wanted.referee}")
    for number, command in enumerate(wanted.players, 1):
        print(f"Player {number} command line: {command}")
    print(f"Number of maps (-n): {wanted.n_maps}, {how}")
    print(f"Number of threads: {wanted.threads}")
    if wanted.initial is not None:
        print(
            f"Initial seed: {wanted.initial}"
            + ("" if args.i is not None else f" (drawn; -i {wanted.initial} plays these again)")
        )
    print(f"Config: {config}")
    for loss in describe_losses(wanted):
        print(f"Note: {loss}")
    sys.stdout.flush()


class GameLines:
    """Progress as cg-brutaltester shows it: a line a game on standard output."""

    def __init__(
        self, wanted: BrutalRun, table: WinTable, logs: Path | None, prepared: Prepared, *, is_verbose: bool
    ) -> None:
        self._wanted = wanted
        self._table = table
        self._logs = logs
        self._folder = prepared.config.results / prepared.plan.run
        self._is_verbose = is_verbose
        self._is_over = False

    def start(self, name: str, *, n_planned: int, n_done: int, n_workers: int) -> None:  # noqa: ARG002 - Progress's
        """Say what was played before."""
        if n_done:
            print(f"{n_done} of {n_planned} maps were played before")

    def add_resumed(self, record: MapRecord) -> None:
        """Count a map of an earlier start."""
        for game in record.games:
            self._table.add(game)

    def add(self, record: MapRecord) -> None:
        """Print a map's games."""
        from harness.report.brutal import game_number, places

        for number, game in enumerate(record.games):
            self._table.add(game)
            shown = game_number(record, number)
            for fault in game.faults:
                who = record.lineup[game.seating[fault.seat]]
                print(f"Error in game {shown}, seed {record.seed}: {who}: {fault.detail}")
            if game.faults:
                where = os.path.relpath(self._folder)
                print(f"  see it again: harness replay {where} {record.job} --game {number}")
            if self._is_verbose:
                values = " ".join(f"{value:g}" for value in game.values or game.scores)
                seats = " ".join(record.lineup[index] for index in game.seating)
                print(f"Game {shown}: seed {record.seed}, seats {seats}, scores {values}, {game.wall_s:.2f} s")
            ended = f": {places(game)}" if self._wanted.is_old else ""
            print(f"End of game {shown}{ended}\t{self._table.shares()}")
            self._keep_log(record, number, shown)
        sys.stdout.flush()

    def _keep_log(self, record: MapRecord, number: int, shown: int) -> None:
        """Put a game's log where -l says, under the name that cg-brutaltester gives it."""
        if self._logs is None or self._wanted.is_old:
            return
        source = self._folder / "logs" / f"{record.job:06d}-{number}.json"
        target = self._logs / f"game{shown}.json"
        if source.exists():
            target.unlink(missing_ok=True)
            try:
                os.link(source, target)
            except OSError:
                shutil.copyfile(source, target)

    def tick(self) -> None:
        """Do nothing: lines come with games."""

    def say(self, text: str) -> None:
        """Print a line beside the result."""
        warn(text)

    def stop(self) -> None:
        """Print the table."""
        if not self._is_over and self._table.n_games:
            print("*** End of games ***")
            print(self._table.render())
            print("\n".join(self._table.render_rest()))
            print()
        self._is_over = True


class BrutalWatcher(Watcher):
    """The observer of such a run: maps of an earlier start count in its table, too."""

    def __init__(self, summaries: SummaryBuilder, lines: GameLines) -> None:
        super().__init__(summaries, lines)
        self._lines = lines

    def on_resumed(self, record: MapRecord) -> None:
        """Count a map of an earlier start."""
        super().on_resumed(record)
        self._lines.add_resumed(record)
