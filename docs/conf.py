"""Sphinx configuration; the pages of metrics and names are written from the code, so they cannot drift from it."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from api_page import write_api_page
from cli_page import write_cli_page
from errata_page import write_errata
from figure_pages import write_figures
from glossary import write_glossary
from metric_pages import write_metric_pages
from rules_page import write_rules

project = "unconfuse"
author = "The unconfuse team"
copyright = "2026, the unconfuse team"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.mathjax", "numpydoc"]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
html_theme = "pydata_sphinx_theme"
html_title = "unconfuse"
html_sidebars = {"**": []}  # the pages have no sections to list there
html_theme_options = {"header_links_before_dropdown": 4, "show_toc_level": 2, "navigation_with_keys": False}
html_extra_path = ["generated/live"]  # the gallery's pages, beside the page that shows them
exclude_patterns = ["generated/live", "_build", "paper", "generated/errata-table.md", "generated/threshold-rules.md"]
numpydoc_show_class_members = False
autosummary_generate = True
suppress_warnings = ["myst.xref_missing"]

generated = Path(__file__).parent / "generated"
generated.mkdir(exist_ok=True)
write_metric_pages(generated)
write_api_page(generated)
write_cli_page(generated)
write_glossary(generated)
write_figures(generated)
write_errata(generated)
write_rules(generated)
runpy.run_path(str(Path(__file__).parents[1] / "examples" / "gallery.py"))["write_pages"](
    generated / "live" / "gallery"
)
