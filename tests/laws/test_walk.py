"""How far a call walks: from the verb to the answer it passes few modules, besides those of the metrics it asks.

What lies below all rooms (`_validate`, `_labels` and the like, which every public call passes) is not counted.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

import unconfuse as uc

HOUSE = Path(uc.__file__).parent
MOST = 30  # a file that is split in two for good reasons must not break the law


def walked(call):
    """The modules of rooms in which a function ran during the call, without the metrics' own."""
    call()  # what is imported or remembered on the first call is not part of the walk
    seen = set()

    def note(frame, event, argument):
        seen.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    inside = [Path(each) for each in seen if each.startswith(str(HOUSE))]
    passed = {str(each.relative_to(HOUSE)) for each in inside if each.parent not in (HOUSE, HOUSE / "metrics")}
    return sorted(passed)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.4
    return y, 1 / (1 + np.exp(-(y + rng.normal(size=(3, 300)))))


def test_evaluate(rows):
    y, s = rows
    passed = walked(lambda: uc.evaluate(y, s[0]))
    assert len(passed) <= MOST, passed


def test_compare(rows):
    y, s = rows
    passed = walked(lambda: uc.compare(y, {"a": s[0], "b": s[1], "c": s[2]}))
    assert len(passed) <= MOST, passed


def test_several_classes_and_comparisons_go_through_the_same_engine(rows):
    y, s = rows
    stated = np.exp(s).T / np.exp(s).T.sum(axis=1, keepdims=True)
    truth = np.arange(300) % 3
    for call in (
        lambda: uc.evaluate(y, s[0]),
        lambda: uc.evaluate(truth, stated),
        lambda: uc.evaluate(y, s[0], groups=np.arange(300) // 3, metrics=["auroc"]),
        lambda: uc.compare(y, {"a": s[0], "b": s[1]}, metrics=["auroc"]),
    ):
        assert "uncertainty/engine.py" in walked(call)
