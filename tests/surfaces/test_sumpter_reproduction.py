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


def test_the_header_adds_up_and_only_wrong_numbers_are_corrected():
    report = REPRODUCTIONS["sumpter"].run()
    printed = [row for row in report if row.published is not None]
    agreed, corrected = (sum(row.judgement == word for row in printed) for word in ("agrees", "corrected"))
    assert agreed + corrected == len(printed) == 17
    others = sum(row.erratum for row in report) - corrected
    assert f"{agreed} of 17 published numbers agree, {corrected} corrected, {others} more in equations" in repr(report)
    by_name = {row.quantity: row.judgement for row in report}
    # .85 beside .857, where one data set varies by .009; .50 beside .533, where it varies by .0065
    assert by_name["g: C(r_b)"] == "agrees" and by_name["c: C(r_b)"] == "corrected"
