"""Probabilities of several classes: log loss, Brier score and calibration."""

from __future__ import annotations

import numpy as np

from unconfuse.ingest._old import ClassScores, Codes
from unconfuse.multiclass._definition import Summary, class_metric
from unconfuse.multiclass.ranking import mean_summary
from unconfuse.table import Array

BINS = 15
_ROWS_AT_A_TIME = 1 << 22


def _entropy(truth: Array, predicted: Array) -> float:
    held = truth[truth > 0]
    return float(-(held * np.log(held)).sum())


def own_probability(rows: ClassScores) -> Array:
    """What each row's true class was given."""
    assert rows.scores is not None
    return np.asarray(rows.scores[np.arange(len(rows)), rows.truth], dtype=np.float64)


@class_metric(
    of="probabilities",
    interval="influence",
    range=(0.0, np.inf),
    better="lower",
    label="Log loss",
    question="How surprised were the stated probabilities by the true class, on average (in nats)?",
    formula=r"-\frac1n \sum_i \log p_{i, y_i}",
    chance=_entropy,
    undefined="a true class was given probability 0, so that the loss is infinite",
    misleads="Infinite as soon as a true class was given probability 0.",
    references=("Good (1952), JRSS B 14:107.",),
)
def log_loss(rows: ClassScores) -> Summary:
    """Mean surprise."""
    with np.errstate(divide="ignore"):
        return mean_summary(-np.log(own_probability(rows)), rows)


@class_metric(
    of="probabilities",
    interval="influence",
    range=(0.0, 2.0),
    better="lower",
    label="Brier score",
    question="How far are the stated probabilities from what happened (squared, added up over the classes)?",
    formula=r"\frac1n \sum_i \sum_k (p_{ik} - [y_i = k])^2",
    chance=lambda truth, predicted: 1 - float(truth @ truth),
    misleads="Brier's own sum over classes runs from 0 to 2; with two classes it is halved, as is usual there.",
    references=("Brier (1950), Monthly Weather Review 78:1.",),
)
def brier(rows: ClassScores) -> Summary:
    """Mean squared distance."""
    assert rows.scores is not None
    squares = np.empty(len(rows))
    step = max(1, _ROWS_AT_A_TIME // rows.n_classes)
    for first in range(0, len(rows), step):
        piece = np.asarray(rows.scores[first : first + step], dtype=np.float64)
        own = piece[np.arange(len(piece)), rows.truth[first : first + step]]
        squares[first : first + step] = np.einsum("ik,ik->i", piece, piece) - own**2 + (1 - own) ** 2
    return mean_summary(squares / 2 if rows.n_classes == 2 else squares, rows)


def _bins(probability: Array) -> Codes:
    return np.searchsorted(np.linspace(0, 1, BINS + 1)[1:-1], probability, side="left")


def _gap(probability: Array, right: Array, rows: ClassScores) -> Summary:
    """Expected calibration error of one stated probability for each row."""
    weight, place = rows.weight, _bins(probability)
    gap = np.bincount(place, weights=weight * (probability - right), minlength=BINS)
    value = float(np.abs(gap).sum() / rows.n)
    return Summary(value, (np.sign(gap)[place] * (probability - right) - value) / rows.n)


def _spread_over_bins(probability: Array, right: Array) -> Array:
    """Each row's distance in the column of its bin: resampled sums of these give resampled calibration errors."""
    out = np.zeros((len(probability), BINS))
    out[np.arange(len(probability)), _bins(probability)] = probability - right
    return out


def _top_label_gaps(rows: ClassScores) -> Array:
    assert rows.scores is not None
    stated = np.asarray(rows.scores[np.arange(len(rows)), rows.predicted], dtype=np.float64)
    return _spread_over_bins(stated, (rows.predicted == rows.truth).astype(np.float64))


def _classwise_gaps(rows: ClassScores) -> Array:
    assert rows.scores is not None
    columns = [
        _spread_over_bins(np.asarray(rows.scores[:, k], dtype=np.float64), (rows.truth == k).astype(np.float64))
        for k in range(rows.n_classes)
    ]
    return np.concatenate(columns, axis=1) / rows.n_classes


@class_metric(
    of="probabilities",
    interval="influence",
    better="lower",
    label=f"Top-label calibration error ({BINS} bins)",
    question="How far is the stated probability of the predicted class from how often that class is right?",
    formula=r"\sum_b \frac{n_b}{n} |\overline{[y = \hat y]}_b - \bar p_b|",
    misleads="It depends on the bins and is biased upwards in small samples.",
    references=("Guo et al. (2017), ICML.",),
    details={"gaps": _top_label_gaps},
)
def ece_top_label(rows: ClassScores) -> Summary:
    """Of the predicted class alone."""
    assert rows.scores is not None
    stated = np.asarray(rows.scores[np.arange(len(rows)), rows.predicted], dtype=np.float64)
    return _gap(stated, (rows.predicted == rows.truth).astype(np.float64), rows)


@class_metric(
    of="probabilities",
    interval="influence",
    better="lower",
    label=f"Classwise calibration error ({BINS} bins)",
    question="How far are stated probabilities from shares of a class, averaged over bins and classes?",
    formula=r"\frac1K \sum_k \sum_b \frac{n_b}{n} |\overline{[y = k]}_b - \bar p_{kb}|",
    misleads="With many classes most stated probabilities are near 0 and make it small.",
    references=("Kull et al. (2019), NeurIPS 32.", "Nixon et al. (2019), CVPR workshops."),
    details={"gaps": _classwise_gaps},
)
def ece_classwise(rows: ClassScores) -> Summary:
    """Mean over the classes."""
    assert rows.scores is not None
    value, influence = 0.0, np.zeros(len(rows))
    for k in range(rows.n_classes):
        stated = np.asarray(rows.scores[:, k], dtype=np.float64)
        found = _gap(stated, (rows.truth == k).astype(np.float64), rows)
        value, influence = value + found.value, influence + found.influence
    return Summary(value / rows.n_classes, influence / rows.n_classes)
