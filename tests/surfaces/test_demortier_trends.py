"""The trends: what is drawn is what is checked, and the figures are written where they should be."""

from __future__ import annotations

import numpy as np
import pytest

from unconfuse.reproduce import REPRODUCTIONS, demortier_trends
from unconfuse.reproduce.demortier_trends import CASES, PAIRS, GaussianSample

NAME = "demortier-trends"


def test_samples_are_those_described():
    sizes = {name: (each.negatives, each.positives) for name, each in CASES.items()}
    assert sizes == {"case 1": (5000, 5000), "case 2": (5000, 5000), "case 3": (20, 20), "case 4": (9500, 500)}
    for sample in CASES.values():
        y, s = sample.rows()
        for label, mean in ((1, sample.mean_positive), (0, sample.mean_negative)):
            scores = s[y == label]
            assert abs(scores.mean() - mean) < 4 * 0.25 / np.sqrt(len(scores))
            assert scores.std() == pytest.approx(0.25, rel=4 / np.sqrt(2 * len(scores)))
    y, s = PAIRS["beyond"].rows()
    assert s[y == 0].max() > s[y == 1].max()


class Swapped(GaussianSample):
    """A sample whose labels were written down the wrong way round."""

    def rows(self):
        y, s = super().rows()
        return 1 - y, s


def test_rows_agree():
    assert len([row for row in REPRODUCTIONS[NAME].run() if row.agrees]) == 27


def test_rows_can_fail(monkeypatch):
    """Swapped labels in case 1 are noticed by every row that they touch, and by no other."""
    wrong = Swapped(**vars(CASES["case 1"]))
    monkeypatch.setattr(demortier_trends, "CASES", {**CASES, "case 1": wrong})
    demortier_trends._trend.cache_clear()
    try:
        report = REPRODUCTIONS[NAME].run()
    finally:
        demortier_trends._trend.cache_clear()
    assert not report.agrees
    assert {row.quantity for row in report if row.agrees is False} == {
        "case 1: AUROC",
        "case 1: thresholds with recall below its baseline",
        "case 1: thresholds with precision below its baseline",
        "case 1: recall at 0.5",
        "case 1: precision at 0.5",
    }


def test_what_was_fitted_is_not_counted_as_agreement():
    fitted = [row for row in REPRODUCTIONS[NAME].run() if "chosen to come near" in row.note]
    assert len(fitted) == 4 and all(row.agrees is None for row in fitted)


def test_figures(run, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    folder = tmp_path / "new" / "figures"
    done = run("reproduce", NAME, "--figures", folder, "--json")
    assert done.exit_code == 0
    names = sorted(path.name for path in folder.iterdir())
    assert names == [*(f"roc-pr-{k}.png" for k in (1, 2, 3)), *(f"trends-{k}.png" for k in (1, 2, 3, 4))]
    assert all(str(folder / name) in done.stderr for name in names)
    assert all(path.stat().st_size > 20_000 for path in folder.iterdir())


def test_figures_that_cannot_be_drawn(run, tmp_path):
    none = run("reproduce", "chapter", "--figures", tmp_path / "x")
    assert none.exit_code == 2 and "no figures" in none.stderr and not (tmp_path / "x").exists()
    (tmp_path / "file").write_text("")
    blocked = run("reproduce", NAME, "--figures", tmp_path / "file" / "below")
    assert blocked.exit_code == 2 and "cannot be made" in blocked.stderr and "Traceback" not in blocked.stderr
