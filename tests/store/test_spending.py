"""Seeds: free, counted, or spent once; the same decision gets the same, another one never a spent one."""

import multiprocessing
import os
import random
import signal
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import ExitCode, LedgerError, SeedsUsedUp, SpentError
from harness.records import Ledger, SeedRange
from harness.store.spending import (
    Decision,
    check_spent,
    close,
    count_left,
    draw,
    read_spent,
    spent_path,
)


def ledger(folder: Path, validation: int = 100, test: int = 50) -> Ledger:
    ranges = (
        ("train", SeedRange(0, 99)),
        ("validation", SeedRange(1000, 1000 + validation - 1)),
        ("test", SeedRange(2000, 2000 + test - 1)),
    )
    return Ledger("cycles", "generator", str(folder / "cycles.yaml"), ranges)


def decision(
    run: str = "night-1", purpose: str = "confirm", candidate: str = "cand", lineage: str = "main"
) -> Decision:
    return Decision(
        lineage=lineage,
        run=run,
        purpose=purpose,
        candidate=candidate,
        candidate_fingerprint=f"print of {candidate}",
        config="print of config",
        rule="score of 0.52 over 128 maps",
        opponents=("champ",),
    )


def test_the_record_lies_beside_the_ledger(tmp_path: Path) -> None:
    assert spent_path(ledger(tmp_path)) == tmp_path / "cycles.spent.jsonl"


# ---------------------------------------------------------------------------------------------------- train


def test_train_seeds_are_free_and_not_recorded(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    first, second = draw(book, "train", 10, decision()), draw(book, "train", 10, decision("other"))
    assert first.seeds == second.seeds == SeedRange(0, 9)
    assert draw(book, "train", 10, decision(), n_taken=10).seeds == SeedRange(10, 19)
    assert first.number is None
    assert not spent_path(book).exists()
    close(book, first, 10, "promoted")
    assert not spent_path(book).exists()
    with pytest.raises(SeedsUsedUp):
        draw(book, "train", 95, decision(), n_taken=10)


# ----------------------------------------------------------------------------------------------- validation


def test_validation_seeds_go_on_behind_the_last_draw(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    assert draw(book, "validation", 40, decision("a")).seeds == SeedRange(1000, 1039)
    assert draw(book, "validation", 40, decision("b")).seeds == SeedRange(1040, 1079)
    third = draw(book, "validation", 40, decision("c"))  # 20 are left: from the start again, and said
    assert third.seeds == SeedRange(1000, 1039)
    assert third.n_selections == 1
    assert read_spent(book)[2].spending.n_selections == 1


def test_selections_are_counted_by_lineage(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    for number in range(5):
        drawn = draw(book, "validation", 100, decision(f"run {number}"))
        assert drawn.n_selections == number
    assert draw(book, "validation", 100, decision("x", lineage="other")).n_selections == 0


def test_the_same_decision_gets_the_same_seeds(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    first = draw(book, "validation", 40, decision("a"))
    draw(book, "validation", 40, decision("b"))
    again = draw(book, "validation", 40, decision("a"))
    assert (again.seeds, again.digest, again.was_there) == (first.seeds, first.digest, True)
    assert len(read_spent(book)) == 2


def test_stages_of_one_gate_are_on_maps_of_their_own(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    draw(book, "validation", 60, decision("other"))
    confirm = draw(book, "validation", 60, decision("a", "confirm"))
    assert confirm.seeds == SeedRange(1000, 1059)
    panel = draw(book, "validation", 40, decision("a", "panel"))
    assert panel.seeds == SeedRange(1060, 1099)
    with pytest.raises(SeedsUsedUp) as caught:
        draw(book, "validation", 1, decision("a", "final"))
    assert (caught.value.n_left, caught.value.n_needed) == (0, 1)
    assert caught.value.exit_code is ExitCode.NO_VERDICT


def test_what_a_sequential_stage_did_not_play_comes_back(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    drawn = draw(book, "validation", 80, decision("a"))
    close(book, drawn, 30, "promoted")
    close(book, drawn, 80, "promoted")  # once is enough
    assert draw(book, "validation", 60, decision("b")).seeds == SeedRange(1030, 1089)
    assert draw(book, "validation", 60, decision("b")).n_selections == 0
    assert [entry.spending.closes for entry in read_spent(book)] == [None, 0, None]
    assert count_left(book, "validation", read_spent(book)) == 10


def test_a_decision_made_again_is_another_selection(tmp_path: Path) -> None:
    book = ledger(tmp_path, validation=40)
    close(book, draw(book, "validation", 40, decision()), 40, "rejected")
    again = draw(book, "validation", 40, decision())
    assert (again.n_selections, again.was_there) == (1, False)


# ----------------------------------------------------------------------------------------------------- test


def test_a_test_seed_serves_once(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    first = draw(book, "test", 20, decision("a"))
    assert first.seeds == SeedRange(2000, 2019)
    assert draw(book, "test", 20, decision("b")).seeds == SeedRange(2020, 2039)
    with pytest.raises(SpentError) as caught:
        draw(book, "test", 20, decision("c"), first=2010)
    message = str(caught.value)
    assert f"{spent_path(book)}:1" in message
    assert "seeds 2000 to 2019" in message
    assert "by run a: confirm of cand for lineage main" in message
    with pytest.raises(SeedsUsedUp) as used_up:
        draw(book, "test", 20, decision("c"))
    assert (used_up.value.n_left, used_up.value.n_needed) == (10, 20)
    assert draw(book, "test", 10, decision("c")).seeds == SeedRange(2040, 2049)


def test_a_test_is_resumed_until_its_verdict_and_never_after(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    first = draw(book, "test", 20, decision())
    assert draw(book, "test", 20, decision()).was_there
    close(book, first, 5, "rejected")
    with pytest.raises(SpentError, match="have served theirs"):
        draw(book, "test", 20, decision())
    assert draw(book, "test", 20, decision("b")).seeds == SeedRange(2020, 2039)  # unplayed ones stay spent


def test_the_rule_is_on_record_before_the_seeds_are_known(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    drawn = draw(book, "test", 20, decision())
    (entry,) = read_spent(book)
    assert entry.digest == drawn.digest
    assert entry.spending.decision == decision()
    assert entry.spending.decision.rule == "score of 0.52 over 128 maps"


@given(st.lists(st.tuples(st.sampled_from(["validation", "test"]), st.integers(1, 15)), max_size=15))
@settings(max_examples=25)
def test_no_test_seed_is_ever_given_twice(
    tmp_path_factory: pytest.TempPathFactory, wanted: list[tuple[str, int]]
) -> None:
    book = ledger(tmp_path_factory.mktemp("ledger"))
    given_out: set[int] = set()
    for number, (split, n) in enumerate(wanted):
        try:
            drawn = draw(book, split, n, decision(str(number)))
        except SeedsUsedUp:
            continue
        seeds = set(range(drawn.seeds.first, drawn.seeds.last + 1))
        assert len(seeds) == n
        if split == "test":
            assert not seeds & given_out
            given_out |= seeds
    assert check_spent(book) == []
    assert count_left(book, "test", read_spent(book)) == 50 - len(given_out)


# ------------------------------------------------------------------------------------------ what goes wrong


@pytest.mark.parametrize(("split", "first"), [("train", 95), ("validation", 999), ("test", 2045)])
def test_seeds_outside_the_split_are_refused(tmp_path: Path, split: str, first: int) -> None:
    with pytest.raises(LedgerError, match=f"not in the {split} split"):
        draw(ledger(tmp_path), split, 10, decision(), first=first)


def test_nothing_is_not_drawn(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="nothing to draw"):
        draw(ledger(tmp_path), "train", 0, decision())


def test_a_moved_range_is_noticed(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    draw(book, "test", 20, decision())
    moved = Ledger(book.name, book.feeds, book.path, (*book.ranges[:2], ("test", SeedRange(2010, 2049))))
    (line,) = check_spent(moved)
    assert "the range was moved after they were used" in line
    gone = Ledger(book.name, book.feeds, book.path, book.ranges[:2])
    assert "no split 'test'" in check_spent(gone)[0]


def test_a_torn_line_is_said_and_cut_off(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    draw(book, "test", 20, decision("a"))
    with spent_path(book).open("ab") as file:
        file.write(b'{"number":1,"ti')
    assert "torn" in check_spent(book)[0]
    drawn = draw(book, "test", 20, decision("b"))
    assert drawn.torn_bytes == 15
    assert drawn.seeds == SeedRange(2020, 2039)
    assert check_spent(book) == []


def test_an_entry_of_another_version_is_refused(tmp_path: Path) -> None:
    from harness.store.chain import lock_chain

    book = ledger(tmp_path)
    draw(book, "test", 5, decision())
    spending = msgspec.to_builtins(read_spent(book)[0].spending)
    with lock_chain(spent_path(book)) as chain:
        chain.append({**spending, "schema": 9})
    with pytest.raises(LedgerError, match="another version"):
        read_spent(book)
    other = ledger(tmp_path / "b")
    with lock_chain(spent_path(other)) as chain:
        chain.append({"hello": 1})
    with pytest.raises(LedgerError, match="no entry of a ledger"):
        read_spent(other)


def test_a_test_seed_that_served_twice_is_found(tmp_path: Path) -> None:
    from harness.store.chain import lock_chain

    book = ledger(tmp_path)
    draw(book, "test", 5, decision())
    spending = msgspec.to_builtins(read_spent(book)[0].spending)
    with lock_chain(spent_path(book)) as chain:
        chain.append(spending)
    assert check_spent(book) == [f"{spent_path(book)}:2: test seeds that entry 0 had spent"]


def draw_all(book: Ledger, name: str) -> None:
    for number in range(6):
        draw(book, "test", 2, decision(f"{name}-{number}"))


def test_runs_at_once_share_no_test_seed(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    context = multiprocessing.get_context("fork")
    runs = [context.Process(target=draw_all, args=(book, name)) for name in "abcd"]
    for run in runs:
        run.start()
    for run in runs:
        run.join(50)
        assert run.exitcode == 0
    assert check_spent(book) == []
    assert len(read_spent(book)) == 24


def draw_for_ever(book: Ledger, seed: int) -> None:
    number = 0
    while True:
        draw(book, "validation", 3, decision(f"{seed}-{number}"))
        number += 1


def test_a_run_killed_while_it_draws_loses_nobody_a_seed(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    context = multiprocessing.get_context("fork")
    rng = random.Random(7)
    for seed in range(4):
        before = len(read_spent(book))
        run = context.Process(target=draw_for_ever, args=(book, seed))
        run.start()
        while len(read_spent(book)) < before + rng.randrange(1, 4):
            os.sched_yield()
        assert run.pid
        os.kill(run.pid, signal.SIGKILL)
        run.join(50)
    draw(book, "validation", 3, decision("after"))
    assert check_spent(book) == []
