"""Findings in plain words: each states a verdict, the rule it comes from and the numbers it rests on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from unconfuse._plain import number_text
from unconfuse._sayings import only
from unconfuse.indistinguish import easy_negatives_finding
from unconfuse.results import decision_findings as decisions
from unconfuse.results import score_findings as of
from unconfuse.table import JudgedSample, kish
from unconfuse.uncertainty import Estimate, Finding

if TYPE_CHECKING:
    from unconfuse.results.evaluation import Evaluation

FEW = 10  # with fewer cases of a class than this, its rates are little more than a guess
TOO_FEW = 5  # with fewer than this, nothing is said with confidence
HEADLINES = ("auroc", "average_precision", "brier", "sensitivity", "precision")
_SCALES = 0.02  # of the AUROC, by which pairs within folds are ranked better than pairs across them
_FEW = f"Fewer than {FEW} cases of a class leave its rates, and all that rests on them, wide open."


def findings_of(evaluation: Evaluation) -> tuple[Finding, ...]:
    """All findings that these data support, the most important first."""
    found = (rule(evaluation) for rule in _rules(evaluation))
    return tuple(finding for finding in found if finding is not None)


def _rules(evaluation: Evaluation) -> Sequence[Callable[[Evaluation], Finding | None]]:
    """What may be said: little of very few cases, and of decisions only where they are certain."""
    if evaluation.design == "judged":
        return (_judged, *((decisions.better_than_guessing,) if evaluation.has_decisions else ()))
    scores = (of.predictions, of.constant, of.reversed_scores, of.perfect, of.impossible)
    last = (straddling_groups, _folds, _sampled, _left_out, _binned)
    if evaluation.has_decisions and counts_are_open(evaluation):  # what rests on the four counts is not certain
        return (_binned, _miscalibrated)
    if min(map(float, evaluation.sample.effective_sizes)) < TOO_FEW:
        return (_too_few, of.no_threshold_chosen, of.threshold_beyond_scores, of.constant, *last)
    if not evaluation.has_decisions:
        return (of.ranking, of.no_threshold_chosen, _too_few, *scores, _easy_negatives, *last)
    labels = (decisions.better_than_guessing, decisions.per_round_number, decisions.costs)
    accuracy = (decisions.better_than_majority, decisions.accuracy_misleads)
    cut = (of.threshold_beyond_scores, of.chosen_on_same_data)
    return (*labels, *accuracy, _too_few, *cut, *scores, _easy_negatives, _miscalibrated, *last)


def _left_out(evaluation: Evaluation) -> Finding | None:
    """Rows that could not be used are part of the story."""
    if not evaluation.skipped:
        return None
    total, used = evaluation.skipped.total, evaluation.n
    sentence = f"{str(evaluation.skipped).capitalize()}. The numbers hold for the others only."
    return Finding(
        "Rows that cannot be used are left out, and counted.", "incomplete", sentence, {"left_out": total, "used": used}
    )


def _too_few(evaluation: Evaluation) -> Finding | None:
    """Too few cases of a class to say much."""
    negatives, positives = (float(each) for each in evaluation.sample.effective_sizes)
    small = {name: size for name, size in (("positive", positives), ("negative", negatives)) if size < FEW}
    if not small:
        return None
    what = only(small, "cases worth " if evaluation.sample.is_sampled else "")
    said = "too few" if min(small.values()) < TOO_FEW else "few"
    sentence = f"{what}, {said} to judge by: {_open(evaluation, 'positive' in small)}"
    return Finding(_FEW, "too few cases", sentence, {f"{name}s": size for name, size in small.items()})


def _open(evaluation: Evaluation, positives: bool) -> str:
    """How far the rate that rests on the few is open, and what that forbids."""
    shown = evaluation["sensitivity" if positives else "specificity"] if evaluation.has_decisions else None
    if shown is None or shown.undefined or math.isnan(shown.low):
        return "they allow neither a verdict nor an honest choice of a threshold."
    name, ends = shown.label.split(" (")[0].lower(), f"from {number_text(shown.low)} to {number_text(shown.high)}"
    return f"the {name} could be anything {ends}, and no threshold can be chosen honestly."


def straddling_groups(evaluation: Evaluation) -> Finding | None:
    """Groups in several folds: models were tested on cases that belong with those they were trained on."""
    sample = evaluation.sample
    if not sample.straddling:
        return None
    sentence = (
        f"{sample.straddling:,} of {sample.n_groups:,} groups have cases in several folds: models were tested on cases "
        "of groups that they were trained on, and may do worse on new groups than these numbers say. Deal whole groups "
        "into folds."
    )
    numbers = {"straddling": float(sample.straddling), "groups": float(sample.n_groups)}
    return Finding("Cases that belong together belong into one fold.", "leak", sentence, numbers)


def _folds(evaluation: Evaluation) -> Finding | None:
    """Why the mean over folds and the value of all cases pooled differ: pairs of cases from different folds."""
    if not evaluation.sample.has_folds or evaluation.table is None or "auroc" not in evaluation:
        return None
    mean, pooled = evaluation["auroc"], evaluation.pooled["auroc"]
    folds = [each for each in evaluation.folds.values() if each.table is not None]
    pairs = [each.positives * each.negatives for each in folds]
    inner = sum(n * each["auroc"].value for n, each in zip(pairs, folds, strict=True) if n)
    whole = evaluation.positives * evaluation.negatives
    if not 0 < sum(pairs) < whole:  # no pair within a fold, or none across
        return None
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
    rule = "Pooling the folds compares cases that different models scored: that is fair only on one scale."
    return Finding(rule, "different scales" if gap > _SCALES else "same scale", sentence, numbers)


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
    rule = "Kish's effective number of cases says how many unweighted ones the sample is worth."
    return Finding(rule, "for illustration", sentence, {"effective_cases": worth})


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
    if level.undefined or spread.undefined:
        return None
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
    rule = "Honest probabilities have the calibration intercept 0 and the slope 1."
    return Finding(rule, "miscalibrated", sentence, numbers)


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
    rule = "Scores that were joined into blocks leave open how cases within a block are ranked."
    return Finding(rule, "binned", sentence, rooms)


def _room(estimate: Estimate) -> float:
    """How far the exact value can lie from the value shown."""
    low, high = estimate.bound or (estimate.value, estimate.value)
    return max(estimate.value - low, high - estimate.value)
