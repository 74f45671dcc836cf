"""Pages of the docs that are written from the code: nothing public is missing from them."""

import re
import sys
from pathlib import Path

import click
import pytest

import unconfuse as uc
from unconfuse import plots
from unconfuse.cli import COMMANDS, cli
from unconfuse.metrics import MULTICLASS_METRICS

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(autouse=True)
def docs_are_importable(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    yield
    for name in ("api_page", "cli_page", "figure_pages", "glossary", "metric_pages", "errata_page"):
        sys.modules.pop(name, None)


def test_every_public_name_is_on_the_page(tmp_path):
    import api_page

    placed = {name for names in api_page.TASKS.values() for name in names.split()}
    assert placed <= set(uc.__all__)
    api_page.write_api_page(tmp_path)
    text = (tmp_path / "api.md").read_text(encoding="utf-8")
    assert all(re.search(rf"\b{name}\b", text) for name in uc.__all__)


def test_every_picture_has_its_example():
    import figure_pages

    assert set(figure_pages.EXAMPLES) == {each for each in plots.__all__ if each.startswith("plot_")} | {"overview"}
    assert all(name in code for name, (code, _) in figure_pages.EXAMPLES.items())


@pytest.mark.parametrize("name", ["plot_roc", "plot_subgroups", "plot_metric"])
def test_an_example_draws_its_picture(name, tmp_path):
    pytest.importorskip("latex2mathml", reason="the docs need latex2mathml")
    import figure_pages

    figure_pages.draw(name, figure_pages.EXAMPLES[name][0], tmp_path / "picture.png", {})
    assert (tmp_path / "picture.png").stat().st_size > 10_000


def test_every_command_and_option_is_in_the_reference(tmp_path):
    import cli_page

    cli_page.write_cli_page(tmp_path)
    text = (tmp_path / "command-line.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        section = text[text.index(f"## unconfuse {name}\n") :].split("\n## ")[0]
        for option in (each for each in command.params if isinstance(each, click.Option) and not each.hidden):
            assert option.opts[0] in section, (name, option.opts)


def test_the_glossary_names_every_metric(tmp_path):
    import glossary

    assert set(glossary.NAMES) <= set(uc.METRICS)
    glossary.write_glossary(tmp_path)
    text = (tmp_path / "glossary.md").read_text(encoding="utf-8")
    assert all(f"metrics/{name}.md" in text for name in uc.METRICS)
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in lines}) == 1
    for place in glossary.PLACES:
        assert place in lines[0]


def test_who_looks_for_auc_finds_auroc_first():
    """Titles weigh most in the search: only one of them may hold the word."""
    pytest.importorskip("latex2mathml", reason="the docs need latex2mathml")
    import metric_pages

    titles = {name: metric_pages.page_of(each).splitlines()[0] for name, each in uc.METRICS.items()}
    assert [name for name, title in titles.items() if re.search(r"\bAUC\b", title)] == ["auroc"]
    others = [line for page in DOCS.glob("*.md") for line in page.read_text(encoding="utf-8").splitlines()]
    assert not [line for line in others if line.startswith("#") and re.search(r"\bAUC\b", line)]


def test_a_page_of_a_metric_shows_the_lines_that_draw_its_picture():
    pytest.importorskip("latex2mathml", reason="the docs need latex2mathml")
    import metric_pages

    text = metric_pages.page_of(uc.METRICS["precision"])
    assert 'plots.plot_metric("precision")' in text and "(precision.png)" in text and "ppv" in text
    assert all(metric_pages.page_of(each) for each in uc.METRICS.values())
    text = metric_pages.page_of(MULTICLASS_METRICS["accuracy"])
    assert 'plots.plot_metric_of_classes("accuracy")' in text and "(several_accuracy.png)" in text


def test_errata_come_from_the_reproductions(tmp_path):
    import errata_page

    errata_page.write_errata(tmp_path)
    text = (tmp_path / "errata-table.md").read_text(encoding="utf-8")
    assert "8.2 specificity | 0.990 | 1.000" in text and text.count("\n") > 30


def test_indistinguishability_states_the_counts_of_its_coverage_page():
    """Hold the prose against the table that the simulation wrote."""
    table = (DOCS / "coverage-indistinguishability.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (r_b|C\(r_b\)|C of the mixture) \| ([\d.]+%) \| ([\d.]+%) \| (\d+ of \d+) \|$", table, re.M)
    assert len(rows) == 3
    prose = " ".join((DOCS / "indistinguishability.md").read_text(encoding="utf-8").split())
    for _, mean, _, cells in rows:
        assert f"in {cells}" in prose and mean in prose
    assert min(low for _, _, low, _ in rows) in prose
