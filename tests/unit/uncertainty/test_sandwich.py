"""Sampling weights: standard errors against derivatives by every row, multipliers against the sandwich, refusals."""

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.table.survey_design import SamplingUnits

N = 150


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(4)
    y = (rng.random(N) < 0.4).astype(int)
    s = np.round(1 / (1 + np.exp(-(1.5 * y - 0.5 + rng.normal(size=N)))), 2)
    return y, s, np.where(rng.random(N) < 0.3, 10.0, 1.0), np.round(rng.random(N), 2)


def by_derivatives(value, w):
    """sqrt(sum of (w dvalue/dw)^2), by moving the weight of every row."""
    moves = []
    for row in range(len(w)):
        up, down = w.copy(), w.copy()
        up[row] *= 1 + 1e-4
        down[row] *= 1 - 1e-4
        moves.append((value(up) - value(down)) / 2e-4)
    return np.sqrt(np.square(moves).sum())


@pytest.mark.parametrize(
    "name", ["mcc", "f1", "lr_positive", "npv", "cohen_kappa", "auroc", "average_precision", "gini"]
)
def test_the_standard_error_is_that_of_every_rows_derivative(rows, name):
    y, s, w, _ = rows

    def value(weights):
        table = uc.score_table(y, s, sampling_weights=weights)
        return float(uc.METRICS[name](table.counts_at(0.5) if uc.METRICS[name].of == "counts" else table))

    found = uc.evaluate(y, s, sampling_weights=w, metrics=[name])[name]
    assert found.standard_error == pytest.approx(by_derivatives(value, w), rel=1e-6)


def test_intervals_do_not_change_with_the_scale_of_the_weights(rows):
    y, s, w, _ = rows
    names = ["auroc", "f1", "lr_positive", "average_precision", "h_measure", "max_f1", "log_loss"]
    one, many = (uc.evaluate(y, s, sampling_weights=factor * w, metrics=names) for factor in (1.0, 37.0))
    for name in names:
        assert one[name].value == pytest.approx(many[name].value, rel=1e-12)
        assert (one[name].low, one[name].high) == pytest.approx((many[name].low, many[name].high), rel=1e-6)


def test_rows_of_weight_zero_change_nothing(rows):
    y, s, w, _ = rows
    kept = uc.evaluate(y, s, sampling_weights=w)
    more = uc.evaluate(np.r_[y, 1, 0], np.r_[s, 0.999, 0.001], sampling_weights=np.r_[w, 0, 0])
    for name in kept:
        assert (kept[name].low, kept[name].high) == (more[name].low, more[name].high), name


def test_tables_merge_with_their_squares(rows):
    y, s, w, _ = rows
    whole = uc.score_table(y, s, sampling_weights=w)
    parts = [uc.score_table(y[at], s[at], sampling_weights=w[at]) for at in (slice(0, 40), slice(40, N))]
    assert parts[0].merge(parts[1]).squared_weights[0] == pytest.approx(whole.squared_weights[0])
    counted = parts[0].merge(uc.score_table(y[40:], s[40:]))
    assert counted.is_sampled
    assert counted.squared_weights[1].sum() == pytest.approx((w[:40] ** 2)[y[:40] == 0].sum() + (y[40:] == 0).sum())


@pytest.mark.parametrize("extra", ["rows", "groups", "strata"])
def test_multipliers_agree_with_the_sandwich(rows, extra):
    y, s, w, _ = rows
    words = {"groups": np.arange(N) // 3} if extra == "groups" else {"strata": np.arange(N) % 5}
    ev = uc.evaluate(y, s, sampling_weights=w, **({} if extra == "rows" else words), metrics=["auroc", "f1"])
    for each in ev.values():
        drawn = each.interval(method="bootstrap")
        assert drawn.standard_error == pytest.approx(each.standard_error, rel=0.1), each.name
        assert (drawn.low, drawn.high) == pytest.approx((each.low, each.high), abs=0.05)


def test_a_bootstrap_of_a_sampled_table_is_by_multipliers(rows):
    y, s, w, _ = rows
    table = uc.score_table(y, s, sampling_weights=w)
    drawn = uc.bootstrap(table, ["auroc"], n_resamples=4000)["auroc"]
    expected = uc.evaluate(table, metrics=["auroc"])["auroc"].standard_error
    assert drawn.std() == pytest.approx(expected, rel=0.08)
    fixed = uc.bootstrap(table, ["prevalence"], threshold=0.5, n_resamples=200, design="case-control")["prevalence"]
    assert np.ptp(fixed) < 1e-12


def test_paired_differences_rest_on_the_rows(rows):
    y, s, w, other = rows
    result = uc.compare(y, {"a": s, "b": other}, sampling_weights=w, metrics=["auroc", "accuracy", "brier"])
    for name in ("auroc", "accuracy", "brier"):
        metric = uc.METRICS[name]

        def value(weights, metric=metric):
            tables = (uc.score_table(y, each, sampling_weights=weights) for each in (s, other))
            one, two = (metric(each.counts_at(0.5) if metric.of == "counts" else each) for each in tables)
            return float(one - two)

        found = result[name, "a", "b"].difference
        assert found.standard_error == pytest.approx(by_derivatives(value, w), rel=0.05), name
        assert result[name, "a", "b"].verdict in ("better", "worse")


def test_several_classes_have_a_sandwich_too(rows):
    _, _, w, _ = rows
    rng = np.random.default_rng(3)
    k = rng.integers(0, 3, N)
    matrix = np.full((N, 3), 0.2) + 0.4 * np.eye(3)[np.where(rng.random(N) < 0.7, k, rng.integers(0, 3, N))]
    ev = uc.evaluate(k, matrix, sampling_weights=w, metrics=["accuracy", "brier"])
    right = (matrix.argmax(axis=1) == k).astype(float)
    expected = np.sqrt((w**2 * (right - np.average(right, weights=w)) ** 2).sum()) / w.sum()
    assert ev["accuracy"].standard_error == pytest.approx(expected, rel=1e-4)
    assert np.isfinite(ev["brier"].low)


def test_equal_weights_are_as_wide_as_no_weights(rows):
    y, s, _, _ = rows
    sampled, plain = uc.evaluate(y, s, sampling_weights=np.full(N, 7.0)), uc.evaluate(y, s)
    for name in ("auroc", "sensitivity", "precision", "f1", "brier", "max_f1"):
        width = [each[name].high - each[name].low for each in (sampled, plain)]
        assert width[0] == pytest.approx(width[1], rel=0.15), name


def test_counts_and_sampling_weights_multiply(rows):
    y, s, w, _ = rows
    twice = uc.evaluate(np.r_[y, y], np.r_[s, s], sampling_weights=np.r_[w, w], metrics=["auroc", "f1"])
    counted = uc.evaluate(y, s, sampling_weights=w, weights=np.full(N, 2), metrics=["auroc", "f1"])
    for name in ("auroc", "f1"):
        assert counted[name].standard_error == pytest.approx(twice[name].standard_error)


def test_another_prevalence_reweighs_the_classes(rows):
    y, s, w, _ = rows
    ev = uc.evaluate(y, s, sampling_weights=w, metrics=["precision", "auroc", "prevalence"])
    moved = uc.shift_prevalence(ev, prevalence=0.05)
    assert moved["prevalence"].value == pytest.approx(0.05)
    assert moved["prevalence"].standard_error == pytest.approx(0, abs=1e-12)
    assert moved["auroc"].value == pytest.approx(ev["auroc"].value)
    assert moved["precision"].low < moved["precision"].value < moved["precision"].high < ev["precision"].value


def test_partial_verification_is_begg_and_greenes():
    """By their formula: P(screen) and P(ill | screen) among the verified, put together."""
    rng = np.random.default_rng(2)
    ill, screen = rng.random(2000) < 0.2, np.zeros(2000)
    screen[ill], screen[~ill] = rng.random(ill.sum()) < 0.8, rng.random((~ill).sum()) < 0.1
    verified = rng.random(2000) < np.where(screen == 1, 0.9, 0.2)
    share = [np.mean(verified[screen == each]) for each in (0, 1)]
    weight = 1 / np.array(share)[screen[verified].astype(int)]
    ev = uc.evaluate(ill[verified], screen[verified], sampling_weights=weight, metrics=["sensitivity", "specificity"])
    of_screen = np.mean(screen)
    among = [np.mean(ill[verified & (screen == each)]) for each in (0, 1)]
    sensitivity = of_screen * among[1] / (of_screen * among[1] + (1 - of_screen) * among[0])
    healthy = (1 - of_screen) * (1 - among[0])
    assert ev["sensitivity"].value == pytest.approx(sensitivity)
    assert ev["specificity"].value == pytest.approx(healthy / (healthy + of_screen * (1 - among[1])))


REFUSED = {
    "a card": (lambda y, s, w: uc.threshold_card(y, s, sampling_weights=w), "does not support sampling weights"),
    "indistinguishable": (
        lambda y, s, w: uc.indistinguishability(y, s, sampling_weights=w),
        "support sampling weights",
    ),
    "a band": (
        lambda y, s, w: uc.evaluate(y, s, sampling_weights=w, metrics=["auroc"]).band("roc"),
        "does not support sampling weights",
    ),
    "a posterior": (
        lambda y, s, w: uc.posterior(uc.evaluate(y, s, sampling_weights=w, metrics=["npv"]), prior=0.1),
        "no counts",
    ),
    "another method": (
        lambda y, s, w: uc.evaluate(y, s, sampling_weights=w, metrics=["auroc"])["auroc"].interval(method="delong"),
        "does not serve",
    ),
    "strata alone": (lambda y, s, w: uc.evaluate(y, s, strata=np.arange(N) % 3), "no sampling weights were given"),
    "negative": (lambda y, s, w: uc.evaluate(y, s, sampling_weights=-w), "negative"),
    "missing": (lambda y, s, w: uc.evaluate(y, s, sampling_weights=np.where(w > 1, np.nan, w)), "sampling_weights"),
    "all zero": (lambda y, s, w: uc.evaluate(y, s, sampling_weights=0 * w), "zero in every row"),
    "too large": (lambda y, s, w: uc.evaluate(y, s, sampling_weights=1e200 * w), "not a number of cases"),
    "groups across strata": (
        lambda y, s, w: uc.evaluate(y, s, sampling_weights=w, groups=np.arange(N) // 3, strata=np.arange(N) % 2),
        "several strata",
    ),
    "an estimated prevalence": (
        lambda y, s, w: uc.shift_prevalence(
            uc.evaluate(y, s, sampling_weights=w, metrics=["npv"]), prevalence=(3, 100)
        ),
        "known prevalence",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refusals(rows, what):
    call, words = REFUSED[what]
    with pytest.raises(uc.UnconfuseError, match=words):
        call(*rows[:3])


@pytest.mark.parametrize(
    ("y", "s", "w"),
    [
        ([1, 0], [0.9, 0.1], [1, 2]),
        ([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1], [1, 5, 1, 2]),
        ([1, 0, 0, 0, 0], [0.5] * 5, [1, 2, 3, 4, 5]),
        ([1, 0, 0, 0], [0.1, 0.5, 0.6, 0.7], [1, 2, 3, 4]),
    ],
    ids=["two rows", "perfect", "one score", "reversed"],
)
@pytest.mark.filterwarnings("ignore::unconfuse.UnconfuseWarning")
def test_tiny_samples_have_intervals_that_hold_their_value(y, s, w):
    for each in uc.evaluate(y, s, sampling_weights=w).values():
        if not each.undefined:
            assert each.low <= each.value <= each.high, each


@pytest.mark.parametrize("grouped", [True, False])
def test_cells_of_units_vary_as_their_sums_do(grouped):
    rng = np.random.default_rng(6)
    stratum = rng.integers(0, 4, 90) if not grouped else np.repeat(rng.integers(0, 3, 30), 3)
    unit, cell, weight = (
        np.repeat(np.arange(30), 3) if grouped else np.arange(90),
        rng.integers(0, 4, 90),
        rng.random(90),
    )
    found = SamplingUnits.of(stratum, unit if grouped else None, 90).covariance_of_cells(cell, weight, 4)
    sums = np.array([np.bincount(unit, weights=weight * (cell == k)) for k in range(4)])
    of_unit = stratum[np.unique(unit, return_index=True)[1]]
    each = [np.cov(sums[:, of_unit == k]) * (of_unit == k).sum() for k in np.unique(of_unit)]
    assert np.allclose(found, np.sum(each, axis=0), rtol=1e-12)


def test_few_heavy_groups_leave_the_variance_uncertain():
    """Satterthwaite's degrees of freedom are about as many as groups that are alike, and fewer where few weigh much."""
    rng = np.random.default_rng(7)
    group = np.repeat(np.arange(40), 5)
    drawn = SamplingUnits.of(None, group, 200)
    sums = rng.normal(size=(500, 40))
    even, uneven = (
        np.median([drawn.freedom_of(each * w) for each in sums]) for w in (1, np.where(np.arange(40) < 4, 30, 1))
    )
    assert 35 < even < 50 and 3 < uneven < 7


@pytest.mark.parametrize("weight", [{}, {"sampling_weights": np.arange(1, N + 1)}])
def test_one_group_says_nothing_of_groups(rows, weight):
    y, s, _, other = rows
    found = uc.evaluate(y, s, groups=np.zeros(N), metrics=["auroc", "sensitivity", "ks"], **weight)
    for each in found.values():
        assert np.isfinite(each.value) and np.isnan([each.low, each.high]).all() and "one group" in each.method
    with pytest.raises(uc.UnconfuseError, match="one group"):
        uc.compare(y, {"a": s, "b": other}, groups=np.zeros(N), **weight)


def test_weights_too_small_to_be_squared_are_refused(rows):
    with pytest.raises(uc.UnconfuseError, match="too small to be squared"):
        uc.evaluate(rows[0], rows[1], sampling_weights=np.full(N, 1e-200))


@pytest.mark.parametrize("metric", ["null_accuracy", "null_error_rate", "prevalence", "accuracy", "sensitivity"])
def test_decisions_have_the_intervals_of_the_scores_that_made_them(metric):
    """Few rows that weigh much were noticed only where scores were known."""
    for seed in (2, 29, 32, 46):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(20, 60))
        y, s, weight = rng.random(n) < 0.3, rng.random(n), rng.random(n) ** 4 + 0.01
        y[:2] = True, False
        how = {"sampling_weights": weight, "metrics": [metric]}
        one = uc.evaluate(y, s, threshold=0.5, **how)[metric]
        two = uc.evaluate(y, predicted=s >= 0.5, positive=True, **how)[metric]
        assert (one.value, one.low, one.high) == pytest.approx((two.value, two.low, two.high), rel=1e-12, nan_ok=True)
