"""The frozen dataclasses that cross layers: what a bot is, what a job is, what a record says.

Standard library only. No behaviour beyond small pure accessors; reading and writing them is `store`'s job.
docs/record-format.md explains every field of a `MapRecord`, line by line. It is more than 500 lines long because all
that crosses a layer stands in one place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar, dataclass_transform

T = TypeVar("T")

SCHEMA = 1


@dataclass_transform(frozen_default=True)
def _record(cls: type[T]) -> type[T]:
    """Make a dataclass that mypy holds frozen and the interpreter does not: several are made a game, and the
    interpreter's guard costs more than the rest of the making.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)


Scalar = str | int | float | bool | None

RESIGN = "resign"
"""The action by which a seat gives a game up, under rules that know it (chess, Go)."""


class Form(StrEnum):
    """The forms in which a position shows itself to a seat; a protocol speaks one of them."""

    LINES = "lines"  # the contest's own text, line by line
    MOVES = "moves"  # a start and the list of moves since
    STATE = "state"  # a JSON-ready mapping


class FaultKind(StrEnum):
    """Why a bot forfeits."""

    TIMEOUT = "timeout"
    CRASH = "crash"
    ILLEGAL = "illegal"
    RULED = "ruled"  # an external referee says so and not why: by convention time-out, crash or nonsense


class Termination(StrEnum):
    """How a game ended."""

    NORMAL = "normal"  # the rules ended it
    FORFEIT = "forfeit"  # a bot's fault ended it (see `faults`)
    ADJUDICATED = "adjudicated"  # a stated adjudication rule ended it
    MAX_LENGTH = "max_length"  # the limit on plies ended it


# ------------------------------------------------------------------------------ what a seat may see


@dataclass(slots=True)
class LinesView:
    """What a contest referee sends: `text` ends with a newline; `n_answer_lines` lines come back.

    `text` of a seat's first ply starts with the game's opening lines.
    """

    text: str
    n_answer_lines: int = 1


@dataclass(slots=True)
class MovesView:
    """A start and the moves since.

    `start` is a position string (FEN for chess) or "startpos". `moves` is the position's live list: it grows
    as the game goes on, must not be changed, and lets a protocol send only what is new. `line` is the same as one text,
    each move after a space, for protocols that send all of them every time.
    `first_seat` made or makes the first of `moves`; in a two-seat game seats then alternate.
    """

    start: str
    moves: list[str]
    first_seat: int = 0
    variant: str = ""
    line: str = ""

    def __post_init__(self) -> None:
        if self.moves:
            self.line = "".join([f" {move}" for move in self.moves])


@dataclass(slots=True)
class StateView:
    """A JSON-ready mapping for engines without a contest's grammar, and for in-process bots."""

    state: Mapping[str, object]


View = LinesView | MovesView | StateView


# --------------------------------------------------------------------------------- what is to be played


class ClockKind(StrEnum):
    """By which clock a ply is judged."""

    WALL = "wall"  # from the request written to the answer's bytes
    CPU = "cpu"  # the CPU time of the bot's threads and children meanwhile; for machines that are shared


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How long a bot may think. Exactly one of per_ply_ms, base_ms, nodes, depth sets the mode.

    `wall_ms` bounds every ply besides, in every mode. `grace_ms` is added before a late answer is a fault.
    `first_ply_ms` replaces `per_ply_ms` on a seat's first ply. `clock` is by what `per_ply_ms` is measured.
    """

    per_ply_ms: int | None = None
    first_ply_ms: int | None = None
    base_ms: int | None = None
    increment_ms: int = 0
    nodes: int | None = None
    depth: int | None = None
    wall_ms: int = 60_000
    grace_ms: int = 0
    clock: ClockKind = ClockKind.WALL


class Isolation(StrEnum):
    """What keeps a bot apart from everything else."""

    NONE = "none"  # nothing but its end: everything it started ends with it
    PROCESS = "process"  # limits besides
    SANDBOX = "sandbox"  # besides: no network, no files but its own, nobody else to be seen (bubblewrap)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a bot may take besides the time of its plies: times in milliseconds, defaults that fit a JVM.

    `memory_mb` (resident), `processes` and `cpu_s` (in one game) count a bot with all it started; `address_space_mb`,
    `file_mb` (size of one file) and `open_files` hold for each of its processes. `tmp_mb` is what a sandboxed bot
    may keep in /tmp. `answer_kb` bounds one answer, `output_mb` all it writes in one game.
    """

    start_ms: int = 10_000
    handshake_ms: int = 10_000
    game_start_ms: int = 10_000
    quit_ms: int = 1_000
    stop_ms: int = 1_000
    stderr_kb: int = 16
    answer_kb: int = 1_024
    output_mb: int = 64
    memory_mb: int = 4_096
    processes: int = 64
    cpu_s: int | None = None
    open_files: int = 4_096
    file_mb: int = 1_024
    address_space_mb: int | None = None
    tmp_mb: int = 64


@dataclass(frozen=True, slots=True)
class BotSpec:
    """A bot as the run knows it: an engine with its command, options, limits and fingerprint.

    `command` is an argv whose first word is resolved; `cwd` is absolute. `python` ("module:callable") makes it
    an in-process bot and leaves `command` empty. `options` go to the protocol in the order given.
    `time` overrides the run's time control for this bot alone. `readable` are absolute paths of files and folders that
    a sandboxed bot may read besides the system's programs. With `metadata` its lines of data on standard error are
    kept.
    """

    name: str
    protocol: str
    command: tuple[str, ...] = ()
    python: str | None = None
    cwd: str = "."
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    options: tuple[tuple[str, Scalar], ...] = ()
    limits: Limits = field(default_factory=Limits)
    time: TimeControl | None = None
    threads: int = 1
    deterministic: bool = False
    fingerprint: str = ""
    isolation: Isolation = Isolation.PROCESS
    readable: tuple[str, ...] = ()
    metadata: bool = True


@dataclass(frozen=True, slots=True)
class RulesSpec:
    """A rule set by name with its parameters, as the config gives them (the rule set checks them).

    Files that parameters name are relative to `folder`.
    """

    name: str
    params: tuple[tuple[str, object], ...] = ()
    folder: str = "."


class Objective(StrEnum):
    """Which way a score contest's numbers are better."""

    MAXIMISE = "maximise"
    MINIMISE = "minimise"


class Relative(StrEnum):
    """What a score on a seed is measured against (docs/statistics.md, score contests)."""

    NONE = "none"  # the number itself, as in an absolute sum
    BEST = "best"  # the best result on that seed: score/best, or best/score where less is better
    MEDIAN = "median"  # the median of the earlier results on that seed, the same way
    RANK = "rank"  # the share of the other results on that seed that it is better than, ties a half
    LOG = "log"  # its logarithm: differences are ratios


class SeedScore(StrEnum):
    """What a gate makes of the two results on a seed: a number from 0 to 1, from the candidate's side."""

    WINS = "wins"  # 1 for the better result, ½ for an equal one, 0
    SHARE = "share"  # ½ and half of the difference of the two in shares of the better one


@dataclass(frozen=True, slots=True)
class Scoring:
    """How the numbers of a score contest (rules with one seat) are read.

    `failed_score` is what a seed without a score counts where numbers are not relative; None where it is not needed.
    `baseline` names runs (folders, absolute) and files of earlier results.
    """

    objective: Objective
    relative: Relative = Relative.NONE
    failed_score: float | None = None
    seed_score: SeedScore = SeedScore.WINS
    baseline: tuple[str, ...] = ()


class RefereeMode(StrEnum):
    """How an external referee is called and how it tells the result; docs/how-to/external-referee.md has each."""

    BRUTAL = "brutal"  # cg-brutaltester's new mode: one process a game, which starts the bots; a number a line
    OLD = "old"  # its old mode: lines relayed between the referee and bots that we start
    PSYLEAGUE = "psyleague"  # psyleague's `cmd_play_game`: one JSON object with ranks
    HALITE = "halite"  # Halite III's environment with `--results-as-json`
    TEMPLATE = "template"  # a command with placeholders, and a stated way to read the result


class RefereeLog(StrEnum):
    """Which games' logs (the file that the referee writes to `{log}`) are kept with the run."""

    NONE = "none"
    FAILED = "failed"  # of games that came to nothing or that a bot forfeited
    ALL = "all"


class ScoreOrder(StrEnum):
    """Which of the referee's numbers is the better one."""

    HIGHER_IS_BETTER = "higher_is_better"
    LOWER_IS_BETTER = "lower_is_better"
    RANKS = "ranks"  # places: lower is better, equal places are ties


class ResultForm(StrEnum):
    """Where a referee's numbers stand in what it says."""

    LINES = "lines"  # a number a line and seat, noise before, `key=value` lines after
    JSON = "json"  # a path into a JSON document
    REGEX = "regex"  # the groups of a regular expression
    EXIT_CODE = "exit_code"  # a table from exit codes to the numbers of all seats


class ResultStream(StrEnum):
    """Which of a referee's outputs has the result."""

    STDOUT = "stdout"
    STDERR = "stderr"
    BOTH = "both"  # standard error after standard output


@dataclass(frozen=True, slots=True)
class ResultSpec:
    """How to read the result of a referee in template mode.

    `pattern` is the JSON path or the regular expression, `codes` maps exit codes to the seats' numbers, `echo` finds
    the seed that was played: a JSON path or a regular expression with one group; "" where `seed=` lines are enough.
    `stream` is where it is read; what `failed` matches there says that the only bot has no score, "" for never.
    """

    form: ResultForm = ResultForm.LINES
    pattern: str = ""
    codes: tuple[tuple[int, tuple[float, ...]], ...] = ()
    echo: str = ""
    stream: ResultStream = ResultStream.STDOUT
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Warm:
    """A referee in Java stays alive in one JVM for so many games; `is_shared`: with its classes and what is static."""

    restart_every: int = 50
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class RefereeSpec:
    """An external referee: a program that plays whole games, or in old mode rules on games whose bots we start.

    `command` is an argv whose first word is resolved, placeholders still in it; `seed` are the words that give it a
    seed, with `{seed}` in them, empty if it takes none. `cwd` is absolute. `has_negatives` says that a negative number
    is a forfeit. Without `is_paired` the games of a map job are not on one map. With `drains_bots` the harness reads
    the bots' standard error, not the referee. `folder` is the run's, for what failed games leave; "" for none.
    `time_limit_s` bounds a whole game.
    """

    mode: RefereeMode
    n_seats: int
    command: tuple[str, ...]
    seed: tuple[str, ...] = ()
    cwd: str = "."
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    time_limit_s: float = 600.0
    result: ResultSpec = field(default_factory=ResultSpec)
    order: ScoreOrder = ScoreOrder.HIGHER_IS_BETTER
    has_negatives: bool = True
    is_paired: bool = True
    log: RefereeLog = RefereeLog.NONE
    drains_bots: bool = False
    warm: Warm | None = None
    fingerprint: str = ""
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Adjudication:
    """Ends hopeless or endless games early. All off by default; scores are the engines' own, in centipawns.

    Resign: both engines agree for `resign_plies` plies in a row that one side is `resign_cp` down.
    Draw: from ply `draw_from_ply` on, both within `draw_cp` of zero for `draw_plies` plies in a row.
    """

    resign_cp: int | None = None
    resign_plies: int = 6
    draw_cp: int | None = None
    draw_plies: int = 16
    draw_from_ply: int = 80
    max_plies: int | None = None


@_record
class MapJob:
    """One lineup on one map in all its seatings: the unit of work, of resume and of statistics.

    Self-contained: a worker needs nothing else. `seatings[g][seat]` is the index in `lineup` of the bot that
    sits there in game g. `run_key` is the config fingerprint from which the bots' seeds follow. With `voids_starved` a
    late answer that the machine explains voids the map; without (it was void too often before) it is a forfeit. With a
    `referee` that plays the games `rules` says nothing.
    """

    id: int
    run: str
    run_key: str
    stage: str
    split: str
    seed: int
    lineup: tuple[BotSpec, ...]
    seatings: tuple[tuple[int, ...], ...]
    rules: RulesSpec
    time: TimeControl
    adjudication: Adjudication = Adjudication()
    transcripts: bool = True
    attempt: int = 1
    voids_starved: bool = True
    referee: RefereeSpec | None = None


# ---------------------------------------------------------------------------------- what was played


@dataclass(frozen=True, slots=True)
class Fault:
    """A forfeit: which seat, why, at which ply, in words, with the end of its standard error.

    `starved_ms` marks a time-out that the machine explains, of a job that was void for that too often before.
    """

    seat: int
    kind: FaultKind
    ply: int
    detail: str
    stderr: str = ""
    starved_ms: float | None = None


@_record
class SeatRecord:
    """What a seat used in one game.

    Seconds; `ply_bins` counts this seat's plies by think time (`think_bin`), smallest bin first, as
    [bin, count] pairs. `cpu_s`, `rss_mb` and `starved_s` are None where they were not measured (an
    in-process bot has no clock of its own). `data` is what the bot said of itself (`[PDATA]`), as pairs of key and
    value; `data_dropped` counts the lines that were too many or too long to keep.
    """

    plies: int
    think_s: float
    max_ply_s: float
    cpu_s: float | None = None
    rss_mb: float | None = None
    starved_s: float | None = None
    ply_bins: tuple[tuple[int, int], ...] = ()
    in_process: bool = False
    data: tuple[tuple[str, Scalar], ...] = ()
    data_dropped: int = 0


@_record
class GameRecord:
    """One play by bots in seats. `scores` are per seat: win 1, draw ½, loss 0 (share of opponents beaten).

    With one seat it is 1 for a result and 0 for none; the result itself is in `values`. `data` are pairs of key and
    value that the bots (`[TDATA]`) or an external referee told of the game. Where bots contradict each other the key is
    in `disputed` instead, with what each seat said, None for nothing.
    """

    seating: tuple[int, ...]
    scores: tuple[float, ...]
    termination: Termination
    detail: str
    plies: int
    wall_s: float
    moves: str
    bots: tuple[SeatRecord, ...]
    faults: tuple[Fault, ...] = ()
    values: tuple[float, ...] | None = None
    transcript: str | None = None
    data: tuple[tuple[str, Scalar], ...] = ()
    disputed: tuple[tuple[str, tuple[Scalar, ...]], ...] = ()


@_record
class MapRecord:
    """One line of maps.jsonl. `scores` are per bot of `lineup`, summed over the games of the map.

    Not `paired`: the referee takes no seed, so that the games were on maps of their own. `properties` are what the
    rules say of the map, as pairs of key and value.
    """

    schema: int
    run: str
    job: int
    stage: str
    split: str
    seed: int
    map: str
    lineup: tuple[str, ...]
    scores: tuple[float, ...]
    games: tuple[GameRecord, ...]
    started: str
    wall_s: float
    worker: int
    attempt: int
    paired: bool = True
    properties: tuple[tuple[str, Scalar], ...] = ()


@_record
class Transcript:
    """All actions of one game, in the order the rules took them, with think times and engine info.

    `actions[i]` was made in `think_us[i]` microseconds; `info[i]` is what the engine said of it ("" if
    nothing). Which seat acted follows from the rules. `info` is empty if no engine said anything.
    """

    job: int
    game: int
    seed: int
    names: tuple[str, ...]
    actions: tuple[str, ...]
    think_us: tuple[int, ...]
    info: tuple[str, ...] = ()


BINS_PER_OCTAVE = 8


def think_bin(think_ns: int) -> int:
    """Give the bin of a think time: 8 bins an octave, so a bin's middle is within 6 % of what fell in it."""
    if think_ns < BINS_PER_OCTAVE:
        return max(think_ns, 0)
    octave = think_ns.bit_length() - 4
    return (octave << 3) + (think_ns >> octave)


def bin_middle_s(index: int) -> float:
    """Give the middle of a bin of `think_bin`, in seconds."""
    if index < 2 * BINS_PER_OCTAVE:
        return index / 1e9
    octave = (index >> 3) - 1
    low = ((index & 7) + 8) << octave
    return (low + (1 << octave) / 2) / 1e9


def median_bin(bins: Mapping[int, int], share: float = 0.5) -> int | None:
    """Give the bin in which the `share` quantile (0 < share <= 1) of the counted plies lies; None if none."""
    total = sum(bins.values())
    if not total:
        return None
    need = share * total
    seen = 0
    for index in sorted(bins):
        seen += bins[index]
        if seen >= need:
            return index
    return max(bins)


# ------------------------------------------------------------------------------------------ seeds


@dataclass(frozen=True, slots=True)
class SeedRange:
    """The seeds `first` to `last`, both included, in that order; signed 64-bit."""

    first: int
    last: int

    @property
    def size(self) -> int:
        """How many seeds there are."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class Ledger:
    """Which seeds may be used for what. `feeds` is "generator" (a seed makes a map) or "book" (it picks a line).

    `ranges` maps each split (train, validation, test) to its seeds; they never overlap. `path` is for messages.
    """

    name: str
    feeds: str
    path: str
    ranges: tuple[tuple[str, SeedRange], ...]

    def range_of(self, split: str) -> SeedRange:
        """Give the seeds of a split. Raises KeyError if there is no such split."""
        return dict(self.ranges)[split]
