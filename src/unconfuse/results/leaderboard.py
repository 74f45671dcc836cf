"""The models of a comparison, best first, in tiers that the data cannot tell apart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from unconfuse import _html_repr
from unconfuse._formatting import TabularResult, elided, interval_words, number_text, p_text, strict_json
from unconfuse._render_mixins import PlotMixin
from unconfuse.policy import Verdict
from unconfuse.results.best_model import best_first

if TYPE_CHECKING:
    from unconfuse.results.contrast import Contrast


@dataclass(frozen=True)
class Standing:
    """One model: its value, and its difference from the best with the interval and the p-value of that pair.

    Models of one tier are not told apart from each other. The difference is NaN for the best itself, and where the two
    were not compared.
    """

    place: int
    tier: int
    model: str
    value: float
    difference: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True)
class Leaderboard(TabularResult, PlotMixin):
    """Models by one metric, best first.

    Examples
    --------
    >>> import unconfuse as uc
    >>> y = [1, 0] * 50
    >>> cmp = uc.compare(y, {"a": [.9, .2] * 50, "b": [.4, .5] * 50, "c": [.9, .2] * 50}, metrics=["AUC"])
    >>> [(each.model, each.tier) for each in cmp.leaderboard]
    [('a', 1), ('c', 1), ('b', 2)]
    """

    picture = "plot_leaderboard"

    metric: str
    label: str
    standings: tuple[Standing, ...]

    def __iter__(self) -> Iterator[Standing]:
        return iter(self.standings)

    def __len__(self) -> int:
        return len(self.standings)

    def __getitem__(self, place: int) -> Standing:
        return self.standings[place]

    @property
    def tiers(self) -> tuple[tuple[str, ...], ...]:
        """Names of the models of each tier, best first."""
        numbers = sorted({each.tier for each in self.standings})
        return tuple(tuple(each.model for each in self.standings if each.tier == number) for number in numbers)

    def rows(self) -> list[dict[str, Any]]:
        """One row of plain values for each model."""
        return [asdict(each) for each in self.standings]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Return the whole leaderboard as plain values."""
        return {"metric": self.metric, "label": self.label, "standings": self.rows()}

    def lines(self) -> list[list[str]]:
        """Return the cells of each row as text: tier, model, value, difference from the best with its interval, p."""
        return [[str(each.tier), each.model, number_text(each.value), *_behind(each)] for each in self.standings]

    def __str__(self) -> str:
        table = [["tier", "model", self.label.split(" (")[0], "behind the best", "p"], *self.lines()]
        widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
        padded = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in table)
        return "\n".join(line.rstrip() for line in padded)

    def _repr_html_(self) -> str:
        heads = ["Tier", "Model", self.label.split(" (")[0], "Behind the best", "p"]
        rows = [[_html_repr.text(elided(cell, 40), 40) for cell in row] for row in self.lines()]
        return _html_repr.card(
            f"Leaderboard by {self.label}",
            _html_repr.table(heads, rows, numbers=[2]),
            _html_repr.quiet("Within a tier, differences are inconclusive."),
        )


def _behind(each: Standing) -> tuple[str, str]:
    if math.isnan(each.difference):
        return "", ""
    low, high = interval_words(each.low, each.high)
    difference = interval_words(each.difference, max(each.low, each.high, key=abs))[0]
    return f"{difference} [{low}, {high}]", p_text(each.p_value).removeprefix("p ").removeprefix("= ")


def leaderboard_of(pairs: Sequence[Contrast], models: Sequence[str]) -> Leaderboard:
    """Best first by one metric; a tier ends at the first model that is told apart from one of its members."""
    order = best_first(pairs, models)
    values = {name: value for pair in pairs for name, value in _both(pair)}
    known = {(pair.first, pair.second): pair for pair in pairs}
    found: list[Standing] = []
    tier: list[str] = []
    number = 1
    for place, model in enumerate(order, 1):
        if any(_told_apart(known, model, other) for other in tier):
            tier, number = [], number + 1
        tier.append(model)
        ends = _from_best(known, model, order[0])
        found.append(Standing(place, number, model, values.get(model, float("nan")), *ends))
    return Leaderboard(pairs[0].metric if pairs else "", pairs[0].label if pairs else "", tuple(found))


def _both(pair: Contrast) -> tuple[tuple[str, float], tuple[str, float]]:
    return (pair.first, pair.first_value), (pair.second, pair.second_value)


def _told_apart(known: dict[tuple[str, str], Contrast], one: str, other: str) -> bool:
    pair = known.get((one, other)) or known.get((other, one))
    return pair is not None and pair.verdict in (Verdict.BETTER, Verdict.WORSE, Verdict.DIFFERENT)


def _from_best(known: dict[tuple[str, str], Contrast], model: str, best: str) -> tuple[float, float, float, float]:
    contrast = known.get((model, best))
    turned = known.get((best, model))
    pair = contrast or (turned.reversed() if turned else None)
    if pair is None:
        return (float("nan"),) * 4
    return pair.difference.value, pair.difference.low, pair.difference.high, pair.p_value
