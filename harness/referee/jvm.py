"""A referee in Java, taken apart: its JVM, class path and main class; and the launcher that keeps it warm.

The launcher (`warm/WarmReferee.java`) is compiled once by the user's own JDK, into the user's cache. What cannot be
kept warm is refused here with the reason, never guessed at. It starts nothing but the compiler.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from harness.protocols.process import run_command
from harness.protocols.warm import WarmProgram
from harness.protocols.whole import Drain, Ended
from harness.records import Warm

SOURCE = Path(__file__).with_name("warm") / "WarmReferee.java"
LAUNCHER = "harness.WarmReferee"
_CLASS_FILE = "harness/WarmReferee.class"
_COMPILE_S = 120.0
_JAVA = re.compile(r"java([-.]?\d+)?")
_WITH_VALUE = {
    "--add-opens", "--add-exports", "--add-reads", "--add-modules", "--limit-modules", "--patch-module",
    "--enable-native-access",
}  # fmt: skip
_CLASS_PATHS = {"-cp", "-classpath", "--class-path"}
_REFUSED = {
    "-m": "a main module", "--module": "a main module", "-p": "a module path", "--module-path": "a module path",
    "--upgrade-module-path": "a module path", "--source": "a source file",
}  # fmt: skip
_HOME = "XDG_CACHE_HOME"


class WarmError(Exception):
    """A referee cannot be kept warm: the text says why."""


@dataclass(frozen=True, slots=True)
class JavaProgram:
    """A Java program: `java` is a path, `options` go to the JVM, `n_words` is how many words of the command these are.

    What follows them in the command are the arguments of `main_class`. `class_path` are absolute paths.
    """

    java: str
    options: tuple[str, ...]
    class_path: tuple[str, ...]
    main_class: str
    n_words: int


def read_program(command: Sequence[str], cwd: str) -> JavaProgram:
    """Take a referee's command apart: `java … -jar X.jar …` or `java … -cp PATH … Main …`. Raises WarmError."""
    java = shutil.which(command[0]) or command[0]
    if not _JAVA.fullmatch(Path(command[0]).name):
        raise WarmError(
            f"its command starts {command[0]!r}: only `java … -jar X.jar` and `java … -cp PATH Main` can be"
        )
    options: list[str] = []
    paths: list[str] | None = None
    at = 1
    while at < len(command):
        word = command[at]
        name, has_value, value = word.partition("=")
        if word == "-jar":
            return _of_jar(java, options, command, at + 1, cwd)
        if name in _CLASS_PATHS:
            paths = (value if has_value else _next(command, at, word)).split(os.pathsep)
            at += 1 if has_value else 2
        elif name in _REFUSED:
            raise WarmError(f"it is started with {_REFUSED[name]} ({word}): a class path or -jar is needed")
        elif word.startswith("@"):
            raise WarmError(f"its options stand in a file ({word}): write them in the command")
        elif word in _WITH_VALUE:
            options += (word, _next(command, at, word))
            at += 2
        elif word.startswith("-"):
            options.append(word)
            at += 1
        elif word.endswith(".java"):
            raise WarmError(f"it is a source file ({word}): compile it, and name its class or jar")
        else:
            place = tuple(found for path in paths or ["."] for found in _expand(path, cwd))
            return JavaProgram(java, tuple(options), place, word, at + 1)
    raise WarmError("its command names neither a jar nor a class")


def _next(command: Sequence[str], at: int, word: str) -> str:
    if at + 1 >= len(command):
        raise WarmError(f"its command ends after {word}")
    return command[at + 1]


def _expand(path: str, cwd: str) -> list[str]:
    """Make a part of a class path absolute; `lib/*` stands for the jars in a folder."""
    whole = os.path.normpath(Path(cwd, path or "."))
    if Path(whole).name != "*":
        return [whole]
    return sorted(str(jar) for jar in Path(whole).parent.glob("*.[jJ][aA][rR]"))


def _of_jar(java: str, options: Sequence[str], command: Sequence[str], at: int, cwd: str) -> JavaProgram:
    """Do what `java -jar` does with the jar's manifest."""
    jar = os.path.normpath(Path(cwd, _next(command, at - 1, "-jar")))
    try:
        with zipfile.ZipFile(jar) as file:
            manifest = read_manifest(file.read("META-INF/MANIFEST.MF").decode("utf-8", "replace"))
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise WarmError(f"{jar} cannot be read as a jar with a manifest: {error}") from None
    if "Launcher-Agent-Class" in manifest:
        raise WarmError(f"{jar} starts an agent in the JVM (Launcher-Agent-Class)")
    if "Main-Class" not in manifest:
        raise WarmError(f"the manifest of {jar} names no Main-Class")
    opened = [f"--add-opens={each}=ALL-UNNAMED" for each in manifest.get("Add-Opens", "").split()]
    exported = [f"--add-exports={each}=ALL-UNNAMED" for each in manifest.get("Add-Exports", "").split()]
    return JavaProgram(java, (*options, *opened, *exported), (jar,), manifest["Main-Class"], at + 1)


def read_manifest(text: str) -> dict[str, str]:
    """Read the main section of a jar's manifest; a line that begins with a blank goes on with the one before."""
    section = re.split(r"\r?\n\r?\n", text, maxsplit=1)[0]
    lines = re.sub(r"\r?\n ", "", section).splitlines()
    return {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}


def build_command(program: JavaProgram, launcher: Path, requests: int, answers: int, *, is_shared: bool) -> list[str]:
    """Give the command that keeps a program warm: it reads requests from one descriptor and answers on another."""
    return [
        program.java,
        *program.options,
        "-cp",
        str(launcher),
        LAUNCHER,
        f"/proc/self/fd/{requests}",
        f"/proc/self/fd/{answers}",
        os.pathsep.join(program.class_path),
        program.main_class,
        "shared" if is_shared else "fresh",
    ]


def build_request(words: Sequence[str]) -> bytes:
    """Write the arguments of one game as the launcher reads them."""
    texts = [word.encode("utf-8", "surrogateescape") for word in words]
    return len(texts).to_bytes(4, "big") + b"".join(len(text).to_bytes(4, "big") + text for text in texts)


class WarmJvm:
    """A referee's command, played by one JVM for many games. Starts nothing before the first."""

    def __init__(self, command: Sequence[str], cwd: str, env: Mapping[str, str], warm: Warm) -> None:
        """Take the command without what is added to it for a game. Raises WarmError."""
        program = read_program(command, cwd)
        launcher = compile_launcher(program.java)
        self._n_words = program.n_words
        self._process = WarmProgram(
            lambda requests, answers: build_command(program, launcher, requests, answers, is_shared=warm.is_shared),
            cwd=cwd,
            env=env,
            restart_every=warm.restart_every,
        )

    def play(
        self, argv: Sequence[str], settings: Mapping[str, str], *, limit_s: float, drains: Sequence[Drain]
    ) -> Ended:
        """Play the game of a whole command line. Raises OSError or ValueError if the JVM cannot be started."""
        words = argv[self._n_words :]
        return self._process.play(build_request(words), settings, limit_s=limit_s, drains=drains)

    def close(self) -> None:
        """End the JVM. Safe to call twice."""
        self._process.close()


# --------------------------------------------------------------------------------------- the launcher


def cache_folder() -> Path:
    """Give the folder of what is kept from run to run for warm referees, in the user's cache."""
    home = os.environ.get(_HOME) or ""
    root = Path(home) if home.startswith("/") else Path.home() / ".cache"
    return root / "harness" / "warm"


def launcher_key(java: str) -> str:
    """Give what the compiled launcher depends on: its source and the JVM."""
    real = os.path.realpath(java)
    try:
        state = os.stat(real)  # noqa: PTH116 - a plain name
    except OSError:
        raise WarmError(f"{java} is not there") from None
    key = blake2b(SOURCE.read_bytes(), digest_size=12)
    key.update(f"\0{real}\0{state.st_size}\0{state.st_mtime_ns}".encode())
    return key.hexdigest()


def compile_launcher(java: str) -> Path:
    """Give the folder with the launcher's classes, compiled by the JDK that `java` belongs to if nobody has yet.

    Raises WarmError, with the compiler's own words.
    """
    folder = cache_folder() / launcher_key(java)
    if (folder / _CLASS_FILE).is_file():
        return folder
    beside = Path(os.path.realpath(java)).with_name("javac")
    javac = str(beside) if beside.is_file() else shutil.which("javac")
    if javac is None:
        raise WarmError("there is no javac: the launcher has to be compiled once, by a JDK (11 or newer), not a JRE")
    part = folder.with_name(f"{folder.name}.{os.getpid()}")
    try:
        part.mkdir(parents=True, exist_ok=True)
        result = run_command((javac, "--release", "11", "-d", str(part), str(SOURCE)), str(part), _COMPILE_S)
        if result.exit_code:
            raise WarmError(
                f"{javac} cannot compile {SOURCE.name} (JDK 11 or newer is needed): {result.output.strip()}"
            )
        with contextlib.suppress(OSError):  # another process was first
            part.rename(folder)
    except (OSError, TimeoutError) as error:
        raise WarmError(f"the launcher cannot be compiled into {folder}: {error}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    if not (folder / _CLASS_FILE).is_file():
        raise WarmError(f"the launcher is not in {folder} though {javac} ended well")
    return folder
