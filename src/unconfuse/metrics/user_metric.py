"""A user's own metric: any function that gives one number, whether or not it can take many tables at once.

Resampling asks for thousands of values. A function written for arrays with leading axes gives them in one call; one
with an `if` in it, or with a sum over everything, gives an error, another shape or, worst, other numbers. So what it
says of many tables is held against what it says of the first and the last of them alone; where the two differ, it is
asked one table at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._formatting import short_repr
from unconfuse._validate import public_api
from unconfuse.metrics._metric import InfluenceSummary, Metric
from unconfuse.metrics.bounds import ROUNDING
from unconfuse.table import Array, ClassMargins, Counts, ScoreTable

_ALIKE = 1e-9  # relative: sums of many tables at once may be added up in another order


@public_api
def metric(**declared: Any) -> Callable[[Callable[[Any], Any]], Metric]:
    """Declare a metric by decorating its function; the name is the function's unless given.

    The function is given `Counts` (`of="counts"`, the default) or a `ScoreTable` (`of="ranks"`, `of="probabilities"`).
    If it can take arrays with leading axes, one table for each resample, it is called once for all of them; otherwise
    it is called for one table at a time, which is slower. Everything else that a `Metric` has can be declared as well.

    Examples
    --------
    >>> from unconfuse import metric, evaluate_counts
    >>> @metric(label="Missed per 1,000", better="lower", range=(0, 1000))
    ... def missed_per_thousand(c):
    ...     return 1000 * c.fn / c.total
    >>> evaluate_counts(tp=8, fp=2, fn=2, tn=88, metrics=[missed_per_thousand])["missed_per_thousand"].value
    20.0
    """

    def declare(function: Callable[[Any], Any]) -> Metric:
        usual: dict[str, Any] = {"name": getattr(function, "__name__", "own"), "value": function}
        made = Metric(**(usual | declared))
        return replace(made, value=UserFunction(made.value, made.name, made.range))

    return declare


@dataclass(frozen=True)
class UserFunction:
    """A user's function of a 2x2 table, a score table or margins of several classes, asked so that it can answer."""

    function: Callable[[Any], Any]
    name: str
    range: tuple[float, float] = (-math.inf, math.inf)

    def __call__(self, data: Any) -> Any:
        """Its value, or an array of them along the leading axes."""
        shape = _leading(data)
        if not shape:
            return self._of_one(data)
        found = self._of_all(data, shape)
        if found is None:
            found = np.array([self._of_one(_one(data, place)) for place in np.ndindex(shape)], dtype=np.float64)
        return found.reshape(shape)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by name, as functions are; the name of a function that was decorated is that of its metric."""
        place = getattr(self.function, "__module__", None), getattr(self.function, "__qualname__", "")
        if _decorated(*place) == self:
            return _decorated, place
        return UserFunction, (self.function, self.name, self.range)

    def _of_all(self, data: Any, shape: tuple[int, ...]) -> Array | None:
        """All values from one call, if the function can do that."""
        try:
            found = np.asarray(self.function(data))
        except Exception:  # if it does not even know what to do with one table, its error comes up there
            return None
        if found.shape != shape or found.dtype.kind not in "buif" or not found.size:
            return None
        ends = np.zeros_like(shape), np.subtract(shape, 1)
        alike = (_alike(found[place], self._of_one(_one(data, place))) for place in map(tuple, ends))
        return found.astype(np.float64) if all(alike) else None

    def _of_one(self, data: Any) -> Any:
        try:
            value = self.function(data)
        except ZeroDivisionError:  # of Python's own numbers, which know no 0/0
            return math.nan
        return value if isinstance(value, InfluenceSummary) else self._within_range(_number(value, self.name))

    def _within_range(self, value: float) -> float:
        low, high = self.range
        if value < low - ROUNDING or value > high + ROUNDING:
            held = f"its declared range is {low:g} to {high:g}"
            raise ArgumentError(f"{self.name} gave {value:g}, but {held}. Hint: declare the `range` that it can have.")
        return value


def _number(value: Any, name: str) -> float:
    try:
        if not isinstance(value, str):
            return float(value)
    except (TypeError, ValueError):
        pass
    raise ArgumentError(f"{name} must give one number for each table; it gave {short_repr(value)}.")


def _alike(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_ALIKE, abs_tol=ROUNDING) or (math.isnan(one) and math.isnan(other))


def _leading(data: Any) -> tuple[int, ...]:
    """Return the shape of the leading axes."""
    if isinstance(data, Counts):
        return data.shape
    if isinstance(data, ScoreTable):
        return np.broadcast_shapes(data.positives.shape, data.negatives.shape)[:-1]
    return data.tp.shape[:-1] if isinstance(data, ClassMargins) else ()


def _one(data: Any, place: tuple[int, ...]) -> Any:
    """One of many tables."""
    if isinstance(data, Counts):
        return data[place]
    if isinstance(data, ScoreTable):
        sides = np.broadcast_arrays(data.positives, data.negatives)
        return ScoreTable.from_validated(data.score, *(side[place] for side in sides))
    weighted = None if data.weighted is None else data.weighted[place]
    return ClassMargins(data.tp[place], data.fn[place], data.fp[place], data.weighting, weighted)


def _decorated(module: str | None, name: str) -> UserFunction | None:
    """Return the function of the metric that a module has under this name."""
    found: Any = None if module is None else import_module(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    own = found.value if isinstance(found, Metric) else None
    return own if isinstance(own, UserFunction) else None
