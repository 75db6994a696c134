"""Counting repeated games in fixed memory."""

from __future__ import annotations

import random
import sys

import pytest

from harness.report import repeats
from harness.report.repeats import RepeatCounter, group_key


def test_counts_like_a_set() -> None:
    source = random.Random(1)
    counter = RepeatCounter()
    seen: set[tuple[bytes, str]] = set()
    groups = [group_key(("a", "b")), group_key(("a", "c"))]
    for _ in range(20_000):
        game = (source.choice(groups), f"b2:{source.randrange(8_000):032x}")
        assert counter.is_repeat(*game) == (game in seen)
        seen.add(game)
    assert counter.is_exact


def test_a_group_is_a_set_of_names() -> None:
    assert group_key(("a", "b")) == group_key(("b", "a"))
    assert group_key(("a", "b")) != group_key(("a", "bb"))


def test_a_full_table_gives_a_lower_bound_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "SLOTS", 64)
    monkeypatch.setattr(repeats, "CAPACITY", 48)
    counter = RepeatCounter()
    group = group_key(("a", "b"))
    assert not any(counter.is_repeat(group, f"{index}") for index in range(48))
    full = counter.is_exact
    assert not counter.is_repeat(group, "new")
    assert not counter.is_repeat(group, "new")  # not remembered
    assert (full, counter.is_exact) == (True, False)
    assert all(counter.is_repeat(group, f"{index}") for index in range(48))


def test_memory_does_not_grow_with_the_games() -> None:
    counter = RepeatCounter()
    before = sys.getsizeof(counter._slots)
    for index in range(5_000):
        counter.is_repeat(b"g", str(index))
    assert sys.getsizeof(counter._slots) == before
    assert before < 2_500_000
