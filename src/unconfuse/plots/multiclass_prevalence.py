"""A metric of several classes where one of them is rare: what becomes of it, the classifier being the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._html_repr import COLOURS
from unconfuse._scipy_special import ndtri
from unconfuse._validate import check_probability
from unconfuse.ingest import Data, read
from unconfuse.metrics import Metric, find_metric
from unconfuse.plots._primitives import trace
from unconfuse.plots._style import new_axes, points
from unconfuse.plots.metric_by_prevalence import limit_to_range
from unconfuse.table import Array, InMemorySample

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CASES, _CLASSES = 400, 3
_AUROCS = np.array([0.51, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.94, 0.97, 0.99])


def plot_multiclass_metric(
    metric: str | Metric, *, shares: Sequence[float] = (0.01, 0.1, 1 / 3), ax: Axes | None = None
) -> Axes:
    """Draw a metric of three classes where one of them is 1%, 10% and a third of all cases, of the same classifier.

    The other two classes share the rest. Each class has a score of its own, normal in every class and higher in its
    own, by as much as the AUROC between two classes says. Stated probabilities are right where the classes are equally
    common, and are not made anew elsewhere.

    Examples
    --------
    >>> ax = plot_multiclass_metric("f1_macro")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['one class is 1%', 'one class is 10%', 'one class is 33%']
    """
    found = find_metric(metric, several=True)
    rare = [check_probability(each, "shares") for each in shares]
    if not rare or not all(0 < each < 1 for each in rare):
        raise ArgumentError(f"`shares` must lie between 0 and 1; got {list(shares)}.")
    ax = new_axes(ax, title=found.label, x="AUROC between two classes", y=found.label.split(" (")[0])
    for place, share in enumerate(rare if found.depends_on_prevalence else rare[:1]):
        words = f"one class is {100 * share:.2g}%" if found.depends_on_prevalence else "whatever the shares of classes"
        trace(ax, _AUROCS, np.array(list(_values(found, share))), place, COLOURS[place % len(COLOURS)], label=words)
    limit_to_range(ax, found)
    ax.legend(frameon=False, fontsize=points(8))
    return ax


def _values(metric: Metric, share: float) -> Iterator[float]:
    for area in _AUROCS:
        sample = _sample(float(area), share)
        yield float(metric(sample.cells(sample.only_model) if metric.of == "cells" else sample))


@lru_cache(maxsize=64)
def _sample(auroc: float, share: float) -> InMemorySample:
    """Make the same cases for every quality and share: only the distance between classes, and their weights, change."""
    truth = np.repeat(np.arange(_CLASSES), _CASES)
    apart = float(np.sqrt(2) * ndtri(auroc))
    latent = _even() + apart * np.eye(_CLASSES)[truth]
    weights = _CASES * np.repeat([share, (1 - share) / 2, (1 - share) / 2], _CASES)
    return read(Data(truth, _stated(apart * latent), weights=weights)).rows_for("this picture")


def _even() -> Array:
    """Return normal values, evenly spread in each class and column, in an order that nothing depends on."""
    normal = ndtri((np.arange(_CASES) + 0.5) / _CASES)
    draws = np.random.default_rng(0)
    columns = [[draws.permutation(normal) for _ in range(_CLASSES)] for _ in range(_CLASSES)]
    return np.concatenate([np.stack(each, axis=1) for each in columns])


def _stated(logit: Array) -> Array:
    """Logits as probabilities that add up to one; far below the largest, none is quite 0."""
    odds = np.exp(logit - logit.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))
