"""What scores themselves say, and the threshold among them: each finding names what to look for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unconfuse._errors import surface_text
from unconfuse._formatting import number_text, threshold_words
from unconfuse._phrases import out_of
from unconfuse.metrics import METRICS, clipped_log_loss
from unconfuse.metrics.requirements import no_threshold
from unconfuse.policy import NARROW, Verdict
from unconfuse.table import ScoreTable
from unconfuse.table.sample import CORRECTED, CROSS_FITTED, DEFAULT
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
_OPTIMISTIC = "A threshold chosen on the data it is measured on looks better there than on new cases."


def ranking(evaluation: Evaluation) -> Finding | None:
    """Whether the scores rank positives above negatives more often than not."""
    estimate = evaluation["auroc"]
    if np.isnan(estimate.low) or estimate.high < 0.5 or constant(evaluation):  # which is said elsewhere
        return None
    ties = ", ties counted half" if _are_tied(evaluation) else ""
    pairs = f"in {out_of(estimate.value)} pairs a positive scores above a negative{ties} ({_area(estimate)})"
    verdict, words = Verdict.CANNOT_TELL, "Inconclusive whether the ranking is better than guessing"
    close = (
        estimate.high < (1 + NARROW) / 2 and estimate.low > (1 - NARROW) / 2
    )  # Gini, 2 AUROC - 1, within the same margin
    if estimate.low > 0.5 and not close:
        verdict, words = Verdict.BETTER_THAN_GUESSING, "The ranking is better than guessing"
    elif estimate.low > 0.5:
        verdict, words = (
            Verdict.HARDLY_BETTER_THAN_GUESSING,
            "The ranking is detectably, but hardly, better than guessing",
        )
    elif close:
        verdict, words = Verdict.NO_BETTER_THAN_GUESSING, "The ranking is no better than guessing"
    return Finding(_PAIRS, verdict, f"{words}: {pairs}.", _numbers(estimate))


def _are_tied(evaluation: Evaluation) -> bool:
    """Whether a positive and a negative share a score."""
    table = _exact(evaluation)
    return table is not None and bool(((table.positives > 0) & (table.negatives > 0)).any())


def _area(found: Estimate) -> str:
    return f"AUROC {number_text(found.value)}, {found.range_text}"


def _numbers(found: Estimate) -> dict[str, float]:
    return {"auroc": found.value, "low": found.low, "high": found.high}


def no_threshold_chosen(evaluation: Evaluation) -> Finding | None:
    """Scores that are not probabilities have no default: only their ranking is evaluated."""
    if evaluation.has_decisions:
        return None
    why, hint = no_threshold(evaluation.sample, evaluation.sample.only_model)
    sentence = f"Only the ranking is evaluated, because {why}. {hint[0].upper()}{hint[1:]}."
    return Finding("The default threshold is 0.5 for probabilities; other scores have none.", "no threshold", sentence)


def _exact(evaluation: Evaluation) -> ScoreTable | None:
    """Return the score table, if scores are known exactly; otherwise None."""
    return evaluation.score_table if evaluation.score_table is not None and evaluation.score_table.is_exact else None


def predictions(evaluation: Evaluation) -> Finding | None:
    """Scores of 0 and 1 alone are predictions."""
    table = _exact(evaluation)
    if table is None or table.score[:3].tolist() != [1.0, 0.0]:
        return None
    given = surface_text("`predicted=`", "--predicted COLUMN")
    sentence = (
        "The scores are 0 and 1 only, so they look like predictions: the ROC curve has one corner, the AUROC is the "
        f"balanced accuracy, and no other threshold can be tried. Pass them as {given}; for the ranking, pass the "
        "scores behind them."
    )
    return Finding("Scores of two values carry no more information than labels.", "predictions, not scores", sentence)


def impossible(evaluation: Evaluation) -> Finding | None:
    """Cases with probability 0 for their class: the log loss is infinite, and tools that clip hide it."""
    table = _exact(evaluation)
    if table is None or "log_loss" not in evaluation or not np.isinf(evaluation["log_loss"].value):
        return None
    if predictions(evaluation) is not None:  # which says more
        return None
    cases = float(table.positives[table.score == 0].sum() + table.negatives[table.score == 1].sum())
    return infinite_loss(cases, None if evaluation.sample.sampling.pooled else float(clipped_log_loss()(table)))


def infinite_loss(cases: float, clipped: float | None) -> Finding:
    """Say that so many cases make the log loss infinite, and what tools print that clip."""
    what = "One case has" if cases == 1 else f"{cases:g} cases have"
    printed = "another number" if clipped is None else number_text(clipped)
    ask = surface_text("`clipped_log_loss()`", "--metric 'clipped_log_loss()'")
    sentence = (
        f"{what} probability 0 for the true class, so the log loss is infinite. Tools that clip probabilities, "
        f"such as scikit-learn, print {printed}; {ask} gives that."
    )
    numbers = {"cases": cases} | ({} if clipped is None else {"clipped_log_loss": clipped})
    return Finding(
        "A probability of 0 for the true class makes the log loss infinite.", "infinite log loss", sentence, numbers
    )


def constant(evaluation: Evaluation) -> Finding | None:
    """All scores alike."""
    table = _exact(evaluation)
    if table is None or len(table) != 1:
        return None
    score = number_text(float(table.score[0]))
    sentence = f"All scores are {score}, so the cases are not ranked."
    return Finding("Equal scores do not rank cases.", "constant", sentence, {"score": float(table.score[0])})


def reversed_scores(evaluation: Evaluation) -> Finding | None:
    """Scores that are surely higher for negatives."""
    if evaluation.score_table is None or not evaluation.score_table.is_exact:
        return None
    estimate = evaluation["auroc"]
    if np.isnan(estimate.high) or estimate.high >= 0.5:
        return None
    sentence = (
        f"The scores rank negatives above positives ({_area(estimate)}): check whether labels are swapped, or whether "
        "a low score means positive."
    )
    return Finding(_PAIRS, Verdict.REVERSED, sentence, _numbers(estimate))


def perfect(evaluation: Evaluation) -> Finding | None:
    """Perfect separation: the labels may have leaked into the scores."""
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
        f"{what}. Perfect separation is unusual: check for leakage, such as a feature recorded after the outcome, or "
        "cases also used for training."
    )
    return Finding("Perfect separation is more often leakage than skill.", "too good", sentence)


def threshold_beyond_scores(evaluation: Evaluation) -> Finding | None:
    """Report a threshold that no score, or every score, reaches."""
    table, at = evaluation.score_table, evaluation.threshold
    if table is None or at is None:
        return None
    highest, lowest = float(table.upper_edges[0]), float(table.score[-1])
    if lowest < at <= highest:
        return None
    place, label = "lies above every score", "negative"
    if at <= lowest:
        place, label = "is the lowest score" if at == lowest else "lies below every score", "positive"
    ends = f"scores range from {lowest:.3g} to {highest:.3g}"
    if highest > 1e-3:
        ends = f"scores range from {number_text(lowest)} to {number_text(highest)}"
    ends = f"all scores are {number_text(lowest)}" if lowest == highest else ends
    sentence = (
        f"The threshold {threshold_words(at)} {place} ({ends}), so every case is labelled {label}. Choose another "
        "threshold."
    )
    numbers = {"threshold": at, "lowest": lowest, "highest": highest}
    rule = "A threshold separates cases only if scores lie on both sides of it."
    return Finding(rule, "threshold out of range", sentence, numbers)


def chosen_on_same_data(evaluation: Evaluation) -> Finding | None:
    """Report a threshold chosen on these data, or that looks so: it is where some metric is largest on them."""
    table, at, origin = _exact(evaluation), evaluation.threshold, evaluation.threshold_source
    if table is None or at is None or (origin or "").endswith((DEFAULT, CORRECTED, CROSS_FITTED)):
        return None
    card = surface_text("`threshold_card`", "`unconfuse thresholds`")
    elsewhere = f"{card} measures such a choice on cases not used for it"
    if origin is not None and "on these data" in origin:
        what = f"The threshold {threshold_words(at)} was chosen on the data it is measured on"
        sentence = f"{what}, so the numbers are optimistic; {elsewhere}."
        return Finding(_OPTIMISTIC, "chosen on the same data", sentence, {"threshold": at})
    best = _best_by(table, at)
    if best is None:
        return None
    sentence = (
        f"The threshold {threshold_words(at)} is where {best} is largest on these data. If it was chosen on them, the "
        f"numbers are optimistic; {elsewhere}."
    )
    return Finding(_OPTIMISTIC, "chosen on the same data?", sentence, {"threshold": at})


def _best_by(table: ScoreTable, threshold: float) -> str | None:
    """Return the metric that is largest at this threshold, and at no other; few scores make that no surprise."""
    if len(table) < _MANY_SCORES:
        return None
    counts = table.counts()
    own = int(np.searchsorted(-table.score, -threshold, side="right")) - 1
    for name, words in _CHOSEN_BY.items():
        values = np.nan_to_num(METRICS[name](counts), nan=-np.inf)
        if own >= 0 and values[own] == values.max() and (values == values.max()).sum() == 1:
            return words
    return None
