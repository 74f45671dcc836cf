"""A saved evaluation in a list: its name, what was found, and a few numbers with their intervals."""

from __future__ import annotations

from typing import Any

from unconfuse.serve.page_layout import SafeHtml, count_text, date_text, element, tag_list
from unconfuse.serve.questions import TITLES
from unconfuse.serve.responses import unreadable_text
from unconfuse.serve.trend import label_of

_SHOWN = ("auroc", "average_precision", "sensitivity", "specificity", "accuracy", "f1_macro", "mcc")


def card(saved: dict[str, Any], heading: str = "h3") -> SafeHtml:
    """One saved evaluation."""
    head = element(heading, element("a", saved["name"], href=f"/evaluations/{saved['id']}"))
    said = element("p", saved["verdict"], class_="verdict") if saved["verdict"] else ""
    if saved["unreadable"] is not None:
        said = element("p", unreadable_text(saved), class_="error")
    numbers = [_number(name, saved["summary"][name]) for name in _SHOWN if name in saved["summary"]][:3]
    words = element("div", head, said, about(saved), tag_list(saved["tags"]))
    return element("article", words, element("dl", numbers) if numbers else "", class_="card")


def about(saved: dict[str, Any], *, source: bool = False) -> SafeHtml:
    """Say what was asked, of how many cases, when."""
    parts = [
        TITLES.get(saved["kind"], saved["kind"]),
        saved["source"] if source else "",
        count_text(saved["n"], "case"),
    ]
    return element("p", " · ".join(filter(None, parts)), " · ", date_text(saved["created"]), class_="muted")


def interval_text(each: dict[str, Any]) -> str:
    """From low to high, as far as both are numbers."""
    ends = (each.get("low"), each.get("high"))
    return " to ".join(map(number_text, ends)) if all(isinstance(end, int | float) for end in ends) else ""


def number_text(value: Any) -> str:
    """Three decimals; what is no number as it is."""
    return f"{value:.3f}" if isinstance(value, int | float) else str(value or "")


def _number(name: str, each: dict[str, Any]) -> SafeHtml:
    value = element("b", number_text(each.get("value")))
    shown = element("dd", value, " ", element("span", interval_text(each), class_="muted"))
    return element("div", element("dt", label_of(name).partition(" (")[0]), shown)
