"""`harness show`: the table again, from the records alone, wherever they are."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from harness.errors import ExitCode
from harness.store.run_directory import RunDirectory
from tests.cli.bench import Bench

OF_THE_RUN = {"run", "is_final", "verdict"}
"""What records cannot say of themselves: names, places, how many maps were planned."""


def numbers_of(data: dict[str, Any]) -> Any:
    """Leave out what is of the run, and the last digits: in another order sums of times are rounded otherwise."""
    return rounded({key: value for key, value in data.items() if key not in OF_THE_RUN})


def rounded(value: Any) -> Any:
    match value:
        case float():
            return round(value, 12)
        case dict():
            return {key: rounded(item) for key, item in value.items()}
        case list():
            return [rounded(item) for item in value]
    return value


def test_shows_what_run_showed(played: Bench) -> None:
    ran = played("run", "duel.yaml", "--json").data
    for name in ("duel", "results/duel", "results/duel/maps.jsonl", str(played.folder / "results" / "duel")):
        shown = played("show", name, "--json")
        assert shown.code == ExitCode.DONE
        assert numbers_of(shown.data) == numbers_of(ran)
        assert shown.data["verdict"] == ran["verdict"]
        assert shown.data["is_final"]
    text = played("show", "duel")
    assert text.code == ExitCode.DONE
    assert ran["verdict"]["headline"].split()[0] in text.out
    assert text.err == ""


def test_the_records_alone_are_enough(played: Bench, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Without the manifest, from a copy of the one file, in another order: the same numbers."""
    whole = played("show", "duel", "--json").data
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    records = Path("results/duel/maps.jsonl")
    shutil.copy(records, elsewhere / "copy.jsonl")
    lines = records.read_bytes().splitlines(keepends=True)
    (elsewhere / "backwards.jsonl").write_bytes(b"".join(reversed(lines)))
    (elsewhere / "twice.jsonl").write_bytes(b"".join(lines + lines[:3]))
    for copy in ("copy", "backwards", "twice"):
        shown = played("show", str(elsewhere / f"{copy}.jsonl"), "--json").data
        assert numbers_of(shown) == numbers_of(whole)
        assert shown["verdict"] == whole["verdict"]
        assert shown["run"]["name"] == copy
    (records.parent / "manifest.json").unlink()
    alone = played("show", "duel", "--json").data
    assert numbers_of(alone) == numbers_of(whole)
    assert alone["run"]["planned"] is None


def test_a_run_that_is_not_finished_says_so(played: Bench) -> None:
    path = Path("results/duel/maps.jsonl")
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:5]) + b'{"torn')
    interrupted = played("show", "duel", "--json")
    assert interrupted.data["run"]["state"] == "interrupted"
    assert interrupted.data["n_maps"] == 5
    assert interrupted.data["run"]["again"] == f"harness run {played.folder}/duel.yaml"
    assert not interrupted.data["is_final"]
    assert interrupted.code == ExitCode.INTERRUPTED
    with RunDirectory(Path("results/duel")):
        running = played("show", "duel", "--json")
        assert running.data["run"]["state"] == "running"
        assert running.code == ExitCode.NO_VERDICT


def test_a_run_that_is_not_there_names_those_that_are(played: Bench) -> None:
    done = played("show", "dual")
    assert done.code == ExitCode.USAGE
    assert "no run 'dual'" in done.err
    assert "duel" in done.err


def test_records_of_another_version_are_refused(played: Bench) -> None:
    path = Path("results/duel/maps.jsonl")
    path.write_bytes(path.read_bytes().replace(b'{"schema":1', b'{"schema":7', 1))
    done = played("show", "duel")
    assert done.code == ExitCode.USAGE
    assert "schema 7; this version reads schema 1" in done.err


def test_a_damaged_manifest_is_an_error(played: Bench) -> None:
    Path("results/duel/manifest.json").write_text("{}")
    assert played("show", "duel").code == ExitCode.USAGE


def test_an_empty_run_is_no_verdict(bench: Bench) -> None:
    RunDirectory(Path("results/empty")).close()
    done = bench("show", "empty", "--json")
    assert done.data["n_maps"] == 0
    assert done.code == ExitCode.NO_VERDICT
    assert "nan" not in done.out.lower()
    assert json.loads(done.out)["comparisons"] == []


# ----------------------------------------------------------------------------------------------- a part of it


def test_a_part_of_a_run(played: Bench) -> None:
    whole = played("show", "duel", "--json").data
    everything = played("show", "duel", "--where", "seed >= 0", "--json")
    assert everything.code == ExitCode.DONE
    assert everything.data["whole"]["n_games"] == whole["n_games"]
    assert rounded(everything.data["whole"]["summary"]["comparisons"]) == rounded(whole["comparisons"])
    half = played("show", "duel", "--where", "seat == 0", "--by", "start_distance", "--columns", "plies", "--json").data
    assert half["whole"]["n_games"] == whole["n_games"] / 2
    assert sum(group["n_games"] for group in half["groups"]) == whole["n_games"] / 2
    assert any("seats do not cancel out" in note for note in half["notes"])
    text = played("show", "duel", "--by", "seat", "--columns", "plies, width")
    assert text.code == ExitCode.DONE
    assert "Mean per game" in text.out
    assert "intervals are shown" in text.out


def test_the_records_alone_are_enough_for_a_part(played: Bench) -> None:
    asked = ("--where", "game == 0", "--by", "start_distance", "--json")
    want = played("show", "duel", *asked).data
    Path("results/duel/manifest.json").unlink()
    got = played("show", "results/duel/maps.jsonl", *asked).data
    assert rounded(got["groups"]) == rounded(
        [
            group | {"summary": group["summary"] | {"run": mine["summary"]["run"]}}
            for group, mine in zip(want["groups"], got["groups"], strict=True)
        ]
    )


def test_the_keys_of_a_run(played: Bench) -> None:
    listed = played("show", "duel", "--keys", "--json").data
    assert isinstance(listed, list)
    keys = {entry["key"]: entry for entry in listed}
    assert keys["start_distance"]["of"] == "map"
    assert keys["start_distance"]["low"] >= 3
    assert keys["plies"]["is_result"]
    text = played("show", "duel", "--keys")
    assert "start_distance" in text.out
    assert "where the bot sat, from 0" in text.out


def test_a_part_of_a_run_that_is_not_finished(played: Bench) -> None:
    path = Path("results/duel/maps.jsonl")
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:5]))
    done = played("show", "duel", "--by", "seat")
    assert done.code == ExitCode.DONE
    assert "95 % band" in done.out.replace("\u202f", " ")
    assert "intervals are shown" not in done.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--where", "cells > 3"),
            "--where: there is no key `cells` in this run\n  got:     cells > 3\n           ^^^^^",
        ),
        (("--where", "plies >"), "--where: the expression ends where a key or a value is wanted"),
        (("--where", "plies = 3"), "write == for equal"),
        (("--by", "plies > 3"), "--by: one key is wanted here"),
        (("--by", "plies:x"), "--by: the width of bins is a number above 0"),
        (("--where", "plies < 0", "--by", "seed"), "--by: no game that is kept has `seed`"),
        (("--columns", "plies,nothing"), "--columns: there is no key `nothing` in this run"),
        (("--bot", "nobody"), "--bot: there is no bot of this name"),
    ],
)
def test_what_a_part_cannot_be(played: Bench, words: tuple[str, ...], message: str) -> None:
    done = played("show", "duel", *words)
    assert done.code == ExitCode.USAGE
    assert message in done.err
    assert done.out == ""


def test_a_part_of_nothing(bench: Bench) -> None:
    RunDirectory(Path("results/empty")).close()
    done = bench("show", "empty", "--by", "seat")
    assert done.code == ExitCode.USAGE
    assert "this run has no maps yet" in done.err
