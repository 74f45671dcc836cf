"""For all tests, those in docstrings too: pictures that a test has drawn are closed after it."""

import sys

import pytest


@pytest.fixture(autouse=True)
def no_figures_left_open():
    """Too many open pictures are a warning, and so an error."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
