"""Metrics of several classes' scores: rankings one against the rest and one against one, probabilities, rejection.

Each takes a sample of one model with rows and gives a `InfluenceSummary`: its value, and every row's influence on it.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._validate import check_whole, public_api
from unconfuse.metrics._inference import Average
from unconfuse.metrics._metric import InfluenceSummary, Metric
from unconfuse.metrics.multiclass_decisions import KINDS, averaged, left_out, of_several, weighted_mean
from unconfuse.metrics.probability import EPS, check_eps, clipped_name
from unconfuse.metrics.ranking import auroc
from unconfuse.table import Array, InMemorySample, ScoreTable, summed, summed_by
from unconfuse.table.in_memory import pieces_of

declared_of_rows = partial(of_several, of="rows")
declared_of_probabilities = partial(declared_of_rows, probabilities=True, better="lower")
_of_ranks = partial(
    declared_of_rows, chance=lambda truth, predicted: 0.5, two_class="auroc", undefined="fewer than two classes occur"
)


def mean_summary(values: Array, rows: InMemorySample, note: str = "") -> InfluenceSummary:
    """Return the mean of one value for each row, whatever order the rows are in."""
    value = summed(values * rows.weight) / rows.n
    with np.errstate(invalid="ignore"):
        return InfluenceSummary(value, (values - value) / rows.n, note)


def confidence(rows: InMemorySample) -> Array:
    """Return the score of the predicted class of each row."""
    return np.asarray(rows.matrix[np.arange(len(rows)), rows.predicted], dtype=np.float64)


def class_aurocs(rows: InMemorySample) -> Array:
    """Return the AUROC of each class against the rest; NaN for a class that does not occur."""
    ranks, sizes = rows.ranks, rows.sizes
    begins = 2 * ranks.start[:-1] + np.arange(rows.n_classes)
    sums = np.add.reduceat(ranks.others * ranks.credit, begins)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sizes > 0, np.minimum(sums / rows.rests, 1.0), np.nan)


def rank_table(rows: InMemorySample, k: int) -> ScoreTable:
    """Class k against the rest as a score table of few rows: the others between two own scores are one row.

    Its scores only rank. Metrics whose curves run straight between own scores are exact; others need the column itself.
    """
    ranks = rows.ranks
    first, last = ranks.start[k], ranks.start[k + 1]
    negatives = ranks.others[2 * first + k : 2 * last + k + 1]
    positives = np.zeros(len(negatives))
    positives[1::2] = ranks.own[first:last]
    order = np.flatnonzero((positives + negatives) > 0)[::-1]
    return ScoreTable.from_validated(order.astype(np.float64), positives[order], negatives[order])


def _missing(rows: InMemorySample) -> str:
    return left_out([name for name, size in zip(rows.classes, rows.sizes, strict=True) if size == 0])


@_of_ranks(
    label="AUROC one-versus-rest, macro",
    question="How often is a case of a class ranked above a case of another, averaged over the classes?",
    average=Average(auroc, "macro"),
    formula=r"\frac1K \sum_k A_k",
    misleads="Large other classes dominate each class's rest.",
    references=("Fawcett (2006), PRL 27:861.",),
)
def auroc_ovr_macro(rows: InMemorySample) -> InfluenceSummary:
    """Mean of the classes' AUROCs; each row has a part in all of them."""
    areas, sizes, present = class_aurocs(rows), rows.sizes, rows.sizes > 0
    count, rest, y = present.sum(), rows.rests, rows.truth
    below, _ = rows.below
    known = np.where(present, areas, 0.0)
    apart = np.where(present, known / rest, 0.0) / count
    influence = (below / rest[y] - known[y]) / sizes[y] / count + rows.ranks.sums[0] - (apart.sum() - apart[y])
    return InfluenceSummary(float(known.sum() / count), influence, _missing(rows))


@_of_ranks(
    label="AUROC one-versus-rest, weighted",
    question="How often is a case of a class ranked above a case of another, averaged over the cases?",
    average=Average(auroc, "weighted"),
    formula=r"\sum_k \pi_k A_k",
    misleads="Large classes dominate twice: as classes and as rests.",
    references=("Fawcett (2006), PRL 27:861.",),
)
def auroc_ovr_weighted(rows: InMemorySample) -> InfluenceSummary:
    """Average the classes' AUROCs, weighted by the shares of the classes, which are uncertain themselves."""
    areas, sizes, present = class_aurocs(rows), rows.sizes, rows.sizes > 0
    share, rest, y = sizes / rows.n, rows.rests, rows.truth
    below, _ = rows.below
    known = np.where(present, areas, 0.0)
    value = float(share @ known)
    apart = share * known / rest
    influence = share[y] * (below / rest[y] - known[y]) / sizes[y] + rows.ranks.sums[1] - (apart.sum() - apart[y])
    return InfluenceSummary(value, influence + (known[y] - value) / rows.n, _missing(rows))


@_of_ranks(
    label="AUROC one-versus-one (Hand & Till's M)",
    question="How well are two random classes ranked apart, whatever their sizes?",
    depends_on_prevalence=False,
    formula=r"\frac{2}{K(K-1)} \sum_{i<j} \tfrac12 [A(i|j) + A(j|i)]",
    references=("Hand & Till (2001), Machine Learning 45:171.",),
)
def auroc_hand_till(rows: InMemorySample) -> InfluenceSummary:
    """Mean over ordered pairs of classes of the AUROC of one's column between the two."""
    sizes, y, weight = rows.sizes, rows.truth, rows.weight
    count = (sizes > 0).sum()
    pairs = np.float64(count * (count - 1))  # 0, and so undefined, where only one class occurs
    _, below = rows.below
    above = rows.ranks.sums[2]
    value = float(summed(weight * above / sizes[y]) / pairs)
    both = above + below
    centre = summed_by(y.astype(np.int64, copy=False), weight * both, len(sizes)) / np.where(sizes > 0, sizes, 1.0)
    influence = (both - centre[y]) / sizes[y] / pairs
    return InfluenceSummary(value, influence, _missing(rows))


@public_api
def top_k_accuracy(k: int = 5) -> Metric:
    """Measure how often the true class is among the k highest scores.

    A tie at the border gets the share of its places that are left: what drawing lots gives on average.

    Examples
    --------
    >>> import unconfuse as uc
    >>> scores = [[.5, .3, .2], [.4, .3, .3], [.4, .3, .3]]
    >>> uc.evaluate([0, 1, 2], scores, metrics=[top_k_accuracy(2)])["top_k_accuracy(2)"].value
    0.6666666666666666
    """
    places = check_whole(k, "k", at_least=1)
    return declared_of_rows(
        label=f"Top-{places} accuracy",
        question=f"How often is the true class among the {places} highest scores?",
        name=f"top_k_accuracy({places})",
        formula=rf"\frac1n \sum_i [\text{{rank of the true class}} \le {places}]",
        interval="mid_p",
        misleads="Ties at the border count by the share of places left, not by the order of the columns.",
    )(partial(_top_k, places))


def _top_k(k: int, rows: InMemorySample) -> InfluenceSummary:
    """Of each row, the chance that its class is among the first k when ties are broken by lot."""
    if k >= rows.n_classes:
        raise ArgumentError(
            f"with {rows.n_classes} classes the true one is always among the first {k}. "
            f"Hint: k up to {rows.n_classes - 1}."
        )
    out = np.empty(len(rows))
    for first, piece in pieces_of(rows.matrix):
        here = slice(first, first + len(piece))
        own = piece[np.arange(len(piece)), rows.truth[here]][:, None]
        higher, tied = (piece > own).sum(axis=1), (piece == own).sum(axis=1)
        out[here] = np.clip((k - higher) / tied, 0.0, 1.0)
    return mean_summary(out, rows)


def _entropy(truth: Array, predicted: Array) -> float:
    held = truth[truth > 0]
    return float(-(held * np.log(held)).sum())


@declared_of_probabilities(
    label="Log loss",
    question="How surprising is the true class, given the stated probabilities, on average (in nats)?",
    two_class="log_loss",
    range=(0.0, np.inf),
    formula=r"-\frac1n \sum_i \log p_{i, y_i}",
    chance=_entropy,
    undefined="a true class was given probability 0, so the loss is infinite",
    misleads="Infinite as soon as a true class was given probability 0; other tools clip: see `clipped_log_loss()`.",
    references=("Good (1952), JRSS B 14:107.",),
)
def log_loss(rows: InMemorySample) -> InfluenceSummary:
    """Mean surprise."""
    own = np.asarray(rows.matrix[np.arange(len(rows)), rows.truth], dtype=np.float64)
    with np.errstate(divide="ignore"):
        return mean_summary(-np.log(own), rows)


def clipped_log_loss_of_classes(eps: float = EPS) -> Metric:
    """`clipped_log_loss` of several classes: every stated probability is moved into [eps, 1 - eps]."""
    floor = check_eps(eps)
    return declared_of_probabilities(
        label=f"Log loss, clipped at {floor:.3g}",
        question=(
            "How surprised were the stated probabilities, none of them nearer to 0 or 1 than that, by the "
            "true class (in nats)?"
        ),
        name=clipped_name(floor),
        two_class=clipped_name(floor),
        range=(0.0, -float(np.log(floor))),
        formula=r"-\frac1n \sum_i \log \min(\max(p_{i, y_i}, \epsilon), 1 - \epsilon)",
        chance=_entropy,
        misleads=f"A wrong certainty costs {-np.log(floor):.3g} nats, a number that eps chooses and not the model.",
        references=("Good (1952), JRSS B 14:107.",),
    )(partial(_clipped_log_loss, floor))


def _clipped_log_loss(floor: float, rows: InMemorySample) -> InfluenceSummary:
    own = np.asarray(rows.matrix[np.arange(len(rows)), rows.truth], dtype=np.float64)
    return mean_summary(-np.log(np.clip(own, floor, 1 - floor)), rows)


@declared_of_probabilities(
    label="Brier score",
    question="How far are the stated probabilities from what happened (squared, added up over the classes)?",
    two_class="brier",
    range=(0.0, 2.0),
    formula=r"\frac1n \sum_i \sum_k (p_{ik} - [y_i = k])^2",
    chance=lambda truth, predicted: 1 - float(truth @ truth),
    misleads="Brier's own sum over classes runs from 0 to 2; with two classes it is halved, as is usual there.",
    references=("Brier (1950), Monthly Weather Review 78:1.",),
)
def brier(rows: InMemorySample) -> InfluenceSummary:
    """Mean squared distance."""
    squares = np.empty(len(rows))
    for first, part in pieces_of(rows.matrix):
        piece = np.asarray(part, dtype=np.float64)
        own = piece[np.arange(len(piece)), rows.truth[first : first + len(piece)]]
        squares[first : first + len(piece)] = np.einsum("ik,ik->i", piece, piece) - own**2 + (1 - own) ** 2
    return mean_summary(squares / 2 if rows.n_classes == 2 else squares, rows)


def average_of_scores(binary: Metric, kind: str) -> Metric:
    """Declare the macro, micro or weighted average of a binary metric of scores over the classes that occur.

    The micro average pools all one-versus-rest questions into one ranking. Scores of different classes are then
    compared with each other, so that they must be probabilities.
    """
    return averaged(
        binary,
        kind,
        _pooled_summary if kind == "micro" else _average_summary,
        of="rows",
        probabilities=binary.of == "probabilities" or kind == "micro",
        question=f"{binary.question.rstrip('?')}, {KINDS[kind][0]}?",
        formula=rf"\text{{{kind} mean of }} {binary.formula}",
        undefined="undefined for every class",
    )


def _pooled_summary(binary: Metric, kind: str, rows: InMemorySample) -> InfluenceSummary:
    """Each row asks one question for each class, and has a part in all its answers."""
    matrix, truth = rows.matrix, np.asarray(rows.truth)
    asked = truth[:, None] == np.arange(rows.n_classes)
    table = ScoreTable.from_rows(asked.ravel(), matrix.ravel(), np.repeat(rows.weight, rows.n_classes))
    if binary.inference.influence is None:
        return InfluenceSummary(float(binary(table)), np.full(len(rows), np.nan))
    influence_function = binary.inference.influence(table)
    block = np.searchsorted(-table.score, -matrix)
    influence = np.where(asked, influence_function.positive[block], influence_function.negative[block]).sum(axis=1)
    return InfluenceSummary(float(binary(table)), influence)


def _average_summary(binary: Metric, kind: str, rows: InMemorySample) -> InfluenceSummary:
    present = np.flatnonzero(rows.sizes > 0)
    weights = rows.sizes / rows.n if kind == "weighted" else (rows.sizes > 0) / len(present)
    values, influence = np.full(rows.n_classes, np.nan), np.zeros(len(rows))
    for k in present:
        sample = rows.one_vs_rest(int(k))
        values[k] = float(binary(sample.table()))
        if binary.inference.influence is None:
            influence += np.nan
            continue
        influence_function, block = binary.inference.influence(sample.table()), sample.blocks(sample.only_model)
        influence += weights[k] * np.where(
            sample.is_positive, influence_function.positive[block], influence_function.negative[block]
        )
    value = float(weighted_mean(values, weights))
    if kind == "weighted":
        influence += (np.nan_to_num(values)[rows.truth] - value) / rows.n
    names = [name for name, each in zip(rows.classes, values, strict=True) if np.isnan(each)]
    return InfluenceSummary(value, influence, left_out(names))
