"""Pages of the docs that are written from the code: nothing public is missing from them."""

import doctest
import inspect
import re
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

import unconfuse as uc
from unconfuse import plots
from unconfuse.cli import COMMANDS, cli
from unconfuse.ingest import DataOptions

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(autouse=True)
def docs_are_importable(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    yield
    for name in ("api_page", "cli_page", "figure_pages", "glossary", "metric_pages", "errata_page", "mathml"):
        sys.modules.pop(name, None)


@pytest.fixture
def api(tmp_path):
    """The pages of names, written anew: by what they are called, and the list of all."""
    import api_page

    (tmp_path / "generated").mkdir()
    api_page.write_api_page(tmp_path / "generated")
    pages = {path.stem: path.read_text(encoding="utf-8") for path in (tmp_path / "generated" / "api").glob("*.md")}
    return api_page, pages, (tmp_path / "generated" / "api.md").read_text(encoding="utf-8")


def test_every_public_name_has_a_page_and_is_listed(api):
    api_page, pages, listed = api
    placed = [name for names in api_page.tasks().values() for name in names]
    assert sorted(placed) == sorted(uc.__all__) and "More" not in api_page.tasks()
    drawn = [f"plots.{name}" for name in plots.__all__ if inspect.isfunction(getattr(plots, name))]
    assert set(pages) == {api_page.file_of(name) for name in uc.__all__} | set(drawn)
    assert len({page.lower() for page in pages}) == len(pages)  # also where a file's case does not count
    tree = listed.split("```{toctree}")[1]
    assert all(tree.count(f"\napi/{page}\n") == 1 and f"(api/{page}.md)" in listed for page in pages)


def test_every_public_name_is_shown_as_written_with_an_example(api):
    api_page, pages, _ = api
    for name in uc.__all__:
        text = pages[api_page.file_of(name)]
        assert text.startswith(f"# uc.{name}\n")
        shown = text if name in api_page.VALUES else inspect.getdoc(getattr(uc, name))
        assert ">>>" in shown, name
        assert re.search(rf"::? uc\.{name}\n", text) or name in api_page.VALUES
    for name in plots.__all__:
        assert ">>>" in (getattr(plots, name).__doc__ or "") or not inspect.isfunction(getattr(plots, name)), name


def test_examples_of_the_mappings_run(api):
    api_page, pages, _ = api
    for name in api_page.VALUES:
        found = doctest.DocTestParser().get_doctest(pages[f"uc.{name}"], {}, name, None, 0)
        assert found.examples and doctest.DocTestRunner().run(found).failed == 0


def test_every_page_of_a_name_leads_to_guides_that_exist(api):
    api_page, pages, _ = api
    for page, text in pages.items():
        links = re.findall(r"^- \[[^]]+\]\((\S+)\)$", text.split("## Read on")[1], re.M)
        assert links, page
        for link in links:
            written = (DOCS / "generated" / "api" / link).resolve().relative_to(DOCS)
            assert (DOCS / written).exists() or written.as_posix() in ("generated/metrics.md", "generated/pictures.md")
    assert api_page.guides_of("gate", "Compare models")[0] == "gate"


def test_a_verb_shows_what_it_adds_and_data_shows_its_words(api):
    api_page, *_ = api
    for name in ("evaluate", "compare", "threshold_card", "Empirical"):
        shown = api_page.signature_of(getattr(uc, name))
        assert shown.endswith("**data)") and "on_bad_row" not in shown, shown
    assert "folds=20" in api_page.signature_of(uc.threshold_card)  # its own, although `Data` has such a word
    assert "**data" not in api_page.signature_of(uc.ModelSequence)  # two words that are its own
    whole = api_page.signature_of(uc.Data)
    assert all(f"{word}=" in whole for word in DataOptions.__annotations__)
    assert api_page.signature_of(uc.Evaluation) == ""


def groups_of_pages():
    """Each group of the sidebar with all pages in it and below it, as often as they are named."""
    trees = re.compile(r"^```\{toctree\}\n(.*?)^```", re.M | re.S)

    def named(block):
        return [line for line in block.splitlines() if line and not line.startswith(":")]

    def below(page):
        path = DOCS / f"{page}.md"
        own = [] if page.startswith("generated/") else trees.findall(path.read_text(encoding="utf-8"))
        return [page, *(each for block in own for child in named(block) for each in below(child))]

    found = {}
    for block in trees.findall((DOCS / "index.md").read_text(encoding="utf-8")):
        caption = re.search(r"^:caption: (.+)$", block, re.M).group(1)
        found[caption] = [each for page in named(block) for each in below(page)]
    return found


def test_every_page_is_in_exactly_one_group_of_the_sidebar():
    groups = groups_of_pages()
    assert list(groups) == ["Start", "Use it", "Understand it", "Trust it", "Reference"]
    listed = Counter(page for pages in groups.values() for page in pages)
    assert [page for page, times in listed.items() if times > 1] == []
    written = {path.stem for path in DOCS.glob("*.md")} - {"index"}
    assert written == {page for page in listed if not page.startswith("generated/")}


def test_the_home_page_installs_shows_a_live_page_and_has_three_doors():
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    assert "$ pip install ." in text
    assert re.findall(r'<iframe [^>]*src="(\S+?)"', text) == ["demo.html"]
    assert '"demo.html"' in (DOCS / "conf.py").read_text(encoding="utf-8")  # which the build writes there
    doors = text.split(":::{container} doors")[1].split("\n:::")[0]
    found = re.findall(r"^- \*\*\[([^]]+)\]\((\S+)\)\*\*$", doors, re.M)
    assert [door for door, _ in found] == ["Use it", "Understand it", "Trust it"]
    assert all((DOCS / page).exists() for _, page in found)


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
    text = metric_pages.page_of(uc.MULTICLASS_METRICS["accuracy"])
    assert 'plots.plot_multiclass_metric("accuracy")' in text and "(several_accuracy.png)" in text


def test_formulas_of_the_prose_are_drawn_offline():
    pytest.importorskip("latex2mathml", reason="the docs need latex2mathml")
    nodes = pytest.importorskip("docutils.nodes", reason="the docs need docutils")
    import mathml

    page = SimpleNamespace(body=[])
    for write, node in ((mathml.write_inline, nodes.math), (mathml.write_block, nodes.math_block)):
        with pytest.raises(nodes.SkipNode):
            write(page, node("", r"\frac{p}{1-p}"))
    assert all("<mfrac>" in part for part in page.body) and 'display="block"' in page.body[1]
    assert "mathjax" not in (DOCS / "conf.py").read_text(encoding="utf-8")  # which comes from the network


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
