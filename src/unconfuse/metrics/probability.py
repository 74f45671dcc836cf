"""Metrics of probabilities: are the scores, taken at their word, close to the truth? Scores must lie in [0, 1]."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from unconfuse import _kernels
from unconfuse._errors import ArgumentError, InputError
from unconfuse._validate import check_bins, check_choice, check_number, public_api
from unconfuse.metrics import bounds
from unconfuse.metrics._metric import Example, Metric, made, ratio
from unconfuse.metrics._tie_blocks import PHOTOS, at_prevalence, totals
from unconfuse.metrics.influence_functions import (
    brier_influence,
    brier_spread,
    clipped_log_loss_spread,
    log_loss_spread,
    losses_of,
    skill_spread,
)
from unconfuse.table import AT_A_TIME, Array, ScoreTable, fractions, remembered

_GUO = "Guo et al. (2017), ICML, On calibration of modern neural networks"
EPS = 2.0**-52  # of double numbers: to which scikit-learn clips
Index = np.typing.NDArray[np.intp]


def check_probabilities(table: ScoreTable) -> Array:
    """Return the scores after checking that all of them can be probabilities."""
    score, top = table.score, table.upper_edges[:1].max(initial=0.0)
    if len(score) and (top > 1 or score[-1] < 0):
        raise InputError(
            f"the scores are not probabilities: they run from {score[-1]:.4g} to {top:.4g}, and probabilities lie "
            "in [0, 1]. Hint: apply the model's own link (for log-odds 1/(1 + exp(-s))) or calibrate first; scores are "
            "never squashed silently."
        )
    return score


def probability_metric(name: str, *, function: Callable[[ScoreTable], Any], **declared: Any) -> Metric:
    """Declare a metric of probabilities; scores outside [0, 1] are refused."""

    def checked(table: ScoreTable) -> Array:
        check_probabilities(table)
        return np.asarray(function(table))

    usual = {"of": "probabilities", "undefined": "there are no cases", "bounds": bounds.by_extremes}
    return made(name, checked, PHOTOS, **(usual | declared))


def _mean(table: ScoreTable, of_positive: Array, of_negative: Array) -> Array:
    """Mean over all cases of a loss at each score."""
    positives, negatives = totals(table)
    each = (table.positives, of_positive), (table.negatives, of_negative)
    total = sum(np.einsum("...k,k->...", weight, loss) for weight, loss in each)  # BLAS would start threads
    return ratio(total, positives + negatives)


def _mean_of_one(table: ScoreTable, *, logarithmic: bool, floor: float = 0.0) -> Array:
    """Return the mean loss over all cases of one table, from moments that its interval shares."""
    losses = losses_of(table, logarithmic=logarithmic, floor=floor)
    own = losses.positive_over_positives, losses.negative_over_negatives
    return ratio(sum(each.weight * each.mean for each in own), table.n)


def _brier(table: ScoreTable) -> Array:
    """Mean squared error of the probabilities."""
    if table.is_single_table:
        return _mean_of_one(table, logarithmic=False)
    return _mean(table, (1 - table.score) ** 2, table.score**2)


brier = probability_metric(
    "brier",
    label="Brier score",
    question="How large is the squared difference between the stated probability and the truth (0 or 1)?",
    aliases=("brier_score", "brier_score_loss", "brier_class"),
    influence=brier_influence,
    spread=brier_spread,
    interval="mean_loss",
    range=(0.0, 1.0),
    better="lower",
    formula=r"\frac1n\sum_i (s_i-y_i)^2",
    chance=lambda prevalence, queue_rate: at_prevalence(prevalence * (1 - prevalence), queue_rate),
    misleads="It is small whenever positives are rare: compare it with its baseline, prevalence x (1 - prevalence).",
    references=("Brier (1950), Monthly Weather Review 78:1",),
    example=(0.04 + 0.36 + 0.49 + 0.01) / 4,
    function=_brier,
)


def _brier_skill(table: ScoreTable) -> Array:
    """1 - Brier score/Brier score of the prevalence."""
    positives, negatives = totals(table)
    worst = ratio(positives, positives + negatives) * ratio(negatives, positives + negatives)
    return 1 - ratio(_brier(table), np.where(worst > 0, worst, np.nan))


brier_skill = probability_metric(
    "brier_skill",
    label="Brier skill score",
    question="How much better are the probabilities than stating the prevalence for every case?",
    aliases=("brier_skill_score",),
    spread=skill_spread,
    interval="mean_loss",
    range=(-np.inf, 1.0),
    formula=r"1-\frac{\mathrm{Brier}}{\pi(1-\pi)}",
    chance=lambda prevalence, queue_rate: at_prevalence(0 * prevalence, queue_rate),
    undefined="one of the classes is empty",
    misleads="The prevalence in it is that of these data, which no forecaster knew beforehand.",
    references=("Murphy (1973), Journal of Applied Meteorology 12:595",),
    example=1 - 0.225 / 0.25,
    function=_brier_skill,
)


def _log_loss(table: ScoreTable) -> Array:
    """Mean negative log-likelihood; infinite when something happened that was stated to be impossible."""
    if table.is_single_table:
        return _mean_of_one(table, logarithmic=True)
    with np.errstate(divide="ignore"):
        surprises = -np.log(table.score), -np.log1p(-table.score)
    if table.score.size and (table.score[0] == 1 or table.score[-1] == 0):
        return _with_certainties(table, *surprises)
    return _mean(table, *surprises)


log_loss = probability_metric(
    "log_loss",
    label="Log loss (cross-entropy)",
    question="How surprising is the truth, given the stated probabilities (in nats)?",
    aliases=("cross_entropy", "logloss", "mn_log_loss"),
    spread=log_loss_spread,
    interval="mean_loss",
    range=(0.0, np.inf),
    better="lower",
    formula=r"-\frac1n\sum_i\left[y_i\ln s_i+(1-y_i)\ln(1-s_i)\right]",
    chance=lambda prevalence, queue_rate: at_prevalence(_entropy(prevalence), queue_rate),
    misleads="One positive with a stated probability of 0 makes it infinite; other tools hide that by clipping scores: "
    "`clipped_log_loss()` is their number.",
    references=("Good (1952), Journal of the Royal Statistical Society B 14:107",),
    example=-np.log(0.8 * 0.4 * 0.3 * 0.9) / 4,
    function=_log_loss,
)


@public_api
def clipped_log_loss(eps: float = EPS) -> Metric:
    """Log loss with the probabilities moved into [eps, 1 - eps], so that no single case makes it infinite.

    Parameters
    ----------
    eps : float
        scikit-learn's, 2.2e-16, by default: the precision of double numbers. It takes 1.2e-07 for single precision.

    Examples
    --------
    >>> table = ScoreTable(np.array([1., .5, 0]), np.array([1., 1, 1]), np.array([1., 1, 1]))
    >>> log_loss(table).item(), clipped_log_loss()(table).round(3).item(), clipped_log_loss(0.01)(table).round(3).item()
    (inf, 12.246, 1.769)
    """
    floor = check_eps(eps)
    return probability_metric(
        clipped_name(floor),
        label=f"Log loss, clipped at {floor:.3g}",
        question=(
            "How surprising is the truth, given the stated probabilities, none of them nearer to 0 or 1 than "
            "that (in nats)?"
        ),
        spread=partial(clipped_log_loss_spread, floor),
        interval="mean_loss",
        range=(0.0, -np.log(floor)),
        better="lower",
        formula=r"-\frac1n\sum_i\left[y_i\ln s'_i+(1-y_i)\ln(1-s'_i)\right],\ s'_i=\min(\max(s_i,\epsilon),1-\epsilon)",
        chance=lambda prevalence, queue_rate: at_prevalence(_entropy(prevalence), queue_rate),
        misleads=f"A wrong certainty costs {-np.log(floor):.3g} nats, a number that eps chooses and not the model.",
        references=("Good (1952), Journal of the Royal Statistical Society B 14:107",),
        function=partial(_clipped_log_loss, floor),
    )


def check_eps(eps: float) -> float:
    """How far probabilities are moved away from 0 and 1."""
    floor = check_number(eps, "eps")
    if not EPS <= floor < 0.5:
        raise ArgumentError(f"`eps` must be at least {EPS:.3g} and below 0.5; got {floor:g}.")
    return floor


def clipped_name(floor: float) -> str:
    """Return the name that makes the same metric again."""
    return "clipped_log_loss()" if floor == EPS else f"clipped_log_loss({floor!r})"


def _clipped_log_loss(floor: float, table: ScoreTable) -> Array:
    if table.is_single_table:
        return _mean_of_one(table, logarithmic=True, floor=floor)
    score = np.clip(table.score, floor, 1 - floor)
    return _mean(table, -np.log(score), -np.log1p(-score))


def _with_certainties(table: ScoreTable, of_positive: Array, of_negative: Array) -> Array:
    """0 x infinity is 0: an impossible case that never occurred does not count."""
    wrong = (table.positives * (table.score == 0)).sum(axis=-1) + (table.negatives * (table.score == 1)).sum(axis=-1)
    finite = (np.where(np.isfinite(each), each, 0.0) for each in (of_positive, of_negative))
    return np.where(wrong > 0, np.inf, _mean(table, *finite))


def _entropy(prevalence: Array) -> Array:
    from unconfuse._scipy_special import entr

    return np.asarray(entr(prevalence) + entr(1 - prevalence))


@public_api
def ece(n_bins: int = 15, *, binning: str = "equal_width") -> Metric:
    """Measure the expected calibration error: how far stated probabilities are from the shares of positives, over bins.

    Parameters
    ----------
    n_bins : int
    binning : {"equal_width", "equal_mass"}
        Bins (a, b] of equal width (0 belongs to the first), or bins with about as many cases each (a tie block is never
        split: it goes where its middle lies).

    Examples
    --------
    >>> ece(2)(PHOTOS).round(3).item()
    0.25
    """
    bins = check_bins(n_bins)
    words = check_choice(binning, "binning", ("equal_width", "equal_mass")).replace("_", " ")
    return probability_metric(
        f"ece({bins})" if binning == "equal_width" else f"ece({bins}, binning={binning!r})",
        label=f"Expected calibration error ({bins} bins of {words})",
        question="How far are the stated probabilities from the shares of positives, on average over bins?",
        function=partial(_ece, bins, binning),
        bounds=partial(bounds.calibration_error, partial(_possible_bins, bins, binning)),
        noise=partial(_noise, bins, binning),
        bands=partial(_parts_of_bins, bins) if binning == "equal_width" else None,
        range=(0.0, 1.0),
        better="lower",
        formula=rf"\sum_{{b=1}}^{{{bins}}}\frac{{n_b}}{{n}}\left|\bar y_b-\bar s_b\right|",
        misleads="It depends on the bins, is biased upwards in small samples, and 0 if all are given the prevalence.",
        references=(_GUO, "Broecker (2012), Climate Dynamics 39:655"),
    )


_LAST_BITS = 1e-9
_DRAWS = 2000
_PARTS = 8  # of a bin: scores within one then add less than 1% to the variance, down to a prevalence of .001


def bin_totals(table: ScoreTable, n_bins: int, binning: str) -> tuple[Array, Array, Array]:
    """Positives, cases and sum of scores in each bin, arrays of shape (..., n_bins)."""
    if binning == "equal_width":
        return _summed_above(table, _above(table, n_bins))
    if table.is_single_table and table.n > 0:
        return _summed_above(table, above_shares(table, n_bins))
    weight = table.positives + table.negatives
    below = np.cumsum(weight[..., ::-1], axis=-1)[..., ::-1] - weight / 2
    share = ratio(below, weight.sum(axis=-1, keepdims=True))
    # A middle on a border belongs above it, also if sums of fractions end a last bit below it.
    index = np.clip(np.nan_to_num(share * n_bins + _LAST_BITS).astype(np.intp), 0, n_bins - 1)
    return tuple(_sum_by(index, each, n_bins) for each in (table.positives, weight, weight * table.score))  # type: ignore[return-value]


def above_shares(table: ScoreTable, n_bins: int, slack: float = _LAST_BITS) -> Index:
    """How many blocks lie above each inner edge of bins of equal mass, from the highest edge down; see above."""
    starts = np.arange(0, len(table), AT_A_TIME)
    weight = np.add.reduceat(table.positives, starts) + np.add.reduceat(table.negatives, starts)
    below = np.append(np.cumsum(weight[::-1])[::-1], 0.0)  # each of the stretches in which edges are looked for
    found = []
    for edge in range(n_bins - 1, 0, -1):
        stretch = max(int(np.searchsorted(-below, -(edge - slack) * below[0] / n_bins, side="right")) - 1, 0)
        rows = slice(starts[stretch], starts[stretch] + AT_A_TIME)
        own = table.positives[rows] + table.negatives[rows]
        middle = below[stretch + 1] + np.cumsum(own[::-1])[::-1] - own / 2
        found.append(starts[stretch] + np.count_nonzero(middle / below[0] * n_bins + slack >= edge))
    return np.array(found, dtype=np.intp)


def _summed_above(table: ScoreTable, above: Index) -> tuple[Array, Array, Array]:
    """Sum over bins, which are runs of neighbouring scores; the highest scores come first, the highest bin last."""
    sums = _kernels.band_sums(table.score, table.positives, table.negatives, np.append(0, above))
    positives, negatives, score = (each[..., ::-1] for each in sums)
    return positives, positives + negatives, score


def _above(table: ScoreTable, n_bins: int) -> Index:
    """How many blocks lie above each inner edge, from the highest edge down."""
    return len(table) - np.searchsorted(table.score[::-1], _inner_edges(n_bins)[::-1], side="right")


def _parts_of_bins(n_bins: int, table: ScoreTable) -> Index:
    """Return the last block of each part of a bin: what matters of a case is its label, hardly where in it it lies."""
    above = np.append(_above(table, n_bins * _PARTS), len(table))
    return np.unique(above[above > 0]) - 1


def _inner_edges(n_bins: int) -> Array:
    return fractions(1, n_bins - 1, n_bins)


def _possible_bins(n_bins: int, binning: str, table: ScoreTable) -> tuple[Index, Index, int]:
    """Return the first and the last bin that a case of each block of a binned table can lie in."""
    if binning == "equal_width":
        edges = _inner_edges(n_bins)
        return np.searchsorted(edges, table.score), np.searchsorted(edges, table.upper_edges), n_bins
    weight = table.positives + table.negatives
    below = np.cumsum(weight[::-1])[::-1]
    middle, room = below - weight / 2, np.where(table.upper_edges == table.score, 0.0, weight / 2)
    shares = (n_bins * ratio(middle + side * room, weight.sum()) + side * _LAST_BITS for side in (-1, 1))
    first, last = (np.clip(np.floor(share).astype(np.intp), 0, n_bins - 1) for share in shares)
    return first, last, n_bins


def _sum_by(index: Index, values: Array, n_bins: int) -> Array:
    """Sum over the last axis by bin, for each replicate."""
    shape = values.shape[:-1]
    rows = int(np.prod(shape))
    flat = (index.reshape(rows, -1) + n_bins * np.arange(rows)[:, None]).reshape(-1)
    sums: Array = np.bincount(flat, weights=values.reshape(-1), minlength=rows * n_bins).astype(np.float64, copy=False)
    return sums.reshape(*shape, n_bins)


def _ece(n_bins: int, binning: str, table: ScoreTable) -> Array:
    positives, weight, score = bin_totals(table, n_bins, binning)
    return ratio(np.abs(positives - score).sum(axis=-1), weight.sum(axis=-1))


def _noise(n_bins: int, binning: str, table: ScoreTable, share: float = 0.0) -> Array:
    """Draw calibration errors of other cases if this share of each bin's gap is real, and the rest is chance.

    Without a share the forecasts are right: in each bin as many positives come true as chance lets. The squares of the
    errors that were made are the least that is allowed for: rare surprises are more than normal noise shows.
    """
    totals_of = partial(bin_totals, table, n_bins, binning)
    positives, weight, score = remembered(table, ("bins", n_bins, binning), totals_of)  # many shares are tried
    gap = positives - score
    rate, observed = ratio(score + share * gap, weight), ratio(positives, weight)
    seen = observed * (1 - observed) + ratio(gap, weight) ** 2
    spread = np.sqrt(np.nan_to_num(weight * np.maximum(rate * (1 - rate), seen)))
    return np.asarray(np.abs(share * gap + _draws(n_bins) * spread).sum(axis=1) / weight.sum())


@lru_cache(maxsize=4)
def _draws(n_bins: int) -> Array:
    """Draw the noise of each bin, the same for every share that is tried, so that more of it is never less."""
    return np.random.default_rng(0).standard_normal((_DRAWS, n_bins))


ece_15 = ece().with_fields(name="ece", example=Example(PHOTOS, 0.4))
