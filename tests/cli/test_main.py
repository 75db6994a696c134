"""The command line itself: verbs, help, exit codes, and where expected errors and bugs go."""

import sys
from pathlib import Path

import pytest

from harness.cli import show
from harness.cli.main import VERBS, main
from harness.errors import ExitCode
from tests.cli.bench import Bench, program


def test_no_verb_prints_the_verbs(bench: Bench) -> None:
    bare, asked = bench(), bench("--help")
    assert (bare.code, asked.code) == (ExitCode.USAGE, ExitCode.DONE)
    assert bare.out == asked.out
    assert all(f"  {verb} " in asked.out for verb in VERBS)
    assert "70 a bug" in asked.out


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(bench: Bench, verb: str) -> None:
    done = bench(verb, "--help")
    assert done.code == ExitCode.DONE
    assert done.out.startswith(f"usage: harness {verb}")
    assert done.err == ""


def test_an_unknown_verb_suggests_the_nearest(bench: Bench) -> None:
    done = bench("runn", "duel.yaml")
    assert done.code == ExitCode.USAGE
    assert done.out == ""
    assert "no verb 'runn'. Did you mean `run`?" in done.err
    assert "Did you mean" not in bench("xyzzy").err


@pytest.mark.parametrize("words", [["run"], ["run", "a.yaml", "b.yaml"], ["show"], ["plan", "x.yaml", "--jbos", "1"]])
def test_wrong_words_are_a_usage_error(bench: Bench, words: list[str]) -> None:
    done = bench(*words)
    assert done.code == ExitCode.USAGE
    assert "usage: harness" in done.err


def test_version(bench: Bench) -> None:
    from importlib.metadata import version

    assert bench("--version").out == f"harness {version('harness')}\n"


@pytest.mark.parametrize("verb", ["run", "plan", "check", "play"])
def test_config_errors_name_file_line_and_key(bench: Bench, verb: str) -> None:
    bench.change("schedule: {type: gauntlet,", "shedule: {type: gauntlet,")
    done = bench(verb, "duel.yaml")
    assert done.code == ExitCode.USAGE
    assert done.out == ""
    assert f"harness {verb}: duel.yaml:6: " in done.err
    assert "shedule" in done.err
    assert "schedule" in done.err
    assert "Traceback" not in done.err
    missing = bench(verb, "none.yaml")
    assert missing.code == ExitCode.USAGE
    assert "none.yaml" in missing.err


def test_rule_parameters_are_located_too(bench: Bench) -> None:
    bench.change("width: 9", "width: -9")
    done = bench("plan", "duel.yaml")
    assert done.code == ExitCode.USAGE
    assert "duel.yaml:1: rules.width" in done.err
    assert "-9" in done.err


def test_a_bug_keeps_its_traceback(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(args: object) -> int:
        raise LookupError("never thought of")

    monkeypatch.setattr(show, "run", fail)
    done = bench("show", "duel")
    assert done.code == ExitCode.BUG
    assert "LookupError: never thought of" in done.err
    assert "a bug in harness" in done.err


def test_an_interrupt_is_no_bug(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(args: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(show, "run", interrupt)
    done = bench("show", "duel")
    assert done.code == ExitCode.INTERRUPTED
    assert "Traceback" not in done.err


def test_words_come_from_the_command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["harness", "--version"])
    assert main() == ExitCode.DONE
    assert capsys.readouterr().out.startswith("harness ")


def test_as_a_module_and_as_a_script(tmp_path: Path) -> None:
    done = program("plan", "none.yaml", cwd=tmp_path)
    assert done.code == ExitCode.USAGE
    assert done.err.startswith("harness plan: none.yaml")
    script = Path(sys.executable).with_name("harness")
    assert script.exists(), "the console script is installed with the package"
