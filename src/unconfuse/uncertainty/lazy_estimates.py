"""Estimates that are made when they are asked for: of the many parts of a sample few are ever looked at."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView

from unconfuse.metrics import Metric
from unconfuse.table import Sample, Settings
from unconfuse.uncertainty.engine import estimate
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.strategies import strategy_of


class LazyEstimates(Mapping[str, Estimate]):
    """Estimates of metrics that are made when they are first asked for; those that share resamples are made together.

    Whoever asks for all of them, by `items` or `values`, has them made together.

    >>> import numpy as np
    >>> from unconfuse.metrics import METRICS
    >>> from unconfuse.table import InMemorySample
    >>> sample = InMemorySample(truth=np.array([True, False] * 9), scores={"s": np.linspace(1, 0, 18)}, classes=(0, 1))
    >>> round(LazyEstimates([METRICS["auroc"]], sample, Settings())["auroc"].value, 3)
    0.556
    """

    def __init__(self, metrics: Iterable[Metric], sample: Sample, design: Settings) -> None:
        self._metrics, self._sample, self._design = {each.name: each for each in metrics}, sample, design
        self._made: dict[str, Estimate] = {}

    def __getitem__(self, name: str) -> Estimate:
        if name not in self._made:
            metric = self._metrics[name]
            some = [metric] if self._alone(metric) else [m for m in self._metrics.values() if not self._alone(m)]
            self._made |= estimate(some, self._sample, self._design)
        return self._made[name]

    def items(self) -> ItemsView[str, Estimate]:
        """All of them, made together."""
        self._make_all()
        return super().items()

    def values(self) -> ValuesView[Estimate]:
        """All of them, made together."""
        self._make_all()
        return super().values()

    def _make_all(self) -> None:
        missing = [each for name, each in self._metrics.items() if name not in self._made]
        if missing:
            self._made |= estimate(missing, self._sample, self._design)

    def _alone(self, metric: Metric) -> bool:
        return not self._sample.is_multiclass and strategy_of(self._sample).separately(metric)

    def __contains__(self, name: object) -> bool:
        return name in self._metrics

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)
