"""Rows of weight 0 are as if absent: in memory, in tables, with sampling weights, groups, folds and several classes."""

from __future__ import annotations

import numpy as np
import pytest

import unconfuse as uc

N = 60
RNG = np.random.default_rng(0)
COUNTS = np.append(np.ones(N, dtype=bool), np.zeros(7, dtype=bool))
TRUTH = np.append(np.arange(N) < 25, [1, 0, 1, 0, 0, 1, 1]).astype(int)
SCORE = np.append(np.clip(RNG.random(N) * 0.6 + 0.3 * TRUTH[:N], 0, 1), [0.999, 0.0001, 0.5, 0.77, 0.123, 0.2, 0.9])
WEIGHT = np.append(RNG.integers(1, 4, N), np.zeros(7))
CLASS, MATRIX = np.append(np.arange(N) % 3, [0, 1, 2, 0, 1, 2, 0]), RNG.dirichlet(np.ones(3), N + 7)
GROUP = np.append(np.arange(N) % 12, [50, 51, 52, 3, 3, 60, 61])
STRATUM = np.append(np.arange(N) % 12 % 4, [9, 9, 9, 3, 3, 8, 8])
FOLD = np.append(np.arange(N) % 3, np.arange(7) % 3)
SITE = np.append(np.where(np.arange(N) % 2, "u", "v"), ["z"] * 7)
WORDS = {
    "weights": {"weights": WEIGHT},
    "parts of cases": {"weights": WEIGHT / 2},
    "sampling": {"sampling_weights": WEIGHT},
    "groups": {"weights": WEIGHT, "groups": GROUP},
    "sampled groups": {"sampling_weights": WEIGHT, "groups": GROUP},
    "strata": {"sampling_weights": WEIGHT, "groups": GROUP, "strata": STRATUM},
    "folds": {"weights": WEIGHT, "folds": FOLD},
    "case-control": {"weights": WEIGHT, "design": "case-control"},
}
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def _both(words, *columns):
    """With all rows, and with those that count."""
    taken = {name: each if isinstance(each, str) else each[COUNTS] for name, each in words.items()}
    how = {"n_resamples": 100}
    return (uc.evaluate(*columns, **how, **words), uc.evaluate(*(each[COUNTS] for each in columns), **how, **taken))


def _alike(one, other):
    assert {name: str(each) for name, each in one.items()} == {name: str(each) for name, each in other.items()}
    ends = [[(each.low, each.high, each.standard_error) for each in of.values()] for of in (one, other)]
    np.testing.assert_array_equal(*ends)


@pytest.mark.parametrize("words", WORDS)
def test_of_two_classes(words):
    _alike(*_both(WORDS[words], TRUTH, SCORE))


@pytest.mark.parametrize("words", [each for each in WORDS if each not in ("strata", "case-control")])
def test_of_several_classes(words):
    _alike(*_both(WORDS[words], CLASS, MATRIX))


def test_of_decisions():
    words = {"weights": WEIGHT, "groups": GROUP, "predicted": (SCORE > 0.5).astype(int)}
    _alike(*_both(words, TRUTH))


def test_of_tables_with_scores_that_no_case_has():
    table = uc.score_table(TRUTH[COUNTS], SCORE[COUNTS], weights=WEIGHT[COUNTS])
    score = np.append(table.score, [0.999, 0.5001, 0.0001])
    order = np.argsort(-score)
    more = uc.ScoreTable(
        score[order], *(np.append(each, np.zeros(3))[order] for each in (table.positives, table.negatives))
    )
    _alike(uc.evaluate(table, n_resamples=100), uc.evaluate(more, n_resamples=100))


def test_subgroups_crossed_and_alone_lack_a_value_that_nothing_has():
    for by in ({"site": SITE}, {"site": SITE, "sex": np.resize(["f", "m", "m"], N + 7)}):
        one = uc.evaluate(TRUTH, SCORE, weights=WEIGHT, by=by, n_resamples=100)
        counted = {name: each[COUNTS] for name, each in by.items()}
        other = uc.evaluate(TRUTH[COUNTS], SCORE[COUNTS], weights=WEIGHT[COUNTS], by=counted, n_resamples=100)
        assert str(one.subgroups) == str(other.subgroups) and list(one.subgroups) == list(other.subgroups)


def test_comparisons_in_groups():
    models, words = {"a": SCORE, "b": np.round(SCORE, 1)}, {"weights": WEIGHT, "groups": GROUP}
    one = uc.compare(TRUTH, models, n_resamples=100, **words)
    counted = {name: each[COUNTS] for name, each in words.items()}
    other = uc.compare(TRUTH[COUNTS], {name: each[COUNTS] for name, each in models.items()}, n_resamples=100, **counted)
    assert str(one) == str(other)


def test_a_fold_that_weighs_nothing_is_named():
    found = uc.evaluate([0, 1, 0, 1], [0.1, 0.9, 0.2, 0.8], weights=[1, 1, 0, 0], folds=[1, 1, 2, 2], n_resamples=100)
    assert "fold 2" in str(found["auroc"].undefined)
