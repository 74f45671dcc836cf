"""Curves of decisions and probabilities: metrics against the threshold, net benefit, losses, reliability, scores."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from unconfuse import _kernels
from unconfuse._errors import ArgumentError
from unconfuse._validate import check_bins, check_choice, check_probability
from unconfuse.curves._curve import Curve, single_table
from unconfuse.curves.ranking_curves import RATES
from unconfuse.metrics import METRICS, Metric, find_metrics
from unconfuse.metrics._metric import ratio
from unconfuse.metrics._tie_blocks import segments_of
from unconfuse.metrics.probability import bin_totals, check_probabilities
from unconfuse.table import Array, ScoreTable, effective_sample_size, fractions

_LABELS = {"score": "Stated probability", "share": "Share of positives that occurred", "weight": "Cases"}
_IDEAL = {"ideal": "ideal: what is stated occurs"}


def trends(table: ScoreTable, *, metrics: Iterable[str | Metric] | None = None) -> Curve:
    """Decision metrics against the threshold, each beside the value of a useless classifier with the same queue rate.

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> curve = trends(PHOTOS, metrics=["sensitivity"])
    >>> curve["sensitivity"], curve["sensitivity_baseline"]
    (array([0.5, 0.5, 1. , 1. ]), array([0.25, 0.5 , 0.75, 1.  ]))
    """
    table = single_table(table, binned=True)
    chosen = _decision_metrics(metrics)
    counts = table.counts()
    queue_rate = counts.labelled_positive / table.n
    columns = {"threshold": table.score, "queue_rate": queue_rate}
    labels, baselines = dict(RATES), {}
    for metric in chosen:
        columns[metric.name] = metric(counts)
        columns[f"{metric.name}_baseline"] = metric.baseline(table.prevalence, queue_rate)
        labels[metric.name] = metric.label
        baselines[f"{metric.name}_baseline"] = f"{metric.label} of a useless classifier"
    note = "The baseline at each threshold labels as many cases positive, but at random."
    return Curve("trends", columns, "threshold", chosen[0].name, labels, baselines, note)


def _decision_metrics(wanted: Iterable[str | Metric] | None) -> tuple[Metric, ...]:
    if wanted is None:
        return tuple(metric for metric in METRICS.values() if metric.of == "counts")
    chosen = find_metrics(wanted)
    wrong = [metric.name for metric in chosen if metric.of != "counts"]
    if wrong or not chosen:
        raise ArgumentError(
            f"a trend needs metrics of decisions; got {', '.join(wrong) or 'none'}. Hint: metrics of the ranking have "
            "one value for all thresholds."
        )
    return chosen


def decision_curve(table: ScoreTable) -> Curve:
    """Net benefit against the threshold probability, beside treating all and treating none.

    Scores must be probabilities: who acts from a probability t on acts on every case with a score of t or more.

    References
    ----------
    Vickers & Elkin (2006), Medical Decision Making 26:565.
    """
    table = single_table(table)
    check_probabilities(table)
    t = fractions(0, 99, 100)
    odds = t / (1 - t)
    counts = table.counts_at(t)
    benefit = (counts.tp - odds * counts.fp) / table.n
    treat_all = table.prevalence - (1 - table.prevalence) * odds
    columns = {
        "threshold": t,
        "net_benefit": benefit,
        "treat_all": treat_all,
        "treat_none": np.zeros_like(t),
        "standardised_net_benefit": benefit / table.prevalence,
        "interventions_avoided": ratio(benefit - treat_all, odds),
    }
    labels = {
        "threshold": "Threshold probability (from which one would act)",
        "net_benefit": "Net benefit (true positives per case)",
        "standardised_net_benefit": "Net benefit (as a share of the largest possible)",
        "interventions_avoided": "Interventions avoided per case, with no positive missed",
    }
    baselines = {"treat_all": "act on all", "treat_none": "act on none"}
    note = "Read it only over threshold probabilities that a reasonable person might hold."
    return Curve("decision_curve", columns, "threshold", "net_benefit", labels, baselines, note)


def brier_curve(table: ScoreTable) -> Curve:
    """Loss against the cost of a false positive when scores are taken at their word; its area is the Brier score.

    References
    ----------
    Hernandez-Orallo, Flach & Ferri (2011), ICML, Brier curves.
    """
    table = single_table(table)
    check_probabilities(table)
    edges = np.unique(np.concatenate([[0.0, 1.0], table.score]))
    cost = np.concatenate([edges[:-1], edges[1:]]).reshape(2, -1).T.reshape(-1)  # the loss jumps at every score
    counts = table.counts_at(np.repeat(edges[1:], 2))
    loss = 2 * (cost * counts.fp + (1 - cost) * counts.fn) / table.n
    trivial = 2 * np.minimum(cost * (1 - table.prevalence), (1 - cost) * table.prevalence)
    columns = {"cost": cost, "loss": loss, "trivial": trivial}
    labels = {"cost": "Cost of a false positive (of a false negative: the rest to 1)", "loss": "Expected loss"}
    baselines = {"trivial": "trivial: the better one of the two labels for all cases"}
    note = "A case is labelled positive when its score is above the cost of a false positive."
    return Curve("brier_curve", columns, "cost", "loss", labels, baselines, note)


def reliability(table: ScoreTable) -> Curve:
    """Draw the reliability diagram without bins: the best monotone recalibration of the scores (CORP, isotonic).

    References
    ----------
    Dimitriadis, Gneiting & Jordan (2021), PNAS 118:e2016191118.

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> curve = reliability(PHOTOS)
    >>> curve["score"], curve["share"]
    (array([0.1, 0.3, 0.6, 0.8]), array([0. , 0.5, 0.5, 1. ]))
    """
    table = single_table(table)
    score, weight = check_probabilities(table)[::-1], (table.positives + table.negatives)[::-1]
    columns = {"score": score, "share": _isotonic(table)[::-1], "weight": weight, "ideal": score}
    note = "Isotonic regression (pool adjacent violators): no bins to choose."
    return Curve("reliability", columns, "score", "share", _LABELS, _IDEAL, note)


def _isotonic(table: ScoreTable) -> Array:
    """Return the isotonic estimate of P(positive) at each score, in the table's order."""
    hull = segments_of(table)
    return np.repeat(hull.positives / (hull.positives + hull.negatives), np.diff(hull.last_block, prepend=0))


def reliability_bins(
    table: ScoreTable, *, n_bins: int = 10, binning: str = "equal_mass", confidence_level: float = 0.95
) -> Curve:
    """Draw the reliability diagram in bins, with an exact (Clopper-Pearson) interval for each bin.

    Parameters
    ----------
    binning : {"equal_mass", "equal_width"}
        Bins with about as many cases each, or of equal width.

    Sampling weights count as Kish's number of cases.
    """
    from unconfuse._scipy_special import betaincinv

    table = single_table(table)
    check_probabilities(table)
    check_choice(binning, "binning", ("equal_mass", "equal_width"))
    tail = (1 - check_probability(confidence_level, "confidence_level", open_interval=True)) / 2
    positives, weight, stated = bin_totals(table, check_bins(n_bins), binning)
    positives, weight, stated = (each[weight > 0] for each in (positives, weight, stated))
    worth = 1.0
    if table.is_sampled:
        worth = (
            effective_sample_size(
                table.positives + table.negatives, table.squared_weights[0] + table.squared_weights[1]
            )
            / table.n
        )
    own, other = worth * positives, worth * np.maximum(weight - positives, 0.0)
    low = np.where(own > 0, betaincinv(np.maximum(own, 1e-300), other + 1, tail), 0.0)
    high = np.where(other > 0, betaincinv(own + 1, np.maximum(other, 1e-300), 1 - tail), 1.0)
    columns = {
        "score": stated / weight,
        "share": positives / weight,
        "low": low,
        "high": high,
        "weight": weight,
        "positives": positives,
        "ideal": stated / weight,
    }
    note = (
        f"{n_bins} bins of {binning.replace('_', ' ')}, empty ones left out; {confidence_level * 100:.4g}% "
        "Clopper-Pearson intervals."
    )
    return Curve("reliability_bins", columns, "score", "share", _LABELS, _IDEAL, note)


def score_histogram(table: ScoreTable, *, n_bins: int = 40) -> Curve:
    """How the scores of each class are spread: the share of each class in bins of equal width.

    Where there are no more distinct scores than bins, each score has a bin of its own.
    """
    table = single_table(table)
    bins = check_bins(n_bins)
    edges = _edges(table.score, bins)
    above = len(table) - np.searchsorted(table.score[::-1], edges[:-1])  # a score on an edge belongs above it
    starts = np.append(0, above[:0:-1])
    sums = _kernels.band_sums(table.score, table.positives, table.negatives, starts)
    positives, negatives = (each[::-1] for each in sums[:2])
    columns = {
        "left": edges[:-1],
        "right": edges[1:],
        "positives": positives,
        "negatives": negatives,
        "share_of_positives": positives / table.n_positives,
        "share_of_negatives": negatives / table.n_negatives,
    }
    labels = {"left": "Score", "share_of_positives": "Share of the class in each bin"}
    note = "Each class adds up to 1."
    return Curve("score_histogram", columns, "left", "share_of_positives", labels, note=note)


def _edges(score: Array, n_bins: int) -> Array:
    low, high = float(score[-1]), float(score[0])
    if len(score) == 1:
        return np.array([low - 0.5, low + 0.5])
    if len(score) <= n_bins:
        between = (score[1:] + score[:-1])[::-1] / 2
        return np.concatenate([[2 * low - between[0]], between, [2 * high - between[-1]]])
    return fractions(0, n_bins, n_bins) if low >= 0 and high <= 1 else np.linspace(low, high, n_bins + 1)
