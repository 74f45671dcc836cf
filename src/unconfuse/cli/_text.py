"""Text from outside, made harmless: names in files may hold anything, and a terminal obeys what it is sent."""

from __future__ import annotations

import unicodedata

_DANGEROUS = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}  # control, format (also right-to-left overrides), surrogates


def harmless(text: str, *, keep: str = "") -> str:
    r"""The text with every control character written out.

    Examples
    --------
    >>> harmless("\x1b[31mred")
    '\\x1b[31mred'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(each if each in keep or _is_safe(each) else _written(each) for each in text)


def shortened(text: str, room: int = 40) -> str:
    """Harmless and no wider than `room` cells of a terminal; some characters take two, some none.

    Examples
    --------
    >>> shortened("abcdefgh", 6), shortened("\u8a3a\u65ad\u8a3a\u65ad", 6)
    ('abc...', '\u8a3a...')
    """
    from rich.cells import cell_len, set_cell_size

    shown = harmless(text[: 8 * room])  # what is left out need not be looked at
    if len(text) <= 8 * room and max(len(shown), cell_len(shown)) <= room:
        return shown
    return set_cell_size(shown[: room - 3], room - 3).rstrip() + "..."


_PLAIN = {
    "\u00b1": "+/-",
    "\u03ba": "kappa",
    "\u0394": "delta",
    "\u2026": "...",
    "\u2013": "-",
    "\u2014": "-",
    "\u00d7": "x",
}


def in_encoding(text: str, encoding: str) -> str:
    """Text that can be written in an encoding: usual signs in other words, anything else written out.

    Examples
    --------
    >>> in_encoding("0.1 \u00b1 0.02 of \u8a3a", "ascii")
    '0.1 +/- 0.02 of \\\\u8a3a'
    """
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        plain = "".join(_PLAIN.get(each, each) for each in text)
        return plain.encode(encoding, "backslashreplace").decode(encoding)
    return text


def _is_safe(character: str) -> bool:
    return unicodedata.category(character) not in _DANGEROUS


def _written(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
