"""A bench to run commands in, empty or with a run that is played already."""

from __future__ import annotations

import contextlib
import io
import shutil
from pathlib import Path

import pytest

from harness.cli.main import main
from tests.cli.bench import Bench, furnish


@pytest.fixture
def bench(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A folder with a config and its bots, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    return Bench(furnish(tmp_path), capsys)


@pytest.fixture(scope="session")
def played_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the config was played; to be copied, not changed."""
    folder = furnish(tmp_path_factory.mktemp("played"))
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert main(["run", str(folder / "duel.yaml"), "--quiet"]) == 0
    return folder


@pytest.fixture
def played(bench: Bench, played_once: Path) -> Bench:
    """A bench with the finished run `duel` of its config."""
    shutil.copytree(played_once / "results", "results")
    manifest = Path("results/duel/manifest.json")
    manifest.write_text(manifest.read_text().replace(str(played_once), str(bench.folder)))
    return bench
