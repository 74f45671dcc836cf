"""How far stated probabilities of several classes can be trusted: calibration errors, and risk by confidence."""

from __future__ import annotations

import numpy as np

from unconfuse._kernels import order_rows
from unconfuse.metrics._metric import InfluenceSummary
from unconfuse.metrics.multiclass_scores import confidence, declared_of_probabilities, declared_of_rows
from unconfuse.table import Array, Codes, InMemorySample, fractions, summed_by

BINS = 15
Blocks = tuple[Array, Array, Array, Array, Codes]


def _bins(probability: Array) -> Codes:
    return np.searchsorted(fractions(1, BINS - 1, BINS), probability, side="left")


def _gap(probability: Array, right: Array, rows: InMemorySample) -> InfluenceSummary:
    """Compute the expected calibration error of one stated probability for each row."""
    place = _bins(probability)
    gap = summed_by(place, rows.weight * (probability - right), BINS)
    value = float(np.abs(gap).sum() / rows.n)
    return InfluenceSummary(value, (np.sign(gap)[place] * (probability - right) - value) / rows.n)


def _spread_over_bins(probability: Array, right: Array) -> Array:
    """Each row's distance in the column of its bin: resampled sums of these give resampled calibration errors."""
    out = np.zeros((len(probability), BINS))
    out[np.arange(len(probability)), _bins(probability)] = probability - right
    return out


def _right(rows: InMemorySample) -> Array:
    return np.asarray(rows.predicted == rows.truth, dtype=np.float64)


def _column(rows: InMemorySample, k: int) -> tuple[Array, Array]:
    """Return what was stated for class k, and whether it came true."""
    return np.asarray(rows.matrix[:, k], dtype=np.float64), (rows.truth == k).astype(np.float64)


def _classwise_gaps(rows: InMemorySample) -> Array:
    columns = [_spread_over_bins(*_column(rows, k)) for k in range(rows.n_classes)]
    return np.concatenate(columns, axis=1) / rows.n_classes


@declared_of_probabilities(
    label=f"Top-label calibration error ({BINS} bins)",
    question="How far is the stated probability of the predicted class from how often that class is right?",
    formula=r"\sum_b \frac{n_b}{n} |\overline{[y = \hat y]}_b - \bar p_b|",
    misleads="It depends on the bins and is biased upwards in small samples.",
    references=("Guo et al. (2017), ICML.",),
    gaps=lambda rows: _spread_over_bins(confidence(rows), _right(rows)),
)
def ece_top_label(rows: InMemorySample) -> InfluenceSummary:
    """Of the predicted class alone."""
    return _gap(confidence(rows), _right(rows), rows)


@declared_of_probabilities(
    label=f"Classwise calibration error ({BINS} bins)",
    question="How far are stated probabilities from shares of a class, averaged over bins and classes?",
    formula=r"\frac1K \sum_k \sum_b \frac{n_b}{n} |\overline{[y = k]}_b - \bar p_{kb}|",
    misleads="With many classes most stated probabilities are near 0 and make it small.",
    references=("Kull et al. (2019), NeurIPS 32.", "Nixon et al. (2019), CVPR workshops."),
    gaps=_classwise_gaps,
)
def ece_classwise(rows: InMemorySample) -> InfluenceSummary:
    """Mean over the classes."""
    value, influence = 0.0, np.zeros(len(rows))
    for k in range(rows.n_classes):
        influence_summary = _gap(*_column(rows, k), rows)
        value, influence = value + influence_summary.value, influence + influence_summary.influence
    return InfluenceSummary(value / rows.n_classes, influence / rows.n_classes)


def by_confidence(rows: InMemorySample) -> Blocks:
    """Distinct confidences, highest first; coverage and errors up to each, cases in each, and each row's block.

    By sorting, which is quicker than a search for each row.
    """
    sure = confidence(rows)
    order, ends = order_rows(sure)
    counts = np.maximum.reduceat(rows.weight[order], np.append(0, ends[:-1])) > 0  # a row of weight 0 is no row
    levels = 0.0 + sure[order[ends - 1]][counts]
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.repeat(np.minimum(np.cumsum(counts) - counts, len(levels) - 1), np.diff(ends, prepend=0))
    cases = summed_by(place, rows.weight, len(levels))
    errors = summed_by(place, (1 - _right(rows)) * rows.weight, len(levels))
    return levels, np.cumsum(cases), np.cumsum(errors), cases, place


@declared_of_rows(
    label="Area under the risk-coverage curve",
    question="What is the error rate among the cases decided, averaged over how many are decided?",
    better="lower",
    formula=r"\frac1n \sum_i \text{error rate among the } i \text{ most confident}",
    chance=lambda truth, predicted: 1 - float(truth @ predicted),
    misleads="It mixes how often decisions are wrong with how well confidence ranks them.",
    references=("Geifman & El-Yaniv (2017), NeurIPS 30.",),
)
def aurc(rows: InMemorySample) -> InfluenceSummary:
    """Mean risk over all coverages; tied cases are decided together."""
    _, covered, errors, cases, place = by_confidence(rows)
    risk = errors / covered
    value = float((risk * cases).sum() / rows.n)
    # One more case moves the risk of its own block and of all later ones towards its own error.
    after = np.cumsum((cases / covered)[::-1])[::-1]
    drag = np.cumsum((risk * cases / covered)[::-1])[::-1]
    influence = (risk[place] - value + (1 - _right(rows)) * after[place] - drag[place]) / rows.n
    return InfluenceSummary(value, influence)
