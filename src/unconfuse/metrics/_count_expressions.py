"""How metrics of counts are declared: by an expression, which Python computes here and pages in their own language.

They share one worked example and reasons.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse.metrics import bounds
from unconfuse.metrics._metric import Metric, made
from unconfuse.table import Array, Counts

NAMES = ("tp", "fp", "fn", "tn", "positives", "negatives", "labelled_positive", "labelled_negative", "total")
_SIGNS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: np.true_divide,
}
_CALLS: dict[str, Callable[..., Any]] = {"sqrt": np.sqrt, "max": np.maximum, "min": np.minimum}
Function = Callable[[Counts], Any]

# One table serves every worked example: 40 of 200 people have the condition, the test finds 30 of them and raises
# 20 false alarms.
CLINIC = Counts(tp=30, fp=20, fn=10, tn=140)

# What a share is of: in LaTeX, and when there is nothing of it.
_TRIALS = {
    "positives": ("TP+FN", "there are no positives (TP + FN = 0)"),
    "negatives": ("FP+TN", "there are no negatives (FP + TN = 0)"),
    "labelled_positive": ("TP+FP", "no case is labelled positive (TP + FP = 0)"),
    "labelled_negative": ("TN+FN", "no case is labelled negative (FN + TN = 0)"),
    "total": ("n", "there are no cases"),
}


def decision(name: str, *, expression: str, **declared: Any) -> Metric:
    """Declare a metric that rises or falls steadily in TP and FP, by an expression of the four counts."""
    usual = {"expression": expression, "bounds": bounds.by_corners, "range": (0.0, 1.0)}
    return made(name, function_of(expression), CLINIC, **(usual | declared))


def share(name: str, *, expression: str, **declared: Any) -> Metric:
    """Declare a share of cases: its expression divides successes by trials, from which its LaTeX follows too."""
    above, below = (each.strip("()") for each in expression.rsplit(" / ", 1))
    usual = {
        "fraction": fraction_of(expression),
        "formula": rf"\frac{{{_latex(above)}}}{{{_latex(below)}}}",
        "undefined": _TRIALS.get(below, ("", ""))[1],
        "interval": "mid_p",
    }
    return decision(name, expression=expression, **(usual | declared))


def _latex(text: str) -> str:
    return _TRIALS[text][0] if text in _TRIALS else text.upper().replace(" ", "")


def function_of(expression: str) -> Callable[[Counts], Array]:
    """Return the function of `Counts` that an expression describes; 0/0 is NaN, x/0 infinite."""
    _compiled(expression)  # so that a wrong one is refused at once
    return partial(_evaluated, expression)


def _evaluated(expression: str, counts: Counts) -> Array:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(_compiled(expression)(counts), dtype=np.float64)


def applied(expression: str, counts: Any) -> Any:
    """Evaluate an expression for counts of any kind that know arithmetic, such as exact fractions."""
    return _compiled(expression)(counts)


@cache
def _compiled(expression: str) -> Function:
    return _function(_parsed(expression))


def fraction_of(expression: str) -> Callable[[Counts], tuple[Array, Array]]:
    """Numerator and denominator of an expression that is a division: successes and trials."""
    division = _parsed(expression)
    assert isinstance(division, ast.BinOp)
    above, below = _function(division.left), _function(division.right)
    return lambda counts: (above(counts), below(counts))


def _parsed(expression: str) -> ast.expr:
    try:
        return ast.parse(expression, mode="eval").body
    except (SyntaxError, ValueError):
        raise ArgumentError(f"cannot read the expression {expression[:60]!r}.") from None


def _function(node: ast.expr) -> Function:
    """Only arithmetic is let through, so that an expression from elsewhere can do nothing else."""
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
        sign, left, right = _SIGNS[type(node.op)], _function(node.left), _function(node.right)
        return lambda counts: sign(left(counts), right(counts))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _function(node.operand)
        return lambda counts: -inner(counts)
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return lambda counts: node.value
    if isinstance(node, ast.Name) and node.id in NAMES:
        return operator.attrgetter(node.id)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS and not node.keywords:
        call, parts = _CALLS[node.func.id], [_function(each) for each in node.args]
        return lambda counts: call(*(part(counts) for part in parts))
    found = ast.unparse(node)[:60]
    raise ArgumentError(f"an expression may hold only arithmetic with {', '.join(NAMES)}; found {found!r}.")
