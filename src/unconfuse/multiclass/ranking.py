"""Ranking of several classes: one against the rest, one against one, and the true class among the first k."""

from __future__ import annotations

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._validate import check_whole
from unconfuse.ingest.class_rows import ClassScores
from unconfuse.metrics import Metric
from unconfuse.multiclass._definition import ClassMetric, Summary, class_metric
from unconfuse.multiclass.decisions import left_out, weighted_mean
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.methods import compares_by_influence
from unconfuse.uncertainty.paired import row_influences

_ROWS_AT_A_TIME = 1 << 22


def own_parts(rows: ClassScores) -> tuple[Array, Array]:
    """For each row, the weight of all others below it in its own class's column (ties half): plain, and with every
    class counted as 1.
    """
    ranks, scores = rows.ranks, rows.scores
    assert scores is not None
    plain, balanced = np.zeros(len(rows)), np.zeros(len(rows))
    order = np.argsort(rows.truth, kind="stable")
    ends = np.cumsum(np.bincount(rows.truth, minlength=rows.n_classes))
    for k in np.flatnonzero(rows.sizes > 0):
        members = order[ends[k - 1] if k else 0 : ends[k]]
        first, last = ranks.start[k], ranks.start[k + 1]
        at = np.minimum(np.searchsorted(ranks.level[first:last], scores[members, k]), last - first - 1)
        for out, counted in ((plain, ranks.others), (balanced, ranks.balanced)):
            here = counted[2 * first + k : 2 * last + k + 1]
            out[members] = (np.cumsum(here) - here / 2)[1::2][at]
    return plain, balanced


def class_aurocs(rows: ClassScores) -> Array:
    """The AUROC of each class against the rest; NaN for a class that does not occur."""
    ranks, sizes = rows.ranks, rows.sizes
    begins = 2 * ranks.start[:-1] + np.arange(rows.n_classes)
    sums = np.add.reduceat(ranks.others * ranks.credit, begins)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sizes > 0, sums / (rows.n - sizes), np.nan)


def rank_table(rows: ClassScores, k: int) -> ScoreTable:
    """Class k against the rest as a score table of few rows: the others between two own scores are one row.

    Its scores only rank. Metrics whose curves run `straight` between them are exact; others need the column itself.
    """
    ranks = rows.ranks
    first, last = ranks.start[k], ranks.start[k + 1]
    negatives = ranks.others[2 * first + k : 2 * last + k + 1]
    positives = np.zeros(len(negatives))
    positives[1::2] = ranks.own[first:last]
    held = (positives + negatives) > 0
    order = np.flatnonzero(held)[::-1]
    return ScoreTable(order.astype(np.float64), positives[order], negatives[order])


def ranks_alone(table: ScoreTable) -> ScoreTable:
    """A table as `rank_table` makes it: those of other classes between two own scores are one row.

    >>> whole = ScoreTable(np.array([.9, .8, .7, .6]), np.array([1.0, 0, 0, 2]), np.array([0.0, 1, 2, 1]))
    >>> ranks_alone(whole).negatives
    array([0., 3., 1.])
    """
    own = table.positives > 0
    begins = np.flatnonzero(own | np.r_[True, own[:-1]])
    positives, negatives = (np.add.reduceat(each, begins) for each in (table.positives, table.negatives))
    return ScoreTable(np.arange(len(begins), 0, -1.0), positives, negatives)


def table_for(metric: Metric, rows: ClassScores, k: int) -> ScoreTable:
    """The smallest table of class k against the rest that gives the metric exactly."""
    if metric.straight:
        return rank_table(rows, k)
    assert rows.scores is not None
    return ScoreTable.of_rows(rows.truth == k, np.asarray(rows.scores[:, k], dtype=np.float64), rows.weights)


def _missing(rows: ClassScores) -> str:
    return left_out([name for name, size in zip(rows.classes, rows.sizes, strict=True) if size == 0])


@class_metric(
    of="scores",
    interval="influence",
    label="AUROC one-versus-rest, macro",
    chance=lambda truth, predicted: 0.5,
    question="How often is a case of a class ranked above a case of another, averaged over the classes?",
    formula=r"\frac1K \sum_k A_k",
    undefined="fewer than two classes occur",
    misleads="Large other classes dominate each class's rest.",
    references=("Fawcett (2006), PRL 27:861.",),
)
def auroc_ovr_macro(rows: ClassScores) -> Summary:
    """Mean of the classes' AUROCs; each row has a part in all of them."""
    areas, sizes, present = class_aurocs(rows), rows.sizes, rows.sizes > 0
    count, rest = present.sum(), rows.n - sizes
    below, _ = own_parts(rows)
    y = rows.truth
    known = np.where(present, areas, 0.0)
    apart = np.where(present, known / rest, 0.0) / count
    influence = (below / rest[y] - known[y]) / sizes[y] / count + rows.ranks.sums[0] - (apart.sum() - apart[y])
    return Summary(float(known.sum() / count), influence, _missing(rows))


@class_metric(
    of="scores",
    interval="influence",
    label="AUROC one-versus-rest, weighted",
    chance=lambda truth, predicted: 0.5,
    question="How often is a case of a class ranked above a case of another, averaged over the cases?",
    formula=r"\sum_k \pi_k A_k",
    undefined="fewer than two classes occur",
    misleads="Large classes dominate twice: as classes and as rests.",
    references=("Fawcett (2006), PRL 27:861.",),
)
def auroc_ovr_weighted(rows: ClassScores) -> Summary:
    """The same, weighted by the shares of the classes, which are uncertain themselves."""
    areas, sizes, present = class_aurocs(rows), rows.sizes, rows.sizes > 0
    share, rest = sizes / rows.n, rows.n - sizes
    below, _ = own_parts(rows)
    y, known = rows.truth, np.where(present, areas, 0.0)
    value = float(share @ known)
    apart = share * known / rest
    influence = share[y] * (below / rest[y] - known[y]) / sizes[y] + rows.ranks.sums[1] - (apart.sum() - apart[y])
    return Summary(value, influence + (known[y] - value) / rows.n, _missing(rows))


@class_metric(
    of="scores",
    interval="influence",
    label="AUROC one-versus-one (Hand & Till's M)",
    depends_on_prevalence=False,
    chance=lambda truth, predicted: 0.5,
    undefined="fewer than two classes occur",
    question="How well are two random classes told apart, whatever their sizes?",
    formula=r"\frac{2}{K(K-1)} \sum_{i<j} \tfrac12 [A(i|j) + A(j|i)]",
    references=("Hand & Till (2001), Machine Learning 45:171.",),
)
def auroc_hand_till(rows: ClassScores) -> Summary:
    """Mean over ordered pairs of classes of the AUROC of one's column between the two."""
    sizes, y, weight = rows.sizes, rows.truth, rows.weight
    count = int((sizes > 0).sum())
    _, below = own_parts(rows)
    above = rows.ranks.sums[2]
    value = float(np.sum(weight * above / sizes[y])) / (count * (count - 1))
    both = above + below
    centre = np.bincount(y, weights=weight * both, minlength=len(sizes)) / np.where(sizes > 0, sizes, 1.0)
    influence = (both - centre[y]) / sizes[y] / (count * (count - 1))
    return Summary(value, influence, _missing(rows))


def top_k_accuracy(k: int = 5) -> ClassMetric:
    """The true class is among the k highest scores.

    A tie at the border gets the share of its places that are left: what drawing lots gives on average.

    Examples
    --------
    >>> from unconfuse.ingest.classes import gather_classes
    >>> rows = gather_classes([0, 1, 2], [[.5, .3, .2], [.4, .3, .3], [.4, .3, .3]])
    >>> top_k_accuracy(2)(rows)
    0.6666666666666666
    """
    places = check_whole(k, "k", at_least=1)
    return ClassMetric(
        f"top_k_accuracy({places})",
        lambda rows: mean_summary(top_k_rows(rows, places), rows),
        of="scores",
        label=f"Top-{places} accuracy",
        question=f"How often is the true class among the {places} highest scores?",
        formula=rf"\frac1n \sum_i [\text{{rank of the true class}} \le {places}]",
        interval="mid_p",
        misleads="Ties at the border count by the share of places left, not by the order of the columns.",
    )


def top_k_rows(rows: ClassScores, k: int) -> Array:
    """For each row, the chance that its class is among the first k when ties are broken by lot."""
    scores = rows.scores
    if scores is None:
        raise ArgumentError("top_k_accuracy needs scores, not only predicted labels. Hint: evaluate(y, S).")
    if k >= rows.n_classes:
        raise ArgumentError(
            f"with {rows.n_classes} classes the true one is always among the first {k}. "
            f"Hint: k up to {rows.n_classes - 1}."
        )
    out = np.empty(len(rows))
    step = max(1, _ROWS_AT_A_TIME // rows.n_classes)
    for first in range(0, len(rows), step):
        piece = scores[first : first + step]
        own = piece[np.arange(len(piece)), rows.truth[first : first + step]][:, None]
        higher, tied = (piece > own).sum(axis=1), (piece == own).sum(axis=1)
        out[first : first + step] = np.clip((k - higher) / tied, 0.0, 1.0)
    return out


def mean_summary(values: Array, rows: ClassScores) -> Summary:
    """The mean of one value for each row."""
    value = float(np.average(values, weights=rows.weights))
    with np.errstate(invalid="ignore"):
        return Summary(value, (values - value) / rows.n)


def average_of_scores(metric: Metric, average: str) -> ClassMetric:
    """The macro or weighted average of a binary metric of scores over the classes that occur."""
    if average == "micro":
        raise ArgumentError(
            f"there is no micro average of {metric.name}: classes have scales of their own. Hint: {metric.name}_macro."
        )

    def function(rows: ClassScores) -> Summary:
        return _average_summary(metric, average, rows)

    words = "each counting the same" if average == "macro" else "each counting by its cases"
    return ClassMetric(
        f"{metric.name}_{average}",
        function,
        of="scores" if metric.of == "ranks" else "probabilities",
        label=f"{metric.label}, {average}",
        question=f"{metric.question.rstrip('?')}, averaged over the classes, {words}?",
        range=metric.range,
        better=metric.better,
        formula=rf"\text{{{average} mean of }} {metric.formula}",
        interval="influence",
        undefined="undefined for every class",
        misleads=metric.misleads,
        references=metric.references,
        details={"binary": metric.name, "average": average},
    )


def _average_summary(metric: Metric, average: str, rows: ClassScores) -> Summary:
    assert rows.scores is not None or metric.of == "ranks"
    present = np.flatnonzero(rows.sizes > 0)
    weights = rows.sizes / rows.n if average == "weighted" else (rows.sizes > 0) / len(present)
    values, influence = np.full(rows.n_classes, np.nan), np.zeros(len(rows))
    for k in present:
        score = np.asarray(rows.scores[:, k], dtype=np.float64)  # type: ignore[index]
        is_own = rows.truth == k
        if metric.influence is not None and compares_by_influence(metric):
            found = row_influences(metric.influence, is_own, [score], weights=rows.weights)
            values[k] = float(metric(ScoreTable.of_rows(is_own, score, rows.weights)))
            influence += weights[k] * found.influence[0]
        else:
            values[k] = float(metric(ScoreTable.of_rows(is_own, score, rows.weights)))
            influence += np.nan
    value = float(weighted_mean(values, weights))
    if average == "weighted":
        influence += (np.nan_to_num(values)[rows.truth] - value) / rows.n
    names = [name for name, each in zip(rows.classes, values, strict=True) if np.isnan(each)]
    return Summary(value, influence, left_out(names))
