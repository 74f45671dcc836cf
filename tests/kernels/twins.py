"""Plain-NumPy twins of the kernels: slow, short and obviously right."""

from __future__ import annotations

import itertools
import math

import numpy as np

from unconfuse._kernels import RANK_METRICS


def collapse(score, is_positive, weights=None):
    weights = np.ones(len(score)) if weights is None else weights
    distinct = sorted({x + 0.0 for x, w in zip(score.tolist(), weights.tolist(), strict=True) if w > 0}, reverse=True)
    sums = [
        [math.fsum(weights[(score == value) & (is_positive == wanted)]) for value in distinct]
        for wanted in (True, False)
    ]
    return np.array(distinct, dtype=float), np.array(sums[0], dtype=float), np.array(sums[1], dtype=float)


def merge_tables(score_a, positives_a, negatives_a, score_b, positives_b, negatives_b):
    score = np.concatenate([score_a, score_b])
    distinct = np.unique(score)[::-1]
    both = ((positives_a, positives_b), (negatives_a, negatives_b))
    columns = [np.array([np.concatenate(pair)[score == value].sum() for value in distinct]) for pair in both]
    return distinct, *columns


def expand(positives, negatives):
    """Labels and scores, one row per case, of a table with whole-number weights."""
    blocks = np.arange(len(positives))
    score = -np.concatenate([np.repeat(blocks, positives.astype(int)), np.repeat(blocks, negatives.astype(int))])
    return np.arange(len(score)) < int(positives.sum()), score.astype(float)


def prrc_points(positives, negatives):
    """True and false positives above and below each block that holds positives."""
    tp, fp = np.cumsum(positives), np.cumsum(negatives)
    return [
        (tp[b] - positives[b], fp[b] - negatives[b], positives[b], negatives[b])
        for b in range(len(positives))
        if positives[b] > 0
    ]


def davis_goadrich(positives, negatives):
    """PRROC's auc.davis.goadrich, step by step; a last step shorter than 1 for weights that are no whole numbers."""
    area = 0.0
    for tp, fp, c, d in prrc_points(positives, negatives):
        steps = [*np.arange(0.0, c), c]
        precision = [(tp + t) / (tp + fp + t + d * t / c) if tp + fp + t > 0 else c / (c + d) for t in steps]
        area += sum(
            (after - before) * (low + high) / 2
            for before, after, low, high in zip(steps, steps[1:], precision, precision[1:], strict=False)
        )
    return area / positives.sum()


def integral(positives, negatives):
    """Area under the continuously interpolated precision-recall curve, by quadrature."""
    from scipy.integrate import quad

    area = 0.0
    for tp, fp, c, d in prrc_points(positives, negatives):
        area += quad(lambda t: (tp + t) / (tp + fp + t + d * t / c) if tp + fp + t > 0 else c / (c + d), 0, c)[0]  # noqa: B023
    return area / positives.sum()


def rank_metrics(positives, negatives):
    """All rank metrics of one table, without any of the kernels' shortcuts."""
    P, N = positives.sum(), negatives.sum()
    if P == 0 or N == 0:
        return dict.fromkeys(RANK_METRICS, np.nan)
    kept = positives + negatives > 0
    positives, negatives = positives[kept], negatives[kept]
    tp, fp = np.cumsum(positives), np.cumsum(negatives)
    queue, labelled_negative = tp + fp, P + N - tp - fp
    youden = tp / P - fp / N
    inside = labelled_negative > 1e-9
    mcc = (tp * N - fp * P)[inside] / np.sqrt(P * N * queue[inside] * labelled_negative[inside])
    return {
        "auroc": np.sum(negatives * (tp - positives / 2)) / (P * N),
        "average_precision": np.sum(positives * tp / queue) / P,
        "auprc_davis_goadrich": davis_goadrich(positives, negatives),
        "auprc_integral": integral(positives, negatives),
        "max_f1": np.max(2 * tp / (P + queue)),
        "max_youden": max(0.0, np.max(youden)),
        "ks": np.max(np.abs(youden)),
        "max_mcc": np.max(mcc) if len(mcc) else np.nan,
        "break_even_precision": np.interp(P, np.r_[0, queue], np.r_[0, tp]) / P,
        "precision_at_indistinguishability": indistinguishable(positives, negatives),
        "equal_error_rate": equal_error_rate(positives, negatives),
        "auch": hull_area(positives, negatives),
        "h_measure": h_measure(positives, negatives),
        "auprc_trapezoid": trapezoid(positives, negatives),
        "auprg": gain_area(positives, negatives),
    }


def equal_error_rate(positives, negatives):
    """Where the ROC polygon meets the falling diagonal: both rates rise, so that their sum can be inverted."""
    tpr, fpr = np.r_[0, np.cumsum(positives) / positives.sum()], np.r_[0, np.cumsum(negatives) / negatives.sum()]
    return np.interp(1.0, tpr + fpr, fpr)


def hull_area(positives, negatives):
    """The area of the polygon through the vertices of the hull."""
    at = roc_hull(positives, negatives)
    x, y = (np.r_[0, np.cumsum(each)][at] / each.sum() for each in (negatives, positives))
    return np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2)


def h_measure(positives, negatives):
    """The least loss at each cost, over all thresholds, integrated over costs by quadrature."""
    from scipy.special import beta

    P, N = positives.sum(), negatives.sum()
    tp, fp = np.r_[0, np.cumsum(positives)], np.r_[0, np.cumsum(negatives)]
    share = P / (P + N)
    nodes, weights = np.polynomial.legendre.leggauss(64)
    at = roc_hull(positives, negatives)
    rise, run = np.diff(tp[at]), np.diff(fp[at])
    bends = np.unique(np.r_[0, share, rise / (rise + run), 1])
    loss = trivial = 0.0
    for low, high in itertools.pairwise(bends):
        # Near 0 and 1 the density behaves like a power of the cost: squeeze the nodes towards both ends.
        u = (nodes + 1) / 2
        c = low + (high - low) * (u * u * (3 - 2 * u))
        density = c**share * (1 - c) ** (1 - share) / beta(1 + share, 2 - share)
        step = weights / 2 * (high - low) * 6 * u * (1 - u) * density
        loss += step @ np.min(c[:, None] * fp + (1 - c[:, None]) * (P - tp), axis=1)
        trivial += step @ np.minimum(c * N, (1 - c) * P)
    return 1 - loss / trivial


def indistinguishable(positives, negatives):
    """Precision of the largest set with B <= 1/2; B is the running mean of the mid-rank sensitivity."""
    P, tp = positives.sum(), np.cumsum(positives)
    size = positives + negatives
    outranked = np.cumsum(size * (tp - positives / 2) / P)
    share = outranked / np.cumsum(size)
    if share[-1] < 0.5 - 1e-12:
        return np.nan
    largest = np.flatnonzero(share <= 0.5 + 1e-12)[-1]
    return tp[largest] / np.cumsum(size)[largest]


def placements(score, is_positive):
    """V10 and V01 by comparing all pairs."""
    wins = np.sign(score[is_positive][:, None] - score[~is_positive][None, :]) / 2 + 0.5
    return wins.mean(axis=1), wins.mean(axis=0)


def roc_hull(positives, negatives):
    """A point of the ROC curve is a vertex if it lies above every chord between a point before and one after."""
    x, y = np.r_[0, np.cumsum(negatives)], np.r_[0, np.cumsum(positives)]
    vertices = []
    for j in range(len(x)):
        above = all(
            (y[j] - y[i]) * (x[k] - x[i]) > (y[k] - y[i]) * (x[j] - x[i])
            for i in range(j)
            for k in range(j + 1, len(x))
        )
        if above:
            vertices.append(j)
    return vertices


def trapezoid(positives, negatives):
    """Straight lines from (0, 1) through the precision-recall points."""
    tp, fp = np.cumsum(positives), np.cumsum(negatives)
    kept = tp + fp > 0
    recall, precision = np.r_[0, tp[kept]] / positives.sum(), np.r_[1, tp[kept] / (tp + fp)[kept]]
    return np.sum(np.diff(recall) * (precision[1:] + precision[:-1]) / 2)


def gain_area(positives, negatives):
    """Area under the precision-recall-gain polygon; the first point with recall gain 0 is interpolated."""
    P, N = positives.sum(), negatives.sum()
    tp, fp = np.r_[0, np.cumsum(positives)], np.r_[0, np.cumsum(negatives)]
    zero = P * P / (P + N)
    inside = [(t, f) for t, f in zip(tp, fp, strict=True) if t > zero]
    last = np.flatnonzero(tp <= zero)[-1]
    slope = (fp[last + 1] - fp[last]) / (tp[last + 1] - tp[last])
    points = [(zero, fp[last] + (zero - tp[last]) * slope), *inside]
    recall_gain = [1 - P / N * (P - t) / t for t, _ in points]
    precision_gain = [1 - P / N * f / t for t, f in points]
    return sum(
        (recall_gain[i + 1] - recall_gain[i]) * (precision_gain[i] + precision_gain[i + 1]) / 2
        for i in range(len(points) - 1)
    )


def partial_area(positives, negatives, max_fpr):
    """Area under the ROC polygon up to a false positive rate."""
    x, y = np.r_[0, np.cumsum(negatives)] / negatives.sum(), np.r_[0, np.cumsum(positives)] / positives.sum()
    area = 0.0
    for i in range(len(x) - 1):
        end = min(x[i + 1], max_fpr)
        if end > x[i]:
            height = y[i] + (end - x[i]) / (x[i + 1] - x[i]) * (y[i + 1] - y[i])
            area += (end - x[i]) * (y[i] + height) / 2
    return area


def loss_moments(score, positives, negatives, logarithmic, floor):
    """Weight, mean and squares about the mean of both losses over both classes."""
    share = np.clip(score, floor, 1 - floor)
    losses = (-np.log(share), -np.log1p(-share)) if logarithmic else ((1 - share) ** 2, share**2)
    found = []
    for loss in losses:
        for weight in (positives, negatives):
            total = weight.sum()
            mean = (weight * loss).sum() / total if total else 0.0
            found.append((total, mean, (weight * (loss - mean) ** 2).sum()))
    return found


def recalibration(score, positives, negatives):
    """Newton's method on all rows at once, from the usual start and with steps halved until the likelihood rises."""
    x = np.log(score) - np.log1p(-score)
    weight = positives + negatives

    def fitted(columns, offset):
        at = np.zeros(columns.shape[1])

        def likelihood(at):
            odds = offset + columns @ at
            return np.sum(positives * odds - weight * np.logaddexp(0, odds))

        for _ in range(100):
            chance = 1 / (1 + np.exp(-(offset + columns @ at)))
            hessian = (columns * (weight * chance * (1 - chance))[:, None]).T @ columns
            step = np.linalg.solve(hessian, columns.T @ (positives - weight * chance))
            while likelihood(at + step) < likelihood(at) - 1e-9 * abs(likelihood(at)):
                step = step / 2
            at = at + step
            if np.abs(step).max() < 1e-13:
                break
        return at

    return (*fitted(np.ones((len(x), 1)), x), *fitted(np.column_stack([np.ones(len(x)), x]), 0 * x))


def bootstrap_variance(moments):
    """The variance of the AUROC over infinitely many stratified resamples, from its placement moments."""
    p, n = moments.n_positives, moments.n_negatives
    between = (n - 1) * moments.positive_variance + (p - 1) * moments.negative_variance
    return (moments.pair_variance + between) / (p * n)


def node_weights(score, weight):
    """Of each two neighbours: all scores whose paths through the tree begin as far as both of theirs agree."""

    def path_of(value):
        bits = int(np.float64(value + 0.0).view(np.uint64))
        return f"{bits ^ (2**64 - 1) if bits >> 63 else bits | 1 << 63:064b}"

    paths = [path_of(value) for value in score]
    agree = [next(bit for bit in range(64) if one[bit] != other[bit]) for one, other in itertools.pairwise(paths)]
    under = ([each[:bits] == path[:bits] for each in paths] for path, bits in zip(paths, agree, strict=False))
    return np.array([weight[np.array(own)].sum() for own in under])
