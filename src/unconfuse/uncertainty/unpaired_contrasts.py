"""Differences of models that were judged on different cases: published tables, or test sets that share no case."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from unconfuse.metrics import Metric
from unconfuse.table import Sample, Settings
from unconfuse.uncertainty.contrast_ways import USUAL_LEVEL, error_of
from unconfuse.uncertainty.difference_tests import Joint, bonferroni, correlated, correlation_of
from unconfuse.uncertainty.engine import estimate
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.independent_contrast import ContrastSide, independent_difference
from unconfuse.uncertainty.simultaneous import ContrastFamily, Draft, Limits, Pair, undefined


class UnpairedContrasts(ContrastFamily):
    """The same questions as `Paired` answers, of samples whose errors are independent."""

    def __init__(
        self,
        metrics: Sequence[Metric],
        samples: Mapping[str, Sample],
        pairs: Sequence[Pair],
        design: Settings,
        adjust: str,
    ):
        self.samples, self.pairs, self.design, self.adjust = samples, pairs, design, adjust
        self._own = {name: estimate(metrics, sample, design) for name, sample in samples.items()}
        self.values = {each.name: {name: own[each.name].value for name, own in self._own.items()} for each in metrics}

    def joint(self, metric: Metric, drafts: Sequence[Draft], *, sides: int = 2) -> Joint:
        """Pairs that share a model vary together."""
        pairs = [pair for pair, each in zip(self.pairs, drafts, strict=True) if not math.isnan(each.p_value)]
        if self.adjust == "holm" or len(pairs) < 2:
            return bonferroni
        models = sorted({model for pair in pairs for model in pair})
        errors = [self._own[model][metric.name] for model in models]
        spread = np.diag([np.nan_to_num(_half_width(each)) ** 2 for each in errors])
        contrasts = np.array([[float(m == one) - float(m == other) for m in models] for one, other in pairs])
        return correlated(correlation_of(contrasts @ spread @ contrasts.T), self.design.seed, sides=sides)

    def draft(self, metric: Metric, pair: Pair) -> Draft:
        """One difference, whose limits follow from both models' own at any level."""

        def at(level: float) -> Draft:
            return independent_difference(metric, *(self._side(metric, model, level) for model in pair), by_ratio=False)

        def ends(level: float) -> Limits:
            return at(level).limits(level)

        found = at(self.design.confidence_level)
        if not math.isfinite(found.value):
            return undefined()
        method = found.method.replace("subgroups", "cases")
        return replace(found, standard_error=error_of(*ends(USUAL_LEVEL)), method=method, ends=ends, _known={})

    def _side(self, metric: Metric, model: str, level: float) -> ContrastSide:
        sample, own = self.samples[model], self._own[model][metric.name]
        if level != own.confidence_level and own.undefined is None:
            own = own.interval(confidence_level=level)
        return ContrastSide(model, own, sample.table() if sample.has_scores else None)


def _half_width(found: Estimate) -> float:
    return found.standard_error if found.standard_error > 0 else (found.high - found.low) / 4
