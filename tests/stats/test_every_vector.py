"""No outside number goes unused: every case of stat_vectors.json is asked for by some test in this folder."""

import re
from pathlib import Path

from tests.stats.vectors import all_vectors

_CALL = re.compile(r'\b(vectors?|case|cases)\(\s*f?"([^"{]+)')


def test_every_vector_is_asked_for_by_a_test() -> None:
    asked: list[tuple[str, bool]] = []
    for path in Path(__file__).parent.glob("test_*.py"):
        for function, name in _CALL.findall(path.read_text(encoding="utf-8")):
            asked.append((name, function.endswith("s") or name.endswith("_")))
    unused = [
        vector_id
        for vector_id in all_vectors()
        if not any(vector_id == name or (prefix and vector_id.startswith(name)) for name, prefix in asked)
    ]
    assert unused == []
