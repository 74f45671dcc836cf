"""Do the labelled and the real positives differ otherwise? B = 1/2 only says that neither tends to score higher."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from unconfuse._formatting import number_text, share_words, strict_json
from unconfuse.metrics import Metric
from unconfuse.table import Array, ScoreTable, Settings
from unconfuse.uncertainty.bootstrap import banded, bootstrapped
from unconfuse.uncertainty.estimate import Estimate


@dataclass(frozen=True)
class ScoreSetDifference:
    """How the scores of the labelled cases and of the real positives differ, apart from which are higher.

    Attributes
    ----------
    threshold : float
    spread_ratio : Estimate
        Standard deviation of the labelled cases' scores over that of the real positives'; 1 if they spread alike.
    distance : float
        The largest difference of the two distribution functions (Kolmogorov-Smirnov).
    share_below : float
        Share of the real positives that score below the threshold, where no labelled case can be.
    """

    threshold: float
    spread_ratio: Estimate
    distance: float
    share_below: float

    @property
    def sentence(self) -> str:
        """In plain words."""
        ratio = self.spread_ratio
        verdict = (
            "so the labelled scores are less spread out than the real ones"
            if ratio.high < 1
            else "so the labelled scores are more spread out than the real ones"
            if ratio.low > 1
            else "so a different spread cannot be shown"
        )
        return (
            f"Neither set tends to score higher, but {share_words(self.share_below)} of the real positives score below "
            f"{number_text(self.threshold)}, where no labelled case is; the labelled scores have "
            f"{number_text(ratio.value, 2)} times the standard deviation of the real ones "
            f"({ratio.interval_text[1:-1]}), {verdict}. The two distributions are at most {self.distance:.0%} apart."
        )

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {"spread_ratio": self.spread_ratio.as_dict(), "sentence": self.sentence}

    def __str__(self) -> str:
        return self.sentence


def compare_sets(
    table: ScoreTable, threshold: float, settings: Settings, *, fixed_classes: bool = False
) -> ScoreSetDifference:
    """Compare the scores from `threshold` on with those of the positives, in spread and in shape.

    >>> table = ScoreTable(np.arange(6., 0, -1), np.array([3., 3, 2, 1, 1, 0]), np.array([0., 1, 1, 2, 4, 8]))
    >>> found = compare_sets(table, 4, Settings(n_resamples=200))
    >>> round(found.spread_ratio.value, 3), round(found.distance, 3), found.share_below
    (0.605, 0.2, 0.2)
    """
    labelled, small = table.score >= threshold, banded(table)

    def ratio(tables: ScoreTable) -> Array:
        cases = (tables.positives + tables.negatives) * (tables.score >= threshold)
        return _deviation(tables.score, cases) / _deviation(tables.score, tables.positives)

    metric = Metric("spread_ratio", ratio, of="ranks", range=(0.0, np.inf), better="neither")
    drawn = bootstrapped(small, [metric], settings.n_resamples, fixed_classes=fixed_classes, seed=settings.seed)
    kept, tail = drawn[metric.name][np.isfinite(drawn[metric.name])], (1 - settings.confidence_level) / 2
    low, high = np.quantile(kept, [tail, 1 - tail]).tolist() if len(kept) else (np.nan, np.nan)
    limits = low, high, "percentile bootstrap"
    spread = Estimate.from_interval(metric, float(ratio(table)), limits, settings.confidence_level)
    shown, real = (_shares(each) for each in ((table.positives + table.negatives) * labelled, table.positives))
    below = float(table.positives[~labelled].sum() / table.n_positives)
    return ScoreSetDifference(float(threshold), spread, float(np.abs(shown - real).max()), below)


def _shares(weights: Array) -> Array:
    return np.asarray(np.cumsum(weights) / weights.sum())


def _deviation(score: Array, weights: Array) -> Array:
    """Weighted standard deviation along the last axis; NaN where nothing varies."""
    total = weights.sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (weights * score).sum(axis=-1, keepdims=True) / total
        spread = np.sqrt((weights * (score - mean) ** 2).sum(axis=-1) / total[..., 0])
    return np.where(spread > 0, spread, np.nan)
