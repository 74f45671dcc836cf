"""Influence functions: by how much one more case at each score, of each class, would change a metric.

To first order every metric of a score table is a sum over its cases, so its standard error needs no resampling:
square the influences and add. One pass over the blocks serves tables of any size, and stacks of them. For the AUROC and
for mean losses a few sums say the same of one table, and no array as long as the table is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from unconfuse import _kernels
from unconfuse._kernels import LossMoments, WeightedMoments
from unconfuse.metrics._metric import Metric, ratio
from unconfuse.table import Array, ScoreTable, remembered
from unconfuse.table.looks import Critical

# Within a tie block recall and false positives grow together: 5 nodes integrate precision over it to about 1e-7.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(5)
_WITHIN_BLOCK = (_NODES + 1) / 2, _WEIGHTS / 2
_AT_THE_END = np.array([1.0]), np.array([1.0])


@dataclass(frozen=True)
class VarianceComponents:
    """A value, its variance within the classes, and that from the share of positives, which varies only in a cohort."""

    value: Array
    within: Array
    between: Array

    def standard_error(self, *, fixed_classes: bool = False) -> Array:
        """In a cohort the share of positives varies from sample to sample; a case-control design fixes it."""
        return np.sqrt(self.within + (0.0 if fixed_classes else self.between))


@dataclass(frozen=True, eq=False, repr=False)
class InfluenceFunction:
    """A metric's value, and its derivative with respect to the weight of each class at each score.

    The arrays of the table may carry leading axes. `positive` and `negative` (..., k) are the effect of one more case
    of that class at that score; weighted by the cases there, they add up to 0.

    >>> table = ScoreTable(np.array([.8, .6, .3, .1]), np.array([1., 0, 1, 0]), np.array([0., 1, 0, 1]))
    >>> of_auroc = auroc_influence(table)
    >>> of_auroc.value.item(), of_auroc.positive[[0, 2]]
    (0.75, array([ 0.125, -0.125]))
    >>> round(of_auroc.standard_error().item(), 6)
    0.353553
    """

    table: ScoreTable
    value: Array
    positive: Array
    negative: Array

    def parts(self) -> tuple[Array, Array, Array]:
        """Variance from the positives' scores, from the negatives' scores, and from the share of positives.

        Each class's part has its own n - 1, so that for the AUROC the sum is exactly DeLong's variance. Where weights
        say how cases were sampled, it is the sandwich: squared weights times squared influences, and no n - 1.
        """
        if self.table.is_sampled:
            return self._sampled_parts()
        own, of_positives = _moments(self.positive, self.table.positives)
        other, of_negatives = _moments(self.negative, self.table.negatives)
        return own, other, of_positives + of_negatives

    def _sampled_parts(self) -> tuple[Array, Array, Array]:
        sides = zip((self.positive, self.negative), (self.table.positives, self.table.negatives), strict=True)
        means = [
            ratio(influence @ weight, weight.sum()) if weight.any() else np.zeros(()) for influence, weight in sides
        ]
        both = list(zip((self.positive, self.negative), means, self.table.squared_weights, strict=True))
        within = [np.asarray(squares @ (influence - mean) ** 2) for influence, mean, squares in both]
        whole = sum(squares @ influence**2 for influence, _, squares in both)
        return within[0], within[1], whole - within[0] - within[1]

    def variance(self, *, fixed_classes: bool = False) -> Array:
        """Variance of the metric; a case-control design fixes the class sizes, so their part drops out."""
        return np.asarray(sum(self.parts()[:2] if fixed_classes else self.parts()))

    def standard_error(self, *, fixed_classes: bool = False) -> Array:
        """Root of the variance."""
        return np.sqrt(self.variance(fixed_classes=fixed_classes))


def is_auroc(metric: Metric) -> bool:
    """Whether a metric is the AUROC, on whatever scale: DeLong's and the exact variance are then its own."""
    return metric.root.of.inference.influence is auroc_influence


def auroc_influence(table: ScoreTable) -> InfluenceFunction:
    """Influence on the AUROC: each case's placement among the other class, less the AUROC, over its class's size."""
    positive, negative = placements(table)
    value = ratio(_total(positive, table.positives), table.positives.sum(axis=-1))
    classes = (positive, table.positives), (negative, table.negatives)
    each = (ratio(placed - value[..., None], weight.sum(axis=-1, keepdims=True)) for placed, weight in classes)
    return InfluenceFunction(table, value, *each)


def placements(table: ScoreTable) -> tuple[Array, Array]:
    """At each score: the share of negatives below it, and the share of positives above it (ties count half)."""
    tp, fp = np.cumsum(table.positives, axis=-1), np.cumsum(table.negatives, axis=-1)
    below = ratio(fp[..., -1:] - fp + table.negatives / 2, fp[..., -1:])
    return below, ratio(tp - table.positives / 2, tp[..., -1:])


def average_precision_influence(table: ScoreTable) -> InfluenceFunction:
    """Influence on the average precision (step form), ties included."""
    return _area_influence(table, *_AT_THE_END)


def auprc_influence(table: ScoreTable) -> InfluenceFunction:
    """Influence on the area under the precision-recall curve, false positives interpolated within tie blocks.

    Serves the continuous integral (exactly) and Davis and Goadrich's area, which approaches it.
    """
    return _area_influence(table, *_WITHIN_BLOCK)


def area_of(influence: Callable[[ScoreTable], InfluenceFunction], table: ScoreTable) -> Array:
    """Return the value of one of these two; for a single table without its influences, which are as long as it is."""
    if not table.is_single_table or influence not in (average_precision_influence, auprc_influence):
        return influence(table).value
    nodes, weights = _AT_THE_END if influence is average_precision_influence else _WITHIN_BLOCK
    return np.asarray(_kernels.mean_precision(table.positives, table.negatives, nodes, weights))


def _area_influence(table: ScoreTable, nodes: Array, weights: Array) -> InfluenceFunction:
    """Precision at `nodes` within each block (1 is its end), averaged with `weights` and over the positives."""
    p, q = np.broadcast_arrays(table.positives, table.negatives)
    tp, fp = np.cumsum(p, axis=-1) - p, np.cumsum(q, axis=-1) - q
    total = p.sum(axis=-1, keepdims=True)
    precision, rise, fall, own_rise, own_fall = np.zeros((5, *p.shape))
    for node, weight in zip(nodes, weights, strict=True):
        above, wrong = tp + node * p, fp + node * q
        inverse = np.divide(weight, above + wrong, out=np.zeros_like(above), where=above + wrong > 0)
        share = above * inverse
        precision += share
        # Derivatives of precision by true and by false positives, times the positives of the block.
        up, down = p * (wrong * inverse) * (inverse / weight), -p * share * (inverse / weight)
        rise, fall = rise + up, fall + down
        own_rise, own_fall = own_rise + node * up, own_fall + node * down
    value = ratio(_total(precision, p), total[..., 0])
    positive = precision - value[..., None] + own_rise + _after(rise)
    return InfluenceFunction(table, value, ratio(positive, total), ratio(own_fall + _after(fall), total))


def f_beta_influence(table: ScoreTable, *, beta: float = 1.0) -> InfluenceFunction:
    """Influence on the largest F_beta over thresholds: that at the best one, whose own move is of second order."""
    tp, fp = np.cumsum(table.positives, axis=-1), np.cumsum(table.negatives, axis=-1)
    total, square = tp[..., -1:], beta**2
    curve = ratio((1 + square) * tp, square * total + tp + fp)
    best = np.argmax(np.where(np.isnan(curve), -1.0, curve), axis=-1, keepdims=True)
    value = np.take_along_axis(curve, best, axis=-1)
    size = square * total + np.take_along_axis(tp + fp, best, axis=-1)
    above = np.arange(tp.shape[-1]) <= best
    positive = ratio((1 + square) * above - value * (square + above), size)
    return InfluenceFunction(table, value[..., 0], positive, ratio(-value * above, size))


def mean_influence(table: ScoreTable, positive_loss: Array, negative_loss: Array) -> InfluenceFunction:
    """Influence on a mean of losses, one loss for each class at each score: each loss less the mean, over n."""
    n = table.positives.sum(axis=-1) + table.negatives.sum(axis=-1)
    value = ratio(_total(positive_loss, table.positives) + _total(negative_loss, table.negatives), n)
    each = (ratio(loss - value[..., None], n[..., None]) for loss in (positive_loss, negative_loss))
    return InfluenceFunction(table, value, *each)


def brier_influence(table: ScoreTable) -> InfluenceFunction:
    """Influence on the Brier score, the mean squared error of the probabilities."""
    return mean_influence(table, (1 - table.score) ** 2, table.score**2)


def _after(values: Array) -> Array:
    """Return the sums over all later blocks."""
    return np.asarray(values.sum(axis=-1, keepdims=True) - np.cumsum(values, axis=-1))


def _total(values: Array, weights: Array) -> Array:
    return np.asarray(np.einsum("...k,...k->...", values, weights))


def _moments(influence: Array, weights: Array) -> tuple[Array, Array]:
    """Sum of squares about the class's mean (with its n - 1), and of the mean itself; 0 where a class is empty."""
    size = weights.sum(axis=-1)
    mean = np.divide(_total(influence, weights), size, out=np.zeros_like(size), where=size > 0)
    spread = _total((influence - mean[..., None]) ** 2, weights)
    factor = np.divide(size, size - 1, out=np.full_like(size, np.nan), where=size > 1)
    return np.where(size > 0, spread * factor, 0.0), np.asarray(size * mean**2)


def quantile(confidence_level: float) -> float:
    """How many standard errors an interval of this level reaches to each side."""
    from unconfuse._scipy_special import ndtri

    if isinstance(confidence_level, Critical):
        return confidence_level.z
    return float(ndtri((1 + confidence_level) / 2))


def student_quantile(freedom: Array | float, confidence_level: float) -> Array:
    """Return the same of a standard error that is itself estimated, by Student's t."""
    from unconfuse._scipy_special import stdtrit

    if isinstance(confidence_level, Critical):
        return np.asarray(-stdtrit(freedom, confidence_level.tail), np.float64)
    return np.asarray(stdtrit(freedom, (1 + confidence_level) / 2), np.float64)


def auroc_spread(table: ScoreTable, added: float = 0.0) -> VarianceComponents:
    """Compute the AUROC by DeLong, with a case of that weight added to each class, spread over the other's scores."""
    shares = float(ratio(added, table.n_negatives)), float(ratio(added, table.n_positives))
    moments = remembered(
        table, ("placements", added), lambda: _kernels.placement_moments(*table.nonempty_weights, added=shares)
    )
    return VarianceComponents(np.asarray(moments.auroc), np.asarray(moments.delong_variance), np.asarray(0.0))


def brier_spread(table: ScoreTable, added: float = 0.0) -> VarianceComponents:
    """Compute the Brier score, with a case of that weight and of unknown score added to each class."""
    return _linear(*_mean(*_with_cases(losses_of(table, logarithmic=False), added)))


def log_loss_spread(table: ScoreTable, added: float = 0.0) -> VarianceComponents:
    """Compute the log loss likewise; an added case may meet a score of 0 or 1, but its surprise must stay finite."""
    losses = losses_of(table, logarithmic=True, floor=1 / (2 * table.n) if added else 0.0)
    return _linear(*_mean(*_with_cases(losses, added)))


def clipped_log_loss_spread(floor: float, table: ScoreTable, added: float = 0.0) -> VarianceComponents:
    """Compute the log loss of scores kept off 0 and 1; an added case's surprise is limited as that of log loss is."""
    losses = losses_of(table, logarithmic=True, floor=floor)
    others = losses_of(table, logarithmic=True, floor=max(floor, 1 / (2 * table.n))) if added else losses
    crossed = losses._replace(
        positive_over_negatives=others.positive_over_negatives, negative_over_positives=others.negative_over_positives
    )
    return _linear(*_mean(*_with_cases(crossed, added)))


def skill_spread(table: ScoreTable, added: float = 0.0) -> VarianceComponents:
    """Compute the Brier skill score, with cases added likewise."""
    positives, negatives = _with_cases(losses_of(table, logarithmic=False), added)
    n = positives.weight + negatives.weight
    worst = positives.weight * negatives.weight / n**2
    return _skill(
        positives, negatives, worst, [other.weight / n**2 - 2 * worst / n for other in (negatives, positives)]
    )


def log_skill_spread(table: ScoreTable, added: float = 0.0) -> VarianceComponents:
    """Compute the skill score of the log loss, with cases added likewise: the worst is the prevalence's entropy."""
    losses = losses_of(table, logarithmic=True, floor=1 / (2 * table.n) if added else 0.0)
    positives, negatives = _with_cases(losses, added)
    n = positives.weight + negatives.weight
    shares = positives.weight / n, negatives.weight / n
    if not min(shares):
        return _skill(positives, negatives, 0.0, [0.0, 0.0])
    slope = float(np.log(shares[1] / shares[0]))
    return _skill(
        positives, negatives, -float(np.dot(shares, np.log(shares))), [slope * shares[1] / n, -slope * shares[0] / n]
    )


def _skill(
    positives: WeightedMoments, negatives: WeightedMoments, worst: float, by_size: list[float]
) -> VarianceComponents:
    """1 - loss/worst, where one more case of a class moves the worst by `by_size`."""
    loss, *classes = _mean(positives, negatives)
    if not worst:  # of one class, whose prevalence says it all
        return _linear(np.nan, *classes)
    relative = loss / worst
    scaled = (
        WeightedMoments(of_class.weight, (relative * size - of_class.mean) / worst, of_class.squares / worst**2)
        for of_class, size in zip(classes, by_size, strict=True)
    )
    return _linear(1 - relative, *scaled)


def _linear(value: float, *classes: WeightedMoments) -> VarianceComponents:
    """From the influences of each class's cases, as `InfluenceFunction.standard_error`.

    The influence of a case on a mean loss is its own loss less the mean, over n; on the Brier skill it is linear in the
    loss as well. So the mean and the spread of the losses in each class say all that `InfluenceFunction` says of a
    whole table.
    """
    within = sum(
        of_class.squares * of_class.weight / (of_class.weight - 1) if of_class.weight > 1 else np.nan
        for of_class in classes
    )
    return VarianceComponents(
        *map(np.asarray, (value, within, sum(of_class.weight * of_class.mean**2 for of_class in classes)))
    )


def _mean(positives: WeightedMoments, negatives: WeightedMoments) -> tuple[float, WeightedMoments, WeightedMoments]:
    """Return the mean loss, and the moments of each class's influences on it."""
    n = positives.weight + negatives.weight
    value = (positives.weight * positives.mean + negatives.weight * negatives.mean) / n
    own, other = (
        WeightedMoments(each.weight, (each.mean - value) / n, each.squares / n**2) for each in (positives, negatives)
    )
    return value, own, other


def _with_cases(losses: LossMoments, added: float) -> tuple[WeightedMoments, WeightedMoments]:
    """Spread what is added to the positives over the negatives' scores, and the other way round."""
    return (
        _joined(losses.positive_over_positives, losses.positive_over_negatives, added),
        _joined(losses.negative_over_negatives, losses.negative_over_positives, added),
    )


def _joined(own: WeightedMoments, others: WeightedMoments, added: float) -> WeightedMoments:
    if not others.weight or not added:  # there is nothing to spread it over
        return own
    weight, apart = own.weight + added, others.mean - own.mean
    squares = own.squares + others.squares * added / others.weight + apart**2 * own.weight * added / weight
    return WeightedMoments(weight, (own.weight * own.mean + added * others.mean) / weight, squares)


def losses_of(table: ScoreTable, *, logarithmic: bool, floor: float = 0.0) -> LossMoments:
    """Moments of the losses of one table; its value and its interval share them."""
    if floor and table.score[-1] >= floor and table.score[0] <= 1 - floor:
        floor = 0.0
    columns = table.score, table.positives, table.negatives
    made = partial(_kernels.loss_moments, *columns, logarithmic=logarithmic, floor=floor)
    return remembered(table, ("losses", logarithmic, floor), made)
