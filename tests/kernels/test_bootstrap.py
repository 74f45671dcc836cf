from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from unconfuse._kernels import (
    RANK_METRICS,
    bootstrap_ranks,
    bootstrap_rows,
    bootstrap_tables,
    collapse,
    placement_moments,
    rank_metrics,
)

DESIGNS = ("case-control", "cohort")
block = st.tuples(st.integers(0, 3), st.integers(0, 5))
rarely_negative = st.tuples(st.integers(0, 3), st.sampled_from([0, 0, 0, 0, 0, 0, 0, 2]))
tables = (st.lists(block, min_size=1, max_size=30) | st.lists(rarely_negative, min_size=1, max_size=30)).map(
    lambda blocks: np.array(blocks, dtype=float).T.copy()
)


def some_table(n=2000, prevalence=0.1, decimals=16, seed=1):
    rng = np.random.default_rng(seed)
    is_positive = rng.random(n) < prevalence
    return collapse(np.round(rng.normal(size=n) + is_positive, decimals), is_positive)[1:]


@settings(max_examples=60, deadline=None)
@given(tables, st.sampled_from(DESIGNS), st.integers(0, 2**64 - 1))
def test_ranks_and_tables_are_the_same_replicates(table, design, seed):
    """The coarse path, its shortcuts included, gives what the full tables give."""
    drawn = bootstrap_tables(*table, seed=seed, count=20, design=design)
    expected = rank_metrics(*drawn)
    got = bootstrap_ranks(*table, seed=seed, count=20, design=design, metrics=RANK_METRICS)
    for name in RANK_METRICS:
        np.testing.assert_allclose(got[name], expected[name], rtol=1e-10, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("decimals", [16, 1])
@pytest.mark.parametrize("prevalence", [0.01, 0.5, 0.95, 0.99])
def test_the_same_on_larger_tables(design, decimals, prevalence):
    table = some_table(prevalence=prevalence, decimals=decimals)
    drawn = bootstrap_tables(*table, seed=7, count=30, design=design)
    expected = rank_metrics(*drawn)
    got = bootstrap_ranks(*table, seed=7, count=30, design=design, metrics=RANK_METRICS)
    for name in RANK_METRICS:
        np.testing.assert_allclose(got[name], expected[name], rtol=1e-10, err_msg=name)


@pytest.mark.parametrize("design", DESIGNS)
def test_threads_slices_and_metrics_do_not_show(design):
    table = some_table()
    whole = bootstrap_ranks(*table, seed=3, count=50, design=design, metrics=RANK_METRICS, n_threads=1)
    threaded = bootstrap_ranks(*table, seed=3, count=50, design=design, metrics=RANK_METRICS, n_threads=5)
    sliced = [bootstrap_ranks(*table, seed=3, first=i, count=10, design=design, n_threads=2) for i in range(0, 50, 10)]
    for name in RANK_METRICS:
        np.testing.assert_array_equal(whole[name], threaded[name])
        alone = bootstrap_ranks(*table, seed=3, count=50, design=design, metrics=[name])
        np.testing.assert_allclose(alone[name], whole[name], rtol=1e-14)
    np.testing.assert_array_equal(whole["auroc"], np.concatenate([part["auroc"] for part in sliced]))
    assert not np.array_equal(whole["auroc"], bootstrap_ranks(*table, seed=4, count=50, design=design)["auroc"])


def test_neighbouring_replicates_and_seeds_are_uncorrelated():
    """A seeding that adds a multiple of the replicate to the seed once gave neighbours a correlation of 0.68."""
    table, n = some_table(300), 20_000
    values = bootstrap_ranks(*table, seed=11, count=n)["auroc"]
    other = bootstrap_ranks(*table, seed=12, count=n)["auroc"]
    for lag in (1, 2, 3, 4, 7, 16, 64):
        assert abs(np.corrcoef(values[lag:], values[:-lag])[0, 1]) < 4.5 / math.sqrt(n)
        assert abs(np.corrcoef(other[lag:], values[:-lag])[0, 1]) < 4.5 / math.sqrt(n)
    assert abs(np.corrcoef(values, other)[0, 1]) < 4.5 / math.sqrt(n)
    rows = bootstrap_rows(np.ones(5), seed=11, count=n).astype(float)
    assert np.abs(np.corrcoef(rows[1:].T, rows[:-1].T)[:5, 5:]).max() < 4.8 / math.sqrt(n)


def compositions(total, parts):
    if parts == 1:
        yield (total,)
        return
    for head in range(total + 1):
        for rest in compositions(total - head, parts - 1):
            yield (head, *rest)


def assert_multinomial(draws, weights, total):
    """A chi-square test over all outcomes of a small multinomial."""
    outcomes = list(compositions(total, len(weights)))
    probability = stats.multinomial(total, np.array(weights) / np.sum(weights)).pmf(outcomes)
    place = {outcome: i for i, outcome in enumerate(outcomes)}
    seen = np.bincount([place[tuple(draw)] for draw in draws.astype(int)], minlength=len(outcomes))
    frequent = probability * len(draws) >= 10
    observed = np.append(seen[frequent], seen[~frequent].sum())
    expected = np.append(probability[frequent], probability[~frequent].sum()) * len(draws)
    possible = expected > 0
    assert observed[~possible].sum() == 0
    assert stats.chisquare(observed[possible], expected[possible]).pvalue > 1e-4


@pytest.mark.parametrize("weights", [(1, 1, 1, 1), (1, 2, 3), (5, 1, 0, 2), (0.5, 1.25, 2.25), (9, 3), (1,) * 7])
def test_rows_follow_the_multinomial_law(weights):
    weights = np.array(weights, dtype=float)
    draws = bootstrap_rows(weights, seed=5, count=60_000)
    assert_multinomial(draws, weights, round(weights.sum()))


def test_poissons_follow_the_multinomial_law():
    """Many units: pooled into three groups, the counts of Poissons and top-ups are multinomial too."""
    weights = np.r_[np.ones(30), np.full(5, 4.0), np.arange(1, 11) / 5.5]
    draws = bootstrap_rows(weights, seed=6, count=40_000)
    total = round(weights.sum())
    assert (draws.sum(axis=1) == total).all()
    probability = weights / weights.sum()
    error = (draws.mean(axis=0) - total * probability) / np.sqrt(total * probability * (1 - probability) / len(draws))
    assert stats.chi2.sf(np.sum(error**2) * (1 - 1 / len(weights)), len(weights) - 1) > 1e-4
    for unit in (0, 7, 31, 36, 44):
        ks = np.arange(total + 1)
        expected = stats.binom.pmf(ks, total, probability[unit]) * len(draws)
        seen = np.bincount(draws[:, unit], minlength=total + 1)
        often = expected >= 10
        pooled = np.append(seen[often], seen[~often].sum()), np.append(expected[often], expected[~often].sum())
        assert stats.chisquare(*pooled).pvalue > 1e-4
    pair = draws[:, [0, 31]].astype(float)
    covariance = -total * probability[0] * probability[31]
    spread = np.sqrt(np.var(pair[:, 0]) * np.var(pair[:, 1]) / len(draws))
    assert abs(np.cov(pair.T)[0, 1] - covariance) < 4.5 * spread


@pytest.mark.parametrize("n_units", [2, 40, 3000])
@pytest.mark.parametrize("each", [1, 30, 3000])
def test_marginal_is_binomial_in_every_regime(n_units, each):
    """Tables, rejection and conditional binomials: the first unit, and the sum of a third of all units."""
    weights = np.full(n_units, float(each))
    weights[0] *= 1.5  # total weight stays whole
    weights[-1] *= 0.5
    count = 4000
    draws = bootstrap_rows(weights, seed=8, count=count)
    total = round(weights.sum())
    for members in ([0], list(range(max(1, n_units // 3)))):
        law = stats.binom(total, weights[members].sum() / weights.sum())
        sums = draws[:, members].sum(axis=1).astype(float)
        # the randomised probability integral transform is uniform
        rng = np.random.default_rng(0)
        u = law.cdf(sums - 1) + rng.random(count) * law.pmf(sums)
        assert stats.kstest(u, "uniform").pvalue > 1e-4


@pytest.mark.parametrize("decimals", [16, 1])
@pytest.mark.parametrize("prevalence", [0.05, 0.5, 0.95])
def test_variance_of_auroc_is_the_exact_one(prevalence, decimals):
    table, n = some_table(400, prevalence, decimals), 40_000
    values = bootstrap_ranks(*table, seed=21, count=n, design="case-control", metrics=["auroc"])["auroc"]
    moments = placement_moments(*table)
    p, q = moments.n_positives, moments.n_negatives
    between_cases = (q - 1) * moments.positive_variance + (p - 1) * moments.negative_variance
    sd = math.sqrt((moments.pair_variance + between_cases) / (p * q))
    assert abs(values.mean() - moments.auroc) < 4 * sd / math.sqrt(n)
    assert abs(values.std() / sd - 1) < 4 * math.sqrt((stats.kurtosis(values) + 2) / (4 * n))


@pytest.mark.parametrize("design", DESIGNS)
def test_tables_have_multinomial_moments(design):
    positives, negatives = np.array([1.0, 0, 2, 0, 0, 1, 0]), np.array([3.0, 2, 0, 1, 4, 0, 2])
    count = 40_000
    drawn = bootstrap_tables(positives, negatives, seed=2, count=count, design=design)
    cells, weights = np.concatenate(drawn, axis=1), np.concatenate([positives, negatives])
    strata = np.repeat([0, 1] if design == "case-control" else [0, 0], 7)
    totals = np.array([weights[strata == s].sum() for s in strata])
    np.testing.assert_allclose(cells.mean(axis=0), weights, atol=4.5 * np.sqrt(weights.max() / count))
    same = strata[:, None] == strata[None, :]
    covariance = np.diag(weights) - same * np.outer(weights, weights) / totals
    assert np.abs(np.cov(cells.T) - covariance).max() < 5 * 4 * math.sqrt(2 / count)
    sums = [part.sum(axis=1) for part in drawn]
    assert (sums[0] + sums[1] == weights.sum()).all()
    assert (np.ptp(sums[0]) == 0) == (design == "case-control")


def test_weights_that_are_no_whole_numbers():
    positives, negatives = np.array([0.5, 0, 1.2]), np.array([0.0, 2.9, 0.7])
    drawn = bootstrap_tables(positives, negatives, seed=2, count=20_000, design="cohort")
    assert ((drawn[0] + drawn[1]).sum(axis=1) == round(5.3)).all()
    np.testing.assert_allclose(drawn[0].mean(axis=0), positives * 5 / 5.3, atol=0.05)
    np.testing.assert_allclose(drawn[1].mean(axis=0), negatives * 5 / 5.3, atol=0.05)


def test_replicates_without_a_class_are_nan():
    positives, negatives = np.array([1.0, 0, 0]), np.array([0.0, 1, 1])
    drawn = bootstrap_tables(positives, negatives, seed=1, count=500, design="cohort")
    values = bootstrap_ranks(positives, negatives, seed=1, count=500, design="cohort", metrics=RANK_METRICS)
    empty = (drawn[0].sum(axis=1) == 0) | (drawn[1].sum(axis=1) == 0)
    share = (2 / 3) ** 3 + (1 / 3) ** 3
    assert abs(empty.mean() - share) < 4.5 * math.sqrt(share / 500)
    for name in ("auroc", "average_precision", "auprc_davis_goadrich", "max_f1", "ks"):
        np.testing.assert_array_equal(np.isnan(values[name]), empty)


def test_one_class_or_nothing():
    for table in ((np.ones(3), np.zeros(3)), (np.zeros(3), np.ones(3)), (np.empty(0), np.empty(0))):
        for design in DESIGNS:
            values = bootstrap_ranks(*table, seed=1, count=5, design=design, metrics=RANK_METRICS)
            assert all(np.isnan(each).all() for each in values.values())
            assert bootstrap_tables(*table, seed=1, count=5, design=design)[0].shape == (5, len(table[0]))
    assert bootstrap_ranks(np.ones(2), np.ones(2), seed=1, count=0)["auroc"].shape == (0,)


def test_strata_keep_their_totals():
    strata = np.tile([0, 1, 1, 2], 25)
    draws = bootstrap_rows(np.ones(100), seed=1, count=20, strata=strata)
    for stratum, size in ((0, 25), (1, 50), (2, 25)):
        assert (draws[:, strata == stratum].sum(axis=1) == size).all()
    with pytest.raises(ValueError, match="numbered"):
        bootstrap_rows(np.ones(3), seed=1, count=1, strata=np.array([0, -1, 1]))


def test_impossible_totals_are_refused():
    with pytest.raises(ValueError, match="resampling draws at most"):
        bootstrap_rows(np.full(3, 1e10), seed=1, count=1)


def test_all_outcomes_of_a_tiny_bootstrap_occur():
    """Three rows: ten multisets, with their multinomial frequencies."""
    draws = bootstrap_rows(np.ones(3), seed=1, count=5000)
    assert len({tuple(draw) for draw in draws}) == sum(1 for c in itertools.product(range(4), repeat=3) if sum(c) == 3)
