"""What `harness doctor` reckons and finds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.cli.main import main
from harness.errors import ExitCode
from harness.run import doctor
from harness.run.cores import available_cores
from harness.run.doctor import Grade, cpu_quota
from harness.run.noise import Noise, Trace, measure_together, quantile, suggest_workers, summarise_noise

MS = 1_000_000


def brute_force(trace: Trace, work: int, begin: int) -> int | None:
    """Count nanosecond by nanosecond (units here) how long so much work takes."""
    now, done = begin, 0
    while done < work:
        if now >= trace.wall_ns:
            return None
        done += not any(start <= now < start + length for start, length in trace.gaps)
        now += 1
    return now - begin


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 6)), max_size=6), st.integers(1, 12), st.integers(1, 7))
def test_durations_are_those_of_counting(parts: list[tuple[int, int]], work: int, step: int) -> None:
    gaps, at = [], 0
    for free, gap in parts:
        gaps.append((at + free, gap))
        at += free + gap
    trace = Trace(at + 10, tuple(gaps))
    expected = [brute_force(trace, work, begin) for begin in range(0, trace.wall_ns, step)]
    done = [duration for duration in expected if duration is not None]
    assert trace.durations(work, step) == done


def test_a_core_that_is_never_taken_loses_nothing() -> None:
    noise = summarise_noise([Trace(2000 * MS)])
    assert (noise.median_ms, noise.max_ms, noise.lost_time, noise.lost_plies, noise.worst_late_ms) == (5, 5, 0, 0, 0)


def test_one_gap_of_ten_milliseconds_loses_the_plies_around_it() -> None:
    """A ply of 45 ms of work and 50 of limit is lost if it is running when a gap of more than 5 ms begins."""
    noise = summarise_noise([Trace(2000 * MS, ((1000 * MS, 10 * MS),))])
    assert noise.lost_time == pytest.approx(0.005)
    # begun in the 45 ms before the gap, or in its first 4 ms, and there are 1945 starts
    assert noise.lost_plies == pytest.approx(49 / 1946, abs=3 / 1946)
    assert noise.worst_late_ms == pytest.approx(5)


@pytest.mark.parametrize(("share", "value"), [(0.5, 3), (0.99, 5), (1.0, 5), (0.2, 1), (0.0, 1)])
def test_quantile_is_a_value_that_was_seen(share: float, value: float) -> None:
    assert quantile([5, 3, 1, 4, 2], share) == value
    assert quantile([], share) == 0


def noise(n_workers: int, lost_plies: float, lost_time: float = 0.0) -> Noise:
    return Noise(n_workers, 5.0, 5.1, 6.0, lost_time, lost_plies, 0.0)


def test_as_many_workers_are_suggested_as_lose_little() -> None:
    assert suggest_workers([noise(1, 0.0), noise(2, 0.001), noise(4, 0.2)]) == 2
    assert suggest_workers([noise(1, 0.3), noise(2, 0.9)]) == 1
    assert suggest_workers([noise(1, 0.0), noise(2, 0.0, lost_time=0.4)]) == 1


def test_probes_measure_real_time() -> None:
    traces = measure_together([min(available_cores())] * 2, 0.1)
    assert len(traces) == 2
    assert all(trace.wall_ns >= 100 * MS for trace in traces)
    # two on one core take turns: between them they cannot have had more than it
    had_ns = sum(trace.wall_ns * (1 - trace.lost_share) for trace in traces)
    assert had_ns < 1.5 * max(trace.wall_ns for trace in traces)


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({"cpu.max": "150000 100000\n"}, 1.5),
        ({"cpu.max": "max 100000\n"}, None),
        ({"cpu/cpu.cfs_quota_us": "50000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 0.5),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, None),
        ({}, None),
    ],
)
def test_a_quota_of_cpu_time_is_found(tmp_path: Path, files: dict[str, str], quota: float | None) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert cpu_quota(tmp_path) == quota


def test_json_has_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--seconds", "0.1", "--json"]) == ExitCode.DONE
    diagnosis = json.loads(capsys.readouterr().out)
    grades = {finding["name"]: finding["grade"] for finding in diagnosis["findings"]}
    assert {"cores", "memory", "orphans", "marks", "guardian", "sandbox", "waiting for a core"} <= grades.keys()
    assert grades["orphans"] == Grade.GOOD
    assert diagnosis["noises"][0]["n_workers"] == 1
    assert diagnosis["suggested_workers"] >= 1


def test_people_get_a_line_of_meaning_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--seconds", "0.1"]) == ExitCode.DONE
    output = capsys.readouterr().out
    assert "all that a bot started ends with it" in output
    assert "is what this machine carries now" in output


def test_what_is_missing_is_said_with_the_reason(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "why_no_sandbox", lambda: "no user namespaces here")
    assert main(["doctor", "--seconds", "0.1"]) == ExitCode.DONE
    output = capsys.readouterr().out
    assert "✗ sandbox" in output
    assert "no user namespaces here" in output
    assert "apt install bubblewrap" in output


def test_a_senseless_time_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--seconds", "0"]) == ExitCode.USAGE
    assert "0.1 to 600" in capsys.readouterr().err
