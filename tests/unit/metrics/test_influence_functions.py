from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

import unconfuse as uc
from unconfuse._errors import ArgumentError
from unconfuse.metrics.influence_functions import (
    auprc_influence,
    auroc_influence,
    average_precision_influence,
    f_beta_influence,
    mean_influence,
)
from unconfuse.table import parse_design

ALL = [auroc_influence, average_precision_influence, auprc_influence, f_beta_influence]


def _random_table(seed: int, blocks: int = 10, most: int = 4) -> uc.ScoreTable:
    rng = np.random.default_rng(seed)
    positives, negatives = rng.integers(0, most, (2, blocks)).astype(float)
    positives[0], negatives[-1] = positives[0] + 2, negatives[-1] + 2
    return uc.ScoreTable(np.arange(blocks, 0, -1.0), positives, negatives)


def _changed(table: uc.ScoreTable, name: str, block: int, by: float) -> uc.ScoreTable:
    weights = {"positives": table.positives.copy(), "negatives": table.negatives.copy()}
    weights[name][block] += by
    return uc.ScoreTable(table.score, **weights)


def _has_one_best_threshold(table: uc.ScoreTable) -> bool:
    """Where two thresholds share the largest F1, it has a kink there and no derivative."""
    tp, fp = np.cumsum(table.positives), np.cumsum(table.negatives)
    runner_up, best = np.sort(2 * tp / (tp[-1] + tp + fp))[-2:]
    return best - runner_up > 1e-5


@pytest.mark.parametrize("influence", ALL)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_influence_is_the_derivative(influence, seed):
    table, step = _random_table(seed), 1e-6
    assume(influence is not f_beta_influence or _has_one_best_threshold(table))
    found = influence(table)
    for name in ("positives", "negatives"):
        for block in range(len(table)):
            if getattr(table, name)[block] == 0:
                continue
            up, down = (influence(_changed(table, name, block, by)).value for by in (step, -step))
            assert (up - down) / (2 * step) == pytest.approx(getattr(found, name[:-1])[block], abs=2e-7)


@pytest.mark.parametrize("influence", ALL)
def test_influences_add_up_to_nothing(influence):
    found = influence(_random_table(8))
    total = found.positive @ found.table.positives + found.negative @ found.table.negatives
    assert total == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("influence", ALL)
def test_stacks_equal_single_tables(influence):
    tables = [_random_table(seed) for seed in range(5)]
    stack = influence(
        uc.ScoreTable(tables[0].score, np.stack([t.positives for t in tables]), np.stack([t.negatives for t in tables]))
    )
    for index, table in enumerate(tables):
        assert stack.standard_error()[index] == pytest.approx(float(influence(table).standard_error()))


@pytest.mark.parametrize("influence", ALL)
@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_standard_error_is_that_of_the_bootstrap(influence, design):
    rng = np.random.default_rng(0)
    positives, negatives = np.array([60.0, 45, 30, 20, 10]), np.array([20.0, 40, 80, 160, 300])
    table = uc.ScoreTable(np.arange(5, 0, -1.0), positives, negatives)
    p, n, draws = int(positives.sum()), int(negatives.sum()), 20_000
    sizes = rng.binomial(p + n, p / (p + n), draws) if design == "cohort" else np.full(draws, p)
    stack = uc.ScoreTable(
        table.score,
        rng.multinomial(sizes, positives / p).astype(float),
        rng.multinomial(p + n - sizes, negatives / n).astype(float),
    )
    expected = influence(stack).value.std()
    tolerance = 0.1 if influence is f_beta_influence else 0.03  # choosing a threshold adds a second-order part
    found = float(influence(table).standard_error(fixed_classes=design == "case-control"))
    assert found == pytest.approx(expected, rel=tolerance)


def test_cohort_noise_of_average_precision_exceeds_that_of_fixed_classes():
    found = average_precision_influence(_random_table(1))
    assert found.variance() > found.variance(fixed_classes=True)
    area = auroc_influence(_random_table(1))
    assert area.variance() == pytest.approx(float(area.variance(fixed_classes=True)), rel=1e-12)


# sd of AP for n = 10,000 and fixed classes, by quadrature of the influence function (an independent script).
@pytest.mark.parametrize(
    ("prevalence", "area", "expected"),
    [
        (0.01, 0.85, 0.028284834249787207),
        (0.1, 0.75, 0.012650045962557435),
        (0.3, 0.95, 0.0040672144348828975),
        (0.5, 0.85, 0.00430823439349872),
    ],
)
@pytest.mark.parametrize("influence", [average_precision_influence, auprc_influence])
def test_asymptotic_sd_of_average_precision(prevalence, area, expected, influence):
    edges = np.linspace(10, -6, 32_001)
    shift = np.sqrt(2) * ndtri(area)
    shares = [np.diff(ndtr(mean - edges), prepend=0.0) for mean in (shift, 0.0)]
    table = uc.ScoreTable(edges, 10_000 * prevalence * shares[0], 10_000 * (1 - prevalence) * shares[1])
    within = influence(table).parts()
    exact = within[0] * (table.n_positives - 1) / table.n_positives + within[1]
    assert np.sqrt(exact) == pytest.approx(expected, abs=2e-5)


def test_mean_influence_is_the_textbook_standard_error_of_a_mean():
    rng = np.random.default_rng(3)
    truth, score = rng.random(400) < 0.3, rng.random(400)
    table = uc.ScoreTable.from_rows(truth, score)
    found = mean_influence(table, (1 - table.score) ** 2, table.score**2)
    losses = (truth - score) ** 2
    assert float(found.value) == pytest.approx(losses.mean())
    assert float(found.standard_error()) == pytest.approx(losses.std(ddof=1) / 20, rel=5e-3)


def test_unknown_design_is_refused():
    with pytest.raises(ArgumentError, match="'cohort', 'case-control'"):
        parse_design("stratified")
