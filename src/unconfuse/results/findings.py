"""Findings in plain words: each states a verdict, the rule it comes from and the numbers it rests on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from unconfuse._plain import number_text
from unconfuse.bayesian import break_even_prevalence, usefulness
from unconfuse.indistinguish import easy_negatives_finding
from unconfuse.table import Counts, JudgedSample, kish
from unconfuse.uncertainty import Estimate, Finding
from unconfuse.uncertainty.engine import no_threshold

if TYPE_CHECKING:
    from unconfuse.results.evaluation import Evaluation

FEW = 10  # with fewer cases of a class than this, its rates are little more than a guess
USEFUL = "usefulness: sensitivity + specificity > 1"
HEADLINES = ("auroc", "average_precision", "brier", "sensitivity", "precision")
_NOT_BY_COUNTS = {
    "clustered": "whole groups resampled",
    "sampled": "sandwich interval of sampled cases",
    "cross-validated": "mean over folds",
    "judged": "double sampling",
}
_SCALES = 0.02  # of the AUROC, by which pairs within folds are ranked better than pairs across them
IMBALANCED = 0.9  # from this share of the larger class on, a high accuracy says little


def findings_of(evaluation: Evaluation) -> tuple[Finding, ...]:
    """All findings that these data support, the most important first."""
    of_counts = (_useful, _per_round_number, _better_than_majority, _accuracy_misleads, _too_few)
    of_scores = (_threshold_beyond_scores, _folds, _sampled, _easy_negatives, _miscalibrated, _left_out, _binned)
    rules: Sequence[Callable[[Evaluation], Finding | None]] = (*of_counts, *of_scores)
    if evaluation.design == "judged":
        rules = (_judged, *((_useful,) if evaluation.has_decisions else ()))
    elif not evaluation.has_decisions:
        rules = (_no_threshold, _too_few, *of_scores)
    elif counts_are_open(evaluation):  # what rests on the four counts is not certain
        rules = (_binned, _miscalibrated)
    found = (rule(evaluation) for rule in rules)
    return tuple(finding for finding in found if finding is not None)


def _no_threshold(evaluation: Evaluation) -> Finding | None:
    """Scores that are no probabilities have no default: their ranking is judged, and nothing else."""
    why, hint = no_threshold(evaluation.sample, evaluation.sample.only_model)
    sentence = f"Only the ranking is judged, because {why}. {hint[0].upper()}{hint[1:]}."
    return Finding("probabilities are cut at 0.5 by default, other scores nowhere", "no threshold", sentence, {})


def _left_out(evaluation: Evaluation) -> Finding | None:
    """Rows that could not be used are part of the story."""
    if not evaluation.skipped:
        return None
    total, used = evaluation.skipped.total, evaluation.n
    sentence = f"{str(evaluation.skipped).capitalize()}. The numbers hold for the others only."
    return Finding("rows left out", "incomplete", sentence, {"left_out": total, "used": used})


def _useful(evaluation: Evaluation) -> Finding | None:
    """Is the classifier useful at all? (DOR above 1.)."""
    how = _NOT_BY_COUNTS.get(evaluation.design)
    if how is not None:
        return _useful_by_interval(evaluation["youden_j"], how)
    result = usefulness(evaluation.counts, confidence_level=evaluation.confidence_level)
    return Finding(USEFUL, result.verdict, result.sentence, _youden(result.youden_j))


def _youden(found: Estimate) -> dict[str, float]:
    return {"youden_j": found.value, "low": found.low, "high": found.high}


def _useful_by_interval(youden: Estimate, how: str) -> Finding | None:
    """The same from an interval that knows how cases were drawn, if there is one."""
    if math.isnan(youden.low):
        return None
    verdict, words = "cannot tell at this sample size", "These data cannot tell whether the labels carry information"
    if youden.low > 0:
        verdict, words = "useful", "The labels carry information"
    elif youden.high < 0:
        verdict, words = "misleading", "The labels would be better swapped"
    sentence = f"{words} (Youden's J {number_text(youden.value)} {youden.interval_text}, {how})."
    return Finding(USEFUL, verdict, sentence, _youden(youden))


def _per_round_number(evaluation: Evaluation) -> Finding | None:
    """What the labels mean for a round number of cases like these; in a case-control study nobody is like these."""
    who = {
        "cohort": "like these",
        "cross-validated": "like these",
        "sampled": "of the population that was sampled",
    }.get(evaluation.design)
    return None if who is None else _of_round_number(evaluation.counts, who)


def findings_at_prevalence(counts: Counts, prevalence: float) -> tuple[Finding, ...]:
    """What the same sensitivity and specificity mean where `prevalence` of the cases are positive."""
    if not counts.positives or not counts.negatives:
        return ()
    there = counts.at_prevalence(prevalence)
    shown = _of_round_number(there, f"of whom {_round_number(there) * prevalence:.3g} are positive")
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
    return shown, Finding("break-even prevalence: precision = 1/2", "for illustration", sentence, numbers)


def _of_round_number(counts: Counts, who: str) -> Finding:
    n = _round_number(counts)
    share = _whole_shares(counts, n)
    sentence = (
        f"Of {n:,} cases {who}, {share['tp'] + share['fp']:,} are labelled positive, {share['fp']:,} of them wrongly; "
        f"{share['fn'] + share['tn']:,} are labelled negative, {share['fn']:,} of them wrongly."
    )
    return Finding(f"counts per {n:,} cases", "for illustration", sentence, {k: float(v) for k, v in share.items()})


def _round_number(counts: Counts) -> int:
    """1,000 cases, or so many that about ten of the rarer class are among them: fewer would be rounded away."""
    rarer, n = float(min(counts.positives, counts.negatives) / counts.total), 1000
    while 0 < n * rarer < 9.5 and n < 10**6:
        n *= 10
    return n


def _whole_shares(counts: Counts, n: int) -> dict[str, int]:
    """The four cells per n cases, rounded so that they still add up to n."""
    names = ("tp", "fp", "fn", "tn")
    exact = {name: n * float(getattr(counts, name) / counts.total) for name in names}
    share = {name: math.floor(exact[name] + 1e-9) for name in names}
    by_remainder = sorted(names, key=lambda name: share[name] - exact[name])
    for name in by_remainder[: n - sum(share.values())]:
        share[name] += 1
    return share


def _better_than_majority(evaluation: Evaluation) -> Finding | None:
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
    values = f"accuracy {number_text(accuracy.value)}, always {common} {number_text(null.value)}"
    numbers = {"accuracy": accuracy.value, "null_accuracy": null.value, "share": share.value}
    return Finding("accuracy against the majority class", verdict, f"On accuracy alone, {words} ({values}).", numbers)


def _accuracy_misleads(evaluation: Evaluation) -> Finding | None:
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
    rule, numbers = f"one class holds at least {IMBALANCED:.0%} of the cases", {"null_accuracy": null}
    return Finding(rule, "accuracy misleads", sentence, numbers | {"balanced_accuracy": balanced.value})


def _too_few(evaluation: Evaluation) -> Finding | None:
    """Too few cases of a class to say much."""
    negatives, positives = (float(each) for each in evaluation.sample.effective_sizes)
    small = {name: size for name, size in (("positives", positives), ("negatives", negatives)) if size < FEW}
    if not small:
        return None
    what = " and ".join(f"{size:.3g} {name}" for name, size in small.items())
    what = f"cases worth {what}" if evaluation.sample.is_sampled else what
    if not evaluation.has_decisions:
        sentence = f"There are only {what}: what follows from so few is hardly more than a guess."
        return Finding(f"fewer than {FEW} cases of a class", "too few cases", sentence, small)
    rate = "sensitivity" if "positives" in small else "specificity"
    shown = evaluation[rate]
    ends = f" (its interval runs from {number_text(shown.low)} to {number_text(shown.high)})"
    width = "" if math.isnan(shown.low) else ends
    sentence = f"There are only {what}: the {rate} is hardly more than a guess{width}."
    return Finding(f"fewer than {FEW} cases of a class", "too few cases", sentence, small)


def _folds(evaluation: Evaluation) -> Finding | None:
    """Why the mean over folds and the value of all cases pooled differ: pairs of cases from different folds."""
    if not evaluation.sample.has_folds or evaluation.table is None or "auroc" not in evaluation:
        return None
    mean, pooled = evaluation["auroc"], evaluation.pooled["auroc"]
    folds = [each for each in evaluation.folds.values() if each.table is not None]
    pairs = [each.positives * each.negatives for each in folds]
    inner = sum(n * each["auroc"].value for n, each in zip(pairs, folds, strict=True) if n)
    whole = evaluation.positives * evaluation.negatives
    within, across = inner / sum(pairs), (whole * pooled.value - inner) / (whole - sum(pairs))
    said = "undefined" if mean.undefined else number_text(mean.value)
    gap = within - across
    scales = (
        "so that folds seem to score on different scales, and the mean over folds is to be believed"
        if gap > _SCALES
        else "so that folds score on much the same scale"
    )
    sentence = (
        f"The AUROC is {said} as the mean over {len(folds)} folds and {number_text(pooled.value)} over all cases "
        f"pooled: two cases of the same fold are ranked right in {within:.1%}, two of different folds in {across:.1%}, "
        f"{scales}."
    )
    numbers = {"mean": mean.value, "pooled": pooled.value, "within_folds": within, "across_folds": across}
    return Finding(
        "mean over folds against pooled", "different scales" if gap > _SCALES else "same scale", sentence, numbers
    )


def _judged(evaluation: Evaluation) -> Finding | None:
    """What the judge is worth, and what the numbers assume."""
    sample = evaluation.sample
    assert isinstance(sample, JudgedSample)
    mass, share = sample.masses(sample.by_judge()), evaluation.positives / evaluation.n
    right = [float(mass[sample.judge].sum() / mass.sum()), float((1 - mass)[~sample.judge].sum() / (1 - mass).sum())]
    error = float(np.sqrt(np.square(mass - share).sum())) / evaluation.n
    worth = share * (1 - share) / error**2 if error > 0 else evaluation.n
    checked = int(sample.checked.sum())
    sentence = (
        f"A judge labelled {len(sample):,} cases and {checked:,} of them were checked: it finds {right[0]:.1%} of the "
        f"positives and leaves {right[1]:.1%} of the negatives alone. With its labels the share of positives is as "
        f"sure as from {worth:,.0f} checked cases. All numbers are about the truth, if the checked cases are a random "
        "part of those that judge and score treat alike."
    )
    numbers = {"checked": float(checked), "sensitivity": right[0], "specificity": right[1], "worth": worth}
    verdict = "no better than chance" if sum(right) <= 1 else "for illustration"
    return Finding("double sampling: a judge's labels, some of them checked", verdict, sentence, numbers)


def _sampled(evaluation: Evaluation) -> Finding | None:
    """What unequal sampling weights cost."""
    if not evaluation.sample.is_sampled or evaluation.table is None:
        return None
    table = evaluation.table
    weight, squares = table.positives + table.negatives, table.squares[0] + table.squares[1]
    worth = kish(weight, squares)
    sentence = (
        "Weights say how the cases were sampled: numbers are those of the population they were sampled from, and "
        f"intervals are as wide as those of about {worth:,.0f} cases that count alike."
    )
    return Finding("Kish's effective number of cases", "for illustration", sentence, {"effective_cases": worth})


def _easy_negatives(evaluation: Evaluation) -> Finding | None:
    """An AUROC that rests on negatives nobody would mistake."""
    if evaluation.table is None or not evaluation.table.is_exact:
        return None
    return easy_negatives_finding(evaluation.table)


def _miscalibrated(evaluation: Evaluation) -> Finding | None:
    """Probabilities that are surely too high or too low, or too extreme or too timid."""
    if "calibration_slope" not in evaluation or "calibration_intercept" not in evaluation:
        return None
    level, spread = evaluation["calibration_intercept"], evaluation["calibration_slope"]
    words = [
        "too high on the whole" if level.high < 0 else "too low on the whole" if level.low > 0 else "",
        "too extreme" if spread.high < 1 else "too timid" if spread.low > 1 else "",
    ]
    said = " and ".join(word for word in words if word)
    if not said:
        return None
    sentence = (
        f"Taken as probabilities, the scores are {said} (calibration intercept {number_text(level.value)} "
        f"{level.interval_text}, ideal 0; slope {number_text(spread.value)} {spread.interval_text}, ideal 1)."
    )
    numbers = {"calibration_intercept": level.value, "calibration_slope": spread.value}
    return Finding("calibration intercept 0 and slope 1", "miscalibrated", sentence, numbers)


def _threshold_beyond_scores(evaluation: Evaluation) -> Finding | None:
    """A threshold that no score, or every score, reaches."""
    if evaluation.table is None or evaluation.threshold is None:
        return None
    highest, lowest = float(evaluation.table.tops[0]), float(evaluation.table.score[-1])
    if lowest < evaluation.threshold <= highest:
        return None
    which, label = ("below every", "positive") if evaluation.threshold <= lowest else ("above every", "negative")
    sentence = (
        f"The threshold {number_text(evaluation.threshold)} lies {which} score (they run from {number_text(lowest)} to "
        f"{number_text(highest)}), so every case is labelled {label}: choose another threshold."
    )
    numbers = {"threshold": evaluation.threshold, "lowest": lowest, "highest": highest}
    return Finding("threshold within the range of the scores", "threshold out of range", sentence, numbers)


def counts_are_open(evaluation: Evaluation) -> bool:
    """Whether the threshold lies inside a block of a binned table."""
    if evaluation.table is None or evaluation.threshold is None:
        return False
    least, most = evaluation.table.counts_between(evaluation.threshold)
    return least != most


def _binned(evaluation: Evaluation) -> Finding | None:
    """How far the numbers can be from those of the exact table."""
    if evaluation.table is None or evaluation.table.is_exact:
        return None
    rooms = {name: _room(evaluation[name]) for name in HEADLINES if name in evaluation}
    said = [f"{evaluation[name].label} by at most {number_text(room, 2)}" for name, room in rooms.items() if room > 0]
    off = f"; of the main numbers, these can be off: {', '.join(said)}" if said else ""
    sentence = f"The table is binned ({len(evaluation.table):,} blocks of scores), so values have bounds{off}."
    if counts_are_open(evaluation):
        sentence += (
            f" The threshold {number_text(evaluation.threshold or 0.0)} lies inside a block: for exact counts "
            "there, make it an edge when the table is binned."
        )
    return Finding("bounds of a binned table", "binned", sentence, rooms)


def _room(estimate: Estimate) -> float:
    """How far the exact value can lie from the value shown."""
    low, high = estimate.bound or (estimate.value, estimate.value)
    return max(estimate.value - low, high - estimate.value)
