"""Progress while a run plays: a view that is redrawn on a terminal, plain lines elsewhere, nothing on request.

All of it is driven by the caller: no thread, no timer, no signal, since the workers are forked from this process.
Numbers shown here are always "so far", with the always-valid band and never a plain interval. Must not decide anything.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Protocol, TextIO

from harness.records import MapRecord
from harness.report import numbers
from harness.report.layout import Look, look_of
from harness.report.live_view import Standing, frame, said
from harness.report.model import RunFacts, RunState, Summary
from harness.report.summary import SummaryBuilder

if TYPE_CHECKING:
    from rich.live import Live

FRAME_S = 0.5
"""Two frames a second: with a worker on every core a frame takes its time from the bots."""

LINE_S = 60.0
DEFAULT_HEIGHT = 24

Clock = Callable[[], float]
"""Seconds that never go back."""


class Progress(Protocol):
    """Shows how a run goes. The caller feeds the `SummaryBuilder`; `add` only tells of the latest map."""

    def start(self, name: str, *, n_planned: int, n_done: int, n_workers: int) -> None:
        """Begin to show: `n_done` of `n_planned` maps were played before."""

    def add(self, record: MapRecord) -> None:
        """Take note of a map that was just finished."""

    def tick(self) -> None:
        """Redraw if it is time to. Cheap otherwise."""

    def say(self, text: str) -> None:
        """Write a line that stays, above whatever is redrawn."""

    def stop(self) -> None:
        """End; harmless when called twice or before `start`."""


def make_progress(
    stream: TextIO,
    env: Mapping[str, str],
    summaries: SummaryBuilder,
    *,
    quiet: bool = False,
    clock: Clock = monotonic,
) -> Progress:
    """Choose how to show progress: redrawn only where `stream` is a terminal and CI is not set."""
    if quiet:
        return QuietProgress(stream)
    if is_live(stream, env):
        return LiveProgress(stream, env, summaries, clock)
    return PlainProgress(stream, env, summaries, clock)


def is_live(stream: TextIO, env: Mapping[str, str]) -> bool:
    """Say whether a view may be redrawn on a stream. FORCE_COLOR has no say in it."""
    in_ci = env.get("CI", "").lower() not in {"", "0", "false"}
    return stream.isatty() and not in_ci and env.get("TERM", "dumb") != "dumb"


class QuietProgress:
    """Shows nothing; what is said still is, since that is about trouble."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def start(self, name: str, *, n_planned: int, n_done: int, n_workers: int) -> None:
        """Do nothing."""

    def add(self, record: MapRecord) -> None:
        """Do nothing."""

    def tick(self) -> None:
        """Do nothing."""

    def say(self, text: str) -> None:
        """Write the line."""
        _write(self._stream, text)

    def stop(self) -> None:
        """Do nothing."""


class _Watch(ABC):
    """What plain lines and the redrawn view have in common: the run's standing and when it was shown last."""

    def __init__(self, stream: TextIO, env: Mapping[str, str], summaries: SummaryBuilder, clock: Clock) -> None:
        self._stream = stream
        self._env = env
        self._summaries = summaries
        self._clock = clock
        self._standing: Standing | None = None
        self._shown_s = 0.0

    def start(self, name: str, *, n_planned: int, n_done: int, n_workers: int) -> None:
        """Begin to show."""
        now_s = self._clock()
        self._standing = Standing(name, n_planned, n_done, n_workers, began_s=now_s, unit=self._summaries.unit)
        self._shown_s = now_s
        self._begin(self._standing)

    def add(self, record: MapRecord) -> None:
        """Take note of a finished map."""
        if self._standing is not None:
            self._standing.add(record)

    @abstractmethod
    def _begin(self, standing: Standing) -> None:
        """Show that play begins."""

    def _summary(self, standing: Standing) -> Summary:
        facts = RunFacts(name=standing.name, state=RunState.RUNNING, planned=standing.n_planned)
        return self._summaries.build(facts)

    def _look(self) -> Look:
        return look_of(self._stream, self._env)


class PlainProgress(_Watch):
    """One line at the start, one a minute, one at the end: for logs, pipes and CI."""

    def _begin(self, standing: Standing) -> None:
        done = f", {numbers.count(standing.n_done)} of them done before" if standing.n_done else ""
        maps = numbers.counted(standing.n_planned, standing.unit)
        self.say(f"{standing.name}: {maps}{done}, {numbers.counted(standing.n_workers, 'worker')}")

    def tick(self) -> None:
        """Write a line if a minute has passed."""
        if self._standing is not None and self._clock() - self._shown_s >= LINE_S:
            self._line(self._standing)

    def say(self, text: str) -> None:
        """Write a line."""
        look = self._look()
        _write(self._stream, "\n".join(look.clean(line) for line in text.splitlines()))

    def stop(self) -> None:
        """Write the last line."""
        if self._standing is not None:
            self._line(self._standing)
            self._standing = None

    def _line(self, standing: Standing) -> None:
        self._shown_s = self._clock()
        self.say(said(self._summary(standing), standing, self._shown_s))


class LiveProgress(_Watch):
    """A view that is redrawn in place, at most once in FRAME_S, and wiped when the run ends."""

    def __init__(self, stream: TextIO, env: Mapping[str, str], summaries: SummaryBuilder, clock: Clock) -> None:
        super().__init__(stream, env, summaries, clock)
        self._live: Live | None = None

    def _begin(self, standing: Standing) -> None:
        from rich.console import Console  # noqa: PLC0415 - 60 ms that only a terminal pays
        from rich.live import Live  # noqa: PLC0415

        console = Console(file=self._stream, force_terminal=True, color_system="256", highlight=False, emoji=False)
        self._live = Live(
            console=console,
            auto_refresh=False,  # a thread and forked workers do not go together
            redirect_stdout=False,
            redirect_stderr=False,
            transient=True,
            vertical_overflow="crop",
        )
        self._live.start()
        self._draw(standing)

    def tick(self) -> None:
        """Draw a frame if it is time."""
        if self._standing is not None and self._clock() - self._shown_s >= FRAME_S:
            self._draw(self._standing)

    def say(self, text: str) -> None:
        """Write a line above the view."""
        look = self._look()
        lines = "\n".join(look.clean(line) for line in text.splitlines())
        if self._live is None:
            _write(self._stream, lines)
        else:
            self._live.console.print(lines, markup=False)

    def stop(self) -> None:
        """Wipe the view."""
        if self._live is not None:
            self._live.stop()
            self._live = None
        self._standing = None

    def _draw(self, standing: Standing) -> None:
        from rich.text import Text  # noqa: PLC0415

        if self._live is None:
            return
        self._shown_s = self._clock()
        look = self._look()
        console = self._live.console
        console.width, console.height = look.width, look.height or DEFAULT_HEIGHT  # it may have been resized
        text = frame(self._summary(standing), standing, look, self._shown_s)
        self._live.update(Text.from_ansi(text, no_wrap=True, overflow="crop"), refresh=True)


def _write(stream: TextIO, line: str) -> None:
    stream.write(line + "\n")
    stream.flush()
