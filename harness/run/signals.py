"""Ctrl-C once: finish what is being played. Twice: stop now. SIGTERM and a closed terminal count the same.

A signal that was ignored before stays ignored, so that `nohup` does what it says.
"""

from __future__ import annotations

import signal
from types import FrameType
from typing import Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopRequests:
    """Counts stop signals while active; the loop looks at `count`. Use as a context manager."""

    def __init__(self) -> None:
        self.count = 0
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Self:
        for number in _SIGNALS:
            if signal.getsignal(number) is signal.SIG_IGN:
                continue
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _note(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.count += 1
