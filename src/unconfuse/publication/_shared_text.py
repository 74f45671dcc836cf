"""What tables, methods paragraphs and checklists say alike: numbers, cases, threshold, design."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from unconfuse._errors import ArgumentError
from unconfuse._formatting import number_text, p_text, short_label
from unconfuse._validate import check_list
from unconfuse.metrics import find_metric, key_of
from unconfuse.metrics.multilabel import is_of_decisions as is_of_label_decisions
from unconfuse.results.multi_output import MultiOutputEvaluation
from unconfuse.results.multilabel import LabelEvaluation
from unconfuse.results.queries import QueryEvaluation
from unconfuse.table.multi_output import LabelSample, MultiOutputSample, QuerySample
from unconfuse.table.sample import DEFAULT

if TYPE_CHECKING:
    from unconfuse.results.comparison import Comparison
    from unconfuse.results.evaluation import Evaluation
    from unconfuse.table import Settings
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


def chosen(evaluation: Evaluation | MultiOutputEvaluation, metrics: Iterable[Any] | None) -> list[Estimate]:
    """Return the estimates that are asked for; else all if they are few, else those that papers report."""
    if isinstance(evaluation, MultiOutputEvaluation):
        if metrics is not None:
            return [evaluation[getattr(each, "name", each)] for each in check_list(metrics, "metrics")]
        return list(evaluation.values()) if len(evaluation) <= _FEW else list(evaluation.headline)
    if evaluation.cached_findings is not None:  # by `shift_prevalence`: nobody counted such cases
        hint = "Hint: use the evaluation from before `shift_prevalence`."
        raise ArgumentError(f"papers report the cases as they are, and these were taken to another prevalence. {hint}")
    if metrics is not None:
        wanted = check_list(metrics, "metrics")
        estimate = evaluation.estimate([each for each in wanted if not _held(evaluation, each)])
        return [evaluation[each] if _held(evaluation, each) else estimate[_name(each, estimate)] for each in wanted]
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
    known = [abs(number) for number in numbers if math.isfinite(number)]
    if known and max(known) < 10 and not any(0 < each < 0.0005 for each in known):
        return [f"{number:.3f}" if math.isfinite(number) else number_text(number) for number in numbers]
    return [number_text(number) for number in numbers]


def with_interval(estimate: Estimate) -> tuple[str, str]:
    """Return a value and its interval, for two columns of a table; nothing for what is undefined."""
    if estimate.undefined or math.isnan(estimate.value):
        return "", ""
    value, low, high = figures(estimate.value, estimate.low, estimate.high)
    return value, "" if math.isnan(estimate.low) else f"[{low}, {high}]"


def metric_words(label: str) -> str:
    """Return a metric's name for a list within a sentence, without commas.

    >>> metric_words("F1 score, macro"), metric_words("Average precision (AUPRC, step), macro")
    ('F1 score (macro)', 'average precision (macro)')
    """
    name, comma, kind = short_label(re.sub(r" \(.*?\)", "", label)).partition(", ")
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


def cases_words(evaluation: Evaluation | MultiOutputEvaluation) -> str:
    """Return how many cases there are, by class; or how many labels, or documents, they have."""
    if isinstance(evaluation, MultiOutputEvaluation):
        return whole_cases_words(evaluation.sample)
    if not evaluation.sample.is_multiclass:
        share = evaluation.positives / evaluation.n if evaluation.n else math.nan
        known = "" if math.isnan(share) else f" ({100 * share:.1f}%)"
        if evaluation.sample.is_double_sampled:
            return f"{count(evaluation.n)} cases, an estimated {count(evaluation.positives)} of them positive{known}"
        return f"{count(evaluation.n)} cases, {count(evaluation.positives)} of them positive{known}"
    return f"{count(evaluation.n)} cases of {len(evaluation.classes)} classes"


def whole_cases_words(sample: MultiOutputSample) -> str:
    """Return how many cases there are with how many labels each, or how many queries with how many documents."""
    if isinstance(sample, QuerySample):
        return f"{count(sample.n)} queries with {count(len(sample.code))} documents"
    assert isinstance(sample, LabelSample)
    unknown = f" ({100 * sample.missing / sample.truth.size:.1f}% of them unknown)" if sample.missing else ""
    return f"{count(sample.n)} cases with {len(sample.labels)} labels each{unknown}"


def threshold_words(evaluation: Evaluation | MultiOutputEvaluation) -> str:
    """Return where cases are labelled positive and how that was chosen, as a sentence; nothing of queries."""
    if isinstance(evaluation, QueryEvaluation):
        return ""
    if isinstance(evaluation, LabelEvaluation):
        return _label_thresholds(evaluation)
    assert not isinstance(evaluation, MultiOutputEvaluation)
    if evaluation.sample.is_multiclass:
        return "Each case was labelled with one class."
    if evaluation.threshold is None:
        return _without_threshold(evaluation.has_decisions)
    at = f"Cases with a score of {evaluation.threshold:.6g} or more were labelled positive"
    return f"{at}; {_how_chosen(evaluation.threshold_source)}."


def _label_thresholds(evaluation: LabelEvaluation) -> str:
    cuts = evaluation.thresholds
    if cuts is None:
        return _without_threshold(evaluation.sample.has_decisions)
    first = next(iter(cuts.values()))
    same = len(set(cuts.values())) == 1
    at = f"a score of {first:.6g} or more" if same else "a score at or above its own threshold"
    source = evaluation.sample.threshold_sources.get(evaluation.sample.only_model, "given")
    return f"Each label was given at {at}; {_how_chosen(source)}."


def _without_threshold(decided: bool) -> str:
    if decided:
        return "Labels were given as decisions, without a threshold."
    return "No threshold was set, so no decisions were evaluated."


def _how_chosen(source: str | None) -> str:
    if source == "given":
        return "this threshold was given to the software, not chosen by it"
    if source == DEFAULT:
        return "this is the software's default for probabilities, not a choice"
    return f"the threshold was chosen on these data ({source})"


def cut_words(evaluation: Evaluation | MultiOutputEvaluation, shown: Iterable[Estimate]) -> str:
    """Return the sentence about the threshold, if one of these numbers rests on it or there is none."""
    if isinstance(evaluation, LabelEvaluation):
        decided = any(is_of_label_decisions(evaluation._metric(estimate.name)) for estimate in shown)
        return threshold_words(evaluation) if decided else ""
    if isinstance(evaluation, MultiOutputEvaluation):
        return ""
    return threshold_words(evaluation) if evaluation.threshold is None or decides(evaluation, shown) else ""


def decides(evaluation: Evaluation, shown: Iterable[Estimate]) -> bool:
    """Return whether one of these numbers rests on a threshold: of rankings and probabilities none does."""
    return any(is_of_decisions(evaluation, estimate) for estimate in shown)


def is_of_decisions(evaluation: Evaluation, each: Estimate) -> bool:
    """Return whether a number is of labels at a threshold."""
    if evaluation.sample.is_multiclass or evaluation.threshold is None:
        return False
    declared = next((metric for metric in evaluation.metrics if metric.name == each.name), None) or find_metric(
        each.name
    )
    return declared.of == "counts"


def design_words(sample: Any) -> str:
    """Return how the cases of a sample were drawn, for the middle of a sentence."""
    design: str = sample.sampling.label
    if isinstance(sample, QuerySample) and design == "cohort":
        return "queries as the units of sampling (all documents of one go together)"
    return _DESIGNS.get(design, f"a {design} design")


def is_resampled(methods: Iterable[str]) -> bool:
    """Return whether one of these methods draws resamples, so that their number and seed matter."""
    return any(_RESAMPLED in method for method in methods)


def resamples_words(settings: Settings) -> str:
    """Return how much was resampled, as a sentence."""
    return f"Bootstrap intervals rest on {settings.n_resamples:,} resamples (seed {settings.seed})."


def software() -> str:
    """Return the name of this software with its version."""
    import unconfuse

    return f"unconfuse {unconfuse.__version__}"


def skipped_words(result: Evaluation | MultiOutputEvaluation | Comparison) -> str:
    """Return which rows were left out, and why, as a sentence; nothing if none were."""
    return f"{str(result.skipped)[:1].upper()}{str(result.skipped)[1:]}." if result.skipped else ""
