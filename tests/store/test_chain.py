"""A file that several writers append to: nothing lost, nothing altered unnoticed, whatever a writer dies of."""

import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from harness.errors import LedgerError, ResultsError, StorageError
from harness.store import chain as chain_module
from harness.store.chain import has_torn_line, lock_chain, read_chain
from tests.store.scarce_disk import files_end_at, n_open_files


def fill(path: Path, *entries: str) -> None:
    for entry in entries:
        with lock_chain(path) as chain:
            chain.append({"word": entry})


def words(path: Path) -> list[bytes]:
    return [bytes(link.entry) for link in read_chain(path)]


def test_entries_follow_each_other(tmp_path: Path) -> None:
    path = tmp_path / "seeds" / "a.jsonl"
    before = n_open_files()
    fill(path, "one", "two")
    assert n_open_files() == before
    assert words(path) == [b'{"word":"one"}', b'{"word":"two"}']
    first, second = read_chain(path)
    assert (first.number, first.previous) == (0, "")
    assert (second.number, second.previous) == (1, first.digest)


def test_no_file_is_an_empty_chain(tmp_path: Path) -> None:
    assert list(read_chain(tmp_path / "none")) == []
    assert not has_torn_line(tmp_path / "none")


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [(b"two", b"too", 2), (b'"number":1', b'"number":2', 2), (b'"previous":""', b'"previous":"x"', 1)],
)
def test_an_altered_line_is_found(tmp_path: Path, old: bytes, new: bytes, line: int) -> None:
    path = tmp_path / "a.jsonl"
    fill(path, "one", "two", "three")
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    with pytest.raises(LedgerError, match="not what was written") as caught:
        list(read_chain(path))
    assert caught.value.where == f"{path}:{line}"
    with pytest.raises(LedgerError), lock_chain(path):
        pass


def test_a_missing_line_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    fill(path, "one", "two", "three")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[2])
    with pytest.raises(LedgerError) as caught:
        list(read_chain(path))
    assert caught.value.where == f"{path}:2"


def test_a_line_that_is_none_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"hello\n")
    with pytest.raises(ResultsError):
        list(read_chain(path))


def test_killed_at_any_byte_the_entries_before_count_and_the_next_follows(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    fill(path, "one", "two")
    whole = path.read_bytes()
    start = whole.index(b"\n") + 1
    for end in range(start, len(whole)):
        path.write_bytes(whole[:end])
        assert has_torn_line(path) is (end > start)
        assert words(path) == [b'{"word":"one"}']
        with lock_chain(path) as chain:
            assert chain.torn_bytes == end - start
            chain.append({"word": "next"})
        assert words(path) == [b'{"word":"one"}', b'{"word":"next"}']


def test_a_full_disk_leaves_the_chain_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    fill(path, "one")
    whole = path.read_bytes()
    with files_end_at(len(whole) + 10), lock_chain(path) as chain, pytest.raises(StorageError):
        chain.append({"word": "two"})
    assert path.read_bytes() == whole


def append_many(path: Path, name: str, n: int) -> None:
    fill(path, *(f"{name}-{number}" for number in range(n)))


def test_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=append_many, args=(path, name, 15)) for name in "abc"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(50)
        assert writer.exitcode == 0
    assert sorted(words(path)) == sorted(f'{{"word":"{name}-{n}"}}'.encode() for name in "abc" for n in range(15))


def append_for_ever(path: Path) -> None:
    number = 0
    while True:
        fill(path, str(number))
        number += 1


def test_a_killed_writer_leaves_no_lock_and_no_hole(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    context = multiprocessing.get_context("fork")
    for _ in range(4):
        before = len(words(path))
        writer = context.Process(target=append_for_ever, args=(path,))
        writer.start()
        while len(words(path)) < before + 3:
            os.sched_yield()
        assert writer.pid
        os.kill(writer.pid, signal.SIGKILL)
        writer.join(50)
    fill(path, "last")
    assert words(path)[-1] == b'{"word":"last"}'


def test_a_lock_that_never_comes_free_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.jsonl"
    monkeypatch.setattr(chain_module, "PATIENCE_S", 0.05)
    with lock_chain(path), pytest.raises(LedgerError, match="another program holds this file's lock"), lock_chain(path):
        pass


def test_a_folder_that_cannot_be_written_halts(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError), lock_chain(tmp_path / "file" / "a.jsonl"):
        pass
