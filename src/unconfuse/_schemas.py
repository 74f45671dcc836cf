"""Check JSON values by a JSON schema: as much of the standard as our own schemas use."""

import re
from collections.abc import Mapping
from typing import Any

_KINDS: dict[str, Any] = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
_KINDS |= {"number": (int, float), "integer": int}
_LARGEST = 1.7e308  # a double holds no larger number, and nothing here computes with longer integers
Rule = Mapping[str, Any]


def problem_of(value: Any, rule: Rule, where: str, definitions: Rule | None = None) -> str | None:
    """Return the first problem of a value and where it is, or None.

    >>> problem_of({"n": "x"}, {"type": "object", "properties": {"n": {"type": "number", "minimum": 0}}}, "row")
    'row.n must be number; got str'
    """
    known = definitions or {}
    if "$ref" in rule:
        rule = known[rule["$ref"].rpartition("/")[2]]
    if "const" in rule and value != rule["const"]:
        return f"{where} must be {rule['const']!r}"
    if "enum" in rule and value not in rule["enum"]:
        return f"{where} must be one of {', '.join(map(repr, rule['enum']))}; got {_short(value)}"
    kinds = [rule["type"]] if isinstance(rule.get("type"), str) else rule.get("type", [])
    if kinds and not any(_is(value, kind) for kind in kinds):
        return f"{where} must be {' or '.join(kinds)}; got {type(value).__name__}"
    return _problem_inside(value, rule, where, known)


def _problem_inside(value: Any, rule: Rule, where: str, known: Rule) -> str | None:
    if isinstance(value, str):
        return _text_problem(value, rule, where)
    if isinstance(value, int | float):
        return _number_problem(value, rule, where)
    if isinstance(value, list):
        return _list_problem(value, rule, where, known)
    return _object_problem(value, rule, where, known) if isinstance(value, dict) else None


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, _KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _short(value: Any) -> str:
    return repr(value)[:40] if isinstance(value, str | bool | float | None) else f"a {type(value).__name__}"


def _text_problem(value: str, rule: Rule, where: str) -> str | None:
    if "pattern" in rule and not re.search(rule["pattern"], value):
        return f"{where} must be {rule.get('description') or 'like ' + rule['pattern']}; got {value[:40]!r}"
    longest = rule.get("maxLength", len(value))
    return f"{where} must have at most {longest} characters; got {len(value)}" if len(value) > longest else None


def _number_problem(value: float, rule: Rule, where: str) -> str | None:
    least, most = rule.get("minimum", -_LARGEST), rule.get("maximum", _LARGEST)
    if least <= value <= most:
        return None
    bound = f"at least {least:g}" if value < least else f"at most {most:g}"
    long = isinstance(value, int) and abs(value) > 10**20
    return f"{where} must be {bound}; got {'an integer of many digits' if long else value}"


def _list_problem(value: list[Any], rule: Rule, where: str, known: Rule) -> str | None:
    if len(value) > rule.get("maxItems", len(value)):
        return f"{where} must have at most {rule['maxItems']} entries; got {len(value)}"
    own = rule.get("items", {})
    each = (problem_of(one, own, f"{where}[{place}]", known) for place, one in enumerate(value))
    return next(filter(None, each), None)


def _object_problem(value: dict[str, Any], rule: Rule, where: str, known: Rule) -> str | None:
    missing = [name for name in rule.get("required", ()) if name not in value]
    if missing:
        return f"{where} lacks {missing[0]!r}"
    named, rest = rule.get("properties", {}), rule.get("additionalProperties", {})
    unknown = [name for name in value if name not in named] if rest is False else []
    if unknown:
        return f"{where} must not have {unknown[0][:40]!r}"
    each = (problem_of(one, named.get(name, rest), f"{where}.{name[:40]}", known) for name, one in value.items())
    return next(filter(None, each), None)
