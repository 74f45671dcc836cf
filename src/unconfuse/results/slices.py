"""Slices found by search: those that look worst in one half of the cases, and what the other half says of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from unconfuse import _html_repr
from unconfuse._errors import ArgumentError, argument_name
from unconfuse._formatting import TabularResult, number_text, plain_values, short_label, strict_json
from unconfuse._render_mixins import PlotMixin
from unconfuse.policy import Verdict
from unconfuse.results.contrast import Contrast
from unconfuse.uncertainty import Estimate, Finding

HEADS = ("slice", "cases", "value", "elsewhere", "difference", "in the search", "confirmed")
RULE = "A slice that was found by search looks worse than it is: only cases that had no part in the search tell."


@dataclass(frozen=True)
class Slice:
    """One slice: how it looked where it was found, and how it is where it was not.

    Attributes
    ----------
    name : str
        Such as "site B, age 60+".
    columns : tuple of str
        What divides it from the rest.
    cases : float
        That are in it, among those held out.
    searched : Contrast
        It against everyone else, on the cases it was found on: flattering to the search.
    confirmed : Contrast
        The same on the cases held out, adjusted for the slices that were tried there.
    """

    name: str
    columns: tuple[str, ...]
    cases: float
    searched: Contrast
    confirmed: Contrast

    @property
    def is_confirmed(self) -> bool:
        """Whether the cases held out say the same."""
        return self.confirmed.verdict in (Verdict.WORSE, Verdict.DIFFERENT) and self._same_side

    @property
    def _same_side(self) -> bool:
        neutral = 1.0 if self.confirmed.scale == "ratio" else 0.0
        return (self.confirmed.difference.value - neutral) * (self.searched.difference.value - neutral) > 0

    @property
    def sentence(self) -> str:
        """Both halves in one sentence."""
        contrast, what = self.confirmed, short_label(self.confirmed.label)
        seen = f"{number_text(self.searched.difference.value)} in the search"
        if contrast.verdict is Verdict.UNDEFINED or math.isnan(contrast.difference.low):
            why = contrast.difference.undefined or "no interval"
            return f"{self.name} cannot be evaluated on the cases held out ({why})."
        values = f"{what} {number_text(contrast.first_value)} vs {number_text(contrast.second_value)} elsewhere"
        gap = f"{contrast.scale} {number_text(contrast.difference.value)} {contrast.difference.interval_text}, {seen}"
        verdict = "confirmed" if self.is_confirmed else "not confirmed"
        if not self.is_confirmed and contrast.verdict not in (Verdict.CANNOT_TELL, Verdict.WORSE):
            verdict = "the opposite is true"
        return f"{self.name}: {verdict}, {values} ({gap}; {contrast.p_value_text})."

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        own = {"name": self.name, "columns": self.columns, "cases": self.cases, "is_confirmed": self.is_confirmed}
        return dict(plain_values(own | {"searched": self.searched, "confirmed": self.confirmed}))


@dataclass(frozen=True, repr=False)
class SliceSearchResult(TabularResult, PlotMixin, Sequence[Slice]):
    """The slices that looked worst where they were searched, worst first, each with what the cases held out say.

    Attributes
    ----------
    slices : tuple of Slice
    metric : str
    looked_at : int
        Slices that were large enough to be looked at.
    n_searched, n_held_out : float
        Cases of the two halves.
    """

    picture = "plot_estimates"

    slices: tuple[Slice, ...]
    metric: str
    label: str
    looked_at: int
    n_searched: float
    n_held_out: float

    def __getitem__(self, place: Any) -> Any:
        return self.slices[place]

    def __iter__(self) -> Iterator[Slice]:
        return iter(self.slices)

    def __len__(self) -> int:
        return len(self.slices)

    @property
    def drawn_estimates(self) -> dict[str, Estimate]:
        """Each slice against the rest on the cases held out, as the picture shows it."""
        if not self.slices:
            raise ArgumentError(f"there is no slice to draw. {self.sentence}")
        return {each.name: each.confirmed.difference for each in self.slices}

    @property
    def confirmed(self) -> tuple[Slice, ...]:
        """Those that the cases held out confirm."""
        return tuple(each for each in self.slices if each.is_confirmed)

    @property
    def sentence(self) -> str:
        """What came of the search."""
        what = short_label(self.label)
        slices = "slice" if self.looked_at == 1 else "slices"
        if not self.looked_at:
            return (
                f"No slice was searched for a worse {what}: none of {self.n_searched:,.12g} cases is large enough, or "
                f"leaves enough others. Hint: give {argument_name('min_cases', 10)}, or other columns."
            )
        looked = f"{self.looked_at:,} {slices} of {self.n_searched:,.12g} cases searched for a worse {what}"
        if not self.slices:
            return f"{looked}: none looks worse than everyone else."
        names, apart = "; ".join(each.name for each in self.confirmed), f"{self.n_held_out:,.12g} cases held out"
        if len(self) == 1:
            held = "holds" if names else "does not hold"
            return f"{looked}: the one that looks worst, {self[0].name}, {held} on the {apart}."
        if not names:
            return f"{looked}: none of the {len(self)} that look worst holds on the {apart}."
        return f"{looked}: of the {len(self)} that look worst, these hold on the {apart}: {names}."

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The sentence, and one for each slice."""
        verdict = "confirmed" if self.confirmed else "not confirmed"
        each = (Finding(RULE, "confirmed" if one.is_confirmed else verdict, one.sentence) for one in self.slices)
        return (Finding(RULE, verdict, self.sentence), *each)

    def rows(self) -> list[dict[str, Any]]:
        """One row of plain values for each slice."""
        return [
            {
                "slice": each.name,
                "cases": each.cases,
                "value": each.confirmed.first_value,
                "elsewhere": each.confirmed.second_value,
                "difference": each.confirmed.difference.value,
                "low": each.confirmed.difference.low,
                "high": each.confirmed.difference.high,
                "p_value": each.confirmed.p_value,
                "difference_in_search": each.searched.difference.value,
                "confirmed": each.is_confirmed,
            }
            for each in self.slices
        ]

    def lines(self) -> list[list[str]]:
        """One line of words for each slice, below `HEADS`."""
        return [
            [
                each.name,
                f"{each.cases:,.12g}",
                number_text(each.confirmed.first_value),
                number_text(each.confirmed.second_value),
                f"{number_text(each.confirmed.difference.value)} {each.confirmed.difference.interval_text}",
                number_text(each.searched.difference.value),
                "yes" if each.is_confirmed else "no",
            ]
            for each in self.slices
        ]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Return the whole result as plain values."""
        own = {key: getattr(self, key) for key in ("metric", "looked_at", "n_searched", "n_held_out")}
        return dict(plain_values(own | {"slices": self.slices, "findings": self.findings}))

    def __repr__(self) -> str:
        return f"Slices: {len(self.confirmed)} of {len(self)} confirmed in {self.metric}, {self.looked_at} looked at"

    def __str__(self) -> str:
        return "\n".join([self.sentence, *(f"  {each.sentence}" for each in self.slices)])

    def _repr_html_(self) -> str:
        lines = [[_html_repr.text(cell) for cell in line] for line in self.lines()]
        return _html_repr.card(repr(self), _html_repr.table(HEADS, lines, numbers=range(1, 6)), verdict=self.sentence)
