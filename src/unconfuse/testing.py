"""For tests of models: assert that a new one is not worse than the old one.

In a `conftest.py`, `pytest_plugins = ["unconfuse.testing_plugin"]` brings the fixture `model_gate`; nothing is loaded
where it is not asked for.
"""

from __future__ import annotations

from typing import Any

from unconfuse._validate import check_choice
from unconfuse.api import gate
from unconfuse.policy import Verdict
from unconfuse.results.gate import GateResult

__all__ = ["assert_not_worse"]


def assert_not_worse(y: Any, new: Any, baseline: Any, *, cannot_tell: str = "fail", **settings: Any) -> GateResult:
    """Fail unless the new model is surely not worse than the old one by the margin.

    Parameters
    ----------
    y, new, baseline : array_like
        Labels, and scores of both models of the same cases.
    cannot_tell : {"fail", "pass"}
        What to make of inconclusive data.
    **settings
        As in `unconfuse.gate`: metrics (or `metric`), margin, require, threshold, error_rate, ...

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(3000) < .3
    >>> old = y + rng.normal(size=3000)
    >>> assert_not_worse(y, old + .05 * rng.normal(size=3000), old, metric="auroc", margin=.01).verdict
    'pass'
    """
    check_choice(cannot_tell, "cannot_tell", ("fail", "pass"))
    if "metric" in settings:
        settings["metrics"] = [settings.pop("metric")]
    gate_result = gate(y, new, baseline, **settings)
    if not gate_result.passed and not (gate_result.verdict is Verdict.CANNOT_TELL and cannot_tell == "pass"):
        raise AssertionError(gate_result.sentence)
    return gate_result
