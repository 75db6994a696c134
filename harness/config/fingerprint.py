"""Fingerprints: what decides a result, hashed. A bot's content, a build's sources, a config.

A fingerprint keeps its parts, so that a refusal to resume can name what changed. It does not depend on where a
folder lies, on file times, comments or the order of a directory. Secrets (`${NAME}` in `env`) are in none.

Not covered: shared libraries, the interpreter's packages, what an engine fetches by itself. `files` is for those.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from harness.config.content import (
    hash_files,
    is_file,
    is_output,
    matching_files,
    module_files,
    rules_files,
    source_files,
)
from harness.config.settings import BotSource, Build, Config
from harness.errors import ConfigError
from harness.records import BotSpec, Ledger


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A digest (32 hex digits) and its parts by name: a value, or the hash of a file's content."""

    digest: str
    parts: Mapping[str, str]


def bot_fingerprint(bot: BotSpec, source: BotSource) -> Fingerprint:
    """Hash a bot: command as written, program and argument files, its folder and `files`, options, environment.

    What a build makes is not covered, its sources and command are: two compilers give other bytes for the same bot.
    Limits, threads and the time control are not the bot's content. Raises ConfigError for a `files` pattern without
    a match, an unreadable file, and a folder that is too large.
    """
    outputs = _outputs(source.build, bot.command[0] if bot.command else None)
    files: dict[str, Path] = {}
    if source.folder is not None:
        files |= _folder_files(source.folder, outputs)
    if bot.python is None:
        more = _command_files(bot, source, outputs)
    else:
        more = _named("file", module_files(bot.python, Path(bot.cwd)))
    files |= {name: path for name, path in more.items() if path not in files.values()}
    for pattern in source.files:
        try:
            matches = matching_files(pattern, source.base)
        except ValueError:  # what glob says to a pattern that is none, as `**x`
            matches = {}
        if not matches:
            raise ConfigError(
                f"`bots.{bot.name}.files`: no file matches",
                got=pattern,
                next_step=f"it is relative to {source.base}",
            )
        files |= _named("file", matches)
    parts = {"protocol": bot.protocol, "command": _json(source.words)}
    if ":" in bot.protocol:
        target, _, name = bot.protocol.rpartition(":")
        parts["protocol"] = f"{Path(target).name}:{name}"
        files |= _named("file of the protocol", module_files(bot.protocol, Path(bot.cwd)))
    if source.build is not None:
        parts["build"] = _build_words(source.build)
    parts |= {f"option {name}": _json(value) for name, value in bot.options}
    parts |= {f"environment {name}": text for name, text in source.env}
    return _combine(parts | hash_files(files))


def source_fingerprint(build: Build, program: str | None = None) -> str:
    """Hash what a build reads: its command and the source files of its folder. Raises as `bot_fingerprint` does.

    `program` is the absolute path of what it makes, which is no source.
    """
    files = _folder_files(build.folder, _outputs(build, program))
    return _combine({"build": _build_words(build)} | hash_files(files)).digest


def config_fingerprint(config: Config, ledger: Ledger) -> Fingerprint:
    """Hash everything of a config that changes results; the bots' own content is left to their fingerprints.

    Not covered, so that a run can go on with another value: names of files, comments, workers, pin, results folder,
    transcripts, limits, stop_after. A rule parameter that names a file counts with the file's content, and so do rules
    of the user's own; those of a library with its version.
    """
    parts: dict[str, str] = {"rules": config.rules.name}
    files: dict[str, Path] = {}
    for key, value in config.rules.params:
        parts[f"rules.{key}"] = _json(value)
        if isinstance(value, str) and value and "\0" not in value:
            path = Path(config.rules.folder, value)
            if is_file(path):
                files[f"file {value} of rules.{key}"] = path
    if ":" in config.rules.name:
        files |= _named("file of the rules", rules_files(config.rules.name, Path(config.rules.folder)))
    elif "/" in config.rules.name:
        parts["library of the rules"] = _library(config.rules.name.partition("/")[0])
    if config.referee is not None:
        spec = asdict(config.referee.spec)
        parts |= {f"referee.{key}": _json(value) for key, value in spec.items() if key not in _NOT_OF_THE_GAMES}
    for bot in config.bots:
        parts[f"bots.{bot.name}.time"] = _json(asdict(bot.time or config.time))
    parts |= {f"adjudication.{key}": _json(value) for key, value in asdict(config.adjudication).items()}
    parts |= {f"schedule.{key}": _json(value) for key, value in asdict(config.schedule).items()}
    if config.schedule.lineups_per_map is None:
        del parts["schedule.lineups_per_map"]  # as it was before there were mixed lineups
    parts["seats"] = config.seats.value
    parts["maps.split"] = config.maps.split
    parts["maps.count"] = str(config.maps.count)
    parts["maps.first_seed"] = str(ledger.range_of(config.maps.split).first)
    if config.maps.seeds:
        seeds = ",".join(map(str, config.maps.seeds))
        parts["maps.seeds"] = blake2b(seeds.encode(), digest_size=8).hexdigest()
    if config.maps.first is not None:
        parts["maps.first_seed"] = str(config.maps.first)
    if config.gate is not None:
        parts["gate.policy"] = _json(asdict(config.gate.policy))
        if config.scoring is not None:
            parts["gate.scoring"] = _json(asdict(config.scoring))
    return _combine(parts | hash_files(files))


def explain_change(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Say, a line for each part, how two fingerprints differ; hashes of content are not shown."""
    lines = []
    for key in [*old, *(key for key in new if key not in old)]:
        before, after = old.get(key), new.get(key)
        if before == after:
            continue
        hidden = key.startswith(_CONTENT)
        if before is None:
            lines.append(f"{key}: new" if hidden else f"{key}: new, {after}")
        elif after is None:
            lines.append(f"{key}: gone" if hidden else f"{key}: gone, was {before}")
        else:
            lines.append(f"{key}: its content changed" if hidden else f"{key}: was {before}, is now {after}")
    return lines


_NOT_OF_THE_GAMES = ("command", "cwd", "env", "log", "drains_bots", "warm", "fingerprint", "folder")
"""What of a referee is in its own fingerprint, or changes no result."""

_CONTENT = ("file ", "program ", "argument ")
"""How the names of parts begin that are hashes of content."""


def _command_files(bot: BotSpec, source: BotSource, outputs: tuple[str, ...]) -> dict[str, Path]:
    """Give the program and the arguments that are files, but for what the bot's own build makes."""
    files: dict[str, Path] = {}
    for number, (written, word) in enumerate(zip(source.words, bot.command, strict=True)):
        path = Path(os.path.normpath(Path(bot.cwd, word)))
        made = source.build is not None and path.is_relative_to(source.base)
        if made and is_output(path.relative_to(source.base), outputs):
            continue
        if number == 0 or is_file(path):
            files[f"{'argument' if number else 'program'} {written}"] = path
    return files


def _folder_files(folder: Path, outputs: tuple[str, ...]) -> dict[str, Path]:
    return {f"file {path.relative_to(folder).as_posix()}": path for path in source_files(folder, outputs)}


def _outputs(build: Build | None, program: str | None) -> tuple[str, ...]:
    """Give the patterns of what a build makes: those written, and the bot's program."""
    if build is None:
        return ()
    if program is not None and Path(program).is_relative_to(build.folder):
        return (*build.outputs, Path(program).relative_to(build.folder).as_posix())
    return build.outputs


def _named(kind: str, files: Mapping[str, Path]) -> dict[str, Path]:
    return {f"{kind} {name}": path for name, path in files.items()}


def _build_words(build: Build) -> str:
    """Show a build's command without this machine's folders."""
    folder = str(build.folder)
    return _json([Path(build.command[0]).name, *(word.replace(folder, "{folder}") for word in build.command[1:])])


def _library(name: str) -> str:
    """Name an installed library with its version, which decides what its games are."""
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name}, not installed"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _combine(parts: Mapping[str, str]) -> Fingerprint:
    digest = blake2b(digest_size=16)
    for name in sorted(parts):
        for text in (name, parts[name]):
            data = text.encode("utf-8", "surrogateescape")
            digest.update(len(data).to_bytes(8, "big"))
            digest.update(data)
    return Fingerprint(digest.hexdigest(), dict(parts))
