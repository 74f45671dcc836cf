"""A scikit-learn transformer that mends stated probabilities, or leaves them alone."""
# mypy: disable-error-code="import-untyped, misc"

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d

from unconfuse._errors import InputError
from unconfuse._formatting import short_repr
from unconfuse._validate import as_builtin, as_floats
from unconfuse.api import recalibrate


class Recalibrator(TransformerMixin, BaseEstimator):
    """Mend the columns of `predict_proba`, by the map that `unconfuse.recalibrate` chooses.

    Fit it on probabilities of cases that the classifier was not fitted on, for example on
    `cross_val_predict(model, X, y, method="predict_proba")`; it then mends those of `model.predict_proba(X_new)`.

    Parameters
    ----------
    kind : str, optional
        Fit this kind of map instead of choosing one.
    clip : float, optional
        Move probabilities that are nearer to 0 or 1 than this to there first; forests state such.
    random_state : int
        Seed of the folds that measure the gain.

    Attributes
    ----------
    classes_ : array
        In the order of the columns.
    recalibration_ : Recalibration
        What was chosen, before and after.

    Examples
    --------
    >>> import numpy as np
    >>> from unconfuse.sklearn import Recalibrator
    >>> rng = np.random.default_rng(1)
    >>> p = .02 + .96 * rng.random(400)
    >>> y = rng.random(400) < p / 2
    >>> mend = Recalibrator().fit(np.column_stack([1 - p, p]), y)
    >>> mend.recalibration_.chosen, mend.transform([[.2, .8]]).round(2)
    ('logistic', array([[0.62, 0.38]]))
    """

    def __init__(self, *, kind: str | None = None, clip: float | None = None, random_state: int = 0) -> None:
        self.kind = kind
        self.clip = clip
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Recalibrator:
        """Choose and fit the map; X holds a column of probabilities for each class, or that of the second class."""
        if y is None:
            raise ValueError("This Recalibrator estimator requires y to be passed, but the target y is None.")
        p = _columns(X)
        check_classification_targets(y)
        labels = column_or_1d(y, warn=True)
        self.classes_ = np.unique(labels)
        self.n_features_in_ = p.shape[1]
        if p.shape[1] not in (1, len(self.classes_)) or (p.shape[1] == 1 and len(self.classes_) != 2):
            raise InputError(
                f"`X` must have a column of probabilities for each of {len(self.classes_)} classes; "
                f"got {p.shape[1]} columns. Hint: every class must occur in `y`."
            )
        more: dict[str, Any] = {} if sample_weight is None else {"weights": _check_sample_weight(sample_weight, p)}
        how: dict[str, Any] = {"kind": self.kind, "clip": self.clip, "rng": self.random_state}
        codes = np.searchsorted(self.classes_, labels)
        if len(self.classes_) == 2:
            self.recalibration_ = recalibrate(codes == 1, p[:, -1], **how, **more)
        else:
            names = [str(place) for place in range(len(self.classes_))]
            self.recalibration_ = recalibrate(codes.astype(str), p, classes=names, **how, **more)
        return self

    def transform(self, X: Any) -> Any:
        """Mend probabilities; the shape stays."""
        check_is_fitted(self)
        p = _columns(X)
        if p.shape[1] != self.n_features_in_:
            raise InputError(f"`X` must have {self.n_features_in_} columns, as in `fit`; got {p.shape[1]}.")
        return self.recalibration_(p[:, 0]).reshape(-1, 1) if p.shape[1] == 1 else self.recalibration_(p)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return a name for each column."""
        check_is_fitted(self)
        shown = self.classes_[-1:] if self.n_features_in_ == 1 else self.classes_
        return np.array([f"recalibrated_{each}" for each in shown], dtype=object)


def _columns(X: Any) -> Any:
    """Return probabilities as a matrix of one column or several."""
    found = as_floats(as_builtin(X), "X")
    if found.ndim == 1:
        found = found.reshape(-1, 1)
    if found.ndim != 2 or not found.shape[1]:
        raise InputError(f"`X` must have rows and columns of probabilities; got {short_repr(X)}.")
    return found
