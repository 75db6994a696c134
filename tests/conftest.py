"""Fixtures that tests of several parts share."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.bots.actors import kill_leftovers

# A test example is never timed: on shared cores a slow one says nothing about the code.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture
def tag() -> Iterator[str]:
    """Give a word to put on the command line of every program of a test; what still has it afterwards is killed."""
    word = f"tag-{uuid.uuid4().hex}"
    yield word
    kill_leftovers(word)
