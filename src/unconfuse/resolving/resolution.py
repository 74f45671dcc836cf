"""How finely one metric resolves: from samples and a signal curve to kappa."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from unconfuse import _html_repr
from unconfuse._formatting import frame_of, number_text, strict_json, with_numbers
from unconfuse.metrics import name_among
from unconfuse.resolving.signal_curve import SignalCurve
from unconfuse.table import Array

K = TypeVar("K")
# A distance of 0 would claim that any difference is resolved, where nothing can be known of it.
NO_SPREAD = "both limits of its samples map to the same value"


@dataclass(frozen=True)
class Resolution:
    """How finely one metric resolves classifiers of one quality.

    Attributes
    ----------
    at, value : float
        AUROC of the classifier, and the metric there with infinitely many cases.
    low, high : float
        Limits between which the metric of a sample falls with the confidence level.
    mapped_low, mapped_high : float
        The same limits on the reference scale.
    kappa : float
        Their distance: the resolution. NaN where the signal curve cannot be inverted.
    delta : float
        How much larger kappa is than that of the reference metric, as a share of it.
    mc_error, delta_error : float
        Standard errors of kappa and delta from the finite number of simulated samples; 0 without simulation.
    theory_error : float
        How far kappa from theory is from that of a few samples; 0 for other methods and where theory is exact.
    sd : float
        Standard deviation of the metric over samples.
    clipped : str
        "", or which limits lie beyond the end of the signal curve and were put there: "low", "high" or "low and high".
    undefined : str or None
        Why there is no kappa.
    """

    metric: str
    at: float
    value: float
    low: float = math.nan
    high: float = math.nan
    mapped_low: float = math.nan
    mapped_high: float = math.nan
    sd: float = math.nan
    kappa: float = math.nan
    delta: float = math.nan
    mc_error: float = 0.0
    delta_error: float = 0.0
    clipped: str = ""
    undefined: str | None = None
    method: str = "full"
    theory_error: float = 0.0

    @property
    def resolving_power(self) -> float:
        """1/kappa."""
        return 1 / self.kappa if self.kappa > 0 else math.nan

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**asdict(self), "resolving_power": self.resolving_power}

    def __repr__(self) -> str:
        start = f"{self.metric} at AUROC {self.at:.3f}"
        if self.undefined:
            return f"{start}: no resolution, because {self.undefined}"
        shown = self.mc_error or self.theory_error
        error = f" ± {shown:.2g}" if shown else ""
        clipped = f"; {self.clipped} limit clipped at the end of the signal curve" if self.clipped else ""
        return (
            f"{start}: kappa {number_text(self.kappa, 4)}{error} [{number_text(self.mapped_low, 4)}, "
            f"{number_text(self.mapped_high, 4)}], resolving power {self.resolving_power:.3g}{clipped}"
        )

    def _repr_html_(self) -> str:
        return _html_repr.card(self.metric, verdict=str(self))


def batch_error(values: Array) -> float:
    """Return the standard error of the mean over batches."""
    return float(np.std(values, ddof=1) / math.sqrt(len(values)))


def ratio_of(kappa: float | Array, base: float | Array) -> Any:
    """How many times as coarse; NaN where the base has no distance."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.asarray(base) > 0, np.divide(kappa, base), np.nan)[()]


def resolution_of(
    curve: SignalCurve,
    drawn: Array,
    level: float,
    at: float,
    value: float,
    sd: float,
    mapping: str = "interpolate",
    batches: int = 25,
) -> tuple[Resolution, Array]:
    """Map the quantiles of sampled values through the signal curve; also return kappa in each batch of the samples.

    Nothing is mapped where the metric is itself the reference.
    """
    known = partial(Resolution, curve.name, at, value, sd=sd, mc_error=math.nan)
    defined, unknown = drawn[np.isfinite(drawn)], np.full(batches, np.nan)
    if len(defined) < 0.9 * len(drawn):
        return known(undefined=f"{curve.name} is undefined in many samples"), unknown
    tails = [(1 - level) / 2, (1 + level) / 2]
    limits = np.quantile(defined, tails)
    low, high = limits.tolist()
    parts = np.stack([np.quantile(each, tails) for each in np.array_split(defined, batches)])
    (start, end), clipped = (low, high), ""
    if curve.name != curve.reference_name:
        if curve.not_invertible_reason:
            return known(low, high, undefined=curve.not_invertible_reason), unknown
        start, end = sorted(curve.to_reference(limits, mapping).tolist())
        sides = ("low", "high") if curve.is_increasing else ("high", "low")
        clipped = " and ".join(side for side, out in zip(sides, curve.clips(limits), strict=True) if out)
        parts = curve.to_reference(parts)
    kappa, kappas = abs(end - start), np.ptp(parts, axis=1)
    if kappa == 0:
        return known(low, high, start, end, clipped=clipped, undefined=NO_SPREAD), unknown
    return known(low, high, start, end, kappa=kappa, mc_error=batch_error(kappas), clipped=clipped), kappas


@dataclass(frozen=True, eq=False, repr=False)
class Resolutions(Mapping[K, Resolution]):
    """The resolution of several metrics, and the signal curves behind them."""

    resolutions: Mapping[K, Resolution]
    curves: Mapping[str, SignalCurve]

    def __iter__(self) -> Iterator[K]:
        return iter(self.resolutions)

    def __len__(self) -> int:
        return len(self.resolutions)

    def signal_curve(self, name: str) -> SignalCurve:
        """Return the curve of the metric against the reference scale."""
        return self.curves[name_among(self.curves, name)]

    def rows(self) -> list[dict[str, Any]]:
        """One row of plain values for each resolution."""
        return [with_numbers(resolution) for resolution in self.values()]

    def to_frame(self) -> Any:
        """Return a data frame with one row for each resolution."""
        return frame_of(self.rows())
