"""A small config that loads, for tests to change one thing of."""

from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAM = "#!/bin/sh\nexec cat\n"
CONFIG = """\
rules: {name: lightcycles, width: 20}
bots:
  a: {command: [./prog], protocol: codingame}
  b: {command: ./prog --flag, protocol: codingame}
schedule: {type: gauntlet, candidate: a}
maps: {ledger: seeds.yaml, split: train, count: 4}
time: {per_ply_ms: 100}
"""

WriteConfig = Callable[..., Path]


@pytest.fixture
def write_config(tmp_path: Path) -> WriteConfig:
    """Write CONFIG with `old` replaced by `new` into a folder that has an executable `prog`."""

    def write(old: str = "", new: str = "", text: str = CONFIG) -> Path:
        program = tmp_path / "prog"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        path = tmp_path / "gauntlet.yaml"
        assert old in text
        path.write_text(text.replace(old, new, 1) if old else text)
        return path

    return write
