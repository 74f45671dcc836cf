"""Every picture is drawn for ordinary and for awkward data, with words on its axes; importing them draws nothing."""

import subprocess
import sys
from inspect import signature

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

import unconfuse as uc  # noqa: E402
from unconfuse import plots  # noqa: E402
from unconfuse._errors import ArgumentError, InputError  # noqa: E402

OF_DECISIONS_OR_NORMAL_SCORES = ("plot_confusion", "plot_estimates", "plot_normality", "plot_predictive_values")
PICTURES = [
    name
    for name in plots.__all__
    if name.startswith("plot_") and "data" in list(signature(getattr(plots, name)).parameters)[:1]
    if name not in OF_DECISIONS_OR_NORMAL_SCORES
]
NEED_PROBABILITIES = ("plot_brier_curve", "plot_decision_curve", "plot_reliability")


def table_of(y, s):
    return uc.ScoreTable.from_rows(np.asarray(y, dtype=bool), np.asarray(s, dtype=float))


def binormal(seed=0, n=3000):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.2
    return y, rng.normal(size=n) + 1.5 * y - 1


def squashed(s):
    return 1 / (1 + np.exp(-s))


Y, S = binormal()
DATA = {
    "continuous": table_of(Y, squashed(S)),
    "tied": table_of(Y, np.round(squashed(S), 1)),
    "perfect": table_of([1, 1, 0, 0, 0], [0.9, 0.8, 0.3, 0.2, 0.1]),
    "reversed": table_of([0, 0, 1, 1], [0.9, 0.8, 0.2, 0.1]),
    "constant": table_of([0, 1, 0], [0.5, 0.5, 0.5]),
    "one positive": table_of([0, 0, 1, 0], [0.4, 0.3, 0.2, 0.1]),
}


@pytest.fixture(autouse=True)
def close():
    yield
    pyplot.close("all")


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("name", PICTURES)
def test_picture(name, data, tmp_path):
    ax = getattr(plots, name)(DATA[data])
    assert ax.get_title(loc="left") and ax.get_xlabel() and ax.get_ylabel()
    ax.figure.savefig(tmp_path / "picture.png", dpi=40)
    assert (tmp_path / "picture.png").stat().st_size > 2000


@pytest.mark.parametrize("name", PICTURES)
def test_scores_that_are_no_probabilities(name):
    table = table_of(Y, S)
    if name in NEED_PROBABILITIES:
        with pytest.raises(InputError, match="not probabilities"):
            getattr(plots, name)(table)
    else:
        getattr(plots, name)(table)


def test_given_axes_are_used_and_returned():
    _, ax = pyplot.subplots()
    assert plots.plot_roc(DATA["tied"], ax=ax) is ax


def test_several_models_share_a_picture():
    ax = plots.plot_roc({"first": DATA["continuous"], "second": DATA["tied"]})
    named = [text.get_text() for text in ax.get_legend().get_texts()]
    assert [each.partition(": AUROC ")[0] for each in named] == ["first", "second"]


def test_band_is_drawn():
    found = uc.curve("roc", DATA["tied"])
    banded = found.with_columns(low=found["tpr"] * 0.9, high=np.minimum(1, found["tpr"] * 1.1))
    assert len(plots.plot_roc(banded).collections) == len(plots.plot_roc(found).collections) + 1
    found = uc.curve("precision_recall", DATA["tied"])
    banded = found.with_columns(low=found["precision"] * 0.9, high=found["precision"])
    assert plots.plot_precision_recall(banded).collections


@pytest.mark.parametrize("table", [DATA["continuous"], table_of(Y, S)], ids=["probabilities", "log-odds"])
def test_overview(table, tmp_path):
    sheet = plots.overview(table, title="two classes")
    assert len(sheet.axes) == 6
    sheet.savefig(tmp_path / "overview.png", dpi=40)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ArgumentError, match="score table"):
        plots.plot_roc([1, 2, 3])


def test_importing_plots_does_not_import_matplotlib():
    code = "import sys, unconfuse.plots; print('matplotlib' in sys.modules, 'scipy.stats' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize("size", [2, 3, 60])
@pytest.mark.parametrize("normalise", ["truth", "predicted", "all"])
def test_picture_of_confusion(size, normalise, tmp_path):

    counts = np.random.default_rng(0).poisson(2.0, (size, size)) + 20.0 * np.eye(size)
    ax = plots.plot_confusion(uc.ConfusionMatrix(counts, tuple(f"${k}" for k in range(size))), normalise=normalise)
    plots.save(ax.figure, str(tmp_path / "picture.png"), close=True)
    assert "right" in ax.get_title(loc="left") and ax.get_ylabel() == "True class"
    with pytest.raises(ArgumentError, match="confusion matrix"):
        plots.plot_confusion(3)


SEVERAL = {"one": DATA["continuous"], "two": DATA["tied"]}


@pytest.mark.parametrize("name", [name for name in PICTURES if name != "plot_signal_curve"])
def test_several_models_by_name(name, tmp_path):
    made = getattr(plots, name)(SEVERAL) if name not in NEED_PROBABILITIES else None
    if made is None:
        return
    drawn = np.atleast_1d(made)[0].figure
    words = [
        text.get_text()
        for ax in drawn.axes
        for text in (*ax.texts, *(ax.get_legend().get_texts() if ax.get_legend() else ()))
    ]
    titles = [ax.get_title(loc="left") for ax in drawn.axes]
    assert any(each.startswith("one") for each in (*words, *titles))
    assert any(each.startswith("two") for each in (*words, *titles))


def test_several_models_take_no_axes_of_one():
    _, ax = pyplot.subplots()
    with pytest.raises(ArgumentError, match="side by side"):
        plots.plot_trends(SEVERAL, ax=ax)


def test_titles_and_legends_carry_the_interval():
    y, s = np.arange(60) % 3 == 0, np.arange(60) % 7 + 2.0 * (np.arange(60) % 3 == 0)
    ev = uc.evaluate(y, s, metrics=["auroc", "average_precision"])
    assert plots.plot_roc(ev).get_title(loc="left").endswith(ev["auroc"].interval_text)
    legend = plots.plot_roc({"a": ev, "b": ev.table}).get_legend().get_texts()
    assert ev["auroc"].interval_text in legend[0].get_text() and "[" not in legend[1].get_text()


def test_the_threshold_in_use_is_drawn():
    y, s = np.arange(60) % 3 == 0, (np.arange(60) % 7 + 2.0 * (np.arange(60) % 3 == 0)) / 10
    ev = uc.evaluate(y, s, threshold=0.4)
    for name in ("plot_roc", "plot_precision_recall", "plot_trends", "plot_score_histograms", "plot_decision_curve"):
        assert any("threshold 0.4" in text.get_text() for text in getattr(plots, name)(ev).texts), name


@pytest.mark.parametrize("name", list(uc.METRICS))
def test_every_metric_at_three_prevalences(name):
    ax = plots.plot_metric(name)
    lines = [line for line in ax.get_lines() if len(line.get_xdata()) > 5]
    moves = uc.METRICS[name].depends_on_prevalence or uc.METRICS[name].of == "probabilities"
    assert len(lines) == (3 if moves else 1)
    assert all(np.isfinite(line.get_ydata()[1:]).all() for line in lines)  # constant scores have no slope


@pytest.mark.parametrize("name", list(uc.MULTICLASS_METRICS))
def test_every_metric_of_classes_where_one_is_rare(name):
    lines = plots.plot_multiclass_metric(name).get_lines()
    assert len(lines) == (3 if uc.MULTICLASS_METRICS[name].depends_on_prevalence else 1)
    assert all(np.isfinite(line.get_ydata()).all() for line in lines)


def test_a_metric_of_classes_is_what_an_evaluation_says():
    """Of equally common classes: chance at an AUROC of 1/2, right always at one of nearly 1."""
    rare, _, equal = plots.plot_multiclass_metric("f1_macro").get_lines()
    assert 1 / 3 - 0.02 < equal.get_ydata()[0] < 0.4 and equal.get_ydata()[-1] > 0.95
    assert (rare.get_ydata() < equal.get_ydata()).all()
    with pytest.raises(ArgumentError, match="shares"):
        plots.plot_multiclass_metric("f1_macro", shares=[1.0])
    with pytest.raises(uc.UnconfuseError, match="auroc"):
        plots.plot_multiclass_metric("auroc")


def test_a_metric_at_a_prevalence_is_what_bayes_says():
    from scipy.stats import norm

    (line,) = [
        each for each in plots.plot_metric("precision", prevalences=[0.02]).get_lines() if len(each.get_xdata()) > 5
    ]
    at, value = line.get_xdata()[100], line.get_ydata()[100]
    found = uc.bayes(prevalence=0.02, sensitivity=norm.sf(at - 1.5), specificity=norm.cdf(at))
    assert value == pytest.approx(found.precision)


@pytest.mark.parametrize("wrong", [[], [0.0], [1.0], [2.0]])
def test_prevalences_lie_between_0_and_1(wrong):
    with pytest.raises(ArgumentError, match="prevalence"):
        plots.plot_metric("precision", prevalences=wrong)
