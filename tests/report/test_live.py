"""Progress: when the view is redrawn, what a log gets instead, and what a frame holds."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.records import MapRecord
from harness.report.layout import Ink, Look, text_width
from harness.report.live import FRAME_S, LINE_S, LiveProgress, PlainProgress, Progress, QuietProgress, make_progress
from harness.report.live_view import Standing, frame, said
from harness.report.model import RunFacts, RunState, Summary
from harness.report.summary import SummaryBuilder
from tests.report.made_records import gauntlet, round_robin
from tests.report.strategies import record_lists

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
TERM = {"TERM": "xterm-256color", "COLUMNS": "100"}


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


class Stream(io.StringIO):
    """Collects what is written; a terminal if told so."""

    encoding = "utf-8"

    def __init__(self, *, tty: bool) -> None:
        super().__init__()
        self._tty = tty

    def isatty(self) -> bool:
        return self._tty


def made(
    *, tty: bool, env: dict[str, str] | None = None, quiet: bool = False
) -> tuple[Progress, Stream, Clock, SummaryBuilder]:
    stream, clock, summaries = Stream(tty=tty), Clock(), SummaryBuilder()
    return (
        make_progress(stream, TERM if env is None else env, summaries, quiet=quiet, clock=clock),
        stream,
        clock,
        summaries,
    )


def summary_of(records: list[MapRecord], planned: int = 1000) -> Summary:
    builder = SummaryBuilder()
    for record in records:
        builder.add(record)
    return builder.build(RunFacts("run", RunState.RUNNING, planned))


def test_nothing_heavy_is_imported_before_a_terminal_needs_it() -> None:
    code = (
        "import sys, harness.report.live, harness.report.terminal, harness.report.export, harness.report.verdict;"
        "print([name for name in ('rich', 'numpy', 'scipy', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("tty", "env", "kind"),
    [
        (True, TERM, LiveProgress),
        (True, {**TERM, "CI": "true"}, PlainProgress),
        (True, {**TERM, "CI": "0"}, LiveProgress),
        (True, {"TERM": "dumb"}, PlainProgress),
        (True, {}, PlainProgress),
        (False, TERM, PlainProgress),
        (False, {**TERM, "FORCE_COLOR": "1"}, PlainProgress),  # colour is no terminal
    ],
)
def test_the_view_is_redrawn_only_on_a_terminal(*, tty: bool, env: dict[str, str], kind: type) -> None:
    progress, *_ = made(tty=tty, env=env)
    assert type(progress) is kind


def test_quiet_shows_nothing_but_what_is_said() -> None:
    progress, stream, clock, summaries = made(tty=True, quiet=True)
    assert isinstance(progress, QuietProgress)
    play(progress, clock, summaries, gauntlet("cand", {"a": 0.6}, 5), step_s=100.0)
    progress.say("job 3 is void and will be played again")
    progress.stop()
    assert stream.getvalue() == "job 3 is void and will be played again\n"


def play(
    progress: Progress, clock: Clock, summaries: SummaryBuilder, records: list[MapRecord], *, step_s: float
) -> None:
    progress.start("nightly", n_planned=1200, n_done=12, n_workers=2)
    for record in records:
        clock.now_s += step_s
        summaries.add(record)
        progress.add(record)
        progress.tick()


def test_a_log_gets_a_line_at_the_start_one_a_minute_and_one_at_the_end() -> None:
    progress, stream, clock, summaries = made(tty=False)
    play(progress, clock, summaries, gauntlet("cand", {"a": 0.6}, 30), step_s=LINE_S / 10)
    progress.stop()
    progress.stop()
    lines = stream.getvalue().splitlines()
    assert lines[0] == "nightly: 1\u202f200 maps, 12 of them done before, 2 workers"
    assert len(lines) == 1 + 3 + 1
    assert lines[1].startswith("nightly 22/1200 maps, ")
    assert " Elo so far, band " in lines[1]
    assert "forfeits 0, voids 0, 0.33 games/s, about " in lines[1]
    assert lines[-1].startswith("nightly 42/1200 maps")
    assert "\r" not in stream.getvalue()
    assert "\x1b" not in stream.getvalue()


def test_a_log_of_several_opponents_has_the_score() -> None:
    records = gauntlet("cand", {"a": 0.9, "b": 0.9}, 60)
    line = said(summary_of(records), Standing("n", 500, 0, 2, 0.0), 10.0)
    assert re.match(r"n 0/500 maps, 8\d\.\d\u202f% so far, forfeits 0, voids 0$", line)
    pool = said(summary_of(round_robin({"a": 1.0, "b": 1.0, "c": 1.0}, 3)), Standing("n", 9, 9, 2, 0.0), 10.0)
    assert pool == "n 9/9 maps, forfeits 0, voids 0"


def test_frames_are_not_drawn_more_often_than_allowed() -> None:
    progress, stream, clock, summaries = made(tty=True)
    threads = threading.active_count()
    play(progress, clock, summaries, gauntlet("cand", {"a": 0.6}, 80), step_s=FRAME_S / 8)
    assert threading.active_count() == threads  # workers are forked: no thread may be alive
    text = stream.getvalue()
    assert text.count("elapsed") == 1 + 10
    progress.say("[bold]job 3[/bold] is void :warning:")
    progress.stop()
    progress.stop()
    whole = stream.getvalue()
    assert "[bold]job 3[/bold] is void :warning:" in whole
    assert whole.rstrip().endswith("\x1b[?25h") or "\x1b[?25h" in whole  # the cursor is shown again


def test_ticks_and_lines_before_the_start_are_harmless() -> None:
    for tty in (True, False):
        progress, stream, _, _ = made(tty=tty)
        progress.tick()
        progress.say("building territory_c")
        progress.stop()
        assert stream.getvalue() == "building territory_c\n"


def test_the_time_left_is_guessed_from_this_session_alone() -> None:
    standing = Standing("n", 1200, 600, 2, began_s=100.0)
    assert standing.left_s(160.0) is None
    for record in gauntlet("cand", {"a": 0.6}, 30):
        standing.add(record)
    assert standing.n_finished == 630
    assert standing.left_s(160.0) == pytest.approx(570 * 2.0)
    assert standing.games_per_s(160.0) == pytest.approx(1.0)


def test_the_worst_rows_are_never_the_hidden_ones() -> None:
    strengths = {f"bot{index}": 0.9 - 0.08 * index for index in range(11)}
    summary = summary_of(gauntlet("cand", strengths, 40))
    ranked = [row.opponent for row in summary.comparisons]
    text = frame(summary, Standing("n", 1000, 0, 2, 0.0), Look(100, height=18), 5.0)
    shown = [name for name in ranked if name and re.search(rf"\b{name}\b", text)]
    assert shown == [*ranked[:3], *ranked[-3:]]
    assert "5 more rows between" in text
    whole = frame(summary, Standing("n", 1000, 0, 2, 0.0), Look(100, height=30), 5.0)
    assert "more rows" not in whole


@pytest.mark.parametrize("width", [30, 60, 76, 80, 120])
def test_the_echo_of_two_ctrl_c_does_not_wrap_the_last_line(width: int) -> None:
    last = frame(summary_of([]), Standing("n", 9, 0, 2, 0.0), Look(width), 1.0).splitlines()[-1]
    assert last.startswith("Ctrl-C: finish")
    assert len(last + "^C^C") <= width


@given(record_lists(max_maps=8), st.integers(30, 160), st.integers(10, 50), st.booleans(), st.sampled_from(Ink))
@settings(max_examples=50)
def test_a_frame_fits_the_terminal(records: list[MapRecord], width: int, height: int, unicode: bool, ink: Ink) -> None:
    standing = Standing("a-run-with-a-name", 1000, 3, 2, 0.0)
    for record in records:
        standing.add(record)
    text = frame(summary_of(records), standing, Look(width, ink, unicode, height), 33.0)
    for line in text.split("\n"):
        bare = ESCAPE.sub("", line)
        assert text_width(bare) <= width, bare
        assert "nan" not in bare
        if not unicode:
            assert bare.isascii()
    assert "interval" not in text
    assert text.count("\n") < max(height, 20)
