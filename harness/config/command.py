"""Commands as users write them: splitting without a shell, placeholders, and finding the program.

Touches the file system only to look for programs. Errors are `CommandError`; the caller knows the file and line.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from harness.config.content import is_file, is_folder

GAME_FOLDERS = ("/usr/local/games", "/usr/games")
"""Where Debian puts games and engines; searched after PATH, since root's PATH lacks them."""

_SHELL = "|&;<>()$`"


class CommandError(ValueError):
    """A command can't be used: what is wrong, what is allowed, what to do."""

    def __init__(
        self, what: str, *, got: str | None = None, allowed: str | None = None, next_step: str | None = None
    ) -> None:
        super().__init__(what)
        self.what = what
        self.got = got
        self.allowed = allowed
        self.next_step = next_step


def split_command(command: str | Sequence[str]) -> tuple[str, ...]:
    """Give the words of a command written as a list or as one string with POSIX quotes.

    Raises CommandError for unbalanced quotes, no words, NUL, and for what only a shell would understand.
    """
    if isinstance(command, str):
        sign = _shell_sign(command)
        if sign:
            raise CommandError(
                f"there is no shell here to understand `{sign}`",
                got=command,
                next_step="put it in 'single quotes' if it is meant as such, or write [sh, -c, …] to get a shell",
            )
        try:
            words = tuple(shlex.split(command))
        except ValueError as error:
            raise CommandError(
                f"the quotes do not balance ({error})".lower(), got=command, next_step="close them, or write a list"
            ) from None
    else:
        words = tuple(command)
    if not words or not words[0].strip():
        raise CommandError("the command is empty", next_step="write the program and its arguments")
    if any("\0" in word for word in words):
        raise CommandError("a word of the command has a NUL character in it")
    return words


def _shell_sign(text: str) -> str | None:
    """Give the first character that a shell would act on: outside quotes, or `$` and backtick in double quotes."""
    quote = ""
    escaped = False
    for char in text:
        if escaped:
            if quote and char in "$`":  # a shell drops this backslash, shlex keeps it
                return char
            escaped = False
        elif char == "\\" and quote != "'":
            escaped = True
        elif char == quote:
            quote = ""
        elif not quote and char in "'\"":
            quote = char
        elif char in (_SHELL if not quote else "$`" if quote == '"' else ""):
            return char
    return None


def fill_words(words: Sequence[str], folder: Path) -> tuple[str, ...]:
    """Put the interpreter in place of `{python}` and the folder in place of `{folder}`."""
    return tuple(word.replace("{python}", sys.executable).replace("{folder}", str(folder)) for word in words)


def search_path() -> str:
    """Give the folders in which programs are looked for: PATH, then the two for games."""
    return os.pathsep.join([os.environ.get("PATH", os.defpath), *GAME_FOLDERS])


def find_program(word: str, base: Path) -> Path | None:
    """Find a program: relative to `base` if it has a slash or lies there, else on the search path. None if not found.

    Raises CommandError if the file is there but can't be run. The path is absolute but not resolved: a program
    may look at the name it was called by.
    """
    near = base / word
    if "/" in word or is_file(near):
        if is_folder(near):
            raise CommandError("the program is a folder, not a file", got=str(near))
        if not is_file(near):
            return None
        if not os.access(near, os.X_OK):
            raise CommandError(
                "the program is not executable",
                got=str(near),
                next_step=f"chmod +x {near}, or name its interpreter: [{{python}}, {word}]",
            )
        return Path(os.path.normpath(near))
    found = shutil.which(word, path=search_path())
    return Path(os.path.abspath(found)) if found else None  # noqa: PTH100 - no symlinks followed


def resolve_command(words: Sequence[str], base: Path, *, must_exist: bool = True) -> tuple[str, ...]:
    """Fill a command's words and make its first word an absolute path.

    Raises CommandError if there is no such program and `must_exist`; without it the program is taken to be in `base`.
    """
    first, *rest = fill_words(words, base)
    program = find_program(first, base)
    if program is None:
        if must_exist:
            places = str(base / first) if "/" in first else f"{base}, PATH, {', '.join(GAME_FOLDERS)}"
            raise CommandError(
                "there is no such program",
                got=first,
                next_step=f"install it or correct the path; looked in {places}"
                if "/" not in first
                else f"correct the path; looked for {places}",
            )
        program = Path(os.path.normpath(base / first))
    return (str(program), *rest)
