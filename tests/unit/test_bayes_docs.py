"""The examples in the pages of this room run as printed."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["bayes.md", "reproductions.md"])
def test_examples_of_the_page(page: str) -> None:
    assert doctest.testfile(str(DOCS / page), module_relative=False).failed == 0
