"""GNU Go as an oracle of the rules, over GTP: written here anew, with nothing of the harness's own protocol."""

from __future__ import annotations

import shutil
import subprocess
from types import TracebackType
from typing import Self

PATH = "/usr/local/games:/usr/games:/usr/bin"


class GnuGo:
    """A running GNU Go. Missing it is a failure that says what to install."""

    def __init__(self, *words: str) -> None:
        program = shutil.which("gnugo", path=PATH)
        assert program is not None, "gnugo is not installed: apt install gnugo"
        self._process = subprocess.Popen(
            [program, "--mode", "gtp", "--chinese-rules", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate(timeout=20)

    def try_say(self, command: str) -> tuple[bool, str]:
        """Say a command; give whether it was done, and the answer."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        lines: list[str] = []
        while (line := self._process.stdout.readline()) != "\n" or not lines:
            assert line, "GNU Go has gone"
            if line != "\n":
                lines.append(line.rstrip("\n"))
        text = "\n".join(lines)
        return text[0] == "=", text[1:].strip()

    def say(self, command: str) -> str:
        """Say a command that has to be done."""
        is_done, text = self.try_say(command)
        assert is_done, f"{command}: {text}"
        return text

    def stones(self) -> dict[str, str]:
        """Give the board: colour by point."""
        return {
            point: color for color in ("black", "white") for point in self.say(f"list_stones {color}").split() if point
        }
