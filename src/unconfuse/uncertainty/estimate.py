"""One number with its uncertainty, and one statement with the numbers it rests on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from unconfuse import _html_repr
from unconfuse._deprecated import renamed
from unconfuse._errors import ArgumentError, CallError
from unconfuse._formatting import interval_words, number_text, strict_json
from unconfuse._render_mixins import PlotMixin
from unconfuse._validate import check_number, check_probability, check_text, public_api
from unconfuse.metrics import Metric
from unconfuse.table.looks import Critical
from unconfuse.uncertainty.method import NoInterval

_LEAST = 1e-15  # nearer to 1 no confidence level can be written
_NEAR = 1e-4  # of a p-value, as a share of itself


@public_api
@dataclass(frozen=True)
class Estimate(PlotMixin):
    """A value with its interval, and how both were made.

    Attributes
    ----------
    name, label : str
        Of the metric.
    value, low, high : float
        The value and its interval; NaN where undefined.
    confidence_level : float
    method : str
        How the interval was made, for example "mid-p".
    undefined : str or None
        Why there is no value, or None.
    better : str
        "higher", "lower" or "neither".
    baseline : float
        The value of a useless classifier with the same prevalence and queue rate.
    context : str
        Threshold, sample size and design in words.
    bound : (float, float) or None
        Of a binned table: the exact value certainly lies between these two. None if the value is exact.
    standard_error : float
        Of the value, where the method has one: DeLong's, from influences, of replicates, binomial; else NaN.

    Examples
    --------
    >>> import unconfuse as uc
    >>> recall = uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31)["sensitivity"]
    >>> print(f"{recall.value:.3f} from {recall.low:.3f} to {recall.high:.3f}, by {recall.method}")
    0.678 from 0.612 to 0.739, by mid-p
    """

    picture = "plot_estimates"

    name: str
    label: str
    value: float
    low: float
    high: float
    confidence_level: float = 0.95
    method: str = ""
    undefined: str | None = None
    better: str = "higher"
    baseline: float = math.nan
    conditions: str = ""
    recompute: Callable[..., Estimate] | None = field(default=None, repr=False, compare=False)
    binning_bounds: tuple[float, float] | None = None
    standard_error: float = field(default=math.nan, repr=False, compare=False)
    ask_chance: Callable[[], float] | None = field(default=None, repr=False, compare=False)

    def __float__(self) -> float:
        """Return the value alone, as `float(ev["auroc"])`."""
        return float(self.value)

    def __round__(self, digits: int | None = None) -> float:
        """Return the value alone, rounded."""
        return round(float(self.value), digits) if digits is not None else round(float(self.value))

    def __format__(self, form: str) -> str:
        """Return the value alone in a form for numbers, as in `f"{ev['auroc']:.2f}"`; else all of it."""
        return format(float(self.value), form) if form else str(self)

    def _alone(self, other: object) -> NoReturn:
        """Refuse to reckon with a number that has an interval: which of the three is meant?"""
        raise CallError(
            f"{self.name} is an estimate with an interval. Hint: reckon with its `.value`, or with `.low` and `.high`; "
            "two models are compared by compare(y, {'a': s1, 'b': s2})."
        )

    def __getitem__(self, place: object) -> NoReturn:
        """Refuse to be taken apart by place: nobody would remember the order."""
        raise CallError(f"{self.name} is one estimate. Hint: its parts have names: `.value`, `.low` and `.high`.")

    __lt__ = __le__ = __gt__ = __ge__ = _alone
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _alone

    def __post_init__(self) -> None:
        """Drop an interval that a method cannot tell, or only at one end, and make the method say so."""
        if math.isnan(self.value) or not (math.isnan(self.low) or math.isnan(self.high)):
            return
        if self.method and not isinstance(self.method, NoInterval):
            why = NoInterval(f"no interval: these cases tell none ({self.method})")
            for name, each in {"low": math.nan, "high": math.nan, "method": why}.items():
                object.__setattr__(self, name, each)

    @classmethod
    def from_interval(
        cls, metric: Metric, value: float, limits: tuple[Any, Any, str], confidence_level: float, **more: Any
    ) -> Estimate:
        """Build the estimate of a declared metric from its value and limits; with a reason where it is undefined."""
        if math.isnan(value) and "undefined" not in more:
            limits, more = (math.nan, math.nan, ""), {"undefined": metric.undefined, **more}
        low, high, method = limits
        if (
            value <= metric.inference.ceiling < high
        ):  # the value of few or tied cases may be above it, and is then left as it is
            high = metric.inference.ceiling
        more = {"label": metric.label, "better": metric.better} | more
        return cls(
            metric.name,
            value=value,
            low=float(low),
            high=float(high),
            method=method,
            confidence_level=confidence_level,
            **more,
        )

    def interval(self, *, confidence_level: float | None = None, method: str | None = None) -> Estimate:
        """Ask again with another confidence level or another method.

        Examples
        --------
        >>> import unconfuse as uc
        >>> recall = uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31)["sensitivity"]
        >>> print(recall.interval(confidence_level=.9, method="clopper_pearson"))
        sensitivity 0.678 [0.621, 0.731] 90% Clopper-Pearson, 208 positives of 239
        """
        level = self.confidence_level if confidence_level is None else confidence_level
        if not isinstance(level, Critical):
            level = check_probability(level, "confidence_level", open_interval=True)
        return self._again(level, method)

    def _again(self, level: float, method: str | None) -> Estimate:
        if self.recompute is None:
            raise ArgumentError(f"{self.name} cannot be asked again: it does not carry its data.")
        return self.recompute(confidence_level=level, method=None if method is None else check_text(method, "method"))

    def p_value_against(self, null: float | None = None, *, method: str | None = None) -> float:
        """Return the two-sided p-value of a stated value, by default that of a useless classifier: the baseline.

        It is the error at which the interval (of this method) just reaches that value, so that it is below 5% exactly
        if the 95% interval excludes it. With `method="delong"` it is the z-test of the AUROC. Never below 1e-15.
        Metrics of the best threshold and of hulls are never below chance. Against that they have a test of their own,
        of labels dealt out anew or of Kolmogorov and Smirnov: below 2.5% wherever the 95% interval leaves chance out.

        Examples
        --------
        >>> import unconfuse as uc
        >>> recall = uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31)["sensitivity"]
        >>> print(f"{recall.p_value_against(.75):.4f}")
        0.0193
        """
        goal = self.baseline if null is None else check_number(null, "null")
        if math.isnan(goal):
            raise ArgumentError(f"{self.name} has no baseline here. Hint: state a value, `null=...`.")
        if math.isnan(self.value) or goal == self.value:
            return math.nan if math.isnan(self.value) else 1.0
        if self.ask_chance is not None and method is None and goal == self.baseline:
            return max(self.ask_chance(), _LEAST)
        lowest, highest = math.log(_LEAST), 0.0
        while highest - lowest > _NEAR:
            middle = (lowest + highest) / 2
            estimate = self._again(1 - math.exp(middle), method)
            if math.isnan(estimate.low):
                return math.nan
            lowest, highest = (middle, highest) if estimate.low <= goal <= estimate.high else (lowest, middle)
        return math.exp(highest)

    @property
    def interval_text(self) -> str:
        """The interval for reading, or nothing if there is none."""
        if math.isnan(self.low) and math.isnan(self.high):
            return ""
        low, high = interval_words(self.low, self.high)
        return f"[{low}, {high}]"

    @property
    def value_text(self) -> str:
        """The value for reading, with as many decimals as its interval."""
        ends = [end for end in (self.low, self.high) if math.isfinite(end)]
        return interval_words(self.value, max(ends, key=abs, default=self.value))[0]

    @property
    def range_text(self) -> str:
        """The interval with its level, for a sentence: "95% interval 0.1 to 0.2"; nothing if there is none."""
        if math.isnan(self.low) and math.isnan(self.high):
            return ""
        low, high = interval_words(self.low, self.high)
        return f"{self.confidence_level * 100:.4g}% interval {low} to {high}"

    def bound_text(self, digits: int = 6) -> str:
        """Between which numbers the exact value certainly lies, for reading; nothing if the value is exact."""
        if (
            self.binning_bounds is None
            or math.isnan(self.binning_bounds[0])
            or self.binning_bounds[0] == self.binning_bounds[1]
        ):
            return ""
        return (
            f"{_outward(self.binning_bounds[0], math.floor, digits)} to "
            f"{_outward(self.binning_bounds[1], math.ceil, digits)}"
        )

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Return plain values, fit for strict JSON: NaN is None, and infinities are texts."""
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "method": self.method,
            "confidence_level": self.confidence_level,
            "baseline": self.baseline,
            "undefined": self.undefined,
            **(
                {}
                if self.binning_bounds is None
                else {"bound_low": self.binning_bounds[0], "bound_high": self.binning_bounds[1]}
            ),
        }

    def __str__(self) -> str:
        if self.undefined:
            return f"{self.name} undefined: {self.undefined}"
        parts = [f"{self.name} {number_text(self.value)}"]
        if self.interval_text:
            parts.append(f"{self.interval_text} {self.confidence_level * 100:.4g}%")
        parts.append(self.method)
        text = " ".join(part for part in parts if part) + (f", {self.conditions}" if self.conditions else "")
        return f"{text}, exact value certainly {self.bound_text()}" if self.bound_text() else text

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return _html_repr.card(self.name, self.row_html(), notes=[self.undefined or "", self.conditions])

    def cells_html(self, span: tuple[float, float] | None, baseline: float) -> list[str]:
        """Name, value, interval and a bar over a span: what a line of any card begins with."""
        shown = _html_repr.bar(self.value, self.low, self.high, span, baseline)
        return [_html_repr.text(self.label.split(" (")[0], 28), number_text(self.value), self.interval_text, shown]

    def row_html(self) -> str:
        """Value, interval and a bar from the lowest to the highest of its numbers, chance included; for notebooks."""
        ends = [each for each in (self.value, self.low, self.high, self.baseline) if math.isfinite(each)]
        span = (min(ends), max(ends)) if ends else None
        level = f"{self.confidence_level * 100:.4g}% {self.method}" if self.interval_text else self.method
        numbers = [_html_repr.text(self.label), number_text(self.value), self.interval_text, _html_repr.text(level, 36)]
        shown = _html_repr.bar(self.value, self.low, self.high, span, self.baseline)
        ticks = [f"{number_text(span[0])} to {number_text(span[1])}"] if span and shown else [""]
        return _html_repr.table([], [[*numbers, shown, f'<span class="uc-q">{ticks[0]}</span>']], numbers=[1])

    p_against = renamed("p_value_against")
    of = renamed("from_interval")
    bound = renamed("binning_bounds")
    context = renamed("conditions")


@dataclass(frozen=True)
class Finding:
    """A statement in plain words, with the rule it comes from and the numbers it rests on."""

    rule: str
    verdict: str
    sentence: str
    numbers: Mapping[str, float] = field(default_factory=dict)

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"rule": self.rule, "verdict": self.verdict, "sentence": self.sentence, "numbers": dict(self.numbers)}

    def __str__(self) -> str:
        return self.sentence


def _outward(value: float, rounding: Callable[[float], float], digits: int = 6) -> str:
    """Round an end of a bound away from the value: what is printed still holds.

    >>> _outward(0.12345678, math.floor), _outward(0.12345678, math.ceil), _outward(math.inf, math.ceil)
    ('0.123456', '0.123457', 'inf')
    """
    if not math.isfinite(value):
        return number_text(value)
    return f"{rounding(value * 10**digits) / 10**digits:.{digits}f}"
