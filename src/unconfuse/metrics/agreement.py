"""The four counts in one number: how far labels and truth go together, what errors cost, what a label does to odds."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._validate import check_number, check_probability, public_api
from unconfuse.metrics._count_expressions import decision, fraction_of, share
from unconfuse.metrics._inference import MonotoneTransform
from unconfuse.metrics._metric import Metric
from unconfuse.metrics.influence_functions import quantile
from unconfuse.table import Array, Counts

_RIJSBERGEN = "van Rijsbergen (1979), Information Retrieval, chapter 7"
_LARGEST = 1e6  # weight of one rate against another: beyond, the score is that rate alone
_NEITHER = "there are neither positives nor positive labels (TP + FP + FN = 0)"
_of_both_classes = partial(decision, depends_on_prevalence=False, undefined="one of the classes is empty")
_correlation = partial(decision, range=(-1.0, 1.0))

balanced_accuracy = _of_both_classes(
    "balanced_accuracy",
    label="Balanced accuracy",
    question="What share is labelled correctly if both classes count the same?",
    aliases=("balanced_accuracy_score",),
    expression="(tp / positives + tn / negatives) / 2",
    formula=r"\tfrac12\left(\frac{TP}{P}+\frac{TN}{N}\right)",
    misleads="It weighs the classes equally even where one error costs far more than the other.",
    references=("Brodersen et al. (2010), ICPR, The balanced accuracy and its posterior distribution",),
    example=(30 / 40 + 140 / 160) / 2,
)

f1 = decision(
    "f1",
    label="F1 score",
    question="How good are precision and sensitivity together (their harmonic mean)?",
    aliases=("f1_score", "dice", "f_score", "f_measure"),
    expression="2 * tp / (2 * tp + fn + fp)",
    increasing=MonotoneTransform("Jaccard", fraction_of("tp / (tp + fp + fn)"), lambda j: 2 * j / (1 + j)),
    formula=r"\frac{2\,TP}{2\,TP+FP+FN}",
    undefined=_NEITHER,
    interval="f1_of_jaccard",
    misleads="It ignores the true negatives and changes with prevalence: do not compare it across data sets.",
    references=(_RIJSBERGEN,),
    example=60 / 90,
)

youden_j = _of_both_classes(
    "youden_j",
    label="Youden's J (informedness)",
    question="How much more often is a positive labelled positive than a negative is?",
    aliases=("j", "j_index", "youden", "youden_index", "informedness", "bookmaker_informedness"),
    expression="tp / positives + tn / negatives - 1",
    range=(-1.0, 1.0),
    formula=r"\frac{TP}{P}+\frac{TN}{N}-1",
    misleads="It counts a false negative and a false positive, each as a share of its class, as equally bad.",
    references=("Youden (1950), Cancer 3:32, Index for rating diagnostic tests",),
    example=30 / 40 + 140 / 160 - 1,
)

markedness = _correlation(
    "markedness",
    label="Markedness",
    question="How much more likely is a case positive after a positive label than after a negative one?",
    expression="tp / labelled_positive + tn / labelled_negative - 1",
    formula=r"\frac{TP}{TP+FP}+\frac{TN}{TN+FN}-1",
    undefined="all cases get the same label",
    misleads="It changes with prevalence although the classifier is the same.",
    references=("Powers (2011), Journal of Machine Learning Technologies 2:37",),
    example=30 / 50 + 140 / 150 - 1,
)

mcc = _correlation(
    "mcc",
    label="Matthews correlation (MCC)",
    question="How strongly do labels and truth go together (their correlation)?",
    aliases=("matthews_corrcoef", "phi_coefficient", "phi", "matthews"),
    expression="(tp * tn - fp * fn) / (sqrt(labelled_positive * positives) * sqrt(negatives * labelled_negative))",
    formula=r"\frac{TP\cdot TN-FP\cdot FN}{\sqrt{(TP+FP)(TP+FN)(TN+FP)(TN+FN)}}",
    undefined="a class or a label does not occur",
    misleads="It changes with prevalence: the same classifier looks worse where positives are rare.",
    references=("Matthews (1975), Biochimica et Biophysica Acta 405:442", "Chicco & Jurman (2020), BMC Genomics 21:6"),
    example=(30 * 140 - 20 * 10) / np.sqrt(50.0 * 40 * 160 * 150),
)

cohen_kappa = _correlation(
    "cohen_kappa",
    label="Cohen's kappa",
    question="How far do labels and truth agree beyond chance?",
    aliases=("kappa", "kap", "cohen_kappa_score", "heidke_skill_score"),
    expression="2 * (tp * tn - fp * fn) / (labelled_positive * negatives + positives * labelled_negative)",
    formula=r"\frac{2\,(TP\cdot TN-FP\cdot FN)}{(TP+FP)(FP+TN)+(TP+FN)(FN+TN)}",
    undefined="all cases lie in one class and get its label",
    misleads="Its largest reachable value depends on prevalence and queue rate.",
    references=("Cohen (1960), Educational and Psychological Measurement 20:37",),
    example=2 * (30 * 140 - 20 * 10) / (50 * 160 + 40 * 150),
)

fowlkes_mallows = decision(
    "fowlkes_mallows",
    label="Fowlkes-Mallows index",
    question="How good are precision and sensitivity together (their geometric mean)?",
    aliases=("fowlkes_mallows_index",),
    expression="tp / sqrt(labelled_positive * positives)",
    formula=r"\sqrt{\frac{TP}{TP+FP}\cdot\frac{TP}{TP+FN}}",
    undefined="there are no positives, or no case is labelled positive",
    misleads="It ignores the true negatives and changes with prevalence.",
    references=("Fowlkes & Mallows (1983), JASA 78:553",),
    example=np.sqrt(30 / 50 * 30 / 40),
)

g_mean = _of_both_classes(
    "g_mean",
    label="G-mean",
    question="How good are sensitivity and specificity together (their geometric mean)?",
    expression="sqrt(tp / positives * (tn / negatives))",
    formula=r"\sqrt{\frac{TP}{P}\cdot\frac{TN}{N}}",
    misleads="It is 0 as soon as one class is always mislabelled, however good the other.",
    references=("Kubat & Matwin (1997), ICML, Addressing the curse of imbalanced training sets",),
    example=np.sqrt(30 / 40 * 140 / 160),
)

jaccard = share(
    "jaccard",
    label="Jaccard index (threat score)",
    question="Of the cases that are positive or labelled positive, what share is both?",
    aliases=("threat_score", "critical_success_index", "csi", "jaccard_score"),
    expression="tp / (tp + fp + fn)",
    undefined=_NEITHER,
    misleads="It ignores the true negatives and changes with prevalence.",
    references=("Jaccard (1912), New Phytologist 11:37", "Schaefer (1990), Weather and Forecasting 5:570"),
    example=30 / 60,
)


@public_api
def f_beta(beta: float) -> Metric:
    """F score in which sensitivity counts `beta` times as much as precision.

    Examples
    --------
    >>> from unconfuse import Counts, f_beta
    >>> f_beta(2)(Counts(tp=30, fp=20, fn=10, tn=140)).item()  # doctest: +ELLIPSIS
    0.714...
    """
    weight = check_number(beta, "beta")
    if not 1 / _LARGEST <= weight <= _LARGEST:
        what = f"`beta` must lie between 1 / {_LARGEST:g} and {_LARGEST:g}; got {weight:g}."
        raise ArgumentError(f"{what} Hint: 2 favours sensitivity, 0.5 precision.")
    return decision(
        f"f_beta({weight:g})",
        label=f"F{weight:g} score",
        question=f"How good are precision and sensitivity together if sensitivity counts {weight:g} times as much?",
        expression=f"{1 + weight**2!r} * tp / ({1 + weight**2!r} * tp + {weight**2!r} * fn + fp)",
        formula=r"\frac{(1+\beta^2)\,TP}{(1+\beta^2)\,TP+\beta^2 FN+FP},\ \beta=" + f"{weight:g}",
        undefined=_NEITHER,
        misleads="It ignores the true negatives and changes with prevalence.",
        references=(_RIJSBERGEN,),
        example=(1 + weight**2) * 30 / ((1 + weight**2) * 30 + weight**2 * 10 + 20),
    )


@public_api
def expected_cost(fp: float, fn: float) -> Metric:
    """Mean cost of a case when a false positive costs `fp` and a false negative `fn`.

    Examples
    --------
    >>> from unconfuse import Counts, expected_cost
    >>> expected_cost(fp=1, fn=10)(Counts(tp=30, fp=20, fn=10, tn=140)).item()
    0.6
    """
    false_alarm, miss = check_number(fp, "fp"), check_number(fn, "fn")
    if min(false_alarm, miss) < 0 or max(false_alarm, miss) == 0:
        raise ArgumentError(f"costs must be 0 or more and not both 0; got `fp={false_alarm:g}`, `fn={miss:g}`.")
    return decision(
        f"expected_cost(fp={false_alarm:g}, fn={miss:g})",
        label=f"Expected cost (FP {false_alarm:g}, FN {miss:g})",
        question="What does a case cost on average?",
        expression=f"({false_alarm!r} * fp + {miss!r} * fn) / total",
        better="lower",
        range=(0.0, max(false_alarm, miss)),
        formula=rf"\frac{{{false_alarm:g}\,FP+{miss:g}\,FN}}{{n}}",
        undefined="there are no cases",
        misleads="It is only as good as the costs; look at several stakeholders' costs side by side.",
        references=("Elkan (2001), IJCAI, The foundations of cost-sensitive learning",),
        example=(20 * false_alarm + 10 * miss) / 200,
    )


@public_api
def net_benefit(threshold_probability: float) -> Metric:
    """Measure the true positives per case, less the false positives at the exchange rate of a threshold probability.

    Who acts from a probability t on accepts (1 - t)/t false alarms for one true positive. Of probabilities it is the
    value at the threshold t, as the decision curve shows it; of other decisions, theirs.

    Examples
    --------
    >>> from unconfuse import Counts, net_benefit
    >>> net_benefit(.2)(Counts(tp=30, fp=20, fn=10, tn=140)).item()
    0.125
    """
    t = check_probability(threshold_probability, "threshold_probability")
    if t == 1:
        raise ArgumentError("`threshold_probability` must be below 1; at 1 no false positive is worth any benefit.")
    return decision(
        f"net_benefit({t:g})",
        label=f"Net benefit at {t:g}",
        question=(
            "How many true positives per case remain, if one is worth "
            f"{(1 - t) / t if t else np.inf:g} false positives?"
        ),
        expression=f"(tp - fp * {t / (1 - t)!r}) / total",
        range=(-t / (1 - t), 1.0),
        cut=t,
        formula=rf"\frac{{TP}}{{n}}-\frac{{FP}}{{n}}\cdot\frac{{t}}{{1-t}},\ t={t:g}",
        undefined="there are no cases",
        misleads="Compare it with treating all and treating none at the same threshold probability.",
        references=("Vickers & Elkin (2006), Medical Decision Making 26:565, Decision curve analysis",),
        example=30 / 200 - 20 / 200 * t / (1 - t),
    )


def log_lr_positive(counts: Counts, *, confidence_level: float = 0.95) -> tuple[Array, Array]:
    """Log interval of LR+ = sensitivity / (1 - specificity), Simel, Samsa and Matchar (1991).

    Zero-cell rule: a table with an empty TP or FP gets 1/2 added to all four cells for the limits; then the end on
    the side of the value is the value itself: 0 if TP = 0, infinity if FP = 0. NaN if both are empty.
    """
    return _log_ratio(counts.tp, counts.positives, counts.fp, counts.negatives, confidence_level)


def log_lr_negative(counts: Counts, *, confidence_level: float = 0.95) -> tuple[Array, Array]:
    """Log interval of LR- = (1 - sensitivity) / specificity; zero-cell rule as in `log_lr_positive`."""
    return _log_ratio(counts.fn, counts.positives, counts.tn, counts.negatives, confidence_level)


def log_odds_ratio(counts: Counts, *, confidence_level: float = 0.95) -> tuple[Array, Array]:
    """Woolf's (1955) log interval of the diagnostic odds ratio; 1/2 is added to every cell if one is empty (Anscombe
    1956). As with the likelihood ratios the end is 0 if TP or TN is empty, infinity if FP or FN is; NaN for 0/0."""
    cells = np.stack([counts.tp, counts.tn, counts.fp, counts.fn])
    smooth = cells + 0.5 * (cells <= 0).any(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = np.log(smooth[0]) + np.log(smooth[1]) - np.log(smooth[2]) - np.log(smooth[3])
        half = quantile(confidence_level) * np.sqrt((1 / smooth).sum(axis=0))
        low, high = np.exp(centre - half), np.exp(centre + half)
    return _open_ends(low, high, cells[0] * cells[1], cells[2] * cells[3])


def _log_ratio(x: Array, m: Array, y: Array, n: Array, confidence_level: float) -> tuple[Array, Array]:
    """Log interval of (x/m) / (y/n), two independent proportions."""
    half_cell = 0.5 * ((x <= 0) | (y <= 0))
    a, b, c, d = x + half_cell, m + 2 * half_cell, y + half_cell, n + 2 * half_cell
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        centre = np.log(a) - np.log(b) - np.log(c) + np.log(d)
        half = quantile(confidence_level) * np.sqrt(np.maximum(1 / a - 1 / b + 1 / c - 1 / d, 0.0))
        low, high = np.exp(centre - half), np.exp(centre + half)
    return _open_ends(low, high, x, y, known=np.minimum(m, n) > 0)


def _open_ends(low: Array, high: Array, above: Array, below: Array, known: Any = True) -> tuple[Array, Array]:
    """Set the ends where the ratio above / below is 0, infinite or undefined."""
    undefined = (above <= 0) & (below <= 0) | ~np.asarray(known)
    low, high = np.where(above <= 0, 0.0, low), np.where(below <= 0, np.inf, high)
    return np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)


_DEEKS = "Deeks & Altman (2004), BMJ 329:168, Diagnostic tests 4: likelihood ratios"
_SIMEL = "Simel, Samsa & Matchar (1991), J Clin Epidemiol 44:763"
_odds = partial(decision, range=(0.0, np.inf), depends_on_prevalence=False, references=(_DEEKS, _SIMEL))

lr_positive = _odds(
    "lr_positive",
    label="Positive likelihood ratio (LR+)",
    question="By how much does a positive label multiply the odds of being positive?",
    aliases=("lr+", "plr", "positive_likelihood_ratio"),
    expression="tp * negatives / (fp * positives)",
    log_limits=log_lr_positive,
    formula=r"\frac{TP/P}{FP/N}",
    undefined="a class is empty, or no case is labelled positive",
    misleads="It multiplies odds, not probabilities; without false positives it is infinite whatever the sample size.",
    example=(30 / 40) / (20 / 160),
)

lr_negative = _odds(
    "lr_negative",
    label="Negative likelihood ratio (LR-)",
    question="By how much does a negative label multiply the odds of being positive?",
    aliases=("lr-", "nlr", "negative_likelihood_ratio"),
    expression="fn * negatives / (tn * positives)",
    log_limits=log_lr_negative,
    better="lower",
    formula=r"\frac{FN/P}{TN/N}",
    undefined="a class is empty, or no case is labelled negative",
    misleads="It multiplies odds, not probabilities; without missed positives it is 0 whatever the sample size.",
    example=(10 / 40) / (140 / 160),
)

diagnostic_odds_ratio = _odds(
    "diagnostic_odds_ratio",
    label="Diagnostic odds ratio (DOR)",
    question="How many times higher are the odds of a positive label among positives than among negatives?",
    aliases=("dor",),
    expression="tp * tn / (fp * fn)",
    log_limits=log_odds_ratio,
    formula=r"\frac{TP\cdot TN}{FP\cdot FN}",
    undefined="TP x TN and FP x FN are both 0",
    misleads="Very different pairs of sensitivity and specificity share one odds ratio.",
    references=("Glas et al. (2003), J Clin Epidemiol 56:1129, The diagnostic odds ratio",),
    example=30 * 140 / (20 * 10),
)
