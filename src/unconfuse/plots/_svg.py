"""Figures as SVG inside a page: its colours, its letters, nothing that a strict policy blocks, and a check of that."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any
from xml.etree import ElementTree

from unconfuse._errors import InputError
from unconfuse._html_repr import BLUE, FAINT, GREEN, GREY, INK, ORANGE, PURPLE, SKY, VERMILION
from unconfuse.plots._style import _AS_TEXT, _NO_DATE

_SPACE = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"
# The colours of pictures, and what the page calls them: on a dark ground it has others.
_VARIABLES = {INK: "ink", GREY: "muted", FAINT: "rule", BLUE: "one", VERMILION: "two", GREEN: "three", PURPLE: "four"}
_VARIABLES |= {ORANGE: "five", SKY: "six", "#000000": "ink", "#ffffff": "paper"}
_COLOURS = {colour.lower(): f"var(--{name})" for colour, name in _VARIABLES.items()}
_TAGS = frozenset(
    [
        "svg",
        "g",
        "defs",
        "clipPath",
        "path",
        "rect",
        "circle",
        "ellipse",
        "line",
        "polyline",
        "polygon",
        "text",
        "tspan",
        "use",
    ]
)
_STYLED = frozenset(
    [
        "fill",
        "fill-opacity",
        "fill-rule",
        "stroke",
        "stroke-width",
        "stroke-opacity",
        "stroke-dasharray",
        "stroke-dashoffset",
        "stroke-linecap",
        "stroke-linejoin",
        "stroke-miterlimit",
        "opacity",
        "font-size",
        "font-weight",
        "font-style",
        "text-anchor",
    ]
)
_ATTRIBUTES = _STYLED | frozenset(
    [
        "id",
        "href",
        "d",
        "x",
        "y",
        "x1",
        "x2",
        "y1",
        "y2",
        "cx",
        "cy",
        "r",
        "rx",
        "ry",
        "points",
        "width",
        "height",
        "viewBox",
        "transform",
        "clip-path",
        "role",
        "aria-label",
    ]
)
_SIZE = (5.2, 3.6)  # inches
_LONGEST = 2_000_000  # characters of a picture


def can_draw() -> bool:
    """Return whether matplotlib is installed: a page without it has no pictures."""
    return find_spec("matplotlib") is not None


def for_page(draw: Callable[[], Any], label: str, number: int = 1) -> str:
    """Return a picture as it is drawn for a page: as wide as a phone can show with words that can be read."""
    from matplotlib import rc_context

    with rc_context({"figure.figsize": _SIZE}):
        return svg_of(draw(), label, number)


def svg_of(figure: Any, label: str, number: int = 1) -> str:
    """Return a figure as an `svg` element for a page, and close it; `number` keeps names of several apart."""
    from matplotlib import pyplot, rc_context

    file = io.BytesIO()
    try:
        with rc_context(_AS_TEXT):
            figure.savefig(file, format="svg", metadata=_NO_DATE[".svg"], transparent=True)
    finally:
        pyplot.close(figure)
    root = ElementTree.fromstring(file.getvalue())
    _clean(root, number)
    for name in ("width", "height"):
        root.attrib.pop(name, None)
    root.attrib |= {"xmlns": _SPACE, "role": "img", "aria-label": label}
    return ElementTree.tostring(root, encoding="unicode")


def svg_problem(text: str) -> str | None:
    """Return why a text is not a picture that `svg_of` could have made, or None: a page shows it as it is.

    >>> svg_problem('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')
    "'script' cannot be in a picture"
    """
    if len(text) > _LONGEST or "<!" in text or "<?" in text:
        return "it is too long, or declares what a picture does not need"
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return "it is not SVG"
    if root.tag != f"{{{_SPACE}}}svg":
        return "it is not SVG"
    return next(filter(None, map(_problem, root.iter())), None)


def check_svg(text: str, where: str) -> None:
    """Raise unless a text is a picture that `svg_of` could have made."""
    problem = svg_problem(text)
    if problem is not None:
        raise InputError(f"{where} is not a picture of unconfuse: {problem}.")


def _problem(each: ElementTree.Element) -> str | None:
    space, _, tag = each.tag.rpartition("}")
    if tag not in _TAGS or space != f"{{{_SPACE}":
        return f"{tag[:40]!r} cannot be in a picture"
    odd = [name for name, value in each.attrib.items() if name not in _ATTRIBUTES or not _is_inert(name, value)]
    return f"{odd[0][:40]!r} cannot be so in a picture" if odd else None


def _is_inert(name: str, value: str) -> bool:
    """Return whether a value refers to nothing outside of its picture."""
    if name == "aria-label":
        return True
    return value.startswith("#") if name == "href" else "url(" not in value.lower().replace("url(#", "")


def _clean(each: ElementTree.Element, number: int) -> None:
    """Turn styles into attributes, colours into those of the page, and drop what a page does not need."""
    each.tag = each.tag.rpartition("}")[2]
    for child in list(each):
        if child.tag.rpartition("}")[2] not in _TAGS:
            each.remove(child)
        else:
            _clean(child, number)
    style = dict(part.split(":", 1) for part in each.attrib.pop("style", "").split(";") if ":" in part)
    for name, value in style.items():
        each.attrib |= _font(value) if name.strip() == "font" else {name.strip(): value.strip()}
    if _LINK in each.attrib:
        each.set("href", each.attrib.pop(_LINK))
    for name in list(each.attrib):
        if name not in _ATTRIBUTES:
            del each.attrib[name]
        else:
            each.set(name, _adapted(name, each.attrib[name], number))


def _adapted(name: str, value: str, number: int) -> str:
    if name in ("fill", "stroke"):
        return _COLOURS.get(value.lower(), value)
    if name == "id":
        return f"picture{number}-{value}"
    if name in ("href", "clip-path"):
        return value.replace("#", f"#picture{number}-")
    return value


def _font(value: str) -> dict[str, str]:
    """Return size and weight of a font; its family is the page's.

    >>> _font("bold 11px 'DejaVu Sans', sans-serif")
    {'font-size': '11px', 'font-weight': 'bold'}
    """
    size = re.search(r"[\d.]+px", value)
    weight = re.match(r"\s*(?:italic\s+)?(bold|\d{3})\s", value)
    return ({"font-size": size[0]} if size else {}) | ({"font-weight": weight[1]} if weight else {})
