"""Declare every shared parameter once: its name, its values, its default and its meaning, for all surfaces.

A command makes an option of a declaration (`cli._options.option`), a form makes a field, OpenAPI a schema
(`serve.questions`, `serve.forms`, `serve.openapi`), and a verb checks its choices against it. This is plain data below
every other room: nothing is imported for it, and it is read when a surface asks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any

_ROOMS = ("cases", "uncertainty", "decisions", "planning", "records", "outputs")
_BETWEEN_NAMES = re.compile(r",(?![^(]*\))")
_KINDS = {  # by what help calls the value
    "": "flag",
    "COLUMN": "column",
    "SHARE": "share",
    "SCORE": "share",
    "N": "whole",
} | dict.fromkeys(("COST", "RATIO", "CORRELATION", "D", "W", "VALUE"), "number")


@dataclass(frozen=True)
class OptionSpec:
    """A parameter: what it is called, takes and means, on the command line and in a form.

    >>> design = OptionSpec("--design cohort|case-control", "Was prevalence observed?")
    >>> design.name, design.kind, design.choices, design.default
    ('design', 'choice', ('cohort', 'case-control'), 'cohort')
    """

    usage: str  # as help shows it: `--name VALUE`, `--name this|that`, or `--name` for a flag
    meaning: str | None = ""  # as help says it
    name: str = ""  # in Python, where that is not the spelling
    kind: str = ""  # text, number, share, whole, choice, flag, column, or several: columns, values, shares, costs
    default: Any = ...  # by default the first choice, or none
    choices: tuple[str, ...] = ()
    former: tuple[str, ...] = ()  # spellings that are taken as well
    was: str = ""  # a spelling that will go
    label: str = ""  # what a form calls it
    help: str = ""  # what a form says below it
    group: str = ""  # of options in help, where it is not the command's own
    aliases: tuple[str, ...] = ()  # what functions in Python call the same
    guesses: tuple[str, ...] = ()  # what people type for it
    is_needed: bool = False
    is_rare: bool = False  # forms keep it folded away

    def __post_init__(self) -> None:
        offered = tuple(self.value.split("|")) if "|" in self.value else ()
        self._set(name=self.name or self.option.lstrip("-").replace("-", "_"))
        self._set(choices=self.choices or offered)
        self._set(kind=self.kind or ("choice" if offered else _KINDS.get(self.value, "text")))
        if self.default is ...:
            first = offered[0] if offered else None
            self._set(default={"choice": first, "flag": False}.get(self.kind))

    def _set(self, **made: Any) -> None:
        for name, value in made.items():
            object.__setattr__(self, name, value)

    @property
    def option(self) -> str:
        """Return how the command line spells it."""
        return self.usage.partition(" ")[0]

    @property
    def value(self) -> str:
        """Return what help calls its value."""
        return self.usage.partition(" ")[2]

    @property
    def takes_several(self) -> bool:
        """Return whether it may be given more than once."""
        return self.kind in ("columns", "values", "shares", "costs")

    def but(self, **changes: Any) -> OptionSpec:
        """Return the same parameter as one command or one question asks for it."""
        return replace(self, **changes)


def names_in(text: str) -> list[str]:
    """Return the names that a text holds, with commas between them; a comma in brackets belongs to its name.

    >>> names_in("auroc, expected_cost(1, 10)")
    ['auroc', 'expected_cost(1, 10)']
    """
    return [name.strip() for name in _BETWEEN_NAMES.split(text)]


@cache
def declared() -> tuple[OptionSpec, ...]:
    """Return all that is declared here."""
    rooms = [import_module(f"unconfuse._parameters.{room}") for room in _ROOMS]
    return tuple(each for room in rooms for each in vars(room).values() if isinstance(each, OptionSpec))


@cache
def names_by_alias() -> dict[str, str]:
    """Return the name of the parameter that functions in Python call something else as well."""
    return {alias: option_spec.name for option_spec in declared() for alias in option_spec.aliases}


@cache
def options_by_name() -> dict[str, str]:
    """Return the spellings on the command line that are not the names of the arguments."""
    spelt = {option_spec.name: option_spec.option for option_spec in declared()}
    return {name: option for name, option in spelt.items() if option != f"--{name.replace('_', '-')}"}
