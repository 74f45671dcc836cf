"""Published examples: every number agrees, or is a known erratum with an explanation."""

from __future__ import annotations

import json
import math

import pytest

from unconfuse._formatting import plain_json
from unconfuse.reproduce import REPRODUCTIONS, Report, ReproducedValue


@pytest.fixture(scope="module", params=list(REPRODUCTIONS))
def report(request: pytest.FixtureRequest) -> Report:
    return REPRODUCTIONS[request.param].run()


def test_published_numbers_agree(report: Report) -> None:
    wrong = [row for row in report.rows if row.agrees is False and not row.erratum]
    assert not wrong
    assert report.agrees


def test_errata_are_real_and_explained(report: Report) -> None:
    for row in report.rows:
        if row.erratum:
            assert row.agrees is not True
            assert row.note
    assert report.notes


def test_only_print_counts_as_published() -> None:
    counts = {"demortier": 11, "demortier-trends": 3, "prevalence": 0}
    for name, printed in counts.items():
        report = REPRODUCTIONS[name].run()
        assert sum(row.published is not None for row in report) == printed
        assert f"of {printed} published numbers" in repr(report)
    for row in REPRODUCTIONS["sumpter"].run():
        assert row.published is None or "released" not in row.quantity
        assert (row.reference is None) == (not row.source)


def test_the_summary_counts_every_row(report: Report) -> None:
    counted = sum(value for part in report.summary for name, value in part.items() if name != "part")
    assert counted == len(report)


def test_reports_are_plain_values(report: Report) -> None:
    values = plain_json(report.as_dict())
    assert json.loads(json.dumps(values, allow_nan=False)) == values
    assert [row["quantity"] for row in report.rows_as_dicts()] == [row.quantity for row in report]
    assert len({row.quantity for row in report}) == len(report)
    assert report.title in repr(report)


def test_the_mapping_is_read_only_and_named() -> None:
    assert {"chapter", "fund", "demortier"} <= set(REPRODUCTIONS)
    for name, each in REPRODUCTIONS.items():
        assert each.name == name
        assert each.source
    with pytest.raises(TypeError):
        REPRODUCTIONS["x"] = None  # type: ignore[index]


def test_rows_know_what_print_can_say() -> None:
    assert ReproducedValue.printed("a", "12.09%", 0.12087).agrees
    assert not ReproducedValue.printed("a", "12.09%", 0.1211).agrees
    assert ReproducedValue("a", None, 1.0).agrees is None
    assert ReproducedValue("a", math.nan, math.nan).agrees
    assert ReproducedValue("a", math.nan, 1.0).agrees is False
    assert ReproducedValue("a", 0.5, 0.52, mc_error=0.01).agrees
    assert ReproducedValue("a", math.inf, math.inf).agrees
