"""Remarks too long for their cell: a number there, the words below the table."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


class Notes:
    """Numbered remarks; the same words get the same number.

    Examples
    --------
    >>> notes = Notes(room=20)
    >>> notes.short("Wilson"), notes.short("bootstrap on the logit scale"), notes.short("bootstrap on the logit scale")
    ('Wilson', 'bootstrap on... [1]', 'bootstrap on... [1]')
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._numbers: dict[str, int] = {}

    def short(self, words: str) -> str:
        """The words if there is room for them, else their beginning and a number."""
        if len(words) <= self._room:
            return words
        number = self._numbers.setdefault(words, len(self._numbers) + 1)
        mark = f" [{number}]"
        return textwrap.shorten(words, self._room - len(mark), placeholder="...") + mark

    def draw(self, console: Console) -> None:
        """All remarks in full."""
        from rich.padding import Padding

        if self._numbers:
            console.print()
        for words, number in self._numbers.items():
            lead = f"[{number}] "
            body = textwrap.fill(lead + words, console.width, subsequent_indent=" " * len(lead))
            console.print(Padding(body, 0), style="dim")
