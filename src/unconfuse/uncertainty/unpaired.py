"""Differences of models that were judged on different cases: published tables, or test sets that share no case."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from unconfuse.metrics import Metric
from unconfuse.table import Design, Sample
from unconfuse.uncertainty.contrasts import UNDEFINED, USUAL_LEVEL, Found, Pair, error_of, twice_the_error
from unconfuse.uncertainty.engine import estimate
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.independent import Side, independent_difference
from unconfuse.uncertainty.significance import Joint, bonferroni, correlated, correlation_of, stepped_down


class Unpaired:
    """The same questions as `Paired` answers, of samples whose errors are independent."""

    def __init__(
        self,
        metrics: Sequence[Metric],
        samples: Mapping[str, Sample],
        pairs: Sequence[Pair],
        design: Design,
        adjust: str,
    ):
        self.samples, self.pairs, self.design, self.adjust = samples, pairs, design, adjust
        self._own = {name: estimate(metrics, sample, design) for name, sample in samples.items()}
        self.values = {each.name: {name: own[each.name].value for name, own in self._own.items()} for each in metrics}

    def differences(self, metric: Metric) -> list[Found]:
        """Of all pairs in one metric, with p-values and intervals that hold for all of them at once."""
        level = self.design.confidence_level
        found = [self._difference(metric, pair, level) for pair in self.pairs]
        known = [place for place, each in enumerate(found) if not math.isnan(each.p_value)]
        levels, adjusted = [level] * len(found), [each.p_value for each in found]
        if len(known) > 1:
            joint = bonferroni if self.adjust == "holm" else self._joint(metric, [self.pairs[each] for each in known])
            raised, errors = stepped_down(np.array([found[each].p_value for each in known]), 1 - level, joint)
            for place, p, error in zip(known, raised, errors, strict=True):
                adjusted[place], levels[place] = float(p), 1 - float(error)
                found[place] = self._difference(metric, self.pairs[place], levels[place])
        return [replace(each, adjusted=p, level=own) for each, p, own in zip(found, adjusted, levels, strict=True)]

    def _joint(self, metric: Metric, pairs: Sequence[Pair]) -> Joint:
        """Pairs that share a model vary together."""
        models = sorted({model for pair in pairs for model in pair})
        errors = [self._own[model][metric.name] for model in models]
        spread = np.diag([np.nan_to_num(_half_width(each)) ** 2 for each in errors])
        contrasts = np.array([[float(m == one) - float(m == other) for m in models] for one, other in pairs])
        return correlated(correlation_of(contrasts @ spread @ contrasts.T), self.design.seed)

    def _difference(self, metric: Metric, pair: Pair, level: float) -> Found:
        wide, narrow, usual = (
            independent_difference(metric, *(self._side(metric, model, each) for model in pair), by_ratio=False)
            for each in (level, twice_the_error(level), USUAL_LEVEL)
        )
        if not math.isfinite(wide.value):
            return UNDEFINED
        error = error_of(usual.low, usual.high)
        method = wide.method.replace("subgroups", "cases")
        inner = narrow.low, narrow.high
        return Found(wide.value, error, wide.low, wide.high, method, wide.p_value, wide.test, inner)

    def _side(self, metric: Metric, model: str, level: float) -> Side:
        sample, own = self.samples[model], self._own[model][metric.name]
        if level != own.confidence_level and own.undefined is None:
            own = own.interval(confidence_level=level)
        return Side(model, own, sample.table() if sample.has_scores else None)


def _half_width(found: Estimate) -> float:
    return found.standard_error if found.standard_error > 0 else (found.high - found.low) / 4
