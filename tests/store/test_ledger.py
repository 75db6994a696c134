from pathlib import Path

import pytest

from harness.errors import ConfigError
from harness.records import Ledger, SeedRange
from harness.store.ledger import read_ledger

GOOD = """\
name: cycles
feeds: generator
train: {from: 0, to: 9}
validation: {from: 10, to: 19}
test: {from: -9223372036854775808, to: -1}
"""


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "seeds.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_a_ledger_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD)
    ledger = read_ledger(path)
    assert ledger == Ledger(
        "cycles",
        "generator",
        str(path),
        (
            ("train", SeedRange(0, 9)),
            ("validation", SeedRange(10, 19)),
            ("test", SeedRange(-(2**63), -1)),
        ),
    )
    assert ledger.range_of("train").size == 10
    assert ledger.range_of("test").size == 2**63
    with pytest.raises(KeyError):
        ledger.range_of("other")


def test_a_range_of_one_seed(tmp_path: Path) -> None:
    assert (
        read_ledger(write(tmp_path, GOOD.replace("{from: 0, to: 9}", "{from: 9, to: 9}"))).range_of("train").size == 1
    )


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("name: cycles\n", "", 1, "`name` is missing"),
        ("name: cycles", "name: [a]", 1, "`name` must be text"),
        ("name: cycles", "name:", 1, "`name` must be text"),
        ("feeds: generator", "feeds: cats", 2, "generator (a seed makes a map) or book"),
        ("test: {", "tests: {", 5, "unknown key `tests`"),
        ("test: {", "train: {", 5, "`train` stands twice"),
        ("train: {from: 0, to: 9}", "train: 0-9", 3, "`train` must be keys with values"),
        ("train: {from: 0, to: 9}", "train: {from: 0}", 3, "`to` is missing in `train`"),
        ("train: {from: 0, to: 9}", "train: {from: 0, to: 9, by: 2}", 3, "unknown key `by` in `train`"),
        ("train: {from: 0, to: 9}", "train: {from: 9, to: 0}", 3, "ends before it starts"),
        ("train: {from: 0, to: 9}", "train: {from: 0, to: 10}", 4, "`validation` overlaps `train`"),
        ("train: {from: 0, to: 9}", "train: {from: 12, to: 13}", 3, "`train` overlaps `validation`"),
        ("to: 9}", "to: 9.0}", 3, "`train.to` is no seed"),
        ("to: 9}", "to: '9'}", 3, "`train.to` is no seed"),
        ("to: 9}", "to: [9]}", 3, "`train.to` is no seed"),
        ("to: 19}", "to: 9223372036854775808}", 4, "64 bits"),
        ("from: -9223372036854775808", "from: -9223372036854775809", 5, "64 bits"),
        ("train: {", "train: [", 3, "not YAML"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, old: str, new: str, line: int, words: str) -> None:
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(ConfigError) as caught:
        read_ledger(path)
    assert caught.value.where == f"{path}:{line}"
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"- a\n", "keys with values"),
        (b"name: \xff\n", "not UTF-8"),
        (b"a: " + b"[" * 5000, "maximum nesting depth"),
    ],
)
def test_files_that_are_no_ledger(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        read_ledger(write(tmp_path, content))


def test_a_missing_ledger(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read") as caught:
        read_ledger(tmp_path / "none.yaml")
    assert str(tmp_path / "none.yaml") in str(caught.value)
