"""A metric at several prevalences: what becomes of it where positives are rare, the classifier being the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._html_repr import COLOURS, GREY
from unconfuse._scipy_special import expit, logit, ndtr, ndtri
from unconfuse._validate import check_probability
from unconfuse.ingest import Data, read
from unconfuse.metrics import Metric, find_metric
from unconfuse.plots._primitives import trace
from unconfuse.plots._style import line, new_axes, points
from unconfuse.table import Array, Counts, InMemorySample, ScoreTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_metric", "plot_multiclass_metric"]

_CASES = 2000  # of each class, as evenly spread as a normal distribution allows
_CLEAR = 1.5  # standard deviations between the classes: an AUROC of 0.86
_USUAL = 0.1  # where stated probabilities are right
_AUROCS = np.concatenate([np.linspace(0.5, 0.95, 19), [0.965, 0.98, 0.99, 0.995]])


def plot_metric(
    metric: str | Metric, *, prevalences: Sequence[float] = (0.01, 0.1, 0.5), ax: Axes | None = None
) -> Axes:
    """Draw a metric where 1%, 10% and 50% are positive, of one and the same classifier with normal scores.

    A metric of decisions is drawn against the threshold, of a classifier with an AUROC of 0.86; a metric of ranking or
    of probabilities against the AUROC. The probabilities are right where 10% are positive, and are not made anew
    elsewhere. The thin line is chance, where it does not depend on the prevalence.

    Examples
    --------
    >>> ax = plot_metric("precision")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['1% positive', '10% positive', '50% positive']
    """
    found = find_metric(metric)
    shares = [check_probability(prevalence, "prevalences") for prevalence in prevalences]
    if not shares or not all(0 < each < 1 for each in shares):
        raise ArgumentError(f"`prevalences` must lie between 0 and 1; got {list(prevalences)}.")
    of_decisions = found.of == "counts"
    x = "Threshold (standard deviations above the mean negative)" if of_decisions else "AUROC of the classifier"
    ax = new_axes(ax, title=found.label, x=x, y=found.label.split(" (")[0])
    moves = found.depends_on_prevalence or found.of == "probabilities"
    for place, share in enumerate(shares if moves else shares[:1]):
        at, values = _over_thresholds(found, share) if of_decisions else _over_aurocs(found, share)
        words = f"{100 * share:.4g}% positive" if moves else "at every prevalence"
        trace(ax, at, values, place, COLOURS[place % len(COLOURS)], label=words)
    limit_to_range(ax, found)
    ax.legend(frameon=False, fontsize=points(8))
    return ax


def _over_thresholds(metric: Metric, prevalence: float) -> tuple[Array, Array]:
    """Both tails of two normal distributions, exactly."""
    at = np.linspace(-2.5, _CLEAR + 2.5, 241)
    found, alarmed = prevalence * ndtr(_CLEAR - at), (1 - prevalence) * ndtr(-at)
    counts = Counts(tp=found, fp=alarmed, fn=prevalence - found, tn=1 - prevalence - alarmed)
    with np.errstate(all="ignore"):
        return at, np.asarray(metric(counts), dtype=np.float64)


def _over_aurocs(metric: Metric, prevalence: float) -> tuple[Array, Array]:
    return _AUROCS, np.array(list(_values(metric, prevalence)))


def _values(metric: Metric, prevalence: float) -> Iterator[float]:
    for area in _AUROCS:
        table = _table(float(np.sqrt(2) * ndtri(area)), prevalence, stated=metric.of == "probabilities")
        yield float(metric(table))


def _table(clear: float, prevalence: float, *, stated: bool = False) -> ScoreTable:
    """Make a table of normal scores weighted to the prevalence; or of what was stated where that was the usual one."""
    even = ndtri((np.arange(_CASES) + 0.5) / _CASES)
    scores = np.concatenate([even + clear, even])
    weights = np.repeat([prevalence, 1 - prevalence], _CASES)
    if stated:
        scores = expit(logit(_USUAL) + clear * (scores - clear / 2))
    order = np.unique(scores, return_inverse=True)
    blocks = np.zeros((2, len(order[0])))
    np.add.at(blocks, (np.repeat([0, 1], _CASES), order[1]), weights)
    return ScoreTable(score=order[0][::-1].copy(), positives=blocks[0][::-1].copy(), negatives=blocks[1][::-1].copy())


def limit_to_range(ax: Axes, metric: Metric) -> None:
    """Show the whole range where it is bounded, and chance where it is one number."""
    low, high = metric.range
    if np.isfinite([low, high]).all():
        edge = 0.03 * (high - low)
        lowest = low if low == 0 or ax.dataLim.y0 < -edge else 0.0
        ax.set_ylim(lowest - edge, high + edge)
    elif ax.dataLim.y1 > 20:
        ax.set_yscale("symlog", linthresh=1)
    elif ax.dataLim.height < 0.1:  # dust of rounding would look like a difference
        ax.set_ylim(ax.dataLim.y0 - 0.5, ax.dataLim.y1 + 0.5)
    if not metric.depends_on_prevalence and metric.of == "ranks":
        chance = float(metric(_table(0.0, 0.5)))
        ax.axhline(chance, color=GREY, linewidth=line(0.9), zorder=1.5)


_MULTICLASS_CASES, _CLASSES = 400, 3
_MULTICLASS_AUROCS = np.array([0.51, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.94, 0.97, 0.99])


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
        trace(
            ax,
            _MULTICLASS_AUROCS,
            np.array(list(_multiclass_values(found, share))),
            place,
            COLOURS[place % len(COLOURS)],
            label=words,
        )
    limit_to_range(ax, found)
    ax.legend(frameon=False, fontsize=points(8))
    return ax


def _multiclass_values(metric: Metric, share: float) -> Iterator[float]:
    for area in _MULTICLASS_AUROCS:
        sample = _sample(float(area), share)
        yield float(metric(sample.cells(sample.only_model) if metric.of == "cells" else sample))


@lru_cache(maxsize=64)
def _sample(auroc: float, share: float) -> InMemorySample:
    """Make the same cases for every quality and share: only the distance between classes, and their weights, change."""
    truth = np.repeat(np.arange(_CLASSES), _MULTICLASS_CASES)
    apart = float(np.sqrt(2) * ndtri(auroc))
    latent = _even() + apart * np.eye(_CLASSES)[truth]
    weights = _MULTICLASS_CASES * np.repeat([share, (1 - share) / 2, (1 - share) / 2], _MULTICLASS_CASES)
    return read(Data(truth, _stated(apart * latent), weights=weights)).rows_for("this picture")


def _even() -> Array:
    """Return normal values, evenly spread in each class and column, in an order that nothing depends on."""
    normal = ndtri((np.arange(_MULTICLASS_CASES) + 0.5) / _MULTICLASS_CASES)
    draws = np.random.default_rng(0)
    columns = [[draws.permutation(normal) for _ in range(_CLASSES)] for _ in range(_CLASSES)]
    return np.concatenate([np.stack(column, axis=1) for column in columns])


def _stated(logit: Array) -> Array:
    """Logits as probabilities that add up to one; far below the largest, none is quite 0."""
    odds = np.exp(logit - logit.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))
