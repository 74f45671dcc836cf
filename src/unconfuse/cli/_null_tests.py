"""`--null METRIC=VALUE`: is a metric more than chance away from a stated value?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import click

from unconfuse._formatting import number_text, p_text
from unconfuse._parameters.uncertainty import NULLS
from unconfuse.cli import _options
from unconfuse.results.evaluation import Evaluation
from unconfuse.uncertainty.estimate import Estimate

null_option = _options.option(NULLS)


@dataclass(frozen=True)
class NullTest:
    """A metric, a stated value, and the p-value of the hypothesis that it is the true one."""

    estimate: Estimate
    null: float
    p_value: float

    @property
    def sentence(self) -> str:
        """The test in plain words."""
        estimate, level = self.estimate, 1 - self.estimate.confidence_level
        name = f"{estimate.label} {number_text(estimate.value)} {estimate.interval_text}"
        if math.isnan(self.p_value):
            return f"{name}: no test of {number_text(self.null)} is possible."
        if self.p_value >= level:
            return f"{name} could be {number_text(self.null)} ({p_text(self.p_value)})."
        if estimate.low <= self.null <= estimate.high:  # a sentence says no more than the interval beside it
            null, p = number_text(self.null), p_text(self.p_value)
            return f"{name} could still be {null}: the interval includes it, though the test of chance gives {p}."
        side = "above" if estimate.value > self.null else "below"
        return f"{name} is {side} {number_text(self.null)}, by more than chance would give ({p_text(self.p_value)})."

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        values = {"metric": self.estimate.name, "value": self.estimate.value, "null": self.null}
        return values | {"p_value": self.p_value, "method": self.estimate.method, "sentence": self.sentence}


def tests_of(evaluation: Evaluation, nulls: list[str] | None) -> list[NullTest]:
    """What the options ask, answered by the intervals that are shown."""
    null_tests = []
    for each in nulls or ():
        name, given, value = each.partition("=")
        estimate = evaluation[name.strip()]
        null = _options.SHARE.convert(value, None, None) if given else estimate.baseline
        if math.isnan(null):
            raise click.UsageError(f"{name} has no chance level here. Hint: state a value, --null {name}=0.5.")
        null_tests.append(NullTest(estimate, null, estimate.p_value_against(null)))
    return null_tests
