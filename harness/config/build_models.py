"""The keys of `build`: how something that plays is made from its sources."""

from __future__ import annotations

from pydantic import Field

from harness.config.section import Section, Text, Words


class BuildSection(Section):
    """How to build a bot. Runs once for each state of its source files."""

    command: Text | Words = Field(description="What to run, as a list of words or one string; no shell.")
    needs: Text | None = Field(
        default=None, description="A program, for example `cc`. A machine without it skips the bot and says so."
    )
    outputs: list[Text] = Field(
        default_factory=list,
        description="Patterns of the files that the build makes outside `build/`; they are not source files.",
    )
