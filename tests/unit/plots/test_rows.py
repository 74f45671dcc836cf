"""Pictures of rows at every width: names that begin alike stay apart, and no words leave the sheet or cover others."""

import itertools

import numpy as np
import pytest

import unconfuse as uc
from unconfuse import plots

pytest.importorskip("matplotlib")
ALIKE = "Hospital of the University of Somewhere, ward"
SHEETS = (None, 1, 2, "slide")


@pytest.fixture(scope="module")
def results():
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.3
    s = 1 / (1 + np.exp(-(rng.normal(size=300) + 1.2 * y - 1)))
    ward = np.array([f"{ALIKE} {i % 9}" for i in range(300)])
    few = {"metrics": ["auroc", "sensitivity"], "n_resamples": 100}
    truth = rng.random((200, 9)) < 0.2
    scores = np.clip(0.3 * truth + 0.7 * rng.random((200, 9)), 0, 1)
    models = {f"{ALIKE} {i}": np.clip(s + rng.normal(0, 0.05 * i, 300), 0, 1) for i in range(9)}
    items = {"q": np.repeat(range(60), 3), "m": [f"{ALIKE} {i % 3}" for i in range(180)], "ok": rng.random(180) < 0.6}
    studies = {f"{ALIKE} {i}": uc.Counts(tp=20 + i, fp=5 + i, fn=3 + i % 4, tn=50 + 3 * i) for i in range(9)}
    data = {"d": np.repeat(range(8), 5), "m": [f"{ALIKE} {i % 5}" for i in range(40)], "auc": rng.random(40)}
    return {
        "subgroups": uc.evaluate(y, s, by=ward, **few).subgroups.plot,
        "sites": uc.evaluate(y, s, site=ward, **few).sites["auroc"].plot,
        "labels": uc.evaluate(truth, scores, labels=[f"{ALIKE} {i}" for i in range(9)]).plot,
        "models": uc.compare(y, models, metrics=["auroc"], n_resamples=100).plot,
        "items": uc.items(items, item="q", model="m", correct="ok").plot,
        "studies": lambda: plots.plot_forest(uc.meta_analysis(studies)).figure,
        "data sets": uc.benchmark(data, dataset="d", model="m", value="auc").plot,
    }


KINDS = ("subgroups", "sites", "labels", "models", "items", "studies", "data sets")


@pytest.mark.parametrize("columns", SHEETS)
@pytest.mark.parametrize("kind", KINDS)
def test_no_words_leave_the_sheet_and_names_stay_apart(results, kind, columns):
    from matplotlib import pyplot

    with plots.style(columns):
        figure = results[kind]()
        figure.canvas.draw()
        wide = figure.bbox.width
        for ax in figure.axes:
            names = [each.get_text() for each in ax.get_yticklabels()]
            assert len(set(names)) == len(names)
            titles = [each for each in (ax.title, ax._left_title, *ax.texts) if each.get_text()]
            for each in [*titles, *ax.get_yticklabels()]:
                box = each.get_window_extent()
                assert box.x0 > -2 and box.x1 < wide + 2, each.get_text()
            boxes = [each.get_window_extent() for each in titles]
            assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
        pyplot.close(figure)


def test_an_overview_fits_a_slide():
    from matplotlib import pyplot

    rng = np.random.default_rng(0)
    y = rng.random(100) < 0.4
    with plots.style("slide"):
        figure = uc.evaluate(y, np.clip(0.3 * y + 0.6 * rng.random(100), 0, 1), n_resamples=100).plot()
        figure.canvas.draw()
        boxes = [ax._left_title.get_window_extent() for ax in figure.axes]
        inside = [ax.get_window_extent() for ax in figure.axes]
        pyplot.close(figure)
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    assert not any(title.overlaps(ax) for title, ax in itertools.product(boxes, inside))
    assert min(ax.height for ax in inside) > 0.25 * figure.bbox.height  # half of the slide's height, less its words


def test_labels_of_a_curve_near_the_lower_edge_do_not_cover_each_other():
    from matplotlib import pyplot

    rng = np.random.default_rng(0)
    ev = uc.evaluate(np.arange(60) == 5, rng.random(60), metrics=["auroc", "average_precision"], n_resamples=100)
    figure = plots.plot_precision_recall(ev).figure
    figure.canvas.draw()
    boxes = [each.get_window_extent() for each in figure.axes[0].texts]
    frame = figure.axes[0].get_window_extent()
    pyplot.close(figure)
    assert len(boxes) == 3 and not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    assert all(box.y0 > frame.y0 for box in boxes)
