"""Writes docs/config.md from the models, so that the page cannot say anything else than the code does. Pure."""

from __future__ import annotations

from typing import Any

from harness.config.build_models import BuildSection
from harness.config.content import SKIPPED_FILES, SKIPPED_FOLDERS
from harness.config.gate_models import DuelSection, GateSection, PanelSection, PassSection, SprtSection
from harness.config.models import (
    AdjudicationSection,
    BotEntry,
    BotSection,
    ConfigFile,
    GauntletSection,
    LimitsSection,
    MapsSection,
    MixedSection,
    RoundRobinSection,
    RulesSection,
    StopAfterSection,
    TimeSection,
)
from harness.config.referee_models import RefereeSection, ResultSection, WarmSection
from harness.config.scoring import ScoringSection
from harness.config.section import Section

EXAMPLE = """\
rules: {name: chess, openings: openings.epd}    # other keys are the rule set's own parameters
bots:
  candidate:
    folder: ../bots/mine                        # reads bot.yaml in that folder; keys written here win over it
    options: {Hash: 32}
  stockfish:
    command: [stockfish]                        # or one string: "stockfish bench"; there is no shell
    protocol: uci
    options: {Threads: 1, Hash: 16}
    env: {TOKEN: "${MY_TOKEN}"}                 # from the environment, so that it stands in no file
    time: {nodes: 2000}                         # for this bot alone
  trainer: {python: "mymodule:make_bot"}        # called in the worker's own process
schedule: {type: gauntlet, candidate: candidate}
maps: {ledger: ../seeds/chess.yaml, split: train, count: 40}
time: {per_ply_ms: 100, wall_ms: 5000}
adjudication: {max_plies: 400}
results: ../results
"""


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


_INTRO = f"""\
# The config file

<!-- Written by scripts/config-reference from harness/config/models.py. Change it there. -->

One YAML file says everything about a run. `harness plan CONFIG` shows what follows from it, `harness check CONFIG`
tries every bot. A wrong file is refused as a whole, with the line and key of everything that is wrong; nothing is
guessed or repaired.

```yaml
{EXAMPLE}```

- Paths are relative to the file that says them, whatever the working directory. Those of a bot with a `folder` are
  relative to that folder.
- YAML's traps are out: only `true` and `false` are booleans (`on`, `off`, `yes`, `no` are text), there are no dates,
  octal or base-60 numbers, a key stands once. `*name` and `<<: *name` work.
- A number in quotes is text, and text is wanted in quotes if it looks like a number.
- A key whose default is empty below is needed; a dash means that it may be left out and then says nothing.
"""

_OUTRO = f"""\
## What a fingerprint covers

A run is resumed only if config, bots and rules are the same as when it began; if not, the refusal names what changed.

A bot's fingerprint covers its command as written, the program's content, arguments that are files, all files of its
`folder`, those that `files` matches, `options`, and `env` as written (never the value of a `${{NAME}}`). With a `build`
it covers the sources and the build's command in place of what is built. Left out of a folder are hidden files, the
build's `outputs`, the folders
{_listed(SKIPPED_FOLDERS)}, and the files
{_listed(SKIPPED_FILES)}.
Shared libraries and installed packages are not covered; name them in `files` if they matter.

A config's fingerprint covers rules (with the content of files that parameters name), each bot's time control,
schedule, maps, seats and adjudication. It leaves out what may be changed between two halves of a run: `name`,
`workers`, `pin`, `results`, `transcripts`, `stop_after`, and the bots' `limits`, `threads`, `isolation`, `readable`
and `metadata`.

## The ledger of seeds

`maps.ledger` names a small file of its own. Ranges include both ends and may not overlap; a seed is any whole number
of 64 bits. `feeds` is `generator` if a seed makes a map, `book` if it picks an opening: the seeds of a book's ledger
should span no more than the book has openings, or splits share them.

```yaml
name: lightcycles
feeds: generator
train: {{from: 1, to: 999999}}             # look at it as often as you like
validation: {{from: 1000000, to: 1999999}} # compare versions on it
test: {{from: 2000000, to: 2999999}}       # spent once, by `harness gate`
```
"""

_SECTIONS: tuple[tuple[str, tuple[type[Section], ...]], ...] = (
    ("rules", (RulesSection,)),
    ("referee", (RefereeSection,)),
    ("result", (ResultSection,)),
    ("warm", (WarmSection,)),
    ("bots", (BotEntry,)),
    ("build", (BuildSection,)),
    ("limits", (LimitsSection,)),
    ("schedule", (GauntletSection, RoundRobinSection, MixedSection)),
    ("scoring", (ScoringSection,)),
    ("maps", (MapsSection,)),
    ("time", (TimeSection,)),
    ("adjudication", (AdjudicationSection,)),
    ("stop_after", (StopAfterSection,)),
    ("gate", (GateSection,)),
    ("stage", (DuelSection,)),
    ("pass", (PassSection,)),
    ("sprt", (SprtSection,)),
    ("panel", (PanelSection,)),
)
"""Headings, in the order of the page, and their models."""


def build_reference() -> str:
    """Give the whole page."""
    parts = [_INTRO, "## Top level\n", _table(ConfigFile)]
    for heading, models in _SECTIONS:
        parts.append(f"## {heading}\n")
        for model in models:
            about = BotSection.__doc__ if model is BotEntry else model.__doc__
            if len(models) > 1:
                parts.append(f"### {model.model_fields['type'].annotation.__args__[0]}\n")  # type: ignore[union-attr]
            parts.extend([_paragraphs(about or ""), _table(model)])
    return "\n".join([*parts, _OUTRO])


def _paragraphs(docstring: str) -> str:
    return "\n".join(line.removeprefix("    ") for line in docstring.strip().splitlines()) + "\n"


def _table(model: type[Section]) -> str:
    schema = model.model_json_schema()
    rows = ["| key | value | default | |", "|---|---|---|---|"]
    fields = {known.alias or name: known for name, known in model.model_fields.items()}
    for key, field in schema["properties"].items():
        default = "" if fields[key].is_required() else _shown(field.get("default"))
        rows.append(f"| `{key}` | {_value(field)} | {default} | {field.get('description', '')} |")
    return "\n".join(rows) + "\n"


def _shown(default: object) -> str:
    if default is None:  # also the sections and lists that are empty if they are left out
        return "–"
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"


def _value(field: dict[str, Any]) -> str:
    """Say in words what a JSON schema allows."""
    if "$ref" in field:
        return "keys"
    if "const" in field:
        return f"`{field['const']}`"
    if "enum" in field:
        return " or ".join(f"`{word}`" for word in field["enum"])
    for union in ("anyOf", "oneOf"):
        if union in field:
            members = [_value(member) for member in field[union] if member.get("type") != "null"]
            return " or ".join(dict.fromkeys(members))
    match field.get("type"):
        case "string":
            return "text"
        case "boolean":
            return "`true` or `false`"
        case "integer":
            return _number("whole number", field)
        case "number":
            return _number("number", field)
        case "array":
            return f"list of {_value(field['items'])}"
        case "object":
            inner = field.get("additionalProperties") or next(iter(field.get("patternProperties", {}).values()), None)
            return f"names with {_value(inner)}" if inner else "keys"
    return "anything"


def _number(word: str, field: dict[str, Any]) -> str:
    signs = (("minimum", "≥"), ("exclusiveMinimum", ">"), ("exclusiveMaximum", "<"))
    return ", ".join([word, *(f"{sign} {field[bound]}" for bound, sign in signs if bound in field)])
