"""The examples of docs/how-to work: the rule set and the protocol pass their kits, and are played as the pages say."""

from __future__ import annotations

import json
import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.cli.main import main

ROOT = Path(__file__).parent.parent
HOW_TO = ROOT / "docs" / "how-to"
SEEDS = """\
name: s
feeds: generator
train: {from: 1, to: 1000}
validation: {from: 1001, to: 2000}
test: {from: 2001, to: 3000}
"""

Run = Callable[..., str]


def blocks(page: str, language: str) -> list[str]:
    text = (HOW_TO / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all that the pages have, under the names that they give it; the working directory."""
    nim, test_nim = blocks("add-a-rule-set.md", "python")
    ping, bot, test_ping = blocks("add-a-protocol.md", "python")
    texts = {
        "nim.py": nim,
        "test_nim.py": test_nim,
        "ping.py": ping,
        "bot.py": bot,
        "test_ping.py": test_ping,
        "any_bot.py": (ROOT / "bots" / "any_random" / "any_bot.py").read_text(encoding="utf-8"),
        "nim.yaml": blocks("add-a-rule-set.md", "yaml")[1],
        "seeds.yaml": SEEDS,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


@pytest.fixture
def run(game: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Give the command line: its standard output, or its error if it is to fail."""

    def harness(*words: str, code: int = 0) -> str:
        capsys.readouterr()
        got = main(list(words))
        said = capsys.readouterr()
        assert got == code, said.out + said.err
        return said.err if code else said.out

    return harness


def change(path: Path, pattern: str, text: str) -> None:
    before = path.read_text(encoding="utf-8")
    after = re.sub(pattern, lambda _: text, before)
    assert after != before
    path.write_text(after, encoding="utf-8")


@pytest.mark.parametrize("name", ["nim", "ping"])
def test_the_example_passes_its_kit(game: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(game)
    try:
        runpy.run_path(str(game / f"test_{name}.py"))[f"test_{name}"]()
    finally:
        del sys.modules[name]


def test_the_example_s_config_runs_and_replays(game: Path, run: Run) -> None:
    assert "2 of 2 bots are well; nim, map of seed 1" in run("check", "nim.yaml")
    run("run", "nim.yaml", "--quiet")
    records = [json.loads(line) for line in (game / "results/nim/maps.jsonl").read_text().splitlines()]
    assert len(records) == 20
    assert not any(play.get("faults") for record in records for play in record["games"])
    assert "took the last stone" in run("replay", "nim", "3")


def test_options_are_shown_as_the_bot_is_told_them(game: Path, run: Run) -> None:
    assert "options" not in run("check", "nim.yaml")
    change(game / "nim.yaml", r"protocol: json\}(?=.*any_random)", "protocol: json, options: {depth: 3, book: false}}")
    assert "options      depth: 3, book: false" in run("check", "nim.yaml")


def test_a_changed_file_of_rules_is_another_game(game: Path, run: Run) -> None:
    run("run", "nim.yaml", "--quiet")
    rules = game / "nim.py"
    text = rules.read_text()
    change(rules, "% 9", "% 8")
    assert "file of the rules nim.py: its content changed" in run("run", "nim.yaml", "--quiet", code=2)
    assert "these rules are not what this run was played with" in run("replay", "nim", "3", code=2)
    rules.write_text(text)
    run("replay", "nim", "3")


def test_the_example_s_protocol_is_played(game: Path, run: Run) -> None:
    change(game / "nim.yaml", "one: .*\n", 'one: {command: ["{python}", bot.py], protocol: "ping.py:PingPlayer"}\n')
    assert "2 of 2 bots are well" in run("check", "nim.yaml")
    run("run", "nim.yaml", "--quiet")
    assert len((game / "results/nim/maps.jsonl").read_text().splitlines()) == 20
    change(game / "ping.py", "\\Z", "# changed\n")
    assert "file of the protocol ping.py: its content changed" in run("run", "nim.yaml", code=2)


# -------------------------------------------------------------------------------- what is wrong with them

MISSING = "what it makes has no name, seats, forms, start, map_name"
BROKEN_RULES: list[tuple[str, str, str]] = [
    ("nim.py:built", "", "nim.py has no function 'built'"),
    ("nom.py:build", "", "a readable file, relative to the config (No such file or directory)"),
    ("nim.py:build", "import nothing_like_this", "it cannot be imported: ModuleNotFoundError at line 1"),
    ("nim.py:build", "def build(:", "it cannot be imported: SyntaxError at line 1"),
    ("nim.py:build", "def build(params, read_text):\n    return params['x']", "its maker fails: KeyError at line 2"),
    (
        "nim.py:build",
        "def build(params, read_text):\n    return 5",
        "what it makes has no name, seats, forms, start, map_name",
    ),
    ("nothing_like_this:build", "", "it cannot be imported: ModuleNotFoundError"),
    ("nim", "", "open_spiel/GAME, your own as file.py:build"),
]


@pytest.mark.parametrize(("name", "text", "message"), BROKEN_RULES)
def test_rules_that_cannot_be_had_are_refused_by_name(game: Path, run: Run, name: str, text: str, message: str) -> None:
    if name != "nim.py:build":
        change(game / "nim.yaml", "nim.py:build", name)
    if text:
        (game / "nim.py").write_text(text)
    said = run("check", "nim.yaml", code=2)
    assert "nim.yaml:1: rules.name: " in said
    assert message in said


def test_a_parameter_of_one_s_own_is_refused_like_any(game: Path, run: Run) -> None:
    change(game / "nim.yaml", "heaps: 4", "heaps: 40")
    said = run("check", "nim.yaml", code=2)
    assert "nim.yaml:1: rules.heaps: not what nim.py:build takes" in said
    assert "a whole number from 1 to 20" in said


FEW_CALLS = "class PingPlayer:\n    form = 'state'\n    def ask(self): pass"
BROKEN_PROTOCOLS: list[tuple[str, str, int, str]] = [
    ("pang.py:PingPlayer", "", 2, "there is no such file"),
    ("ping.py:Ping", "", 4, "it cannot be imported: AttributeError"),
    ("ping.py:PingPlayer", "raise ValueError('no')", 4, "it cannot be imported: ValueError: no"),
    (
        "ping.py:PingPlayer",
        "class PingPlayer:\n    form = 'state'\n    def ask(self): pass",
        4,
        "it has no start, begin_game",
    ),
    ("ping.pi:PingPlayer!", "", 2, "your own, as file.py:name or module:name"),
    ("nothing_like_this:Player", "", 4, "it cannot be imported: ModuleNotFoundError"),
]


@pytest.mark.parametrize(("name", "text", "code", "message"), BROKEN_PROTOCOLS)
def test_a_protocol_that_cannot_be_had_is_refused(
    game: Path, run: Run, name: str, text: str, code: int, message: str
) -> None:
    change(game / "nim.yaml", "one: .*\n", f'one: {{command: ["{{python}}", bot.py], protocol: "{name}"}}\n')
    if text:
        (game / "ping.py").write_text(text)
    assert message in run("check", "nim.yaml", code=code)


def test_without_the_library_its_games_say_what_to_install(
    game: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(game / "nim.yaml", '"nim.py:build", heaps: 4', "open_spiel/tic_tac_toe")
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    said = run("check", "nim.yaml", code=2)
    assert "nim.yaml:1: rules.name: its library cannot be loaded" in said
    assert re.search(r"next: .*-m pip install open_spiel$", said, re.MULTILINE)


def test_rules_that_raise_halt_the_run_and_say_where(game: Path, run: Run) -> None:
    change(game / "nim.py", "self.log.append", "raise KeyError('a bug')\n        self.log.append")
    line = (game / "nim.py").read_text().splitlines().index("        raise KeyError('a bug')") + 1
    said = run("run", "nim.yaml", "--quiet", code=4)
    assert re.search(rf"nim.py:{line}: nim.py:build failed in job \d+, seed \d+", said)
    assert "KeyError: 'a bug'" in said


def test_a_protocol_that_raises_halts_the_run_and_says_where(game: Path, run: Run) -> None:
    change(game / "nim.yaml", "one: .*\n", 'one: {command: ["{python}", bot.py], protocol: "ping.py:PingPlayer"}\n')
    change(game / "ping.py", "asked_ns = monotonic_ns\\(\\)", "raise OSError('a bug')")
    line = (game / "ping.py").read_text().splitlines().index("        raise OSError('a bug')") + 1
    assert f"ping.py:{line}: " in run("run", "nim.yaml", "--quiet", code=4)


@pytest.mark.parametrize("verb", ["check", "play"])
def test_an_error_in_a_file_of_the_user_is_not_called_ours(game: Path, run: Run, verb: str) -> None:
    change(game / "nim.py", "text = ", "raise KeyError('a bug')\n        text = ")
    line = (game / "nim.py").read_text().splitlines().index("        raise KeyError('a bug')") + 1
    said = run(verb, "nim.yaml", code=4)
    assert f"nim.py:{line}: " in said
    assert "failed; it is yours" in said
    assert "KeyError: 'a bug'" in said


@pytest.mark.parametrize("verb", ["check", "play", "run"])
def test_an_error_in_an_installed_package_of_the_user_is_not_called_ours(
    game: Path, run: Run, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its game may be in another module than its maker."""
    package = game / f"nim_of_{verb}"
    package.mkdir()
    (game / "nim.py").rename(package / "play.py")
    change(package / "play.py", "text = ", "raise KeyError('a bug')\n        text = ")
    (package / "__init__.py").write_text("from .play import build\n")
    change(game / "nim.yaml", "nim.py:build", f"{package.name}:build")
    monkeypatch.syspath_prepend(game)
    said = run(verb, "nim.yaml", code=4)
    assert re.search(rf"{package.name}/play.py:\d+: {package.name}.* failed", said)
    assert "KeyError: 'a bug'" in said


def test_a_list_is_shown_as_the_config_has_it(game: Path, run: Run) -> None:
    change(game / "nim.yaml", "heaps: 4", "heaps: [4, [5]]")
    assert "got:     [4, [5]]" in run("check", "nim.yaml", code=2)


WRONG_ENDS = [
    ("(1.0, 1.0)", "scores (1.0, 1.0)"),
    ("(1.0,)", "scores (1.0,)"),
    ("[1.0, 0.0]", "scores [1.0, 0.0]"),
    ("(2.0, -1.0)", "scores (2.0, -1.0)"),
    ("(float('nan'), 0.5)", "scores (nan, 0.5)"),
    ("('1', '0')", "scores ('1', '0')"),
]


@pytest.mark.parametrize(("scores", "got"), WRONG_ENDS)
def test_scores_that_do_not_add_up_halt_the_run_and_say_whose(game: Path, run: Run, scores: str, got: str) -> None:
    change(game / "nim.py", r"self.end = Outcome\(scores", f"self.end = Outcome({scores}")
    line = (game / "nim.py").read_text().splitlines().index("    def outcome(self):") + 1
    said = run("run", "nim.yaml", "--quiet", code=4)
    assert re.search(rf"nim.py:{line}: nim.py:build gives a game on the map of seed \d+ an end that is none", said)
    assert f"got:     {got}\n" in said
    assert "2 scores from 0 to 1 that add up to 1 " in said


def test_a_game_that_ends_without_an_outcome_halts_the_run(game: Path, run: Run) -> None:
    change(game / "nim.py", "return self.end\n", "return None\n")
    assert "got:     None, with nobody to act" in run("run", "nim.yaml", "--quiet", code=4)
    change(game / "nim.py", "return None\n", "return self.end and (1, 0)\n")
    assert "got:     (1, 0)" in run("play", "nim.yaml", code=4)


def test_an_error_in_a_protocol_of_the_user_is_not_called_ours(game: Path, run: Run) -> None:
    change(game / "nim.yaml", "one: .*\n", 'one: {command: ["{python}", bot.py], protocol: "ping.py:PingPlayer"}\n')
    change(game / "ping.py", "asked_ns = monotonic_ns\\(\\)", "raise OSError('a bug')")
    assert re.search(r"ping.py:\d+: .*failed; it is yours", run("check", "nim.yaml", code=4))


@pytest.mark.parametrize("verb", ["check", "run"])
def test_a_game_without_a_method_is_said_to_lack_it(game: Path, run: Run, verb: str) -> None:
    change(game / "nim.py", "def draw", "def drawn")
    said = run(verb, "nim.yaml", code=4)
    assert "a game of the rules nim lacks what every game has" in said
    assert "no attribute 'draw'" in said


@pytest.mark.parametrize("verb", ["check", "run"])
def test_a_state_that_is_no_json_is_the_rules_fault(game: Path, run: Run, verb: str) -> None:
    change(game / "nim.py", '"seat": seat', '"seat": {seat}')
    said = run(verb, "nim.yaml", code=4)
    assert "what the rules show is no JSON" in said
    assert "type set" in said
