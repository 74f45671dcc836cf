"""Answers that a judge scored, some of them checked by people: corrected means and differences, and what it adds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unconfuse._formatting import short_repr
from unconfuse._scipy_special import stdtr, stdtrit
from unconfuse.multilevel.items import mean_of
from unconfuse.multilevel.rated_items import RaterCorrectedMean, corrected, difference_error, share_limits
from unconfuse.table import Array
from unconfuse.uncertainty.estimate import Estimate


@dataclass(frozen=True)
class ItemRater:
    """One model's judge: its own mean, agreement on checked answers, and how much narrower it makes the interval.

    `narrowing` is the width of the interval over that of the checked answers alone: 1 if the judge adds nothing.
    """

    judged: float
    agreement: float
    checked: int
    trust: float
    narrowing: float


@dataclass(frozen=True, eq=False)
class VerifiedItems:
    """What people (`truth`, NaN where they did not look) and the judge said, of items by models."""

    truth: Array
    judged: Array

    def corrected(self, truth: Array, judged: Array) -> RaterCorrectedMean:
        """Return the mean that people would have found, from one column of each."""
        checked = ~np.isnan(truth)
        return corrected(truth[checked], judged[checked], judged[~checked])

    def estimate(self, place: int, model: str, name: str, level: float, ask: Callable[..., Estimate]) -> Estimate:
        """Return a model's corrected mean."""
        mean = self.corrected(self.truth[:, place], self.judged[:, place])
        low, high = share_limits(mean.value, mean.standard_error, mean.checked, level)
        value = min(max(mean.value, 0.0), 1.0)
        context = (
            f"{short_repr(model)} on {len(self.truth):,} rated items, {mean.checked:,} checked; for new items "
            "like these"
        )
        method = "Korn-Graubard (PPI++)"
        return Estimate(
            name,
            model,
            value,
            min(low, value),
            max(high, value),
            level,
            method,
            conditions=context,
            standard_error=mean.standard_error,
            recompute=ask,
        )

    def difference(
        self, first: int, second: int, names: tuple[str, str], level: float, n_pairs: int
    ) -> tuple[Estimate, float, float]:
        """Return the corrected difference of two models (Bonferroni over all pairs), its p-value, and that alone.

        `names` are the estimate's name and label.
        """
        truth = self.truth[:, first] - self.truth[:, second]
        both = int((~np.isnan(truth)).sum())
        if both < 2:
            reason = f"{both} of the checked items are checked for both models"
            none = Estimate(*names, math.nan, math.nan, math.nan, level, undefined=reason)
            return none, math.nan, math.nan
        mean = self.corrected(truth, self.judged[:, first] - self.judged[:, second])
        error = difference_error(mean)
        reach = -float(stdtrit(mean.checked - 1, (1 - level) / 2 / n_pairs)) * error
        value = min(max(mean.value, -1.0), 1.0)
        together = "" if n_pairs == 1 else f", all {n_pairs} pairs together"
        context = f"{len(self.truth):,} rated items, {both:,} checked for both{together}; for new items like these"
        method = "paired t (PPI++)" if n_pairs == 1 else "paired t (PPI++), Bonferroni"
        made = Estimate(
            *names,
            value,
            max(-1.0, value - reach),
            min(1.0, value + reach),
            level,
            method,
            conditions=context,
            standard_error=error,
        )
        alone = float(2 * stdtr(mean.checked - 1, -abs(value) / error))
        return made, min(1.0, n_pairs * alone), alone

    def of(self, place: int, level: float) -> ItemRater:
        """Return what the judge is worth for one model."""
        truth, judged = self.truth[:, place], self.judged[:, place]
        checked = ~np.isnan(truth)
        mean = self.corrected(truth, judged)
        alone = corrected(truth[checked], judged[checked], np.empty(0))
        widths = [
            np.diff(share_limits(each.value, each.standard_error, each.checked, level))[0] for each in (mean, alone)
        ]
        agreement = 1 - mean_of(np.abs(truth[checked] - judged[checked]))
        return ItemRater(mean_of(judged), agreement, mean.checked, mean.trust, float(widths[0] / widths[1]))

    def as_dict(self, models: Sequence[str], level: float) -> dict[str, Any]:
        """Plain values, by model."""
        return {model: vars(self.of(place, level)) for place, model in enumerate(models)}
