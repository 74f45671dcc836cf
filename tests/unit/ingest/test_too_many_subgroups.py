"""Columns of ids and of measurements are refused as subgroups at once: to name each of a million takes ten seconds."""

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.ingest import grouping

N = 1000
RANDOM = np.random.default_rng(1)
Y, S = np.arange(N) % 3 == 0, RANDOM.normal(size=N)


@pytest.mark.parametrize(
    ("by", "found"),
    [
        (RANDOM.random(N), 1000),
        (np.where(np.arange(N) < 10, np.nan, RANDOM.random(N)), 991),
        (np.arange(N), 1000),
        (np.array([f"id{k}" for k in range(N)], dtype=object), 1000),
        (np.array([f"id{k}" for k in range(N)]), 1000),
        (np.array([[f"{k // 2}", f" {k // 2} "][k % 2] for k in range(N)], dtype=object), 500),
    ],
)
def test_ids_are_counted_and_not_named(monkeypatch, by, found):
    named = []
    monkeypatch.setattr(grouping, "_text", lambda value: named.append(value) or str(value))
    with pytest.raises(uc.UnconfuseError, match=f"would divide 1,000 rows into {found:,} subgroups"):
        uc.evaluate(Y, S, by=by)
    assert not named


@pytest.mark.parametrize(
    "by",
    [
        np.array([["a", " a", "", "  "][k % 4] for k in range(N)], dtype=object),
        np.array([[1, 1.0, "1", None][k % 4] for k in range(N)], dtype=object),
    ],
)
def test_values_of_one_name_are_one_subgroup_however_they_are_written(by):
    assert len(uc.evaluate(Y, S, by=by, metrics=["auroc"]).subgroups) == 2
