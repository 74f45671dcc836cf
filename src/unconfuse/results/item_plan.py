"""More items or more runs: what an interval of a given width needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from unconfuse._errors import InputError
from unconfuse._formatting import TabularResult, number_text, strict_json, whole
from unconfuse._scipy_special import ndtri
from unconfuse.multilevel import items as levels
from unconfuse.multilevel.items import ItemScores, ItemVarianceSplit

_MOST_RUNS = 1000  # of one item: more is no advice


@dataclass(frozen=True)
class ItemPlan(TabularResult):
    """How many items, each run so often, give an interval of this width; `split` is None where items have one run.

    `best_runs` is the number of runs of each item that costs least, `best_items` how many items it then takes.
    """

    of: tuple[str, ...]
    width: float
    confidence_level: float
    n_items: int
    n_runs: float
    width_now: float
    items_needed: int
    split: ItemVarianceSplit | None
    best_runs: int | None = None
    best_items: int | None = None
    narrowest: float = math.nan  # however often the same number of items is run

    @property
    def sentence(self) -> str:
        """The plan in plain words."""
        who = " minus ".join(self.of)
        level = f"{self.confidence_level * 100:.4g}%"
        runs = f"{whole(round(self.n_runs, 1)):g} {'run' if self.n_runs == 1 else 'runs'} each"
        first = (
            f"For a {level} interval of width {number_text(self.width)} for {who} on new items, ask about "
            f"{self.items_needed:,} items, {runs} (now {self.n_items:,} items, width {number_text(self.width_now)})"
        )
        if self.split is None:
            return f"{first}. What more runs would do cannot be known from one run."
        if self.width < self.narrowest:
            alone = f"runs alone never get below {number_text(self.narrowest)} with {self.n_items:,} items"
        elif self.items_needed <= self.n_items:
            alone = "it is reached already"
        else:
            alone = f"with {self.n_items:,} items about {self._runs_alone():,} runs of each would do as well"
        best = f"cheapest: {self.best_items:,} items, {self.best_runs} {'run' if self.best_runs == 1 else 'runs'} each"
        return f"{first}; {alone}; {best}."

    def _runs_alone(self) -> int:
        assert self.split is not None
        room = (self.width / (2 * float(ndtri((1 + self.confidence_level) / 2)))) ** 2 - self.split.items / self.n_items
        return math.ceil(self.split.runs / self.n_items / room) if room > 0 else 0

    def rows(self) -> list[dict[str, Any]]:
        """One row for each number of runs that was looked at."""
        if self.split is None:
            return [{"runs": self.n_runs, "items": self.items_needed}]
        counts = sorted({1, 2, 3, 5, 10, round(self.n_runs), self.best_runs or 1})
        z = float(ndtri((1 + self.confidence_level) / 2))
        return [{"runs": runs, "items": _needed(self.split, runs, self.width, z)} for runs in counts]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "of": list(self.of),
            "width": self.width,
            "width_now": self.width_now,
            "n_items": self.n_items,
            "n_runs": self.n_runs,
            "items_needed": self.items_needed,
            "best_runs": self.best_runs,
            "best_items": self.best_items,
            "narrowest": self.narrowest,
            "options": self.rows(),
            "sentence": self.sentence,
        }

    def __str__(self) -> str:
        return self.sentence


def planned(
    scores: ItemScores, models: tuple[int, ...], names: tuple[str, ...], width: float, level: float, item_cost: float
) -> ItemPlan:
    """Return the plan for the mean of one model, or for the difference of two."""
    z, n = float(ndtri((1 + level) / 2)), scores.n_items
    signed = scores.mean[:, models[0]] - (scores.mean[:, models[1]] if len(models) > 1 else 0.0)
    variance = levels.clustered_variance(np.asarray(signed), scores)
    if not variance > 0:
        raise InputError(
            f"all items have the same {'difference' if len(models) > 1 else 'score'}, so nothing tells how many more "
            "are needed. Hint: ask items of other kinds, or plan for another model."
        )
    runs = float(scores.runs[:, list(models)].mean())
    low, high = levels.mean_limits(np.asarray(signed), scores, level)[:2] if len(models) == 1 else (0.0, math.nan)
    now = 2 * z * math.sqrt(variance) if len(models) > 1 else high - low
    shared = (names, width, level, n, runs, now)
    if not scores.has_runs:
        return ItemPlan(*shared, max(2, math.ceil(n * variance * (2 * z / width) ** 2 - 1e-9)), None)
    split = levels.split(scores, models)
    best = _best_runs(split, item_cost)
    floor = 2 * z * math.sqrt(split.items / n)
    return ItemPlan(
        *shared, _needed(split, runs, width, z), split, best, _needed(split, best, width, z), narrowest=floor
    )


def _needed(split: ItemVarianceSplit, runs: float, width: float, z: float) -> int:
    return max(2, math.ceil(split.of_mean(1, runs) * (2 * z / width) ** 2 - 1e-9))


def _best_runs(split: ItemVarianceSplit, item_cost: float) -> int:
    """Return the runs per item at which (item cost + runs) times the variance of one item is smallest."""
    if not split.items:
        return _MOST_RUNS if item_cost and split.runs else 1
    ideal = math.sqrt(split.runs / split.items * item_cost)
    options = {min(max(each, 1), _MOST_RUNS) for each in (math.floor(ideal), math.ceil(ideal))}
    return min(sorted(options), key=lambda runs: (item_cost + runs) * (split.items + split.runs / runs))
