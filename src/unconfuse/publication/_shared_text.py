"""What tables, methods paragraphs and checklists say alike: numbers, cases, threshold, design."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from unconfuse._errors import ArgumentError
from unconfuse._formatting import number_text, p_text, short_label
from unconfuse._validate import check_list
from unconfuse.metrics import find_metric, key_of
from unconfuse.table.sample import DEFAULT

if TYPE_CHECKING:
    from unconfuse.results.comparison import Comparison
    from unconfuse.results.evaluation import Evaluation
    from unconfuse.uncertainty import Estimate
from unconfuse.uncertainty.method import in_full

_FEW = 14  # metrics that a table of a paper shows without being asked for a choice
# What papers report of a yes-or-no question and of several classes, as far as a result holds it.
_USUAL = (
    "auroc",
    "average_precision",
    "sensitivity",
    "specificity",
    "precision",
    "npv",
    "accuracy",
    "f1",
    "mcc",
    "brier",
    "calibration_slope",
    "calibration_intercept",
)
_OF_CLASSES = (
    "accuracy",
    "balanced_accuracy",
    "f1_macro",
    "mcc",
    "cohen_kappa",
    "auroc_ovr_macro",
    "log_loss",
    "brier",
)
_DESIGNS = {
    "cohort": "a cohort design (prevalence observed)",
    "case-control": "a case-control design (prevalence set by the study)",
    "clustered": "clustered cases (whole clusters are the units of sampling)",
    "sampled": "sampling weights",
    "cross-validated": "cross-validation (values are means over folds)",
    "judged": "double sampling (a rater labelled all cases, and some were verified)",
}
_RESAMPLED = "bootstrap"
_LONG = {"posterior": "mid-p posterior of the rates"}  # methods whose short name says little by itself


def chosen(evaluation: Evaluation, metrics: Iterable[Any] | None) -> list[Estimate]:
    """Return the estimates that are asked for; else all if they are few, else those that papers report."""
    if evaluation.cached_findings is not None:  # by `shift_prevalence`: nobody counted such cases
        hint = "Hint: use the evaluation from before `shift_prevalence`."
        raise ArgumentError(f"papers report the cases as they are, and these were taken to another prevalence. {hint}")
    if metrics is not None:
        wanted = check_list(metrics, "metrics")
        found = evaluation.estimate([each for each in wanted if not _held(evaluation, each)])
        return [evaluation[each] if _held(evaluation, each) else found[_name(each, found)] for each in wanted]
    if len(evaluation) <= _FEW:
        return list(evaluation.values())
    usual = _OF_CLASSES if evaluation.sample.is_multiclass else _USUAL
    return [evaluation[name] for name in usual if name in evaluation] or list(evaluation.values())[:_FEW]


def _held(evaluation: Evaluation, name: Any) -> bool:
    return isinstance(name, str) and name in evaluation


def _name(wanted: Any, found: dict[str, Estimate]) -> str:
    """Return the metric's own name: other names and declarations stand for it."""
    if not isinstance(wanted, str):
        return str(wanted.name)
    return wanted if wanted in found else next((own for own in found if key_of(own) == key_of(wanted)), _alias(wanted))


def _alias(wanted: str) -> str:
    try:
        return find_metric(wanted).name
    except ValueError:
        return find_metric(wanted, several=True).name


def figures(*numbers: float) -> list[str]:
    """Return a value and its limits with one number of decimals, where three of them say enough.

    >>> figures(0.006, -0.0049, 0.016), figures(21.5, 9.25, 50), figures(0.0001, 0.0, 0.0004)
    (['0.006', '-0.005', '0.016'], ['21.5', '9.250', '50.0'], ['0.0001', '0.000', '0.0004'])
    """
    known = [abs(each) for each in numbers if math.isfinite(each)]
    if known and max(known) < 10 and not any(0 < each < 0.0005 for each in known):
        return [f"{each:.3f}" if math.isfinite(each) else number_text(each) for each in numbers]
    return [number_text(each) for each in numbers]


def with_interval(estimate: Estimate) -> tuple[str, str]:
    """Return a value and its interval, for two columns of a table; nothing for what is undefined."""
    if estimate.undefined or math.isnan(estimate.value):
        return "", ""
    value, low, high = figures(estimate.value, estimate.low, estimate.high)
    return value, "" if math.isnan(estimate.low) else f"[{low}, {high}]"


def metric_words(label: str) -> str:
    """Return a metric's name for a list within a sentence, without commas.

    >>> metric_words("F1 score, macro"), metric_words("Sensitivity (recall, TPR)")
    ('F1 score (macro)', 'sensitivity')
    """
    name, comma, kind = short_label(label).partition(", ")
    return f"{name} ({kind})" if comma else name


def in_text(estimate: Estimate) -> str:
    """Return one number with its interval for a sentence."""
    label = metric_words(estimate.label)
    value, _ = with_interval(estimate)
    if not value:
        return f"{label} not estimable ({estimate.undefined or 'undefined'})"
    if math.isnan(estimate.low):
        return f"{label} {value} (no interval)"
    value, low, high = figures(estimate.value, estimate.low, estimate.high)
    return f"{label} {value} ({level_text(estimate.confidence_level)} interval {low} to {high})"


def method_words(estimate: Estimate) -> str:
    """Return the name of the interval's method, for readers who have no manual at hand."""
    return _LONG.get(estimate.method, in_full(estimate.method))


def p_cell(p: float) -> str:
    """Return a p-value for a column that is called p."""
    return "" if math.isnan(p) else p_text(p).removeprefix("p ").removeprefix("= ")


def level_text(level: float) -> str:
    """Return a confidence level in percent."""
    return f"{100 * level:.4g}%"


def count(size: float) -> str:
    """Return a number of cases, which may be a sum of weights."""
    return f"{size:,.0f}" if float(size).is_integer() else f"{size:,.1f}"


def listed(parts: Sequence[str]) -> str:
    """Return parts as a sentence lists them.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def cases_words(evaluation: Evaluation) -> str:
    """Return how many cases there are, by class."""
    if not evaluation.sample.is_multiclass:
        share = evaluation.positives / evaluation.n if evaluation.n else math.nan
        known = "" if math.isnan(share) else f" ({100 * share:.1f}%)"
        if evaluation.sample.is_double_sampled:
            return f"{count(evaluation.n)} cases, an estimated {count(evaluation.positives)} of them positive{known}"
        return f"{count(evaluation.n)} cases, {count(evaluation.positives)} of them positive{known}"
    return f"{count(evaluation.n)} cases of {len(evaluation.classes)} classes"


def threshold_words(evaluation: Evaluation) -> str:
    """Return where cases are labelled positive and how that was chosen, as a sentence; nothing of several classes."""
    if evaluation.sample.is_multiclass:
        return "Each case was labelled with one class."
    if evaluation.threshold is None:
        if evaluation.has_decisions:
            return "Labels were given as decisions, without a threshold."
        return "No threshold was set, so no decisions were evaluated."
    at = f"Cases with a score of {evaluation.threshold:.6g} or more were labelled positive"
    if evaluation.threshold_source == "given":
        return f"{at}; this threshold was given to the software, not chosen by it."
    if evaluation.threshold_source == DEFAULT:
        return f"{at}; this is the software's default for probabilities, not a choice."
    return f"{at}; the threshold was chosen on these data ({evaluation.threshold_source})."


def decides(evaluation: Evaluation, shown: Iterable[Estimate]) -> bool:
    """Return whether one of these numbers rests on a threshold: of rankings and probabilities none does."""
    return any(is_of_decisions(evaluation, each) for each in shown)


def is_of_decisions(evaluation: Evaluation, each: Estimate) -> bool:
    """Return whether a number is of labels at a threshold."""
    if evaluation.threshold is None or evaluation.sample.is_multiclass:
        return False
    declared = next((own for own in evaluation.metrics if own.name == each.name), None) or find_metric(each.name)
    return declared.of == "counts"


def design_words(design: str) -> str:
    """Return how the cases were drawn, for the middle of a sentence."""
    return _DESIGNS.get(design, f"a {design} design")


def is_resampled(methods: Iterable[str]) -> bool:
    """Return whether one of these methods draws resamples, so that their number and seed matter."""
    return any(_RESAMPLED in each for each in methods)


def resamples_words(n_resamples: int | None, seed: int | None) -> str:
    """Return how much was resampled, as a sentence."""
    return f"Bootstrap intervals rest on {n_resamples or 0:,} resamples (seed {seed})."


def software() -> str:
    """Return the name of this software with its version."""
    import unconfuse

    return f"unconfuse {unconfuse.__version__}"


def skipped_words(result: Evaluation | Comparison) -> str:
    """Return which rows were left out, and why, as a sentence; nothing if none were."""
    return f"{str(result.skipped)[:1].upper()}{str(result.skipped)[1:]}." if result.skipped else ""
