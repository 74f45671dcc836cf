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
    """Harmless and no longer than `room`.

    Examples
    --------
    >>> shortened("abcdefgh", 6)
    'abc...'
    """
    shown = harmless(text)
    return shown if len(shown) <= room else f"{shown[: room - 3]}..."


def _is_safe(character: str) -> bool:
    return unicodedata.category(character) not in _DANGEROUS


def _written(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
