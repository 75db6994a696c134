"""The examples of docs/statistics.md run and print what the page says."""

import doctest
import re
from pathlib import Path

_PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"


def test_the_examples_on_the_page_are_true() -> None:
    blocks = re.findall(r"```python\n(.*?)```", _PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) > 10
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/statistics.md", str(_PAGE), 0)
    assert len(test.examples) > 50
    said: list[str] = []
    failed, _ = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=said.append)
    assert not failed, "".join(said)
