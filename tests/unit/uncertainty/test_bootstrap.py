"""The one resampling engine: the right law, the same resamples for every metric, and nothing left behind."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import unconfuse as uc
from unconfuse import METRICS, Metric
from unconfuse._errors import ArgumentError, InputError
from unconfuse._kernels import placement_moments
from unconfuse.metrics._inference import Resampled
from unconfuse.uncertainty import bootstrap as engine
from unconfuse.uncertainty.bootstrap import slices, split


def table_of(n: int = 200, prevalence: float = 0.3, decimals: int = 12, seed: int = 0) -> uc.ScoreTable:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < prevalence
    y[:2] = True, False
    return uc.ScoreTable.from_rows(y, np.round(1 / (1 + np.exp(-1.0 * y - rng.normal(size=n))), decimals))


SIZES = {
    "n_positives": lambda table: table.positives.sum(axis=-1),
    "n_cases": lambda table: table.positives.sum(axis=-1) + table.negatives.sum(axis=-1),
}
SIZE_METRICS = [Metric(name, function, of="ranks") for name, function in SIZES.items()]
DESIGNS = ("cohort", "case-control")


@pytest.mark.parametrize("decimals", [12, 1])
def test_auroc_has_the_exact_mean_and_variance_of_the_stratified_bootstrap(decimals):
    table, n = table_of(decimals=decimals), 20_000
    values = uc.bootstrap(table, ["auroc"], n_resamples=n, design="case-control", rng=5)["auroc"]
    moments, p, n_negatives = placement_moments(table.positives, table.negatives), table.n_positives, table.n_negatives
    between = (n_negatives - 1) * moments.positive_variance + (p - 1) * moments.negative_variance
    sd = math.sqrt((moments.pair_variance + between) / (p * n_negatives))
    assert abs(values.mean() - METRICS["auroc"](table)) < 4 * sd / math.sqrt(n)
    assert abs(values.std() / sd - 1) < 4 * math.sqrt((stats.kurtosis(values) + 2) / (4 * n))


def test_brier_has_the_mean_and_variance_of_a_resampled_mean():
    table, n = table_of(), 20_000
    values = uc.bootstrap(table, ["brier"], n_resamples=n, rng=1)["brier"]
    losses = np.concatenate(
        [
            np.repeat((1 - table.score) ** 2, table.positives.astype(int)),
            np.repeat(table.score**2, table.negatives.astype(int)),
        ]
    )
    sd = losses.std() / math.sqrt(len(losses))
    assert abs(values.mean() - losses.mean()) < 4 * sd / math.sqrt(n)
    assert abs(values.std() / sd - 1) < 4 / math.sqrt(2 * n)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("decimals", [12, 1])
def test_kernel_and_table_by_table_agree_in_every_replicate(design, decimals):
    table = table_of(decimals=decimals)
    names = [name for name, each in METRICS.items() if each.root.of.inference.kernel]
    users = [
        replace(METRICS[name], name=f"my_{name}", inference=Resampled(straight=METRICS[name].inference.straight))
        for name in names
    ]
    found = uc.bootstrap(table, [*names, *users], n_resamples=60, design=design, rng=3)
    assert split(users) == ([], users)
    for name in names:
        np.testing.assert_allclose(found[name], found[f"my_{name}"], rtol=0, atol=1e-12)


def test_a_users_metric_may_bear_the_name_of_a_kernel():
    mine = Metric("auroc", lambda table: np.full(table.positives.shape[:-1], 7.0), of="ranks")
    assert (uc.bootstrap(table_of(), [mine], n_resamples=5)["auroc"] == 7).all()


@pytest.mark.parametrize("design", DESIGNS)
def test_metrics_asked_for_alone_or_together_get_the_same_resamples(design):
    names = ["max_f1", "auroc", "brier", "ks"]
    table = table_of()
    together = uc.bootstrap(table, names, n_resamples=50, design=design)
    assert list(together) == names
    for name in names:
        np.testing.assert_array_equal(uc.bootstrap(table, [name], n_resamples=50, design=design)[name], together[name])


def test_threads_and_slices_do_not_show(monkeypatch):
    table, names = table_of(300), ["auroc", "average_precision", "brier"]
    whole = uc.bootstrap(table, names, n_resamples=101, n_threads=1)
    for threads in (2, 3):
        again = uc.bootstrap(table, names, n_resamples=101, n_threads=threads)
        assert all((again[name] == whole[name]).all() for name in names)
    monkeypatch.setattr(engine, "_CELLS_AT_A_TIME", 2000)
    monkeypatch.setattr(engine, "_BLOCKS_AT_A_TIME", 1000)
    cut = uc.bootstrap(table, names, n_resamples=101)
    assert all((cut[name] == whole[name]).all() for name in names)
    more = uc.bootstrap(table, names, n_resamples=150)
    assert all((more[name][:101] == whole[name]).all() for name in names)


def test_seeds_differ():
    first, second = (uc.bootstrap(table_of(), ["auroc"], n_resamples=500, rng=seed)["auroc"] for seed in (0, 1))
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.2


def test_class_totals_vary_in_a_cohort_and_stay_in_a_case_control_study():
    table, n = table_of(), 5000
    cohort = uc.bootstrap(table, SIZE_METRICS, n_resamples=n, design="cohort")
    fixed = uc.bootstrap(table, SIZE_METRICS, n_resamples=n, design="case-control")
    assert (cohort["n_cases"] == table.n).all() and (fixed["n_cases"] == table.n).all()
    assert (fixed["n_positives"] == table.n_positives).all()
    spread = math.sqrt(table.n * table.prevalence * (1 - table.prevalence))
    assert abs(cohort["n_positives"].mean() - table.n_positives) < 4 * spread / math.sqrt(n)
    assert cohort["n_positives"].std() == pytest.approx(spread, rel=4 / math.sqrt(2 * n))


def test_whole_weights_are_rows():
    rng = np.random.default_rng(2)
    y, s, w = rng.random(60) < 0.4, rng.normal(size=60), rng.integers(1, 5, 60)
    weighted = uc.ScoreTable.from_rows(y, s, w.astype(float))
    repeated = uc.ScoreTable.from_rows(np.repeat(y, w), np.repeat(s, w))
    for names in (["auroc"], ["auch"]):
        a, b = (uc.bootstrap(each, names, n_resamples=200)[names[0]] for each in (weighted, repeated))
        np.testing.assert_array_equal(a, b)


def test_constant_scores_and_one_of_each_class():
    constant = uc.ScoreTable(np.array([0.5]), np.array([4.0]), np.array([6.0]))
    assert (uc.bootstrap(constant, ["auroc"], n_resamples=300, design="case-control")["auroc"] == 0.5).all()
    pair = uc.ScoreTable(np.array([2.0, 1.0]), np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    values = uc.bootstrap(pair, ["auroc", "auch"], n_resamples=4000)
    for name in ("auroc", "auch"):
        lost = np.isnan(values[name])
        assert abs(lost.mean() - 0.5) < 0.04  # both draws take the same case
        assert (values[name][~lost] == 1).all()


def test_decisions_at_a_threshold():
    table = table_of()
    values = uc.bootstrap(table, ["sensitivity"], n_resamples=8000, design="case-control", threshold=0.6)["sensitivity"]
    p = float(METRICS["sensitivity"](table.counts_at(0.6)))
    sd = math.sqrt(p * (1 - p) / table.n_positives)
    assert abs(values.mean() - p) < 4 * sd / math.sqrt(8000)
    assert values.std() == pytest.approx(sd, rel=0.05)


def test_progress_counts_up_to_the_end(monkeypatch):
    monkeypatch.setattr(engine, "_CELLS_AT_A_TIME", 4000)
    monkeypatch.setattr(engine, "_BLOCKS_AT_A_TIME", 2000)
    told: list[tuple[int, int]] = []
    uc.bootstrap(
        table_of(), ["auroc", "brier"], n_resamples=100, progress=lambda done, total: told.append((done, total))
    )
    done = [each for each, _ in told]
    assert len(told) > 4 and done == sorted(done) and told[-1] == (100, 100)
    assert {total for _, total in told} == {100}


@pytest.mark.parametrize("names", [["auroc"], ["brier"]])
def test_an_interrupted_run_leaves_nothing_behind(monkeypatch, names):
    table = table_of()
    before = uc.bootstrap(table, names, n_resamples=40)[names[0]]
    columns = [each.copy() for each in (table.score, table.positives, table.negatives)]

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(engine, "_CELLS_AT_A_TIME", 2000)
    monkeypatch.setattr(engine, "_BLOCKS_AT_A_TIME", 1000)
    with pytest.raises(KeyboardInterrupt):
        uc.bootstrap(table, names, n_resamples=40, progress=stop)
    for kept, now in zip(columns, (table.score, table.positives, table.negatives), strict=True):
        np.testing.assert_array_equal(kept, now)
    np.testing.assert_array_equal(uc.bootstrap(table, names, n_resamples=40)[names[0]], before)


def test_slices_cover_everything_once():
    assert list(slices(7, 3)) == [(0, 3), (3, 3), (6, 1)]
    assert list(slices(2, 0)) == [(0, 1), (1, 1)]
    assert not list(slices(0, 5))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_resamples": 0}, "n_resamples"),
        ({"n_resamples": 2.5}, "n_resamples"),
        ({"design": "cohorts"}, "design"),
        ({"rng": -1}, "rng"),
        ({"n_threads": 0}, "n_threads"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        uc.bootstrap(table_of(), ["auroc"], **arguments)


def test_wrong_data_and_metrics_are_refused():
    with pytest.raises(InputError, match="score_table"):
        uc.bootstrap([1, 0, 1], ["auroc"])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="empty"):
        uc.bootstrap(uc.ScoreTable.empty(), ["auroc"])
    with pytest.raises(ArgumentError, match="threshold"):
        uc.bootstrap(table_of(), ["mcc"])
    with pytest.raises(ArgumentError, match="auroc"):
        uc.bootstrap(table_of(), ["aurok"])


def test_it_is_the_public_name():
    assert uc.bootstrap is uc.bootstrap
