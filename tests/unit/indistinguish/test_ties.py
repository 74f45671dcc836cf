"""Scores that many cases share: which thresholds bracket the level, intervals that hold, sentences that are true."""

import numpy as np
import pytest
from scipy.stats import binom

import unconfuse as uc
from unconfuse.indistinguish import find_crossing
from unconfuse.metrics.indistinguishable import reach_of_level

P, Q, K, SHARE = 0.7, 0.35, 5, 0.3
SCORES = np.arange(K, -1, -1.0)
POPULATION = uc.ScoreTable(SCORES, SHARE * binom(K, P).pmf(SCORES), (1 - SHARE) * binom(K, Q).pmf(SCORES))


def drawn(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < SHARE
    return y, rng.binomial(K, np.where(y, P, Q)).astype(float)


def test_intervals_hold_the_truth_on_five_values():
    truth = find_crossing(POPULATION)
    held = np.zeros(3)
    for seed in range(120):
        found = uc.indistinguishability(*drawn(400, seed), n_resamples=50)
        r, c, mixture = found.threshold, found.precision, found.mixture
        held += [
            r.low <= truth.below.threshold <= r.high,
            c.low <= truth.below.precision <= c.high,
            mixture.low <= truth.mixed_precision <= mixture.high,
        ]
        assert r.low <= r.value <= r.high and c.low <= c.value <= c.high
    assert (held / 120 > 0.9).all()


def test_the_sentence_names_both_thresholds_and_their_b():
    found = uc.indistinguishability(*drawn(500, 0), level=0.6)
    below, above = found.crossing.below, found.crossing.above
    assert found.has_ties
    assert f"{below.b:.1%}" in found.sentence and f"{above.b:.1%}" in found.sentence
    assert f"{found.mixture.value:.1%} of the labelled are real" in found.sentence
    assert f"{found.precision.value:.1%} of the labelled are real" in found.sentence


def test_one_interval_on_every_surface():
    y, s = drawn(500, 1)
    found = uc.indistinguishability(y, s)
    judged = uc.evaluate(y, s, threshold=3, metrics=["precision_at_indistinguishability"])
    own = judged["precision_at_indistinguishability"]
    assert (found.precision.low, found.precision.high, found.precision.method) == (own.low, own.high, own.method)
    card = uc.threshold_card(y, s, rules=["indistinguishability"], honest=None, n_resamples=50)
    at = card["indistinguishability"].threshold
    assert (at.value, at.low, at.high) == (found.threshold.value, found.threshold.low, found.threshold.high)


def test_the_mixture_has_the_level_exactly():
    found = uc.indistinguishability(*drawn(500, 2), side="mixture")
    assert found.labelled_set.b == 0.5
    assert found.labelled_set.precision == found.precision.value == found.crossing.mixed_precision
    assert found.labelled_set.tp / (found.labelled_set.tp + found.labelled_set.fp) == pytest.approx(
        found.precision.value
    )
    assert "drawn at random" in found.sentence


def test_the_picture_shows_the_numbers_of_the_result():
    pytest.importorskip("matplotlib")
    from unconfuse.plots import plot_metrics_against_b

    y, s = drawn(500, 0)
    words = {text.get_text() for text in plot_metrics_against_b(uc.score_table(y, s)).texts}
    found = uc.indistinguishability(y, s)
    assert f"{found.precision.value:.2f}" in words
    assert f"mix {found.mixture.value:.2f}" in words


def test_single_cases_are_no_ties():
    rng = np.random.default_rng(0)
    y = rng.random(60) < 0.5
    assert not reach_of_level(uc.ScoreTable.from_rows(y, rng.normal(size=60) + y), 0.5).tied
    assert not reach_of_level(uc.ScoreTable.from_rows(np.arange(100) < 50, -np.arange(100.0)), 0.5).tied


def test_influence_is_offered_where_it_covers():
    y, s = drawn(2000, 3)
    with pytest.raises(uc.UnconfuseError, match="side='mixture'"):
        uc.indistinguishability(y, s, method="influence")
    assert uc.indistinguishability(y, s, method="influence", side="mixture").precision.low > 0
    rng = np.random.default_rng(0)
    y = np.arange(2000) < 40
    with pytest.raises(uc.UnconfuseError, match="at least 200 cases of each class"):
        uc.indistinguishability(y, rng.normal(size=2000) + 2 * y, method="influence")


def test_groups_widen_the_intervals():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(40), 15)
    y = rng.random(600) < 0.4
    s = rng.normal(size=600) + y + 1.5 * rng.normal(size=40)[group]
    alone, grouped = uc.indistinguishability(y, s), uc.indistinguishability(y, s, groups=group)
    assert grouped.threshold.high - grouped.threshold.low > 1.2 * (alone.threshold.high - alone.threshold.low)
    judged = uc.evaluate(y, s, threshold=0, groups=group, metrics=["precision_at_indistinguishability"])
    own = judged["precision_at_indistinguishability"]
    assert (grouped.precision.low, grouped.precision.high) == (own.low, own.high)
    assert "40 groups" in grouped.precision.conditions
    with pytest.raises(uc.UnconfuseError, match="resampled whole"):
        uc.indistinguishability(y, s, groups=group, side="above")


def test_another_level_excludes_the_case_itself_in_value_and_interval():
    y, s = [1, 0, 1, 1, 0, 1, 0, 0], [8.0, 7, 6, 5, 4, 3, 2, 1]
    found = uc.indistinguishability(y, s, level=0.3, exclude_self=True)
    b = uc.indistinguishability(y, s, level=0.3, exclude_self=True).b(found.threshold.value)
    assert b <= 0.3
    assert found.precision.low <= found.precision.value <= found.precision.high


def test_pairs_drawn_without_replacement():
    y, s = drawn(500, 4)
    found = uc.indistinguishability(y, s)
    exact = found.b(found.threshold.value)
    assert found.sampled(n_pairs=100, replace=False).value == pytest.approx(exact, abs=0.15)
    with pytest.raises(uc.UnconfuseError, match="must not exceed"):
        found.sampled(n_pairs=400, replace=False)
    auroc = float(uc.METRICS["auroc"](found.table))
    assert found.sampled_auroc(n_pairs=20_000).value == pytest.approx(auroc, abs=0.012)


def test_auroc_above_is_the_auroc_of_the_labelled():
    y, s = drawn(300, 5)
    found = uc.indistinguishability(y, s)
    for r in (1, 2, 4):
        inside = s >= r
        assert found.auroc_above(r) == pytest.approx(float(uc.METRICS["auroc"](uc.score_table(y[inside], s[inside]))))


def test_alike_says_how_the_sets_differ():
    rng = np.random.default_rng(0)
    y = rng.random(3000) < 0.3
    found = uc.indistinguishability(y, rng.normal(size=3000) + 1.5 * y).distribution_difference
    assert found.spread_ratio.high < 1
    assert "less spread out" in found.sentence
    assert 0 < found.share_below < 0.5


def test_a_level_that_is_reached_exactly_is_not_jumped_over():
    found = uc.indistinguishability([1] * 20 + [0] * 30, [1.0] * 20 + [0.0] * 30)
    assert found.labelled_set.b == 0.5 and found.sentence.startswith("When labelled and real positives cannot be told")
