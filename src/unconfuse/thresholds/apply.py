"""Using a card: label new scores, and notice when they no longer look like the data the card was made from."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from unconfuse._errors import InputError, UnconfuseWarning
from unconfuse._labels import as_is_positive
from unconfuse._validate import as_numbers, check_probability, check_same_length, plain
from unconfuse.results import Finding
from unconfuse.thresholds.card import ThresholdCard
from unconfuse.thresholds.store import read_card


class DriftWarning(UnconfuseWarning):
    """New cases do not look like those the threshold was chosen on."""


@dataclass(frozen=True, repr=False)
class Applied:
    """New cases labelled by one rule of a card.

    Attributes
    ----------
    labels : array of bool
        Labelled positive or not.
    rule : str
    threshold : float
    queue_rate : float
        Share of the new cases that is labelled positive.
    drift : tuple of Finding
        What no longer looks like the data of the card; empty if nothing does.
    """

    labels: npt.NDArray[np.bool_]
    rule: str
    threshold: float
    queue_rate: float
    drift: tuple[Finding, ...] = ()

    def __repr__(self) -> str:
        said = "; ".join(map(str, self.drift)) or "no drift seen"
        return f"Applied {self.rule}: {int(self.labels.sum())} of {len(self.labels)} labelled positive; {said}"


def apply_card(
    card: ThresholdCard | Mapping[str, Any] | Any,
    scores: Any,
    *,
    rule: str,
    y: Any = None,
    positive: object = None,
    confidence_level: float = 0.99,
) -> Applied:
    """Label new scores with the threshold of one rule, and warn when they drift.

    Parameters
    ----------
    card : ThresholdCard, path, JSON text or mapping
    scores : array_like
    rule : str
        Which rule of the card to use.
    y : array_like, optional
        True labels of the new cases, if they are known: then the prevalence is watched too.
    positive : optional
        The positive label; that of the card by default.
    confidence_level : float
        A drift is reported when the difference is larger than this share of random samples would show.

    Warns
    -----
    DriftWarning
        If the share labelled positive, the prevalence or the range of the scores has moved.

    Examples
    --------
    >>> import unconfuse as uc
    >>> card = uc.threshold_card([0, 1, 0, 1], [.1, .4, .35, .8], rules=["youden"], n_resamples=20)
    >>> uc.apply_card(card, [.2, .5, .41], rule="youden").labels
    array([False,  True,  True])
    """
    read = card if isinstance(card, ThresholdCard) else read_card(card)
    point, new = read[rule], as_numbers(plain(scores), "scores")
    if not len(new):
        raise InputError("there are no rows to label.")
    level = check_probability(confidence_level, "confidence_level", open_interval=True)

    labels = new >= point.threshold.value
    drift = [_queue_drift(read, rule, labels, level), _range_drift(read, new)]
    if y is not None:
        truth, _ = as_is_positive(plain(y), read.data["positive_label"] if positive is None else positive)
        check_same_length({"scores": len(new), "labels": len(truth)})
        drift.append(_prevalence_drift(read, truth, level))
    found = tuple(each for each in drift if each is not None)
    for each in found:
        warnings.warn(each.sentence, DriftWarning, stacklevel=2)
    return Applied(labels, point.rule, point.threshold.value, float(labels.mean()), found)


def _queue_drift(card: ThresholdCard, rule: str, labels: npt.NDArray[np.bool_], level: float) -> Finding | None:
    """The share labelled at the very threshold that is deployed, so the same-data value is the right one to expect."""
    expected = card[rule].apparent["queue_rate"].value
    return _moved(
        "the share labelled positive",
        float(labels.mean()),
        len(labels),
        expected=expected,
        size=card.data["n"],
        level=level,
    )


def _prevalence_drift(card: ThresholdCard, truth: npt.NDArray[np.bool_], level: float) -> Finding | None:
    expected, size = card.data["prevalence"], card.data["n"]
    if card.prevalence is not None:
        expected, size = card.prevalence, math.inf  # it was stated, and so is taken as known
    return _moved("the prevalence", float(truth.mean()), len(truth), expected=expected, size=size, level=level)


def _moved(what: str, seen: float, rows: int, *, expected: float, size: float, level: float) -> Finding | None:
    """Whether a new share lies outside of what this many rows should show.

    That is Wilson's interval about the expected share. It is known from a sample itself, so that both sizes count.
    """
    n = 1 / (1 / rows + 1 / size)
    z2 = float(ndtri((1 + level) / 2)) ** 2
    middle = (expected + z2 / (2 * n)) / (1 + z2 / n)
    reach = math.sqrt(z2 * (expected * (1 - expected) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    low, high = max(middle - reach, 0.0), min(middle + reach, 1.0)
    if low <= seen <= high:
        return None
    sentence = (
        f"{what} is {seen:.3f} among these {rows} rows, where {expected:.3f} was expected ({low:.3f} to "
        f"{high:.3f}): the card may no longer fit, so measure it again."
    )
    return Finding(
        f"a new share outside its {level:.0%} range",
        "drift",
        sentence[0].upper() + sentence[1:],
        {"seen": seen, "expected": expected, "low": low, "high": high},
    )


def _range_drift(card: ThresholdCard, scores: npt.NDArray[np.float64]) -> Finding | None:
    """Probabilities that stop being probabilities, or a whole other scale."""
    low, high = card.data["lowest_score"], card.data["highest_score"]
    outside = int(((scores < low) | (scores > high)).sum())
    allowed = 0.05 * len(scores) + 3
    if outside <= allowed:
        return None
    return Finding(
        "more than 5% of the scores beyond the card's range",
        "drift",
        f"{outside} of {len(scores)} scores lie outside of {low:.4g} to {high:.4g}, where those of the card "
        "lie: is this the same model, on the same scale?",
        {"outside": float(outside)},
    )
