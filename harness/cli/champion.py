"""Show or change who is champion of a lineage: the bot that candidates have to beat.

    show LINEAGE              the present champion
    history LINEAGE           every entry: who became champion when, by which verdict, who was refused
    set LINEAGE CONFIG BOT    freeze a bot of a config and make it champion, without a gate
    rollback LINEAGE          make an earlier champion champion again; an entry, nothing is erased
    freeze CONFIG BOT         put a bot into the archive and print its address

Lineages are files in a folder of their own, with the archive of frozen bots: --champions says where it is.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.shared import add_json, warn
from harness.errors import ExitCode

if TYPE_CHECKING:
    from harness.store.champions import Champions, Numbered

CHAMPIONS = Path("results") / "champions"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this verb's arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, text in (
        ("show", "the present champion"),
        ("history", "every entry of a lineage"),
        ("set", "make a bot champion without a gate"),
        ("rollback", "make an earlier champion champion again"),
        ("freeze", "put a bot into the archive"),
    ):
        sub = actions.add_parser(action, help=text)
        if action != "freeze":
            sub.add_argument("lineage", metavar="LINEAGE", help="the lineage's name")
        if action in {"set", "freeze"}:
            sub.add_argument("config", type=Path, metavar="CONFIG", help="a config that has the bot")
            sub.add_argument("bot", metavar="BOT", help="the bot's name in the config")
        if action == "rollback":
            sub.add_argument("--to", type=int, metavar="N", help="the entry to go back to; else the champion before")
        if action in {"set", "rollback"}:
            sub.add_argument("--note", default="", metavar="TEXT", help="why, for the record")
        sub.add_argument(
            "--champions", type=Path, default=CHAMPIONS, metavar="DIR", help=f"where lineages lie ({CHAMPIONS})"
        )
        add_json(sub)


def run(args: argparse.Namespace) -> int:
    """Do what was asked."""
    from harness.store.champions import Champions

    champions = Champions(args.champions)
    match args.action:
        case "show":
            _print(args, [champions.require_champion(args.lineage)])
        case "history":
            champions.require_champion(args.lineage)
            _print(args, champions.history(args.lineage))
        case "set":
            _print(args, [_set(champions, args)])
        case "rollback":
            _print(args, [champions.roll_back(args.lineage, args.to, args.note)])
        case _:
            address, fingerprint = _freeze(champions, args)
            if args.json:
                print(json.dumps({"bot": args.bot, "address": address, "fingerprint": fingerprint}))
            else:
                print(f"{args.bot} is frozen as {address} in {champions.archive}")
    return ExitCode.DONE


def _freeze(champions: Champions, args: argparse.Namespace) -> tuple[str, str]:
    from harness.run.freeze import freeze_bot
    from harness.run.prepare import prepare_bots

    config, _, _ = prepare_bots(args.config, tell=warn)
    address = freeze_bot(config, args.bot, champions.archive)
    return address, next(bot.fingerprint for bot in config.bots if bot.name == args.bot)


def _set(champions: Champions, args: argparse.Namespace) -> Numbered:
    from harness.store.champions import SCHEMA, EntryKind, LineageEntry

    champions.path(args.lineage)
    address, fingerprint = _freeze(champions, args)
    entry = LineageEntry(
        schema=SCHEMA, kind=EntryKind.SET, bot=args.bot, address=address, fingerprint=fingerprint, note=args.note
    )
    return champions.append(args.lineage, entry)


def _print(args: argparse.Namespace, entries: list[Numbered]) -> None:
    if args.json:
        print(json.dumps([_facts(entry) for entry in entries]))
        return
    for entry in entries:
        print(_line(entry))


def _facts(numbered: Numbered) -> dict[str, object]:
    import msgspec

    entry: dict[str, object] = msgspec.to_builtins(numbered.entry)
    return {"number": numbered.number, "time": numbered.time, "digest": numbered.digest, **entry}


def _line(numbered: Numbered) -> str:
    entry = numbered.entry
    words = f"#{numbered.number} {numbered.time[:16]} {entry.kind.value}: {entry.bot}"
    if entry.goes_back_to is not None:
        words += f", as of #{entry.goes_back_to}"
    if entry.address:
        words += f", frozen as {entry.address}"
    if entry.run:
        words += f", run {entry.run}"
    return f"{words} ({entry.note})" if entry.note else words
