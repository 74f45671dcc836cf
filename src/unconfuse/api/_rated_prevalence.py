"""`prevalence`: the share of positives behind a judge's labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._formatting import short_repr
from unconfuse._validate import as_builtin, as_column, check_number, check_probability, public_api
from unconfuse.ingest.data import Data
from unconfuse.ingest.read_double_sample import judged_sample
from unconfuse.uncertainty import Estimate
from unconfuse.uncertainty.double_sampling_intervals import ObservedProportion, prevalence_of_checked, rogan_gladen

Seen = tuple[float, float]


@public_api
def prevalence(
    y: Any = None,
    *,
    judge: Any,
    sensitivity: Seen | None = None,
    specificity: Seen | None = None,
    positive: object = None,
    confidence_level: float = 0.95,
) -> Estimate:
    """Estimate the share of positives, where a judge labelled all cases and the truth of few is known, or of none.

    Parameters
    ----------
    y : array_like, optional
        The truth, missing (None or NaN) where it is not known. The checked cases must be a random part of those that
        the judge calls positive, and of those that it calls negative (double sampling).
    judge : array_like
        The judge's labels.
    sensitivity, specificity : (right, of), optional
        Instead of `y`: how many positives, and how many negatives, the judge labelled right elsewhere. Only these two
        rates must be the same here (Rogan and Gladen).
    positive : optional
        The positive label, unless labels are 0/1, -1/1 or booleans.
    confidence_level : float

    Examples
    --------
    >>> import unconfuse as uc
    >>> labels = [1] * 30 + [0] * 70
    >>> print(f"{uc.prevalence(judge=labels, sensitivity=(90, 100), specificity=(95, 100)).value:.3f}")
    0.294
    >>> truth = [1] * 8 + [0] * 2 + [None] * 20 + [0] * 19 + [1] + [None] * 50
    >>> print(uc.prevalence(truth, judge=labels))  # doctest: +ELLIPSIS
    prevalence 0.275 [...] 95% double sampling, MOVER of mid-p, 30 of 100 rated cases verified
    """
    level = check_probability(confidence_level, "confidence_level", open_interval=True)
    elsewhere = sensitivity is not None and specificity is not None
    if (y is None) != elsewhere or (sensitivity is None) != (specificity is None):
        raise ArgumentError(
            "`prevalence` requires either the truth of some cases (`y`), or the rater's `sensitivity` and "
            "`specificity` as pairs (right, all)."
        )
    described, nothing = Data(None, positive=positive), np.zeros(len(as_column(as_builtin(judge), "judge")))
    if y is not None:
        return prevalence_of_checked(judged_sample(described, y, judge, nothing), level)
    said = judged_sample(described, judge, judge, nothing).judge
    called = ObservedProportion(float(said.sum()), float(len(said)))
    return rogan_gladen(called, _rate(sensitivity, "sensitivity"), _rate(specificity, "specificity"), level)


def _rate(given: Any, name: str) -> ObservedProportion:
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise ArgumentError(f"`{name}` must be a pair (right, of), such as (90, 100); got {short_repr(given)}.")
    right, of = (check_number(each, name) for each in given)
    if not 0 <= right <= of or of <= 0:
        raise ArgumentError(f"`{name}` must be so many right of so many, such as (90, 100); got {short_repr(given)}.")
    return ObservedProportion(right, of)
