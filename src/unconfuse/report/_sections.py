"""What results give to a page's payload: an evaluation with its stops, cards, comparisons, power and subgroups."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from unconfuse._errors import UnconfuseError
from unconfuse._formatting import number_text, without_shared_words
from unconfuse.curves._curve import LONG
from unconfuse.indistinguish import crossing_in
from unconfuse.metrics import METRICS, Metric
from unconfuse.metrics.definitions import FAMILIES
from unconfuse.report._curve_data import curves_of, exact, histogram_of, picked, rounded, thin
from unconfuse.resolving.improvement_kinds import KindAnswer
from unconfuse.resolving.power_result import ResolvingPower
from unconfuse.results import Comparison, Contrast, Subgroups
from unconfuse.results.best_model import winner
from unconfuse.results.calibration import Calibration
from unconfuse.results.decision_curve_difference import DecisionCurveContrast
from unconfuse.results.evaluation import Evaluation
from unconfuse.results.pooled_sites import PooledSites
from unconfuse.results.threshold_grid import FEW, ThresholdGrid, moving, stops
from unconfuse.thresholds.card import HONEST, OperatingPoint, ThresholdCard
from unconfuse.thresholds.rules import RULES, DeclaredRule, declared_as
from unconfuse.uncertainty import Estimate

NAME_LENGTH = 10_000
SHOWN = ("sensitivity", "specificity", "precision", "youden_j", "queue_rate")
SUBGROUPS = 60  # that one page shows at most: the largest
FOLDS = 100  # that one page shows at most
SITES = 60  # the same: the largest
_LONGEST = 120
_GAP = ("metric", "first", "second", "scale", "difference", "low", "high", "p_value", "verdict", "undefined")


def model_of(
    evaluation: Evaluation, thresholds: Iterable[float] = (), *, name: str = "", most: int = FEW, bands: bool = True
) -> dict[str, Any]:
    """Return what a page needs to draw one classifier; about so many stops, these thresholds among them."""
    threshold_grid = stops(evaluation, thresholds, most=most)
    part = {
        "name": (name or evaluation.name)[:NAME_LENGTH],
        "source": evaluation.source[:NAME_LENGTH],
        **picked(evaluation, "n positives negatives threshold"),
        "threshold_origin": evaluation.threshold_source,
        **picked(evaluation, "design"),
        "level": evaluation.confidence_level,
        **picked(evaluation, "n_resamples seed"),
        "findings": [finding.as_dict() for finding in evaluation.findings],
        "estimates": {key: estimate_of(estimate) for key, estimate in evaluation.estimates.items()},
        "stops": _columns(threshold_grid, moving(evaluation)),
        "curves": curves_of(evaluation, bands=bands),
    }
    part |= (
        {} if threshold_grid.start is None else {"start": threshold_grid.start, "start_words": _start_words(evaluation)}
    )
    part |= {"skipped": evaluation.skipped.as_dict()} if evaluation.skipped else {}
    return part | _scores(evaluation)


def folds_of(evaluation: Evaluation) -> dict[str, Any]:
    """Return the first numbers of each fold, their mean, and those of all cases pooled."""
    names = [estimate.name for estimate in evaluation.headline]

    def row(name: str, own: Mapping[str, Estimate]) -> dict[str, Any]:
        return {"name": name[:_LONGEST], "estimates": {each: estimate_of(own[each]) for each in names}}

    folds = list(evaluation.folds.items())[:FOLDS]
    rows = [row("mean over folds", evaluation), row("all cases pooled", evaluation.pooled)]
    return {"metrics": names, "rows": rows + [row(f"fold {name}", own) for name, own in folds]}


def sites_of(sizes: Mapping[str, float], pooled: Iterable[PooledSites], findings: Iterable[Any]) -> dict[str, Any]:
    """Every site, the mean one and a new one in some metrics or differences, and what they mean."""
    largest = sorted(sizes, key=lambda each: -sizes[each])[:SITES]
    shown = [name for name in sizes if name in largest]
    return {
        "left_out": len(sizes) - len(shown),
        "findings": [finding.as_dict() for finding in findings],
        "sites": [{"name": name[:_LONGEST], "n": sizes[name]} for name in shown],
        "entries": [_pooled_of(pooled_sites, shown) for pooled_sites in pooled],
    }


def _pooled_of(found: PooledSites, shown: Iterable[str]) -> dict[str, Any]:
    ends = "value low high undefined"
    of = "" if found.models is None else f" ({' - '.join(found.models)})"
    return {
        "label": f"{found.label}{of}"[:_LONGEST],
        "estimates": [picked(found.estimates[name], ends) for name in shown],
        "mean": picked(found.mean, ends),
        "new_site": picked(found.new_site, ends),
        "spread": picked(found.spread, "low high"),
        "p_value": found.p_value,
        "test": found.test,
        "sentence": found.sentence,
    }


def crossing_of(evaluation: Evaluation) -> dict[str, str]:
    """Return the sentence about the indistinguishability threshold; nothing where B(r) does not cross one half."""
    try:
        indistinguishability = crossing_in(evaluation.sample, evaluation.settings, evaluation.estimates)
        return {"indistinguishable": indistinguishability.full_sentence}
    except UnconfuseError:  # such as too few negatives with low scores
        return {}


def _start_words(evaluation: Evaluation) -> str:
    if evaluation.has_decisions:
        return "The slider begins where the scores label as many cases positive as the decisions did."
    return (
        "No threshold was passed: the slider begins where as many cases are labelled positive as there are positives. "
        "That is not a recommendation."
    )


def _columns(found: ThresholdGrid, metrics: Iterable[Metric]) -> dict[str, Any]:
    """Return the slider's stops; values only of metrics whose formula a page cannot compute."""
    closed = [metric for metric in metrics if metric.of == "counts" and not metric.expression]
    made = {
        "threshold": exact(found.threshold),
        "tp": exact(found.counts.tp),
        "fp": exact(found.counts.fp),
        "intervals": {name: [rounded(end) for end in ends] for name, ends in found.intervals.items()},
        "values": {metric.name: rounded(metric(found.counts), 12) for metric in closed},
        "ratios": {name: [rounded(end, 7) for end in ends] for name, ends in found.ratios.items()},
    }
    made |= {"verdict": list(found.verdict)} if found.verdict else {}
    return made if found.b is None else made | {"b": rounded(found.b, 7)}


def calibration_of(evaluation: Evaluation) -> dict[str, Any]:
    """Whether probabilities can be taken at their word, where that is judged case by case."""
    table = evaluation.score_table
    if (
        table is None
        or not table.is_exact
        or not evaluation.sample.sampling.is_cohort
        or evaluation.sample.probability_problem()
    ):
        return {}
    calibration = evaluation.calibration
    assert isinstance(calibration, Calibration)  # of a yes-or-no question
    numbers = {
        name: {"label": estimate.label, **estimate_of(estimate)} for name, estimate in calibration.estimates().items()
    }
    confidence_band, test = calibration.band, calibration.spiegelhalter
    ends = np.arange(len(confidence_band.x))
    if len(ends) > LONG:
        ends = np.union1d(calibration.levels, np.append(calibration.levels[1:] - 1, len(ends) - 1))
    keep = sorted(
        {
            each
            for line in (confidence_band.low, confidence_band.high, confidence_band.y)
            for each in ends[thin(confidence_band.x[ends], line[ends])]
        }
    )
    columns = {name: rounded(getattr(confidence_band, name)[keep], 4) for name in ("x", "y", "low", "high")}
    band = {**columns, "kind": confidence_band.kind, "method": confidence_band.method}
    tested = {"z": test.z, "p_value": test.p_value}
    return {
        "calibration": {"sentence": calibration.sentence, "numbers": numbers, "band": band, "spiegelhalter": tested}
    }


def decision_differences_of(comparison: Comparison, names: Mapping[str, str]) -> dict[str, Any]:
    """Where one model's decision curve lies above another's, for every pair that can be compared so."""
    made = [
        _decision_difference(
            replace(decision_curve, first=names[decision_curve.first], second=names[decision_curve.second])
        )
        for decision_curve in comparison.decision_curves
    ]
    return {"decision_differences": made} if made else {}


def _decision_difference(found: DecisionCurveContrast) -> dict[str, Any]:
    line = {name: rounded(getattr(found.band, name), 4) for name in ("x", "y", "low", "high")}
    return {**picked(found, "first second sentence"), **line, **picked(found.band, "kind method")}


def _scores(evaluation: Evaluation) -> dict[str, Any]:
    table = evaluation.score_table
    if table is None:
        return {}
    ends = {"lowest_score": float(table.score[-1]), "highest_score": float(table.upper_edges[0])}
    spread = {"histogram": histogram_of(evaluation)} if table.is_exact else {"binned": True}
    return {"distinct_scores": len(table), **ends, **spread}


def estimate_of(each: Estimate) -> dict[str, Any]:
    """Return a value with its interval, what chance would give, and the reason where there is none."""
    found = picked(each, "value low high method baseline undefined")
    return (
        found
        if each.binning_bounds is None
        else found | {"bound": list(each.binning_bounds), "bound_text": each.bound_text()}
    )


def declarations_of(metrics: Iterable[Metric]) -> dict[str, Any]:
    """Return what a page says about each metric, and how it computes it."""
    words = "label question of better range expression depends_on_prevalence undefined misleads references"
    return {metric.name: picked(metric, words) for metric in metrics}


def ledgers_of(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Every definition that goes by a name that tools disagree on, once for each family."""
    probabilities = {"ece", "log_loss", "calibration_intercept", "brier"}
    left_out = probabilities if evaluation.sample.probability_problem() else set()
    first: dict[int, str] = {}
    for name, family in FAMILIES.items():
        first.setdefault(id(family), name)
    return [evaluation.definitions(name).as_dict() for name in first.values() if name not in left_out]


def card_of(card: ThresholdCard) -> dict[str, Any]:
    """Every rule with its threshold and what to expect of it."""
    return {
        "honest": HONEST[card.validation],
        "prevalence": card.prevalence,
        "findings": [finding.as_dict() for finding in card.findings],
        "rules": [_rule(point) for point in card.points.values()],
        "advice": _advice(card),
        "settings": {key: value for key, value in card.settings.items() if isinstance(value, str | int | float)},
    }


def _advice(card: ThresholdCard) -> list[str]:
    """When to take which rule, with its threshold here if the card has it."""

    def here(declared: DeclaredRule) -> str:
        own = next((point.threshold.value for name, point in card.points.items() if declared.owns(name)), math.nan)
        return f" (here {number_text(own)})" if math.isfinite(own) else ""

    return [declared_rule.advice.format(at=here(declared_rule)) for declared_rule in RULES if declared_rule.advice]


def _rule(point: OperatingPoint) -> dict[str, Any]:
    declared = declared_as(point.rule)
    metrics = {}
    for name in (metric for metric in point.metrics if metric in SHOWN):
        seen = {"apparent": point.apparent[name].value, "optimism": point.optimism[name]}
        metrics[name] = picked(point.metrics[name], "value low high") | seen
    return {
        "name": point.rule,
        **picked(point, "label"),
        "why": point.rationale,
        **picked(point, "sentence"),
        "threshold": point.threshold.value,
        **picked(point.threshold, "low high method"),
        "flat": list(point.flat_region),
        "unreachable": point.infeasible_reason,
        "in_short": declared is not None and declared.in_short,
        "metrics": metrics,
    }


def comparison_of(comparison: Comparison, names: Mapping[str, str], models: list[str]) -> dict[str, Any]:
    """Return the paired differences between the models that the page shows, under the names that it has for them."""
    differences = comparison.differences.values()
    renamed = [
        replace(contrast, first=names[contrast.first], second=names[contrast.second]) for contrast in differences
    ]
    shown = [contrast for contrast in renamed if contrast.first in models and contrast.second in models]
    cuts = {names[key]: cut for key, cut in comparison.settings.get("thresholds", {}).items()}
    said = dict(zip(names, without_shared_words([*names.values()]), strict=True))
    contests = [contest.renamed(said.__getitem__) for contest in comparison.contests]
    told = {said[name] for name, short in names.items() if short in models}
    return {
        "models": models,
        "left_out": len(comparison.models) - len(models),
        "metrics": list(comparison.metrics),
        **picked(comparison, "n positives"),
        "settings": {**comparison.settings, "thresholds": cuts},
        "differences": [contrast.as_dict() | {"better": contrast.difference.better} for contrast in shown],
        "findings": [contest.sentence for contest in contests if set(contest.models) <= told],
        "sentence": winner(contests, [*said.values()]),
        "verdict": comparison.verdict.value,
        "table": {short: _side_by_side(comparison, name) for name, short in names.items() if short in models},
        "leaderboard": _leaderboard(comparison, names),
        **_compared_in_subgroups(comparison, names, models),
    }


def _compared_in_subgroups(comparison: Comparison, names: Mapping[str, str], models: list[str]) -> dict[str, Any]:
    """Return the shown pairs' differences by the first metric in each subgroup, if cases were divided."""
    if comparison.by_subgroup is None:
        return {}
    contests = [each for each in comparison.by_subgroup.values() if each.overall.metric == comparison.metrics[0]]
    pairs = [(each, names[each.overall.first], names[each.overall.second]) for each in contests]
    return {
        "subgroups": [
            {
                "by": [column[:_LONGEST] for column in each.by],
                **picked(each.overall, "label"),
                "first": first,
                "second": second,
                "sentence": each.sentence,
                "left_out": max(len(each) - SUBGROUPS, 0),
                "differences": [
                    picked(own, "metric first_value second_value low high p_value unadjusted_p_value test")
                    | {"label": name[:_LONGEST], "first": first, "second": second, "difference": own.value}
                    | {"verdict": own.verdict, "better": own.difference.better}
                    for name, own in list(each.items())[:SUBGROUPS]
                ],
            }
            for each, first, second in pairs
            if first in models and second in models
        ]
    }


def _leaderboard(comparison: Comparison, names: Mapping[str, str]) -> dict[str, Any]:
    """Every model best first, also those that the page has no other room for, each with its own interval."""
    board = comparison.leaderboard

    def own(model: str) -> dict[str, Any]:
        evaluation = comparison.evaluations[model]
        known = board.metric in evaluation
        return {"own_low": evaluation[board.metric].low, "own_high": evaluation[board.metric].high} if known else {}

    rows = [asdict(each) | own(each.model) | {"model": names[each.model]} for each in board]
    return {"metric": board.metric, "label": board.label, "standings": rows}


def _side_by_side(comparison: Comparison, name: str) -> dict[str, Any]:
    """One model's own estimates of what was compared; only its value where it has none alone."""
    evaluation = comparison.evaluations[name]
    pairs = [contrast for contrast in comparison.values() if name in (contrast.first, contrast.second)]
    value = {pair.metric: pair.first_value if pair.first == name else pair.second_value for pair in pairs}
    unknown = {"low": None, "high": None, "undefined": None}
    return {
        metric: picked(evaluation[metric], "value low high undefined")
        if metric in evaluation
        else {"value": value[metric], **unknown}
        for metric in comparison.metrics
    }


def resolution_of(power: ResolvingPower) -> dict[str, Any]:
    """Resolutions, signal curves and the recommendation."""
    words = ("undefined", "not_ranked", "caution")
    rows = [row | {name: row[name] and _in_labels(row[name], power) for name in words} for row in power.rows()]
    return {
        "paragraph": _in_labels(power.recommendation.paragraph, power),
        **picked(power, "reference at n"),
        **picked(power.sizes, "positives design"),
        "method": power.method,
        "level": power.confidence_level,
        **picked(power, "n_samples seed"),
        "rows": rows,
        "kinds": [_kind(kind, power) for kind in power.recommendation.kinds],
        "curves": {name: _signal(power, name) for name in power.metrics},
    }


def _kind(answer: KindAnswer, power: ResolvingPower) -> dict[str, Any]:
    """Return what one kind of improvement says, and the cases that each metric needs for one of the AUROC."""
    return {
        **picked(answer, "improvement words outcome"),
        "sentence": _in_labels(answer.sentence, power),
        "cases": {
            name: 1 / efficiency
            for name, efficiency in answer.efficiencies.items()
            if name in power.metrics and efficiency > 0
        },
        "better": [name for name in answer.better if name in power.metrics],
    }


def _in_labels(text: str, power: ResolvingPower) -> str:
    """Replace metrics' names in a text by their labels: only those who type the names need to know them."""
    labels = {name: METRICS[name].label for name in power.metrics if name in METRICS}
    names = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{names})(?!\w)", lambda found: labels[found[0]], text) if labels else text


def _signal(power: ResolvingPower, name: str) -> dict[str, Any]:
    signal_curve = power.signal_curve(name)
    keep = thin(signal_curve.reference, signal_curve.values)
    return {
        "x": rounded(signal_curve.reference[keep]),
        "y": rounded(signal_curve.values[keep]),
        "problem": signal_curve.not_invertible_reason,
    }


def subgroups_of(result: Subgroups) -> dict[str, Any]:
    """Every subgroup's main metrics, how each differs from the reference, and what that means."""
    shown = sorted(result, key=lambda name: -result[name].n)[:SUBGROUPS]
    names = [name for name in result if name in shown]
    metrics = [name for name in result.headlines() if name in result.overall]
    pairs = [difference for name in metrics for difference in result.differences(name)] if len(result) > 1 else []
    return {
        "by": [each[:_LONGEST] for each in result.by],
        "reference": result.reference[:_LONGEST],
        "left_out": len(result) - len(names),
        "metrics": metrics,
        "findings": [finding.as_dict() for finding in result.findings],
        "sentence": result.sentence,
        "gaps": [_widest(result, name) for name in metrics] if len(result) > 1 else [],
        "groups": [_group(name, result[name], metrics) for name in names],
        "differences": [_gap(pair) for pair in pairs if pair.first in shown],
    }


def _widest(result: Subgroups, metric: str) -> dict[str, Any]:
    """Return the widest gap among all subgroups, and what chance would show."""
    subgroup_range = result.largest_difference(metric)
    ends = {"highest": subgroup_range.highest[:_LONGEST], "lowest": subgroup_range.lowest[:_LONGEST]}
    numbers = picked(subgroup_range, "value low high undefined by_chance p_equal corrected sentence")
    return {"metric": metric, **ends, **numbers}


def _group(name: str, one: Evaluation, metrics: list[str]) -> dict[str, Any]:
    estimates = {metric: picked(one[metric], "value low high undefined") for metric in metrics}
    sizes = {"positives": None, **one.size_fields}
    return {"name": name[:_LONGEST], "n": sizes["n"], "positives": sizes["positives"], "estimates": estimates}


def _gap(found: Contrast) -> dict[str, Any]:
    values = found.as_dict() | {"first": found.first[:_LONGEST], "second": found.second[:_LONGEST]}
    return {name: values[name] for name in _GAP}
