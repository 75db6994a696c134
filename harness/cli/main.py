"""The command line: finds the verb, runs it, turns expected errors into one message and an exit code.

Imports nothing but the verb that is asked for, so `harness --help` stays quick.
"""

from __future__ import annotations

import argparse
import difflib
import keyword
import os
import sys
from importlib import import_module

from harness.errors import ExitCode, HarnessError

VERBS = {
    "run": "play a gauntlet or round robin, or go on with one",
    "brutal": "play with a contest's referee: cg-brutaltester's flags, paired maps and error bars",
    "plan": "print what a config would play and what it costs, without playing",
    "doctor": "say what this machine can give: containment, quiet, how many workers",
    "check": "start every bot of a config, shake hands, play one ply",
    "show": "print the table of a finished or running run again",
    "play": "play one map in full view",
    "rate": "rate every bot of runs, PGN files or tables: ratings, head to head, circles",
    "replay": "show a recorded game ply by ply and check it",
    "size": "say how many games or maps it takes to see a gain",
    "gate": "judge whether a candidate becomes champion, or say what the policy does (oc)",
    "ledger": "show, draw, spend or verify the seeds of a ledger",
    "champion": "show, set, roll back or freeze the champion of a lineage",
    "import": "read games that cg-brutaltester or psyleague played into a run",
    "export": "write a run's games in a format that other tools read",
}

_PLAYS = ("run", "brutal", "check", "play", "replay", "gate")

_INTRO = """usage: harness VERB [...]

Measures game-playing bots: paired maps, swapped seats, honest error bars.

verbs:
{verbs}

`harness VERB --help` says more. Start with: harness run configs/quickstart.yaml
exit codes: 0 done, 1 judged and not passed, 2 usage or configuration, 3 interrupted (resumable),
            4 halted by bots, referee or machine, 5 no verdict, 70 a bug in harness"""


def main(argv: list[str] | None = None) -> int:
    """Run the command line and give the exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments[:1] in (["--version"], ["-V"]):
        from importlib.metadata import version

        print(f"harness {version('harness')}")
        return ExitCode.DONE
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(_INTRO.format(verbs="\n".join(f"  {verb:<9} {text}" for verb, text in VERBS.items())))
        return ExitCode.DONE if arguments else ExitCode.USAGE
    verb, *rest = arguments
    if verb not in VERBS:
        near = difflib.get_close_matches(verb, VERBS, 1)
        hint = f" Did you mean `{near[0]}`?" if near else ""
        print(f"harness: no verb {verb!r}.{hint} The verbs are: {', '.join(VERBS)}", file=sys.stderr)
        return ExitCode.USAGE
    module = import_module(f"harness.cli.{verb}{'_' if keyword.iskeyword(verb) else ''}")
    parser = argparse.ArgumentParser(
        prog=f"harness {verb}", description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    module.add_arguments(parser)
    try:
        parsed = parser.parse_args(rest)
    except SystemExit as end:  # argparse has said why
        return int(end.code or 0)
    try:
        if argv is None and verb in _PLAYS:
            from harness.protocols.reaper import take_charge

            take_charge(exclusive=True)  # this process is ours alone: what bots leave behind in it may be killed
        code: int = module.run(parsed)
        sys.stdout.flush()
    except HarnessError as error:
        sys.stdout.flush()
        print(f"harness {verb}: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.DONE
    except KeyboardInterrupt:
        print(f"\nharness {verb}: interrupted", file=sys.stderr)
        return ExitCode.INTERRUPTED
    except Exception as error:  # noqa: BLE001 - a bug keeps its traceback
        import traceback

        from harness.play.own_code import blame_file

        if own := blame_file(error):
            sys.stdout.flush()
            print(f"harness {verb}: {own}", file=sys.stderr)
            return own.exit_code
        traceback.print_exc()
        print(f"harness {verb}: a bug in harness; please report the lines above", file=sys.stderr)
        return ExitCode.BUG
    return code
