"""One JVM for many games against one a game: the same words, whatever the referee does."""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.protocols.guardian import guardian_pid
from harness.protocols.process import run_command
from harness.protocols.reaper import descendants
from harness.protocols.warm import WarmProgram
from harness.protocols.whole import Ended, play_out
from harness.referee.jvm import (
    JavaProgram,
    WarmError,
    build_command,
    build_request,
    compile_launcher,
    read_manifest,
    read_program,
)

SOURCES = Path(__file__).parent.parent / "referees" / "java"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small Java programs, compiled."""
    folder = tmp_path_factory.mktemp("classes")
    assert shutil.which("javac"), "scripts/install-engines installs default-jdk-headless"
    result = run_command(("javac", "-d", str(folder), str(SOURCES / "Quirks.java")), str(folder), 60)
    assert result.exit_code == 0, result.output
    return folder


@pytest.fixture
def program(classes: Path) -> JavaProgram:
    return read_program(("java", "-Dgiven=yes", "-cp", str(classes), "Quirks"), ".")


def warm(program: JavaProgram, *, is_shared: bool = False, restart_every: int = 100) -> WarmProgram:
    launcher = compile_launcher(program.java)
    return WarmProgram(
        lambda requests, answers: build_command(program, launcher, requests, answers, is_shared=is_shared),
        cwd="/",
        env=os.environ,
        restart_every=restart_every,
    )


def play_warm(jvm: WarmProgram, *words: str, limit_s: float = 30, name: str = "nobody") -> Ended:
    return jvm.play(build_request(words), {"NAME": name}, limit_s=limit_s, drains=())


def play_cold(program: JavaProgram, *words: str) -> Ended:
    command = [program.java, *program.options, "-cp", ":".join(program.class_path), program.main_class, *words]
    return play_out(command, cwd="/", env=os.environ, limit_s=30)


def said(ended: Ended) -> tuple[int, str, str]:
    """Exit code and words; the time in a log line is its own."""
    return ended.exit_code, ended.output.decode(), re.sub(r"(?m)^\w\w\w .*(?:AM|PM) ", "", ended.errors.decode())


QUIRKS = [
    ("plays",),
    ("exits", "0"),
    ("exits", "3"),
    ("exits", "-1"),
    ("exits in a thread",),
    ("exits by reference",),
    ("throws",),
    ("throws in a thread",),
    ("lets a thread finish",),
    ("closes its output",),
    ("writes past System.out",),
    ("changes the JVM",),
    ("reads the JVM",),
    ("loads a resource",),
    ("words with 'quotes' and blanks", "", "ß"),
    ("halts",),
    ("leaves a daemon",),
    ("leaves a process",),
    ("plays", "again"),
]


@pytest.mark.usefixtures("cache")
def test_a_game_in_a_warm_jvm_says_what_it_says_in_its_own(program: JavaProgram) -> None:
    jvm = warm(program)
    try:
        heard = [said(play_warm(jvm, *words)) for words in QUIRKS]
        first = [said(play_cold(program, *words)) for words in QUIRKS]
    finally:
        jvm.close()
    assert dict(zip(QUIRKS, heard, strict=True)) == dict(zip(QUIRKS, first, strict=True))


@pytest.mark.usefixtures("cache")
def test_games_share_statics_only_where_that_is_asked_for(program: JavaProgram) -> None:
    calls = {}
    for is_shared in (False, True):
        jvm = warm(program, is_shared=is_shared)
        calls[is_shared] = [play_warm(jvm, "plays").output.decode().splitlines()[0] for _ in range(3)]
        jvm.close()
    assert calls[False] == ["call 1 of 1 words: plays"] * 3
    assert calls[True] == [f"call {number} of 1 words: plays" for number in (1, 2, 3)]


@pytest.mark.usefixtures("cache")
def test_a_jvm_plays_so_many_games_and_another_goes_on(program: JavaProgram) -> None:
    jvm = warm(program, is_shared=True, restart_every=2)
    try:
        firsts = [play_warm(jvm, "plays").output.split()[1] for _ in range(5)]
    finally:
        jvm.close()
    assert firsts == [b"1", b"2", b"1", b"2", b"1"]


@pytest.mark.usefixtures("cache")
def test_a_hanging_game_is_ended_and_the_next_has_a_new_jvm(program: JavaProgram) -> None:
    jvm = warm(program)
    try:
        assert play_warm(jvm, "plays").exit_code == 0
        hung = play_warm(jvm, "hangs", limit_s=1)
        after = play_warm(jvm, "plays")
    finally:
        jvm.close()
    assert "did not end in its time" in hung.stopped
    assert hung.output.decode() == "call 1 of 1 words: hangs\n"
    assert (after.exit_code, after.stopped) == (0, "")


@pytest.mark.usefixtures("cache")
def test_each_game_has_its_own_settings(program: JavaProgram) -> None:
    jvm = warm(program)
    try:
        heard = [play_warm(jvm, "says its environment", name=name).output for name in ("a", "b'c d")]
    finally:
        jvm.close()
    assert [text.splitlines()[-1] for text in heard] == [b"given a", b"given b'c d"]


@pytest.mark.usefixtures("cache")
def test_nothing_is_left_of_a_game_or_of_the_jvm(program: JavaProgram) -> None:
    before = set(descendants(os.getpid()))
    jvm = warm(program)
    try:
        assert play_warm(jvm, "leaves a process").output.endswith(b"true\n")
        assert len(set(descendants(os.getpid())) - before - {guardian_pid()}) == 1
    finally:
        jvm.close()
    assert set(descendants(os.getpid())) <= before | {guardian_pid()}


@pytest.mark.usefixtures("cache")
def test_a_game_that_writes_without_end_is_ended(program: JavaProgram) -> None:
    jvm = warm(program)
    try:
        flood = play_warm(jvm, "floods")
    finally:
        jvm.close()
    assert "to standard output" in flood.stopped


# ------------------------------------------------------------------------------------------ commands


def jar(folder: Path, manifest: str) -> str:
    path = folder / "referee.jar"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("META-INF/MANIFEST.MF", manifest)
    return str(path)


def test_a_jar_is_started_as_its_manifest_says(tmp_path: Path) -> None:
    path = jar(
        tmp_path,
        "Manifest-Version: 1.0\r\nMain-Class: org.example.a.long.packa\r\n ge.Main\r\n"
        "Add-Opens: java.base/java.lang java.base/java.util\r\n\r\nName: other\r\nMain-Class: no\r\n",
    )
    command = ["java", "-Xmx1g", "--add-opens", "java.base/java.io=ALL-UNNAMED", "-jar", "referee.jar", "-league", "4"]
    program = read_program(command, str(tmp_path))
    assert program.main_class == "org.example.a.long.package.Main"
    assert program.class_path == (path,)
    assert program.options == (
        "-Xmx1g",
        "--add-opens",
        "java.base/java.io=ALL-UNNAMED",
        "--add-opens=java.base/java.lang=ALL-UNNAMED",
        "--add-opens=java.base/java.util=ALL-UNNAMED",
    )
    assert command[program.n_words :] == ["-league", "4"]


def test_a_class_path_is_read_as_java_does(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    for name in ("b.jar", "a.JAR", "notes.txt"):
        (tmp_path / "lib" / name).touch()
    for words in (["-cp", "classes:lib/*"], ["--class-path=classes:lib/*"]):
        command = ["java", *words, "Main", "x"]
        program = read_program(command, str(tmp_path))
        assert program.class_path == tuple(str(tmp_path / each) for each in ("classes", "lib/a.JAR", "lib/b.jar"))
        assert command[program.n_words :] == ["x"]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["./referee"], "only `java"),
        (["java", "-version"], "neither a jar nor a class"),
        (["java", "-cp"], "ends after -cp"),
        (["java", "-m", "a/b"], "main module"),
        (["java", "@options", "Main"], "in a file"),
        (["java", "Main.java"], "source file"),
        (["java", "-jar", "none.jar"], "cannot be read as a jar"),
    ],
)
def test_what_cannot_be_kept_warm_is_said(command: list[str], why: str, tmp_path: Path) -> None:
    with pytest.raises(WarmError, match=re.escape(why)):
        read_program(command, str(tmp_path))


def test_jars_without_a_main_class_or_with_an_agent_are_refused(tmp_path: Path) -> None:
    for manifest, why in (("Main: x\n", "no Main-Class"), ("Main-Class: x\nLauncher-Agent-Class: y\n", "agent")):
        jar(tmp_path, manifest)
        with pytest.raises(WarmError, match=why):
            read_program(["java", "-jar", "referee.jar"], str(tmp_path))


@pytest.mark.usefixtures("cache")
def test_a_jre_alone_is_told_what_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "java"
    java.touch()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(WarmError, match="no javac"):
        compile_launcher(str(java))


@pytest.mark.usefixtures("cache")
def test_a_compiler_that_fails_is_quoted(tmp_path: Path) -> None:
    for name, text in (("java", ""), ("javac", "#!/bin/sh\necho 'release 11 is not known'\nexit 2\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    with pytest.raises(WarmError, match="release 11 is not known"):
        compile_launcher(str(tmp_path / "java"))


def test_a_manifest_may_have_any_line_ends() -> None:
    assert read_manifest("A: 1\nB: two\n  words\nC:3") == {"A": "1", "B": "two words", "C": "3"}
