"""What easy negatives do to the threshold of equations 7 and 8, and to those who prune or oversample against it."""

from __future__ import annotations

import math

import numpy as np

from unconfuse._scipy_special import expit
from unconfuse.populations import NormalMixtures, queue_rate
from unconfuse.reproduce._report import ReproducedValue
from unconfuse.table import Array

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(80)


def logistic_fit(population: NormalMixtures, share: float) -> tuple[float, float]:
    """Intercept and slope of the logistic regression with infinitely many cases, a share of them positive.

    >>> intercept, slope = logistic_fit(NormalMixtures([(1, 1, 1)], [(1, -1, 1)], .5), .5)
    >>> round(intercept, 6), round(slope, 6)
    (-0.0, 2.0)
    """
    parts = [(share * w, m, s, 1.0) for w, m, s in population.positives]
    parts += [((1 - share) * w, m, s, 0.0) for w, m, s in population.negatives]
    x = np.concatenate([m + s * _NODES for _, m, s, _ in parts])
    weight = np.concatenate([w * _WEIGHTS / _WEIGHTS.sum() for w, *_ in parts])
    y = np.repeat([label for *_, label in parts], len(_NODES))
    design, found = np.column_stack([np.ones_like(x), x - x.mean()]), np.zeros(2)
    for _ in range(60):
        found = found + _newton_step(design, y, weight, found)
    return float(found[0] - found[1] * x.mean()), float(found[1])


def _newton_step(design: Array, y: Array, weight: Array, found: Array) -> Array:
    p = expit(design @ found)
    curvature = design.T @ (design * (weight * p * (1 - p))[:, None])
    step = np.linalg.solve(curvature, design.T @ (weight * (y - p)))
    return np.asarray(np.clip(step, -1, 1))


def drift(sets: dict[str, NormalMixtures]) -> list[ReproducedValue]:
    """Where the fitted chance is 1/2 (log-odds of 0) and what it finds, with 100 to 10,000 easy cases."""
    rows = []
    for name, normal_mixtures in sets.items():
        zero, crossing = _half(normal_mixtures, normal_mixtures.prevalence), normal_mixtures.crossing()
        found = float(normal_mixtures.sensitivity(zero))
        rows += [
            ReproducedValue(
                f"{name}: input at which the fitted chance is 1/2", None, zero, note="equations 7 and 8, r = 0"
            ),
            ReproducedValue(f"{name}: input at r_b", None, crossing.threshold),
            ReproducedValue(f"{name}: recall at chance 1/2", None, found, note=f"at r_b {crossing.sensitivity:.3f}"),
        ]
    return [*rows, *_moved(sets)]


def _moved(sets: dict[str, NormalMixtures]) -> list[ReproducedValue]:
    """How far both thresholds move from the fewest easy cases to the most; the text says that only r = 0 does."""
    rows = []
    for first, last in (("a", "g"), ("b", "h"), ("c", "i")):
        zero = _half(sets[last], sets[last].prevalence) - _half(sets[first], sets[first].prevalence)
        alike = sets[last].crossing().threshold - sets[first].crossing().threshold
        note = "r = 0 moves up with easy cases"
        rows.append(ReproducedValue(f"{first} to {last}: shift of the input at chance 1/2", None, zero, note=note))
        rows.append(ReproducedValue(f"{first} to {last}: shift of the input at r_b", None, alike))
    return rows


def _half(population: NormalMixtures, share: float) -> float:
    intercept, slope = logistic_fit(population, share)
    return -intercept / slope


def remedies(sets: dict[str, NormalMixtures]) -> list[ReproducedValue]:
    """Pruning easy negatives and oversampling positives in h, as the text says that people do."""
    h, rows = sets["h"], []
    pruned = NormalMixtures(h.positives, [(1, 7, 2)], 0.5)  # 1,000 positives and the 1,000 hard negatives
    balanced = NormalMixtures(h.positives, h.negatives, 0.5)  # positives drawn eleven times as often
    for words, normal_mixtures in (
        ("as it is", h),
        ("easy negatives pruned", pruned),
        ("positives oversampled to half", balanced),
    ):
        at, crossing = _half(normal_mixtures, normal_mixtures.prevalence), normal_mixtures.crossing()
        v, u = float(h.sensitivity(at)), float(h.false_positive_rate(at))
        precision = h.prevalence * v / float(queue_rate(v, u, h.prevalence))
        rows += [
            ReproducedValue(f"h, {words}: input at chance 1/2", None, at),
            ReproducedValue(
                f"h, {words}: precision there among all cases of h", None, precision, note=f"recall {v:.3f}"
            ),
            ReproducedValue(f"h, {words}: AUROC", None, normal_mixtures.auroc),
            ReproducedValue(f"h, {words}: C(r_b)", None, crossing.precision, note=_words(words)),
        ]
    return rows


def _words(words: str) -> str:
    if words.startswith("easy"):
        return "easy negatives below r_b do not count; the few above it do"
    return "a precision at another prevalence" if words.startswith("positives") else ""


def f1_peak(sets: dict[str, NormalMixtures]) -> list[ReproducedValue]:
    """B where F1 is largest, and the largest F1, of each data set."""
    from scipy.optimize import minimize_scalar

    rows = []
    for name, normal_mixtures in sets.items():
        best = minimize_scalar(lambda r, of=normal_mixtures: -float(of.f1(r)), bounds=(2, 12), method="bounded")
        b, what = float(normal_mixtures.b(best.x)), f"{name}: B where F1 is largest"
        rows.append(ReproducedValue(f"{name}: largest F1", None, float(-best.fun)))
        if name == "g":
            note = "the text excepts 6 g, whose B the code computed with the negatives of a; there is no exception"
            rows.append(ReproducedValue(what, None, b, erratum=True, note=note))
        else:
            rows.append(ReproducedValue.checked(what, 0.5, b, "'at roughly the same point'", tolerance=0.03))
    return rows


def standard_deviation_of_pairs(area: float, pairs: int) -> float:
    """Of the share of wins among so many random pairs."""
    return math.sqrt(area * (1 - area) / pairs)
