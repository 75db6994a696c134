"""The crontab and the workflow file of docs/how-to/nightly-gate.md: they parse, and what they call works."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.cli.main import main
from tests.cli.bench import BOTS, ROOT, SEEDS

PAGE = (ROOT / "docs" / "how-to" / "nightly-gate.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)
NIGHTLY = f"""\
rules: {{name: lightcycles, width: 15, height: 9}}
bots:
  new: {{folder: {BOTS}/territory, python: "territory_bot.py:make"}}
  stable: {{folder: {BOTS}/hugger, python: "hugger_bot.py:make"}}
maps: {{ledger: seeds/small.yaml}}
time: {{per_ply_ms: 60000}}
gate:
  candidate: new
  champion: lineage/main
  screen:  {{split: train, maps: 20, pass: {{score: 0.52}}}}
  confirm: {{split: validation, pass: {{sprt: {{nelo0: 0, nelo1: 100}}, max_maps: 200}}}}
"""


def workflow() -> dict[Any, Any]:
    """The only YAML on the page. YAML 1.1 reads the key `on` as true."""
    (text,) = [text for kind, text in BLOCKS if kind == "yaml"]
    return dict(yaml.safe_load(text))


def scripts() -> list[str]:
    """What the workflow's steps run."""
    return [step["run"] for step in workflow()["jobs"]["gate"]["steps"] if "run" in step]


def crontab() -> list[tuple[str, str]]:
    """The crontab's lines, as when and what; cron takes a bare % for the end of the line."""
    (text,) = [text for kind, text in BLOCKS if "@reboot" in text]
    lines = [re.fullmatch(r"(@reboot|(?:\S+ ){4}\S+) +(.*)", line) for line in text.splitlines()]
    found = [(line[1], line[2]) for line in lines if line]
    assert len(found) == len(lines)
    return found


def shell_texts() -> list[str]:
    set_up = [text for kind, text in BLOCKS if text.startswith("harness ")]
    return [*set_up, *scripts(), *(command.replace("\\%", "%") for _, command in crontab())]


def test_the_workflow_is_one() -> None:
    found = workflow()
    assert set(found) == {"name", True, "jobs"}
    assert set(found[True]) == {"schedule", "workflow_dispatch"}
    for step in found["jobs"]["gate"]["steps"]:
        assert ("uses" in step) != ("run" in step)


def test_the_crontab_is_one() -> None:
    (daily, _), (reboot, _) = crontab()
    fields = daily.split()
    assert len(fields) == 5
    assert all(re.fullmatch(r"\*|\d+", field) for field in fields)
    assert reboot == "@reboot"
    for _, command in crontab():
        assert not re.search(r"(?<!\\)%", command)


@pytest.mark.parametrize("text", shell_texts())
def test_the_shell_understands_it(text: str) -> None:
    bash = shutil.which("bash")
    assert bash is not None, "bash is not installed: apt install bash"
    done = subprocess.run([bash, "-n", "-c", text], capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 0, done.stderr


CALLS = [
    call
    for text in (*shell_texts(), *re.findall(r"`(harness [^`]*)`", PAGE))
    for call in re.findall(r"harness ((?:champion|gate|ledger|run)\b[^|&>\n]*)", text)
]


@pytest.mark.parametrize("call", CALLS)
def test_every_verb_and_option_is_there(call: str, capsys: pytest.CaptureFixture[str]) -> None:
    verb, *words = call.split()
    inner = words[:1] if verb in {"champion", "ledger"} else []
    assert main([verb, *inner, "--help"]) == 0
    said = capsys.readouterr().out
    for option in (word for word in words if word.startswith("--")):
        assert option in said


def test_the_workflows_steps_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gate and commit as on CI, against a remote of our own: promoted, recorded, pushed; the next night too."""
    git, bash = shutil.which("git"), shutil.which("bash")
    assert git is not None, "git is not installed: apt install git"
    assert bash is not None
    origin, here, programs = tmp_path / "origin.git", tmp_path / "clone", tmp_path / "bin"
    programs.mkdir()
    program = programs / "harness"
    program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m harness "$@"\n')
    program.chmod(0o755)
    summary, output = tmp_path / "summary.md", tmp_path / "output"
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.setenv("GITHUB_OUTPUT", str(output))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)

    def run(*words: str) -> str:
        done = subprocess.run(words, cwd=here, capture_output=True, text=True, timeout=50, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def nights() -> str:
        """Run the workflow's own steps; give what is on the remote then."""
        for text in scripts():
            if "pip install" not in text:
                run(bash, "-e", "-c", text)
        return run(git, "ls-tree", "-r", "--name-only", "@{upstream}")

    here.mkdir()
    run(git, "init", "-q", "--bare", "--initial-branch=main", str(origin))
    run(git, "init", "-q", "--initial-branch=main")
    (here / "seeds").mkdir()
    (here / "seeds" / "small.yaml").write_text(SEEDS)
    (here / "nightly.yaml").write_text(NIGHTLY)
    (here / ".gitignore").write_text("results/\n")
    (here / "plain.yaml").write_text(NIGHTLY.replace("lineage/main", "stable"))
    run("harness", "champion", "set", "main", "plain.yaml", "stable", "--champions", "results/champions")
    run(git, "add", ".")
    run(git, "add", "-f", "results/champions")
    run(git, "-c", "user.name=me", "-c", "user.email=me@localhost", "commit", "-q", "-m", "Set up")
    run(git, "remote", "add", "origin", str(origin))
    run(git, "push", "-q", "-u", "origin", "main")
    pushed = nights()
    assert "PROMOTED" in summary.read_text()
    assert output.read_text() == "code=0\n"
    assert "seeds/small.spent.jsonl" in pushed
    shutil.rmtree(here)  # the next night has a fresh machine, and the champion that the first one made
    here.mkdir()
    run(git, "clone", "-q", str(origin), ".")
    nights()
    assert "main-champion" in summary.read_text()
    assert output.read_text() == "code=0\ncode=5\n"  # the same program by now
