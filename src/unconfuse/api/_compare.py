"""`compare`: which of several models is better, on the same cases."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, Unpack

import numpy as np

from unconfuse._deprecated import parameter_aliases
from unconfuse._errors import ArgumentError, did_you_mean, surface_text
from unconfuse._formatting import short_repr
from unconfuse._parameters.decisions import BASELINES
from unconfuse._parameters.uncertainty import ADJUST
from unconfuse._validate import check_choice, check_number, check_probability, check_rule, check_threshold
from unconfuse.api._compare_unpaired import are_apart, samples_apart
from unconfuse.ingest import DataOptions
from unconfuse.ingest._read import check_judgeable, public_data_api, refuse, sample_of
from unconfuse.ingest.data import has_many_labels, has_queries
from unconfuse.metrics import Metric, find_metrics
from unconfuse.metrics.requirements import by_cut
from unconfuse.policy import DEFAULT_THRESHOLD, Verdict
from unconfuse.results.comparison import Comparison
from unconfuse.results.contrast import Contrast
from unconfuse.table import IndependentSamples, Sample, Settings, parse_design
from unconfuse.table.sample import DEFAULT
from unconfuse.thresholds.measured_choice import decided_by_rule
from unconfuse.uncertainty import available, why_not
from unconfuse.uncertainty.contrasts import PairedContrasts
from unconfuse.uncertainty.difference_tests import cases_needed
from unconfuse.uncertainty.independent_contrast import UnpairedContrasts
from unconfuse.uncertainty.simultaneous import ContrastFamily, SimultaneousResult

_OF_DECISIONS = ("accuracy", "sensitivity", "specificity", "precision", "f1", "mcc")
DEFAULT_METRICS = ("auroc", "average_precision", *_OF_DECISIONS, "brier")
_OF_SEVERAL = ("accuracy", "balanced_accuracy", "mcc", "f1_macro")
_FEW = 20  # cases, below which nothing is said of how many would do
OF_CLASSES = (*_OF_SEVERAL, "auroc_ovr_macro", "auroc_hand_till", "log_loss", "brier")
Pair = tuple[str, str]


@parameter_aliases(at="threshold_rule")
@public_data_api
def compare(
    y: Any,
    s: Any = None,
    *,
    metrics: Iterable[str | Metric] | None = None,
    threshold: float | Mapping[str, float] | None = None,
    threshold_rule: str | None = None,
    reference: str | None = None,
    baselines: Sequence[str] = (),
    margin: float | None = None,
    adjust: str = "max-t",
    design: str = "cohort",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: int = 0,
    looks: str | int | None = None,
    progress: Callable[[int, int], object] | None = None,
    **data: Unpack[DataOptions],
) -> Comparison:
    """Which model is better: paired differences of any metric, with intervals, p-values and a plain verdict.

    Parameters
    ----------
    y : array_like, data frame, path, address of a database or Data
        Labels; or a source of labels and of several columns of scores. Models that were judged on different cases come
        as a mapping of name to `Counts`, to a `ScoreTable` or to (labels, scores): their differences are not paired.
    s : mapping of name to array_like
        The models' scores of the same cases; matrices with a column for each class, if there are several.
    metrics : names or Metric objects, optional
        A common set by default; those of probabilities only if all scores are probabilities.
    threshold : float or mapping of model to float, optional
        Where decisions are cut: each model has its own threshold. Probabilities are cut at 0.5 by default; other scores
        have no default, and without a threshold their decisions are not compared. Several classes have none.
    threshold_rule : str, optional
        A rule that chooses each model's threshold instead, such as "youden": the cases of each fold are cut where the
        others say, so that no case has a part in the choice that it is judged by.
    reference : str, optional
        Compare every model with this one only, for instance the one in use now.
    baselines : sequence of {"majority", "constant"}
        Add a model that always names the largest class, or that always predicts the shares of the classes.
    margin : float, optional
        The largest difference that does not matter: allows the verdict "equivalent", and says whether the first model
        is surely not worse than the second by more than this.
    adjust : {"max-t", "holm"}
        How p-values are adjusted for several pairs of models.
    design, confidence_level, n_resamples, rng, looks, progress
        As in `evaluate`. With `looks` several pairs of models divide the error among them (Bonferroni, or for p-values
        Holm), and p-values hold at all looks together.
    **data
        The words of `Data`. With `by` the models are compared in each subgroup too (`.subgroups`). With folds the
        difference is that of the folds' means, with Nadeau and Bengio's corrected resampled t-test.

    Examples
    --------
    >>> import numpy as np, unconfuse as uc
    >>> rng = np.random.default_rng(1)
    >>> y = rng.random(400) < .3
    >>> good, poor = y + rng.normal(size=400), y + 3 * rng.normal(size=400)
    >>> result = uc.compare(y, {"good": good, "poor": poor}, metrics=["auroc"])
    >>> result["auroc", "good", "poor"].verdict
    'better'
    >>> published = {"a": uc.Counts(tp=90, fp=30, fn=10, tn=170), "b": uc.Counts(tp=70, fp=10, fn=30, tn=190)}
    >>> print(uc.compare(published, metrics=["sensitivity"])["sensitivity", "a", "b"].difference)
    sensitivity 0.200 [0.090, 0.307] 95% MOVER, independent cases, a - b
    >>> chosen = uc.compare(y, {"good": good, "poor": poor}, metrics=["mcc"], threshold_rule="youden")
    >>> chosen["mcc", "good", "poor"].verdict
    'better'
    """
    fixed_classes = parse_design(design)
    check_rule(threshold_rule)
    settings = Settings.validated(confidence_level, n_resamples, rng, progress, looks)
    if settings.looks is not None and threshold_rule is not None:
        raise ArgumentError(
            "`looks` and `threshold_rule` cannot be combined: a threshold that is chosen anew at each look is another "
            "one each time. Hint: give `threshold`."
        )
    check_choice(adjust, "adjust", ADJUST.choices)
    difference = None if margin is None else _margin(margin)
    many, queries = has_many_labels(y, s, data.get("labels"), data.get("predicted")), has_queries(y, data.get("query"))
    if many or queries:
        from unconfuse.api import _multi_output  # most data are of one question

        request = _multi_output.MultiOutputRequest(
            settings, metrics, threshold, threshold_rule, fixed_classes=fixed_classes
        )
        return _multi_output.compare_whole(
            _multi_output.described(y, s, data),
            request,
            reference=reference,
            baselines=baselines,
            margin=difference,
            adjust=adjust,
        )
    if s is None and are_apart(y):
        if data.get("by") is not None or any(each.by for each in y.values() if isinstance(each, Sample)):
            raise ArgumentError(
                "`by` needs models on the same cases, but these have cases of their own. Hint: leave it out."
            )
        apart = samples_apart(
            y, threshold, baselines, data, lambda one, cut: cut_models(one, cut, threshold_rule, settings.seed)
        )
        apart = apart.with_design(fixed_classes)
        pairs, wanted = pairs_of(apart.models, reference), _wanted_apart(metrics, apart)
        make = partial(_unpaired, wanted, apart, pairs, adjust)
        judged = dict.fromkeys((metric.name for metric in wanted), _at_looks(make, apart, pairs, settings, adjust))
        return _compared(wanted, apart, pairs, judged, settings, adjust, difference)
    how: dict[str, Any] = {"threshold": threshold, "at": threshold_rule, "baselines": baselines}
    sample = models_of(y, s, data, settings, **how, fixed_classes=fixed_classes, sites=True)
    pairs, wanted = pairs_of(sample.models, reference), _wanted(metrics, sample)
    found = families(wanted, sample, pairs, settings, adjust)
    everyone = _compared(wanted, sample, pairs, found, settings, adjust, difference)
    everyone = replace(everyone, added=(baselines,) if isinstance(baselines, str) else tuple(baselines))
    return everyone if not sample.by else replace(everyone, by_subgroup=_by_subgroup(everyone, wanted, pairs))


def models_of(
    y: Any,
    s: Any,
    data: DataOptions,
    settings: Settings,
    *,
    threshold: float | Mapping[str, float] | None = None,
    at: str | None = None,
    baselines: Sequence[str] = (),
    fixed_classes: bool = False,
    sites: bool = False,
) -> Sample:
    """All models' scores of the same cases, each cut at its threshold."""
    cuts = threshold if isinstance(threshold, Mapping) else {"": DEFAULT_THRESHOLD if threshold is None else threshold}
    edges = [check_threshold(cut) for cut in cuts.values()]
    sample = sample_of(y, s, data, rows=True, models=True, edges=edges, progress=settings.progress, sites=sites)
    sample = sample.with_design(fixed_classes)
    check_judgeable(sample)
    if sample.in_memory is not None:
        sample = sample.in_memory.ordered  # a seed draws the same cases, whatever the order they came in
    if sample.is_multiclass:
        return _classes(sample, threshold, at, baselines)
    return _with_baselines(cut_models(sample, threshold, at, settings.seed), baselines)


def families(
    wanted: Sequence[Metric], sample: Sample, pairs: Sequence[Pair], settings: Settings, adjust: str = "max-t"
) -> dict[str, ContrastFamily]:
    """Return the differences of all pairs in each metric, by its name; metrics of one threshold share what they can."""
    whole = sample.derive(division=None) if sample.in_memory is not None and sample.by else sample
    found: dict[str, ContrastFamily] = {}
    for own, some in by_cut(wanted, whole):
        family = _at_looks(partial(_paired, some, own, pairs, adjust), sample, pairs, settings, adjust)
        found |= dict.fromkeys((metric.name for metric in some), family)
    return found


def _paired(
    metrics: Sequence[Metric], sample: Sample, pairs: Sequence[Pair], adjust: str, settings: Settings
) -> ContrastFamily:
    return PairedContrasts(metrics, sample, pairs, settings, adjust)


def _unpaired(
    metrics: Sequence[Metric], apart: IndependentSamples, pairs: Sequence[Pair], adjust: str, settings: Settings
) -> ContrastFamily:
    return UnpairedContrasts(metrics, apart.samples, pairs, settings, adjust)


def _at_looks(
    make: Callable[[Settings], ContrastFamily],
    sample: Sample | IndependentSamples,
    pairs: Sequence[Pair],
    settings: Settings,
    adjust: str,
) -> ContrastFamily:
    """Return what makes the differences: at a single look, or at one of several."""
    if settings.looks is None:
        return make(settings)
    from unconfuse.uncertainty.sequential_pairs import RepeatedPairs  # most data are looked at once

    return RepeatedPairs(make, sample, pairs, settings, adjust)


def _by_subgroup(whole: Comparison, wanted: Sequence[Metric], pairs: Sequence[Pair]) -> Any:
    from unconfuse.results.compared_subgroups import compared_in_subgroups  # most comparisons have no subgroups

    return compared_in_subgroups(whole, wanted, pairs)


def _compared(
    wanted: Sequence[Metric],
    sample: Sample | IndependentSamples,
    pairs: Sequence[Pair],
    found: Mapping[str, ContrastFamily],
    settings: Settings,
    adjust: str,
    margin: float | None,
) -> Comparison:
    """Every difference with its verdict."""
    differences = contrasts_of(wanted, sample.n_drawn, pairs, found, settings, margin)
    settings.report_finished()
    return Comparison(
        differences, tuple(metric.name for metric in wanted), sample, settings, adjust, margin, declared=tuple(wanted)
    )


def contrasts_of(
    wanted: Sequence[Metric],
    n: float,
    pairs: Sequence[Pair],
    found: Mapping[str, ContrastFamily],
    settings: Settings,
    margin: float | None,
) -> dict[tuple[str, str, str], Contrast]:
    """Return the contrasts of all pairs in each metric, by (metric, first model, second model)."""
    differences, among = {}, f"{len(pairs)} pairs" if len(pairs) > 1 else ""
    for metric in wanted:
        family = found[metric.name]
        claims = [None] * len(pairs) if margin is None else family.claims(metric, margin)
        for pair, difference, claim in zip(pairs, family.differences(metric), claims, strict=True):
            told = (
                {}
                if claim is None or math.isnan(difference.value)
                else {"within_margin": claim[0], "not_worse": claim[1]}
            )
            values, level = family.values[metric.name], settings.confidence_level
            differences[metric.name, *pair] = contrast_of(
                metric, pair, values, difference, n, level, among=among, **told
            )
    return differences


def _wanted_apart(metrics: Iterable[str | Metric] | None, apart: IndependentSamples) -> tuple[Metric, ...]:
    """Return the metrics wanted, or the usual ones, as far as every sample can have them."""
    lists = [_wanted(metrics, sample) for sample in apart.samples.values()]
    return tuple(metric for metric in lists[0] if all(metric.name in {one.name for one in others} for others in lists))


def _margin(margin: float) -> float:
    value = check_number(margin, "margin")
    if value <= 0:
        hint = "Hint: it is the largest difference that does not matter to you."
        raise ArgumentError(f"`margin` must be above 0; got {value:g}. {hint}")
    return value


def _named(baselines: Sequence[str], sample: Sample) -> list[str]:
    """Return the baselines wanted; refuse one whose name a model bears, which would be taken for it."""
    chosen = [baselines] if isinstance(baselines, str) else list(baselines)
    names = [check_choice(each, "baselines", BASELINES.choices) for each in chosen]
    for name in names:
        if name in sample.models:
            raise ArgumentError(
                f"`baselines` must not have the name of a model; got {short_repr(name)} for both. "
                "Hint: rename the model."
            )
    return names


def _with_baselines(sample: Sample, baselines: Sequence[str]) -> Sample:
    """Add models that look at nothing to a yes-or-no question, cut so that `majority` always names the larger class."""
    share = sample.positives / sample.n
    added = {each: share if each == "constant" else float(share > 0.5) for each in _named(baselines, sample)}
    if not added:
        return sample
    cut = {**sample.thresholds, **dict.fromkeys(added, DEFAULT_THRESHOLD)}
    known = {**sample.threshold_sources, **dict.fromkeys(added, DEFAULT)}
    return sample.with_constants(added).derive(thresholds=cut, threshold_sources=known)


def cut_models(sample: Sample, threshold: float | Mapping[str, float] | None, at: str | None, seed: int) -> Sample:
    """Every model cut where the user said, by the rule that he named, or as its scores allow."""
    if at is not None:
        if threshold is not None:
            raise ArgumentError("`threshold` and `threshold_rule` cannot be combined. Hint: pass either of them.")
        return decided_by_rule(sample, at, seed)
    given = _given(sample, threshold)
    probable = [name for name in sample.models if sample.has_scores_of(name) and not sample.probability_problem(name)]
    for name in set(given) & set(probable):
        check_probability(given[name], f"threshold of {name}")
    usual = [name for name in probable if name not in given]
    decided = [name for name in sample.models if not sample.has_scores_of(name)]
    if set(given) & set(decided):
        raise ArgumentError("`threshold` cuts scores, and there are predicted labels only. Hint: leave it out.")
    return sample.with_thresholds({**given, **dict.fromkeys(usual, DEFAULT_THRESHOLD)}, dict.fromkeys(usual, DEFAULT))


def _given(sample: Sample, threshold: float | Mapping[str, float] | None) -> dict[str, float]:
    """Return the thresholds that were given, by model; one for all only if their scores are of one kind."""
    if threshold is None:
        return {}
    if isinstance(threshold, Mapping):
        for name in threshold:
            if name not in sample.models:
                raise ArgumentError(
                    f"a threshold is for {short_repr(name)}, which is not a model. {did_you_mean(name, sample.models)}"
                )
        return {name: check_threshold(each) for name, each in threshold.items()}
    kinds = {bool(sample.probability_problem(name)) for name in sample.models}
    if len(kinds) > 1:
        one, other = sample.models[0], sample.models[-1]
        hint = surface_text(
            f"`threshold={{{short_repr(one)}: ..., {short_repr(other)}: ...}}`",
            f"--threshold {one}=... --threshold {other}=...",
        )
        raise ArgumentError(
            f"one threshold, {check_threshold(threshold):g}, cannot cut both probabilities and other scores. "
            f"Hint: give each model its own, {hint}."
        )
    return dict.fromkeys(sample.models, check_threshold(threshold))


def _classes(sample: Sample, threshold: object, at: object, baselines: Sequence[str]) -> Sample:
    """Several classes with a model that always names the largest, or that always states the shares of the classes."""
    refuse(sample, threshold=threshold, threshold_rule=at)
    rows = sample.in_memory
    if rows is None:
        raise ArgumentError(
            "models of several classes are compared row by row, but only tables of the rows are here. "
            "Hint: give the data themselves; of a cluster, bring a sample with .toPandas()."
        )
    share = sample.sizes / sample.n
    largest = np.eye(len(share))[int(np.argmax(share))]
    stated = {each: share if each == "constant" else largest for each in _named(baselines, sample)}
    return rows.with_rows(stated)


def pairs_of(models: tuple[str, ...], reference: str | None) -> list[Pair]:
    """All pairs of models, or each against the reference."""
    if len(models) < 2:
        baseline = surface_text("`baselines=['majority']`", "--baseline majority")
        raise ArgumentError(f"a comparison needs at least two models. Hint: add one, or {baseline}.", argument="score")
    if reference is None:
        return list(combinations(models, 2))
    if reference not in models:
        raise ArgumentError(f"no model {short_repr(reference)}. {did_you_mean(reference, models)}")
    return [(model, reference) for model in models if model != reference]


def _wanted(metrics: Iterable[str | Metric] | None, sample: Sample) -> tuple[Metric, ...]:
    """Return the metrics wanted, or the usual ones, as far as all models can have them."""
    if metrics is not None:
        return available(metrics, sample)
    usual = find_metrics(OF_CLASSES if sample.is_multiclass else DEFAULT_METRICS, several=sample.is_multiclass)
    return tuple(metric for metric in usual if not any(why_not(metric, sample, model) for model in sample.models))


def contrast_of(
    metric: Metric,
    pair: Pair,
    values: Mapping[str, float],
    held: SimultaneousResult,
    n: float,
    level: float,
    **more: Any,
) -> Contrast:
    """Return a difference of two models, and how many cases would tell it where these do not."""
    contrast = Contrast.held(metric, pair, (values[pair[0]], values[pair[1]]), held, level, **more)
    if contrast.verdict not in (Verdict.CANNOT_TELL, Verdict.EQUIVALENT) or n < _FEW:
        return contrast
    return replace(contrast, cases_needed=cases_needed(n, contrast.value, contrast.standard_error, held.level))
