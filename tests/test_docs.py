"""Every link in the docs leads somewhere: to a file that is there, and to a heading in it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
IGNORED = {".venv", "results", "build", "node_modules"}
PAGES = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not any(part in IGNORED or part.startswith(".") for part in path.relative_to(ROOT).parts)
)
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")


def prose(page: Path) -> str:
    """Give a page without its code."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`]*`", "", text)


def anchors(page: Path) -> set[str]:
    """Give the anchors that GitHub makes of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(prose(page)):
        if "://" in link or link.startswith("mailto:"):
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), f"{page.name}: {link} leads nowhere"
        assert not anchor or anchor in anchors(target), f"{page.name}: {link}: no such heading"


def test_there_are_pages() -> None:
    assert len(PAGES) > 10
