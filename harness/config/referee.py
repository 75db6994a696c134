"""From the section `referee` to its `RefereeSpec`, with everything that its bots may not have. Starts nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from harness.config.bots import build_bot
from harness.config.command import CommandError, split_command
from harness.config.content import is_folder
from harness.config.document import Document, KeyPath
from harness.config.models import ConfigFile
from harness.config.problems import Problem, build_problem
from harness.config.referee_models import RefereeSection, ResultSection
from harness.config.settings import RefereeProgram, SkippedBot
from harness.config.written import BotProblems, WrittenBot
from harness.records import (
    BotSpec,
    Isolation,
    RefereeLog,
    RefereeMode,
    RefereeSpec,
    ResultForm,
    ResultSpec,
    ResultStream,
    ScoreOrder,
    TimeControl,
    Warm,
)

REFEREE = "referee"
_PLACE = re.compile(r"\{(seed|log|n|players|p[1-8])\}")
_OWN_SEED: Mapping[str, tuple[str, ...]] = {
    "brutal": ("-d", "seed={seed}"),
    "old": ("###Seed {seed}",),
    "halite": ("-s", "{seed}"),
}
_NO_EFFECT = ("options", "time", "grace_ms", "limits", "protocol")
"""Keys of a bot that say nothing where the referee starts it."""


@dataclass(frozen=True, slots=True)
class WrittenReferee(WrittenBot):
    """The referee as if it were a bot, so that its command, folder, environment and build are read as a bot's."""

    def place(self, *keys: str | int) -> tuple[Document, KeyPath]:
        """Say where a key stands."""
        return self.document, (REFEREE, *keys)


def build_referee(section: RefereeSection, document: Document, config_folder: Path) -> RefereeProgram:
    """Make the spec (fingerprint and folder still empty), and the referee as a bot for builds and fingerprints.

    Raises BotProblems.
    """
    folder = None
    if section.folder is not None:
        folder = Path(os.path.normpath(config_folder / section.folder))
        if not is_folder(folder):
            raise _problem(
                document, ("folder",), "there is no such folder", got=section.folder, next_step=f"looked for {folder}"
            )
    given = {key: getattr(section, key) for key in ("command", "cwd", "env", "files", "build")}
    keys = {key: value for key, value in given.items() if key in section.model_fields_set}
    written = WrittenReferee(
        REFEREE, folder or config_folder, folder, {**keys, "protocol": "codingame"}, document, None
    )
    made = build_bot(written, TimeControl(wall_ms=1))
    if isinstance(made, SkippedBot):
        raise _problem(document, ("build",), made.reason, next_step="install it, or build the referee by hand")
    bot, source = made
    seed = _seed(section, document, bot.command)
    _check_places(section, document, bot.command)
    counts = section.mode in {"brutal", "template"}
    for key in ("order", "negative"):
        if not counts and getattr(section, key) is not None:
            raise _problem(
                document, (key,), f"mode {section.mode} says itself what is better", next_step=f"remove `{key}`"
            )
    if section.result is not None and section.mode != "template":
        raise _problem(
            document,
            ("result",),
            f"mode {section.mode} has a form of its own",
            next_step="remove it, or write `mode: template`",
        )
    return RefereeProgram(
        RefereeSpec(
            mode=RefereeMode(section.mode),
            n_seats=section.players,
            command=bot.command,
            seed=seed,
            cwd=bot.cwd,
            env=bot.env,
            time_limit_s=float(section.time_limit_s),
            result=_result(section, document),
            order=ScoreOrder(section.order or "higher_is_better"),
            has_negatives=(section.negative or ("forfeit" if section.mode == "brutal" else "score")) == "forfeit",
            is_paired=section.paired,
            log=RefereeLog(section.log),
            drains_bots=section.bot_stderr == "harness",
            warm=_warm(section, document),
        ),
        bot,
        source,
    )


def _warm(section: RefereeSection, document: Document) -> Warm | None:
    if section.warm is None:
        return None
    if section.mode == "old":
        raise _problem(
            document,
            ("warm",),
            "in old mode the referee is spoken to while it plays, which is not done with one kept warm",
            next_step="remove it",
        )
    return Warm(section.warm.restart_every, section.warm.classes == "shared")


def _problem(document: Document, keys: KeyPath, what: str, **more: str | None) -> BotProblems:
    return BotProblems([build_problem(document, (REFEREE, *keys), what, **more)])


def _seed(section: RefereeSection, document: Document, command: Iterable[str]) -> tuple[str, ...]:
    """Give the words that tell the seed; () if there are none or the command has them."""
    in_command = any("{seed}" in word for word in command)
    words: tuple[str, ...] = _OWN_SEED.get(section.mode, ()) if not in_command else ()
    if section.seed == "none":
        words = ()
    elif section.seed is not None:
        try:
            whole = section.mode == "old" and isinstance(section.seed, str)
            words = (str(section.seed),) if whole else split_command(section.seed)
        except CommandError as error:
            raise _problem(
                document, ("seed",), error.what, got=error.got, allowed=error.allowed, next_step=error.next_step
            ) from None
        if not any("{seed}" in word for word in words):
            raise _problem(
                document,
                ("seed",),
                "it does not say where the seed goes",
                got=" ".join(words),
                allowed="words with `{seed}` in them, or `none`",
                next_step="write for example `-d seed={seed}`",
            )
    if in_command and section.seed is not None:
        raise _problem(document, ("seed",), "the command has `{seed}` in it already", next_step="keep one of the two")
    if section.paired and not words and not in_command:
        raise _problem(
            document,
            ("seed",) if section.seed is not None else (),
            "it is given no seed, so the games of a map would not be on one map",
            next_step="say how it takes a seed (`seed: -d seed={seed}`, or `{seed}` in the command), or write "
            "`paired: false`: results are then marked unpaired",
        )
    return words


def _check_places(section: RefereeSection, document: Document, command: Iterable[str]) -> None:
    """Refuse placeholders that do not fit the seats or the mode."""
    words = list(command)
    places = {place for word in words for place in _PLACE.findall(word)}
    named = {place for place in places if place not in {"seed", "log", "n", "players"}}
    wanted = {f"p{number}" for number in range(1, section.players + 1)}
    if any("{players}" in word and word != "{players}" for word in words):
        raise _problem(
            document, ("command",), "`{players}` stands for several words, so it has to be a word of its own"
        )
    if section.mode == "old" and places - {"n"}:
        raise _problem(
            document,
            ("command",),
            "in old mode the bots are ours and the seed goes by a line",
            got=" ".join(sorted(f"{{{place}}}" for place in places - {"n"})),
            next_step="remove the placeholder, or choose another mode",
        )
    if named and named != wanted and "players" not in places:
        raise _problem(
            document,
            ("command",),
            f"it does not name each of its {section.players} players once",
            got=" ".join(sorted(f"{{{place}}}" for place in named)),
            allowed=" ".join(sorted(f"{{{place}}}" for place in wanted)),
            next_step="name them all, write `{players}`, or correct `players`",
        )
    if section.log != "none" and section.mode != "brutal" and "log" not in places:
        raise _problem(
            document, ("log",), "the command does not say where the log goes", next_step="put `{log}` into the command"
        )


def _result(section: RefereeSection, document: Document) -> ResultSpec:
    result = section.result
    if not isinstance(result, ResultSection):
        return ResultSpec()
    made = replace(_form(result, section, document), stream=ResultStream(result.stream), failed=result.failed or "")
    if made.failed:
        _compiled(made.failed, ("result", "failed"), document, None)
        if section.players != 1:
            raise _problem(
                document,
                ("result", "failed"),
                "it does not say whose fault it is",
                got=f"{section.players} players",
                next_step="remove it; where bots meet, the one that fails has the lower score",
            )
    return made


def _form(result: ResultSection, section: RefereeSection, document: Document) -> ResultSpec:
    echo = result.seed or ""
    if echo and result.json_path is None:
        _compiled(echo, ("result", "seed"), document, {1})
    if result.json_path is not None:
        return ResultSpec(ResultForm.JSON, result.json_path, echo=echo)
    if result.regex is not None:
        _compiled(result.regex, ("result", "regex"), document, {1, section.players})
        return ResultSpec(ResultForm.REGEX, result.regex, echo=echo)
    assert result.exit_code is not None
    for code, numbers in result.exit_code.items():
        if len(numbers) != section.players:
            raise _problem(
                document,
                ("result", "exit_code"),
                f"code {code} has not a number for each seat",
                got=str(numbers),
                allowed=f"{section.players} numbers",
            )
    codes = tuple((int(code), tuple(map(float, numbers))) for code, numbers in result.exit_code.items())
    return ResultSpec(ResultForm.EXIT_CODE, codes=codes, echo=echo)


def _compiled(text: str, keys: KeyPath, document: Document, groups: set[int] | None) -> None:
    """Refuse what is no regular expression, or has other numbers of groups; None allows any."""
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise _problem(document, keys, f"no regular expression: {error}", got=text) from None
    if groups is not None and pattern.groups not in groups:
        raise _problem(
            document,
            keys,
            f"it has {pattern.groups} groups",
            got=text,
            allowed=" or ".join(map(str, sorted(groups))),
            next_step="put parentheses around what is wanted, `(?:…)` around what is not",
        )


def as_played_by(mode: str, bot: WrittenBot) -> WrittenBot:
    """Give a bot as an external referee has it: of its bot.yaml, what is the harness's own to keep says nothing."""
    gone = {"python"} if "command" in bot.keys else set()
    if mode != "old":
        gone |= {"options", "time", "grace_ms", "protocol"}
    keys = {
        key: value for key, value in bot.keys.items() if key not in gone or bot.document.has(("bots", bot.name, key))
    }
    if "command" in keys:
        keys.setdefault("protocol", "codingame")
    return replace(bot, keys=keys)


def check_bots(
    file: ConfigFile, document: Document, written: Mapping[str, WrittenBot], made: Iterable[BotSpec]
) -> list[Problem]:
    """Refuse of bots and config what says nothing where the referee starts the bots and keeps their time."""
    assert file.referee is not None
    problems: list[Problem] = []
    is_old = file.referee.mode == "old"
    for spec in made:
        if spec.python is not None:
            where, keys = written[spec.name].place("python")
            problems.append(
                build_problem(
                    where, keys, "an external referee needs bots that are programs", next_step="give it a `command`"
                )
            )
        elif is_old and spec.protocol != "codingame":
            where, keys = written[spec.name].place("protocol")
            problems.append(
                build_problem(
                    where, keys, "in old mode bots speak lines", got=spec.protocol, allowed="codingame, or leave it out"
                )
            )
        problems += [
            build_problem(
                document,
                ("bots", spec.name, key),
                "it says nothing here: the referee starts the bots and keeps their time",
                next_step="remove it",
            )
            for key in _NO_EFFECT
            if not is_old
            and document.has(("bots", spec.name, key))
            and not (key == "limits" and spec.isolation is Isolation.SANDBOX)
        ]
    for key in ("time", "adjudication"):
        if document.has((key,)) and not (is_old and key == "time"):
            problems.append(
                build_problem(
                    document, (key,), "it says nothing here: the referee rules on that", next_step="remove it"
                )
            )
    return problems
