"""B(r), r_b and C(r_b) of samples: against brute force, under transforms, and what the intervals promise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unconfuse as uc
from unconfuse._errors import InputError
from unconfuse.indistinguish import (
    NormalMixtures,
    b_standard_errors,
    easy_negatives_finding,
    find_crossing,
    precision_influence,
    sampled_b,
)
from unconfuse.metrics.indistinguishable import b_values

rows = st.lists(st.tuples(st.booleans(), st.integers(0, 6), st.integers(1, 3)), min_size=2, max_size=25).filter(
    lambda each: any(y for y, _, _ in each) and not all(y for y, _, _ in each)
)


def expanded(data):
    """Labels and scores with every row as often as its weight says."""
    y, s, w = (np.array(column) for column in zip(*data, strict=True))
    return np.repeat(y, w), np.repeat(s, w).astype(float)


def table_of(data):
    y, s, w = (np.array(column) for column in zip(*data, strict=True))
    return uc.ScoreTable.from_rows(y, s.astype(float), w.astype(float))


def brute_force(y, s, threshold, exclude_self):
    won = compared = 0.0
    for i in np.flatnonzero(y):
        for j in np.flatnonzero(s >= threshold):
            if exclude_self and i == j:
                continue
            won += 1.0 if s[i] > s[j] else 0.5 if s[i] == s[j] else 0.0
            compared += 1
    return won / compared if compared else np.nan


@given(rows, st.booleans())
@settings(max_examples=60, deadline=None)
def test_b_equals_brute_force_exactly(data, exclude_self):
    y, s = expanded(data)
    table = table_of(data)
    wanted = [brute_force(y, s, threshold, exclude_self) for threshold in table.score]
    np.testing.assert_array_equal(b_values(table, exclude_self=exclude_self), wanted)


@given(rows, st.sampled_from([0.4, 0.5, 0.6]))
@settings(max_examples=60, deadline=None)
def test_the_crossing_is_where_brute_force_says(data, level):
    y, s = expanded(data)
    table = table_of(data)
    b = np.array([brute_force(y, s, threshold, False) for threshold in table.score])
    found = find_crossing(table, level)
    inside, outside = np.flatnonzero(b <= level + 1e-12), np.flatnonzero(b >= level - 1e-12)
    for side, chosen in ((found.below, inside[-1:]), (found.above, outside[:1])):
        assert (None if side is None else side.threshold) == (table.score[chosen[0]] if len(chosen) else None)


@given(rows)
@settings(max_examples=60, deadline=None)
def test_facts_about_r_b(data):
    table = table_of(data)
    auroc = float(uc.METRICS["auroc"](table))
    found = find_crossing(table)
    assert found.exists == (auroc >= 0.5 - 1e-12)
    if found.exists:
        assert found.above.sensitivity >= 0.5 - 1e-12
        b, u = b_values(table)[-1], (table.n_positives / 2 + table.n_negatives * auroc) / table.n
        assert b == pytest.approx(u)


@given(rows)
@settings(max_examples=40, deadline=None)
def test_influences_add_up_to_nothing_and_are_derivatives(data):
    table = table_of(data)
    found = find_crossing(table)
    if found.share != found.share or not 0.05 < found.share < 0.95 or found.below.precision in (0.0, 1.0):
        return
    influence = precision_influence(table)
    assert influence.value == pytest.approx(found.mixed_precision)
    total = influence.positive @ table.positives + influence.negative @ table.negatives
    assert total == pytest.approx(0, abs=1e-9)


def test_influence_is_the_derivative_of_the_mixture():
    table = uc.ScoreTable(np.array([3.0, 2, 1, 0]), np.array([3.0, 2, 1, 0]), np.array([0.0, 1, 2, 3]))
    influence, step = precision_influence(table), 1e-6
    for k in range(4):
        for name in ("positives", "negatives"):
            weights = {"positives": table.positives.copy(), "negatives": table.negatives.copy()}
            weights[name][k] += step
            moved = find_crossing(uc.ScoreTable(table.score, **weights)).mixed_precision
            slope = (moved - find_crossing(table).mixed_precision) / step
            assert slope == pytest.approx(getattr(influence, name[:-1])[k], abs=1e-5)


@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_standard_errors_of_b_are_sums_of_squared_derivatives(design):
    rng = np.random.default_rng(0)
    y = rng.random(40) < 0.4
    table = uc.ScoreTable.from_rows(y, np.round(rng.normal(size=40) + y, 1))
    slopes, step = {}, 1e-6
    for name in ("positives", "negatives"):
        columns = []
        for k in range(len(table)):
            weights = {"positives": table.positives.copy(), "negatives": table.negatives.copy()}
            weights[name][k] += step
            columns.append((b_values(uc.ScoreTable(table.score, **weights)) - b_values(table)) / step)
        slopes[name] = np.array(columns)
    variance = 0.0
    for name, n in (("positives", table.n_positives), ("negatives", table.n_negatives)):
        w = getattr(table, name)[:, None]
        variance = variance + (w * slopes[name] ** 2).sum(0)
        if design == "case-control":
            variance = variance - (w * slopes[name]).sum(0) ** 2 / n
    found = b_standard_errors(table, fixed_classes=design == "case-control")
    assert found == pytest.approx(np.sqrt(variance), abs=1e-6)


def binormal(n, prevalence, shift, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < prevalence
    return y, rng.normal(size=n) + shift * y


def test_two_ways_to_each_interval_agree():
    y, s = binormal(4000, 0.3, 1.2)
    found = [uc.indistinguishability(y, s, method=method) for method in ("bootstrap", "influence")]
    for name in ("threshold", "precision"):
        a, b = (getattr(each, name) for each in found)
        width = a.high - a.low
        assert (b.low, b.high) == pytest.approx((a.low, a.high), abs=0.15 * width)
        assert a.low < a.value < a.high


def test_a_sample_finds_its_population():
    y, s = binormal(40_000, 0.3, 1.2)
    truth = NormalMixtures.binormal(mean=1.2, prevalence=0.3).crossing()
    found = uc.indistinguishability(y, s, method="influence")
    assert found.precision.low < truth.precision < found.precision.high
    assert found.threshold.low < truth.threshold < found.threshold.high


def test_monotone_transforms_move_the_threshold_and_leave_the_rest():
    y, s = binormal(500, 0.3, 1.0)
    plain, bent = (uc.indistinguishability(y, each) for each in (s, np.exp(s)))
    assert bent.precision == plain.precision
    for end in ("value", "low", "high"):
        assert getattr(bent.threshold, end) == pytest.approx(np.exp(getattr(plain.threshold, end)))


def test_easy_negatives_move_auroc_and_leave_c_alone():
    y, s = binormal(2000, 0.3, 1.2)
    study = uc.easy_negatives(uc.score_table(y, s))
    assert len(set(study.values["precision_at_indistinguishability"])) == 1
    assert np.all(np.diff(study.values["auroc"]) > 0)


@given(rows)
def test_easy_negatives_are_those_below_the_threshold_that_is_shown(data):
    y, s = expanded(data)
    try:
        study = uc.easy_negatives(table_of(data), factors=(0.0, 1.0))
    except InputError:
        return  # the scores rank negatives first
    easy = ~y & (s < study.threshold)
    assert study.easy_share == pytest.approx(easy.sum() / (~y).sum())
    hard = (s[y][:, None] - s[~y & ~easy]).ravel()
    expected = np.mean((np.sign(hard) + 1) / 2) if len(hard) else np.nan
    assert study.values["auroc"][0] == pytest.approx(expected, nan_ok=True)
    assert study.values["precision_at_indistinguishability"][0] == pytest.approx(np.mean(y[s >= study.threshold]))


def test_the_finding_speaks_only_where_easy_negatives_flatter():
    rng = np.random.default_rng(3)
    hard = np.concatenate([rng.normal(10, 2, 1000), rng.normal(7, 2, 1000), rng.normal(2, 2, 10_000)])
    remark = easy_negatives_finding(uc.ScoreTable.from_rows(np.arange(12_000) < 1000, hard))
    assert remark is not None
    assert remark.verdict == "easy negatives"
    assert "mostly easy negatives" in remark.sentence
    good = np.concatenate([rng.normal(10, 1, 1000), rng.normal(4, 1, 1000)])
    assert easy_negatives_finding(uc.ScoreTable.from_rows(np.arange(2000) < 1000, good)) is None
    assert easy_negatives_finding(uc.score_table(*binormal(500, 0.3, 1.0))) is None


def test_random_pairs_agree_with_the_exact_value():
    y, s = binormal(300, 0.4, 1.0)
    table = uc.score_table(y, np.round(s, 1))
    found = uc.indistinguishability(table)
    exact = float(b_values(table, exclude_self=True)[table.score.tolist().index(found.threshold.value)])
    sampled = found.sampled(n_pairs=200_000, rng=4)
    assert sampled.value == pytest.approx(exact, abs=4 * 0.5 / np.sqrt(200_000))
    assert sampled_b(table, 0.0, rng=1).value == sampled_b(table, 0.0, rng=1).value


def test_refusals_say_what_to_do():
    y, s = binormal(200, 0.5, 1.0)
    with pytest.raises(uc.UnconfuseError, match=r"rank negatives first.*opposite sign"):
        uc.indistinguishability(y, -s)
    with pytest.raises(uc.UnconfuseError, match=r"never reaches 0\.95.*lower `b_level`"):
        uc.indistinguishability(y, s, level=0.95)
    with pytest.raises(uc.UnconfuseError, match="side='above'"):
        uc.indistinguishability([1, 0, 1, 0], [1, 1, 1, 1], level=0.4)
    with pytest.raises(uc.UnconfuseError, match="`side` must be one of"):
        uc.indistinguishability(y, s, side="middle")


def test_options_choose_the_labelled_set():
    cats = [79, 85, 82, 68, 87, 66, 61, 39, 28, 73, 74, 12]
    y = [1] * 6 + [0] * 6
    found = {take: uc.indistinguishability(y, cats, side=take) for take in ("below", "above", "mixture")}
    assert [found[take].precision.value for take in found] == pytest.approx([5 / 7, 3 / 4, 0.7222222222])
    assert "71.4% of the labelled are real" in found["below"].sentence
    assert found["below"].at_level(0.4).labelled_set.tp == 4
    assert found["below"].curve["b"][-1] == pytest.approx(found["below"].b_if_all_labelled)
