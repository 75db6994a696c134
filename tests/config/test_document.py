from pathlib import Path

import pytest

from harness.config.document import MAX_VALUES, dotted, read_document
from harness.errors import ConfigError


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "a.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(folder: Path, text: str | bytes) -> dict[str, object]:
    return read_document(write(folder, text)).data


def error_of(folder: Path, text: str | bytes) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        read(folder, text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-12", -12),
        ("1_000_000", 1_000_000),
        ("0x1F", 31),
        ("9223372036854775807", 2**63 - 1),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ('"1"', "1"),
        ("'true'", "true"),
        ("!!str 5", "5"),
        # what YAML 1.1 makes numbers, booleans and dates of is text here
        ("on", "on"),
        ("off", "off"),
        ("yes", "yes"),
        ("no", "no"),
        ("010", "010"),
        ("1:30", "1:30"),
        ("2026-11-30", "2026-11-30"),
        ("1.2.3", "1.2.3"),
        ("a-b", "a-b"),
    ],
)
def test_plain_values_have_no_traps(tmp_path: Path, text: str, value: object) -> None:
    got = read(tmp_path, f"key: {text}\n")["key"]
    assert got == value
    assert type(got) is type(value)


def test_keys_are_text(tmp_path: Path) -> None:
    assert read(tmp_path, "1: a\ntrue: b\nnull: c\n") == {"1": "a", "true": "b", "null": "c"}


def test_lines_of_every_key_and_item(tmp_path: Path) -> None:
    document = read_document(write(tmp_path, "# comment\na:\n  b: 1\n  c:\n    - x\n    - y: 2\nd: {e: 3,\n  f: 4}\n"))
    lines = document.lines
    assert lines["a",] == 2
    assert lines["a", "b"] == 3
    assert lines["a", "c", 0] == 5
    assert lines["a", "c", 1, "y"] == 6
    assert lines["d", "e"] == 7
    assert lines["d", "f"] == 8
    assert document.where(("a", "nothing", "deeper")) == f"{document.path}:2"
    assert document.where(()) == f"{document.path}:1"


def test_a_byte_order_mark_and_crlf_are_fine(tmp_path: Path) -> None:
    assert read(tmp_path, b"\xef\xbb\xbfa: 1\r\nb: 2\r\n") == {"a": 1, "b": 2}


def test_merge_key_brings_in_a_mapping_and_own_keys_win(tmp_path: Path) -> None:
    document = read_document(write(tmp_path, "base: &base {x: 1, y: {z: 2}}\nmine:\n  <<: *base\n  x: 3\n"))
    assert document.data["mine"] == {"x": 3, "y": {"z": 2}}
    assert document.lines["mine", "x"] == 4
    assert document.lines["mine", "y", "z"] == 1


def test_a_replaced_merged_key_leaves_no_lines_behind(tmp_path: Path) -> None:
    document = read_document(write(tmp_path, "base: &base {y: {z: 2}}\nmine:\n  <<: *base\n  y: 1\n"))
    assert ("mine", "y", "z") not in document.lines
    assert document.lines["mine", "y"] == 4


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "empty"),
        ("# nothing but a comment\n", 1, "empty"),
        ("- a\n- b\n", 1, "keys with values"),
        ("\n\njust words\n", 3, "keys with values"),
        ("a: 1\nb: 2\na: 3\n", 3, "twice, first in line 1"),
        ("a:\n  b: 1\n  b: 2\n", 3, "`a.b`"),
        ("a: [1, 2\nb: 3\n", 2, "not YAML"),
        ("a: 'open\n", 2, "not YAML"),
        ("a:\n\tb: 1\n", 2, "not YAML"),
        ("a: 1\n---\nb: 2\n", 2, "not YAML"),
        ("a: *nobody\n", 1, "not YAML"),
        ("a: 1\nb: !!python/object:os.system x\n", 2, "tag"),
        ("a: !mine {b: 1}\n", 1, "tag"),
        ("a: !mine [1]\n", 1, "tag"),
        ("a: !!int x\n", 1, "not a int value"),
        ("a: !!bool maybe\n", 1, "not a bool value"),
        ("? [a, b]\n: 1\n", 1, "a key must be text"),
        ("a: &a [*a]\n", 1, "repeat themselves"),
        ("a: 1\nb:\n  <<: 5\n", 3, "`<<` takes one mapping"),
        (b"a: 1\nb: \xff\xfe\n", 2, "UTF-8"),
        (b"a: 1\nb: \x01\n", 1, "not YAML"),
        (f"a: {'9' * 5000}\n", 1, "not a int value"),
    ],
)
def test_errors_name_file_line_and_fault(tmp_path: Path, text: str | bytes, line: int, words: str) -> None:
    error = error_of(tmp_path, text)
    assert error.where is not None
    assert error.where.endswith(f"a.yaml:{line}")
    assert words in error.what


def test_tabs_are_explained(tmp_path: Path) -> None:
    assert "tabs" in (error_of(tmp_path, "a:\n\tb: 1\n").next_step or "")


def test_aliases_that_multiply_are_refused_quickly(tmp_path: Path) -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert MAX_VALUES < 10**8
    assert "repeat themselves" in error_of(tmp_path, "\n".join(rows)).what


@pytest.mark.parametrize("depth", [60, 900, 5000])
def test_deep_nesting_is_an_error_and_no_crash(tmp_path: Path, depth: int) -> None:
    what = error_of(tmp_path, "a: " + "[" * depth + "]" * depth).what
    assert "too deep" in what or "maximum nesting depth" in what


def test_a_missing_file_says_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file") as caught:
        read_document(tmp_path / "none.yaml")
    assert str(tmp_path) in (caught.value.next_step or "")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_document(tmp_path)


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    assert "too large" in error_of(tmp_path, b"#" * 4_000_001).what


def test_dotted() -> None:
    assert dotted(("bots", "a", "files", 0)) == "bots.a.files[0]"
    assert dotted(()) == ""
