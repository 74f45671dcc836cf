"""Formulas for a terminal: the LaTeX of a metric's declaration in plain characters."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|.", re.S)
_WORDS = {
    r"\cdot": "*",
    r"\int": "integral ",
    r"\sum": "sum ",
    r"\pi": "pi",
    r"\le": "<=",
    r"\ge": ">=",
    r"\bar": "mean ",
    r"\left": "",
    r"\right": "",
    r"\mathrm": "",
    r"\,": " ",
    r"\ ": " ",
    r"\{": "{",
    r"\}": "}",
    r"\beta": "beta",
    r"\ln": "ln ",
}


def plain_formula(latex: str) -> str:
    r"""The formula in plain characters.

    Examples
    --------
    >>> plain_formula(r"\frac{TP}{TP+FN}")
    'TP/(TP + FN)'
    >>> plain_formula(r"\sqrt{\frac{TP}{P}\cdot\frac{TN}{N}}")
    'sqrt(TP/P * TN/N)'
    >>> plain_formula(r"\Pr(X>Y)+\tfrac12\Pr(X=Y)")
    'Pr(X > Y) + 1/2 * Pr(X = Y)'
    """
    text = _read(_TOKEN.findall(latex))
    text = re.sub(r"(?<=[\w)\]}])\s*([+\-=*<>]|<=|>=)\s*(?=[\w(\[{\\])", r" \1 ", text)
    text = re.sub(r"_(\w) - (\d)", r"_{\1-\2}", text)
    text = re.sub(r"_\{(\w+) = (\w+)\}", r"_{\1=\2}", text)
    text = re.sub(r"(integral|sum) +([_^])", r"\1\2", text)
    return re.sub(r"\s+", " ", text).strip()


def _read(tokens: list[str]) -> str:
    """Everything up to the closing brace, or to the end."""
    parts: list[str] = []
    while tokens and tokens[0] != "}":
        parts.append(_one(tokens))
    return "".join(parts)


def _one(tokens: list[str]) -> str:
    """The next token, or the next group in braces."""
    token = tokens.pop(0)
    if token == "{":
        inside = _read(tokens)
        del tokens[:1]
        return inside
    if token in (r"\frac", r"\tfrac"):
        return f"{_grouped(_one(tokens))}/{_grouped(_one(tokens))}{_times(tokens)}"
    if token == r"\sqrt":
        return f"sqrt({_one(tokens)})"
    if token in ("_", "^"):
        index = _one(tokens)
        space = " " if tokens and re.match(r"\w|\\[a-z]", tokens[0]) else ""
        return f"{token}{{{index}}}{space}" if "=" in index else f"{token}{index}{space}"
    return _WORDS.get(token, token.removeprefix("\\"))


def _grouped(text: str) -> str:
    """In parentheses, unless it is a single word or number."""
    return text if re.fullmatch(r"\w+", text) else f"({text})"


def _times(tokens: list[str]) -> str:
    """A sign between a fraction and the factor that follows it."""
    after = "".join(tokens[:2])
    factor = re.match(r"[\w(\[]|\\(frac|tfrac|left|sqrt|Pr|sum|int)", after)
    return " * " if factor else ""
