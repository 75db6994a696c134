"""What a worker keeps of the session that it leaves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

AUTOGROUP = Path("/proc/self/autogroup")

READ = f"""
from pathlib import Path
from harness.run.worker import _read_session_priority
Path({str(AUTOGROUP)!r}).write_text("{{nice}}")
print(_read_session_priority())
"""


@pytest.mark.skipif(not AUTOGROUP.exists(), reason="this kernel does not group processes by session")
@pytest.mark.parametrize(("nice", "kept"), [(5, "5"), (0, "")])
def test_the_priority_of_a_session_is_read(nice: int, kept: str) -> None:
    """Anyone may make a session less important than the rest; 0 is what every new session has."""
    command = [sys.executable, "-c", READ.format(nice=nice)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30, start_new_session=True)
    assert done.stdout.strip() == kept
