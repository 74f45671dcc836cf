"""Results as flat mappings from key to plain value: the only place of these tests that knows how results are laid out.

Functions read results by their public names, so that one stored file serves before and after a change of the classes
behind them. Where the layout is known to change, both layouts are read.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

Flat = dict[str, Any]
DIGITS = 12
DIFFERENCE = ("p_value", "adjusted_p_value", "test", "verdict", "first_value", "second_value", "sentence")


def plain(value: Any) -> Any:
    """A value as JSON holds it: floats with 12 digits, NaN and infinities as texts.

    >>> plain(0.1 + 0.2), plain(float("nan")), plain(np.int64(3)), plain(None), plain(-0.0)
    (0.3, 'nan', 3, None, 0.0)
    """
    if isinstance(value, np.generic | np.ndarray) and np.ndim(value) == 0:
        value = np.asarray(value).item()
    if not isinstance(value, float):
        return value if isinstance(value, str | int | None) else str(value)
    return float(f"{value:.{DIGITS}g}") + 0.0 if math.isfinite(value) else str(value)


def nested(prefix: str, parts: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> Flat:
    """Keys below a prefix."""
    items = parts.items() if isinstance(parts, Mapping) else parts
    return {f"{prefix}.{key}": value for key, value in items}


def estimate(found: Any) -> Flat:
    """One number with its interval."""
    flat = {"value": found.value, "low": found.low, "high": found.high, "method": found.method}
    if found.undefined is not None:
        flat["undefined"] = found.undefined
    if not math.isnan(getattr(found, "baseline", math.nan)):
        flat["baseline"] = found.baseline
    if found.binning_bounds is not None:
        flat |= {"bound_low": found.binning_bounds[0], "bound_high": found.binning_bounds[1]}
    return flat


def estimates(found: Mapping[str, Any]) -> Flat:
    """Every metric of a mapping by its name."""
    return {key: value for name in found for key, value in nested(name, estimate(found[name])).items()}


def findings(found: Iterable[Any]) -> Flat:
    """What is said, by the rule that says it: another finding in between moves no key."""
    flat, seen = {}, Counter[str]()
    for each in found:
        rule = f"finding[{each.rule}]" + (f"#{seen[each.rule]}" if seen[each.rule] else "")
        seen[each.rule] += 1
        flat |= {f"{rule}.verdict": each.verdict, f"{rule}.sentence": each.sentence}
    return flat


def counts(found: Any) -> Flat:
    """The four cells."""
    return {name: float(getattr(found, name)) for name in ("tp", "fp", "fn", "tn")}


def skipped(found: Any) -> Flat:
    """Rows that were left out, by reason."""
    left = getattr(found, "skipped", None)
    return nested("skipped", left.as_dict()["reasons"]) if left else {}


def evaluation(found: Any) -> Flat:
    """One classifier of two classes."""
    return {
        **estimates(found),
        "n": found.n,
        "positives": found.positives,
        "threshold": found.threshold,
        "design": str(found.design),
        "confidence_level": found.confidence_level,
        **nested("counts", counts(found.counts)),
        **findings(found.findings),
        **skipped(found),
    }


def numbers(found: Any) -> Flat:
    """The metrics of an evaluation alone, for data so odd or so large that this is enough."""
    return estimates(found) | {"n": found.n}


def several_classes(found: Any, of_class: Iterable[str] = ("sensitivity", "precision", "f1", "mcc")) -> Flat:
    """One classifier of several classes, and a few metrics of each class against the rest."""
    flat = estimates(found) | {"n": found.n, "design": str(found.design), "confidence_level": found.confidence_level}
    flat |= {f"{name}.context": found[name].conditions for name in found}
    cells = np.asarray(found.confusion.counts, dtype=float)
    flat["confusion"] = " ".join(f"{cell:.6g}" for cell in cells.ravel())
    for name in found.classes:
        single = found.one_vs_rest(name)
        kept = [each for each in (*of_class, "auroc", "average_precision", "brier") if each in single]
        flat |= nested(f"class {name}", estimates({each: single[each] for each in kept}))
    return flat | nested("worst", enumerate_texts(found.confusion.largest_confusions(3))) | findings(found.findings)


def whole_class(found: Any) -> Flat:
    """Every class against the rest, with every metric."""
    return {key: v for name in found.classes for key, v in nested(name, evaluation(found.one_vs_rest(name))).items()}


def per_class(found: Any) -> Flat:
    """The table of all classes side by side."""
    rows = found.per_class().rows()
    return {key: value for row in rows for key, value in nested(str(row["class"]), row).items()}


def enumerate_texts(found: Iterable[Any]) -> Flat:
    """Texts by their place."""
    return {str(place): str(each) for place, each in enumerate(found)}


def _difference(found: Any) -> Flat:
    flat = {name: getattr(found, name) for name in DIFFERENCE}
    return flat | nested("difference", estimate(found.difference))


def subgroups(found: Any, differences: Iterable[str] | None = None) -> Flat:
    """Everyone, every subgroup, and how they differ: a mapping of subgroups, or an evaluation that holds one."""
    parts = getattr(found, "subgroups", None) or found
    everyone = getattr(found, "overall", None) or getattr(parts, "overall", None) or found
    flat = nested("(everyone)", estimates(everyone)) | {"reference": str(parts.reference)}
    for name in parts:
        flat |= nested(f"subgroup {name}", numbers(parts[name]))
    for metric in everyone if differences is None else differences:
        for each in parts.differences(metric):
            flat |= nested(f"{metric}: {each.first} - {each.second}", _difference(each))
    return flat | findings(parts.findings) | skipped(everyone)


def comparison(found: Any) -> Flat:
    """Every pair of models in every metric."""
    flat: Flat = {"n": found.n, "positives": found.positives}
    for key in found:
        each = found[key]
        own = ("within_margin", "not_worse", "cases_needed")
        metric, first, second = key
        flat |= nested(f"{metric}: {first} - {second}", _difference(each) | {name: getattr(each, name) for name in own})
    return flat | skipped(found)


def card(found: Any) -> Flat:
    """Every rule of a threshold card."""
    flat: Flat = {}
    for rule in found:
        flat |= nested(rule, _operating_point(found[rule]))
    return flat | findings(found.findings)


def _operating_point(point: Any) -> Flat:
    flat = nested("threshold", estimate(point.threshold)) | {
        "next_score": point.next_score,
        "flat_low": point.flat_region.low,
        "flat_high": point.flat_region.high,
        "unreachable": point.infeasible_reason,
        "sentence": point.sentence,
    }
    flat |= nested("honest", estimates(point.metrics))
    flat |= nested("apparent", {name: each.value for name, each in point.apparent.items()})
    flat |= nested("optimism", point.optimism)
    return flat | nested("at_prevalence", estimates(point.at_prevalence))


def indistinguishability(found: Any) -> Flat:
    """The threshold, the precision there, and the labelled set."""
    flat = nested("threshold", estimate(found.threshold)) | nested("precision", estimate(found.precision))
    flat |= nested("labelled", {name: getattr(found.labelled_set, name) for name in ("tp", "fp", "b", "next_score")})
    middle = float(found.threshold.value)
    flat |= {f"b at threshold {step:+}": float(found.b(middle + step)) for step in (-0.2, 0.0, 0.1)}
    return flat | {"sentence": found.sentence}


def twelve(found: Any) -> Flat:
    """Bayes' quantities."""
    names = "prevalence sensitivity specificity false_positive_rate false_negative_rate queue_rate precision npv "
    names += "false_discovery_rate false_omission_rate accuracy youden_j lr_positive lr_negative"
    return {name: getattr(found, name) for name in names.split()} | nested("undefined", found.undefined)


def person(found: Any) -> Flat:
    """One person's probability."""
    flat = nested("after_positive", estimate(found.after_positive))
    return flat | nested("after_negative", estimate(found.after_negative)) | {"sentence": found.sentence}


def useful(found: Any) -> Flat:
    """Whether a classifier is useful."""
    flat = {name: getattr(found, name) for name in ("verdict", "sentence", "accuracy_bound")}
    flat["is_useful"] = found.is_better
    flat |= nested("youden_j", estimate(found.youden_j))
    return flat | nested("conditions", enumerate_texts(found.conditions))


def replicates(found: Mapping[str, Any]) -> Flat:
    """Bootstrap replicates: their number, the first ones, mean and spread."""
    flat: Flat = {}
    for name, drawn in found.items():
        flat |= {f"{name}.size": len(drawn), f"{name}.mean": np.nanmean(drawn), f"{name}.sd": np.nanstd(drawn)}
        flat |= {f"{name}.{place}": drawn[place] for place in range(5)}
    return flat


def resolution(found: Any) -> Flat:
    """Resolving power: every metric at every quality, the signal curves' ends, and the advice."""
    names = ("value", "low", "high", "mapped_low", "mapped_high", "sd", "kappa", "delta", "mc_error", "delta_error")
    flat: Flat = {}
    for metric, at in found:
        flat |= nested(
            f"{metric} at {at:.6g}",
            {name: getattr(found[metric, at], name) for name in (*names, "clipped", "undefined")},
        )
    for metric in found.metrics:
        flat |= nested(f"signal {metric}", _checksum(found.signal_curve(metric).values))
    return flat | {"recommendation": str(found.recommendation)}


def class_resolution(found: Any) -> Flat:
    """Resolving power of summaries over several classes."""
    names = ("value", "low", "high", "kappa", "delta", "undefined")
    flat = {f"{metric}.{name}": getattr(found[metric], name) for metric in found for name in names}
    return flat | {"recommendation": str(found.recommendation)}


def planned(found: Any) -> Flat:
    """How many cases are needed."""
    return {name: getattr(found, name) for name in ("n", "positives", "kappa", "mc_error", "method", "sentence")}


def easy(found: Any) -> Flat:
    """How far easy negatives flatter."""
    flat = {"threshold": found.threshold, "easy_share": found.easy_share}
    rows = found.rows()
    return flat | {f"{name} x {row['factor']:g}": row[name] for row in rows for name in row if name != "factor"}


def prevalence_study(found: Any) -> Flat:
    """Metrics over training and test prevalences."""
    flat: Flat = {}
    for row in found.rows():
        at = f"{row['varied']} {row['training_prevalence']:.3g} {row['test_prevalence']:.3g}"
        flat |= nested(at, {name: value for name, value in row.items() if not name.endswith("prevalence")})
    return flat | findings(found.findings)


def _checksum(column: Any) -> Flat:
    values = np.asarray(column, dtype=float)
    finite = values[np.isfinite(values)]
    return {
        "length": len(values),
        "finite": len(finite),
        "sum": finite.sum(),
        "squares": (finite**2).sum(),
        "first": values[0],
        "last": values[-1],
    }


def curves(found: Mapping[str, Any]) -> Flat:
    """Curves by name: a checksum of each column."""
    flat: Flat = {}
    for name, curve in found.items():
        for column in curve.columns:
            flat |= nested(f"{name}.{column}", _checksum(curve[column]))
    return flat


def bands(found: Any) -> Flat:
    """A band: a checksum of each of its lines, and its middle."""
    flat: Flat = {"method": found.method}
    for name in ("x", "y", "low", "high"):
        line = getattr(found, name)
        flat |= nested(name, _checksum(line)) | {f"{name}.middle": line[len(line) // 2]}
    return flat


def table(found: Any) -> Flat:
    """A score table: a checksum of each column."""
    flat: Flat = {"exact": bool(found.is_exact)}
    columns = ("score", "positives", "negatives", *(() if found.highest is None else ("highest",)))
    for name in columns:
        flat |= nested(name, _checksum(getattr(found, name)))
    return flat


def ledger(found: Any) -> Flat:
    """Definitions that go by one name."""
    return {each.definition: each.value for each in found.entries} | {"sentence": found.sentence}


def costs(found: Any) -> Flat:
    """Costs of several classes."""
    names = ("as_decided", "cost_minimal", "best_constant", "saving")
    given = {name: getattr(found, name) for name in names if getattr(found, name) is not None}
    return estimates(given) | {"how": found.how}


def risk_coverage(found: Any) -> Flat:
    """The reject option."""
    flat = nested("risk", _checksum(found.risk)) | nested("coverage", _checksum(found.coverage))
    return flat | nested("area", estimate(found.area)) | nested("at 0.1", estimate(found.coverage_at(0.1)))


def applied(found: Any) -> Flat:
    """New cases labelled by a card."""
    flat = {
        "threshold": found.threshold,
        "queue_rate": found.predicted_positive_rate,
        "labelled": int(found.labels.sum()),
    }
    return flat | findings(found.drift)


def page(found: Mapping[str, Any]) -> Flat:
    """The payload of a page: which parts it has, and a few numbers of each."""
    flat: Flat = {f"has {name}": True for name in found} | {"kind": found["kind"], "models": len(found["models"])}
    for place, model in enumerate(found["models"][:2]):
        flat |= nested(f"model {place}", _page_model(model))
    return flat | nested("card", _page_card(found.get("card")))


def _page_model(model: Mapping[str, Any]) -> Flat:
    flat: Flat = {f"has {name}": True for name in model} | {name: model[name] for name in ("n", "positives", "design")}
    stops = model.get("stops") or {}
    flat |= nested("stops", {name: len(each) for name, each in stops.items() if isinstance(each, list)})
    shown = {name: model["estimates"][name] for name in ("auroc", "sensitivity", "mcc") if name in model["estimates"]}
    return flat | {f"{name}.{end}": each[end] for name, each in shown.items() for end in ("value", "low", "high")}


def _page_card(found: Mapping[str, Any] | None) -> Flat:
    names = ("threshold", "low", "high")
    return {f"{rule['name']}.{each}": rule[each] for rule in (found or {"rules": []})["rules"] for each in names}
