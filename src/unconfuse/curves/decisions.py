"""Curves of decisions: every metric against the threshold, net benefit and the Brier curve."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse.curves._curve import Curve, plain
from unconfuse.curves.roc import RATES
from unconfuse.metrics import METRICS, Metric, find_metrics
from unconfuse.metrics.probability import check_probabilities
from unconfuse.table import ScoreTable


def trends(table: ScoreTable, *, metrics: Iterable[str | Metric] | None = None) -> Curve:
    """Decision metrics against the threshold, each beside the value of a useless classifier with the same queue rate.

    Examples
    --------
    >>> from unconfuse.metrics._blocks import PHOTOS
    >>> curve = trends(PHOTOS, metrics=["sensitivity"])
    >>> curve["sensitivity"], curve["sensitivity_baseline"]
    (array([0.5, 0.5, 1. , 1. ]), array([0.25, 0.5 , 0.75, 1.  ]))
    """
    table = plain(table, binned=True)
    chosen = _decision_metrics(metrics)
    counts = table.counts()
    queue_rate = counts.labelled_positive / table.n
    columns = {"threshold": table.score, "queue_rate": queue_rate}
    labels, baselines = dict(RATES), {}
    for each in chosen:
        columns[each.name] = each(counts)
        columns[f"{each.name}_baseline"] = each.baseline(table.prevalence, queue_rate)
        labels[each.name] = each.label
        baselines[f"{each.name}_baseline"] = f"{each.label} of a useless classifier"
    return Curve(
        name="trends",
        columns=columns,
        x="threshold",
        y=chosen[0].name,
        labels=labels,
        baselines=baselines,
        note="The baseline at each threshold labels as many cases positive, but at random.",
    )


def _decision_metrics(wanted: Iterable[str | Metric] | None) -> tuple[Metric, ...]:
    if wanted is None:
        return tuple(each for each in METRICS.values() if each.of == "counts")
    chosen = find_metrics(wanted)
    wrong = [each.name for each in chosen if each.of != "counts"]
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
    table = plain(table)
    check_probabilities(table)
    t = np.linspace(0, 0.99, 100)
    odds = t / (1 - t)
    counts = table.counts_at(t)
    return Curve(
        name="decision_curve",
        columns={
            "threshold": t,
            "net_benefit": (counts.tp - odds * counts.fp) / table.n,
            "treat_all": table.prevalence - (1 - table.prevalence) * odds,
            "treat_none": np.zeros_like(t),
        },
        x="threshold",
        y="net_benefit",
        labels={
            "threshold": "Threshold probability (from which one would act)",
            "net_benefit": "Net benefit (true positives per case)",
        },
        baselines={"treat_all": "act on all", "treat_none": "act on none"},
        note="Read it only over threshold probabilities that a reasonable person might hold.",
    )


def brier_curve(table: ScoreTable) -> Curve:
    """Loss against the cost of a false positive when scores are taken at their word; its area is the Brier score.

    References
    ----------
    Hernandez-Orallo, Flach & Ferri (2011), ICML, Brier curves.
    """
    table = plain(table)
    check_probabilities(table)
    edges = np.unique(np.concatenate([[0.0, 1.0], table.score]))
    cost = np.concatenate([edges[:-1], edges[1:]]).reshape(2, -1).T.reshape(-1)  # the loss jumps at every score
    counts = table.counts_at(np.repeat(edges[1:], 2))
    loss = 2 * (cost * counts.fp + (1 - cost) * counts.fn) / table.n
    trivial = 2 * np.minimum(cost * (1 - table.prevalence), (1 - cost) * table.prevalence)
    return Curve(
        name="brier_curve",
        columns={"cost": cost, "loss": loss, "trivial": trivial},
        x="cost",
        y="loss",
        labels={"cost": "Cost of a false positive (of a false negative: the rest to 1)", "loss": "Expected loss"},
        baselines={"trivial": "trivial: the better one of the two labels for all cases"},
        note="A case is labelled positive when its score is above the cost of a false positive.",
    )
