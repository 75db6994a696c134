"""Say how many games or maps it takes to see a gain, and what a sequential test of it would cost.

Give the gain in one unit: --gain 0.05 (a score of 55 % instead of 50 %), --elo 35 or --nelo 40. For a score contest:
--difference 0.5 --sd 4, the mean difference a seed and its spread, both in one unit (`difference` in `show --json`).
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from harness.cli.shared import add_json
from harness.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from harness.stats.planning import Need
    from harness.stats.size import MapsCanTell, SequentialNeed, SizeAnswer, VersionNeed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments."""
    gain = parser.add_argument_group("the gain, in exactly one unit")
    gain.add_argument("--gain", type=float, metavar="SCORE", help="points of score above even: 0.05 is 55 %%")
    gain.add_argument("--elo", type=float, metavar="ELO", help="logistic Elo")
    gain.add_argument("--nelo", type=float, metavar="NELO", help="normalized Elo")
    gain.add_argument("--difference", type=float, metavar="D", help="score contests: mean difference a seed, with --sd")
    parser.add_argument("--sd", type=float, metavar="SD", help="score contests: its standard deviation over seeds")
    parser.add_argument("--draws", type=float, default=0.0, metavar="SHARE", help="share of drawn games (0)")
    parser.add_argument(
        "--map-sd",
        type=float,
        metavar="SD",
        help="measured standard deviation of a map's mean score (`sd` in `harness show --json`)",
    )
    parser.add_argument("--games-per-map", type=int, default=2, metavar="N", help="seatings a map is played in (2)")
    parser.add_argument(
        "--correlation", type=float, metavar="R", help="of two versions' scores on the same map (both 0 and 0.5)"
    )
    parser.add_argument("--maps", type=int, metavar="N", help="also say what N maps can tell")
    parser.add_argument("--confidence", type=float, default=0.95, metavar="C", help="level of the interval (0.95)")
    parser.add_argument("--power", type=float, default=0.8, metavar="P", help="how often to see the gain (0.8)")
    parser.add_argument(
        "--alpha", type=float, default=0.05, metavar="A", help="sequential test: passing no gain (0.05)"
    )
    parser.add_argument(
        "--beta", type=float, default=0.05, metavar="B", help="sequential test: failing the gain (0.05)"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the answer."""
    from dataclasses import asdict

    from harness.stats.arguments import StatsInputError
    from harness.stats.size import SizeQuestion, answer

    if args.difference is not None or args.sd is not None:
        return _seeds(args)
    question = SizeQuestion(
        gain_score=args.gain,
        gain_elo=args.elo,
        gain_nelo=args.nelo,
        draw_share=args.draws,
        map_sd=args.map_sd,
        games_per_map=args.games_per_map,
        correlation=args.correlation,
        confidence=args.confidence,
        power=args.power,
        alpha=args.alpha,
        beta=args.beta,
        n_maps=args.maps,
    )
    try:
        found = answer(question)
    except StatsInputError as error:
        raise UsageError(str(error), next_step="`harness size --help` lists what can be given") from error
    if args.json:
        print(json.dumps(asdict(found)))
    else:
        print("\n".join(lines(found)))
    return ExitCode.DONE


def _seeds(args: argparse.Namespace) -> int:
    """Say how many seeds it takes to tell a mean difference from 0, and what a given number of them can tell."""
    from harness.report import numbers
    from harness.stats.arguments import StatsInputError
    from harness.stats.planning import games_for_duel, power_of

    if args.difference is None or args.sd is None or any(x is not None for x in (args.gain, args.elo, args.nelo)):
        raise UsageError(
            "--difference and --sd go together, without --gain, --elo and --nelo",
            next_step="harness size --difference 0.5 --sd 4",
        )
    try:
        need = games_for_duel(args.difference, confidence=args.confidence, power=args.power, game_sd=args.sd)
    except StatsInputError as error:
        raise UsageError(str(error)) from error
    if need.n is None or (args.maps is not None and args.maps < 1):
        raise UsageError("a difference, a spread and a number of seeds above 0 are needed", got=str(args.difference))
    given = None if args.maps is None else power_of(args.difference, args.sd, args.maps, confidence=args.confidence)
    if args.json:
        print(json.dumps({"seeds": need.n, "runs": 2 * need.n, "given": args.maps, "power": given}))
        return ExitCode.DONE
    asked = f"a {_percent(args.confidence)} interval that leaves out 0, in {_percent(args.power)} of runs"
    print(f"{'asked':<11} {asked}")
    print(f"{'seeds':<11} {numbers.counted(need.n, 'seed')}, each by both versions: {numbers.count(2 * need.n)} runs")
    if given is not None:
        print(f"{numbers.counted(args.maps, 'seed'):<11} enough to see this difference in {_percent(given)} of runs")
    return ExitCode.DONE


def lines(found: SizeAnswer) -> list[str]:
    """Say an answer in words, one row a way to play."""
    from harness.report import numbers

    question = found.question
    elo, nelo = numbers.signed(found.gain_elo, 1), numbers.signed(found.gain_nelo, 1)
    rows = [
        ("gain", f"a score of {_score(found.gain_score)} instead of {_score(0.0)}: {elo} Elo, {nelo} nElo"),
        (
            "asked",
            f"a {_percent(question.confidence)} interval that leaves out even, in {_percent(question.power)} of runs",
        ),
        ("spread", _spread(found)),
        ("duel", _needed(found.duel, "independent game")),
        ("maps", _maps(found)),
    ]
    rows += [("versions", _version(version)) for version in found.versions]
    rows += [("sequential", _sequential(row)) for row in found.sequential]
    if found.power_curve:
        points = ", ".join(f"{numbers.count(n)}: {_percent(power)}" for n, power in found.power_curve)
        rows.append(("power", f"by number of maps: {points}"))
    if found.given is not None:
        rows.append((numbers.counted(found.given.n_maps, "map"), _given(found.given, question.power)))
    return [f"{name:<11} {text}" for name, text in rows]


def _percent(share: float, decimals: int = 0) -> str:
    from harness.report import numbers

    return f"{numbers.plain(100.0 * share, decimals)}{numbers.THIN}%"


def _score(gain: float) -> str:
    return _percent(0.5 + gain, 1)


def _needed(need: Need, unit: str) -> str:
    """Say how many; a gain is never 0 here, so that a missing number means that nothing else varies."""
    from harness.report import numbers

    return (
        f"a single {unit}, as nothing but the gain is left to vary,"
        if need.n is None
        else numbers.counted(need.n, unit)
    )


def _version(version: VersionNeed) -> str:
    from harness.report import numbers

    rho = numbers.plain(version.correlation, 2)
    games = _needed(version.games, "game")
    return f"{games} for each of two versions against one panel, if their scores on a map correlate at {rho}"


def _spread(found: SizeAnswer) -> str:
    from harness.report import numbers

    sd = numbers.plain(found.map_sd, 3)
    if found.is_sd_measured:
        return f"{sd} a map, as measured"
    drawn = _percent(found.question.draw_share)
    return f"{sd} a map, if its games are independent and {drawn} of them drawn; better: --map-sd, measured"


def _maps(found: SizeAnswer) -> str:
    from harness.report import numbers

    if found.maps.n is None:
        return _needed(found.maps, "map")
    games = numbers.counted(found.maps.n * found.question.games_per_map, "game")
    seatings = numbers.counted(found.question.games_per_map, "seating")
    return f"{numbers.counted(found.maps.n, 'map')} in {seatings}, {games}"


def _sequential(row: SequentialNeed) -> str:
    from harness.report import numbers

    plan = row.plan
    mean, median, most = (
        numbers.count(round(maps * plan.games_per_map))
        for maps in (plan.expected_maps, plan.median_maps, plan.p90_maps)
    )
    return (
        f"truly {numbers.signed(row.true_elo, 1)} Elo: passes {_percent(plan.pass_probability, 1)} of runs, "
        f"after {mean} games on average; half end by {median}, {_percent(0.9)} by {most}"
    )


def _given(given: MapsCanTell, power: float) -> str:
    from harness.report import numbers

    seen = f"enough to see this gain in {_percent(given.power)} of runs"
    if given.smallest_gain_elo is None:
        return f"{seen}, and no gain at all in {_percent(power)}"
    elo = numbers.signed(given.smallest_gain_elo, 1)
    return f"{seen}, and a score of {_score(given.smallest_gain_score)} ({elo} Elo) in {_percent(power)}"
