"""Findings on decisions: whether labels beat guessing and the majority, at which costs, and what they mean in cases."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from unconfuse._plain import number_text
from unconfuse._sayings import labelled, out_of, times, told_apart
from unconfuse.bayesian import break_even_prevalence, usefulness
from unconfuse.bayesian._words import BETTER, CANNOT_TELL, MISLEADING, RULE
from unconfuse.results.in_people import in_whole
from unconfuse.table import Counts
from unconfuse.uncertainty import Estimate, Finding

if TYPE_CHECKING:
    from unconfuse.results.evaluation import Evaluation

IMBALANCED = 0.9  # from this share of the larger class on, a high accuracy says little
_NOT_BY_COUNTS = {
    "clustered": "whole groups",
    "sampled": "sandwich interval of sampled cases",
    "cross-validated": "mean over folds",
    "judged": "double sampling",
}
_EVEN = "Where half of the positive labels are right, the precision is 1/2: that is the break-even prevalence."
_MAJORITY = "Whoever always names the larger class is right as often as that class is large: accuracy must beat that."
_COSTS = (
    "Labels are useful if acting on them costs less than labelling nobody or everybody: the two errors need not cost "
    "the same, and the prevalence counts."
)


def better_than_guessing(evaluation: Evaluation) -> Finding | None:
    """Do the labels carry information at all? (DOR above 1.)."""
    how = _NOT_BY_COUNTS.get(evaluation.design)
    if how is not None:
        return _by_interval(evaluation["youden_j"], how)
    result = usefulness(evaluation.counts, confidence_level=evaluation.confidence_level)
    return Finding(RULE, result.verdict, result.sentence, _youden(result.youden_j))


def _youden(found: Estimate) -> dict[str, float]:
    return {"youden_j": found.value, "low": found.low, "high": found.high}


def _by_interval(youden: Estimate, how: str) -> Finding | None:
    """The same from an interval that knows how cases were drawn, if there is one."""
    if math.isnan(youden.low):
        return None
    verdict, words = CANNOT_TELL, "These data cannot tell whether the labels are better than guessing"
    if youden.low > 0:
        verdict, words = BETTER, "The labels are better than guessing"
    elif youden.high < 0:
        verdict, words = MISLEADING, "The labels are misleading and would be better swapped"
    sentence = f"{words} (Youden's J {number_text(youden.value)} {youden.interval_text}, {how})."
    return Finding(RULE, verdict, sentence, _youden(youden))


def per_round_number(evaluation: Evaluation) -> Finding | None:
    """What the labels mean for a round number of cases like these; in a case-control study nobody is like these."""
    who = {
        "cohort": "like these",
        "cross-validated": "like these",
        "sampled": "of the population that was sampled",
    }.get(evaluation.design)
    return None if who is None else _of_round_number(evaluation.counts, who)


def costs(evaluation: Evaluation) -> Finding | None:
    """Whether the dear error is rare enough: for which costs the labels are worth having, at this prevalence."""
    c = evaluation.counts
    if evaluation.design not in ("cohort", "sampled") or not evaluation["youden_j"].low > 0 or not c.tp:
        return None
    least, most = float(c.fp / c.tp), float(c.tn / c.fn) if c.fn else math.inf
    missed, alarmed = out_of(float(c.fn / c.positives)), out_of(float(c.fp / c.negatives))
    if least == 0 and math.isinf(most):
        where = "whatever the two errors cost, for none occurred"
    elif math.isinf(most):
        where = f"where a missed positive costs at least {times(least)} times as much as a false alarm"
    elif least == 0:
        where = f"where a missed positive costs at most {times(most)} times as much as a false alarm"
    else:
        where = f"where a missed positive costs between {times(least)} and {times(most)} times as much as a false alarm"
    sentence = (
        f"It misses {missed} positives and alarms {alarmed} negatives: with {out_of(float(c.positives / c.total))} "
        f"positive, acting on its labels costs less than labelling nobody or everybody {where}."
    )
    numbers = {"least": least, "most": most, "prevalence": float(c.positives / c.total)}
    return Finding(_COSTS, "useful at some costs", sentence, numbers)


def findings_at_prevalence(counts: Counts, prevalence: float) -> tuple[Finding, ...]:
    """What the same sensitivity and specificity mean where `prevalence` of the cases are positive."""
    if not counts.positives or not counts.negatives:
        return ()
    there = counts.at_prevalence(prevalence)
    n = _round_number(there)
    shown = _of_round_number(there, f"of whom {n * prevalence:.3g} {'is' if n * prevalence == 1 else 'are'} positive")
    even = break_even_prevalence(counts)
    if even.undefined:
        return (shown,)
    sentence = (
        f"A positive label is more likely right than wrong only where more than {even.value:.3g} of the cases are "
        f"positive ({even.confidence_level:.0%} interval {even.low:.3g} to {even.high:.3g})."
        if even.value > 0
        else "No false alarm was seen, so that a positive label looks right at any prevalence; but so few cases allow "
        f"that it is more often wrong than right wherever fewer than {even.high:.3g} of the cases are positive."
    )
    numbers = {"break_even_prevalence": even.value, "low": even.low, "high": even.high, "prevalence": prevalence}
    return shown, Finding(_EVEN, "for illustration", sentence, numbers)


def _of_round_number(counts: Counts, who: str) -> Finding:
    n = _round_number(counts)
    share = in_whole(counts, n)
    called = labelled(share["tp"] + share["fp"], share["fp"], "positive")
    others = labelled(share["fn"] + share["tn"], share["fn"], "negative")
    sentence = f"Of {n:,} cases {who}, {called}; {others}."
    rule = f"The four counts, as they would be among {n:,} cases."
    return Finding(rule, "for illustration", sentence, {key: float(value) for key, value in share.items()})


def _round_number(counts: Counts) -> int:
    """1,000 cases, or so many that ten of the rarer class, and one of each cell that holds any, are among them."""
    shares = [float(getattr(counts, name) / counts.total) for name in ("tp", "fp", "fn", "tn")]
    rarer, n = float(min(counts.positives, counts.negatives) / counts.total), 1000
    while n < 10**6 and (0 < n * rarer < 9.5 or any(0 < n * each < 0.95 for each in shares)):
        n *= 10
    return n


def better_than_majority(evaluation: Evaluation) -> Finding | None:
    """Against always naming the larger class, only the other label can differ: it must be right more often than not."""
    c = evaluation.counts
    if not c.positives or not c.negatives or evaluation.design == "case-control":  # where the study chose the majority
        return None
    rare_is_positive = bool(c.positives <= c.negatives)
    share = evaluation["precision" if rare_is_positive else "npv"]
    rare, common = ("positive", "negative") if rare_is_positive else ("negative", "positive")
    if share.undefined:
        verdict, words = "the same", f"the classifier never says {rare}, so it is the same as always saying {common}"
    elif share.low > 0.5:
        verdict, words = "better", f"it beats always saying {common}"
    elif share.high < 0.5:
        verdict, words = "worse", f"always saying {common} would be more accurate"
    else:
        verdict, words = "cannot tell", f"these data cannot tell whether it beats always saying {common}"
    accuracy, null = evaluation["accuracy"], evaluation["null_accuracy"]
    one, other = told_apart(accuracy.value, null.value)
    values = f"accuracy {one}, always {common} {other}"
    numbers = {"accuracy": accuracy.value, "null_accuracy": null.value}
    numbers |= {} if share.undefined else {"share": share.value}
    return Finding(_MAJORITY, verdict, f"On accuracy alone, {words} ({values}).", numbers)


def accuracy_misleads(evaluation: Evaluation) -> Finding | None:
    """A high accuracy where one class is rare."""
    c = evaluation.counts
    null = float(max(c.positives, c.negatives) / c.total)
    if null < IMBALANCED or evaluation.design not in ("cohort", "sampled", "cross-validated"):
        return None
    balanced = evaluation["balanced_accuracy"]
    sentence = (
        f"Accuracy misleads here: {null:.1%} of the cases belong to one class, so anyone can be that accurate. "
        f"The balanced accuracy is {number_text(balanced.value)}."
    )
    rule = f"Where one class holds at least {IMBALANCED:.0%} of the cases, a high accuracy says little."
    numbers = {"null_accuracy": null}
    return Finding(rule, "accuracy misleads", sentence, numbers | {"balanced_accuracy": balanced.value})
