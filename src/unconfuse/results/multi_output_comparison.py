"""What a comparison of models on many labels, or on queries, says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from unconfuse._errors import ArgumentError, did_you_mean
from unconfuse._formatting import TabularResult, short_repr, with_numbers
from unconfuse._phrases import counted
from unconfuse._validate import public_api
from unconfuse.results.comparison import Comparison
from unconfuse.results.contrast import Contrast
from unconfuse.results.evaluate_sample import LazyEvaluations
from unconfuse.uncertainty.multi_output_intervals import size_text


@public_api
@dataclass(frozen=True, repr=False)
class MultiOutputComparison(Comparison):
    """All paired differences of models on the same whole cases, by (metric, first model, second model).

    `cmp.labels["auroc", "a", "b"]["mass"]` is the same of one label; intervals and p-values there hold for all labels
    at once (Bonferroni).

    Examples
    --------
    >>> import unconfuse as uc
    >>> rel, query = [1, 0, 0, 1], ["x", "x", "y", "y"]
    >>> found = uc.compare(rel, {"a": [.9, .1, .2, .8], "b": [.1, .9, .2, .8]}, query=query, metrics=["MRR"])
    >>> found["reciprocal_rank", "a", "b"].difference.value
    0.25
    """

    sample: Any
    evaluate: Callable[[str], Any] | None = field(default=None, kw_only=True)
    by_label: Callable[[str, str, str], Mapping[str, Contrast]] | None = field(default=None, kw_only=True)

    @property
    def thresholds(self) -> str:
        """Where each model decides; nothing of queries."""
        if not self.sample.thresholds:
            return ""
        said = []
        for model, threshold in self.sample.thresholds.items():
            how = f" ({self.sample.threshold_sources[model]})" if model in self.sample.threshold_sources else ""
            each = f"{threshold[0]:g} for all labels" if len(set(threshold.tolist())) == 1 else "one for each label"
            said.append(f"{model} {each}{how}")
        return f"Thresholds: {'; '.join(said)}."

    @property
    def settings(self) -> dict[str, Any]:
        """How differences were made."""
        how = self.design
        sizes = {"confidence_level": how.confidence_level, "n_resamples": how.n_resamples, "seed": how.seed}
        what = {"design": self.sample.sampling.label, "paired": True, **sizes}
        return {**what, "adjust": self.adjust, "margin": self.margin, **self.sample.as_settings()}

    @property
    def _largest(self) -> tuple[str, float]:
        """No class: metrics of many labels and of queries lead whatever is frequent."""
        return "", 0.0

    @property
    def decision_curves(self) -> tuple[Any, ...]:
        """None: they are of one yes-or-no question."""
        return ()

    def decision_curve(self, *names: Any, **how: Any) -> Any:
        """Refuse a curve of one yes-or-no question."""
        raise ArgumentError("a decision curve is of one yes-or-no question. Hint: compare the models on one label.")

    @cached_property
    def evaluations(self) -> LazyEvaluations:
        """Each model by itself, under the same design."""
        assert self.evaluate is not None
        return LazyEvaluations(self.models, self.evaluate)

    @property
    def labels(self) -> LabelDifferences:
        """Differences of every label, by (metric, first model, second model)."""
        if self.by_label is None:
            raise ArgumentError("there are no labels here: documents are ranked for queries.")
        return LabelDifferences(self)

    def __getstate__(self) -> dict[str, Any]:
        own = {key: vars(self)[key] for key in self.__dataclass_fields__}
        return {**own, "design": self.design.without_progress()}

    def __repr__(self) -> str:
        return (
            f"Comparison of {', '.join(self.models)}: {counted(len(self.metrics), 'metric')}, {size_text(self.sample)}"
        )


class LabelDifferences(TabularResult):
    """Differences of two models in a metric of every label: simultaneous intervals, the largest difference first."""

    def __init__(self, comparison: MultiOutputComparison) -> None:
        self._comparison = comparison

    def __getitem__(self, key: tuple[str, str, str]) -> DifferencesByLabel:
        if not isinstance(key, tuple) or len(key) != 3:
            raise ArgumentError(f"ask for (metric, first model, second model); got {short_repr(key)}.")
        metric, first, second = key
        for name in (first, second):
            if name not in self._comparison.models:
                raise ArgumentError(f"no model {short_repr(name)}. {did_you_mean(str(name), self._comparison.models)}")
        assert self._comparison.by_label is not None
        return DifferencesByLabel(self._comparison.by_label(metric, first, second))

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each label and pair of models, by AUROC; by F1 if there are no scores."""
        sample = self._comparison.sample
        metric = "auroc" if sample.has_scores else "f1"
        pairs = dict.fromkeys((contrast.first, contrast.second) for contrast in self._comparison.values())
        return [row for one, other in pairs for row in self[metric, one, other].rows()]


class DifferencesByLabel(TabularResult, Mapping[str, Contrast]):
    """The difference of two models in every label, by the label's name."""

    def __init__(self, differences: Mapping[str, Contrast]) -> None:
        self.differences = dict(differences)

    def __getitem__(self, label: str) -> Contrast:
        if label not in self.differences:
            raise ArgumentError(f"no label {short_repr(label)}. {did_you_mean(str(label), list(self.differences))}")
        return self.differences[label]

    def __iter__(self) -> Iterator[str]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row of plain values for each label."""
        return [{"of_label": name, **with_numbers(difference)} for name, difference in self.differences.items()]

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {difference.sentence}" for name, difference in self.differences.items())
