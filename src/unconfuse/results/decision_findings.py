"""Findings on decisions: whether labels beat guessing and the majority, at which costs, and what they mean in cases."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from unconfuse._errors import surface_text
from unconfuse._formatting import number_text, share_words
from unconfuse._phrases import counted, labelled, times, told_apart
from unconfuse.bayesian import break_even_prevalence, usefulness
from unconfuse.bayesian._verdict_text import RULE, guessing_by_interval, guessing_sentence
from unconfuse.policy import FEW, IMBALANCED, NARROW, NEAR_MAJORITY, Verdict, against_guessing
from unconfuse.results.natural_frequencies import in_whole
from unconfuse.table import Counts, SamplingKind
from unconfuse.uncertainty import Estimate, Finding

if TYPE_CHECKING:
    from unconfuse.results.evaluation import Evaluation

_NOT_BY_COUNTS = {
    SamplingKind.CLUSTERED: "whole clusters",
    SamplingKind.WEIGHTED: "sandwich interval of sampled cases",
    SamplingKind.SURVEY: "sandwich interval of sampled cases",
    SamplingKind.POOLED: "mean over folds",
    SamplingKind.DOUBLY_SAMPLED: "double sampling",
}
_AT_OWN_PREVALENCE = (SamplingKind.INDEPENDENT, SamplingKind.WEIGHTED, SamplingKind.SURVEY)
_EVEN = "Where half of the positive labels are right, the precision is 1/2: that is the break-even prevalence."
_MAJORITY = (
    "Always predicting the larger class is right as often as that class is large: accuracy is compared with that."
)
_COSTS = (
    "Acting on labels costs less than labelling none or all for some ratios of the costs of the two errors; the ratios "
    "depend on the prevalence."
)
_PREVALENCE = "How many of those labelled positive are positive depends on the prevalence, which this design fixed."
_OF_CASES = (*_AT_OWN_PREVALENCE, SamplingKind.POOLED)  # whose prevalence is that of a population


def better_than_guessing(evaluation: Evaluation) -> Finding | None:
    """Do the labels carry information at all? (DOR above 1.)."""
    at_looks = "at every look" if evaluation.settings.looks else None
    how = _NOT_BY_COUNTS.get(evaluation.sample.sampling.kind) or at_looks
    if how is not None:
        return _by_interval(evaluation, how)
    result = usefulness(evaluation, confidence_level=evaluation.confidence_level)
    at = evaluation.sample.threshold_text() if evaluation.threshold is not None else ""
    where = f"at {at.split(' (')[0]} " if at else ""
    sentence = guessing_sentence(result.verdict, evaluation.counts, result.youden_j, where)
    return Finding(RULE, result.verdict, sentence, _youden(result.youden_j))


def _youden(found: Estimate) -> dict[str, float]:
    known = {"youden_j": found.value, "low": found.low, "high": found.high}
    return {name: value for name, value in known.items() if not math.isnan(value)}


def _by_interval(evaluation: Evaluation, how: str) -> Finding | None:
    """Compare with guessing by an interval that knows how cases were drawn; return None if there is none."""
    j = evaluation["youden_j"]
    if math.isnan(j.low):
        return None
    ratio = (math.nan, math.nan)
    if max(abs(j.low), abs(j.high)) < NARROW:  # only then it matters
        odds = evaluation["diagnostic_odds_ratio"]
        ratio = odds.low, odds.high
    c = evaluation.counts
    labelled_as = float(c.labelled_positive), float(c.labelled_negative)
    negatives, positives = (float(effective_size) for effective_size in evaluation.sample.effective_sizes)
    verdict = against_guessing((j.low, j.high), ratio, labelled=labelled_as, sizes=(positives, negatives))
    if not min(labelled_as):
        return Finding(RULE, verdict, guessing_sentence(verdict, c, j), _youden(j))
    return Finding(RULE, verdict, guessing_by_interval(verdict, j, how), _youden(j))


def per_round_number(evaluation: Evaluation) -> Finding | None:
    """Say what the labels mean for a round number of cases like these, where the study did not choose their classes."""
    sampling = evaluation.sample.sampling
    who = "of the population that was sampled" if sampling.by_weights else "like these"
    c = evaluation.counts
    if sampling.kind not in _OF_CASES or min(map(float, evaluation.sample.effective_sizes)) < FEW:
        return None
    if not c.labelled_positive or not c.labelled_negative:  # which is said already
        return None
    return _of_round_number(c, who, c)


def prevalence_needed(evaluation: Evaluation) -> Finding | None:
    """Ask for the prevalence of use, where the study fixed the classes' sizes."""
    c = evaluation.counts
    if evaluation.sample.sampling.kind is not SamplingKind.CASE_CONTROL or not c.positives or not c.negatives:
        return None
    even = break_even_prevalence(c, confidence_level=evaluation.confidence_level)
    more = ""
    if not even.undefined and even.value > 0:
        more = f" A positive label is more likely right than wrong only above {_even_words(even)}."
    verb = surface_text("`shift_prevalence`", "--prevalence")
    sentence = (
        f"The study fixed the number of positives, so the precision where the classifier is used is not known: it "
        f"depends on the prevalence there. Pass that prevalence to {verb}.{more}"
    )
    return Finding(_PREVALENCE, Verdict.ASK_PREVALENCE, sentence, {"break_even_prevalence": even.value} if more else {})


def _even_words(even: Estimate) -> str:
    level = f"{even.confidence_level * 100:.4g}% interval"
    return f"{share_words(even.value)} prevalence ({level} {share_words(even.low)} to {share_words(even.high)})"


def costs(evaluation: Evaluation) -> Finding | None:
    """For which ratios of costs the labels are worth having at this prevalence, with the limits of both ends."""
    c = evaluation.counts
    if evaluation.sample.sampling.kind not in _AT_OWN_PREVALENCE or not evaluation["youden_j"].low > 0 or not c.tp:
        return None
    verdict = better_than_guessing(evaluation)
    if verdict is None or verdict.verdict is not Verdict.BETTER_THAN_GUESSING:
        return None
    least, most = float(c.fp / c.tp), float(c.tn / c.fn) if c.fn else math.inf
    precision, npv = evaluation["precision"], evaluation["npv"]
    from_, to = (1 - precision.low) / precision.low if precision.low > 0 else math.inf, _odds(npv.low)
    if not from_ < to < math.inf:  # no ratio of which the data say so
        return None
    level = f"{precision.confidence_level * 100:.4g}%"
    sure = f"{times(from_)} to {times(to)}"
    if least == 0 or math.isinf(most):
        where = f"at least for false negatives that cost {sure} times as much as a false positive ({level} limits)"
    else:
        where = (
            f"provided a false negative costs about {times(least)} to {times(most)} times as much as a false positive "
            f"({sure} by the cautious {level} limit of each end)"
        )
    prevalence = float(c.positives / c.total)
    sentence = (
        f"At {share_words(prevalence)} prevalence, acting on its labels costs less than labelling none or all, {where}."
    )
    numbers = {"least": least, "most": most, "least_high": from_, "most_low": to, "prevalence": prevalence}
    return Finding(_COSTS, Verdict.CHEAPER, sentence, numbers)


def _odds(share: float) -> float:
    return share / (1 - share) if share < 1 else math.inf


def findings_at_prevalence(counts: Counts, prevalence: float) -> tuple[Finding, ...]:
    """Say what the same sensitivity and specificity mean where `prevalence` of the cases are positive."""
    if not counts.positives or not counts.negatives:
        return ()
    there = counts.at_prevalence(prevalence)
    shown = _of_round_number(there, f"at {share_words(prevalence)} prevalence", counts)
    even = break_even_prevalence(counts)
    if even.undefined:
        return (shown,)
    sentence = (
        f"A positive label is more likely right than wrong only above {_even_words(even)}."
        if even.value > 0
        else f"No false positive was observed among {counted(float(counts.negatives), 'negative')}; a positive label "
        f"may still be wrong more often than right below {share_words(even.high)} prevalence "
        f"({even.confidence_level * 100:.4g}% limit)."
    )
    numbers = {"break_even_prevalence": even.value, "low": even.low, "high": even.high, "prevalence": prevalence}
    return shown, Finding(_EVEN, Verdict.ILLUSTRATION, sentence, numbers)


def _of_round_number(counts: Counts, who: str, seen: Counts) -> Finding:
    """Four counts among a round number of cases; `seen` are those of the data."""
    n = _round_number(counts)
    share = in_whole(counts, n)
    rightly = [
        0.0 if wrong else float(size)
        for wrong, size in ((seen.fp, seen.labelled_positive), (seen.fn, seen.labelled_negative))
    ]
    positive = labelled(share["tp"] + share["fp"], share["fp"], "positive", rightly[0])
    negative = labelled(share["fn"] + share["tn"], share["fn"], "negative", rightly[1])
    said = f"about {positive} and {negative.replace(' are labelled', '').replace(' is labelled', '')}"
    if not seen.labelled_positive or not seen.labelled_negative:
        label, wrong = ("positive", "fp") if seen.labelled_positive else ("negative", "fn")
        said = f"all are labelled {label}, {share[wrong]:,} of them wrongly"
    sentence = f"Among {n:,} cases {who}, {said}."
    rule = f"The four counts, as they would be among {n:,} cases."
    return Finding(rule, Verdict.ILLUSTRATION, sentence, {key: float(value) for key, value in share.items()})


def _round_number(counts: Counts) -> int:
    """1,000 cases, or so many that ten of the rarer class, and one of each cell that holds any, are among them."""
    shares = [float(getattr(counts, name) / counts.total) for name in ("tp", "fp", "fn", "tn")]
    rarer, n = float(min(counts.positives, counts.negatives) / counts.total), 1000
    while n < 10**6 and (0 < n * rarer < 9.5 or any(0 < n * share < 0.95 for share in shares)):
        n *= 10
    return n


def better_than_majority(evaluation: Evaluation) -> Finding | None:
    """Against always predicting the larger class, only the other label differs: it must be right in most cases."""
    c = evaluation.counts
    if (
        not c.positives or not c.negatives or evaluation.sample.sampling.kind is SamplingKind.CASE_CONTROL
    ):  # where the study chose the majority
        return None
    rare_is_positive = bool(c.positives <= c.negatives)
    share = evaluation["precision" if rare_is_positive else "npv"]
    common = "negative" if rare_is_positive else "positive"
    accuracy, null = evaluation["accuracy"], evaluation["null_accuracy"]
    one, other = told_apart(accuracy.value, null.value)
    always = f"that of always predicting {common}, {other}"
    verdict, sentence = _against_majority(share, one, always, common)
    numbers = {"accuracy": accuracy.value, "null_accuracy": null.value}
    known = {"share": share.value, "low": share.low, "high": share.high}
    numbers |= {name: value for name, value in known.items() if not math.isnan(value)}
    return Finding(_MAJORITY, verdict, sentence, numbers)


def _against_majority(share: Estimate, accuracy: str, always: str, common: str) -> tuple[Verdict, str]:
    if share.undefined:
        return Verdict.SAME, f"It labels every case {common}, so its accuracy is {always}."
    if share.low > 0.5:
        return Verdict.BETTER, f"Its accuracy, {accuracy}, is above {always}."
    if share.high < 0.5:
        return Verdict.WORSE, f"Its accuracy, {accuracy}, is below {always}."
    return Verdict.CANNOT_TELL, f"Inconclusive whether its accuracy, {accuracy}, differs from {always}."


def accuracy_misleads(evaluation: Evaluation) -> Finding | None:
    """Report a high accuracy that always predicting the larger class nearly reaches."""
    c = evaluation.counts
    null = float(max(c.positives, c.negatives) / c.total)
    if null < IMBALANCED or evaluation.sample.sampling.kind not in _OF_CASES:
        return None
    against = better_than_majority(evaluation)
    accuracy, balanced = evaluation["accuracy"].value, evaluation["balanced_accuracy"]
    if against is None or against.verdict is Verdict.BETTER or abs(accuracy - null) > NEAR_MAJORITY:
        return None
    one, other = told_apart(accuracy, null)
    interval = f" ({balanced.range_text})" if balanced.range_text else ""
    sentence = (
        f"An accuracy of {one} says little here: always predicting the larger class reaches {other}. The balanced "
        f"accuracy is {number_text(balanced.value)}{interval}."
    )
    rule = f"Where one class holds at least {IMBALANCED:.0%} of the cases, a high accuracy says little."
    numbers = {"accuracy": accuracy, "null_accuracy": null}
    return Finding(rule, "accuracy misleads", sentence, numbers | {"balanced_accuracy": balanced.value})
