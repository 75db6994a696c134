"""The keys of `referee`: a program that plays the games, in place of rules of ours."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from harness.config.build_models import BuildSection
from harness.config.section import Positive, Section, Text, Words, problem
from harness.records import RefereeMode, RefereeSpec, Warm

_TIME_LIMIT_S = RefereeSpec(RefereeMode.BRUTAL, 2, ()).time_limit_s

Code = Annotated[str, StringConstraints(pattern=r"^(0|[1-9][0-9]{0,2})$")]


class ResultSection(Section):
    """How to read the result of a referee in `template` mode: exactly one of `json`, `regex`, `exit_code`."""

    json_path: Text | None = Field(
        default=None,
        alias="json",
        description="Path to the seats' numbers in the JSON document that it prints: keys and indexes with dots "
        "between, `*` for all of a list, or of keys in their order: `scores`, `stats.*.score`.",
    )
    regex: Text | None = Field(
        default=None,
        description="Regular expression (Python's, `^` and `$` match at lines) with a group for each seat, whose last "
        "match counts; or with one group, whose matches are the seats' numbers.",
    )
    exit_code: dict[Code, list[float]] | None = Field(
        default=None, description="Numbers of all seats for each exit code: `{0: [1, 0], 1: [0, 1], 2: [1, 1]}`."
    )
    seed: Text | None = Field(
        default=None,
        description="Where it tells the seed that it played: a path with `json`, else a regular expression with one "
        "group. Default: its lines `seed=…`.",
    )
    stream: Literal["stdout", "stderr", "both"] = Field(
        default="stdout", description="Where the result is: the testers of heuristic contests write it to `stderr`."
    )
    failed: Text | None = Field(
        default=None,
        description="Regular expression that matches when the bot has no score through its own fault: with one seat, "
        "whatever the exit code. What neither matches nor has a score is the referee's failure, and void.",
    )

    @model_validator(mode="after")
    def check_form(self) -> ResultSection:
        """Refuse none or several forms."""
        given = [key for key, value in self._forms().items() if value is not None]
        if len(given) != 1:
            raise problem(
                "exactly one key says how to read the result" if not given else "two keys say how to read the result",
                key=given[1] if given else None,
                allowed="one of json, regex, exit_code",
                next_step="write `result: lines` for a number a line" if not given else f"keep {' or '.join(given)}",
            )
        return self

    def _forms(self) -> dict[str, object]:
        return {"json": self.json_path, "regex": self.regex, "exit_code": self.exit_code}


class WarmSection(Section):
    """A referee in Java is called again and again in one JVM; docs/warm-referees.md says what holds.

    It is used once a comparison has shown equal results, warm and cold; `harness check` makes it, and so does a run.
    """

    restart_every: Positive = Field(
        default=Warm().restart_every, description="A JVM ends after so many games, and another goes on."
    )
    classes: Literal["fresh", "shared"] = Field(
        default="fresh",
        description="`fresh`: every game loads the referee's classes anew, so that nothing static is left of the game "
        "before. `shared`: all games of a JVM share them, which is quicker and needs a referee that leaves nothing.",
    )


class RefereeSection(Section):
    """A program that plays the games, in place of `rules`; docs/how-to/external-referee.md is a walk-through.

    In all modes but `old` it starts the bots itself and keeps their time: bots then have a `command` and no `protocol`,
    and the run has no `time`. Placeholders in words of the command: `{seed}`, `{p1}` … `{p8}` (a bot's command line as
    one word), `{players}` (a word for each bot), `{n}` (how many), `{log}` (a file for it to write). What the command
    does not place itself is added at its end, as the mode has it.
    """

    mode: Literal["brutal", "old", "psyleague", "halite", "template"] = Field(
        description="`brutal`: as cg-brutaltester calls it, scores a line each, then `key=value` lines. `old`: its old "
        "mode, in which we start the bots. `psyleague`: prints `cmd_play_game`'s JSON. `halite`: Halite III's "
        "`--results-as-json`. `template`: as `command` and `result` say."
    )
    command: Text | Words = Field(
        description="The program and its arguments: a list of words, or one string with the shell's quotes."
    )
    seed: Text | Words | None = Field(
        default=None,
        description="How it is given the seed: words with `{seed}` in them, or `none` if it takes none. Default: "
        "`-d seed={seed}` (brutal), `###Seed {seed}` (old), `-s {seed}` (halite), else what `command` says.",
    )
    players: Annotated[int, Field(ge=1, le=8)] = Field(default=2, description="Seats at its table.")
    paired: bool = Field(
        default=True,
        description="All games of a map are on one map, that of the seed. `false` for a referee that takes no seed: "
        "results are then marked unpaired.",
    )
    time_limit_s: Annotated[float, Field(gt=0, le=86_400)] = Field(
        default=_TIME_LIMIT_S,
        description="Seconds for a whole game, bots' starts included. Past it everything is killed, the map is void.",
    )
    result: Literal["lines"] | ResultSection | None = Field(
        default=None, description="In `template` mode: how to read the result; see [result](#result). Default: `lines`."
    )
    order: Literal["higher_is_better", "lower_is_better", "ranks"] | None = Field(
        default=None, description="Which number is better (`brutal`, `template`). Default: `higher_is_better`."
    )
    negative: Literal["forfeit", "score"] | None = Field(
        default=None,
        description="What a negative number is (`brutal`, `template`). Default: `forfeit` in `brutal` mode, where -1 "
        "is time-out or crash by convention, else `score`.",
    )
    log: Literal["none", "failed", "all"] = Field(
        default="none",
        description="Of which games the file that it writes to `{log}` (`-l` in `brutal` mode) is kept, in `logs/` of "
        "the run's folder. `failed`: those that came to nothing or that a bot forfeited.",
    )
    bot_stderr: Literal["referee", "harness"] = Field(
        default="referee",
        description="Who reads the bots' standard error. `harness`: bots are started by a script that sends it to us, "
        "so that no bot blocks on it however much it writes, and its end is kept for messages; the referee sees none.",
    )
    warm: WarmSection | None = Field(
        default=None, description="Keeps a referee in Java alive between games; see [warm](#warm). Default: off."
    )
    folder: Text | None = Field(
        default=None, description="Its own folder: its paths are relative to it, and its files are fingerprinted."
    )
    cwd: Text | None = Field(
        default=None, description="The folder it runs in. Default: its `folder`, else the config's."
    )
    env: dict[Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")], str] = Field(
        default_factory=dict, description="Environment variables, as a bot's."
    )
    files: list[Text] = Field(
        default_factory=list, description="Further files that its fingerprint covers, as a bot's."
    )
    build: Text | Words | BuildSection | None = Field(default=None, description="How to build it, as a bot's.")
