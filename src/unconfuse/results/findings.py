"""Findings in plain words: each states a verdict, the rule it comes from and the numbers it rests on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from unconfuse._formatting import number_text, share_words, threshold_words
from unconfuse._phrases import only
from unconfuse.indistinguish import easy_negatives_finding
from unconfuse.policy import FEW, OF_BINNED, TOO_FEW, Verdict
from unconfuse.results import decision_findings as decisions
from unconfuse.results import score_findings as of
from unconfuse.table import SamplingKind, effective_sample_size
from unconfuse.uncertainty import Estimate, Finding

if TYPE_CHECKING:
    from unconfuse.results.evaluation import Evaluation

_SCALES = 0.02  # of the AUROC, by which pairs within folds are ranked better than pairs across them
_FEW = f"With fewer than {FEW} cases of a class, its rates and all that rests on them have wide intervals."


def findings_of(evaluation: Evaluation) -> tuple[Finding, ...]:
    """Return all findings that these data support, the most important first."""
    found = (rule(evaluation) for rule in _rules(evaluation))
    return tuple(finding for finding in found if finding is not None)


def _rules(evaluation: Evaluation) -> Sequence[Callable[[Evaluation], Finding | None]]:
    """Choose what may be said: little of very few cases, and of decisions only where they are certain."""
    if evaluation.sample.sampling.kind is SamplingKind.DOUBLY_SAMPLED:
        return (_judged, *((decisions.better_than_guessing,) if evaluation.has_decisions else ()))
    scores = (of.predictions, of.constant, of.reversed_scores, of.perfect, of.impossible)
    last = (straddling_groups, _folds, _sampled, _left_out, _binned)
    if evaluation.has_decisions and counts_are_open(evaluation):  # what rests on the four counts is not certain
        return (_binned, _miscalibrated)
    if min(map(float, evaluation.sample.effective_sizes)) < TOO_FEW:
        guessing = (decisions.better_than_guessing,) if evaluation.has_decisions else ()
        return (*guessing, _too_few, of.no_threshold_chosen, of.threshold_beyond_scores, of.constant, *last)
    if not evaluation.has_decisions:
        return (of.ranking, of.no_threshold_chosen, _looks, _too_few, *scores, _easy_negatives, *last)
    if evaluation.settings.looks is not None:  # costs and majorities are judged by intervals of one look
        return (decisions.better_than_guessing, decisions.per_round_number, _looks, _too_few, *scores, *last)
    labels = (decisions.better_than_guessing, decisions.prevalence_needed, decisions.per_round_number, decisions.costs)
    accuracy = (decisions.better_than_majority, decisions.accuracy_misleads)
    cut = (of.threshold_beyond_scores, of.chosen_on_same_data)
    return (*labels, *accuracy, _too_few, *cut, *scores, _easy_negatives, _miscalibrated, *last)


def _looks(evaluation: Evaluation) -> Finding | None:
    """Say what intervals cost that hold at all looks together."""
    from unconfuse.uncertainty.sequential import level_at, size_of, times_as_wide  # most data are looked at once

    looks = evaluation.settings.looks
    if looks is None or looks.kind == "exact":
        return None
    level = level_at(looks, size_of(evaluation.sample), evaluation.confidence_level)
    wider = times_as_wide(level, evaluation.confidence_level)
    tightest = f", tightest near {looks.tightest:,.10g} cases" if looks.kind == "any" else f" ({looks.planned} planned)"
    sentence = (
        f"Intervals hold at all looks together{tightest}: about {wider:.2f} times as wide as those of a single look, "
        f"which need about {1 - 1 / wider**2:.0%} fewer cases for the same width."
    )
    return Finding("Intervals at repeated looks.", "repeated looks", sentence, {"z": level.z, "times_as_wide": wider})


def _left_out(evaluation: Evaluation) -> Finding | None:
    """Rows that could not be used are part of the story."""
    if not evaluation.skipped:
        return None
    total, used = evaluation.skipped.total, evaluation.n
    sentence = f"{str(evaluation.skipped).capitalize()}. The numbers refer to the other rows only."
    return Finding(
        "Rows that cannot be used are skipped and counted.", "incomplete", sentence, {"left_out": total, "used": used}
    )


def _too_few(evaluation: Evaluation) -> Finding | None:
    """Say that there are too few cases of a class."""
    negatives, positives = (float(effective_size) for effective_size in evaluation.sample.effective_sizes)
    small = {name: size for name, size in (("positive", positives), ("negative", negatives)) if size < FEW}
    if not small:
        return None
    what = only(small, "cases worth " if evaluation.sample.sampling.by_weights else "")
    sentence = f"{what}: {_open(evaluation, 'positive' in small, min(small.values()) < TOO_FEW)}"
    return Finding(_FEW, Verdict.TOO_FEW, sentence, {f"{name}s": size for name, size in small.items()})


def _open(evaluation: Evaluation, positives: bool, too_few: bool) -> str:
    """Return the interval of the rate that rests on the few, and what that forbids."""
    names = ("sensitivity" if positives else "specificity",) if evaluation.has_decisions else ("auroc",)
    shown = next((evaluation[name] for name in names if name in evaluation or evaluation.has_decisions), None)
    if shown is None or shown.undefined or math.isnan(shown.low):
        return "too few to evaluate the model or to choose a threshold."
    name = shown.label.split(" (")[0]
    name = name if name.isupper() else name.lower()
    what = "too wide to evaluate the model or to choose a threshold" if too_few else "so read intervals, not values"
    level, ends = shown.range_text.split(" interval ")
    return f"the {level} interval for {name} is {ends}, {what}."


def straddling_groups(evaluation: Evaluation) -> Finding | None:
    """Report groups in several folds: models were tested on cases that belong with those they were trained on."""
    sample = evaluation.sample
    if not sample.straddling:
        return None
    sentence = (
        f"{sample.straddling:,} of {sample.n_groups:,} clusters have cases in several folds: models were tested on "
        "clusters that they were trained on, and may do worse on new ones. Assign whole clusters to folds."
    )
    numbers = {"straddling": float(sample.straddling), "groups": float(sample.n_groups)}
    return Finding("Cases of one cluster must be in one fold.", "leak", sentence, numbers)


def _folds(evaluation: Evaluation) -> Finding | None:
    """Why the mean over folds and the value of all cases pooled differ: pairs of cases from different folds."""
    if not evaluation.sample.sampling.pooled or evaluation.score_table is None or "auroc" not in evaluation:
        return None
    mean, pooled = evaluation["auroc"], evaluation.pooled["auroc"]
    folds = [fold for fold in evaluation.folds.values() if fold.score_table is not None]
    pairs = [fold.positives * fold.negatives for fold in folds]
    inner = sum(n * fold["auroc"].value for n, fold in zip(pairs, folds, strict=True) if n)
    whole = evaluation.positives * evaluation.negatives
    if not 0 < sum(pairs) < whole:  # no pair within a fold, or none across
        return None
    within, across = inner / sum(pairs), (whole * pooled.value - inner) / (whole - sum(pairs))
    said = "undefined" if mean.undefined else number_text(mean.value)
    gap = within - across
    scales = (
        "so the folds seem to score on different scales; use the mean over folds"
        if gap > _SCALES
        else "so the folds score on much the same scale"
    )
    sentence = (
        f"The AUROC is {said} as the mean over {len(folds)} folds and {number_text(pooled.value)} over all cases "
        f"pooled: pairs within a fold are ranked correctly in {share_words(within)}, pairs across folds "
        f"in {share_words(across)}, {scales}."
    )
    numbers = {"mean": mean.value, "pooled": pooled.value, "within_folds": within, "across_folds": across}
    rule = "Pooling folds compares cases that different models scored, which requires one scale."
    return Finding(rule, "different scales" if gap > _SCALES else "same scale", sentence, numbers)


def _judged(evaluation: Evaluation) -> Finding | None:
    """Say what the judge is worth, and what the numbers assume."""
    sample = evaluation.sample.verified
    assert sample is not None
    mass, share = sample.positive_mass(sample.rater_strata()), evaluation.positives / evaluation.n
    right = [float(mass[sample.judge].sum() / mass.sum()), float((1 - mass)[~sample.judge].sum() / (1 - mass).sum())]
    error = float(np.sqrt(np.square(mass - share).sum())) / evaluation.n
    worth = share * (1 - share) / error**2 if error > 0 else evaluation.n
    checked = int(sample.checked.sum())
    one, other = (f"{each:.1%}" for each in right)
    rates = f"its sensitivity is {one} and its specificity {other}"
    if one == other:
        rates = f"its sensitivity and its specificity are both {one}"
    sentence = (
        f"The rater labelled {len(sample):,} cases, of which {checked:,} were verified; {rates}. With its labels, the "
        f"prevalence is known as precisely as from about {worth:,.0f} verified cases. All numbers refer to the true "
        "labels, provided the verified cases are a random part of those with the same rater's label and score."
    )
    numbers = {"checked": float(checked), "sensitivity": right[0], "specificity": right[1], "worth": worth}
    return Finding("Double sampling: a rater's labels, some of them verified.", Verdict.ILLUSTRATION, sentence, numbers)


def _sampled(evaluation: Evaluation) -> Finding | None:
    """Say what unequal sampling weights cost."""
    if not evaluation.sample.sampling.by_weights or evaluation.score_table is None:
        return None
    table = evaluation.score_table
    weight, squares = table.positives + table.negatives, table.squared_weights[0] + table.squared_weights[1]
    worth = effective_sample_size(weight, squares)
    sentence = (
        "The numbers are estimates for the population that was sampled, by sampling weights; intervals are as wide as "
        f"those of about {worth:,.0f} equally weighted cases."
    )
    rule = "Kish's effective sample size: equally weighted cases with the same variance."
    return Finding(rule, Verdict.ILLUSTRATION, sentence, {"effective_cases": worth})


def _easy_negatives(evaluation: Evaluation) -> Finding | None:
    """Report an AUROC that rests on negatives that are easy to rank."""
    if evaluation.score_table is None or not evaluation.score_table.is_exact:
        return None
    return easy_negatives_finding(evaluation.score_table)


def _miscalibrated(evaluation: Evaluation) -> Finding | None:
    """Probabilities that are too high or too low, or too extreme or too close to the mean, beyond chance."""
    if "calibration_slope" not in evaluation or "calibration_intercept" not in evaluation:
        return None
    level, spread = evaluation["calibration_intercept"], evaluation["calibration_slope"]
    if level.undefined or spread.undefined:
        return None
    words = [
        "too high on average" if level.high < 0 else "too low on average" if level.low > 0 else "",
        "too extreme" if spread.high < 1 else "too close to the mean" if spread.low > 1 else "",
    ]
    said = " and ".join(word for word in words if word)
    if not said:
        return None
    sentence = (
        f"Taken as probabilities, the scores are {said} (calibration intercept {number_text(level.value)} "
        f"{level.interval_text}, ideal 0; slope {number_text(spread.value)} {spread.interval_text}, ideal 1)."
    )
    numbers = {"calibration_intercept": level.value, "calibration_slope": spread.value}
    rule = "Calibrated probabilities have intercept 0 and slope 1 (logistic recalibration)."
    return Finding(rule, "miscalibrated", sentence, numbers)


def counts_are_open(evaluation: Evaluation) -> bool:
    """Whether the threshold lies inside a block of a binned table."""
    if evaluation.score_table is None or evaluation.threshold is None:
        return False
    least, most = evaluation.score_table.counts_between(evaluation.threshold)
    return least != most


def _binned(evaluation: Evaluation) -> Finding | None:
    """How far the numbers can be from those of the exact table."""
    if evaluation.score_table is None or evaluation.score_table.is_exact:
        return None
    rooms = {name: _room(evaluation[name]) for name in OF_BINNED if name in evaluation}
    said = [f"{evaluation[name].label} by at most {number_text(room, 2)}" for name, room in rooms.items() if room > 0]
    off = f"; the main numbers can be off as follows: {', '.join(said)}" if said else ""
    sentence = f"The table is binned ({len(evaluation.score_table):,} bins of scores), so values have bounds{off}."
    if counts_are_open(evaluation):
        sentence += (
            f" The threshold {threshold_words(evaluation.threshold or 0.0)} lies inside a bin: for exact counts, make "
            "it an edge when the table is binned."
        )
    rule = "In a binned table the ranking of cases within a bin is unknown."
    return Finding(rule, "binned", sentence, rooms)


def _room(estimate: Estimate) -> float:
    """How far the exact value can lie from the value shown."""
    low, high = estimate.binning_bounds or (estimate.value, estimate.value)
    return max(estimate.value - low, high - estimate.value)
