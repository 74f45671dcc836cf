"""Does prevalence matter? Retrain at several training prevalences, test at several test prevalences, and compare."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from unconfuse._deprecated import renamed_parameters
from unconfuse._errors import ArgumentError
from unconfuse._formatting import frame_of, number_text
from unconfuse._labels import as_is_positive
from unconfuse._validate import check_probability, public_api
from unconfuse.metrics import METRICS
from unconfuse.table import ScoreTable
from unconfuse.uncertainty.estimate import Estimate, Finding
from unconfuse.uncertainty.interval_methods import limits_of_table
from unconfuse.uncertainty.table_estimates import estimate_counts

SHOWN = ("sensitivity", "specificity", "accuracy", "auroc")
Generator = np.random.Generator


@dataclass(frozen=True)
class PrevalenceStudyRow:
    """One training and one test prevalence, and every metric there with its interval."""

    training: float
    test: float
    metrics: dict[str, Estimate]


@dataclass(frozen=True, repr=False)
class PrevalenceStudy:
    """Two tables: one over training prevalences, one over test prevalences, and which metrics moved.

    Attributes
    ----------
    by_training, by_test : tuple of PrevalenceStudyRow
    findings : tuple of Finding
    """

    by_training: tuple[PrevalenceStudyRow, ...]
    by_test: tuple[PrevalenceStudyRow, ...]
    findings: tuple[Finding, ...]

    def rows(self) -> list[dict[str, Any]]:
        """One row of plain values for each combination."""
        ends = ("", "value"), ("_low", "low"), ("_high", "high")
        return [
            {"varied": varied, "training_prevalence": row.training, "test_prevalence": row.test}
            | {f"{name}{end}": getattr(metric, of) for name, metric in row.metrics.items() for end, of in ends}
            for varied, rows in (("training", self.by_training), ("test", self.by_test))
            for row in rows
        ]

    def to_frame(self) -> Any:
        """Return a data frame with one row for each combination."""
        return frame_of(self.rows())

    def moved(self, varied: str, metric: str) -> bool:
        """Whether a metric moved as the training or the test prevalence did: some two intervals do not overlap."""
        rows = self.by_training if varied == "training" else self.by_test
        return max(row.metrics[metric].low for row in rows) > min(row.metrics[metric].high for row in rows)

    def __repr__(self) -> str:
        return "PrevalenceStudy: " + " ".join(finding.sentence for finding in self.findings)


@renamed_parameters(training="training_prevalences", test="test_prevalences")
@public_api
def prevalence_study(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    training_prevalences: Iterable[float] = (0.1, 0.2, 0.3, 0.4, 0.5),
    test_prevalences: Iterable[float] = (0.1, 0.2, 0.3, 0.4, 0.5),
    training_prevalence: float | None = None,
    test_prevalence: float | None = None,
    test_size: float = 0.5,
    threshold: float = 0.5,
    confidence_level: float = 0.99,
    positive: object = None,
    negative: object = None,
    rng: int = 0,
) -> PrevalenceStudy:
    """Retrain over training prevalences, test over test prevalences, and say which metrics moved.

    Prevalences are changed by dropping rows of one class at random. Sensitivity, specificity and AUROC are properties
    of a classifier: the prevalence of the test data leaves them alone. That of the training data makes another
    classifier, which may label more or fewer cases.

    Parameters
    ----------
    estimator : classifier
        Anything with `fit` and `predict_proba` (or `decision_function`; then pass `threshold=0`), as scikit-learn's.
    X, y : array_like
        Features and labels.
    training_prevalences, test_prevalences : iterable of float
        Prevalences to go through.
    training_prevalence, test_prevalence : float, optional
        Held fixed while the other one varies; that of the data by default.
    test_size : float
        Share of the data that is only tested on.
    threshold : float
    confidence_level : float
        Of the intervals; "moved" means that two of them do not overlap, so the level should be high.
    positive, negative : optional
        The positive label, and the negative ones where there are several, as in `Data`.
    rng : int
        Seed.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(6000, weights=[.7], flip_y=.2, random_state=1)
    >>> study = prevalence_study(LogisticRegression(), X, y, training_prevalences=(.1, .5), test_prevalences=(.1, .5))
    >>> study.moved("training", "sensitivity"), study.moved("test", "sensitivity")
    (True, False)
    """
    is_positive, _ = as_is_positive(y, positive, negative=negative)
    features, generator = np.asarray(X), np.random.default_rng(rng)
    tested = _split(is_positive, check_probability(test_size, "test_size", open_interval=True), generator)
    fit_X, test_X, fit_y, test_y = features[~tested], features[tested], is_positive[~tested], is_positive[tested]
    own = float(is_positive.mean())
    fixed_training, fixed_test = training_prevalence or own, test_prevalence or own

    def fitted(prevalence: float) -> Any:
        kept = _at(fit_y, prevalence, generator)
        return copy.deepcopy(estimator).fit(fit_X[kept], fit_y[kept])

    def row(model: Any, trained_at: float, tested_at: float, kept: Any) -> PrevalenceStudyRow:
        return PrevalenceStudyRow(
            trained_at, tested_at, _measured(model, test_X[kept], test_y[kept], threshold, confidence_level)
        )

    kept = _at(test_y, fixed_test, generator)
    by_training = [row(fitted(each), each, fixed_test, kept) for each in training_prevalences]
    model = fitted(fixed_training)
    by_test = [row(model, fixed_training, each, _at(test_y, each, generator)) for each in test_prevalences]
    study = PrevalenceStudy(tuple(by_training), tuple(by_test), ())
    return replace(study, findings=tuple(_finding(study, varied) for varied in ("training", "test")))


def _split(is_positive: Any, share: float, generator: Generator) -> Any:
    """Which rows are tested on only: the same share of each class."""
    tested = np.zeros(len(is_positive), dtype=bool)
    for rows in (np.flatnonzero(is_positive), np.flatnonzero(~is_positive)):
        tested[generator.permutation(rows)[: round(share * len(rows))]] = True
    return tested


def _at(is_positive: Any, prevalence: float, generator: Generator) -> Any:
    """Rows that remain when one class is thinned until the prevalence is as wanted."""
    share = check_probability(prevalence, "prevalence", open_interval=True)
    positives, negatives = np.flatnonzero(is_positive), np.flatnonzero(~is_positive)
    size = min(len(positives) / share, len(negatives) / (1 - share))
    wanted = round(size * share), round(size * (1 - share))
    if min(wanted) < 2:
        raise ArgumentError(f"a prevalence of {share:g} leaves fewer than 2 cases of a class. Hint: use more data.")
    classes = zip((positives, negatives), wanted, strict=True)
    kept = [generator.choice(rows, count, replace=False) for rows, count in classes]
    return np.sort(np.concatenate(kept))


def _measured(model: Any, X: Any, y: Any, threshold: float, level: float) -> dict[str, Estimate]:
    scores = model.predict_proba(X)[:, 1] if hasattr(model, "predict_proba") else model.decision_function(X)
    table = ScoreTable.from_rows(y, np.ascontiguousarray(scores, dtype=np.float64))
    # Dropping rows fixed the class sizes, which is what a case-control study does.
    ask = partial(estimate_counts, counts=table.counts_at(threshold), confidence_level=level, fixed_classes=True)
    low, high, method = limits_of_table(METRICS["auroc"], table, confidence_level=level)
    metric = METRICS["auroc"]
    ends = float(metric(table)), float(low), float(high)
    area = Estimate("auroc", metric.label, *ends, level, method=method, baseline=0.5)
    return {name: ask(METRICS[name]) for name in SHOWN[:3]} | {"auroc": area}


def _finding(study: PrevalenceStudy, varied: str) -> Finding:
    moved = [name for name in SHOWN if study.moved(varied, name)]
    stayed = [name for name in SHOWN if name not in moved]
    rows = study.by_training if varied == "training" else study.by_test
    values = {name: [row.metrics[name].value for row in rows] for name in SHOWN}
    spread = {name: max(value) - min(value) for name, value in values.items()}
    words = [f"{name} by {number_text(spread[name])}" for name in moved]
    if not moved:
        told = f"no two intervals of {', '.join(SHOWN)} are apart: these cases show no change"
    else:
        others = f"; no two intervals of {', '.join(stayed)} are apart" if stayed else ""
        told = f"{', '.join(words)} moved{others}{_reason(varied, moved)}"
    sentence = f"As the {varied} prevalence changed, {told}."
    return Finding("two intervals that do not overlap", f"{', '.join(moved) or 'nothing'} moved", sentence, spread)


def _reason(varied: str, moved: list[str]) -> str:
    """Why, as far as what moved allows it: a test set that moves a rate within a class is another population."""
    if varied == "training":
        return ": another training set makes another classifier"
    if moved == ["accuracy"]:
        return ": only shares of all cases depend on the test prevalence"
    within = ", ".join(name for name in moved if name != "accuracy")
    return f": the test prevalence alone does not move {within}, so chance did, or the rows that were dropped"
