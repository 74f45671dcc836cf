"""Choose a map by a closed test on deviances, and measure on cases that had no part in the fit what it gains."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unconfuse._scipy_special import chdtrc, chdtri, stdtrit
from unconfuse.recalibration import binary_maps, multiclass_maps
from unconfuse.recalibration.maps import OF_SEVERAL, OF_TWO, Form
from unconfuse.table import Array, ScoreTable

# Levels at which a simpler map is given up; by simulation (tests/coverage/recalibration.py) calibrated probabilities
# are then left alone in 95 of 100 samples.
ERROR = 0.05
_CURVED = 0.001  # of the beta map's test against no map, where the logistic map shows nothing
FOLDS = 5
ENOUGH_FOR_ISOTONIC = 1_000  # below, it costs more than it mends (excess log loss .048 at 200 cases)
_CLEAR = 2.0  # standard errors of the cross-fitted gain by which an isotonic map must beat the chosen one
MOST_CLASSES = 100  # with an intercept each: fitting them takes time in proportion to the square of their number
LEAST_OF_CLASS = 5  # cases without which the intercept of a class is not fitted


@dataclass(frozen=True)
class Candidate:
    """A map that was fitted, with its deviance, or the reason why it was not."""

    kind: str
    form: Form | None
    deviance: float
    degrees_of_freedom: int
    why_not: str = ""


@dataclass(frozen=True)
class DevianceTest:
    """Whether the probabilities are off at all: the drop of the deviance to the largest map that was fitted."""

    drop: float
    degrees_of_freedom: int

    @property
    def p_value(self) -> float:
        """By the chi-squared distribution."""
        return float(chdtrc(self.degrees_of_freedom, max(self.drop, 0.0))) if self.degrees_of_freedom else math.nan


@dataclass(frozen=True, eq=False)
class Gains:
    """What a map gains on cases that had no part in its fit: one loss before and after, for each kind of case."""

    log_loss: Array
    brier: Array
    weight: Array

    def mean_and_error(self, name: str) -> tuple[float, float, float]:
        """Return the mean gain of a case, its standard error, and the number of cases."""
        gain, n = getattr(self, name), float(self.weight.sum())
        mean = float(self.weight @ gain / n)
        spread = float(self.weight @ (gain - mean) ** 2 / (n - 1)) if n > 1 else math.nan
        return mean, math.sqrt(spread / n), n


def limits(mean: float, error: float, n: float, confidence_level: float) -> tuple[float, float]:
    """Return Student's interval of a mean gain; none where it does not show a gain.

    Where there is no gain to be had, cross-fitted intervals held the truth in 74 to 81 of 100 simulations only.
    """
    reach = float(stdtrit(n - 1, (1 + confidence_level) / 2)) * error if n > 1 else math.nan
    return (mean - reach, mean + reach) if mean - reach > 0 else (math.nan, math.nan)


def candidates_of_two(table: ScoreTable) -> dict[str, Candidate]:
    """Fit every map of a yes-or-no question."""
    sizes = {"none": 0, "intercept": 1, "logistic": 2, "beta": 3}
    found = {kind: _candidate(kind, size, table) for kind, size in sizes.items()}
    if min(table.n_positives, table.n_negatives) and table.n >= ENOUGH_FOR_ISOTONIC:
        found["isotonic"] = _candidate("isotonic", len(table) - 1, table)
    else:
        why = f"needs at least {ENOUGH_FOR_ISOTONIC:,} cases"
        found["isotonic"] = Candidate("isotonic", None, math.nan, 0, why)
    return found


def fitted_to_two(kind: str, table: ScoreTable) -> Candidate:
    """Fit one map, however few cases there are."""
    return _candidate(kind, len(OF_TWO[kind]), table)


def _candidate(kind: str, size: int, table: ScoreTable) -> Candidate:
    form = binary_maps.fitted(kind, table)
    if form is None:
        return Candidate(kind, None, math.nan, size, _why_not(kind, table))
    if form.knots is not None:
        size = len(set(form.knots.mended))
    return Candidate(kind, form, binary_maps.deviance(table, form), size)


def _why_not(kind: str, table: ScoreTable) -> str:
    if len(table) < 2:
        return "all stated probabilities are the same"
    if kind == "beta" and len(table) < 3:
        return "there are two distinct probabilities only"
    if kind == "beta" and binary_maps.fitted("logistic", table) is not None:
        return "it would not rise everywhere"
    return "a threshold separates the classes, so the slope is infinite"


def cross_fits(table: ScoreTable, seed: int = 0) -> binary_maps.CrossFits:
    """Return what choosing and measuring a map of a yes-or-no question share."""
    return binary_maps.CrossFits(table, folds_of((table.n_positives, table.n_negatives)), seed)


def chosen_of_two(found: Mapping[str, Candidate], fits: binary_maps.CrossFits) -> tuple[str, DevianceTest]:
    """Choose the simplest map that the deviances do not reject."""
    drop = _drops(found)
    test = _test(found, ("logistic", "intercept"))
    if _rejects(test.drop, test.degrees_of_freedom):
        kind = "intercept" if not _rejects(drop("intercept", "logistic"), 1) else "logistic"
        kind = "beta" if _rejects(drop("logistic", "beta"), 1) else kind
    elif drop("none", "beta") > float(chdtri(3, _CURVED)):
        kind, test = "beta", DevianceTest(drop("none", "beta"), 3)
    else:
        kind = "none"
    if found["isotonic"].form is not None and _is_clearly_better("isotonic", kind, fits):
        kind = "isotonic"
    return kind, test


def _is_clearly_better(kind: str, than: str, fits: binary_maps.CrossFits) -> bool:
    """Whether a map beats another one on cases that had no part in either fit."""
    old, new = fits.of(than), fits.of(kind)
    if old is None or new is None:
        return False
    mean, error, _ = _gains_of_two(old[0], *new).mean_and_error("log_loss")
    return mean > _CLEAR * error


def candidates_of_several(rows: multiclass_maps.ClassProbabilities) -> dict[str, Candidate]:
    """Fit every map of several classes."""
    k = rows.n_classes
    sizes = dict(zip(OF_SEVERAL, (0, 1, k - 1, k), strict=True))
    rarest = float(np.bincount(rows.truth, weights=rows.weight, minlength=k).min())
    why = f"a class has fewer than {LEAST_OF_CLASS} cases" if rarest < LEAST_OF_CLASS else ""
    why = f"there are more than {MOST_CLASSES} classes" if k > MOST_CLASSES else why
    found = {}
    for kind, size in sizes.items():
        refused = why if kind.endswith("bias") else ""
        form = None if refused else multiclass_maps.fitted(kind, rows)
        value = math.nan if form is None else multiclass_maps.deviance(rows, form)
        missing = refused or "the likeliest class is always the true one, so the slope is infinite"
        found[kind] = Candidate(kind, form, value, size, "" if form else missing)
    return found


def chosen_of_several(found: Mapping[str, Candidate]) -> tuple[str, DevianceTest]:
    """Choose the simplest map that the largest one does not reject; a temperature before an intercept per class."""
    drop, test = _drops(found), _test(found, ("temperature+bias", "temperature", "bias"))
    if not _rejects(test.drop, test.degrees_of_freedom):
        return "none", test
    largest = next(kind for kind in reversed(OF_SEVERAL) if found[kind].form is not None)
    for kind in ("temperature", "bias"):
        candidate = found[kind]
        between = found[largest].degrees_of_freedom - candidate.degrees_of_freedom
        if candidate.form is not None and (kind == largest or not _rejects(drop(kind, largest), between)):
            return kind, test
    return largest, test


def _drops(found: Mapping[str, Candidate]) -> Callable[[str, str], float]:
    """Return how much the deviance falls from one map to a larger one; nothing where one was not fitted."""

    def drop(small: str, large: str) -> float:
        fall = found[small].deviance - found[large].deviance
        return 0.0 if math.isnan(fall) else fall

    return drop


def _test(found: Mapping[str, Candidate], largest_first: Iterable[str]) -> DevianceTest:
    """Test no map against the largest that was fitted."""
    for kind in largest_first:
        if found[kind].form is not None:
            return DevianceTest(found["none"].deviance - found[kind].deviance, found[kind].degrees_of_freedom)
    return DevianceTest(0.0, 0)


def _rejects(drop: float, degrees_of_freedom: int) -> bool:
    return degrees_of_freedom > 0 and drop > float(chdtri(degrees_of_freedom, ERROR))


def folds_of(sizes: Iterable[float]) -> int:
    """Return how many folds there are: at most as many as cases of the rarest class; 0 if there would be one."""
    folds = int(min(FOLDS, *(size for size in sizes if size > 0)))
    return folds if folds > 1 else 0


def _gains_of_two(before: Array, after: Array, positives: Array, negatives: Array) -> Gains:
    """Compare two probabilities of every kind of case, of shape (folds, blocks)."""
    old = np.broadcast_to(before, after.shape)
    high, low = positives > 0, negatives > 0  # hardly any kind of case is in every fold
    with np.errstate(divide="ignore", invalid="ignore"):
        surprise = np.concatenate(
            [np.log(after[high]) - np.log(old[high]), np.log1p(-after[low]) - np.log1p(-old[low])]
        )
    squares = np.concatenate([(1 - old[high]) ** 2 - (1 - after[high]) ** 2, old[low] ** 2 - after[low] ** 2])
    return Gains(surprise, squares, np.concatenate([positives[high], negatives[low]]))


def measured_of_two(kind: str, fits: binary_maps.CrossFits) -> tuple[ScoreTable, Gains] | None:
    """Cross-fit a map: the table of the mended probabilities, and what they gain; None where that cannot be done."""
    parts = fits.of(kind)
    return None if parts is None else (binary_maps.table_of(*parts), _gains_of_two(fits.table.score, *parts))


def measured_of_several(
    kind: str, rows: multiclass_maps.ClassProbabilities, seed: int = 0
) -> tuple[npt.NDArray[np.intp], Array, Array, Gains] | None:
    """Cross-fit a map: places of the rows, mended probabilities, cases, and what they gain."""
    folds = folds_of(np.bincount(rows.truth, weights=rows.weight))
    parts = multiclass_maps.cross_fitted(kind, rows, folds, seed) if folds else None
    if parts is None:
        return None
    places, mended, cases = parts
    own, each = rows.truth[places], np.arange(len(places))
    old = rows.p[places]
    with np.errstate(divide="ignore"):
        surprise = np.log(mended[each, own]) - np.log(old[each, own])
    return *parts, Gains(surprise, _brier(old, own) - _brier(mended, own), cases)


def _brier(p: Array, own: npt.NDArray[np.intp]) -> Array:
    return np.asarray((p**2).sum(axis=1) - 2 * p[np.arange(len(own)), own] + 1)
