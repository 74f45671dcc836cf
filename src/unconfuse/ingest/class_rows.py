"""Rows of a problem with several classes: checked, with every label as the number of its class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError, InputError, nearest
from unconfuse._kernels import ClassRanks, class_ranks
from unconfuse._labels import meaning
from unconfuse._validate import Place, as_column, as_place, brief, is_missing, refuse_rows
from unconfuse.table import Array

Codes = npt.NDArray[np.int64]
Matrix = npt.NDArray[Any]
SUM_TOLERANCE = 1e-3  # rows of probabilities may be rounded in files
_ROWS_AT_A_TIME = 1 << 22


@dataclass(frozen=True, eq=False, repr=False)
class ClassScores:
    """Checked rows: the true class of each, and its scores for all classes or the class that was predicted.

    Attributes
    ----------
    truth : array of shape (n,)
        Number of each row's class.
    classes : tuple of str
        Names of the classes, in the order of the columns.
    scores : array of shape (n, K) or None
    predicted : array of shape (n,)
        The class of the highest score unless it was given; ties go to the first of them. With two classes and
        probabilities a tie goes to the second, as in `evaluate` of one column: positive from 0.5 on.
    """

    truth: Codes
    classes: tuple[str, ...]
    scores: Matrix | None
    predicted: Codes
    weights: Array | None = None
    groups: Codes | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes, those included that do not occur."""
        return len(self.classes)

    @cached_property
    def weight(self) -> Array:
        """Weight of every row, 1 if none was given."""
        return np.ones(len(self.truth)) if self.weights is None else self.weights

    @cached_property
    def sizes(self) -> Array:
        """Cases of each class."""
        return np.bincount(self.truth, weights=self.weights, minlength=self.n_classes).astype(np.float64)

    @property
    def n(self) -> float:
        """All cases."""
        return float(self.sizes.sum())

    @cached_property
    def why_not_probabilities(self) -> str:
        """Why the scores cannot be probabilities, or nothing."""
        return "there are no scores" if self.scores is None else why_not_probabilities(self.scores)

    @cached_property
    def ranks(self) -> ClassRanks:
        """Every class's own cases among all others, in one pass; made when first asked for.

        The coefficients are those of the macro and of the weighted one-versus-rest AUROC, and of Hand and Till's.
        """
        if self.scores is None:
            raise ArgumentError("ranking metrics need scores, not only predicted labels. Hint: evaluate(y, S).")
        sizes, present = self.sizes, self.sizes > 0
        rest = np.where(present, self.n - sizes, np.inf)
        coefficients = np.array([present / present.sum() / rest, sizes / self.n / rest, present.astype(float)])
        return class_ranks(self.scores, self.truth, self.weights, coefficients=coefficients)

    def position(self, wanted: object) -> int:
        """The number of a class from its name or label; a whole number that is no label counts columns from 0."""
        meant = meaning(wanted)
        for place, name in enumerate(self.classes):
            if name == wanted or meaning(name) == meant:
                return place
        if isinstance(wanted, int | np.integer) and 0 <= wanted < self.n_classes:
            return int(wanted)
        raise ArgumentError(f"no class {brief(wanted)}. {nearest(str(wanted), self.classes)}")

    def __len__(self) -> int:
        return len(self.truth)

    def __repr__(self) -> str:
        return f"ClassScores({len(self)} rows, {self.n_classes} classes)"


def why_not_probabilities(scores: Matrix) -> str:
    """Why the rows of a matrix cannot be probabilities, or nothing: in pieces, so that no copy is made.

    >>> why_not_probabilities(np.array([[.2, .8], [.5, .4]]))
    'row 1 (counted from 0) adds up to 0.9, not to 1 within 0.001'
    """
    step = max(1, _ROWS_AT_A_TIME // scores.shape[1])
    for first in range(0, len(scores), step):
        piece = scores[first : first + step]
        if piece.min() < 0 or piece.max() > 1:
            row = first + int(np.flatnonzero(((piece < 0) | (piece > 1)).any(axis=1))[0])
            return f"row {row} (counted from 0) has a score outside [0, 1]"
        total = piece.sum(axis=1, dtype=np.float64)
        off = np.flatnonzero(np.abs(total - 1) > SUM_TOLERANCE)
        if len(off):
            at = int(off[0])
            return f"row {first + at} (counted from 0) adds up to {total[at]:.6g}, not to 1 within {SUM_TOLERANCE:g}"
    return ""


def class_rows(
    labels: Any,
    classes: Sequence[object],
    *,
    scores: Matrix | None = None,
    predicted: Any = None,
    weights: Array | None = None,
    groups: Codes | None = None,
    place: str | Place = "labels",
) -> ClassScores:
    """Labels as numbers of classes, beside scores or predicted labels."""
    names = class_names(classes)
    truth = codes_of(labels, classes, place)
    if len(np.unique(truth)) < 2:
        said = "no rows" if not len(truth) else f"only {brief(names[int(truth[0])])} among {len(truth)} rows"
        raise InputError(
            f"the labels hold one class only: {said}. Hint: classes are told apart on cases of at least two of them."
        )
    decided = codes_of(predicted, classes, "predicted") if predicted is not None else decide(scores)
    return ClassScores(truth, names, scores, decided, weights, groups)


def decide(scores: Matrix | None) -> Codes:
    """The class of the highest score of each row."""
    if scores is None:
        raise InputError("there are labels but neither scores nor predicted labels. Hint: pass S or predicted=.")
    if scores.shape[1] == 2 and not why_not_probabilities(scores):
        return np.asarray(scores[:, 1] >= 0.5, dtype=np.int64)
    return np.asarray(np.argmax(scores, axis=1), dtype=np.int64)


def class_names(classes: Sequence[object]) -> tuple[str, ...]:
    """Names as text; no two of them may mean the same."""
    if len(classes) < 2:
        raise InputError(f"there must be at least two classes; got {len(classes)}.")
    twice = [each for each, times in Counter(meaning(each) for each in classes).items() if times > 1]
    if twice:
        same = [each for each in classes if meaning(each) == twice[0]]
        raise InputError(f"two classes have the same name: {brief(same[0])} and {brief(same[1])}. Hint: rename one.")
    return tuple(str(each) for each in classes)


def codes_of(values: Any, classes: Sequence[object], name: str | Place) -> Codes:
    """The number of each value's class; unknown and missing values are refused by row."""
    place = as_place(name)
    column = as_column(values, place.name.strip("`"))
    refuse_rows(is_missing(column), place, "has missing values", "drop those rows or label them")
    numbered = column.dtype.kind in "iu" and len(column) and list(classes) == list(range(len(classes)))
    if numbered and column.min() >= 0 and column.max() < len(classes):
        return column.astype(np.int64)
    found, inverse = np.unique(column.astype(str) if column.dtype.kind == "O" else column, return_inverse=True)
    known = {meaning(each): place for place, each in enumerate(classes)}
    code = np.array([known.get(meaning(each), -1) for each in found.tolist()], dtype=np.int64)
    unknown = np.flatnonzero(code < 0)
    if len(unknown):
        value = found[unknown[0]]
        shown = ", ".join(brief(str(each)) for each in classes[:10]) + (", ..." if len(classes) > 10 else "")
        refuse_rows(
            np.isin(inverse, unknown),
            place,
            f"holds {brief(value.item())}, which is none of the classes ({shown})",
            "check the spelling, or name all classes with classes=",
        )
    return code[inverse]
