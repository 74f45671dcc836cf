"""Cases with a judge's labels, and the truth of some: from arrays, or from columns of a frame or a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError, argument_name
from unconfuse._validate import as_builtin, as_column, as_numbers, check_same_length, is_missing
from unconfuse.ingest.column_roles import ONLY_MODEL
from unconfuse.ingest.data import Data, ReadRequest, is_array_source, refused, reject_options
from unconfuse.ingest.grouping import division_of, named_by, values_of
from unconfuse.ingest.read_columns import read_columns
from unconfuse.ingest.sources.arrays import read as read_arrays
from unconfuse.table.double_sample import DoubleSample
from unconfuse.table.in_memory import InMemorySample

_LABELS = frozenset(("source", "judge", "positive", "negative"))
_WHAT = "a rater labelled these cases"


def read(data: Data, needs: ReadRequest) -> DoubleSample:
    """Truth where it is known, the judge's labels, and one model's scores.

    Examples
    --------
    >>> found = read(Data([1, None, 0, None], [.9, .8, .2, .1], judge=[1, 1, 0, 0]), ReadRequest())
    >>> found.checked.tolist(), found.judge.tolist()
    ([True, False, True, False], [True, True, False, False])
    """
    if needs.rows or needs.models:
        raise InputError("models are compared on the truth, not on a rater's labels. Hint: evaluate each model.")
    if is_array_source(data):
        reject_options(data, _LABELS | {"s", "by"}, _WHAT)
        if isinstance(data.judge, str):
            raise refused("judge", data.judge, "the data are plain arrays", "pass the rater's labels as an array")
        return _divided(judged_sample(data, data.source, data.judge, data.s), data, None)
    reject_options(data, _LABELS | {"label", "score", "delimiter", "decimal", "by"}, _WHAT)
    if not isinstance(data.judge, str):
        raise InputError(f"{argument_name('judge')} names the column of the rater's labels; got values.")
    words = {key: value for key, value in data.words().items() if key in ("score", "delimiter", "decimal")}
    truth = read_columns(Data(data.source, label=data.label or "truth", **words))
    judge = read_columns(Data(data.source, label=data.judge, **words))
    if len(truth.numbers) != 1:
        raise InputError(f"one model is evaluated here; got {', '.join(truth.numbers)}. Hint: name one.")
    name = next(iter(truth.numbers))
    double_sample = judged_sample(data, truth.label, judge.label, truth.numbers[name], name)
    return _divided(double_sample, data, lambda column: read_columns(Data(data.source, label=column, **words)).label)


def _divided(sample: DoubleSample, data: Data, column: Callable[[str], Any] | None) -> DoubleSample:
    """By subgroups, if they are asked for: by the values given, or by columns of the source."""
    if data.by is None:
        return sample
    if column is None and isinstance(data.by, str):
        raise refused("by", data.by, "the data are plain arrays", "pass the values as an array")
    names, values = ((), data.by) if column is None else named_by(data.by)
    known = values_of(values, "subgroup", "by") if column is None or not names else ({n: column(n) for n in names}, {})
    columns, orders = known
    check_same_length({"scores": len(sample), **{f"by: {name}": len(each) for name, each in columns.items()}})
    return sample.derive(division=division_of(columns, orders))


def judged_sample(data: Data, truth: Any, judge: Any, scores: Any, name: str = ONLY_MODEL) -> DoubleSample:
    """Return checked columns; refuse them where the judge's labels of one kind were never checked."""
    labels, called = as_column(as_builtin(truth), "labels"), as_column(as_builtin(judge), "judge")
    if np.ndim(scores) == 2 and min(np.shape(scores)) > 1:
        raise _several_classes(np.shape(scores)[1])
    score = as_numbers(as_builtin(scores), "scores")
    check_same_length({"labels": len(labels), "judge": len(called), "scores": len(score)})
    checked = ~_is_blank(labels)
    if not checked.any():
        raise InputError(
            "no case was verified: every label is missing. Hint: `prevalence` with `sensitivity` and "
            "`specificity` takes a rater that was measured elsewhere."
        )
    if data.negative is None and len(kinds := set(labels[checked].tolist())) > 2:
        raise _several_classes(len(kinds))
    sample = _two(data, labels[checked], score[checked], None)
    said = _two(data, called, score, sample)
    is_positive = np.zeros(len(labels), dtype=np.bool_)
    is_positive[checked] = sample.is_positive
    double_sample = DoubleSample(
        truth=is_positive,
        scores={name: score},
        checked=checked,
        judge=said.is_positive,
        classes=sample.classes,
        positive_label=sample.positive_label,
    )
    for rater_stratum in double_sample.unknown(double_sample.rater_strata()):
        raise InputError(
            f"none of the {rater_stratum.cases} cases that the rater labels {rater_stratum.words} was checked. "
            "Hint: check some of them."
        )
    return double_sample


def _several_classes(classes: int) -> InputError:
    return InputError(
        "a rater's labels are corrected for a yes-or-no question, where its two error rates say all; got "
        f"{classes} classes. Hint: ask about one class at a time: recode it as 1, every other one as 0, and leave "
        "unknown labels missing."
    )


def _is_blank(labels: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Missing, or an empty text, as files have it."""
    if labels.dtype.kind not in "OUS":
        return is_missing(labels)
    blank = np.array([isinstance(each, str) and not each.strip() for each in labels.tolist()], dtype=np.bool_)
    return is_missing(labels) | blank


def _two(data: Data, labels: npt.NDArray[Any], scores: npt.NDArray[Any], like: InMemorySample | None) -> InMemorySample:
    """Labels of a yes-or-no question, with the same meaning as others."""
    positive = data.positive
    if like is not None and positive is None and like.positive_label not in (1, True):  # the usual need no name
        positive = like.positive_label
    held = np.array(labels.tolist())
    return read_arrays(Data(held, scores, positive=positive, negative=data.negative), ReadRequest())
