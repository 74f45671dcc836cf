"""The name of an interval's method: short, as people cite it, with the rest as its note."""

from __future__ import annotations

from typing import Self, SupportsIndex


class Method(str):
    """Name a method, and keep what a reader of the methods section wants to know besides as its `note`.

    It is a text: it prints, compares and is stored as its name. What is appended keeps the note.

    >>> method = Method("Wilson (DeLong effective n)", note="half a case of unknown rank added to each class")
    >>> method + ", binned table"
    'Wilson (DeLong effective n), binned table'
    >>> (method + ", binned table").note
    'half a case of unknown rank added to each class'
    >>> method.in_full
    'Wilson (DeLong effective n), half a case of unknown rank added to each class'
    """

    __slots__ = ("note",)
    note: str

    def __new__(cls, name: str, note: str = "") -> Method:
        """Take over the note of a method that is given as the name."""
        method = super().__new__(cls, name)
        method.note = note or note_of(name)
        return method

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return str(self), self.note

    def __add__(self, more: str) -> Self:
        return type(self)(str(self) + more, self.note)

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> Self:
        """Return the name with other words, with the same note."""
        return type(self)(str(self).replace(old, new, count), self.note)

    @property
    def in_full(self) -> str:
        """The name with its note, for a methods section or a footnote."""
        return in_full(self)


class NoInterval(Method):
    """Say in place of a method why a value has no interval.

    >>> why = NoInterval("no interval: one group")
    >>> type(why + ", adjusted for 3 pairs") is type(why.replace("group", "site")) is NoInterval
    True
    """


def note_of(method: str) -> str:
    """Return what is to be said about a method besides its name; nothing if it is a plain text."""
    return method.note if isinstance(method, Method) else ""


def in_full(method: str) -> str:
    """Return a method's name with its note."""
    return f"{method}, {note_of(method)}" if note_of(method) else str(method)
