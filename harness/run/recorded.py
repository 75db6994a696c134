"""What a run was played with, read back from its manifest: its rules and times, without its config and its bots.

So a game can be replayed or exported on a machine that has none of the engines. Only files that the rules read (an
opening book) are needed besides, with the content that they had.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from harness.config.content import hash_files, rules_files
from harness.errors import ResultsError
from harness.records import RulesSpec, TimeControl
from harness.referee.builtin import BuiltinReferee, build_referee
from harness.rules.base import ParamError
from harness.store.run_directory import Manifest


def is_delegated(manifest: Manifest) -> bool:
    """Say whether an external referee played a run."""
    return "referee" in manifest.fingerprints


def recorded_referee(manifest: Manifest, folder: Path | None = None) -> BuiltinReferee:
    """Build the referee of a run; `folder` is where the rules' files lie, if not where the config was.

    Raises ResultsError if a file of the rules is not what it was, ConfigError if it cannot be read.
    """
    if is_delegated(manifest):
        raise ResultsError(
            "an external referee played this run: we have no rules to follow its games by",
            where=f"run {manifest.run}",
            next_step=f"have it play a game again with: harness replay {manifest.run} JOB",
        )
    folder = folder or Path(manifest.config_path).parent
    parts = manifest.parts.get("config", {})
    params = {
        name.removeprefix("rules."): _frozen(json.loads(text))
        for name, text in parts.items()
        if name.startswith("rules.")
    }
    for key, value in params.items():
        part = f"file {value} of rules.{key}"
        if part in parts and hash_files({part: folder / str(value)})[part] != parts[part]:
            raise ResultsError(
                f"the file of `rules.{key}` is not what this run was played with",
                where=str(folder / str(value)),
                next_step="put back the file as it was, or name the folder of the old one with --config",
            )
    name = parts.get("rules", "")
    if ":" in name:
        found = {f"file of the rules {file}": path for file, path in rules_files(name, folder).items()}
        for part, digest in hash_files(found).items():
            if parts.get(part) != digest:
                raise ResultsError(
                    "these rules are not what this run was played with",
                    where=str(found[part]),
                    next_step="put back the file as it was, or name the folder of the old one with --config",
                )
    try:
        return build_referee(RulesSpec(name, tuple(params.items()), str(folder)))
    except ParamError as error:
        raise ResultsError(
            f"these rules no longer take what this run was played with: {error.key}",
            where=f"rules of run {manifest.run}",
            got=error.got_text,
            allowed=error.allowed,
        ) from error


def recorded_time(manifest: Manifest, bot: str) -> TimeControl | None:
    """Give the time control that a bot had; None if the manifest does not say."""
    text = manifest.parts.get("config", {}).get(f"bots.{bot}.time")
    return None if text is None else msgspec.json.decode(text, type=TimeControl)


def _frozen(value: object) -> object:
    """Make lists tuples all the way down, as the config has them."""
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value
