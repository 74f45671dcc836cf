"""Differences of models that hold at every look at data that grow."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from unconfuse._scipy_special import ndtri
from unconfuse.metrics import Metric
from unconfuse.table import IndependentSamples, Sample, Settings
from unconfuse.table.looks import Critical
from unconfuse.uncertainty.difference_tests import Joint, bonferroni
from unconfuse.uncertainty.sequential import level_at, p_at, reject_looks, size_of, too_few, words_of
from unconfuse.uncertainty.simultaneous import (
    ContrastFamily,
    Draft,
    Limits,
    Pair,
    SimultaneousResult,
    held_at,
    undefined,
)

_HALVINGS = 20  # of the way to the critical value at which an interval reaches 0


class RepeatedPairs(ContrastFamily):
    """Differences at one of several looks: each pair by its usual method with a wider reach.

    Several pairs divide the error among them (Bonferroni; Holm's steps for p-values if asked for): how looks and pairs
    vary together is not worked out. All pairs count, also those that have no test at this look: how the error is
    divided must not change from look to look.
    """

    def __init__(
        self,
        make: Callable[[Settings], ContrastFamily],
        sample: Sample | IndependentSamples,
        pairs: Sequence[Pair],
        design: Settings,
        adjust: str,
    ) -> None:
        assert design.looks is not None
        reject_looks(sample, design.looks, comparing=True)
        self.sample, self.pairs, self.design, self.adjust = sample, pairs, design, adjust
        self._looks, self._n = design.looks, size_of(sample)
        self._level = level_at(design.looks, self._n, design.confidence_level, len(pairs))
        self._usual = make(replace(design, looks=None).with_confidence_level(self._level))
        self.values = self._usual.values
        self._drafts: dict[tuple[str, Pair], Draft] = {}

    def joint(self, metric: Metric, drafts: Sequence[Draft], *, sides: int = 2) -> Joint:
        """Return Bonferroni's: nothing is assumed of how pairs vary together over the looks."""
        return bonferroni

    def draft(self, metric: Metric, pair: Pair) -> Draft:
        """Return one difference, whose limits at a level reach as far as holds at all looks together."""
        key = metric.name, pair
        if key not in self._drafts:
            self._drafts[key] = self._at_this_look(metric, pair)
        return self._drafts[key]

    def differences(self, metric: Metric) -> list[SimultaneousResult]:
        """Return those of all pairs in one metric, with p-values and intervals that hold for all looks and pairs."""
        drafts, error = [self.draft(metric, pair) for pair in self.pairs], 1 - self.design.confidence_level
        adjusted = _adjusted([draft.p_value for draft in drafts], step_down=self.adjust == "holm")
        return [
            held_at(draft, draft.limits(self._level), p, error, self._level)
            for draft, p in zip(drafts, adjusted, strict=True)
        ]

    def claims(self, metric: Metric, margin: float) -> list[tuple[bool, bool]]:
        """Return of all pairs whether they surely lie within a margin, and the first surely is not worse by it."""
        found = []
        for pair in self.pairs:
            low, high = self.draft(metric, pair).limits(self._level.narrower)
            least = -high if metric.better == "lower" else low
            found.append((-margin < low and high < margin, least > -margin))
        return found

    def _at_this_look(self, metric: Metric, pair: Pair) -> Draft:
        usual = self._usual.draft(metric, pair)
        if math.isnan(usual.value):
            return usual
        few = "" if metric.inference.paired == "all" else too_few(self.sample)
        if few or math.isnan(usual.limits(self._level)[0]):
            return undefined(usual.value, few or usual.method)

        def ends(level: float) -> Limits:
            critical = level if isinstance(level, Critical) else level_at(self._looks, self._n, level)
            return usual.limits(critical)

        z = min(self._reached(usual), self._z_of_test(metric, pair, usual))
        p = p_at(self._looks, self._n, self.design.confidence_level, z, len(self.pairs))
        method = usual.method + f", {words_of(self._looks, self._level, self.design.confidence_level)}"
        return Draft(usual.value, usual.standard_error, method, p, f"{usual.test}, at every look", ends)

    def _reached(self, usual: Draft) -> float:
        """Return how many standard errors 0 lies away: the reach at which the interval touches it."""
        if usual.excludes(usual.limits(self._level)):
            return math.inf
        low, high = 0.0, self._level.z
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if usual.excludes(usual.limits(Critical(middle, middle))) else (low, middle)
        return low

    def _z_of_test(self, metric: Metric, pair: Pair, usual: Draft) -> float:
        """Return the test's p-value as a number of standard errors; resamples do not reach so far and have none."""
        p = self._usual.p_far_out(metric, pair, usual)
        if math.isnan(p):
            return math.inf
        return float(-ndtri(max(p, 1e-300) / 2))


def _adjusted(p_values: Sequence[float], *, step_down: bool) -> list[float]:
    """Return p-values for all pairs at once, by Bonferroni or by Holm; a pair without one counts among them.

    >>> _adjusted([.01, .04, .03], step_down=True), _adjusted([.01, .04], step_down=False)
    ([0.03, 0.06, 0.06], [0.02, 0.08])
    """
    known = sorted((p, place) for place, p in enumerate(p_values) if not math.isnan(p))
    found, highest, n = [math.nan] * len(p_values), 0.0, len(p_values)
    for rank, (p, place) in enumerate(known):
        highest = max(highest, min(1.0, p * (n - rank if step_down else n)))
        found[place] = highest if step_down else min(1.0, p * n)
    return found
