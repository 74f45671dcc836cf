"""Sets of classes: how often they hold the true one, what they refuse, and what they say of few cases."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import unconfuse as uc
from unconfuse._errors import ArgumentError, InputError
from unconfuse.cli import cli


def rows(n=200, k=4, seed=0, digits=9, shares=None):
    rng = np.random.default_rng(seed)
    y = rng.choice(k, n, p=shares)
    z = rng.normal(size=(n, k))
    z[np.arange(n), y] += 1.5
    p = np.exp(z)
    return y, np.round(p / p.sum(axis=1, keepdims=True), digits)


@pytest.mark.parametrize("by_class", [False, True])
@pytest.mark.parametrize("digits", [1, 9])
def test_new_cases_are_covered_as_promised(by_class, digits):
    covered, laws = [], 0
    for seed in range(100):
        y, p = rows(150, 3, seed, digits)
        found = uc.prediction_sets(y, p, coverage=0.8, by_class=by_class)
        new, scores = rows(2000, 3, 1000 + seed, digits)
        share = found.holds(scores)[np.arange(2000), new].mean()
        covered.append(share)
        laws += found.coverage.low - 0.015 <= share <= found.coverage.high + 0.015
    assert np.mean(covered) > 0.79
    assert laws >= 92


def test_each_class_is_covered():
    held = np.zeros(3)
    for seed in range(60):
        y, p = rows(300, 3, seed, shares=[0.7, 0.2, 0.1])
        found = uc.prediction_sets(y, p, by_class=True)
        new, scores = rows(1000, 3, 500 + seed, shares=[0.7, 0.2, 0.1])
        inside = found.holds(scores)
        held += [inside[new == k, k].mean() for k in range(3)]
    assert (held / 60 > 0.885).all()


def test_a_set_holds_the_true_class_of_enough_of_the_cases_that_made_it():
    y, p = rows(97, digits=1)
    found = uc.prediction_sets(y, p, coverage=0.9)
    assert found.holds(p)[np.arange(97), y].sum() >= found.bars[0].rank == int(np.ceil(98 * 0.9))
    assert found.coverage.low <= found.coverage.value <= found.coverage.high <= 1


def test_more_coverage_needs_larger_sets_and_names_follow_columns():
    y, p = rows()
    sizes = [uc.prediction_sets(y, p, coverage=share).size.value for share in (0.5, 0.8, 0.9, 0.99)]
    assert sizes == sorted(sizes)
    names = np.array(["ant", "bee", "cat", "dog"])
    found = uc.prediction_sets(names[y], p)
    assert found.classes == tuple(names)
    assert found.sets([[0, 0, 0, 1.0]]) == [("dog",)]
    assert found.sets(np.full((1, 4), 0.9)) == [tuple(names)]


def test_few_cases_leave_every_class_in_every_set():
    y, p = rows(8)
    found = uc.prediction_sets(y, p)
    assert found.sets(p[:1]) == [found.classes]
    assert (found.coverage.value, found.coverage.low) == (1, 1) and found.size.value == 4
    assert "8 cases are too few" in found.sentence and "At least 9" in found.sentence
    assert json.loads(json.dumps(found.as_dict()))["classes"][0]["threshold"] is None


def test_a_rare_class_is_in_every_set_if_classes_are_held_apart():
    y, p = rows(200, 3, shares=[0.5, 0.48, 0.02])
    found = uc.prediction_sets(y, p, by_class=True)
    assert found.bars[2].is_open and "In every set" in str(found)
    assert all(found.classes[2] in each for each in found.sets(p))


def test_an_absent_class_has_an_unknown_coverage():
    y, p = rows(100, 3)
    found = uc.prediction_sets(np.where(y == 2, 1, y), p, classes=["0", "1", "2"])
    assert np.isnan(found.of_class["2"].value) and "No case belongs to class 2" in str(found)


def test_two_classes_from_one_column_of_probabilities():
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.4
    p = np.clip(0.3 + 0.3 * y + 0.2 * rng.normal(size=300), 0, 1)
    one = uc.prediction_sets(y, p)
    two = uc.prediction_sets(y, np.stack([1 - p, p], axis=1))
    assert one.thresholds == two.thresholds or list(one.thresholds.values()) == list(two.thresholds.values())
    assert (one.holds(p) == two.holds(np.stack([1 - p, p], axis=1))).all()
    with pytest.raises(InputError, match="needs probabilities"):
        uc.prediction_sets(y, 10 * p)


def test_a_weight_is_a_row_that_stands_there_several_times():
    y, p = rows(60)
    w = np.random.default_rng(1).integers(1, 4, 60)
    one, two = uc.prediction_sets(y, p, weights=w), uc.prediction_sets(np.repeat(y, w), np.repeat(p, w, axis=0))
    assert one.thresholds == two.thresholds
    assert one.coverage.value == two.coverage.value and one.coverage.high == two.coverage.high
    assert one.size.value == pytest.approx(two.size.value)


def test_order_of_rows_does_not_matter():
    y, p = rows(digits=2)
    order = np.random.default_rng(0).permutation(len(y))
    assert uc.prediction_sets(y, p).as_dict() == uc.prediction_sets(y[order], p[order]).as_dict()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"groups": np.arange(200) // 2}, "groups"),
        ({"sampling_weights": np.arange(1, 201)}, "sampling weights"),
        ({"weights": np.full(200, 1.5)}, "fractional weights"),
        ({"folds": np.arange(200) % 4}, "folds"),
        ({"coverage": 1.0}, "coverage"),
        ({"by_class": "yes"}, "by_class"),
    ],
)
def test_what_is_refused(more, words):
    y, p = rows()
    with pytest.raises(uc.UnconfuseError, match=words):
        uc.prediction_sets(y, p, **more)


def test_scores_of_new_cases_are_checked():
    found = uc.prediction_sets(*rows())
    for scores, words in (([[1, 2]], "shape"), ([[1, 2, 3, np.nan]], "missing"), ([["a"] * 4], "numbers")):
        with pytest.raises(InputError, match=words):
            found.sets(scores)
    with pytest.raises(ArgumentError, match="does not support decisions"):
        uc.prediction_sets([0, 1, 2] * 9, predicted=[0, 1, 1] * 9)


def test_a_frame_and_the_command(tmp_path):
    y, p = rows(digits=3)
    frame = pd.DataFrame(p, columns=[f"p_{k}" for k in range(4)]).assign(y=y)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    found = uc.prediction_sets(frame, label="y", scores="p_*")
    assert found.sets(frame[[f"p_{k}" for k in range(4)]]) == found.sets(p)
    given = ["prediction-sets", str(tmp_path / "rows.csv"), "--label", "y", "--scores", "p_*", "--coverage", "90%"]
    shown = CliRunner().invoke(cli, given)
    assert shown.exit_code == 0 and "Sets hold" in shown.output and "one class alone" in shown.output
    told = json.loads(CliRunner().invoke(cli, [*given, "--by-class", "--json"]).output)
    assert told["by_class"] is True
    assert "| class |" in CliRunner().invoke(cli, [*given, "--format", "markdown"]).output


@pytest.mark.parametrize("seed", range(40))
def test_sets_of_all_classes_cover_exactly_all(seed):
    """Shares of the classes add up to one and a rounding."""
    rng = np.random.default_rng(seed)
    y = np.repeat(list("abcdefg"), rng.integers(1, 9, 7))
    found = uc.prediction_sets(y, rng.dirichlet(np.ones(7), len(y)), coverage=0.999, by_class=True)
    assert (found.coverage.low, found.coverage.value, found.coverage.high) == (1, 1, 1)


@pytest.mark.parametrize("digits", [1, 2])
def test_sets_of_two_classes_hold_the_cases_at_their_bars(digits):
    """Of two columns one is kept, and 1 - 0.7 is not 0.3 to the last digit."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y = np.append([0, 1], rng.integers(2, size=20))
        p = np.round(rng.random(len(y)), digits)
        S = np.round(np.stack([1 - p, p], axis=1), digits)
        found = uc.prediction_sets(y, S, coverage=0.5)
        assert found.holds(S)[np.arange(len(y)), y].mean() >= 0.5
        assert (found.holds(S) == found.holds(p)).all()
