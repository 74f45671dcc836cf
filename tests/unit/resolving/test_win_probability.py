"""How often the better model wins, and what is recommended because of it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

import unconfuse as uc
from unconfuse import METRICS, Binormal, Distributions, Empirical, ModelSequence
from unconfuse.resolving.asymptotic import ClassSizes
from unconfuse.resolving.empirical import spread_out, thinned
from unconfuse.resolving.improvements import IMPROVEMENTS, Improved
from unconfuse.resolving.win_probability import PopulationPair, contest, pair_at, win_chance

RANDOM = np.random.default_rng(3)
LABELS = np.arange(800) % 4 == 0
NOISE = RANDOM.normal(size=800)
RANKS = ("auroc", "average_precision", "h_measure", "max_mcc", "max_f1", "auprg")


def power(model, metrics=RANKS, **how):
    return uc.resolving_power(model, metrics, **{"n_samples": 400} | how)


def by_sorting(shift, n_positives, n_negatives, count, seed):
    """AUROCs of normal samples, by counting pairs."""
    random = np.random.default_rng(seed)
    positives = random.normal(size=(count, n_positives, 1)) + shift
    return (positives > random.normal(size=(count, 1, n_negatives))).mean(axis=(1, 2))


def test_chance_over_all_pairs_is_the_chance_by_counting():
    worse, better = RANDOM.integers(0, 6, 40).astype(float), RANDOM.integers(2, 8, 30).astype(float)
    gaps = better[:, None] - worse
    assert win_chance(worse, better) == pytest.approx((gaps > 0).mean() + (gaps == 0).mean() / 2, abs=1e-12)
    assert win_chance(np.array([np.nan, 1.0]), np.array([2.0])) == 0.75  # an undefined value decides nothing


def test_wins_agree_with_samples_made_by_hand():
    rp = power(Binormal(), ["auroc"], n=60, prevalence=0.25, at=0.75)
    found = rp.wins("auroc", better=0.8, worse=0.7)
    low, high = (by_sorting(np.sqrt(2) * ndtri(area), 15, 45, 3000, 7) for area in (0.7, 0.8))
    assert found.value == pytest.approx(win_chance(low, high), abs=0.02)
    assert found.low < found.value < found.high and found.standard_error < 0.01
    assert rp.wins("auroc", better=0.95, worse=0.6).value > 0.99


def test_wins_ask_for_an_order():
    rp = power(Binormal(), ["auroc"], n=60, prevalence=0.25, at=0.75, method="asymptotic")
    with pytest.raises(uc.UnconfuseError, match="above `worse`"):
        rp.wins("auroc", better=0.7, worse=0.8)
    with pytest.raises(uc.UnconfuseError, match="no metric 'ks'"):
        rp.wins("ks", better=0.8, worse=0.7)


def test_metrics_that_are_biased_upwards_are_not_recommended():
    """Their limits map to a short interval, and the better model wins no more often by them."""
    rp = power(Binormal(), n=500, prevalence=0.1, at=0.75, n_samples=4000)
    assert rp["h_measure"].kappa < rp["auroc"].kappa
    advice = rp.recommendation
    assert advice.metric == "auroc" and not advice.better_than_auroc
    assert "none is known to be better than the AUROC" in str(advice)
    assert "biased" in rp.caveat("h_measure") and not rp.caveat("auroc")
    ranked = {each.metric: each for each in advice.ranking[0.75]}
    assert ranked["max_mcc"].efficiency < 0.95 and ranked["auroc"].efficiency == 1
    assert power(Binormal(), n=60, prevalence=0.2, at=0.75).recommendation.metric == "auroc"


def test_a_better_metric_is_recommended_where_there_is_one():
    rp = power(Binormal(sd_ratio=2.0), n=2000, prevalence=0.1, at=0.75)
    advice = rp.recommendation
    best = advice.ranking[0.75][0]
    assert advice.better_than_auroc and advice.metric == best.metric and best.efficiency > 1.05
    assert rp.wins(best.metric, better=0.76, worse=0.74).value > rp.wins("auroc", better=0.76, worse=0.74).value


def test_kappa_from_wins_is_kappa_where_a_metric_is_normal():
    rp = power(Binormal(), ["auroc"], n=5000, prevalence=0.3, at=0.75, n_samples=4000)
    assert rp.recommendation.ranking[0.75][0].kappa == pytest.approx(rp["auroc"].kappa, rel=0.05)


def test_functions_of_the_auroc_tell_models_apart_as_it_does():
    area = METRICS["auroc"]

    def squared(table):
        return float(area(table)) ** 2

    rp = power(Binormal(), ["auroc", squared, lambda t: -float(area(t)), lambda t: 1.0], n=200, prevalence=0.3, at=0.8)
    assert list(rp.metrics) == ["auroc", "squared", "<lambda>", "<lambda> 2"]
    assert rp["squared"].delta == pytest.approx(0, abs=1e-3)  # one set of samples for all
    found = rp.verdicts(0.8).chances
    assert found["squared"].wins == found["<lambda>"].wins == found["auroc"].wins
    assert "does not change" in rp.recommendation.not_ranked[0.8]["<lambda> 2"]
    assert rp.as_dict()["recommendation"]["metric"] == "auroc" and "squared" in rp._repr_html_()


def test_functions_that_give_no_number_are_refused():
    with pytest.raises(uc.UnconfuseError, match="one number"):
        power(Binormal(), [lambda table: "high"], n=200, prevalence=0.3, at=0.8)
    with pytest.raises(uc.UnconfuseError, match="precision_at_k makes metrics"):
        power(Binormal(), [uc.precision_at_k], n=200, prevalence=0.3, at=0.8)


@pytest.mark.parametrize("name", ["precision_at_k(10)", "lift_at(0.1)", "precision_at_b(0.4)", "calibration_slope"])
def test_other_metrics_have_a_place_or_a_reason(name):
    rp = power(Binormal(), [name], n=400, prevalence=0.2, at=0.8)
    (own,) = rp.rows()
    assert own["not_ranked"] or 0.5 < own["wins"] < 0.95


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ((NOISE + 1.2 * LABELS > 0.5).astype(float), "tied"),
        (RANDOM.binomial(4, 0.4 + 0.15 * LABELS), "tied"),
        (np.where(RANDOM.random(800) < 0.5, 0.0, np.exp(NOISE + LABELS)), "tied"),
    ],
    ids=["binary", "five values", "half zeros"],
)
def test_tied_scores_have_no_mapped_kappa_and_are_compared_by_wins(scores, words):
    rp = power(Empirical(LABELS, scores))
    assert all(words in rp[name].undefined for name in RANKS if name != "auroc")
    advice = rp.recommendation
    assert np.isfinite(rp["auroc"].kappa) and words in str(advice) and advice.ranking[rp.at[0]]


def test_a_path_at_its_end_compares_its_best_model_with_a_worse_one():
    path = ModelSequence(LABELS, {f"step {k}": NOISE + 0.4 * k * LABELS for k in range(1, 5)})
    rp = power(path)
    assert "the path ends here" in str(rp.recommendation) and rp["h_measure"].clipped == "high"
    assert "beyond the signal curve" in rp.caveat("h_measure")
    middle = path.population_at(0.8)
    assert middle.auroc == pytest.approx(0.8, abs=1e-4)
    with pytest.raises(uc.UnconfuseError, match="its own way"):
        power(path, improvement="tilt")


@pytest.mark.parametrize(
    ("scores", "words"), [(LABELS + 0.1 * np.tanh(NOISE), "separated perfectly"), (NOISE - LABELS, "negatives first")]
)
def test_no_question_no_answer(scores, words):
    with pytest.raises(uc.UnconfuseError, match=words):
        power(Empirical(LABELS, scores))


def test_what_is_missing_is_named():
    with pytest.raises(uc.UnconfuseError, match="`n` is missing"):
        power(Binormal(), prevalence=0.1)
    with pytest.raises(uc.UnconfuseError, match="`prevalence` is missing"):
        power(Binormal(), n=100)
    with pytest.raises(uc.UnconfuseError, match="correlation"):
        power(Binormal(), n=100, prevalence=0.2, score_correlation=1.0)


def test_nothing_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for model in (
            Binormal(),
            Distributions(stats.t(2), stats.t(2)),
            Distributions(stats.pareto(2), stats.pareto(2)),
        ):
            str(power(model, RANKS, n=100, prevalence=0.1, at=0.9).recommendation)


def test_theory_says_how_far_off_it_is_or_nothing():
    many = power(Binormal(), n=100_000, prevalence=0.2, at=0.8, method="asymptotic")
    assert 0 < many["h_measure"].theory_error < 0.1 * many["h_measure"].kappa and many["auroc"].theory_error == 0
    few = power(Binormal(), n=1000, prevalence=0.01, at=0.65, method="asymptotic")
    assert "theory says" in few["average_precision"].undefined and np.isnan(few["average_precision"].kappa)
    assert str(few.recommendation) == str(power(Binormal(), n=1000, prevalence=0.01, at=0.65).recommendation)


def test_ranks_are_the_same_scale_for_every_method():
    how = {"n": 3000, "prevalence": 0.1, "at": 0.8, "reference": "rank", "n_samples": 3000}
    full, linear = (power(Binormal(), ["auroc"], method=each, **how)["auroc"].kappa for each in ("full", "linear"))
    assert linear == pytest.approx(full, rel=0.1)


def test_values_are_told_apart_at_their_own_quality():
    rp = power(Binormal(), ["auroc"], n=1000, prevalence=0.1, at=[0.65, 0.97])
    assert rp.is_resolved(0.96, 0.98).kappa == pytest.approx(rp["auroc", 0.97].kappa)
    middle = rp.is_resolved(0.8, 0.82)
    assert rp["auroc", 0.97].kappa < middle.kappa < rp["auroc", 0.65].kappa and "AUROC 0.810" in str(middle)
    assert rp.is_resolved(0.8, 0.82, at=0.65).kappa == rp["auroc", 0.65].kappa


@pytest.mark.parametrize("how", [each for each in IMPROVEMENTS if each != "shift"])
@pytest.mark.parametrize("model", [Binormal(), Empirical(LABELS, NOISE + LABELS)], ids=["normal", "own"])
def test_improvements_reach_a_quality(how, model):
    start = 0.75 if isinstance(model, Binormal) else model.auroc
    way = Improved(model, how, start)
    for auroc in (start - 0.02, start, start + 0.02):
        assert way.population_at(auroc).auroc == pytest.approx(auroc, abs=2e-3)
    assert power(model, ["auroc", "average_precision"], n=800, prevalence=0.25, at=start, improvement=how).rows()


def test_the_recommendation_depends_on_how_models_get_better():
    rp = power(Binormal(), ["auroc", "average_precision"], n=1000, prevalence=0.2, at=0.75)
    found = rp.by_improvement()
    assert list(found) == ["shift", "scale", "top", "tilt"] and found["shift"].metric == "auroc"
    assert found["top"].metric == "average_precision"  # which looks at the top


def test_same_cases_tell_models_apart_more_finely():
    """Beside samples of correlated normal scores, sorted by hand."""
    rho, n_positives, n_negatives, count = 0.8, 30, 70, 4000
    sizes, random = ClassSizes(n_positives, n_negatives), np.random.default_rng(2)
    pair = PopulationPair(Binormal().population_at(0.72), Binormal().population_at(0.78))
    found = contest(pair, [METRICS["auroc"], METRICS["max_f1"]], sizes, seed=1, n_samples=4000, paired=rho)
    first = random.normal(size=(count, n_positives + n_negatives))
    second = rho * first + np.sqrt(1 - rho**2) * random.normal(size=first.shape)
    areas = []
    for scores, area in ((first, 0.72), (second, 0.78)):
        up = scores[:, :n_positives] + np.sqrt(2) * ndtri(area)
        areas.append((up[:, :, None] > scores[:, None, n_positives:]).mean(axis=(1, 2)))
    assert found["auroc"].wins == pytest.approx((areas[1] > areas[0]).mean(), abs=0.025)
    apart = contest(pair, [METRICS["auroc"]], sizes, seed=1)["auroc"].wins
    assert found["auroc"].wins > apart + 0.05
    assert found["max_f1"].wins < found["auroc"].wins - 0.03  # the best threshold's noise is not shared


def test_large_tables_are_thinned_and_small_ones_smoothed_without_another_auroc():
    table = uc.score_table(np.arange(300_000) % 3 == 0, RANDOM.normal(size=300_000) + (np.arange(300_000) % 3 == 0))
    small = thinned(table)
    assert len(small) < 25_000 and small.n_positives == pytest.approx(table.n_positives)
    assert float(METRICS["auroc"](small)) == pytest.approx(float(METRICS["auroc"](table)), abs=1e-6)
    assert float(METRICS["max_mcc"](small)) == pytest.approx(float(METRICS["max_mcc"](table)), abs=2e-4)
    own = uc.score_table(LABELS, NOISE + LABELS)
    spread = spread_out(own)
    assert len(spread) > 4 * len(own) and float(METRICS["auroc"](spread)) == pytest.approx(
        float(METRICS["auroc"](own)), abs=0.02
    )


def test_pairs_are_about_as_far_apart_as_the_auroc_resolves_four_of_five():
    sizes = ClassSizes.of(500, 0.2)
    pair = pair_at(Binormal(), 0.8, sizes)
    found = contest(pair, [METRICS["auroc"]], sizes, seed=0)["auroc"]
    assert found.wins == pytest.approx(0.8, abs=0.02)
    assert pair_at(Binormal(), 0.999, ClassSizes(5, 20)).better.auroc < 1


def test_tied_scores_agree_with_binomial_samples():
    """Binomial scores whose positives get better are tilted; drawn here from binomial distributions."""
    from scipy.optimize import brentq

    places = np.array([2.0, 1.0, 0.0])

    def area(p):
        own, other = (stats.binom(2, each).pmf(places) for each in (p, 0.4))
        return float(own @ (np.cumsum(other[::-1])[::-1] - other / 2))

    table = uc.ScoreTable(places, *(1e6 * stats.binom(2, p).pmf(places) for p in (0.6, 0.4)))
    found = power(Empirical(table), ["auroc", "auprg"], n=2000, prevalence=0.02, at=0.8).verdicts(0.8)
    random, sides = np.random.default_rng(1), []
    for population in (found.pair.worse, found.pair.better):
        p = brentq(lambda each, at=population.auroc: area(each) - at, 0.3, 0.9999)
        weights = (random.multinomial(n, stats.binom(2, each).pmf(places), 3000) for n, each in ((40, p), (1960, 0.4)))
        drawn = uc.ScoreTable(places, *(each.astype(float) for each in weights))
        sides.append({name: METRICS[name](drawn) for name in ("auroc", "auprg")})
    for name in ("auroc", "auprg"):
        assert found.chances[name].wins == pytest.approx(win_chance(sides[0][name], sides[1][name]), abs=0.025)


def test_a_table_that_is_thinned_is_not_larger_than_one_that_is_not():
    """1e5 rows took five times as long as 1e6: the one was used whole, the other thinned to 20,000 scores."""
    rng = np.random.default_rng(5)
    y = rng.random(30_000) < 0.3
    model = uc.Empirical(y, rng.normal(size=len(y)) + y)
    assert len(model.light.table) <= 20_000
    assert float(METRICS["auroc"](model.light.table)) == pytest.approx(model.auroc, abs=1e-5)


def test_pairs_within_a_shift_are_counted_with_their_ties():
    from unconfuse.resolving.empirical import ShiftedClasses

    rng = np.random.default_rng(6)
    table = uc.score_table(rng.random(300) < 0.4, rng.integers(0, 40, 300) / 8, weights=rng.integers(1, 4, 300))
    classes, (own, other) = ShiftedClasses.of(table), (table.positives, table.negatives)
    gaps = table.score[None, :] - table.score[:, None]  # of a negative from a positive
    for shift in (-1.0, -0.125, 0.0, 0.06, 0.5, 3.0):
        expected = tuple(float(own @ (of * other).sum(axis=1)) for of in (gaps < shift, gaps <= shift))
        assert classes._pairs_within(shift) == expected
