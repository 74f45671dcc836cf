"""Every declared metric against its definition, written as loops over rows; and what must hold of any numbers at all.

A twin takes rows; a weight is a row that stands there several times. Weights that are no whole numbers are multiples of
a unit that no double holds exactly, so that the same rows, counted in units, have the same value.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from hostile import Outcome, WrongError

import unconfuse as uc
from unconfuse.metrics import find_metric

sys.path.insert(0, str(Path(__file__).parents[1] / "reference"))
from class_definitions import OF_CLASSES
from definitions import OF_LABELS, OF_PROBABILITIES, OF_RANKS, divided, labelled

KIND = "values"
WORDS = "metrics against their definitions; counts, ranges, intervals; shuffled, merged, in threads"
PATIENCE = 60
UNITS = (0.1, 0.3, 1 / 3, 0.7, 1.1, 1e-3 / 3)
NEEDS_UNITS = ("auprc_davis_goadrich", "precision_at_k(3)")  # count cases, not shares of them
CLOSE = 1e-9


@dataclass(frozen=True)
class Case:
    """Rows, how often each of them counts, and the unit of the weights; None if none are given."""

    y: np.ndarray
    s: np.ndarray
    times: np.ndarray
    unit: float | None

    @property
    def words(self) -> dict[str, Any]:
        """What the library is told besides labels and scores."""
        return {} if self.unit is None else {"weights": self.times * self.unit}

    @property
    def whole(self) -> bool:
        """Whether all sums are exact."""
        return self.unit is None or self.unit == 1

    def taken(self, rows: np.ndarray) -> Case:
        """Some of the rows."""
        return Case(self.y[rows], self.s[rows], self.times[rows], self.unit)


def attack(rng: np.random.Generator) -> Outcome:
    """One data set and one way to ask about it."""
    kinds = (_two_classes, _two_classes, _several_classes, _counts, _wild_weights)
    return rng.choice(np.array(kinds, dtype=object))(rng)


# --- two classes ---------------------------------------------------------------------------------------------------


def _case(rng: np.random.Generator, y: np.ndarray, s: np.ndarray) -> Case:
    n = len(y)
    kind = rng.integers(3)
    if kind == 0:
        return Case(y, s, np.ones(n), None)
    times = rng.integers(0, 4, n)
    for label in np.unique(y):  # every class keeps a case
        times[np.flatnonzero(y == label)[0]] += 1
    return Case(y, s, times, 1 if kind == 1 else float(rng.choice(UNITS)))


def _two_classes(rng: np.random.Generator) -> Outcome:
    n = int(rng.integers(2, 13))
    y = rng.random(n) < rng.choice([0.2, 0.5, 0.8])
    y[:2] = True, False
    shapes = (
        lambda: rng.uniform(0.01, 0.99, n),
        lambda: rng.choice([0.1, 0.2, 0.5, 0.9], n),
        lambda: np.where(y, 0.8, 0.3) + rng.choice([0.0, 0.1], n),
        lambda: rng.normal(size=n) * 5,
        lambda: rng.integers(-3, 4, n).astype(float),
    )
    case = _case(rng, y, rng.choice(np.array(shapes, dtype=object))())
    threshold = float(rng.choice(case.s)) if rng.random() < 0.5 else float(rng.uniform(case.s.min(), case.s.max()))
    design = str(rng.choice(["cohort", "case-control"]))
    twins = _twins(rng, case, threshold)
    how = {"threshold": threshold, "design": design, "n_resamples": 100, "metrics": list(twins)}
    found = uc.evaluate(case.y, case.s, **how, **case.words)
    compared = _compare(found, twins, case)
    _sound(found)
    _same_in_any_order(rng, case, found, how)
    _same_when_merged(rng, case, found, how)
    _same_in_threads(case)
    return Outcome("fine", compared=compared)


def _twins(rng: np.random.Generator, case: Case, threshold: float) -> dict[str, float]:
    """The value of metrics by their definitions: of labels, of ranks, of probabilities if they are some."""
    rows = [pair for y, s, k in zip(case.y, case.s, case.times, strict=True) for pair in [(bool(y), float(s))] * int(k)]
    cut = labelled(rows, threshold)
    twins = {name: definition(cut) for name, definition in OF_LABELS.items()}
    counted = case.s[case.times > 0]
    if counted.min() >= 0 and counted.max() <= 1:  # a net benefit of probabilities is that of its own threshold
        own = {name: float(name[len("net_benefit(") : -1]) for name in OF_LABELS if name.startswith("net_benefit(")}
        twins |= {name: OF_LABELS[name](labelled(rows, at)) for name, at in own.items()}
    quick = [name for name in OF_RANKS if "h_measure" not in name]
    slow = [name for name in OF_RANKS if "h_measure" in name]
    chosen = [*rng.choice(quick, 12, replace=False), *(rng.choice(slow, 1) if rng.random() < 0.2 else ())]
    twins |= {str(name): OF_RANKS[name](rows) for name in chosen if case.whole or name not in NEEDS_UNITS}
    if counted.min() > 0 and counted.max() < 1:
        names = [name for name in OF_PROBABILITIES if "calibration" not in name]
        twins |= {name: OF_PROBABILITIES[name](rows) for name in names}
    return twins


def _compare(found: Mapping[str, Any], twins: Mapping[str, float], case: Case) -> int:
    for name, wanted in twins.items():
        value = found[name].value
        same = math.isnan(value) if math.isnan(wanted) else math.isclose(value, wanted, rel_tol=CLOSE, abs_tol=CLOSE)
        if not same and value != wanted:
            raise WrongError(f"{name} is {value!r}, by its definition {wanted!r}\n{case}")
    return len(twins)


def _sound(found: Any) -> None:
    """Counts are not negative, values are in range, and intervals hold them."""
    several = found.sample.is_multiclass
    if not several and min(found.counts.as_dict().values()) < 0:
        raise WrongError(f"a count is negative: {found.counts}")
    for name, each in found.items():
        _sound_estimate(name, each, find_metric(name, several=several).range)


def _sound_estimate(name: str, each: Any, limits: tuple[float, float]) -> None:
    if math.isnan(each.value):
        if not each.undefined:
            raise WrongError(f"{name} is NaN, and no reason is given")
        return
    if not limits[0] <= each.value <= limits[1]:
        raise WrongError(f"{name} is {each.value!r}, outside {limits}")
    for side, ordered in (("low", each.low <= each.value), ("high", each.value <= each.high)):
        if not math.isnan(getattr(each, side)) and not ordered:
            raise WrongError(f"{name} {each.value!r} is not within [{each.low!r}, {each.high!r}], {each.method}")
    if each.low < limits[0] or each.high > limits[1]:
        raise WrongError(f"the interval of {name}, [{each.low!r}, {each.high!r}], leaves {limits}")


def _numbers(result: Mapping[str, Any]) -> dict[str, tuple[float, ...]]:
    return {name: (each.value, each.low, each.high) for name, each in result.items()}


def _alike(what: str, first: Any, second: Any, exactly: bool, told: Any) -> None:
    one, other = _numbers(first), _numbers(second)
    for name, numbers in one.items():
        tolerance = (
            0.0 if exactly else 1e-6
        )  # fractions are added up in another order, and draws may turn on the last bit
        if not np.allclose(numbers, other[name], rtol=tolerance, atol=tolerance, equal_nan=True):
            raise WrongError(f"{name}: {numbers} becomes {other[name]} when {what}\n{told}")


def _same_in_any_order(rng: np.random.Generator, case: Case, found: Any, how: Mapping[str, Any]) -> None:
    moved = case.taken(rng.permutation(len(case.y)))
    again = uc.evaluate(moved.y, moved.s, **how, **moved.words)
    if case.whole:
        _alike("rows are shuffled", found, again, True, case)


def _same_when_merged(rng: np.random.Generator, case: Case, found: Any, how: Mapping[str, Any]) -> None:
    if not case.whole:
        return
    side = rng.random(len(case.y)) < 0.5
    parts = [
        uc.score_table(each.y, each.s, **each.words) for each in (case.taken(side), case.taken(~side)) if _fit(each)
    ]
    if len(parts) == 2 or side.all() or not side.any():
        table = parts[0].merge(parts[1]) if len(parts) == 2 else parts[0]
        _alike("parts are merged", found, uc.evaluate(table, **how), True, case)


def _fit(case: Case) -> bool:
    return len(case.y) > 0 and bool(case.times.any())


def _same_in_threads(case: Case) -> None:
    table = uc.score_table(case.y, case.s, **case.words)
    metrics = ["auroc", "average_precision", "max_mcc", "auch"]
    first, second = (uc.bootstrap(table, metrics, n_resamples=40, rng=3, n_threads=each) for each in (1, 3))
    for name in metrics:
        if not np.array_equal(first[name], second[name], equal_nan=True):
            raise WrongError(f"{name} of resamples depends on the number of threads\n{case}")


# --- several classes -----------------------------------------------------------------------------------------------


def _several_classes(rng: np.random.Generator) -> Outcome:
    n, k = int(rng.integers(4, 13)), 3
    y = rng.integers(0, k, n)
    y[:2] = rng.permutation(k)[:2]
    sharp = rng.choice([0.5, 2.0])
    scores = rng.dirichlet(np.full(k, sharp), n)
    if rng.random() < 0.5:
        scores = np.round(scores * 8) / 8  # ties
        scores[:, 2] = 1 - scores[:, 0] - scores[:, 1]
    scores = np.clip(scores, 1e-3, None)
    case = _case(rng, y, scores / scores.sum(axis=1, keepdims=True))
    rows = [(int(label), list(map(float, own))) for label, own in zip(case.y, case.s, strict=True)]
    cases = [row for row, times in zip(rows, case.times, strict=True) for _ in range(int(times))]
    twins = {name: definition(cases) for name, definition in OF_CLASSES.items() if "class_cost" not in name}
    design = str(rng.choice(["cohort", "case-control"]))
    how = {"classes": list(range(k)), "design": design, "n_resamples": 100, "metrics": list(twins)}
    found = uc.evaluate(case.y, case.s, **how, **case.words)
    compared = _compare(found, twins, case)
    _sound(found)
    for each in range(k):
        if 0 < (case.times * (y == each)).sum() < case.times.sum():
            _sound(found.one_vs_rest(each))
    if case.whole:
        moved = case.taken(rng.permutation(n))
        _alike("rows are shuffled", found, uc.evaluate(moved.y, moved.s, **how, **moved.words), True, case)
    return Outcome("fine", compared=compared)


# --- counts, and weights of any size -------------------------------------------------------------------------------


def _counts(rng: np.random.Generator) -> Outcome:
    cells = dict(zip(("tp", "fp", "fn", "tn"), map(int, rng.integers(0, 6, 4)), strict=True))
    cells["tp"] += not sum(cells.values())
    truth = {"tp": (True, True), "fp": (False, True), "fn": (True, False), "tn": (False, False)}
    rows = [truth[cell] for cell, times in cells.items() for _ in range(times)]
    scale = float(rng.choice([1.0, *UNITS]))
    found = uc.evaluate_counts(**{cell: scale * times for cell, times in cells.items()}, metrics=list(OF_LABELS))
    twins = {name: _or_nan(definition, rows) for name, definition in OF_LABELS.items()}
    case = Case(np.array([]), np.array([]), np.array([]), scale)
    compared = _compare(found, twins, case)
    _sound(found)
    return Outcome("fine", compared=compared)


def _or_nan(definition: Any, rows: Any) -> float:
    try:
        return definition(rows)
    except ZeroDivisionError:
        return divided(0.0, 0.0)


def _wild_weights(rng: np.random.Generator) -> Outcome:
    """Weights of every size: no definition can follow, but counts, ranges and intervals hold."""
    n = int(rng.integers(3, 40))
    y = rng.random(n) < 0.5
    y[:2] = True, False
    weights = rng.random(n) * 10.0 ** rng.integers(-8, 7, n) if rng.random() < 0.5 else rng.random(n)
    if rng.random() < 0.5:
        scores = rng.choice([0.1, 0.3, 0.5, 0.7], n) if rng.random() < 0.5 else rng.random(n)
        found = uc.evaluate(y, scores, weights=weights, n_resamples=100, threshold=float(rng.choice(scores)))
    else:
        k = int(rng.integers(2, 6))
        y = rng.integers(0, k, n)
        y[:2] = 0, 1
        scores = np.eye(k)[y] if rng.random() < 0.3 else rng.dirichlet(np.ones(k), n)
        found = uc.evaluate(y, scores, classes=list(range(k)), weights=weights, n_resamples=100)
    _sound(found)
    return Outcome("fine")
