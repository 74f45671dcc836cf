"""Ways to choose a threshold. Each is a curve over thresholds, and what to do with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError
from unconfuse._plain import number_text
from unconfuse.metrics import METRICS, Metric, expected_cost, f_beta
from unconfuse.metrics._definition import ratio
from unconfuse.metrics.indistinguishable import labelled_at_level, threshold_reach
from unconfuse.table import Array, ScoreTable
from unconfuse.thresholds.candidates import NOBODY, Candidates, Index, Largest, labelled_blocks
from unconfuse.thresholds.promises import Promise

CurveOf = Callable[[Candidates], Array]


@dataclass(frozen=True)
class Constraint:
    """A metric that must reach a limit, such as precision >= 0.9."""

    metric: str
    at_least: float

    def curve(self, candidates: Candidates) -> Array:
        """The metric at every threshold; -inf where it is undefined."""
        if self.metric not in candidates.limited:
            values = METRICS[self.metric](candidates.counts)
            candidates.limited[self.metric] = np.where(np.isnan(values), -np.inf, values)
        return candidates.limited[self.metric]

    def holds(self, candidates: Candidates) -> npt.NDArray[np.bool_]:
        """Where the limit is reached."""
        return self.reached(self.curve(candidates))

    def reached(self, values: Array) -> npt.NDArray[np.bool_]:
        """Whether values of the metric reach the limit, rounding forgiven."""
        return np.asarray(values >= self.at_least - 1e-12)

    def nearest(self, candidates: Candidates) -> Largest:
        """Where the metric comes nearest to the limit, or farthest beyond it."""
        found = Largest()
        for first, part in candidates.stretches():
            found.see(first, self.curve(part))
        return found

    def met(self, candidates: Candidates, best: Largest) -> Index:
        """The best threshold at which the limit is reached; where there is none, the nearest to it."""
        if (best.value > -np.inf).all():  # elsewhere the objective is minus infinity
            return best.place
        nearest = self.nearest(candidates)
        return np.where(self.reached(nearest.value), best.place, nearest.place)

    def __str__(self) -> str:
        return f"{self.metric} >= {self.at_least:g}"


@dataclass(frozen=True)
class Rule:
    """One way to choose a threshold.

    Attributes
    ----------
    name, label, why : str
        Its key in the card, its name in print, and what it is good for.
    curve : callable, optional
        The quantity at every threshold; None for a fixed threshold.
    level : float, optional
        The rule looks for the threshold where the curve reaches this level; without it, for the largest value.
    constraint : Constraint, optional
        Only thresholds at which it holds count.
    pick : callable, optional
        Chooses the threshold by other means than the nearest or largest value of the curve.
    nobody : callable, optional
        Value of labelling nobody, where that is a choice.
    fixed : float, optional
        A threshold that was not chosen from these data.
    missing : callable, optional
        Says why there is no such threshold, where that has other reasons than a constraint.
    limits : callable, optional
        (score table, design, confidence level) to the ends of the threshold's interval and how they were made, for a
        rule that knows better than resampling.
    shown : tuple of Metric
        Metrics that belong to the rule, beside those of every rule.
    """

    name: str
    label: str
    why: str
    curve: CurveOf | None = None
    level: float | None = None
    constraint: Constraint | None = None
    pick: Callable[[Candidates], Index] | None = None
    nobody: CurveOf | None = None
    fixed: float | None = None
    missing: Callable[[Candidates], str | None] | None = None
    limits: Callable[[ScoreTable, str, float], tuple[float, float, str]] | None = None
    shown: tuple[Metric, ...] = field(default=())

    def values(self, candidates: Candidates) -> Array | None:
        """The quantity at every threshold; None for a fixed threshold."""
        return None if self.curve is None else self.curve(candidates)

    def objective(self, candidates: Candidates, values: Array) -> Array:
        """What the rule makes as large as it can, of its values; -inf where it must not go."""
        if self.level is not None:
            values = -np.abs(values - self.level)
        values = np.where(np.isnan(values), -np.inf, values)
        return values if self.constraint is None else np.where(self.constraint.holds(candidates), values, -np.inf)

    def choose(self, candidates: Candidates, values: Array | None = None) -> Index:
        """Index of the chosen threshold in each table: of the best labelled set, of the smallest if several are.

        The rule's `values` are computed unless they are given.
        """
        if self.fixed is not None:
            return _index_of(candidates, self.fixed)
        if self.pick is not None:
            return candidates.settled(self.pick(candidates))
        best = Largest()
        for first, part in candidates.stretches():
            known = self.values(part) if values is None else values
            assert known is not None
            best.see(first, self.objective(part, known))
        chosen = candidates.settled(best.place if self.constraint is None else self.constraint.met(candidates, best))
        return chosen if self.nobody is None else np.where(self.nobody(part) > best.value + 1e-12, NOBODY, chosen)

    def unreachable(self, candidates: Candidates, index: int = NOBODY) -> str | None:
        """Why the rule cannot be met, and the best that can be reached; None if it can, as at the `index` chosen."""
        if self.missing is not None:
            return self.missing(candidates)
        if self.constraint is None or self.constraint.holds(candidates.stretch(index, index + 1)).any():
            return None
        nearest, limit = self.constraint.nearest(candidates), str(self.constraint)
        if self.constraint.reached(nearest.value):
            return None
        best, at = number_text(float(nearest.value)), number_text(float(candidates.table.score[int(nearest.place)]))
        return f"no threshold reaches {limit}; the best is {self.constraint.metric} {best} at {at}"


def of_metric(metric: Metric) -> CurveOf:
    """The curve of a decision metric."""
    return lambda candidates: metric(candidates.counts)


def youden() -> Rule:
    """Largest sensitivity + specificity - 1."""
    why = "the largest sensitivity + specificity; both errors weigh the same, whatever the prevalence"
    return Rule("youden", "Youden J", why, of_metric(METRICS["youden_j"]))


def max_f(beta: float = 1.0) -> Rule:
    """Largest F_beta."""
    metric, weighs = f_beta(beta), "alike" if beta == 1 else f"recall weighing {beta:g} times as much"
    why = f"the best compromise of precision and recall, {weighs}"
    shown = (metric,) if beta != 1 else ()
    return Rule(f"max_f{beta:g}", f"Largest F{beta:g}", why, of_metric(metric), shown=shown)


def max_mcc() -> Rule:
    """Largest Matthews correlation."""
    return Rule("max_mcc", "Largest MCC", "labels that correlate most with the truth", of_metric(METRICS["mcc"]))


def best_of(metric: Metric) -> Rule:
    """Best value of any decision metric: the largest, or the smallest where less is better."""
    if metric.of != "counts" or metric.better == "neither":
        why = "judges the ranking, not decisions" if metric.of != "counts" else "is neither better large nor small"
        raise ArgumentError(f"no threshold is best by {metric.name}, which {why}. Hint: name a metric such as mcc.")
    lower = metric.better == "lower"
    word, own = "smallest" if lower else "largest", of_metric(metric)
    name = f"{'min' if lower else 'max'}_{metric.name}"
    shown = () if metric.name in ("f1", "mcc", "youden_j") else (metric,)
    curve: CurveOf = (lambda candidates: -own(candidates)) if lower else own
    return Rule(name, f"{word.capitalize()} {metric.label}", f"the {word} {metric.label}", curve, shown=shown)


def top_left() -> Rule:
    """Nearest to the perfect corner of the ROC plot."""

    def nearness(candidates: Candidates) -> Array:
        c = candidates.counts
        return -np.hypot(ratio(c.fn, c.positives), ratio(c.fp, c.negatives))  # a resample may lack a class

    return Rule("top_left", "Nearest to top left", "nearest to the perfect corner of the ROC plot", nearness)


def cost_minimal(fp: float, fn: float, who: str = "") -> Rule:
    """Smallest expected cost."""
    metric = expected_cost(fp=fp, fn=fn)

    def nobody(candidates: Candidates) -> Array:
        c = candidates.counts
        return -fn * ratio(c.positives[..., -1], c.total[..., -1])  # NaN of a part without cases

    return Rule(
        f"cost:{who}" if who else "cost",
        f"Cheapest for {who}" if who else "Cheapest",
        f"the smallest expected cost when a false positive costs {fp:g} and a false negative {fn:g}",
        lambda candidates: -metric(candidates.counts),
        nobody=nobody,
        shown=(metric,),
    )


def precision_equals_recall() -> Rule:
    """As many labelled as there are positives."""

    def surplus(candidates: Candidates) -> Array:
        counts = candidates.counts
        with np.errstate(invalid="ignore"):  # a part of very few cases may be empty
            return np.asarray((counts.labelled_positive - counts.positives) / counts.total)

    why = "as many cases are labelled as are positive"
    return Rule("precision_equals_recall", "Precision = recall", why, surplus, level=0.0)


def best_under(metric: str, constraint: str, at_least: float) -> Rule:
    """Largest value of one metric while another reaches a limit."""
    of = {"recall": "sensitivity"}
    return Rule(
        f"{metric}_at_{constraint}({at_least:g})",
        f"{metric.capitalize()} at {constraint} >= {at_least:g}",
        f"the largest {metric} while {constraint} is at least {at_least:g}",
        of_metric(METRICS[of.get(metric, metric)]),
        constraint=Constraint(of.get(constraint, constraint), at_least),
    )


def queue(rate: float, name: str, label: str, why: str) -> Rule:
    """As many labelled as there is room for."""

    def largest_that_fits(candidates: Candidates) -> Index:
        parts = (part.queue_rate for _, part in candidates.stretches())
        fits = sum(np.count_nonzero(each <= rate + 1e-12, axis=-1) for each in parts)
        return np.asarray(fits) - 1  # -1 where even the highest block is too large: label nobody

    return Rule(name, label, why, lambda candidates: candidates.queue_rate, level=rate, pick=largest_that_fits)


def at_b(level: float) -> Rule:
    """The indistinguishability threshold, or another level of B."""

    def largest_set(candidates: Candidates) -> Index:
        found = labelled_at_level(candidates.table, level)
        # A replicate may rank negatives first: then everybody is labelled, which comes nearest to the level.
        reached = candidates.b[..., -1] >= level
        return np.where(found >= 0, found, np.where(reached, 0, candidates.b.shape[-1] - 1))

    def missing(candidates: Candidates) -> str | None:
        largest = float(candidates.b[-1])
        if labelled_at_level(candidates.table, level) >= 0:
            return None
        why = "the scores rank negatives first" if level <= 0.5 else "too few negatives score low"
        return None if largest >= level else f"B(r) never reaches {level:g}, only {number_text(largest)}: {why}"

    words = "labelled and real positives cannot be told apart"
    other = f"a real positive outranks a labelled one {level:.0%} of the time"
    return Rule(
        "indistinguishability" if level == 0.5 else f"b_{round(100 * level):d}",
        f"B(r) = {level:g}",
        words if level == 0.5 else other,
        lambda candidates: candidates.b,
        level=level,
        pick=largest_set,
        missing=missing,
        limits=partial(threshold_reach, level),
    )


def promised(promise: Promise) -> Rule:
    """A threshold that keeps a promise on new cases."""

    def last_kept(candidates: Candidates) -> Index:
        return promise.last(promise.kept(candidates.counts))

    def missing(candidates: Candidates) -> str | None:
        if promise.kept(candidates.counts).any():
            return None
        return f"no threshold can promise {promise.words} with a probability of {promise.probability:g}: too few cases"

    why = f"promises {promise.words} on new cases, with a probability of {promise.probability:g}"
    curve = of_metric(promise.rate)
    return Rule(f"promise({promise})", f"Promise: {promise}", why, curve, pick=last_kept, missing=missing)


def fixed_at(threshold: float) -> Rule:
    """A threshold that was fixed before."""
    return Rule(
        f"fixed({threshold:g})",
        f"Fixed at {threshold:g}",
        "given, and taken as chosen without these data",
        fixed=threshold,
    )


def _index_of(candidates: Candidates, threshold: float) -> Index:
    labelled = labelled_blocks(candidates.table, threshold)
    return np.full(candidates.table.positives.shape[:-1], labelled - 1, dtype=np.intp)


def by_name(rules: list[Rule]) -> Mapping[str, Rule]:
    """Rules by name, the first of each."""
    first = {rule.name: rule for rule in reversed(rules)}
    return {rule.name: first[rule.name] for rule in rules}
