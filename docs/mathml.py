"""Formulas as MathML, which every browser draws offline."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def write_inline(page: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    page.body.append(convert(node.astext()))
    raise nodes.SkipNode


def write_block(page: Any, node: nodes.math_block) -> None:
    """Write a formula on a line of its own."""
    page.body.append(convert(node.astext(), display="block"))
    raise nodes.SkipNode
