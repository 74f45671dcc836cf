"""The examples in the pages run as printed."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [page for page in sorted(DOCS.glob("*.md")) if ">>>" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_of_the_page(page: Path) -> None:
    found = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert found.attempted and not found.failed


def test_pages_with_examples_are_found() -> None:
    assert {"bayes.md", "definitions.md", "ranking.md"} <= {page.name for page in PAGES}
