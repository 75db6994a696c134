"""What a test does where the machine lacks what it needs: skips with the reason, and fails in CI, which installs it."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def cannot_run(why: str) -> NoReturn:
    """End a test that cannot run here."""
    if os.environ.get("CI", "").lower() not in {"", "0", "false"}:
        pytest.fail(f"CI must have this: {why}")
    pytest.skip(why)
