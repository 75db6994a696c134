"""Append-only files of lines: what is in them after every kind of end."""

import os
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import ExitCode, ResultsError, StorageError
from harness.store.codec import decode_record, encode_line
from harness.store.journal import Journal, cut_torn_line, read_lines
from tests.report.made_records import duel_map
from tests.store.scarce_disk import files_end_at, n_open_files

BLOCK = 1 << 20


def number(line: bytes) -> int:
    return int(line)


def test_lines_are_there_when_append_returns(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "lines"
    journal = Journal(path)
    journal.append(b"1\n2\n")
    assert path.read_bytes() == b"1\n2\n"
    journal.append(b"3\n")
    assert list(read_lines(path, number)) == [1, 2, 3]
    journal.close()


def test_a_second_writer_goes_on_behind_the_first(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    for lines in (b"1\n", b"2\n3\n"):
        journal = Journal(path)
        journal.append(lines)
        journal.close()
    assert list(read_lines(path, number)) == [1, 2, 3]


def test_sync_reaches_the_disk_only_when_there_is_something_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fdatasync", synced.append)
    journal = Journal(tmp_path / "lines")
    journal.sync()
    assert synced == []
    journal.append(b"1\n")
    journal.sync()
    journal.sync()
    assert len(synced) == 1
    journal.append(b"2\n")
    journal.close()
    assert len(synced) == 2
    journal.close()


def test_a_write_taken_in_part_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    journal = Journal(path)
    journal.append(b"11\n22\n")
    with files_end_at(8), pytest.raises(StorageError) as caught:
        journal.append(b"3333\n")
    assert path.read_bytes() == b"11\n22\n"
    assert str(path) in str(caught.value)
    assert caught.value.exit_code is ExitCode.HALTED
    assert "it resumes" in str(caught.value)
    journal.append(b"44\n")  # there is room again
    assert list(read_lines(path, number)) == [11, 22, 44]
    journal.close()


def test_a_full_device_halts_even_if_nothing_can_be_taken_back() -> None:
    journal = Journal(Path("/dev/full"))
    with pytest.raises(StorageError, match="No space left on device"):
        journal.append(b"1\n")
    journal.close()


def test_a_sync_that_fails_halts_and_still_closes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    journal = Journal(tmp_path / "lines")
    journal.append(b"1\n")
    monkeypatch.setattr(os, "fdatasync", fail)
    before = n_open_files()
    with pytest.raises(StorageError, match="Input/output error"):
        journal.close()
    assert n_open_files() == before - 1


def test_a_folder_that_cannot_be_made_halts(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="file/lines"):
        Journal(tmp_path / "file" / "lines")


# ------------------------------------------------------------------------------------------------ torn lines


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        (b"", b""),
        (b"1\n", b"1\n"),
        (b"1\n2", b"1\n"),
        (b"1", b""),
        (b"\n", b"\n"),
        (b"1\n" + b"x" * (BLOCK - 1), b"1\n"),
        (b"1\n" + b"x" * (3 * BLOCK), b"1\n"),
        (b"x" * (2 * BLOCK), b""),
    ],
    ids=["empty", "whole", "torn", "all torn", "blank", "a block", "three blocks", "all of two blocks"],
)
def test_a_torn_last_line_is_cut_off(tmp_path: Path, content: bytes, kept: bytes) -> None:
    path = tmp_path / "lines"
    path.write_bytes(content)
    assert cut_torn_line(path) == len(content) - len(kept)
    assert path.read_bytes() == kept
    assert cut_torn_line(path) == 0


def test_no_file_has_no_torn_line(tmp_path: Path) -> None:
    assert cut_torn_line(tmp_path / "none") == 0
    assert not (tmp_path / "none").exists()


def test_a_file_that_cannot_be_cut_halts(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        cut_torn_line(tmp_path)


@given(st.lists(st.integers(), max_size=5), st.binary(max_size=8).filter(lambda tail: b"\n" not in tail))
def test_whatever_a_killed_writer_leaves_its_whole_lines_count(
    tmp_path_factory: pytest.TempPathFactory, numbers: list[int], tail: bytes
) -> None:
    path = tmp_path_factory.mktemp("torn") / "lines"
    whole = b"".join(b"%d\n" % value for value in numbers)
    path.write_bytes(whole + tail)
    assert list(read_lines(path, number)) == numbers
    assert cut_torn_line(path) == len(tail)
    assert path.read_bytes() == whole


# --------------------------------------------------------------------------------------------------- reading


def test_a_file_that_is_not_there_has_no_lines(tmp_path: Path) -> None:
    assert list(read_lines(tmp_path / "none", number)) == []


@pytest.mark.parametrize("bad", [b"two\n", b"\n", b"\xff\xfe\n"])
def test_any_other_bad_line_is_an_error_that_names_it(tmp_path: Path, bad: bytes) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"1\n" + bad + b"3\n")
    lines = read_lines(path, number)
    assert next(lines) == 1
    with pytest.raises(ResultsError) as caught:
        next(lines)
    assert caught.value.where == f"{path}:2"
    assert "played again" in str(caught.value)


def test_a_bad_line_is_shown_cut(tmp_path: Path) -> None:
    def refuse(line: bytes) -> int:
        raise ValueError("no number")

    path = tmp_path / "lines"
    path.write_bytes(b"x" * 10_000 + b"\n")
    with pytest.raises(ResultsError) as caught:
        list(read_lines(path, refuse))
    assert caught.value.got == f"'{'x' * 80}' (no number)"


def test_a_line_nested_without_end_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    line = encode_line(duel_map(0, ("a", "b"), 0.5, random.Random(0)))
    path.write_bytes(line + line.replace(b'{"', b'{"new":' + b"[" * 100_000 + b"]" * 100_000 + b',"', 1))
    with pytest.raises(ResultsError, match=r"lines:2: not a line"):
        list(read_lines(path, decode_record))


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="cannot be read") as caught:
        list(read_lines(tmp_path, number))
    assert caught.value.where == str(tmp_path)


def test_lines_stream(tmp_path: Path) -> None:
    """A reader sees what a writer appends behind its back, and never holds the whole file."""
    path = tmp_path / "lines"
    journal = Journal(path)
    journal.append(b"1\n")
    lines = read_lines(path, number)
    assert next(lines) == 1
    journal.append(b"2\n")
    assert next(lines) == 2
    assert list(lines) == []
    journal.close()
