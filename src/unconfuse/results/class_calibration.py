"""Can the stated probabilities of several classes be taken at their word? Over all classes, by class, by top label.

Over all classes: one slope of the log probabilities (the inverse of a temperature), one test of the shares of the
classes and Spiegelhalter's test. Each class against the rest, and whether the predicted class is right, are yes-or-no
questions with their own reliability diagrams.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from unconfuse import _html_repr
from unconfuse._formatting import TabularResult, number_text, p_text, strict_json, with_numbers
from unconfuse._scipy_special import chdtrc, ndtr
from unconfuse.metrics import find_metrics
from unconfuse.metrics.influence_functions import quantile
from unconfuse.metrics.multiclass_scores import confidence
from unconfuse.recalibration.maps import softmax
from unconfuse.recalibration.multiclass_maps import ClassProbabilities, fitted
from unconfuse.results.calibration import Calibration, Spiegelhalter
from unconfuse.table import Array, InMemorySample, Settings
from unconfuse.uncertainty import Estimate, estimate
from unconfuse.uncertainty.difference_tests import SMALLEST

_SLOPE = ("calibration_slope", "Calibration slope of the log probabilities (1 / temperature)")
_SMALLEST_RANK = 1e-9  # of the largest variance: sums that are 1 but for rounding leave less
_SMALLEST = 1e-300  # stands for a probability of 0, whose logarithm is infinite
_NO_SLOPE = "no slope fits best: the likeliest class is always right, or a true class has probability 0"


@dataclass(frozen=True)
class SharesTest:
    """A test whether the mean stated probabilities are the shares of the classes (calibration in the large).

    Attributes
    ----------
    stated, observed : array
        Of each class.
    chi2, p_value : float
    freedom : int
    """

    stated: Array
    observed: Array
    chi2: float
    freedom: int
    p_value: float


@dataclass(frozen=True, repr=False)
class ClassCalibration(TabularResult):
    """How far stated probabilities of several classes are from what occurs.

    Examples
    --------
    >>> import numpy as np, unconfuse as uc
    >>> rng = np.random.default_rng(0)
    >>> p = rng.dirichlet([1, 1, 1], 600)
    >>> y = (rng.random((600, 1)) > p.cumsum(axis=1)).sum(axis=1)
    >>> sharper = p**2 / (p**2).sum(axis=1, keepdims=True)
    >>> found = uc.evaluate(y, sharper).calibration
    >>> print(f"{found.slope.value:.2f} [{found.slope.low:.2f}, {found.slope.high:.2f}]")
    0.47 [0.40, 0.54]
    >>> found.spiegelhalter.p_value < .001, found.of_class(2).slope.high < 1
    (True, True)
    """

    sample: InMemorySample
    settings: Settings

    @property
    def confidence_level(self) -> float:
        """Of the intervals."""
        return self.settings.confidence_level

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes."""
        return self.sample.classes

    @property
    def occurring(self) -> tuple[str, ...]:
        """Names of the classes that occur; of others there is nothing to compare probabilities with."""
        return tuple(name for name, size in zip(self.classes, self.sample.sizes, strict=True) if size > 0)

    @cached_property
    def _matrix(self) -> Array:
        return np.asarray(self.sample.matrix, dtype=np.float64)

    @cached_property
    def slope(self) -> Estimate:
        """The power of the probabilities, scaled back to 1, that fits best: below 1 they are too extreme.

        Its inverse is the temperature. The interval comes from the sandwich variance.
        """
        rows, level = self.sample, self.confidence_level
        own = self._matrix[np.arange(len(rows)), rows.truth]
        stated = np.maximum(self._matrix, _SMALLEST)
        form = (
            fitted("temperature", ClassProbabilities(stated, np.asarray(rows.truth, dtype=np.intp), rows.weight))
            if (own > 0).all()
            else None
        )
        if form is None:
            return Estimate(*_SLOPE, math.nan, math.nan, math.nan, level, "", undefined=_NO_SLOPE)
        value = float(form.parameters[0])
        logs = np.log(stated)
        raised = softmax(value * logs)
        mean = np.einsum("ik,ik->i", raised, logs)
        score = np.log(own) - mean
        bend = float(rows.weight @ (np.einsum("ik,ik->i", raised, logs**2) - mean**2))
        error = math.sqrt(float(rows.weight @ score**2)) / bend
        reach = quantile(level) * error
        return Estimate(
            *_SLOPE, value, value - reach, value + reach, level, "sandwich", better="neither", standard_error=error
        )

    @cached_property
    def shares(self) -> SharesTest:
        """Whether the mean probabilities are the shares of the classes: a score test over all classes at once."""
        p, weight, n = self._matrix, self.sample.weight, self.sample.n
        stated, observed = weight @ p / n, self.sample.sizes / n
        moments = np.diag(weight @ p) - (p * weight[:, None]).T @ p
        kept = np.arange(len(stated)) != np.argmax(stated)  # the others say what the last one is
        apart, moments = n * (observed - stated)[kept], moments[np.ix_(kept, kept)]
        values, vectors = np.linalg.eigh(moments)
        held = values > _SMALLEST_RANK * max(float(values.max()), 1.0)
        freedom, chi2 = int(held.sum()), float(((vectors.T @ apart)[held] ** 2 / values[held]).sum())
        impossible = bool(((stated == 0) & (observed > 0)).any())
        p_value = SMALLEST if impossible else max(float(chdtrc(freedom, chi2)), SMALLEST) if freedom else math.nan
        return SharesTest(stated, observed, math.inf if impossible else chi2, freedom, p_value)

    @cached_property
    def spiegelhalter(self) -> Spiegelhalter:
        """Spiegelhalter's test over all classes: the Brier score against what the probabilities expect of it."""
        p, weight = self._matrix, self.sample.weight
        own = p[np.arange(len(p)), self.sample.truth]
        squares = np.einsum("ik,ik->i", p, p)
        surplus = 2 * float(weight @ (squares - own))
        spread = 4 * float(weight @ np.maximum(np.einsum("ik,ik,ik->i", p, p, p) - squares**2, 0.0))
        z = surplus / math.sqrt(spread) if spread > 0 else math.nan
        return Spiegelhalter(z, max(float(2 * ndtr(-abs(z))), SMALLEST) if not math.isnan(z) else math.nan)

    @cached_property
    def top_label(self) -> Calibration:
        """Whether the predicted class is right as often as its probability says."""
        rows = self.sample
        return self._of(
            rows.derive(
                classes=("wrong", "right"),
                is_multiclass=False,
                truth=rows.predicted == rows.truth,
                scores={rows.only_model: np.minimum(confidence(rows), 1.0)},
                decided={},
            )
        )

    def of_class(self, wanted: object) -> Calibration:
        """One class against the rest: its reliability diagram, slope, intercept and tests."""
        k = self.sample.class_index(wanted)
        if k not in self._known:
            self._known[k] = self._of(self.sample.one_vs_rest(k))
        return self._known[k]

    @cached_property
    def _known(self) -> dict[int, Calibration]:
        return {}

    def _of(self, sample: InMemorySample) -> Calibration:
        metrics = find_metrics(["calibration_slope", "calibration_intercept"])
        slope, intercept = estimate(metrics, sample, self.settings.without_progress()).values()
        return Calibration(sample.table(), slope, intercept, self.confidence_level)

    @property
    def sentence(self) -> str:
        """The verdict in plain words; it rests on all classes at once."""
        signs, told = self._signs(), "every predicted class is right, or every one is wrong"
        if self._decides(self.top_label):
            off = self.top_label.ici
            told = f"the predicted class's probability is {number_text(off.value)} {off.interval_text} off on average"
        if signs:
            return f"The probabilities cannot be taken at their word: {', '.join(signs)}; {told}."
        return f"These data do not show that the probabilities are off: {told}."

    @property
    def _parts(self) -> dict[str, Calibration]:
        """The yes-or-no questions that have both answers, by name."""
        asked = {"top label": self.top_label} | {name: self.of_class(name) for name in self.occurring}
        return {name: calibration for name, calibration in asked.items() if self._decides(calibration)}

    @staticmethod
    def _decides(own: Calibration) -> bool:
        """Whether both answers occur: one alone has no diagram."""
        return bool(own.table.n_positives > 0 and own.table.n_negatives > 0)

    def _signs(self) -> list[str]:
        found, error, slope = [], 1 - self.confidence_level, self.slope
        impossible = int((self._matrix[np.arange(len(self.sample)), self.sample.truth] == 0).sum())
        if impossible:
            found.append(f"the true class has probability 0 in {impossible:,} of {len(self.sample):,} rows")
        if self._decides(self.top_label) and self.top_label.ici.low > 0:
            found.append("the predicted class's band leaves the diagonal")
        if slope.high < 1 or slope.low > 1:
            how = "extreme" if slope.high < 1 else "close to even"
            found.append(f"they are too {how} (slope {number_text(slope.value)} {slope.interval_text} instead of 1)")
        if self.shares.p_value < error:
            found.append(f"their means are not the shares of the classes ({p_text(self.shares.p_value)})")
        if self.spiegelhalter.p_value < error:
            found.append(f"Spiegelhalter's test has {p_text(self.spiegelhalter.p_value)}")
        return found

    def rows(self) -> list[dict[str, Any]]:
        """One row for each number: over all classes, of the top label, and of each class that occurs."""
        return [{"of": "all classes", "name": "calibration_slope", **with_numbers(self.slope)}] + [
            {"of": of, **row} for of, part in self._parts.items() for row in part.rows()
        ]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        shares, test = self.shares, self.spiegelhalter
        return {
            "slope": self.slope.as_dict(),
            "spiegelhalter": {"z": test.z, "p_value": test.p_value},
            "shares": {
                "stated": dict(zip(self.classes, shares.stated.tolist(), strict=True)),
                "observed": dict(zip(self.classes, shares.observed.tolist(), strict=True)),
                "chi2": shares.chi2,
                "p_value": shares.p_value,
            },
            "parts": {name: part.as_dict() for name, part in self._parts.items()},
            "sentence": self.sentence,
        }

    def lines(self) -> tuple[list[str], list[list[str]]]:
        """Return a table in words: the top label and each class that occurs, with intervals."""
        heads = ["", "intercept", "slope", "mean distance", "Spiegelhalter's p"]
        return heads, [[name, *self._cells(part)] for name, part in self._parts.items()]

    @staticmethod
    def _cells(own: Calibration) -> list[str]:
        shown = [f"{number_text(each.value)} {each.interval_text}" for each in (own.intercept, own.slope, own.ici)]
        return [*shown, p_text(own.spiegelhalter.p_value)]

    def __repr__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        heads, lines = self.lines()
        shown = [[_html_repr.text(name, 44), *rest] for name, *rest in lines]
        return _html_repr.card("Calibration", _html_repr.table(heads, shown), verdict=self.sentence)
