"""Bands in pictures: drawn when asked, by default for an evaluation, and not where they would mislead."""

from __future__ import annotations

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.collections import PolyCollection  # noqa: E402

import unconfuse as uc  # noqa: E402
from unconfuse import plots  # noqa: E402
from unconfuse._errors import ArgumentError  # noqa: E402

RNG = np.random.default_rng(0)
Y = RNG.random(300) < 0.3
S = 1 / (1 + np.exp(1 - Y - RNG.normal(size=300)))
TABLE = uc.score_table(Y, S)
PICTURES = {"roc": plots.plot_roc, "precision_recall": plots.plot_precision_recall}


@pytest.fixture(autouse=True)
def close():
    yield
    pyplot.close("all")


def bands(ax):
    return [each for each in ax.collections if isinstance(each, PolyCollection)]


@pytest.mark.parametrize("name", PICTURES)
def test_band_is_the_one_of_the_table(name):
    assert not bands(PICTURES[name](TABLE))
    (drawn,) = bands(PICTURES[name](TABLE, band=True))
    corners, found = drawn.get_paths()[0].vertices, uc.band(TABLE, name)
    assert corners[:, 1].min() == pytest.approx(found.low.min())
    assert corners[:, 1].max() == pytest.approx(found.high.max())


@pytest.mark.parametrize("name", PICTURES)
def test_several_models_get_one_band_each_in_their_colours(name):
    ax = PICTURES[name]({"a": TABLE, "b": uc.score_table(Y, S[::-1])}, band=True)
    found = bands(ax)
    assert len(found) == 2 and len({tuple(each.get_facecolor()[0]) for each in found}) == 2


def test_level_and_design_of_an_evaluation_are_its_bands():
    ev = uc.evaluate(Y, S, metrics=["auroc"], confidence_level=0.5)
    ax = plots.plot_roc(ev, band=True)
    assert any("50% band" in each.get_text() for each in ax.texts)
    (narrow,), (wide,) = bands(ax), bands(plots.plot_roc(TABLE, band=True))
    assert np.ptp(narrow.get_paths()[0].vertices[50:150, 1]) != np.ptp(wide.get_paths()[0].vertices[50:150, 1])


def test_overview_of_an_evaluation_has_bands_and_of_a_table_has_none():
    def shaded(sheet):
        return sum(bool(bands(ax)) for ax in sheet.axes)

    ev = uc.evaluate(Y, S, metrics=["auroc"])
    assert shaded(ev.plot()) == 2 and shaded(plots.overview(ev, band=False)) == 0
    assert shaded(plots.overview(TABLE)) == 0 and shaded(plots.overview(TABLE, band=True)) == 2
    grouped = uc.evaluate(Y, S, metrics=["auroc"], groups=np.arange(300) // 3, n_resamples=100)
    assert shaded(grouped.plot()) == 0  # resampling single cases would make the band too narrow


def test_a_curve_alone_has_no_scores_to_resample():
    with pytest.raises(ArgumentError, match="score table"):
        plots.plot_roc(uc.curve("roc", TABLE), band=True)
