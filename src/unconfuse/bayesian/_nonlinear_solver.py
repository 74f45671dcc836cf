"""Classifiers in a population by three coordinates, for quantities that are not shares of the 2x2 table.

Likelihood ratios, the odds ratio and Youden's J belong to the classifier alone. At a known prevalence each quantity but
the odds ratio is a straight line in the plane of sensitivity and false positive rate, and that one is a hyperbola.
Three given ones therefore leave a polynomial in the prevalence, of degree four at most, with exact coefficients: its
roots are all the answers there are. Fewer leave a curve or a surface, which is walked along for the ranges.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from unconfuse._scipy_special import expit
from unconfuse.bayesian._linear_solver import COMPLEMENTS, DEPENDENT, SHARES, STRICT, TWELVE, Table, solve
from unconfuse.metrics import METRICS
from unconfuse.table import Array, Counts

RATIOS = ("accuracy", "youden_j", "lr_positive", "lr_negative", "diagnostic_odds_ratio")
"""What follows from the twelve; all but accuracy need this module."""
TWELVE_AND_RATIOS = (*TWELVE, *RATIOS)
POPULATION = ("prevalence", "negative_prevalence")

_EDGE = 1e-12  # a rate outside 0 to 1 by less is rounding
_ALIKE = 1e-6  # what says the same differs by no more, with rounded numbers
_STEPS = 401  # of the walk along a curve: ranges are told with three digits
_REACH = 21.0  # log-odds of the rarest prevalence on the walk: 1e-9
_PRIOR_ODDS = (
    ("lr_positive", "precision", False),
    ("lr_positive", "false_discovery_rate", True),
    ("lr_negative", "false_omission_rate", False),
    ("lr_negative", "npv", True),
)
"""A ratio, a predictive value that it leads to, and whether that is the probability of being negative."""
_GUESS = {"youden_j": 0, "diagnostic_odds_ratio": 1, "lr_positive": 1, "lr_negative": 1}
Line = tuple[Fraction, Fraction, Fraction]
"""a, b, c of a * sensitivity + b * false_positive_rate = c."""
Value = Fraction | float  # a ratio may be infinite
Values = Mapping[str, Value]


class PopulationPoint(NamedTuple):
    """A classifier in a population."""

    prevalence: Fraction
    sensitivity: Fraction
    false_positive_rate: Fraction

    @property
    def table(self) -> Table:
        """Joint probabilities of the four outcomes."""
        share, tpr, fpr = self
        return share * tpr, (1 - share) * fpr, share * (1 - tpr), (1 - share) * (1 - fpr)


def values_at(name: str, prevalence: Array, sensitivity: Array, false_positive_rate: Array) -> Array:
    """Return a quantity at many points; those of the classifier alone do not ask whether the class has members."""
    if name == "negative_prevalence":
        return 1 - prevalence
    share = prevalence if METRICS[name].depends_on_prevalence else np.full_like(prevalence, 0.5)
    hit, alarm = sensitivity, false_positive_rate
    counts = Counts.from_validated(
        tp=share * hit, fp=(1 - share) * alarm, fn=share * (1 - hit), tn=(1 - share) * (1 - alarm)
    )
    return np.asarray(METRICS[name](counts), dtype=np.float64)


def agrees(name: str, value: Value, point: PopulationPoint, slack: float, *, undefined: bool = False) -> bool:
    """Whether the quantity has this value there, or is undefined if that will do."""
    found = float(values_at(name, *(np.array(float(each)) for each in point)))
    if math.isnan(found):
        return undefined
    if math.isinf(value):
        return found == value
    return abs(found - float(value)) <= slack * max(1.0, abs(float(value)))


def solutions(given: Values) -> list[PopulationPoint] | None:
    """All points with the given values; None if these leave a curve or a surface."""
    short = _in_short(given)
    for names in combinations(short, 3):
        points = common_points({name: short[name] for name in names})
        if points is not None:
            kept = [each for each in points if all(agrees(name, given[name], each, STRICT) for name in given)]
            return _distinct(kept)
    return None


def _in_short(given: Values) -> Values:
    """One of each pair that adds up to 1, since the other says the same, if only up to rounding; and the prevalence.

    Odds after a label are odds before it times the likelihood ratio: a predictive value and its ratio give them. Of a
    test that is a guess, whichever quantity says so, both ratios are 1.
    """
    second = {other for name, other in COMPLEMENTS.items() if name in given}
    left = {name: value for name, value in given.items() if name not in second}
    said = [left[name] == value for name, value in _GUESS.items() if name in left]
    if said and all(said):
        left = {name: value for name, value in left.items() if name not in _GUESS} | {"lr_positive": Fraction(1)}
        left |= {"lr_negative": Fraction(1)} if {"npv", "false_omission_rate"} & set(left) else {}
    for ratio, value, turned in _PRIOR_ODDS:
        if ratio in left and value in left and not set(POPULATION) & set(left):
            after, times = Fraction(left[value]), left[ratio]
            after = 1 - after if turned else after
            if 0 < after < 1 and 0 < times < math.inf:
                odds = after / (1 - after) / Fraction(times)
                left["prevalence"] = odds / (1 + odds)
    return left


def _distinct(points: Sequence[PopulationPoint]) -> list[PopulationPoint]:
    kept: list[PopulationPoint] = []
    for point in points:
        if not any(_same(point, other) for other in kept):
            kept.append(point)
    return kept


def _same(one: PopulationPoint, two: PopulationPoint) -> bool:
    return all(math.isclose(a, b, rel_tol=1e-7, abs_tol=1e-12) for a, b in zip(one, two, strict=True))


def common_points(three: Values) -> list[PopulationPoint] | None:
    """Where three quantities have their values; None if they do not determine it."""
    shares = [_prevalence(name, value) for name, value in three.items() if name in POPULATION]
    if shares:
        others = {name: value for name, value in three.items() if name not in POPULATION}
        pairs = _crossings(others, shares[0]) if len(others) == 2 else None
        return None if pairs is None else _inside(shares[0], pairs)
    at = _residual(three)
    if at is None:
        return None
    return [point for share in _roots(*at) for point in _at_root(three, share)]


def _prevalence(name: str, value: Value) -> Fraction:
    return Fraction(value) if name == "prevalence" else 1 - Fraction(value)


def _at_root(three: Values, share: Fraction) -> list[PopulationPoint]:
    """Find the point from the pair of curves that cross most clearly there; the third is checked later."""
    pairs = [dict(pair) for pair in combinations(three.items(), 2)]
    pairs.sort(key=lambda pair: -_clearness(pair, share))
    return _inside(share, _crossings(pairs[0], share) or [])


def _inside(share: Fraction, pairs: Sequence[tuple[Fraction, Fraction]]) -> list[PopulationPoint]:
    points = [PopulationPoint(share, *pair) for pair in pairs]
    inside = [point for point in points if all(-_EDGE <= value <= 1 + _EDGE for value in point)]
    return [PopulationPoint(*(min(max(value, Fraction(0)), Fraction(1)) for value in each)) for each in inside]


def _clearness(pair: Values, share: Fraction) -> float:
    """How far from parallel two lines are; a line and the hyperbola cross clearly unless there is nothing better."""
    if "diagnostic_odds_ratio" in pair:
        return 1e-3
    (a, b, _), (d, e, _) = (_line(name, value, share) for name, value in pair.items())
    size = math.hypot(a, b) * math.hypot(d, e)
    return abs(float(a * e - b * d)) / size if size else 0.0


def _projective(value: Value) -> tuple[Fraction, Fraction]:
    """Numerator and denominator: an infinite ratio is 1 : 0."""
    return (Fraction(1), Fraction(0)) if math.isinf(value) else (Fraction(value), Fraction(1))


def _line(name: str, value: Value, share: Fraction) -> Line:
    """Return the quantity as a line at this prevalence, which may be any number: lines depend on it linearly."""
    one, none = Fraction(1), Fraction(0)
    top, bottom = _projective(value)
    if name == "lr_positive":
        return bottom, -top, none
    if name == "lr_negative":
        return bottom, -top, bottom - top
    if name == "youden_j":
        return one, -one, top
    if name in ("sensitivity", "false_negative_rate"):
        return one, none, top if name == "sensitivity" else 1 - top
    if name in ("specificity", "false_positive_rate"):
        return none, one, top if name == "false_positive_rate" else 1 - top
    # top - value * bottom = 0 of the joint probabilities, which are shares of the two classes
    tp, fp, fn, tn = (up - top * down for up, down in zip(*SHARES[name], strict=True))
    return share * (tp - fn), (1 - share) * (fp - tn), -share * fn - (1 - share) * tn


def _crossings(pair: Values, share: Fraction) -> list[tuple[Fraction, Fraction]] | None:
    """Where two quantities have their values at a prevalence; None if they say the same there."""
    if set(pair) & set(POPULATION):
        return None
    lines = [_line(name, value, share) for name, value in pair.items() if name != "diagnostic_odds_ratio"]
    if len(lines) == 2:
        if _clearness(pair, share) <= DEPENDENT:
            return None
        (a, b, c), (d, e, f) = lines
        size = a * e - b * d
        return [((c * e - b * f) / size, (a * f - c * d) / size)]
    return _on_hyperbola(lines[0], pair["diagnostic_odds_ratio"])


def _on_hyperbola(line: Line, ratio: Value) -> list[tuple[Fraction, Fraction]] | None:
    """Where q * tpr * (1 - fpr) = p * fpr * (1 - tpr) meets a line."""
    (a, b, c), (p, q) = line, _projective(ratio)
    if not a:
        if not b:
            return None
        fpr = c / b
        bottom = q * (1 - fpr) + p * fpr
        return [(p * fpr / bottom, fpr)] if bottom else None
    square, linear, constant = b * (q - p), -(q * (b + c) + p * (a - c)), q * c
    return [((c - b * fpr) / a, fpr) for fpr in _real_roots([constant, linear, square])]


def _residual(three: Values) -> tuple[Callable[[Fraction], Fraction], int] | None:
    """Build a polynomial in the prevalence that is 0 where all three agree, and its degree; None if it always is."""
    lines = {name: value for name, value in three.items() if name != "diagnostic_odds_ratio"}

    def three_lines(share: Fraction) -> Fraction:
        (a, b, c), (d, e, f), (g, h, i) = (_line(*each, share) for each in lines.items())
        return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)

    def on_hyperbola(share: Fraction) -> Fraction:
        (a, b, c), (d, e, f) = (_line(*each, share) for each in lines.items())
        p, q = _projective(three["diagnostic_odds_ratio"])
        tpr, fpr, size = c * e - b * f, a * f - c * d, a * e - b * d
        return q * tpr * (size - fpr) - p * fpr * (size - tpr)

    function, degree = (three_lines, 3) if len(lines) == 3 else (on_hyperbola, 4)
    spots = [Fraction(i, degree) for i in range(degree + 1)]
    clear = any(abs(float(function(spot))) > DEPENDENT * _size(three, spot) for spot in spots)
    return (function, degree) if clear else None


def _size(three: Values, share: Fraction) -> float:
    """How large a residual could be: the product of the lengths of the coefficients."""
    lines = [_line(*each, share) for each in three.items() if each[0] != "diagnostic_odds_ratio"]
    lengths = math.prod(math.hypot(*map(float, line)) for line in lines)
    if len(lines) == 3:
        return lengths
    return lengths**2 * math.hypot(*map(float, _projective(three["diagnostic_odds_ratio"])))


def _roots(function: Callable[[Fraction], Fraction], degree: int) -> list[Fraction]:
    """Roots between 0 and 1 of a polynomial that is known by its values."""
    spots = [Fraction(i, degree) for i in range(degree + 1)]
    powers = [[spot**k for k in range(degree + 1)] for spot in spots]
    coefficients = solve(powers, [function(spot) for spot in spots])
    assert coefficients is not None, "different spots determine a polynomial"
    return [root for root in _real_roots(coefficients) if -_EDGE <= root <= 1 + _EDGE]


def _real_roots(coefficients: Sequence[Fraction]) -> list[Fraction]:
    """Real roots of a polynomial, lowest power first, each improved with exact arithmetic."""
    scale = max(abs(coefficient) for coefficient in coefficients)
    if not scale:
        return []
    # a leading coefficient that is all but nothing sends its root to infinity
    floats = [float(coefficient / scale) for coefficient in coefficients]
    while abs(floats[-1]) < _EDGE:
        floats.pop()
    low = next(i for i, each in enumerate(floats) if each)
    found = [Fraction(0)] * bool(low)
    for root in np.roots(floats[: low - 1 if low else None : -1]) if len(floats) - low > 1 else ():
        if abs(root.imag) <= 1e-6 * max(abs(root), 1e-300) and math.isfinite(root.real):
            found.append(_improved(coefficients, Fraction(float(root.real))))
    return list(dict.fromkeys(found))


def _improved(coefficients: Sequence[Fraction], root: Fraction) -> Fraction:
    """Newton's steps, of which each is rounded to a float."""
    for _ in range(4):
        value = sum(coefficient * root**k for k, coefficient in enumerate(coefficients))
        slope = sum(k * coefficient * root ** (k - 1) for k, coefficient in enumerate(coefficients) if k)
        if not slope or not value:
            break
        step = value / slope
        if abs(step) > abs(root):  # a double root: where Newton's steps do not settle, the start was as good
            break
        root = Fraction(float(root - step))
    return root


def walk(given: Values) -> tuple[Array, Array, Array]:
    """Points all over the curve or surface that the given values leave, as three columns."""
    short = _in_short(given)
    known = [_prevalence(name, value) for name, value in short.items() if name in POPULATION]
    others = {name: value for name, value in short.items() if name not in POPULATION}
    steps = expit(np.linspace(-_REACH, _REACH, _STEPS))
    grid = [float(known[0])] if known else [*steps.tolist(), *_ends(others, steps)]
    found = [(share, *pair) for share in grid for pair in _pairs(others, share)]
    columns = np.clip(np.array(found, dtype=np.float64).reshape(-1, 3).T, 0.0, 1.0) + 0.0  # -0 turns a ratio over
    return columns[0], columns[1], columns[2]


def _pairs(others: Values, share: Any) -> Iterator[tuple[float, float]]:
    """Sensitivity and false positive rate of the walk at one prevalence."""
    crossing = next((found for two in combinations(others.items(), 2) if (found := _crossings(dict(two), share))), None)
    if crossing is not None:
        points = _inside(share, crossing)
        yield from (
            (float(each.sensitivity), float(each.false_positive_rate))
            for each in points
            if all(agrees(name, value, each, STRICT) for name, value in others.items())
        )
        return
    (name, value), *rest = others.items()
    for tpr, fpr in _along(name, value, share):  # the rest says the same, or lies beside it all along
        point = PopulationPoint(*map(Fraction, map(float, (share, tpr, fpr))))
        if all(agrees(*each, point, _ALIKE, undefined=True) for each in rest):
            yield tpr, fpr


def _along(name: str, value: Value, share: Any) -> Iterator[tuple[float, float]]:
    """Sensitivity and false positive rate where one quantity has its value."""
    along = np.concatenate([[0.0], expit(np.linspace(-_REACH, _REACH, 61)), [1.0]])
    if name == "diagnostic_odds_ratio":
        p, q = (float(each) for each in _projective(value))
        yield from ((p * fpr / (q * (1 - fpr) + p * fpr), fpr) for fpr in along if q * (1 - fpr) + p * fpr)
        return
    a, b, c = (float(each) for each in _line(name, value, share))
    across = [((c - b * fpr) / a, fpr) for fpr in along] if a else []
    down = [(tpr, (c - a * tpr) / b) for tpr in along] if b else []
    yield from (each for each in (*across, *down) if min(each) >= -_EDGE and max(each) <= 1 + _EDGE)


def _ends(others: Values, steps: Array) -> list[float]:
    """Where along the prevalences the curve begins and ends, by bisection between neighbours in and out."""
    possible = [any(True for _ in _pairs(others, float(step))) for step in steps]
    found = []
    for i in np.flatnonzero(np.diff(possible)):
        inside, outside = (steps[i], steps[i + 1]) if possible[i] else (steps[i + 1], steps[i])
        for _ in range(45):
            middle = (inside + outside) / 2
            there = any(True for _ in _pairs(others, float(middle)))
            inside, outside = (middle, outside) if there else (inside, middle)
        found.append(float(inside))
    return found
