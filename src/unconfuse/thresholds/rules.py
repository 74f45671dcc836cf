"""Every way to choose a threshold, declared once: `RULES` is read by the card, by `at=`, by the page and by the docs.

A new rule is a function that makes it and an entry of `RULES`; nothing else has to know it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError, UnknownNameError, did_you_mean
from unconfuse._formatting import number_text, share_words, short_repr
from unconfuse._validate import check_number, check_probability, check_text
from unconfuse.metrics import METRICS, Metric, expected_cost, f_beta, find_metric
from unconfuse.metrics._metric import ratio
from unconfuse.metrics.indistinguishable import labelled_at_level, threshold_reach
from unconfuse.table import Array
from unconfuse.thresholds._rule import Constraint, CurveOf, DeclaredRule, RuleOptions, ThresholdRule
from unconfuse.thresholds.candidates import Candidates, Index
from unconfuse.thresholds.fixed_sequence import GuaranteeSpec

__all__ = [
    "RULES",
    "Constraint",
    "DeclaredRule",
    "RuleOptions",
    "ThresholdRule",
    "declared_as",
    "rule_named",
    "rules_of_card",
]


def of_metric(metric: Metric) -> CurveOf:
    """Return the curve of a decision metric."""
    return lambda candidates: metric(candidates.counts)


def youden() -> ThresholdRule:
    """Largest sensitivity + specificity - 1."""
    why = "the largest sensitivity + specificity; both errors weigh the same, whatever the prevalence"
    return ThresholdRule("youden", "Youden J", why, of_metric(METRICS["youden_j"]))


def max_f(beta: float = 1.0) -> ThresholdRule:
    """Largest F_beta."""
    metric, weighs = f_beta(beta), "alike" if beta == 1 else f"recall weighing {beta:g} times as much"
    why = f"the best compromise of precision and recall, {weighs}"
    shown = (metric,) if beta != 1 else ()
    return ThresholdRule(f"max_f{beta:g}", f"Largest F{beta:g}", why, of_metric(metric), extra_metrics=shown)


def max_mcc() -> ThresholdRule:
    """Largest Matthews correlation."""
    return ThresholdRule(
        "max_mcc", "Largest MCC", "labels that correlate most with the truth", of_metric(METRICS["mcc"])
    )


def best_of(metric: Metric) -> ThresholdRule:
    """Best value of any decision metric: the largest, or the smallest where less is better."""
    if metric.of != "counts" or metric.better == "neither":
        why = "evaluates the ranking, not decisions" if metric.of != "counts" else "is neither better large nor small"
        raise ArgumentError(f"no threshold is best by {metric.name}, which {why}. Hint: name a metric such as mcc.")
    lower = metric.better == "lower"
    word, own = "smallest" if lower else "largest", of_metric(metric)
    name = f"{'min' if lower else 'max'}_{metric.name}"
    shown = () if metric.name in ("f1", "mcc", "youden_j") else (metric,)
    curve: CurveOf = (lambda candidates: -own(candidates)) if lower else own
    return ThresholdRule(
        name, f"{word.capitalize()} {metric.label}", f"the {word} {metric.label}", curve, extra_metrics=shown
    )


def top_left() -> ThresholdRule:
    """Nearest to the perfect corner of the ROC plot."""

    def nearness(candidates: Candidates) -> Array:
        c = candidates.counts
        return -np.hypot(ratio(c.fn, c.positives), ratio(c.fp, c.negatives))  # a resample may lack a class

    return ThresholdRule("top_left", "Nearest to top left", "nearest to the perfect corner of the ROC plot", nearness)


def cost_minimal(fp: float, fn: float, who: str = "") -> ThresholdRule:
    """Smallest expected cost."""
    metric = expected_cost(fp=fp, fn=fn)

    def nobody(candidates: Candidates) -> Array:
        c = candidates.counts
        return -fn * ratio(c.positives[..., -1], c.total[..., -1])  # NaN of a part without cases

    return ThresholdRule(
        f"cost:{who}" if who else "cost",
        f"Cheapest for {who}" if who else "Cheapest",
        f"the smallest expected cost when a false positive costs {fp:g} and a false negative {fn:g}",
        lambda candidates: -metric(candidates.counts),
        value_of_none=nobody,
        extra_metrics=(metric,),
    )


def precision_equals_recall() -> ThresholdRule:
    """As many labelled as there are positives."""

    def surplus(candidates: Candidates) -> Array:
        counts = candidates.counts
        with np.errstate(invalid="ignore"):  # a part of very few cases may be empty
            return np.asarray((counts.labelled_positive - counts.positives) / counts.total)

    why = "as many cases are labelled as are positive"
    return ThresholdRule("precision_equals_recall", "Precision = recall", why, surplus, level=0.0)


def best_under(metric: str, constraint: str, at_least: float) -> ThresholdRule:
    """Largest value of one metric while another reaches a limit."""
    of = {"recall": "sensitivity"}
    return ThresholdRule(
        f"{metric}_at_{constraint}({at_least:g})",
        f"{metric.capitalize()} at {constraint} >= {at_least:g}",
        f"the largest {metric} while {constraint} is at least {at_least:g}",
        of_metric(METRICS[of.get(metric, metric)]),
        constraint=Constraint(of.get(constraint, constraint), at_least),
    )


def queue_rate(rate: float) -> ThresholdRule:
    """At most a share of the cases labelled."""
    rate = check_probability(rate, "predicted_positive_rate", open_interval=True)
    why = f"at most {rate:.4g} of the cases are labelled"
    return _queue(rate, f"queue_rate({rate:g})", f"Queue rate {rate:g}", why)


def capacity(size: float, n: float) -> ThresholdRule:
    """At most a number of the cases labelled."""
    size = check_number(size, "capacity")
    if not 0 < size <= n:
        raise ArgumentError(f"`capacity` must lie between 1 and the {n:g} cases; got {size:g}.")
    why = f"at most {size:g} of {n:g} cases are labelled"
    return _queue(size / n, f"capacity({size:g})", f"Top {size:g}", why)


def _queue(rate: float, name: str, label: str, why: str) -> ThresholdRule:
    """As many labelled as there is room for."""

    def largest_that_fits(candidates: Candidates) -> Index:
        parts = (part.queue_rate for _, part in candidates.stretches())
        fits = sum(np.count_nonzero(part <= rate + 1e-12, axis=-1) for part in parts)
        return np.asarray(fits) - 1  # -1 where even the highest block is too large: label nobody

    return ThresholdRule(
        name, label, why, lambda candidates: candidates.queue_rate, level=rate, choose_index=largest_that_fits
    )


def at_b(level: float) -> ThresholdRule:
    """Build the rule of the indistinguishability threshold, or of another level of B."""

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

    words = "labelled cases and positives rank equally often above each other"
    other = f"a real positive outranks a labelled one {share_words(level)} of the time"
    return ThresholdRule(
        "indistinguishability" if level == 0.5 else f"b_{round(100 * level):d}",
        f"B(r) = {level:g}",
        words if level == 0.5 else other,
        lambda candidates: candidates.b,
        level=level,
        choose_index=largest_set,
        infeasible_text=missing,
        limits=partial(threshold_reach, level),
    )


def promised(promise: GuaranteeSpec) -> ThresholdRule:
    """Build the rule of a threshold that keeps a promise on new cases."""

    def last_kept(candidates: Candidates) -> Index:
        return promise.last(promise.satisfied(candidates.counts))

    def missing(candidates: Candidates) -> str | None:
        if promise.satisfied(candidates.counts).any():
            return None
        return f"no threshold can promise {promise.words} with a probability of {promise.probability:g}: too few cases"

    why = f"promises {promise.words} on new cases, with a probability of {promise.probability:g}"
    curve = of_metric(promise.rate)
    return ThresholdRule(
        f"promise({promise})", f"Promise: {promise}", why, curve, choose_index=last_kept, infeasible_text=missing
    )


def fixed_at(threshold: float) -> ThresholdRule:
    """Build the rule of a threshold that was fixed beforehand."""
    return ThresholdRule(
        f"fixed({threshold:g})",
        f"Fixed at {threshold:g}",
        "given, and taken as chosen without these data",
        threshold=threshold,
    )


_NUMBER = r"([0-9]*\.?[0-9]+(?:e[-+]?[0-9]+)?)"


def _constant(make: Callable[[], ThresholdRule]) -> dict[str, Any]:
    """How a rule without settings is made for a card and from its name."""
    return {"in_card": lambda _: [make()], "from_name": lambda *_: make(), "spelled": make().name}


def _limited(best: str, limited: str) -> dict[str, Any]:
    """Return how the rule for the best value of one metric is made while another reaches a limit, .9 by default."""

    def made(limit: float | str) -> ThresholdRule:
        return best_under(best, limited, check_probability(float(limit), f"min_{limited}"))

    def in_card(wishes: RuleOptions) -> list[ThresholdRule]:
        limit = getattr(wishes, f"min_{limited}")
        return [] if limit is None else [best_under(best, limited, check_probability(limit, f"min_{limited}"))]

    return {
        "shown": f"`{best}_at_{limited}(k)` (`min_{limited}=`)",
        "chooses": f"largest {best} with {limited} >= k",
        "in_card": in_card,
        "spelled": rf"{best}_at_{limited}(?:\({_NUMBER}\))?",
        "from_name": lambda found, _: made(found[1] or 0.9),
    }


def _fixed(wishes: RuleOptions) -> list[ThresholdRule]:
    """Return the fixed rule, if any: the usual 0.5 means something for probabilities only."""
    if wishes.fixed is None or (wishes.fixed == 0.5 and not wishes.probable):
        return []
    return [fixed_at(check_number(wishes.fixed, "threshold"))]


def _level(text: str) -> ThresholdRule:
    return at_b(0.5 if text == "indistinguishability" else int(text.removeprefix("b_")) / 100)


def _priced(found: re.Match[str]) -> ThresholdRule:
    if found[1] is None:
        raise ArgumentError("the rule 'cost' needs costs. Hint: write cost(fp, fn), such as cost(1, 10).")
    return cost_minimal(float(found[1]), float(found[2]))


RULES: list[DeclaredRule] = [
    DeclaredRule(
        shown="`youden`",
        chooses="largest sensitivity + specificity",
        good_for="both errors weigh the same, whatever the prevalence",
        advice="Both classes matter alike: take Youden J{at}.",
        in_short=True,
        aliases=dict.fromkeys(
            ("j", "youden_j", "youdens_j", "youden_index", "max_j", "max_youden", "informedness"), "youden"
        ),
        **_constant(youden),
    ),
    DeclaredRule(
        shown="`max_f1`, `max_f2`, ... (`betas=`)",
        chooses="largest F_beta",
        good_for="precision and recall",
        in_card=lambda wishes: [max_f(check_number(beta, "betas")) for beta in wishes.betas],
        spelled=rf"max_f{_NUMBER}",
        from_name=lambda found, _: max_f(float(found[1])),
        in_short=True,
        aliases=dict.fromkeys(("f1", "best_f1", "maximum_f1", "f1_score", "max_f1_score"), "max_f1"),
    ),
    DeclaredRule(
        shown="`max_mcc`",
        chooses="largest Matthews correlation",
        good_for="one number for all four cells",
        aliases=dict.fromkeys(("mcc", "best_mcc", "maximum_mcc"), "max_mcc"),
        **_constant(max_mcc),
    ),
    DeclaredRule(
        shown="`max_NAME`, `min_NAME` (`maximise=`)",
        chooses="best value of any metric of decisions, such as `max_accuracy`",
        good_for="the metric that will be reported",
        in_card=lambda wishes: [best_of(metric) for metric in wishes.maximise],
        spelled=r"(?:max|min)_([a-z][a-z_]*[a-z])",
        from_name=lambda found, _: best_of(find_metric(found[1])),
    ),
    DeclaredRule(
        shown="`top_left`",
        chooses="nearest to the corner of the ROC plot",
        good_for="comparison with older texts",
        aliases=dict.fromkeys(
            ("topleft", "closest_topleft", "closest_top_left", "closest_to_top_left", "closest_to_the_top_left"),
            "top_left",
        ),
        **_constant(top_left),
    ),
    DeclaredRule(
        shown="`cost`, `cost:NAME` (`costs=`); by name `cost(fp, fn)`",
        chooses="smallest expected cost; labelling none is a choice too",
        good_for="known costs, one pair or one for each stakeholder",
        in_card=lambda wishes: [cost_minimal(fp, fn, who) for who, (fp, fn) in wishes.costs.items()],
        spelled=rf"cost(?::.*|\(\s*{_NUMBER}\s*,\s*{_NUMBER}\s*\))?",
        from_name=lambda found, _: _priced(found),
        advice="You know what the two errors cost: take the threshold of the section on costs.",
        in_short=True,
    ),
    DeclaredRule(
        shown="`precision_equals_recall`",
        chooses="as many labelled as there are positives",
        good_for="counts that should be right on average",
        **_constant(precision_equals_recall),
    ),
    DeclaredRule(**_limited("recall", "precision"), good_for="labels that must be trusted"),
    DeclaredRule(**_limited("precision", "recall"), good_for="positives that must be found", in_short=True),
    DeclaredRule(**_limited("sensitivity", "specificity"), good_for="a bound on false positives", in_short=True),
    DeclaredRule(
        shown="`queue_rate(q)`",
        chooses="as many as there is room for, as a share",
        good_for="limited staff",
        in_card=lambda wishes: [] if wishes.queue_rate is None else [queue_rate(wishes.queue_rate)],
        spelled=rf"queue_rate(?:\({_NUMBER}\))?",
        from_name=lambda found, _: queue_rate(float(found[1] or 0.1)),
        advice="You can look at only so many cases: take the queue rate.",
        in_short=True,
    ),
    DeclaredRule(
        shown="`capacity(n)`",
        chooses="as many as there is room for, as a number",
        good_for="limited staff",
        in_card=lambda wishes: [] if wishes.capacity is None else [capacity(wishes.capacity, wishes.n)],
        spelled=rf"capacity\({_NUMBER}\)",
        from_name=lambda found, n: capacity(float(found[1]), n),
    ),
    DeclaredRule(
        shown="`indistinguishability`, `b_40`, `b_60` (`levels=`)",
        chooses="B(r) at a level",
        good_for="see [indistinguishability](indistinguishability.md)",
        in_card=lambda wishes: [
            at_b(check_probability(level, "b_levels", open_interval=True)) for level in wishes.levels
        ],
        spelled=r"indistinguishability|b_[1-9]\d?",
        from_name=lambda found, _: _level(found[0]),
        advice="You know none of this: take B(r) = 0.5, where labelled cases and positives rank equally often above "
        "each other{at}.",
        in_short=True,
    ),
    DeclaredRule(
        shown="`promise(...)` (`promises=`)",
        chooses="what a promise allows, see [below](#thresholds-with-a-guarantee)",
        good_for="a rate that new cases must show",
        in_card=lambda wishes: [promised(promise) for promise in wishes.promises],
        spelled=r"promise\(.*\)",
        in_short=True,
    ),
    DeclaredRule(
        shown="`fixed(t)` (`fixed=`)",
        chooses="nothing",
        good_for="the usual 0.5",
        in_card=_fixed,
        spelled=r"fixed\(.*\)",
        in_short=True,
    ),
]
"""Every way to choose a threshold, in the order of the card."""


def rules_of_card(wishes: RuleOptions) -> Mapping[str, ThresholdRule]:
    """Return the rules of a card by name, the first of each name."""
    found: dict[str, ThresholdRule] = {}
    for declared in RULES:
        for rule in declared.in_card(wishes):
            found.setdefault(rule.name, rule)
    return found


def usual_name(name: str) -> str:
    """Return what a rule is called here, from its name in other spellings or in other libraries.

    >>> usual_name("Youden's J"), usual_name("closest to top left"), usual_name("Queue-rate(0.1)")
    ('youden', 'top_left', 'queue_rate(0.1)')
    """
    plain = re.sub(r"[\s_-]+", "_", name.strip().lower()).replace("'", "").replace("\u2019", "")
    return next((declared_rule.aliases[plain] for declared_rule in RULES if plain in declared_rule.aliases), plain)


def rule_named(name: str, n: float, others: Iterable[str] = ()) -> ThresholdRule:
    """Return the rule of a name such as "youden", "b_55" or "recall_at_precision(0.8)", for so many cases.

    >>> rule_named("recall_at_precision(0.8)", 100).label, rule_named("capacity(20)", 100).label
    ('Recall at precision >= 0.8', 'Top 20')
    """
    check_text(name, "the name of a rule")
    for spelling in (name, usual_name(name)):
        for declared in RULES:
            match = re.fullmatch(declared.spelled, spelling)
            if match is not None and declared.from_name is not None:
                return declared.from_name(match, n)
    known = [*others, *rules_of_card(RuleOptions(n, probable=False))]
    raise UnknownNameError(f"unknown rule {short_repr(name)}. {did_you_mean(name, known)}")


def declared_as(name: str) -> DeclaredRule | None:
    """Return the kind that a rule of this name is of; None of a user's own rule.

    >>> declared_as("max_f2").in_short, declared_as("mine")
    (True, None)
    """
    return next((declared_rule for declared_rule in RULES if declared_rule.owns(name)), None)
