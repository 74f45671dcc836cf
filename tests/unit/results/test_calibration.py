"""Whether probabilities can be taken at their word: against plain NumPy, and by coverage."""

import json
import math

import numpy as np
import pytest
from scipy import stats

import unconfuse as uc
from unconfuse._formatting import plain_json


def drawn(n, seed, power=1.0):
    rng = np.random.default_rng(seed)
    p = np.round(0.01 + 0.98 * rng.random(n), 2)
    return rng.random(n) < p**power, p


def test_the_decomposition_adds_up_to_the_brier_score():
    y, p = drawn(400, 1)
    ev = uc.evaluate(y, p, metrics=["brier"])
    found = ev.calibration
    total = found.miscalibration.value - found.discrimination.value + found.uncertainty.value
    assert total == pytest.approx(ev["brier"].value, abs=1e-12)


def test_distances_are_those_of_isotonic_regression():
    isotonic = pytest.importorskip("sklearn.isotonic")
    y, p = drawn(300, 2)
    fitted = isotonic.IsotonicRegression().fit(p, y).predict(p)
    off = np.sort(np.abs(fitted - p))
    found = uc.evaluate(y, p, metrics=["brier"]).calibration
    assert found.ici.value == pytest.approx(off.mean(), abs=1e-9)
    assert found.emax.value == pytest.approx(off[-1], abs=1e-9)
    assert found.e90.value == pytest.approx(off[int(np.ceil(0.9 * 300)) - 1], abs=1e-9)


def test_spiegelhalter_row_by_row():
    y, p = drawn(250, 3)
    z = ((y - p) * (1 - 2 * p)).sum() / np.sqrt(((1 - 2 * p) ** 2 * p * (1 - p)).sum())
    test = uc.evaluate(y, p, metrics=["brier"]).calibration.spiegelhalter
    assert test.z == pytest.approx(z) and test.p_value == pytest.approx(2 * stats.norm.sf(abs(z)))


@pytest.mark.parametrize(("power", "truth"), [(1.0, 0.0), (2.0, 0.1667)])
def test_the_index_is_covered(power, truth):
    held = 0
    for seed in range(60):
        y, p = drawn(300, seed, power)
        off = uc.evaluate(y, p, metrics=["brier"]).calibration.ici
        held += off.low <= truth <= off.high
    assert held >= 55


@pytest.mark.filterwarnings("ignore:all scores are")
@pytest.mark.parametrize(
    "scores", [[0.5] * 8, [1, 1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1, 1, 1], [0.1 * k for k in range(8)]]
)
def test_odd_scores_have_an_answer(scores):
    found = uc.evaluate([1, 1, 1, 1, 0, 0, 0, 0], scores, metrics=["brier"]).calibration
    json.dumps(plain_json(found.as_dict()), allow_nan=False)
    for each in found.estimates().values():
        assert each.undefined or math.isnan(each.value) or each.low <= each.value <= each.high
    assert found.sentence and found.to_frame().shape[0] == 9 and "Calibration" in found._repr_html_()


def test_more_cases_for_a_narrower_slope():
    found = uc.evaluate(*drawn(400, 4), metrics=["brier"]).calibration
    now = found.slope.high - found.slope.low
    assert found.cases_needed(now / 2) == pytest.approx(1600, rel=0.01)


def test_what_makes_no_sense_is_refused():
    y, p = drawn(100, 5)
    with pytest.raises(uc.UnconfuseError, match="robabilities"):
        _ = uc.evaluate(y, 10 * p, metrics=["auroc"]).calibration
    with pytest.raises(uc.UnconfuseError, match="requires a cohort"):
        _ = uc.evaluate(y, p, groups=np.arange(100) // 4, metrics=["auroc"]).calibration
