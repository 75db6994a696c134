"""Whether a referee may be kept warm: games played in one JVM have to be those of a JVM each, word for word.

The comparison plays the same seeds both ways with bots that play alike twice, and looks at all that the referee says:
exit code, standard output, and its log where it writes one. What it finds is kept in the user's cache, by what the
referee, the JVM and the launcher are; a run that finds nothing there compares first. Without an equal finding games are
played cold. It decides nothing else.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path

from harness.plan.plan import Plan
from harness.protocols.whole import Ended
from harness.records import BotSpec, RefereeMode, RefereeSpec
from harness.referee.external import ExternalReferee
from harness.referee.jvm import WarmError, cache_folder, launcher_key, read_program
from harness.seeding import bot_seeds

WARM_GAMES = 5
"""Games of the comparison that are played warm: three seeds, the first of them again after each other."""


@dataclass(frozen=True, slots=True)
class WarmFinding:
    """What a comparison has found. Seconds of a game: cold, and warm from the second on; 0 where none was played."""

    is_equal: bool
    why: str
    cold_s: float = 0.0
    warm_s: float = 0.0
    is_final: bool = True
    """It depends on the referee alone, not on the bots that played."""


class _NotEqual(Exception):  # noqa: N818 - a finding, not an error
    """The two ways differ, or cannot be compared: the text says how."""


def settle_warm(plan: Plan, tell: Callable[[str], None]) -> Plan:
    """Give the plan as it may be played: warm only if that was found equal, now if nobody has looked yet."""
    if plan.referee is None or plan.referee.warm is None:
        return plan
    finding = find_warm(plan, tell)
    if finding.is_equal:
        return plan
    tell(f"the referee is not kept warm: {finding.why}")
    return replace(plan, referee=replace(plan.referee, warm=None))


def find_warm(plan: Plan, tell: Callable[[str], None], *, anew: bool = False) -> WarmFinding:
    """Give what is known of a plan's warm referee, or compare (`tell` gets a line before), and keep it."""
    spec = plan.referee
    assert spec is not None
    try:
        key = _key(spec)
    except WarmError as error:
        return WarmFinding(is_equal=False, why=str(error))
    bots = "".join(bot.fingerprint for bot in plan.lineups[0])
    own_key = blake2b(f"{key}{bots}".encode(), digest_size=12).hexdigest()
    for name in () if anew else (key, own_key):
        if (known := _read(name)) is not None:
            return known
    tell("the referee can be kept warm if games are the same then: playing a few both ways, once for this referee")
    finding = compare(spec, plan)
    _write(key if finding.is_final else own_key, finding)
    return finding


def compare(spec: RefereeSpec, plan: Plan) -> WarmFinding:
    """Play the comparison. Raises RefereeError for a referee that does not start."""
    seeds = [plan.seeds[number % len(plan.seeds)] for number in range(3)]
    with tempfile.TemporaryDirectory(prefix="harness-warm-") as folder:
        try:
            return _compare(spec, plan, seeds, folder)
        except _NotEqual as unequal:
            return WarmFinding(is_equal=False, why=str(unequal))


def _compare(spec: RefereeSpec, plan: Plan, seeds: Sequence[int], folder: str) -> WarmFinding:
    cold = ExternalReferee(replace(spec, warm=None))
    warm = ExternalReferee(spec)
    try:
        bots, first = _steady(cold, plan, seeds[0], folder)
        if bots is None or first is None:
            return WarmFinding(
                is_equal=False,
                why="none of these bots plays the same game twice, so nobody can tell whether warm games are the same; "
                "compare with a bot that does, as the contest's starter bot",
                is_final=False,
            )
        has_log = first.log is not None
        games = [first, *(_play(cold, plan, seed, bots, folder, has_log=has_log) for seed in seeds[1:])]
        expected = dict(zip(seeds, games, strict=True))
        order = [seeds[0], seeds[1], seeds[0], seeds[2], seeds[0]][:WARM_GAMES]
        times = []
        for number, seed in enumerate(order, 1):
            game = _play(warm, plan, seed, bots, folder, has_log=has_log)
            times.append(game.wall_s)
            if difference := _difference(expected[seed], game):
                raise _NotEqual(
                    f"game {number} in one JVM, seed {seed}, is not what it is in a JVM of its own: {difference}"
                )
        return WarmFinding(
            is_equal=True,
            why=f"{len(order)} games in one JVM were those of a JVM each"
            + ("" if has_log else "; scores alone were compared, for want of logs"),
            cold_s=sum(game.wall_s for game in games) / len(games),
            warm_s=sum(times[1:]) / len(times[1:]),
        )
    finally:
        cold.close()
        warm.close()


@dataclass(frozen=True, slots=True)
class _Game:
    """One game as the referee tells it; `log` is None where it writes none."""

    code: int
    output: bytes
    log: bytes | None
    wall_s: float


def _steady(
    cold: ExternalReferee, plan: Plan, seed: int, folder: str
) -> tuple[tuple[BotSpec, ...] | None, _Game | None]:
    """Find bots that play the same game twice, the first lineup or one of its bots with itself, and that game.

    Where all logs differ (they may tell the time), bots whose scores are the same twice have to do.
    """
    lineup = plan.lineups[0]
    has_log = cold.spec.mode is RefereeMode.BRUTAL or any("{log}" in word for word in cold.spec.command)
    same_words: tuple[tuple[BotSpec, ...], _Game] | None = None
    for bots in (lineup, *((bot,) * len(lineup) for bot in lineup)):
        first = _play(cold, plan, seed, bots, folder, has_log=has_log)
        if first.code and has_log:  # it may be one that does not know -l
            has_log = False
            first = _play(cold, plan, seed, bots, folder, has_log=has_log)
        if first.code:
            raise _NotEqual(f"it fails by itself (exit code {first.code}) on seed {seed}")
        second = _play(cold, plan, seed, bots, folder, has_log=has_log)
        if not _difference(first, second):
            return bots, first
        if same_words is None and first.output == second.output:
            same_words = bots, replace(first, log=None)
    return same_words or (None, None)


def _play(
    referee: ExternalReferee, plan: Plan, seed: int, bots: Sequence[BotSpec], folder: str, *, has_log: bool
) -> _Game:
    log = Path(folder, "log.json")
    ended: Ended = referee.call(seed, bots, bot_seeds(plan.run_key, 0, len(bots)), str(log) if has_log else None)
    if ended.stopped:
        raise _NotEqual(f"on seed {seed} {ended.stopped}")
    written = log.read_bytes() if log.exists() else None
    log.unlink(missing_ok=True)
    return _Game(ended.exit_code, ended.output, written, ended.wall_ns / 1e9)


def _difference(one: _Game, other: _Game) -> str:
    """Say how two games differ, "" if they do not."""
    if one.code != other.code:
        return f"exit code {other.code}, not {one.code}"
    if one.output != other.output:
        return f"it says {_shown(other.output)}, not {_shown(one.output)}"
    if one.log != other.log:
        return "its logs differ"
    return ""


def _shown(output: bytes) -> str:
    text = output.decode("utf-8", "replace")
    return repr(text if len(text) <= 120 else f"{text[:117]}…")


# --------------------------------------------------------------------------------------------- the cache


def _key(spec: RefereeSpec) -> str:
    """Give what a finding depends on. Raises WarmError for a referee that cannot be kept warm at all."""
    assert spec.warm is not None
    program = read_program(spec.command, spec.cwd)
    key = blake2b(digest_size=12)
    for part in (spec.fingerprint, launcher_key(program.java), spec.warm.is_shared, spec.command, spec.mode.value):
        key.update(f"{part}\0".encode())
    return key.hexdigest()


def _path(name: str) -> Path:
    return cache_folder() / "findings" / f"{name}.json"


def _read(name: str) -> WarmFinding | None:
    try:
        return WarmFinding(**json.loads(_path(name).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _write(name: str, finding: WarmFinding) -> None:
    """Keep a finding, if the cache can be written: else the next run compares again."""
    path = _path(name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(json.dumps(asdict(finding)) + "\n", encoding="utf-8")
        part.replace(path)
    except OSError:
        return
