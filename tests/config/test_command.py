import sys
from pathlib import Path

import pytest

from harness.config.command import CommandError, fill_words, find_program, resolve_command, split_command


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("engine", ("engine",)),
        ("engine -a  -b", ("engine", "-a", "-b")),
        ("engine 'a b' \"c d\"", ("engine", "a b", "c d")),
        ("engine 'a | b' \"x > y\"", ("engine", "a | b", "x > y")),
        (r"engine a\ b \> \$x", ("engine", "a b", ">", "$x")),
        ("engine '$HOME' '`x`'", ("engine", "$HOME", "`x`")),
        ("engine ''", ("engine", "")),
        ("engine *.nnue {folder}/x", ("engine", "*.nnue", "{folder}/x")),
    ],
)
def test_strings_are_split_as_posix_does(text: str, words: tuple[str, ...]) -> None:
    assert split_command(text) == words


def test_a_list_is_taken_as_it_is() -> None:
    assert split_command(["engine", "a | b > $c", ""]) == ("engine", "a | b > $c", "")


@pytest.mark.parametrize("sign", ["|", "&", ";", "<", ">", "(", ")", "$", "`"])
def test_what_only_a_shell_understands_is_refused(sign: str) -> None:
    with pytest.raises(CommandError) as caught:
        split_command(f"engine {sign}x")
    assert f"`{sign}`" in caught.value.what
    assert "sh, -c" in (caught.value.next_step or "")


@pytest.mark.parametrize(
    "text", ['engine "$HOME"', r'engine "\$HOME"', 'engine "`date`"', "a && b", "a || b", "x 2>/dev/null"]
)
def test_shell_words_in_quotes_too(text: str) -> None:
    with pytest.raises(CommandError, match="no shell"):
        split_command(text)


@pytest.mark.parametrize("command", ["engine 'x", 'engine "x', "engine \\", "", " ", [], [""], ["a", "b\0"]])
def test_broken_commands(command: str | list[str]) -> None:
    with pytest.raises(CommandError):
        split_command(command)


def test_placeholders(tmp_path: Path) -> None:
    assert fill_words(("{python}", "-x={folder}/y", "{other}"), tmp_path) == (
        sys.executable,
        f"-x={tmp_path}/y",
        "{other}",
    )


def test_programs_are_found_near_then_on_the_path_then_among_the_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    near, far = tmp_path / "near", tmp_path / "far"
    for folder in (near, far):
        folder.mkdir()
        (folder / "engine").write_text("#!/bin/sh\n")
        (folder / "engine").chmod(0o755)
    monkeypatch.setenv("PATH", str(far))
    assert find_program("engine", near) == near / "engine"
    assert find_program("engine", tmp_path) == far / "engine"
    assert find_program("../far/engine", near) == far / "engine"
    assert find_program("none", near) is None
    assert find_program("./none", near) is None
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("harness.config.command.GAME_FOLDERS", (str(far),))
    assert find_program("engine", tmp_path) == far / "engine"


def test_a_missing_program_is_taken_to_be_near_if_it_will_be_built(tmp_path: Path) -> None:
    assert resolve_command(["build/bot", "x"], tmp_path, must_exist=False) == (str(tmp_path / "build/bot"), "x")
    with pytest.raises(CommandError, match="no such program"):
        resolve_command(["build/bot", "x"], tmp_path)


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "name").symlink_to("/bin/sh")
    assert resolve_command(["./name"], tmp_path) == (str(tmp_path / "name"),)
