"""Metrics of many labels: each case may have several at once, or none, and some may be unknown.

Each takes a sample of one model and gives a `WholeSummary`: its value, and by how far each whole case moves it. Names
and values are scikit-learn's. Where a label cannot have a value (recall without positives), averages over labels leave
it out and say so; scikit-learn counts it as 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError, did_you_mean
from unconfuse._formatting import short_repr
from unconfuse._validate import check_list, check_text
from unconfuse.metrics import METRICS, Metric, Registry, canonical, find_metric, key_of
from unconfuse.metrics._metric import WholeSummary, made, ratio
from unconfuse.metrics.multiclass_decisions import left_out, mean_over_classes, weighted_mean
from unconfuse.table import Array, Counts, summed
from unconfuse.table.multi_output import LabelSample

KINDS = {
    "macro": ("averaged over the labels, each counting the same", r"\frac1L \sum_l \left[%s\right]_l"),
    "micro": ("over all labels of all cases, pooled", r"\left[%s\right]_{\text{all labels pooled}}"),
    "weighted": ("averaged over the labels, each counting by its positives", r"\sum_l \pi_l \left[%s\right]_l"),
    "samples": ("within each case, averaged over the cases", r"\frac1n \sum_i \left[%s\right]_i"),
}
_WITHIN_A_CASE = ("precision", "sensitivity", "f1", "jaccard", "auroc", "average_precision")
# Of a case without the labels that it takes: 0, as scikit-learn counts it.
_STEP = 1e-4  # of the smallest count, in a numerical derivative: error about 1e-8
_ONE = 1 + 1e-9  # a case, but for rounding
_LABELS = Callable[[LabelSample], WholeSummary]
_ALL_COMPLETE = "no case has all its labels known"
_RANKED = "label_ranking_average_precision", "ranking_loss", "coverage_error"


def _declared(**declared: Any) -> Callable[[_LABELS], Metric]:
    """Declare a metric of many labels by decorating its function; from 0 to 1 as a rule."""
    usual = {"of": "labels", "range": (0.0, 1.0)}
    return lambda function: made(function.__name__, function, None, **(usual | declared))


def _mean_of_cases(values: Array, cases: LabelSample, counted: Any = None, note: str = "") -> WholeSummary:
    """Return the mean of one value for each case, over those that count."""
    held = np.ones(len(cases), dtype=np.bool_) if counted is None else np.asarray(counted, dtype=np.bool_)
    weight = np.where(held, cases.weight, 0.0)
    n = summed(weight)
    if not n > 0:
        return WholeSummary(np.nan, np.zeros(len(cases)), note, cases=0.0)
    value = summed(weight * np.where(held, values, 0.0)) / n
    return WholeSummary(value, np.where(held, values - value, 0.0) / n, note, cases=n)


def _complete(
    values: Array, cases: LabelSample, counted: npt.NDArray[np.bool_] | None = None, note: str = ""
) -> WholeSummary:
    """Return the mean over the cases of which every label is known, or over those of them that count."""
    held, known = cases.is_complete, int(cases.is_complete.sum())
    notes = ["" if known == len(cases) else f"{known:,} of {len(cases):,} cases have all labels known", note]
    return _mean_of_cases(values, cases, held if counted is None else held & counted, "; ".join(filter(None, notes)))


@_declared(
    label="Subset accuracy",
    question="Of what share of the cases is every label right?",
    formula=r"\frac1n \sum_i [\hat Y_i = Y_i]",
    undefined=_ALL_COMPLETE,
    misleads="One wrong label of twenty counts as much as twenty; it falls with the number of labels.",
    references=("Ghamrawi & McCallum (2005), CIKM.",),
    aliases=("exact_match_ratio", "accuracy_score"),
)
def subset_accuracy(cases: LabelSample) -> WholeSummary:
    """Cases that are right in every label, among those with all labels known."""
    right = (cases.predicted == (cases.truth == 1)).all(axis=1).astype(np.float64)
    return replace(_complete(right, cases), of_decisions=True)


@_declared(
    label="Hamming loss",
    question="What share of all labels is wrong?",
    better="lower",
    formula=r"\frac1{nL} \sum_{il} [\hat y_{il} \ne y_{il}]",
    undefined="no label is known",
    misleads="Where labels are rare, predicting none of them has a low loss.",
    references=("Schapire & Singer (1999), Machine Learning 37:297.",),
)
def hamming_loss(cases: LabelSample) -> WholeSummary:
    """Wrong labels over known ones."""
    known = (cases.truth >= 0).sum(axis=1)
    wrong = ((cases.cells == 1) | (cases.cells == 2)).sum(axis=1)
    total = summed(cases.weight * known)
    value = float(ratio(summed(cases.weight * wrong), total))
    return WholeSummary(value, ratio(wrong - value * known, total), cases=_held(cases), of_decisions=True)


def _held(cases: LabelSample) -> float:
    """Weight of the cases of which some label is known."""
    return cases.once("held", lambda: summed(cases.weight[(cases.truth >= 0).any(axis=1)]))  # type: ignore[no-any-return]


def _ranked(cases: LabelSample) -> tuple[Any, Any, Any]:
    """Of each case its truths, best score first; how many labels are at least as good; and whether a tie ends here."""

    def ordered() -> tuple[Any, Any, Any]:
        order = np.argsort(-cases.matrix, axis=1, kind="stable")
        score = np.take_along_axis(cases.matrix, order, axis=1)
        truth = np.take_along_axis(cases.truth == 1, order, axis=1)
        width = score.shape[1]
        ends = np.column_stack([score[:, 1:] < score[:, :-1], np.ones(len(score), dtype=np.bool_)])
        # the last place of the tie that each label is in, from the right
        places = np.where(ends, np.arange(1, width + 1), width + 1)
        last = np.minimum.accumulate(places[:, ::-1], axis=1)[:, ::-1]
        return truth, last, ends

    return cases.once("ranked", ordered)  # type: ignore[no-any-return]


@_declared(
    label="Label ranking average precision (LRAP)",
    question="Of the labels ranked at least as high as a true one, what share is true?",
    formula=r"\frac1n \sum_i \frac1{|Y_i|} \sum_{l \in Y_i} \frac{|\{m \in Y_i: s_{im} \ge s_{il}\}|}"
    r"{|\{m: s_{im} \ge s_{il}\}|}",
    undefined=_ALL_COMPLETE,
    misleads="A case with no true label, or with all of them, counts as 1, as in scikit-learn.",
    references=("Tsoumakas, Katakis & Vlahavas (2010), Data Mining and Knowledge Discovery Handbook.",),
    aliases=("lrap",),
)
def label_ranking_average_precision(cases: LabelSample) -> WholeSummary:
    """Mean over cases of the mean precision at their true labels."""
    truth, last, _ = _ranked(cases)
    hits = np.take_along_axis(np.cumsum(truth, axis=1), last - 1, axis=1)
    count = truth.sum(axis=1)
    found = ratio(np.where(truth, hits / last, 0.0).sum(axis=1), count)
    return _complete(np.where((count == 0) | (count == truth.shape[1]), 1.0, found), cases)


@_declared(
    label="Coverage error",
    question="How far down the ranking are all true labels of a case found?",
    better="lower",
    range=(0.0, np.inf),
    formula=r"\frac1n \sum_i \max_{l \in Y_i} |\{m: s_{im} \ge s_{il}\}|",
    undefined=_ALL_COMPLETE,
    misleads="The best possible value is the mean number of true labels; a case without any counts as 0.",
    references=("Tsoumakas, Katakis & Vlahavas (2010), Data Mining and Knowledge Discovery Handbook.",),
)
def coverage_error(cases: LabelSample) -> WholeSummary:
    """Mean over cases of the place of their worst true label."""
    truth, last, _ = _ranked(cases)
    return _complete(np.where(truth, last, 0).max(axis=1, initial=0).astype(np.float64), cases)


@_declared(
    label="Ranking loss",
    question="Of the pairs of a true and a false label of a case, what share is in the wrong order?",
    better="lower",
    formula=r"\frac1n \sum_i \frac{|\{(l, m): l \in Y_i, m \notin Y_i, s_{il} \le s_{im}\}|}{|Y_i| (L - |Y_i|)}",
    undefined=_ALL_COMPLETE,
    misleads="A tie counts as wrong, a case with no true label or with all of them as 0, as in scikit-learn.",
    references=("Schapire & Singer (2000), Machine Learning 39:135.",),
)
def ranking_loss(cases: LabelSample) -> WholeSummary:
    """Mean over cases of the share of pairs that are not in order."""
    truth, last, _ = _ranked(cases)
    false = np.take_along_axis(np.cumsum(~truth, axis=1), last - 1, axis=1)
    count = truth.sum(axis=1)
    found = ratio(np.where(truth, false, 0).sum(axis=1), count * (truth.shape[1] - count))
    return _complete(np.where((count == 0) | (count == truth.shape[1]), 0.0, found), cases)


# Averages over labels of metrics of one yes-or-no question


def average_over_labels(binary: Metric, kind: str) -> Metric:
    """Return the macro, micro, weighted or per-case average of a metric of one yes-or-no question over labels."""
    words, formula = KINDS[kind]
    taken = {key: getattr(binary, key) for key in ("range", "better", "references")}
    function = {"macro": _over_labels, "weighted": _over_labels, "micro": _pooled, "samples": _within_cases}[kind]
    undefined = {"micro": binary.undefined, "samples": "undefined for every case whose labels are all known"}.get(
        kind, "undefined for all labels"
    )
    return Metric(
        f"{binary.name}_{kind}",
        partial(function, binary, kind),
        of="labels",
        label=f"{binary.label}, {kind}",
        question=f"{binary.question.rstrip('?')}, {words}?",
        formula=formula % binary.formula,
        undefined=undefined,
        misleads=_misleading(binary, kind),
        probabilities=binary.of == "probabilities",
        **taken,
    )


def _misleading(binary: Metric, kind: str) -> str:
    if kind == "macro":
        return "A label with three positives counts as much as one with three thousand."
    if kind == "weighted":
        return "Frequent labels decide it."
    if kind == "micro":
        more = " Scores of different labels are compared with each other." if binary.of != "counts" else ""
        return f"Frequent labels decide it.{more}"
    if binary.name in ("auroc", "average_precision"):
        return "Only the order of the labels within a case counts."
    return "A case with neither true nor predicted labels counts as 0, as in scikit-learn."


def _over_labels(binary: Metric, kind: str, cases: LabelSample) -> WholeSummary:
    labels = _of_decisions(binary, cases) if binary.of == "counts" else _of_scores(binary, cases)
    weights = cases.positives if kind == "weighted" else np.ones(len(cases.labels))
    defined = ~np.isnan(labels.values)
    value = float((mean_over_classes if kind == "macro" else partial(weighted_mean, weights=weights))(labels.values))
    used = np.where(defined, weights, 0.0)
    share = ratio(used, used.sum())
    influence, wary = labels.influence(share), None if labels.wary is None else labels.wary(share)
    if kind == "weighted":
        moved = ((cases.truth == 1) * np.where(defined, labels.values - value, 0.0)).sum(axis=1) / used.sum()
        influence, wary = influence + moved, None if wary is None else wary + moved
    note = left_out([name for name, known in zip(cases.labels, defined, strict=True) if not known])
    note = "; ".join(filter(None, (labels.note, note)))
    unseen = summed(share * labels.unseen) ** 2
    free, by_labels = labels.freedom(share), binary.of == "counts"
    return WholeSummary(value, influence, note, _held(cases), unseen, wary, free, of_decisions=by_labels)


class _Labels:
    """One metric of every label: values, by how far cases move a weighted sum of them, and what they cannot show."""

    def __init__(
        self,
        values: Array,
        influence: Callable[[Array], Array],
        unseen: Array,
        note: str = "",
        wary: Callable[[Array], Array] | None = None,
        freedom: Callable[[Array], float] = lambda share: np.inf,
    ) -> None:
        self.values, self.influence, self.unseen, self.note = values, influence, unseen, note
        self.wary, self.freedom = wary, freedom


def _of_decisions(binary: Metric, cases: LabelSample) -> _Labels:
    counts = cases.counts
    values, slopes = np.asarray(binary(counts), dtype=np.float64), _slopes(binary, counts)
    note = ""
    if binary.name in ("precision", "f1", "jaccard"):  # a label that occurs and is never predicted is not found at all
        unpredicted = np.isnan(values) & (counts.positives > 0)
        values = np.where(unpredicted, 0.0, values)
        names = [name for name, own in zip(cases.labels, unpredicted, strict=True) if own]
        note = f"never predicted, counted as 0: {', '.join(names[:5])}" if names else ""
    unseen = np.sqrt(_hidden(binary, values, counts))

    def influence(share: Array) -> Array:
        moved = np.vstack([np.nan_to_num(slopes) * share, np.zeros(len(share))])
        return np.asarray(moved.ravel().take(_flat(cases)).sum(axis=1))

    return _Labels(values, influence, np.nan_to_num(unseen), note)


def _flat(cases: LabelSample) -> Any:
    """Of every decision, its place in an array of what each kind of decision on each label is worth."""
    width = len(cases.labels)
    return cases.once("flat", lambda: cases.cells.astype(np.intp) * width + np.arange(width))


def _slopes(binary: Metric, counts: Counts) -> Array:
    """By how much one more true positive, false positive, false negative and true negative move it: shape (4, L)."""
    names = ("tp", "fp", "fn", "tn")
    cells = np.array([np.asarray(getattr(counts, name), dtype=np.float64) for name in names])
    smallest = np.where(cells > 0, cells, np.inf).min(axis=0)
    step = _STEP * np.where(np.isfinite(smallest), smallest, 1.0)
    start, found = np.asarray(binary(counts)), []
    with np.errstate(invalid="ignore"):
        for place in range(4):
            one, two = (
                np.asarray(
                    binary(Counts(**{name: cells[at] + times * step * (place == at) for at, name in enumerate(names)}))
                )
                for times in (1, 2)
            )
            found.append((4 * one - two - 3 * start) / (2 * step))
    return np.array(found)


def _hidden(binary: Metric, values: Array, counts: Counts) -> Array:
    """Variance of a share that shows no error, or nothing else: as with half a case of the other kind."""
    fraction = binary.inference.fraction
    trials = np.asarray(counts.tp + counts.fp + counts.fn if fraction is None else fraction(counts)[1])
    low, high = binary.range
    if not np.isfinite(high - low):
        return np.zeros_like(values)
    share = (values - low) / (high - low)
    centre = (share * trials + 0.5) / (trials + 1)
    at_an_end = (share <= 0) | (share >= 1)
    return np.where(at_an_end, (high - low) ** 2 * centre * (1 - centre) / (trials + 1), 0.0)


def _of_scores(binary: Metric, cases: LabelSample) -> _Labels:
    """Each label's own score table, and by how far cases move the metric of it."""
    root = binary.root
    if root.of.inference.influence is None:
        raise ArgumentError(f"{binary.name} has no average over labels. Hint: ask one label, ev.of_label(...).")
    size = len(cases.labels)
    values, parts = np.full(size, np.nan), [_of_label(root.of, cases, place) for place in range(size)]
    values[:] = [root(part.value) for part in parts]
    hidden = np.array([part.hidden for part in parts]) * abs(root.scale)

    def moved(wary: bool, share: Array) -> Array:
        out = np.zeros(len(cases))
        for label, part in zip(parts, share, strict=True):
            if part and label.rows is not None:
                out[label.rows] += part * root.scale * (label.wary if wary else label.influence)
        return out

    def freedom(share: Array) -> float:
        """As if all labels went together: the mean of 1 over each label's degrees, by its part of the variance."""
        power = np.array([0.0 if np.isnan(part.value) else part.variance for part in parts]) * share
        few = 2 * np.minimum(*cases.drawn)
        known = (share > 0) & (few > 0)
        power = np.where(known, power, 0.0) if power.any() else known.astype(np.float64)
        return float(ratio(power.sum(), (power[known] / few[known]).sum())) if known.any() else np.inf

    return _Labels(values, partial(moved, False), hidden, wary=partial(moved, True), freedom=freedom)


class _OfLabel:
    """A metric of one label, and by how far each of its rows moves it."""

    def __init__(self, value: float, rows: Any = None, influence: Any = None, wary: Any = None, weight: Any = 1.0):
        self.value, self.rows, self.influence, self.wary, self.hidden = value, rows, influence, wary, 0.0
        self.variance = 0.0 if wary is None else float((weight * np.square(wary)).sum())


def _of_label(metric: Metric, cases: LabelSample, place: int) -> _OfLabel:
    return cases.once((metric.name, place), partial(_label_computed, metric, cases, place))  # type: ignore[no-any-return]


def _label_computed(metric: Metric, cases: LabelSample, place: int) -> _OfLabel:
    table, rows, block = cases.table(place)
    positives, negatives = (float(each[place]) for each in cases.drawn)
    value = float(metric(table)) if len(rows) else np.nan
    if np.isnan(value) or metric.inference.influence is None:
        return _OfLabel(np.nan)
    influence_function = metric.inference.influence(table)
    positive = cases.truth[rows, place] == 1
    influence = np.where(positive, influence_function.positive[block], influence_function.negative[block])
    if not (positives > 0 and negatives > 0):
        return _OfLabel(value, rows, influence, influence, cases.weight[rows])
    # Each class's own n - 1. A single case of a class shows no spread: as much as a share of that value could have.
    scales = [np.sqrt(size / (size - 1)) if size > _ONE else 1.0 for size in (positives, negatives)]
    wary = influence * np.where(positive, *scales)
    label = _OfLabel(value, rows, influence, wary, cases.weight[rows])
    label.hidden = _single_case(metric, value, positives, negatives)
    return label


def _single_case(metric: Metric, value: float, positives: float, negatives: float) -> float:
    """Return the standard error that a class of one case hides, or a ranking without an error."""
    few = min(positives, negatives)
    if not np.isfinite(metric.range).all() or (few > _ONE and metric.range[0] < value < metric.range[1]):
        return 0.0
    centre = (value * few + 0.5) / (few + 1)
    return float(np.sqrt(max(centre * (1 - centre), 0.0) / few))


def _pooled(binary: Metric, kind: str, cases: LabelSample) -> WholeSummary:
    """All labels of all cases as one yes-or-no question; a case has a part in all its answers."""
    part = _held(cases)
    if binary.of == "counts":
        own = cases.counts
        counts = Counts(**{name: float(getattr(own, name).sum()) for name in ("tp", "fp", "fn", "tn")})
        value = float(binary(counts))
        moved = np.append(np.nan_to_num(_slopes(binary, counts).ravel()), 0.0)
        few = counts if float(counts.total) <= part else Counts(**_scaled(counts, part / float(counts.total)))
        unseen = float(np.nan_to_num(_hidden(binary, np.asarray(value), few)))
        each = np.repeat(moved, len(cases.labels)).take(_flat(cases)).sum(axis=1)
        return WholeSummary(value, each, cases=part, unseen=unseen, of_decisions=True)
    root = binary.root
    if root.of.inference.influence is None:
        raise ArgumentError(f"{binary.name} has no average over labels. Hint: ask one label, ev.of_label(...).")
    table, rows, place = cases.pooled
    influence_function = root.of.inference.influence(table)
    value = float(root(float(influence_function.value)))
    if np.isnan(value):
        return WholeSummary(value, np.zeros(len(cases)), cases=part)
    each = root.scale * np.concatenate([influence_function.positive, influence_function.negative]).take(place)
    whole = not cases.missing  # all labels of a case lie side by side
    sums = each.reshape(len(cases), -1).sum(axis=1) if whole else np.bincount(rows, each, len(cases))
    return WholeSummary(value, np.asarray(sums, dtype=np.float64), cases=part)


def _scaled(counts: Counts, share: float) -> dict[str, float]:
    return {name: share * float(getattr(counts, name)) for name in ("tp", "fp", "fn", "tn")}


def _within_cases(binary: Metric, kind: str, cases: LabelSample) -> WholeSummary:
    """One value for each case, of its own labels, all of which are known: of some it would be another quantity."""
    if binary.name in ("auroc", "average_precision"):
        return _ranking_within(binary, cases)
    sums = {name: (cases.cells == code).sum(axis=1) for code, name in enumerate(("tp", "fp", "fn", "tn"))}
    values = np.asarray(binary(Counts(**{name: own.astype(np.float64) for name, own in sums.items()})))
    undefined = np.isnan(values)
    note = _note(undefined, cases, "without the labels that it takes count as 0")
    return replace(_complete(np.where(undefined, 0.0, values), cases, None, note), of_decisions=True)


def _note(flagged: npt.NDArray[np.bool_], cases: LabelSample, words: str) -> str:
    """Return how many of the complete cases are flagged, and what becomes of them."""
    many = int((flagged & cases.is_complete).sum())
    return f"{many:,} cases {words}" if many else ""


def _ranking_within(binary: Metric, cases: LabelSample) -> WholeSummary:
    truth, last, ends = _ranked(cases)
    width = truth.shape[1]
    tp = np.cumsum(truth, axis=1)
    count = truth.sum(axis=1)
    if binary.name == "auroc":
        first = np.maximum.accumulate(np.where(np.roll(ends, 1, axis=1), np.arange(width), 0), axis=1)
        before, upto = np.cumsum(~truth, axis=1), np.cumsum(~truth, axis=1)
        above = np.where(first > 0, np.take_along_axis(before, np.maximum(first - 1, 0), axis=1), 0)
        below = (width - count)[:, None] - (above + np.take_along_axis(upto, last - 1, axis=1)) / 2
        values = ratio(np.where(truth, below, 0.0).sum(axis=1), count * (width - count))
        defined = (count > 0) & (count < width)
        note = _note(~defined, cases, "with no true label or all of them left out")
        return _complete(np.where(defined, values, 0.0), cases, defined, note)
    values = ratio(np.where(truth, np.take_along_axis(tp, last - 1, axis=1) / last, 0.0).sum(axis=1), count)
    empty = count == 0
    note = _note(empty, cases, "without a true label count as 0")
    return _complete(np.where(empty, 0.0, values), cases, None, note)


_AVERAGED = [
    average_over_labels(METRICS[name], kind)
    for name in ("f1", "precision", "sensitivity", "jaccard", "auroc", "average_precision")
    for kind in KINDS
]
_WHOLE = [subset_accuracy, hamming_loss, label_ranking_average_precision, ranking_loss, coverage_error]
LABEL_METRICS = Registry([*_WHOLE, *_AVERAGED])


def found(wanted: str | Metric) -> Metric:
    """Return a metric of many labels by its name: a summary, or an average of any metric of one yes-or-no question.

    >>> found("recall_macro").name, found("npv_micro").label, found("lrap").name
    ('sensitivity_macro', 'Negative predictive value (NPV), micro', 'label_ranking_average_precision')
    """
    if isinstance(wanted, Metric):
        if wanted.of != "labels":
            raise ArgumentError(
                f"{wanted.name} is a metric of one yes-or-no question. Hint: ask for {wanted.name}_macro, or ask one "
                "label, ev.of_label(...)."
            )
        return wanted
    name = check_text(wanted, "metric")
    if name in LABEL_METRICS:
        return LABEL_METRICS[name]
    for kind in KINDS:
        key, own = key_of(name), key_of(kind)
        if not (key.endswith(own) or key.startswith(own)):
            continue
        base = name[: -len(kind)] if key.endswith(own) else name[len(kind) :]
        binary = find_metric(base.strip(" _-"))
        if binary.name + "_" + kind in LABEL_METRICS:
            return LABEL_METRICS[binary.name + "_" + kind]
        if kind == "samples" and binary.name not in _WITHIN_A_CASE:
            raise ArgumentError(
                f"there is no {binary.name}_samples. Hint: within a case there are {', '.join(_WITHIN_A_CASE)}."
            )
        return average_over_labels(binary, kind)
    if name in METRICS:
        own = canonical(name)
        raise ArgumentError(
            f"{short_repr(wanted)} is a metric of one yes-or-no question. Hint: ask for {own}_macro, or ask one label, "
            "ev.of_label(...)."
        )
    raise ArgumentError(
        f"unknown metric {short_repr(wanted)} of many labels. {did_you_mean(name, LABEL_METRICS.known_names())}"
    )


def lacking(metric: Metric, cases: LabelSample) -> str:
    """Return what a metric needs that the sample lacks, with a hint; nothing if it lacks nothing."""
    by_scores = metric.name in _RANKED or not is_of_decisions(metric)
    if by_scores and not cases.has_scores:
        return f"{metric.name} needs scores, and there are predicted labels only. Hint: evaluate(Y, S)."
    if not by_scores and not cases.has_decisions:
        return (
            f"{metric.name} needs decisions, and the scores are no probabilities. Hint: pass `threshold`, one for all "
            "labels or one for each by name."
        )
    if metric.requires.probabilities and (why := cases.probability_problem()):
        return f"{metric.name} requires probabilities; {why}."
    return ""


def is_of_decisions(metric: Metric) -> bool:
    """Whether it is computed from the labels that a model gives, rather than from scores."""
    if isinstance(metric.value, partial):
        return bool(metric.value.args[0].of == "counts")
    return metric.name not in _RANKED


def available(wanted: Iterable[str | Metric] | None, cases: LabelSample) -> tuple[Metric, ...]:
    """Return the metrics wanted, or all that this sample can have; one that it cannot have is refused, and why."""
    if wanted is None:
        return tuple(each for each in LABEL_METRICS.values() if not lacking(each, cases))
    names: Sequence[Any] = [wanted] if isinstance(wanted, str | Metric) else check_list(wanted, "metrics")
    metrics = tuple(found(name) for name in names)
    for metric in metrics:
        why = lacking(metric, cases)
        if why:
            raise ArgumentError(why)
    return metrics
