"""Displays as scikit-learn has them: every picture of `unconfuse.plots` from an estimator, predictions or folds."""
# mypy: disable-error-code="import-untyped"

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from unconfuse._errors import ArgumentError, did_you_mean
from unconfuse._formatting import short_repr
from unconfuse._validate import check_text
from unconfuse.api import score_table
from unconfuse.integrations._estimator_checks import EITHER, scores_of, truth_of
from unconfuse.plots import PICTURES
from unconfuse.table import ScoreTable

_PROBABILITIES = ("predict_proba",)
_OF_PROBABILITIES = ("reliability", "reliability_bins", "decision_curve", "brier_curve")
# Pictures of one table; of several folds they show all held-out cases pooled.
_OF_ONE = ("trends", "b_curve", "reliability", "reliability_bins", "score_histogram")


class CurveDisplay:
    """A picture that knows its tables: `display.plot(ax=...)` draws it again.

    Parameters
    ----------
    tables : ScoreTable or mapping of names to ScoreTable
    curve : str, optional
        A name of `unconfuse.plots.PICTURES`, such as "roc" or "gain"; of its own for every other display.

    Attributes
    ----------
    ax_, figure_ : of matplotlib
        Where it was drawn last.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from unconfuse.sklearn import CurveDisplay, RocDisplay
    >>> X, y = make_classification(200, random_state=0)
    >>> model = LogisticRegression().fit(X, y)
    >>> RocDisplay.from_estimator(model, X, y).ax_.get_title(loc="left")
    'ROC: AUROC 0.984'
    >>> CurveDisplay.from_predictions(y, model.predict_proba(X)[:, 1], curve="gain").ax_.get_ylabel()
    'Share of positives found'
    """

    curve: ClassVar[str] = ""
    ax_: Any
    figure_: Any

    def __init__(self, tables: ScoreTable | Mapping[str, ScoreTable], *, curve: str | None = None) -> None:
        self.tables, self._curve = tables, self._named(curve)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        curve: str | None = None,
        sample_weight: Any = None,
        positive: Any = None,  # one of the estimator's classes
        ax: Any = None,
        **how: Any,
    ) -> Self:
        """Draw what a fitted estimator says of some cases; `sample_weight` counts cases, `how` goes to the picture."""
        table = cls._table(estimator, X, y, sample_weight, positive, cls._named(curve))
        return cls(table, curve=curve).plot(ax=ax, **how)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        curve: str | None = None,
        sample_weight: Any = None,  # of each case
        positive: Any = None,  # the label that the scores speak for
        ax: Any = None,
        **how: Any,
    ) -> Self:
        """Draw scores of the positive class."""
        table = score_table(y_true, y_score, weights=sample_weight, positive=positive)
        return cls(table, curve=curve).plot(ax=ax, **how)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: Any,
        *,
        curve: str | None = None,
        sample_weight: Any = None,  # of all cases; each fold takes its own
        positive: Any = None,
        ax: Any = None,
        **how: Any,
    ) -> Self:
        """Draw each fold of `cross_validate(..., return_estimator=True, return_indices=True)` on its held-out cases.

        Pictures that show one table (reliability, B(r), trends, scores) show the held-out cases of all folds pooled.
        """
        missing = [name for name in ("estimator", "indices") if name not in cv_results]
        if missing:
            raise ArgumentError(
                f"these results hold no {' and no '.join(missing)}. "
                "Hint: cross_validate(..., return_estimator=True, return_indices=True)."
            )
        check_consistent_length(X, y, sample_weight)
        name, tables, labels = cls._named(curve), {}, np.asarray(y)
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        for place, (model, rows) in enumerate(zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True)):
            own = None if weights is None else weights[rows]
            held_out = _safe_indexing(X, rows)
            tables[f"fold {place + 1}"] = cls._table(model, held_out, labels[rows], own, positive, name)
        return cls(_pooled(tables) if name in _OF_ONE else tables, curve=curve).plot(ax=ax, **how)

    def plot(self, ax: Any = None, **how: Any) -> Self:
        """Draw it, on these axes or on new ones."""
        self.ax_ = PICTURES[self._curve](self.tables, ax=ax, **how)
        self.figure_ = self.ax_.figure
        return self

    @classmethod
    def _named(cls, curve: str | None) -> str:
        """Return the picture's name: the display's own, or the one that was given."""
        curve = None if curve is None else check_text(curve, "curve")
        if cls.curve and curve is not None and curve != cls.curve:
            raise ArgumentError(f"{cls.__name__} draws {cls.curve!r}, not {curve!r}. Hint: use CurveDisplay.")
        name = curve or cls.curve
        if name not in PICTURES:
            raise ArgumentError(f"there is no picture {short_repr(name)}. {did_you_mean(name, PICTURES)}")
        return name

    @staticmethod
    def _table(estimator: Any, X: Any, y: Any, weights: Any, positive: Any, name: str) -> ScoreTable:
        check_is_fitted(estimator)
        truth, index = truth_of(estimator, y, positive)
        methods = _PROBABILITIES if name in _OF_PROBABILITIES else EITHER
        scores = scores_of(estimator, X, index, methods, name, len(truth))
        return score_table(truth, scores, weights=weights)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._curve!r})"


def _pooled(tables: Mapping[str, ScoreTable]) -> ScoreTable:
    first, *others = tables.values()
    for each in others:
        first = first.merge(each)
    return first


class RocDisplay(CurveDisplay):
    """The ROC curve with its convex hull."""

    curve = "roc"


class PrecisionRecallDisplay(CurveDisplay):
    """Precision against recall, with both baselines."""

    curve = "precision_recall"


class DetDisplay(CurveDisplay):
    """Both error rates on normal-deviate scales."""

    curve = "det"


class GainDisplay(CurveDisplay):
    """The share of positives found against the share of cases looked at."""

    curve = "gain"


class DecisionCurveDisplay(CurveDisplay):
    """Net benefit against the threshold probability."""

    curve = "decision_curve"


class ReliabilityDisplay(CurveDisplay):
    """What was stated against what occurred."""

    curve = "reliability"


class BCurveDisplay(CurveDisplay):
    """B(r) with precision and recall against the threshold."""

    curve = "b_curve"
