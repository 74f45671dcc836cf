"""Fit the maps of several classes: one slope of log probabilities (a temperature), an intercept per class, both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unconfuse.recalibration.maps import Form, assign_map_folds, softmax
from unconfuse.table import Array

_STEPS = 60
_CLOSE = 1e-11
_FAR = 1e3  # a slope beyond this has no finite optimum: the likeliest class is always the true one


@dataclass(frozen=True, eq=False)
class ClassProbabilities:
    """Cases of several classes: probabilities, the number of the true class, how many cases a row stands for."""

    p: Array
    truth: npt.NDArray[np.intp]
    weight: Array

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.p.shape[1])

    def with_weight(self, weight: Array) -> ClassProbabilities:
        """Return the rows that stand for a case at these weights."""
        held = weight > 0
        return ClassProbabilities(self.p[held], self.truth[held], weight[held])


def deviance(rows: ClassProbabilities, form: Form) -> float:
    """Return -2 times the log likelihood of the mended probabilities."""
    own = form.of_several(rows.p)[np.arange(len(rows.truth)), rows.truth]
    with np.errstate(divide="ignore"):
        return -2 * float(rows.weight @ np.log(own))


def fitted(kind: str, rows: ClassProbabilities) -> Form | None:
    """Fit one kind of map; None where these cases do not determine it."""
    if kind == "none":
        return Form("none")
    free = np.zeros(rows.n_classes, dtype=bool)
    free[0] = kind.startswith("temperature")
    free[1:] = kind.endswith("bias")  # the first class has an intercept of 0 while the others are fitted
    found = _level(rows, free) if free[0] else None
    found = _newton(rows, free) if found is None else found
    if found is None:
        return None
    intercepts = np.append(0.0, found[1:])
    intercepts -= intercepts.mean()
    own = (float(found[0]),) if free[0] else ()
    return Form(kind, own + tuple(intercepts.tolist() if free[1:].any() else ()))


def _level(rows: ClassProbabilities, free: npt.NDArray[np.bool_]) -> Array | None:
    """Return the best fit with a slope of 0, if a larger slope would not raise the likelihood, which is concave."""
    at = _newton(rows, free & (np.arange(len(free)) > 0), slope=0.0)
    if at is None:
        return None
    gradient, _ = _derivatives(rows, np.log(rows.p), at)
    return at if gradient[0] <= 0 else None


def _newton(rows: ClassProbabilities, free: npt.NDArray[np.bool_], slope: float = 1.0) -> Array | None:
    """Maximise the likelihood over the free ones of slope and intercepts; None if it has no finite optimum."""
    at = np.zeros(rows.n_classes)
    at[0] = slope
    logs = np.log(rows.p)
    rest = float(rows.weight.sum())
    if not free.any():
        return at
    now = _loss(rows, logs, at)
    for _ in range(_STEPS):
        gradient, curvature = _derivatives(rows, logs, at)
        step = np.zeros(len(at))
        try:
            step[free] = np.linalg.solve(curvature[np.ix_(free, free)], gradient[free])
        except np.linalg.LinAlgError:
            return None
        before, scale = now, 1.0
        now = _loss(rows, logs, at + step)
        while not now <= before * (1 + _CLOSE) and scale > 1e-6:
            scale /= 2
            now = _loss(rows, logs, at + scale * step)
        at = at + scale * step
        if np.abs(at).max() > _FAR or not np.isfinite(now):
            return None
        if abs(before - now) <= _CLOSE * (before + 1):
            return None if now <= 1e-6 * rest else at  # a loss of 0 is approached, never reached
    return None


def _mended(logs: Array, at: Array) -> Array:
    return softmax(at[0] * logs + np.append(0.0, at[1:]))


def _loss(rows: ClassProbabilities, logs: Array, at: Array) -> float:
    with np.errstate(divide="ignore"):
        return -float(rows.weight @ np.log(_mended(logs, at)[np.arange(len(rows.truth)), rows.truth]))


def _derivatives(rows: ClassProbabilities, logs: Array, at: Array) -> tuple[Array, Array]:
    """Return the gradient of the log likelihood and minus its matrix of second derivatives."""
    q, weight, k = _mended(logs, at), rows.weight, rows.n_classes
    centre = (q * logs).sum(axis=1)
    own = np.bincount(rows.truth, weights=weight, minlength=k)
    gradient = np.append(weight @ (logs[np.arange(len(rows.truth)), rows.truth] - centre), (own - weight @ q)[1:])
    weighed = q * weight[:, None]
    curvature = np.empty((k, k))
    curvature[0, 0] = float((weighed * (logs - centre[:, None]) ** 2).sum())
    curvature[0, 1:] = curvature[1:, 0] = (weighed * (logs - centre[:, None])).sum(axis=0)[1:]
    curvature[1:, 1:] = np.diag(weighed.sum(axis=0)[1:]) - (weighed.T @ q)[1:, 1:]
    return gradient, curvature


def cross_fitted(
    kind: str, rows: ClassProbabilities, folds: int, seed: int
) -> tuple[npt.NDArray[np.intp], Array, Array] | None:
    """Mend each fold by a map fitted to the others: places of the rows, their probabilities, how many cases.

    None if a part of the folds does not determine the map.
    """
    rng, counts = np.random.default_rng(seed), np.zeros((folds, len(rows.truth)), dtype=np.int64)
    for index in range(rows.n_classes):
        members = rows.truth == index
        counts[:, members] = assign_map_folds(rows.weight[members], folds, rng)
    places, mended, cases = [], [], []
    for count in counts:
        form = fitted(kind, rows.with_weight(rows.weight - count))
        if form is None:
            return None
        held = np.flatnonzero(count)
        places.append(held)
        mended.append(form.of_several(rows.p[held]))
        cases.append(count[held].astype(np.float64))
    return np.concatenate(places), np.concatenate(mended), np.concatenate(cases)
