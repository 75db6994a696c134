"""The page on score contests: its config and scripts run as they stand, with a contest's tools in their places."""

from __future__ import annotations

import json
import re
import stat
import sys
from pathlib import Path

import pytest
import yaml

from harness.cli.main import main

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "score-contest.md"

TESTER = f"""#!{sys.executable}
import subprocess, sys
text = sys.stdin.read()
done = subprocess.run(sys.argv[1:], input=text, capture_output=True, text=True)
if done.returncode:
    sys.exit("RE: the program has failed")
print(f"Score = {{int(done.stdout) * int(text)}}", file=sys.stderr)
"""
VIS = f"""#!{sys.executable}
import sys
number, answer = (open(name).read() for name in sys.argv[1:])
if not answer.strip().isdigit():
    sys.exit("WA")
print(f"Score = {{int(answer) * int(number)}}", file=sys.stderr)
"""
BOT = """#!{python}
number = int(input())
if "{name}" == "old" and number % 7 == 0:
    raise SystemExit(1)
print({value} + number % 3)
"""


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.mark.parametrize("script", [0, 1], ids=["interactive", "not interactive"])
def test_config_and_scripts_of_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, script: int
) -> None:
    folder = tmp_path / "contest"
    config, ledger = blocks("yaml")[:2]
    folder.mkdir()
    n_maps, train = yaml.safe_load(config)["maps"]["count"], yaml.safe_load(ledger)["train"]
    assert n_maps <= train["to"] - train["from"] + 1  # else the page's config is refused
    (folder / "contest.yaml").write_text(config.replace("count: 60", "count: 20"))
    (folder / "seeds.yaml").write_text(ledger)
    (folder / "judge.sh").write_text(blocks("sh")[script])
    program(folder / "tools" / "tester", TESTER)
    program(folder / "tools" / "vis", VIS)
    for seed in range(20):
        path = folder / "tools" / "in" / f"{seed:04d}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{seed + 1}\n")
    for name, value in (("new", 12), ("old", 10)):
        program(tmp_path / name / "a.out", BOT.format(python=sys.executable, name=name, value=value))
    monkeypatch.chdir(folder)
    assert main(["run", "contest.yaml", "--quiet", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["verdict"]["outcome"] == "better"
    failed = {bot["name"]: bot["n_failed"] for bot in data["scores"]["bots"]}
    assert failed == {"new": 0, "old": 2}
    assert data["scores"]["pairs"][0]["wins"] == 20
