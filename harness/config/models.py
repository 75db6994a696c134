"""The keys a user may write, as pydantic models: types, ranges, defaults and the sentences of docs/config.md.

pydantic's only home. Checks single values and what one mapping can know of itself; what needs the file system or
another mapping is `load` and `bots`. Nothing is converted: a number in quotes is text.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from harness.config.build_models import BuildSection
from harness.config.gate_models import GateSection
from harness.config.referee_models import RefereeSection
from harness.config.scoring import ScoringSection
from harness.config.section import OWN, Count, Name, Positive, Section, Text, Value, Words, problem
from harness.records import Adjudication, Limits, TimeControl

_LIMITS = Limits()
_TIME = TimeControl()
_ADJUDICATION = Adjudication()


ProtocolName = Literal["codingame", "gomocup", "gtp", "json", "uci", "xboard"]
"""The protocols that there are: those of `harness/protocols/registry.py`, as a test holds."""

OwnProtocol = Annotated[str, StringConstraints(pattern=OWN)]


class RulesSection(Section):
    """The game: a rule set by name; every other key here is a parameter that the rule set itself checks."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    name: Text = Field(
        description="Name of the rule set: `lightcycles`, `chess`, …; `open_spiel/GAME`; your own as `file.py:build`, "
        "relative to the config, or `module:build`. docs/rules/ has a page for each, and "
        "[add a rule set](how-to/add-a-rule-set.md) is for your own."
    )


class TimeSection(Section):
    """How long a bot may think. Exactly one of `per_ply_ms`, `base_ms`, `nodes`, `depth` sets the mode."""

    MODES: ClassVar[tuple[str, ...]] = ("per_ply_ms", "base_ms", "nodes", "depth")

    per_ply_ms: Positive | None = Field(default=None, description="Milliseconds for each ply.")
    first_ply_ms: Positive | None = Field(
        default=None,
        description="Milliseconds for a bot's first ply, with `per_ply_ms`. Bots that speak `codingame` get the larger "
        "of 1000 and `per_ply_ms` if this is not given, as in the contest.",
    )
    base_ms: Positive | None = Field(default=None, description="Milliseconds on each bot's clock for a whole game.")
    increment_ms: Count = Field(
        default=0, description="Milliseconds added to the clock after each ply, with `base_ms`."
    )
    nodes: Positive | None = Field(default=None, description="Search nodes a ply, for engines whose protocol has them.")
    depth: Positive | None = Field(default=None, description="Search depth a ply, for engines whose protocol has it.")
    wall_ms: Positive = Field(
        default=_TIME.wall_ms,
        description="Bounds every ply in every mode, so that a hung engine cannot stop a run.",
    )
    grace_ms: Count = Field(
        default=_TIME.grace_ms,
        description="Milliseconds past the limit before a late answer is a fault. The bot is not told of them. A bot "
        "may have its own `grace_ms`.",
    )
    clock: Literal["wall", "cpu"] = Field(
        default="wall",
        description="By what `per_ply_ms` is measured. `wall`: from the request written to the answer's bytes, as "
        "contests do. `cpu`: the CPU time of the bot, its threads and children meanwhile, for machines that are "
        "shared; without `wall_ms` a ply may then last twenty times its limit and a second.",
    )

    @model_validator(mode="after")
    def check_mode(self) -> TimeSection:
        """Refuse none or several modes, and keys that would have no effect."""
        modes = [mode for mode in self.MODES if getattr(self, mode) is not None]
        if len(modes) != 1:
            raise problem(
                "exactly one key must set the mode" if not modes else "two keys set the mode",
                key=modes[1] if modes else None,
                allowed="one of " + ", ".join(self.MODES),
                next_step="write for example `per_ply_ms: 100`" if not modes else f"keep {' or '.join(modes)}",
            )
        if self.first_ply_ms is not None and modes != ["per_ply_ms"]:
            raise problem("it has no effect without `per_ply_ms`", key="first_ply_ms", next_step="remove it")
        if self.clock == "cpu" and modes != ["per_ply_ms"]:
            raise problem("it has no effect without `per_ply_ms`", key="clock", next_step="remove it")
        if self.increment_ms and modes != ["base_ms"]:
            raise problem("it has no effect without `base_ms`", key="increment_ms", next_step="remove it")
        for key in ("per_ply_ms", "first_ply_ms"):
            least = getattr(self, key) or 0
            if self.wall_ms < least:
                raise problem(f"it is below `{key}`", key="wall_ms", allowed=f"{least} or more")
        return self


class LimitsSection(Section):
    """What a bot's process may take besides the time of its plies. A bot over a limit is ended and forfeits, saying so.

    `memory_mb`, `processes` and `cpu_s` count a bot with everything it started, and are looked at ten times a second;
    the kernel holds the others. There is no protection of the machine in them against a bot that means harm: that is
    `isolation: sandbox`.
    """

    start_ms: Positive = Field(
        default=_LIMITS.start_ms,
        description="To start, where the protocol has no handshake: until it waits for its first input. Its first ply "
        "begins then, or when this time is over.",
    )
    handshake_ms: Positive = Field(
        default=_LIMITS.handshake_ms, description="To start and answer the protocol's handshake."
    )
    game_start_ms: Positive = Field(default=_LIMITS.game_start_ms, description="To be ready for a new game.")
    quit_ms: Count = Field(default=_LIMITS.quit_ms, description="To end by itself before it is killed.")
    stop_ms: Positive = Field(
        default=_LIMITS.stop_ms,
        description="To answer `stop` after a time-out before it is started afresh.",
    )
    stderr_kb: Positive = Field(
        default=_LIMITS.stderr_kb,
        description="Kilobytes kept of the end of its standard error, for messages. All of it is read.",
    )
    answer_kb: Positive = Field(
        default=_LIMITS.answer_kb,
        description="Kilobytes that one answer may have before it counts as unreadable.",
    )
    output_mb: Positive = Field(
        default=_LIMITS.output_mb, description="Megabytes that it may write to standard output in one game."
    )
    memory_mb: Positive = Field(default=_LIMITS.memory_mb, description="Resident memory, in megabytes.")
    processes: Positive = Field(default=_LIMITS.processes, description="Processes alive at once; threads do not count.")
    cpu_s: Positive | None = Field(
        default=None, description="Seconds of CPU in one game, in its turn and out of it. Default: no limit."
    )
    open_files: Positive = Field(
        default=_LIMITS.open_files, description="Files that one of its processes may have open."
    )
    file_mb: Positive = Field(default=_LIMITS.file_mb, description="Size of any file that it writes, in megabytes.")
    address_space_mb: Positive | None = Field(
        default=None,
        description="Address space of each of its processes, in megabytes: allocating more fails inside the bot. "
        "JVMs and others reserve much more than they use. Default: no limit.",
    )
    tmp_mb: Positive = Field(
        default=_LIMITS.tmp_mb, description="With `isolation: sandbox`, megabytes it may keep in /tmp, as in /dev/shm."
    )


class BotSection(Section):
    """One bot. These keys can stand in the config, or in `bot.yaml` in the bot's folder; the config's win.

    A bot has a `command` (a program of its own) or `python` (called inside the worker), not both.
    `options`, `env` and `limits` are merged key by key; every other key replaces the one of `bot.yaml`. With
    `python` in the config, what `bot.yaml` says of a program (`command`, `protocol`, `env`, `cwd`, `limits`,
    `threads`, `build`, `isolation`, `readable`) is not used.

    Paths of a bot (`command`, `cwd`, `files`, `build`) are relative to its `folder`, or to the config's own folder
    if it has none. A command's first word with no slash is looked for there, then on PATH, then in /usr/local/games
    and /usr/games, where Debian puts its engines. In words, `{python}` stands for the interpreter that runs the
    harness and `{folder}` for the bot's folder.
    """

    about: Text | None = Field(default=None, description="One line that says what the bot is, for people.")
    command: Text | Words | None = Field(
        default=None,
        description="The program and its arguments: a list of words, or one string with the shell's quotes. There is "
        "no shell: write `[sh, -c, '…']` if you want one.",
    )
    python: Text | None = Field(
        default=None,
        description="`module:callable` or `file.py:callable`: a bot that is called in the worker's own process. It has "
        "no protection but an exception, and its time is not bounded.",
    )
    protocol: ProtocolName | OwnProtocol | None = Field(
        default=None,
        description="What the program speaks. Needed with `command`. One of your own is `file.py:Class`, relative as "
        "`command` is, or `module:Class`: see [add a protocol](how-to/add-a-protocol.md).",
    )
    options: dict[Text, Value] = Field(
        default_factory=dict, description="Options given to the bot in this order (UCI: `setoption`)."
    )
    env: dict[Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")], str] = Field(
        default_factory=dict,
        description="Environment variables besides those of the harness. `${NAME}` takes the value of the variable "
        "NAME where the harness runs: secrets stay out of the file, out of records and out of fingerprints.",
    )
    cwd: Text | None = Field(
        default=None, description="The folder it runs in. Default: its `folder`, else the config's folder."
    )
    limits: LimitsSection = Field(default_factory=LimitsSection, description="See [limits](#limits).")
    time: TimeSection | None = Field(
        default=None,
        description="Its own time control, in place of the run's: a handicap, or an engine without `nodes`.",
    )
    grace_ms: Count | None = Field(
        default=None, description="Its own grace, in place of the one of `time`: see [time](#time)."
    )
    isolation: Literal["none", "process", "sandbox"] = Field(
        default="process",
        description="What keeps it apart. `process`: its `limits`. `sandbox`: no network, no files but the system's "
        "programs and its own folder, read-only, nobody else to be seen; needs bubblewrap, and it is an error where "
        "that does not work (`harness doctor` says why). `none`: no limits. Everything it started ends with it in any "
        "case.",
    )
    metadata: bool = Field(
        default=True,
        description="Keep what it says in lines `[TDATA] k = v` and `[PDATA] k = v` on standard error; see "
        "[filter and group](how-to/filter-and-group.md).",
    )
    readable: list[Text] = Field(
        default_factory=list,
        description="Files and folders that it may read in a sandbox besides its `folder` (without one: the files that "
        "its command names), its `files` and its program.",
    )
    threads: Positive = Field(
        default=1, description="Threads it uses. Above 1 it is not bound to one core with its worker."
    )
    deterministic: bool = Field(
        default=False, description="It plays the same on the same seed; `harness replay` then checks that it does."
    )
    files: list[Text] = Field(
        default_factory=list,
        description="Further files that its fingerprint covers (nets, books), as patterns: `nets/*.nnue`. Each must "
        "match.",
    )
    build: Text | Words | BuildSection | None = Field(
        default=None, description="How to build it: words, one string, or a mapping; see [build](#build)."
    )


class BotEntry(BotSection):
    """A bot as the config names it."""

    folder: Text | None = Field(
        default=None,
        description="The bot's own folder, which may hold a `bot.yaml`. Its source files are fingerprinted.",
    )


class GauntletSection(Section):
    """The candidate against every opponent."""

    type: Literal["gauntlet"] = Field(description="`gauntlet`: the candidate against every opponent.")
    candidate: Text = Field(description="The bot that is judged.")
    opponents: list[Text] | None = Field(default=None, description="The others. Default: all other bots, as written.")


class RoundRobinSection(Section):
    """Everyone against everyone."""

    type: Literal["round_robin"] = Field(description="`round_robin`: everyone against everyone.")
    bots: list[Text] | None = Field(default=None, description="Who plays. Default: all bots, as written.")


class MixedSection(Section):
    """Some lineups for each map, mixed so that all play and meet equally often: for three and more seats.

    Where a gauntlet or round robin needs every choice of bots on every map. [Seats](how-to/seats.md) has the figures.
    """

    type: Literal["mixed"] = Field(description="`mixed`: a few lineups on each map, drawn evenly from the bots.")
    bots: list[Text] | None = Field(default=None, description="The pool. Default: all bots, as written.")
    candidate: Text | None = Field(
        default=None, description="The bot that is judged: it sits in every lineup, the others are mixed."
    )
    lineups_per_map: Positive | None = Field(
        default=None,
        description="How many lineups play each map. Default: as many as the bots fill, each in one of them at most.",
    )


class MapsSection(Section):
    """Which maps are played, in order: seeds from a ledger, or a list of your own that no split keeps apart."""

    ledger: Text | None = Field(
        default=None, description="The ledger's file, which sets the ranges of seeds. Needed without `seeds`."
    )
    seeds: list[int] | Text | None = Field(
        default=None,
        description="The seeds themselves: a list, or a file with one a line, or a range `10-99`. In place of `ledger` "
        "and `split`; a gate needs a ledger.",
    )
    split: Literal["train", "validation", "test"] | None = Field(
        default=None,
        description="The range to draw from. `harness run` refuses `test`: those seeds are spent by a gate. Needed "
        "without a `gate`, whose stages say it themselves.",
    )
    count: Positive | None = Field(
        default=None,
        description="How many maps. Every lineup plays each of them in all its seatings. Needed without a `gate`, but "
        "for `seeds`, which are all played if this is not given.",
    )

    @model_validator(mode="after")
    def check_source(self) -> MapsSection:
        """Ask for a ledger or seeds: not both, not neither."""
        if self.ledger is None and self.seeds is None:
            raise problem("it is missing", key="ledger", next_step="name a ledger's file, or write `seeds`")
        if self.seeds is not None:
            for key in ("ledger", "split"):
                if getattr(self, key) is not None:
                    raise problem("the seeds are given one by one", key=key, next_step="remove it, or `seeds`")
        return self


class AdjudicationSection(Section):
    """Ends hopeless or endless games early. All off by default. Scores are the engines' own, in centipawns."""

    resign_cp: Positive | None = Field(
        default=None, description="Both engines agree that one side is this far down: that side has lost."
    )
    resign_plies: Positive = Field(default=_ADJUDICATION.resign_plies, description="For so many plies in a row.")
    draw_cp: Count | None = Field(default=None, description="Both engines are within this of zero: a draw.")
    draw_plies: Positive = Field(default=_ADJUDICATION.draw_plies, description="For so many plies in a row.")
    draw_from_ply: Count = Field(default=_ADJUDICATION.draw_from_ply, description="Not before this ply.")
    max_plies: Positive | None = Field(default=None, description="The game ends level after so many plies.")

    @model_validator(mode="after")
    def check_effect(self) -> AdjudicationSection:
        """Refuse keys that would have no effect."""
        for key, needed in (("resign_plies", "resign_cp"), ("draw_plies", "draw_cp"), ("draw_from_ply", "draw_cp")):
            if key in self.model_fields_set and getattr(self, needed) is None:
                raise problem(f"it has no effect without `{needed}`", key=key, next_step=f"add `{needed}` or remove it")
        return self


class StopAfterSection(Section):
    """When a bot counts as broken: the run halts, since that is a set-up fault and no rating. `null` switches off."""

    first_forfeits: Positive | None = Field(
        default=5,
        description="Its first so many games in a row are forfeits; games that others forfeit before it moves aside.",
    )
    forfeit_share: Annotated[float, Field(gt=0, lt=1)] | None = Field(
        default=0.2, description="More than this share of its games are forfeits."
    )
    after_games: Positive = Field(default=50, description="The share is looked at after so many of its games.")


class ConfigFile(Section):
    """A config: one file that says everything about a run. Relative paths are relative to the file itself."""

    name: Name | None = Field(
        default=None, description="Name of the run's folder under `results`. Default: the file's name without `.yaml`."
    )
    rules: RulesSection | None = Field(default=None, description="See [rules](#rules). Needed without a `referee`.")
    referee: RefereeSection | None = Field(
        default=None, description="A program that plays the games; see [referee](#referee). In place of `rules`."
    )
    bots: dict[Name, BotEntry] = Field(description="Name to bot; see [bots](#bots).", min_length=1)
    schedule: Annotated[GauntletSection | RoundRobinSection | MixedSection, Field(discriminator="type")] | None = Field(
        default=None, description="Who meets whom; see [schedule](#schedule). Needed without a `gate`."
    )
    gate: GateSection | None = Field(
        default=None,
        description="Whether a candidate becomes champion; see [gate](#gate). In place of `schedule`.",
    )
    scoring: ScoringSection | None = Field(
        default=None, description="How the numbers of a score contest are read; see [scoring](#scoring)."
    )
    maps: MapsSection = Field(description="See [maps](#maps).")
    time: TimeSection | None = Field(
        default=None, description="See [time](#time). Needed unless a `referee` starts the bots and keeps their time."
    )
    seats: Literal["both", "rotations", "balanced", "circular", "permutations", "fixed"] = Field(
        default="rotations",
        description="The seatings of each lineup on each map: `both` (two seats), `rotations` (everyone in every seat "
        "once), `balanced` (besides, everyone right after everyone else equally often), `circular` (the same round the "
        "table), `permutations` (every order); with two seats these are the same. `fixed`: one game a map, each bot "
        "in its own seat, so that what a seat is worth is in the result. [Seats](how-to/seats.md) has the games a map.",
    )
    adjudication: AdjudicationSection = Field(
        default_factory=AdjudicationSection, description="See [adjudication](#adjudication)."
    )
    workers: Positive | Literal["auto"] = Field(
        default="auto", description="Games played at once. `auto`: as many as the machine's cores carry."
    )
    pin: Literal["auto", "on", "off"] = Field(
        default="auto",
        description="Bind each worker and its bots to one core. `auto`: where it helps, not for bots with threads and "
        "not under a referee that starts the bots, which is a JVM more often than not. For a referee with one thread "
        "`on` is quicker.",
    )
    transcripts: Literal["all", "none"] = Field(
        default="all", description="Whether the actions of every game are kept."
    )
    stop_after: StopAfterSection = Field(default_factory=StopAfterSection, description="See [stop_after](#stop_after).")
    results: Text = Field(default="results", description="The folder that runs are written to.")

    @model_validator(mode="after")
    def check_what_is_played(self) -> ConfigFile:
        """Ask for a schedule with its maps, or a gate: not both, not neither; and not for rules beside a referee."""
        if self.rules is not None and self.referee is not None:
            raise problem("rules are ours, a referee is a program", key="referee", next_step="keep one of the two")
        given: dict[str, object] = {"schedule": self.schedule}
        if self.maps.seeds is None:
            given |= {"maps.split": self.maps.split, "maps.count": self.maps.count}
        elif self.gate is not None:
            raise problem("a gate draws its seeds from a ledger", key="maps.seeds", next_step="write `ledger`")
        for key, value in given.items():
            if self.gate is None and value is None:
                raise problem("it is missing", key=key, next_step="add it; docs/config.md says what it holds")
            if self.gate is not None and value is not None:
                raise problem("a gate's stages say what is played", key=key, next_step="remove it, or the `gate`")
        return self
