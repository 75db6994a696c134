"""The end block as it is on the screen: kept pages, and what must hold at every width and for every run."""

from __future__ import annotations

import io
import os
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.records import FaultKind, MapRecord
from harness.report.layout import Ink, Look, look_of, text_width
from harness.report.model import HaltFacts, RunFacts, RunState
from harness.report.summary import SummaryBuilder
from harness.report.terminal import render_summary
from harness.report.verdict import judge
from tests.report.made_records import gauntlet, mirrored, round_robin, with_fault
from tests.report.pages import DONE, GOLDEN, PAGES, build, panel_with_trouble
from tests.report.strategies import record_lists

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
COLOUR = re.compile(r"\x1b\[[0-9;]*(?:[34]8;|3[0-7]|4[0-7])")
WHOLE_LINES = ("record", "again", "go on", "watch")


@pytest.mark.parametrize("name", PAGES)
def test_kept_pages(name: str) -> None:
    kept = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    assert PAGES[name]() + "\n" == kept, (
        "write them anew with `python -m tests.report.pages` and look at the difference"
    )


def test_every_kept_page_is_still_made() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(PAGES)


def lines_of(records: list[MapRecord], facts: RunFacts, look: Look, *, details: bool = True) -> list[str]:
    builder = SummaryBuilder()
    for record in records:
        builder.add(record)
    summary = builder.build(facts)
    return render_summary(summary, judge(summary), look, details=details).split("\n")


@given(
    records=record_lists(max_maps=6),
    width=st.integers(72, 200),
    unicode=st.booleans(),
    ink=st.sampled_from(Ink),
    state=st.sampled_from(RunState),
    planned=st.one_of(st.none(), st.integers(0, 12)),
)
@settings(max_examples=60)
def test_no_line_is_wider_than_the_terminal(
    records: list[MapRecord], width: int, *, unicode: bool, ink: Ink, state: RunState, planned: int | None
) -> None:
    facts = RunFacts("any", state, planned, results="results/" + "x" * 90, again="harness run any.yaml")
    facts = replace(facts, halt=HaltFacts("it had to"))
    for line in lines_of(records, facts, Look(width, ink, unicode)):
        bare = ESCAPE.sub("", line)
        if not bare.strip().startswith(WHOLE_LINES):
            assert text_width(bare) <= width, bare
        assert "\x1b" not in bare
        assert "nan" not in bare
        if not unicode:
            assert bare.isascii()
        if ink is Ink.NONE:
            assert line == bare.rstrip(" ")
        if ink is Ink.MONO:
            assert not COLOUR.search(line)


def test_long_names_are_cut_and_wide_ones_measured() -> None:
    long = "cand-" + "x" * 60
    records = gauntlet(long, {"漢字の名前" * 8: 0.7, "é" * 50: 0.5}, 10)
    for width in (60, 80, 110, 160):
        lines = lines_of(records, DONE, Look(width))
        table = [line for line in lines if line.startswith(("▲  ", "·  "))]
        assert len(table) == 3
        assert all("…" in line for line in table[:2])
        assert all(text_width(line) <= width for line in table)


def test_names_cannot_steer_the_terminal() -> None:
    records = gauntlet("cand", {"\x1b[2Jevil\n": 0.5}, 4)
    text = "\n".join(lines_of(records, DONE, Look(120)))
    assert "\x1b" not in text
    assert r"\x1b[2Jevil\n" in text


def test_what_bots_say_cannot_steer_the_terminal() -> None:
    records = [with_fault(gauntlet("cand", {"a": 0.5}, 1)[0], 1, FaultKind.ILLEGAL, "\x1b]0;owned\x07" + "z" * 500)]
    text = "\n".join(lines_of(records, DONE, Look(120)))
    assert "\x1b" not in text
    assert "zzz…" in text


def test_names_do_not_break_at_their_hyphens() -> None:
    records = gauntlet("cand-7-with-a-long-name", {"champ-6-of-another-branch": 0.9}, 60)
    for width in (30, 45, 60, 75):
        text = "\n".join(lines_of(records, DONE, Look(width)))
        assert not re.search(r"-\n", text)


def test_the_verdict_is_said_again_below_a_tall_block() -> None:
    records = panel_with_trouble()
    tall = lines_of(records, DONE, Look(120, height=20))
    assert tall[-1] == tall[0]
    assert tall[-2] == ""
    high = lines_of(records, DONE, Look(120, height=100))
    assert high[-1] != high[0]


def test_unfinished_runs_show_no_plain_interval() -> None:
    records = gauntlet("cand", {"a": 0.6, "b": 0.5}, 20)
    text = "\n".join(lines_of(records, replace(DONE, state=RunState.RUNNING, planned=99), Look(120)))
    assert "band" in text
    assert "Wilson" not in text
    assert "interval" not in text
    assert "So far, not a result" in text
    pool = round_robin({"a": 1.0, "b": 1.0, "c": 1.0}, 10)
    text = "\n".join(lines_of(pool, replace(DONE, state=RunState.RUNNING, planned=99), Look(120)))
    assert "│" not in text  # no strip without bands


def test_details_can_be_left_out() -> None:
    records = gauntlet("cand", {"a": 0.6, "b": 0.5}, 20)
    short, full = (lines_of(records, DONE, Look(120), details=details) for details in (False, True))
    assert len(short) < len(full)
    assert not any("Time per ply" in line or line.strip().startswith("played") for line in short)
    assert any("look at" in line for line in short)


def test_an_even_result_between_copies_is_not_called_usual() -> None:
    text = build(mirrored(("a", "b"), 10), DONE, Look(100))
    assert "Nothing unusual" not in text
    assert "Nothing unusual" in build(gauntlet("cand", {"a": 0.5}, 10), DONE, Look(100))


# ------------------------------------------------------------------------------------------- what a stream can do


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal, without one behind it."""

    def __init__(self, *, tty: bool = True, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding=encoding)
        self._tty = tty

    def isatty(self) -> bool:
        return self._tty


@pytest.mark.parametrize(
    ("tty", "env", "ink"),
    [
        (True, {"TERM": "xterm-256color"}, Ink.COLOR),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, Ink.MONO),
        (True, {"TERM": "dumb"}, Ink.NONE),
        (False, {"TERM": "xterm"}, Ink.NONE),
        (False, {"FORCE_COLOR": "1"}, Ink.COLOR),
        (False, {"FORCE_COLOR": "0"}, Ink.NONE),
        (False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, Ink.NONE),
    ],
)
def test_ink(*, tty: bool, env: dict[str, str], ink: Ink) -> None:
    assert look_of(Terminal(tty=tty), env).ink is ink


def test_width_and_glyphs() -> None:
    assert look_of(Terminal(tty=False), {}).width == 80
    assert look_of(Terminal(tty=False), {"COLUMNS": "133"}).width == 133
    assert look_of(Terminal(tty=False), {"COLUMNS": "nonsense"}).width == 80
    assert look_of(Terminal(tty=False), {"COLUMNS": "3"}).width == 20
    assert look_of(Terminal(tty=False), {}).height is None
    assert look_of(Terminal(encoding="utf-8"), {}).unicode
    assert not look_of(Terminal(encoding="latin-1"), {}).unicode
    assert not look_of(Terminal(encoding="ascii"), {}).unicode


def test_a_real_terminal_is_measured() -> None:
    leader, follower = os.openpty()
    try:
        os.set_blocking(leader, False)
        import fcntl
        import struct
        import termios

        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 101, 0, 0))
        with os.fdopen(follower, "w", encoding="utf-8") as stream:
            look = look_of(stream, {"TERM": "xterm"})
        assert (look.width, look.height, look.ink) == (101, 33, Ink.COLOR)
    finally:
        os.close(leader)
