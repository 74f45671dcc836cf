"""What scores themselves say, and the threshold among them: each finding names what to look for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unconfuse._errors import worded
from unconfuse._plain import number_text
from unconfuse._sayings import out_of
from unconfuse.bayesian._words import BETTER, CANNOT_TELL
from unconfuse.metrics import METRICS, clipped_log_loss
from unconfuse.metrics.needs import no_threshold
from unconfuse.table import ScoreTable
from unconfuse.uncertainty import Estimate, Finding

if TYPE_CHECKING:
    from unconfuse.results.evaluation import Evaluation

_MANY_SCORES = 20  # below this a threshold may well be the best one by chance
_CHOSEN_BY = {
    "youden_j": "Youden's J",
    "f1": "the F1 score",
    "mcc": "the Matthews correlation",
    "accuracy": "the accuracy",
}
_PAIRS = "The AUROC is the share of pairs whose positive has the higher score, ties counted half; guessing gets half."
_FLATTERS = "A threshold that was chosen on the data it is measured on looks better there than on new cases."


def ranking(evaluation: Evaluation) -> Finding | None:
    """Do the scores rank positives above negatives more often than not?"""
    found = evaluation["auroc"]
    if np.isnan(found.low) or found.high < 0.5 or constant(evaluation):  # which is said elsewhere
        return None
    ties = ", ties counted half" if _are_tied(evaluation) else ""
    pairs = f"in {out_of(found.value)} pairs a positive scores above a negative{ties} ({_area(found)})"
    if found.low > 0.5:
        return Finding(_PAIRS, BETTER, f"The ranking is better than guessing: {pairs}.", _numbers(found))
    sentence = f"These data cannot tell whether the ranking is better than guessing: {pairs}."
    return Finding(_PAIRS, CANNOT_TELL, sentence, _numbers(found))


def _are_tied(evaluation: Evaluation) -> bool:
    """Whether a positive and a negative share a score."""
    table = _exact(evaluation)
    return table is not None and bool(((table.positives > 0) & (table.negatives > 0)).any())


def _area(found: Estimate) -> str:
    return f"AUROC {number_text(found.value)}, {found.confidence_level * 100:.4g}% interval {found.interval_text}"


def _numbers(found: Estimate) -> dict[str, float]:
    return {"auroc": found.value, "low": found.low, "high": found.high}


def no_threshold_chosen(evaluation: Evaluation) -> Finding | None:
    """Scores that are no probabilities have no default: their ranking is judged, and nothing else."""
    if evaluation.has_decisions:
        return None
    why, hint = no_threshold(evaluation.sample, evaluation.sample.only_model)
    sentence = f"Only the ranking is judged, because {why}. {hint[0].upper()}{hint[1:]}."
    return Finding("Probabilities are cut at 0.5 by default, other scores nowhere.", "no threshold", sentence)


def _exact(evaluation: Evaluation) -> ScoreTable | None:
    """The scores, if they are known as they are."""
    return evaluation.table if evaluation.table is not None and evaluation.table.is_exact else None


def predictions(evaluation: Evaluation) -> Finding | None:
    """Scores of 0 and 1 alone are predictions."""
    table = _exact(evaluation)
    if table is None or table.score[:3].tolist() != [1.0, 0.0]:
        return None
    given = f"{worded('`predicted=`', '--predicted COLUMN')} says so"
    sentence = (
        "The scores are 0 and 1 only, so they look like predictions: their ROC curve has one corner, the AUROC is the "
        f"balanced accuracy, and no other threshold can be tried. {given}; for the ranking, give the scores behind "
        "them."
    )
    return Finding("Scores of two values say no more than a label.", "predictions, not scores", sentence)


def impossible(evaluation: Evaluation) -> Finding | None:
    """Cases that were stated to be impossible and happened: the log loss is infinite, and other tools hide it."""
    table = _exact(evaluation)
    if table is None or "log_loss" not in evaluation or not np.isinf(evaluation["log_loss"].value):
        return None
    if predictions(evaluation) is not None:  # which says more
        return None
    cases = float(table.positives[table.score == 0].sum() + table.negatives[table.score == 1].sum())
    return infinite_loss(cases, None if evaluation.sample.has_folds else float(clipped_log_loss()(table)))


def infinite_loss(cases: float, clipped: float | None) -> Finding:
    """Say that so many cases make the log loss infinite, and what tools print that clip."""
    what = "One case was" if cases == 1 else f"{cases:g} cases were"
    printed = "another number" if clipped is None else number_text(clipped)
    ask = worded("`clipped_log_loss()`", "--metric 'clipped_log_loss()'")
    sentence = (
        f"{what} stated to be impossible and happened, so that the log loss is infinite. Tools that clip, "
        f"as scikit-learn does, print {printed}: ask for {ask}."
    )
    numbers = {"cases": cases} | ({} if clipped is None else {"clipped_log_loss": clipped})
    return Finding("A probability of 0 or 1 must never be wrong.", "infinite log loss", sentence, numbers)


def constant(evaluation: Evaluation) -> Finding | None:
    """All scores alike."""
    table = _exact(evaluation)
    if table is None or len(table) != 1:
        return None
    score = number_text(float(table.score[0]))
    sentence = f"All scores are {score}: nothing is ranked above anything, which is no better than guessing."
    return Finding("Equal scores tell no two cases apart.", "constant", sentence, {"score": float(table.score[0])})


def reversed_scores(evaluation: Evaluation) -> Finding | None:
    """Scores that are surely higher for negatives."""
    if evaluation.table is None or not evaluation.table.is_exact:
        return None
    found = evaluation["auroc"]
    if np.isnan(found.high) or found.high >= 0.5:
        return None
    sentence = (
        f"The scores rank negatives above positives ({_area(found)}): are the labels swapped, or does a low score mean "
        "positive?"
    )
    return Finding(_PAIRS, "reversed", sentence, _numbers(found))


def perfect(evaluation: Evaluation) -> Finding | None:
    """Too good: the positives are known, or the labels leaked into the scores."""
    table = _exact(evaluation)
    if table is not None:
        is_perfect = len(table) > 1 and float(METRICS["auroc"](table)) == 1
        what = "Every positive scores above every negative"
    else:
        counts = evaluation.counts if evaluation.has_decisions else None
        is_perfect = counts is not None and bool(counts.fp == 0 and counts.fn == 0)
        what = "Every label is right"
    if not is_perfect:
        return None
    sentence = (
        f"{what}, which is too good to be usual: look for leakage, such as a feature that was recorded after the "
        "outcome, or cases that were also trained on."
    )
    return Finding("Perfect separation is more often a leak than a triumph.", "too good", sentence)


def threshold_beyond_scores(evaluation: Evaluation) -> Finding | None:
    """A threshold that no score, or every score, reaches."""
    table, at = evaluation.table, evaluation.threshold
    if table is None or at is None:
        return None
    highest, lowest = float(table.tops[0]), float(table.score[-1])
    if lowest < at <= highest:
        return None
    place, label = "lies above every score", "negative"
    if at <= lowest:
        place, label = "is the lowest score" if at == lowest else "lies below every score", "positive"
    ends = f"they run from {lowest:.3g} to {highest:.3g}"
    if highest > 1e-3:
        ends = f"they run from {number_text(lowest)} to {number_text(highest)}"
    ends = f"all are {number_text(lowest)}" if lowest == highest else ends
    sentence = (
        f"The threshold {number_text(at)} {place} ({ends}), so that every case is labelled {label}: choose another "
        "threshold."
    )
    numbers = {"threshold": at, "lowest": lowest, "highest": highest}
    rule = "A threshold decides nothing unless scores lie on both sides of it."
    return Finding(rule, "threshold out of range", sentence, numbers)


def chosen_on_same_data(evaluation: Evaluation) -> Finding | None:
    """A threshold that was chosen on these data, or that looks so: it is where some metric is largest on them."""
    table, at, origin = _exact(evaluation), evaluation.threshold, evaluation.threshold_origin
    if table is None or at is None or origin == "default" or "each fold" in (origin or ""):  # which is honest
        return None
    card = worded("`threshold_card` measures", "`unconfuse thresholds` measures")
    honest = f"{card} such a choice on cases that had no part in it"
    if origin is not None and "on these data" in origin:
        what = f"The threshold {number_text(at)} was chosen on the data it is measured on"
        sentence = f"{what}, which flatters: {honest}."
        return Finding(_FLATTERS, "chosen on the same data", sentence, {"threshold": at})
    best = _best_by(table, at)
    if best is None:
        return None
    sentence = (
        f"The threshold {number_text(at)} is just where {best} is largest on these data: if it was chosen on them, "
        f"the numbers flatter; {honest}."
    )
    return Finding(_FLATTERS, "chosen on the same data?", sentence, {"threshold": at})


def _best_by(table: ScoreTable, threshold: float) -> str | None:
    """The metric that is largest at this threshold, and at no other; few scores make that no surprise."""
    if len(table) < _MANY_SCORES:
        return None
    counts = table.counts()
    own = int(np.searchsorted(-table.score, -threshold, side="right")) - 1
    for name, words in _CHOSEN_BY.items():
        values = np.nan_to_num(METRICS[name](counts), nan=-np.inf)
        if own >= 0 and values[own] == values.max() and (values == values.max()).sum() == 1:
            return words
    return None
