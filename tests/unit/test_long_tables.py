"""Long tables are worked on by stretches and drawn by their outline: the same numbers, wherever they are cut."""

from __future__ import annotations

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.curves import CURVES, _curve
from unconfuse.metrics import indistinguishable, partial_areas, probability
from unconfuse.metrics.indistinguishable import b_values
from unconfuse.metrics.probability import bin_totals
from unconfuse.report._curve_data import HALF_A_PIXEL, _shown
from unconfuse.table import sums_of_first
from unconfuse.thresholds import candidates, validation
from unconfuse.uncertainty.influence_intervals import spread_of

SHARES = ("roc", "precision_recall", "precision_recall_gain", "gain", "reliability")


def rows(n, *, digits=3, prevalence=0.2, seed=4):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < prevalence
    return y, np.round(1 / (1 + np.exp(1.5 - 1.5 * y - rng.normal(size=n))), digits)


@pytest.mark.parametrize(("step", "given"), [(1, {}), (7, {"prevalence": 0.03}), (64, {"costs": (1, 9)})])
def test_a_card_does_not_know_how_its_thresholds_were_cut(monkeypatch, step, given):
    y, s = rows(150)
    whole = uc.threshold_card(y, s, n_resamples=100, **given).as_dict()
    for room in (candidates, validation):
        monkeypatch.setattr(room, "AT_A_TIME", step)
    assert uc.threshold_card(y, s, n_resamples=100, **given).as_dict() == whole


def test_what_no_threshold_reaches_is_found_in_any_stretch(monkeypatch):
    y, s = rows(150)
    monkeypatch.setattr(candidates, "AT_A_TIME", 5)
    point = uc.threshold_card(y[::-1], s, n_resamples=100)["recall_at_precision(0.9)"]
    assert "no threshold reaches precision >= 0.9" in point.infeasible_reason


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("step", [1, 5, 64])
def test_b_and_bins_by_stretches(monkeypatch, weighted, step):
    y, s = rows(200)
    table = uc.score_table(y, s, weights=np.random.default_rng(1).random(200) if weighted else None)
    kinds = ("equal_mass", "equal_width")
    b = [b_values(table, exclude_self=own) for own in (False, True)]
    stacked = uc.ScoreTable.from_validated(table.score, table.positives[None], table.negatives[None])
    bins = [[each[0] for each in bin_totals(stacked, 9, kind)] for kind in kinds]
    monkeypatch.setattr(indistinguishable, "AT_A_TIME", step)
    monkeypatch.setattr(probability, "AT_A_TIME", step)
    for own, before in zip((False, True), b, strict=True):
        np.testing.assert_array_equal(b_values(table, exclude_self=own), before)
    for kind, before in zip(kinds, bins, strict=True):
        np.testing.assert_allclose(bin_totals(table, 9, kind), before, rtol=1e-13)


def test_sums_at_few_places_are_those_at_all():
    weights = np.random.default_rng(0).random(1000)
    at = np.array([[0, 1000, 17], [17, 3, 999]])
    few, all_of_them = sums_of_first(weights, at), sums_of_first(weights[None], at)
    np.testing.assert_allclose(few, [each[0] for each in all_of_them], rtol=1e-13)
    whole = np.floor(9 * weights)
    np.testing.assert_array_equal(sums_of_first(whole, at), [each[0] for each in sums_of_first(whole[None], at)])


@pytest.fixture(scope="module", params=[(16, 0.2), (5, 0.002)], ids=["untied", "rare and tied"])
def long(request):
    return uc.score_table(*rows(100_000, digits=request.param[0], prevalence=request.param[1]))


@pytest.fixture
def outline(monkeypatch, long):
    monkeypatch.setattr(_curve, "LONG", 10_000)
    vars(long).pop("_remembered", None)
    return _curve.outlined(long)


def test_an_outline_is_short_and_keeps_all_cases(long, outline):
    assert len(outline) < 0.7 * len(long)
    assert (outline.n_positives, outline.n_negatives) == (long.n_positives, long.n_negatives)
    assert np.isin(outline.score, long.score).all()


@pytest.mark.parametrize("name", SHARES)
def test_curves_of_an_outline_pass_through_points_of_the_whole(long, outline, name):
    whole, drawn = CURVES[name](long), CURVES[name](outline)
    points, kept = (set(zip(each[each.x].tolist(), each[each.y].tolist(), strict=True)) for each in (whole, drawn))
    assert kept <= points
    upright = name in ("roc", "gain")  # then they are compared along a diagonal, which they cross once
    along = [each[each.x] + (each[each.y] if upright else 0.0) for each in (whole, drawn)]
    heights = [np.interp(along[0], at, each[each.y]) for at, each in zip(along, (whole, drawn), strict=True)]
    assert np.abs(heights[0] - heights[1]).max() < HALF_A_PIXEL / 5


@pytest.mark.parametrize("name", SHARES)
def test_a_page_says_how_many_points_the_whole_curve_has(long, outline, name):
    assert len(outline) < len(long)
    assert _shown(name, long)["points"] == len(uc.curve(name, long))


@pytest.mark.parametrize("span", [(0.1,), (0.3, 0.05), (1.0, 0.5)])
def test_a_partial_area_has_the_spread_of_the_part_that_decides_it(monkeypatch, span):
    metric = uc.METRICS["partial_auroc"] if span == (0.1,) else uc.partial_auroc(span[0], min_fpr=span[1])
    table = uc.score_table(*rows(3000))
    whole = [spread_of(metric, table, added) for added in (0.0, 0.5)]
    monkeypatch.setattr(partial_areas, "_LONG", 100)
    part = [spread_of(metric, table, added) for added in (0.0, 0.5)]
    assert len(part[0].table) < len(table) if span[0] < 1 else len(part[0].table) == len(table)
    for one, other in zip(whole, part, strict=True):
        np.testing.assert_allclose([other.value, other.standard_error()], [one.value, one.standard_error()], rtol=1e-11)
