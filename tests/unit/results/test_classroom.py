"""What people ask of one evaluation: numbers in print, one picture, whole counts, the reject option, other rules."""

import numpy as np
import pytest

import unconfuse as uc
from unconfuse._errors import ArgumentError

RNG = np.random.default_rng(4)
Y = RNG.integers(0, 2, 200)
S = np.clip(RNG.normal(0.35 + 0.3 * Y, 0.2), 0, 1).round(2)


@pytest.fixture(scope="module")
def ev():
    return uc.evaluate(Y, S, n_resamples=100)


def test_print_shows_numbers_and_counts_are_whole(ev):
    assert f"AUROC {ev['auroc'].value:.3f}" in str(ev)
    assert "\n" not in repr(ev)
    assert (type(ev.n), ev.n, ev.positives + ev.negatives) == (int, 200, 200)
    with pytest.warns(UserWarning):
        assert uc.evaluate(Y, S, weights=np.full(200, 0.333), n_resamples=100).n == pytest.approx(66.6)


def test_one_picture_by_name(ev, tmp_path):
    figure = ev.plot("roc")
    (ax,) = figure.axes
    marks = [line for line in ax.lines if line.get_marker() == "o"]
    assert [float(each.get_ydata()[0]) for each in marks] == [ev["sensitivity"].value]
    assert any("threshold 0.5" in text.get_text() for text in ax.texts)
    second = [text.get_text() for text in ev.plot("precision_recall").axes[0].texts]
    assert any("queue rate" in each for each in second)
    ev.plot("roc", path=str(tmp_path / "a.png"))
    ev.plot(str(tmp_path / "b.png"))
    assert {each.name for each in tmp_path.iterdir()} == {"a.png", "b.png"}
    with pytest.raises(ArgumentError, match="known names are roc, "):
        ev.plot("rok")


def test_the_reject_option_of_two_classes(ev):
    found = ev.risk_coverage()
    far, wrong = np.round(np.abs(S - 0.5), 12), (S >= 0.5) != (Y == 1)
    cuts = np.unique(far)[::-1]
    np.testing.assert_allclose(found.coverage, [(far >= cut).mean() for cut in cuts])
    np.testing.assert_allclose(found.risk, [wrong[far >= cut].mean() for cut in cuts])
    expected = sum((far == cut).sum() * wrong[far >= cut].mean() for cut in cuts) / 200
    assert found.area.value == pytest.approx(expected)
    assert found.area.low < expected < found.area.high


@pytest.mark.parametrize("name", ["jaccard", "f_beta(2)", "balanced_accuracy", "fowlkes_mallows"])
def test_any_metric_can_be_made_as_large_as_possible(name):
    card = uc.threshold_card(Y, S, maximise=[name], rules=[f"max_{name}"], honest=None, n_resamples=100)
    (point,) = card.points.values()
    values = [uc.evaluate(Y, S, threshold=cut, metrics=[name], n_resamples=100)[name].value for cut in np.unique(S)]
    assert point.apparent[name].value == pytest.approx(np.nanmax(values))


def test_what_has_no_best_threshold_is_refused():
    lowest = uc.threshold_card(Y, S, maximise="misclassification_rate", n_resamples=100, honest=None)
    assert "min_misclassification_rate" in lowest
    for name in ("auroc", "queue_rate", "nonsense"):
        with pytest.raises(uc.UnconfuseError, match=name):
            uc.threshold_card(Y, S, maximise=[name])


@pytest.mark.filterwarnings("ignore:neither of two classes")
def test_rows_of_a_matrix_may_be_labels():
    truth_first = uc.evaluate_confusion([[141, 67], [0, 31]], n_resamples=100)
    labels_first = uc.evaluate_confusion([[141, 0], [67, 31]], rows="labels", n_resamples=100)
    assert labels_first.as_dict() == truth_first.as_dict()
    with pytest.raises(ArgumentError, match="truth"):
        uc.evaluate_confusion([[1, 0], [0, 1]], rows="columns")
