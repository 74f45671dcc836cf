"""`evaluate` and `compare` of cases with many labels, and of documents ranked for queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError, argument_name
from unconfuse._formatting import short_repr
from unconfuse._validate import by_text, check_list, check_number, check_probability, warn_fractions, warn_skipped
from unconfuse.api._compare import Pair, contrast_of, contrasts_of, pairs_of
from unconfuse.ingest.data import Data, DataOptions, has_many_labels
from unconfuse.ingest.read_labels import read_labels
from unconfuse.ingest.read_queries import read_queries
from unconfuse.metrics import Metric, find_metric, multilabel, query_ranking
from unconfuse.policy import DEFAULT_THRESHOLD
from unconfuse.results.contrast import Contrast
from unconfuse.results.multi_output_comparison import MultiOutputComparison
from unconfuse.results.multilabel import LabelEvaluation
from unconfuse.results.queries import QueryEvaluation
from unconfuse.table import Array, InMemorySample, Settings
from unconfuse.table.multi_output import LabelSample, MultiOutputSample, QuerySample
from unconfuse.table.sample import DEFAULT
from unconfuse.thresholds.measured_choice import decided_by_rule
from unconfuse.uncertainty import available
from unconfuse.uncertainty.contrasts import PairedContrasts
from unconfuse.uncertainty.difference_tests import bonferroni
from unconfuse.uncertainty.multi_output_intervals import PairedMultiOutput, estimates_of_whole
from unconfuse.uncertainty.simultaneous import (
    ContrastFamily,
    Draft,
    SimultaneousResult,
    simultaneous,
    surely_above,
    surely_within,
)

_COMPARED = (
    "auroc_macro",
    "average_precision_macro",
    "f1_macro",
    "f1_micro",
    "subset_accuracy",
    "hamming_loss",
    "ranking_loss",
)
Threshold = float | Mapping[str, float] | Sequence[float] | None


@dataclass(frozen=True)
class MultiOutputRequest:
    """What a verb was asked beside the data."""

    settings: Settings
    metrics: Iterable[str | Metric] | None = None
    threshold: Any = None
    at: str | None = None
    name: str = ""
    reference: Any = None
    fixed_classes: bool = False


def described(y: Any, s: Any, words: DataOptions) -> Data:
    """Return the data behind a verb's arguments."""
    if not isinstance(y, Data):
        return Data(y, s, **words)
    beside = [*(["s"] if s is not None else []), *words]
    if beside:
        raise ArgumentError(
            f"the data are described already, but `{beside[0]}` came beside them. Hint: put it into Data(...)."
        )
    return y


def _check(sample: MultiOutputSample, asked: MultiOutputRequest, what: str) -> None:
    warn_skipped(sample.skipped)
    if sample.squares is None and sample.weights is not None:
        warn_fractions(not np.array_equal(sample.weights, np.round(sample.weights)))
    if asked.settings.looks is not None:
        raise ArgumentError(f"{argument_name('looks')} does not support {what}. Hint: leave it out.")
    if asked.fixed_classes:
        raise ArgumentError(
            f"`design='case-control'` fixes the share of one class, and there are {what}. Hint: leave it out."
        )


def evaluate_labels(data: Data, asked: MultiOutputRequest) -> LabelEvaluation:
    """Return every metric of one model that gives many labels."""
    sample = read_labels(data)
    _check(sample, asked, "many labels")
    if asked.reference is not None:
        raise ArgumentError(
            f"{argument_name('reference')} is for subgroups of a yes-or-no question. Hint: ask one label."
        )
    sample = decided(sample, asked)
    sample.only_model  # noqa: B018  several models are refused
    metrics = multilabel.available(asked.metrics, sample)
    estimates = estimates_of_whole(metrics, sample, asked.settings)
    asked.settings.report_finished()
    name = asked.name or ("" if sample.only_model == "score" else sample.only_model)
    return LabelEvaluation(sample, asked.settings, metrics, estimates, name=name)


def decided(sample: LabelSample, asked: MultiOutputRequest) -> LabelSample:
    """Cut every label where the user said, where a rule says, or at 0.5 of probabilities."""
    if asked.at is not None:
        if asked.threshold is not None:
            raise ArgumentError("`threshold` and `threshold_rule` cannot be combined. Hint: pass either of them.")
        return _by_rule(sample.ordered, asked.at, asked.settings.seed)
    scored = [model for model in sample.models if model in sample.scores and model not in sample.decided]
    if asked.threshold is None:
        probable = scored and not sample.probability_problem()
        usual = np.full(len(sample.labels), DEFAULT_THRESHOLD)
        cuts = dict.fromkeys(scored, usual) if probable else {}
        return replace(sample, thresholds=cuts, threshold_sources=dict.fromkeys(cuts, DEFAULT))
    if not scored:
        raise ArgumentError(f"{argument_name('threshold')} cuts scores, and there are predicted labels only.")
    own = _cuts(asked.threshold, sample)
    if not sample.probability_problem():
        for each in own:
            check_probability(float(each), "threshold")
    return replace(sample, thresholds=dict.fromkeys(scored, own))


def _cuts(threshold: Any, sample: LabelSample) -> Array:
    """One threshold for all labels, or one for each: by name, or in their order."""
    if isinstance(threshold, Mapping):
        given = by_text(threshold, "labels")
        for name in given:
            sample.position(name)
        places = {sample.position(name): check_number(each, "threshold") for name, each in given.items()}
        missing = [name for place, name in enumerate(sample.labels) if place not in places]
        if missing:
            raise ArgumentError(f"`threshold` must name every label; {short_repr(missing[0])} is missing.")
        return np.array([places[place] for place in range(len(sample.labels))])
    if isinstance(threshold, list | tuple | np.ndarray):
        if len(threshold) != len(sample.labels):
            raise ArgumentError(
                f"`threshold` must have one for each of {len(sample.labels)} labels; got {len(threshold)}."
            )
        return np.array([check_number(each, "threshold") for each in threshold])
    return np.full(len(sample.labels), check_number(threshold, "threshold"))


def _by_rule(sample: LabelSample, at: str, seed: int) -> LabelSample:
    """Each label's threshold chosen by a rule, on other folds than it decides on."""
    labelled = {model: np.zeros(sample.truth.shape, dtype=np.bool_) for model in sample.models}
    for place, label in enumerate(sample.labels):
        rows = np.flatnonzero(sample.truth[:, place] >= 0)
        own = replace(sample, thresholds={}).of_label(place).without_subgroups()
        if not (own.positives > 0 and own.negatives > 0):
            raise ArgumentError(
                f"{argument_name('at')} needs positives and negatives of every label; {short_repr(label)} has one kind."
            )
        chosen = decided_by_rule(own, at, seed).rows_for("a threshold by rule")
        for model in sample.models:
            labelled[model][rows, place] = chosen.labelled(model)
    return replace(
        sample, decided=labelled, thresholds={}, threshold_sources=dict.fromkeys(sample.models, f"{at}, cross-fitted")
    )


def evaluate_queries(data: Data, asked: MultiOutputRequest) -> QueryEvaluation:
    """Return averages over queries of how well one model ranks their documents."""
    sample = read_queries(data)
    _check(sample, asked, "queries")
    _refuse_cuts(asked)
    sample.only_model  # noqa: B018  several models are refused
    metrics = query_ranking.available(asked.metrics)
    estimates = estimates_of_whole(metrics, sample, asked.settings)
    asked.settings.report_finished()
    name = asked.name or ("" if sample.only_model == "score" else sample.only_model)
    return QueryEvaluation(sample, asked.settings, metrics, estimates, name=name)


def _refuse_cuts(asked: MultiOutputRequest) -> None:
    for field, word in (("threshold", "threshold"), ("at", "threshold_rule"), ("reference", "reference")):
        if getattr(asked, field) is not None:
            raise ArgumentError(f"{argument_name(word)} makes no sense for rankings per query. Hint: leave it out.")


def compare_whole(
    data: Data,
    asked: MultiOutputRequest,
    *,
    reference: str | None,
    baselines: Sequence[str],
    margin: float | None,
    adjust: str,
) -> MultiOutputComparison:
    """Return paired differences of models on the same cases with many labels, or on the same queries."""
    if baselines:
        raise ArgumentError("`baselines` are of one question; leave them out for many labels and for queries.")
    sample, metrics = models_of(data, asked)
    pairs, settings = pairs_of(sample.models, reference), asked.settings
    found = families(metrics, sample, pairs, settings, adjust)
    differences = contrasts_of(metrics, sample.n_drawn, pairs, found, settings, margin)
    settings.report_finished()
    by_label = None
    if isinstance(sample, LabelSample):
        by_label = partial(label_differences, sample, settings, margin, adjust)
    return MultiOutputComparison(
        differences,
        tuple(metric.name for metric in metrics),
        sample,
        settings,
        adjust,
        margin,
        declared=metrics,
        evaluate=partial(_own, sample, settings, metrics),
        by_label=by_label,
    )


def models_of(data: Data, asked: MultiOutputRequest) -> tuple[LabelSample | QuerySample, tuple[Metric, ...]]:
    """Return all models on the same whole cases, and the metrics wanted of them."""
    sample: LabelSample | QuerySample
    if has_many_labels(data, None, None, None):
        sample = decided(read_labels(data), asked)
        metrics = _wanted_of_labels(asked.metrics, sample)
        _check(sample, asked, "many labels")
    else:
        sample = read_queries(data)
        _refuse_cuts(asked)
        metrics = query_ranking.available(asked.metrics)
        _check(sample, asked, "queries")
    if sample.by:
        raise ArgumentError("`by` is not supported here. Hint: compare the models on the rows of one subgroup.")
    return sample, tuple(metrics)


def families(
    wanted: Sequence[Metric],
    sample: LabelSample | QuerySample,
    pairs: Sequence[Pair],
    settings: Settings,
    adjust: str = "max-t",
) -> dict[str, ContrastFamily]:
    """Return the differences of all pairs in each metric, by its name."""
    each = {model: sample.select_model(model) for model in sample.models}
    return dict.fromkeys((metric.name for metric in wanted), PairedMultiOutput(wanted, each, pairs, settings, adjust))


_EVALUATIONS: dict[type, type[LabelEvaluation | QueryEvaluation]] = {
    LabelSample: LabelEvaluation,
    QuerySample: QueryEvaluation,
}


def _own(sample: Any, settings: Settings, metrics: tuple[Metric, ...], model: str) -> Any:
    own, quiet = sample.select_model(model), settings.without_progress()
    return _EVALUATIONS[type(sample)](own, quiet, metrics, estimates_of_whole(metrics, own, quiet), name=model)


def _wanted_of_labels(metrics: Iterable[str | Metric] | None, sample: LabelSample) -> tuple[Metric, ...]:
    label_samples = [sample.select_model(model) for model in sample.models]
    if metrics is not None:
        names = [metrics] if isinstance(metrics, str | Metric) else check_list(metrics, "metrics")
        for label_sample in label_samples[1:]:
            multilabel.available(names, label_sample)
        return multilabel.available(names, label_samples[0])
    usual = [multilabel.found(name) for name in _COMPARED]
    return tuple(metric for metric in usual if not any(multilabel.lacking(metric, own) for own in label_samples))


def label_differences(
    sample: LabelSample, settings: Settings, margin: float | None, adjust: str, metric: str, first: str, second: str
) -> dict[str, Contrast]:
    """Return two models' differences in one metric of every label; intervals and p-values hold for all labels at once.

    Bonferroni over the labels that can differ: with a joint law of all labels critical values were 2.62 and 3.00 in
    place of 2.64 and 3.02.
    """
    declared, pair, level = find_metric(metric), (first, second), settings.confidence_level
    alone = {}
    for place, label in enumerate(sample.labels):
        own = sample.of_label(place).without_subgroups().ordered
        if own.positives > 0 and own.negatives > 0:
            available([declared], own)
            alone[label] = PairedContrasts([declared], _of_pair(own, pair), [pair], settings.without_progress(), adjust)
    drafts = {label: each.draft(declared, pair) for label, each in alone.items()}
    counted = sum(draft.standard_error > 0 for draft in drafts.values())
    among = f"{counted} labels" if counted > 1 else ""
    held, claims = _held_by_label(drafts, level), _claims_by_label(declared, drafts, margin, level)
    out = {}
    for label, paired_contrasts in alone.items():
        values, n = paired_contrasts.values[declared.name], paired_contrasts.sample.n_drawn
        made = contrast_of(declared, pair, values, held[label], n, level, among=among, **claims[label])
        out[label] = replace(made, conditions=f"{label}: {made.conditions}")
    return dict(sorted(out.items(), key=lambda item: _size(item[1])))


def _can_differ(drafts: Mapping[str, Draft]) -> dict[str, Draft]:
    """Labels on which the models do not answer alike in every case: no other can be claimed to differ."""
    return {label: draft for label, draft in drafts.items() if draft.standard_error > 0}


def _held_by_label(drafts: Mapping[str, Draft], level: float) -> dict[str, SimultaneousResult]:
    """Every label's interval and p-value, which hold for all labels that can differ at once."""
    family = _can_differ(drafts)
    together = dict(zip(family, simultaneous(list(family.values()), bonferroni, level), strict=True))
    return {
        label: together.get(label) or simultaneous([draft], bonferroni, level)[0] for label, draft in drafts.items()
    }


def _claims_by_label(
    metric: Metric, drafts: Mapping[str, Draft], margin: float | None, level: float
) -> dict[str, dict[str, bool]]:
    """Return what is claimed of a margin for all labels at once: that a difference lies within it, and is not worse."""
    known = {label: draft for label, draft in drafts.items() if not np.isnan(draft.value)}
    if margin is None:
        return {label: {} for label in drafts}
    given, error, sign = list(known.values()), 1 - level, -1 if metric.better == "lower" else 1
    within = surely_within(given, margin, error)
    not_worse = surely_above(given, -margin, bonferroni, error, sign=sign)
    told = {
        label: {"within_margin": one, "not_worse": other}
        for label, one, other in zip(known, within, not_worse, strict=True)
    }
    return {label: told.get(label, {}) for label in drafts}


def _size(each: Contrast) -> float:
    return np.inf if np.isnan(each.value) else -abs(each.value)


def _of_pair(sample: InMemorySample, pair: Pair) -> InMemorySample:
    """Return the same cases with only the two models of a pair."""
    keep = [model for model in sample.models if model in pair]
    return sample.derive(
        scores={m: sample.scores[m] for m in keep if m in sample.scores},
        decided={m: sample.decided[m] for m in keep if m in sample.decided},
        thresholds={m: cut for m, cut in sample.thresholds.items() if m in keep},
        threshold_sources={m: how for m, how in sample.threshold_sources.items() if m in keep},
    )
