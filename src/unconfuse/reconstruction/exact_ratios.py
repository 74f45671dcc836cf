"""Metrics of many whole tables at once, as one division of whole numbers: exact enough to tell ties of rounding."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from unconfuse.metrics._count_expressions import applied
from unconfuse.table import Array


class Ratio:
    """Arrays of fractions, kept as numerators and denominators until they are divided, once.

    Sums of fractions such as Youden's J would round twice; a tie, such as .125 with two decimals, would be lost.
    """

    __slots__ = ("bottom", "top")

    def __init__(self, top: Any, bottom: Any = None) -> None:
        self.top, self.bottom = top, bottom

    def divided(self) -> Array:
        """Return the values; 0/0 is NaN."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.asarray(self.top if self.bottom is None else self.top / self.bottom, dtype=np.float64)

    def __add__(self, other: Any) -> Ratio:
        return self._sum(_ratio(other), 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Ratio:
        return self._sum(_ratio(other), -1)

    def __rsub__(self, other: Any) -> Ratio:
        return _ratio(other)._sum(self, -1)

    def __neg__(self) -> Ratio:
        return Ratio(-self.top, self.bottom)

    def __mul__(self, other: Any) -> Ratio:
        two = _ratio(other)
        return Ratio(self.top * two.top, _product(self.bottom, two.bottom))

    __rmul__ = __mul__

    def _sum(self, other: Ratio, sign: int) -> Ratio:
        if self.bottom is other.bottom:
            return Ratio(self.top + sign * other.top, self.bottom)
        one, two = _product(self.top, other.bottom), _product(other.top, self.bottom)
        return Ratio(one + sign * two, _product(self.bottom, other.bottom))

    def __array_ufunc__(self, ufunc: Callable[..., Any], method: str, *inputs: Any) -> Ratio:
        parts = [_ratio(each) for each in inputs]
        if ufunc is np.true_divide:
            ratio, two = parts
            return Ratio(_product(ratio.top, two.bottom), _product(ratio.bottom, two.top))
        with np.errstate(invalid="ignore"):
            return Ratio(ufunc(*(part.divided() for part in parts)))


def _ratio(value: Any) -> Ratio:
    return value if isinstance(value, Ratio) else Ratio(value)


def _product(one: Any, two: Any) -> Any:
    return one if two is None else two if one is None else one * two


class Tables:
    """Many 2x2 tables by class sizes, TP and FP; their counts by the names that expressions have for them."""

    def __init__(self, positives: Array, negatives: Array, tp: Array, fp: Array) -> None:
        self.sizes = positives, negatives
        self.tp, self.fp = Ratio(tp), Ratio(fp)
        self.positives, self.negatives = Ratio(positives), Ratio(negatives)

    @cached_property
    def fn(self) -> Ratio:
        """False negatives."""
        return self.positives - self.tp

    @cached_property
    def tn(self) -> Ratio:
        """True negatives."""
        return self.negatives - self.fp

    @cached_property
    def labelled_positive(self) -> Ratio:
        """Cases labelled positive."""
        return self.tp + self.fp

    @cached_property
    def labelled_negative(self) -> Ratio:
        """Cases labelled negative."""
        return self.total - self.labelled_positive

    @cached_property
    def total(self) -> Ratio:
        """All cases."""
        return self.positives + self.negatives

    def __len__(self) -> int:
        return len(self.sizes[0])

    def cells(self) -> dict[str, Array]:
        """Return the four cells."""
        return {name: np.asarray(getattr(self, name).top) for name in ("tp", "fp", "fn", "tn")}

    def only(self, chosen: Any) -> Tables:
        """Return some of them."""
        return Tables(*(each[chosen] for each in (*self.sizes, self.tp.top, self.fp.top)))

    def ratio(self, expression: str) -> Ratio:
        """Evaluate an expression for each table, not yet divided."""
        return _ratio(applied(expression, self))

    def values(self, expression: str) -> Array:
        """Evaluate an expression for each table.

        >>> Tables(*(np.array([each]) for each in (8., 8., 7., 6.))).values("tp / positives + tn / negatives - 1")
        array([0.125])
        """
        found = self.ratio(expression).divided()
        return np.broadcast_to(found, self.sizes[0].shape)
