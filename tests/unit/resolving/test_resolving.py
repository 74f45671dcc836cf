"""Resolving power: models, signal, noise, answers."""

from __future__ import annotations

import numpy as np
import pytest

import unconfuse as uc
from unconfuse import METRICS, BetaMixture, Binormal, Distributions, Empirical, ModelSequence, Uniform, _kernels
from unconfuse.resolving.asymptotic import ClassSizes, standard_error
from unconfuse.resolving.score_sampling import draw, without_runs
from unconfuse.resolving.signal_curve import SignalCurve, overlap, value_of

RANDOM = np.random.default_rng(5)
LABELS = (np.arange(1500) % 5 == 0).astype(int)
SCORES = RANDOM.normal(size=1500) + LABELS
MODELS = (
    Binormal(),
    Binormal(sd_ratio=1.5),
    Uniform(),
    Uniform(width=2.0),
    BetaMixture((2, 1), [(0.7, 1, 3), (0.3, 2, 2)]),
)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_models_reach_the_quality_that_is_asked_for(model):
    for auroc in (0.55, 0.75, 0.95):
        population = model.population_at(auroc)
        assert population.auroc == pytest.approx(auroc, abs=1e-9)
        rate = np.linspace(0.05, 0.95, 19)
        inner = (population.fpr_at(rate) > 1e-9) & (population.fpr_at(rate) < 1 - 1e-9)
        np.testing.assert_allclose(population.tpr_at(population.fpr_at(rate))[inner], rate[inner], atol=1e-6)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_integrals_agree_with_a_fine_table(model):
    population, prevalence = model.population_at(0.8), 0.2
    table = population.table(prevalence, 1 - prevalence, 8000)
    for name in ("auroc", "auprc_integral", "auprg"):
        assert value_of(population, METRICS[name], prevalence) == pytest.approx(
            float(METRICS[name](table)), abs=2e-6
        ), name
    half = value_of(population, METRICS["precision_at_indistinguishability"], prevalence)
    assert half == pytest.approx(float(METRICS["precision_at_indistinguishability"](table)), abs=2e-3)


@pytest.mark.parametrize(
    "model", [Binormal(), Uniform(), BetaMixture((2, 1), (1, 2))], ids=["binormal", "uniform", "beta"]
)
def test_kernel_samples_have_the_exact_mean_and_deviation(model):
    population, sizes = model.population_at(0.8), ClassSizes(40, 160)
    area = draw(population, [METRICS["auroc"]], sizes, n_samples=20_000, seed=2)["auroc"]
    sd = standard_error(population, METRICS["auroc"], sizes)
    assert area.mean() == pytest.approx(0.8, abs=4 * sd / np.sqrt(20_000))
    assert area.std() == pytest.approx(sd, rel=0.03)


def test_kernel_samples_agree_with_plain_numpy():
    """The same law as sorting normal scores, for every metric that the kernel knows."""
    random, n = np.random.default_rng(1), 4000
    scores = np.concatenate([random.normal(size=(n, 30)) + 1.2, random.normal(size=(n, 90))], axis=1)
    positive = np.take_along_axis(
        np.broadcast_to(np.arange(120) < 30, scores.shape), np.argsort(-scores, axis=1), axis=1
    )
    plain = _kernels.rank_metrics(positive.astype(float), 1.0 - positive)
    population = Binormal().population(1.2)
    ours = _kernels.roc_samples(
        _kernels.roc_table(population.fpr_at), 30, 90, seed=4, count=n, metrics=_kernels.RANK_METRICS
    )
    for name in _kernels.RANK_METRICS:
        error = plain[name].std() / np.sqrt(n) * np.sqrt(2)
        assert ours[name].mean() == pytest.approx(plain[name].mean(), abs=4.5 * error), name
        assert ours[name].std() == pytest.approx(plain[name].std(), rel=0.08), name


def test_kernel_samples_depend_on_seed_and_number_only():
    table = _kernels.roc_table(Binormal().population_at(0.7).fpr_at)
    whole = _kernels.roc_samples(table, 20, 80, seed=9, count=50, n_threads=2)["auroc"]
    part = _kernels.roc_samples(table, 20, 80, seed=9, first=30, count=20, n_threads=1)["auroc"]
    np.testing.assert_array_equal(whole[30:], part)
    long = _kernels.roc_samples(table, 20, 80, seed=9, count=20_000)["auroc"]
    assert abs(np.corrcoef(long[:-1], long[1:])[0, 1]) < 0.03


def test_cohorts_vary_their_class_sizes():
    population = Binormal().population_at(0.8)
    fixed, free = (
        draw(population, [METRICS["average_precision"]], ClassSizes(50, 450, design), n_samples=4000, seed=1)[
            "average_precision"
        ].std()
        for design in ("case-control", "cohort")
    )
    assert free > 1.03 * fixed


@pytest.mark.parametrize(
    "name", ["average_precision", "auprg", "max_f1", "h_measure", "brier", "precision_at_indistinguishability"]
)
@pytest.mark.parametrize("design", ["case-control", "cohort"])
def test_theory_agrees_with_simulation(name, design):
    population, sizes = Binormal().population_at(0.8), ClassSizes(1000, 4000, design)
    drawn = draw(population, [METRICS[name]], sizes, n_samples=1500, seed=1)[name]
    assert standard_error(population, METRICS[name], sizes) == pytest.approx(drawn.std(), rel=0.1)


def test_gap_by_counting_is_the_gap_by_sorting():
    model = Empirical(LABELS, SCORES, scale="raw")
    positive, negative = SCORES[LABELS == 1], SCORES[LABELS == 0]
    gaps = (negative[:, None] - positive).ravel()
    wrong, right = np.sort(gaps[gaps > 0]), np.sort(-gaps[gaps < 0])
    for k in (1, 7, 1000, len(wrong)):
        assert model.kth_gap(k) == wrong[k - 1]
    for k in (1, 7, 1000, len(right)):
        assert model.kth_gap(k, upwards=False) == right[k - 1]
    with pytest.raises(uc.UnconfuseError, match="pairs in the"):
        model.kth_gap(len(wrong) + 1)


def test_probabilities_move_on_log_odds():
    probability = 1 / (1 + np.exp(-SCORES))
    raw = uc.resolving_power(Empirical(LABELS, SCORES), ["average_precision"], method="asymptotic")
    mapped = uc.resolving_power(Empirical(LABELS, probability), ["average_precision", "brier"], method="asymptotic")
    assert Empirical(LABELS, probability).scale == "logit"
    assert mapped["average_precision"].kappa == pytest.approx(raw["average_precision"].kappa, rel=1e-3)
    with pytest.raises(uc.UnconfuseError, match="between 0 and 1"):
        Empirical(LABELS, SCORES, scale="logit")


def test_joining_runs_of_negatives_changes_no_area():
    table = uc.ScoreTable.from_rows(LABELS == 1, SCORES)
    for name in ("auprg", "h_measure", "auch", "partial_auroc"):
        assert float(METRICS[name](without_runs(table))) == pytest.approx(float(METRICS[name](table)), abs=1e-12)


def test_a_path_uses_the_models_given():
    path = ModelSequence(LABELS, {f"step {i}": SCORES + 0.5 * i * LABELS for i in range(5)})
    rp = uc.resolving_power(path, ["auroc", "average_precision"], n_samples=500, at=path.populations[2].auroc)
    assert len(rp.signal_curve("average_precision")) == 5
    assert rp["average_precision"].kappa > 0
    ranks = uc.resolving_power(
        path, ["average_precision"], n_samples=500, at=path.populations[2].auroc, reference="rank"
    )
    assert 0 < ranks["average_precision"].kappa < 5


def test_any_function_of_a_table_can_be_compared():
    def top_share(table):
        return float(METRICS["auroc"](table)) ** 2

    rp = uc.resolving_power(Binormal(), ["auroc", top_share], n=500, prevalence=0.3, at=0.8, n_samples=300)
    assert rp["top_share"].kappa == pytest.approx(rp["auroc"].kappa, rel=0.25)
    assert rp["auroc"].delta == 0


def test_flat_and_bent_curves_give_no_number():
    constant = uc.resolving_power(Binormal(), [lambda table: 0.5], n=500, prevalence=0.3, at=0.8, n_samples=200)
    assert "flat" in constant["<lambda>"].undefined and np.isnan(constant["<lambda>"].kappa)
    bent = SignalCurve("bent", "auroc", np.linspace(0.5, 1, 5), np.array([0.0, 0.5, 0.2, 0.6, 1.0]))
    assert "not monotone" in bent.not_invertible_reason


def test_other_reference_scales():
    assert overlap(Binormal().population(2.0)) == pytest.approx(np.exp(-0.5), abs=1e-4)
    rp = uc.resolving_power(
        Binormal(),
        ["auroc", "average_precision"],
        n=2000,
        prevalence=0.2,
        at=0.8,
        n_samples=500,
        reference="average_precision",
    )
    assert rp["average_precision"].delta == 0 and rp["auroc"].delta < 0
    shared = uc.resolving_power(
        Binormal(), ["auroc", "average_precision"], n=2000, prevalence=0.2, at=0.8, n_samples=500, reference="overlap"
    )
    assert shared["auroc"].delta == 0 and shared["average_precision"].delta > 0


def test_monte_carlo_errors_are_honest():
    runs = [
        uc.resolving_power(
            Binormal(), ["auroc", "average_precision"], n=500, prevalence=0.2, at=0.8, n_samples=1000, rng=seed
        )["average_precision"]
        for seed in range(40)
    ]
    for value, error in (("kappa", "mc_error"), ("delta", "delta_error")):
        spread = np.std([getattr(each, value) for each in runs], ddof=1)
        assert np.mean([getattr(each, error) for each in runs]) == pytest.approx(spread, rel=0.4)


def test_the_linear_method_warns_where_it_fails():
    with pytest.warns(uc.UnconfuseWarning, match="far off"):
        uc.resolving_power(
            Binormal(), ["average_precision"], n=1000, prevalence=0.02, at=0.65, n_samples=200, method="linear"
        )


def test_answers_can_be_asked():
    rp = uc.resolving_power(
        Binormal(), ["auroc", "average_precision"], n=1000, prevalence=0.2, at=[0.7, 0.9], n_samples=500
    )
    assert rp.at == (0.7, 0.9) and rp.n == 1000 and len(rp.to_frame()) == 4
    assert rp["auroc", 0.7].resolving_power == pytest.approx(1 / rp["auroc", 0.7].kappa)
    assert "AUROC" in str(rp.recommendation) and rp.recommendation.metric in rp.metrics
    assert rp.is_resolved(0.7, 0.9, at=0.7) and not rp.is_resolved(0.7, 0.701, at=0.7)
    assert rp.as_dict()["positives"] == 200
    for wrong in ("auroc", ("auroc", 0.8), "mcc"):
        with pytest.raises(uc.UnconfuseError):
            rp[wrong]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"at": 1.5}, "quality"),
        ({"prevalence": 0.0001}, "at least 2 cases"),
        ({"method": "magic"}, "method"),
        ({"metrics": ["sensitivity"]}, "threshold-free"),
        ({"n_samples": 3}, "n_samples"),
        ({"n": None}, "`n`"),
    ],
)
def test_refusals(options, words):
    with pytest.raises(uc.UnconfuseError, match=words):
        uc.resolving_power(Binormal(), **{"metrics": ["auroc"], "n": 1000, "prevalence": 0.1, "at": 0.7, **options})
    with pytest.raises(uc.UnconfuseError, match="sampling model"):
        uc.resolving_power([1, 0], ["auroc"], n=100, prevalence=0.5)
    with pytest.raises(uc.UnconfuseError, match="distribution"):
        Distributions(1, 2)


def test_plans_meet_their_goal():
    exact = uc.plan(Binormal(), metric="auroc", difference=0.02, prevalence=0.2, at=0.8)
    assert exact.method == "asymptotic" and exact.kappa <= 0.02
    fewer = uc.plan(Binormal(), metric="auroc", difference=0.02, prevalence=0.2, at=0.8, method="full", n_samples=4000)
    assert fewer.n == pytest.approx(exact.n, rel=0.1)
    small = uc.plan(Binormal(), metric="average_precision", difference=0.1, prevalence=0.1, at=0.8, n_samples=3000)
    again = uc.resolving_power(Binormal(), ["average_precision"], n=small.n, prevalence=0.1, at=0.8, n_samples=3000)
    assert small.method == "full" and again["average_precision"].kappa <= 0.1 + 3 * small.mc_error
    assert int(small) == small.n and small.positives == round(0.1 * small.n) and "cases" in str(small)
    own = uc.plan(Empirical(LABELS, SCORES), difference=0.05)
    assert own.at == pytest.approx(Empirical(LABELS, SCORES).auroc)
    with pytest.raises(uc.UnconfuseError, match="difference"):
        uc.plan(Binormal(), difference=0, prevalence=0.1)
