"""The definition ledger names who computes what, and its numbers are theirs."""

import numpy as np
import pytest
from scipy import optimize
from scipy.stats import ks_2samp
from sklearn import metrics as sk
from sklearn.isotonic import IsotonicRegression

import unconfuse as uc
from unconfuse._errors import ArgumentError, InputError
from unconfuse.metrics._tie_blocks import PHOTOS
from unconfuse.metrics.definitions import FAMILIES


@pytest.fixture
def sample():
    rng = np.random.default_rng(8)
    y = rng.random(200) < 0.3
    return y, np.round(1 / (1 + np.exp(-(rng.normal(size=200) + y - 1))), 1)


def table_of(y, s):
    return uc.ScoreTable.from_rows(np.asarray(y, dtype=bool), np.asarray(s, dtype=float))


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_is_whole(name, sample):
    ledger = uc.definitions(name, table_of(*sample))
    assert name == "auprc" or name in uc.METRICS
    if name not in ("auprc", "calibration_intercept"):
        assert uc.METRICS[name](table_of(*sample)) in [each.value for each in ledger.entries]
    assert "\n" not in repr(ledger) and "\n" not in ledger.sentence
    assert all(each.definition in str(ledger) and each.definition in ledger.sentence for each in ledger.entries)
    assert len(ledger.to_frame()) == len(ledger.entries) == len(ledger.as_dict()["entries"])
    assert ledger._repr_html_().count("<tr>") == len(ledger.entries) + 1


def values(name, y, s):
    return {each.definition: each.value for each in uc.definitions(name, table_of(y, s)).entries}


def test_numbers_of_other_tools(sample):
    y, s = sample
    assert values("ks", y, s)["two-sided"] == pytest.approx(ks_2samp(s[y], s[~y]).statistic)
    assert values("auroc", y, s)["ties count nothing"] == pytest.approx(np.mean(s[y][:, None] > s[~y]))
    assert values("auroc", y, s)["ties count fully"] == pytest.approx(np.mean(s[y][:, None] >= s[~y]))
    edge = np.where(s > 0.5, 1.0, s)
    assert values("log_loss", y, edge)["clipped"] == pytest.approx(sk.log_loss(y, edge), rel=1e-9)
    assert values("log_loss", y, edge)["exact"] == np.inf
    precision, recall, _ = sk.precision_recall_curve(y, s)
    assert values("auprc", y, s)["trapezoid from (0, 1)"] == pytest.approx(sk.auc(recall, precision))


def test_equal_error_rates_of_other_tools(sample):
    y, s = sample
    fpr, tpr, _ = sk.roc_curve(y, s, drop_intermediate=False)
    found = values("eer", y, s)
    root = optimize.brentq(lambda x: 1 - x - np.interp(x, fpr, tpr), 0, 1)
    assert found["straight lines between the points"] == pytest.approx(root)
    at = np.argmin(np.abs(fpr - (1 - tpr)))
    assert found["mean of both rates where they are nearest"] == pytest.approx((fpr[at] + 1 - tpr[at]) / 2)
    pooled = IsotonicRegression().fit(s, y).predict(s)  # scores in the wrong order get the same one
    hull_fpr, hull_tpr, _ = sk.roc_curve(y, pooled)
    root = optimize.brentq(lambda x: 1 - x - np.interp(x, hull_fpr, hull_tpr), 0, 1)
    assert found["convex hull"] == pytest.approx(root) and root < found["straight lines between the points"]


def test_pycm_readme():
    assert uc.definitions("auprc", PHOTOS).entries[-1].value == pytest.approx(0.2917, abs=5e-5)


def test_refusals():
    with pytest.raises(ArgumentError, match="auprc"):
        uc.definitions("auprcc", PHOTOS)
    with pytest.raises(InputError):
        uc.definitions("ece", uc.ScoreTable(np.array([2.0, 1]), np.ones(2), np.ones(2)))


@pytest.mark.parametrize(
    ("scores", "labels", "value"),
    [
        ([6, 5, 4, 3, 2, 1], [0, 1, 0, 1, 0, 1], 0.583333333333),
        ([5, 0, 0, 0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0, 0, 0, 0, 0], 0.766666666667),
        ([5, 5, 5, 5, 5, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 1, 0, 0, 0, 0], 0.79),
        ([9, 8, 7, 6, 5, 4, 3, 2], [1, 1, 0, 1, 0, 0, 1, 0], 0.883928571429),
    ],
)
def test_rocr_as_its_source_computes_it(scores, labels, value):
    """By ROCR's performance(prediction(scores, labels), "aucpr")."""
    assert values("auprc", labels, scores)["trapezoid over the highest precision of each recall"] == pytest.approx(
        value
    )


def test_precrec_is_the_continuous_integral():
    """Its own test expects 0.395 here, where Davis and Goadrich's area is 0.372."""
    found = values("auprc", [0, 1, 0, 1, 0, 1], [0.6, 0.5, 0.4, 0.3, 0.2, 0.1])
    assert round(found["continuous integral"], 3) == 0.395 and round(found["Davis-Goadrich"], 3) == 0.372


def test_steps_of_billions_of_cases_need_no_room_for_each():
    few, many = (uc.ScoreTable([0.9, 0.6, 0.3], k * np.array([3, 4, 3]), k * np.array([1, 3, 9])) for k in (1e5, 1e12))
    for one, other in zip(uc.definitions("auprc", few).entries, uc.definitions("auprc", many).entries, strict=True):
        assert one.value == pytest.approx(other.value, abs=1e-5)
