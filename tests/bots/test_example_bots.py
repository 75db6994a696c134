"""The bots under bots/: as programs and called in-process they play the same, and as their READMEs say."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import yaml

from bots.hugger import hugger_bot
from bots.random import random_bot
from bots.territory import territory_bot
from harness.config.models import BotSection
from harness.records import Form, LinesView, Termination
from harness.rules.base import Outcome, Position
from harness.rules.lightcycles import build
from tests.needs import cannot_run

BOTS = Path(__file__).parents[2] / "bots"
FOLDERS = sorted(path.parent for path in BOTS.glob("*/bot.yaml"))

REFEREED = ("nim_c", "nim_random")
"""Bots for a referee that is a program: tests/referee plays them."""

Bot = Callable[[LinesView], str]
MakeBot = Callable[[int, int, int], Bot]

IN_PROCESS: dict[str, MakeBot] = {
    "random": random_bot.make,
    "hugger": hugger_bot.make,
    "territory": territory_bot.make,
    "territory_tiebreak": territory_bot.make_left_first,
}

MAPS: list[dict[str, object]] = [
    {},
    {"turns": "simultaneous", "starts": "mirrored", "width": 20, "height": 12, "obstacles": 0.1},
    {"players": 3, "width": 13, "height": 9, "obstacles": 0.1},
    {"players": 3, "turns": "simultaneous", "width": 40, "height": 25},
    {"players": 4, "starts": "mirrored", "width": 11, "height": 11, "turns": "simultaneous"},
    {"players": 4, "starts": "mirrored", "width": 30, "height": 20, "obstacles": 0.2},
]


def start(params: dict[str, object], seed: int) -> Position:
    return build(params, str).start(seed)


def seats_of(params: dict[str, object]) -> int:
    return build(params, str).seats


def play(position: Position, bots: Sequence[Bot]) -> Outcome:
    """Play a game and give its outcome. A bot's answer that the rules refuse raises."""
    while seats := position.to_act():
        actions = {}
        for seat in seats:
            view = position.view(seat, Form.LINES)
            assert isinstance(view, LinesView)
            actions[seat] = position.parse(seat, bots[seat](view))
        position.apply(actions)
    outcome = position.outcome()
    assert outcome
    return outcome


def play_bots(params: dict[str, object], seed: int, *makers: MakeBot) -> Outcome:
    return play(start(params, seed), [make(100 * seed + i, i, len(makers)) for i, make in enumerate(makers)])


@contextmanager
def program(command: Sequence[str], cwd: Path, seed: int) -> Iterator[Bot]:
    """Run a bot as the harness does: its folder, its seed, lines in and out; it must end when its input does."""
    environment = {**os.environ, "HARNESS_BOT_SEED": str(seed)}
    with subprocess.Popen(
        list(command), cwd=cwd, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        stdin, stdout = process.stdin, process.stdout

        def answer(view: LinesView) -> str:
            stdin.write(view.text)
            stdin.flush()
            return stdout.readline()

        try:
            yield answer
        finally:
            stdin.close()
            rest = stdout.read()
        assert process.wait(timeout=10) == 0
        assert rest == ""


def command_of(folder: Path) -> list[str]:
    """Give a bot's command, and build it if it must be built."""
    section = BotSection.model_validate(yaml.safe_load((folder / "bot.yaml").read_text(encoding="utf-8")))
    assert isinstance(section.command, list)
    return [word.replace("{python}", sys.executable) for word in section.command]


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build territory_c by the command of its bot.yaml, in a copy, with every warning an error."""
    if shutil.which("cc") is None:
        cannot_run("needs cc, as territory_c itself does")
    folder = tmp_path_factory.mktemp("bots") / "territory_c"
    shutil.copytree(BOTS / "territory_c", folder, ignore=shutil.ignore_patterns("build", ".harness"))
    (folder / "build").mkdir()
    words = yaml.safe_load((folder / "bot.yaml").read_text(encoding="utf-8"))["build"]["command"]
    subprocess.run([*words, "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"], cwd=folder, check=True)
    return folder


# -------------------------------------------------------------------------------------------- every bot


PROTOCOLS = {"any_random": "json", "spiel_rollout": "json", "gomoku": "gomocup", "gomoku_c": "gomocup"}
"""Of the bots that do not speak lines; the gomoku bots' own tests are in test_gomoku_bots.py."""


def test_these_bots_are_there() -> None:
    assert {folder.name for folder in FOLDERS} == {
        *IN_PROCESS,
        *PROTOCOLS,
        "territory_c",
        "route_greedy",
        "route_2opt",
        *REFEREED,
    }


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_bot_says_what_it_is(folder: Path) -> None:
    section = BotSection.model_validate(yaml.safe_load((folder / "bot.yaml").read_text(encoding="utf-8")))
    assert section.about
    assert section.protocol == PROTOCOLS.get(folder.name, "codingame")
    assert section.deterministic
    assert (folder / "README.md").read_text(encoding="utf-8").startswith(f"# {folder.name}\n")


@pytest.mark.parametrize("name", IN_PROCESS)
@pytest.mark.parametrize("params", MAPS[:4], ids=str)
def test_program_and_in_process_bot_play_the_same(name: str, params: dict[str, object]) -> None:
    command, n_seats = command_of(BOTS / name), seats_of(params)
    n_plies = 0
    for seed in range(3):
        position = start(params, seed)
        with ExitStack() as stack:
            bots = []
            for seat in range(n_seats):
                as_program = stack.enter_context(program(command, BOTS / name, 17 + seat))
                bots.append(both(as_program, IN_PROCESS[name](17 + seat, seat, n_seats)))
            play(position, bots)
        n_plies += len(position.log)
    assert n_plies > 50


def both(first: Bot, second: Bot) -> Bot:
    """Make one bot of two that must agree."""

    def answer(view: LinesView) -> str:
        said = first(view)
        assert second(view) == said.strip(), view.text
        return said

    return answer


@pytest.mark.parametrize("params", MAPS, ids=str)
def test_territory_in_c_plays_the_moves_of_territory_in_python(params: dict[str, object], compiled: Path) -> None:
    n_seats = seats_of(params)
    n_plies = 0
    for seed in range(3):
        position = start(params, seed)
        with ExitStack() as stack:
            bots = []
            for seat in range(n_seats):
                in_c = stack.enter_context(program(["build/bot"], compiled, seat))
                bots.append(both(in_c, territory_bot.make(seat, seat, n_seats)))
            play(position, bots)
        n_plies += len(position.log)
    assert n_plies > 100


def test_territory_in_c_says_why_it_cannot_play(compiled: Path) -> None:
    result = subprocess.run(
        ["build/bot"], cwd=compiled, input="board 101 20 alternate 0\n", capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "cannot play on a board of 101 x 20: at most 100 a side\n"


@pytest.mark.parametrize("name", ["random", "hugger", "territory"])
def test_python_bots_start_without_slow_imports(name: str) -> None:
    """Every game starts one anew: `typing`, `random` and their like cost more than the bot's whole game."""
    slow = "{'typing', 'random', 're', 'collections', 'enum'}"
    code = f"import {name}_bot, sys; print(*sorted({slow} & {{*sys.modules}}))"
    result = subprocess.run(
        [sys.executable, "-E", "-S", "-c", code], cwd=BOTS / name, capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == []


# ------------------------------------------------------------------------------------------- how they play


def test_random_bot_depends_on_its_seed_alone() -> None:
    games = []
    for seed in (1, 1, 2):
        position = start({}, 5)
        play(position, [random_bot.make(seed, 0, 2), random_bot.make(99, 1, 2)])
        games.append(position.log)
    assert games[0] == games[1]
    assert games[0] != games[2]


@pytest.mark.parametrize("make", [random_bot.make, hugger_bot.make, territory_bot.make, territory_bot.make_left_first])
def test_no_bot_crashes_while_a_neighbouring_cell_is_free(make: MakeBot) -> None:
    def careful(position: Position, seat: int, bot: Bot) -> Bot:
        def answer(view: LinesView) -> str:
            said = bot(view)
            assert said in position.legal(seat), position.draw()
            return said

        return answer

    for params in MAPS:
        n_seats = seats_of(params)
        position = start(params, 2)
        play(position, [careful(position, seat, make(seat, seat, n_seats)) for seat in range(n_seats)])


def test_bots_use_the_space_that_an_opponent_leaves_when_it_is_out() -> None:
    """Boxed in by the trail of seat 1, which disappears as seat 1 crashes: every bot then sees a way out."""
    before = "3 0\n0 0 0 0\n1 1 0 1\n9 9 9 9\n"
    blocked = "3 0\n0 0 0 0\n1 1 1 0\n9 9 9 9\n"
    gone = "3 0\n0 0 0 0\n-1 -1 -1 -1\n9 9 9 9\n"
    for make in IN_PROCESS.values():
        bot = make(1, 0, 3)
        for text in (before, blocked):
            bot(LinesView(text))
        assert bot(LinesView(gone)) in ("RIGHT", "DOWN")


def test_hugger_takes_the_cell_with_fewest_ways_on_and_no_dead_end() -> None:
    def first_move(*obstacles: str) -> str:
        text = "\n".join([f"board 6 6 alternate {len(obstacles)}", *obstacles, "2 0", "0 3 0 3", "5 5 5 5", ""])
        return hugger_bot.make(0, 0, 2)(LinesView(text))

    assert first_move() == "UP", "UP and DOWN lead on in two ways, RIGHT in three; ties go to straight on"
    assert first_move("1 2", "0 1") == "RIGHT", "up is a dead end; the other two are equal, and right comes before back"
    assert first_move("1 4") == "DOWN", "down leads on in one way"


def test_territory_goes_where_the_space_is() -> None:
    walled = ["3 0", "3 1", "3 2", "3 4", "3 5"]  # a gap at (3, 3) between a room of 3 columns and one of 6
    text = "\n".join([f"board 10 6 alternate {len(walled)}", *walled, "2 0", "2 3 2 3", "0 0 0 0", ""])
    assert territory_bot.make(0, 0, 2)(LinesView(text)) == "RIGHT"


def test_territory_is_stronger_than_hugger_and_hugger_than_random() -> None:
    def points(first: MakeBot, second: MakeBot) -> float:
        total = 0.0
        for seed in range(10):
            total += play_bots({}, seed, first, second).scores[0] + play_bots({}, seed, second, first).scores[1]
        return total

    assert points(territory_bot.make, hugger_bot.make) >= 18
    assert points(hugger_bot.make, random_bot.make) >= 16


# ------------------------------------------------------------------------------------------ the mirror trap

MIRROR: dict[str, object] = {"turns": "simultaneous", "starts": "mirrored"}


@pytest.mark.parametrize(
    "params", [{}, {"width": 20, "height": 12, "obstacles": 0.1}, {"width": 9, "height": 7}], ids=str
)
def test_two_copies_mirror_each_other_to_a_draw(params: dict[str, object]) -> None:
    for seed in range(8):
        position = start({**MIRROR, **params}, seed)
        bots = [territory_bot.make(seat, seat, 2) for seat in range(2)]
        while seats := position.to_act():
            rows = "".join(position.draw().splitlines()[2:-1])
            turned = rows[::-1].translate(str.maketrans("abAB", "baBA"))
            assert rows == turned
            views = [position.view(seat, Form.LINES) for seat in seats]
            answers = [bot(view) for bot, view in zip(bots, views, strict=True) if isinstance(view, LinesView)]
            position.apply({seat: position.parse(seat, answer) for seat, answer in zip(seats, answers, strict=True)})
        outcome = position.outcome()
        assert outcome
        assert outcome.scores == (0.5, 0.5)
        assert outcome.termination is Termination.NORMAL


def test_four_copies_on_a_square_board_mirror_each_other() -> None:
    for seed in range(4):
        params: dict[str, object] = {**MIRROR, "players": 4, "width": 13, "height": 13, "obstacles": 8}
        assert play_bots(params, seed, *[territory_bot.make] * 4).scores == (0.5, 0.5, 0.5, 0.5)


def test_another_tie_break_breaks_the_mirror_and_looks_much_stronger() -> None:
    def points(starts: str) -> float:
        total = 0.0
        for seed in range(12):
            params: dict[str, object] = {"turns": "simultaneous", "starts": starts, "width": 20, "height": 12}
            total += play_bots(params, seed, territory_bot.make_left_first, territory_bot.make).scores[0]
            total += play_bots(params, seed, territory_bot.make, territory_bot.make_left_first).scores[1]
        return total

    assert points("mirrored") >= 20, "of 24: nine in ten"
    assert 8 <= points("random") <= 16, "of 24: about equal"


def test_in_turn_nothing_mirrors() -> None:
    for seed in range(5):
        outcome = play_bots({"starts": "mirrored"}, seed, territory_bot.make, territory_bot.make)
        assert sorted(outcome.scores) == [0, 1]
