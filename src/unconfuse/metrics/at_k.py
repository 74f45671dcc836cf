"""Metrics of the top of the ranking: the best threshold's F1 and MCC, and the precision among the first k cases."""

from __future__ import annotations

from functools import partial

import numpy as np

from unconfuse._deprecated import renamed_parameters
from unconfuse._errors import ArgumentError
from unconfuse._validate import check_number, check_probability, public_api
from unconfuse.metrics import bounds
from unconfuse.metrics._metric import Metric, ratio
from unconfuse.metrics._tie_blocks import EMPTY_CLASS, at_prevalence, constant, rank_metric, totals
from unconfuse.metrics.influence_functions import f_beta_influence
from unconfuse.table import Array, ScoreTable

_MANNING = "Manning, Raghavan & Schuetze (2008), Introduction to Information Retrieval, section 8.4"
_CHOSEN = "The threshold is chosen on the data it is measured on, so the value is optimistic: see `threshold_card`."

max_f1 = rank_metric(
    "max_f1",
    label="Largest F1 over thresholds",
    question="How good can precision and sensitivity together be at the best threshold?",
    influence=f_beta_influence,
    interval="bias_corrected",
    straight=True,
    bounds=bounds.by_best_threshold,
    formula=r"\max_r\,\frac{2\,TP(r)}{P+TP(r)+FP(r)}",
    chance=lambda prevalence, queue_rate: at_prevalence(2 * prevalence / (1 + prevalence), queue_rate),
    misleads=_CHOSEN + " Labelling every case positive already gives 2 x prevalence/(1 + prevalence).",
    references=("Lipton, Elkan & Naryanaswamy (2014), ECML PKDD, Optimal thresholding to maximize F1",),
    example=4 / 5,
)

max_mcc = rank_metric(
    "max_mcc",
    label="Largest MCC over thresholds",
    question="How strongly can labels and truth go together at the best threshold?",
    straight=True,
    bounds=bounds.by_best_correlation,
    formula=r"\max_r\,\mathrm{MCC}(r)",
    interval="searched",
    range=(-1.0, 1.0),
    chance=constant(0.0),
    undefined="a class is empty, or all scores are the same, so every threshold labels all cases alike",
    misleads=_CHOSEN,
    references=("Matthews (1975), Biochimica et Biophysica Acta 405:442",),
    example=1 / np.sqrt(3),
)


def _true_positives_among(table: ScoreTable, size: Array) -> Array:
    """Count the expected true positives among the `size` best cases; a block across the edge counts in proportion."""
    weight = table.positives + table.negatives
    labelled = np.cumsum(weight, axis=-1)
    whole = np.count_nonzero(labelled <= size[..., None], axis=-1)  # blocks that lie within the list
    edge = np.minimum(whole, weight.shape[-1] - 1)[..., None]
    tp = np.cumsum(table.positives[..., : int(edge.max()) + 1], axis=-1)
    own, beside, end, found = (
        np.take_along_axis(each, edge, axis=-1)[..., 0] for each in (table.positives, weight, labelled, tp)
    )
    left_out = np.clip(ratio(end - size, beside), 0.0, 1.0)  # of the block at the edge
    return np.asarray(found - np.where(beside > 0, left_out * own, 0.0))


def _precision_among(k: float, share: bool, table: ScoreTable) -> Array:
    """Precision among the k best cases, or among that share of the cases."""
    cases = np.add(*totals(table))
    size = k * cases if share else np.full(np.shape(cases), k)
    size = np.where(size <= cases * (1 + 1e-12), size, np.nan)
    with np.errstate(invalid="ignore"):
        return ratio(_true_positives_among(table, size), size)


break_even_precision = rank_metric(
    "break_even_precision",
    label="Break-even (balanced) precision",
    question="How precise is the list that is as long as there are positives (where precision = recall)?",
    aliases=("r_precision",),
    straight=True,
    formula=r"C(r)=\mathrm{TPR}(r)\ \mathrm{where}\ TP(r)+FP(r)=P",
    chance=at_prevalence,
    misleads="It assumes a list exactly as long as there are positives. A tie block at its end counts in proportion "
    "(the mean over random orders of the tied cases).",
    references=(_MANNING + ": R-precision",),
    example=1 / 2,
)


@public_api
def precision_at_k(k: float) -> Metric:
    """Precision among the k best cases; k is a count, or a share of the cases if it is below 1.

    A tie block at the edge counts in proportion: the mean over random orders of the tied cases.

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> precision_at_k(3)(PHOTOS).round(3).item(), precision_at_k(.5)(PHOTOS).item()
    (0.667, 0.5)
    """
    size = check_number(k, "k")
    if size <= 0:
        hint = "Hint: 100 means 100 cases, and 0.1 the top 10%."
        raise ArgumentError(f"`k` must be above 0; got {size:g}. {hint}")
    if size > 1 and size != int(size):
        raise ArgumentError(f"`k` must be a whole number of cases or a share below 1; got {size:g}.")
    share = size < 1
    words = f"best {size:.4g} share" if share else f"{size:g} best cases"
    return rank_metric(
        f"precision_at_k({size:g})",
        label=f"Precision among the {words}",
        question=f"What share of the {words} is positive?",
        function=partial(_precision_among, size, share),
        formula=rf"\frac{{TP}}{{k}},\ k={size:g}" + (r"\,n" if share else ""),
        chance=at_prevalence,
        undefined=f"{EMPTY_CLASS}, or there are fewer than {size:g} cases",
        misleads="It ignores the rest of the list, and cannot reach 1 when k exceeds the number of positives.",
        references=(_MANNING,),
    )


@renamed_parameters(share="fraction")
@public_api
def lift_at(fraction: float) -> Metric:
    """How many times more positives the best share of the cases holds than a random share.

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> lift_at(.25)(PHOTOS).item()
    2.0
    """
    q = check_probability(fraction, "fraction")
    if q == 0:
        raise ArgumentError("`fraction` must be above 0. Hint: 0.1 means the top 10% of the cases.")
    return rank_metric(
        f"lift_at({q:g})",
        label=f"Lift in the best {q:.4g}",
        question=f"How many times more positives does the best {q:.4g} of the cases hold than a random {q:.4g}?",
        function=partial(_lift, q),
        formula=rf"\frac{{C_q}}{{\pi}},\ q={q:g}",
        range=(0.0, np.inf),
        chance=constant(1.0),
        misleads="Its largest possible value is 1/prevalence or 1/fraction, whichever is smaller.",
        references=("Berry & Linoff (1999), Mastering Data Mining, chapter 4",),
    )


def _lift(share: float, table: ScoreTable) -> Array:
    positives, negatives = totals(table)
    return ratio(_precision_among(share, True, table) * (positives + negatives), positives)
