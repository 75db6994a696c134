"""Fixtures that tests of several parts share."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.bots.actors import MISBEHAVE, kill_leftovers
from tests.needs import cannot_run

# A test example is never timed: on shared cores a slow one says nothing about the code.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture
def tag() -> Iterator[str]:
    """Give a word to put on the command line of every program of a test; what still has it afterwards is killed."""
    word = f"tag-{uuid.uuid4().hex}"
    yield word
    kill_leftovers(word)


@pytest.fixture(scope="session")
def swift_bot() -> Iterator[Path]:
    """Give the C bot that misbehaves, compiled, in a folder that every user may enter."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        cannot_run("needs a C compiler: the bot that forks, burns and allocates fast is written in C")
    folder = Path(tempfile.mkdtemp(prefix="harness-test-bot-"))
    folder.chmod(0o755)
    program = folder / "misbehave"
    subprocess.run([compiler, "-O2", "-o", program, MISBEHAVE.with_suffix(".c"), "-lpthread"], check=True)
    yield program
    shutil.rmtree(folder)
