"""What all sections of a config are made of: their base, the types of their values, errors that say the next step.

Must not know any key. pydantic stays in `config`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic_core import PydanticCustomError

NAME = r"^[A-Za-z0-9][A-Za-z0-9._+-]{0,59}$"
OWN = r"^([^:\n]+\.py|[A-Za-z_][\w.]*):[A-Za-z_]\w*$"
"""What a user wrote: `file.py:name` or `module:name`."""


Name = Annotated[str, StringConstraints(pattern=NAME)]
Text = Annotated[str, StringConstraints(min_length=1)]
Positive = Annotated[int, Field(ge=1, le=2**31 - 1)]
Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
Words = Annotated[list[Text], Field(min_length=1)]
Value = str | int | float | bool | None


def problem(
    what: str, *, key: str | None = None, allowed: str | None = None, next_step: str | None = None
) -> PydanticCustomError:
    """Make an error that `problems` turns into a ConfigError.

    `key` is the key in this mapping that is meant, `a.b` one in the mapping below it.
    """
    context = {"what": what, "key": key, "allowed": allowed, "next_step": next_step}
    return PydanticCustomError("problem", "{what}", context)


class Section(BaseModel):
    """A mapping of known keys."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
