"""The reproductions of the indistinguishability paper and of the prevalence tables, and their figures."""

import pytest

from unconfuse.reproduce import REPRODUCTIONS


def test_sumpter_agrees_apart_from_errata():
    report = REPRODUCTIONS["sumpter"].run()
    assert report.agrees, [row for row in report if row.agrees is False and not row.erratum]
    by_name = {row.quantity: row for row in report}
    assert by_name["figure 1: B(67), no item compared with itself"].ours == pytest.approx(18 / 37)
    assert by_name["g: C(r_b) as the released code has it"].ours == pytest.approx(0.7026, abs=1e-4)
    for name in "abcdefghi":
        mean, truth = by_name[f"{name}: C(r_b), mean of 100 data sets"], by_name[f"{name}: C(r_b)"]
        assert abs(mean.ours - truth.ours) < 4 * mean.mc_error


def test_prevalence_moves_what_it_should():
    assert REPRODUCTIONS["prevalence"].run().agrees


def test_a_figure_can_be_drawn(tmp_path):
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("Agg")
    from unconfuse.reproduce.sumpter import draw

    paths = draw(tmp_path, only="figure_5")
    assert [path.name for path in paths] == ["sumpter_figure_5.png"]
    assert paths[0].stat().st_size > 10_000
