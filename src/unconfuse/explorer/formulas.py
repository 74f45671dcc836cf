"""Formulas that Python declares and a page computes: one text for both, so that they cannot differ.

A page may not run text as code, so expressions are translated here, when the page is made, into functions of its own
script. Only plain arithmetic is let through: an expression in a payload from elsewhere can do nothing else.
"""

import ast
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from unconfuse._errors import InputError
from unconfuse.metrics import METRICS
from unconfuse.metrics._count_expressions import NAMES
from unconfuse.policy import Verdict

COUNTS = NAMES
_CALLS = {"sqrt": "Math.sqrt", "max": "Math.max", "min": "Math.min"}
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_LONGEST = 1000

# name -> (arguments, expression). `bayesian` computes the same; the tests compare them.
SHARED: Mapping[str, tuple[tuple[str, ...], str]] = MappingProxyType(
    {
        "probability_after": (("prior", "ratio"), "1 / (1 + (1 - prior) / (prior * ratio))"),
        "break_even": (("odds", "ratio"), "odds / (odds + ratio)"),
        "net_benefit": (("tp", "fp", "worth"), "tp - fp / worth"),
        "share": (("count", "of"), "count / of"),  # Confusion.normalised
        "expected_cost": (("fp", "fn", "cost_fp", "cost_fn"), "cost_fp * fp + cost_fn * fn"),
    }
)


def javascript(expression: str, names: tuple[str, ...], prefix: str = "") -> str:
    """Translate an arithmetic expression into the page's language.

    >>> javascript("2 * tp / (2 * tp + fn + fp)", COUNTS, "c.")
    '((2*c.tp)/(((2*c.tp)+c.fn)+c.fp))'
    """
    try:
        if len(expression) > _LONGEST:
            raise SyntaxError
        return _translated(ast.parse(expression, mode="eval").body, names, prefix)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"cannot read the expression {expression[:60]!r}.") from None


def _translated(node: ast.AST, names: tuple[str, ...], prefix: str) -> str:
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
        left, right = (_translated(each, names, prefix) for each in (node.left, node.right))
        return f"({left}{_SIGNS[type(node.op)]}{right})"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return f"(-{_translated(node.operand, names, prefix)})"
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return json.dumps(node.value, allow_nan=False)
    if isinstance(node, ast.Name) and node.id in names:
        return prefix + node.id
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS and not node.keywords:
        return f"{_CALLS[node.func.id]}({','.join(_translated(each, names, prefix) for each in node.args)})"
    found = ast.unparse(node)[:60]
    raise InputError(f"an expression may hold only arithmetic with {', '.join(names)}; found {found!r}.")


def functions(metrics: Mapping[str, Mapping[str, Any]]) -> str:
    """Write metrics and shared formulas as two tables of functions of the page's script; and the verdicts' tones."""
    # The page needs some that nobody asked for.
    declared = {name: metric.expression for name, metric in METRICS.items()}
    texts = declared | {name: metric["expression"] for name, metric in metrics.items()}
    own = [f"[{script_text(name)}]:c=>{javascript(text, COUNTS, 'c.')}" for name, text in texts.items() if text]
    shared = [f"{name}:({','.join(names)})=>{javascript(text, names)}" for name, (names, text) in SHARED.items()]
    tones = f"const VERDICT_TONES={script_text({verdict.value: verdict.tone for verdict in Verdict if verdict.tone})};"
    return f"const METRIC={{__proto__:null,{','.join(own)}}};const FORMULA={{{','.join(shared)}}};{tones}\n"


def script_text(value: Any) -> str:
    """JSON that cannot end the script it stands in, nor start another.

    >>> script_text("</script><!--")
    '"\\\\u003c/script\\\\u003e\\\\u003c!--"'
    """
    text = json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    for sign in ("<", ">", "&", "\u2028", "\u2029"):
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
