"""The confusion matrix as a result: normalised, ordered, and its worst confusions in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from unconfuse import _html_repr
from unconfuse._deprecated import renamed
from unconfuse._errors import ArgumentError, CallError, InputError, UnconfuseError
from unconfuse._formatting import TabularResult, strict_json
from unconfuse._render_mixins import PlotMixin
from unconfuse._validate import (
    as_builtin,
    as_floats,
    check_cases,
    check_choice,
    check_list,
    check_probability,
    check_whole,
    public_api,
)
from unconfuse.ingest.build_sample import class_names
from unconfuse.metrics._metric import ratio
from unconfuse.policy import FEW
from unconfuse.table import Array, ConfusionCells, Counts
from unconfuse.uncertainty.proportion_intervals import mid_p

_MOST_IN_CARD = 10  # classes whose whole matrix a notebook has room for


@dataclass(frozen=True)
class ConfusionPair:
    """One kind of confusion: cases of `truth` that were labelled `predicted`."""

    truth: str
    predicted: str
    count: float
    of: float
    rate: float
    low: float
    high: float

    @property
    def sentence(self) -> str:
        """In words.

        >>> ConfusionPair("cat", "dog", 33, 200, .165, .12, .22).sentence
        "33 of 200 cases of class 'cat' were labelled 'dog' (16%)"
        >>> ConfusionPair("cat", "dog", 1, 2, .5, .03, .97).sentence
        "1 of 2 cases of class 'cat' was labelled 'dog'"
        """
        share = f" ({_percent(self.rate)})" if self.of >= FEW else ""
        labelled = f"{'was' if self.count == 1 else 'were'} labelled {self.predicted!r}{share}"
        cases = "case" if self.of == 1 else "cases"
        return f"{self.count:,.6g} of {self.of:,.6g} {cases} of class {self.truth!r} {labelled}"

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return dict(vars(self))

    def __str__(self) -> str:
        return self.sentence


def _percent(rate: float) -> str:
    return f"{100 * rate:.0f}%" if rate >= 0.0095 else f"{100 * rate:.2g}%"


@public_api
@dataclass(frozen=True, eq=False, repr=False)
class ConfusionMatrix(TabularResult, PlotMixin):
    """Counts of true and predicted classes; rows are the truth.

    Examples
    --------
    >>> import unconfuse as uc
    >>> found = uc.evaluate_confusion([[50, 3, 2], [10, 30, 5], [0, 4, 16]], classes=["cat", "dog", "fox"]).confusion
    >>> found.largest_confusions(1)[0].sentence
    "10 of 45 cases of class 'dog' were labelled 'cat' (22%)"
    >>> found.normalised("truth")[0].round(2)
    array([0.91, 0.05, 0.04])
    """

    picture = "plot_confusion"

    counts: Array
    classes: tuple[str, ...]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return the counts, as `numpy.asarray` asks for them."""
        return np.array(self.counts, dtype=dtype)

    def __getitem__(self, place: Any) -> Any:
        """Return counts by place, as `numpy` would; cells of a yes-or-no question have names elsewhere."""
        if isinstance(place, str):
            raise CallError(f"cells are found by place; got {place!r}. Hint: result.counts.tp; result.confusion[1, 1].")
        return self.counts[place]

    @property
    def n(self) -> float:
        """All cases."""
        return float(self.counts.sum())

    @cached_property
    def truth(self) -> Array:
        """Cases of each class."""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def predicted(self) -> Array:
        """Cases that were given each class."""
        return np.asarray(self.counts.sum(axis=0))

    def one_vs_rest(self, k: int) -> Counts:
        """Return the 2x2 table of class k against the rest."""
        return ConfusionCells.from_matrix(self.counts).one_vs_rest(
            check_whole(k, "k", at_least=0, at_most=len(self.classes) - 1)
        )

    def normalised(self, by: str = "truth") -> Array:
        """Shares of each true class, of each predicted class, or of all cases; NaN where there are none."""
        check_choice(by, "by", ("truth", "predicted", "all"))
        if by == "all":
            return ratio(self.counts, self.n)
        return ratio(self.counts, self.truth[:, None] if by == "truth" else self.predicted)

    def largest_confusions(
        self, n: int = 5, *, by: str = "count", confidence_level: float = 0.95
    ) -> list[ConfusionPair]:
        """Return the n largest confusions, by count or share of the true class, with mid-p intervals of that share."""
        check_whole(n, "n", at_least=1)
        check_choice(by, "by", ("count", "rate"))
        wrong = self.counts * (1 - np.eye(len(self.classes)))
        size = wrong if by == "count" else np.nan_to_num(ratio(wrong, self.truth[:, None]))
        chosen = [place for place in np.argsort(-size, axis=None, kind="stable")[:n] if size.flat[place] > 0]
        level = check_probability(confidence_level, "confidence_level", open_interval=True)
        return [self._mistake(*divmod(int(place), len(self.classes)), level) for place in chosen]

    def _mistake(self, i: int, j: int, level: float) -> ConfusionPair:
        count, of = float(self.counts[i, j]), float(self.truth[i])
        low, high = mid_p(count, of, confidence_level=level)
        return ConfusionPair(self.classes[i], self.classes[j], count, of, count / of, float(low), float(high))

    def order(self) -> list[int]:
        """Return an order of the classes in which those that are confused with each other sit together.

        By average linkage of the classes, those most often confused first.
        """
        from scipy.cluster.hierarchy import leaves_list, linkage  # takes too long to import for everybody

        size = len(self.classes)
        if size < 3:
            return list(range(size))
        rate = np.nan_to_num(self.normalised("truth"))
        tie = (rate + rate.T)[np.triu_indices(size, 1)]
        return [int(each) for each in leaves_list(linkage(tie.max() - tie, method="average"))]

    def reordered(self, order: Sequence[int] | None = None) -> ConfusionMatrix:
        """Return a copy with classes in another order; by default such that confused classes sit together."""
        chosen = (
            self.order()
            if order is None
            else [check_whole(each, "order", at_least=0) for each in check_list(order, "order")]
        )
        if sorted(chosen) != list(range(len(self.classes))):
            raise ArgumentError("an order must name every class once, by its place.")
        return ConfusionMatrix(self.counts[np.ix_(chosen, chosen)], tuple(self.classes[each] for each in chosen))

    def rows(self) -> list[dict[str, Any]]:
        """One row of plain values for each true class."""
        return [
            {"truth": name, **dict(zip(self.classes, map(float, line), strict=True))}
            for name, line in zip(self.classes, self.counts, strict=True)
        ]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"classes": list(self.classes), "counts": self.counts.tolist()}

    def __repr__(self) -> str:
        return f"ConfusionMatrix({len(self.classes)} classes, {self.n:g} cases, {np.trace(self.counts):g} right)"

    def table_html(self) -> str:
        """Return the counts as a table for a card; of many classes the largest confusions, one per line."""
        if len(self.classes) > _MOST_IN_CARD:
            return _html_repr.table(
                ["largest confusions"],
                [
                    [_html_repr.text(largest_confusion.sentence, 120)]
                    for largest_confusion in self.largest_confusions(6)
                ],
            )
        names = [_html_repr.text(name, 16) for name in self.classes]
        cells = (map("{:,.7g}".format, line) for line in self.counts.tolist())
        rows = [[name, *line] for name, line in zip(names, cells, strict=True)]
        return _html_repr.table(["truth \\ labelled", *names], rows, numbers=range(1, len(names) + 1))

    def _repr_html_(self) -> str:
        worst = self.largest_confusions(1)
        verdict = (
            f"{worst[0].sentence}: the largest confusion." if worst else "No case was labelled with another class."
        )
        return _html_repr.card(repr(self), self.table_html(), verdict=verdict)

    worst = renamed("largest_confusions")
    of_class = renamed("one_vs_rest")
    ordered = renamed("reordered")


def check_confusion(matrix: Any, classes: Sequence[object] | None) -> ConfusionMatrix:
    """Check a K x K matrix of counts, rows = truth; names of a frame's columns are kept."""
    if hasattr(matrix, "collect"):  # a lazy frame
        matrix = matrix.collect()
    named = list(matrix.columns) if classes is None and hasattr(matrix, "columns") else None
    try:
        counts = as_floats(as_builtin(matrix), "matrix")
    except UnconfuseError:
        raise InputError("a confusion matrix must hold counts; got text or rows of different lengths.") from None
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise InputError(
            f"a confusion matrix must be square, rows = truth, columns = prediction; got shape {counts.shape}."
        )
    _refuse_cells(counts)
    names = class_names(check_list(classes if classes is not None else named or range(len(counts)), "classes"))
    if len(names) != len(counts):
        raise InputError(f"the confusion matrix has {len(counts)} rows, but there are {len(names)} classes.")
    return ConfusionMatrix(counts, names)


def _refuse_cells(counts: Array) -> None:
    for bad, words in (
        (~np.isfinite(counts), "missing or infinite"),
        (counts < 0, "negative"),
        (counts != np.round(counts), "fractional"),
    ):
        if bad.any():
            row, column = np.argwhere(bad)[0]
            raise InputError(
                f"a confusion matrix must hold whole counts of 0 or more; row {row}, column {column} "
                f"(counted from 0) is {words}: {counts[row, column]:g}. Hint: give counts, not shares."
            )
    with np.errstate(over="ignore"):
        total = float(counts.sum())
    if total:
        check_cases(total, "the counts")
    else:
        raise InputError("the confusion matrix holds no cases.")
