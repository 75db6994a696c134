"""From a config file to everything a run needs, before anything is played: builds, fingerprints, referee, plan."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from harness.config.document import read_document
from harness.config.fingerprint import Fingerprint, bot_fingerprint, config_fingerprint
from harness.config.load import load_config
from harness.config.referee import REFEREE
from harness.config.section import NAME
from harness.config.settings import LISTED, Config
from harness.errors import ConfigError, UsageError
from harness.plan.plan import Plan, build_plan
from harness.protocols.inprocess import load_maker
from harness.protocols.process import why_no_sandbox
from harness.records import Isolation, Ledger, SeedRange
from harness.referee.builtin import BuiltinReferee, build_referee, check_fit
from harness.referee.external import ExternalReferee
from harness.rules.base import ParamError
from harness.run.builds import build_bots
from harness.run.cores import available_cores
from harness.run.scoring import check_scoring, objective_of
from harness.store.ledger import read_ledger
from harness.store.run_directory import MANIFEST_SCHEMA, Manifest, now_text

Authority = BuiltinReferee | ExternalReferee
"""Who rules: rules of ours, or a program."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A config with everything that follows from it. `config.bots` carry their fingerprints."""

    config: Config
    referee: Authority
    ledger: Ledger
    plan: Plan
    fingerprints: dict[str, Fingerprint]
    """By part: "config", "referee" if it is a program, then "bot NAME" for each bot."""


def prepare(path: Path, run: str | None = None, tell: Callable[[str], None] | None = None) -> Prepared:
    """Read a config, build its bots, fingerprint everything and make the plan.

    `run` names the run in place of the config's name. `tell` gets a line for each slow step. Raises ConfigError,
    UsageError for a name that no folder should have, and BotStartError for a bot that cannot be built or imported.
    """
    if run is not None and not re.fullmatch(NAME, run):
        raise UsageError(
            "a run's name is that of its folder under the config's results",
            got=repr(run),
            allowed="up to 60 letters, digits and . _ + -, a letter or digit first",
        )
    config, referee, of_bots = prepare_bots(path, tell)
    if config.gate is not None:
        raise ConfigError(
            "this config has a gate, whose stages are runs of their own",
            where=config.locate("gate"),
            next_step=f"judge the candidate with: harness gate {path}",
        )
    ledger = ledger_of(config)
    whole = config_fingerprint(config, ledger)
    fingerprints = {"config": whole, **of_bots}
    plan = build_plan(config, ledger, run=run or config.name, run_key=whole.digest, n_seats=referee.n_seats)
    return Prepared(config, referee, ledger, plan, fingerprints)


def ledger_of(config: Config) -> Ledger:
    """Read a config's ledger; seeds that it lists itself make one with a single range, from the least to the most."""
    maps = config.maps
    if maps.ledger is not None:
        return read_ledger(maps.ledger)
    whole = SeedRange(min(maps.seeds), max(maps.seeds))
    return Ledger(config.name, "generator", str(config.path), ((LISTED, whole),))


def has_gate(path: Path) -> bool:
    """Say whether a config has a gate, whatever else is wrong with it. Raises ConfigError if it is no YAML."""
    return read_document(path).data.get("gate") is not None


def prepare_bots(
    path: Path, tell: Callable[[str], None] | None = None
) -> tuple[Config, Authority, dict[str, Fingerprint]]:
    """Read a config, build and fingerprint its bots and referee; raises as `prepare` does. Fingerprints are by part."""
    config = load_config(path)
    if config.referee is None:
        rules = locate_rules(config)
        check_fit(rules, config.bots, lambda bot: config.locate("bots", bot, "protocol"))
        check_scoring(config, rules.n_seats, objective_of(rules.rules))
    else:
        check_scoring(config, config.referee.spec.n_seats, None)
    check_sandbox(config)
    build_bots(config, tell or _say_nothing)
    program = config.referee
    for bot in config.bots:
        if bot.python:
            load_maker(bot, anew=True)
    fingerprints = {f"bot {bot.name}": bot_fingerprint(bot, config.source(bot.name)) for bot in config.bots}
    bots = tuple(replace(bot, fingerprint=fingerprints[f"bot {bot.name}"].digest) for bot in config.bots)
    if program is None:
        return replace(config, bots=bots), rules, fingerprints
    found = bot_fingerprint(program.bot, program.source)
    program = replace(program, spec=replace(program.spec, fingerprint=found.digest))
    config = replace(config, bots=bots, referee=program)
    return config, ExternalReferee(replace(program.spec, warm=None)), {REFEREE: found, **fingerprints}


def check_sandbox(config: Config) -> None:
    """Refuse a bot that asks for a sandbox where there is none: to play it without would not be what was asked for."""
    wanting = [bot for bot in config.bots if bot.isolation is Isolation.SANDBOX]
    why = why_no_sandbox() if wanting else None
    if why is not None:
        name = wanting[0].name
        raise ConfigError(
            f"bots.{name}.isolation: this machine cannot give a sandbox",
            where=config.locate("bots", name, "isolation"),
            got=why,
            next_step="see what it can give with `harness doctor`, or write `isolation: process`",
        )


def _say_nothing(line: str) -> None:
    """Take a line and drop it."""


def locate_rules(config: Config) -> BuiltinReferee:
    """Build a config's referee; a wrong parameter becomes a ConfigError that names file and line."""
    try:
        return build_referee(config.rules)
    except ParamError as error:
        raise ConfigError(
            f"rules.{error.key}: {error.what or f'not what {config.rules.name} takes'}",
            where=config.locate("rules", error.key),
            got=error.got_text,
            allowed=error.allowed,
            next_step=error.next_step,
        ) from error


def build_manifest(prepared: Prepared, run: str) -> Manifest:
    """Put together what a new run's folder says of itself."""
    config, plan = prepared.config, prepared.plan
    return Manifest(
        schema=MANIFEST_SCHEMA,
        run=run,
        run_key=prepared.fingerprints["config"].digest,
        created=now_text(),
        harness=version("harness"),
        config_path=str(config.path.absolute()),
        config_text=config.path.read_text(encoding="utf-8"),
        fingerprints={part: fingerprint.digest for part, fingerprint in prepared.fingerprints.items()},
        parts={part: dict(fingerprint.parts) for part, fingerprint in prepared.fingerprints.items()},
        bots={bot.name: {"command": " ".join(bot.command) or f"python: {bot.python}"} for bot in config.bots},
        n_jobs=len(plan),
        n_games=plan.n_games,
        machine={"cores": len(available_cores()), "system": platform.platform(), "python": platform.python_version()},
        scoring=config.scoring,
    )
