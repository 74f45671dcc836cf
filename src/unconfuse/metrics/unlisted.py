"""Metrics that some fields use: computed where they are asked for by name, and not listed among all others."""

from __future__ import annotations

import numpy as np

from unconfuse.metrics import probability
from unconfuse.metrics._count_expressions import CLINIC, decision
from unconfuse.metrics._metric import made, ratio
from unconfuse.metrics._tie_blocks import at_prevalence, totals
from unconfuse.metrics.bounds import by_corners
from unconfuse.metrics.influence_functions import InfluenceFunction, log_skill_spread
from unconfuse.metrics.probability import probability_metric
from unconfuse.table import Array, Counts, ScoreTable

gilbert_skill_score = decision(
    "gilbert_skill_score",
    label="Gilbert skill score (equitable threat score)",
    question="Of the cases that are positive or labelled positive, what share is both, beyond chance?",
    aliases=("equitable_threat_score", "gss", "ets"),
    expression="(tp * tn - fp * fn) / (total * (fp + fn) + (tp * tn - fp * fn))",
    range=(-1 / 3, 1.0),
    formula=r"\frac{TP-a}{TP+FP+FN-a},\ a=\frac{(TP+FP)(TP+FN)}{n}",
    undefined="all cases lie in one class and get its label",
    misleads="It is kappa/(2 - kappa): it says no more than Cohen's kappa (the Heidke skill score), on another scale.",
    references=(
        "Gilbert (1884), American Meteorological Journal 1:166",
        "Schaefer (1990), Weather and Forecasting 5:570",
    ),
    example=(30 * 140 - 20 * 10) / (200 * 30 + 30 * 140 - 20 * 10),
)


def _d_prime(counts: Counts) -> Array:
    from unconfuse._scipy_special import ndtri  # SciPy, which few need here

    with np.errstate(invalid="ignore"):  # both rates may be 0, or both 1
        return np.asarray(ndtri(ratio(counts.tp, counts.positives)) - ndtri(ratio(counts.fp, counts.negatives)))


d_prime = made(
    "d_prime",
    _d_prime,
    CLINIC,
    label="d' (sensitivity index)",
    question="How many standard deviations apart are both classes, if scores are normal and alike in spread?",
    aliases=("dprime", "sensitivity_index"),
    bounds=by_corners,
    depends_on_prevalence=False,
    formula=r"\Phi^{-1}(TPR)-\Phi^{-1}(FPR)",
    undefined="a class is empty, or both rates are 0, or both are 1",
    misleads="It is the same at all thresholds only if both classes are normal with equal spread; a rate of 0 or 1 "
    "makes it infinite.",
    references=("Green & Swets (1966), Signal Detection Theory and Psychophysics",),
    example=0.6744897501960817 + 1.1503493803760079,
)


def _mutual_information(counts: Counts) -> Array:
    """Sum over the four cells of p log(p / what margins alone would give); an empty cell adds nothing."""
    total = counts.total
    cells = (
        (counts.tp, counts.positives, counts.labelled_positive),
        (counts.fp, counts.negatives, counts.labelled_positive),
        (counts.fn, counts.positives, counts.labelled_negative),
        (counts.tn, counts.negatives, counts.labelled_negative),
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [
            np.where(np.asarray(own) > 0, ratio(own, total) * np.log(ratio(own * total, a * b)), 0.0)
            for own, a, b in cells
        ]
    return np.where(np.asarray(total) > 0, np.maximum(sum(parts), 0.0), np.nan)


mutual_information = made(
    "mutual_information",
    _mutual_information,
    CLINIC,
    label="Mutual information",
    question="How much does a label tell about the truth, in nats (ln 2 is all of one yes-or-no question)?",
    aliases=("mutual_info_score", "transinformation"),
    range=(0.0, float(np.log(2))),
    formula=r"\sum_{ij} p_{ij} \ln\frac{p_{ij}}{p_{i\cdot}\,p_{\cdot j}}",
    undefined="there are no cases",
    misleads="It is never below 0, so few cases show more than there is; a label that is always wrong tells as much as "
    "one that is always right. It cannot exceed the entropy of the prevalence.",
    references=("Shannon (1948), Bell System Technical Journal 27:379", "MacKay (2003), Information Theory, chapter 8"),
    example=float(
        0.15 * np.log(0.15 / (0.2 * 0.25))
        + 0.1 * np.log(0.1 / (0.8 * 0.25))
        + 0.05 * np.log(0.05 / (0.2 * 0.75))
        + 0.7 * np.log(0.7 / (0.8 * 0.75))
    ),
)


def _expected(table: ScoreTable) -> Array:
    weight = table.positives + table.negatives
    return np.asarray((weight * table.score).sum(axis=-1))


def _observed_expected(table: ScoreTable) -> Array:
    return ratio(totals(table)[0], _expected(table))


def _observed_expected_influence(table: ScoreTable) -> InfluenceFunction:
    """Compute the influence: a case adds itself to the observed, and its probability x ratio to the expected."""
    value, expected = _observed_expected(table), _expected(table)[..., None]
    stated = value[..., None] * table.score
    return InfluenceFunction(table, value, ratio(1 - stated, expected), ratio(-stated, expected))


observed_expected_ratio = probability_metric(
    "observed_expected_ratio",
    label="Observed/expected ratio",
    question="How many positives are there for each one that the probabilities announce?",
    aliases=("o_e_ratio", "o/e"),
    function=_observed_expected,
    influence=_observed_expected_influence,
    bounds=None,
    range=(0.0, np.inf),
    better="neither",
    formula=r"\frac{P}{\sum_i s_i}",
    undefined="no positive is announced: all stated probabilities are 0",
    misleads="1 is right on average, not for single cases: predicting the prevalence for every case has 1.",
    references=("Debray et al. (2017), BMJ 356:i6460, A guide to systematic review and meta-analysis",),
    example=2 / 1.8,
)


def _entropy(positives: Array, negatives: Array) -> Array:
    n = positives + negatives
    shares = ratio(positives, n), ratio(negatives, n)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = -shares[0] * np.log(shares[0]) - shares[1] * np.log(shares[1])
    return np.where(found > 0, found, np.nan)  # of one class it is 0 x infinity


def _log_loss_skill(table: ScoreTable) -> Array:
    return 1 - ratio(probability.log_loss(table), _entropy(*totals(table)))


def _log_loss_skill_influence(table: ScoreTable) -> InfluenceFunction:
    """By what a case adds to the log loss, and what its class does to the entropy of the prevalence."""
    positives, negatives = (total[..., None] for total in totals(table))
    n, loss = positives + negatives, probability.log_loss(table)[..., None]
    entropy, slope = _entropy(positives, negatives), np.log(ratio(negatives, positives))
    with np.errstate(divide="ignore", invalid="ignore"):
        own, other = -np.log(table.score) - loss, -np.log1p(-table.score) - loss
    own, other = (  # what never happened may have been called impossible
        np.where((weight > 0) | np.isfinite(each), each, 0.0)
        for each, weight in ((own, table.positives), (other, table.negatives))
    )
    moved = loss / entropy**2 * slope / n
    return InfluenceFunction(
        table,
        _log_loss_skill(table),
        -own / (n * entropy) + moved * negatives / n,
        -other / (n * entropy) - moved * positives / n,
    )


log_loss_skill = probability_metric(
    "log_loss_skill",
    label="Log-loss skill score",
    question="How much less surprising is the truth than if the prevalence were stated for everyone?",
    aliases=("log_loss_skill_score", "d2_log_loss_score", "mcfadden_r2"),
    function=_log_loss_skill,
    influence=_log_loss_skill_influence,
    spread=log_skill_spread,
    interval="mean_loss",
    bounds=None,
    range=(-np.inf, 1.0),
    formula=r"1-\frac{\mathrm{log\ loss}}{-\pi\ln\pi-(1-\pi)\ln(1-\pi)}",
    chance=lambda prevalence, queue_rate: at_prevalence(0 * prevalence, queue_rate),
    undefined="one of the classes is empty",
    misleads="The prevalence in it is that of these data, which no forecaster knew beforehand; one certain error makes "
    "it minus infinity.",
    references=(
        "Good (1952), Journal of the Royal Statistical Society B 14:107",
        "McFadden (1974), Frontiers in Econometrics",
    ),
    example=float(1 - -np.log([0.8, 0.4, 0.3, 0.9]).mean() / np.log(2)),
)
