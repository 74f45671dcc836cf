"""Sphinx configuration; the pages of metrics and names are written from the code, so they cannot drift from it."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from api_page import name_role, show_signature, write_api_page
from cli_page import write_cli_page
from demo_picture import write_page
from docutils import nodes
from errata_page import write_errata
from figure_pages import write_figures
from glossary import write_glossary
from mathml import write_block, write_inline
from metric_pages import write_metric_pages
from rules_page import write_rules

import unconfuse

project = "unconfuse"
author = "The unconfuse team"
copyright = "2026, the unconfuse team"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
html_theme = "pydata_sphinx_theme"
html_title = "unconfuse"
html_math_renderer = "mathml"
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["docs.css"]
html_sidebars = {"**": ["sidebar-groups"]}
html_theme_options = {
    "navbar_center": [],  # the sidebar lists all pages in their groups
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "show_toc_level": 2,
    "navigation_with_keys": False,
}
html_extra_path = ["generated/live"]  # live pages, beside the pages that show them
exclude_patterns = ["generated/live", "_build", "paper", "generated/errata-table.md", "generated/threshold-rules.md"]
numpydoc_show_class_members = False
autodoc_typehints = "none"  # docstrings name the types in words
python_maximum_signature_line_length = 88
default_role = "name"  # a public name in a docstring leads to its page
autosummary_generate = True
suppress_warnings = ["myst.xref_missing"]

sys.modules |= {"uc": unconfuse, "plots": unconfuse.plots}  # so that autodoc calls names as users do
generated = Path(__file__).parent / "generated"
generated.mkdir(exist_ok=True)
write_metric_pages(generated)
write_api_page(generated)
write_cli_page(generated)
write_glossary(generated)
write_figures(generated)
write_errata(generated)
write_rules(generated)
live = generated / "live"
live.mkdir(exist_ok=True)
write_page(live / "demo.html")
runpy.run_path(str(Path(__file__).parents[1] / "examples" / "gallery.py"))["write_pages"](live / "gallery")


def trim_examples(app: Any, doctree: nodes.document) -> None:
    """Drop the empty line that ends an example: tests need it, readers see an empty space."""
    for block in doctree.findall(nodes.literal_block):
        if block.rawsource == block.astext():
            block.rawsource = block.astext().rstrip()
            block[:] = [nodes.Text(block.rawsource)]


def setup(app: Any) -> None:
    """Show signatures as users write them, link the names in docstrings, and draw formulas offline."""
    app.add_html_math_renderer("mathml", (write_inline, None), (write_block, None))
    app.add_role("name", name_role)
    app.connect("doctree-read", trim_examples)
    app.connect("autodoc-process-signature", show_signature)
