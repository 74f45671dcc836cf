"""Metrics under a constraint: the one rate where the other is as high as it must be.

The data choose the threshold, so an interval has two parts: where the threshold lies, and the rate there
(`unconfuse.uncertainty.constrained_intervals`). Cases of one score are one block: a threshold lies below all of them or
above.

Sensitivity at a specificity is, seen from the negatives with the order of scores reversed, specificity at a
sensitivity, so one function serves both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from unconfuse._validate import check_probability, public_api
from unconfuse.metrics import bounds
from unconfuse.metrics._inference import Affine
from unconfuse.metrics._metric import Metric, ratio
from unconfuse.metrics._tie_blocks import at_prevalence, constant, cumulated, rank_metric, totals
from unconfuse.table import Array, ScoreTable

_CLOSE = 1 - 1e-12  # weights that are no whole numbers add up with rounding; a level reached exactly must stay reached
_CHOSEN = (
    "The threshold is chosen on the data it is measured on: on new cases the constraint holds about half of the time. "
)
_GUARANTEE = "`guarantee` finds a threshold that keeps a promise."
_PEPE = "Pepe (2003), The Statistical Evaluation of Medical Tests, section 5.2"
_at_constraint = partial(rank_metric, interval="at_constraint", straight=True)


@dataclass(frozen=True)
class Constraint:
    """What must be at least as high as `level`, and what is asked there."""

    holds: Literal["sensitivity", "specificity", "precision"]
    level: float
    asked: Literal["sensitivity", "specificity", "precision"]

    def seen(self, table: ScoreTable) -> tuple[Array, Array]:
        """Return the class whose rate is held, and the other one, in the order in which the held rate grows."""
        if self.holds == "specificity":
            return table.negatives[..., ::-1], table.positives[..., ::-1]
        return table.positives, table.negatives

    def class_size(self, positives: float, negatives: float) -> float:
        """How many cases say whether the constraint is held."""
        return negatives if self.holds == "specificity" else positives

    def too_strict(self, positives: float, negatives: float) -> str:
        """Why two models cannot be compared under it: not one case may be on the wrong side. Nothing if they can."""
        size = self.class_size(positives, negatives)
        if self.holds == "precision" or (1 - self.level) * size >= _CLOSE:
            return ""
        whose = "negatives" if self.holds == "specificity" else "positives"
        return f"no interval: {self.holds} {self.level:g} leaves no case of {size:g} {whose} on the wrong side"


def constraint_of(metric: Metric) -> Constraint | None:
    """Return the constraint under which a metric is measured, if any: also of one that is another on another scale."""
    return metric.root.of.inference.constraint


def _rate_at(constraint: Constraint, table: ScoreTable) -> Array:
    """Return the share of the other class on its right side, at the first threshold that reaches the level."""
    own, other = constraint.seen(table)
    size = other.sum(axis=-1)
    return ratio(size - _at_first(own, other, constraint.level)[1], size)


def _precision_at(level: float, table: ScoreTable) -> Array:
    tp, fp = _at_first(table.positives, table.negatives, level)
    return ratio(tp, tp + fp)


def _at_first(own: Array, other: Array, level: float) -> tuple[Array, Array]:
    """Cases of both classes beyond the first threshold beyond which this share of one class lies."""
    reached, beside = np.broadcast_arrays(np.cumsum(own, axis=-1), np.cumsum(other, axis=-1))
    before = np.count_nonzero(reached < level * _CLOSE * reached[..., -1:], axis=-1)
    place = np.minimum(before, reached.shape[-1] - 1)[..., None]
    found = (np.take_along_axis(each, place, axis=-1)[..., 0] for each in (reached, beside))
    return next(found), next(found)


def _recall_at(level: float, table: ScoreTable) -> Array:
    """Return the greatest share of positives found where precision is reached; 0 if it is reached nowhere."""
    tp, fp = cumulated(table)
    held = tp >= level * _CLOSE * (tp + fp)
    return ratio(np.max(np.where(held, tp, 0.0), axis=-1), totals(table)[0])


def _by_block(level: float, metric: Any, table: ScoreTable, threshold: float | None = None) -> bounds.Bound:
    """Precision at a recall, which is reached within a known block: all its negatives before, or all positives."""
    tp, fp = np.cumsum(table.positives), np.cumsum(table.negatives)
    need = level * tp[-1]
    at = min(int(np.count_nonzero(tp < need * _CLOSE)), len(tp) - 1)
    if table.upper_edges[at] == table.score[at]:
        value = float(tp[at] / (tp[at] + fp[at]))
        return value, value
    before = fp[at] - table.negatives[at]
    return float(need / (need + fp[at])), float(tp[at] / (tp[at] + before))


@public_api
def specificity_at_sensitivity(sensitivity: float) -> Metric:
    """Specificity at the highest threshold that finds this share of the positives.

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> specificity_at_sensitivity(.5)(PHOTOS).item(), specificity_at_sensitivity(.95)(PHOTOS).item()
    (1.0, 0.5)
    """
    level = check_probability(sensitivity, "sensitivity", open_interval=True)
    constraint = Constraint("sensitivity", level, "specificity")
    return _at_constraint(
        f"specificity_at_sensitivity({level:.12g})",
        label=f"Specificity at sensitivity {level:.4g}",
        question=f"If {level:.4g} of the positives must be found, what share of the negatives is left in peace?",
        function=partial(_rate_at, constraint),
        constraint=constraint,
        population=lambda population, prevalence: 1 - float(population.fpr_at(np.asarray(level))),
        formula=rf"1-\mathrm{{FPR}}(r),\ r=\max\{{r:\mathrm{{TPR}}(r)\ge {level:g}\}}",
        chance=constant(1 - level),
        depends_on_prevalence=False,
        misleads=_CHOSEN + "A few positives with low scores decide it. " + _GUARANTEE,
        references=(_PEPE,),
        example=1.0 if level <= 0.5 else 0.5,
    )


@public_api
def sensitivity_at_specificity(specificity: float) -> Metric:
    """Measure the greatest sensitivity of all thresholds that label this share of the negatives negative.

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> sensitivity_at_specificity(.5)(PHOTOS).item(), sensitivity_at_specificity(.9)(PHOTOS).item()
    (1.0, 0.5)
    """
    level = check_probability(specificity, "specificity", open_interval=True)
    constraint = Constraint("specificity", level, "sensitivity")
    return _at_constraint(
        f"sensitivity_at_specificity({level:.12g})",
        label=f"Sensitivity at specificity {level:.4g}",
        question=f"If {level:.4g} of the negatives must be left in peace, what share of the positives is found?",
        function=partial(_rate_at, constraint),
        constraint=constraint,
        population=lambda population, prevalence: float(population.tpr_at(np.asarray(1 - level))),
        formula=rf"\max\{{\mathrm{{TPR}}(r):\mathrm{{TNR}}(r)\ge {level:g}\}}",
        chance=constant(1 - level),
        depends_on_prevalence=False,
        misleads=_CHOSEN + "A few negatives with high scores decide it. " + _GUARANTEE,
        references=(_PEPE,),
        example=1.0 if level <= 0.5 else 0.5,
    )


@public_api
def fpr_at_tpr(tpr: float) -> Metric:
    """Measure the false positive rate at the highest threshold that finds this share of the positives (FPR95 at 0.95).

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> fpr_at_tpr(.95)(PHOTOS).item()
    0.5
    """
    level = check_probability(tpr, "tpr", open_interval=True)
    of = specificity_at_sensitivity(level)
    return rank_metric(
        f"fpr_at_tpr({level:.12g})",
        label=f"False positive rate at true positive rate {level:.4g}",
        question=f"If {level:.4g} of the positives must be found, what share of the negatives is flagged?",
        function=lambda table: 1 - of(table),
        affine=Affine(of, -1.0, 1.0),
        formula=rf"\mathrm{{FPR}}(r),\ r=\max\{{r:\mathrm{{TPR}}(r)\ge {level:g}\}}",
        better="lower",
        chance=constant(level),
        depends_on_prevalence=False,
        misleads=_CHOSEN + "A few positives with low scores decide it. Which class is the positive one differs between "
        "papers on novelty detection.",
        references=("Hendrycks & Gimpel (2017), ICLR, A baseline for detecting misclassified examples", _PEPE),
        example=0.0 if level <= 0.5 else 0.5,
    )


@public_api
def precision_at_recall(recall: float) -> Metric:
    """Precision at the highest threshold that finds this share of the positives.

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> precision_at_recall(.9)(PHOTOS).round(3).item()
    0.667
    """
    level = check_probability(recall, "recall", open_interval=True)
    return _at_constraint(
        f"precision_at_recall({level:.12g})",
        label=f"Precision at recall {level:.4g}",
        question=f"If {level:.4g} of the positives must be found, what share of the labelled is positive?",
        function=partial(_precision_at, level),
        constraint=Constraint("sensitivity", level, "precision"),
        population=lambda population, prevalence: float(population.precision_at(np.asarray(level), prevalence)),
        bounds=partial(_by_block, level),
        formula=rf"\mathrm{{PPV}}(r),\ r=\max\{{r:\mathrm{{TPR}}(r)\ge {level:g}\}}",
        chance=at_prevalence,
        misleads=_CHOSEN
        + "It moves with prevalence. Some libraries take the greatest precision of all thresholds with "
        "that recall, which is higher where precision rises again further down. " + _GUARANTEE,
        references=("Davis & Goadrich (2006), ICML, The relationship between precision-recall and ROC curves",),
        example=1.0 if level <= 0.5 else 2 / 3,
    )


@public_api
def recall_at_precision(precision: float) -> Metric:
    """Measure the greatest share of positives found by a threshold with this precision; 0 if none has it.

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> recall_at_precision(.6)(PHOTOS).item(), recall_at_precision(.9)(PHOTOS).item()
    (1.0, 0.5)
    """
    level = check_probability(precision, "precision", open_interval=True)
    return _at_constraint(
        f"recall_at_precision({level:.12g})",
        label=f"Recall at precision {level:.4g}",
        question=f"If {level:.4g} of the labelled must be positive, what share of the positives is found?",
        function=partial(_recall_at, level),
        constraint=Constraint("precision", level, "sensitivity"),
        bounds=bounds.by_best_threshold,
        formula=rf"\max\{{\mathrm{{TPR}}(r):\mathrm{{PPV}}(r)\ge {level:g}\}}",
        chance=lambda prevalence, queue_rate: np.where(at_prevalence(prevalence, queue_rate) >= level, 1.0, 0.0),
        misleads=_CHOSEN + "It moves with prevalence, and is 0 where no threshold has that precision. Where precision "
        "is flat at the top of the list, a few cases decide between little and much. " + _GUARANTEE,
        references=("Davis & Goadrich (2006), ICML, The relationship between precision-recall and ROC curves",),
        example=1.0 if level <= 2 / 3 else 0.5,
    )
