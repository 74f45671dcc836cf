"""Populations whose positives end somewhere: B is followed past the lowest of them."""

import numpy as np
import pytest
from scipy import stats

import unconfuse as uc
from unconfuse.indistinguish import find_crossing

PAIRS = {
    "lognormal": (stats.lognorm(1), stats.lognorm(1)),
    "Pareto": (stats.pareto(2), stats.pareto(2)),
    "exponential": (stats.expon(), stats.expon()),
    "gamma": (stats.gamma(2), stats.gamma(1.5)),
    "Weibull": (stats.weibull_min(0.7), stats.weibull_min(1.5)),
    "chi squared": (stats.chi2(1), stats.chi2(3)),
    "Levy": (stats.levy(), stats.levy()),
    "uniform": (stats.uniform(), stats.uniform(0, 2)),
    "beta": (stats.beta(2, 1), stats.beta(1, 3)),
    "t": (stats.t(2), stats.t(2)),
    "generalized Pareto": (stats.genpareto(0.6), stats.genpareto(0.1)),
}


def by_quantiles(positive, negative, shift, prevalence, level, n=100_001):
    """The same from evenly spaced quantiles of both classes, as a sample."""
    q = (np.arange(n) + 0.5) / n
    scores = np.concatenate([positive.ppf(q) + shift, negative.ppf(q)])
    weights = np.repeat([prevalence, 1 - prevalence], n)
    return find_crossing(uc.ScoreTable.from_rows(np.arange(2 * n) < n, scores, weights), level)


@pytest.mark.parametrize("level", [0.4, 0.5, 0.6])
@pytest.mark.parametrize("auroc", [0.55, 0.85, 0.97])
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.filterwarnings("error")
def test_the_crossing_agrees_with_quantiles(pair, auroc, level):
    model = uc.Distributions(*PAIRS[pair])
    shift = model.shift_for(auroc)
    found = model.population(shift).indistinguishability_crossing(0.1, level)
    wanted = by_quantiles(*PAIRS[pair], shift, 0.1, level)
    assert found.precision == pytest.approx(wanted.mixed_precision, abs=5e-4, nan_ok=True)
    if wanted.exists:
        assert found.threshold == pytest.approx(wanted.below.threshold, rel=5e-3, abs=5e-3)


def test_below_all_positives_only_the_auroc_matters():
    population = uc.Distributions(stats.expon(1, 0.3), stats.expon()).population(0)
    for prevalence in (0.02, 0.1, 0.5):
        found = population.indistinguishability_crossing(prevalence)
        assert found.false_positive_rate == pytest.approx(2 * (1 - population.auroc))
        assert (found.threshold, found.sensitivity) == (pytest.approx(0.5692170839), 1.0)
    assert population.indistinguishability_crossing(0.5).precision == pytest.approx(0.6385825017)


def test_uniform_scores_have_a_threshold_there():
    found = uc.Uniform(width=0.2).population(0.7).indistinguishability_crossing(0.3)
    assert found.threshold == pytest.approx(1 - found.false_positive_rate)


def test_it_is_missing_only_below_an_auroc_of_one_half():
    model = uc.Distributions(stats.pareto(2), stats.pareto(2))
    assert np.isnan(model.population_at(0.49).indistinguishability_crossing(0.1).precision)
    assert model.population_at(0.5).indistinguishability_crossing(0.1).precision == pytest.approx(0.1, abs=1e-6)
