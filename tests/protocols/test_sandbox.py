"""What a bot can do inside a sandbox: nothing to anybody, and play. For root and for an ordinary user."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from harness.errors import BotFault, BotStartError, ConfigError
from harness.play.map import play_map
from harness.play.table import Table
from harness.protocols import guardian, process, sandbox
from harness.records import BotSpec, Isolation, Limits, MapRecord
from harness.run.prepare import prepare
from tests.bots.actors import HERE, LIMITS, MISBEHAVE, bot, faults_of, job, leftovers, swift, wait_until_gone
from tests.bots.users import USERS, run_apart
from tests.needs import cannot_run
from tests.run.runs import entry, write_config

REPOSITORY = HERE.parents[1]


@pytest.fixture(autouse=True)
def needs_a_sandbox() -> None:
    if why := process.why_no_sandbox():
        cannot_run(f"this machine cannot give a sandbox: {why}")


def may_use(program: str) -> bool:
    return os.access(program, os.X_OK) and os.access(MISBEHAVE, os.R_OK)


@cache
def interpreter_for(user: str) -> str:
    """Give a Python that a user may start and that can read the tests: ours, or the system's."""
    for program in (sys.executable, "/usr/bin/python3"):
        if run_apart(partial(may_use, program), user=user):
            return program
    pytest.skip(f"{user} may start no Python here that can read the tests")


def sandboxed(fault: str, tag: str, user: str, **options: Any) -> BotSpec:
    keys = {"isolation": Isolation.SANDBOX, "readable": (str(HERE),), "interpreter": interpreter_for(user), **options}
    return bot("codingame", fault, tag=tag, **keys)


def sandboxed_swift(program: Path, fault: str, tag: str, at: int = 1) -> BotSpec:
    keys: dict[str, Any] = {"isolation": Isolation.SANDBOX, "readable": (str(program.parent),), "cwd": "/"}
    return swift(program, fault, tag=tag, at=at, **keys)


def play(lineup: tuple[BotSpec, ...], tag: str) -> tuple[MapRecord, dict[int, str]]:
    table = Table()
    try:
        record, _ = play_map(job(*lineup, voids_starved=False), table, 0)
    finally:
        table.close()
    return record, leftovers(tag)


@pytest.fixture
def listeners() -> Iterator[int]:
    """Listen on a port and on the abstract socket of that name; give the port."""
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as abstract:
        port = tcp.getsockname()[1]
        abstract.bind(f"\0harness-test-{port}")
        abstract.listen()
        yield port


PROBES = ("write-everywhere", "read-others", "open-sockets", "reach-others", "change-self", "kill-parent", "fill-disk")


@pytest.fixture
def results(tmp_path: Path, tag: str) -> Iterator[Path]:
    """Give a folder with something in it that no bot may see; clean up where a bot may have written that must not."""
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "maps.jsonl").write_text("{}\n")
    yield folder
    for place in (*map(Path, ("/", "/usr", "/etc", "/dev", "/var/tmp")), HERE, folder):
        for file in place.glob(f"*-{tag}"):
            file.unlink()


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("fault", PROBES)
def test_a_bot_inside_can_reach_nothing(tag: str, user: str, fault: str, results: Path, listeners: int) -> None:
    """Each of these bots ends with exit code 7 if it can do what it must not, and plays on if it can't."""
    paths = {
        "write-everywhere": ["/", "/usr", "/etc", "/dev", "/proc", "/var/tmp", results, HERE],
        "read-others": [results, REPOSITORY / "pyproject.toml", "/etc/passwd", "/var", "/sys"],
        "fill-disk": [".", results],
    }
    limits = replace(LIMITS, tmp_mb=4)
    inside = sandboxed(fault, tag, user, path=paths.get(fault, []), port=listeners, limits=limits)
    good = bot("codingame", tag=tag, interpreter=interpreter_for(user))
    record, left = run_apart(partial(play, (good, inside), tag), user=user)
    assert [game.faults for game in record.games] == [(), ()]
    assert left == {}
    assert sorted(path.name for path in results.iterdir()) == ["maps.jsonl"]


def test_the_probes_find_what_is_open_outside(tag: str, tmp_path: Path, listeners: int) -> None:
    """Without a sandbox the same bots do what they try: the test above can fail."""
    tries: dict[str, dict[str, Any]] = {
        "write-everywhere": {"path": [str(tmp_path)], "cwd": str(tmp_path)},
        "read-others": {"path": [str(tmp_path)]},
        "open-sockets": {"port": listeners},
        "reach-others": {},
    }
    for fault, options in tries.items():
        lineup = (bot("codingame", tag=tag), bot("codingame", fault, tag=tag, **options))
        record, _ = run_apart(partial(play, lineup, tag))
        for game in record.games:
            ((kind, _, detail),) = faults_of(game, 1)
            assert (kind, detail) == ("crash", "ended: exit code 7"), fault


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("fault", ["hydra", "bare-daemon", "forger", "session-bomb"])
def test_nothing_inside_outlives_its_sandbox(swift_bot: Path, tag: str, user: str, fault: str) -> None:
    inside = sandboxed_swift(swift_bot, fault, tag)
    record, left = run_apart(partial(play, (swift(swift_bot, tag=tag, cwd="/"), inside), tag), user=user)
    assert left == {}
    assert [faults_of(game, 0) for game in record.games] == [[], []]


@pytest.mark.parametrize("exclusive", [True, False])
def test_a_sandbox_ends_with_whoever_started_it(swift_bot: Path, tag: str, exclusive: bool) -> None:
    """No guardian, nobody above: the kernel does it."""

    def be_killed() -> None:
        seated = process.open_process(sandboxed_swift(swift_bot, "hydra", tag, at=0), 1)
        seated.exchange(b"2 0\n1 1 1 1\n3 3 3 3\n", 10**18, 0)
        if guardian.guardian_pid():
            os.kill(guardian.guardian_pid(), 9)
        os.kill(os.getpid(), 9)

    with pytest.raises(AssertionError, match="killed by SIGKILL"):
        run_apart(be_killed, exclusive=exclusive)
    assert not wait_until_gone(tag)


def test_environment_inside_is_the_bot_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    spec = replace(INSIDE, env=(("MINE", "1"),))
    environment = sandbox.build_environment(spec)
    assert environment["MINE"] == "1"
    assert environment["HOME"] == "/tmp"
    assert "SECRET_TOKEN" not in environment
    said = run_inside("env; ls -d /proc/[0-9]*", spec)
    names = {line.split("=")[0] for line in said.splitlines() if "=" in line}
    ours = {"PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "HOME", "TMPDIR", "MINE", "HARNESS_BOT_SEED"}
    assert names <= ours | {"PWD", "OLDPWD", "SHLVL", "_"}
    assert {"MINE=1", "HARNESS_BOT_SEED=1"} <= set(said.splitlines())
    assert len(re.findall(r"^/proc/\d+$", said, re.MULTILINE)) <= 4, "it sees its own processes"


INSIDE = BotSpec("b", "codingame", ("/bin/sh",), cwd="/", isolation=Isolation.SANDBOX)


def run_inside(script: str, spec: BotSpec = INSIDE) -> str:
    """Run a shell script in a sandbox; give all that it says, and how it ends."""
    seated = process.open_process(replace(spec, command=("/bin/sh", "-c", script)), 1)
    text = b""
    try:
        while True:
            text += seated.read(10**18)
    except BotFault as fault:
        return f"{text.decode()}\n{fault.detail}"
    finally:
        seated.close(0)


def test_limits_are_set_before_the_bot_begins() -> None:
    limits = Limits(open_files=77, file_mb=3, address_space_mb=500)
    said = run_inside("ulimit -n; ulimit -f; ulimit -v; ulimit -c", replace(INSIDE, limits=limits))
    assert said.split()[:4] == ["77", str(3 * 2048), str(500 * 1024), "0"]


def test_there_are_no_new_privileges_and_no_capabilities() -> None:
    said = run_inside("grep -E 'NoNewPrivs|CapEff|CapBnd' /proc/self/status; unshare -Ur true && echo nested")
    assert "NoNewPrivs:\t1" in said
    assert "CapEff:\t0000000000000000" in said
    assert "CapBnd:\t0000000000000000" in said
    assert "nested" not in said


def test_its_tmp_is_its_own_empty_and_bounded() -> None:
    script = "ls -A /tmp | wc -l; dd if=/dev/zero of=/tmp/x bs=1M count=9 2>&1; stat -c %s /tmp/x"
    said = run_inside(script, replace(INSIDE, limits=Limits(tmp_mb=2)))
    assert said.startswith("0\n")
    assert "No space left on device" in said
    assert str(2 << 20) in said


def test_the_harness_is_not_to_be_seen_even_where_its_interpreter_is() -> None:
    package = Path(sandbox.__file__).parents[1]
    spec = BotSpec("b", "codingame", (sys.executable,), readable=(str(package.parent),), cwd="/")
    words = sandbox.build_command(spec)
    assert words[words.index("--tmpfs", words.index(str(package.parent))) + 1] == str(package)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("/no/such/program", "no such program"),
        ("./plain", "not executable"),
        ("./broken", "not inside its sandbox: exit code 126"),
    ],
    ids=["no file", "not executable", "wrong architecture"],
)
def test_what_does_not_start_inside_is_a_start_error(tmp_path: Path, command: str, why: str) -> None:
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    (tmp_path / "broken").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\0\xf7\0" + bytes(100))
    (tmp_path / "broken").chmod(0o755)
    spec = replace(INSIDE, command=(command,), cwd=str(tmp_path), readable=(str(tmp_path),))

    def start() -> None:
        seated = process.open_process(spec, 1)
        try:
            seated.read(10**18)
        finally:
            seated.close(0)

    with pytest.raises(BotStartError, match=why):
        start()


def test_a_config_that_asks_for_what_is_not_there_is_refused(
    tmp_path: Path, tag: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = bot("codingame", tag=tag)
    config = write_config(tmp_path, {"one": entry(spec), "two": entry(spec, isolation="sandbox")})
    monkeypatch.setattr("harness.run.prepare.why_no_sandbox", lambda: "no user namespaces here")
    with pytest.raises(ConfigError, match=r"bots\.two\.isolation: this machine cannot give a sandbox") as caught:
        prepare(config)
    assert "no user namespaces here" in str(caught.value)
    assert "harness doctor" in str(caught.value)


def test_without_bubblewrap_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    process.why_no_sandbox.cache_clear()
    try:
        assert "bubblewrap is not installed" in (process.why_no_sandbox() or "")
    finally:
        process.why_no_sandbox.cache_clear()
