"""Whether config and rules agree on a score contest, and the earlier results next to which it is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.errors import ConfigError, ResultsError
from harness.records import Objective, Relative, Scoring
from harness.run.prepare import build_manifest, prepare
from harness.run.score_ranks import is_score_contest, ranks_by_seed
from harness.run.scoring import candidate_of, load_baseline
from harness.store.codec import encode_line
from harness.store.run_directory import Manifest, RunDirectory
from tests.report.made_records import gauntlet
from tests.report.made_scores import contest
from tests.run.runs import write_config

BOT = Path(__file__).parents[2] / "bots" / "route_greedy"
ROUTE: dict[str, Any] = {"rules": {"name": "route", "cities": 5}}
BEST = Scoring(Objective.MINIMISE, Relative.BEST)


def bots() -> dict[str, dict[str, Any]]:
    return {name: {"folder": str(BOT), "python": "greedy_bot.py:make"} for name in ("new", "old")}


def refusal(folder: Path, **keys: Any) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        prepare(write_config(folder, bots(), **keys))
    return caught.value


# ------------------------------------------------------------------------------------------- config and rules


def test_rules_with_one_seat_need_a_scoring(tmp_path: Path) -> None:
    error = refusal(tmp_path, **ROUTE)
    assert "`scoring` is missing" in error.what
    assert "objective: minimise" in str(error), "the rules know which way is better"


def test_where_bots_meet_there_is_no_scoring(tmp_path: Path) -> None:
    error = refusal(tmp_path, scoring={"objective": "maximise"})
    assert "`scoring` is for rules with one seat" in error.what
    assert error.got == "2 seats"


def test_an_objective_that_is_not_the_rules_own_is_refused(tmp_path: Path) -> None:
    error = refusal(tmp_path, **ROUTE, scoring={"objective": "maximise"})
    assert "`scoring.objective`: route says otherwise" in error.what
    assert (error.got, error.allowed) == ("maximise", "minimise")


def manifest_of(folder: Path, **keys: Any) -> Manifest:
    keys = {**ROUTE, "scoring": {"objective": "minimise", "relative": "best"}, **keys}
    return build_manifest(prepare(write_config(folder, bots(), **keys)), "made")


def test_the_manifest_knows_how_scores_are_read_and_who_is_the_candidate(tmp_path: Path) -> None:
    manifest = manifest_of(tmp_path)
    assert manifest.scoring is not None
    assert manifest.scoring.objective is Objective.MINIMISE
    assert candidate_of(manifest) == "new"
    assert candidate_of(manifest_of(tmp_path, schedule={"type": "round_robin"})) is None
    assert candidate_of(None) is None


# --------------------------------------------------------------------------------------------- earlier results


def write_run(folder: Path, manifest: Manifest | None, table: dict[str, list[float | None]]) -> Path:
    with RunDirectory(folder) as run:
        if manifest is not None:
            run.write_manifest(manifest)
        run.append_maps(b"".join(encode_line(record) for record in contest(table)))
    return folder


def baseline(own: Path, manifest: Manifest | None, *paths: Path) -> dict[int, tuple[float, ...]]:
    scoring = Scoring(Objective.MINIMISE, Relative.BEST, baseline=tuple(str(path) for path in paths))
    found = load_baseline(scoring, own, manifest)
    assert found.names == tuple(path.name for path in paths)
    return dict(found.scores or {})


def test_a_run_a_record_file_and_a_table(tmp_path: Path) -> None:
    manifest = manifest_of(tmp_path)
    earlier = write_run(tmp_path / "earlier", manifest, {"a": [5.0, 7.0], "b": [4.0, None]})
    table = tmp_path / "top.csv"
    table.write_text("\ufeffseed, Score ,who\n1,3.5,me\n2,,me\n3,fail,me\n\n-4,1e3,me\n")
    tabs = tmp_path / "top.tsv"
    tabs.write_text("seed\tscore\n2\t6\n")
    own = tmp_path / "own"
    assert baseline(own, manifest, earlier) == {1: (4.0, 5.0), 2: (7.0,)}
    assert baseline(own, None, earlier / "maps.jsonl") == {1: (4.0, 5.0), 2: (7.0,)}
    assert baseline(own, manifest, table, tabs) == {1: (3.5,), 2: (6.0,), -4: (1000.0,)}


def test_the_order_of_baselines_changes_no_score(tmp_path: Path) -> None:
    first = write_run(tmp_path / "first", None, {"a": [5.0, 7.0]})
    second = write_run(tmp_path / "second", None, {"a": [4.0, 9.0]})
    own = tmp_path / "own"
    assert baseline(own, None, first, second) == baseline(own, None, second, first)


def refused(own: Path, manifest: Manifest | None, path: Path) -> ResultsError:
    with pytest.raises(ResultsError) as caught:
        baseline(own, manifest, path)
    return caught.value


def test_a_run_is_not_its_own_baseline(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", None, {"a": [1.0]})
    assert "not its own baseline" in refused(run, None, run).what


def test_a_baseline_of_another_game_is_refused(tmp_path: Path) -> None:
    other = manifest_of(tmp_path / "x", rules={"name": "route", "cities": 6})
    run = write_run(tmp_path / "run", other, {"a": [1.0]})
    error = refused(tmp_path / "own", manifest_of(tmp_path / "y"), run)
    assert "of another game" in error.what
    assert error.got == "rules.cities: was 6, is now 5"


def test_a_baseline_of_another_objective_is_refused(tmp_path: Path) -> None:
    manifest = manifest_of(tmp_path)
    run = write_run(tmp_path / "run", manifest, {"a": [1.0]})
    scoring = Scoring(Objective.MAXIMISE, baseline=(str(run),))
    with pytest.raises(ResultsError, match="another objective"):
        load_baseline(scoring, tmp_path / "own", None)


def test_a_baseline_in_which_bots_met_is_refused(tmp_path: Path) -> None:
    with RunDirectory(tmp_path / "run") as run:
        run.append_maps(b"".join(encode_line(record) for record in gauntlet("a", {"b": 0.5}, 2)))
    assert "no score contest" in refused(tmp_path / "own", None, tmp_path / "run").what
    with pytest.raises(ResultsError, match="nothing says which scores are better"):
        next(ranks_by_seed(write_run(tmp_path / "alone", None, {"a": [1.0]})))
    assert not is_score_contest(tmp_path / "run")
    assert is_score_contest(tmp_path / "alone")


@pytest.mark.parametrize(
    ("text", "what", "where", "got"),
    [
        ("", "opens with a line that names its columns", ":1", "an empty file"),
        ("1,5\n", "opens with a line that names its columns", ":1", "1, 5"),
        ("seed,score\n1,5\n1.5,5\n", "no result", ":3", "1.5, 5"),
        ("seed,score\n1,5\n2,inf\n", "no result", ":3", "2, inf"),
        ("seed,score\n1,many\n", "no result", ":2", "1, many"),
    ],
)
def test_a_table_that_is_none_is_refused_with_its_line(
    tmp_path: Path, text: str, what: str, where: str, got: str
) -> None:
    table = tmp_path / "t.csv"
    table.write_text(text)
    error = refused(tmp_path / "own", None, table)
    assert what in error.what
    assert where in (error.where or "")
    assert got in (error.got or "")


def test_a_table_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    assert "cannot be read" in refused(tmp_path / "own", None, table).what
    table.write_bytes(b"seed,score\n\xff,1\n")
    assert "cannot be read" in refused(tmp_path / "own", None, table).what


def test_ranks_by_seed(tmp_path: Path) -> None:
    manifest = manifest_of(tmp_path)
    run = write_run(tmp_path / "run", manifest, {"a": [5.0, 7.0, 1.0], "b": [4.0, None]})
    assert list(ranks_by_seed(run)) == [(1, [(("a", "b"), (0.0, 1.0))]), (2, [(("b", "a"), (0.0, 1.0))])]


def test_manifests_of_before_have_no_scoring(tmp_path: Path) -> None:
    """A run that an older program began can still be read."""
    from harness.store.run_directory import read_manifest

    write_run(tmp_path / "run", manifest_of(tmp_path), {"a": [1.0]})
    path = tmp_path / "run" / "manifest.json"
    data = json.loads(path.read_text())
    del data["scoring"]
    path.write_text(json.dumps(data))
    manifest = read_manifest(tmp_path / "run")
    assert manifest is not None
    assert manifest.scoring is None
