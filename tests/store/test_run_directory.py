"""A run's folder: one writer, whole files, records and transcripts that are found again."""

import fcntl
import json
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import ResultsError, StorageError
from harness.records import Transcript
from harness.store.codec import encode_line
from harness.store.run_directory import (
    Manifest,
    RunDirectory,
    Transcripts,
    find_run,
    is_being_written,
    now_text,
    read_manifest,
    read_records,
    write_atomically,
)
from tests.report.made_records import duel_map
from tests.store.scarce_disk import files_end_at, n_open_files

MANIFEST = Manifest(
    schema=1,
    run="nightly",
    run_key="ab",
    created="2026-11-30T04:11:02.113Z",
    harness="0.1.0",
    config_path="/somewhere/gauntlet.yaml",
    config_text="rules: {name: chess}\n# été\n",
    fingerprints={"config": "ab", "bot cand": "cd"},
    parts={"config": {"seats": "both"}, "bot cand": {"protocol": "uci"}},
    bots={"cand": {"command": "cand --fast"}},
    n_jobs=10,
    n_games=20,
    machine={"cores": 2, "system": "Linux"},
)
RECORDS = [duel_map(job, ("a", "b"), 0.5, random.Random(job)) for job in range(5)]
LINES = [encode_line(record) for record in RECORDS]
HOLDER = """
import sys
from pathlib import Path
from harness.store.run_directory import RunDirectory
with RunDirectory(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def transcript(job: int, game: int = 0, action: str = "UP") -> Transcript:
    return Transcript(job, game, 1_000_000 + job, ("a", "b"), (action, action), (5, 6))


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the run open for writing."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "run")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        yield process
        process.kill()


# -------------------------------------------------------------------------------------------------- one writer


def test_a_second_process_is_refused(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    path = tmp_path / "run"
    assert is_being_written(path)
    assert is_being_written(path / "maps.jsonl")
    with pytest.raises(ResultsError, match="another harness is writing") as caught:
        RunDirectory(path)
    assert caught.value.where == str(path)
    assert caught.value.got == f"process {holder.pid} holds its lock"
    assert "--run NAME" in str(caught.value)
    holder.communicate("")
    assert holder.returncode == 0
    assert not is_being_written(path)
    RunDirectory(path).close()


def test_a_killed_process_leaves_no_lock(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait(timeout=30)
    with RunDirectory(tmp_path / "run"):
        assert is_being_written(tmp_path / "run")


def test_a_refused_second_start_changes_nothing(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    torn = tmp_path / "run" / "maps.jsonl"
    torn.write_bytes(LINES[0] + b'{"being written')
    n_open = n_open_files()
    with pytest.raises(ResultsError):
        RunDirectory(tmp_path / "run")
    assert torn.read_bytes() == LINES[0] + b'{"being written'
    assert n_open_files() == n_open


def test_who_only_looks_does_not_keep_a_writer_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`show` asks whether somebody writes by taking the lock for a moment; a run that starts then waits."""
    RunDirectory(tmp_path).close()
    looking = os.open(tmp_path / "lock", os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)
    waited: list[float] = []

    def look_away(seconds: float) -> None:
        waited.append(seconds)
        os.close(looking)

    monkeypatch.setattr("harness.store.run_directory.sleep", look_away)
    RunDirectory(tmp_path).close()
    assert len(waited) == 1


def test_nobody_writes_to_what_is_no_run(tmp_path: Path) -> None:
    assert not is_being_written(tmp_path)
    assert not is_being_written(tmp_path / "none")


def test_close_unlocks_once_and_for_all(tmp_path: Path) -> None:
    n_open = n_open_files()
    directory = RunDirectory(tmp_path)
    directory.append_transcripts("t/0000.jsonl", encode_line(transcript(0)))
    directory.close()
    directory.close()
    assert n_open_files() == n_open
    assert not is_being_written(tmp_path)


def test_a_place_that_cannot_be_a_folder_halts(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    n_open = n_open_files()
    with pytest.raises(StorageError, match="Not a directory"):
        RunDirectory(tmp_path / "file" / "run")
    (tmp_path / "run" / "maps.jsonl").mkdir(parents=True)
    with pytest.raises(StorageError, match=r"maps\.jsonl"):
        RunDirectory(tmp_path / "run")
    assert n_open_files() == n_open
    assert not is_being_written(tmp_path / "run")


# --------------------------------------------------------------------------------------------------- manifest


def test_a_manifest_comes_back_as_it_was(tmp_path: Path) -> None:
    with RunDirectory(tmp_path) as directory:
        assert read_manifest(tmp_path) is None
        directory.write_manifest(MANIFEST)
    assert read_manifest(tmp_path) == MANIFEST
    assert read_manifest(tmp_path / "maps.jsonl") == MANIFEST
    assert json.loads((tmp_path / "manifest.json").read_text())["config_text"] == MANIFEST.config_text
    assert names_in(tmp_path) == ["events.jsonl", "lock", "manifest.json", "maps.jsonl"]


def test_a_manifest_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    with RunDirectory(tmp_path) as directory:
        directory.write_manifest(MANIFEST)
        longer = replace(MANIFEST, config_text="x" * 10_000)
        with files_end_at(2_000), pytest.raises(StorageError, match="manifest"):
            directory.write_manifest(longer)
        assert read_manifest(tmp_path) == MANIFEST
        directory.write_manifest(longer)
    assert read_manifest(tmp_path) == longer
    assert names_in(tmp_path) == ["events.jsonl", "lock", "manifest.json", "maps.jsonl"]


def test_what_is_in_the_way_stays(tmp_path: Path) -> None:
    (tmp_path / "taken" / "inside").mkdir(parents=True)
    with pytest.raises(StorageError):
        write_atomically(tmp_path / "taken", b"new")
    assert (tmp_path / "taken" / "inside").is_dir()
    assert names_in(tmp_path) == ["taken"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "truncated"),
        ("{", "truncated"),
        ("[]", "object"),
        ('{"schema": 1}', "missing required field"),
    ],
)
def test_a_damaged_manifest_is_an_error(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(ResultsError, match=words) as caught:
        read_manifest(tmp_path)
    assert caught.value.where == str(tmp_path / "manifest.json")


def test_a_manifest_of_another_version_is_an_error(tmp_path: Path) -> None:
    with RunDirectory(tmp_path) as directory:
        directory.write_manifest(replace(MANIFEST, schema=2))
    with pytest.raises(ResultsError, match="another version"):
        read_manifest(tmp_path)


def test_a_manifest_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").mkdir()
    with pytest.raises(ResultsError, match="cannot be read"):
        read_manifest(tmp_path)


def test_a_file_has_no_manifest_below_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert read_manifest(tmp_path / "file" / "run") is None


# ---------------------------------------------------------------------------------------- records and events


def test_records_come_back_in_the_order_they_were_written(tmp_path: Path) -> None:
    with RunDirectory(tmp_path) as directory:
        directory.append_maps(LINES[3] + LINES[0])
        directory.append_maps(LINES[1])
        directory.sync()
        assert list(read_records(tmp_path)) == [RECORDS[3], RECORDS[0], RECORDS[1]]
    with RunDirectory(tmp_path) as directory:
        assert directory.torn_bytes == 0
        directory.append_maps(LINES[2])
    assert [record.job for record in read_records(tmp_path)] == [3, 0, 1, 2]
    copy = tmp_path / "elsewhere.jsonl"
    copy.write_bytes((tmp_path / "maps.jsonl").read_bytes())
    assert list(read_records(copy)) == list(read_records(tmp_path))
    assert list(read_records(tmp_path / "none")) == []


def test_torn_lines_are_cut_off_in_every_file(tmp_path: Path) -> None:
    with RunDirectory(tmp_path) as directory:
        directory.append_maps(LINES[0] + LINES[1])
        directory.append_transcripts("t/0000.jsonl", encode_line(transcript(0)))
        directory.append_transcripts("t/0001.jsonl", encode_line(transcript(1000)))
        directory.append_event("start", workers=2)
    files = ["maps.jsonl", "events.jsonl", "t/0000.jsonl", "t/0001.jsonl"]
    whole = {file: (tmp_path / file).read_bytes() for file in files}
    for file in files:
        with (tmp_path / file).open("ab") as handle:
            handle.write(b'{"torn')
    assert [record.job for record in read_records(tmp_path)] == [0, 1]
    with RunDirectory(tmp_path) as directory:
        assert directory.torn_bytes == 6
        assert {file: (tmp_path / file).read_bytes() for file in files} == whole
        directory.append_maps(LINES[2])
    assert [record.job for record in read_records(tmp_path)] == [0, 1, 2]


def test_events_say_when_and_what(tmp_path: Path) -> None:
    with RunDirectory(tmp_path) as directory:
        directory.append_event("start", workers=2, done=0)
        directory.append_event("void", job=3, reason="ünlucky", starved_s=0.5, log=None)
    first, second = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text("utf-8").splitlines()]
    assert {key: first[key] for key in ("event", "workers", "done")} == {"event": "start", "workers": 2, "done": 0}
    assert second == {
        "time": second["time"],
        "event": "void",
        "job": 3,
        "reason": "ünlucky",
        "starved_s": 0.5,
        "log": None,
    }
    assert first["time"] <= second["time"] <= now_text()


def test_times_are_utc_to_the_millisecond() -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", now_text())


def test_a_full_disk_halts_and_keeps_whole_lines(tmp_path: Path) -> None:
    with RunDirectory(tmp_path) as directory:
        directory.append_maps(LINES[0])
        room = len(LINES[0]) + len(LINES[1]) // 2
        with files_end_at(room), pytest.raises(StorageError, match=r"maps\.jsonl"):
            directory.append_maps(LINES[1] + LINES[2])
        assert list(read_records(tmp_path)) == RECORDS[:1]
        directory.append_maps(LINES[1])
    assert list(read_records(tmp_path)) == RECORDS[:2]


# ---------------------------------------------------------------------------------------------- transcripts


def test_transcripts_are_found_by_their_reference(tmp_path: Path) -> None:
    kept = [transcript(job, game) for job in (0, 999, 1000, 2500, 1001) for game in (0, 1)]
    with RunDirectory(tmp_path) as directory:
        for each in kept:
            directory.append_transcripts(f"t/{each.job // 1000:04d}.jsonl", encode_line(each))
    assert names_in(tmp_path / "t") == ["0000.jsonl", "0001.jsonl", "0002.jsonl"]
    for place in (tmp_path, tmp_path / "maps.jsonl"):
        finder = Transcripts(place)
        for each in [*kept, *reversed(kept)]:
            assert finder.find(f"t/{each.job // 1000:04d}.jsonl#{each.job}-{each.game}") == each


def test_a_map_that_was_played_again_counts_as_it_was_last(tmp_path: Path) -> None:
    """After a crash between transcript and record the job is played again, and its transcript stands twice."""
    with RunDirectory(tmp_path) as directory:
        for action in ("UP", "LEFT"):
            for job in (4, 5):
                directory.append_transcripts("t/0000.jsonl", encode_line(transcript(job, action=action)))
        directory.append_transcripts("t/0000.jsonl", encode_line(transcript(5, action="DOWN")))
    finder = Transcripts(tmp_path)
    assert finder.find("t/0000.jsonl#4-0").actions == ("LEFT", "LEFT")
    assert finder.find("t/0000.jsonl#5-0").actions == ("DOWN", "DOWN")


@pytest.mark.parametrize("reference", ["t/0000.jsonl#7-0", "t/0000.jsonl#4-1", "t/0009.jsonl#9000-0"])
def test_a_missing_transcript_is_an_error_that_names_file_and_game(tmp_path: Path, reference: str) -> None:
    with RunDirectory(tmp_path) as directory:
        directory.append_transcripts("t/0000.jsonl", encode_line(transcript(4)))
    with pytest.raises(ResultsError, match="transcript is missing") as caught:
        Transcripts(tmp_path).find(reference)
    file, _, game = reference.partition("#")
    assert caught.value.where == str(tmp_path / file)
    assert game in str(caught.value)


@pytest.mark.parametrize("reference", ["", "t/0000.jsonl", "t/0000.jsonl#4", "t/0000.jsonl#-1-0", "t/0000.jsonl#4-x"])
def test_what_is_no_reference_is_said_to_be_none(tmp_path: Path, reference: str) -> None:
    with pytest.raises(ResultsError, match="not a reference"):
        Transcripts(tmp_path).find(reference)


def test_only_two_indexes_are_kept(tmp_path: Path) -> None:
    """A run has a file of transcripts for each thousand jobs; an export that reads them all stays small."""
    with RunDirectory(tmp_path) as directory:
        for shard in range(6):
            directory.append_transcripts(f"t/{shard:04d}.jsonl", encode_line(transcript(shard * 1000)))
    finder = Transcripts(tmp_path)
    for shard in range(6):
        finder.find(f"t/{shard:04d}.jsonl#{shard * 1000}-0")
    assert len(finder._indexes) == 2


# ----------------------------------------------------------------------------------------------- finding runs


def test_runs_are_found_by_path_and_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("results/one", "more/two", "deep/er/three"):
        RunDirectory(Path(name)).close()
    roots = (Path("results"), Path("more"))
    assert find_run("one", roots) == Path("results/one")
    assert find_run("two", roots) == Path("more/two")
    assert find_run("deep/er/three", roots) == Path("deep/er/three")
    assert find_run(str(tmp_path / "more" / "two"), ()) == tmp_path / "more" / "two"
    assert find_run("more/two/maps.jsonl", roots) == Path("more/two/maps.jsonl")
    with pytest.raises(ResultsError, match="no run 'three'") as caught:
        find_run("three", roots)
    assert caught.value.allowed == "one, two"
    with pytest.raises(ResultsError, match="no runs there yet"):
        find_run("three", (Path("nowhere"),))
    Path("notes.txt").write_text("no records")
    with pytest.raises(ResultsError):
        find_run("notes.txt", roots)
