"""Speed by counting, not by the clock: calls of kernels, blocks that they walk over, and memory.

A number below is what the work takes today, where it says "exactly", or leaves little room. Whoever makes an evaluation
sort its rows twice, or walk over its table five times more, is told so by the same failure on every machine.
"""

from __future__ import annotations

import re
import tracemalloc
from collections import Counter

import numpy as np
import pytest

import unconfuse as uc
from unconfuse._kernels import _native
from unconfuse.ingest import _spark_sql
from unconfuse.ingest.column_roles import ColumnRoles
from unconfuse.metrics import best_threshold
from unconfuse.report.payload import payload_of

N = 20_000
RESAMPLING = ("bootstrap_ranks", "bootstrap_tables", "bootstrap_units", "paired_bootstrap_ranks")


def rows(n=N, models=1):
    rng = np.random.default_rng(5)
    y = rng.random(n) < 0.1
    scores = {f"m{k}": 1 / (1 + np.exp(2.5 - 1.5 * y - rng.normal(size=n))) for k in range(models)}
    return (y, scores) if models > 1 else (y, scores["m0"])


class Counted:
    """Calls of each kernel, and how many numbers the arrays that it was given hold."""

    def __init__(self):
        self.calls, self.numbers = Counter(), Counter()

    def wrap(self, name, function):
        def counted(*given, **more):
            self.calls[name] += 1
            self.numbers[name] += sum(each.size for each in given if isinstance(each, np.ndarray))
            return function(*given, **more)

        return counted

    @property
    def walks(self):
        """How often all rows were walked over, resampling left out: it walks over tables of its own size."""
        return sum(each for name, each in self.numbers.items() if name not in (*RESAMPLING, "last_at_level")) / N


@pytest.fixture
def counted(monkeypatch):
    found = Counted()
    for name in dir(_native):
        function = getattr(_native, name)
        if not name.startswith("_") and callable(function):
            monkeypatch.setattr(_native, name, found.wrap(name, function))
    return found


def test_an_evaluation_sorts_once_and_resamples_each_kind_once(counted):
    uc.evaluate(*rows())
    assert counted.calls["collapse_cases"] == 1
    assert {name: counted.calls[name] for name in RESAMPLING} == dict(zip(RESAMPLING, (1, 1, 0, 0), strict=True))
    assert sum(counted.calls.values()) <= 42
    assert counted.walks <= 100
    assert counted.numbers["bootstrap_tables"] <= 2000 * 2 * 120  # replicates, classes, parts of 15 bins


def test_each_best_threshold_is_sought_once(monkeypatch):
    """Its limits, its error and whether chance reaches it, of several metrics, ask for the same: both ways, or one."""
    sought, seek = [], best_threshold._best_of
    monkeypatch.setattr(best_threshold, "_best_of", lambda *given: sought.append(given[1:]) or seek(*given))
    uc.evaluate(*rows())
    assert sorted(sought) == [(False,), (True,)]


def test_one_metric_pays_for_nothing_else(counted):
    uc.evaluate(*rows(), metrics=["auroc"])
    assert counted.calls["collapse_cases"] == 1
    assert not any(counted.calls[name] for name in RESAMPLING)
    assert counted.walks <= 12


@pytest.mark.parametrize("models", [2, 5])
def test_each_model_is_sorted_once_however_many_pairs_there_are(counted, models):
    uc.compare(*rows(models=models))
    assert counted.calls["collapse_cases"] == models
    assert sum(counted.calls.values()) <= 13 * models


def test_subgroups_cost_what_their_rows_cost(counted):
    y, s = rows()
    by = np.arange(N) % 4
    found = uc.evaluate(y, s, by=by)
    alone = counted.walks
    assert len(found.subgroups) == 4
    assert counted.calls["collapse_cases"] == 1  # nothing was asked of them yet
    assert all(dict(part) for part in found.subgroups.values())
    assert counted.calls["collapse_cases"] == 5
    assert counted.walks <= 3 * alone


def test_a_card_and_a_page_sort_nothing_anew(counted, tmp_path):
    found = uc.evaluate(*rows())
    found.report(tmp_path / "page.html")
    assert counted.calls["collapse_cases"] == 1
    # replicates, classes and blocks: the card; the calibration error; all bands, and C(r_60) with C(r_40)
    assert counted.numbers["bootstrap_tables"] <= 500 * 2 * 1010 + 2000 * 2 * (120 + 1450)
    assert counted.walks <= 180


def test_a_card_alone(counted):
    uc.threshold_card(*rows())
    assert counted.calls["collapse_cases"] == 1
    assert counted.numbers["bootstrap_tables"] <= 500 * 2 * 1010  # replicates, classes, blocks
    assert counted.walks <= 22


def test_no_call_of_a_kernel_is_so_long_that_ctrl_c_must_wait(monkeypatch):
    """Python hears Ctrl-C between two calls: each draws so many replicates of so many blocks at most."""
    work, draw = [], _native.bootstrap_ranks

    def counted(positives, *given):
        work.append(np.count_nonzero(positives) * given[-1].shape[1])
        return draw(positives, *given)

    monkeypatch.setattr(_native, "bootstrap_ranks", counted)
    uc.bootstrap(uc.score_table(*rows()), ["ks"], n_resamples=6000)
    assert len(work) > 1 and max(work) <= 1 << 23


def test_work_does_not_grow_faster_than_rows(counted):
    """Ten times the rows: the same kernels as often, and no more walks over each row."""
    found = {}
    for n in (N, 10 * N):
        counted.calls.clear()
        counted.numbers.clear()
        uc.evaluate(*rows(n))
        found[n] = (dict(counted.calls), counted.walks * N / n)
    assert found[10 * N][0] == found[N][0]
    assert found[10 * N][1] <= 1.05 * found[N][1]


def test_memory_of_a_table():
    """Scores and counts of cases: rows are sorted in the memory that their table takes."""
    y, s = rows(200_000)
    uc.score_table(y, s)
    tracemalloc.start()
    uc.score_table(y, s)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 17 * len(y)


def test_an_auroc_with_its_interval_takes_no_more_memory_than_its_table():
    y, s = rows(200_000)
    tracemalloc.start()
    uc.evaluate(y, s, metrics=["auroc"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 17 * len(y)


def test_memory_of_an_evaluation():
    y, s = rows(200_000)
    uc.evaluate(y, s)
    tracemalloc.start()
    uc.evaluate(y, s)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 175 * len(y)


def test_memory_of_a_threshold_card_and_of_a_page():
    """Resamples are looked at few at a time, and what is kept of them holds no more than itself."""
    found = uc.evaluate(*rows(1000))
    tracemalloc.start()
    found.default_card  # noqa: B018
    card = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    payload_of(found)
    page = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert card <= 45e6 and page <= 45e6


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("models", [1, 3])
def test_spark_adds_up_two_numbers_for_each_score(text, models):
    """An aggregate that may be a text makes Spark sort all rows, twice; every further one is paid for each score."""
    chosen = ColumnRoles(label="y", scores={f"p{place}": f"p{place}" for place in range(models)})
    for query in (
        _spark_sql.together(chosen, text=text, sampled=False),
        _spark_sql.tables(chosen, binned=False, text=text),
    ):
        assert re.findall(r"\b(?:sum|min|max|count|first|any_value|max_by)\(", query) == ["sum(", "sum("]
        assert query.count("GROUP BY") == 1 and "JOIN" not in query and "ORDER BY" not in query
