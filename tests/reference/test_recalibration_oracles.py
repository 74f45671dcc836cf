"""Maps of probabilities against R's glm, scikit-learn's and SciPy's fits."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression

import unconfuse as uc

CASES = json.loads(Path(__file__).with_name("recalibration.json").read_text())["cases"]


def rows(case):
    """The cases that a recipe makes."""
    made = {"np": np}
    exec(case["make"], made)
    return made["y"], made["p"]


@pytest.mark.parametrize("case", CASES, ids=lambda each: each["id"])
def test_fits_and_the_closed_test(case):
    (y, p), expected, near = rows(case), case["expect"], case["tolerance"]
    found = uc.recalibrate(y, p)
    assert found.chosen == expected["closed_test"]
    tried = found.candidates
    for name in ("none", "intercept", "logistic", "beta"):
        if f"deviance_{name}" in expected:
            assert tried[name].deviance == pytest.approx(expected[f"deviance_{name}"], abs=near[f"deviance_{name}"])
    assert tried["intercept"].form.parameters == pytest.approx((expected["intercept_only"],), abs=1e-4)
    assert tried["logistic"].form.parameters == pytest.approx((expected["intercept"], expected["slope"]), abs=1e-4)
    if "beta_a" in expected:
        wanted = tuple(expected[f"beta_{letter}"] for letter in "cab")
        assert tried["beta"].form.parameters == pytest.approx(wanted, abs=1e-4)
    else:
        assert tried["beta"].form is None and tried["beta"].why_not


def test_isotonic_is_that_of_scikit_learn_between_its_ends():
    rng = np.random.default_rng(3)
    p = np.round(0.02 + 0.96 * rng.random(400), 2)  # with ties
    y = rng.random(400) < p**2
    new = np.linspace(0, 1, 201)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(p, y).predict(new)
    ours = uc.recalibrate(y, p, kind="isotonic")(new)
    certain = (theirs == 0) | (theirs == 1)
    low, high = new[theirs == 0].max(initial=0), new[theirs == 1].min(initial=1)
    inside = ~certain & (new > low + 0.02) & (new < high - 0.02)
    assert inside.sum() > 100
    assert ours[inside] == pytest.approx(theirs[inside], abs=1e-12)
    assert (ours > 0).all() and (ours < 1).all() and (np.diff(ours) >= 0).all()


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(8)
    p = rng.dirichlet([1.0, 2.0, 0.7, 1.5], 300)
    q = p**0.5 * np.array([1.0, 2.0, 0.5, 1.0])
    q /= q.sum(axis=1, keepdims=True)
    return np.array([rng.choice(4, p=row) for row in q]), p


@pytest.mark.parametrize("kind", ["temperature", "bias", "temperature+bias"])
def test_several_classes_reach_the_optimum_that_a_general_search_finds(classes, kind):
    y, p = classes

    def loss(free):
        slope = free[0] if kind.startswith("temperature") else 1.0
        bias = np.append(0.0, free[1:]) if kind.endswith("bias") else np.zeros(4)
        z = slope * np.log(p) + bias
        return float((np.log(np.exp(z).sum(axis=1)) - z[np.arange(len(y)), y]).sum())

    best = minimize(loss, np.append(1.0, np.zeros(3)), method="BFGS", options={"gtol": 1e-7})
    found = uc.recalibrate(y, p, kind=kind)
    assert found.candidates[kind].deviance == pytest.approx(2 * best.fun, abs=1e-6)
    own = found(p)[np.arange(len(y)), y]
    assert -2 * np.log(own).sum() == pytest.approx(2 * best.fun, abs=1e-6)


def test_two_columns_are_the_yes_or_no_question(classes):
    y, p = classes
    pair = np.column_stack([1 - p[:, 1], p[:, 1]])
    one, other = uc.recalibrate(y == 1, p[:, 1]), uc.recalibrate((y == 1).astype(int), pair)
    assert one.map.form == other.map.form
    assert other(pair)[:, 1] == pytest.approx(one(p[:, 1]))
