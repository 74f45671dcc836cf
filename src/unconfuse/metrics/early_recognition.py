"""Metrics of early recognition and of detection: BEDROC, and the least cost over all thresholds."""

from __future__ import annotations

from functools import partial

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._validate import check_number, check_probability, public_api
from unconfuse.metrics._metric import Metric, ratio
from unconfuse.metrics._tie_blocks import EMPTY_CLASS, constant, rank_metric
from unconfuse.table import Array, ScoreTable

_USUAL_ALPHA = 20.0
_MOST_ALPHA = 300.0  # beyond, exponentials of the formula leave what doubles can hold


@public_api
def bedroc(alpha: float = _USUAL_ALPHA) -> Metric:
    """Boltzmann-enhanced discrimination of ROC: early positives count exponentially more.

    With alpha 20, the first 8% of the list make 80% of the value. A tie counts as if lots were drawn, on average.

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> round(bedroc(20)(PHOTOS).item(), 4)
    0.9934
    """
    rate = check_number(alpha, "alpha")
    if not 0 < rate <= _MOST_ALPHA:
        hint = "20 is usual; 160.9 looks at the first 1% of the list."
        raise ArgumentError(f"`alpha` must be above 0 and at most {_MOST_ALPHA:g}; got {rate:g}. Hint: {hint}")
    return rank_metric(
        f"bedroc({rate:g})",
        label=f"BEDROC (alpha {rate:g})",
        question="How early in the list do the positives come, if early places count far more?",
        function=partial(_bedroc, rate),
        formula=rf"\frac{{\mathrm{{RIE}}-\mathrm{{RIE}}_{{min}}}}{{\mathrm{{RIE}}_{{max}}-\mathrm{{RIE}}_{{min}}}},"
        rf"\ \mathrm{{RIE}}\propto\sum_i e^{{-\alpha r_i/n}},\ \alpha={rate:g}",
        misleads="Chance is not 1/2 and depends on alpha and on the prevalence: compare it only between lists with the "
        "same share of positives.",
        references=("Truchon & Bayly (2007), J. Chem. Inf. Model. 47:488",),
        example=_photos_bedroc() if rate == _USUAL_ALPHA else None,
    )


def _bedroc(rate: float, table: ScoreTable) -> Array:
    """Scale the mean of exp(-rate x place/n) over the positives from the least to the most that it can be."""
    weight = table.positives + table.negatives
    n = weight.sum(axis=-1, keepdims=True)
    positives = table.positives.sum(axis=-1)
    share = ratio(positives, n[..., 0])
    before, unit = np.cumsum(weight, axis=-1) - weight, rate / n
    # mean of exp(-unit x place) over a block's places, up to a factor that all cases share: the mean over everyone has
    # it too, so it is left out of both, and weights may have any scale
    block = ratio(-np.expm1(-unit * weight), np.maximum(weight, 1e-300)) * np.exp(-unit * before)
    mean = ratio((table.positives * block).sum(axis=-1), positives)
    everyone = -np.expm1(-rate) / n[..., 0]
    enhanced = ratio(mean, everyone)  # RIE
    least = ratio(np.expm1(rate * share), share * np.expm1(rate))
    most = ratio(-np.expm1(-rate * share), share * -np.expm1(-rate))
    both = (share > 0) & (share < 1)
    return np.asarray(np.where(both, ratio(enhanced - least, most - least), np.nan))


def _photos_bedroc() -> float:
    """Places 1 and 3 of 4 are positive (see `PHOTOS`), at alpha 20: by Truchon and Bayly's closed formula."""
    alpha, n, share = _USUAL_ALPHA, 4, 0.5
    rie = np.exp(-alpha * np.array([1, 3]) / n).mean() * n * (np.exp(alpha / n) - 1) / (1 - np.exp(-alpha))
    scale = share * np.sinh(alpha / 2) / (np.cosh(alpha / 2) - np.cosh(alpha / 2 - alpha * share))
    return float(rie * scale + 1 / (1 - np.exp(alpha * (1 - share))))


@public_api
def min_detection_cost(prior: float = 0.01, miss: float = 1.0, false_alarm: float = 1.0) -> Metric:
    """Measure the least detection cost over all thresholds, as a share of the better blind decision's (NIST's minDCF).

    Parameters
    ----------
    prior : float
        Share of positives where the detector will be used.
    miss, false_alarm : float
        What a missed positive and a false alarm cost.

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> min_detection_cost(.5)(PHOTOS).item()
    0.5
    """
    share = check_probability(prior, "prior", open_interval=True)
    costs = [check_number(each, name) for each, name in ((miss, "miss"), (false_alarm, "false_alarm"))]
    if min(costs) <= 0:
        raise ArgumentError(f"`miss` and `false_alarm` must be above 0; got {costs[0]:g} and {costs[1]:g}.")
    more = "" if costs == [1.0, 1.0] else f", miss={costs[0]:g}, false_alarm={costs[1]:g}"
    return rank_metric(
        f"min_detection_cost({share:g}{more})",
        label=f"Least detection cost (prior {share:g})",
        question="What share of a blind decision's cost is left at the best threshold?",
        function=partial(_least_cost, share * costs[0], (1 - share) * costs[1]),
        straight=True,
        better="lower",
        chance=constant(1.0),
        depends_on_prevalence=False,
        formula=r"\min_r \frac{c_m\pi\,\mathrm{FNR}(r)+c_f(1-\pi)\,\mathrm{FPR}(r)}{\min(c_m\pi, c_f(1-\pi))}",
        undefined=EMPTY_CLASS,
        misleads="The threshold is chosen on the data it is measured on, so it is optimistic: see `threshold_card`.",
        references=("Martin & Przybocki (2000), Digital Signal Processing 10:1, The NIST 1999 evaluation",),
        example=0.5,
    )


def _least_cost(missed: float, alarmed: float, table: ScoreTable) -> Array:
    """Over all thresholds, the one beyond the highest score included."""
    rates = [
        ratio(np.cumsum(each, axis=-1), each.sum(axis=-1, keepdims=True)) for each in (table.positives, table.negatives)
    ]
    found = missed * (1 - rates[0]) + alarmed * rates[1]
    blind = np.full(found.shape[:-1], missed)  # nobody is labelled positive
    best = np.minimum(found.min(axis=-1), blind) if found.shape[-1] else blind
    unknown = np.isnan(found).any(axis=-1) if found.shape[-1] else np.ones(found.shape[:-1], dtype=np.bool_)
    return np.asarray(np.where(unknown, np.nan, best / min(missed, alarmed)))
