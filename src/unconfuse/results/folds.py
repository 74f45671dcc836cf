"""The folds of a cross-validation: their evaluations, and their curves side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unconfuse._errors import UnknownNameError, did_you_mean
from unconfuse._formatting import short_repr
from unconfuse.curves import Curve
from unconfuse.curves.grid_values import HEIGHTS
from unconfuse.table import Array, ScoreTable, fractions

_STEPS = 200  # of the x axis
LABELS = {"roc": "False positive rate", "precision_recall": "Recall", "gain": "Share of cases labelled positive"}


class FoldEvaluations(dict[str, Any]):
    """Evaluations by fold; a fold that was given as a number is found by it.

    >>> FoldEvaluations({"1": "one"})[1]
    'one'
    """

    def __missing__(self, fold: object) -> Any:
        if not isinstance(fold, str) and str(fold) in self:
            return self[str(fold)]
        raise UnknownNameError(f"no fold {short_repr(fold)}. {did_you_mean(str(fold), list(self))}")


def _roc_height(positives: Array, negatives: Array, at: Array) -> Array:
    """TPR at each FPR along the curve itself, steps and all."""
    tpr, fpr = (np.concatenate([[0.0], np.cumsum(each)]) / each.sum() for each in (positives, negatives))
    return np.asarray(np.interp(at, fpr, tpr))


def curves_of_folds(name: str, tables: Mapping[str, ScoreTable]) -> Curve:
    """One curve for each fold on a common x axis, and the mean of their heights."""
    grid = fractions(0, _STEPS, _STEPS)
    own = {
        f"fold {fold}": (_roc_height if name == "roc" else HEIGHTS[name].height(table))(
            table.positives, table.negatives, grid
        )
        for fold, table in tables.items()
    }
    columns = {"x": grid, "mean": np.mean(list(own.values()), axis=0), **own}
    note = f"Heights of {len(own)} folds, and their mean at each point of the x axis."
    return Curve(f"{name} of folds", columns, "x", "mean", {"x": LABELS[name]}, {}, note)
