"""Sphinx configuration; the metric pages are written from the declarations, so they cannot drift from the code."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from metric_pages import write_metric_pages

project = "unconfuse"
author = "The unconfuse team"
copyright = "2026, the unconfuse team"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.mathjax", "numpydoc"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
html_theme = "pydata_sphinx_theme"
html_title = "unconfuse"
html_theme_options = {"show_toc_level": 2, "navigation_with_keys": False}
exclude_patterns = ["_build"]
numpydoc_show_class_members = False
autosummary_generate = True
suppress_warnings = ["myst.xref_missing"]

write_metric_pages(Path(__file__).parent / "generated")
