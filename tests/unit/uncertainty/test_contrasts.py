"""Paired differences: against DeLong by hand, against plain bootstraps, for two and for several classes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from class_samples import rows_of, softmax
from scipy import stats

import unconfuse as uc
from unconfuse.metrics import find_metric
from unconfuse.table import InMemorySample, Settings
from unconfuse.uncertainty.contrasts import PairedContrasts
from unconfuse.uncertainty.difference_tests import bonett_price, mcnemar_mid_p
from unconfuse.uncertainty.joint_replicates import replicates

N, USUAL = 400, Settings()


def sample(n=N, seed=0, models="ab", **more) -> InMemorySample:
    """Correlated models of the same cases, cut at one half."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.35
    shared = 1.2 * truth + rng.normal(size=n)
    scores = {name: 1 / (1 + np.exp(0.6 - shared - 0.7 * rng.normal(size=n))) for name in models}
    return InMemorySample(truth=truth, scores=scores, **more).with_thresholds(0.5)


def differences(name, near, design=USUAL, pairs=(("a", "b"),), adjust="max-t"):
    metric = find_metric(name, several=near.is_multiclass)
    return PairedContrasts([metric], near, pairs, design, adjust).differences(metric)


def resampled(near, values, draws=1500, seed=1):
    """The standard deviation of a difference over resampled rows; whole groups if there are some."""
    rng, found = np.random.default_rng(seed), []
    groups = np.arange(len(near)) if near.groups is None else near.groups
    members = [np.flatnonzero(groups == each) for each in np.unique(groups)]
    for _ in range(draws):
        rows = np.concatenate([members[each] for each in rng.integers(0, len(members), len(members))])
        found.append(values(near.taken(rows)))
    return float(np.nanstd(found))


def gap(name):
    metric = uc.METRICS[name]

    def value(near):
        one, other = (near.counts(m) if metric.of == "counts" else near.table(m) for m in "ab")
        return float(metric(one) - metric(other))

    return value


def test_delong_by_hand():
    near = sample()
    wins = {}
    for name, score in near.scores.items():
        own, others = score[near.truth][:, None], score[~near.truth]
        wins[name] = (own > others) + (own == others) / 2
    p, n = wins["a"].shape
    value = wins["a"].mean() - wins["b"].mean()
    rows, columns = (np.cov([wins[name].mean(axis=axis) for name in "ab"]) for axis in (1, 0))
    contrast = np.array([1.0, -1.0])
    error = math.sqrt(contrast @ (rows / p + columns / n) @ contrast)
    found = differences("auroc", near)[0]
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.standard_error == pytest.approx(error, rel=1e-9)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(value) / error), rel=1e-9)
    assert found.test == "DeLong"


@pytest.mark.parametrize("fixed_classes", [False, True])
def test_gini_is_twice_the_auroc(fixed_classes):
    area, gini = (differences(name, sample(fixed_classes=fixed_classes))[0] for name in ("auroc", "gini"))
    assert (gini.value, gini.standard_error) == pytest.approx((2 * area.value, 2 * area.standard_error), rel=1e-12)
    assert (gini.low, gini.high) == pytest.approx((2 * area.low, 2 * area.high), rel=1e-12)
    inner = area.draft.limits(0.9)
    assert gini.draft.limits(0.9) == pytest.approx((2 * inner[0], 2 * inner[1]), rel=1e-12)
    assert (gini.p_value, gini.test) == (pytest.approx(area.p_value, rel=1e-12), area.test)


@pytest.mark.parametrize("name", ["auroc", "average_precision", "brier", "log_loss", "f1", "mcc", "precision", "ks"])
def test_standard_errors_are_those_of_resampled_rows(name):
    near = sample()
    found = differences(name, near)[0]
    assert found.value == pytest.approx(gap(name)(near), abs=1e-12)
    assert found.standard_error == pytest.approx(resampled(near, gap(name)), rel=0.12)
    low, high = found.draft.limits(0.9)
    assert found.low < low < found.value < high < found.high


@pytest.mark.parametrize("name", ["auroc", "f1", "accuracy"])
def test_groups_are_resampled_whole(name):
    """Five copies of each of 80 cases, moved a little: as sure as 80 cases, not as 400."""
    rng = np.random.default_rng(2)
    base = sample(80)
    times = np.repeat(np.arange(80), 5)
    scores = {m: np.clip(each[times] + 0.01 * rng.normal(size=400), 0, 1) for m, each in base.scores.items()}
    near = InMemorySample(truth=base.truth[times], scores=scores, groups=times).with_thresholds(0.5)
    found = differences(name, near)[0]
    assert found.standard_error == pytest.approx(resampled(near, gap(name)), rel=0.12)


def test_weights_count_as_rows():
    rng = np.random.default_rng(5)
    weights = rng.integers(1, 4, N)
    plain = sample()
    weighted = sample(weights=weights.astype(float))
    repeated = plain.taken(np.repeat(np.arange(N), weights))
    for name in ("auroc", "average_precision", "brier"):
        one, other = differences(name, weighted)[0], differences(name, repeated)[0]
        assert (one.value, one.standard_error) == pytest.approx((other.value, other.standard_error), rel=1e-9)
        assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9)
    one, other = differences("mcc", weighted)[0], differences("mcc", repeated)[0]
    assert (one.value, one.low, one.high) == (other.value, other.low, other.high)  # the same patterns


def test_right_labels_are_counted_case_by_case():
    near = sample()
    right = {name: (near.scores[name] >= 0.5) == near.truth for name in "ab"}
    for name, among in (
        ("accuracy", np.ones(N, dtype=bool)),
        ("sensitivity", near.truth),
        ("specificity", ~near.truth),
    ):
        only = [(right[one] & ~right[other] & among).sum() for one, other in ("ab", "ba")]
        found = differences(name, near)[0]
        assert found.p_value == pytest.approx(mcnemar_mid_p(*only), rel=1e-12)
        low, high = bonett_price(*only, among.sum())
        assert (found.low, found.high) == pytest.approx((min(low, found.value), max(high, found.value)), abs=1e-12)


def test_patterns_give_the_replicates_that_rows_give():
    """Drawing cases one by one is drawing how many come from each pattern of decisions."""
    near = sample(120)
    drawn = replicates([uc.METRICS["mcc"]], near, Settings(n_resamples=20_000))["mcc"]
    rng, rows = np.random.default_rng(3), np.arange(len(near))
    both = []
    for _ in range(4000):
        again = rng.choice(rows, len(rows))
        cells = []
        for name in "ab":
            labelled, truth = near.scores[name][again] >= 0.5, near.truth[again]
            cells.append(
                uc.Counts(
                    tp=(truth & labelled).sum(),
                    fp=(~truth & labelled).sum(),
                    fn=(truth & ~labelled).sum(),
                    tn=(~truth & ~labelled).sum(),
                )
            )
        both.append([float(uc.METRICS["mcc"](each)) for each in cells])
    np.testing.assert_allclose(drawn.mean(axis=1), np.mean(both, axis=0), atol=0.006)
    np.testing.assert_allclose(np.cov(drawn), np.cov(np.array(both).T), rtol=0.12)


def test_several_pairs_hold_together():
    near = sample(models="abcd")
    pairs = [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]
    for name in ("auroc", "mcc", "accuracy"):
        alone = [differences(name, near.taken(np.arange(N)), pairs=[pair])[0] for pair in pairs]
        together = differences(name, near, pairs=pairs)
        for one, other in zip(alone, together, strict=True):
            assert other.value == pytest.approx(one.value, abs=1e-12)
            assert other.p_value <= other.adjusted <= min(1.0, 6 * other.p_value + 0.02)
        by_holm = differences(name, near, pairs=pairs, adjust="holm")
        assert [each.p_value for each in by_holm] == [each.p_value for each in together]


def test_equivalence_needs_the_interval_of_twice_the_error():
    """Two one-sided tests at 5% each: what the 90% interval shows, and nothing else."""
    near = sample()
    for name in ("auroc", "accuracy", "mcc"):
        paired = PairedContrasts([uc.METRICS[name]], near, [("a", "b")], Settings(), "max-t")
        low, high = differences(name, near, Settings(confidence_level=0.9))[0].draft.limits(0.9)
        widest = max(-low, high)
        assert (
            paired.claims(uc.METRICS[name], widest * 1.001)[0][0]
            and not paired.claims(uc.METRICS[name], widest * 0.999)[0][0]
        )
        if low < 0:
            assert (
                paired.claims(uc.METRICS[name], -low * 1.001)[0][1]
                and not paired.claims(uc.METRICS[name], -low * 0.999)[0][1]
            )


def test_what_is_undefined_stays_undefined():
    near = sample().with_constants({"nobody": 0.0}).with_thresholds(0.5)
    found = differences("precision", near, pairs=[("a", "nobody")])[0]
    assert math.isnan(found.value) and math.isnan(found.p_value) and math.isnan(found.adjusted)


def classes(n=300, seed=0, **words) -> InMemorySample:
    """Two models of three classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    logits = rng.normal(size=(n, 3)) + 1.2 * np.eye(3)[y]
    return rows_of(y, {"a": softmax(logits), "b": softmax(logits + 0.5 * rng.normal(size=(n, 3)))}, **words)


def class_gap(name):
    metric = find_metric(name, several=True)
    return lambda near: float(metric(near.select_model("a")) - metric(near.select_model("b")))


@pytest.mark.parametrize("name", ["balanced_accuracy", "f1_macro", "log_loss", "auroc_hand_till", "auroc_ovr_macro"])
def test_several_classes_against_resampled_rows(name):
    near = classes()
    found = differences(name, near)[0]
    assert found.value == pytest.approx(class_gap(name)(near), abs=1e-12)
    assert found.standard_error == pytest.approx(resampled(near, class_gap(name), 400), rel=0.15)


def test_several_classes_in_groups():
    near = classes(groups=np.arange(300) // 4)
    found = differences("log_loss", near)[0]
    assert found.standard_error == pytest.approx(resampled(near, class_gap("log_loss"), 400), rel=0.15)


def test_accuracy_of_several_classes_is_mcnemars():
    near = classes()
    right = {name: near.decided[name] == near.truth for name in "ab"}
    only = (right["a"] & ~right["b"]).sum(), (right["b"] & ~right["a"]).sum()
    for name in ("accuracy", "f1_micro"):
        found = differences(name, near)[0]
        assert (found.test, found.p_value) == ("McNemar mid-p", pytest.approx(mcnemar_mid_p(*only), rel=1e-12))


def test_patterns_of_ten_models_are_resampled_in_pieces(monkeypatch):
    """All at once they took half a gigabyte for 30,000 cases, more for more models; pieces draw the same cases."""
    import tracemalloc

    from unconfuse.uncertainty import joint_replicates

    near, wanted = sample(n=6000, models="abcdefghij"), [find_metric("f1")]
    for design in (Settings(n_resamples=3000), Settings(n_resamples=3000, seed=4)):
        whole = joint_replicates.replicates(wanted, near, design)["f1"]
        with monkeypatch.context() as patched:
            patched.setattr(joint_replicates, "_CELLS", 1 << 16)
            np.testing.assert_array_equal(joint_replicates.replicates(wanted, near, design)["f1"], whole)
    patterns = len(near.joint_counts().weight)
    tracemalloc.start()
    joint_replicates.replicates(wanted, near, Settings(n_resamples=20_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000 * patterns * 8 / 2


def test_two_very_good_models_are_told_apart_as_delong_does():
    """Student's t is for fair models of small classes: DeLong's test of very good ones errs too seldom as it is."""
    rng = np.random.default_rng(0)
    truth = rng.random(60) < 0.15
    shared, own = rng.normal(size=60), rng.normal(size=(2, 60))
    better, worse = (
        apart * truth + np.sqrt(0.5) * (shared + each) for apart, each in zip((3.2, 2.2), own, strict=True)
    )
    wins = [(score[truth][:, None] > score[~truth]).astype(float) for score in (better, worse)]
    gap = wins[0] - wins[1]
    error = np.sqrt(sum(each.var(ddof=1) / len(each) for each in (gap.mean(axis=1), gap.mean(axis=0))))
    found = uc.compare(truth, {"a": better, "b": worse}, metrics=["auroc"])["auroc", "a", "b"]
    assert min(each.mean() for each in wins) > 0.9
    assert found.p_value == pytest.approx(2 * stats.norm.sf(gap.mean() / error)) and found.p_value < 0.05
    assert found.low == pytest.approx(gap.mean() - stats.norm.ppf(0.975) * error)
