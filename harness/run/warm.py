"""Whether a referee may be kept warm: games played in one JVM have to be those of a JVM each, word for word.

The comparison plays the same seeds both ways with bots that play alike twice, and looks at all that the referee says:
exit code, standard output, and its log where it writes one. What it finds is kept in the user's cache, by what the
referee, the JVM and the launcher are; a run that finds nothing there compares first. Without an equal finding games are
played cold. It decides nothing else.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path
from statistics import fmean

from harness.plan.plan import Plan
from harness.protocols.whole import Ended
from harness.records import BotSpec, RefereeMode, RefereeSpec, Warm
from harness.referee.external import ExternalReferee
from harness.referee.jvm import WarmError, cache_folder, launcher_key, read_program
from harness.seeding import bot_seeds

_ATTEMPTS = 3
"""How often a seed is played both ways before two games that differ are believed: a busy machine makes bots late."""

_LOOSE_SHARE = 0.05
"""Share of a log's facts that may differ when a game is played twice, times and dates; one may in any case."""

_SHOWN = 120
_NEVER = 1 << 30
"""A new JVM within the comparison would hide what the games before have left."""


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

    def __init__(self, why: str, *, is_final: bool = True) -> None:
        super().__init__(why)
        self.is_final = is_final


def settle_warm(plan: Plan, wanted: RefereeSpec | None, tell: Callable[[str], None]) -> Plan:
    """Give the plan as it may be played: warm, as the config's referee wants it, only if that was found equal.

    A plan itself is always cold. If nobody has looked yet, it is looked at now.
    """
    if plan.referee is None or wanted is None or wanted.warm is None:
        return plan
    finding = find_warm(plan, wanted.warm, tell)
    if finding.is_equal:
        return replace(plan, referee=replace(plan.referee, warm=wanted.warm))
    tell(f"the referee is not kept warm: {finding.why}")
    return plan


def find_warm(plan: Plan, warm: Warm, tell: Callable[[str], None], *, anew: bool = False) -> WarmFinding:
    """Give what is known of a plan's referee kept warm, or compare (`tell` gets a line before), and keep it."""
    assert plan.referee is not None
    spec = replace(plan.referee, warm=warm)
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
            return WarmFinding(is_equal=False, why=str(unequal), is_final=unequal.is_final)


def _compare(spec: RefereeSpec, plan: Plan, seeds: Sequence[int], folder: str) -> WarmFinding:
    cold = ExternalReferee(replace(spec, warm=None))
    assert spec.warm is not None
    warm = ExternalReferee(replace(spec, warm=replace(spec.warm, restart_every=_NEVER)))
    try:
        bots, first, loose = _steady(cold, plan, seeds[0], folder)
        if bots is None:
            raise _NotEqual(
                "none of these bots plays the same game twice, so nobody can tell whether warm games are the same; "
                "compare with a bot that does, as the contest's starter bot",
                is_final=False,
            )
        has_log = first[0].log is not None
        n_alike, times = 0, []
        cold_games = {seeds[0]: first}
        for number in (0, 1, 0, 2, 0):
            seed = seeds[number]
            known = cold_games.setdefault(seed, [])
            for attempt in range(_ATTEMPTS):
                if attempt == len(known):
                    known.append(_play(cold, plan, seed, bots, folder, has_log=has_log))
                game = _play(warm, plan, seed, bots, folder, has_log=has_log)
                times.append(game.wall_s)
                differences = [_difference(one, game, loose) for one in known]
                if "" in differences:
                    n_alike += 1
                    break
            else:
                is_steady = not any(_difference(known[0], one, loose) for one in known)
                raise _NotEqual(
                    f"seed {seed} is not played in one JVM as in a JVM of its own: {differences[0]}"
                    if is_steady
                    else f"seed {seed} goes another way each time, so nobody can tell whether warm games are the same: "
                    "the bots are out of time now and then, or draw by themselves",
                    is_final=is_steady,
                )
        return WarmFinding(
            is_equal=True,
            why=f"{n_alike} games in one JVM were those of a JVM each"
            + ("" if has_log else "; scores alone were compared, for want of logs"),
            cold_s=fmean(game.wall_s for games in cold_games.values() for game in games),
            warm_s=fmean(times[1:]),
        )
    finally:
        cold.close()
        warm.close()


@dataclass(frozen=True, slots=True)
class _Game:
    """One game as the referee tells it; `log` has its log's facts by where they stand, None where it writes none."""

    code: int
    output: bytes
    log: dict[str, str] | None
    wall_s: float


def _steady(
    cold: ExternalReferee, plan: Plan, seed: int, folder: str
) -> tuple[tuple[BotSpec, ...] | None, list[_Game], frozenset[str]]:
    """Find bots that play the same game twice: the first lineup, else one of its bots with itself.

    Gives them, their games of `seed`, and what of a log is another each time (how long a bot has thought).
    """
    lineup = plan.lineups[0]
    has_log = cold.spec.mode is RefereeMode.BRUTAL or any("{log}" in word for word in cold.spec.command)
    for bots in (lineup, *((bot,) * len(lineup) for bot in lineup)):
        games: list[_Game] = []
        for _ in range(_ATTEMPTS):
            game = _play(cold, plan, seed, bots, folder, has_log=has_log)
            if game.code and has_log:  # it may be one that does not know -l
                has_log = False
                game = _play(cold, plan, seed, bots, folder, has_log=has_log)
            if game.code:
                raise _NotEqual(f"it fails by itself (exit code {game.code}) on seed {seed}")
            for one in games:
                loose = _loose(one, game)
                if loose is not None and not _difference(one, game, loose):
                    return bots, [one, game], loose
            games.append(game)
    return None, [], frozenset()


def _loose(one: _Game, other: _Game) -> frozenset[str] | None:
    """Give the facts in which the logs of two games differ; None if these are too many for one game twice."""
    if one.log is None or other.log is None:
        return frozenset()
    keys = one.log.keys() | other.log.keys()
    loose = frozenset(key for key in keys if one.log.get(key) != other.log.get(key))
    return loose if len(loose) <= max(1, _LOOSE_SHARE * len(keys)) else None


def _play(
    referee: ExternalReferee, plan: Plan, seed: int, bots: Sequence[BotSpec], folder: str, *, has_log: bool
) -> _Game:
    log = Path(folder, "log.json")
    ended: Ended = referee.call(seed, bots, bot_seeds(plan.run_key, 0, len(bots)), str(log) if has_log else None)
    if ended.stopped:
        raise _NotEqual(f"on seed {seed} {ended.stopped}")
    facts = None
    if log.exists():
        facts = dict(read_facts(log.read_text(encoding="utf-8", errors="replace")))
        log.unlink()
    return _Game(ended.exit_code, ended.output, facts, ended.wall_ns / 1e9)


def read_facts(text: str, place: str = "") -> Iterator[tuple[str, str]]:
    """Give what a log says, each with its place; JSON within texts of JSON is read, too. No JSON is one fact."""
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    waiting: list[tuple[str, object]] = [(place, value)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(f"{place}/{key}", part) for key, part in value.items()]
        elif isinstance(value, list):
            waiting += [(f"{place}/{index}", part) for index, part in enumerate(value)]
        elif isinstance(value, str) and value[:1] in {"{", "["} and value != text:
            yield from read_facts(value, place)
        else:
            yield place, str(value)


def _difference(one: _Game, other: _Game, loose: Collection[str]) -> str:
    """Say how two games differ, "" if they do not."""
    if one.code != other.code:
        return f"exit code {other.code}, not {one.code}"
    if one.output != other.output:
        return f"it says {_shown(other.output)}, not {_shown(one.output)}"
    if (one.log is None) != (other.log is None):
        return "one has a log"
    if one.log is not None and other.log is not None:
        for key in sorted(one.log.keys() | other.log.keys()):
            if key not in loose and one.log.get(key) != other.log.get(key):
                return f"its log differs at {key}"
    return ""


def _shown(output: bytes) -> str:
    text = output.decode("utf-8", "replace")
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


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
