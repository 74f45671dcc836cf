"""Numbers for a page: short where they are drawn, whole where they are read."""

from __future__ import annotations

from typing import Any

import numpy as np

from unconfuse._plain import plain_json
from unconfuse.table import Array


def rounded(values: Any, digits: int = 5) -> list[Any]:
    """A column rounded to significant digits, NaN as None and infinities as text.

    >>> rounded([0.123456789, float("nan"), float("inf"), 0.0])
    [0.12346, None, 'inf', 0]
    """
    return [_whole(each) for each in plain_json([float(f"{each:.{digits}g}") for each in np.asarray(values).tolist()])]


def exact(values: Array) -> list[Any]:
    """A column as it is, whole numbers without a point."""
    return [_whole(each) for each in plain_json(np.asarray(values).tolist())]


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value
