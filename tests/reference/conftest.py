"""Oracle cases by group: `@pytest.mark.oracle("bayes", "bayes12")` runs a test once for each case, as `case`.

The definitions that reference values come from are found by name, whatever pytest's import mode.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "cases.json").read_text())["cases"]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "oracle(group, prefix=''): run for each oracle case of a group")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    mark = metafunc.definition.get_closest_marker("oracle")
    if mark is None:
        return
    group, prefix = (*mark.args, "")[:2]
    chosen = [case for case in CASES if case["group"] == group and case["id"].startswith(prefix)]
    assert chosen, f"no oracle case in group {group!r} starts with {prefix!r}"
    metafunc.parametrize("case", chosen, ids=[case["id"] for case in chosen])


@pytest.fixture
def matches() -> Any:
    """Compare a number with an oracle's: null is undefined, "inf" is infinite, the rest is close."""

    def check(ours: float, expected: Any, tolerance: float) -> None:
        if expected is None:
            assert math.isnan(ours)
        elif expected == "inf":
            assert ours == math.inf
        else:
            assert ours == pytest.approx(expected, rel=0, abs=tolerance)

    return check
