"""A gate from config to outcome, as one list of plain steps: read it from `judge_candidate` down.

    ready          config, builds, fingerprints, referee, ledger, champion          (`prepare_gate`)
    draw           the stage's seeds, on record with the rule before its first game (store/spending.py)
    play           the stage as a run of its own, until its prefix decides          (flow.py)
    look           at the deciding prefix alone: estimates, lies                    (stage_look.py)
    conclude       the next stage, or what the gate comes to                        (gates/outcome.py)

A gate that was stopped goes on where it was: seeds, runs and decisions come back the same. Prints nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sized
from dataclasses import dataclass, replace
from pathlib import Path

from harness.config.fingerprint import Fingerprint, bot_fingerprint, config_fingerprint
from harness.config.policy import DuelStage, GateSettings, PanelStage, Policy, Stage, StageKind
from harness.config.section import NAME
from harness.config.settings import BotSource, Config, MapsSpec, Schedule, ScheduleType
from harness.errors import ConfigError, SeedsUsedUp
from harness.gates.budget import Level, NoErrorRateError, at_level, level_of
from harness.gates.decide import PrefixJudge, StageJudge
from harness.gates.outcome import GateOutcome, GateState, StageOutcome, state_after
from harness.plan.plan import Plan, build_plan
from harness.protocols.inprocess import load_maker
from harness.records import BotSpec, Ledger, MapRecord
from harness.referee.builtin import BuiltinReferee, check_fit
from harness.run.cores import Placement
from harness.run.flow import Observer, run_config
from harness.run.prepare import Authority, Prepared, ledger_of, prepare_bots
from harness.run.stage_look import look_at_duel, look_at_panel
from harness.run.stage_look_scores import look_at_scores
from harness.run.stage_read import MapReader, SeedReader, StageReader
from harness.store.archive import thaw
from harness.store.champions import Champions
from harness.store.spending import Decision, Drawn, draw


@dataclass(frozen=True, slots=True)
class PreparedGate:
    """A gate with everything that follows from its config. `champion` is played under that name.

    `champion_address` is the frozen champion of a lineage, "" for a bot of the file. `key` is the digest of all that
    the verdict depends on but the candidates.
    """

    config: Config
    gate: GateSettings
    referee: Authority
    ledger: Ledger
    champions: Champions
    champion: BotSpec
    champion_address: str
    fingerprints: dict[str, Fingerprint]
    key: str
    run: str

    def bot(self, name: str) -> BotSpec:
        """Give a bot of the gate by name."""
        return next(bot for bot in (*self.config.bots, self.champion) if bot.name == name)

    @property
    def folder(self) -> Path:
        """The gate's folder."""
        return self.config.results / self.run


def prepare_gate(path: Path, run: str | None = None, tell: Callable[[str], None] | None = None) -> PreparedGate:
    """Read a config with a gate and make ready what it needs; raises as `prepare` does.

    ConfigError too for a config without a gate and for rules that are not for two, ResultsError for a lineage without a
    champion or an altered one.
    """
    config, referee, fingerprints = prepare_bots(path, tell)
    if config.gate is None:
        raise ConfigError(
            "this config has no gate",
            where=str(path),
            next_step="add a `gate:` section (docs/gate.md), or measure with: harness run",
        )
    if referee.n_seats > 2:
        raise ConfigError(
            "a gate compares two bots that meet, or that play alone; these rules have other seats",
            where=config.locate("rules"),
            got=f"{referee.n_seats} seats",
            allowed="2, or 1 with `scoring`",
            next_step="choose rules for two, or compare at one table with: harness run",
        )
    if referee.n_seats == 1 and config.gate.policy.stage(StageKind.PANEL) is not None:
        raise ConfigError(
            "`gate.panel`: in a score contest nobody meets a panel",
            where=config.locate("gate", "panel"),
            next_step="remove it; a screen, a confirm and a final stage compare with the champion on the same seeds",
        )
    gate, ledger, champions = config.gate, ledger_of(config), Champions(config.gate.champions)
    address, lineage = "", gate.champion_lineage
    if lineage is None:
        champion = next(bot for bot in config.bots if bot.name == gate.champion)
    else:
        present = champions.require_champion(lineage)
        address = present.entry.address
        taken = {bot.name for bot in config.bots}
        name = present.entry.bot if present.entry.bot not in taken else f"{lineage}-champion"
        champion = thaw(champions.archive, address, name)
        fingerprints[f"bot {name}"] = Fingerprint(champion.fingerprint, {"frozen": address})
        if isinstance(referee, BuiltinReferee):
            check_fit(referee, [champion])
    for stage in gate.policy.stages:
        size = ledger.range_of(stage.split).size
        if stage.n_maps > size:
            raise ConfigError(
                f"the ledger has fewer {stage.split} seeds than this stage may take",
                where=config.locate("gate", stage.kind.value),
                got=str(stage.n_maps),
                allowed=f"at most {size} ({ledger.path})",
                next_step="ask for fewer maps, or extend the range in the ledger",
            )
    if isinstance(referee, BuiltinReferee):
        _check_book(referee, ledger, config)
    whole = config_fingerprint(replace(config, schedule=Schedule(ScheduleType.GAUNTLET)), ledger)
    return PreparedGate(
        config=config,
        gate=gate,
        referee=referee,
        ledger=ledger,
        champions=champions,
        champion=champion,
        champion_address=address,
        fingerprints=fingerprints,
        key=f"{whole.digest}.{champion.fingerprint}",
        run=run or config.name,
    )


def _check_book(referee: BuiltinReferee, ledger: Ledger, config: Config) -> None:
    """Refuse a ledger that spans more seeds than the book has openings: its splits would share some of them."""
    book: Sized | None = getattr(referee.rules, "openings", None)
    if ledger.feeds != "book" or book is None:
        return
    span = max(seeds.last for _, seeds in ledger.ranges) - min(seeds.first for _, seeds in ledger.ranges) + 1
    if span > len(book):
        raise ConfigError(
            "the ledger spans more seeds than the book has openings: test maps would be ones that were trained on",
            where=config.locate("maps", "ledger"),
            got=f"{span} seeds for {len(book)} openings",
            allowed=f"at most {len(book)} from the first seed of all ranges to the last",
            next_step=f"shorten the ranges in {ledger.path}, or give the rules a larger book",
        )


def with_candidate(ready: PreparedGate, name: str, python: str | None = None) -> PreparedGate:
    """Give the gate for one candidate: a bot of the file, or with `python` an in-process bot that is not in it.

    `python` is `module:callable` or `file.py:callable`, relative to the config's folder. Raises ConfigError for a name
    that is taken or unknown or that is judged already, BotStartError for a module that does not load.
    """
    config, prints = ready.config, ready.fingerprints
    names = {bot.name for bot in config.bots}
    if (python is None) != (name in names) or name == ready.champion.name or not re.fullmatch(NAME, name):
        raise ConfigError(
            f"{name!r} cannot be the candidate",
            where=config.locate("gate"),
            got="a bot of the file, and `python` besides" if python else "no bot of the file that is not the champion",
            allowed=", ".join(sorted(names - {ready.champion.name})) + "; with `python` a name of its own",
        )
    if python is not None:
        target, _, function = python.rpartition(":")
        where = str((config.folder / target).resolve()) if target.endswith(".py") else target
        source = BotSource(name=name, words=(python,), base=config.folder)
        bot = BotSpec(name=name, protocol="python", python=f"{where}:{function}", cwd=str(config.folder))
        load_maker(bot, anew=True)
        found = bot_fingerprint(bot, source)
        bot = replace(bot, fingerprint=found.digest)
        prints = {**prints, f"bot {name}": found}
        config = replace(config, bots=(*config.bots, bot), sources=(*config.sources, source))
        if isinstance(ready.referee, BuiltinReferee):
            check_fit(ready.referee, [bot])
    return replace(ready, config=config, gate=replace(ready.gate, candidates=(name,)), fingerprints=prints)


def level_for(ready: PreparedGate, promoted: list[bool]) -> Level:
    """Give the level of the next candidate: `promoted` are this config's decisions, a lineage's own come before."""
    gate = ready.gate
    before = ready.champions.decisions(gate.lineage)
    history = before if len(before) >= len(promoted) and gate.champion_lineage is not None else before + promoted
    try:
        return level_of(gate.policy, gate.budget, n_candidates=len(gate.candidates), promoted=history)
    except NoErrorRateError as error:
        raise ConfigError(
            f"`gate.budget`: {error}",
            where=ready.config.locate("gate", "budget"),
            got=gate.budget.value,
            next_step="give the last stage `sprt` or `lower_bound`, or leave out `budget`",
        ) from None


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of a candidate, with the draws that are to be closed once the verdict is on disk."""

    outcome: GateOutcome
    drawn: tuple[tuple[Drawn, int], ...]


def judge_candidate(
    ready: PreparedGate, candidate: str, level: Level, watch: Callable[[str, Plan], Observer]
) -> Judged:
    """Play the stages of one candidate until they decide. `watch` gives the observer of a stage's run.

    Raises Interrupted and Halt errors as `run_config` does; what is finished is on disk, and asking again goes on.
    """
    policy = at_level(ready.gate.policy, level)
    stages: list[StageOutcome] = []
    drawn: list[tuple[Drawn, int]] = []
    state: GateState | None = None
    n_left = n_needed = None
    at: StageKind | None = None
    n_train = 0
    for stage in policy.stages:
        at = stage.kind
        try:
            seeds = draw(
                ready.ledger, stage.split, stage.n_maps, _decision(ready, candidate, stage, policy), n_taken=n_train
            )
        except SeedsUsedUp as error:
            state, n_left, n_needed = GateState.SEEDS_USED_UP, error.n_left, error.n_needed
            break
        n_train += stage.n_maps if stage.split == "train" else 0
        outcome = _play(ready, candidate, stage, policy, seeds, watch)
        stages.append(outcome)
        drawn.append((seeds, min(stage.n_maps, outcome.n_maps + outcome.n_beyond)))
        state = state_after(stages)
        if state is not None:
            break
    return Judged(
        GateOutcome(
            run=ready.run,
            lineage=ready.gate.lineage,
            candidate=candidate,
            champion=ready.champion.name,
            candidate_fingerprint=ready.bot(candidate).fingerprint,
            champion_fingerprint=ready.champion.fingerprint,
            state=state or GateState.PROMOTED,
            at=at if state is not None else None,
            stages=tuple(stages),
            level=level,
            n_seeds_left=n_left,
            n_seeds_needed=n_needed,
        ),
        tuple(drawn),
    )


def _decision(ready: PreparedGate, candidate: str, stage: Stage, policy: Policy) -> Decision:
    """Put on record what will decide, before the seeds are known."""
    opponents = stage.bots if isinstance(stage, PanelStage) else (ready.champion.name,)
    return Decision(
        lineage=ready.gate.lineage,
        run=ready.run,
        purpose=stage.kind.value,
        candidate=candidate,
        candidate_fingerprint=ready.bot(candidate).fingerprint,
        config=ready.key,
        rule=f"{stage!r} of {len(policy.stages)} stages",
        opponents=tuple(f"{name} {ready.bot(name).fingerprint}" for name in opponents),
    )


def prepare_stage(ready: PreparedGate, candidate: str, stage: Stage, policy: Policy, first_seed: int) -> Prepared:
    """Make a stage a run of its own: its bots, its maps, its lineups; on a panel both meet each member on each map."""
    champion = ready.champion.name
    if isinstance(stage, PanelStage):
        pairs = [(bot, member) for member in stage.bots for bot in (candidate, champion)]
    else:
        pairs = [(candidate, champion)]
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    config = replace(
        ready.config,
        bots=tuple(ready.bot(name) for name in names),
        schedule=Schedule(ScheduleType.GAUNTLET, candidate=pairs[0][0], opponents=(pairs[0][1],)),
        maps=MapsSpec(ready.config.maps.ledger, stage.split, stage.n_maps, first_seed),
        gate=replace(ready.gate, policy=policy),
    )
    whole = config_fingerprint(config, ready.ledger)
    plan = build_plan(
        config,
        ready.ledger,
        n_seats=ready.referee.n_seats,
        run=f"{ready.run}/{candidate}/{stage.kind.value}",
        run_key=whole.digest,
        stage=stage.kind.value,
    )
    if ready.referee.n_seats == 2:
        plan = replace(plan, lineups=tuple((ready.bot(first), ready.bot(second)) for first, second in pairs))
    prints = {"config": whole, **{f"bot {name}": ready.fingerprints[f"bot {name}"] for name in names}}
    return Prepared(config, ready.referee, ready.ledger, plan, prints)


def prepare_check(path: Path, tell: Callable[[str], None] | None = None) -> Prepared:
    """Make a gate ready as a run in which all its bots can be tried, the champion too. Draws no seeds."""
    ready = prepare_gate(path, tell=tell)
    first = ready.gate.policy.stages[0]
    seed = ready.ledger.range_of("train").first
    prepared = prepare_stage(ready, ready.gate.candidates[0], first, ready.gate.policy, seed)
    bots = (*(bot for bot in ready.config.bots if bot.name != ready.champion.name), ready.champion)
    return replace(prepared, config=replace(prepared.config, bots=bots))


class StageObserver:
    """Passes on what happens and lets the stage's judge read the scores, in plan order."""

    def __init__(self, inner: Observer, reader: StageReader | None) -> None:
        self._inner = inner
        self._reader = reader

    def is_decided(self) -> bool:
        """Say whether the prefix that is there decides the stage."""
        return self._reader is not None and not self._reader.prefix.is_open

    def _read(self, record: MapRecord) -> None:
        if self._reader is not None:
            self._reader.see(record)

    def on_resumed(self, record: MapRecord) -> None:
        """Read a map that an earlier start finished."""
        self._read(record)
        self._inner.on_resumed(record)

    def on_start(self, plan: Plan, placement: Placement, n_done: int) -> None:
        """Pass it on."""
        self._inner.on_start(plan, placement, n_done)

    def on_record(self, record: MapRecord) -> None:
        """Read a map that was just finished."""
        self._read(record)
        self._inner.on_record(record)

    def on_void(self, job: int, reason: str) -> None:
        """Pass it on."""
        self._inner.on_void(job, reason)

    def on_warning(self, text: str) -> None:
        """Pass it on."""
        self._inner.on_warning(text)

    def on_stop_request(self, count: int) -> None:
        """Pass it on."""
        self._inner.on_stop_request(count)

    def tick(self) -> None:
        """Pass it on."""
        self._inner.tick()


def _play(
    ready: PreparedGate,
    candidate: str,
    stage: Stage,
    policy: Policy,
    seeds: Drawn,
    watch: Callable[[str, Plan], Observer],
) -> StageOutcome:
    prepared = prepare_stage(ready, candidate, stage, policy, seeds.seeds.first)
    reader: StageReader | None = None
    scoring = ready.config.scoring
    if isinstance(stage, DuelStage):
        prefix = PrefixJudge(StageJudge(stage, len(prepared.plan.seatings)))
        reader = MapReader(prefix) if scoring is None else SeedReader(prefix, scoring)
    observer = StageObserver(watch(stage.kind.value, prepared.plan), reader)
    path = run_config(prepared, prepared.plan.run, observer, observer.is_decided)
    prints = (_identity(ready, candidate), _identity(ready, ready.champion.name))
    if isinstance(stage, PanelStage):
        return look_at_panel(path, stage, seeds, candidate, ready.champion.name)
    assert reader is not None
    if scoring is not None:
        return look_at_scores(path, stage, seeds, reader, scoring, (candidate, ready.champion.name), prints)
    return look_at_duel(path, stage, seeds, reader.prefix, prints, len(prepared.plan.seatings))


def _identity(ready: PreparedGate, name: str) -> str:
    """Say what plays under a name: the program and the time it is given, of which a fingerprint knows nothing."""
    bot = ready.bot(name)
    return f"{bot.fingerprint} {bot.time or ready.config.time!r}"
