"""Cases in groups: whole groups are left out one by one."""

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.table import InMemorySample, Settings
from unconfuse.uncertainty.clustered_metrics import Grouped
from unconfuse.uncertainty.clusters import FEW_UNITS, ClusterPart, freedom
from unconfuse.uncertainty.table_estimates import draw

SOME = ["sensitivity", "specificity", "precision", "accuracy", "f1", "mcc", "auroc", "average_precision", "brier", "ks"]


def cases(n=120, groups=10, seed=1, separation=1.5):
    rng = np.random.default_rng(seed)
    g = rng.integers(0, groups, n)
    y = rng.random(n) < 0.4
    z = separation * (y - 0.5) + 0.7 * rng.normal(size=groups)[g] + 0.7 * rng.normal(size=n)
    return y, np.round(1 / (1 + np.exp(-z)), 2), g


def positives_at(places, scores, n=60):
    """Ten groups of six, of which these cases are positive and have these scores."""
    y, s = np.zeros(n, dtype=bool), np.random.default_rng(1).random(n) * 0.6
    y[places], s[places] = True, scores
    return y, s, np.arange(n) // 6


@pytest.mark.parametrize("weights", [None, "weights"])
def test_values_without_each_group_are_those_of_the_others(weights):
    y, s, g = cases()
    w = None if weights is None else np.random.default_rng(2).integers(1, 4, len(y)).astype(float)
    sample = InMemorySample(truth=y, scores={"s": s}, groups=g, weights=w, thresholds={"s": 0.5})
    metrics = [uc.METRICS[name] for name in SOME]
    found = Grouped(sample, Settings(), draw).all_without(metrics)
    for group in range(10):
        rest = sample.taken(np.flatnonzero(g != group))
        for each in metrics:
            value = each(rest.counts()) if each.of == "counts" else each(rest.table())
            assert found[each.name][0, group] == pytest.approx(float(value), abs=1e-12), each.name


def test_degrees_of_freedom_are_those_of_the_matrices():
    rng = np.random.default_rng(3)
    parts = [ClusterPart(rng.integers(1, 9, 7).astype(float), rng.normal(size=7), 30.0, each) for each in (0.2, 0.5)]
    rho = max(np.mean([each.correlation for each in parts]), 0.05)
    own, w = (sum(each.weighed(r) for each in parts) for r in (0.0, rho))
    p = own / own.sum()
    centred = np.eye(7) - np.outer(p, np.ones(7))
    scale = np.diag((1 - p) ** -0.5)
    b = scale @ centred @ np.diag(w) @ centred.T @ scale
    unequal = np.trace(b) ** 2 / np.trace(b @ b)
    assert freedom(parts) == pytest.approx((min(unequal, 6) + 6) / 2)


def test_positives_of_one_group_have_no_interval():
    y, s, g = positives_at([0, 1, 2], [0.9, 0.8, 0.2])
    for words in ({}, {"sampling_weights": np.random.default_rng(0).random(60) + 0.3}):
        found = uc.evaluate(y, s, groups=g, threshold=0.5, metrics=SOME, **words)
        for name in ("sensitivity", "auroc", "average_precision", "f1", "mcc", "ks"):
            assert np.isnan(found[name].low)
            assert found[name].method == "no interval: all positives come from one group"
        assert found["specificity"].low < found["specificity"].value < found["specificity"].high


def test_groups_that_agree_leave_wide_intervals():
    y, s, g = positives_at([0, 1, 2, 6, 7, 8], [0.9, 0.8, 0.2] * 2)
    found = uc.evaluate(y, s, groups=g, threshold=0.5, metrics=SOME)
    alone = uc.evaluate(y, s, threshold=0.5, metrics=SOME)
    for name in SOME:
        room = 0.02 if name == "ks" else 0.0  # of which independent cases are resampled less often
        assert found[name].high - found[name].low >= alone[name].high - alone[name].low - room, name
    assert found["sensitivity"].high - found["sensitivity"].low > 0.9
    assert found["sensitivity"].method.endswith("positives in 2 groups only")
    assert FEW_UNITS == 4


def test_thirty_of_thirty_in_ten_groups():
    y = np.arange(60) % 2 == 0
    s = np.where(y, 0.9, 0.1)
    found = uc.evaluate(y, s, groups=np.arange(60) // 6, threshold=0.5, metrics=["sensitivity", "auroc"])
    assert found["sensitivity"].low == pytest.approx(0.835, abs=0.001)  # .905 without groups
    assert found["sensitivity"].high == found["auroc"].high == 1


@pytest.mark.parametrize("factor", [7, 0.1, 1e-6, 1e6, 1 / 3])
def test_a_scale_of_sampling_weights_changes_nothing(factor):
    y, s, g = positives_at([0, 1, 2, 6, 7, 8], [0.9, 0.8, 0.2] * 2)
    w = np.tile(np.random.default_rng(5).random(6).round(3) + 0.3, 10)
    names = ["sensitivity", "accuracy", "auroc", "brier", "f1", "max_f1"]
    one, other = (
        uc.evaluate(y, s, groups=g, threshold=0.5, metrics=names, sampling_weights=each) for each in (w, factor * w)
    )
    for name in names:
        ends = other[name].low, other[name].high
        assert ends == pytest.approx((one[name].low, one[name].high), rel=1e-6, abs=1e-9), name
        assert one[name].high - one[name].low > 0.1, name


def test_weights_of_rows_in_groups_are_rows_again():
    y, s, g = cases(90)
    w = np.random.default_rng(4).integers(1, 4, 90)
    many = np.repeat(np.arange(90), w)
    one = uc.evaluate(y, s, groups=g, weights=w, threshold=0.5)
    two = uc.evaluate(y[many], s[many], groups=g[many], threshold=0.5)
    for name in one:
        ends = two[name].low, two[name].high
        assert ends == pytest.approx((one[name].low, one[name].high), rel=1e-9, abs=1e-9, nan_ok=True), name


def test_neither_order_nor_names_nor_empty_weights_of_groups_matter():
    y, s, g = cases()
    base = uc.evaluate(y, s, groups=g, threshold=0.5, metrics=SOME)
    order = np.random.default_rng(6).permutation(len(y))
    names = np.array(list("qwertyuiop"))[g]
    empty = np.append(np.ones(len(y)), [0, 0])
    for other in (
        uc.evaluate(y[order], s[order], groups=g[order], threshold=0.5, metrics=SOME),
        uc.evaluate(y, s, groups=names, threshold=0.5, metrics=SOME),
        uc.evaluate(
            np.append(y, [1, 0]),
            np.append(s, [0.1, 0.9]),
            groups=np.append(g, [10, 11]),
            weights=empty,
            threshold=0.5,
            metrics=SOME,
        ),
    ):
        for name in SOME:
            ends = other[name].low, other[name].high
            assert ends == pytest.approx((base[name].low, base[name].high), rel=1e-9), name


def test_groups_of_one_case_are_nearly_independent_cases():
    y, s, _ = cases(300, separation=2)
    one, two = uc.evaluate(y, s, groups=np.arange(300), metrics=SOME, threshold=0.5), uc.evaluate(y, s, metrics=SOME)
    for name in set(SOME) - {"ks"}:
        widths = [each[name].high - each[name].low for each in (one, two)]
        assert 0.99 * widths[1] < widths[0] < 1.1 * widths[1], name


def test_named_methods_stay():
    y, s, g = cases()
    found = uc.evaluate(y, s, groups=g, metrics=["auroc"], n_resamples=200)["auroc"]
    assert found.interval(method="jackknife") == found
    assert "bootstrap" in found.interval(method="bias_corrected").method
    with pytest.raises(uc.UnconfuseError, match=r"do not support the interval 'delong'\. Hint: use 'jackknife'"):
        found.interval(method="delong")
    assert found.interval(confidence_level=0.99).low < found.low


def test_many_groups_by_influences_or_random_parts():
    y, s, _ = cases(900)
    g = np.arange(900) // 3
    found = uc.evaluate(y, s, groups=g, threshold=0.5, metrics=SOME)
    alone = uc.evaluate(y, s, threshold=0.5, metrics=SOME)
    for name in SOME:
        assert found[name].standard_error == pytest.approx(alone[name].standard_error, rel=0.35), name


def test_one_class_infinite_values_and_a_huge_group():
    y, s, g = cases(60)
    parts = uc.evaluate(y, s, groups=g, threshold=0.5, by=np.where(y, "sick", "well")).subgroups
    assert parts["sick"]["auroc"].undefined
    assert parts["sick"]["sensitivity"].low < parts["sick"]["sensitivity"].value
    perfect = uc.evaluate(y, np.where(y, 0.9, 0.1), groups=g, threshold=0.5)
    assert perfect["lr_positive"].value == np.inf
    assert 1 < perfect["lr_positive"].low < np.inf
    huge = uc.evaluate(y, s, groups=np.where(np.arange(60) < 54, 0, g + 1), threshold=0.5, metrics=SOME)
    for each in huge.values():
        assert each.high - each.low > 0.3, each


def test_a_metric_of_ones_own():
    def gap(table):
        up, down = (np.sum(table.score * w, -1) / np.sum(w, -1) for w in (table.positives, table.negatives))
        return up - down

    own = uc.Metric("gap", gap, of="ranks", range=(-1, 1), interval="bias_corrected")
    y, s, g = cases()
    found = uc.evaluate(y, s, groups=g, metrics=[own])["gap"]
    assert found.low < found.value < found.high


def test_parts_count_their_own_groups():
    y, s, g = cases(200, groups=24)
    fold = g % 3  # eight groups in each fold
    found = uc.evaluate(y, s, groups=g, folds=fold, metrics=["auroc", "ks"], threshold=0.5)
    renamed = uc.evaluate(
        y,
        s,
        groups=np.argsort(np.random.default_rng(0).permutation(24))[g],
        folds=fold,
        metrics=["auroc", "ks"],
        threshold=0.5,
    )
    for part in found.sample.by_fold().values():
        assert part.n_groups == part.groups.max() + 1 == 8
    for name in ("auroc", "ks"):
        for fold_name in found.folds:
            one, other = (each.folds[fold_name][name] for each in (found, renamed))
            assert one.standard_error == pytest.approx(other.standard_error, rel=1e-9)


def test_groups_in_several_folds_are_a_finding():
    y, s, g = cases()
    found = uc.evaluate(y, s, groups=g, folds=np.arange(len(y)) % 4, threshold=0.5)
    leak = [each for each in found.findings if each.verdict == "leak"]
    assert len(leak) == 1
    assert leak[0].sentence.startswith("10 of 10 clusters have cases in several folds")
    assert "over all folds" in found["auroc"].method
    apart = uc.evaluate(y, s, groups=g, folds=g % 2, threshold=0.5)
    assert not [each for each in apart.findings if each.verdict == "leak"]
    assert "MOVER" in apart["auroc"].method


def test_differences_of_two_models():
    y, s, g = cases(200)
    t = np.clip(s + np.random.default_rng(1).normal(size=200) * 0.2, 0, 1)
    found = uc.compare(y, {"a": s, "b": t}, groups=g, metrics=["auroc", "sensitivity", "brier", "log_loss", "mcc"])
    for each in found.values():
        assert each.test == "jackknife t"
        assert (each.difference.low > 0 or each.difference.high < 0) == (each.p_value < 0.05)
    same = uc.compare(y, {"a": s, "b": s.copy()}, groups=g, metrics=["auroc", "sensitivity"])
    for each in same.values():
        assert each.difference.low < 0 < each.difference.high
        assert each.p_value == 1


def test_positives_of_one_group_do_not_tell_two_models_apart():
    y, s, g = cases(120)
    found = uc.compare(y, {"a": s, "b": s[::-1]}, groups=np.where(y, 0, 1 + g), metrics=["auroc", "sensitivity", "mcc"])
    for each in found.values():
        assert each.difference.method.startswith("no interval: all positives come from one group")
        assert np.isnan(each.difference.low)
        assert each.verdict == "cannot tell"


def test_a_gate_of_few_groups_does_not_pass_by_their_agreement():
    y = np.arange(60) % 2 == 0
    s = np.where(y, 0.9, 0.1)
    found = uc.gate(y, s, groups=np.arange(60) // 6, threshold=0.5, require="sensitivity>=.95")
    assert found.verdict != "pass"
