"""Moving one class against the other: how many pairs a shift puts right, without ever forming the pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse._errors import ArgumentError
from unconfuse.table import Array, ScoreTable


@dataclass(frozen=True, eq=False)
class ShiftedClasses:
    """Scores and weights of each class, ascending."""

    positive: Array
    positive_weight: Array
    negative: Array
    negatives_up_to: Array  # weight of the first 0, 1, 2, ... negatives

    @classmethod
    def of(cls, table: ScoreTable) -> ShiftedClasses:
        """Both classes of a table."""
        own, other = table.positives[::-1] > 0, table.negatives[::-1] > 0
        score, positives, negatives = (each[::-1] for each in (table.score, table.positives, table.negatives))
        return cls(
            np.ascontiguousarray(score[own]),
            np.ascontiguousarray(positives[own]),
            np.ascontiguousarray(score[other]),
            np.append(0.0, np.cumsum(negatives[other])),
        )

    @property
    def pairs(self) -> float:
        """All pairs of a positive and a negative."""
        return float(self.positive_weight.sum() * self.negatives_up_to[-1])

    def table(self, shift: float) -> ScoreTable:
        """The score table after the positives have moved."""
        up = np.ascontiguousarray(self.positive[::-1] + shift)
        own, none = np.ascontiguousarray(self.positive_weight[::-1]), np.zeros(len(self.positive))
        down, rest = np.ascontiguousarray(self.negative[::-1]), np.zeros(len(self.negative))
        weights = np.ascontiguousarray(np.diff(self.negatives_up_to)[::-1])
        return ScoreTable(*_kernels.merge_tables(up, own, none, down, rest, weights))

    def auroc(self, shift: float) -> float:
        """AUROC after the shift, ties half."""
        below, up_to = self._pairs_within(shift)
        return (below + up_to) / (2 * self.pairs)

    def _pairs_within(self, shift: float) -> tuple[float, float]:
        """Weight of pairs with negative - positive < shift, and <= shift, compared as differences.

        Whether positive + shift equals the negative depends on rounding; whether the gap equals the shift does not.
        """
        below = np.searchsorted(self.negative, self.positive + shift, side="left")
        up_to = np.searchsorted(self.negative, self.positive + shift, side="right")
        below, up_to = self._corrected(below, shift, strict=True), self._corrected(up_to, shift, strict=False)
        return tuple(float(self.positive_weight @ self.negatives_up_to[each]) for each in (below, up_to))  # type: ignore[return-value]

    def _corrected(self, index: npt.NDArray[np.intp], shift: float, *, strict: bool) -> npt.NDArray[np.intp]:
        """Move the places found by one, where rounding of the sum put them wrong."""
        last = len(self.negative) - 1
        gap_above = self.negative[np.minimum(index, last)] - self.positive
        gap_below = self.negative[np.maximum(index - 1, 0)] - self.positive
        more = (index <= last) & ((gap_above < shift) if strict else (gap_above <= shift))
        less = (index > 0) & ((gap_below >= shift) if strict else (gap_below > shift))
        return index + more - less

    def kth_gap(self, k: float, *, upwards: bool) -> float:
        """Smallest shift that puts k pairs right (or wrong): found by counting, to the last bit."""
        start_below, start = self._pairs_within(0.0)
        available = self.pairs - start if upwards else start_below
        if not 1 <= k <= available:
            raise ArgumentError(f"there are {available:g} pairs to reorder in this direction; asked for the {k:g}th.")
        sign = 1.0 if upwards else -1.0
        low, high = 0.0, float(np.ptp(np.concatenate([self.positive, self.negative])))
        while low < (middle := (low + high) / 2) < high:
            below, up_to = self._pairs_within(sign * middle)
            moved = up_to - start if upwards else start_below - below
            low, high = (low, middle) if moved >= k else (middle, high)
        return high

    def shift_for(self, auroc: float) -> float:
        """Smallest shift whose AUROC reaches the target."""
        low = float(self.negative[0] - self.positive[-1])
        high = float(self.negative[-1] - self.positive[0])
        low, high = low - 1e-3 * (high - low) - 1e-12, high + 1e-3 * (high - low) + 1e-12
        for _ in range(64):
            middle = (low + high) / 2
            low, high = (low, middle) if self.auroc(middle) >= auroc else (middle, high)
        return high

    def even_shifts(self, worst: float, near: Sequence[float], points: int) -> Array:
        """Shifts whose AUROCs are about even from `worst` to almost 1, with as many again close to `near`."""
        start, end = min(worst, min(near) - 0.02), 1 - (1 - max(near)) / 50
        coarse = np.linspace(self.shift_for(start), self.shift_for(end), 33)
        areas = np.array([self.auroc(float(shift)) for shift in coarse])
        rising = np.append(True, np.diff(areas) > 0)
        wanted = [np.linspace(areas[0], areas[-1], points // 2)]
        for each in near:
            reach = max(0.02, min(0.1, 1 - each, each - start))
            wanted.append(np.linspace(max(areas[0], each - reach), min(areas[-1], each + reach), points // 2))
        found = np.interp(np.concatenate(wanted), areas[rising], coarse[rising])
        return np.unique(np.append(found, 0.0))
