"""A program run to its end with all that it starts: by the compiled twin where it is built, else in Python."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from harness.compiled import PURE, is_built
from harness.protocols import reaper
from harness.protocols.whole import Drain, Ended, play_out
from tests.bots.actors import wait_until_gone

SLOW = "import time; time.sleep(0.3); "


def run(code: str, *words: str, cwd: str = "/", limit_s: float = 20.0, drains: tuple[Drain, ...] = ()) -> Ended:
    command = [sys.executable, "-S", "-E", "-I", "-c", code, *words]
    return play_out(command, cwd=cwd, env={"WORD": "ü = 1"}, limit_s=limit_s, drains=drains)


def test_the_twin_is_built_here() -> None:
    assert is_built("harness.protocols.whole"), "install a C compiler and Python's headers, then: pip install -e ."


@pytest.mark.parametrize("slow", ["", SLOW])
def test_what_it_says_and_how_it_ends(slow: str, tmp_path: Path) -> None:
    code = "import os, sys; print(os.environ['WORD'], os.getcwd(), sys.argv[1], sys.stdin.read()); sys.exit('oh')"
    ended = run(slow + code, "a b", cwd=str(tmp_path))
    assert ended.output.decode() == f"ü = 1 {tmp_path} a b \n"
    assert ended.errors == b"oh\n"
    assert (ended.exit_code, ended.stopped) == (1, "")
    assert ended.cpu_s > 0
    assert ended.wall_ns > 0


@pytest.mark.parametrize("slow", ["", SLOW])
def test_much_is_read_from_its_start_and_its_end(slow: str) -> None:
    ended = run(slow + "import os; os.write(1, b'o' * 100_000 + b'!'); os.write(2, b'e' * 200_000 + b'!')")
    assert ended.output == b"o" * 100_000 + b"!"
    assert ended.errors == b"e" * ((64 << 10) - 1) + b"!"


@pytest.mark.parametrize("slow", ["", SLOW])
def test_what_it_leaves_is_ended(slow: str, tag: str) -> None:
    sleeper = f"[sys.executable, '-S', '-E', '-I', '-c', 'import time; time.sleep(3600)', {tag!r}]"
    run(slow + f"import subprocess, sys; subprocess.Popen({sleeper}, start_new_session=True)")
    assert not wait_until_gone(tag)
    assert not [pid for pid in reaper.children() if reaper.mark_of(pid) and pid not in reaper.spared]


def test_its_deadline_ends_it(tag: str) -> None:
    ended = run("import time; time.sleep(3600)", tag, limit_s=0.3)
    assert ended.stopped == "it did not end in its time (referee.time_limit_s)"
    assert ended.exit_code < 0
    assert not wait_until_gone(tag)


def test_signals_that_the_interpreter_ignores_are_as_usual() -> None:
    code = "import signal; print(signal.getsignal(signal.SIGXFSZ) == signal.SIG_DFL)"
    shell = play_out(["/bin/sh", "-c", "kill -XFSZ $$; echo alive"], cwd="/", env=dict(os.environ), limit_s=20)
    assert shell.output == b""
    assert run(code).output


def test_what_does_not_start_is_an_error(tmp_path: Path) -> None:
    for command, cwd in (["/no/such/program"], "/"), (["/bin/true"], str(tmp_path / "gone")):
        with pytest.raises(FileNotFoundError):
            play_out(command, cwd=cwd, env={}, limit_s=5)
    with pytest.raises(ValueError, match="null"):
        play_out(["/bin/echo", "a\0b"], cwd="/", env={}, limit_s=5)
    assert play_out(["/bin/true"], cwd="/", env={}, limit_s=5).exit_code == 0


def test_no_file_is_left_open() -> None:
    before = sorted(path.name for path in Path("/proc/self/fd").iterdir())
    for code in ("", SLOW):
        run(code + "pass")
    with pytest.raises(FileNotFoundError):
        play_out(["/no/such/program"], cwd="/", env={}, limit_s=5)
    assert sorted(path.name for path in Path("/proc/self/fd").iterdir()) == before


def test_a_drain_takes_what_is_written_and_keeps_its_end(tmp_path: Path) -> None:
    drain = Drain(str(tmp_path / "pipe"), kept=1000)
    try:
        code = f"file = open({drain.path!r}, 'w'); file.write('x' * 300_000 + 'end'); file.close()"
        assert run(code, drains=(drain,)).exit_code == 0
        assert drain.take() == b"x" * 997 + b"end"
        assert drain.take() == b""
    finally:
        drain.close()
    assert not (tmp_path / "pipe").exists()


def test_with_another_thread_it_does_the_same(tmp_path: Path) -> None:
    stop = threading.Event()
    other = threading.Thread(target=stop.wait)
    other.start()
    try:
        ended = run("import os; print(os.getcwd())", cwd=str(tmp_path))
        assert ended.output.decode().strip() == str(tmp_path)
    finally:
        stop.set()
        other.join()
    assert Path.cwd() != tmp_path


def test_which_of_the_two_is_tested() -> None:
    from harness.protocols import whole

    assert (whole._quick is None) == PURE
