"""`evaluate` for several classes, and `evaluate_confusion`: K binary evaluations, made when they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from unconfuse._validate import check_choice, check_probability, check_whole, mention_fractions
from unconfuse.api._estimates import How, estimates_of
from unconfuse.findings import findings_of
from unconfuse.ingest._old import ClassScores, ClassTables
from unconfuse.metrics import METRICS, Metric
from unconfuse.multiclass import (
    ClassEvaluation,
    ClassHow,
    ClassMetric,
    Confusion,
    check_confusion,
    confusion_of,
    judged_classes,
)
from unconfuse.results import Estimate, Evaluation
from unconfuse.table import Counts, Scores, ScoreTable
from unconfuse.uncertainty import estimate_all
from unconfuse.uncertainty.binned import bounded_all


def evaluate_classes(
    rows: ClassScores | ClassTables, metrics: Iterable[str | ClassMetric] | None, how: ClassHow, name: str = ""
) -> ClassEvaluation:
    """Judge a classifier from checked rows of several classes, or from what a cluster made of them."""
    if isinstance(rows, ClassTables):
        confusion = Confusion(rows.counts, rows.classes)
        mention_fractions(rows.counts.ravel())
        return judged_classes(rows, confusion, metrics, how, partial(_of_tables, rows, confusion, how), name)
    mention_fractions(rows.weights)
    judge = partial(_of_class, rows, replace(how, progress=None))
    return judged_classes(rows, confusion_of(rows), metrics, how, judge, name)


def evaluate_confusion(
    matrix: Any,
    classes: Sequence[object] | None = None,
    *,
    metrics: Iterable[str | ClassMetric] | None = None,
    design: str = "cohort",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: int = 0,
    name: str = "",
) -> ClassEvaluation:
    """Judge a classifier of several classes from its K x K matrix of counts; rows are the truth.

    Parameters
    ----------
    matrix : array_like or data frame of shape (K, K)
        Whole counts; the row is the true class, the column the predicted one.
    classes : sequence, optional
        Names of the classes; a frame's column names, or 0, 1, ... by default.
    metrics, design, confidence_level, n_resamples, rng, name
        As in `evaluate`.

    Examples
    --------
    >>> import unconfuse as uc
    >>> ev = uc.evaluate_confusion([[50, 3, 2], [10, 30, 5], [0, 4, 16]])
    >>> print(ev["mcc"])
    mcc 0.683 [0.546, 0.783] 95% bias-corrected bootstrap on the logit scale, 3 classes, 120 cases
    """
    how = ClassHow(
        check_choice(design, "design", ("cohort", "case-control")),
        check_probability(confidence_level, "confidence_level", open_interval=True),
        check_whole(n_resamples, "n_resamples", at_least=100),
        check_whole(rng, "rng", at_least=0),
    )
    confusion = check_confusion(matrix, classes)
    return judged_classes(None, confusion, metrics, how, partial(_of_counts, confusion, how), name)


def _of_counts(confusion: Any, how: ClassHow, k: int) -> Evaluation:
    """One class of a confusion matrix against the rest."""
    counts = confusion.of_class(k)
    wanted = tuple(each for each in METRICS.values() if each.of == "counts")
    estimates = estimate_all(wanted, counts, confidence_level=how.confidence_level, design=how.design)
    return _finished(estimates, counts, how, wanted, confusion.classes[k])


def _of_tables(tables: ClassTables, confusion: Confusion, how: ClassHow, k: int) -> Evaluation:
    """One class against the rest, from its table."""
    counts, name, table = confusion.of_class(k), tables.classes[k], tables.tables[k]
    wanted = _of_kinds(tables.n_classes, tables.why_not_probabilities, table.score[-1] >= 0 and table.tops[0] <= 1)
    if not tables.sizes[k] or tables.sizes[k] == tables.n:
        return _absent(wanted, counts, how, name)
    settings = How(how.design, how.confidence_level, how.n_resamples, how.seed, 0.5)
    middles = table.at_middles()
    cut = 0.5 if tables.n_classes == 2 and not tables.why_not_probabilities else None
    if cut is not None and counts == middles.counts_at(cut):
        found = dict(estimates_of(wanted, middles, middles, counts, settings))
    else:
        cut, decisions = None, [each for each in wanted if each.of == "counts"]
        found = dict(estimate_all(decisions, counts, confidence_level=how.confidence_level, design=how.design))
        found |= estimates_of([each for each in wanted if each.of != "counts"], middles, middles, counts, settings)
    if not table.is_exact:
        found |= bounded_all(found, [each for each in wanted if each.of != "counts"], table, None)
    ordered = {each.name: found[each.name] for each in wanted}
    return _finished(ordered, counts, how, wanted, name, threshold=cut, table=table)


def _of_class(rows: ClassScores, how: ClassHow, k: int) -> Evaluation:
    """One class of rows against the rest."""
    confusion = confusion_of(rows)
    if rows.scores is None and rows.groups is None:
        return _of_counts(confusion, how, k)
    counts, name = confusion.of_class(k), rows.classes[k]
    own = rows.truth == k
    column = (rows.predicted == k).astype(float) if rows.scores is None else np.asarray(rows.scores[:, k], np.float64)
    wanted = _wanted(rows, column)
    if not own.any() or own.all():
        return _absent(wanted, counts, how, name)
    settings = How(how.design, how.confidence_level, how.n_resamples, how.seed, 0.5)
    cut = 0.5 if rows.n_classes == 2 and not rows.why_not_probabilities else None
    data = Scores(own, {"score": column}, rows.weights, rows.groups, name)
    table = data.table()
    if cut is not None and counts == table.counts_at(cut):  # two classes: this is the binary evaluation
        return _finished(
            estimates_of(wanted, data, table, counts, settings),
            counts,
            how,
            wanted,
            name,
            threshold=cut,
            table=table,
            clustered=rows.groups is not None,
        )
    decided = Scores(own, {"score": (rows.predicted == k).astype(np.float64)}, rows.weights, rows.groups, name)
    decisions = [each for each in wanted if each.of == "counts"]
    if rows.groups is None:
        found = dict(estimate_all(decisions, counts, confidence_level=how.confidence_level, design=how.design))
    else:
        found = dict(estimates_of(decisions, decided, decided.table(), counts, settings))
    others = [each for each in wanted if each.of != "counts"]
    found |= estimates_of(others, data, table, counts, settings) if others else {}
    ordered = {each.name: found[each.name] for each in wanted}
    return _finished(
        ordered,
        counts,
        how,
        wanted,
        name,
        table=table if rows.scores is not None else None,
        clustered=rows.groups is not None,
    )


def _wanted(rows: ClassScores, column: Any) -> tuple[Metric, ...]:
    if rows.scores is None:
        return tuple(each for each in METRICS.values() if each.of == "counts")
    return _of_kinds(rows.n_classes, rows.why_not_probabilities, column.min() >= 0 and column.max() <= 1)


def _of_kinds(n_classes: int, why_not_probabilities: str, within: bool) -> tuple[Metric, ...]:
    """The metrics that scores of a class can have."""
    stated = within if n_classes == 2 else not why_not_probabilities
    return tuple(each for each in METRICS.values() if stated or each.of != "probabilities")


def _absent(wanted: tuple[Metric, ...], counts: Counts, how: ClassHow, name: str) -> Evaluation:
    """A class without cases: what its decisions say, and why the rest is undefined."""
    decisions = [each for each in wanted if each.of == "counts"]
    found = dict(estimate_all(decisions, counts, confidence_level=how.confidence_level, design=how.design))
    why = f"no case belongs to {name!r}" if not float(counts.positives) else f"every case belongs to {name!r}"
    nothing = {
        each.name: Estimate(
            each.name, each.label, np.nan, np.nan, np.nan, how.confidence_level, undefined=why, better=each.better
        )
        for each in wanted
    }
    found = {
        key: replace(each, undefined=f"{each.undefined} ({why})") if each.undefined else each
        for key, each in found.items()
    }
    return _finished({**nothing, **found}, counts, how, wanted, name, findings=False)


def _finished(
    estimates: Any,
    counts: Counts,
    how: ClassHow,
    wanted: tuple[Metric, ...],
    name: str,
    *,
    threshold: float | None = None,
    table: ScoreTable | None = None,
    clustered: bool = False,
    findings: bool = True,
) -> Evaluation:
    found = Evaluation(
        estimates,
        counts,
        threshold=threshold,
        table=table,
        design="clustered" if clustered else how.design,
        confidence_level=how.confidence_level,
        n_resamples=how.n_resamples,
        seed=how.seed,
        metrics=wanted,
        name=name,
    )
    if not findings or not counts.positives or not counts.negatives:
        return found
    return found.replaced(findings=findings_of(found))
