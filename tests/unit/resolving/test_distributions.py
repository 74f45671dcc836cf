"""Distributions of any kind as the sampling model: with ties, and with quantiles that take long."""

import numpy as np
import pytest
from scipy import stats

import unconfuse as uc
from unconfuse.resolving.distributions import TabulatedDistribution, has_ties


class ManyZeros:
    """A gamma distribution with a share of zeros, which SciPy does not have."""

    def __init__(self, zeros, gamma):
        self.zeros, self.gamma = zeros, gamma

    def sf(self, x):
        return np.where(np.asarray(x) < 0, 1.0, (1 - self.zeros) * self.gamma.sf(x))

    def isf(self, share):
        return self.gamma.isf(np.minimum(np.asarray(share) / (1 - self.zeros), 1.0))

    def support(self):
        return 0.0, np.inf


@pytest.mark.parametrize(
    ("positive", "negative"),
    [
        (stats.poisson(4), stats.poisson(2)),
        (stats.bernoulli(0.7), stats.bernoulli(0.2)),
        (stats.binom(6, 0.6), stats.randint(-1, 5)),
        (stats.nbinom(3, 0.3), stats.geom(0.4)),
    ],
)
def test_discrete_distributions_are_tables_of_their_values(positive, negative):
    tied = uc.Distributions(positive, negative).tied
    values = np.arange(-5, 200)[::-1]
    own, other = positive.pmf(values), negative.pmf(values)
    by_hand = uc.ScoreTable(values.astype(float), own, other)
    assert tied.auroc == pytest.approx(float(uc.METRICS["auroc"](by_hand)), abs=1e-10)
    assert tied.table.n_positives == pytest.approx(1) and tied.table.n_negatives == pytest.approx(1)
    moved = tied.population_at(min(tied.auroc + 0.05, 0.95))
    np.testing.assert_array_equal(moved.table.score, tied.table.score)  # tilted, not torn apart
    assert moved.auroc == pytest.approx(min(tied.auroc + 0.05, 0.95), abs=1e-9)


def test_many_zeros_are_ties():
    model = uc.Distributions(ManyZeros(0.2, stats.gamma(2)), ManyZeros(0.6, stats.gamma(1)))
    # Half of both 0; a positive beyond 0 over a negative at 0; both beyond, where P(gamma(2) > gamma(1)) = 3/4.
    assert model.tied.auroc == pytest.approx(0.12 / 2 + 0.8 * 0.6 + 0.8 * 0.4 * 0.75, abs=1e-4)
    assert not has_ties(stats.gamma(2)) and not has_ties(stats.beta(0.05, 0.05))


def test_the_better_model_wins_as_often_in_samples_of_discrete_scores():
    rp = uc.resolving_power(uc.Distributions(stats.poisson(3), stats.poisson(1.5)), ["auroc"], n=200, prevalence=0.3)
    pair, random = rp.verdicts(rp.at[0]).pair, np.random.default_rng(3)
    sides = []
    for table in (pair.worse.table, pair.better.table):
        shares = (table.positives / table.n_positives, table.negatives / table.n_negatives)
        own, other = (random.multinomial(size, each, 2000) for size, each in zip((60, 140), shares, strict=True))
        sides.append(
            uc.METRICS["auroc"](uc.ScoreTable.from_validated(table.score, own.astype(float), other.astype(float)))
        )
    worse, better = sides
    wins = np.mean((better[:, None] > worse) + 0.5 * (better[:, None] == worse))
    assert rp.verdicts(rp.at[0]).chances["auroc"].wins == pytest.approx(wins, abs=0.02)
    assert "higher scores become more frequent" in rp.recommendation.paragraph
    assert rp.findings[0].numbers == {"auroc": rp.verdicts(rp.at[0]).chances["auroc"].wins}


def test_size_and_prevalence_are_asked_for():
    counts = uc.Distributions(stats.poisson(3), stats.poisson(1))
    with pytest.raises(uc.UnconfuseError, match="`n` is missing"):
        uc.resolving_power(counts)
    with pytest.raises(uc.UnconfuseError, match="`prevalence` is missing"):
        uc.plan(counts, metric="sensitivity", width=0.1)
    with pytest.raises(uc.UnconfuseError, match="AUROC of 1: positives and negatives are separated"):
        uc.resolving_power(uc.Distributions(stats.randint(5, 8), stats.randint(0, 3)), n=100, prevalence=0.2)


def test_a_plan_is_for_the_distributions_as_given():
    model = uc.Distributions(stats.norm(2), stats.norm())
    assert uc.plan(model, width=0.1, prevalence=0.2).value == pytest.approx(model.default_at[0])


@pytest.mark.parametrize("given", [stats.norm(1, 2), stats.beta(3, 1.5), stats.t(3), stats.uniform(), stats.lognorm(1)])
def test_tabulated_quantiles_are_close(given):
    table, share = TabulatedDistribution(given), np.linspace(1e-6, 1 - 1e-6, 501)
    np.testing.assert_allclose(given.sf(table.isf(share)), share, atol=3e-6)
    np.testing.assert_allclose(table.sf(table.isf(share)), share, atol=1e-9)
    np.testing.assert_allclose(table.sf(given.isf(share)), share, atol=3e-6)


def test_slow_distributions_do_not_take_long():
    """Its tails are integrals, of which a study would need hundreds of thousands."""
    slow = uc.Distributions(stats.skewnorm(5, loc=0.5), stats.skewnorm(-3, loc=1))
    up, down = (each.rvs(100_000, random_state=i) for i, each in enumerate((slow.positive, slow.negative)))
    by_pairs = np.searchsorted(np.sort(down), up).mean() / len(down)
    assert slow.population(0).auroc == pytest.approx(by_pairs, abs=0.004)


@pytest.mark.skipif(not hasattr(stats, "Normal"), reason="this scipy has no distributions of the newer kind")
def test_distributions_of_the_newer_kind_are_the_same():
    newer = uc.Distributions(stats.Normal(mu=1.0, sigma=2.0), stats.Normal(mu=0.0, sigma=1.0))
    older = uc.Distributions(stats.norm(1, 2), stats.norm(0, 1))
    assert newer.population(0).auroc == pytest.approx(older.population(0).auroc, abs=1e-12)
    assert newer.shift_for(0.9) == pytest.approx(older.shift_for(0.9), abs=1e-9)
    assert "Normal(mu=" in repr(newer)


@pytest.mark.skipif(not hasattr(stats, "make_distribution"), reason="this scipy has none of the newer kind")
def test_newer_discrete_distributions_are_refused_with_a_way_out():
    poisson = stats.make_distribution(stats.poisson)
    with pytest.raises(uc.UnconfuseError, match="older kind"):
        uc.Distributions(poisson(mu=4.0), poisson(mu=2.0))


def test_hardly_any_pair_left_to_move_is_no_error():
    """Two positives and a tie: no pair is in the wrong order. All scores alike: there is no pair at all."""
    few = uc.Empirical([1, 0, 1, 0, 0], [0.9, 0.5, 0.5, 0.2, 0.1])
    said = str(uc.resolving_power(few, n_samples=100).recommendation)
    assert "2 positives and 3 negatives stand for all cases here" in said
    alike = uc.Empirical([1, 0, 1, 0] * 10, [0.3] * 40)
    with pytest.raises(uc.UnconfuseError, match="they show no difference between models"):
        _ = uc.resolving_power(alike, n_samples=100).recommendation


@pytest.mark.parametrize("scores", [(0.0, 1.0), (0.2, 0.7), (2.0, 7.0)])
def test_a_plan_does_not_depend_on_the_names_of_tied_scores(scores):
    tied = uc.Empirical([0, 1] * 10, [*scores * 9, *scores[::-1]])
    with pytest.raises(uc.UnconfuseError, match="scores are tied"):
        uc.plan(tied, metric="average_precision", difference=0.05)


def test_scores_that_are_no_probabilities_are_refused_as_they_were_given():
    with pytest.raises(uc.UnconfuseError, match="run from 0 to 12"):
        uc.resolving_power(uc.Empirical([0, 1, 0, 1, 0, 1], [0, 12, 3, 4, 5, 2]), ["brier"], n_samples=100)
