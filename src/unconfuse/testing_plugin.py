"""A fixture for pytest, for those who ask for it: `pytest_plugins = ["unconfuse.testing_plugin"]`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def model_gate() -> Callable[..., Any]:
    """`assert_not_worse`, imported when a test uses it."""
    from unconfuse.testing import assert_not_worse

    return assert_not_worse
